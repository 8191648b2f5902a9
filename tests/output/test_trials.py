"""A format made for a test is whole with its row and its function; and explanations are never dropped."""

import re
from collections.abc import Iterator
from typing import Any

import click
import pytest
from click.testing import CliRunner
from helpers import SMALL, interval

from irci.base.choices import FORMATS, OutputFormat
from irci.base.errors import UsageError
from irci.cli.group import main
from irci.output import formats
from irci.output.report import Report
from irci.output.tables import Table

QRELS, *RUNS = str(SMALL / "qrels.txt"), *(str(path) for path in sorted((SMALL / "runs").iterdir())[:2])


def as_trial(tables: Any, signature: Any, notes: Any = ()) -> Iterator[str]:
    yield f"{sum(len(table.rows) for table in tables)} rows\n" + "".join(f"~ {note}\n" for note in notes)


@pytest.mark.parametrize("has_notes", [True, False])
def test_a_format_is_written_and_explains_or_refuses_to_by_its_row_alone(
    has_notes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FORMATS, "trial", OutputFormat(has_notes=has_notes))  # type: ignore[misc]
    monkeypatch.setitem(formats.WRITERS, "trial", as_trial)  # type: ignore[misc]
    (option,) = (each for each in main.commands["ap-ci"].params if each.name == "output_format")
    monkeypatch.setattr(option, "type", click.Choice(list(FORMATS)))
    asked = ["ap-ci", "--table", "estimate", "--quiet", "-B", "20", "--format", "trial", QRELS, *RUNS]
    assert CliRunner().invoke(main, asked).stdout == "2 rows\n"
    explained = CliRunner().invoke(main, [*asked, "--explain"])
    report = Report([Table("estimate", "", [interval(0.2, run="b")])], {}, lambda: ["So it is."])
    if has_notes:
        assert len(re.findall(r"(?m)^~ ", explained.stdout)) > 2
        assert report.to_text("trial", explain=True).startswith("1 rows\n~ So it is.\n")  # type: ignore[arg-type]
    else:
        assert (explained.exit_code, explained.stdout) == (2, "")
        assert "--explain cannot be used with tsv, csv, jsonl and trial." in explained.stderr
        with pytest.raises(UsageError, match="explain cannot be used with tsv, csv, jsonl and trial"):
            report.to_text("trial", explain=True)  # type: ignore[arg-type]
    digits = CliRunner().invoke(main, [*asked, "--digits", "2"])
    assert (digits.exit_code, "trial has full precision" in digits.stderr) == (2, True)


@pytest.mark.parametrize("form", FORMATS)
def test_explanations_are_served_or_refused_by_every_format(form: Any) -> None:
    """Never dropped: the sentence is in the output, or there is none."""
    asked = ["map-ci", "--quiet", "--population", "topics", "--format", form, "--explain", QRELS, *RUNS]
    shown = CliRunner().invoke(main, asked)
    assert shown.exit_code == (0 if FORMATS[form].has_notes else 2)
    assert ("for the mean over the population of topics" in shown.stdout) == FORMATS[form].has_notes
