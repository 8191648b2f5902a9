"""--table: each kind of table by itself, and which options make it."""

import csv
import io
import json
from collections.abc import Sequence

import pytest
from command_lines import irci
from helpers import SMALL, TESTDATA

from irci.base.errors import UsageError
from irci.cli.group import asked_of, main
from irci.cli.writing import check_tables
from irci.options.asked import check
from irci.options.commands import TABLES
from irci.output.formats import writer
from irci.output.kinds import printed_name
from irci.output.tables import Table
from irci.studies import commands

FILES = [str(SMALL / "qrels.txt"), *(str(path) for path in sorted((SMALL / "runs").iterdir())[:3])]
VERSIONS = ["--scores", "--versions", r"(?P<topic>\d+)(?P<version>\d\d)", "--sizes", "5", str(SMALL / "versions.csv")]
VALIDATE = ["--validate", "1", "-B", "20"]
GROUPS = str(TESTDATA / "small" / "groups.tsv")
ANOVA = ["--policy", "drop", "-B", "50"]
SWAP = ["--procedure", "swap", "--trials", "100", "--scores", str(SMALL / "ten.csv")]
JUDGES = ["--other-qrels", str(SMALL / "llm.txt"), *FILES]
POWER = ["--procedure", "discriminative-power", "-B", "200", *FILES]
JUDGE = ["--judge", ".7:100"]
DATA_DEPENDENT = ("agreement",)  # or of files that are not here
ON_REQUEST = ("asl", "matrix", "variance")  # computed for --table alone
# Columns that only some rows of a kind have: variances that are of a pair name its runs.
OF_SOME_ROWS = {"variance": {"run", "baseline"}}
# What makes each kind of table, by the name that is typed.
MADE: dict[str, dict[str, list[str]]] = {
    "ap-ci": {
        "topic": ["-q", "-B", "20", *FILES], "estimate": ["-B", "20", *FILES],
        "in_interval": [*VALIDATE, *FILES],
    },
    "map-ci": {
        "topic": ["-q", *FILES], "estimate": ["--population", "documents", "-B", "50", *FILES],
        "topic_difference": ["-q", "--baseline", "alpha", *FILES],
        "difference": ["--all-pairs", "--power", *FILES],
        "claim": ["-B", "100", "--all-pairs", "--survives", *FILES],
        "look": ["--baseline", "alpha", "--population", "topics", "--looks", "20,40", *FILES],
        "heterogeneity": [str(TESTDATA / "several"), "--baseline", "bm25"],
        "meta": ["-B", "50", "--baseline", "alpha", "--meta", "fixed", *FILES], "rank": ["-B", "50", "--ranks", *FILES],
        "best": ["-B", "50", "--best", *FILES],
        "in_interval": [*VALIDATE, *FILES],
    },
    "partition-anova": {
        "effect": [*ANOVA, *FILES], "pair": [*ANOVA, *FILES], "anova": [*ANOVA, *FILES],
        "length": [*ANOVA, *FILES], "check": [*ANOVA, *FILES],
        "significant": [*ANOVA, *FILES], "agreement": [*ANOVA, "--splits", "3", *FILES],
    },
    "stdap-ci": {
        "topic": ["-q", *FILES], "estimate": FILES, "difference": ["--summary", "a=.2,.1,50,r", "--summary", "b=.3,.1,50,r"],
        "type_one": ["--validate", "20", *FILES],
    },
    "swap-error": {
        "error_rate": FILES, "matrix": ["--table", "matrix", *VERSIONS],
        "needed": SWAP, "swap": SWAP, "power": POWER, "asl": ["--table", "asl", *POWER],
    },
    "wcw": {
        "variance": ["--table", "variance", *FILES],
        "wcw": ["--variance", "AP=.05", *JUDGE],
        "topics": ["--variance", "AP=.05", "--width", ".1"], "noncentrality": ["--table", "noncentrality"],
    },
    "judges": dict.fromkeys(("confusion", "labels", "order", "agreement", "bias", "score"), JUDGES),
}  # fmt: skip


def test_every_kind_is_tried() -> None:
    for command, kinds in TABLES.items():
        assert list(MADE[command]) == [printed_name(kind) for kind in kinds]


