"""Kinds of tables and their columns: what each is called, and what it means, for headers, --explain and man pages."""

from typing import Literal, NamedTuple

Kind = Literal[
    "topic", "estimate", "difference", "topic_difference", "meta", "rank", "effect", "anova", "length", "check",
    "significant", "agreement", "conflict", "pair", "vote", "within", "in_interval", "normalised", "half_interval",
    "type_one", "quantile", "histogram", "error_rate", "count", "matrix", "swap", "needed", "fit", "discriminative_power",
    "level", "variance", "width", "topics", "power", "noncentrality",
]  # fmt: skip

# Rows that are estimates of a measure: they begin with its name, as trec_eval's lines do. Other rows begin with their table's.
ESTIMATES: frozenset[Kind] = frozenset(
    ("topic", "estimate", "difference", "topic_difference", "meta", "rank", "effect")
)
# What the first column of the other kinds says, before _MEASURE, if that is not the kind itself.
PRINTED: dict[Kind, str] = {
    "normalised": "histogram", "quantile": "qq", "discriminative_power": "power", "level": "asl", "width": "wcw",
}  # fmt: skip


# Kinds that are of no measure, or name it themselves.
WITHOUT_MEASURE: frozenset[Kind] = frozenset(("in_interval", "normalised", "half_interval", "noncentrality"))
# What each command may print.
OF_COMMAND: dict[str, tuple[Kind, ...]] = {
    "ap-ci": ("topic", "estimate", "in_interval", "normalised"),
    "map-ci": ("topic", "estimate", "topic_difference", "difference", "meta", "rank", "in_interval", "half_interval"),
    "partition-anova": (
        "effect", "anova", "length", "check", "significant", "agreement", "conflict", "pair", "within",
    ),
    "stdap-ci": ("topic", "estimate", "difference", "type_one", "quantile", "histogram"),
    "swap-error": ("error_rate", "count", "matrix", "swap", "needed", "fit", "discriminative_power", "level"),
    "wcw": ("variance", "width", "topics", "power", "noncentrality"),
}  # fmt: skip


# Of kinds that several commands print: columns that one of them has.
OF_ONE_COMMAND: dict[tuple[Kind, str], str] = {
    ("topic", "corrected"): "ap-ci", ("topic", "population"): "map-ci",
    ("estimate", "corrected"): "ap-ci", ("estimate", "population"): "map-ci",
    ("estimate", "sd_documents"): "map-ci", ("estimate", "sd_topics"): "map-ci",
    ("estimate", "sd"): "stdap-ci", ("estimate", "topics"): "stdap-ci",
    ("estimate", "df"): "map-ci", ("estimate", "share_documents"): "map-ci",
    **{
        ("difference", column): "map-ci"
        for column in (
            "population", "p_adjusted", "p_error", "sd_documents", "sd_topics", "share_documents", "p_equivalence",
            "p_equivalence_adjusted", "detectable", "topics_needed", "reversal", "effect_lower", "effect_upper",
            "smallest_p", "verdict",
        )
    },
}  # fmt: skip
# Estimates with an interval, whose width can be asked for.
WITH_LIMITS: frozenset[Kind] = ESTIMATES - {"rank"}
# Columns that every page which shows an estimate tells of.
OF_EVERY_ESTIMATE = ("measure", "topic", "value", "lower", "upper", "run", "table")


class Column(NamedTuple):
    """What a column means, in a line; `is_p`: printed with four significant digits, not four decimals."""

    meaning: str
    is_p: bool = False


