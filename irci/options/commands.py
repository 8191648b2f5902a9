"""The commands: a row each, with the uses that it has, and the kinds of their tables; and which of these take an option."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from irci.base import is_list
from irci.base.choices import SOURCES
from irci.options.option import Command, Use
from irci.options.types import Type, typed
from irci.output.tables import printed_name

if TYPE_CHECKING:
    from irci.options.asked import Asked


def _is_bounds(asked: Asked) -> bool:
    """True if bounds of unjudged documents are asked for, and nothing else."""
    population = {*(asked.population or ())}
    return "judgments" in population and not {"topics", "documents", "both"} & population and asked.clusters is None


# Where topics, runs or collections belong together, one at a time.
STRUCTURED = {
    name: Use(name, None, "several collections" if name == "collections" else f"--{name}")
    for name, source in SOURCES.items()
    if source.is_structured
}
VALIDATE = Use("validate", None, "--validate")
COMPARING, OF_PAPERS, JUDGING = "Compare runs", "One paper each", "Judgments"  # headings

MAP_CI = Command(
    "map-ci",
    "How precise is a mean score?",
    """Prints each run's mean with its confidence interval for the population of topics, which a claim about new queries needs.
    --population documents prints the paper's interval: for the mean expected on collections of this size and kind, with these
    topics. --baseline or --all-pairs adds differences between runs, as irci compare has them. -m lmap averages logits,
    -m gm_map logarithms.

    With --judge, combines people's judgments of a few topics with a judge's (such as a language model's) of all of them.""",
    COMPARING, "Documents, topics or both vary.",
    ("topic", "estimate", "topic_difference", "difference", "claim", "look", "heterogeneity", "meta", "rank", "best",
     "in_interval"),
    (
        ("How precise are these means?", "irci map-ci -m nDCG@10 qrels.txt runs/*"),
        ("The paper's interval of MAP", "irci map-ci --population documents qrels.txt runs/*"),
    ),
    (
        Use("judge", lambda asked: asked.judge is not None and not asked.survives, "--judge"),
        *STRUCTURED.values(),
        STRUCTURED["collections"]._replace(when=lambda asked: asked.scores and "collections" in (asked.population or ())),
        VALIDATE,
        Use("judgments", _is_bounds, "--population judgments"),
        Use("means"),
    ),
    "",
    without=lambda asked: asked.collections is not None or asked.save_plan is not None,
)  # fmt: skip
COMPARE = Command(
    "compare",
    "Is one run really better than another?",
    """Compares each RUN with BASELINE: prints the means and the differences, with confidence intervals for the population of
    topics, p of a paired t test, and p adjusted for the number of runs compared. The baseline is the first run, unless
    --baseline names another one or --all-pairs compares every two; man irci-map-ci tells what columns mean. On a terminal the
    answer stands first, in words; --explain prints all that there is to say.""",
    COMPARING, "Each run is compared with the first, or with `baseline`.",
    MAP_CI.tables,
    (
        ("Is the new run better?", "irci compare -m nDCG@10 qrels.txt baseline.run new.run"),
        ("All runs with one of them", "irci compare --baseline bm25 qrels.txt runs/*"),
        ("How good is the best of many, picked for its score?", "irci compare --best --baseline bm25 qrels.txt runs/*"),
        ("Do claims survive other documents and grades?", "irci compare --survives --baseline bm25 qrels.txt runs/*"),
        ("From scores", "irci compare --scores --baseline bm25 scores.csv"),
    ),
    tuple(use for use in MAP_CI.uses if use is not VALIDATE),
    f"{MAP_CI.cites} smucker2007",
    files="QRELS BASELINE RUN...",
    without=MAP_CI.without,
    rows=MAP_CI.name,
    always={"compare": True},
    needs=[
        (lambda asked: len(asked.files) not in (1, 2) or asked.scores or any(map(is_list, asked.files)),
         "fewer files given than QRELS BASELINE RUN...: a baseline and a run are expected."),
        (lambda asked: asked.baseline or asked.all_pairs or asked.use.name == "means"
         or not (asked.scores or asked.collections),
         "which run comes first means little here: name one with --baseline NAME, or add --all-pairs.")],
)  # fmt: skip


