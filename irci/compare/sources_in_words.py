"""Sources of variation in words: what pictures call each, and what a page says that varies with it and what stays the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from irci.output.tables import Row, SourceInReport

OTHER_TOPICS = "for other topics"
SAME = "The documents, their judgments and the runs stay the same."

AP = {
    "documents": SourceInReport(
        "for other documents, same topics",
        "The documents vary: limits are for other collections of this size and kind."
        " The topics, the judging and the runs stay the same: nothing is said about other topics.",
    )
}
HALVES = {
    "documents": SourceInReport(
        "",
        "The documents vary: the collection is split in halves, and intervals from one are tried on the scores of the other."
        " The topics and the runs stay the same.",
    )
}
REPLICATES = {
    "parts": SourceInReport(
        "",
        "The parts of the collection vary: each is a replicate, and the errors of its scores are resampled."
        " The topics and the runs stay the same: nothing is said about other topics.",
    ),
    "versions": SourceInReport(
        "",
        "The wordings of the topics vary: each is a replicate, and the errors of its scores are resampled. The topics, the"
        " documents, their judgments and the runs stay the same: nothing is said about other topics.",
    ),
}
NEW_TOPICS = {
    "topics": SourceInReport(
        OTHER_TOPICS,
        "The topics vary: limits are for other topics of this kind."
        " The documents, their judgments, the runs and the reference systems stay the same.",
    ),
    "clusters": SourceInReport(
        "for other clusters",
        "The clusters that topics come in vary as a whole: limits are for other clusters of this kind.",
    ),
}
# swap-error, by procedure.
SETS = {
    "error-rate": SourceInReport("", f"The sets of topics vary, or the versions of their queries. {SAME}"),
    "swap": SourceInReport("", f"The sets of topics vary. {SAME}"),
    "discriminative-power": SourceInReport("", f"The topics vary, in resamples. {SAME}"),
    "clusters": SourceInReport("", "Clusters of topics vary as a whole: the topics of one are always drawn together."),
    "collections": SourceInReport(
        "", "Collections vary as a whole: a run's score on one is its mean over the topics of it."
    ),
}
JUDGES = {
    "topics": SourceInReport(
        "",
        "The judgments vary: those of one judge are held against another's. Intervals are for other topics like these; the"
        " two judges and the runs stay the same, and nothing is said about a third judge.",
    )
}
OF_SIZE = {
    "topics": SourceInReport(
        "",
        "The size of the experiment varies: how many topics and systems it has."
        " The variance of scores stays what it is here, the same for all systems.",
    ),
    "clusters": SourceInReport("", "Topics come and go by whole clusters, which are all of the size given."),
}


def among(sources: Mapping[str, SourceInReport], names: Iterable[object]) -> dict[str, SourceInReport]:
    """Those of some names, in their own order."""
    found = set(names)
    return {name: source for name, source in sources.items() if name in found}


class InWords:
    """A source of variation of map-ci in words.

    `name`: the population of its rows; `lead`: how sentences about it begin, and `among` those about many; `explains`: what
    limits over it are for, in a sentence; `over`: what varies, for captions; `counted`: the units that messages count;
    `predicted`: what limits are for where that is no mean over all.
    `members_of`: the groups that are given, whose differences signs of members count as chance. `label`: of pictures;
    `varies` and `stays`: what a page says of it.
    """

    name: str = ""
    lead: str = ""
    explains: str = ""
    over: str = ""
    counted: str = ""
    label = ""
    varies = ""
    stays = "The documents, their judgments and the runs"
    members_of = ""
    predicted = ""

    @property
    def among(self) -> str:
        """How sentences about many pairs, or ranks, begin."""
        return self.lead

    def explained(self) -> Iterator[str]:
        """Sentences on what limits over it are for."""
        yield self.explains

    def limits_in_caption(self, percent: str) -> str:
        """Words for limits in the caption of a table, if they have no confidence of so many `percent`, or nothing."""
        return ""

    def sentence(self, row: Row) -> str | None:
        """A sentence of its own on a mean or a difference, of a source without p."""
        return None

    def sentence_on_many(self, measure: str, columns: Mapping[str, Sequence[object]]) -> str | None:
        """A sentence of its own on many pairs, by columns of their rows, of a source without p."""
        return None

    def remarks(self, rows: Sequence[Row]) -> Iterable[str]:
        """Further sentences on rows of means, or of differences."""
        return ()