COLUMNS: dict[str, Column] = {
    # estimates
    "measure": Column("the measure, under trec_eval's name"),
    "topic": Column("the topic, or all"),
    "value": Column("the score; of all topics, their mean"),
    "lower": Column("lower confidence limit"),
    "upper": Column("upper confidence limit"),
    "run": Column("the run"),
    "corrected": Column("limits come from the correction for few relevant documents"),
    "population": Column("what varies: documents, topics or both"),
    "sd_documents": Column("standard deviation of the mean due to documents"),
    "sd_topics": Column("standard deviation of the mean due to topics"),
    "sd": Column("standard deviation"),
    "topics": Column("number of topics"),
    # differences, effects combined over topics, ranks
    "baseline": Column("the run it is compared with"),
    "p": Column("two-sided p-value", is_p=True),
    "p_adjusted": Column("p-value adjusted for the number of pairs, as --correction says", is_p=True),
    "p_error": Column("Monte-Carlo standard error of p", is_p=True),
    "p_equivalence": Column("p-value of a difference beyond the margin, either way", is_p=True),
    "p_equivalence_adjusted": Column("that p-value adjusted by Holm for the number of pairs shown", is_p=True),
    "detectable": Column("least true difference that a t test of this pair alone would find with probability .8"),
    "topics_needed": Column(
        "topics with which that test would find a true difference as large as this with probability .8"
    ),
    "reversal": Column("probability that another experiment on as many topics gives the opposite sign"),
    "effect_lower": Column("lower confidence limit of the effect size"),
    "effect_upper": Column("upper confidence limit of the effect size"),
    "smallest_p": Column(
        "smallest p-value (adjusted, with maxt) possible with differences of these sizes, had all the same sign",
        is_p=True,
    ),
    "verdict": Column("what the topics say of the pair"),
    "share_documents": Column("share of the variance between topics that is due to documents"),
    "effect_size": Column("mean difference over its standard deviation"),
    "test": Column("what the p-value comes from"),
    "left_out": Column("topics that say nothing and are left out"),
    "Q": Column("heterogeneity of the topics' effects (Cochran's Q)"),
    "Q_p": Column("p-value of Q", is_p=True),
    "I2": Column("share of the effects' variation that is not chance"),
    "tau2": Column("variance of the effects between topics"),
    "letters": Column("runs that share a letter are not separated"),
    "ranked_by": Column("the measure that ranks the runs"),
    # analysis of variance
    "table": Column("the table, and the measure it is of"),
    "source": Column("source of variation"),
    "df": Column("degrees of freedom"),
    "ss": Column("sum of squares"),
    "ms": Column("mean square"),
    "F": Column("mean square over that of the error"),
    "omega2": Column("share of the variance due to this source (omega squared)"),
    "model": Column("the model fitted"),
    "mean": Column("mean"),
    "min": Column("smallest"),
    "max": Column("largest"),
    "split": Column("number of the split; 0 is the whole collection"),
    "part": Column("number of the part"),
    "tau": Column("Kendall's tau between the order of systems on this part and on the whole"),
    "shift": Column("mean score on this part less that on the whole"),
    "relevant_min": Column("fewest relevant documents of a topic in this part"),
    "relevant_median": Column("median number of relevant documents of a topic in this part"),
    "relevant_max": Column("most relevant documents of a topic in this part"),
    "imbalance": Column("this part's largest share of a topic's relevant documents, times the number of parts"),
    "alpha": Column("level of significance"),
    "pairs": Column("number of pairs of systems"),
    "total": Column("number of all pairs"),
    "percent": Column("the same in percent"),
    "correction": Column("how p-values allow for the number of pairs"),
    "splits": Column("number of splits"),
    "runs": Column("the pair of systems"),
    "between": Column("the two criteria, or splits, that disagree"),
    "difference": Column("difference of two systems' means"),
    "decision": Column("> or < where the pair differs at the first level, else ="),
    "for": Column("splits in which the first system is better"),
    "against": Column("splits in which it is worse"),
    "what": Column("the criterion of these decisions"),
    "across/within": Column("whether a pair differs if all systems are fitted, and if its team is fitted alone"),
    "across/within/randomization": Column("the same, and by the randomization test"),
    # validation
    "interval": Column("kind of interval, and how it was made"),
    "below": Column("percent of scores on the other half below the interval"),
    "in": Column("percent in the interval"),
    "above": Column("percent above the interval"),
    "sd_in": Column("standard deviation of `in` over splits and directions"),
    "predicted": Column("percent that the model predicts in the interval"),
    "lists": Column("number of ranked lists, on average over splits and directions"),
    "direction": Column("which half the intervals are from: A, B or both"),
    "relevant": Column("topics with so many relevant documents"),
    "from": Column("lower edge of the bin"),
    "to": Column("upper edge of the bin"),
    "half": Column("the half that the interval is from; all: no half"),
    "other_half": Column("the score on the other half"),
    # type I errors of samples of topics
    "width": Column("width of the interval"),
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
    "size": Column("topics in a set"),
    "rate": Column("share of comparisons in which a set disagrees with most sets"),
    "ties": Column("share of comparisons that are ties"),
    "fuzziness": Column("percent below which a difference is a tie"),
    "base": Column("the score of the two that it is a percentage of"),
    "sets": Column("query sets in a draw"),
    "draws": Column("how often query sets are drawn"),
    "pair": Column("the pair of systems"),
    "better": Column("sets on which the first system is better"),
    "worse": Column("sets on which it is worse"),
    "equal": Column("sets on which they are equal"),
    "errors": Column("comparisons in which a set disagrees with most sets"),
    "comparisons": Column("number of comparisons"),
    "bin": Column("difference on the first topic set"),
    "fitted": Column("the rate that the fitted curve gives"),
    "extrapolated": Column("whether so many topics are more, or fewer, than the curve was fitted on"),
    "fitted_on": Column("topics in the sets that the curve was fitted on"),
    "measured": Column("swap rate measured, mean over bins"),
    "error": Column("rate predicted less rate measured, mean over bins"),
    "absolute_error": Column("the same without signs"),
    "bins": Column("number of bins: those with a swap, and a curve"),
    "max_rate": Column("the highest rate of swaps allowed"),
    "share": Column("share of pairs that differ at this level"),
    "rank": Column("place among the pairs, the largest level first"),
    "asl": Column("achieved significance level"),
    # topics needed
    "tool": Column("ANOVA of several systems (anova), interval of a difference (ci), or paired t test (t)"),
    "kind": Column("one-way: variance within systems; two-way: what topics and systems leave"),
    "power": Column("probability of finding the difference"),
    "systems": Column("number of systems"),
    "exact": Column("noncentrality, computed"),
    "linear": Column("noncentrality by Nagata's formula"),
    "4z^2": Column("the noncentrality near which the ANOVA stands in for the interval"),
}

