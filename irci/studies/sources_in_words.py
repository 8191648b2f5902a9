"""Sources of variation in words: what pictures call each, and what a page says that varies with it and what stays the same."""

from collections.abc import Iterable, Mapping

from irci.output.report import Source

OTHER_TOPICS = "other topics"
SAME = "The documents, their judgments and the runs stay the same."

AP = {
    "documents": Source(
        "other documents, these topics",
        "The documents vary: limits are for other collections of this size and kind."
        " The topics, the judging and the runs stay the same: nothing is said about other topics.",
    )
}
HALVES = {
    "documents": Source(
        "",
        "The documents vary: the collection is split in halves, and intervals from one are tried on the scores of the other."
        " The topics and the runs stay the same.",
    )
}
REPLICATES = {
    "parts": Source(
        "",
        "The parts of the collection vary: each is a replicate, and the errors of its scores are resampled."
        " The topics and the runs stay the same: nothing is said about other topics.",
    ),
    "versions": Source(
        "",
        "The wordings of the topics vary: each is a replicate, and the errors of its scores are resampled. The topics, the"
        " documents, their judgments and the runs stay the same: nothing is said about other topics.",
    ),
}
NEW_TOPICS = {
    "topics": Source(
        OTHER_TOPICS,
        "The topics vary: limits are for other topics of this kind."
        " The documents, their judgments, the runs and the reference systems stay the same.",
    ),
    "clusters": Source(
        "other clusters",
        "The clusters that topics come in vary as a whole: limits are for other clusters of this kind.",
    ),
}
# swap-error, by procedure.
SETS = {
    "error-rate": Source("", f"The sets of topics vary, or the versions of their queries. {SAME}"),
    "swap": Source("", f"The sets of topics vary. {SAME}"),
    "discriminative-power": Source("", f"The topics vary, in resamples. {SAME}"),
    "judges": Source(
        "",
        "The judgments vary: those of one judge are held against another's; limits are for other topics of this kind."
        " The two judges and the runs stay the same: nothing is said about a third judge.",
    ),
    "clusters": Source("", "Clusters of topics vary as a whole: the topics of one are always drawn together."),
    "collections": Source("", "Collections vary as a whole: a run's score on one is its mean over the topics of it."),
}
OF_SIZE = {
    "topics": Source(
        "",
        "The size of the experiment varies: how many topics and systems it has."
        " The variance of scores stays what it is here, the same for all systems.",
    ),
    "clusters": Source("", "Topics come and go by whole clusters, which are all of the size given."),
    "collections": Source("", "Topics come and go by whole collections, which are all of the size given."),
}


def among(sources: Mapping[str, Source], names: Iterable[object]) -> dict[str, Source]:
    """Those of some names, in their own order."""
    found = set(names)
    return {name: source for name, source in sources.items() if name in found}