ROWS = (
    COMPARE,
    MAP_CI,
    Command("ap-ci", "How precise is each topic's average precision?",
        """Prints trec_eval's map of every topic, and the mean (all), with confidence intervals for the score expected on
        collections of this size and kind. Documents are resampled; topics and system stay fixed, so the limits say
        nothing about other topics. The columns are measure, topic (or all), value, lower, upper, run; the first three
        are what `trec_eval -q -c -m map` prints. A column `corrected` marks limits that come from the correction for
        few relevant documents, if any do.""",
        OF_PAPERS, "The documents are resampled, topics and run stay fixed.",
        ("topic", "estimate", "in_interval"),
        (
            ("The output of trec_eval -q -c, with limits", "irci ap-ci qrels.txt run.txt"),
            ("Another measure, as csv", "irci ap-ci -m P_10 --format csv qrels.txt run.txt"),
        ),
        (
            VALIDATE,
            Use("judgments", lambda asked: asked.population == "judgments", "--population judgments"),
            Use("intervals"),
        ),
        "cormack2006",
        paper="Cormack & Lynam 2006"),
    Command("partition-anova", "Which systems differ on exactly these topics?",
        """Splits the documents into parts and scores every run on each part. These replicates go into an analysis of variance
        whose residuals are resampled. Prints the system effects with confidence intervals, the pairs, and how many of these
        differ significantly, next to tests of the unsplit scores. The topics are fixed: the results say nothing about other
        topics.

        With --versions the replicates are wordings of each topic's query: does the difference between systems depend on the
        topic, beyond what wording explains?""",
        OF_PAPERS, "Parts of the documents are replicates, or versions of the topics.",
        ("effect", "pair", "anova", "length", "check", "significant", "agreement"),
        (
            ("Which systems differ?", "irci partition-anova qrels.txt runs/*"),
            ("The same with eleven splits", "irci partition-anova --splits 11 qrels.txt runs/*"),
        ),
        (Use("versions", None, "--versions"), Use("parts")),
        "voorhees2017",
        paper="Voorhees, Samarov & Soboroff 2017"),
    Command("stdap-ci", "What mean would other topics give, on a comparable scale?",
        """Standardises each topic's scores by those of reference systems, and prints their mean with its t interval:
        measure, all, value, lower, upper, run, standard deviation, topics, and raw, the mean of the scores as they are.
        Intervals under different reference systems cannot be compared: save the factors and use them again.""",
        OF_PAPERS, "`summaries`: published figures, {name: (mean, sd, n)}, or with the name of the reference fourth.",
        ("topic", "estimate", "difference", "type_one"),
        (
            ("Standardise by all runs", "irci stdap-ci qrels.txt runs/*"),
            ("Standardise by saved factors", "irci stdap-ci --reference factors.tsv qrels.txt run.txt"),
        ),
        (Use("published", lambda asked: asked.summaries, "--summary"), VALIDATE, Use("means")),
        "park2010 webber2008",
        files="[QRELS RUN...]",
        without=lambda asked: asked.summaries,
        needs=[(lambda asked: not (asked.summaries and asked.files), "QRELS RUN... is not for --summary.")],
        paper="Park 2010"),
    Command("swap-error", "How often are two systems put in the wrong order?",
        """For each size of a set of topics and fuzziness, prints the error rate (the share of comparisons in which a set
        disagrees with the majority of sets), its standard deviation, and the share of ties. Sets are subsets of the
        topics, or versions of their queries. Other procedures print swap rates, or the power of a bootstrap test. A
        file of counts in place of QRELS, with lines of two systems and how often the first is better, worse, equal,
        gives the rates of these.""",
        OF_PAPERS, "Sets are of topics, or of query versions.",
        ("error_rate", "matrix", "needed", "swap", "discriminative_power", "level"),
        (
            ("How often is the order wrong?", "irci swap-error qrels.txt runs/*"),
            ("The same by wordings of queries, as in the paper",
             "irci swap-error --versions '(?P<system>.+)-v(?P<version>.)' qrels.txt runs/*"),
            ("What difference can be trusted?", "irci swap-error --procedure swap qrels.txt runs/*"),
        ),
        (
            Use("error-rate", lambda asked: asked.procedure == "error-rate", "--procedure error-rate"),
            Use("swap", lambda asked: asked.procedure == "swap", "--procedure swap"),
            Use("discriminative-power", lambda asked: asked.procedure == "discriminative-power",
                "--procedure discriminative-power"),
            Use("counts", None, "a file of counts"),
        ),
        "",
        paper="Buckley & Voorhees 2000"),
    Command("wcw", "How many topics does a measure need?",
        """Prints for each measure and number of topics the worst-case width of an interval (wcw_NAME): systems are taken
        to vary independently, by their variance in the files or one that is given. Beside it stands the true difference that a
        paired t test finds in nine of ten pairs of these runs. Asked for a --width or a --difference, prints the topics needed
        (topics_NAME). Topics and differences are for the variance's upper 80% limit. With a judge that has judged many topics,
        such as a language model, prints how many people must judge.""",
        OF_PAPERS, "From runs or scores, for pairs of these; or from `variances`, {measure: variance}.",
        ("variance", "width", "topics", "noncentrality"),
        (
            ("How many topics to see a difference of .02?", "irci wcw --difference .02 qrels.txt runs/*"),
            ("From a published variance", "irci wcw --variance AP=.0471 --width .05,.1"),
        ),
        (
            Use("noncentrality", lambda asked: "noncentrality" in asked.tables, "--table noncentrality"),
            Use("judge", lambda asked: asked.judge and asked.files, "--judge"),
            Use("correlation", lambda asked: asked.judge, "--judge R:M"),
            Use("files", lambda asked: asked.files, "variances from files"),
            Use("variances"),
        ),
        "sakai2017",
        files="[QRELS RUN...]",
        without=lambda asked: asked.variances or asked.judge or "noncentrality" in asked.tables,
        needs=[(lambda asked: not (asked.files and "noncentrality" in asked.tables),
                "QRELS RUN... is not for --table noncentrality.")],
        paper="Sakai 2017"),
    Command("judges", "How far do two sets of judgments agree?",
        """Compares each of --other-qrels, by a person or a model, with QRELS on the documents that both have judged. Prints
        how often each grade goes with each, kappa, and the correlation (tau) of the runs' order by either, with confidence
        intervals over topics. Without RUNs it compares labels alone. Tables of pairs that differ significantly by both
        judges, and of whom a judge favours, are printed by --table.""",
        JUDGING, "Each of `other_qrels` is compared with `qrels`; without runs, labels alone.",
        ("confusion", "labels", "order", "judged_pairs", "bias", "score"),
        (
            ("Would a model's judgments rank the runs differently?", "irci judges qrels.txt --other-qrels llm.txt runs/*"),
            ("Labels alone", "irci judges qrels.txt --other-qrels llm.txt"),
            ("Does it favour its own runs?", "irci judges qrels.txt --other-qrels llm.txt --groups own.tsv runs/*"),
        ),
        (Use("labels", lambda asked: not asked.runs, "labels alone, without RUN..."), Use("runs")),
        "yilmaz2008 ferro2022 voorhees2000 cohen1968",
        files="QRELS [RUN...]",
        needs=[(lambda asked: asked.other_qrels, "irci judges compares QRELS with others: add --other-qrels FILE.")],
    ),
)  # fmt: skip
COMMANDS: Mapping[str, Command] = {row.name: row._replace(rows=row.rows or row.name) for row in ROWS}
USES = {row.name: frozenset(use.name for use in row.uses) for row in ROWS if not row.rows}
Taken = tuple[str, frozenset[str]]  # a command that takes an option, and for which of its uses


def only(command: str, *uses: str) -> Taken:
    """Taken for these uses alone; for all, if none is named."""
    return command, frozenset(uses) or USES[command]


def but(command: str, *uses: str) -> Taken:
    """Taken for all uses except these."""
    return command, USES[command].difference(uses)


def carried(option: str, *uses: str) -> Taken:
    """Taken by map-ci (and compare) where a source carries it, and for these uses."""
    return "map-ci", frozenset(uses).union(name for name, source in SOURCES.items() if option in source.takes)


def kind_of_table(command: str) -> Type:
    """A kind of table that a command prints, by the name that its rows begin with if they have one."""
    kinds = {printed_name(kind): kind for kind in COMMANDS[command].tables}
    of_words = typed("kind", "str", "KIND", f"is not one of {', '.join(kinds)}", words=lambda: list(kinds))
    return of_words(kinds.__getitem__)
