"""The command line: parse, call, report. With options.py the only importer of click; methods load when they run."""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

import irci
from irci import options
from irci.errors import DataError, FormatError, IrciError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from irci.collection import Collection, JudgedRun
    from irci.measures import Measure
    from irci.methods.ap_ci import ApIntervals

EXIT_FORMAT, EXIT_DATA, EXIT_INTERRUPTED = 3, 4, 130
NAMED = 5  # how many topics a warning names

# The interpreter's last collection would go through all that numba has made: a fifth of a second for nothing.
atexit.register(gc.freeze)


class Group(click.Group):
    """A group whose commands turn errors of ours and an interrupt into their exit statuses."""

    def invoke(self, ctx: click.Context) -> Any:
        gc.disable()  # loading numba makes a million objects and no garbage; arrays need no collector
        try:
            return super().invoke(ctx)
        except IrciError as error:
            click.echo("".join(f"irci: {line}\n" for line in str(error).splitlines()), nl=False, err=True)
            ctx.exit(EXIT_FORMAT if isinstance(error, FormatError) else EXIT_DATA)
        except KeyboardInterrupt:
            ctx.exit(EXIT_INTERRUPTED)
        finally:
            gc.enable()


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(irci.__version__, "-v", "--version", prog_name="irci")
def main() -> None:
    """How far can an information-retrieval evaluation be trusted?

    irci reads TREC runs and qrels as trec_eval does and prints trec_eval's numbers with their confidence limits.

    Example: irci ap-ci -q qrels.txt run.txt
    """


@main.command("help-measures", short_help="Which measures there are, what they are and where they come from.")
def help_measures_command() -> None:
    """Which measures there are, what they are and where they come from.

    A cutoff follows the name after _ or . (P_10, P.5,10,20); without one, P and its like stand for trec_eval's nine.
    AP, P@10, nDCG@10, RR and so on are understood. Documents can be resampled (irci ap-ci) for those marked *.
    """
    from irci.measures import TABLE

    for family in TABLE:
        suffix = f"_{family.parameter.upper()}" if family.parameter else ""
        mark = "*" if family.resampled_as is not None else " "
        click.echo(f"{mark} {family.name + suffix}")
        click.echo(click.wrap_text(f"{family.definition}. {family.source}", 78, "    ", "    "))


