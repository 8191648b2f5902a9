"""Helps; and guesses what may be meant by a command or an option that
there is not, spelled out with what was typed.

-h says on a screen what most people need, --help everything; both under the same headings.
"""

import os
from collections.abc import Iterable, Mapping, Sequence

import click

from irci.options.commands import COMMANDS
from irci.options.rows import options_of
from irci.options.words import quoted

TYPED = "irci.typed"  # where what was typed behind the name of a command stands in its context
NOTICES = "irci.notices"  # where what prints notices stands in the context of a command
WARNINGS = "irci.warnings"  # where what has been warned of stands in the context of a command
NO_SUCH_FILE = "no such file or directory"
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
GROUPS = {
    "Compare runs": ("compare", "map-ci"),
    "One paper each": ("ap-ci", "partition-anova", "stdap-ci", "swap-error", "wcw"),
    "Judgments": ("judges",),
    "More": ("measures", "verify", "compile"),
}
ORDER = tuple(name for names in GROUPS.values() for name in names)


def grouped(parameters: Iterable[click.Parameter]) -> Mapping[str, Sequence[click.Option]]:
    """The options that help shows, by their headings, in order; those of no row, such as --help, go to Output."""
    groups: dict[str, list[click.Option]] = {}
    for parameter in parameters:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            heading = parameter.row.heading if hasattr(parameter, "row") else "Output"
            groups.setdefault(heading, []).append(parameter)
    return groups


