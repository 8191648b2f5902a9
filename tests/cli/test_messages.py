"""Messages: right means that they say what is wrong and what to do next, in the words a user would look for."""

from pathlib import Path
from typing import Any

import pytest
from command_lines import irci
from helpers import QRELS, SMALL

from irci.base import logger
from irci.cli import group
from irci.options.asked import Asked
from irci.studies.commands import answered
from irci.wording import Notice, templates

RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())][:2]


@pytest.fixture
def scores(tmp_path: Path) -> str:
    """A small matrix of two runs."""
    path = tmp_path / "x.csv"
    path.write_text("topic,bm25,dense\n1,.1,.2\n2,.3,.5\n3,.2,.9\n")
    return str(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["map-ci", "--baseline", "bm52"], "no run is named 'bm52'. There are bm25, dense"),
        (["stdap-ci", "--reference", "bm25,Dense"], "no run is named 'Dense'. There are bm25, dense"),
        (
            ["map-ci", "--topics", "7-9"],
            "{scores}: none of the topics asked for is there (--topics takes a list, or @FILE)",
        ),
    ],
)
def test_names_that_are_not_there(options: list[str], message: str, scores: str) -> None:
    result = irci(*options, "--quiet", "--scores", scores)
    assert (result.exit_code, result.stderr) == (4, f"irci: {message.format(scores=scores)}\n")


@pytest.mark.parametrize("command", ["map-ci", "stdap-ci"])
def test_nothing_is_asked_for(command: str, scores: str, tmp_path: Path) -> None:
    """-n alone prints nothing, and is refused before anything is read; not where scores are to be saved."""
    result = irci(command, "-n", "--scores", "no such file")
    assert (result.exit_code, "-n alone leaves nothing to print: add -q" in result.stderr) == (2, True)
    saved = tmp_path / "saved.tsv"
    assert irci(command, "-n", "--save-scores", str(saved), "--scores", scores).exit_code == 0
    assert saved.exists()


@pytest.mark.parametrize(("options", "told"), [([], True), (["--quiet"], False)])
def test_compiling_is_told_wherever_standard_error_goes(
    options: list[str], told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log in a file says too why a minute was needed; --quiet leaves it out."""

    def told_first(given: Asked) -> Any:
        logger.info("compiling")
        return answered(given)

    monkeypatch.setattr("irci.studies.commands.answered", told_first)
    assert ("irci: compiling\n" in irci("ap-ci", "-B", "0", *options, QRELS, RUNS[0]).stderr) == told


@pytest.mark.parametrize(("is_terminal", "printed"), [(True, 3), (False, 5)])
def test_few_notices_on_a_terminal(
    is_terminal: bool, printed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The three most important, and how many more there are; all go to a file, as they come."""
    monkeypatch.setattr(logger, "show", None)
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)
    names = [*templates()["notice"]]
    with group.few_notices():
        for name in reversed(names[:5]):
            notice = Notice(name)
            notice.name = name
            logger.warning(notice)
    lines = capsys.readouterr().err.splitlines()
    in_order = names[:3] if is_terminal else reversed(names[:5])
    assert lines[:printed] == [f"irci: warning: {name}" for name in in_order]
    assert lines[printed:] == (["irci: 2 more warnings: --explain prints all"] if is_terminal else [])
    monkeypatch.setenv("COLUMNS", "30")
    group.show(logger.WARNING, "29 topics have tied scores in map")
    broken = "\n  " if is_terminal else " "
    assert capsys.readouterr().err == f"irci: warning: 29 topics have{broken}tied scores in map\n"
