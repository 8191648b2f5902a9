"""Compare, in partition-anova: models, residuals, p and the tests beside them."""

from typing import Literal

from irci.base.choices import Model, PValue, ResidualDraw, Residuals, RunTest
from irci.options.option import Option
from irci.options.types import Choice, Flag, Fraction, InputFile, Numbers, Several

FRACTIONS = Numbers(Fraction.least, Fraction.most)
BH, NONE = Literal["bh", "holm", "none"], Literal["none", "bh", "holm"]

ROWS = (
    Option(
        "correction", "--correction", Choice(BH), "partition-anova",
        "How p_adjusted accounts for the number of pairs: by Benjamini and Hochberg's method, Holm's method, or not at all."
        " A family is all pairs of systems for one measure on one split.",
        default="bh", short="adjust p: bh, holm or none",
    ),
    Option(
        "model", "--model", Choice(Model), "partition-anova",
        "Effects fitted: topic and system (additive, md2; md1 on the unsplit collection), their interaction (interaction,"
        " md3), then also the part (md4), system by part (md5), topic by part (md6). With --versions, parts are versions that"
        " all topics have; nested: topic, system, their interaction, and versions that are each of one topic.  [default:"
        " interaction; with --versions: nested]",
        needs={
            "!model=md1|!versions": "{} md1 is for the unsplit collection, not for --versions.",
            "!model=nested|versions": "{} nested is for --versions.",
        },
    ),
    Option(
        "residuals", "--residuals", Choice(Residuals), "partition-anova",
        "Rescale residuals to the variance of the errors, or use them as they are (raw), which is too small.",
        default="rescaled",
    ),
    Option(
        "draw", "--draw", Choice(ResidualDraw), "partition-anova", "Draw residuals with replacement, or shuffle them.",
        default="replacement",
    ),
    Option(
        "p_value", "--p-value", Choice(PValue), "partition-anova",
        "Compute p from the resampled differences, from a normal distribution with their variance (no smallest p), or from"
        " each system by itself.",
        default="difference",
    ),
    Option(
        "tests", "--tests", Several(RunTest, none=True), "partition-anova",
        "Tests of the unsplit scores for comparison: t, unpaired-t, randomization, randomization-one-sided, tukey (randomized"
        " Tukey HSD), or none.  [default: t,randomization]",
        default=("t", "randomization"), told="-", metavar="LIST",
        cites={"tests=tukey": "carterette2012", "tests=randomization|tests=randomization-one-sided": "smucker2007"},
    ),
    Option(
        "test_correction", "--test-correction", Choice(NONE), "partition-anova",
        "How these tests account for the number of pairs (randomized Tukey HSD does so by itself).",
        default="none",
    ),
    Option(
        "alphas", "--alpha", FRACTIONS, "partition-anova",
        "Significance levels; pairs, agreement and groups use the first.  [default: 0.05,0.01]",
        default=(0.05, 0.01), told="-", metavar="LIST",
    ),
    Option("pairs", "--pairs", Flag(), "partition-anova", "List all pairs.", short="list all pairs"),
    Option(
        "groups", "--groups", InputFile(), "partition-anova",
        "Also fit each team by itself; the file has lines of run, tab, team.", metavar="FILE",
    ),
)  # fmt: skip
