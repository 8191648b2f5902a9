"""Tables on experiments of other sizes: errors, swaps, power, topics needed; and of intervals tried out."""

from irci.output.kinds.kind import Kind, KindOfTable

IN_EACH_SET = "topics (or units) in each of two sets"
RESAMPLED = "what is resampled, in place of topics"

KINDS: dict[Kind, KindOfTable] = {
    "in_interval": KindOfTable(
        "How often intervals from one half of the documents contain the scores on the other half.",
        "interval below in above sd_in predicted lists splits direction relevant correction measure", of_measure=False,
        meanings={"correction": "the correction for few relevant documents, or none"},
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
        "size rate sd ties fuzziness sets draws units", picture="curves:error_rate_panels",
        meanings={"sd": "standard deviation of the rate over draws"},
    ),
    "matrix": KindOfTable(
        "How often a query set orders two systems differently from most sets.",
        "pairs errors equal comparisons rate ties fuzziness",
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
        "kind value df upper upper_df topics clusters icc cluster_size design_effect run baseline",
        meanings={
            "value": "variance, or correlation, estimated from the files",
            "run": "of a pair, the run that scores higher", "baseline": "of a pair, the other run",
            "upper": "upper 80% limit of the variance, one-sided, for topics like these",
        },
    ),
    "width": KindOfTable(
        "How wide the interval of a difference can get with this many topics, or how large a true one they find.",
        "topics width difference tool purpose clusters cluster_size", printed="wcw",
        picture="curves:width_panels curves:detectable_panels",
        meanings={
            "width": "width of the interval; of an ANOVA the difference between best and worst that is found",
            "difference": "true difference that is found, with the power asked for",
        },
    ),
    "topics": KindOfTable(
        "How many topics are needed for an interval of this width, or to find this difference.",
        "width difference topics tool purpose clusters cluster_size",
        meanings={
            "topics": "number of topics needed", "width": "width wanted", "difference": "true difference to be found",
        },
    ),
    "noncentrality": KindOfTable(
        "The noncentrality of the ANOVA for each number of systems.",
        "systems exact linear", of_measure=False, picture="curves:noncentrality_panels",
    ),
}  # fmt: skip
