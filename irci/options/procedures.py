"""Options of the other commands: models and tests, procedures and sets of topics, powers, widths, numbers of topics; and what
only a repetition of a published experiment needs."""

from typing import Literal

from irci.base.choices import Correction, Model, Procedure, RunTest, Tool
from irci.options.asked import Asked, Need, Option
from irci.options.commands import but, only
from irci.options.scoring import EVERY, MOST_TOPICS
from irci.options.types import (
    BETWEEN_0_AND_1,
    FLAG,
    FRACTION,
    HALVES,
    INPUT,
    JUDGMENTS,
    SUMMARY,
    choice,
    numbers,
    several,
    whole,
)

BH = Literal["bh", "holm", "none"]
TOPIC_NUMBERS = numbers(2, MOST_TOPICS, are_whole=True)
LEVELS = numbers(*BETWEEN_0_AND_1)


def _uses_anova(asked: Asked) -> bool:
    """True if wcw goes by the ANOVA."""
    by_default = not asked.tools and (asked.widths or asked.sizes or not asked.differences)
    return "anova" in asked.tools or bool(by_default)


def _has_power(asked: Asked) -> bool:
    """True if wcw seeks numbers of topics by the power of a test."""
    if "paired" not in asked.tools and "anova" not in asked.tools and asked.tools:
        return False
    return "anova" in asked.tools or not asked.tools or bool(asked.differences or asked.sizes or not asked.widths)


POWER_ABOVE_ALPHA: Need = (
    lambda asked: asked.judge or asked.power > asked.alpha,
    "--power must be larger than --alpha.",
)
ROWS = (
    Option("correction", "--correction", choice(BH), [only("partition-anova")],
        "How p_adjusted accounts for the number of pairs: by Benjamini and Hochberg's method, Holm's method, or not at"
        " all. A family is all pairs of systems for one measure on one split.", default="bh",
        short="adjust p: bh, holm or none"),
    Option("model", "--model", choice(Model), [only("partition-anova")],
        "Effects fitted: topic and system (additive), also their interaction (interaction), also the part, system by"
        " part and topic by part (parts). With --versions, parts are versions that all topics have; nested: topic,"
        " system, their interaction, and versions that are each of one topic.  [default: interaction; with --versions:"
        " nested]", short="effects fitted: interaction, additive, parts",
        needs=[(lambda asked: asked.model != "nested" or asked.versions is not None, "{} nested is for --versions.")]),
    Option("tests", "--test", several(RunTest, none=True), [only("partition-anova")],
        "Tests of the unsplit scores for comparison: t, randomization, tukey (randomized Tukey HSD), or none; their p"
        " is not adjusted, but for Tukey's, which allows for all pairs.  [default: t,randomization]",
        default=("t", "randomization"), default_shown="",
        cites={"tukey": "carterette2012", "randomization": "smucker2007"}),
    Option("groups", "--groups", INPUT, [only("partition-anova")],
        "Also fit each team separately; the file has lines of run, tab, team."),
    Option("correction", "--correction", choice(Correction), [only("judges", "runs")],
        "How p of the pairs that are counted is adjusted for the number of pairs under each judge.", default="none"),
    Option("alphas", "--alpha", LEVELS, [only("judges", "runs")], "Significance levels of the paired t tests of pairs.",
        default=(0.05,), default_shown="0.05"),
    Option("alphas", "--alpha", LEVELS, [only("swap-error", "discriminative-power")],
        "Significance levels of the bootstrap test.  [default: 0.01,0.05,0.1]"),
    Option("procedure", "--procedure", choice(Procedure), [but("swap-error", "counts")],
        "error-rate: how often a set of topics disagrees with the majority of sets (Buckley & Voorhees); swap: how"
        " often two sets of topics disagree (Voorhees & Buckley); discriminative-power: how many pairs a bootstrap"
        " test separates (Sakai).", default="error-rate", short="error-rate, swap or discriminative-power",
        cites={"error-rate": "buckley2000", "swap": "voorhees2002", "discriminative-power": "sakai2006"}),
    Option("other_qrels", "--other-qrels", JUDGMENTS, [only("judges")],
        "Judgments of the same topics by somebody else, a person or a model; repeatable. What counts is the documents"
        " that both have judged. FILE:2 takes grades from 2 on there for relevant.  [default level: as -l]", many=True,
        short="somebody else's judgments"),
    Option("groups", "--groups", INPUT._replace(metavar="FILE|REGEX"), [only("judges", "runs")],
        "The runs that a judge's own model made: lines of run, tab, judge (the name of its file), or a regular"
        " expression that finds these runs. Tests whether the judge favours them.",
        short="runs made by a judge's own model"),
    Option("fuzziness", "--fuzziness", numbers(0, 1_000_000), [only("swap-error", "error-rate")],
        "Differences below this percentage are ties; 1,2,...,10 for a sweep.", default=(5.0,), default_shown="5",
        short="differences below this percentage are ties"),
    Option("sizes", "--sizes", numbers(1, MOST_TOPICS, are_whole=True), [only("swap-error", "error-rate", "swap")],
        "Topics (with --clusters: clusters) per set. With swap, sizes beyond half of the topics are extrapolated (of"
        " ten runs or more), and marked as such.  [default: 5,10,15,20,25,30,40,50 and all topics, without versions up"
        " to half of them; swap: half of the topics, all of them, and twice as many]",
        short="topics per set, such as 5,10,...,50"),
    Option("trials", "--trials", whole(1, 1_000_000), [only("swap-error", "error-rate", "swap")],
        "How often sets of each size are drawn: sets of topics with --versions, else 100 subsets each time; of swap"
        " two sets each time.  [default: 50; with --versions 100]"),
    Option("max_rate", "--max-rate", FRACTION, [only("swap-error", "swap")],
        "Find the smallest difference whose swap rate is at most this (of ten runs or more).", default=0.05),
    Option("alpha", "--alpha", FRACTION, [only("wcw")], "Significance level of tests and intervals.", default=0.05,
        short="significance level of the test  [0.05]", needs=[POWER_ABOVE_ALPHA]),
    Option("power", "--power", FRACTION, [only("wcw", "variances", "files", "noncentrality")],
        "The probability with which a true difference, or an ANOVA's range, is to be found.", default=0.8,
        needs=[(_has_power, "{} is for --difference, or for --tool anova."), POWER_ABOVE_ALPHA]),
    Option("sizes", "--sizes", TOPIC_NUMBERS, [but("wcw", "noncentrality")],
        "Print what these numbers of topics are worth, such as 10,20 or 5-200: the worst-case width of an interval,"
        " and from files the difference that is found in nine of ten pairs.  [default: 10,20,50,100]",
        short="what such numbers of topics show  [10,20,50,100]"),
    Option("sizes", "--sizes", TOPIC_NUMBERS, [only("stdap-ci", "validate")],
        "With --validate: sizes of the samples.  [default: 5, and at .05 2, 10, 20 and 50, up to half of the topics]"),
    Option("widths", "--width", numbers(1e-9, 1e9), [but("wcw", "noncentrality")],
        "Print the number of topics needed for intervals of these widths (upper limit minus lower limit), in the worst"
        " case.", short="topics needed for these worst-case widths"),
    Option("differences", "--difference", numbers(1e-9, 1e9), [only("wcw", "variances", "files")],
        "Print the number of topics needed to find true differences of these sizes.",
        short="topics needed to find these differences",
        needs=[(lambda asked: not asked.tools or {"paired", "anova"} & {*asked.tools},
                "{} is for --tool paired and anova: an interval has a --width.")]),
    Option("systems", "--systems", whole(2, 10_000), [only("wcw", "variances", "files")],
        "Number of systems that the ANOVA compares.", default=10, short="systems that the ANOVA compares  [10]",
        needs=[(_uses_anova, "{} is for --tool anova.")]),
    Option("tools", "--tool", choice(Tool), [only("wcw", "variances", "files")],
        "anova: a range of the means of several systems, which stands for the width of an interval; ci: the interval"
        " of a difference of two. Both take systems to vary independently. paired: a paired t test (with --width: its"
        " interval), from files by the variance of the pairs' differences. Repeatable.  [default: anova for widths,"
        " paired for differences]", many=True, short="paired, anova or ci"),
    Option("summaries", "--summary", SUMMARY, [only("stdap-ci", "published")],
        "Print intervals and differences from published figures, without files; a fourth value names the reference."
        " Repeatable.", many=True),
)  # fmt: skip

