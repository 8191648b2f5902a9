"""Names as they are written: whatever they hold, attacks too, they are one cell of one line, and nothing obeys them."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner, Result
from command_lines import irci
from hostile_names import EVERY, NAMES, THREE, cells_of_latex, is_obeyed, shown
from hypothesis import example, given
from hypothesis import strategies as st
from output.test_page import Parsed

from irci.base import DataError, FormatError, file_name, raw, text, visible
from irci.base.choices import NO_NOTES, Format
from irci.cli.group import main
from irci.data.score_files import read_scores
from irci.data.scores import Scores, saved_text
from irci.output import formats
from irci.output.formats import WRITTEN
from irci.output.report import Report
from irci.output.tables import tables

COLUMNS = ["measure", "topic", "value", "run"]


def written(form: str, names: tuple[str, str, str]) -> str:
    """Two rows, a setting and a sentence in a format; what is obeyed in it are line ends, and tabs where they part cells."""
    measure, topic, run = names
    rows = [{"measure": measure, "topic": each, "value": 0.5, "run": run} for each in (topic, "all")]
    report = Report(tables("estimate", "", rows), {"irci": "0", "topics": topic})
    output = "".join(formats.written(report, form, [f"So is {run}."]))  # type: ignore[arg-type]
    allowed = "\n\t" if form in ("text", "tsv") else "\n"
    assert not any(is_obeyed(letter) for letter in output if letter not in allowed)
    return output


def same_cells(cells: list[str], names: tuple[str, str, str], also_bytes: bool = False) -> bool:
    """Whether a row read back holds the names, but for blanks at their ends."""
    return [cells[place].strip(" ") for place in (0, 1, 3)] == [shown(name, also_bytes).strip(" ") for name in names]


@EVERY
@given(names=THREE)
def test_text_and_tables_have_a_line_a_row(names: tuple[str, str, str]) -> None:
    header, first, second, note, *more = written("text", names).split("\n")
    assert (header, more) == ("# " + "\t".join(COLUMNS), [""])
    assert first.count("\t") == second.count("\t") == 3
    assert same_cells(first.split("\t"), names)
    _, _, row, _, *end = written("table", names).split("\n")
    assert all(shown(name).strip(" ") in row for name in names)
    assert end == [note, ""] == [f"# So is {shown(names[2])}.", ""]


@EVERY
@given(names=THREE)
def test_tsv_and_csv_are_read_back_by_other_programs(names: tuple[str, str, str]) -> None:
    tabbed = [line.split("\t") for line in written("tsv", names).split("\n")[:-1]]
    quoted = list(csv.reader(io.StringIO(written("csv", names))))
    assert tabbed == quoted
    assert tabbed[0] == COLUMNS
    assert same_cells(tabbed[1], names)
    assert len(tabbed) == 3


@EVERY
@given(names=THREE)
@example(names=("map", "caf\udce9", "\udcff\udcc3"))
def test_json_is_unicode(names: tuple[str, str, str]) -> None:
    """No half of a surrogate pair, which no UTF-8 has: bytes that are none are written as backslash, x and their number."""
    document = json.loads(written("json", names))
    lines = [json.loads(line) for line in written("jsonl", names).splitlines()]
    assert lines == document["rows"]
    assert same_cells([str(cell) for cell in document["rows"][0].values()], names, also_bytes=True)
    assert document["signature"]["topics"] == shown(names[1], also_bytes=True)
    assert document["notes"] == [f"So is {shown(names[2], also_bytes=True)}."]
    json.dumps(document, ensure_ascii=False).encode("utf-8")


@EVERY
@given(names=THREE)
@example(names=("map", "--->", "--!><script>"))
@example(names=("\\|", "\\", "a`|`b"))
def test_no_name_in_markdown_is_markup(names: tuple[str, str, str]) -> None:
    lines = written("markdown", names).split("\n")
    assert len(lines) == 2 + 2 + 1 + 1
    for line in lines[:4]:
        assert "<" not in line
        # A cell ends at a bar that no backslash precedes.
        assert re.fullmatch(r"\|(?:(?:\\.|[^\\|])*\|){4}", line)
    cells = re.findall(r"((?:\\.|[^\\|])*)\|", lines[2][1:])
    plain = [re.sub(r"\\(.)", r"\1", cell[1:-1]) for cell in cells]
    for entity, letter in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        plain = [cell.replace(entity, letter) for cell in plain]
    assert same_cells(plain, names)
    for cell in cells:
        assert not re.search(r"(?<!\\)[*_`~$\[\]]", re.sub(r"\\\\", "", cell))
    assert re.fullmatch(r"<!-- (?:(?!--).)* -->", lines[4])


@EVERY
@given(names=THREE)
@example(names=("[2mm]", "--->", "a|b"))
@example(names=("*", "^^M", "\\{}"))
def test_names_in_latex_are_printed_as_they_are(names: tuple[str, str, str]) -> None:
    output = written("latex", names).split("\n")
    body = output[output.index("\\midrule") + 1 : output.index("\\bottomrule")]
    cells, _ = (cells_of_latex(line, 4) for line in body)
    assert same_cells(cells, names)
    assert output[-2:] == [f"% So is {shown(names[2])}.", ""]


def test_names_of_many_scripts_go_out_with_the_bytes_they_came_in_with() -> None:
    for name in ("caf\udce9", "محمد", "zero\u200cwidth", "run\\x1b", "a b", "日本語", "\ufeffbom"):
        assert visible(name) == name
        assert name in written("text", ("map", "1", name))
    assert visible("\x1b[31m\u202e\x85") == "\\x1b[31m\\u202e\\x85"


@EVERY
@given(names=THREE)
def test_errors_have_no_other_lines_than_ours(names: tuple[str, str, str]) -> None:
    path, one, other = names
    for error, lines in (
        (DataError(f"{path}: no {one}"), 1),
        (DataError(f"{path}: no {one}", other), 2),
        (FormatError.whole_file(path, other), 1),
    ):
        assert len(error.args) == len(str(error).split("\n")) == lines
        assert not any(is_obeyed(letter) for line in error.args for letter in line)


FORGED = "x\nmap                   \tall\t0.9999"
RUN = b"1 Q0 d1 1 9 tag\x1b[31m\n2\x1b]0; Q0 d1 1 9 tag\x1b[31m\n3\xe2\x80\xa8 Q0 d1 1 9 tag\x1b[31m\n"
QRELS = b"1 0 d1 1\n1 0 d2 0\n2\x1b]0; 0 d1 1\n3\xe2\x80\xa8 0 d1 1\n4\xff 0 d1 1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments and runs whose names hold all there is, in the folder that we are in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / "qrels.plain").write_text("1 0 d1 1\n2 0 d1 1\n3 0 d1 1\n4 0 d1 1\n")
    (tmp_path / "plain.plain").write_text("1 Q0 d1 1 9 a\n2 Q0 d1 1 9 a\n3 Q0 d1 1 9 a\n")
    for name in ("plain", FORGED, "c\r\udcff"):
        Path(f"{name}.run").write_bytes(RUN)
    return tmp_path


def run(*arguments: str) -> Result:
    """A command that ends as it should."""
    result = CliRunner().invoke(main, [*arguments])
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.sample(3)
@pytest.mark.parametrize("form", WRITTEN)
def test_no_name_of_a_file_or_in_one_forges_a_line(form: str, folder: Path) -> None:
    """Names of files, tags, topics and settings: there are as many lines as there are with plain names."""
    command = ["ap-ci", "-q", "-B", "10", "--format", form]
    asked = ["--topics", f"1,2\x1b]0;,3\u2028,4\udcff,{FORGED}"]
    three = ("plain.run", f"{FORGED}.run", "c\r\udcff.run")
    expected = run(*command, "--topics", "1,2,3,4", "qrels.plain", "plain.plain").stdout
    for files, names in ((three[:1], "tag"), (three, "file")):
        result = run(*command, *asked, "--names", names, "qrels", *files)
        said = text(result.stdout_bytes)
        assert not any(
            is_obeyed(letter) for letter in said if letter not in ("\n\t" if form in ("text", "tsv") else "\n")
        )
        assert all(line.startswith("irci: ") for line in result.stderr.splitlines())
        if form == "json":
            assert len(json.loads(said)["rows"]) == 5 * len(files)
        else:
            assert said.count("\n") == expected.count("\n") + 5 * (len(files) - 1)


@EVERY
@given(
    names=st.lists(NAMES.filter(lambda name: not set(name) & set("/\0")), min_size=1, max_size=3, unique_by=file_name)
)
def test_saved_scores_of_any_file_are_read_back(names: list[str], tmp_path_factory: Any) -> None:
    """A run named by its file is named as it is shown: without a tab or a line end."""
    path = tmp_path_factory.getbasetemp() / "saved"
    runs = [file_name(name) for name in names]
    assert not any(is_obeyed(letter) for each in runs for letter in each)
    topics = ["1", "2\x1b", "3\x1f", "4\u2028", "caf\udce9"]
    values = {"map": [[0.5] * len(topics)] * len(runs)}
    import numpy as np

    saved = saved_text(Scores(runs, topics, {name: np.array(each) for name, each in values.items()}))
    path.write_bytes(saved.encode("utf-8", "surrogateescape"))
    (back,), _ = read_scores([str(path)])
    assert (back.runs, sorted(back.topics)) == (runs, sorted(topics))


def test_a_path_in_an_error_forges_no_line(folder: Path) -> None:
    result = CliRunner().invoke(main, ["ap-ci", "no\nirci: all is well", "plain.run"])
    assert result.exit_code == 3
    assert result.stderr == "irci: no\\nirci: all is well: no such file or directory\n"
    result = CliRunner().invoke(main, ["ap-ci", "-B", "10", "-o", "no/\nirci: all is well", "qrels", "plain.run"])
    assert result.stderr.splitlines()[-1].startswith("Error: --output: no/\\nirci: all is well: cannot be written (")


PAYLOADS = {
    "escape": "\x1b[31m",
    "C1": "\x9b1m\x85",
    "C1 that is no UTF-8": text(b"\x9b31m"),
    "direction": "\u202e\u2066",
    "line and paragraph": "\u2028\u2029",
    "script": "<script>alert(1)</script>",
    "element": "\"'></style></svg>--><img/src=x/onerror=alert(1)>",
    "LaTeX": "\\input{/etc/passwd}\\write18{id}$^^M%",
    "Markdown": "|`a`|[x](javascript:alert(1))<b>",
    "formula": "=cmd|'/C_calc'!A0",
    "shell": "$(id)`id`;id",
    "template": "{0}%s{run!r}%(run)s",
    "path": "../../etc/passwd",
    "option": "--quiet",
    "long": "x" * 10**5,
}
PLAIN = "plain"
DRAWN = {"path", "use", "g", "defs"}  # elements of a picture, by the glyphs that names take


def name_of(what: str, payload: str) -> str:
    return f"{payload}{what}"


def scores(payload: str) -> str:
    """Two collections of four topics and two runs."""
    lines = ["run\ttopic\tmeasure\tvalue\tcollection"]
    for place in range(16):
        run, topic, collection = place % 2, place // 2 % 4, place // 8
        named = (name_of(each, payload) for each in (f"r{run}", f"t{collection}{topic}", "m"))
        value = (7 * place * place % 23 + run * 5) / 32
        lines.append("\t".join([*named, str(value), name_of(f"c{collection}", payload)]))
    return "\n".join(lines) + "\n"


def elements(page: str) -> Counter[Any]:
    """Elements with the names of their attributes; within pictures, which are arranged by what is in them, elements of which
    kinds and what scripts they call."""
    found: Counter[Any] = Counter()
    is_in_picture = False
    for tag, attributes in Parsed(page).elements:
        is_in_picture &= tag not in ("div", "figure", "section", "details", "h2", "p", "table")
        if not is_in_picture:
            found[tag, tuple(attributes)] += 1
        elif tag not in DRAWN:
            found[tag, tuple(name for name in attributes if name.startswith("on"))] = 1
        is_in_picture |= tag == "svg"
    return found


def of_scores(folder: Path, payload: str, *options: str) -> Any:
    """What map-ci answers from scores."""
    (folder / "scores").write_bytes(raw(scores(payload)))
    return irci("map-ci", "--baseline", name_of("r0", payload), *options, "--scores", str(folder / "scores"))


def called(payload: str) -> str:
    """The name of a file that is the payload, as far as a file can be called so."""
    return payload.replace("/", "_")[:99]


def files(folder: Path, payload: str) -> dict[str, str]:
    """Paths of judgments, of those by another judge of one topic more, of clusters and of runs."""
    topics = [name_of(f"t{each}", payload) for each in range(5)]
    docnos = [name_of(f"d{each}", payload) for each in range(3)]
    grades = {
        "qrels": lambda topic, document: document % 2,
        called(payload): lambda topic, document: (topic + document) % 2,
    }
    lines = {"clusters": [f"{topic} {name_of(f'k{place % 3}', payload)}" for place, topic in enumerate(topics)]}
    for judge, grade in grades.items():
        lines[judge] = [
            f"{topic} 0 {docno} {grade(number, place)}"
            for number, topic in enumerate(topics[: 4 if judge == "qrels" else 5])
            for place, docno in enumerate(docnos)
        ]
    for run in range(2):
        lines[f"run{run}"] = [
            f"{topic} Q0 {docno} 0 {(place + run * number) % 3} {name_of(f'r{run}', payload)}"
            for number, topic in enumerate(topics)
            for place, docno in enumerate(docnos)
        ]
    for name, of_file in lines.items():
        (folder / name).write_bytes(raw("\n".join(of_file)))
    return {"judge" if name == called(payload) else name: str(folder / name) for name in lines}


def of_clusters(folder: Path, payload: str, *options: str) -> Any:
    """What map-ci answers from judgments, runs and clusters."""
    paths = files(folder, payload)
    asked = ("--clusters", paths["clusters"], *options)
    return irci("compare", *asked, paths["qrels"], paths["run0"], paths["run1"])


def of_another_judge(folder: Path, payload: str, *options: str) -> Any:
    """What judges answers from two judges' files."""
    paths = files(folder, payload)
    asked = ("--groups", "0$", "--other-qrels", paths["judge"], *options)
    return irci("judges", *asked, paths["qrels"], paths["run0"], paths["run1"])


