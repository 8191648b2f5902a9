"""A row a kind of table: the question it answers, its columns, and what they mean; and what tables and means are called."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from irci.output.columns import COLUMNS

Kind = str  # the name of a row of KINDS
ESTIMATE = "measure topic value lower upper run"
# What every page that shows an estimate explains, and the first column of other rows.
OF_EVERY_ESTIMATE = (*ESTIMATE.split(), "table")


def stem(column: str) -> str:
    """Return the name of a column without what it is about, of several of a kind: judge of judge:people."""
    return column.partition(":")[0]


class KindOfTable(NamedTuple):
    """A kind of table.

    answer: the question that its tables answer, in a sentence
    names: the columns that they may have, in this order
    title: what rows of estimates are called, which begin with their measure's name
    printed: the name of other tables, with which their rows begin; the kind unless given
    of_measure: whether that name goes on with the measure's
    limits: what lower and upper are, where they make an interval whose width can be asked for
    of_topics: whether rows are of single topics
    sorted_with: kinds with the same word here are sorted together
    cell: what of a run's cell a paper's table takes from the row
    meanings: of columns that mean something else than in other kinds
    """

    answer: str
    names: str
    title: str = ""
    printed: str = ""
    of_measure: bool = True
    limits: Literal["", "confidence"] = ""
    of_topics: bool = False
    sorted_with: str = ""
    cell: Literal["", "score", "difference", "rank"] = ""
    meanings: Mapping[str, str] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.names.split())

    @property
    def is_estimate(self) -> bool:
        return bool(self.title)  # they begin with the name of a measure, as trec_eval's lines do

    def meaning(self, column: str) -> str:
        """Return the meaning of a column."""
        return self.meanings.get(stem(column)) or COLUMNS[stem(column)]

    def goes_without_saying(self, column: str) -> bool:
        """Return whether a column means the same in every estimate."""
        return column in OF_EVERY_ESTIMATE and column not in self.meanings


OF_LIMITS = (
    "kind of the limits (bounded: by the ends of the scale; prediction: for a mean to come; linear: over documents, from"
    " resampled means; parametric: over documents, from topics' intervals)"
)
OF_TEST = (
    "the test that p comes from (signs: differences are all equal; t, signs: t's p would be less than signs of so few"
    " units can give, which is taken; midp: McNemar's mid-p, where all scores of both are 0 or 1; points: the sign test,"
    " of Borda points of two runs; bounded: the p that bounded limits of clusters, or of Borda points, go with)"
)
OF_PASSES = {
    "judge": "whose passes these are", "share": "share of the squared error that is due to the judge, with so many passes",
}  # fmt: skip
# What claims over topics are tried by, under the names of columns.
CLAIMED_OVER = {
    "documents": "other documents", "judgments": "all grades of unjudged documents",
    "judge": "other judges (on the documents that both judged, if these are less than 99% of QRELS')",
    "clusters": "other clusters", "collections": "other collections", "seeds": "other seeds", "versions": "other wordings",
    "passes": "other passes of the judge",
}  # fmt: skip
OF_MODEL = "how the model's p is computed (difference; with --published marginal), or a test of the unsplit scores"

IN_EACH_SET = "topics (or units) in each of two sets"
RESAMPLED = "what is resampled, in place of topics"

KINDS: dict[Kind, KindOfTable] = {
    "topic": KindOfTable(
        "What each run scores on each topic, with limits, if any, for documents that vary.",
        ESTIMATE + " corrected population raw judged bounds residual", title="topics", limits="confidence",
        of_topics=True, sorted_with="means",
    ),
    "estimate": KindOfTable(
        "What each run scores on average over topics, and how precise that is.",
        (ESTIMATE
            + " corrected population judge collection slice sd_documents sd_topics df sd topics clusters raw"
            " lower_raw upper_raw versions seeds sd_seeds"
            " sd_seeds_component passes sd_passes share passes_needed estimator human others lambda r gain judge_mean"
            " judged bounds residual interval"),
        title="means", limits="confidence", sorted_with="means", cell="score",
        meanings={
            "df": "degrees of freedom of the limits (Satterthwaite's where several variances add up, Bell and"
            " McCaffrey's for clusters)",
            "interval": OF_LIMITS, **OF_PASSES,
        },
    ),
    "difference": KindOfTable(
        "How much each run differs from its baseline on average, and whether that could be chance.",
        (ESTIMATE
            + " baseline population judge collection slice estimator p p_adjusted human others lambda r gain judge_mean"
            " effect_size df topics clusters versions seeds seeds_baseline sd_seeds_component passes sd_passes share"
            " passes_needed test interval"
            " lower_adjusted upper_adjusted sd_documents sd_topics p_equivalence"
            " p_equivalence_adjusted p_not_worse p_not_worse_adjusted detectable topics_needed effect_lower"
            " effect_upper verdict reason sign bounds"),
        title="differences", limits="confidence", sorted_with="differences", cell="difference",
        meanings={
            "value": "difference between the means, run minus baseline",
            "p_adjusted": "p adjusted for the number of pairs; lower and upper are of each pair alone",
            "effect_size": "mean difference divided by the standard deviation of the differences over topics",
            "df": "degrees of freedom of the limits (Satterthwaite's where several variances add up, Bell and"
            " McCaffrey's for clusters, Welch's if unpaired)",
            "test": OF_TEST,
            "interval": OF_LIMITS, **OF_PASSES,
        },
    ),
    "claim": KindOfTable(
        "Which sources of variation each claim survives: that a run scores higher, significantly so over topics.",
        f"run baseline value p_adjusted {' '.join(CLAIMED_OVER)} change control survives of p_all",
        meanings={
            "run": "the run with the higher mean", "baseline": "the other run",
            "value": "difference between their means",
            "p_adjusted": "p over topics, adjusted for the number of pairs, as in the row of the pair",
            **{name: f"what {words} say of it" for name, words in CLAIMED_OVER.items()},
            "of": "number of such sources that could be tested",
        },
    ),
    "heterogeneity": KindOfTable(
        "Whether the difference between two runs itself differs from collection to collection, or between slices.",
        "run baseline Q F df Q_p p p_adjusted I2 tau lower upper",
        meanings={
            "Q": "Cochran's Q: how much the differences in the collections differ beyond chance",
            "F": "Welch's F of the differences in slices of 5 topics or more",
            "df": "degrees of freedom: collections, or slices, less one",
            "p": "p-value of F, by permuting which topics are in which slice",
            "p_adjusted": "p adjusted for the number of pairs, by Holm's method",
            "tau": "standard deviation of the true differences between collections (DerSimonian and Laird)",
            "lower": "lower confidence limit of tau (Q profile; at most what differences on this scale can have)",
            "upper": "upper confidence limit of tau",
        },
    ),
    "look": KindOfTable(
        "Whether a difference is shown at this look, or more topics are to be judged.",
        "run baseline look of p_level boundary decision",
        meanings={
            "of": "number of looks planned",
            "decision": "what follows for the pair (stop: the difference is significant; go on: nothing is shown yet: judge"
            " topics up to the next look; end: the last look has shown nothing)",
        },
    ),
    "topic_difference": KindOfTable(
        "How much each run differs from its baseline on each topic, with limits for documents that vary.",
        ESTIMATE + " baseline population p p_adjusted effect_size test sign bounds", title="differences on topics",
        limits="confidence", of_topics=True, sorted_with="differences",
        meanings={"value": "difference between the scores on the topic, run minus baseline"},
    ),
    "meta": KindOfTable(
        "The topics' effects combined into one, with more weight for topics known more precisely.",
        ESTIMATE + " baseline population p p_single_tailed p_adjusted topics left_out Q Q_p I2 tau", title="combined effects",
        limits="confidence", sorted_with="meta",
        meanings={
            "value": "the combined effect, on the logit scale; with stouffer, z", "topics": "number of topics combined",
            "tau": "standard deviation of the true effects between topics (DerSimonian and Laird)",
        },
    ),
    "rank": KindOfTable(
        "Which place each run takes, and which places it may take, for all runs at once.",
        ESTIMATE + " letters population judge slice estimator ranked_by", title="ranks", sorted_with="rank", cell="rank",
        meanings={
            "value": "rank of the run, 1 the highest mean", "lower": "best rank that the run may have",
            "upper": "worst rank that it may have",
        },
    ),
    "best": KindOfTable(
        "Which run has the highest mean, with limits that allow for its having been picked for that.",
        ESTIMATE + " baseline population of corrected p_best reason", title="best runs", limits="confidence",
        sorted_with="best",
        meanings={
            "of": "the number of runs that it was picked from",
            "corrected": "the mean less what being picked adds to it, estimated from resampled topics",
            "value": "the mean, or the difference between the means, run minus baseline",
            "reason": "why there is no lower limit: unbounded, as the scale has no known ends",
        },
    ),
    "effect": KindOfTable(
        "How far each system lies above or below the mean of all, on these topics.",
        ESTIMATE + " model letters", title="effects", limits="confidence", sorted_with="effect",
        meanings={"value": "the system's mean score minus the mean of all systems"},
    ),
    "anova": KindOfTable(
        "How much of the scores' variance is due to topics, systems, parts (or versions) and their interactions.",
        "source df ss F p omega2",
        meanings={"p": "p-value of F"},
    ),
    "length": KindOfTable(
        "How long the intervals of the system effects are under each fitted model.",
        "model value lower upper split",
        meanings={"value": "mean length of the systems' intervals", "lower": "the shortest", "upper": "the longest"},
    ),
    "check": KindOfTable(
        "How well each part (or version) stands for the whole.",
        "part tau difference relevant_min imbalance split",
        meanings={"difference": "mean score on this part (or version) minus that on the whole (or on average)"},
    ),
    "significant": KindOfTable(
        "How many pairs of systems differ significantly, by the model and by tests of the unsplit scores.",
        "test alpha pairs percent correction part split",
        meanings={
            "test": OF_MODEL, "pairs": "number of pairs that differ significantly",
            "part": "the number of parts, of several; 0 is the whole",
        },
    ),
    "agreement": KindOfTable(
        "How many pairs of systems several criteria agree on: splits, tests, or fits of a team and of all systems.",
        "between decision pairs percent",
        meanings={
            "decision": "of splits, how many agree on a pair : how many do not (unanimous: all tell it apart in one direction;"
            " both_directions: conflicts); of fits, whether each tells it apart; opposite: both do, in opposite directions",
            "pairs": "number of such pairs", "percent": "these as a percentage of all pairs, or of those within teams",
        },
    ),
    "pair": KindOfTable(
        "Which of two systems is significantly better, by each test.",
        "run baseline difference p p_adjusted decision test correction", sorted_with="pair",
        meanings={"p": "p-value of the difference, by this test", "test": OF_MODEL},
    ),
    "vote": KindOfTable(
        "In how many splits each pair of systems differs significantly.",
        "run baseline value share test",
        meanings={
            "share": "share of splits in which the run is significantly better, less that in which it is worse",
            "test": "the test behind these decisions",
        },
    ),
    "order": KindOfTable(
        "Whether another judge puts the runs in the same order; the first judge, QRELS, is tau_AP's reference.",
        ESTIMATE + " judge topics", title="orders", limits="confidence",
        meanings={
            "value": "the rank correlation of the runs' means by QRELS and by the judge, or the places lost",
            "run": "the run that falls most", "topics": "topics that both have judged",
        },
    ),
    "score": KindOfTable(
        "What each run scores by QRELS and by another judge, on the topics of both.",
        ESTIMATE + " judge of", title="scores by each judge",
        meanings={
            "value": "the run's mean score", "lower": "lower confidence limit, over topics",
            "upper": "upper confidence limit, over topics", "of": "whose judgments score it: those of QRELS, or of the judge",
        },
    ),
    "labels": KindOfTable(
        "Whether another judge gives the documents that both have judged the same grades.",
        "measure topic value lower upper judge documents topics", title="labels", limits="confidence",
        meanings={
            "measure": "kappa: disagreements count alike (none), by the difference of grades (linear) or its square"
            " (quadratic), or between relevant or not alone (binary); overlap: documents relevant to both, of those relevant"
            " to either",
            "value": "kappa or overlap", "topics": "topics with such documents",
        },
    ),
    "confusion": KindOfTable(
        "How many documents have each grade by QRELS and each by another judge.",
        "judge grade grade_judge documents percent", of_measure=False,
        meanings={
            "documents": "documents with these grades", "percent": "these as a percentage of those that both have judged",
        },
    ),
    "bias": KindOfTable(
        "Which runs another judge scores higher or lower; only a bias relative to all runs can change their order.",
        ESTIMATE + " judge p p_adjusted", title="biases",
        meanings={
            "value": "the run's mean score by the judge less that by QRELS; relative: less the mean of that over all"
            " runs; group: mean of the runs of --groups less that of the others",
            "run": "the run, or what --groups says",
            "p": "two-sided p-value of no bias, paired t test; by signs if the bias is the same on all topics",
            "p_adjusted": "p adjusted for the number of runs, by Holm's method",
        },
    ),
    "judged_pairs": KindOfTable(
        "Whether another judge finds the same pairs of runs to differ significantly, by paired t tests.",
        "judge AA AD MA MD PA PD bias unconfirmed missed pairs alpha correction", printed="agreement",
        meanings={"pairs": "number of pairs counted"},
    ),
    "in_interval": KindOfTable(
        "How often intervals from one half of the documents contain the scores on the other half.",
        "interval below in above sd predicted direction relevant correction measure", of_measure=False,
        meanings={
            "correction": "the correction for few relevant documents, or none",
            "sd": "standard deviation of `in` over splits and directions",
        },
    ),
    "type_one": KindOfTable(
        "How often intervals from samples of topics miss the mean of all topics; a share alpha of them should.",
        "alpha rate sd upper width topics sigma reference",
        meanings={
            "rate": "share of samples whose interval misses the mean of all topics, mean over runs",
            "sd": "standard deviation of that share over runs", "upper": "the largest share of any run",
            "width": "mean width of the intervals", "topics": "topics in a sample",
        },
    ),
    "error_rate": KindOfTable(
        "How often a set of topics (or of versions) orders two systems differently from most sets of this size.",
        "size rate sd ties comparisons fuzziness sets draws units",
        meanings={"sd": "standard deviation of the rate over draws"},
    ),
    "matrix": KindOfTable(
        "How many query sets find each run better than another one, and how many find it worse.",
        "run baseline better worse ties fuzziness",
        meanings={"ties": "number of sets that find them equal"},
    ),
    "swap": KindOfTable(
        "How often a second topic set contradicts a difference that a first one shows.",
        "size difference rate predicted comparisons extrapolated units",
        meanings={
            "size": IN_EACH_SET, "rate": "share of pairs with this difference that swap",
            "predicted": "the rate that the fitted curve gives",
            "difference": "where the bin of the difference on the first topic set begins; the last has no end",
        },
    ),
    "needed": KindOfTable(
        "The difference that a second topic set seldom contradicts.",
        "size difference rate extrapolated units",
        meanings={
            "size": IN_EACH_SET, "difference": "smallest difference whose swap rate is at most this one",
            "rate": "the highest rate of swaps allowed",
        },
    ),
    "discriminative_power": KindOfTable(
        "What share of all pairs of systems a bootstrap test finds significantly different.",
        "alpha share difference pairs units", printed="power",
        meanings={
            "difference": "estimated difference required: the largest, over pairs, of resampled differences at this level",
            "units": RESAMPLED,
        },
    ),
    "level": KindOfTable(
        "How significant the difference of each pair of systems is in a bootstrap test.",
        "p difference run baseline units", printed="asl",
        meanings={"p": "achieved significance level: the p-value of the bootstrap test", "units": RESAMPLED},
    ),
    "variance": KindOfTable(
        "The variance on which the numbers below are based.",
        "kind value df upper topics clusters icc run baseline",
        meanings={
            "value": "variance, or correlation, estimated from the files",
            "run": "of a pair, the run that scores higher", "baseline": "of a pair, the other run",
            "upper": "upper 80% limit of the variance, one-sided, for topics like these",
        },
    ),
    "width": KindOfTable(
        "How wide the interval of a difference (or a run's mean) can get with this many topics, or what difference they find.",
        "topics width difference tool kind clusters alone population r", printed="wcw",
        meanings={
            "width": "width of the interval; of an ANOVA the difference between best and worst that is found",
            "difference": "true difference that is found, with the power asked for",
            "topics": "number of topics; with --judge those that people judge",
            "population": "what varies: topics (new ones), or judgments (of these)",
        },
    ),
    "topics": KindOfTable(
        "How many topics are needed for an interval of this width, or to find this difference.",
        "width difference topics tool kind clusters",
        meanings={
            "topics": "number of topics needed", "width": "width wanted", "difference": "true difference to be found",
        },
    ),
    "noncentrality": KindOfTable(
        "The noncentrality of the ANOVA for each number of systems.",
        "systems value predicted", of_measure=False,
        meanings={"value": "exact noncentrality", "predicted": "noncentrality from Nagata's formula"},
    ),
}  # fmt: skip


def printed_name(kind: Kind) -> str:
    """Return the first cell of rows that are no estimates, before _MEASURE; the word for the kind on the command line."""
    return KINDS[kind].printed or kind


def title(kind: Kind, measure: str = "MEASURE") -> str:
    """Return the name of a table of this kind: means, or error_rate_map."""
    row = KINDS[kind]
    return row.title or printed_name(kind) + f"_{measure}" * row.of_measure


# Measures whose names say themselves what they are a mean of, or that have none, begin so.
NO_MEAN = ("gm_", "num_", "GMAP", "L-MAP", "MAP", "MRR", "Num")


def mean_of(measure: str) -> str:
    """The name of a measure's mean over topics."""
    return measure if measure.startswith(NO_MEAN) else f"mean {measure}"
