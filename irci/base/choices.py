"""Choices: the words that options take and records of settings hold, in the order that help shows; and sources of variation.

A source is one row, with what asks for it and what it carries: options that say what is to be found of it read here whether
that can be (`irci.options`).
"""

from typing import Final, Literal, NamedTuple, get_args

# The highest grade g of which gains 2^g - 1 are computed: sums of these stay far below the largest number.
HIGHEST_EXPONENT = 1000

# Of several commands.
Correction = Literal["holm", "bh", "none"]
SmallR = Literal["wider", "none"]
Standardisation = Literal["z", "cdf", "ab", "rank"]
Missing = Literal["auto", "zero", "drop", "error"]
NoRelevant = Literal["zero", "drop"]
Names = Literal["tag", "file"]
Ties = Literal["docno", "rank", "file", "mean"]
Duplicates = Literal["error", "first"]
Sort = Literal["value", "name"]
Format = Literal["text", "table", "tsv", "csv", "json", "jsonl", "latex", "markdown", "html"]

FOR_READING: tuple[Format, ...] = (
    "text",
    "table",
    "latex",
    "markdown",
    "html",
)  # with so many decimals, not all digits
NO_NOTES: tuple[Format, ...] = ("tsv", "csv", "jsonl")  # without a place for sentences that explain
IN_WIDE: tuple[Format, ...] = ("table", "latex", "markdown", "html")  # that can hold a paper's table
OF_PAPERS: tuple[Format, ...] = ("latex", "markdown")  # in which a paper's table is the usual layout
HAVE_RECEIPTS: tuple[Format, ...] = ("json", "html")
OF_ENDING: dict[str, Format] = {
    "tsv": "tsv", "csv": "csv", "json": "json", "jsonl": "jsonl", "tex": "latex", "md": "markdown", "html": "html",
}  # fmt: skip

Layout = Literal["long", "wide"]
Limits = Literal["brackets", "plus-minus", "none"]
Picture = Literal["png", "svg", "pdf"]
Span = Literal["column", "page"]
INCHES: dict[Span, float] = {"column": 3.3, "page": 7.0}  # of pictures that span these in print
NARROWEST, WIDEST = 3.0, 40.0  # inches

# What a measure sees of the judgments: which documents are relevant; all grades above 0, whatever the level; the grades of
# relevant documents and all above 0; which documents are judged at all.
Sight = Literal["relevance", "gains", "grades", "judgments"]

# ap-ci
ApInterval = Literal["logit", "linear", "percentile", "bca", "parametric"]
ApPopulation = Literal["documents", "judgments"]

# map-ci, in the order of rows: first what a claim about a system needs
Population = Literal["topics", "documents", "both", "judgments"]
DOCUMENTS: Final = "documents"
TOPICS: Final = "topics"
BOTH: Final = "both"
JUDGMENTS: Final = "judgments"
TopicInterval = Literal["auto", "t", "bounded", "parametric", "linear", "prediction"]
OVER_DOCUMENTS: tuple[TopicInterval, ...] = ("parametric", "linear")  # that are about no other population
TopicTest = Literal["t", "randomization", "wilcoxon", "sign"]
PairCorrection = Literal["holm", "maxt", "bh", "none"]
OverMeasures = Literal["each", "joint"]
FailIf = Literal["worse", "inferior", "not-equivalent", "inconclusive", "reversed"]
MetaMethod = Literal["fixed", "random", "stouffer"]
Pooled = Literal["mean", "median"]

# map-ci where topics belong together: what varies, and what has equal weight in a mean.
Varies = Literal["topics", "clusters", "collections", "seeds", "versions", "passes", "same-topics"]
SEEDS: Final = "seeds"
PASSES: Final = "passes"
MeanOf = Literal["topics", "clusters"]

# partition-anova
Policy = Literal["redraw", "drop", "zero", "mean"]
Model = Literal["interaction", "additive", "parts", "nested"]
RunTest = Literal["t", "randomization", "tukey"]

# stdap-ci
Transform = Literal["z", "cdf", "ab", "none"]

# swap-error
Procedure = Literal["error-rate", "swap", "discriminative-power"]

# judges
LabelWeights = Literal["none", "linear", "quadratic"]

# wcw
Tool = Literal["paired", "anova", "ci"]


class SourceRow(NamedTuple):
    """A source of variation.

    `words`: the populations that its rows can be about, the first of which they are about if none is asked for, up to `usual`.
    `takes`: options that it carries, each with the words of it, if not all.
    `is_structured`: topics, runs or collections belong together, by the option of its name.
    """

    words: tuple[str, ...]
    takes: dict[str, tuple[str, ...]]
    usual: int = 2
    is_structured: bool = False


BOUNDED = ("auto", "t", "bounded")
OF_FAMILIES = ("family", "survives")


def _tested(
    words: tuple[str, ...], intervals: tuple[str, ...], *options: str, tests: tuple[str, ...] = ("t", "randomization")
) -> SourceRow:
    """A source whose differences are tested: intervals that it takes, and options beside those of all such."""
    by_words = {"population": words, "test": tests, "interval": intervals, "correction": get_args(PairCorrection)}
    of_all = ("ranks", "margin", "power", "fail_if", "resamples", "range")
    return SourceRow(words, {**by_words, **dict.fromkeys((*of_all, *options), ())}, is_structured=True)


SOURCES = {
    "means": _tested(
        get_args(Population), get_args(TopicInterval), "per_topic", "meta", "small_r", "best", *OF_FAMILIES,
        tests=get_args(TopicTest),
    )._replace(usual=1, is_structured=False),
    "judgments": SourceRow(("judgments",), {"population": ("judgments",), "per_topic": ()}),
    "clusters": _tested(("clusters", "topics", "documents", "judgments"), BOUNDED, *OF_FAMILIES, "small_r", "mean"),
    "collections": _tested(("collections", "topics"), ("auto", "t", "prediction"), "survives"),
    "seeds": _tested(("seeds", "topics"), BOUNDED, *OF_FAMILIES),
    "versions": _tested(("versions", "topics"), ("auto", "t"), *OF_FAMILIES),
    "passes": _tested(("topics", "passes"), BOUNDED, *OF_FAMILIES),
    "slices": _tested(("topics",), BOUNDED, "family"),
    "judge": SourceRow(
        ("topics", "same-topics"),
        {"population": ("topics", "same-topics"), "correction": ("holm", "bh", "none"), "ranks": (), "range": ()},
    ),
}  # fmt: skip
