"""Each shared option once, under a name; commands stack them as decorators."""

from collections.abc import Callable, Sequence
from typing import Any, get_args

import click

import irci
from irci.base.choices import (
    FOR_READING,
    HIGHEST_EXPONENT,
    Format,
    Layout,
    Limits,
    Missing,
    Names,
    NoRelevant,
    Picture,
    ScoresFormat,
    SmallR,
    Sort,
    Standardisation,
    Ties,
    why_no_notes,
)
from irci.cli.help import short_option
from irci.cli.parameters import (
    STANDARD_STREAM,
    CollectionName,
    Fraction,
    InputFile,
    MeasureName,
    Numbers,
    OutputFile,
    Real,
    TopicsFile,
    Whole,
)
from irci.system.threads import processors


def _in_table_order(ctx: click.Context, param: click.Parameter, chosen: Sequence[Sequence[Any]]) -> list[Any]:
    """The measures asked for, each once, in trec_eval's order of output."""
    if not chosen:
        return []
    from irci.data.measures import TABLE

    measures = dict.fromkeys(measure for several in chosen for measure in several)
    place = {family.name: place for place, family in enumerate(TABLE)}
    return sorted(
        measures,
        key=lambda each: (place.get(each.family.name, len(place)), each.parameter or 0, each.level or 0, each.name),
    )


FRACTION = Fraction()
FRACTIONS = Numbers(Fraction.least, Fraction.most)

# The ranges that numbers have in several commands.
MOST_RESAMPLES = 10_000_000
MOST_THREADS = 1024
LARGEST_SEED = 2**63 - 1
HIGHEST_LEVEL = 10**9


