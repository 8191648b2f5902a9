"""What each kind of table answers and what its columns mean, said once: for headers, --explain, pages and man pages."""

from typing import NamedTuple

from irci.output.kinds import ESTIMATES, WITHOUT_MEASURE, Kind, printed_name


class Column(NamedTuple):
    """What a column means, in a line; `is_p`: printed with four significant digits, not four decimals."""

    meaning: str
    is_p: bool = False


COLUMNS: dict[str, Column] = {
    # estimates
    "measure": Column("the measure"),
    "topic": Column("the topic, or all"),
    "value": Column("the score; for all topics, their mean"),
    "lower": Column("lower confidence limit"),
    "upper": Column("upper confidence limit"),
    "run": Column("the run"),
    "corrected": Column("whether the limits are corrected for few relevant documents"),
    "population": Column("what varies (documents, topics, ...)"),
    "clusters": Column("number of clusters"),
    "collection": Column("the collection; all: the mean over collections"),
    "collections": Column("number of collections"),
    "versions": Column("number of versions of the topics' queries"),
    "seeds": Column("number of seeds of the run, which is a system; 0: it is not trained"),
    "seeds_baseline": Column("number of seeds of the baseline"),
    "sd_seeds": Column("the part of the standard error that is due to seeds"),
    "estimator": Column("human: people's judgments alone; ppi: with the judge's on all topics (prediction-powered)"),
    "human": Column("topics that people judged"),
    "others": Column("further topics, which the judge alone judged"),
    "lambda": Column("how much the judge's scores count; 0: not at all"),
    "r": Column("correlation between the judge's scores and people's, over the human topics"),
    "gain": Column("width of the interval, divided by the width without the judge"),
    "judge_mean": Column("the judge's own mean over all topics, which is no estimate of people's"),
    "sd_documents": Column("the part of the standard error that is due to documents"),
    "sd_topics": Column("the part of the standard error that is due to topics"),
    "share_documents": Column("share of the variance between topics that is due to documents"),
    "sd": Column("standard deviation of the scores over topics"),
    "topics": Column("number of topics"),
    "width": Column("upper limit minus lower limit (--show-width)"),
    # differences, effects combined over topics, ranks
    "baseline": Column("the run it is compared with"),
    "p": Column("two-sided p-value of no difference", is_p=True),
    "p_adjusted": Column("p adjusted for the number of pairs", is_p=True),
    "lower_adjusted": Column(
        "lower limit adjusted for the number of pairs: with holm and maxt all pairs' limits hold at once (p_adjusted goes by"
        " steps, and may be significant where they contain 0); with bh at most alpha of those given miss, on average"
        " over experiments, and pairs that are not significant have none"
    ),
    "upper_adjusted": Column("upper limit adjusted likewise"),
    "p_error": Column("Monte-Carlo standard error of p", is_p=True),
    "p_equivalence": Column(
        "p-value of the null hypothesis of a difference of the margin or more, either way", is_p=True
    ),
    "p_equivalence_adjusted": Column(
        "p_equivalence adjusted for the number of pairs shown, by Holm's method", is_p=True
    ),
    "detectable": Column("true difference that a t test of this pair alone finds with probability .8"),
    "topics_needed": Column("topics needed to find, with probability .8, a true difference as large as this one"),
    "reversal": Column("probability that another experiment on as many topics gives the opposite sign"),
    "effect_lower": Column("lower confidence limit of the effect size"),
    "effect_upper": Column("upper confidence limit of the effect size"),
    "smallest_p": Column(
        "smallest p (adjusted, with maxt) that differences of these sizes could give if all had the same sign",
        is_p=True,
    ),
    "verdict": Column("what the topics show about the pair, in a word"),
    "effect_size": Column("mean difference divided by the standard deviation of the differences"),
    "test": Column("the test that p comes from"),
    "left_out": Column("topics left out: a score of exactly 0 or 1, or rankings that cannot score differently"),
    "Q": Column("Cochran's Q: how much the topics' effects differ beyond chance"),
    "Q_p": Column("p-value of Q", is_p=True),
    "I2": Column("share of the variation of the effects that is not chance"),
    "tau2": Column("variance of the true effects between topics"),
    # unjudged documents
    "judged": Column(
        "share of the documents looked at that are judged: of the first k with a cutoff, else of those retrieved"
    ),
    "bounds": Column(
        "exact; outer: no grades need reach them; two-grade: for unjudged documents of grade 0 or the highest alone"
    ),
    "residual": Column("what rbp would gain if all that is unknown had the highest gain"),
    "sign": Column(
        "sure: no grades of unjudged documents would change the sign of the difference; open: bounds do not rule it out"
    ),
    "letters": Column("runs sharing a letter are not significantly different"),
    "ranked_by": Column("the measure that ranks the runs"),
    # analysis of variance
    "table": Column("the table and its measure"),
    "source": Column("source of variation"),
    "df": Column("degrees of freedom"),
    "ss": Column("sum of squares"),
    "ms": Column("mean square"),
    "F": Column("mean square divided by that of the error (of topic in model nested: by that of version(topic))"),
    "omega2": Column("share of the variance due to this source (omega squared)"),
    "model": Column("the model fitted"),
    "mean": Column("mean"),
    "min": Column("smallest"),
    "max": Column("largest"),
    "split": Column("number of the split; 0 is the whole collection"),
    "part": Column("number of the part"),
    "version": Column("name of the version"),
    "tau": Column(
        "Kendall's tau between the order of systems on this part (or version) and on the whole (or on average)"
    ),
    "shift": Column("mean score on this part (or version) minus that on the whole (or on average)"),
    "relevant_min": Column("fewest relevant documents of a topic in this part"),
    "relevant_median": Column("median number of relevant documents of a topic in this part"),
    "relevant_max": Column("most relevant documents of a topic in this part"),
    "imbalance": Column("this part's largest share of a topic's relevant documents, times the number of parts"),
    "alpha": Column("level of significance"),
    "pairs": Column("number of pairs of systems"),
    "total": Column("number of all pairs"),
    "percent": Column("pairs as a percentage of all pairs"),
    "correction": Column("how p-values are adjusted for the number of pairs"),
    "splits": Column("number of splits"),
    "runs": Column("the pair of systems"),
    "between": Column("the two tests, or splits, that disagree"),
    "difference": Column("difference between the two systems' means"),
    "decision": Column("> or < where the pair differs significantly at the first level, else ="),
    "for": Column("splits in which the first system is significantly better"),
    "against": Column("splits in which it is significantly worse"),
    "what": Column("the test behind these decisions"),
    "across/within": Column(
        "whether a pair differs if all systems are fitted together, and if its team is fitted alone"
    ),
    "across/within/randomization": Column(
        "whether a pair differs if all systems are fitted together, if its team is fitted alone, and by the randomization test"
    ),
    # validation
    "interval": Column("kind of interval, and how it was made"),
    "below": Column("percentage of the scores on the other half that lie below the interval"),
    "in": Column("percentage of them in the interval"),
    "above": Column("percentage of them above the interval"),
    "sd_in": Column("standard deviation of `in` over splits and directions"),
    "predicted": Column("percentage that the model predicts in the interval"),
    "lists": Column("number of ranked lists, on average over splits and directions"),
    "direction": Column("which half the intervals are from: A, B or both"),
    "relevant": Column("which topics count: all, or those with this many relevant documents"),
    "from": Column("lower edge of the bin"),
    "to": Column("upper edge of the bin"),
    "half": Column("the half that the interval is from; all: the whole collection"),
    "other_half": Column("the score on the other half"),
    # type I errors of samples of topics
    "n": Column("topics in a sample"),
    "sigma": Column("whether the standard deviation is known or estimated"),
    "reference": Column("the systems that scores are standardised by"),
    "factor": Column("finite-population factor"),
    "undefined": Column("share of samples without an interval"),
    "probability": Column("probability of the quantiles"),
    "chi2": Column("quantile of chi-square"),
    "sample": Column("quantile of the samples' (n - 1) s^2 / sigma^2"),
    "of": Column("what is counted: scores, or means of samples"),
    # error rates and swaps
    "size": Column("topics (or units) in a set"),
    "units": Column("what sets are made of, and sizes count, in place of topics"),
    "rate": Column("share of comparisons in which a set disagrees with most sets"),
    "ties": Column("share of comparisons that are ties"),
    "fuzziness": Column("a difference smaller than this percentage is a tie"),
    "base": Column("which of the two scores the fuzziness is a percentage of"),
    "sets": Column("query sets in a draw"),
    "draws": Column("how often query sets are drawn"),
    "pair": Column("the pair of systems"),
    "better": Column("sets on which the first system is better"),
    "worse": Column("sets on which it is worse"),
    "equal": Column("sets on which the two tie"),
    "errors": Column("comparisons in which a set disagrees with most sets"),
    "comparisons": Column("number of comparisons"),
    "bin": Column("range of the difference on the first topic set"),
    "fitted": Column("the rate that the fitted curve gives"),
    "extrapolated": Column("whether this size lies outside the sizes that the curve was fitted to"),
    "fitted_on": Column("sizes of the topic sets that the curve was fitted to"),
    "measured": Column("measured swap rate, mean over bins"),
    "error": Column("predicted minus measured rate, mean over bins"),
    "absolute_error": Column("absolute difference between predicted and measured rate, mean over bins"),
    "bins": Column("number of bins with a swap and a curve"),
    "max_rate": Column("the highest rate of swaps allowed"),
    "share": Column("share of pairs that differ significantly at this level"),
    "rank": Column("place among the pairs, the largest asl first"),
    "asl": Column("achieved significance level: the p-value of the bootstrap test"),
    # two sets of judgments
    "judge": Column("whose judgments are compared with QRELS: the name of their file"),
    "AA": Column("pairs that differ significantly under both judges, in the same direction"),
    "AD": Column("pairs that differ significantly under both, in opposite directions"),
    "MA": Column("pairs that differ significantly under one judge, the means in the same direction under both"),
    "MD": Column("pairs that differ significantly under one judge, the means in opposite directions"),
    "PA": Column("pairs that differ significantly under neither, the means in the same direction"),
    "PD": Column("pairs that differ significantly under neither, the means in opposite directions"),
    "bias": Column("1 - AA/(AA + AD + (MA + MD)/2)"),
    "unconfirmed": Column(
        "of the pairs that differ significantly under the judge, the share that QRELS does not confirm"
    ),
    "missed": Column("of the pairs that differ significantly under QRELS, the share that the judge does not find"),
    "identical": Column("pairs with the same scores on every topic under both, left out"),
    "weights": Column("how disagreements count: none, linear or quadratic in the grades; binary: relevant or not"),
    "documents": Column("number of documents that both have judged"),
    "grade_a": Column("grade by QRELS"),
    "grade_b": Column("grade by the judge"),
    "value_b": Column("the run's mean score by the judge"),
    "lower_b": Column("lower confidence limit of that, over topics"),
    "upper_b": Column("upper confidence limit of that, over topics"),
    # topics needed
    "tool": Column("ANOVA of several systems (anova), interval of a difference (ci), or paired t test (t)"),
    "kind": Column(
        "one-way: variance within systems; two-way: residual variance after topics and systems; correlation: between the"
        " judge's scores and people's"
    ),
    "icc": Column("correlation between the scores of two topics of a cluster, or collection"),
    "cluster_size": Column("topics in each; from files, their average"),
    "design_effect": Column("how many times as many topics it takes as if they were independent"),
    "alone": Column("the same without the judge"),
    "judged_topics": Column("topics that the judge has judged"),
    "power": Column("probability of finding the difference"),
    "systems": Column("number of systems"),
    "exact": Column("exact noncentrality"),
    "linear": Column("noncentrality from Nagata's formula"),
    "4z^2": Column("the noncentrality near which the ANOVA stands in for the interval"),
}

