"""Tables: what --table takes is what options make; --explain tells of every table and every column, beside what is printed."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from command_lines import irci, said
from digits import make
from helpers import SMALL

from irci.cli import writing
from irci.options.asked import Asked
from irci.options.commands import COMMANDS
from irci.output.formats import stretches, written
from irci.output.report import Report
from irci.output.tables import KINDS, Kind, Table, goes_without_saying, meaning, meanings, stem, title
from irci.studies import commands

ANSWERS = [meanings()[kind]["answer"] for kind in KINDS]
FILES = "small/qrels.txt small/runs/*"
RULE, CLUSTERS = r"'(?P<topic>\d+)(?P<version>\d\d)'", "--clusters '(?P<cluster>.).*'"
# Lines that between them print every kind of table, with every column: names of those of tests/digits, and others.
NAMED = """
    ap-ci-topics ap-ci-validate ap-ci-unjudged ap-ci-judged-only compare-per-topic map-ci-ranks compare-power both-pairs
    compare-best-scores compare-best-baseline meta-fixed meta-stouffer judgments clusters-margin clusters-survives
    survives-collections survives-versions survives-level looks looks-early slices-of-one-joint seeds-margin
    seeds-survives passes-survives
    collections judge-ranks anova anova-groups-small anova-splits anova-published anova-versions std-topics
    std-summary std-validate-cdf swap swap-counts swap-halves swap-halves-clusters swap-clusters-mean swap-power
    swap-power-clusters swap-error-versions swap-error-power-json judges judges-clusters wcw wcw-files wcw-difference wcw-judge
    wcw-scores wcw-clusters-2 wcw-topics-table wcw-noncentrality
