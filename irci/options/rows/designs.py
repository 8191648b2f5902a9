"""Compare, in all commands but map-ci: models and tests, procedures and sets of topics, powers, widths and sample sizes."""

from typing import Literal

from irci.base.choices import (
    Correction,
    Model,
    Procedure,
    RunTest,
    Tool,
)
from irci.options.figures import Numbers, SummaryFigures
from irci.options.option import Option
from irci.options.rows.scoring import MOST_TOPICS
from irci.options.types import Choice, Fraction, InputFile, JudgmentsFile, Several, Whole

FRACTIONS = Numbers(Fraction.least, Fraction.most)
BH = Literal["bh", "holm", "none"]
SIZES = Numbers(2, MOST_TOPICS, whole=True)
# Of wcw: where the ANOVA is used, or anything that has power.
BY_ANOVA = "tools=anova|!tools & tools=anova|widths|sizes|!differences"

ROWS = (
    Option(
        "correction", "--correction", Choice(BH), "partition-anova",
        "How p_adjusted accounts for the number of pairs: by Benjamini and Hochberg's method, Holm's method, or not at all."
        " A family is all pairs of systems for one measure on one split.",
        default="bh", short="adjust p: bh, holm or none",
    ),
    Option(
        "model", "--model", Choice(Model), "partition-anova",
        "Effects fitted: topic and system (additive), also their interaction (interaction), also the part, system by part and"
        " topic by part (parts). With --versions, parts are versions that all topics have; nested: topic, system, their"
        " interaction, and versions that are each of one topic.  [default: interaction; with --versions: nested]",
        needs={"!model=nested|versions": "{} nested is for --versions."},
    ),
    Option(
        "tests", "--test", Several(RunTest, none=True), "partition-anova",
        "Tests of the unsplit scores for comparison: t, randomization, tukey (randomized Tukey HSD), or none; their p is not"
        " adjusted, but for Tukey's, which allows for all pairs.  [default: t,randomization]",
        default=("t", "randomization"), told="-", metavar="LIST",
        cites={"tests=tukey": "carterette2012", "tests=randomization": "smucker2007"},
    ),
    Option(
        "groups", "--groups", InputFile(), "partition-anova",
        "Also fit each team by itself; the file has lines of run, tab, team.", metavar="FILE",
    ),
    Option(
        "correction", "--correction", Choice(Correction), "judges(runs)",
        "How p of the pairs that are counted is adjusted for the number of pairs under each judge.", default="none",
    ),
    Option(
        "alphas", "--alpha", FRACTIONS, "judges(runs)", "Significance levels of the paired t tests of pairs.",
        default=(0.05,), told="0.05", metavar="LIST",
    ),
    Option(
        "alphas", "--alpha", FRACTIONS, "swap-error(discriminative-power)",
        "Significance levels of the bootstrap test.  [default: 0.01,0.05,0.1]", metavar="LIST",
    ),
    Option(
        "procedure", "--procedure", Choice(Procedure), "swap-error(-counts)",
        "error-rate: how often a query set disagrees with the majority of sets (Buckley & Voorhees); swap: how often"
        " two topic sets disagree (Voorhees & Buckley); discriminative-power: how many pairs a bootstrap test separates"
        " (Sakai).",
        default="error-rate", short="error-rate, swap or discriminative-power",
        cites={
            "procedure=error-rate": "buckley2000", "procedure=swap": "voorhees2002",
            "procedure=discriminative-power": "sakai2006",
        },
    ),
    Option(
        "other_qrels", "--other-qrels", JudgmentsFile(), "judges",
        "Judgments of the same topics by somebody else, a person or a model; repeatable. What counts is the documents that"
        " both have judged. FILE:2 takes grades from 2 on there for relevant.  [default level: as -l]",
        metavar="FILE[:LEVEL]", many=True, short="somebody else's judgments",
    ),
    Option(
        "groups", "--groups", InputFile(), "judges(runs)",
        "The runs that a judge's own model made: lines of run, tab, judge (the name of its file), or a regular expression"
        " that finds these runs. Tests whether the judge favours them.",
        metavar="FILE|REGEX", short="runs made by a judge's own model",
    ),
    Option(
        "fuzziness", "--fuzziness", Numbers(0, 1_000_000), "swap-error(error-rate)",
        "Differences below this percentage are ties; 1,2,...,10 for a sweep.",
        default=(5.0,), told="5", metavar="LIST", short="differences below this percentage are ties",
    ),
    Option(
        "sizes", "--sizes", Numbers(1, MOST_TOPICS, whole=True), "swap-error(error-rate swap)",
        "Topics (with --clusters: clusters) per set. With swap, sizes beyond half of the topics are extrapolated (of ten runs"
        " or more), and marked as such.  [default: 5,10,15,20,25,30,40,50 and all topics, without versions up to half of"
        " them; swap: half of the topics, all of them, and twice as many]",
        metavar="LIST", short="topics per set, such as 5,10,...,50",
    ),
    Option(
        "trials", "--trials", Whole(1, 1_000_000), "swap-error(error-rate swap)",
        "How often sets of each size are drawn: topic sets with --versions, else 100 subsets each time; of swap two sets each"
        " time.  [default: 50; with --versions 100]",
        metavar="N",
    ),
    Option(
        "max_rate", "--max-rate", Fraction(), "swap-error(swap)",
        "Find the smallest difference whose swap rate is at most this (of ten runs or more).", default=0.05, metavar="P",
    ),
    Option(
        "alpha", "--alpha", Fraction(), "wcw", "Significance level of tests and intervals.", default=0.05,
        short="significance level of the test  [0.05]",
    ),
    Option(
        "power", "--power", Fraction(), "wcw(variances files noncentrality)",
        "The probability with which a true difference, or an ANOVA's range, is to be found.", default=0.8,
        needs={
            "tools=paired|tools=anova|!tools & tools=anova|!tools|differences|sizes|!widths": "{} is for --difference, or for"
            " --tool anova.",
        },
    ),
    Option(
        "sizes", "--sizes", SIZES, "wcw(-noncentrality)",
        "Print what these numbers of topics are worth, such as 10,20 or 5-200: the worst-case width of an interval, and from"
        " files the difference that is found in nine of ten pairs.  [default: 10,20,50,100]",
        metavar="LIST", short="what numbers of topics are worth  [10,20,50,100]",
    ),
    Option(
        "sizes", "--sizes", SIZES, "stdap-ci(type-one)", "With --validate: sizes of the samples.  [default: 5]",
        default=(5,), told="-", metavar="LIST",
    ),
    Option(
        "widths", "--width", Numbers(1e-9, 1e9), "wcw(-noncentrality)",
        "Print the number of topics needed for intervals of these widths (upper limit minus lower limit), in the worst case.",
        metavar="LIST", short="topics needed for intervals of these widths",
    ),
    Option(
        "differences", "--difference", Numbers(1e-9, 1e9), "wcw(variances files)",
        "Print the number of topics needed to find true differences of these sizes.",
        metavar="LIST", short="topics needed to find these differences",
        needs={"!tools|tools=paired|tools=anova": "{} is for --tool paired and anova: an interval has a --width."},
    ),
    Option(
        "systems", "--systems", Whole(2, 10_000), "wcw(variances files)", "Number of systems that the ANOVA compares.",
        default=10, metavar="N", needs={BY_ANOVA: "{} is for --tool anova."},
    ),
    Option(
        "tools", "--tool", Choice(Tool), "wcw(variances files)",
        "anova: a range of the means of several systems, which stands for the width of an interval; ci: the interval of a"
        " difference of two. Both take systems to vary independently. paired: a paired t test (with --width: its interval),"
        " from files by the variance of the pairs' differences. Repeatable.  [default: anova for widths, paired for"
        " differences]",
        many=True, short="paired, anova or ci",
    ),
    Option(
        "summaries", "--summary", SummaryFigures(), "stdap-ci(published)",
        "Print intervals and differences from published figures, without files; a fourth value names the reference."
        " Repeatable.",
        metavar="NAME=MEAN,SD,N", many=True,
    ),
)  # fmt: skip