def write_options(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """All options, under their headings."""
    for heading, options in grouped(command.get_params(ctx)).items():
        with formatter.section(heading):
            formatter.write_dl([record for option in options if (record := option.get_help_record(ctx))], col_max=4)


def write_commands(group: click.Group, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """All commands under their headings, each with its question and the paper that it is of."""
    widest = max(map(len, ORDER))
    for heading, names in GROUPS.items():
        lines = []
        for name in names:
            command = group.get_command(ctx, name)
            question = "" if command is None else str(command.short_help)
            paper = COMMANDS[name].paper if name in COMMANDS else ""
            lines.append((name.ljust(widest), f"{question} ({paper})" if paper else question))
        with formatter.section(heading):
            formatter.write_dl(lines)


def short(command: click.Command, ctx: click.Context) -> str:
    """The screen that -h prints: what the command is for, the options most people need, and examples."""
    formatter = ctx.make_formatter()
    formatter.write_usage(ctx.command_path, " ".join(command.collect_usage_pieces(ctx)))
    formatter.write(f"\n  {command.short_help or ''}\n")
    if isinstance(command, click.Group):
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(WHAT)
        command.format_commands(ctx, formatter)
    lines = _short_lines(str(command.name)) if command.name in COMMANDS else {}
    width = max((len(spelled) for pairs in lines.values() for spelled, _ in pairs), default=0)  # of all headings
    for heading, pairs in lines.items():
        formatter.write(f"\n{heading}:\n")
        formatter.write("".join(f"  {spelled:<{width}}  {text}\n" for spelled, text in pairs))
    write_examples(str(command.name), formatter)
    formatter.write(MORE if isinstance(command, click.Group) else "")
    return formatter.getvalue()


def _short_lines(command: str) -> dict[str, list[tuple[str, str]]]:
    lines: dict[str, list[tuple[str, str]]] = {}
    for row in options_of(command).values():
        if (line := row.in_short(command) or row.in_short(COMMANDS[command].rows)) is not None:
            lines.setdefault(row.heading, []).append(line)
    lines.setdefault("Output", []).append(("--help", "show all options"))
    return lines


def write_examples(name: str, formatter: click.HelpFormatter) -> None:
    """Examples: what each is for, and the line."""
    examples = COMMANDS[name].examples if name in COMMANDS else MAIN_EXAMPLES
    formatter.write("\nExamples:\n")
    formatter.write("".join(f"  # {purpose}\n  {line}\n" for purpose, line in examples))


# Words that are typed for commands, each line with the beginning of the command that is meant.
OF_COMMANDS = {
    "plot draw figure picture chart graph": "compare --plot comparison.png",
    "rank ranks ranking leaderboard": "compare --ranks",
    "sig significance test ttest t-test pvalue p-value diff difference better vs": "compare",
    "eval evaluate trec_eval score scores run measure": "compare", "topics size power samplesize": "wcw",
    "pairs all-pairs": "compare --all-pairs", "judge agreement kappa": "judges",
    "anova": "partition-anova", "standardise standardize": "stdap-ci", "ci": "map-ci",
}  # fmt: skip
# The same of options, of all commands that have what is meant.
OF_OPTIONS = {
    "--measures --metric --metrics --eval": "-m MEASURE", "--alpha --level --ci --conf --significance":
    "--confidence P, which is 1 - alpha", "--json": "--format json", "--csv": "--format csv", "--tsv": "--format tsv",
    "--latex --tex": "--format latex", "--html": "--format html", "--markdown --md": "--format markdown",
    "--qrels --qrel --run --runs --input": "the files alone, QRELS first: irci {command} {files}",
    "--bonferroni --holm": "--correction holm, which is the default", "--bh --fdr": "--correction bh",
    "--bootstrap --nboot --n-resamples --iterations --samples": "--resamples N", "--out --out-file": "--output FILE",
    "--figure --picture --draw": "--plot FILE", "--by-topic --by-query --per-query --verbose": "--per-topic",
    "--cutoff --depth -k": "-m nDCG@10 for a cutoff of a measure, or -M N for the first N documents",
    "--decimals --precision": "--digits N", "--tie --tie-break": "--ties WORD",
    "--jobs --workers --cores --cpus": "--threads N",
    "--equivalence --rope --tost --equivalent --same": "--margin MARGIN",
    "--delta --mde --effect --effect-size --min-diff --minimum-difference": "irci wcw --difference AMOUNT",
    "--sample-size --topics-needed --n-topics": "--power, or irci wcw --difference AMOUNT",
    "--fail --fail-on --fail-if-worse --worse --assert --check": "--fail-if worse",
    "--datasets --dataset --collection --beir": "irci compare FOLDER",
    "--wide --pivot": "--layout wide", "--sig --marks --stars --asterisks --daggers":
    "--layout wide, which marks significant differences",
    "--error-bars --errorbars --plus-minus": "--layout wide --limits plus-minus",
    "--template --templates --cluster --group-by": "--clusters FILE",
    "--holes --unjudged --pool --bounds --worst-case": "--population judgments",
    "--relevance --rel --min-rel --threshold": "-l N", "--random-seed --random-state": "--seed N", "--silent": "--quiet",
    "--permutation --randomization --randomisation": "--test randomization", "--wilcoxon": "--test wilcoxon",
    "--t-test --ttest": "--test t, which is the default",
}  # fmt: skip
NEEDLESS = {
    "-N": "no number of documents is needed, unlike by trec_eval: leave it out",
}


def line_meant(words: Sequence[str]) -> str:
    """The line that may be meant by words that begin with no command; "" if none is."""
    first, *rest = words
    plain = first.lower().replace("_", "-")
    if plain in ("help", "man"):
        return _line(f"{rest[0]} --help" if rest and rest[0] in ORDER else "--help", [])
    if plain.lstrip("-") in ORDER and plain.startswith("-"):
        return _line(plain.lstrip("-"), rest)
    if plain in ("version", "about"):
        return _line("--version", [])
    for guesses, command in OF_COMMANDS.items():
        if plain in guesses.split() or first.lower() in guesses.split():
            return _line(_for_files(command, rest), rest)
    if os.path.exists(first) or first.startswith("-") or set("./") & set(first):
        return _line(_for_files("compare", words), words)
    from difflib import get_close_matches  # takes time

    near = get_close_matches(plain, ORDER, 1, 0.7)
    return _line(near[0], rest) if near else ""


def _for_files(command: str, words: Sequence[str]) -> str:
    """A command of runs; in place of one that compares, one of scores where there is but one run."""
    files = [word for word in words if os.path.isfile(word)]
    options = [word for word in words if word.startswith("-")]
    if not command.startswith("compare") or len(files) > 2 or not words:
        return command
    return "ap-ci" if "-q" in options else command.replace("compare", "map-ci")


def _line(command: str, words: Sequence[str]) -> str:
    files = [] if words or command not in COMMANDS else [COMMANDS[command].files]
    return " ".join(["irci", command, *map(quoted, words), *files])


def unknown_option(
    command: str, error: click.NoSuchOption, words: Sequence[str], ctx: click.Context
) -> click.UsageError:
    """The refusal of an option that a command does not have, with what it may mean where that is known."""
    option = error.option_name
    if option in NEEDLESS:
        return click.UsageError(f"No such option '{option}': {NEEDLESS[option]}", ctx)
    meant = next((meant for names, meant in OF_OPTIONS.items() if option in names.split()), "")
    if not meant:
        return error
    files = [word for word in words if os.path.isfile(word)]
    files.sort(key=lambda word: words[words.index(word) - 1] not in ("--qrels", "--qrel"))
    typed = " ".join(map(quoted, files)) or COMMANDS[command].files
    return click.UsageError(
        f"No such option '{option}': did you mean {meant.format(command=command, files=typed)}?", ctx
    )
