"""Kinds of tables: what each is called, whose it is, and which columns it may have; `meanings` says what they mean."""

from typing import Literal

Kind = Literal[
    "topic", "estimate", "difference", "topic_difference", "heterogeneity", "meta", "rank", "effect", "anova", "length",
    "check", "significant", "agreement", "conflict", "pair", "vote", "within", "in_interval", "normalised", "half_interval",
    "type_one", "quantile", "histogram", "error_rate", "count", "matrix", "swap", "needed", "fit", "discriminative_power",
    "level", "order", "judged_pairs", "labels", "confusion", "bias", "score",
    "variance", "clustering", "width", "topics", "power", "noncentrality", "topic_bounds", "bounds", "topic_difference_bounds",
    "difference_bounds", "sample", "human_width", "human_topics",
]  # fmt: skip

# Rows that are estimates of a measure: they begin with its name, as trec_eval's lines do. Other rows begin with their table's.
ESTIMATES: frozenset[Kind] = frozenset(
    (
        "topic", "estimate", "difference", "topic_difference", "meta", "rank", "effect", "order", "labels", "bias", "score",
        "topic_bounds", "bounds", "topic_difference_bounds", "difference_bounds", "sample",
    )
)  # fmt: skip
# Those whose limits are bounds over the grades of unjudged documents, no confidence limits.
BOUNDS: tuple[Kind, ...] = ("topic_bounds", "bounds", "topic_difference_bounds", "difference_bounds")
# What the first column of the other kinds says, before _MEASURE, if that is not the kind itself.
PRINTED: dict[Kind, str] = {
    "normalised": "histogram", "quantile": "qq", "discriminative_power": "power", "level": "asl", "width": "wcw",
    "judged_pairs": "agreement",
}  # fmt: skip


# Kinds that are of no measure, or name it themselves.
WITHOUT_MEASURE: frozenset[Kind] = frozenset(
    ("in_interval", "normalised", "half_interval", "noncentrality", "confusion")
)
# What each command may print.
OF_COMMAND: dict[str, tuple[Kind, ...]] = {
    "ap-ci": ("topic", "estimate", "topic_bounds", "bounds", "in_interval", "normalised"),
    "map-ci": (
        "topic", "estimate", "topic_difference", "difference", "heterogeneity", "meta", "rank", "sample", *BOUNDS,
        "in_interval", "half_interval",
    ),
    "partition-anova": (
        "effect", "anova", "length", "check", "significant", "agreement", "conflict", "pair", "within",
    ),
    "stdap-ci": ("topic", "estimate", "difference", "type_one", "quantile", "histogram"),
    "swap-error": (
        "error_rate", "count", "matrix", "swap", "needed", "fit", "discriminative_power", "level", "order", "judged_pairs",
        "labels", "confusion", "bias", "score",
    ),
    "wcw": ("variance", "clustering", "width", "topics", "power", "noncentrality", "human_width", "human_topics"),
}  # fmt: skip


# Of kinds that several commands print: columns that one of them has, or some, with blanks.
OF_ONE_COMMAND: dict[tuple[Kind, str], str] = {
    ("topic", "corrected"): "ap-ci", ("topic", "population"): "map-ci",
    ("estimate", "corrected"): "ap-ci", ("estimate", "population"): "map-ci stdap-ci",
    ("estimate", "sd_documents"): "map-ci", ("estimate", "sd_topics"): "map-ci",
    ("estimate", "sd"): "stdap-ci", ("estimate", "topics"): "map-ci stdap-ci", ("difference", "topics"): "map-ci",
    ("estimate", "df"): "map-ci stdap-ci", ("estimate", "share_documents"): "map-ci",
    **{
        ("difference", column): "map-ci"
        for column in (
            "population", "p_adjusted", "lower_adjusted", "upper_adjusted", "p_error", "sd_documents", "sd_topics",
            "share_documents", "p_equivalence", "p_equivalence_adjusted", "detectable", "topics_needed",
            "reversal", "effect_lower", "effect_upper", "smallest_p", "verdict",
        )
    },
    ("difference", "seeds_baseline"): "map-ci",
    **{
        (kind, column): "map-ci"
        for kind in ("estimate", "difference")
        for column in (
            "collection", "versions", "seeds", "sd_seeds", "estimator", "human", "others", "lambda", "r", "gain", "judge_mean",
        )
    },
    ("estimate", "clusters"): "map-ci stdap-ci", ("difference", "clusters"): "map-ci",
}  # fmt: skip
# Estimates with an interval, whose width can be asked for.
WITH_LIMITS: frozenset[Kind] = ESTIMATES - {"rank", "order", "labels", "bias", "score", "sample"}
# Columns that every page which shows an estimate tells of.
OF_EVERY_ESTIMATE = ("measure", "topic", "value", "lower", "upper", "run", "table")


