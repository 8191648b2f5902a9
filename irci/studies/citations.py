"""What to cite for what a command does: BibTeX entries, chosen by the command and its options."""

from collections.abc import Mapping
from typing import Any

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
    "yilmaz2008": (
        "inproceedings",
        {
            "author": "Emine Yilmaz and Javed A. Aslam and Stephen Robertson",
            "title": "A New Rank Correlation Coefficient for Information Retrieval",
            "booktitle": "Proceedings of the 31st Annual International ACM SIGIR Conference",
            "pages": "587--594",
            "year": "2008",
        },
    ),
    "ferro2022": (
        "inproceedings",
        {
            "author": "Nicola Ferro and Mark Sanderson",
            "title": "How Do You Test a Test? A Multifaceted Examination of Significance Tests",
            "booktitle": "Proceedings of the 15th ACM International Conference on Web Search and Data Mining",
            "pages": "280--288",
            "year": "2022",
        },
    ),
    "voorhees2000": (
        "article",
        {
            "author": "Ellen M. Voorhees",
            "title": "Variations in Relevance Judgments and the Measurement of Retrieval Effectiveness",
            "journal": "Information Processing and Management",
            "volume": "36",
            "number": "5",
            "pages": "697--716",
            "year": "2000",
        },
    ),
    "cohen1968": (
        "article",
        {
            "author": "Jacob Cohen",
            "title": "Weighted Kappa: Nominal Scale Agreement with Provision for Scaled Disagreement or Partial Credit",
            "journal": "Psychological Bulletin",
            "volume": "70",
            "number": "4",
            "pages": "213--220",
            "year": "1968",
        },
    ),
    "fleiss1969": (
        "article",
        {
            "author": "Joseph L. Fleiss and Jacob Cohen and Brian S. Everitt",
            "title": "Large Sample Standard Errors of Kappa and Weighted Kappa",
            "journal": "Psychological Bulletin",
            "volume": "72",
            "number": "5",
            "pages": "323--327",
            "year": "1969",
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
    "moffat2008": (
        "article",
        {
            "author": "Alistair Moffat and Justin Zobel",
            "title": "Rank-Biased Precision for Measurement of Retrieval Effectiveness",
            "journal": "ACM Transactions on Information Systems",
            "volume": "27",
            "number": "1",
            "year": "2008",
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
    "angelopoulos2023": (
        "article",
        {
            "author": "Anastasios N. Angelopoulos and Stephen Bates and Clara Fannjiang and Michael I. Jordan"
            " and Tijana Zrnic",
            "title": "Prediction-Powered Inference",
            "journal": "Science",
            "volume": "382",
            "number": "6671",
            "year": "2023",
        },
    ),
    "oosterhuis2024": (
        "inproceedings",
        {
            "author": "Harrie Oosterhuis and Rolf Jagerman and Zhen Qin and Xuanhui Wang and Michael Bendersky",
            "title": "Reliable Confidence Intervals for Information Retrieval Evaluation Using Generative {AI}",
            "booktitle": "Proceedings of the 30th ACM SIGKDD Conference on Knowledge Discovery and Data Mining",
            "year": "2024",
        },
    ),
    "cochran1977": (
        "book",
        {
            "author": "William G. Cochran",
            "title": "Sampling Techniques",
            "edition": "3rd",
            "publisher": "Wiley",
            "year": "1977",
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
    "brennan2001": (
        "book",
        {"author": "Robert L. Brennan", "title": "Generalizability Theory", "publisher": "Springer", "year": "2001"},
    ),
    "romano2005": (
        "article",
        {
            "author": "Joseph P. Romano and Michael Wolf",
            "title": "Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing",
            "journal": "Journal of the American Statistical Association",
            "volume": "100",
            "number": "469",
            "pages": "94--108",
            "year": "2005",
        },
    ),
    "benjamini2005": (
        "article",
        {
            "author": "Yoav Benjamini and Daniel Yekutieli",
            "title": "False Discovery Rate-Adjusted Multiple Confidence Intervals for Selected Parameters",
            "journal": "Journal of the American Statistical Association",
            "volume": "100",
            "number": "469",
            "pages": "71--81",
            "year": "2005",
        },
    ),
    "kish1965": (
        "book",
        {"author": "Leslie Kish", "title": "Survey Sampling", "publisher": "Wiley", "year": "1965"},
    ),
    "searle1992": (
        "book",
        {
            "author": "Shayle R. Searle and George Casella and Charles E. McCulloch",
            "title": "Variance Components",
            "publisher": "Wiley",
            "year": "1992",
        },
    ),
    "bell2002": (
        "article",
        {
            "author": "Robert M. Bell and Daniel F. McCaffrey",
            "title": "Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples",
            "journal": "Survey Methodology",
            "volume": "28",
            "number": "2",
            "pages": "169--181",
            "year": "2002",
        },
    ),
    "pustejovsky2018": (
        "article",
        {
            "author": "James E. Pustejovsky and Elizabeth Tipton",
            "title": "Small-Sample Methods for Cluster-Robust Variance Estimation and Hypothesis Testing in Fixed Effects"
            " Models",
            "journal": "Journal of Business \\& Economic Statistics",
            "volume": "36",
            "number": "4",
            "pages": "672--683",
            "year": "2018",
        },
    ),
    "canay2017": (
        "article",
        {
            "author": "Ivan A. Canay and Joseph P. Romano and Azeem M. Shaikh",
            "title": "Randomization Tests Under an Approximate Symmetry Assumption",
            "journal": "Econometrica",
            "volume": "85",
            "number": "3",
            "pages": "1013--1030",
            "year": "2017",
        },
    ),
    "thakur2021": (
        "inproceedings",
        {
            "author": "Nandan Thakur and Nils Reimers and Andreas R{\\\"u}ckl{\\'e} and Abhishek Srivastava"
            " and Iryna Gurevych",
            "title": "{BEIR}: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval Models",
            "booktitle": "Proceedings of the Neural Information Processing Systems Track on Datasets and Benchmarks",
            "year": "2021",
        },
    ),
    "dersimonian1986": (
        "article",
        {
            "author": "Rebecca DerSimonian and Nan Laird",
            "title": "Meta-Analysis in Clinical Trials",
            "journal": "Controlled Clinical Trials",
            "volume": "7",
            "number": "3",
            "pages": "177--188",
            "year": "1986",
        },
    ),
    "satterthwaite1946": (
        "article",
        {
            "author": "Franklin E. Satterthwaite",
            "title": "An Approximate Distribution of Estimates of Variance Components",
            "journal": "Biometrics Bulletin",
            "volume": "2",
            "number": "6",
            "pages": "110--114",
            "year": "1946",
        },
    ),
}

GIVEN: tuple[object, ...] = ()  # any value
PAIRS: dict[str, tuple[object, ...]] = {"compare": (True,), "baseline": GIVEN, "all_pairs": (True,), "ranks": (True,)}
BY_SIGNS: dict[str, object] = {"test": "randomization", "correction": "maxt", "interval": "simultaneous", "ranks": True}
OF_JUDGE = ("angelopoulos2023", "oosterhuis2024", "cochran1977")
# Of each command: a paper, and the options each with the values of which one brings it in, all together (none: always).
STANDARDISED = (("webber2008", {"standardise": ("z", "cdf")}), ("sakai2016", {"standardise": ("ab",)}))
CITED: dict[str, tuple[tuple[str, Mapping[str, tuple[object, ...]]], ...]] = {
    "ap-ci": (("cormack2006", {}), ("moffat2008", {"unjudged": ("scored", "retrieved")}), *STANDARDISED),
    "map-ci": (
        ("cormack2006", {}),
        ("moffat2008", {"population": ("judgments",)}),
        *(("smucker2007", {option: values}) for option, values in PAIRS.items()),
        ("smucker2007", {"test": ("randomization",)}),
        ("romano2005", {"ranks": (True,)}),
        ("romano2005", {"correction": ("maxt",)}),
        ("bell2002", {"clusters": GIVEN}),
        ("pustejovsky2018", {"clusters": GIVEN}),
        *(("canay2017", {"clusters": GIVEN, option: (value,)}) for option, value in BY_SIGNS.items()),
        *(("satterthwaite1946", {option: GIVEN}) for option in ("clusters", "collections", "versions")),
        *((paper, {"collections": GIVEN}) for paper in ("thakur2021", "dersimonian1986")),
        *((paper, {"collections": GIVEN, "mean": ("topics",)}) for paper in ("bell2002", "pustejovsky2018")),
        *(("canay2017", {"collections": GIVEN, option: (value,)}) for option, value in BY_SIGNS.items()),
        ("benjamini2005", {"adjusted_limits": (True,), "correction": ("bh",)}),
        *((paper, {"judge": GIVEN}) for paper in OF_JUDGE),
        *((paper, {"seeds": GIVEN}) for paper in ("brennan2001", "satterthwaite1946")),
        *STANDARDISED,
    ),
    "partition-anova": (
        ("voorhees2017", {}),
        ("carterette2012", {"tests": ("tukey",)}),
        ("smucker2007", {"tests": ("randomization", "randomization-one-sided")}),
    ),
    "stdap-ci": (
        ("park2010", {}),
        ("webber2008", {}),
        ("sakai2016", {"transform": ("ab",)}),
        *((paper, {"clusters": GIVEN}) for paper in ("bell2002", "pustejovsky2018")),
    ),
    "swap-error": (
        ("buckley2000", {"procedure": ("error-rate",)}),
        ("voorhees2002", {"procedure": ("swap",)}),
        ("sakai2006", {"procedure": ("discriminative-power",)}),
        ("sakai2006", {"draw": ("bootstrap",)}),
        *((paper, {"procedure": ("judges",)}) for paper in ("yilmaz2008", "ferro2022", "voorhees2000", "cohen1968")),
        ("fleiss1969", {"kappa_interval": ("asymptotic",)}),
        *STANDARDISED,
    ),
    "wcw": (
        ("sakai2017", {}),
        *((paper, {"judge": GIVEN}) for paper in OF_JUDGE),
        ("cochran1977", {"judge_correlation": GIVEN}),
        *((paper, {"clusters": GIVEN}) for paper in ("kish1965", "searle1992")),
        ("kish1965", {"icc": GIVEN}),
        *STANDARDISED,
    ),
}


def bibtex(command: str, options: Mapping[str, Any], version: str) -> str:
    """The entries for a command with these options (by their names in a program), and irci's own."""
    chosen = [
        paper
        for paper, conditions in CITED[command]
        if all(_holds(options[option], values) for option, values in conditions.items())
    ]
    own = (
        "misc",
        {
            "author": "{The irci developers}",
            "title": "irci: how far can an information-retrieval evaluation be trusted?",
            "note": f"Version {version}",
            "year": "2026",
        },
    )
    return "\n".join([*(_entry(key, *ENTRIES[key]) for key in dict.fromkeys(chosen)), _entry("irci", *own)])


def _holds(given: Any, values: tuple[object, ...]) -> bool:
    """Whether an option, of one value or of several, has one of these; or, if they are GIVEN, any."""
    return (
        given is not None
        if values == GIVEN
        else bool(set(given if isinstance(given, tuple) else (given,)) & set(values))
    )


def _entry(key: str, kind: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items()]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}\n"
