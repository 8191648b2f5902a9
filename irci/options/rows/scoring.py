"""Rows of what to score: measures, judgments, topics, and what is done to scores."""

from irci.base.choices import (
    HIGHEST_EXPONENT,
    Duplicates,
    Missing,
    NoRelevant,
    Policy,
    Standardisation,
    Ties,
    Transform,
)
from irci.options.figures import VarianceFigure
from irci.options.option import Option
from irci.options.rules import VERSIONS
from irci.options.types import Choice, Flag, MeasureName, Parts, Reference, TopicsFile, Whole

EVERY = "ap-ci map-ci partition-anova stdap-ci swap-error wcw judges"
HIGHEST_LEVEL = 10**9
MOST_TOPICS = 1_000_000
SCORED = {"!scores": "--scores reads scores that are already computed: leave out {}."}
STANDARDISED = {
    "standardise=z|standardise=cdf": "webber2008",
    "standardise=ab": "sakai2016",
    "standardise=rank": "colombo2022",
}

OF_VERSIONS = (
    "a file with columns run, system, version (or run, topic id, system, topic, version), or a regular expression with groups"
    " (?P<topic>) and (?P<version>) for topic ids, or (?P<system>) and (?P<version>) for runs."
)


def _measures(takes: str, note: str) -> Option:
    return Option(
        "measures", "-m --measure", MeasureName(), takes,
        "Measures, by trec_eval's names (map, P_10, P.5,10,20, all_trec) or ir_measures' (nDCG@10, 'AP(rel=2)@100');"
        f" repeatable, or a list with commas. {note}  [default: map]",
        metavar="MEASURE", many=True, short="map (the default), P_10, ndcg_cut_10, nDCG@10, ...",
    )  # fmt: skip


