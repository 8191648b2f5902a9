"""Plain files of scores, read in one pass, against the reader that takes them line by line: the same tables, refusals and
messages, whatever the file."""

import gzip
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irci.base.errors import IrciError
from irci.data import score_reading
from irci.data.scanned_cells import NotPlain
from irci.data.scanned_scores import Read, add_file

NAMES = (
    "a",
    "b",
    "run 1",
    "all",
    "runid",
    "map",
    "MAP",
    "ndcg_cut_10",
    "12",
    "1.5",
    "é",
    "relstring",
    "x" * 70,
    "#",
    "# x",
)
NUMBERS = ("0.5", "1", "-0.25", "1e-3", ".5", "0.12345678901234567", "123456789012345678901234567890e-30", "+.0")
ODD = ("", " ", "nan", "inf", "1_0", "0,5", "'x'", '"', '"a"', '"a', 'a"b', "\r", "{", "1e400", "1e51", "\x1f1", "٣")
BYTES = ("\r", "\n", "\t", '"', ",", ";", " ", "\x0b", "#", "all", "runid", "\n\n", "\r\n", "'", "{")
WORDS = (("a1686449d135",), ("a1686449d135", "a2686449d135", ""), ("a1686449d135", "news"), ("news", ""), ("",))
MEASURES = ("map", "P_10", "MAP", "num_q")


def cells(random: random.Random, form: str) -> list[list[str]]:
    """A plain table of the form, or nearly."""
    runs, topics = random.sample(NAMES, random.randint(1, 4)), random.sample(NAMES, random.randint(1, 4))
    number = partial(random.choice, NUMBERS)
    measures = random.sample(MEASURES, random.randint(1, 2))
    if form == "matrix":
        by_run = random.random() < 0.5
        rows, columns = (runs, topics) if by_run else (topics, runs)
        first = random.choice(("run", "system") if by_run else ("topic", "", "qid"))
        with_names = by_run or random.random() < 0.8
        table = [[first, *columns], *([row, *(number() for _ in columns)] for row in rows)]
        return table if with_names else [row[1:] for row in table]
    if form == "long":
        columns = ["run", "topic", "measure", "value"]
        extra = random.choice(([], ["collection"], ["split", "part"], ["split"], ["note"], ["source"]))
        order = random.sample([*columns, *extra], len(columns) + len(extra))
        words = random.choice(WORDS)
        values: dict[str, Callable[[], str]] = {
            "collection": lambda: random.choice(("x", "y", "x")), "split": lambda: "0", "part": lambda: "0",
            "note": lambda: random.choice(NAMES), "source": lambda: random.choice(words),
        }  # fmt: skip
        table = [order]
        for run in runs:
            for topic in topics:
                for measure in measures:
                    row = {"run": run, "topic": topic, "measure": measure, "value": number()}
                    table.append([row[name] if name in row else values[name]() for name in order])
            if random.random() < 0.1:
                table.append(order)
        return table
    if form == "ir_measures":
        return [[topic, measure, number()] for topic in topics for measure in measures]
    table = []
    for run in runs:
        head = [["runid", "all", run]] if random.random() < 0.7 else []
        of_run = [[measure.ljust(22), topic, number()] for topic in topics for measure in measures]
        of_all = [[measure, "all", number()] for measure in measures] if random.random() < 0.8 else []
        if random.random() < 0.2:
            of_run.append(["relstring", topics[0], "'101'"])
        table += [*head, *of_run, *of_all] if random.random() < 0.5 else [*of_run, *head, *of_all]
    return table


def file_of(random: random.Random, form: str) -> bytes:
    """A file of the form, of which some are damaged."""
    table = cells(random, form)
    if random.random() < 0.3:
        row = random.choice(table)
        row[random.randrange(len(row))] = random.choice(ODD)
    if random.random() < 0.1:
        random.choice(table).append(random.choice(NUMBERS))
    if random.random() < 0.1:
        table.append(random.choice(table))
    if random.random() < 0.1:
        random.shuffle(table)
    separator = random.choice(",;\t") if form in ("matrix", "long") else "\t"
    blank = random.choice(("", "", "", " "))
    quoted = random.random() < 0.2
    end = random.choice(("\n", "\n", "\r\n"))
    lines = [separator.join(f'"{cell}"' if quoted else cell + blank for cell in row) for row in table]
    if random.random() < 0.2:
        lines.insert(random.randrange(len(lines) + 1), random.choice(("", " ", "# note", "#\tmap\t1", "\t\t")))
    text = end.join(lines) + random.choice((end, "", end * 2))
    if random.random() < 0.15:
        place = random.randrange(len(text) + 1)
        text = text[:place] + random.choice(BYTES) + text[place + random.randint(0, 2) :]
    data = random.choice((b"", b"", b"\xef\xbb\xbf")) + text.encode()
    return gzip.compress(data) if random.random() < 0.1 else data.replace(b"b", random.choice((b"b", b"b", b"\xff")))