# The columns that tables of each kind may have.
_COLUMNS_OF: dict[Kind, str] = {
    "topic": "measure topic value lower upper run corrected population width",
    "estimate": "measure topic value lower upper run corrected population sd_documents sd_topics df share_documents sd"
    " topics width",
    "topic_difference": "measure topic value lower upper run baseline population p p_adjusted effect_size test width",
    "difference": "measure topic value lower upper run baseline population p p_adjusted effect_size df test p_error"
    " sd_documents sd_topics share_documents p_equivalence p_equivalence_adjusted detectable topics_needed reversal"
    " effect_lower effect_upper smallest_p verdict width",
    "meta": "measure topic value lower upper run baseline population p p_adjusted topics left_out Q Q_p I2 tau2 width",
    "rank": "measure topic value lower upper run letters population ranked_by",
    "effect": "measure topic value lower upper run model width",
    "anova": "source df ss ms F p omega2",
    "length": "model mean min max split",
    "check": "part tau shift relevant_min relevant_median relevant_max imbalance split",
    "significant": "test alpha pairs total percent correction split",
    "agreement": "splits pairs percent",
    "conflict": "runs between",
    "pair": "runs difference p p_adjusted decision test",
    "vote": "run baseline value for against splits what",
    "within": "across/within across/within/randomization pairs percent split",
    "in_interval": "interval below in above sd_in predicted lists splits direction relevant correction measure",
    "normalised": "interval from to percent predicted",
    "half_interval": "interval value lower upper run half other_half",
    "type_one": "alpha mean sd max width n sigma reference factor undefined",
    "quantile": "probability chi2 sample n reference",
    "histogram": "of from to percent n reference",
    "error_rate": "size rate sd ties fuzziness base sets draws",
    "count": "pair better worse equal fuzziness base",
    "matrix": "pairs errors equal comparisons rate ties fuzziness base",
    "swap": "size bin rate fitted comparisons extrapolated fitted_on",
    "needed": "size difference max_rate extrapolated fitted_on",
    "fit": "size measured predicted error absolute_error bins fitted_on",
    "discriminative_power": "alpha share difference pairs",
    "level": "rank asl difference pair",
    "variance": "kind value df topics",
    "width": "topics width tool",
    "topics": "width topics tool",
    "power": "topics difference power tool",
    "noncentrality": "systems exact linear 4z^2",
}
COLUMNS_OF: dict[Kind, tuple[str, ...]] = {kind: tuple(columns.split()) for kind, columns in _COLUMNS_OF.items()}

