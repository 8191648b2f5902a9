"""Replicating a paper: what only a repetition of a published experiment needs."""

from irci.options.option import Option
from irci.options.rows.designs import BY_ANOVA
from irci.options.rows.scoring import EVERY
from irci.options.types import Flag, Halves, Whole

ROWS = (
    # As trec_eval has it; here means are over all judged topics in any case.
    Option("complete", "-c --complete", Flag(), EVERY, "Accepted, as by trec_eval.", hidden=True, python=False),
    Option(
        "published", "--published", Flag(), "ap-ci(validate intervals)",
        "As in the paper: --interval bca by the order statistics of S-Plus; with --validate, a score of 0 or 1 counts as"
        " inside if the score moved inwards by .00001 is inside.",
        needs={"validate|interval=bca": "{} is for --interval bca, and for --validate."},
    ),
    Option(
        "published", "--published", Flag(), "partition-anova(-versions)",
        "Compute as in the paper: residuals as they are, drawn with replacement, which are too small; p by each system's own"
        " resamples (marginal), which ignores half of the variance; unless --test is given, unpaired t tests and one-sided"
        " randomization tests. More pairs differ significantly than should.",
        short="compute as in the paper",
    ),
    Option(
        "published", "--published", Flag(), "swap-error(error-rate swap)",
        "Compute as in the papers: a tie is a difference below a percentage of the smaller score (error-rate); an exponential"
        " extrapolates, which falls too fast beyond the sizes drawn (swap).",
    ),
    Option(
        "published", "--published", Flag(), "wcw(variances files)",
        "Plan as in the paper: by the estimated variance itself, not its upper limit; the ANOVA by the normal approximation of"
        " the published spreadsheet, its topics sought from equation (2) upwards.",
        needs={
            "files|" + BY_ANOVA.replace("& ", "& files|"): "{} is for --tool anova, and for variances from files.",
            "tools=anova|tools=paired|!tools|widths": "{} has no effect on --tool ci without --width.",
        },
    ),
    Option(
        "validate", "--validate", Halves(), "ap-ci(validate) map-ci(validate)",
        "Split the documents into halves and count how often intervals from one half contain the scores on the other: N random"
        " splits; by the parity of the docno's MD5 (md5); or by a file of lines with docno and part.",
        metavar="N|md5|FILE",
        short={"ap-ci": "how often intervals contain scores on the other half"}, cites={"": "cormack2006"},
    ),
    Option(
        "validate", "--validate", Whole(1, 1_000_000), "stdap-ci(type-one)",
        "Count how often intervals from samples of the topics miss the mean of all topics: N samples for each run and size.",
        metavar="N",
    ),
)  # fmt: skip