@main.command("ap-ci", short_help="How precise is each topic's average precision?")
@options.measures
@options.per_topic
@options.no_summary
@click.option(
    "--interval",
    type=click.Choice(["logit", "linear", "percentile", "bca", "delta-logit"]),
    help="Kind of interval for each topic; that of the mean is always linear.  [default: logit, or delta-logit with"
    " --method delta]",
)
@click.option(
    "--method",
    type=click.Choice(["bootstrap", "delta"]),
    default="bootstrap",
    show_default=True,
    help="Resample, or take the standard deviation from a closed form (map; linear and delta-logit).",
)
@options.resamples
@options.confidence
@options.seed
@click.option(
    "--small-r",
    type=click.Choice(["wider", "hull"]),
    default="wider",
    show_default=True,
    help="What to do where AP is near 0 or 1 and few documents are relevant: take the wider of the interval and that of 0"
    " or 1, or extend the one to hold the other.",
)
@click.option("--no-small-r", is_flag=True, help="Leave such intervals as they are.")
@click.option(
    "--epsilon",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    default=1e-5,
    show_default=True,
    metavar="P",
    help="Where logit intervals put 0 (and 1 as far below 1).",
)
@click.option(
    "--bca-ties",
    type=click.Choice(["strict", "mid"]),
    default="strict",
    show_default=True,
    help="Of the replicates equal to AP, count none as below it, or half where they exceed 5%.",
)
@click.option(
    "--bca-quantile",
    type=click.Choice(["type7", "order"]),
    default="type7",
    show_default=True,
    help="Quantiles by interpolation, or the order statistics of S-Plus' bcanon.",
)
@options.relevance_level
@options.depth
@options.complete
@options.names
@options.output_format
@options.threads
@options.quiet
@options.qrels
@options.runs
def ap_ci_command(
    qrels: str,
    runs: tuple[str, ...],
    measures: Sequence[Measure],
    per_topic: bool,
    no_summary: bool,
    interval: str | None,
    method: str,
    small_r: str,
    no_small_r: bool,
    relevance_level: int,
    depth: int | None,
    complete: bool,
    names: str,
    output_format: str,
    threads: int,
    quiet: bool,
    **settings: Any,
) -> None:
    """How precise is each topic's average precision?

    Example: irci ap-ci -q qrels.txt run.txt

    Prints trec_eval's map with the limits between which it would vary over collections like this one: the
    documents are resampled, topics and system stay fixed. Columns: measure, topic (or all), value, lower, upper,
    run; the first three are what `trec_eval -q -c -m map` prints. Limits that come from the correction for few
    relevant documents are marked in a seventh, `corrected`. Nothing is said about other topics.

    Files may be gzip; - is standard input.
    """
    from dataclasses import asdict

    from irci.collection import relevant_ranks
    from irci.corpus_bootstrap import StepTables
    from irci.measures import Judgments
    from irci.methods.ap_ci import Settings, ap_ci
    from irci.methods.ap_ci import rows as rows_of
    from irci.resampling import topic_keys
    from irci.trec import text

    interval = interval or ("delta-logit" if method == "delta" else "logit")
    check_ap_only(measures, interval, method)
    chosen = Settings(interval=interval, method=method, small_r="none" if no_small_r else small_r, **settings)
    collection = read_collection(qrels, runs, relevance_level, quiet)
    topics = [text(topic) for topic in collection.qrels.topics]
    keys = topic_keys(collection.qrels.topics)
    judgments = Judgments.of(collection, relevance_level)
    relevances = [measure.relevance(collection.qrels, relevance_level) for measure in measures]
    tables = StepTables()
    rows: list[dict[str, str | float | int | bool]] = []
    for name, judged in read_runs(collection, runs, names, depth, quiet):
        lists = judgments.of_run(judged)
        results = [
            ap_ci(
                measure.scores(lists),
                relevant_ranks(judged, relevance),
                keys,
                chosen,
                measure=measure,
                threads=threads,
                tables=tables,
            )
            for measure, relevance in zip(measures, relevances, strict=True)
        ]
        rows += rows_of(results, name, topics, per_topic, not no_summary)
        if per_topic and not quiet:
            for result in results:
                warn_of_intervals(name, collection, result, interval)
    signature = {
        "irci": irci.__version__,
        "command": "ap-ci",
        "measures": " ".join(measure.name for measure in measures),
        **asdict(chosen),
        "relevance_level": relevance_level,
        "depth": depth,
        "names": names,
        "topics": len(topics),
    }
    write(rows, output_format, signature)


def check_ap_only(measures: Sequence[Measure], interval: str, method: str) -> None:
    """Refuse what is defined for AP alone, and kinds of interval that need replicates where there are none."""
    if method == "delta" and interval not in ("linear", "delta-logit"):
        raise click.UsageError(f"--interval {interval} needs replicates; --method delta has none.")
    for option, wanted in (("--interval bca", interval == "bca"), ("--method delta", method == "delta")):
        others = [measure.name for measure in measures if measure.name != "map"]
        if wanted and others:
            raise click.UsageError(f"{option} is for map, not for {', '.join(others)}.")


def warn_of_intervals(run: str, collection: Collection, result: ApIntervals, interval: str) -> None:
    """Say which intervals are not what was asked for, or say nothing."""
    topics = collection.qrels.topics
    corrected = "with few relevant documents or none found, interval corrected (--no-small-r leaves it)"
    warn_of_topics(f"{run}: {result.measure.name}", corrected, where(topics, result.corrected))
    warn_of_topics(
        f"{run}: {result.measure.name}", "without BCa limits, percentile taken", where(topics, result.fallen_back)
    )
    hint = "" if interval == "percentile" else "; try --interval percentile"
    warn_of_topics(
        f"{run}: {result.measure.name}", f"with an interval wider than 0.9{hint}", where(topics, result.useless)
    )


