"""-h and --help: one screen, and everything, under the same headings."""

import re
from typing import get_args

import click
import pytest
from click.testing import CliRunner
from helpers import ROOT

from irci.base.choices import Format
from irci.cli.console import ORDER
from irci.cli.group import StudyCommand, main
from irci.options.rows import HEADINGS, options_of

COMMANDS = {name: command for name, command in main.commands.items() if isinstance(command, StudyCommand)}
SIX = ["What to score", "Compare", "Intervals", "Input", "Output", "Replicating a paper"]


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments, prog_name="irci", terminal_width=78)
    assert result.exit_code == 0, result.output
    return result.stdout


def headings(text: str) -> list[str]:
    return re.findall(r"^(\S.*):$", text, re.M)


def spelled(text: str) -> list[str]:
    """The first option of each line that begins with one."""
    return re.findall(r"^  (-[-\w]+)", text, re.M)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_stands_once_under_a_heading(command: str) -> None:
    text = shown(command, "--help")
    assert [each for each in SIX if each in headings(text)] == headings(text)
    context = click.Context(COMMANDS[command])
    options = [each for each in COMMANDS[command].get_params(context) if isinstance(each, click.Option)]
    first = sorted(min(each.opts, key=len) for each in options if not each.hidden)
    assert sorted(spelled(text)) == first
    assert list(HEADINGS) == SIX
    page = (ROOT / "man" / f"irci-{command}.1").read_text()
    assert [each for each in re.findall(r"^\.SS (.*)", page, re.M) if each in SIX] == headings(text)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_the_short_help_is_short(command: str) -> None:
    """Two small screens at most; of options that there are; with two examples or more; where more is told."""
    text = shown(*command.split(), "-h")
    assert len(text.splitlines()) <= 48
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("\n  irci ") >= 2
    assert "--help" in text
    if command:
        assert [each for each in SIX if each in headings(text)] == headings(text)[:-1]
        assert len(spelled(text)) <= 21
        known = {name: each.name for each in COMMANDS[command].params for name in each.opts} | {"--help": "help"}
        first = {name: option.heading for name, option in options_of(command).items()} | {"help": "Output"}
        under = re.split(r"^(\S.*):$", text, flags=re.M)[1:-2]
        for heading, lines in zip(under[::2], under[1::2], strict=True):
            assert [first[known[name]] for name in spelled(lines)] == [heading] * len(spelled(lines))
    else:
        assert re.findall(r"^  ([a-z-]+) {2,}\S", text, re.M) == list(ORDER) == ["compare", "map-ci", *ORDER[2:]]
        assert set(ORDER) == set(main.commands)


def test_formats_of_the_short_help_are_there() -> None:
    (told,) = re.findall(r"--format FORMAT +(.*)", shown("map-ci", "-h"))
    assert set(re.findall(r"\w+", told)) - {"or"} <= set(get_args(Format))


def test_irci_alone_is_wrong_usage_and_gets_the_short_help() -> None:
    result = CliRunner().invoke(main, [], prog_name="irci", terminal_width=78)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == shown("-h")
