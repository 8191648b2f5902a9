"""Commands that have no row, since they read no files or make no report: what can be measured, kernels compiled ahead, and a
report computed again by its own line.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

import click

from irci.base import ConditionHolds, DataError, UsageError, logger, plural, visible
from irci.data import keeping
from irci.options.commands import COMMANDS
from irci.options.rows import check, words_of


@click.command("measures", short_help="Which measures can be computed?")
def measures() -> None:
    """List the measures: what they are and where they come from.

    After trec_eval's name, a cutoff follows _ or . (P_10, P.5,10,20). Without a cutoff, P and similar measures use the nine
    cutoffs of trec_eval. The names of ir_measures work too: AP, P@10, RR@10, nDCG(dcg='exp-log2')@10, RBP(p=0.8). To give a
    measure its own relevance level instead of -l, add the argument rel to either name: AP(rel=2)@100, gm_map(rel=2). Quote
    parentheses for the shell. irci prints a measure as you type it, in the order in which you do, or as trec_eval does where
    that is how you spell it (P.10 is P_10); ap-ci, and all that -q prints, keep trec_eval's order. A measure typed twice is
    one, under its first name.

    official, set and all_trec stand for the same measures as in trec_eval, except those listed as left out at the end.

    irci ap-ci and map-ci resample documents for all measures except counts (num_...). Measures marked * divide by the number
    of relevant documents or by an ideal gain: a resample without a relevant document is drawn again for them; other
    measures score 0 on it. A single topic gets logit limits for map, as in the paper, and percentile limits for other
    measures: on halves of real collections these came closest to the coverage that they should have (doc/trust.md).
    """
    from irci.measures import REMARKS, TABLE

    for family in TABLE:
        mark = "*" if family.undefined_without else " "
        click.echo(f"{mark} {family.pattern}")
        click.echo(click.wrap_text(f"{family.definition}. {family.source}", 78, "    ", "    "))
    for remark in REMARKS:
        click.echo("\n" + click.wrap_text(remark, 78))


@click.command("compile", short_help="Compile all kernels before they are needed")
def compile_kernels() -> None:
    """Compile all kernels at once, for an image or a cluster, and say where they are kept.

    Example: irci compile

    In a checkout on Linux (x86-64) with gcc, g++ and objcopy this makes a library, with which a command starts twice as fast;
    elsewhere numba compiles all that any command needs. Without this, commands compile what they need when they first need it.
    NUMBA_CACHE_DIR names another folder to keep kernels in, by which commands find them too. They serve one kind of processor.
    """
    from irci.native import ahead

    try:
        number, folder = ahead.compile_all()
    except OSError as error:
        raise DataError(
            f"kernels cannot be kept ({error.strerror or error}): set NUMBA_CACHE_DIR to a folder of your own"
        ) from error
    click.echo(f"{number} kernels compiled; all are in {folder}")


@click.command("verify", short_help="Does a report say what its files and options give?")
@click.argument("report", metavar="REPORT.json")
@click.pass_context
def verify(ctx: click.Context, report: str) -> None:
    """Compute a report of --format json again, and say what of it is found again.

    Example: irci verify report.json

    The report has the line that was typed, and SHA-256 of each file that was read. Files are looked for under the paths
    that were typed, from the current folder. Prints how many files, settings, rows and sentences agree: rows to the last
    digit where the same kind of processor, numpy and scipy computed both, else in four decimals. Then a line for each
    difference: where, what the report says, what is found now. The exit status is 5 if anything differs. Options that write
    files are refused in a report's line.

    REPORT.json may be -, standard input. Nothing but files is read: no device, no pipe.
    """
    from irci.studies.verify import read_report, verified

    with keeping(only_files=True):
        saved = read_report(report)
        line = saved["signature"]["line"]
        logger.be_quiet()
        try:
            repeated = _again(ctx, words_of(line), explain=bool(saved["notes"]))
        except (click.UsageError, UsageError) as error:
            reason = error.format_message() if isinstance(error, click.UsageError) else str(error)
            raise DataError(f"{report}: its line is refused: {line}: {reason}") from None
        lines, differences = verified(saved, repeated)
    if differences:
        header = "# differs\twhere\tin the report\tfound again"
        lines = [*lines, header, *(f"differs\t{difference}" for difference in differences[:20])]
    click.echo("\n".join((visible(line), *lines)))
    if differences:
        number = plural(len(differences), "difference")
        raise ConditionHolds(f"{report}: {number} between what it says and what is found again")


def _again(ctx: click.Context, words: list[str], *, explain: bool) -> dict[str, Any]:
    """The report, as json has it, that these words ask for; `explain`: with notes in any case, for which a call from Python
    has no word. Raises UsageError for words that ask for none."""
    from irci.studies.commands import answered

    name, *words = words
    if name not in COMMANDS:
        raise UsageError(f"{name} makes no report")
    group: Any = ctx.find_root().command
    with keeping(only_files=True):
        try:
            with redirect_stdout(io.StringIO()), group.commands[name].make_context(name, words, ctx.parent) as context:
                asked = group.commands[name].asked(context)
                check(asked)
        except click.exceptions.Exit:
            raise UsageError("it asks for no report") from None
        for option in asked.given & set(asked.options):
            if not asked.options[option].is_of_result:
                raise UsageError(f"{asked.spelling(option)} has no place in it")
        report = answered(asked.replaced(output_format="json"))
    import json  # takes time

    again: dict[str, Any] = json.loads(report.to_json(explain=explain or asked.explain))
    return again


OTHERS = (measures, verify, compile_kernels)