# The columns that tables of each kind may have.
_COLUMNS_OF: dict[Kind, str] = {
    "topic": "measure topic value lower upper run corrected population width",
    "estimate": "measure topic value lower upper run corrected population collection sd_documents sd_topics df share_documents"
    " sd topics clusters versions seeds sd_seeds estimator human others lambda r gain judge_mean width",
    "topic_difference": "measure topic value lower upper run baseline population p p_adjusted effect_size test width",
    "difference": "measure topic value lower upper run baseline population collection estimator p p_adjusted human others"
    " lambda r gain judge_mean effect_size df topics clusters versions seeds seeds_baseline sd_seeds test lower_adjusted"
    " upper_adjusted p_error sd_documents sd_topics share_documents p_equivalence p_equivalence_adjusted detectable"
    " topics_needed reversal effect_lower effect_upper smallest_p verdict width",
    "heterogeneity": "run baseline Q df Q_p I2 tau2 tau",
    "meta": "measure topic value lower upper run baseline population p p_adjusted topics left_out Q Q_p I2 tau2 width",
    "rank": "measure topic value lower upper run letters population ranked_by",
    "topic_bounds": "measure topic value lower upper run population judged bounds residual width",
    "bounds": "measure topic value lower upper run population judged bounds residual width",
    "topic_difference_bounds": "measure topic value lower upper run baseline population sign bounds width",
    "difference_bounds": "measure topic value lower upper run baseline population sign bounds width",
    "effect": "measure topic value lower upper run model width",
    "anova": "source df ss ms F p omega2",
    "length": "model mean min max split",
    "check": "part version tau shift relevant_min relevant_median relevant_max imbalance split",
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
    "error_rate": "size rate sd ties fuzziness base sets draws units",
    "count": "pair better worse equal fuzziness base",
    "matrix": "pairs errors equal comparisons rate ties fuzziness base",
    "swap": "size bin rate fitted comparisons extrapolated fitted_on units",
    "needed": "size difference max_rate extrapolated fitted_on units",
    "fit": "size measured predicted error absolute_error bins fitted_on units",
    "discriminative_power": "alpha share difference pairs units",
    "level": "rank asl difference pair units",
    "order": "measure topic value lower upper run judge topics runs interval",
    "judged_pairs": "judge AA AD MA MD PA PD bias unconfirmed missed pairs identical alpha correction",
    "labels": "measure topic value lower upper run judge weights documents topics interval",
    "confusion": "judge grade_a grade_b documents percent",
    "bias": "measure topic value lower upper run judge p p_adjusted",
    "score": "measure topic value lower upper run judge value_b lower_b upper_b",
    "variance": "kind value df topics clusters collections",
    "clustering": "icc cluster_size design_effect",
    "width": "topics width tool clusters collections cluster_size",
    "topics": "width topics tool clusters collections cluster_size",
    "power": "topics difference power tool clusters collections cluster_size",
    "noncentrality": "systems exact linear 4z^2",
    "sample": "topic",
    "human_width": "human width alone population r judged_topics",
    "human_topics": "width human alone population r judged_topics",
}
COLUMNS_OF: dict[Kind, tuple[str, ...]] = {kind: tuple(columns.split()) for kind, columns in _COLUMNS_OF.items()}


def printed_name(kind: Kind) -> str:
    """What the first column of a table of this kind says, before _MEASURE; estimates have no name."""
    return PRINTED.get(kind, kind)
