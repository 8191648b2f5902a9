"""One row a kind of table: its columns and what they mean in it, the question it answers, its name and its picture.

Pictures stand below one another in the order of the rows.
"""

from collections.abc import Container, Mapping
from typing import Literal, NamedTuple

from irci.output.columns import COLUMNS, Words

Kind = str  # the name of a row of KINDS
# The columns that every page which shows an estimate tells of; table: of other rows, which begin with its name.
ESTIMATE = "measure topic value lower upper run"
OF_EVERY_ESTIMATE = (*ESTIMATE.split(), "table")
# Meanings that several kinds share.
OF_JUDGMENTS = "what varies: the judgments, that is the grades of unjudged documents"
OF_HUMAN = "what varies: topics (new ones), or judgments (of these)"
OF_MODEL = "how the model's p is computed (difference, normal or marginal), or a test of the unsplit scores"
OF_LIMITS = Words(
    "kind of the limits",
    {
        "bounded": "by the ends of the scale", "safe": "bounded, with no less than the confidence asked for",
        "percentile": "of resampled topics", "bca": "of resampled topics", "bootstrap-t": "of resampled topics",
        "prediction": "for a mean to come", "selected": "allowing for having been picked as the best",
        "normal": "over documents", "delta": "over documents",
    },
)  # fmt: skip
OF_TEST = Words(
    "the test that p comes from",
    {
        "signs": "differences are all equal",
        "t, signs": "t's p would be less than signs of so many topics can give, which is taken",
        "midp": "McNemar's mid-p, where all scores of both are 0 or 1",
        "bounded": "the p that bounded limits of clusters go with",
    },
)
IN_EACH_SET = "topics (or units) in each of two sets"
RESAMPLED = "what is resampled, in place of topics"


class KindOfTable(NamedTuple):
    """One kind: the question that its tables answer, in a sentence, and the columns that they may have, in this order.

    `title`: what rows of estimates are called, which begin with their measure's name; others begin with that of their table,
    which is `printed` (by default the kind), and goes on with the measure's if `of_measure`. `limits`: what lower and upper
    are, where they make an interval whose width can be asked for. `of_topics`: rows are of single topics. `sorted_with`: the
    kinds with the same word here are sorted together. `cell`: what of a run's cell a paper's table takes from the row.
    `picture`: the functions of `irci.output.plots` that draw it, alone or with others. `meanings`: of columns that mean
    something else than in other kinds.
    """

    answer: str
    names: str
    title: str = ""
    printed: str = ""
    of_measure: bool = True
    limits: Literal["", "confidence", "bounds"] = ""
    of_topics: bool = False
    sorted_with: str = ""
    cell: Literal["", "score", "difference", "rank"] = ""
    picture: str = ""
    meanings: Mapping[str, str | Words] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.names.split())

    @property
    def is_estimate(self) -> bool:
        return bool(self.title)  # they begin with the name of a measure, as trec_eval's lines do

    def meaning(self, column: str, shown: Container[object] | None = None) -> str:
        """The meaning of a column, with those of the words that are `shown` in it, or of all that it may hold."""
        found = self.meanings.get(column) or COLUMNS[column]
        return found.among(shown) if isinstance(found, Words) else found

    def has_words(self, column: str) -> bool:
        """True if the meaning of the column depends on the words that stand in it."""
        return isinstance(self.meanings.get(column) or COLUMNS[column], Words)

    def goes_without_saying(self, column: str) -> bool:
        return column in OF_EVERY_ESTIMATE and column not in self.meanings


