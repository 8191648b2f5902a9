"""Sources of variation: one row a source, with what asks for it and what it carries.

Options that say what is to be found of a source read here whether it can be (`irci.options`), and so does doc/sources.md.
"""

from dataclasses import dataclass

PAIRS = ("compare", "baseline", "all_pairs")


@dataclass(frozen=True)
class Source:
    """What varies.

    `asked_by`: the option that asks for it; `words`: the populations that its rows can be about, the first of which they are
    about if none is asked for, up to `usual`. `tests`, `intervals` and `corrections`: the words of --test, --interval and
    --correction that it takes; `means`: of --mean; `asks`: options of other results that it carries.
    """

    name: str
    asked_by: str
    words: tuple[str, ...]
    tests: tuple[str, ...] = ()
    intervals: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    means: tuple[str, ...] = ()
    usual: int = 2

    def takes(self) -> dict[str, tuple[str, ...]]:
        """The words that it takes of each option that has several."""
        found = {
            "population": self.words, "test": self.tests, "interval": self.intervals, "correction": self.corrections,
            "mean": self.means,
        }  # fmt: skip
        return {option: words for option, words in found.items() if words}

    def carries(self, option: str) -> bool:
        """Whether an option has an effect where this varies."""
        return option in self.asks or option in self.takes()


CORRECTIONS = ("holm", "maxt", "bh", "none")
OF_GROUPS = ("adjusted_limits", "ranks", "equivalence", "power", "fail_if", "resamples")
STRUCTURED_TESTS, STRUCTURED_INTERVALS = ("t", "randomization"), ("t",)
OF_MEANS = (
    "per_topic", "adjusted_limits", "ranks", "equivalence", "power", "fail_if", "meta", "pairing", "new_topics",
    "slots", "small_r", "resamples", "unjudged", "tail",
)  # fmt: skip
TOPIC_TESTS = ("t", "randomization", "wilcoxon", "sign")
TOPIC_INTERVALS = ("t", "percentile", "bca", "bootstrap-t", "delta", "prediction")

SOURCES = (
    Source(
        "means", "population", ("documents", "topics", "both", "judgments"), TOPIC_TESTS, TOPIC_INTERVALS, CORRECTIONS,
        OF_MEANS,
    ),
    Source("judgments", "population", ("judgments",), asks=("per_topic", "unjudged", "tail")),
    Source(
        "clusters", "clusters", ("clusters", "topics", "documents", "judgments"), STRUCTURED_TESTS, STRUCTURED_INTERVALS,
        CORRECTIONS, (*OF_GROUPS, "small_r", "unjudged", "tail"), ("topics", "clusters"),
    ),
    Source(
        "collections", "collections", ("collections", "topics"), STRUCTURED_TESTS, STRUCTURED_INTERVALS, CORRECTIONS,
        OF_GROUPS, ("topics", "collections"),
    ),
    Source("seeds", "seeds", ("seeds", "topics"), STRUCTURED_TESTS, STRUCTURED_INTERVALS, CORRECTIONS, OF_GROUPS),
    Source(
        "versions", "versions", ("versions", "topics"), STRUCTURED_TESTS, STRUCTURED_INTERVALS, CORRECTIONS, OF_GROUPS,
        ("topics",),
    ),
    Source(
        "judge", "judge", ("topics", "same-topics"), corrections=("holm", "bh", "none"), asks=("adjusted_limits", "ranks")
    ),
)  # fmt: skip
BY_NAME = {source.name: source for source in SOURCES}
# Conditions on options: bounds of what is unjudged, and nothing else; or anything else.
BESIDE = ("population=topics", "population=documents", "population=both", "clusters")
ONLY_BOUNDS = " & ".join(("population=judgments", *(f"!{other}" for other in BESIDE)))
NOT_ONLY_BOUNDS = "|".join(("!population=judgments", *BESIDE))
