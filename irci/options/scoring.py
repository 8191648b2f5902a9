"""Options of what to score: measures, judgments, topics, what is done to scores, and which files hold them."""

from irci.base import choices
from irci.options.asked import Need, Option, are_means_over_topics
from irci.options.commands import USES, but, carried, only
from irci.options.types import FLAG, LEVEL, MEASURE, PARTS, REFERENCE, TOPICS, VARIANCE, VERSIONS, choice, whole

EVERY = list(USES.items())
OF_TABLES = [
    but("stdap-ci", "published"),
    but("swap-error", "counts"),
    only("judges", "runs"),
    only("wcw", "files", "judge"),
]
OF_RANKINGS = [only("ap-ci"), only("map-ci"), only("partition-anova"), *OF_TABLES]
NOT_VALIDATED = [but("ap-ci", "validate"), but("map-ci", "validate")]
MOST_TOPICS = 1_000_000

RANKINGS: Need = (lambda asked: not asked.scores, "scores are read that are already computed: leave out {}.")
VERSIONS_OF = (
    "a file with columns run, system, version (or run, topic id, system, topic, version), or a regular expression with groups"
    " (?P<topic>) and (?P<version>) for topic ids, or (?P<system>) and (?P<version>) for runs."
)
MEASURES = Option("measures", "-m --measure", MEASURE, [*OF_TABLES, only("partition-anova")],
    "Measures, by trec_eval's names (map, P_10, P.5,10,20, all_trec) or ir_measures' (nDCG@10, 'AP(rel=2)@100');"
    " repeatable, or a list with commas. {}  [default: map]", many=True,
    short="map (the default), P_10, ndcg_cut_10, nDCG@10, ...")  # fmt: skip
VERSIONED = Option("versions", "--versions", VERSIONS, [],
    short={"swap-error": "wordings of the queries, the paper's query sets"})  # fmt: skip