PUBLISHED = Option("published", "--published", FLAG, [])
REPLICATING = (
    # As trec_eval has it; here means are over all judged topics in any case.
    Option("complete", "-c --complete", FLAG, EVERY, "Accepted, as by trec_eval.", hidden=True, python=False),
    PUBLISHED._replace(takes=[only("ap-ci", "validate", "intervals")],
        help="As in the paper: --interval bca by the order statistics of S-Plus; with --validate, a score of 0 or 1"
        " counts as inside if the score moved inwards by .00001 is inside.",
        needs=[(lambda asked: asked.validate is not None or asked.interval == "bca",
                "{} is for --interval bca, and for --validate.")]),
    PUBLISHED._replace(takes=[only("map-ci", "validate")],
        help="As in the paper: resampled intervals have no small-R correction, and MAP's is centred on the mean of"
        " resampled MAP."),
    PUBLISHED._replace(takes=[but("partition-anova", "versions")],
        help="Compute as in the paper: residuals as they are, drawn with replacement, which are too small; p by each"
        " system's own resamples (marginal), which ignores half of the variance; unless --test is given, unpaired t"
        " tests and one-sided randomization tests; within teams (--groups) lengths of means, which vary together too."
        " More pairs differ significantly than should.", short="compute as in the paper"),
    PUBLISHED._replace(takes=[only("swap-error", "swap")],
        help="Extrapolate by an exponential, as the paper of the swap rate does, which falls too fast beyond the sizes"
        " drawn."),
    PUBLISHED._replace(takes=[only("wcw", "variances", "files")],
        help="Plan as in the paper: by the estimated variance itself, not its upper limit; the ANOVA by the normal"
        " approximation of the published spreadsheet, its topics sought from equation (2) upwards.",
        needs=[
            (lambda asked: asked.files or _uses_anova(asked), "{} is for --tool anova, and for variances from files."),
            (lambda asked: {"anova", "paired"} & {*asked.tools} or not asked.tools or asked.widths,
             "{} has no effect on --tool ci without --width.")]),
    Option("validate", "--validate", HALVES, [only("ap-ci", "validate"), only("map-ci", "validate")],
        "Split the documents into halves and count how often intervals from one half contain the scores on the other:"
        " N random splits; by the parity of the docno's MD5 (md5); or by a file of lines with docno and part.",
        short="how often intervals contain scores on the other half", cites={None: "cormack2006"}),
    Option("validate", "--validate", whole(1, 1_000_000), [only("stdap-ci", "validate")],
        "Count how often intervals from samples of the topics miss the mean of all topics: N samples for each run and"
        " size.", short="how often samples' intervals miss the mean"),
)  # fmt: skip