"""
OTHERS = [
    f"compare -q --population judgments -m P_10 -m rbp -m Q {FILES}",
    f"compare -B 100 --survives --other-qrels part.qrels {FILES}",
    *(f"partition-anova -B 40 --policy drop {splits} --table={' --table='.join(kinds.split())} {FILES}" for splits, kinds in
      (("", "anova length check significant pair"), ("-x 2,3 --splits 2", "agreement significant length check"))),
    f"partition-anova -B 40 --scores --table=check --versions {RULE} small/versions.csv",
    f"swap-error --procedure swap --sizes 5 {CLUSTERS} --table swap --scores small/ten.csv",
    f"swap-error --procedure discriminative-power -B 100 {CLUSTERS} --table asl {FILES}",
    f"judges --other-qrels small/llm.txt --table agreement --table bias --table score {FILES}",
]  # fmt: skip
# Columns that only some rows of a kind have: variances that are of a pair name its runs; the best run itself has no p.
OF_SOME_ROWS: dict[Kind, set[str]] = {
    "variance": {"run", "baseline"},
    "best": {"baseline", "p_best", "corrected"},
    "topics": {"width", "difference"},
    "significant": {"part"},
}
SELDOM: tuple[Kind, ...] = ("vote",)  # which is only drawn


class Explained(NamedTuple):
    """Of a command the tables that it made and that it printed, and the lines of text that explain them."""

    line: str
    made: list[Table]
    shown: list[Table]
    told: list[str]


@pytest.fixture(scope="module", params=[3, pytest.param(1, marks=pytest.mark.check)])
def explained(request: pytest.FixtureRequest) -> list[Explained]:
    """Of every third line, or of all."""
    found = []
    write, chosen_tables = writing.write, commands.chosen_tables
    with pytest.MonkeyPatch.context() as patch, make.inputs():
        judged = Path("small", "qrels.txt").read_text().splitlines(keepends=True)
        Path("part.qrels").write_text("".join(judged[::2]))
        for line in [*map(make.lines().get, NAMED.split()), *OTHERS][:: request.param]:
            made: list[Table] = []
            shown: list[Table] = []
            manners: list[str] = []

            def kept(given: Asked, report: Report, *said: Any, shown: Any = shown, manners: Any = manners) -> None:
                report = writing.as_printed(given, report)
                shown += report.tables
                manners += report.remarks
                manners += [line for _, _, line in stretches(report)]
                write(given, report, *said)

            def chosen(given: Asked, tables: list[Table], made: list[Table] = made) -> list[Table]:
                made += tables
                return chosen_tables(given, tables)

            patch.setattr(writing, "write", kept)
            patch.setattr(commands, "chosen_tables", chosen)
            status, printed = said(f"irci {line} --quiet --explain", Path.cwd())
            assert status in (0, 5, 6), (line, printed)
            comments = [each for each in printed.splitlines() if each.startswith("# ") and "\t" not in each]
            assert {table.kind for table in made} <= {*COMMANDS[line.split()[0]].tables}
            told = [each for each in comments if each.removeprefix("# ") not in manners]
            found.append(Explained(line, made, shown, told))
    return found


def sections(lines: Sequence[str]) -> dict[str, dict[str, str]]:
    """Under each heading `# TITLE: ANSWER`, the meanings of columns `#   NAME: MEANING`."""
    found: dict[str, dict[str, str]] = {}
    for line in lines:
        if line.startswith("#   "):
            name, _, what = line.removeprefix("#   ").partition(": ")
            found[next(reversed(found))][name] = what
        elif line.partition(": ")[2] in ANSWERS:
            found[line.removeprefix("# ").partition(": ")[0]] = {}
    return found


def test_every_table_and_every_column_printed_is_told(explained) -> None:  # type: ignore[no-untyped-def]
    """A column under its own table, or under one before with the same meaning and none between with another."""
    for arguments, _, tables, lines in explained:
        told = sections(lines)
        names: list[Kind] = list(dict.fromkeys(table.kind for table in tables))
        assert names, arguments
        assert len(told) == len(names), arguments
        known: dict[str, str] = {}
        for kind, (heading, columns) in zip(names, told.items(), strict=True):
            of_kind = [table for table in tables if table.kind == kind]
            assert heading in {title(kind), *(title(kind, table.measure) for table in of_kind)}
            known |= columns
            printed = [
                table for _, of_one, _ in stretches(Report(tables, {})) for table in of_one if table.kind == kind
            ]
            for column in {column for table in printed for column in table.columns}:
                if goes_without_saying(kind, column):
                    assert column not in columns
                else:
                    assert known[stem(column)] == meaning(kind, column), (arguments, kind, column)


@pytest.mark.check
@pytest.mark.parametrize("explained", [1], indirect=True)
def test_the_walk_is_wide(explained) -> None:  # type: ignore[no-untyped-def]
    """Every kind that a command may print, with every column that it may have."""
    printed: dict[Kind, set[str]] = {}
    for _, _, tables, _ in explained:
        for table in tables:
            printed.setdefault(table.kind, set()).update(map(stem, table.columns))
    assert {kind for row in COMMANDS.values() for kind in row.tables} - set(SELDOM) == set(printed) - set(SELDOM)
    missing = {kind: set(KINDS[kind].columns) - columns for kind, columns in printed.items()}
    for_programs = {"lower_adjusted", "upper_adjusted"}
    assert {kind: columns for kind, columns in missing.items() if columns} == {
        "effect": {"model"}, "difference": for_programs,
    }  # fmt: skip


def test_findings_go_first_and_are_short(explained) -> None:  # type: ignore[no-untyped-def]
    """Sentences, then headings with columns; none of them is empty, and no sentence is one that nobody finishes."""
    for arguments, _, _, lines in explained:
        headings = [place for place, line in enumerate(lines) if line.partition(": ")[2] in ANSWERS]
        findings = lines[: headings[0]]
        for sentence in findings:
            assert re.fullmatch(r"# \S.*\S\.", sentence), arguments
            assert len(sentence) < 230, sentence
            assert not re.search(r"\bnan\b|\binf\b|\bNone\b", sentence), sentence


def test_tables_have_no_empty_cells(explained) -> None:  # type: ignore[no-untyped-def]
    """No cell that csv would leave empty."""
    for line, made, _, _ in explained:
        for kind in {table.kind for table in made}:
            text = "".join(written(Report([table for table in made if table.kind == kind], {}), "csv"))
            header, *rows = csv.reader(io.StringIO(text))
            assert not [row for row in rows if row == header or len(row) < len(header)]
            empty = {column for row in rows for column, cell in zip(header, row, strict=True) if not cell}
            assert empty <= OF_SOME_ROWS.get(kind, set()), (line, kind)


FOUR = [str(SMALL / "qrels.txt"), *(str(path) for path in sorted((SMALL / "runs").iterdir())[:3])]


def test_what_is_not_made_or_not_known() -> None:
    for arguments, message in (
        (
            ["map-ci", "--table", "difference", "--table", "claim"],
            "--table difference, claim: this call makes only estimate.",
        ),
        (["swap-error", "--table", "swap"], "--table swap: this call makes only error_rate."),
        (["map-ci", "--table", "nonsense"], "'nonsense' is not one of topic, estimate, topic_difference,"),
    ):
        refused = irci(*arguments, *([] if "AP=.1" in arguments else FOUR))
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert message in refused.stderr


def test_a_table_that_has_no_rows_is_told_of() -> None:
    """Beside one that has; alone it is refused."""
    line = ["partition-anova", "--table", "agreement", "--policy", "drop", "-B", "50"]
    shown = irci(*line, "--table", "pair", *FOUR)
    assert (shown.exit_code, "irci: warning: --table agreement: no rows" in shown.stderr) == (0, True)
    assert shown.stdout
    refused = irci(*line, *FOUR)
    assert (refused.exit_code, refused.stdout) == (2, "")
