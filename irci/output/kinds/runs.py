"""Tables on runs: their scores, differences and ranks, on each topic and on average."""

from irci.output.columns import Words
from irci.output.kinds.kind import ESTIMATE, Kind, KindOfTable

OF_LIMITS = Words(
    "kind of the limits",
    {
        "bounded": "by the ends of the scale", "prediction": "for a mean to come",
        "normal": "over documents", "delta": "over documents",
    },
)  # fmt: skip
OF_TEST = Words(
    "the test that p comes from",
    {
        "signs": "differences are all equal",
        "t, signs": "t's p would be less than signs of so few units can give, which is taken",
        "midp": "McNemar's mid-p, where all scores of both are 0 or 1",
        "points": "the sign test, of Borda points of two runs",
        "bounded": "the p that bounded limits of clusters, or of Borda points, go with",
    },
)
# What claims over topics are tried by, under the names of columns.
CLAIMED_OVER = {
    "documents": "other documents", "judgments": "all grades of unjudged documents",
    "judge": "other judges (on the documents that both judged, if these are less than 99% of QRELS')",
    "clusters": "other clusters", "collections": "other collections", "seeds": "other seeds", "versions": "other wordings",
}  # fmt: skip
OF_VERDICTS = {
    "not confirmed": "not significant", "reversed": "other sign, significant", "not testable": "nothing can be told",
}  # fmt: skip

KINDS: dict[Kind, KindOfTable] = {
    "topic": KindOfTable(
        "What each run scores on each topic, with limits, if any, for documents that vary.",
        ESTIMATE + " corrected population raw judged bounds residual", title="topics", limits="confidence",
        of_topics=True, sorted_with="means", picture="topics:topic_panels",
    ),
    "estimate": KindOfTable(
        "What each run scores on average over topics, and how precise that is.",
        (ESTIMATE
            + " corrected population collection slice sd_documents sd_topics df share_documents sd topics clusters raw"
            " lower_raw upper_raw versions seeds sd_seeds"
            " sd_seeds_component estimator human others lambda r gain judge_mean judged bounds"
            " residual interval"),
        title="means", limits="confidence", sorted_with="means", cell="score", picture="intervals:mean_panels",
        meanings={
            "df": "degrees of freedom of the limits (Satterthwaite's where several variances add up, Bell and"
            " McCaffrey's for clusters)",
            "interval": OF_LIMITS,
        },
    ),
    "difference": KindOfTable(
        "How much each run differs from its baseline on average, and whether that could be chance.",
        (ESTIMATE
            + " baseline population collection slice estimator p p_adjusted human others lambda r gain judge_mean"
            " effect_size df topics clusters versions seeds seeds_baseline sd_seeds_component test interval"
            " lower_adjusted upper_adjusted p_error sd_documents sd_topics share_documents p_equivalence"
            " p_equivalence_adjusted p_not_worse p_not_worse_adjusted detectable topics_needed effect_lower"
            " effect_upper smallest_p verdict reason sign bounds"),
        title="differences", limits="confidence", sorted_with="differences", cell="difference",
        picture="intervals:pair_panels pairs:significance_panels",
        meanings={
            "value": "difference between the means, run minus baseline",
            "effect_size": "mean difference divided by the standard deviation of the differences over topics",
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
        f"run baseline value p_adjusted {' '.join(CLAIMED_OVER)} change control survives of p_all",
        cell="claim", picture="claims:claim_panels",
        meanings={
            "run": "the run with the higher mean", "baseline": "the other run",
            "value": "difference between their means",
            "p_adjusted": "p over topics, adjusted for the number of pairs by the largest statistic of all",
            **{name: Words(f"what {words} say of it", OF_VERDICTS) for name, words in CLAIMED_OVER.items()},
            "of": "number of such sources that could be tested",
        },
    ),
    "look": KindOfTable(
        "Whether a difference is shown at this look, or more topics are to be judged.",
        "run baseline look looks p_level boundary decision",
        meanings={
            "decision": Words("what follows for the pair", {
                "stop": "the difference is significant", "go on": "nothing is shown yet: judge topics up to the next look",
                "end": "the last look has shown nothing",
            }),
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
        ESTIMATE + " baseline population p p_adjusted effect_size test sign bounds", title="differences on topics",
        limits="confidence", of_topics=True, sorted_with="differences", picture="topics:difference_panels",
        meanings={"value": "difference between the scores on the topic, run minus baseline"},
    ),
    "meta": KindOfTable(
        "The topics' effects combined into one, with more weight for topics known more precisely.",
        ESTIMATE + " baseline population p p_adjusted topics left_out Q Q_p I2 tau2", title="combined effects",
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
        ESTIMATE + " baseline population selected corrected p_best reason", title="best runs", limits="confidence",
        sorted_with="best",
        meanings={
            "selected": "the number of runs that it was picked from",
            "corrected": "the mean less what being picked adds to it, estimated from resampled topics",
            "value": "the mean, or the difference between the means, run minus baseline",
            "reason": "why there is no lower limit: unbounded, as the scale has no known ends",
        },
    ),
}  # fmt: skip