def measures_with(note: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """-m, with what a command has to say of measures."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        type=MeasureName(),
        callback=_in_table_order,
        multiple=True,
        metavar="MEASURE",
        help="Measure to compute, as trec_eval spells it (map; P_10; P.5,10,20; all_trec) or as ir_measures does (nDCG@10;"
        f" 'AP(rel=2)@100'); repeatable. {note}"
        "  [default: map]",
    )


measures = measures_with(
    "All measures get limits except counts and means of logarithms; limits for measures other than map go beyond the paper."
)
per_topic = click.option("-q", "--per-topic", is_flag=True, help="Also print a line for each topic.")
no_summary = click.option("-n", "--no-summary", is_flag=True, help="Do not print the summary over all topics.")
complete = click.option(
    "-c",
    "--complete",
    is_flag=True,
    expose_value=False,
    help="Average over all judged topics; a topic missing from a run scores 0. This is the default: the option is accepted"
    " for compatibility with trec_eval.",
)
relevance_level = click.option(
    "-l",
    "--relevance-level",
    type=Whole(0, HIGHEST_LEVEL),
    default=1,
    show_default=True,
    metavar="N",
    help="The lowest grade that counts as relevant.",
)
depth = click.option(
    "-M",
    "--depth",
    type=Whole(1, 2**31 - 1),
    metavar="N",
    help="Use only the first N documents of each topic.",
)
judged_only = click.option(
    "-J",
    "--judged-only",
    is_flag=True,
    help="Remove unjudged documents from the rankings before anything is computed, as trec_eval does (after the cut of -M).",
)
ties = click.option(
    "--ties",
    type=click.Choice(get_args(Ties)),
    default="docno",
    show_default=True,
    help="How to order documents with equal scores: by docno, descending, as trec_eval does; by the rank column, ascending; or"
    " as they appear in the file.",
)


def _not_one(ctx: click.Context, param: click.Parameter, resamples: int) -> int:
    """Refuse a single resample, of which there is no standard deviation."""
    if resamples == 1:
        raise click.BadParameter("one resample has no spread: use more, or 0 for scores without limits.", ctx, param)
    return resamples


def resamples_of_documents(told: str | bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """-B for a command that resamples documents; `told`: what its help says of the default if it is not just 2000."""
    return click.option(
        "-B",
        "--resamples",
        type=Whole(0, MOST_RESAMPLES),
        callback=_not_one,
        default=2000,
        show_default=told,
        metavar="N",
        help="Number of resamples; 0 prints scores without limits.",
    )


def resamples_by_default(number: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """-B for a command that resamples residuals or topics, with its own default."""
    return click.option(
        "-B",
        "--resamples",
        type=Whole(2, MOST_RESAMPLES),
        default=number,
        show_default=True,
        metavar="N",
        help="Number of resamples.",
    )


confidence = click.option(
    "--confidence",
    type=FRACTION,
    default=0.95,
    show_default=True,
    metavar="P",
    help="Confidence level of the intervals, as a fraction.",
)
epsilon = click.option(
    "--epsilon",
    type=Real(1e-15, 0.5, max_open=True),
    default=1e-5,
    show_default=True,
    metavar="P",
    help="For logits, replace a score of 0 by P and a score of 1 by 1 - P.",
)
small_r = click.option(
    "--small-r",
    type=click.Choice(get_args(SmallR)),
    default="wider",
    show_default=True,
    help="Correction where AP is near 0 or 1 and few documents are relevant: use the wider of the topic's own interval and the"
    " interval for AP = 0 or 1, or the hull of the two.",
)
no_small_r = click.option(
    "--no-small-r",
    is_flag=True,
    help="Do not correct the intervals of such topics, nor their share in the interval of the mean.",
)
seed = click.option(
    "--seed",
    type=Whole(0, LARGEST_SEED),
    default=1,
    show_default=True,
    metavar="N",
    help="Seed of the random numbers; the same seed gives the same output.",
)
threads = click.option(
    "--threads",
    type=Whole(1, MOST_THREADS),
    default=processors,
    show_default="all processors",
    metavar="N",
    help="Number of threads; it does not change the output.",
)
names = click.option(
    "--names",
    type=click.Choice(get_args(Names)),
    default="tag",
    show_default=True,
    help="Name each run by the tag in its lines, or by its file name.",
)
output_format = click.option(
    "--format",
    "output_format",
    is_eager=True,
    type=click.Choice(get_args(Format)),
    default="text",
    show_default=True,
    help="Output format. tsv, csv, json and jsonl have full precision; html is a self-contained report page with pictures"
    " (these need matplotlib, the extra `plot`), warnings, settings and references.",
)
MOST_DIGITS = 17  # of a double


def _has_decimals(ctx: click.Context, param: click.Parameter, digits: int) -> int:
    """Refuse a number of decimals where all are written. (The format is known by now: it is read first.)"""
    form = ctx.params.get("output_format")
    if form not in FOR_READING and ctx.get_parameter_source("digits") == click.core.ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--digits is for {', '.join(FOR_READING)}; {form} has full precision.", ctx)
    return digits


digits = click.option(
    "--digits",
    type=Whole(1, MOST_DIGITS),
    callback=_has_decimals,
    default=4,
    show_default=True,
    metavar="N",
    help=f"Decimals in {', '.join(FOR_READING[:-1])} and {FOR_READING[-1]}; p-values have up to four significant digits.",
)
sort = click.option(
    "--sort",
    type=click.Choice(get_args(Sort)),
    help="Sort runs or pairs by value, best first, within each measure, population and topic; or by name.  [default: as"
    " given]",
)
show_width = click.option(
    "--show-width", is_flag=True, help="Add a column with the width of each interval, between the limits as printed."
)


def arrangement(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that arrange rows of runs and pairs."""
    for option in (show_width, sort):
        command = option(command)
    return command


layout = click.option(
    "--layout",
    type=click.Choice(get_args(Layout)),
    default="long",
    show_default=True,
    help="long: one row per estimate; wide: a table for a paper, with one row per run, one column per measure and a caption."
    " wide implies --format table and --digits 3 unless you give others; it is not available for text, json and jsonl.",
)
limits = click.option(
    "--limits",
    type=click.Choice(get_args(Limits)),
    default="brackets",
    show_default=True,
    help="With --layout wide: show limits as [lower, upper]; as plus or minus half the width, in columns where all limits are"
    " symmetrical; or not at all.",
)


def _has_no_means(ctx: click.Context, param: click.Parameter, layout: Any) -> None:
    if layout == "wide":
        raise click.UsageError("--layout wide is for ap-ci, map-ci and stdap-ci, which print means of runs.", ctx)


# For commands that print no means of runs by measures.
long_layout_only = click.option(
    "--layout", type=click.Choice(get_args(Layout)), callback=_has_no_means, expose_value=False, hidden=True
)


def layouts(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a paper's table."""
    return layout(limits(command))


scores = click.option(
    "--scores",
    is_flag=True,
    is_eager=True,
    help="Read files of scores instead of qrels and runs: output of trec_eval -q, ir_measures or irci, long csv or tsv, or a"
    " matrix.",
)
scores_format = click.option(
    "--scores-format",
    type=click.Choice(get_args(ScoresFormat)),
    help="Format of the score files.  [default: detected]",
)
save_scores = click.option(
    "--save-scores",
    type=OutputFile(),
    metavar="FILE",
    help="Also write every score to this file, at full precision, for --scores; such files can be joined with cat.",
)
collection = click.option(
    "--collection",
    type=CollectionName(),
    metavar="NAME",
    help="With --save-scores: the name of the collection, so that files of several collections can be joined.",
)
standardise = click.option(
    "--standardise",
    type=click.Choice(get_args(Standardisation)),
    help="Standardise each topic's scores over the given runs: z scores, their normal CDF, or std-AB.",
)
output = click.option(
    "-o",
    "--output",
    type=OutputFile(),
    default=STANDARD_STREAM,
    metavar="FILE",
    help="Write the output to this file, completely or not at all.  [default: -, standard output]",
)


def _can_plot(ctx: click.Context, param: click.Parameter, path: str | None) -> str | None:
    """Refuse what cannot be drawn before anything is computed."""
    if path is None:
        return None
    if path.rpartition(".")[2].lower() not in get_args(Picture):
        raise click.BadParameter(f"{path!r} does not end in .{', .'.join(get_args(Picture))}", ctx, param)
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        raise click.UsageError(
            "--plot needs matplotlib, which irci installs as an extra: pip install '.[plot]' in irci's folder", ctx
        )
    return path


plot = click.option(
    "--plot",
    type=OutputFile(),
    callback=_can_plot,
    metavar="FILE",
    help="Also draw the result: .png, .svg or .pdf (needs matplotlib, the extra `plot`).",
)


def _has_a_place(ctx: click.Context, param: click.Parameter, explain: bool) -> bool:
    """Refuse sentences where every line is a row. (The format is known by now: it is read first.)"""
    reason = why_no_notes(ctx.params.get("output_format", "text"))
    if explain and reason:
        raise click.UsageError(f"--explain {reason}.", ctx)
    return explain


explain = click.option("--explain", is_flag=True, callback=_has_a_place, help="Explain the result in plain words.")
cite = click.option(
    "--cite", is_flag=True, help="Print BibTeX entries for the methods that these options use, and exit."
)
version = click.version_option(irci.__version__, "-v", "--version", prog_name="irci")


def outputs(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what becomes of the result."""
    for option in (short_option, version, cite, explain, plot, output, digits, output_format):
        command = option(command)
    return command


runs_from = click.option(
    "--runs-from",
    type=InputFile(),
    metavar="FILE",
    help="Also read the runs listed in this file, one file name per line (- for standard input).",
)
max_grade = click.option(
    "--max-grade",
    type=Whole(1, HIGHEST_EXPONENT),
    metavar="N",
    help="Highest grade of the relevance scale, for ERR, nERR and bounds of unjudged documents.  [default: the highest in the"
    " qrels]",
)
topics = click.option(
    "--topics",
    type=TopicsFile(),
    metavar="LIST|@FILE",
    help="Use only these topics: a comma-separated list, or @FILE (or a path with a slash) with one topic per line.",
)
missing = click.option(
    "--missing",
    type=click.Choice(get_args(Missing)),
    default="zero",
    show_default=True,
    help="What to do with a judged topic that is missing from a run: score it 0, leave it out, or stop with an error.",
)
no_relevant = click.option(
    "--no-relevant",
    type=click.Choice(get_args(NoRelevant)),
    default="zero",
    show_default=True,
    help="What to do with a topic that has no relevant documents: score it 0, or leave it out.",
)


progress = click.option(
    "--progress/--no-progress",
    default=None,
    help="Show a progress bar while runs are read and compared, or never.  [default: on a terminal, after a second]",
)


def _be_quiet(ctx: click.Context, param: click.Parameter, quiet: bool) -> None:
    if quiet and not ctx.resilient_parsing:
        from irci.cli.console import be_quiet

        be_quiet()


quiet = click.option(
    "--quiet", is_flag=True, is_eager=True, callback=_be_quiet, expose_value=False, help="Do not print warnings."
)
files = click.argument("files", type=InputFile(), metavar="QRELS RUN...", nargs=-1, required=True)
# For a command with an option that names them all.
files_or_option = click.argument("files", type=InputFile(), metavar="QRELS RUN...", nargs=-1)
any_files = click.argument("files", type=InputFile(), metavar="[QRELS RUN...]", nargs=-1)

validate = click.option(
    "--validate",
    is_flag=True,
    help="Split the documents into halves and count how often intervals from one half contain the scores on the other.",
)
splits = click.option(
    "--splits",
    type=Whole(1, 100_000),
    default=20,
    show_default=True,
    metavar="N",
    help="With --validate: number of random splits.",
)
split_by = click.option(
    "--split-by",
    type=InputFile(),
    default="hash",
    show_default=True,
    metavar="hash|md5|FILE",
    help="With --validate: split by a salted hash of the docno, by the parity of its MD5 (one split), or as listed in a file"
    " (lines of docno and part).",
)
figures = click.option(
    "--figures", is_flag=True, help="With --validate: print the data of the paper's figures instead of its tables."
)


VALIDATION = ("splits", "split_by", "figures")


def validation(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of split-half validation."""
    for option in (figures, split_by, splits, validate):
        command = option(command)
    return command


def inputs(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what is read and what of it is used (`irci.data.inputs.Inputs`), in the order of the help."""
    for option in reversed(
        (
            relevance_level, max_grade, depth, judged_only, ties, topics, missing, no_relevant, complete, names, runs_from,
            scores, scores_format, save_scores, collection, standardise, threads, progress, quiet,
        )
    ):  # fmt: skip
        command = option(command)
    return command