# Columns that mean something else in some kinds.
OF_KIND: dict[Kind, dict[str, str]] = {
    "difference": {
        "value": "difference of means, run less baseline", "df": "degrees of freedom (Welch's, or Satterthwaite's)",
    },
    "topic_difference": {"value": "difference of scores, run less baseline"},
    "meta": {"value": "the topics' effects combined, on the logit scale; for stouffer z", "topics": "topics combined"},
    "rank": {"value": "rank of the run, 1 the best", "lower": "best rank it may have", "upper": "worst rank it may have"},
    "effect": {"value": "the system's mean score less the mean of all systems"},
    "anova": {"p": "p-value of F"},
    "length": {"mean": "mean length of the systems' intervals", "min": "the shortest", "max": "the longest"},
    "agreement": {"splits": "of the splits, how many agree:disagree on whether a pair differs"},
    "within": {"percent": "the same in percent of pairs within teams"},
    "in_interval": {"correction": "the correction for few relevant documents, or none"},
    "normalised": {"percent": "percent of scores in the bin"},
    "histogram": {"percent": "percent of scores, or of means, in the bin"},
    "half_interval": {"interval": "the measure, and how its interval was made"},
    "type_one": {
        "mean": "share of samples whose interval misses the mean of all topics, mean over runs",
        "sd": "standard deviation of that share over runs", "max": "the largest over runs",
        "width": "mean width of the intervals",
    },
    "error_rate": {"sd": "standard deviation of the rate over draws"},
    "swap": {"size": "topics in each of two sets", "rate": "share of pairs of this difference that swap"},
    "needed": {"size": "topics in each of two sets", "difference": "smallest difference with no more swaps than max_rate"},
    "fit": {
        "size": "topics in each of two sets, held back: more than half of the most",
        "predicted": "rate that curves fitted on fewer topics give, mean over bins",
    },
    "discriminative_power": {
        "difference": "estimated difference required: the largest, over pairs, of resampled differences at this level",
    },
    "width": {"width": "worst-case width of an interval, or difference found"},
    "topics": {"topics": "number of topics needed", "width": "width, or difference, wanted"},
    "variance": {"value": "variance estimated from the files"},
}  # fmt: skip


def printed_name(kind: Kind) -> str:
    """What the first column of a table of this kind says, before _MEASURE; estimates have no name."""
    return PRINTED.get(kind, kind)


def meaning(kind: Kind, column: str) -> str:
    """What a column of a table of this kind means."""
    if column == "width" and kind in WITH_LIMITS:
        return "upper less lower limit (--show-width)"
    return OF_KIND.get(kind, {}).get(column) or COLUMNS[column].meaning
