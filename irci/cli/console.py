"""Helps: -h says on a screen what most people need, --help everything; both under the same headings."""

from collections.abc import Iterable, Mapping, Sequence

import click

from irci import __version__
from irci.options.commands import COMMANDS
from irci.options.rows import options_of

TYPED = "irci.typed"  # where what was typed behind the name of a command stands in its context
WARNINGS = "irci.warnings"  # where what has been warned of stands in the context of a command
version_option = click.version_option(__version__, "-v", "--version", prog_name="irci")
MAIN_EXAMPLES = (
    ("Is the second run really better?", "irci compare qrels.txt baseline.run new.run"),
    ("MAP as in trec_eval, with a confidence interval", "irci map-ci qrels.txt run.txt"),
    ("Every topic, as with trec_eval -q", "irci ap-ci qrels.txt run.txt"),
)
WHAT = (
    "Reads qrels and runs as trec_eval does, prints the scores that trec_eval prints, and tells you how far to trust them:"
    " a confidence interval for each score, and tests between runs."
)
MORE = "\nirci COMMAND -h: the most common options; --help: all options; see also man irci\n"


def grouped(parameters: Iterable[click.Parameter]) -> Mapping[str, Sequence[click.Option]]:
    """The options that help shows, by their headings, in order; those of no row, such as --help, go to Output."""
    groups: dict[str, list[click.Option]] = {}
    for parameter in parameters:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            heading = parameter.row.heading if hasattr(parameter, "row") else "Output"
            groups.setdefault(heading, []).append(parameter)
    return groups


def short(command: click.Command, ctx: click.Context) -> str:
    """The screen that -h prints: what the command is for, the options most people need, and examples."""
    name, formatter = str(command.name), ctx.make_formatter()
    formatter.write_usage(ctx.command_path, " ".join(command.collect_usage_pieces(ctx)))
    formatter.write(f"\n  {command.short_help or ''}\n")
    if isinstance(command, click.Group):
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(WHAT)
        command.format_commands(ctx, formatter)
    lines: dict[str, list[tuple[str, str]]] = {}
    for row in options_of(name).values() if name in COMMANDS else ():
        if row.short:
            is_choice = row.type.name == "choice" or row.type.is_list
            word = "FORMAT" if row.name == "output_format" else "WORD" if is_choice else row.type.metavar
            spelled = f"{', '.join(row.spellings)}{'' if row.is_flag else f' {word}'}"
            lines.setdefault(row.heading, []).append((spelled, row.short))
    if lines:
        lines.setdefault("Output", []).append(("--help", "show all options"))
    width = max((len(spelled) for pairs in lines.values() for spelled, _ in pairs), default=0)  # of all headings
    for heading, pairs in lines.items():
        formatter.write(f"\n{heading}:\n")
        formatter.write("".join(f"  {spelled:<{width}}  {text}\n" for spelled, text in pairs))
    write_examples(name, formatter)
    formatter.write(MORE if isinstance(command, click.Group) else "")
    return formatter.getvalue()


def write_examples(name: str, formatter: click.HelpFormatter) -> None:
    """Examples: what each is for, and the line."""
    examples = COMMANDS[name].examples if name in COMMANDS else MAIN_EXAMPLES
    formatter.write("\nExamples:\n")
    formatter.write("".join(f"  # {purpose}\n  {line}\n" for purpose, line in examples))