def outcome(paths: list[str], forced: str | None, measure: str | None, caplog: pytest.LogCaptureFixture) -> list[Any]:
    """What is read, to the last bit and in order, or the refusal; and what is said of it."""
    caplog.clear()

    def told() -> list[str]:
        return [message for message in caplog.messages if message.startswith(tuple(paths))]

    try:
        tables, recognised = score_reading.read_scores(paths, forced, measure)
    except IrciError as error:
        return [type(error), str(error), told()]
    read = [
        (
            (each.collection, each.runs, each.topics, each.origins),
            [(name, of.tobytes(), of.shape) for name, of in each.values.items()],
        )
        for each in tables
    ]
    return [read, recognised, told()]


@pytest.mark.parametrize("form", ["matrix", "long", "ir_measures", "trec_eval"])
@pytest.mark.parametrize("number", [150, pytest.param(20_000, marks=pytest.mark.slow)])
def test_reads_what_the_reader_of_lines_does(
    form: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="irci")
    source, read, plain, in_one_pass = random.Random(form), 0, 0, add_file

    def counted(*arguments: Any) -> Read:
        nonlocal plain
        found = in_one_pass(*arguments)
        plain += 1
        return found

    def none(*arguments: Any) -> Read:
        raise NotPlain

    for _ in range(number):
        paths = [str(tmp_path / f"{place}.csv") for place in range(source.choice((1, 1, 2)))]
        for path in paths:
            Path(path).write_bytes(file_of(source, form if source.random() < 0.95 else "long"))
        settings = source.choice((None, None, form)), source.choice((None, None, "map"))
        monkeypatch.setattr(score_reading, "add_file", counted)
        found = outcome(paths, *settings, caplog)
        monkeypatch.setattr(score_reading, "add_file", none)
        expected = outcome(paths, *settings, caplog)
        assert found == expected, [Path(path).read_bytes() for path in paths]
        read += len(paths) * isinstance(expected[0], list)
    assert plain > read / 2, "plain files are read in one pass"


@pytest.mark.parametrize(
    ("first", "second", "twice"),
    [
        ("topic,a,b\n1,.1,.3\nall,.1,.3\n", "topic,b,a\nall,.6,.4\n2,.5,.2\n3,.7,.6\n", "all,.6,.4\n"),
        ("run,1,all\na,.1,.1\nb,.3,.3\n", "run,all,2,3\nb,.6,.5,.7\na,.4,.2,.6\n", "a,.4,.2,.6\n"),
        ("run,1,2,3\na,.1,.2,.6\nb,.3,.5,.7\n", "run,all\na,.3\nb,.5\n", "b,.5\n"),
    ],
)
def test_each_of_two_matrices_may_have_means(first: str, second: str, twice: str, tmp_path: Path) -> None:
    paths = [str(tmp_path / "1.csv"), str(tmp_path / "2.csv")]
    for path, content in zip(paths, (first, second), strict=True):
        Path(path).write_text(content)
    (table,), _ = score_reading.read_scores(paths, measure="map")
    assert (table.runs, table.topics) == (["a", "b"], ["1", "2", "3"])
    assert table.values["map"].tolist() == [[0.1, 0.2, 0.6], [0.3, 0.5, 0.7]]
    Path(paths[1]).write_text(second + twice)
    with pytest.raises(IrciError, match=r"2\.csv:\d: map of run '[ab]' over all topics twice"):
        score_reading.read_scores(paths, measure="map")


def test_more_names_than_there_is_room_for_at_first(tmp_path: Path) -> None:
    names = [f"topic{number * 7919 % 5000:04}" for number in range(5000)]
    rows = [f"run,{name},map,{place / 5000}" for place, name in enumerate(names)]
    (tmp_path / "long").write_text("\n".join(["run,topic,measure,value", *rows]))
    (table,), _ = score_reading.read_scores([str(tmp_path / "long")])
    assert table.topics == sorted(names)
    by_name = dict(zip(names, np.arange(5000) / 5000, strict=True))
    assert table.values["map"][0].tolist() == [by_name[name] for name in table.topics]
