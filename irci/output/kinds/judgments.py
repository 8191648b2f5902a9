"""Tables on topics that people judge, and on other judges."""

from irci.output.kinds.kind import ESTIMATE, Kind, KindOfTable

# Meanings that several kinds share.
OF_HUMAN = "what varies: topics (new ones), or judgments (of these)"

KINDS: dict[Kind, KindOfTable] = {
    "human": KindOfTable(
        "How wide a run's interval is with so many topics judged by people, and more by a judge; or topics for a width.",
        "human width alone population r judged_topics",
        meanings={
            "human": "topics that people judge", "width": "width of the interval", "population": OF_HUMAN,
        },
    ),
    "order": KindOfTable(
        "Whether another judge puts the runs in the same order; the first judge, QRELS, is tau_AP's reference.",
        ESTIMATE + " judge topics runs", title="orders", limits="confidence",
        meanings={
            "value": "the rank correlation of the runs' means by QRELS and by the judge, or the places lost",
            "run": "the run that falls most", "topics": "topics that both have judged", "runs": "number of runs",
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
        "measure topic value lower upper weights judge documents topics", title="labels", limits="confidence",
        meanings={
            "value": "kappa; or overlap, the documents relevant to both divided by those relevant to either",
            "topics": "topics with such documents",
        },
    ),
    "confusion": KindOfTable(
        "How many documents have each grade by QRELS and each by another judge.",
        "judge grade_a grade_b documents percent", of_measure=False, picture="judges:label_panels",
        meanings={
            "documents": "documents with these grades", "percent": "these as a percentage of those that both have judged",
        },
    ),
    "judged_share": KindOfTable(
        "How much of what QRELS judged another judge judged too, by QRELS' grade.",
        "judge grade documents judged percent", of_measure=False,
        meanings={
            "documents": "documents of this grade", "judged": "those that the judge judged",
            "percent": "these as a percentage of the documents",
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
        "judge AA AD MA MD PA PD bias unconfirmed missed pairs identical alpha correction", printed="agreement",
        picture="judges:pair_panels",
        meanings={"pairs": "number of pairs counted"},
    ),
}  # fmt: skip
