"""Compare: pairs of runs, what varies, tests and corrections of map-ci; several commands share some of them."""

from irci.base.choices import (
    MeanOf,
    OverMeasures,
    PairCorrection,
    Population,
    TopicTest,
    Varies,
)
from irci.options.option import Option
from irci.options.rules import CLUSTERS, SEEDS, SLICES
from irci.options.types import Choice, CollectionsFile, Flag, JudgeWorth, Judgments, Several, Type

BY_SIGNS = "test=randomization|correction=maxt|ranks"
PAIRS = "compare|baseline|all_pairs"
PAIRS_OR_RANKS = {f"{PAIRS}|ranks": "{} needs pairs: add --baseline, --all-pairs or --ranks."}
JOINT_SIGNS = "--family joint changes signs of topics, with maxt: add --population topics, or --correction holm."
COMPARED = {"": "smucker2007"}
PPI = "angelopoulos2023 oosterhuis2024 cochran1977"


def _clusters(takes: str, note: str, cites: dict[str, str], short: str = "") -> Option:
    return Option(
        "clusters", "--clusters", CLUSTERS, takes,
        "Topics come in clusters (of one template, one document, ...), which vary as a whole: a file of lines with topic"
        " and cluster, separated by blanks, or a regular expression with a group (?P<cluster>) that matches whole topic ids."
        f" {note}",
        metavar="FILE|REGEX", cites=cites, short=short,
    )  # fmt: skip