KINDS: dict[Kind, KindOfTable] = {
    "topic": KindOfTable(
        "What each run scores on each topic, with limits, if any, for documents that vary.",
        ESTIMATE + " corrected population width", title="topics", limits="confidence", of_topics=True, sorted_with="means",
        picture="topics:topic_panels",
    ),
    "estimate": KindOfTable(
        "What each run scores on average over topics, and how precise that is.",
        (ESTIMATE
            + " corrected population collection slice sd_documents sd_topics df share_documents sd topics clusters"
            " versions seeds sd_seeds estimator human others lambda r gain judge_mean judged bounds residual interval width"),
        title="means", limits="confidence", sorted_with="means", cell="score", picture="intervals:mean_panels",
        meanings={
            "df": "degrees of freedom of the limits (Satterthwaite's where several variances add up, Bell and"
            " McCaffrey's for clusters)",
            "interval": OF_LIMITS,
        },
    ),
    "effect": KindOfTable(
        "How far each system lies above or below the mean of all, on these topics.",
        ESTIMATE + " model width", title="effects", limits="confidence", sorted_with="effect",
        picture="intervals:effect_panels",
        meanings={"value": "the system's mean score minus the mean of all systems"},
    ),
    "anova": KindOfTable(
        "How much of the scores' variance is due to topics, systems, parts (or versions) and their interactions.",
        "source df ss ms F p omega2",
        meanings={"p": "p-value of F"},
    ),
    "length": KindOfTable(
        "How long the intervals of the system effects are under each fitted model.",
        "model mean min max split",
        meanings={"mean": "mean length of the systems' intervals", "min": "the shortest", "max": "the longest"},
    ),
    "check": KindOfTable(
        "How well each part (or version) stands for the whole.",
        "part version tau shift relevant_min relevant_median relevant_max imbalance split",
    ),
    "significant": KindOfTable(
        "How many pairs of systems differ significantly, by the model and by tests of the unsplit scores.",
        "test alpha pairs total percent correction split",
        meanings={"test": OF_MODEL, "pairs": "number of pairs that differ significantly"},
    ),
    "agreement": KindOfTable(
        "How many splits agree on whether a pair of systems differs significantly.",
        "splits pairs percent",
        meanings={
            "splits": "in how many splits a pair differs significantly : in how many it does not",
            "pairs": "number of such pairs",
        },
    ),
    "conflict": KindOfTable(
        "Pairs of systems that two tests, or two splits, find to differ in opposite directions.",
        "runs between",
    ),
    "pair": KindOfTable(
        "Which of two systems is significantly better, by each test.",
        "runs difference p p_adjusted decision test", sorted_with="pair",
        meanings={"p": "p-value of the difference, by this test", "test": OF_MODEL},
    ),
    "difference": KindOfTable(
        "How much each run differs from its baseline on average, and whether that could be chance.",
        (ESTIMATE
            + " baseline population collection slice estimator p p_adjusted human others lambda r gain judge_mean"
            " effect_size df topics clusters versions seeds seeds_baseline sd_seeds test interval secondary lower_adjusted"
            " upper_adjusted p_error sd_documents sd_topics share_documents p_equivalence p_equivalence_adjusted"
            " detectable difference topics_needed topics_needed_safe reversal effect_lower effect_upper smallest_p verdict"
            " sign bounds width"),
        title="differences", limits="confidence", sorted_with="differences", cell="difference",
        picture="intervals:pair_panels pairs:significance_panels",
        meanings={
            "value": "difference between the means, run minus baseline",
            "difference": "the true difference that topics_needed and topics_needed_safe are for (--difference), the"
            " latter with the variance at its upper 80% limit",
            "df": "degrees of freedom of the limits (Satterthwaite's where several variances add up, Bell and"
            " McCaffrey's for clusters, Welch's if unpaired)",
            "test": OF_TEST,
            "interval": OF_LIMITS,
        },
    ),
    "heterogeneity": KindOfTable(
        "Whether the difference between two runs itself differs from collection to collection.",
        "run baseline Q df Q_p I2 tau2 tau tau_lower tau_upper",
        meanings={
            "Q": "Cochran's Q: how much the differences in the collections differ beyond chance",
            "df": "degrees of freedom of Q: collections less one",
            "tau2": "variance of the true differences between collections (DerSimonian and Laird)",
            "tau": "the square root of tau2: standard deviation of the true differences",
        },
    ),
    "claim": KindOfTable(
        "Which sources of variation each claim survives: that a run scores higher, significantly so over topics.",
        "run baseline value p_adjusted documents both judgments survives of p_all", picture="claims:claim_panels",
        meanings={
            "run": "the run with the higher mean", "baseline": "the other run",
            "value": "difference between their means",
            "p_adjusted": "p over topics, adjusted for the number of pairs by the largest statistic of all",
            "documents": "what other documents say, by Holm's p: confirmed, weaker (same sign, not significant), contrary"
            " (other sign, not significant), reversed (other sign, significant) or untold",
            "of": "number of other sources that could be told",
        },
    ),
    "interaction": KindOfTable(
        "Whether the difference between two runs itself differs between slices of the topics.",
        "run baseline F df1 df2 p p_adjusted",
        meanings={
            "F": "Welch's F of the differences in slices of 5 topics or more",
            "p": "p-value of F, by permuting which topics are in which slice",
            "p_adjusted": "p adjusted for the number of pairs, by Holm's method",
        },
    ),
    "topic_difference": KindOfTable(
        "How much each run differs from its baseline on each topic, with limits for documents that vary.",
        ESTIMATE + " baseline population p p_adjusted effect_size test width", title="differences on topics",
        limits="confidence", of_topics=True, sorted_with="differences", picture="topics:difference_panels",
        meanings={"value": "difference between the scores on the topic, run minus baseline"},
    ),
    "meta": KindOfTable(
        "The topics' effects combined into one, with more weight for topics known more precisely.",
        ESTIMATE + " baseline population p p_adjusted topics left_out Q Q_p I2 tau2 width", title="combined effects",
        limits="confidence", sorted_with="meta", picture="intervals:combined_panels",
        meanings={
            "value": "the combined effect, on the logit scale; with stouffer, z", "topics": "number of topics combined",
        },
    ),
    "rank": KindOfTable(
        "Which place each run takes, and which places it may take, for all runs at once.",
        ESTIMATE + " letters population slice estimator ranked_by", title="ranks", sorted_with="rank", cell="rank",
        picture="intervals:rank_panels",
        meanings={
            "value": "rank of the run, 1 the highest mean", "lower": "best rank that the run may have",
            "upper": "worst rank that it may have",
        },
    ),
    "best": KindOfTable(
        "Which run has the highest mean, with limits that allow for its having been picked for that.",
        ESTIMATE + " population selected corrected p_best width", title="best runs", limits="confidence", sorted_with="best",
        meanings={
            "selected": "the number of runs that it was picked from, or that were tried (--tried)",
            "corrected": "the mean less what being picked adds to it, estimated from resampled topics; nan if not all runs"
            " that were tried are given",
        },
    ),
    "sample": KindOfTable("Which topics people are to judge, drawn at random.", "topic", title="sample", of_topics=True),
    "half_interval": KindOfTable(
        "Each run's intervals from both halves and from the whole collection.",
        "interval value lower upper run half other_half", of_measure=False, picture="intervals:half_panels",
        meanings={"interval": "the measure, and how its interval was made", "value": "the run's mean score on the half"},
    ),
    "topic_bounds": KindOfTable(
        "What each run scores on each topic, and could score if its unjudged documents were judged.",
        ESTIMATE + " population judged bounds residual width", title="bounds of topics", limits="bounds", of_topics=True,
        sorted_with="bounds", picture="topics:topic_bounds_panels",
        meanings={
            "population": OF_JUDGMENTS, "lower": "least score that any grades of the unjudged documents allow",
            "upper": "greatest score that any grades of them allow",
        },
    ),
    "topic_difference_bounds": KindOfTable(
        "How much runs differ on each topic, and could differ if unjudged documents were judged.",
        ESTIMATE + " baseline population sign bounds width", title="bounds of differences on topics", limits="bounds",
        of_topics=True, sorted_with="bounds of differences", picture="topics:difference_bounds_panels",
        meanings={
            "population": OF_JUDGMENTS, "value": "difference between the scores on the topic, run minus baseline",
            "lower": "least difference that any grades of the unjudged documents allow",
            "upper": "greatest difference that any grades of them allow",
        },
    ),
    "bounds": KindOfTable(
        "What each run scores on average over topics, and could score if its unjudged documents were judged.",
        ESTIMATE + " population judged bounds residual width", title="bounds of means", limits="bounds",
        sorted_with="bounds", cell="score", picture="pairs:bounds_panels",
        meanings={
            "population": OF_JUDGMENTS,
            "lower": "least mean that any grades of the unjudged documents allow; no confidence limit",
            "upper": "greatest mean that any grades of them allow",
            "judged": "share of the documents looked at that are judged (of the first k with a cutoff, else of those"
            " retrieved), mean over topics",
        },
    ),
    "difference_bounds": KindOfTable(
        "How much runs differ on average, and could differ if unjudged documents were judged.",
        ESTIMATE + " baseline population sign bounds width", title="bounds of differences", limits="bounds",
        sorted_with="bounds of differences", cell="difference", picture="pairs:difference_bounds_panels",
        meanings={
            "population": OF_JUDGMENTS, "value": "difference between the means, run minus baseline",
            "lower": "least difference that any grades of the unjudged documents allow; no confidence limit",
            "upper": "greatest difference that any grades of them allow",
        },
    ),
    "vote": KindOfTable(
        "In how many splits each pair of systems differs significantly.",
        "run baseline value for against splits what", picture="pairs:vote_panels",
    ),
    "within": KindOfTable(
        "Whether pairs of systems of one team differ, fitting all systems together or the team alone.",
        "across/within across/within/randomization pairs percent split",
        meanings={"pairs": "number of such pairs", "percent": "these pairs as a percentage of all pairs within teams"},
    ),
    "in_interval": KindOfTable(
        "How often intervals from one half of the documents contain the scores on the other half.",
        "interval below in above sd_in predicted lists splits direction relevant correction measure", of_measure=False,
        meanings={"correction": "the correction for few relevant documents, or none"},
    ),
    "normalised": KindOfTable(
        "How far the scores on the other half lie from those on this half, scaled so that the limits are -1 and 1.",
        "interval from to percent predicted", printed="histogram", of_measure=False,
        picture="curves:normalised_panels",
        meanings={"percent": "percentage of scores in the bin"},
    ),
    "histogram": KindOfTable(
        "How scores, and means of samples of topics, are distributed.",
        "of from to percent n reference", picture="curves:histogram_panels",
        meanings={"percent": "percentage of scores, or of means, in the bin"},
    ),
    "quantile": KindOfTable(
        "Whether variances of samples of topics follow a chi-square distribution.",
        "probability chi2 sample n reference", printed="qq", picture="curves:quantile_panels",
    ),
    "type_one": KindOfTable(
        "How often intervals from samples of topics miss the mean of all topics; a share alpha of them should.",
        "alpha mean sd max width n sigma reference factor undefined", picture="curves:type_one_panels",
        meanings={
            "mean": "share of samples whose interval misses the mean of all topics, mean over runs",
            "sd": "standard deviation of that share over runs", "max": "the largest share of any run",
            "width": "mean width of the intervals",
        },
    ),
    "error_rate": KindOfTable(
        "How often a query set of this size orders two systems differently from most sets.",
        "size rate sd ties fuzziness base sets draws units", picture="curves:error_rate_panels",
        meanings={"sd": "standard deviation of the rate over draws"},
    ),
    "count": KindOfTable(
        "On how many query sets the first system of each pair is better, worse, or ties.",
        "pair better worse equal fuzziness base",
    ),
    "matrix": KindOfTable(
        "How often a query set orders two systems differently from most sets.",
        "pairs errors equal comparisons rate ties fuzziness base",
    ),
    "swap": KindOfTable(
        "How often a second topic set contradicts a difference that a first one shows.",
        "size bin rate fitted comparisons extrapolated fitted_on units", picture="curves:swap_panels",
        meanings={"size": IN_EACH_SET, "rate": "share of pairs with this difference that swap"},
    ),
    "needed": KindOfTable(
        "The difference that a second topic set seldom contradicts.",
        "size difference max_rate extrapolated fitted_on units",
        meanings={"size": IN_EACH_SET, "difference": "smallest difference whose swap rate is at most max_rate"},
    ),
    "fit": KindOfTable(
        "How well curves fitted on small topic sets predict swap rates of larger ones.",
        "size measured predicted error absolute_error bins fitted_on units",
        meanings={
            "size": "topics (or units) in each of two sets, more than in those fitted to",
            "predicted": "rate given by curves fitted to fewer topics, mean over bins",
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
        "rank asl difference pair units", printed="asl", picture="curves:level_panels",
        meanings={"units": RESAMPLED},
    ),
    "variance": KindOfTable(
        "The variance on which the numbers below are based.",
        "kind value df upper upper_df topics clusters collections run baseline",
        meanings={
            "value": "variance, or correlation, estimated from the files",
            "run": "of a pair, the run that scores higher", "baseline": "of a pair, the other run",
            "upper": "upper 80% limit of the variance, one-sided, for topics like these",
        },
    ),
    "clustering": KindOfTable(
        "What it costs that topics come in clusters, or collections.",
        "icc cluster_size design_effect purpose",
    ),
    "width": KindOfTable(
        "How wide the interval of a difference can get with this many topics.",
        "topics width width_safe tool purpose clusters collections cluster_size", printed="wcw", picture="curves:width_panels",
        meanings={"width": "width of the interval; of an ANOVA the difference between best and worst that is found"},
    ),
    "detectable": KindOfTable(
        "How large a true difference this many topics find, with power 1 - beta.",
        "topics difference difference_safe tool purpose clusters collections cluster_size",
        picture="curves:detectable_panels", meanings={"difference": "true difference that is found"},
    ),
    "topics": KindOfTable(
        "How many topics are needed for an interval of this width, or to find this difference.",
        "width difference topics topics_safe tool purpose clusters collections cluster_size",
        meanings={
            "topics": "number of topics needed", "width": "width wanted", "difference": "true difference to be found",
        },
    ),
    "power": KindOfTable(
        "How likely this many topics are to find this difference.",
        "topics difference power power_safe tool purpose clusters collections cluster_size", picture="curves:power_panels",
        meanings={"difference": "true difference"},
    ),
    "noncentrality": KindOfTable(
        "The noncentrality of the ANOVA for each number of systems.",
        "systems exact linear 4z^2", of_measure=False, picture="curves:noncentrality_panels",
    ),
    "human_width": KindOfTable(
        "How wide the interval of a run's mean is with so many topics judged by people, and more by a judge.",
        "human width width_safe alone population r judged_topics",
        meanings={"width": "width of the interval", "population": OF_HUMAN},
    ),
    "human_topics": KindOfTable(
        "How many topics people must judge for this width, with more judged by a judge.",
        "width human human_safe alone population r judged_topics",
        meanings={"human": "topics that people must judge", "width": "width wanted", "population": OF_HUMAN},
    ),
    "order": KindOfTable(
        "Whether another judge puts the runs in the same order; the first judge, QRELS, is tau_AP's reference.",
        ESTIMATE + " judge topics runs interval", title="orders",
        meanings={
            "value": "the rank correlation of the runs' means by QRELS and by the judge, or the places lost",
            "lower": "lower confidence limit, over topics", "upper": "upper confidence limit, over topics",
            "run": "the run that falls most", "topics": "topics that both have judged", "runs": "number of runs",
            "interval": "how the limits were made",
        },
    ),
    "score": KindOfTable(
        "What each run scores by QRELS and by another judge, on the topics of both.",
        ESTIMATE + " judge value_b lower_b upper_b", title="scores by each judge", picture="judges:score_panels",
        meanings={
            "value": "the run's mean score by QRELS", "lower": "lower confidence limit, over topics",
            "upper": "upper confidence limit, over topics",
        },
    ),
    "labels": KindOfTable(
        "Whether another judge gives the documents that both have judged the same grades.",
        ESTIMATE + " judge weights documents topics interval", title="labels",
        meanings={
            "value": "kappa, overlap (relevant to both by relevant to either), share relevant or mean grade, a by"
            " QRELS, b by the judge",
            "topics": "topics with such documents", "run": "none: labels are of no run",
            "interval": "how the limits were made: by topics, or asymptotic, documents taken for independent",
        },
    ),
    "confusion": KindOfTable(
        "How many documents have each grade by QRELS and each by another judge.",
        "judge grade_a grade_b documents percent", of_measure=False, picture="judges:label_panels",
        meanings={
            "documents": "documents with these grades", "percent": "these as a percentage of those that both have judged",
        },
    ),
    "bias": KindOfTable(
        "Which runs another judge scores higher or lower; only a bias relative to all runs can change their order.",
        ESTIMATE + " judge p p_adjusted", title="biases",
        meanings={
            "value": "the run's mean score by the judge less that by QRELS; relative: less the mean of that over all"
            " runs; group: mean of the runs that match less that of the others",
            "run": "the run, or the regular expression of --group",
            "p": "two-sided p-value of no bias, paired t test; by signs if the bias is the same on all topics",
            "p_adjusted": "p adjusted for the number of runs, by Holm's method",
        },
    ),
    "judged_pairs": KindOfTable(
        "Whether another judge finds the same pairs of runs to differ significantly, by paired t tests.",
        "judge AA AD MA MD PA PD bias unconfirmed missed pairs identical alpha correction", printed="agreement",
        picture="judges:pair_panels",
        meanings={"pairs": "number of pairs counted"},
    ),
}  # fmt: skip


def printed_name(kind: Kind) -> str:
    """The first cell of rows that are no estimates, before _MEASURE; the word for the kind on the command line."""
    return KINDS[kind].printed or kind


def title(kind: Kind, measure: str = "MEASURE") -> str:
    """The name of a table of this kind: means, or error_rate_map."""
    of = KINDS[kind]
    return of.title or printed_name(kind) + f"_{measure}" * of.of_measure
