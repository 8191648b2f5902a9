"""Sources of variation in words: what pictures call each, and what a page says that varies with it and what stays the same."""

from collections.abc import Iterable, Mapping

from irci.output.report import Source

OTHER_TOPICS, OTHER_DOCUMENTS = "other topics", "other documents, these topics"
SAME_THERE = "The documents, their judgments and the runs stay the same there."
SAME = "The documents, their judgments and the runs stay the same."

AP = {
    "documents": Source(
        OTHER_DOCUMENTS,
        "The documents vary: limits are for other collections of this size and kind."
        " The topics, the judging and the runs stay the same: nothing is said about other topics.",
    )
}
MEANS = {
    "documents": Source(
        OTHER_DOCUMENTS,
        "In rows for documents, the documents vary: limits are for other collections of this size and kind."
        " The topics and the runs stay the same there.",
    ),
    "topics": Source(
        OTHER_TOPICS, f"In rows for topics, the topics vary: limits are for other topics of this kind. {SAME_THERE}"
    ),
    "both": Source(
        "both documents and topics", "In rows for both, documents and topics vary at once. The runs stay the same."
    ),
}
WITH_A_JUDGE = {
    "topics": Source(
        OTHER_TOPICS,
        "With a judge, in rows for topics, the topics vary: limits are for the mean that people would give over all topics of"
        " this kind. The judge, its labels and the runs stay the same there.",
    ),
    "judgments": Source(
        "these topics",
        "With a judge, in rows for judgments, the draw of the topics that people judged varies: limits are for the mean that"
        " people would give on exactly these topics. The topics, the judge, its labels and the runs stay the same there.",
    ),
}
# Where topics belong together, by how.
STRUCTURED = {
    "versions": {
        "topics": Source(
            OTHER_TOPICS,
            "In rows for topics, the topics vary: limits are for other topics of this kind, in wordings like these."
            f" {SAME_THERE}",
        ),
        "versions": Source(
            "other wordings, these topics",
            "In rows for versions, the wordings of the topics vary: limits are for other wordings of these very topics."
            " The topics, the documents, their judgments and the runs stay the same there.",
        ),
    },
    "seeds": {
        "seeds": Source(
            "other seeds and topics",
            "In rows for seeds, seeds and topics vary: limits are for systems trained again, on other topics of this kind."
            " The documents, their judgments and how systems are trained stay the same there.",
        ),
        "topics": Source(
            OTHER_TOPICS,
            "In rows for topics, the topics vary: limits are for these very checkpoints on other topics of this kind."
            " The checkpoints, the documents and their judgments stay the same there.",
        ),
    },
    "collections": {
        "collections": Source(
            "other collections and topics",
            "In rows for collections, collections vary with all their topics: limits are for other collections like these."
            " The runs stay the same there.",
            "mean, like these",
            "mean of collections like these",
        ),
        "topics": Source(
            "other topics, these collections",
            "In rows for topics, the topics of each collection vary: limits are for other topics of these collections."
            " The collections, their documents and judgments and the runs stay the same there.",
            "mean, these",
            "mean of these collections",
        ),
    },
    "clusters": {
        "clusters": Source(
            "other clusters",
            f"In rows for clusters, whole clusters of topics vary: limits are for other clusters of this kind. {SAME}",
        ),
        "topics": Source(
            "other topics, these clusters",
            "In rows for topics, the topics of each cluster vary: limits are for other topics of these clusters."
            " The clusters, the documents, their judgments and the runs stay the same there.",
        ),
    },
}
OF_GRADES = {
    "judgments": Source(
        "",
        "The grades of unjudged documents vary: bounds are the least and the greatest score over all of them, worst cases."
        " The judgments there are, the topics and the runs stay the same; nothing is said of how likely a score is.",
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