ROWS = (
    Option(
        "baseline", "--baseline", Type(), "map-ci(-validate)",
        "Compare all runs with this run, or with the mean or median of all runs.",
        metavar="NAME", short="compare every run with this one", cites=COMPARED,
    ),
    Option(
        "all_pairs", "--all-pairs", Flag(), "map-ci(-validate)", "Compare every pair of runs.",
        short="compare every pair of runs", cites=COMPARED,
        needs={"!baseline": "--all-pairs already compares every two runs: leave out --baseline."},
    ),
    Option(
        "population", "--population", Several(Population | Varies), "map-ci(-validate -slices)",
        "What varies, a list with commas: the topics, the documents, or both at once; judgments: bounds over all grades that"
        " unjudged documents could have, which are no confidence limits; clusters, collections, seeds or versions: with the"
        " option of that name; same-topics: with --judge, people's judgments of exactly these. Rows are in"
        " this order, however it is typed.  [default: topics; with such an option, its own"
        " and topics]",
        metavar="LIST",
        short="what varies: topics, documents, both or judgments",
        cites={"population=documents|population=both": "cormack2006", "population=judgments": "moffat2008"},
    ),
    _clusters(
        "map-ci(clusters)", "Prints limits for other clusters, and for other topics of these.",
        {"": "bell2002 imbens2016 satterthwaite1946", BY_SIGNS: "canay2017"},
        "templates: lines 'topic cluster', or a regex",
    ),
    _clusters(
        "stdap-ci(means)", "Limits are for other clusters in place of other topics.", {"": "bell2002 imbens2016"},
    ),
    _clusters(
        "swap-error(error-rate swap discriminative-power)", "Draws whole clusters: sizes are numbers of clusters.", {},
    ),
    _clusters(
        "wcw(files)", "From files: they are sampled, by the variances within and between them.", {"": "kish1965 searle1992"},
    ),
    Option(
        "slices", "--slices", SLICES, "map-ci(slices)",
        "Prints a row for each slice of the topics (a kind of query, a length, ...) too, and whether differences themselves"
        " differ between slices: a file of lines with topic and slice, or a regular expression with a group (?P<slice>) that"
        " matches whole topic ids. Limits are for other topics of the slice. p_adjusted of slices is adjusted for all pairs in"
        " all slices, by --correction maxt unless another one is asked for; that of all topics as ever.",
        metavar="FILE|REGEX", cites={PAIRS: "welch1951 chung2013"},
    ),
    Option(
        "collections", "--collections", CollectionsFile(), "map-ci(collections)",
        "In place of QRELS and RUNs: runs of the same names on several collections, from a file of lines with name, qrels and"
        " runs (with --scores, name and files of scores). Prints a row for each collection, and the mean over them with limits"
        " for other collections, and for other topics of these. Two need no option: a table of scores with a column"
        " `collection`; and, as the only file, a folder with NAME/qrels.txt, or NAME/qrels/test.tsv as BEIR has it, and"
        " NAME/runs/* or runs/NAME.*.",
        metavar="FILE", short="several: lines of name, qrels, runs; or give a folder",
        cites={
            "": "satterthwaite1946 thakur2021 dersimonian1986", PAIRS: "viechtbauer2007",
            BY_SIGNS: "canay2017",
        },
    ),
    Option(
        "seeds", "--seeds", SEEDS, "map-ci(seeds)",
        "Systems are trained several times, each run from another seed: a file of lines with run, system and seed, separated"
        " by blanks, or a regular expression with groups (?P<system>) and (?P<seed>) that matches whole run names. What is not"
        " trained has the seed - in the file, or no seed in its name: '(?P<system>.*?)(_s(?P<seed>\\d+))?'. Prints limits for"
        " systems trained again, on other topics, and for these checkpoints on other topics.",
        metavar="FILE|REGEX", short="lines 'run system seed' (- if untrained), or regex",
        cites={"": "brennan2001 satterthwaite1946"},
    ),
    Option(
        "mean", "--mean", Choice(MeanOf),
        "map-ci(clusters) stdap-ci(means) swap-error(error-rate swap discriminative-power)",
        "With --clusters: what has equal weight in a mean.  [default: topics]",
    ),
    Option(
        "judge", "--judge", Judgments(), "map-ci(judge means clusters)",
        "A judge's (a language model's) qrels for all topics; QRELS are people's for a few, drawn at random. Answers are"
        " for these topics and for new ones, and beside them stand those of people alone. With --scores: a score file. With"
        " --survives: the same as --other-qrels. FILE:2 takes grades from 2 on there for relevant.  [default level: as -l]",
        metavar="FILE[:LEVEL]", cites={"!survives": PPI},
    ),
    Option(
        "judge", "--judge", JudgeWorth(), "wcw(judge correlation)",
        "How many topics must people judge beside a judge (a language model) who has judged more? The judge's qrels, beside"
        " people's for a few topics (with --scores: a score file); or R:M, the correlation over topics of a run's scores by"
        " both, and the topics that the judge has judged: .7:1000.",
        metavar="QRELS_B|R:M", cites={"": "cochran1977", "files": PPI},
    ),
    Option(
        "other_qrels", "--other-qrels", Judgments(), "map-ci(means clusters)",
        "With --survives: judgments of the same topics by somebody else, a person or a model, of which claims are asked;"
        " repeatable. If they are less than 99% of what QRELS judged, the documents that both judged decide. FILE:2 takes"
        " grades from 2 on there for relevant.  [default level: as -l]",
        metavar="FILE[:LEVEL]", many=True, needs={"survives": "{} is for --survives."},
    ),
    Option(
        "test", "--test", Choice(TopicTest), "map-ci(carried)",
        "Test over topics: paired t test, randomization (random sign flips), or Wilcoxon's or the sign test, which do not"
        " compare means.",
        default="t", needs=PAIRS_OR_RANKS | {"over=topics": "{} needs --population topics."},
        cites={"test=randomization": "smucker2007"},
    ),
    Option(
        "correction", "--correction", Choice(PairCorrection), "map-ci(carried)",
        "How p_adjusted accounts for the number of pairs: by Holm's method (holm), the largest statistic of all pairs (maxt),"
        " Benjamini and Hochberg's method (bh), or not at all (none). A family is all pairs compared (with --ranks, all pairs"
        " of runs) for one measure and one population.  [default: holm, or maxt with --ranks]",
        needs={
            **PAIRS_OR_RANKS,
            "!correction=maxt|!interval=delta": "--correction maxt compares runs paired: leave out --interval delta.",
            "!correction=maxt|!test=wilcoxon & !correction=maxt|!test=sign":
            "--ranks and --correction maxt are about means, --test {test} is not.",
        },
        cites={"correction=maxt": "romano2005"},
    ),
    Option(
        "family", "--family", Choice(OverMeasures), "map-ci(carried)",
        "Of several measures: each is a family of its own (each); or all are one, whose p_adjusted accounts for all pairs of"
        " all measures (joint; with maxt by the same signs of topics).",
        default="each",
        needs={
            **PAIRS_OR_RANKS,
            "!family=joint|!correction=none": "--family joint: --correction none adjusts nothing.",
            "survives|!family=joint|!over=documents|!correction=maxt": JOINT_SIGNS,
            "survives|!family=joint|!over=documents|!ranks|correction=holm": JOINT_SIGNS,
        },
        cites={"family=joint & correction=maxt": "romano2005"},
    ),
)  # fmt: skip
