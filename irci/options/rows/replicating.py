"""Replicating a paper: what only a repetition of a published experiment needs."""

from irci.base.choices import Pairing, Slots
from irci.options.option import Option
from irci.options.rows.designs import OF_ANOVA
from irci.options.rows.scoring import EVERY
from irci.options.types import Choice, Flag, InputFile, Real, Whole


def _splits(takes: str, random: str) -> Option:
    return Option(
        "splits", "--splits", Whole(1, 100_000), takes, "With --validate: number of random splits.",
        default=20, metavar="N", needs={random: "{} is for the tables of random splits; here there is one."},
    )  # fmt: skip


ROWS = (
    Option(
        "complete", "-c --complete", Flag(), EVERY,
        "Average over all judged topics; a topic missing from a run scores 0. This is the default: the option is accepted"
        " for compatibility with trec_eval.",
        python=False,
    ),
    Option(
        "pairing", "--pairing", Choice(Pairing), "map-ci(carried)",
        "Resample the same documents for both runs, or different documents for each.  [default: paired, or independent with"
        " --interval delta]",
        needs={
            "compare|baseline|all_pairs|ranks": "{} needs pairs: add --compare, --baseline or --all-pairs.",
            "over=documents": "{} {pairing} needs --population documents.",
            "!pairing=paired|!interval=delta": "--interval delta treats each run by itself: use --pairing independent.",
        },
    ),
    Option(
        "slots", "--slots", Choice(Slots), "map-ci(carried)",
        "With --population both: resample documents anew for each copy of a topic drawn more than once (fresh), or use the"
        " same documents for all copies (shared).",
        default="fresh", needs={"over=both": "{} needs --population both."},
    ),
    Option(
        "epsilon", "--epsilon", Real(1e-15, 0.5, open=True), "ap-ci map-ci(-sample -judge)",
        "For logits, replace a score of 0 by P and a score of 1 by 1 - P.", default=1e-5, metavar="P",
        needs={
            "!unjudged|families=lmap": "{} is for logits: bounds of these measures have none.",
            "request=means|request=validate|request=intervals|families=lmap": "{} is for logits, as of -m lmap.",
        },
    ),
    Option(
        "published", "--published", Flag(), "ap-ci(validate)",
        "With --validate: count a score of 0 or 1 as inside if the score clamped by --epsilon is inside, as the paper did.",
    ),
    Option(
        "published", "--published", Flag(), "partition-anova(-versions)",
        "Compute as in the paper: residuals as they are, drawn with replacement, which are too small; p by each system's own"
        " resamples (marginal), which ignores half of the variance; unless --test is given, unpaired t tests and one-sided"
        " randomization tests. More pairs differ significantly than should.",
        short="compute as in the paper",
    ),
    Option(
        "validate", "--validate", Flag(), "ap-ci(validate) map-ci(validate)",
        "Split the documents into halves and count how often intervals from one half contain the scores on the other.",
        short={"ap-ci": "how often intervals contain scores on the other half"},
    ),
    Option(
        "split_by", "--split-by", InputFile(), "ap-ci(validate) map-ci(validate)",
        "With --validate: split by a salted hash of the docno, by the parity of its MD5 (one split), or as listed in a file"
        " (lines of docno and part).",
        default="hash", metavar="hash|md5|FILE",
    ),
    Option(
        "figures", "--figures", Flag(), "ap-ci(validate) map-ci(validate)",
        "With --validate: print the data of the paper's figures instead of its tables.",
    ),
    Option(
        "figures", "--figures", Flag(), "stdap-ci(type-one)",
        "With --type-one: print the paper's Q-Q plots and histograms instead of its tables.",
    ),
    Option(
        "figures", "--figures", Flag(), "swap-error(swap discriminative-power)",
        "Print the data of the figures of swaps or of power instead of the tables.",
    ),
    Option(
        "noncentrality", "--noncentrality", Flag(), "wcw(variances files)",
        "Instead, print the noncentrality for 2 to 50 systems, exact and by Nagata's formulas.",
    ),
    Option(
        "increment", "--sakai-increment", Flag(), "wcw(variances files)",
        "Search for the number of topics only upwards from equation (2), as Sakai does.", needs=OF_ANOVA,
    ),
    _splits("ap-ci(validate)", "split_by=hash"),
    _splits("map-ci(validate)", "split_by=hash & !figures"),
)  # fmt: skip
