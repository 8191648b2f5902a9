"""Options of compare and map-ci: pairs of runs, sources of variation, tests, corrections, and what is said of pairs."""

from irci.base.choices import FailIf, MeanOf, MetaMethod, OverMeasures, PairCorrection, Population, TopicTest, Varies
from irci.options.asked import Asked, Need, Option
from irci.options.commands import but, carried, only
from irci.options.scoring import MOST_TOPICS
from irci.options.types import (
    CLUSTERS,
    COLLECTIONS,
    FLAG,
    JUDGE,
    JUDGMENTS,
    MARGIN,
    NAME,
    OUTPUT,
    PASSES,
    PLAN,
    SEEDS,
    SLICES,
    choice,
    numbers,
    several,
)


def _is_about_means(asked: Asked) -> bool:
    return asked.test not in ("wilcoxon", "sign")


def _has_pairs(asked: Asked) -> bool:
    return asked.has_pairs


def _by_signs(asked: Asked) -> bool:
    return asked.test == "randomization" or asked.correction == "maxt" or asked.ranks


def _has_other_source(asked: Asked) -> bool:
    rules = (asked.clusters, asked.collections, asked.seeds, asked.versions)
    return "collections" in (asked.population or ()) or any(rule is not None for rule in rules)


def _mixes_signs_and_documents(asked: Asked) -> bool:
    is_of_signs = asked.correction == "maxt" or (asked.ranks and asked.correction != "holm")
    return asked.family == "joint" and "documents" in asked.over and is_of_signs and not asked.survives


NOT_OF_MEANS = "--ranks and --correction maxt are about means, --test {asked.test} is not."
PAIRS_OR_RANKS: Need = (
    lambda asked: asked.has_pairs or asked.ranks,
    "{} needs pairs: add --baseline, --all-pairs or --ranks.",
)
PAIRS: Need = (lambda asked: asked.has_pairs, "{} needs pairs: add --baseline or --all-pairs.")
OVER_TOPICS: Need = (lambda asked: "topics" in asked.over, "{} needs --population topics.")
TOPIC_PAIRS = [
    (
        lambda asked: asked.has_pairs or asked.scores or _has_other_source(asked),
        "{} needs pairs over topics: add --baseline or --all-pairs.",
    ),
    PAIRS,
    (
        lambda asked: "topics" in asked.over_in_rows or asked.fail_if == ("reversed",),
        "{} needs pairs over topics: leave out --population.",
    ),
]
PPI = "angelopoulos2023 oosterhuis2024 cochran1977"
BY_T_OR_BOUNDED = "{} has limits by t, or bounded ones: leave out --interval {asked.interval}."

CLUSTERED = Option("clusters", "--clusters", CLUSTERS, [],
    "Topics come in clusters (of a template, a document): a file of lines with topic and cluster, or a regular"
    " expression with a group (?P<cluster>) for topic ids. ")  # fmt: skip

