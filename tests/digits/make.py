"""Rows of many command lines in full precision, as they were and as they are: python tests/digits/make.py [LINE ...]

`lines.txt` has the lines, each after its name, so that a new spelling changes no row; `rows/NAME.txt` what each gives: a row a
line, its key first, then its numbers. Words (verdicts, sentences) are not in it. Run as a script, this writes the rows anew,
of all lines or of these, and prints which numbers changed, came and went.
"""

import contextlib
import csv
import gzip
import json
import math
import shlex
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from glob import glob
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))

from command_lines import irci
from helpers import SMALL, TESTDATA

ROWS = HERE / "rows"
FIRST = ("table", "measure", "topic", "run", "baseline", "population")
# What else tells rows of a table apart; other words and numbers are cells.
FURTHER = (
    "slice", "collection", "estimator", "ranked_by", "group", "judge", "source", "model", "split", "part", "version",
    "grade", "grade_judge", "between", "correction", "alpha", "tool",
    "kind", "size", "fuzziness", "look", "sigma", "reference", "relevant", "direction", "half",
    "of", "probability", "from", "systems", "width",
)  # fmt: skip
OF_BINS = "swap_"  # tables with a row a bin of the difference
OF_TABLES = ("test", "interval")  # words of estimates, but what tables with a name of their own are by
# Names of columns, tables and words of keys as they are printed, where the rows still have another one.
STORED: dict[str, str] = {"90th percentile of pairs": "worst-tenth", "median of pairs": "median-pair"}
DIGITS = 12  # that are stored
RELATIVE, ABSOLUTE = 1e-11, 1e-13  # what another processor, or another NumPy, may change

Cell = float | bool
Rows = dict[str, dict[str, Cell]]


def lines() -> dict[str, str]:
    """The command lines, without `irci`, by name."""
    pairs = [line.split("\t") for line in (HERE / "lines.txt").read_text().splitlines()]
    assert len(dict(pairs)) == len(pairs), "two lines of one name"
    return dict(pairs)


@contextlib.contextmanager
def inputs() -> Iterator[None]:
    """Work in a folder that has all of testdata/, and in made/ the small collection and some scores in other formats."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for path in TESTDATA.iterdir():
            Path(path.name).symlink_to(path)
        Path("made").mkdir()
        for name, text in {**_rankings(), **_scores(), **_others()}.items():
            Path("made", name).write_text(text)
        yield


def _fields(path: Path) -> list[list[str]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [line.split() for line in text.decode().splitlines()]


@cache
def _rankings() -> dict[str, str]:
    """Two runs and their judgments as JSON, csv, BEIR's tsv and lists of ranks."""
    grades = [(topic, docno, grade) for topic, _, docno, grade in _fields(SMALL / "qrels.txt")]
    texts = {
        "qrels.json": _nested((topic, docno, int(grade)) for topic, docno, grade in grades),
        "qrels.csv": _separated(",", ("query_id", "doc_id", "relevance"), grades),
        "qrels.tsv": _separated("\t", ("query-id", "corpus-id", "score"), grades),
    }
    for path in (SMALL / "runs" / "alpha.run", SMALL / "runs" / "charlie.run.gz"):
        name, records = path.name.partition(".")[0], _fields(path)
        scores = [(topic, docno, score) for topic, _, docno, _, score, _ in records]
        texts |= {
            f"{name}.json": _nested((topic, docno, float(score)) for topic, docno, score in scores),
            f"{name}.csv": _separated(",", ("qid", "docno", "score"), scores),
            f"{name}.tsv": _separated("\t", ("query_id", "doc_id", "score"), scores),
            f"{name}.ranks": "".join(f"{topic}\t{docno}\t{rank}\n" for topic, docno, rank in _ranked(records)),
        }
    return texts | {"again.json": texts["alpha.json"]}


def _ranked(records: list[list[str]]) -> Iterator[tuple[str, str, int]]:
    """Topic, docno and a rank from 1 by falling score, of equal ones by falling docno."""
    seen: Counter[str] = Counter()
    for topic, _, docno, *_ in sorted(records, key=lambda record: (float(record[4]), record[2]), reverse=True):
        seen[topic] += 1
        yield topic, docno, seen[topic]


@cache
def _scores() -> dict[str, str]:
    """Scores of ten.csv in several formats, and as percentages; of half of the topics by people, of all by a judge."""
    with (SMALL / "ten.csv").open() as file:
        scores = [(row["run"], row["topic"], row["measure"], float(row["value"])) for row in csv.DictReader(file)]
    header = ("run", "topic", "measure", "value")
    few = [row for row in scores if row[0] in ("run01", "run02", "run03", "run04")]
    topics = sorted({row[1] for row in few})
    runs = sorted({row[0] for row in few})
    by_place = {(run, topic): value for run, topic, _, value in few}
    nested = {run: {topic: {"map": by_place[run, topic]} for topic in topics} for run in runs}
    return {
        "scores.csv": _separated(",", ("topic", "measure", "value", "run"), [(*row[1:], row[0]) for row in few]),
        "scores.tsv": _separated("\t", header, few),
        "scores.json": json.dumps(nested),
        "matrix.csv": _separated(",", ("topic", *runs), [(t, *(by_place[run, t] for run in runs)) for t in topics]),
        "percent.csv": _separated(",", header, [(*row[:3], 100 * row[3]) for row in few]),
        "people.csv": _separated(",", header, [row for row in few if row[1] in topics[::2]]),
        "judge.csv": _separated(",", header, [(*row[:3], 0.1 + 0.8 * row[3] ** 0.9) for row in few]),
    }


