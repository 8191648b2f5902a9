"""What a resample, or another experiment, would have otherwise, and what it would share: by command."""

from typing import NamedTuple

from irci.output.report import Signature


class Varying(NamedTuple):
    """What varies and what does not, for signatures that hold a word (any word: "") in a setting."""

    varies: str
    fixed: str
    setting: str = "command"
    word: str = ""

    def holds(self, signature: Signature) -> bool:
        """Whether it is about these settings."""
        return not self.word or self.word in str(signature.get(self.setting) or "").split()


HALVES = (
    Varying(
        "The documents vary: the collection is split in halves, and intervals from one are tried on the scores of the other.",
        "The topics and the runs stay the same.",
    ),
)
OF_JUDGMENTS = Varying(
    "The grades of unjudged documents vary: bounds are the least and the greatest score over all of them, worst cases.",
    "The judgments there are, the topics and the runs stay the same; nothing is said of how likely a score is.",
)
VARIES: dict[str, tuple[Varying, ...]] = {
    "ap-ci": (
        Varying(
            "The documents vary: limits are for other collections of this size and kind.",
            "The topics, the judging and the runs stay the same: nothing is said about other topics.",
        ),
    ),
    "map-ci": (
        Varying(
            "In rows for documents, the documents vary: limits are for other collections of this size and kind.",
            "The topics and the runs stay the same there.",
            "populations",
            "documents",
        ),
        Varying(
            "In rows for topics, the topics vary: limits are for other topics of this kind.",
            "The documents, their judgments and the runs stay the same there.",
            "populations",
            "topics",
        ),
        Varying(
            "In rows for both, documents and topics vary at once.",
            "The runs stay the same.",
            "populations",
            "both",
        ),
        Varying(
            "With a judge, in rows for topics, the topics vary: limits are for the mean that people would give over all topics"
            " of this kind.",
            "The judge, its labels and the runs stay the same there.",
            "few_human",
            "topics",
        ),
        Varying(
            "With a judge, in rows for judgments, the draw of the topics that people judged varies: limits are for the mean"
            " that people would give on exactly these topics.",
            "The topics, the judge, its labels and the runs stay the same there.",
            "few_human",
            "judgments",
        ),
    ),
    "map-ci --versions": (
        Varying(
            "In rows for topics, the topics vary: limits are for other topics of this kind, in wordings like these.",
            "The documents, their judgments and the runs stay the same there.",
            "populations",
            "topics",
        ),
        Varying(
            "In rows for versions, the wordings of the topics vary: limits are for other wordings of these very topics.",
            "The topics, the documents, their judgments and the runs stay the same there.",
            "populations",
            "versions",
        ),
    ),
    "map-ci --seeds": (
        Varying(
            "In rows for seeds, seeds and topics vary: limits are for systems trained again, on other topics of this kind.",
            "The documents, their judgments and how systems are trained stay the same there.",
            "populations",
            "seeds",
        ),
        Varying(
            "In rows for topics, the topics vary: limits are for these very checkpoints on other topics of this kind.",
            "The checkpoints, the documents and their judgments stay the same there.",
            "populations",
            "topics",
        ),
    ),
    "map-ci --collections": (
        Varying(
            "In rows for collections, collections vary with all their topics: limits are for other collections like these.",
            "The runs stay the same there.",
            "populations",
            "collections",
        ),
        Varying(
            "In rows for topics, the topics of each collection vary: limits are for other topics of these collections.",
            "The collections, their documents and judgments and the runs stay the same there.",
            "populations",
            "topics",
        ),
    ),
    "map-ci --clusters": (
        Varying(
            "In rows for clusters, whole clusters of topics vary: limits are for other clusters of this kind.",
            "The documents, their judgments and the runs stay the same.",
            "populations",
            "clusters",
        ),
        Varying(
            "In rows for topics, the topics of each cluster vary: limits are for other topics of these clusters.",
            "The clusters, the documents, their judgments and the runs stay the same there.",
            "populations",
            "topics",
        ),
    ),
    "ap-ci --unjudged": (OF_JUDGMENTS,),
    "map-ci --population judgments": (OF_JUDGMENTS,),
    "ap-ci --validate": HALVES,
    "map-ci --validate": HALVES,
    "partition-anova": (
        Varying(
            "The parts of the collection vary: each is a replicate, and the errors of its scores are resampled.",
            "The topics and the runs stay the same: nothing is said about other topics.",
        ),
    ),
    "partition-anova --versions": (
        Varying(
            "The wordings of the topics vary: each is a replicate, and the errors of its scores are resampled.",
            "The topics, the documents, their judgments and the runs stay the same: nothing is said about other topics.",
        ),
    ),
    "stdap-ci": (
        Varying(
            "The topics vary: limits are for other topics of this kind.",
            "The documents, their judgments, the runs and the reference systems stay the same.",
        ),
        Varying(
            "The clusters that topics come in vary as a whole:",
            "limits are for other clusters of this kind.",
            "units",
            "clusters",
        ),
    ),
    "swap-error": (
        Varying(
            "The sets of topics vary, or the versions of their queries.",
            "The documents, their judgments and the runs stay the same.",
            "procedure",
            "error-rate",
        ),
        Varying(
            "The sets of topics vary.",
            "The documents, their judgments and the runs stay the same.",
            "procedure",
            "swap",
        ),
        Varying(
            "The topics vary, in resamples.",
            "The documents, their judgments and the runs stay the same.",
            "procedure",
            "discriminative-power",
        ),
        Varying(
            "The judgments vary: those of one judge are held against another's; limits are for other topics of this kind.",
            "The two judges and the runs stay the same: nothing is said about a third judge.",
            "procedure",
            "judges",
        ),
        Varying(
            "Clusters of topics vary as a whole:", "the topics of one are always drawn together.", "units", "clusters"
        ),
        Varying(
            "Collections vary as a whole:",
            "a run's score on one is its mean over the topics of it.",
            "units",
            "collections",
        ),
    ),
    "wcw": (
        Varying(
            "The size of the experiment varies: how many topics and systems it has.",
            "The variance of scores stays what it is here, the same for all systems.",
        ),
        Varying("Topics come and go by whole clusters,", "which are all of the size given.", "units", "clusters"),
        Varying("Topics come and go by whole collections,", "which are all of the size given.", "units", "collections"),
    ),
}