# Columns that mean something else in some kinds.
OF_KIND: dict[Kind, dict[str, str]] = {
    "estimate": {
        "df": "degrees of freedom of the limits (Satterthwaite's where several variances add up, Bell and McCaffrey's for"
        " clusters)"
    },
    "difference": {
        "value": "difference between the means, run minus baseline",
        "df": "degrees of freedom of the limits (Satterthwaite's where several variances add up, Bell and McCaffrey's for"
        " clusters, Welch's if unpaired)",
    },
    "topic_difference": {"value": "difference between the scores on the topic, run minus baseline"},
    "meta": {
        "value": "the combined effect, on the logit scale; with stouffer, z", "topics": "number of topics combined",
    },
    "rank": {
        "value": "rank of the run, 1 the best", "lower": "best rank that the run may have",
        "upper": "worst rank that it may have",
    },
    "topic_bounds": {
        "population": "what varies: the judgments, that is the grades of unjudged documents",
        "lower": "least score that any grades of the unjudged documents allow",
        "upper": "greatest score that any grades of them allow",
    },
    "bounds": {
        "population": "what varies: the judgments, that is the grades of unjudged documents",
        "lower": "least mean that any grades of the unjudged documents allow; no confidence limit",
        "upper": "greatest mean that any grades of them allow",
        "judged": "share of the documents looked at that are judged (of the first k with a cutoff, else of those retrieved),"
        " mean over topics",
    },
    "topic_difference_bounds": {
        "population": "what varies: the judgments, that is the grades of unjudged documents",
        "value": "difference between the scores on the topic, run minus baseline",
        "lower": "least difference that any grades of the unjudged documents allow",
        "upper": "greatest difference that any grades of them allow",
    },
    "difference_bounds": {
        "population": "what varies: the judgments, that is the grades of unjudged documents",
        "value": "difference between the means, run minus baseline",
        "lower": "least difference that any grades of the unjudged documents allow; no confidence limit",
        "upper": "greatest difference that any grades of them allow",
    },
    "effect": {"value": "the system's mean score minus the mean of all systems"},
    "anova": {"p": "p-value of F"},
    "length": {"mean": "mean length of the systems' intervals", "min": "the shortest", "max": "the longest"},
    "significant": {
        "test": "how the model's p is computed (difference, normal or marginal), or a test of the unsplit scores",
        "pairs": "number of pairs that differ significantly",
    },
    "heterogeneity": {
        "Q": "Cochran's Q: how much the differences in the collections differ beyond chance",
        "df": "degrees of freedom of Q: collections less one",
        "tau2": "variance of the true differences between collections (DerSimonian and Laird)",
        "tau": "the square root of tau2: standard deviation of the true differences",
    },
    "agreement": {
        "splits": "in how many splits a pair differs significantly : in how many it does not",
        "pairs": "number of such pairs",
    },
    "within": {"pairs": "number of such pairs", "percent": "these pairs as a percentage of all pairs within teams"},
    "pair": {
        "p": "p-value of the difference, by this test",
        "test": "how the model's p is computed (difference, normal or marginal), or a test of the unsplit scores",
    },
    "in_interval": {"correction": "the correction for few relevant documents, or none"},
    "normalised": {"percent": "percentage of scores in the bin"},
    "histogram": {"percent": "percentage of scores, or of means, in the bin"},
    "half_interval": {
        "interval": "the measure, and how its interval was made", "value": "the run's mean score on the half",
    },
    "type_one": {
        "mean": "share of samples whose interval misses the mean of all topics, mean over runs",
        "sd": "standard deviation of that share over runs", "max": "the largest share of any run",
        "width": "mean width of the intervals",
    },
    "error_rate": {"sd": "standard deviation of the rate over draws"},
    "swap": {"size": "topics (or units) in each of two sets", "rate": "share of pairs with this difference that swap"},
    "needed": {
        "size": "topics (or units) in each of two sets",
        "difference": "smallest difference whose swap rate is at most max_rate",
    },
    "fit": {
        "size": "topics (or units) in each of two sets, more than in those fitted to",
        "predicted": "rate given by curves fitted to fewer topics, mean over bins",
    },
    "discriminative_power": {
        "difference": "estimated difference required: the largest, over pairs, of resampled differences at this level",
        "units": "what is resampled, in place of topics",
    },
    "level": {"units": "what is resampled, in place of topics"},
    "order": {
        "value": "the rank correlation of the runs' means by QRELS and by the judge, or the places lost",
        "lower": "lower confidence limit, over topics", "upper": "upper confidence limit, over topics",
        "run": "the run that falls most",
        "topics": "topics that both have judged", "runs": "number of runs", "interval": "how the limits were made",
    },
    "judged_pairs": {"pairs": "number of pairs counted"},
    "labels": {
        "value": "kappa, overlap (relevant to both by relevant to either), share relevant or mean grade, a by QRELS, b by the"
        " judge", "topics": "topics with such documents", "run": "none: labels are of no run",
        "interval": "how the limits were made: by topics, or asymptotic, documents taken for independent",
    },
    "confusion": {
        "documents": "documents with these grades", "percent": "these as a percentage of those that both have judged",
    },
    "bias": {
        "value": "the run's mean score by the judge less that by QRELS; relative: less the mean of that over all runs; group:"
        " mean of the runs that match less that of the others", "run": "the run, or the regular expression of --group",
        "p": "two-sided p-value of no bias, paired t test; by signs if the bias is the same on all topics",
        "p_adjusted": "p adjusted for the number of runs, by Holm's method",
    },
    "score": {"value": "the run's mean score by QRELS", "lower": "lower confidence limit, over topics",
              "upper": "upper confidence limit, over topics"},
    "width": {"width": "worst-case width of the interval, or difference found"},
    "topics": {"topics": "number of topics needed", "width": "width, or difference, wanted"},
    "power": {"difference": "true difference"},
    "variance": {"value": "variance, or correlation, estimated from the files"},
    "human_width": {"width": "width of the interval", "population": "what varies: topics (new ones), or judgments (of these)"},
    "human_topics": {
        "human": "topics that people must judge", "width": "width wanted",
        "population": "what varies: topics (new ones), or judgments (of these)",
    },
}  # fmt: skip