def _others() -> dict[str, str]:
    """Slices, parts of the documents, counts of two systems' victories, factors of topics, and passes of two judges, each of
    whom changes every fifth grade, or every third, other ones in each pass."""
    files = [SMALL / "qrels.txt", *sorted((SMALL / "runs").iterdir())]
    docnos = sorted({fields[2] for path in files for fields in _fields(path)})
    topics = range(1, 21)

    def passed(number: int, share: int) -> str:
        records = enumerate(_fields(SMALL / "llm.txt"))
        grades = (
            (topic, docno, (int(grade) + (3 * place + number) % share // (share - 1)) % 3)
            for place, (topic, _, docno, grade) in records
        )
        return "".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in grades)

    passes = {
        f"{judge}{number}.qrels": passed(number, share) for judge, share in (("a", 5), ("b", 4)) for number in (1, 2, 3)
    }
    return passes | {
        "slices.txt": "".join(f"{topic}\t{'third' if topic % 3 == 0 else 'other'}\n" for topic in topics),
        "parts.txt": "".join(f"{docno} {place % 2}\n" for place, docno in enumerate(docnos)),
        "counts.csv": "A,B,10,3,2\nA,C,15,0,0\nB,C,1,2,12\n",
        "factors.tsv": "".join(f"{topic}\tmap\t{20 + topic}e-2\t{100 + 2 * topic}e-3\n" for topic in topics),
    }


def _separated(separator: str, header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in [header, *rows])


def _nested(records: Iterable[tuple[str, str, float]]) -> str:
    nested: dict[str, dict[str, float]] = {}
    for topic, docno, number in records:
        nested.setdefault(topic, {})[docno] = number
    return json.dumps(nested)


def computed(line: str) -> Rows:
    """What the line gives, by key; within `inputs`."""
    words = [path for word in shlex.split(line) for path in sorted(glob(word)) or [word]]
    result = irci(*words, "--quiet", "--format", "json", "--threads", "1")
    assert result.exit_code in (0, 5, 6), f"{line}\n{result.stderr}"
    keys: Counter[str] = Counter()
    found: Rows = {}
    for row in json.loads(result.stdout)["rows"]:
        key = key_of(row)
        keys[key] += 1
        found[f"{key} #{keys[key]}" if keys[key] > 1 else key] = {
            STORED.get(name, name): cell
            for name, cell in row.items()
            if cell is not None and not isinstance(cell, str) and name not in (*FIRST, *FURTHER)
        }
    return found


def key_of(row: dict[str, Any]) -> str:
    """Which row of a table it is."""
    named = {STORED.get(name, name): cell for name, cell in row.items() if cell is not None}
    first = [_word(name, named.get(name, "")) for name in FIRST]
    further = (*FURTHER, *OF_TABLES) if "table" in named else FURTHER
    if first[0].startswith(OF_BINS):
        further = (*further, "difference")
    return "|".join([*first, *(f"{name}={_word(name, named[name])}" for name in further if name in named)])


def _word(name: str, cell: object) -> str:
    if name == "table":
        kind, _, measure = str(cell).partition("_")
        return f"{STORED.get(kind, kind)}_{measure}" if measure else STORED.get(kind, kind)
    return STORED.get(str(cell), str(cell))


def stored(name: str) -> Rows:
    """What the line of this name gave when its rows were written."""
    path = ROWS / f"{name}.txt"
    pairs = (line.split("\t") for line in path.read_text().splitlines()) if path.exists() else ()
    return {key: dict(_parsed(cell) for cell in cells.split()) for key, cells in pairs}


def _parsed(cell: str) -> tuple[str, Cell]:
    name, _, number = cell.rpartition("=")
    return name, {"true": True, "false": False}[number] if number in ("true", "false") else float(number)


def written(rows: Rows) -> str:
    """Rows as they are stored, in the order of their keys."""
    return "".join(f"{key}\t{' '.join(_cells(rows[key]))}\n" for key in sorted(rows))


def _cells(row: dict[str, Cell]) -> Iterator[str]:
    for name in sorted(row):
        cell = row[name]
        yield f"{name}={str(cell).lower() if isinstance(cell, bool) else format(cell, f'.{DIGITS}g')}"


def changes(before: Rows, now: Rows) -> Iterator[str]:
    """Which numbers changed, came and went, a line each."""
    for key in sorted({*before, *now}):
        if key not in now or key not in before:
            yield f"{key}: {'went' if key not in now else 'came'}"
            continue
        old, new = before[key], now[key]
        for name in sorted({*old, *new}):
            if name not in new or name not in old:
                yield f"{key}: {name} {'went' if name not in new else 'came'}"
            elif not _equal(old[name], new[name]):
                yield f"{key}: {name} {old[name]} -> {new[name]}"


def _equal(first: Cell, second: Cell) -> bool:
    return isinstance(first, bool) == isinstance(second, bool) and math.isclose(
        first, second, rel_tol=RELATIVE, abs_tol=ABSOLUTE
    )


def main(names: list[str]) -> None:
    """Write the rows of these lines anew, of all unless any are named, and print what changed."""
    ROWS.mkdir(exist_ok=True)
    known = lines()
    for path in ROWS.iterdir():
        if path.stem not in known:
            print(f"{path.stem}: went")
            path.unlink()
    with inputs():
        for name in names or known:
            now = computed(known[name])
            for change in changes(stored(name), now):
                print(f"{name}: {change}")
            (ROWS / f"{name}.txt").write_text(written(now))


if __name__ == "__main__":
    main(sys.argv[1:])
