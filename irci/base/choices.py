"""Choices: the words that options take and records of settings hold, in the order that help shows; and sources of variation.

A source is one row, with what asks for it and what it carries: options that say what is to be found of it read here whether
that can be (`irci.options`), and so does doc/sources.md.
"""

from typing import Final, Literal, NamedTuple, get_args

# The highest grade g of which gains 2^g - 1 are computed: sums of these stay far below the largest number.
HIGHEST_EXPONENT = 1000

# Of several commands.
Correction = Literal["holm", "bh", "none"]
SmallR = Literal["wider", "none"]
ByFactors = Literal["z", "cdf", "ab"]  # by the mean and standard deviation of each topic
Standardisation = Literal["z", "cdf", "ab", "rank"]
Missing = Literal["auto", "zero", "drop", "error"]
NoRelevant = Literal["zero", "drop"]
Names = Literal["tag", "file"]
Ties = Literal["docno", "rank", "file", "mean"]
Duplicates = Literal["error", "first"]
Sort = Literal["value", "name"]
Format = Literal["text", "table", "tsv", "csv", "json", "jsonl", "latex", "markdown", "html"]


class OutputFormat(NamedTuple):
    """A format of output.

    `for_reading`: with so many decimals, others have every digit. `has_notes`: it has a place for sentences that explain.
    `in_wide`: it can hold a paper's table. `ending`: of names of files that hold it. `has_receipts`: always, that is.
    """

    for_reading: bool = False
    has_notes: bool = False
    in_wide: bool = False
    ending: str = ""
    has_receipts: bool = False


FORMATS: dict[Format, OutputFormat] = {
    "text": OutputFormat(for_reading=True, has_notes=True),
    "table": OutputFormat(for_reading=True, has_notes=True, in_wide=True),
    "tsv": OutputFormat(ending="tsv"),
    "csv": OutputFormat(ending="csv"),
    "json": OutputFormat(has_notes=True, ending="json", has_receipts=True),
    "jsonl": OutputFormat(ending="jsonl"),
    "latex": OutputFormat(for_reading=True, has_notes=True, in_wide=True, ending="tex"),
    "markdown": OutputFormat(for_reading=True, has_notes=True, in_wide=True, ending="md"),
    "html": OutputFormat(for_reading=True, has_notes=True, in_wide=True, ending="html", has_receipts=True),
}
FOR_READING = tuple(name for name, form in FORMATS.items() if form.for_reading)
IN_WIDE = tuple(name for name, form in FORMATS.items() if form.in_wide)
OF_PAPERS: tuple[Format, ...] = ("latex", "markdown")  # in which a paper's table is the usual layout
OF_ENDING: dict[str, Format] = {form.ending: name for name, form in FORMATS.items() if form.ending}


def why_no_notes(form: Format) -> str:
    """The reason why sentences that explain cannot stand in a format, or nothing."""
    *first, last = (name for name, row in FORMATS.items() if not row.has_notes)
    return "" if FORMATS[form].has_notes else f"cannot be used with {', '.join(first)} and {last}"


Layout = Literal["long", "wide"]
Limits = Literal["brackets", "plus-minus", "none"]
Picture = Literal["png", "svg", "pdf"]
Span = Literal["column", "page"]
INCHES: dict[Span, float] = {"column": 3.3, "page": 7.0}  # of pictures that span these in print
NARROWEST, WIDEST = 3.0, 40.0  # inches

# Of the table of measures, see `irci.measures.table.Row`: what follows a name, how scores are averaged over topics,
# whether trec_eval has it, whether it has a relevance level of its own, and what it means nothing without.
Parameter = Literal["", "rank", "recall", "multiple", "beta", "persistence"]
Summary = Literal["mean", "sum", "topics", "geometric", "logit"]
InTrecEval = Literal["yes", "uncut", "no"]
OwnLevel = Literal["none", "optional", "required"]
Undefined = Literal["", "relevant", "gain"]
# What it sees of the judgments: which documents are relevant; all grades above 0, whatever the level; the grades of relevant
# documents and all above 0; which documents are judged at all.
Sight = Literal["relevance", "gains", "grades", "judgments"]

# What the bounds of scores over grades of unjudged documents are bounds of.
BoundsKind = Literal["exact", "two-grade", "outer"]

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
PublishedTest = Literal["unpaired-t", "randomization-one-sided"]

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

    `asked_by`: the option that asks for it; `words`: the populations that its rows can be about, the first of which they are
    about if none is asked for, up to `usual`. `takes`: options that it carries, each with the words of it, if not all.
    """

    name: str
    asked_by: str
    words: tuple[str, ...]
    takes: dict[str, tuple[str, ...]]
    usual: int = 2


BOUNDED = ("auto", "t", "bounded")
OF_FAMILIES = ("family", "survives")


def _structured(name: str, words: tuple[str, ...], intervals: tuple[str, ...], *others: str) -> SourceRow:
    """A source in which topics, runs or collections belong together: intervals that it takes, and options of its own."""
    by_words = {
        "population": words,
        "test": ("t", "randomization"),
        "interval": intervals,
        "correction": ALL_CORRECTIONS,
    }
    options = ("ranks", "margin", "power", "fail_if", "resamples", "range", *others)
    return SourceRow(name, name, words, {**by_words, **dict.fromkeys(options, ())})


ALL_CORRECTIONS = get_args(PairCorrection)
OF_MEANS = (
    "per_topic", "ranks", "margin", "power", "fail_if", "meta", "small_r", "resamples", "range", "best", *OF_FAMILIES,
)  # fmt: skip
SOURCES = (
    SourceRow(
        "means", "population", get_args(Population), {
            "population": get_args(Population), "test": get_args(TopicTest), "interval": get_args(TopicInterval),
            "correction": ALL_CORRECTIONS, **dict.fromkeys(OF_MEANS, ()),
        }, usual=1,
    ),
    SourceRow("judgments", "population", ("judgments",), {"population": ("judgments",), "per_topic": ()}),
    _structured(
        "clusters", ("clusters", "topics", "documents", "judgments"), BOUNDED, *OF_FAMILIES, "small_r", "mean"
    ),
    _structured("collections", ("collections", "topics"), ("auto", "t", "prediction"), "survives"),
    _structured("seeds", ("seeds", "topics"), BOUNDED, *OF_FAMILIES),
    _structured("versions", ("versions", "topics"), ("auto", "t"), *OF_FAMILIES),
    _structured("passes", ("topics", "passes"), BOUNDED, *OF_FAMILIES),
    _structured("slices", ("topics",), BOUNDED, "family"),
    SourceRow(
        "judge", "judge", ("topics", "same-topics"),
        {"population": ("topics", "same-topics"), "correction": ("holm", "bh", "none"), "ranks": (), "range": ()},
    ),
)  # fmt: skip
SOURCE_OF_NAME = {source.name: source for source in SOURCES}