def read_collection(qrels: str, runs: Sequence[str], relevance_level: int, quiet: bool) -> Collection:
    """Read the judgments, warning of topics without relevant documents."""
    from irci.collection import Collection, Relevance
    from irci.trec import STDIN, read_qrels

    if [qrels, *runs].count(STDIN) > 1:
        raise click.UsageError("standard input (-) can be read only once.")
    collection = Collection.of(read_qrels(qrels))
    if not quiet:
        relevant = Relevance.binary(collection.qrels, relevance_level).counts.sum(axis=1)
        without = where(collection.qrels.topics, relevant == 0)
        warn_of_topics(qrels, "without relevant documents, scored 0 and given no interval", without)
    return collection


def read_runs(
    collection: Collection, paths: Sequence[str], names: str, depth: int | None, quiet: bool
) -> Iterator[tuple[str, JudgedRun]]:
    """Read runs one after the other as (name, what it retrieves), letting go of each text before the next."""
    from irci.collection import judge
    from irci.trec import file_name, read_run, text

    path_of: dict[str, str] = {}
    for path in with_progress(paths, "run"):
        run = read_run(path)
        if names == "tag" and run.other_tag_line is not None:
            raise DataError(
                f"{path}:{run.other_tag_line}: a tag other than {text(run.tag)!r}, the first line's;"
                " --names file names the run by its file"
            )
        name = file_name(path) if names == "file" else text(run.tag)
        if name in path_of:
            other = " (--names file names runs by their files)" if names == "tag" else ""
            raise DataError(f"{path_of[name]} and {path} are both named {name!r}{other}")
        path_of[name] = path
        judged = judge(collection, run, depth)
        if judged.missing.all():
            raise DataError(
                f"{path}: none of its {len(run.topics)} topics is judged (topic {text(run.topics[0])}, ...)"
            )
        if not quiet:
            warn_of_run(path, collection, judged, run.lines_with_extra_fields)
        yield name, judged


def with_progress(things: Sequence[str], unit: str) -> Iterable[str]:
    """The things, with a progress bar on a terminal if going through them takes more than a second."""
    if len(things) == 1 or not sys.stderr.isatty():
        return things
    from tqdm import tqdm

    bar: Iterable[str] = tqdm(things, unit=unit, delay=1, leave=False)
    return bar


def warn_of_run(path: str, collection: Collection, judged: JudgedRun, lines_with_extra_fields: int) -> None:
    """Say what in this run was not as a careful reader would expect."""
    topics = collection.qrels.topics
    warn_of_topics(path, "missing, scored 0 (their intervals mean nothing)", where(topics, judged.missing), "judged ")
    warn_of_topics(path, "without judgments, ignored", judged.unknown_topics)
    if judged.tied.any():
        warn_of_topics(
            path,
            f"with ties that touch a judged document ({judged.tied.sum()} of these; ordered by docno, as trec_eval)",
            where(topics, judged.tied > 0),
        )
    if lines_with_extra_fields:
        warn(f"{path}: {plural(lines_with_extra_fields, 'line')} with more than six fields, the rest ignored")


def where(topics: Sequence[bytes], chosen: NDArray[np.bool_]) -> list[bytes]:
    """The topics chosen."""
    return [topic for topic, is_chosen in zip(topics, chosen.tolist(), strict=True) if is_chosen]


def warn_of_topics(path: str, what: str, topics: Sequence[bytes], kind: str = "") -> None:
    """Count the topics of which something is to be said, and name the first few."""
    from irci.trec import text

    if topics:
        more = " ..." if len(topics) > NAMED else ""
        warn(f"{path}: {plural(len(topics), kind + 'topic')} {what}: {' '.join(map(text, topics[:NAMED]))}{more}")


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def warn(message: str) -> None:
    """One warning line on standard error."""
    click.echo(f"irci: warning: {message}", err=True)


def write(rows: Sequence[dict[str, Any]], output_format: str, signature: dict[str, Any]) -> None:
    """Write rows to standard output; names go out with the bytes they came in with."""
    from irci.report import FORMATS

    click.echo(FORMATS[output_format](rows, signature).encode("utf-8", "surrogateescape"), nl=False)
