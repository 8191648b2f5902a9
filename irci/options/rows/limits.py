"""Intervals: their kinds, resamples, seeds, and corrections of topics with few relevant documents."""

from irci.base.choices import (
    ApInterval,
    ApPopulation,
    SmallR,
    TopicInterval,
)
from irci.options.figures import EndsOfScale, Numbers
from irci.options.option import Option
from irci.options.types import Choice, Fraction, TopicIntervals, Whole

MOST_RESAMPLES = 10_000_000
LARGEST_SEED = 2**63 - 1
SEED = "Seed of the random numbers."
# Of map-ci: what cannot be without resamples.
RESAMPLED = {
    "test=randomization": "--test randomization",
    "test=wilcoxon": "--test wilcoxon", "correction=maxt": "--correction maxt",
    "over=both": "--population both", "meta": "--meta", "best": "--best",
}  # fmt: skip
NEEDS_RESAMPLES = {
    f"!resamples=0|!{condition}": f"{option} needs resamples: use -B 2 or more."
    for condition, option in RESAMPLED.items()
} | {"!resamples=0|!ranks|correction=holm|over=same-topics": "--ranks needs resamples: use -B 2 or more."}
# Of map-ci: where documents, topics or signs are drawn.
DRAWN = {
    "|".join((*RESAMPLED, "over=documents", "ranks", "request=validate", "save_plan")):
    "{} is for random draws, and nothing is drawn here.",
}  # fmt: skip
NOT_ONE = {1: "one resample has no spread: use more, or 0 for scores without limits."}


def _small_r(takes: str, needs: dict[str, str]) -> Option:
    return Option(
        "small_r", "--small-r", Choice(SmallR), takes,
        "Correction where AP is near 0 or 1 and few documents are relevant: use the wider of the topic's own interval and the"
        " interval for AP = 0 or 1, or none of it, in the interval of the mean either.",
        default="wider", needs=needs,
    )  # fmt: skip


ROWS = (
    Option(
        "population", "--population", Choice(ApPopulation), "ap-ci(judgments intervals)",
        "What varies: the documents; or judgments, for bounds over all grades up to --max-grade that unjudged documents could"
        " have, those down to a measure's cutoff: no confidence limits.",
        default="documents", cites={"population=judgments": "moffat2008"},
    ),
    Option(
        "interval", "--interval", TopicIntervals(TopicInterval), "map-ci(carried)",
        "Interval over topics: by t; bounded by the ends of the scale; auto: t, or bounded where scores are 0 or 1 or hardly"
        " vary; prediction:50: for the mean over 50 new topics (over as many as now; over another collection). Over documents:"
        " delta, in place of resamples.  [default: auto]",
        needs={
            "interval=delta|over=topics": "{} {interval} needs --population topics.",
            "!interval=delta|over=documents": "{} delta needs --population documents.",
        },
        cites={"interval=auto|interval=bounded": "gaffke2005 learned2020 fagerland2013"},
    ),
    Option(
        "range", "--range", EndsOfScale(), "map-ci(carried)",
        "The lowest and highest score of the measures, such as 0,100 for percentages. Margins are in these"
        " units.  [default: 0,1 of known measures, and of others whose scores lie there]",
        metavar="LOWEST,HIGHEST",
        needs={
            "scores|over=topics|over=clusters": "{} is for limits over topics or clusters.",
            "scores|!interval=t & scores|!interval=prediction":
            "{} is for bounded intervals: leave out --interval {interval}.",
        },
    ),
    Option(
        "interval", "--interval", Choice(ApInterval), "ap-ci(intervals)",
        "Kind of interval for each topic; the interval of the mean is always linear. parametric: from a closed form, without"
        " resamples, which is the paper's own choice for MAP; bca and parametric are for map alone.  [default: for map logit,"
        " for other measures percentile]",
    ),
    Option(
        "confidence", "--confidence", Fraction(),
        "ap-ci(-judgments) map-ci(-judgments) stdap-ci(means published) judges",
        "Confidence level of the intervals, as a fraction.",
        default=0.95, metavar="P",
        short=dict.fromkeys(("ap-ci", "map-ci", "stdap-ci"), "confidence level of the limits  [0.95]"),
    ),
    Option(
        "confidence", "--confidence", Numbers(Fraction.least, Fraction.most), "partition-anova",
        "Confidence levels: of the intervals the first, which also decides on single pairs; at each of them pairs that differ"
        " are counted (alpha is 1 less the level).  [default: 0.95,0.99]",
        default=(0.95, 0.99), told="-", metavar="LIST",
    ),
    Option(
        "resamples", "-B --resamples", Whole(0, MOST_RESAMPLES, NOT_ONE), "map-ci(carried validate)",
        "Number of resamples; 0 prints scores without limits.",
        default=2000, told="(2000; for sign flips 20,000, or 10,000 for all pairs at once)", metavar="N",
        needs=NEEDS_RESAMPLES | DRAWN,
    ),
    Option(
        "resamples", "-B --resamples", Whole(0, MOST_RESAMPLES, NOT_ONE), "ap-ci(-judgments)",
        "Number of resamples; 0 prints scores without limits.",
        default=2000, metavar="N", short="number of resamples; 0: no limits  [2000]",
        needs={"!interval=parametric": "{}: --interval parametric takes no resamples."},
    ),
    Option(
        "resamples", "-B --resamples", Whole(2, MOST_RESAMPLES), "swap-error(discriminative-power)",
        "Number of resamples.  [default: 1000]", metavar="N",
    ),
    Option(
        "resamples", "-B --resamples", Whole(2, MOST_RESAMPLES), "judges", "Number of resamples of the topics.",
        default=2000, metavar="N",
    ),
    Option(
        "resamples", "-B --resamples", Whole(2, MOST_RESAMPLES), "partition-anova", "Number of resamples.",
        default=10_000, metavar="N",
    ),
    Option(
        "seed", "--seed", Whole(0, LARGEST_SEED),
        "ap-ci(-judgments) partition-anova swap-error(-counts) judges",
        SEED, default=1, metavar="N",
    ),
    Option(
        "seed", "--seed", Whole(0, LARGEST_SEED), "map-ci(-judgments -judge)", SEED, default=1, metavar="N", needs=DRAWN,
    ),
    Option(
        "seed", "--seed", Whole(0, LARGEST_SEED), "stdap-ci(-published)", SEED, default=1, metavar="N",
        needs={"reference|validate": "{} is for --reference random:N or --validate: nothing else is drawn."},
    ),
    _small_r("ap-ci(-judgments)", {}),
    _small_r("map-ci(carried validate)", {"over=documents|validate": "{} needs --population documents."}),
)  # fmt: skip
