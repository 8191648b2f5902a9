"""The command line: parse, call, report. With options.py the only importer of click; methods load when they run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

import irci
from irci import options
from irci.errors import DataError, FormatError, IrciError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from irci.collection import Collection, JudgedRun

EXIT_FORMAT, EXIT_DATA, EXIT_INTERRUPTED = 3, 4, 130
NAMED = 5  # how many topics a warning names


class Group(click.Group):
    """A group whose commands turn errors of ours and an interrupt into their exit statuses."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except IrciError as error:
            click.echo("".join(f"irci: {line}\n" for line in str(error).splitlines()), nl=False, err=True)
            ctx.exit(EXIT_FORMAT if isinstance(error, FormatError) else EXIT_DATA)
        except KeyboardInterrupt:
            ctx.exit(EXIT_INTERRUPTED)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(irci.__version__, "-v", "--version", prog_name="irci")
def main() -> None:
    """How far can an information-retrieval evaluation be trusted?

    irci reads TREC runs and qrels as trec_eval does and prints trec_eval's numbers with their confidence limits.

    Example: irci ap-ci -q qrels.txt run.txt
    """


@main.command("ap-ci", short_help="How precise is each topic's average precision?")
@options.per_topic
@options.no_summary
@click.option(
    "--interval",
    type=click.Choice(["logit", "linear", "percentile"]),
    default="logit",
    show_default=True,
    help="Kind of interval for each topic. The limits of the mean are always linear.",
)
@options.resamples
@options.confidence
@options.seed
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
    per_topic: bool,
    no_summary: bool,
    interval: str,
    resamples: int,
    confidence: float,
    seed: int,
    relevance_level: int,
    depth: int | None,
    complete: bool,
    names: str,
    output_format: str,
    threads: int,
    quiet: bool,
) -> None:
    """How precise is each topic's average precision?

    Example: irci ap-ci -q qrels.txt run.txt

    Prints trec_eval's map with the limits between which it would vary over collections like this one: the
    documents are resampled, topics and system stay fixed. Columns: measure, topic (or all), value, lower, upper,
    run; the first three are what `trec_eval -q -c -m map` prints. Nothing is said about other topics.

    Files may be gzip; - is standard input.
    """
    from irci.collection import relevant_ranks
    from irci.corpus_bootstrap import StepTables
    from irci.methods.ap_ci import ap_ci
    from irci.resampling import topic_keys
    from irci.trec import text

    collection = read_collection(qrels, runs, relevance_level, quiet)
    topics = [text(topic) for topic in collection.qrels.topics]
    keys = topic_keys(collection.qrels.topics)
    tables = StepTables()
    rows: list[dict[str, str | float]] = []
    for name, judged in read_runs(collection, runs, names, depth, quiet):
        result = ap_ci(
            relevant_ranks(collection, judged, relevance_level),
            keys,
            interval=interval,
            resamples=resamples,
            confidence=confidence,
            seed=seed,
            threads=threads,
            tables=tables,
        )
        rows += result.rows(name, topics, per_topic, not no_summary)
    settings = {
        "interval": interval,
        "resamples": resamples,
        "confidence": confidence,
        "seed": seed,
        "relevance_level": relevance_level,
        "depth": depth,
        "names": names,
        "topics": len(topics),
    }
    write(rows, output_format, {"irci": irci.__version__, "command": "ap-ci", **settings})


def read_collection(qrels: str, runs: Sequence[str], relevance_level: int, quiet: bool) -> Collection:
    """Read the judgments, warning of topics without relevant documents."""
    from irci.collection import Collection
    from irci.trec import STDIN, read_qrels

    if [qrels, *runs].count(STDIN) > 1:
        raise click.UsageError("standard input (-) can be read only once.")
    collection = Collection.of(read_qrels(qrels))
    if not quiet:
        without = [
            topic
            for topic, relevant in zip(collection.qrels.topics, collection.num_relevant(relevance_level), strict=True)
            if relevant == 0
        ]
        warn_of_topics(qrels, "without relevant documents, scored 0 and given no interval", without)
    return collection


def read_runs(
    collection: Collection, paths: Sequence[str], names: str, depth: int | None, quiet: bool
) -> Iterator[tuple[str, JudgedRun]]:
    """Read runs one after the other as (name, what it retrieves), letting go of each text before the next."""
    from tqdm import tqdm

    from irci.collection import judge
    from irci.trec import file_name, read_run, text

    path_of: dict[str, str] = {}
    for path in tqdm(paths, unit="run", delay=1, leave=False, disable=None):
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


def warn_of_run(path: str, collection: Collection, judged: JudgedRun, lines_with_extra_fields: int) -> None:
    """Say what in this run was not as a careful reader would expect."""
    topics = collection.qrels.topics
    warn_of_topics(
        path, "missing, scored 0 (intervals of no width, which mean nothing)", where(topics, judged.missing), "judged "
    )
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
