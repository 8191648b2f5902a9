"""Names of measures, runs, topics, clusters and collections that are attacks, through whole commands and every format."""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from command_lines import irci
from hostile_names import is_obeyed, shown

from irci.base.names import raw, text
from irci.output.formats import FORMS

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
    """Elements with the names of their attributes, and what scripts there are."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: Counter[Any] = Counter()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found[tag, tuple(name for name, _ in attrs)] += 1


def asked(folder: Path, payload: str, *options: str) -> Any:
    """What map-ci answers from scores."""
    (folder / "scores").write_bytes(raw(scores(payload)))
    return irci("map-ci", "--compare", *options, "--scores", str(folder / "scores"))


def judged(folder: Path, payload: str, *options: str) -> Any:
    """What it answers from judgments, runs and clusters."""
    topics = [name_of(f"t{each}", payload) for each in range(4)]
    docnos = [name_of(f"d{each}", payload) for each in range(3)]
    lines = {
        "clusters": [f"{topic} {name_of(f'k{place % 3}', payload)}" for place, topic in enumerate(topics)],
        "qrels": [f"{topic} 0 {docno} {place % 2}" for topic in topics for place, docno in enumerate(docnos)],
    }
    for run in range(2):
        lines[f"run{run}"] = [
            f"{topic} Q0 {docno} 0 {(place + run * number) % 3} {name_of(f'r{run}', payload)}"
            for number, topic in enumerate(topics)
            for place, docno in enumerate(docnos)
        ]
    for name, of_file in lines.items():
        (folder / name).write_bytes(raw("\n".join(of_file)))
    clusters, *files = (str(folder / name) for name in lines)
    return irci("map-ci", "--compare", "--clusters", clusters, *options, *files)


def obeyed(output: bytes) -> set[str]:
    return {letter for letter in set(text(output)) - set("\n\t") if is_obeyed(letter)}


@pytest.mark.sample(9)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_no_name_is_obeyed(payload: str, form: str, tmp_path: Path) -> None:
    """Nothing that a terminal obeys is in an output or a message; pages have the elements that they have with plain names."""
    options = ["--format", form, *(["--explain"] if form not in ("tsv", "csv", "jsonl") else [])]
    for ask in (asked, judged):
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


@pytest.mark.check
@pytest.mark.parametrize(
    "payload", [payload for payload in PAYLOADS.values() if len(payload) < 100], ids=lambda name: ""
)
def test_pictures_hold_names_as_text(payload: str, tmp_path: Path) -> None:
    """An SVG is XML with the elements that it has with plain names, but for glyphs."""
    kinds = []
    for names in (payload, PLAIN):
        out = tmp_path / "out.svg"
        assert asked(tmp_path, names, "--plot", str(out)).exit_code == 0
        found = {element.tag.rpartition("}")[2] for element in ET.parse(out).iter()}
        kinds.append(found - {"path", "use", "g", "defs"})
    assert kinds[0] == kinds[1]
