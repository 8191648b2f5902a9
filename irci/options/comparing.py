"""Options of comparisons, and of the other commands: pairs of runs, sources of variation, models, tests, corrections, what is
said of pairs, procedures, numbers of topics; and what only a repetition of a published experiment needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from irci.base import Margin, choices
from irci.options import types
from irci.options.commands import but, carried, only
from irci.options.option import Need, option, without
from irci.options.scoring import EVERY, MOST_TOPICS, NOT_IN_WIDE, NOT_WIDE

if TYPE_CHECKING:
    from irci.data.plans import ComparisonPlan
    from irci.options.asked import Asked


def _by_signs(asked: Asked) -> bool:
    return asked.test == "randomization" or asked.correction == "maxt" or asked.ranks


def _has_other_source(asked: Asked) -> bool:
    rules = (asked.clusters, asked.collections, asked.seeds, asked.versions)
    return "collections" in (asked.population or ()) or any(rule is not None for rule in rules)


OF_MEANS = without(interval="parametric", test="wilcoxon sign")  # and of runs paired
PAIRS_OR_RANKS: Need = (lambda asked: asked.has_pairs or asked.ranks,
    "{} needs pairs: add --baseline, --all-pairs or --ranks.")  # fmt: skip
PAIRS: Need = (lambda asked: asked.has_pairs, "{} needs pairs: add --baseline or --all-pairs.")
OVER_TOPICS: Need = (lambda asked: "topics" in asked.over, "{} needs --population topics.")
TOPIC_PAIRS = [
    PAIRS,
    (lambda asked: "topics" in asked.over_in_rows or asked.fail_if == ("reversed",),
     "{} needs pairs over topics: leave out --population."),
]  # fmt: skip
PPI = "angelopoulos2023 oosterhuis2024 cochran1977"

CLUSTERS = (
    "Topics come in clusters (of a template, a document): a file of lines with topic and cluster, or a regular"
    " expression with a group (?P<cluster>) for topic ids. "
)
clustered = partial(option, "--clusters", types.CLUSTERS)
published_so = partial(option, "--published", types.FLAG)
BH = Literal["bh", "holm", "none"]
TOPIC_NUMBERS = types.numbers(2, MOST_TOPICS, are_whole=True)
LEVELS = types.numbers(*types.BETWEEN_0_AND_1)


def _uses_anova(asked: Asked) -> bool:
    """True if wcw goes by the ANOVA."""
    by_default = not asked.tools and (asked.widths or asked.sizes or not asked.differences)
    return "anova" in asked.tools or bool(by_default)


def _has_power(asked: Asked) -> bool:
    """True if wcw seeks numbers of topics by the power of a test."""
    if "paired" not in asked.tools and "anova" not in asked.tools and asked.tools:
        return False
    return "anova" in asked.tools or not asked.tools or bool(asked.differences or asked.sizes or not asked.widths)


POWER_ABOVE_ALPHA: Need = (lambda asked: asked.judge or asked.power > asked.alpha,
    "--power must be larger than --alpha.")  # fmt: skip


# fmt: off
class Compare:
    """Options of pairs of runs, sources of variation, models, tests, and numbers of topics."""

    baseline: tuple[str, ...] = option("--baseline", types.NAME, [but("map-ci", "validate")],
        "Compare with this run, or the mean or median of all runs; repeatable.", many=True,
        short="compare every run with this one", cites={None: "smucker2007"})
    all_pairs: bool = option("--all-pairs", types.FLAG, [but("map-ci", "validate")], "Compare every pair of runs.",
        short="compare every pair of runs", cites={None: "smucker2007"},
        needs=[*without("baseline"),
               (lambda asked: not asked.is_wide or asked.ranks, "--layout wide shows all pairs by letters: add --ranks.")])
    population: Any = option("--population", types.several(choices.Population, choices.Varies),
        [but("map-ci", "validate", "slices")],
        "What varies, a list: topics, documents or both jointly; judgments: bounds over all grades of unjudged"
        " documents; clusters, collections, seeds, versions or passes: with that option; same-topics: with --judge,"
        " people alone.  [default: topics; with such an option, its own too]",
        short="what varies: topics,documents (a row each), both, ...", is_free=True,
        cites={"documents": "cormack2006", "both": "cormack2006", "judgments": "moffat2008"}
    ) + option("--population", types.choice(choices.ApPopulation), [only("ap-ci", "judgments", "intervals")],
        "What varies: the documents; or judgments, for bounds over all grades up to --max-grade that unjudged"
        " documents could have, those down to a measure's cutoff: no confidence intervals.", default="documents",
        cites={"judgments": "moffat2008"}, heading="Intervals")
    clusters: Any = clustered([only("map-ci", "clusters")],
        CLUSTERS + "Prints limits for other clusters, and for other topics of these.",
        cites={None: "bell2002 imbens2016 satterthwaite1946", _by_signs: "canay2017"},
        short="topics that belong together: lines, or a regex"
    ) + clustered([only("stdap-ci", "means")], CLUSTERS + "Limits are for other clusters in place of other topics.",
        cites={None: "bell2002 imbens2016"}
    ) + clustered([but("swap-error", "counts")], CLUSTERS + "Draws whole clusters: sizes are numbers of clusters.",
        needs=without("versions")
    ) + clustered([only("wcw", "files")],
        CLUSTERS + "From files: they are sampled, by the variances within and between them.",
        cites={None: "kish1965 searle1992"})
    slices: Any = option("--slices", types.SLICES, [only("map-ci", "slices")],
        "Also print a row for each slice of the topics, and whether differences vary between slices: a file of lines"
        " with topic and slice, or a regular expression with a group (?P<slice>) for topic ids. Slices are adjusted"
        " together, by --correction maxt unless another is given.",
        cites={lambda asked: asked.has_pairs: "welch1951 chung2013"})
    collections: Any = option("--collections", types.COLLECTIONS, [only("map-ci", "collections")],
        "Several collections in place of QRELS and RUNs: a file of lines with name, qrels and runs (with --scores:"
        " name and scores). A folder of folders as the only argument, or a column `collection` in scores, needs no"
        " option. Prints rows for each collection, and the mean over them, for other collections and for these.",
        needs=[(lambda asked: not asked.files,
                "{} names qrels, runs and files of scores: leave out other files.")],
        cites={
            None: "satterthwaite1946 thakur2021 dersimonian1986", lambda asked: asked.has_pairs: "viechtbauer2007",
            _by_signs: "canay2017"})
    seeds: Any = option("--seeds", types.SEEDS, [only("map-ci", "seeds")],
        "Systems are trained several times: a file of lines with run, system and seed (- if not trained), or a regular"
        " expression with groups (?P<system>) and (?P<seed>) for runs. Prints intervals for systems trained again, and"
        " for these.", cites={None: "brennan2001 satterthwaite1946"})
    mean: choices.MeanOf | None = option("--mean", types.choice(choices.MeanOf),
        [only("map-ci", "clusters"), only("stdap-ci", "means"), but("swap-error", "counts")],
        "With --clusters: what has equal weight in a mean.  [default: topics]",
        needs=[(lambda asked: asked.clusters is not None, "{} is for --clusters.")])
    judge: Any = option("--judge", types.JUDGMENTS, [only("map-ci", "judge", "means", "clusters")],
        "Qrels of a judge (a language model) for all topics, where QRELS are people's for a random few: means and"
        " differences from both, and people alone. FILE:2: relevant from grade 2 on.  [default level: as -l]",
        cites={lambda asked: not asked.survives: PPI}
    ) + option("--judge", types.JUDGE, [only("wcw", "judge", "correlation")],
        "How many topics must people judge beside a judge (a language model) who has judged more? The judge's qrels,"
        " beside people's for a few topics (with --scores: a score file); or R:M, the correlation over topics of a"
        " run's scores by both, and the topics that the judge has judged: .7:1000.",
        cites={None: "cochran1977", lambda asked: asked.files: PPI},
        needs=[(lambda asked: bool(asked.files) != isinstance(asked.judge, tuple),
                "{0} QRELS_B goes with people's QRELS and RUN..., or --scores and a file; {0} R:M without files.")])
    other_qrels: tuple[str, ...] = option("--other-qrels", types.JUDGMENTS, [only("map-ci", "means", "clusters", "passes")],
        "With --survives or --passes: others' judgments of these topics; repeatable. FILE:2: relevant from grade 2 on."
        "  [default level: as -l]", many=True,
        needs=[(lambda asked: asked.survives or asked.passes,
                "{} is for --survives or --passes; irci judges compares judgments.")]
    ) + option("--other-qrels", types.JUDGMENTS, [only("judges")],
        "Judgments of the same topics by somebody else, a person or a model; repeatable. What counts is the documents"
        " that both have judged. FILE:2: relevant from grade 2 on.  [default level: as -l]", many=True,
        short="somebody else's judgments")
    passes: Any = option("--passes", types.PASSES, [only("map-ci", "passes")],
        "Each --other-qrels is one pass of a judge over the documents: a file of lines of file, pass, judge (if"
        " several), or a regular expression with groups (?P<pass>) and (?P<judge>) for files. Adds intervals for other"
        " passes and topics, and the judge's part of the error.", cites={None: "brennan2001 satterthwaite1946"},
        needs=[
            (lambda asked: len(asked.other_qrels) > 1, "{} names passes of a judge: give --other-qrels once for each."),
            *without("scores", "standardise")])
    test: choices.TopicTest = option("--test", types.choice(choices.TopicTest), [carried("test")],
        "Test over topics: paired t, randomization, or Wilcoxon's or the sign test, which do not compare means.",
        default="t", needs=[PAIRS_OR_RANKS, OVER_TOPICS], cites={"randomization": "smucker2007"})
    correction: Any = option("--correction", types.choice(choices.PairCorrection), [carried("correction")],
        "Adjust p for the number of pairs of a measure and population: by Holm's method, the largest statistic of all"
        " pairs (maxt), Benjamini and Hochberg's method (bh), or not.  [default: holm; of --ranks maxt]",
        needs=[
            PAIRS_OR_RANKS,
            (lambda asked: asked.correction != "maxt" or asked.interval != "parametric",
             "{} maxt compares runs paired: leave out --interval parametric."),
            (lambda asked: asked.correction != "maxt" or asked.test not in ("wilcoxon", "sign"),
             "{} maxt is about means, --test {asked.test} is not.")],
        cites={"maxt": "romano2005", "bh": "benjamini2005"}
    ) + option("--correction", types.choice(BH), [only("partition-anova")],
        "How p_adjusted accounts for the number of pairs: by Benjamini and Hochberg's method, Holm's method, or not at"
        " all. A family is all pairs of systems for one measure on one split.", default="bh",
        short="adjust p: bh, holm or none"
    ) + option("--correction", types.choice(choices.Correction), [only("judges", "runs")],
        "How p of the pairs that are counted is adjusted for the number of pairs under each judge.", default="none")
    family: choices.OverMeasures = option("--family", types.choice(choices.OverMeasures), [carried("family")],
        "With several measures, adjust p for the pairs of each measure, or of all jointly.", default="each",
        needs=[
            PAIRS_OR_RANKS,
            (lambda asked: asked.family != "joint" or asked.correction != "none",
             "--family joint: --correction none adjusts nothing."),
            (lambda asked: asked.family != "joint" or asked.survives or "documents" not in asked.over
             or not (asked.correction == "maxt" or (asked.ranks and asked.correction != "holm")),
             "--family joint changes signs of topics, with maxt: add --population topics, or --correction holm.")])
    survives: bool = option("--survives", types.FLAG, [carried("survives")],
        "Ask whether other sources confirm each significant difference: documents, unjudged documents and, where"
        " given, --other-qrels, --passes, --clusters, --collections, --seeds or --versions.",
        needs=[
            PAIRS,
            (lambda asked: not (asked.scores or asked.standardise) or _has_other_source(asked),
             "{} asks about documents, which scores do not have: add --clusters, --collections, --seeds or"
             " --versions."),
            *OF_MEANS, *without("looks", mean="clusters"), NOT_WIDE],
        cites={None: "berger1982 romano2005"})
    plan: ComparisonPlan | None = option("--plan", types.PLAN, [only("map-ci", "means")],
        "Take options from this TOML file, which --save-plan writes. Options that contradict it are refused, other"
        " runs and topics are warned of; the signature has its SHA-256, and what deviates.", is_free=True)
    save_plan: str | None = option("--save-plan", types.OUTPUT, [only("map-ci", "means")],
        "Write options, names of runs, and --topics in a random order (--seed) to this file for --plan; print no"
        " results.")
    looks: tuple[int, ...] | None = option("--looks", types.numbers(1, MOST_TOPICS, are_whole=True), [only("map-ci", "means")],
        "Topics are judged in random order and tested at each of these numbers, of which the last is all that are"
        " planned: 10,25,50. The level is shared among the looks by O'Brien and Fleming's spending.",
        needs=[
            PAIRS,
            (lambda asked: not {"documents", "both", "judgments"} & {*asked.over},
             "{} is about topics: add --population topics."),
            *without("margin", "power", "ranks", "best", test="randomization wilcoxon sign", correction="bh",
                     family="joint", interval="parametric linear prediction")],
        cites={None: "lan1983"})
    ranks: bool = option("--ranks", types.FLAG, [carried("ranks")],
        "Print intervals of each run's rank, and letters: runs that share one are not significantly different.",
        short="which places runs may have, and which differ",
        needs=[
            (lambda asked: asked.correction not in ("bh", "none"),
             "{} adjusts over all pairs: use --correction maxt or holm."),
            *OF_MEANS], cites={None: "smucker2007 romano2005"})
    best: bool = option("--best", types.FLAG, [carried("best")],
        "Name the run with the highest mean, with limits that allow for its having been picked, and whether another"
        " may be better.", needs=[
            (lambda asked: "topics" in asked.over_in_rows, OVER_TOPICS[1]), *without(interval="prediction")],
        cites={None: "cormack2006 andrews2024 benjamini2019 hung2019"})
    margin: Margin | None = option("--margin", types.MARGIN, [carried("margin")],
        "The difference that does not matter: .01, or 2% of the baseline. Adds p_equivalence and p_not_worse, and"
        " verdicts.", short="differences up to .02 (or 2%) do not matter", needs=[*TOPIC_PAIRS, NOT_IN_WIDE],
        cites={None: "schuirmann1987 hall1992 fieller1954"})
    alpha: float = option("--alpha", types.FRACTION, [only("wcw")], "Significance level of tests and intervals.",
        default=0.05, short="significance level of the test  [0.05]", needs=[POWER_ABOVE_ALPHA])
    power: Any = option("--power", types.FLAG, [carried("power")],
        "Add the difference that these topics detect, and the topics needed.", needs=[*TOPIC_PAIRS, NOT_IN_WIDE],
        cites={None: "perugini2014"}, is_free=True
    ) + option("--power", types.FRACTION, [only("wcw", "variances", "files", "noncentrality")],
        "The probability with which a true difference, or an ANOVA's range, is to be found.", default=0.8,
        needs=[(_has_power, "{} is for --difference, or for --tool anova."), POWER_ABOVE_ALPHA])
    fail_if: tuple[choices.FailIf, ...] | None = option("--fail-if", types.several(choices.FailIf), [carried("fail_if")],
        "Status 5 if a run is significantly worse than its baseline (worse), is not shown to be equivalent"
        " (not-equivalent), or another source reverses a difference of --survives (reversed). inferior: 0 if it is"
        " shown not to be worse by the margin, else 5 if it is worse, else 6. inconclusive: 6 if nothing is shown. A"
        " list with commas; missing runs give 6.", short="worse: status 5; inconclusive: 6; ...", is_free=True,
        needs=[
            *TOPIC_PAIRS,
            (lambda asked: asked.margin is not None or not {"not-equivalent", "inferior"} & {*(asked.fail_if or ())},
             "{}: not-equivalent and inferior need --margin MARGIN."),
            (lambda asked: "reversed" not in (asked.fail_if or ()) or asked.survives,
             "--fail-if reversed is about claims: add --survives.")])
    meta: choices.MetaMethod | None = option("--meta", types.choice(choices.MetaMethod), [carried("meta")],
        "Combine topics' differences of logits (without pairs, logits) by a fixed effect, random effects"
        " (Hartung-Knapp) or Stouffer's test.",
        needs=[(lambda asked: not (asked.scores or asked.standardise),
                "{} combines intervals over documents, which scores of topics do not have."), NOT_WIDE])
    # Where it is not given, the default of what is asked for, from the study on.
    model: choices.Model = option("--model", types.choice(choices.Model), [only("partition-anova")],
        "Effects fitted: topic and system (additive), also their interaction (interaction), also the part, system by"
        " part and topic by part (parts). With --versions, parts are versions that all topics have; nested: topic,"
        " system, their interaction, and versions that are each of one topic.  [default: interaction; with --versions:"
        " nested]", short="effects fitted: interaction, additive, parts",
        needs=[(lambda asked: asked.model != "nested" or asked.versions is not None, "{} nested is for --versions.")])
    tests: tuple[str, ...] = option("--test", types.several(choices.RunTest, none=True), [only("partition-anova")],
        "Tests of the unsplit scores for comparison: t, randomization, tukey (randomized Tukey HSD), or none; their p"
        " is not adjusted, but for Tukey's, which allows for all pairs.  [default: t,randomization]",
        default=("t", "randomization"),
        cites={"tukey": "carterette2012", "randomization": "smucker2007"})
    alphas: Any = option("--alpha", LEVELS, [only("judges", "runs")],
        "Significance levels of the paired t tests of pairs.", default=(0.05,)
    ) + option("--alpha", LEVELS, [only("swap-error", "discriminative-power")],
        "Significance levels of the bootstrap test.  [default: 0.01,0.05,0.1]")
    groups: str | None = option("--groups", types.INPUT, [only("partition-anova")],
        "Also fit each team separately; the file has lines of run, tab, team."
    ) + option("--groups", types.INPUT._replace(metavar="FILE|REGEX"), [only("judges", "runs")],
        "The runs that a judge's own model made: lines of run, tab, judge (the name of its file), or a regular"
        " expression that finds these runs. Tests whether the judge favours them.",
        short="runs made by a judge's own model")
    procedure: choices.Procedure = option("--procedure", types.choice(choices.Procedure), [but("swap-error", "counts")],
        "error-rate: how often a set of topics disagrees with the majority of sets (Buckley & Voorhees); swap: how"
        " often two sets of topics disagree (Voorhees & Buckley); discriminative-power: how many pairs a bootstrap"
        " test separates (Sakai).", default="error-rate", short="error-rate, swap or discriminative-power",
        cites={"error-rate": "buckley2000", "swap": "voorhees2002", "discriminative-power": "sakai2006"})
    fuzziness: tuple[float, ...] = option("--fuzziness", types.numbers(0, 1_000_000), [only("swap-error", "error-rate")],
        "Differences below this percentage are ties; 1,2,...,10 for a sweep.  [default: 5]", default=(5.0,),
        short="differences below this percentage are ties")
    sizes: Any = option("--sizes", types.numbers(1, MOST_TOPICS, are_whole=True), [only("swap-error", "error-rate", "swap")],
        "Topics (with --clusters: clusters) per set. With swap, sizes beyond half of the topics are extrapolated (of"
        " ten runs or more), and marked as such.  [default: 5,10,15,20,25,30,40,50 and all topics, without versions up"
        " to half of them; swap: half of the topics, all of them, and twice as many]",
        short="topics per set, such as 5,10,...,50"
    ) + option("--sizes", TOPIC_NUMBERS, [but("wcw", "noncentrality")],
        "Print what these numbers of topics are worth, such as 10,20 or 5-200: the worst-case width of an interval,"
        " and from files the difference that is found in nine of ten pairs.  [default: 10,20,50,100]",
        short="what such numbers of topics show  [10,20,50,100]"
    ) + option("--sizes", TOPIC_NUMBERS, [only("stdap-ci", "validate")],
        "With --validate: sizes of the samples.  [default: 5, and at .05 2, 10, 20 and 50, up to half of the topics]")
    trials: int | None = option("--trials", types.whole(1, 1_000_000), [only("swap-error", "error-rate", "swap")],
        "How often sets of each size are drawn: sets of topics with --versions, else 100 subsets each time; of swap"
        " two sets each time.  [default: 50; with --versions 100]")
    max_rate: float = option("--max-rate", types.FRACTION, [only("swap-error", "swap")],
        "Find the smallest difference whose swap rate is at most this (of ten runs or more).", default=0.05)
    widths: tuple[float, ...] | None = option("--width", types.numbers(1e-9, 1e9), [but("wcw", "noncentrality")],
        "Print the number of topics needed for intervals of these widths (upper limit minus lower limit), in the worst"
        " case.", short="topics needed for these worst-case widths")
    differences: tuple[float, ...] | None = option("--difference", types.numbers(1e-9, 1e9),
        [only("wcw", "variances", "files")],
        "Print the number of topics needed to find true differences of these sizes.",
        short="topics needed to find these differences",
        needs=[(lambda asked: not asked.tools or {"paired", "anova"} & {*asked.tools},
                "{} is for --tool paired and anova: an interval has a --width.")])
    systems: int = option("--systems", types.whole(2, 10_000), [only("wcw", "variances", "files")],
        "Number of systems that the ANOVA compares.", default=10, short="systems that the ANOVA compares  [10]",
        needs=[(_uses_anova, "{} is for --tool anova.")])
    tools: tuple[choices.Tool, ...] = option("--tool", types.choice(choices.Tool), [only("wcw", "variances", "files")],
        "anova: a range of the means of several systems, which stands for the width of an interval; ci: the interval"
        " of a difference of two. Both take systems to vary independently. paired: a paired t test (with --width: its"
        " interval), from files by the variance of the pairs' differences. Repeatable.  [default: anova for widths,"
        " paired for differences]", many=True, short="paired, anova or ci")
    summaries: Sequence[tuple[str, float, float, int, str]] = option("--summary", types.SUMMARY,
        [only("stdap-ci", "published")],
        "Print intervals and differences from published figures, without files; a fourth value names the reference."
        " Repeatable.", many=True)


class Replicating:
    """Options that only a repetition of a published experiment needs."""

    # As trec_eval has it; here means are over all judged topics in any case.
    complete: bool = option("-c --complete", types.FLAG, EVERY, "Accepted, as by trec_eval.", hidden=True, python=False,
        is_free=True)
    published: bool = published_so([only("ap-ci", "validate", "intervals")],
        "As in the paper: --interval bca by the order statistics of S-Plus; with --validate, a score of 0 or 1 counts"
        " as inside if the score moved inwards by .00001 is inside.",
        needs=[(lambda asked: asked.validate is not None or asked.interval == "bca",
                "{} is for --interval bca, and for --validate.")]
    ) + published_so([only("map-ci", "validate")],
        "As in the paper: resampled intervals have no small-R correction, and MAP's is centred on the mean of"
        " resampled MAP."
    ) + published_so([but("partition-anova", "versions")],
        "Compute as in the paper: residuals as they are, drawn with replacement, which are too small; p by each"
        " system's own resamples (marginal), which ignores half of the variance; unless --test is given, unpaired t"
        " tests and one-sided randomization tests; within teams (--groups) lengths of means, which vary together too."
        " More pairs differ significantly than should.", short="compute as in the paper"
    ) + published_so([only("swap-error", "swap")],
        "Extrapolate by an exponential, as the paper of the swap rate does, which falls too fast beyond the sizes"
        " drawn."
    ) + published_so([only("wcw", "variances", "files")],
        "Plan as in the paper: by the estimated variance itself, not its upper limit; the ANOVA by the normal"
        " approximation of the published spreadsheet, its topics sought from equation (2) upwards.",
        needs=[
            (lambda asked: asked.files or _uses_anova(asked), "{} is for --tool anova, and for variances from files."),
            (lambda asked: {"anova", "paired"} & {*asked.tools} or not asked.tools or asked.widths,
             "{} has no effect on --tool ci without --width.")])
    validate: Any = option("--validate", types.HALVES, [only("ap-ci", "validate"), only("map-ci", "validate")],
        "Split the documents into halves and count how often intervals from one half contain the scores on the other:"
        " N random splits; by the parity of the docno's MD5 (md5); or by a file of lines with docno and part.",
        short="how often intervals contain scores on the other half", cites={None: "cormack2006"}
    ) + option("--validate", types.whole(1, 1_000_000), [only("stdap-ci", "validate")],
        "Count how often intervals from samples of the topics miss the mean of all topics: N samples for each run and"
        " size.", short="how often samples' intervals miss the mean", needs=[NOT_WIDE])