# What a table of each kind answers, in a sentence.
ANSWERS: dict[Kind, str] = {
    "topic": "What each run scores on each topic, with limits, if any, for documents that vary.",
    "estimate": "What each run scores on average over topics, and how precise that is.",
    "topic_difference": "How much each run differs from its baseline on each topic, with limits for documents that vary.",
    "difference": "How much each run differs from its baseline on average, and whether that could be chance.",
    "heterogeneity": "Whether the difference between two runs itself differs from collection to collection.",
    "meta": "The topics' effects combined into one, with more weight for topics known more precisely.",
    "rank": "Which place each run takes, and which places it may take, for all runs at once.",
    "topic_bounds": "What each run scores on each topic, and could score if its unjudged documents were judged.",
    "bounds": "What each run scores on average over topics, and could score if its unjudged documents were judged.",
    "topic_difference_bounds": "How much runs differ on each topic, and could differ if unjudged documents were judged.",
    "difference_bounds": "How much runs differ on average, and could differ if unjudged documents were judged.",
    "effect": "How far each system lies above or below the mean of all, on these topics.",
    "anova": "How much of the scores' variance is due to topics, systems, parts (or versions) and their interactions.",
    "length": "How long the intervals of the system effects are under each fitted model.",
    "check": "How well each part (or version) stands for the whole.",
    "significant": "How many pairs of systems differ significantly, by the model and by tests of the unsplit scores.",
    "agreement": "How many splits agree on whether a pair of systems differs significantly.",
    "conflict": "Pairs of systems that two tests, or two splits, find to differ in opposite directions.",
    "pair": "Which of two systems is significantly better, by each test.",
    "vote": "In how many splits each pair of systems differs significantly.",
    "within": "Whether pairs of systems of one team differ, fitting all systems together or the team alone.",
    "in_interval": "How often intervals from one half of the documents contain the scores on the other half.",
    "normalised": "How far the scores on the other half lie from those on this half, scaled so that the limits are -1 and 1.",
    "half_interval": "Each run's intervals from both halves and from the whole collection.",
    "type_one": "How often intervals from samples of topics miss the mean of all topics; a share alpha of them should.",
    "quantile": "Whether variances of samples of topics follow a chi-square distribution.",
    "histogram": "How scores, and means of samples of topics, are distributed.",
    "error_rate": "How often a query set of this size orders two systems differently from most sets.",
    "count": "On how many query sets the first system of each pair is better, worse, or ties.",
    "matrix": "How often a query set orders two systems differently from most sets.",
    "swap": "How often a second topic set contradicts a difference that a first one shows.",
    "needed": "The difference that a second topic set seldom contradicts.",
    "fit": "How well curves fitted on small topic sets predict swap rates of larger ones.",
    "discriminative_power": "What share of all pairs of systems a bootstrap test finds significantly different.",
    "level": "How significant the difference of each pair of systems is in a bootstrap test.",
    "order": "Whether another judge puts the runs in the same order; the first judge, QRELS, is tau_AP's reference.",
    "judged_pairs": "Whether another judge finds the same pairs of runs to differ significantly, by paired t tests.",
    "labels": "Whether another judge gives the documents that both have judged the same grades.",
    "confusion": "How many documents have each grade by QRELS and each by another judge.",
    "bias": "Which runs another judge scores higher or lower; only a bias relative to all runs can change their order.",
    "score": "What each run scores by QRELS and by another judge, on the topics of both.",
    "variance": "The variance on which the numbers below are based.",
    "clustering": "What it costs that topics come in clusters, or collections.",
    "width": "How wide an interval can get, or how large a difference is found, with this many topics.",
    "topics": "How many topics are needed for this width, or to find this difference.",
    "power": "How likely this many topics are to find this difference.",
    "noncentrality": "The noncentrality of the ANOVA for each number of systems.",
    "sample": "Which topics people are to judge, drawn by lot.",
    "human_width": "How wide the interval of a run's mean is with so many topics judged by people, and more by a judge.",
    "human_topics": "How many topics people must judge for this width, with more judged by a judge.",
}


# What rows of estimates are called, which begin with their measure's name and not with a table's.
TITLES: dict[Kind, str] = {
    "topic": "topics", "estimate": "means", "topic_difference": "differences on topics", "difference": "differences",
    "meta": "combined effects", "rank": "ranks", "effect": "effects", "sample": "sample",
    "order": "orders", "labels": "labels", "bias": "biases", "score": "scores by each judge",
    "topic_bounds": "bounds of topics", "bounds": "bounds of means",
    "topic_difference_bounds": "bounds of differences on topics", "difference_bounds": "bounds of differences",
}  # fmt: skip


def title(kind: Kind, measure: str = "MEASURE") -> str:
    """What a table of this kind is called: means, or error_rate_map."""
    if kind in ESTIMATES:
        return TITLES[kind]
    return printed_name(kind) + ("" if kind in WITHOUT_MEASURE else f"_{measure}")


def meaning(kind: Kind, column: str) -> str:
    """What a column of a table of this kind means."""
    return OF_KIND.get(kind, {}).get(column) or COLUMNS[column].meaning