def of_people_and_a_judge(folder: Path, payload: str, *options: str) -> Any:
    """What map-ci answers from people's judgments of a few topics, and a judge's file."""
    paths = files(folder, payload)
    return irci("compare", "--judge", paths["judge"], *options, paths["qrels"], paths["run0"], paths["run1"])


def obeyed(output: bytes) -> set[str]:
    return {letter for letter in set(text(output)) - set("\n\t") if is_obeyed(letter)}


@pytest.mark.sample(6, 40)
@pytest.mark.parametrize("ask", [of_scores, of_clusters, of_another_judge, of_people_and_a_judge])
@pytest.mark.parametrize("form", get_args(Format))
@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_no_name_is_obeyed(payload: str, form: str, ask: Callable[..., Any], tmp_path: Path) -> None:
    """Nothing that a terminal obeys is in an output or a message; pages have the elements that they have with plain names."""
    options = ["--format", form, *(["--explain"] if form not in NO_NOTES else [])]
    result = ask(tmp_path, payload, *options)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    assert obeyed(result.stdout_bytes) | obeyed(result.stderr_bytes) == set()
    if form == "html":
        plain = ask(tmp_path, PLAIN, *options)
        assert elements(result.stdout_bytes.decode()) == elements(plain.stdout_bytes.decode())
    if form == "json":
        rows = json.loads(result.stdout_bytes)["rows"]
        named = {shown(name_of(f"r{run}", payload), also_bytes=True) for run in (0, 1)}
        assert named <= {row.get("run") for row in rows}
        if ask is of_another_judge:
            assert {row.get("judge") for row in rows} == {shown(called(payload), also_bytes=True)}
