"""Compare, in wcw and stdap-ci: powers and widths, numbers of topics, published figures, samples of topics."""

from irci.base.choices import Tool
from irci.options.option import Option
from irci.options.rows.scoring import MOST_TOPICS
from irci.options.types import Choice, Flag, Fraction, Numbers, Real, Summary, Whole

MOST_SYSTEMS = 10_000
SIZES = Numbers(2, MOST_TOPICS, whole=True)

ROWS = (
    Option(
        "power", "--power", Flag(), "wcw(variances files)",
        "With --sizes and --width: print the power to find these differences with these numbers of topics.",
        short="power, from --sizes and --width",
    ),
    Option(
        "alpha", "--alpha", Fraction(), "wcw", "Significance level of tests and intervals.", default=0.05,
    ),
    Option(
        "beta", "--beta", Fraction(), "wcw(variances files)", "Probability of a type II error: 1 - power.", default=0.2,
    ),
    Option(
        "sizes", "--sizes", SIZES, "wcw", "Print the widths for these numbers of topics.  [default: 10,20,50,100]",
        metavar="LIST", short="widths for these numbers of topics  [10,20,50,100]",
    ),
    Option(
        "sizes", "--sizes", SIZES, "stdap-ci(type-one)", "With --type-one: sizes of the samples.  [default: 5]",
        default=(5,), told="-", metavar="LIST",
    ),
    Option(
        "trials", "--trials", Whole(1, 1_000_000), "stdap-ci(type-one)", "With --type-one: samples for each run and size.",
        default=1000, metavar="N",
    ),
    Option(
        "widths", "--width", Numbers(1e-9, 1e9), "wcw",
        "Print the number of topics needed for these widths (or differences).",
        metavar="LIST", short="topics needed for these widths, or differences",
    ),
    Option(
        "systems", "--systems", Whole(2, MOST_SYSTEMS), "wcw(variances files)", "Number of systems that the ANOVA compares.",
        default=10, metavar="N",
    ),
    Option(
        "tools", "--tool", Choice(Tool), "wcw(variances files)",
        "ANOVA of several systems, interval of the difference between two, or paired t test; repeatable.  [default: anova and"
        " ci]",
        many=True, short="anova, ci or t",
    ),
    Option("curve", "--curve", Flag(), "wcw(variances files)", "Print the widths for 5 to 200 topics."),
    Option(
        "approximate", "--approximate", Flag(), "wcw(variances files)",
        "Use the normal approximation of Sakai's spreadsheet for the noncentral F.",
    ),
    Option(
        "judge_correlation", "--judge-correlation", Real(0, 1 - 1e-9), "wcw(correlation judge)",
        "Correlation over topics between the scores that a judge, such as a language model, and people give a run: how many"
        " topics people must judge themselves. Takes --judged-topics.",
        metavar="R", cites={"": "cochran1977"}, needs={"!judge": "--judge tells the correlation: leave out {}."},
    ),
    Option(
        "judged_topics", "--judged-topics", Whole(4, MOST_TOPICS), "wcw(correlation judge)",
        "Topics that the judge has judged.  [default: those in --judge]", metavar="M",
    ),
    Option(
        "summaries", "--summary", Summary(), "stdap-ci(published)",
        "Print intervals and differences from published figures, without files; a fourth value names the reference."
        " Repeatable.",
        metavar="NAME=MEAN,SD,N", many=True,
    ),
    Option(
        "any_reference", "--any-reference", Flag(), "stdap-ci(published)",
        "Compare summaries even if their references differ.",
    ),
    Option(
        "type_one", "--type-one", Flag(), "stdap-ci(type-one)",
        "Count how often intervals from samples of the topics miss the mean of all topics.",
    ),
    Option(
        "replace", "--replace", Flag(), "stdap-ci(type-one)", "With --type-one: draw the samples with replacement.",
    ),
)  # fmt: skip
