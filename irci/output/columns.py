"""The meanings of columns, said once: for headers, explanations, pages and man pages."""

from typing import NamedTuple


class Column(NamedTuple):
    """The meaning of a column, in a line, where its kind of table gives it no other; `is_p`: printed with four significant
    digits, not four decimals.
    """

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
