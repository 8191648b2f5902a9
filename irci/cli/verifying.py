"""The command that computes a report again by its own line, and says what of it is found again."""

from __future__ import annotations

import io
import os
from contextlib import chdir, redirect_stdout
from typing import Any

import click

from irci.base import ConditionHolds, DataError, FormatError, UsageError, visible
from irci.cli.console import NO_SUCH_FILE, be_quiet
from irci.cli.parameters import plain_command
from irci.data import keeping
from irci.options.commands import COMMANDS


@plain_command("verify", "Does a report say what its files and options give?")
@click.argument("report", metavar="REPORT.json")
@click.option("--data", metavar="FOLDER", help="Look for files in this folder.  [default: the current one]")
@click.pass_context
def verify(ctx: click.Context, report: str, data: str | None) -> None:
    """Compute a report of --format json again, and say what of it is found again.

    Example: irci verify report.json

    The report has the line that was typed, and SHA-256 of each file that was read. Files are looked for under the paths
    that were typed, in the current folder or in FOLDER. One that is not there, or whose path begins at the root where
    FOLDER is given, is looked for by as much of the end of its path as leads to a file; a line `found` tells of it. Prints
    how many files, settings, rows and sentences agree: rows to the last digit where the same kind of processor, numpy and
    scipy computed both, else in four decimals. Then a line for each difference: where, what the report says, what is found
    now. The exit status is 5 if anything differs. Options that write files are refused in a report's line.

    REPORT.json may be -, standard input. Nothing but files is read: no device, no pipe.
    """
    with keeping(only_files=True):
        _verify(ctx, report, data)


def _verify(ctx: click.Context, report: str, data: str | None) -> None:
    from irci.options.words import words_of
    from irci.studies.verify import SHOWN, as_reported, elsewhere, read_report, summary, verified

    saved = read_report(report)
    line = saved["signature"]["line"]
    be_quiet()
    try:
        words = words_of(line)
        if data is not None and not os.path.isdir(data):
            raise FormatError.whole_file(data, "no such folder")
        with chdir(data or "."):
            moved = elsewhere(words, saved["signature"], here_first=data is not None)
            repeated = _again(ctx, [moved.get(word, word) for word in words], explain=bool(saved["notes"]))
    except (click.UsageError, UsageError) as error:
        reason = error.format_message() if isinstance(error, click.UsageError) else str(error)
        raise DataError(f"{report}: its line is refused: {line}: {reason}") from None
    except FormatError as error:
        if data is None and str(error).endswith(NO_SUCH_FILE):
            error.args = (f"{error}; --data FOLDER says where files are",)
        raise
    lines, differences = verified(saved, as_reported(repeated, moved, line))
    for told_line in (
        visible(line),
        *(f"found\t{visible(word)}\t{visible(path)}" for word, path in moved.items()),
        *lines,
    ):
        click.echo(told_line)
    if differences:
        click.echo("# differs\twhere\tin the report\tfound again")
    for difference in differences[:SHOWN]:
        click.echo(f"differs\t{difference}")
    if differences:
        raise ConditionHolds(summary(report, differences))


def _again(ctx: click.Context, words: list[str], *, explain: bool) -> dict[str, Any]:
    """The report, as json has it, that these words ask for; `explain`: with notes in any case, for which a call from Python
    has no word. Raises UsageError for words that ask for none."""
    from irci.studies.commands import answered

    name, *words = words
    group = ctx.find_root().command
    command: Any = group.get_command(ctx, name) if name in COMMANDS and isinstance(group, click.Group) else None
    if command is None:
        raise UsageError(f"{name} makes no report")
    with keeping(only_files=True):
        try:
            with redirect_stdout(io.StringIO()), command.make_context(name, words, ctx.parent) as context:
                asked = command.checked(context)
        except click.exceptions.Exit:
            raise UsageError("it asks for no report") from None
        for option in asked.given & set(asked.options):
            if not asked.options[option].is_of_result:
                raise UsageError(f"{asked.spelling(option)} has no place in it")
        report = answered(asked.replaced(output_format="json", line=command.line(context)))
    import json  # takes time

    again: dict[str, Any] = json.loads(report.to_json(explain=explain or asked.explain))
    return again