ROWS = (
    Option("baseline", "--baseline", NAME, [but("map-ci", "validate")],
        "Compare with this run, or the mean or median of all runs; repeatable.", many=True,
        short="compare every run with this one", cites={None: "smucker2007"}),
    Option("all_pairs", "--all-pairs", FLAG, [but("map-ci", "validate")], "Compare every pair of runs.",
        short="compare every pair of runs", cites={None: "smucker2007"},
        needs=[(lambda asked: not asked.baseline,
                "--all-pairs already compares every two runs: leave out --baseline.")]),
    Option("population", "--population", several(Population | Varies), [but("map-ci", "validate", "slices")],
        "What varies, a list: topics, documents or both at once; judgments: bounds over all grades of unjudged"
        " documents; clusters, collections, seeds, versions or passes: with that option; same-topics: with --judge,"
        " people alone.  [default: topics; with such an option, its own too]",
        short="what varies: topics,documents (a row each), both, ...",
        cites={"documents": "cormack2006", "both": "cormack2006", "judgments": "moffat2008"}),
    CLUSTERED._replace(takes=[only("map-ci", "clusters")],
        help=CLUSTERED.help + "Prints limits for other clusters, and for other topics of these.",
        cites={None: "bell2002 imbens2016 satterthwaite1946", _by_signs: "canay2017"},
        short="topics that belong together: lines, or a regex"),
    CLUSTERED._replace(takes=[only("stdap-ci", "means")],
        help=CLUSTERED.help + "Limits are for other clusters in place of other topics.",
        cites={None: "bell2002 imbens2016"}),
    CLUSTERED._replace(takes=[but("swap-error", "counts")],
        help=CLUSTERED.help + "Draws whole clusters: sizes are numbers of clusters.",
        needs=[(lambda asked: asked.versions is None, "{} and --versions do not go together.")]),
    CLUSTERED._replace(takes=[only("wcw", "files")],
        help=CLUSTERED.help + "From files: they are sampled, by the variances within and between them.",
        cites={None: "kish1965 searle1992"}),
    Option("slices", "--slices", SLICES, [only("map-ci", "slices")],
        "Also print a row for each slice of the topics, and whether differences vary between slices: a file of lines"
        " with topic and slice, or a regular expression with a group (?P<slice>) for topic ids. Slices are adjusted"
        " together, by --correction maxt unless another is given.",
        cites={_has_pairs: "welch1951 chung2013"}),
    Option("collections", "--collections", COLLECTIONS, [only("map-ci", "collections")],
        "Several collections in place of QRELS and RUNs: a file of lines with name, qrels and runs (with --scores:"
        " name and scores). A folder of folders as the only argument, or a column `collection` in scores, needs no"
        " option. Prints rows for each collection, and the mean over them, for other collections and for these.",
        cites={
            None: "satterthwaite1946 thakur2021 dersimonian1986", _has_pairs: "viechtbauer2007", _by_signs: "canay2017"}),
    Option("seeds", "--seeds", SEEDS, [only("map-ci", "seeds")],
        "Systems are trained several times: a file of lines with run, system and seed (- if not trained), or a regular"
        " expression with groups (?P<system>) and (?P<seed>) for runs. Prints intervals for systems trained again, and"
        " for these.", cites={None: "brennan2001 satterthwaite1946"}),
    Option("mean", "--mean", choice(MeanOf),
        [only("map-ci", "clusters"), only("stdap-ci", "means"), but("swap-error", "counts")],
        "With --clusters: what has equal weight in a mean.  [default: topics]",
        needs=[(lambda asked: asked.clusters is not None, "{} is for --clusters.")]),
    Option("judge", "--judge", JUDGMENTS, [only("map-ci", "judge", "means", "clusters")],
        "Qrels of a judge (a language model) for all topics, where QRELS are people's for a random few: means and"
        " differences from both, and people alone. FILE:2: relevant from grade 2 on.  [default level: as -l]",
        cites={lambda asked: not asked.survives: PPI}),
    Option("judge", "--judge", JUDGE, [only("wcw", "judge", "correlation")],
        "How many topics must people judge beside a judge (a language model) who has judged more? The judge's qrels,"
        " beside people's for a few topics (with --scores: a score file); or R:M, the correlation over topics of a"
        " run's scores by both, and the topics that the judge has judged: .7:1000.",
        cites={None: "cochran1977", lambda asked: asked.files: PPI}),
    Option("other_qrels", "--other-qrels", JUDGMENTS, [only("map-ci", "means", "clusters", "passes")],
        "With --survives or --passes: others' judgments of these topics; repeatable. FILE:2: relevant from grade 2 on."
        "  [default level: as -l]", many=True,
        needs=[(lambda asked: asked.survives or asked.passes,
                "{} is for --survives or --passes; irci judges compares judgments.")]),
    Option("passes", "--passes", PASSES, [only("map-ci", "passes")],
        "Each --other-qrels is one pass of a judge over the documents: a file of lines of file, pass, judge (if"
        " several), or a regular expression with groups (?P<pass>) and (?P<judge>) for files. Adds intervals for other"
        " passes and topics, and the judge's part of the error.", cites={None: "brennan2001 satterthwaite1946"},
        needs=[
            (lambda asked: len(asked.other_qrels) > 1, "{} names passes of a judge: give --other-qrels once for each."),
            (lambda asked: not (asked.scores or asked.standardise),
             "{} scores runs by each pass: leave out --scores and --standardise.")]),
    Option("test", "--test", choice(TopicTest), [carried("test")],
        "Test over topics: paired t, randomization, or Wilcoxon's or the sign test, which do not compare means.",
        default="t", needs=[PAIRS_OR_RANKS, OVER_TOPICS],
        cites={"randomization": "smucker2007"}),
    Option("correction", "--correction", choice(PairCorrection), [carried("correction")],
        "Adjust p for the number of pairs of a measure and population: by Holm's method, the largest statistic of all"
        " pairs (maxt), Benjamini and Hochberg's method (bh), or not.  [default: holm; of --ranks maxt]",
        needs=[
            PAIRS_OR_RANKS,
            (lambda asked: asked.correction != "maxt" or asked.interval != "parametric",
             "--correction maxt compares runs paired: leave out --interval parametric."),
            (lambda asked: asked.correction != "maxt" or _is_about_means(asked), NOT_OF_MEANS)],
        cites={"maxt": "romano2005", "bh": "benjamini2005"}),
    Option("family", "--family", choice(OverMeasures), [carried("family")],
        "With several measures, adjust p for the pairs of each measure, or of all jointly.", default="each",
        needs=[
            PAIRS_OR_RANKS,
            (lambda asked: asked.family != "joint" or asked.correction != "none",
             "--family joint: --correction none adjusts nothing."),
            (lambda asked: not _mixes_signs_and_documents(asked),
             "--family joint changes signs of topics, with maxt: add --population topics, or --correction holm.")]),
    Option("survives", "--survives", FLAG, [carried("survives")],
        "Ask whether other sources confirm each significant difference: documents, unjudged documents and, where"
        " given, --other-qrels, --passes, --clusters, --collections, --seeds or --versions.",
        needs=[
            PAIRS,
            (lambda asked: not (asked.scores or asked.standardise) or _has_other_source(asked),
             "{} asks about documents, which scores do not have: add --clusters, --collections, --seeds or"
             " --versions."),
            (_is_about_means, "{} is about means, --test {asked.test} is not."),
            (lambda asked: asked.interval != "parametric", "{} compares runs paired."),
            (lambda asked: asked.clusters is None or asked.mean != "clusters",
             "{} is about means of topics: leave out --mean clusters."),
            (lambda asked: not asked.looks, "{} is about all topics: leave out --looks.")],
        cites={None: "berger1982 romano2005"}),
    Option("plan", "--plan", PLAN, [only("map-ci", "means")],
        "Take options from this TOML file, which --save-plan writes. Options that contradict it are refused, other"
        " runs and topics are warned of; the signature has its SHA-256, and what deviates."),
    Option("save_plan", "--save-plan", OUTPUT, [only("map-ci", "means")],
        "Write options, names of runs, and --topics in a random order (--seed) to this file for --plan; print no"
        " results.", needs=[(lambda asked: asked.plan is None, "{} writes a plan, --plan takes one: leave one out.")]),
    Option("looks", "--looks", numbers(1, MOST_TOPICS, are_whole=True), [only("map-ci", "means")],
        "Topics are judged in random order and tested at each of these numbers, of which the last is all that are"
        " planned: 10,25,50. The level is shared among the looks by O'Brien and Fleming's spending.",
        needs=[
            PAIRS,
            (lambda asked: not {"documents", "both", "judgments"} & {*asked.over},
             "{} is about topics: add --population topics."),
            (lambda asked: asked.test == "t", "{} goes by the t test: leave out --test {asked.test}."),
            (lambda asked: asked.interval in (None, "auto", "t", "bounded"), BY_T_OR_BOUNDED),
            (lambda asked: asked.correction != "bh",
             "{} holds the chance of any false finding: use --correction holm or maxt."),
            (lambda asked: asked.margin is None and not asked.power,
             "{} is about differences: leave out --margin and --power."),
            (lambda asked: not (asked.ranks or asked.best), "{} is about pairs: leave out --ranks and --best."),
            (lambda asked: asked.family != "joint", "{} takes each measure separately.")], cites={None: "lan1983"}),
    Option("ranks", "--ranks", FLAG, [carried("ranks")],
        "Print intervals of each run's rank, and letters: runs that share one are not significantly different.",
        short="which places runs may have, and which differ",
        needs=[
            (lambda asked: asked.correction not in ("bh", "none"),
             "{} hold for all pairs simultaneously: use --correction maxt or holm."),
            (lambda asked: asked.interval != "parametric", "{} compare runs paired: leave out --interval parametric."),
            (_is_about_means, NOT_OF_MEANS)], cites={None: "smucker2007 romano2005"}),
    Option("best", "--best", FLAG, [carried("best")],
        "Name the run with the highest mean, with limits that allow for its having been picked, and whether another"
        " may be better.", needs=[
            (lambda asked: "topics" in asked.over_in_rows, OVER_TOPICS[1]),
            (lambda asked: asked.interval != "prediction", BY_T_OR_BOUNDED)],
        cites={None: "cormack2006 andrews2024 benjamini2019 hung2019"}),
    Option("margin", "--margin", MARGIN, [carried("margin")],
        "The difference that does not matter: .01, or 2% of the baseline. Adds p_equivalence and p_not_worse, and"
        " verdicts.", short="differences up to .02 (or 2%) do not matter", needs=TOPIC_PAIRS,
        cites={None: "schuirmann1987 hall1992 fieller1954"}),
    Option("power", "--power", FLAG, [carried("power")],
        "Add the difference that these topics detect, and the topics needed.", needs=TOPIC_PAIRS,
        cites={None: "perugini2014"}),
    Option("fail_if", "--fail-if", several(FailIf), [carried("fail_if")],
        "Status 5 if a run is significantly worse than its baseline (worse), is not shown to be equivalent"
        " (not-equivalent), or another source reverses a difference of --survives (reversed). inferior: 0 if it is"
        " shown not to be worse by the margin, else 5 if it is worse, else 6. inconclusive: 6 if nothing is shown. A"
        " list with commas; missing runs give 6.", short="worse: status 5; inconclusive: 6; ...",
        needs=[
            *TOPIC_PAIRS,
            (lambda asked: asked.margin is not None or not {"not-equivalent", "inferior"} & {*(asked.fail_if or ())},
             "{}: not-equivalent and inferior need --margin MARGIN."),
            (lambda asked: "reversed" not in (asked.fail_if or ()) or asked.survives,
             "--fail-if reversed is about claims: add --survives.")]),
    Option("meta", "--meta", choice(MetaMethod), [carried("meta")],
        "Combine topics' differences of logits (without pairs, logits) by a fixed effect, random effects"
        " (Hartung-Knapp) or Stouffer's test.",
        needs=[(lambda asked: not (asked.scores or asked.standardise),
                "{} combines intervals over documents, which scores of topics do not have.")]),
)  # fmt: skip
