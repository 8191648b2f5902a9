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
from irci.options.tables import PAIRS
from irci.options.types import Choice, CollectionsFile, Flag, JudgeWorth, JudgmentsFile, Several, Type

BY_SIGNS = "test=randomization|correction=maxt|ranks"
PAIRS_OR_RANKS = {f"{PAIRS}|ranks": "{} needs pairs: add --baseline, --all-pairs or --ranks."}
JOINT_SIGNS = "--family joint changes signs of topics, with maxt: add --population topics, or --correction holm."
COMPARED = {"": "smucker2007"}
PPI = "angelopoulos2023 oosterhuis2024 cochran1977"


def _clusters(takes: str, note: str, cites: dict[str, str], short: str = "") -> Option:
    return Option(
        "clusters", "--clusters", CLUSTERS, takes,
        "Topics come in clusters (of a template, a document): a file of lines with topic and cluster, or a regular"
        " expression with a group (?P<cluster>) for topic ids."
        f" {note}",
        metavar="FILE|REGEX", cites=cites, short=short,
    )  # fmt: skip


ROWS = (
    Option(
        "baseline", "--baseline", Type(), "map-ci(-validate)",
        "Compare with this run, or with the mean or median of all runs.",
        metavar="NAME", short="compare every run with this one", cites=COMPARED,
    ),
    Option(
        "all_pairs", "--all-pairs", Flag(), "map-ci(-validate)", "Compare every pair of runs.",
        short="compare every pair of runs", cites=COMPARED,
        needs={"!baseline": "--all-pairs already compares every two runs: leave out --baseline."},
    ),
    Option(
        "population", "--population", Several(Population | Varies), "map-ci(-validate -slices)",
        "What varies, a list with commas: topics, documents, or both at once; judgments: bounds over all grades of unjudged"
        " documents; clusters, collections, seeds or versions: with the option of that name; same-topics: with --judge, people"
        " alone.  [default: topics; with such an option, its own too]",
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
        "Also print a row for each slice of the topics, and whether differences vary between slices: a file of lines"
        " with topic and slice, or a regular expression with a group (?P<slice>) for topic ids. Slices are adjusted"
        " together, by --correction maxt unless told.",
        metavar="FILE|REGEX", cites={PAIRS: "welch1951 chung2013"},
    ),
    Option(
        "collections", "--collections", CollectionsFile(), "map-ci(collections)",
        "Several collections in place of QRELS and RUNs: a file of lines with name, qrels and runs (with --scores:"
        " name and scores). A folder of folders as the only argument, or a column `collection` in scores, needs no"
        " option. Prints rows for each collection, and the mean over them, for other collections and for these.",
        metavar="FILE", short="several: lines of name, qrels, runs; or give a folder",
        cites={
            "": "satterthwaite1946 thakur2021 dersimonian1986", PAIRS: "viechtbauer2007",
            BY_SIGNS: "canay2017",
        },
    ),
    Option(
        "seeds", "--seeds", SEEDS, "map-ci(seeds)",
        "Systems are trained several times: a file of lines with run, system and seed (- if not trained), or a"
        " regular expression with groups (?P<system>) and (?P<seed>) for runs. Prints intervals for systems trained"
        " again, and for these.",
        metavar="FILE|REGEX", short="lines 'run system seed' (- if untrained), or regex",
        cites={"": "brennan2001 satterthwaite1946"},
    ),
    Option(
        "mean", "--mean", Choice(MeanOf),
        "map-ci(clusters) stdap-ci(means) swap-error(error-rate swap discriminative-power)",
        "With --clusters: what has equal weight in a mean.  [default: topics]",
    ),
    Option(
        "judge", "--judge", JudgmentsFile(), "map-ci(judge means clusters)",
        "Qrels of a judge (a language model) for all topics, where QRELS are people's for a random few: means and"
        " differences from both, and from people alone. FILE:2: relevant from grade 2 on.  [default level: as -l]",
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
        "other_qrels", "--other-qrels", JudgmentsFile(), "map-ci(means clusters)",
        "With --survives: others' judgments of these topics; repeatable. FILE:2: relevant from grade 2 on.  [default"
        " level: as -l]",
        metavar="FILE[:LEVEL]", many=True, needs={"survives": "{} is for --survives."},
    ),
    Option(
        "test", "--test", Choice(TopicTest), "map-ci(carried)",
        "Test over topics: paired t, randomization, or Wilcoxon's or the sign test, which do not compare means.",
        default="t", needs=PAIRS_OR_RANKS | {"over=topics": "{} needs --population topics."},
        cites={"test=randomization": "smucker2007"},
    ),
    Option(
        "correction", "--correction", Choice(PairCorrection), "map-ci(carried)",
        "Adjust p for the number of pairs of a measure and population: by Holm's method, by the largest statistic of"
        " all pairs (maxt), by Benjamini and Hochberg's method (bh), or not.  [default: holm; of --ranks maxt]",
        needs={
            **PAIRS_OR_RANKS,
            "!correction=maxt|!interval=delta": "--correction maxt compares runs paired: leave out --interval delta.",
            "!correction=maxt|!test=wilcoxon & !correction=maxt|!test=sign":
            "--ranks and --correction maxt are about means, --test {test} is not.",
        },
        cites={"correction=maxt": "romano2005", "correction=bh": "benjamini2005"},
    ),
    Option(
        "family", "--family", Choice(OverMeasures), "map-ci(carried)",
        "With several measures, adjust p for the pairs of each measure, or of all jointly.",
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
