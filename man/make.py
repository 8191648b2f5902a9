"""Make the man pages from the command tree, and append the sections written by hand: python man/make.py [FOLDER]

click-man writes NAME, SYNOPSIS, DESCRIPTION, OPTIONS and COMMANDS; sections/COMMAND.man holds what no help text says. COLUMNS,
before the examples, is made of the meanings that headers and --explain go by.
"""

import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click_man.core import write_man_pages

import irci
from irci.cli.group import StudyCommand, grouped, main
from irci.options.commands import COMMANDS
from irci.output.tables import KINDS, Kind, goes_without_saying, meaning, meanings, title

HERE = Path(__file__).parent
DATE = re.findall(r"^## [0-9.]+ \((.+)\)$", (HERE.parent / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
STRUCTURED = "collection versions seeds sd_seeds_component estimator human others lambda r gain judge_mean"
# Of kinds that several commands print: columns that only some of these commands have.
OF_ONE_COMMAND = (
    ("topic", "ap-ci", "corrected"), ("topic", "map-ci", "population"),
    ("estimate", "ap-ci", "corrected"), ("estimate", "map-ci stdap-ci", "population topics df clusters"),
    ("estimate", "map-ci", "sd_documents sd_topics share_documents sd_seeds " + STRUCTURED), ("estimate", "stdap-ci", "sd"),
    ("difference", "map-ci", "population p_adjusted lower_adjusted upper_adjusted sd_documents sd_topics"
     " share_documents p_equivalence p_equivalence_adjusted detectable topics_needed effect_lower effect_upper"
     " difference secondary verdict topics clusters seeds_baseline " + STRUCTURED),
)  # fmt: skip


def make(folder: Path) -> None:
    """Write one page a command into the folder: all of them, or none where one cannot be made."""
    with TemporaryDirectory() as made:
        write_pages(Path(made))
        for page in Path(made).iterdir():
            shutil.copy(page, folder)


def write_pages(folder: Path) -> None:
    """Write one page a command into an empty folder."""
    write_man_pages("irci", main, version=irci.__version__, target_dir=str(folder), date=DATE)
    for page in folder.glob("irci*.1"):
        by_hand = (HERE / "sections" / f"{page.stem}.man").read_text()
        before, examples, after = by_hand.partition(".SH EXAMPLES")
        columns = columns_of(page.stem.removeprefix("irci-"))
        page.write_text("".join((under_headings(page.stem, page.read_text()), before, columns, examples, after)))


def under_headings(name: str, page: str) -> str:
    """The section OPTIONS in the order of --help, under its headings."""
    command = main.commands.get(name.removeprefix("irci-"))
    before, begin, options = page.partition(".SH OPTIONS\n")
    if not isinstance(command, StudyCommand):
        return page
    names = [option.name for option in command.params if isinstance(option, click.Option) and not option.hidden]
    entries = dict(zip(names, options.split(".TP\n")[1:], strict=True))
    sections = (
        f".SS {heading}\n" + "".join(f".TP\n{entries[option.name]}" for option in members)
        for heading, members in grouped(command.params).items()
    )
    return "".join((before, begin, *sections))


def columns_of(command: str) -> str:
    """The section COLUMNS of a command: each kind of table, and what its columns mean."""
    kinds = COMMANDS[command].tables if command in COMMANDS and COMMANDS[command].rows == command else ()
    return "".join([".SH COLUMNS\n" if kinds else "", *(of_kind(command, kind) for kind in kinds)])


def of_kind(command: str, kind: Kind) -> str:
    """One kind of table: what it answers, and its columns."""
    lines = [f".TP\n.B {escaped(column)}\n{escaped(text)}\n" for column, text in columns(command, kind)]
    return f".SS {escaped(title(kind))}\n{escaped(meanings()[kind]['answer'])}\n" + "".join(lines)


def columns(command: str, kind: Kind) -> list[tuple[str, str]]:
    """Columns of a kind of table that a command prints, each with its meaning, but those that go without saying."""
    of = KINDS[kind]
    only = [columns for name, commands, columns in OF_ONE_COMMAND if name == kind and command not in commands.split()]
    silent = " ".join(only).split()
    silent += [column for column in of.columns if of.is_estimate and goes_without_saying(kind, column)]
    return [(column, meaning(kind, column)) for column in of.columns if column not in silent]


def escaped(text: str) -> str:
    """Text as roff takes it."""
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