ROWS = (
    MEASURES._replace(takes=[but("ap-ci", "validate")],
        help=MEASURES.help.format(
            "All get an interval except counts and means of logarithms; that of others than map goes beyond the paper.")),
    MEASURES._replace(takes=[but("map-ci", "validate")],
        help=MEASURES.help.format("Any measure except counts will do.")),
    MEASURES._replace(help=MEASURES.help.format("Any measure with a score for each topic will do.")),
    Option("relevance_level", "-l --relevance-level", LEVEL, [only("judges"), *OF_RANKINGS],
        "The lowest grade that counts as relevant.", default=1,
        needs=[
            RANKINGS,
            (lambda asked: isinstance(asked.relevance_level, int) or are_means_over_topics(asked),
             "{} {asked.relevance_level}: a level that is no whole number is for means over topics.")],
        short=dict.fromkeys(
            ("map-ci", "ap-ci", "partition-anova", "swap-error"), "lowest grade that counts as relevant  [1]")),
    Option("max_grade", "--max-grade", whole(1, choices.HIGHEST_EXPONENT),
        [*NOT_VALIDATED, only("partition-anova"), *OF_TABLES],
        "Highest grade of the scale, for ERR, nERR and bounds of unjudged documents.  [default: the highest in the"
        " qrels]", needs=[RANKINGS]),
    Option("depth", "-M --depth", whole(1, 2**31 - 1), OF_RANKINGS, "Use only the first N documents of each topic.",
        needs=[RANKINGS], short={"ap-ci": "use only the first N documents of each topic"}),
    Option("judged_only", "-J --judged-only", FLAG, OF_RANKINGS,
        "Remove unjudged documents, as trec_eval does (after the cut of -M).",
        needs=[
            (lambda asked: "judgments" not in (asked.population or ()),
             "{} removes the unjudged documents, whose grades the bounds are over."), RANKINGS]),
    Option("ignore_identical_ids", "--ignore-identical-ids", FLAG, OF_RANKINGS,
        "Leave out documents with the id of their topic, as BEIR (before -M).", needs=[RANKINGS],
        cites={None: "thakur2021"}),
    Option("ties", "--ties", choice(choices.Ties), OF_RANKINGS,
        "Order documents with equal scores by docno, descending, as trec_eval; by rank; as in the file; or average all"
        " orders.", default="docno", cites={"mean": "mcsherry2008"},
        needs=[
            RANKINGS,
            (lambda asked: asked.ties != "mean" or (are_means_over_topics(asked) and not (asked.versions or asked.depth)),
             "{} mean is for means over topics: leave out documents, judgments, --versions and -M.")]),
    Option("duplicates", "--duplicates", choice(choices.Duplicates), OF_RANKINGS,
        "A document that a run has twice for a topic is an error, or counts where it is first.", default="error",
        needs=[RANKINGS]),
    Option("missing", "--missing", choice(choices.Missing), [*NOT_VALIDATED, only("partition-anova"), *OF_TABLES],
        "Topics that a run lacks. auto: of those that most runs have, a run may lack a tenth, which scores 0, and"
        " limits and p hold without these topics too; beyond that it gets no limits, p or rank. zero: they score 0."
        " drop: only topics that all runs have. error: stop.", default="auto"),
    Option("no_relevant", "--no-relevant", choice(choices.NoRelevant),
        [but("ap-ci", "validate"), but("map-ci", "validate", "judge"), only("partition-anova", "versions"),
         *OF_TABLES[:3], only("wcw", "files")],
        "Topics with nothing relevant score 0, or drop out.", default="zero", needs=[RANKINGS]),
    Option("topics", "--topics", TOPICS,
        [only("ap-ci"), but("map-ci", "collections"), only("partition-anova"), *OF_TABLES[:2], only("judges"),
         only("wcw", "files", "judge")],
        "Use only these topics: a list with commas, or @FILE, one a line."),
    Option("per_topic", "-q --per-topic", FLAG, [carried("per_topic"), only("stdap-ci", "means")],
        "Also print a line for each topic.", short="also print a line for each topic",
        needs=[(lambda asked: not asked.tables or {"topic", "topic_difference"} & {*asked.tables},
                "{} prints the tables topic and topic_difference, which --table leaves out.")]),
    # As trec_eval has it; ap-ci prints every topic in any case.
    Option("per_topic", "-q --per-topic", FLAG, [but("ap-ci", "validate")], "Accepted, as by trec_eval.", hidden=True,
        python=False),
    Option("no_summary", "-n --no-summary", FLAG, [*NOT_VALIDATED, only("stdap-ci", "means")],
        "Do not print the means of the runs."),
    Option("standardise", "--standardise", choice(choices.Standardisation),
        [only("ap-ci", "intervals"), but("map-ci", "judge", "validate", "judgments"), but("swap-error", "counts"),
         only("wcw", "files")],
        "Standardise each topic's scores over these runs: z scores, their normal CDF, std-AB, or Borda points (rank):"
        " the runs that a run beats on the topic, half of one for a tie.",
        cites={"z": "webber2008", "cdf": "webber2008", "ab": "sakai2016", "rank": "colombo2022"},
        needs=[(lambda asked: asked.standardise != "rank" or asked.seeds is None,
                "{} rank is among runs, of which a system with more seeds would have more to beat: it cannot be used"
                " with --seeds.")]),
    Option("standardise", "--standardise", choice(choices.Transform), [but("stdap-ci", "published")],
        "z scores, their normal CDF, std-AB (.15 z + .5, clipped to [0, 1]), or none.", default="z",
        short="z, cdf, ab or none", cites={"ab": "sakai2016"}),
    Option("reference", "--reference", REFERENCE, [but("stdap-ci", "published")],
        "Standardise by these runs; each run by all others (others); by N runs drawn at random (random:N, --seed); or"
        " by the factors in a file: lines of topic, measure, mean, sd, as --save-factors writes. A run's name goes"
        " first.  [default: all runs, if they are three or more]",
        short="run names, others, random:N or a file of factors",
        needs=[(lambda asked: asked.standardise != "none",
                "{} is for standardised scores: leave out --standardise none.")]),
    Option("parts", "-x", PARTS, [only("partition-anova", "parts")],
        "Number of parts; of several (2,3,5) the tables length and significant have all, others the first; or a file"
        " of lines with docno and part, a single split. A file called 2 is ./2.", default=(2,), default_shown="2",
        short="number of parts  [2]"),
    Option("splits", "--splits", whole(1, 10_000), [only("partition-anova", "parts")], "Number of splits.", default=1,
        short="number of splits  [1]",
        needs=[(lambda asked: not isinstance(asked.parts, str), "-x FILE is one split: leave out {}.")]),
    Option("policy", "--policy", choice(choices.Policy), [but("partition-anova", "versions")],
        "What to do if a part has no relevant document for a topic: split the topic's relevant documents again, drop"
        " the topic, score the part 0, or give it the mean of the run's other parts.", default="redraw",
        short="what if a part has no relevant document for a topic"),
    VERSIONED._replace(takes=[only("map-ci", "versions")],
        help=f"Topics have several versions of their query: {VERSIONS_OF}", cites={None: "satterthwaite1946"}),
    VERSIONED._replace(takes=[only("swap-error", "error-rate")],
        help=f"Build query sets from several versions of each topic's query: {VERSIONS_OF}"),
    VERSIONED._replace(takes=[only("partition-anova", "versions")],
        help=f"Replicates are several versions of each topic's query, not parts of the collection: {VERSIONS_OF}"),
    Option("variances", "--variance", VARIANCE, [but("wcw", "noncentrality")],
        "Within-system variance of a measure; repeatable. Without this option, variances are estimated from the files.",
        many=True, short="within-system variance of a measure",
        needs=[(lambda asked: not asked.files or isinstance(asked.judge, tuple), "{} is given: leave out the files.")]),
)  # fmt: skip
FILES = (
    Option("scores", "--scores", FLAG,
        [*NOT_VALIDATED, only("partition-anova", "versions"), *OF_TABLES[:2], only("wcw", "files", "judge")],
        "Read scores in place of qrels and runs: output of trec_eval -q, ir_measures or irci, csv, tsv, a matrix,"
        " JSON, or MTEB's results. Files that look like scores need no option.", python=False,
        needs=[(lambda asked: "judgments" not in (asked.population or ()) or asked.judge,
                "{}: scores have no documents: --population judgments needs QRELS and RUNs.")],
        short=dict.fromkeys(("map-ci", "stdap-ci", "swap-error", "wcw"), "read scores: trec_eval -q output, csv, a matrix")),
    Option("names", "--names", choice(choices.Names), OF_RANKINGS,
        "Name runs by their tags or by their files.  [default: tag, but file where two runs share one]",
        needs=[RANKINGS]),
)  # fmt: skip