@pytest.mark.sample(2)
@pytest.mark.parametrize("command", MADE)
def test_options_make_the_tables_that_they_are_said_to_make(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What --table accepts is what is printed; of one kind csv has no empty cell."""
    made: list[Table] = []
    monkeypatch.setattr(commands, "chosen_tables", lambda given, tables: made.extend(tables) or tables)

    def tables_by(*options: str) -> list[Table]:
        made.clear()
        result = irci(command, "--quiet", *options)
        assert result.exit_code == 0, result.output
        return [*made]

    missing = set(MADE[command]) - set(DATA_DEPENDENT)
    for options in {" ".join(each): each for each in MADE[command].values() if each}.values():
        plain = tables_by(*options)
        for name in MADE[command]:
            (kind,) = (kind for kind in TABLES[command] if printed_name(kind) == name)
            with_rows = [option for option in options if option != "-q" or name.startswith("topic")]  # that -q adds to
            is_accepted = accepts(command, name, with_rows)
            printed = tables_by("--table", name, *options) if name in ON_REQUEST and is_accepted else plain
            of_kind = [table for table in printed if table.kind == kind]
            assert is_accepted == bool(of_kind) or name in DATA_DEPENDENT, (name, options)
            header, *rows = csv.reader(io.StringIO("".join(writer("csv")(of_kind, {}, ())))) if of_kind else ([],)
            assert not [row for row in rows if row == header or len(row) < len(header)]
            empty = {column for row in rows for column, cell in zip(header, row, strict=True) if not cell}
            assert empty <= OF_SOME_ROWS.get(name, set()), (name, options)
            missing -= {name} if rows else set()
    assert not missing


def accepts(command: str, name: str, options: Sequence[str]) -> bool:
    """Whether such a line is refused is known without running it."""
    context = main.commands[command].make_context(command, ["--table", name, *options])
    try:
        asked = asked_of(context)
        check(asked)
        check_tables(asked)
    except UsageError:
        return False
    return True


@pytest.mark.check
def test_several_tables_in_all_formats() -> None:
    """Those that are asked for, in the order of all."""
    options = [
        "map-ci",
        "--quiet",
        "-B",
        "100",
        "--baseline",
        "alpha",
        "--ranks",
        "--table",
        "rank",
        "--table",
        "difference",
    ]
    options += FILES
    rows = json.loads(irci(*options, "--format", "json").stdout)["rows"]
    assert {row["measure"] for row in rows} == {"map_diff", "rank"}
    assert [json.loads(line) for line in irci(*options, "--format", "jsonl").stdout.splitlines()] == rows
    text = [line.split("\t")[0].strip() for line in irci(*options).stdout.splitlines() if not line.startswith("#")]
    assert text == [row["measure"] for row in rows]
    for form in ("table", "markdown", "latex", "csv", "tsv"):
        shown = irci(*options, "--format", form).stdout
        assert ("rank" in shown, "letters" in shown, "sd_documents" in shown) == (True, True, False), form


def test_what_is_not_made_or_not_known() -> None:
    for arguments, message in (
        (["map-ci", "--table", "difference"], "--table difference takes --baseline or --all-pairs."),
        (["map-ci", "--table", "topic_difference"], "takes --per-topic, and --baseline or --all-pairs."),
        (["ap-ci", "-n", "--table", "estimate"], "--table estimate takes no --no-summary."),
        (["wcw", "--table", "variance", "--variance", "AP=.1"], "--table variance takes QRELS RUN... ."),
        (["swap-error", "--table", "swap"], "--table swap takes --procedure swap."),
        (
            ["map-ci", "--table", "diference"],
            "no table 'diference' (did you mean difference?): there are topic, estimate,",
        ),
        (["map-ci", "--table", "nonsense"], "no table 'nonsense': there are topic, estimate, topic_difference,"),
    ):
        refused = irci(*arguments, *([] if "AP=.1" in arguments else FILES))
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert message in refused.stderr


def test_a_table_that_has_no_rows_is_told_of() -> None:
    shown = irci("partition-anova", "--table", "agreement", *ANOVA, *FILES)
    assert (shown.exit_code, shown.stdout) == (0, "")
    assert "irci: warning: --table agreement: no rows" in shown.stderr
