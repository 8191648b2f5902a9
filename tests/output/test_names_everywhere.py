"""Names of measures, runs, topics, clusters and collections that are attacks, through whole commands and every format."""

import json
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from command_lines import irci
from hostile_names import is_obeyed, shown

import irci as package
from irci.base.choices import FORMATS, why_no_notes
from irci.base.names import raw, text
from irci.output.formats import WRITERS

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


class Tags(HTMLParser):
    """Elements with the names of their attributes; within pictures, which are arranged by what is in them, elements of which
    kinds and what scripts they call."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: Counter[Any] = Counter()
        self.is_in_picture = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if not self.is_in_picture:
            self.found[tag, tuple(name for name, _ in attrs)] += 1
        elif tag not in DRAWN:
            self.found[tag, tuple(name for name, _ in attrs if name.startswith("on"))] = 1
        self.is_in_picture = tag == "svg" or self.is_in_picture

    def handle_endtag(self, tag: str) -> None:
        self.is_in_picture = tag != "svg" and self.is_in_picture


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


@pytest.mark.sample(6)
@pytest.mark.parametrize("ask", [of_scores, of_clusters, of_another_judge, of_people_and_a_judge])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_no_name_is_obeyed(payload: str, form: str, ask: Callable[..., Any], tmp_path: Path) -> None:
    """Nothing that a terminal obeys is in an output or a message; pages have the elements that they have with plain names."""
    options = ["--format", form, *(["--explain"] if not why_no_notes(form) else [])]
    result = ask(tmp_path, payload, *options)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    assert obeyed(result.stdout_bytes) | obeyed(result.stderr_bytes) == set()
    if form == "html":
        plain = ask(tmp_path, PLAIN, *options)
        assert Tags(result.stdout_bytes.decode()).found == Tags(plain.stdout_bytes.decode()).found
    if form == "json":
        rows = json.loads(result.stdout_bytes)["rows"]
        named = {shown(name_of(f"r{run}", payload), also_bytes=True) for run in (0, 1)}
        assert named <= {row.get("run") for row in rows}
        if ask is of_another_judge:
            assert {row.get("judge") for row in rows} == {shown(called(payload), also_bytes=True)}


@pytest.mark.sample(1)
@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_no_name_of_a_judge_in_memory_is_obeyed(payload: str) -> None:
    """In any format, in warnings and in a notebook's cell; and it is no path."""
    grades = [
        {str(topic): {str(each): (topic * by + each) % 2 for each in range(3)} for topic in range(4)} for by in (0, 1)
    ]
    runs = {
        run: {str(topic): {str(each): (each + run * topic) % 3 for each in range(3)} for topic in range(4)}
        for run in (0, 1)
    }
    reports = {name: package.judges(grades[0], runs, other_qrels={name: grades[1]}) for name in (payload, PLAIN)}
    report = reports[payload]
    texts = [report.to_text(form, explain=not why_no_notes(form)) for form in WRITERS]
    cells = {name: each._repr_html_() for name, each in reports.items()}
    assert obeyed(raw("".join([*texts, *report.warnings, cells[payload]]))) == set()
    assert Tags(cells[payload]).found == Tags(cells[PLAIN]).found
    judges = {row["judge"] for row in json.loads(report.to_json())["rows"]}
    assert judges == {shown(payload, also_bytes=True)}
