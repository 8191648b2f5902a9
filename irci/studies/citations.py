"""What to cite for what a command does: BibTeX entries, chosen by the command and its options."""

from collections.abc import Sequence

ENTRIES = {
    "cormack2006": (
        "inproceedings",
        {
            "author": "Gordon V. Cormack and Thomas R. Lynam",
            "title": "Statistical Precision of Information Retrieval Evaluation",
            "booktitle": "Proceedings of the 29th Annual International ACM SIGIR Conference",
            "pages": "533--540",
            "year": "2006",
        },
    ),
    "voorhees2017": (
        "article",
        {
            "author": "Ellen M. Voorhees and Daniel Samarov and Ian Soboroff",
            "title": "Using Replicates in Information Retrieval Evaluation",
            "journal": "ACM Transactions on Information Systems",
            "volume": "36",
            "number": "2",
            "year": "2017",
        },
    ),
    "park2010": (
        "inproceedings",
        {
            "author": "Laurence A. F. Park",
            "title": "Confidence Intervals for Information Retrieval Evaluation",
            "booktitle": "Proceedings of the 15th Australasian Document Computing Symposium",
            "year": "2010",
        },
    ),
    "buckley2000": (
        "inproceedings",
        {
            "author": "Chris Buckley and Ellen M. Voorhees",
            "title": "Evaluating Evaluation Measure Stability",
            "booktitle": "Proceedings of the 23rd Annual International ACM SIGIR Conference",
            "pages": "33--40",
            "year": "2000",
        },
    ),
    "voorhees2002": (
        "inproceedings",
        {
            "author": "Ellen M. Voorhees and Chris Buckley",
            "title": "The Effect of Topic Set Size on Retrieval Experiment Error",
            "booktitle": "Proceedings of the 25th Annual International ACM SIGIR Conference",
            "pages": "316--323",
            "year": "2002",
        },
    ),
    "sakai2006": (
        "inproceedings",
        {
            "author": "Tetsuya Sakai",
            "title": "Evaluating Evaluation Metrics based on the Bootstrap",
            "booktitle": "Proceedings of the 29th Annual International ACM SIGIR Conference",
            "pages": "525--532",
            "year": "2006",
        },
    ),
    "sakai2017": (
        "inproceedings",
        {
            "author": "Tetsuya Sakai",
            "title": "Evaluating Evaluation Measures with Worst-Case Confidence Interval Widths",
            "booktitle": "Proceedings of the 8th International Workshop on Evaluating Information Access",
            "year": "2017",
        },
    ),
    "smucker2007": (
        "inproceedings",
        {
            "author": "Mark D. Smucker and James Allan and Ben Carterette",
            "title": "A Comparison of Statistical Significance Tests for Information Retrieval Evaluation",
            "booktitle": "Proceedings of the 16th ACM Conference on Information and Knowledge Management",
            "pages": "623--632",
            "year": "2007",
        },
    ),
    "carterette2012": (
        "article",
        {
            "author": "Ben Carterette",
            "title": "Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments",
            "journal": "ACM Transactions on Information Systems",
            "volume": "30",
            "number": "1",
            "year": "2012",
        },
    ),
    "webber2008": (
        "inproceedings",
        {
            "author": "William Webber and Alistair Moffat and Justin Zobel",
            "title": "Score Standardization for Inter-Collection Comparison of Retrieval Systems",
            "booktitle": "Proceedings of the 31st Annual International ACM SIGIR Conference",
            "pages": "51--58",
            "year": "2008",
        },
    ),
    "sakai2016": (
        "inproceedings",
        {
            "author": "Tetsuya Sakai",
            "title": "A Simple and Effective Approach to Score Standardisation",
            "booktitle": "Proceedings of the 2016 ACM International Conference on the Theory of Information Retrieval",
            "pages": "95--104",
            "year": "2016",
        },
    ),
}

# Of each command: a paper, and words on the command line of which one brings it in (none: always).
CITED: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "ap-ci": (("cormack2006", ()), ("webber2008", ("z", "cdf")), ("sakai2016", ("ab",))),
    "map-ci": (
        ("cormack2006", ()),
        ("smucker2007", ("randomization",)),
        ("webber2008", ("z", "cdf")),
        ("sakai2016", ("ab",)),
    ),
    "partition-anova": (
        ("voorhees2017", ()),
        ("carterette2012", ("tukey",)),
        ("smucker2007", ("randomization", "randomization-one-sided")),
    ),
    "stdap-ci": (("park2010", ()), ("webber2008", ()), ("sakai2016", ("ab",))),
    "swap-error": (
        ("buckley2000", ()),
        ("voorhees2002", ("swap",)),
        ("sakai2006", ("discriminative-power", "bootstrap")),
    ),
    "wcw": (("sakai2017", ()), ("webber2008", ("z", "cdf")), ("sakai2016", ("ab",))),
}
# Procedures that are not the first paper's.
INSTEAD = {"swap", "discriminative-power"}


def bibtex(command: str, arguments: Sequence[str]) -> str:
    """The entries for a command with these arguments."""
    words = {word for argument in arguments for word in argument.replace("=", ",").split(",")}
    chosen = [key for key, when in CITED[command] if not when or words & set(when)]
    if words & INSTEAD:
        chosen = chosen[1:]
    return "\n".join(_entry(key) for key in chosen)


def _entry(key: str) -> str:
    kind, fields = ENTRIES[key]
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items()]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}\n"
