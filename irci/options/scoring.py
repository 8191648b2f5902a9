"""Options of what to score, of intervals and of output: measures, judgments, topics, what is done to scores, and which files
hold them; resamples and seeds; how results are written, sorted, drawn and saved."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from irci.base import choices, either
from irci.options import types
from irci.options.commands import USES, but, carried, kind_of_table, only
from irci.options.option import Need, option, without
from irci.system import processors

if TYPE_CHECKING:
    from irci.measures import Measure
    from irci.options.asked import Asked
    from irci.output.tables import Kind

EVERY = list(USES.items())
OF_TABLES = [
    but("stdap-ci", "published"),
    but("swap-error", "counts"),
    only("judges", "runs"),
    only("wcw", "files", "judge"),
]
OF_RANKINGS = [only("ap-ci"), only("map-ci"), only("partition-anova"), *OF_TABLES]
# Options that print something besides the means.
PRINTED = ("per_topic", "compare", "baseline", "all_pairs", "ranks", "best", "meta", "save_scores", "save_factors")
NOT_VALIDATED = [but("ap-ci", "validate"), but("map-ci", "validate")]
MOST_TOPICS = 1_000_000

NOT_WIDE: Need = (lambda asked: not asked.is_wide, "--layout wide has one row per run: leave out {}.")
NOT_IN_WIDE: Need = (lambda asked: not asked.is_wide,
    "--layout wide does not show {}: leave it out here, and print its table beside (--table difference).")  # fmt: skip
RANKINGS: Need = (lambda asked: not asked.scores, "scores are read that are already computed: leave out {}.")
VERSIONS_OF = (
    "a file with columns run, system, version (or run, topic id, system, topic, version), or a regular expression with groups"
    " (?P<topic>) and (?P<version>) for topic ids, or (?P<system>) and (?P<version>) for runs."
)
MEASURES = (
    "Measures, by trec_eval's names (map, P_10, P.5,10,20, all_trec) or ir_measures' (nDCG@10, 'AP(rel=2)@100');"
    " repeatable, or a list with commas. {}  [default: map]"
)
MOST_RESAMPLES = 10_000_000
ENDINGS = ", ".join(f".{end} ({name})" if end != name else f".{end}" for end, name in choices.OF_ENDING.items())
RESAMPLES = types.whole(0, MOST_RESAMPLES)
SPREAD: Need = (lambda asked: asked.resamples != 1,
    "{}: one resample has no spread: use more, or 0 for scores without limits.")  # fmt: skip
TWO_OR_MORE = types.whole(2, MOST_RESAMPLES)
DRAWN: Need = (lambda asked: asked.has_draws or asked.save_plan is not None,
    "{} is for random draws, and nothing is drawn here.")  # fmt: skip


def _has_scores_alone(asked: Asked) -> bool:
    """True if all that is asked of map-ci can be said without resamples."""
    ranks = asked.ranks and asked.correction != "holm" and "same-topics" not in asked.over
    is_drawn = asked.test in ("randomization", "wilcoxon") or asked.correction == "maxt" or "both" in asked.over
    return not (ranks or is_drawn or asked.meta or asked.best)


def _has_matplotlib(asked: Asked) -> bool:
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def _interval(raw: object) -> str:
    """A kind of interval over topics, of which a prediction may be for a number of topics: prediction:50."""
    kind, colon, number = str(raw).partition(":")
    if kind == "prediction" and colon:
        return f"{kind}:{types.whole(1, 1_000_000).value(number)}"
    return str(types.choice(choices.TopicInterval).value(raw))


TOPIC_INTERVAL = types.choice(choices.TopicInterval)._replace(value=_interval)
# Of options that commands have each in its own way, what is the same in all their rows.
measured = partial(
    option, "-m --measure", types.MEASURE, many=True, short="map (the default), P_10, ndcg_cut_10, nDCG@10, ..."
)
versioned = partial(option, "--versions", types.VERSIONS)
seeded = partial(option, "--seed", types.whole(0, 2**63 - 1), help="Seed of the random numbers.", default=1)
corrected = partial(option, "--small-r", types.choice(choices.SmallR),
    help="Correction where AP is near 0 or 1 and few documents are relevant: use the wider of the topic's own interval and"
    " the interval for AP = 0 or 1, or none of it, in the interval of the mean either.", default="wider")  # fmt: skip


# fmt: off
class WhatToScore:
    """Options of measures, judgments and topics, and of what is done to scores."""

    measures: Sequence[Measure] = measured([but("ap-ci", "validate")], MEASURES.format(
        "All get an interval except counts and means of logarithms; that of others than map goes beyond the paper.")
    ) + measured([but("map-ci", "validate")], MEASURES.format("Any measure except counts will do.")
    ) + measured([*OF_TABLES, only("partition-anova")], MEASURES.format("Any measure with a score for each topic will do."))
    relevance_level: Any = option("-l --relevance-level", types.LEVEL, [only("judges"), *OF_RANKINGS],
        "The lowest grade that counts as relevant.", default=1,
        needs=[
            RANKINGS,
            (lambda asked: isinstance(asked.relevance_level, int) or asked.are_means_over_topics,
             "{} {asked.relevance_level}: a level that is no whole number is for means over topics.")],
        short="lowest grade that counts as relevant  [1]")
    max_grade: int | None = option("--max-grade", types.whole(1, choices.HIGHEST_EXPONENT),
        [*NOT_VALIDATED, only("partition-anova"), *OF_TABLES],
        "Highest grade of the scale, for ERR, nERR and bounds of unjudged documents.  [default: the highest in the"
        " qrels]", needs=[RANKINGS])
    depth: int | None = option("-M --depth", types.whole(1, 2**31 - 1), OF_RANKINGS,
        "Use only the first N documents of each topic.", needs=[RANKINGS])
    judged_only: bool = option("-J --judged-only", types.FLAG, OF_RANKINGS,
        "Remove unjudged documents, as trec_eval does (after the cut of -M).",
        needs=[
            (lambda asked: "judgments" not in (asked.population or ()),
             "{} removes the unjudged documents, whose grades the bounds are over."), RANKINGS])
    ignore_identical_ids: bool = option("--ignore-identical-ids", types.FLAG, OF_RANKINGS,
        "Leave out documents with the id of their topic, as BEIR (before -M).", needs=[RANKINGS],
        cites={None: "thakur2021"})
    ties: choices.Ties = option("--ties", types.choice(choices.Ties), OF_RANKINGS,
        "Order documents with equal scores by docno, descending, as trec_eval; by rank; as in the file; or average all"
        " orders.", default="docno", cites={"mean": "mcsherry2008"},
        needs=[
            RANKINGS,
            (lambda asked: asked.ties != "mean" or (asked.are_means_over_topics and not (asked.versions or asked.depth)),
             "{} mean is for means over topics: leave out documents, judgments, --versions and -M.")])
    duplicates: choices.Duplicates = option("--duplicates", types.choice(choices.Duplicates), OF_RANKINGS,
        "A document that a run has twice for a topic is an error, or counts where it is first.", default="error",
        needs=[RANKINGS])
    missing: choices.Missing = option("--missing", types.choice(choices.Missing),
        [*NOT_VALIDATED, only("partition-anova"), *OF_TABLES],
        "Topics that a run lacks. auto: of those that most runs have, a run may lack a tenth, which scores 0, and"
        " limits and p hold without these topics too; beyond that it gets no limits, p or rank. zero: they score 0."
        " drop: only topics that all runs have. error: stop.", default="auto")
    no_relevant: choices.NoRelevant = option("--no-relevant", types.choice(choices.NoRelevant),
        [but("ap-ci", "validate"), but("map-ci", "validate", "judge"), only("partition-anova", "versions"),
         *OF_TABLES[:3], only("wcw", "files")], "Topics with nothing relevant score 0, or drop out.", default="zero",
        needs=[RANKINGS])
    topics: str | None = option("--topics", types.TOPICS,
        [only("ap-ci"), but("map-ci", "collections"), only("partition-anova"), *OF_TABLES[:2], only("judges"),
         only("wcw", "files", "judge")], "Use only these topics: a list with commas, or @FILE, one a line.",
        is_free=True)
    per_topic: bool = option("-q --per-topic", types.FLAG, [carried("per_topic"), only("stdap-ci", "means")],
        "Also print a line for each topic.", short="also print a line for each topic", is_free=True,
        needs=[(lambda asked: not asked.tables or {"topic", "topic_difference"} & {*asked.tables},
                "{} prints the tables topic and topic_difference, which --table leaves out."), NOT_WIDE]
    # As trec_eval has it; ap-ci prints every topic in any case.
    ) + option("-q --per-topic", types.FLAG, [but("ap-ci", "validate")], "Accepted, as by trec_eval.", hidden=True,
        python=False, needs=[NOT_WIDE])
    no_summary: bool = option("-n --no-summary", types.FLAG, [*NOT_VALIDATED, only("stdap-ci", "means")],
        "Do not print the means of the runs.", is_free=True,
        needs=[
            NOT_WIDE,
            (lambda asked: asked.command.name == "ap-ci" or any(getattr(asked, name) for name in PRINTED),
             "-n alone leaves nothing to print: add -q, or pairs or ranks where {asked.command.typed} has them.")])
    standardise: Any = option("--standardise", types.choice(choices.Standardisation),
        [only("ap-ci", "intervals"), but("map-ci", "judge", "validate", "judgments"), but("swap-error", "counts"),
         only("wcw", "files")],
        "Standardise each topic's scores over these runs: z scores, their normal CDF, std-AB, or Borda points (rank):"
        " the runs that a run beats on the topic, half of one for a tie.",
        cites={"z": "webber2008", "cdf": "webber2008", "ab": "sakai2016", "rank": "colombo2022"},
        needs=[*without("versions"),
               (lambda asked: asked.standardise != "rank" or asked.seeds is None,
                "{} rank is among runs, of which a system with more seeds would have more to beat: it cannot be used"
                " with --seeds.")]
    ) + option("--standardise", types.choice(choices.Transform), [but("stdap-ci", "published")],
        "z scores, their normal CDF, std-AB (.15 z + .5, clipped to [0, 1]), or none.", default="z",
        short="z, cdf, ab or none", cites={"ab": "sakai2016"})
    reference: str | None = option("--reference", types.REFERENCE, [but("stdap-ci", "published")],
        "Standardise by these runs; each run by all others (others); by N runs drawn at random (random:N, --seed); or"
        " by the factors in a file: lines of topic, measure, mean, sd, as --save-factors writes. A run's name goes"
        " first.  [default: all runs, if they are three or more]",
        short="run names, others, random:N or a file of factors",
        needs=without(standardise="none"))
    parts: tuple[int, ...] | str = option("-x", types.PARTS, [only("partition-anova", "parts")],
        "Number of parts; of several (2,3,5) the tables length and significant have all, others the first; or a file"
        " of lines with docno and part, a single split. A file called 2 is ./2.", default=(2,),
        short="number of parts  [2]")
    splits: int = option("--splits", types.whole(1, 10_000), [only("partition-anova", "parts")], "Number of splits.",
        default=1, short="number of splits  [1]",
        needs=[(lambda asked: not isinstance(asked.parts, str), "-x FILE is one split: leave out {}.")])
    policy: choices.Policy = option("--policy", types.choice(choices.Policy), [but("partition-anova", "versions")],
        "What to do if a part has no relevant document for a topic: split the topic's relevant documents again, drop"
        " the topic, score the part 0, or give it the mean of the run's other parts.", default="redraw",
        short="what if a part has no relevant document for a topic")
    versions: Any = versioned([only("map-ci", "versions")],
        f"Topics have several versions of their query: {VERSIONS_OF}", cites={None: "satterthwaite1946"}
    ) + versioned([only("swap-error", "error-rate")],
        f"Build query sets from several versions of each topic's query: {VERSIONS_OF}",
        short="wordings of the queries, the paper's query sets"
    ) + versioned([only("partition-anova", "versions")],
        f"Replicates are several versions of each topic's query, not parts of the collection: {VERSIONS_OF}")
    variances: Sequence[tuple[str, float]] = option("--variance", types.VARIANCE, [but("wcw", "noncentrality")],
        "Within-system variance of a measure; repeatable. Without this option, variances are estimated from the files.",
        many=True, short="within-system variance of a measure",
        needs=[(lambda asked: not asked.files or isinstance(asked.judge, tuple), "{} is given: leave out the files.")])


class Input:
    """Options of files."""

    scores: bool = option("--scores", types.FLAG,
        [*NOT_VALIDATED, only("partition-anova", "versions"), *OF_TABLES[:2], only("wcw", "files", "judge")],
        "Read scores in place of qrels and runs: output of trec_eval -q or ir_measures, csv, tsv, a matrix, JSON, or"
        " MTEB's results. Files that look like scores need no option.", python=False, is_free=True,
        needs=[(lambda asked: "judgments" not in (asked.population or ()) or asked.judge,
                "{}: scores have no documents: --population judgments needs QRELS and RUNs.")],
        short="read scores: trec_eval -q output, csv, a matrix")
    names: choices.Names | None = option("--names", types.choice(choices.Names), OF_RANKINGS,
        "Name runs by their tags or by their files.  [default: tag, but file where two runs share one]",
        is_free=True, needs=[RANKINGS])


class Intervals:
    """Options of intervals."""

    interval: Any = option("--interval", TOPIC_INTERVAL, [carried("interval")],
        "Interval over topics: by t; bounded by the ends of the scale; auto: t, or bounded where scores are 0 or 1 or"
        " hardly vary; prediction:50: for the mean of 50 new topics (of as many as now; of another collection). Over"
        " documents: parametric, as the paper prefers for MAP; linear, from resampled means; auto: linear, for map the"
        " wider.  [default: auto]",
        needs=[
            (lambda asked: asked.interval in choices.OVER_DOCUMENTS or "topics" in asked.over,
             "{} {asked.interval} needs --population topics."),
            (lambda asked: asked.interval not in choices.OVER_DOCUMENTS or "documents" in asked.over,
             "{} {asked.interval} needs --population documents."),
            (lambda asked: asked.new_topics is None or asked.use.name == "means",
             "{} prediction:{asked.new_topics} is not for {asked.use.words}: leave out the number.")],
        cites=dict.fromkeys(("auto", "bounded"), "gaffke2005 learned2020 fagerland2013")
    ) + option("--interval", types.choice(choices.ApInterval), [only("ap-ci", "intervals")],
        "Kind of interval for each topic; that of the mean is linear (map-ci --population documents: the paper's for"
        " MAP). parametric: from a closed form, without resamples; bca and parametric are for map alone.  [default:"
        " for map logit, for other measures percentile]")
    range: tuple[float, float] | None = option("--range", types.ENDS_OF_SCALE, [carried("range")],
        "The lowest and highest score of the measures, such as 0,100 for percentages. Margins are in these units."
        "  [default: 0,1 of known measures, and of others whose scores lie there]",
        needs=[
            (lambda asked: asked.scores or {"topics", "clusters"} & {*asked.over},
             "{} is for limits over topics or clusters."),
            (lambda asked: asked.scores or asked.interval not in ("t", "prediction"),
             "{} is for bounded intervals: leave out --interval {asked.interval}.")])
    confidence: Any = option("--confidence", types.FRACTION,
        [but("ap-ci", "judgments"), but("map-ci", "judgments"), only("stdap-ci", "means", "published"), only("judges")],
        "Confidence level of the intervals, as a fraction.", default=0.95,
        short="confidence level of the intervals  [0.95]"
    ) + option("--confidence", types.numbers(*types.BETWEEN_0_AND_1), [only("partition-anova")],
        "Confidence levels: of the intervals the first, which also decides on single pairs; at each of them pairs that"
        " differ are counted (alpha is 1 less the level).  [default: 0.95,0.99]", default=(0.95, 0.99))
    resamples: int = option("-B --resamples", RESAMPLES, [carried("resamples", "validate")],
        "Number of resamples; 0 prints scores without limits.  [default: (2000; for sign flips 20,000, or 10,000 for"
        " all pairs)]", default=2000,
        needs=[
            SPREAD,
            (lambda asked: asked.resamples != 0 or _has_scores_alone(asked),
             "{} 0 prints scores alone: what is asked for needs resamples: use -B 2 or more."), DRAWN]
    ) + option("-B --resamples", RESAMPLES, [but("ap-ci", "judgments")],
        "Number of resamples; 0 prints scores without limits.", default=2000,
        short="number of resamples; 0: no limits  [2000]",
        needs=[SPREAD, *without(interval="parametric")]
    ) + option("-B --resamples", TWO_OR_MORE, [only("swap-error", "discriminative-power")],
        "Number of resamples.  [default: 1000]"
    ) + option("-B --resamples", TWO_OR_MORE, [only("judges")], "Number of resamples of the topics.", default=2000
    ) + option("-B --resamples", TWO_OR_MORE, [only("partition-anova")], "Number of resamples.", default=10_000)
    seed: int = seeded([but("ap-ci", "judgments"), only("partition-anova"), but("swap-error", "counts"), only("judges")]
    ) + seeded([but("map-ci", "judgments", "judge")], needs=[DRAWN]
    ) + seeded([but("stdap-ci", "published")],
        needs=[(lambda asked: asked.validate is not None or str(asked.reference).startswith("random:"),
                "{} is for --reference random:N or --validate: nothing else is drawn.")])
    small_r: choices.SmallR = corrected([but("ap-ci", "judgments")]) + corrected([carried("small_r", "validate")],
        needs=[(lambda asked: "documents" in asked.over or asked.validate is not None,
                "{} needs --population documents.")])


class Output:
    """Options of how results are written, sorted, drawn and saved."""

    output_format: choices.Format = option("--format", types.choice(choices.Format), EVERY,
        "Format; tsv, csv, json and jsonl have full precision, html is a page with pictures and settings.",
        default="text", short="text, table, csv, tsv, json, latex, markdown, html", python=False)
    layout: choices.Layout | None = option("--layout", types.choice(choices.Layout),
        [but("ap-ci", "validate"), but("map-ci", "judge", "validate"), but("stdap-ci", "published")],
        "long: a row an estimate; wide: a paper's table, a row a run and a column a measure.  [default: wide in latex"
        " and markdown, where it leaves nothing out; else long]",
        short="long, or wide: a table for a paper, a line a run", python=False,
        needs=[
            (lambda asked: asked.layout != "wide" or asked.output_format in ("text", *choices.IN_WIDE),
             f"{{}} wide is for {either(choices.IN_WIDE, 'and')}.")])
    limits: choices.Limits | None = option("--limits", types.choice(choices.Limits),
        [only("ap-ci"), only("map-ci"), only("stdap-ci")],
        "Limits in the wide layout.  [default: brackets, but none in a table wider than 160 letters]", python=False,
        needs=[(lambda asked: asked.is_wide, "{} is for --layout wide.")])
    tables: Sequence[Kind] = [
        row
        for command, uses in EVERY
        for row in option("--table", kind_of_table(command), [(command, uses)],
        f"Print only tables of this kind; repeatable: {', '.join(kind_of_table(command).words())}.", many=True,
        short="print only tables of this kind", python=False, needs=[NOT_WIDE])
    ]
    digits: int = option("--digits", types.whole(1, 17), EVERY,
        f"Decimals in {either(choices.FOR_READING, 'and')}; p-values have up to four significant digits.", default=4,
        python=False,
        needs=[(lambda asked: asked.output_format in choices.FOR_READING,
                f"--digits is for {', '.join(choices.FOR_READING)}; {{asked.output_format}} has full precision.")])
    sort: choices.Sort | None = option("--sort", types.choice(choices.Sort),
        [but("ap-ci", "validate"), but("map-ci", "validate"), only("partition-anova"), but("stdap-ci", "validate")],
        "Sort runs or pairs by value, best first, or by name.  [default: as given]")
    output: str = option("-o --output", types.OUTPUT, EVERY,
        f"Write to this file, whole or not at all, in the format of its ending: {ENDINGS}.  [default: standard output]",
        default=types.STANDARD_STREAM, python=False,
        short="write to this file, in the format of its ending")
    plot: str | None = option("--plot", types.PICTURE, EVERY, "Also draw the result: .png, .svg or .pdf (takes matplotlib).",
        short="also draw the result: .png, .svg or .pdf", python=False,
        needs=[(lambda asked: asked.validate is None or asked.command.name == "stdap-ci",
                "--validate does not take {}: there is nothing to draw."),
               (_has_matplotlib,
                "{} needs matplotlib, which irci installs as an extra: pip install '.[plot]' in irci's folder")])
    plot_width: float | None = option("--plot-width", types.WIDTH, EVERY,
        "Width of the picture in print: column (3.3 inches), page (7), or inches.  [default: page]", python=False,
        needs=[(lambda asked: asked.plot, "{} is the width of a picture: add --plot FILE.")])
    explain: bool = option("--explain", types.FLAG, EVERY, "Explain the result in words, and print all notices.",
        short="explain the result in plain words", python=False,
        needs=[(lambda asked: asked.output_format not in choices.NO_NOTES,
                f"{{}} cannot be used with {either(choices.NO_NOTES, 'and')}.")])
    cite: bool = option("--cite", types.FLAG, EVERY, "Print BibTeX entries for what these options use, and exit.",
        python=False)
    save_scores: str | None = option("--save-scores", types.OUTPUT,
        [but("ap-ci", "validate"), but("map-ci", "judge", "validate"), but("stdap-ci", "published")],
        "Write all scores to this file too, for --scores; cat joins several.",
        needs=[(lambda asked: asked.versions is None,
                "{} cannot be used with --versions: irci ap-ci -B 0 --save-scores keeps such scores.")])
    save_factors: str | None = option("--save-factors", types.OUTPUT, [only("stdap-ci", "means")],
        "Save the factors to this file, for --reference.", short="save the factors for later use",
        needs=without(standardise="none", reference="others"))
    quiet: bool = option("--quiet", types.FLAG, EVERY, "Do not print warnings; a page lists them.", python=False)
    threads: int = option("--threads", types.whole(1, 1024), EVERY,
        "Number of threads.  [default: (all processors)]", default=processors)