ROWS = (
    _measures(
        "ap-ci(-validate)",
        "All measures get limits except counts and means of logarithms; limits for measures other than map go beyond the"
        " paper.",
    ),
    _measures(
        "map-ci(-validate)",
        "Any measure except counts will do.",
    ),
    _measures(
        "partition-anova stdap-ci(-published) swap-error(-counts) judges(runs) wcw(files judge)",
        "Any measure with a score for each topic will do.",
    ),
    Option(
        "relevance_level", "-l --relevance-level", Whole(0, HIGHEST_LEVEL),
        "ap-ci map-ci partition-anova stdap-ci(-published) swap-error(-counts) judges wcw(files judge)",
        "The lowest grade that counts as relevant.",
        default=1, metavar="N", needs=SCORED,
        short=dict.fromkeys(("map-ci", "ap-ci", "partition-anova", "swap-error"), "lowest grade that counts as relevant  [1]"),
    ),
    Option(
        "max_grade", "--max-grade", Whole(1, HIGHEST_EXPONENT),
        "ap-ci(-validate) map-ci(-validate) partition-anova stdap-ci(-published) swap-error(-counts) judges(runs)"
        " wcw(files judge)",
        "Highest grade of the scale, for ERR, nERR and bounds of unjudged documents.  [default: the highest in the"
        " qrels]",
        metavar="N", needs=SCORED,
    ),
    Option(
        "depth", "-M --depth", Whole(1, 2**31 - 1),
        "ap-ci map-ci partition-anova stdap-ci(-published) swap-error(-counts) judges(runs) wcw(files judge)",
        "Use only the first N documents of each topic.",
        metavar="N", needs=SCORED, short={"ap-ci": "use only the first N documents of each topic"},
    ),
    Option(
        "judged_only", "-J --judged-only", Flag(),
        "ap-ci map-ci partition-anova stdap-ci(-published) swap-error(-counts) judges(runs) wcw(files judge)",
        "Remove unjudged documents, as trec_eval does (after the cut of -M).",
        needs={
            "!population=judgments": "{} removes the unjudged documents, whose grades the bounds are over.",
            **SCORED,
        },
    ),
    Option(
        "ignore_identical_ids", "--ignore-identical-ids", Flag(),
        "ap-ci map-ci partition-anova stdap-ci(-published) swap-error(-counts) judges(runs) wcw(files judge)",
        "Leave out documents with the id of their topic, as BEIR (before -M).",
        needs=SCORED, cites={"": "thakur2021"},
    ),
    Option(
        "ties", "--ties", Choice(Ties),
        "ap-ci map-ci partition-anova stdap-ci(-published) swap-error(-counts) judges(runs) wcw(files judge)",
        "Order documents with equal scores by docno, descending, as trec_eval; by the rank column; or as in the"
        " file.",
        default="docno", needs=SCORED,
    ),
    Option(
        "duplicates", "--duplicates", Choice(Duplicates),
        "ap-ci map-ci partition-anova stdap-ci(-published) swap-error(-counts) judges(runs) wcw(files judge)",
        "A document that a run has twice for a topic is an error, or counts where it is first.",
        default="error", needs=SCORED,
    ),
    Option(
        "missing", "--missing", Choice(Missing),
        "ap-ci(-validate) map-ci(-validate) partition-anova(-scores) stdap-ci(-published) swap-error(-counts) judges(runs)"
        " wcw(files judge)",
        "Topics that a run lacks. auto: of the topics that most runs have, a run may lack a tenth, which scores 0,"
        " and limits and p hold without these topics too; beyond that it gets no limits, p or rank. zero: they score"
        " 0. drop: only topics that all runs have. error: stop.",
        default="auto",
    ),
    Option(
        "no_relevant", "--no-relevant", Choice(NoRelevant),
        "ap-ci(-validate) map-ci(-validate -judge) partition-anova(versions) stdap-ci(-published) swap-error(-counts)"
        " judges(runs) wcw(files)",
        "A topic without relevant documents scores 0, or is left out.",
        default="zero", needs=SCORED,
    ),
    Option(
        "topics", "--topics", TopicsFile(),
        "ap-ci map-ci(-collections) partition-anova(-scores) stdap-ci(-published) swap-error(-counts) judges"
        " wcw(files judge)",
        "Use only these topics: a list with commas, or @FILE, one a line.",
        metavar="LIST|@FILE",
    ),
    Option(
        "per_topic", "-q --per-topic", Flag(), "map-ci(carried) stdap-ci(means)",
        "Also print a line for each topic.", short="also print a line for each topic",
    ),
    # As trec_eval has it; ap-ci prints every topic in any case.
    Option("per_topic", "-q --per-topic", Flag(), "ap-ci(-validate)", "Accepted, as by trec_eval.", hidden=True, python=False),
    Option(
        "no_summary", "-n --no-summary", Flag(), "map-ci(-validate)", "Do not print the means of the runs.",
    ),
    Option(
        "no_summary", "-n --no-summary", Flag(), "ap-ci(-validate) stdap-ci(means)",
        "Do not print the summary over all topics.",
    ),
    Option(
        "standardise", "--standardise", Choice(Standardisation),
        "ap-ci(intervals) map-ci(-judge -validate -judgments) swap-error(-counts) wcw(files)",
        "Standardise each topic's scores over these runs: z scores, their normal CDF, std-AB, or Borda points"
        " (rank): the runs that a run beats on the topic, half of one for a tie.",
        cites=STANDARDISED,
        needs={
            "!standardise=rank|!seeds": "{} rank is among runs, of which a system with more seeds would have more to beat:"
            " it cannot be used with --seeds.",
        },
    ),
    Option(
        "standardise", "--standardise", Choice(Transform), "stdap-ci(-published)",
        "z scores, their normal CDF, std-AB (.15 z + .5, clipped to [0, 1]), or none.",
        default="z", short="z, cdf, ab or none", cites={"standardise=ab": "sakai2016"},
    ),
    Option(
        "reference", "--reference", Reference(), "stdap-ci(-published)",
        "Standardise by these runs; each run by all others (others); by N runs drawn at random (random:N, --seed); or by the"
        " factors in a file: lines of topic, measure, mean, sd, as --save-factors writes. A run's name goes first."
        "  [default: all runs, if they are three or more]",
        metavar="RUN,...|FILE", short="runs, others, random:N or a file of factors",
        needs={"!standardise=none|validate": "{} is for standardised scores: leave out --standardise none."},
    ),
    Option(
        "parts", "-x", Parts(), "partition-anova(parts)",
        "Number of parts; or a file of lines with docno and part, a single split. A file called 2 is ./2.",
        default=2, metavar="N|FILE", short="number of parts  [2]",
    ),
    Option(
        "splits", "--splits", Whole(1, 10_000), "partition-anova(parts)", "Number of splits.",
        default=1, metavar="N", short="number of splits  [1]",
    ),
    Option(
        "policy", "--policy", Choice(Policy), "partition-anova(-versions)",
        "What to do if a part has no relevant document for a topic: split the topic's relevant documents again, drop the"
        " topic, score the part 0, or give it the mean of the run's other parts.",
        default="redraw", short="what if a part has no relevant document for a topic",
    ),
    Option(
        "versions", "--versions", VERSIONS, "map-ci(versions)",
        f"Topics have several versions of their query: {OF_VERSIONS}", metavar="FILE|REGEX", cites={"": "satterthwaite1946"},
    ),
    Option(
        "versions", "--versions", VERSIONS, "swap-error(error-rate)",
        f"Build query sets from several versions of each topic's query: {OF_VERSIONS}", metavar="RULE|FILE",
    ),
    Option(
        "versions", "--versions", VERSIONS, "partition-anova(versions)",
        f"Replicates are several versions of each topic's query, not parts of the collection: {OF_VERSIONS}",
        metavar="FILE|REGEX",
    ),
    Option(
        "variances", "--variance", VarianceFigure(), "wcw(-noncentrality)",
        "Within-system variance of a measure; repeatable. Without this option, variances are estimated from the files.",
        metavar="NAME=V", many=True, short="within-system variance of a measure",
    ),
)  # fmt: skip
