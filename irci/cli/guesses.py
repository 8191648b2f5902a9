"""Guesses: what may be meant by a command or an option that there is not, spelled out with what was typed.

Entered only where something is refused.
"""

import os
from collections.abc import Sequence
from difflib import get_close_matches

import click

from irci.cli.console import ORDER
from irci.options.commands import COMMANDS
from irci.options.lines import quoted

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
