"""Compare, in swap-error: procedures, sets of topics, and other judges."""

from irci.base.choices import Base, Correction, Fit, LabelWeights, Procedure, TopicDraw
from irci.options.option import Option
from irci.options.rows.replicates import FRACTIONS
from irci.options.rows.scoring import HIGHEST_LEVEL, MOST_TOPICS, RUNS_ALONE
from irci.options.types import Choice, Flag, Fraction, InputFile, Judgments, Numbers, Type, Whole

ROWS = (
    Option(
        "correction", "--correction", Choice(Correction), "swap-error(judges)",
        "judges: adjust p of the pairs that are counted, for the number of pairs under each judge.",
        default="none", needs=RUNS_ALONE,
    ),
    Option(
        "draw", "--draw", Choice(TopicDraw), "swap-error(error-rate swap)",
        "Without --versions: draw topics without replacement (subset), in disjoint sets (partition), or with replacement"
        " (bootstrap).  [default: subset; swap: partition]",
        cites={"draw=bootstrap": "sakai2006"}, needs={"!versions": "{} is for query sets without --versions."},
    ),
    Option(
        "alphas", "--alpha", FRACTIONS, "swap-error(discriminative-power judges)",
        "Significance levels of the bootstrap test; judges: of paired t tests.  [default: 0.01,0.05,0.1; judges: 0.05]",
        metavar="LIST", needs=RUNS_ALONE,
    ),
    Option(
        "procedure", "--procedure", Choice(Procedure), "swap-error(-counts)",
        "error-rate: how often a query set disagrees with the majority of sets (Buckley & Voorhees); swap: how often"
        " two topic sets disagree (Voorhees & Buckley); discriminative-power: how many pairs a bootstrap test separates"
        " (Sakai); judges: how much another judge contradicts this experiment.",
        default="error-rate", short="error-rate, swap, discriminative-power or judges",
        cites={
            "procedure=error-rate": "buckley2000", "procedure=swap": "voorhees2002",
            "procedure=discriminative-power": "sakai2006",
            "procedure=judges": "yilmaz2008 ferro2022 voorhees2000 cohen1968",
        },
    ),
    Option(
        "other_qrels", "--other-qrels", Judgments(), "swap-error(judges)",
        "judges: judgments of the same topics by somebody else, a person or a model; repeatable.",
        metavar="FILE", many=True, short="with judges: somebody else's judgments",
    ),
    Option(
        "level_b", "--level-b", Whole(0, HIGHEST_LEVEL), "swap-error(judges)",
        "judges: the lowest grade that counts as relevant in all of --other-qrels.  [default: as -l]", metavar="N",
    ),
    Option(
        "common", "--common", Flag(), "swap-error(judges)",
        "judges: keep only documents that both have judged before scoring.",
    ),
    Option(
        "labels_only", "--labels-only", Flag(), "swap-error(judges)", "judges: compare labels alone, without runs.",
    ),
    Option(
        "weights", "--weights", Choice(LabelWeights), "swap-error(judges)",
        "judges: how much a disagreement counts in kappa: all alike, by the distance of the grades, or its square.",
        default="none",
    ),
    Option(
        "group", "--group", Type(), "swap-error(judges)",
        "judges: are runs favoured whose names match? Compares their bias with the others', topic by topic.",
        metavar="REGEX", needs=RUNS_ALONE,
    ),
    Option(
        "fuzziness", "--fuzziness", Numbers(0, 1_000_000), "swap-error(error-rate)",
        "Differences below this percentage are ties; 1,2,...,10 for a sweep.",
        default=(5.0,), told="5", metavar="LIST", short="differences below this percentage are ties",
    ),
    Option(
        "base", "--base", Choice(Base), "swap-error(error-rate)", "Which of the two scores the percentage refers to.",
        default="larger",
    ),
    Option(
        "counts", "--counts", InputFile(), "swap-error(counts)",
        "Compute rates from this file alone: two systems, and how often the first is better, worse, equal.", metavar="FILE",
    ),
    Option(
        "matrix", "--matrix", Flag(), "swap-error(error-rate)",
        "With --versions: print such counts for the query sets as they are.",
    ),
    Option(
        "sizes", "--sizes", Numbers(1, MOST_TOPICS, whole=True), "swap-error(error-rate swap)",
        "Topics (with --clusters: clusters) per set.  [default: 5,10,15,20,25,30,40,50 and all topics, without versions up to"
        " half of them; swap: each size from 5, or of few clusters from 1, to half of the topics]",
        metavar="LIST", short="topics per set, such as 5,10,...,50",
    ),
    Option(
        "sets", "--sets", Whole(2, MOST_TOPICS), "swap-error(error-rate)", "Number of subsets in a design.",
        default=100, metavar="N",
        needs={
            "!versions": "{} is for query sets without --versions.",
            "!draw=partition": "--draw partition makes as many sets as there are topics for: leave out {}.",
        },
    ),
    Option(
        "designs", "--designs", Whole(1, 1_000_000), "swap-error(error-rate)",
        "How often versions are assigned to query sets, or subsets are drawn.", default=50, metavar="N",
    ),
    Option(
        "trials", "--trials", Whole(1, 1_000_000), "swap-error(error-rate swap)",
        "Number of topic sets of each size.  [default: 100; swap: 50]", metavar="N",
        needs={"!procedure=error-rate|versions": "{} is for --procedure swap, or for --versions: see --sets and --designs."},
    ),
    Option(
        "at", "--at", Numbers(1, MOST_TOPICS, whole=True), "swap-error(swap)",
        "Print swap rates for these numbers of topics; beyond --sizes they are extrapolated, and marked as such. "
        " [default: half of the topics, all of them, and twice as many]",
        metavar="LIST",
    ),
    Option(
        "relative", "--relative", Flag(), "swap-error(swap)",
        "Bin swaps by percentage of the larger score instead of by absolute difference.",
    ),
    Option(
        "fit", "--fit", Choice(Fit), "swap-error(swap)",
        "Curve used to extrapolate swap rates: a probit in the square root of the number of topics, or the exponential of"
        " Voorhees & Buckley, which falls too fast.",
        default="probit",
    ),
    Option(
        "max_rate", "--max-rate", Fraction(), "swap-error(swap)",
        "Find the smallest difference whose swap rate is at most this.", default=0.05, metavar="P",
    ),
)  # fmt: skip
