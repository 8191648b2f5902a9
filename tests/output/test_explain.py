"""--explain: that every table and every column printed is told, beside what the same command prints."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers import SMALL, TESTDATA

from irci.cli import writing
from irci.cli.group import main
from irci.options.asked import Asked
from irci.options.commands import TABLES
from irci.output.columns import COLUMNS
from irci.output.kinds import KINDS, Kind, stem, title
from irci.output.report import Report
from irci.output.shown import stretches
from irci.output.tables import Table

ANSWERS = [kind.answer for kind in KINDS.values()]
QRELS = str(SMALL / "qrels.txt")
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())[:3]]
VERSIONS = str(SMALL / "versions.csv")
SEEDS = str(SMALL / "seeds.txt")
FILES = (QRELS, *RUNS)
PLANS = TESTDATA / "plan"
PLANNED = [str(TESTDATA / name) for name in ("qrels.txt", "runs/bm25.run", "runs/reranked.run")]
FEW = ("-B", "40")
PARTS = ("partition-anova", *FEW, "--policy", "drop")
# All that commands print: between them these have every kind of table, with every column.
WIDE: tuple[tuple[str, ...], ...] = (
    ("ap-ci", *FEW, "-q", "-m", "map", "-m", "P_10", *FILES),
    ("ap-ci", *FEW, "--validate", "2", *FILES),
    ("map-ci", *FEW, "-q", "--all-pairs", "--ranks", "--power", "--margin", ".02", *FILES),
    ("compare", "--power", *FILES),
    ("compare", *FEW, "--test", "randomization", "--correction", "holm", "--best", *FILES),
    ("compare", *FEW, "--population", "both", *FILES),
    ("compare", *FEW, "--meta", "random", *FILES),
    ("compare", *FEW, "--meta", "stouffer", *FILES),
    ("compare", "--population", "judgments", "-q", "-m", "P_10", "-m", "rbp", "-m", "Q", *FILES),
    ("map-ci", "--population", "judgments", "-m", "rbp", *FILES),
    ("compare", "--population", "topics,judgments", "-m", "rbp", *FILES),
    ("ap-ci", "-q", "--population", "judgments", "-m", "bpref", "-m", "nERR@10", *FILES),
    ("map-ci", *FEW, "--validate", "2", *FILES),
    ("compare", "--clusters", "(?P<cluster>.).*", *FILES),
    ("map-ci", "-B", "100", "--all-pairs", "--survives", "--clusters", "(?P<cluster>.).*", *FILES),
    ("compare", "-B", "100", "--survives", "--other-qrels", "part.qrels", *FILES),
    ("map-ci", "--scores", "--baseline", "run01", "--looks", "20,40", str(SMALL / "ten.csv")),
    ("map-ci", "--population", "topics", "--plan", str(PLANS / "plan.toml"), *PLANNED),
    ("compare", *FEW, "--ranks", "--slices", "(?P<slice>.).*", *FILES),
    ("map-ci", "--scores", "--baseline", "bm25", "--survives", "--seeds", SEEDS, str(SMALL / "seeds.csv")),
    ("map-ci", "--scores", "--baseline", "alpha", "--survives", "--versions", r"(?P<topic>\d+)(?P<version>\d\d)", VERSIONS),
    ("compare", "--baseline", "bm25", str(TESTDATA / "several"), "--survives"),
    (*PARTS, "--groups", "teams.tsv", *FILES),
    (*PARTS, *(f"--table={kind}" for kind in ("anova", "length", "check", "significant", "pair")), *FILES),
    (*PARTS, "-x", "2,3", "--splits", "2",
     *(f"--table={kind}" for kind in ("agreement", "significant", "length", "check")), *FILES),
    (*PARTS, "--splits", "3", "--groups", "teams.tsv", "--test", "t", *FILES),
    (*PARTS, "--published", "--splits", "9", "--confidence", ".5", *FILES),
    ("partition-anova", *FEW, "--scores", "--versions", r"(?P<topic>\d+)(?P<version>\d\d)", VERSIONS),
    ("partition-anova", *FEW, "--scores", "--table=check", "--versions", r"(?P<topic>\d+)(?P<version>\d\d)", VERSIONS),
    ("stdap-ci", "-q", *FILES),
    ("stdap-ci", "--summary", "a=.2,.1,50", "--summary", "b=.3,.1,50"),
    ("stdap-ci", "--validate", "20", *FILES),
    ("swap-error", "--sizes", "5,10", "--trials", "2", "--clusters", "(?P<cluster>.+)", *FILES),
    ("swap-error", "--scores", "--procedure", "swap", "--sizes", "2,3,...,10,40", "--table", "needed",
     "--clusters", "(?P<cluster>.+)",
     str(SMALL / "ten.csv")),
    ("swap-error", "--scores", "--table", "matrix", "--sizes", "5", "--trials", "2", "--versions",
     r"(?P<topic>\d+)(?P<version>\d\d)", VERSIONS),
    ("swap-error", "counts.csv"),
    ("swap-error", "--procedure", "swap", *FILES),
    ("swap-error", "--procedure", "swap", "--sizes", "1,2,...,5", "--clusters", "(?P<cluster>.+)",
     "--scores", str(SMALL / "ten.csv")),
    ("swap-error", "--procedure", "swap", "--sizes", "5", "--clusters", "(?P<cluster>.+)", "--table", "swap",
     "--scores", str(SMALL / "ten.csv")),
    ("swap-error", "--procedure", "discriminative-power", "-B", "100", "--clusters", "(?P<cluster>.+)", *FILES),
    ("swap-error", "--procedure", "discriminative-power", "-B", "100", "--table", "asl",
     "--clusters", "(?P<cluster>.+)", *FILES),
    ("judges", "--other-qrels", str(SMALL / "llm.txt"), *FILES),
    ("judges", "--other-qrels", str(SMALL / "llm.txt"), "--table", "agreement", "--table", "bias", "--table", "score", *FILES),
    ("wcw", "--clusters", "(?P<cluster>.).*", "--sizes", "50", "--width", ".1", "--tool", "ci", "--tool", "paired", *FILES),
    ("wcw", "--width", ".1", "--difference", ".1", *FILES),
    ("wcw", "--width", ".1", "--tool", "anova", "--tool", "ci", *FILES),
    ("wcw", "--scores", "--sizes", "50", "--width", ".1", "--tool", "ci", "--tool", "paired", "collections.tsv"),
    ("wcw", "--variance", "AP=.05", "--sizes", "50", "--width", ".1"),
    ("wcw", "--variance", "AP=.05", "--difference", ".1"),
    ("wcw", "--table", "noncentrality"),
    ("wcw", "--table", "variance", *FILES),
    ("wcw", "--table", "variance", "--clusters", "(?P<cluster>.).*", *FILES),
    ("wcw", *FILES),
    ("compare", "--ranks", "--judge", QRELS, "people.qrels", *RUNS),
    ("wcw", "--judge", QRELS, "--sizes", "10", "--width", ".2", "people.qrels", *RUNS),
)  # fmt: skip
# What nobody needs to be told, where it means what it ever means.
PLAIN = ("table", "measure", "topic", "run", "value", "lower", "upper")
SELDOM: tuple[Kind, ...] = ("vote",)  # which is only drawn


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[tuple[str, ...], list[Table], list[str]]]:
    """Of each command the tables that it printed, and the lines of text that explain them."""
    folder = tmp_path_factory.mktemp("explained")
    (folder / "teams.tsv").write_text("alpha\tx\nbravo\tx\ncharlie\ty\n")
    lines = Path(QRELS).read_text().splitlines(keepends=True)
    (folder / "people.qrels").write_text("".join(line for line in lines if int(line.split()[0]) > 8))
    (folder / "part.qrels").write_text("".join(lines[::2]))
    (folder / "counts.csv").write_text("A,B,10,3,2\nA,C,15,0,0\n")
    rows = [f"{name}\tr\t{topic}\tmap\t.{topic}{place}\n" for place, name in enumerate("ab") for topic in range(4)]
    rows += [line.replace("\tr\t", "\ts\t").strip() + f"{place % 3}\n" for place, line in enumerate(rows)]
    (folder / "collections.tsv").write_text("collection\trun\ttopic\tmeasure\tvalue\n" + "".join(rows))
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write = writing.write
        for arguments in WIDE:
            shown: list[Table] = []
            manners: list[str] = []

            def kept(given: Asked, report: Report, shown: list[Table] = shown, manners: list[str] = manners) -> None:
                report = writing.as_printed(given, report)
                shown += report.tables
                manners += report.remarks
                manners += [each.line for each in stretches(report.tables, report.signature, tuple(report.sources))]
                write(given, report)

            patch.setattr(writing, "write", kept)
            result = CliRunner().invoke(main, [arguments[0], "--quiet", "--explain", *arguments[1:]], prog_name="irci")
            assert result.exit_code == 0, (arguments, result.output)
            comments = [line for line in result.stdout.splitlines() if line.startswith("# ") and "\t" not in line]
            lines = [line for line in comments if line.removeprefix("# ") not in manners]
            found.append((arguments, shown, lines))
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


@pytest.mark.check
def test_every_table_and_every_column_printed_is_told(explained) -> None:  # type: ignore[no-untyped-def]
    """A column under its own table, or under one before with the same meaning and none between with another."""
    for arguments, tables, lines in explained:
        told = sections(lines)
        names: list[Kind] = list(dict.fromkeys(table.kind for table in tables))
        assert names, arguments
        assert len(told) == len(names), arguments
        known: dict[str, str] = {}
        for kind, (heading, columns) in zip(names, told.items(), strict=True):
            of_kind = [table for table in tables if table.kind == kind]
            assert heading in {title(kind), *(title(kind, table.measure) for table in of_kind)}
            known |= columns
            printed = [table for each in stretches(tables, {}) for table in each.tables if table.kind == kind]
            for column in {column for table in printed for column in table.columns}:
                shown = {row[column] for table in of_kind for row in table.rows if column in row}
                meaning = KINDS[kind].meaning(column, shown)
                if column in PLAIN and meaning == COLUMNS[column]:
                    assert column not in columns
                else:
                    assert known[stem(column)] == meaning, (arguments, kind, column)


@pytest.mark.check
def test_the_walk_is_wide(explained) -> None:  # type: ignore[no-untyped-def]
    """Every kind that a command may print, with every column that it may have."""
    printed: dict[Kind, set[str]] = {}
    for _, tables, _ in explained:
        for table in tables:
            printed.setdefault(table.kind, set()).update(map(stem, table.columns))
    assert {kind for kinds in TABLES.values() for kind in kinds} - set(SELDOM) == set(printed) - set(SELDOM)
    missing = {kind: set(KINDS[kind].columns) - columns for kind, columns in printed.items()}
    for_programs = {"lower_adjusted", "upper_adjusted"}
    assert {kind: columns for kind, columns in missing.items() if columns} == {
        "effect": {"model"}, "difference": for_programs,
    }  # fmt: skip


def test_findings_go_first_and_are_short(explained) -> None:  # type: ignore[no-untyped-def]
    """Sentences, then headings with columns; none of them is empty, and no sentence is one that nobody finishes."""
    for arguments, _, lines in explained:
        headings = [place for place, line in enumerate(lines) if line.partition(": ")[2] in ANSWERS]
        findings = lines[: headings[0]]
        for sentence in findings:
            assert re.fullmatch(r"# \S.*\S\.", sentence), arguments
            assert len(sentence) < 230, sentence
            assert not re.search(r"\bnan\b|\binf\b|\bNone\b", sentence), sentence
