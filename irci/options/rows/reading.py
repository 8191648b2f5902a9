"""Input: files of runs and scores, and how runs are named."""

from irci.base.choices import Names
from irci.options.option import Option
from irci.options.rows.scoring import SCORED
from irci.options.types import Choice, Flag

ROWS = (
    Option(
        "scores", "--scores", Flag(), "ap-ci(-validate) map-ci(-validate) partition-anova"
        " stdap-ci(-published) swap-error(-counts) wcw(files judge)",
        "Read scores in place of qrels and runs: output of trec_eval -q, ir_measures or irci, csv, tsv, a matrix,"
        " JSON, or MTEB's results. Files that look like scores need no option.",
        python=False,
        needs={
            "!population=judgments|judge": "{}: scores have no documents: --population judgments needs QRELS and RUNs.",
        },
        short=dict.fromkeys(
            ("map-ci", "stdap-ci", "swap-error", "wcw"), "read scores: trec_eval -q output, csv, a matrix"
        ),
    ),
    Option(
        "names", "--names", Choice(Names),
        "ap-ci map-ci partition-anova stdap-ci(-published) swap-error(-counts) judges(runs) wcw(files judge)",
        "Name runs by their tags or by their files.  [default: tag, but file where two runs share one]",
        needs=SCORED,
    ),
)  # fmt: skip
