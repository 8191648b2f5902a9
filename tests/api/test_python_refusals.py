"""What a call from Python is refused, with the place named: inputs, columns of all types, options as on the command line."""

import contextlib
import datetime
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from held import GOOD, GRADES, INF, LONG, NAN, ScoredDoc, frame, refused, triples
from ir_measures import AP

import irci
from irci.base import DataError, FormatError, IrciError, UsageError

# What is called with what is wrong, and why it is refused; as an error of this kind, unless another is told.
REFUSED: dict[str, tuple[Callable[..., Any], type[IrciError], list[tuple[Any, ...]]]] = {
    "run": (lambda ranking: irci.score(GRADES, {"bm25": ranking}), FormatError, [
        ({"301": {"FT-1": INF, "FT-2": -INF}},
         r"run 'bm25': topic '301', document 'FT-1': score inf is not a finite number \(and 1 more\)"),
        ({"301": {"FT-1": True}}, r"run 'bm25': topic '301', document 'FT-1': score True is not a finite number"),
        ({"301": {"FT-1": 10**400}}, r".*'FT-1': score 1000.*\.\.\. is not a finite number"),
        ({"301": {1: 1.0, "1": 2.0}}, r"run 'bm25': document '1' twice for topic '301'; --duplicates first keeps one"),
        ({"301": {"": 1.0}}, r"run 'bm25': no name for a document"),
        ({"301": {"a b": 1.0}}, r"run 'bm25': document 'a b' cannot be a name in a file .*"),
        ({"301": {"a\0": 1.0}}, r"run 'bm25': document 'a\\x00' cannot be a name .*"),
        ({"301": {"\ud800": 1.0}}, r"run 'bm25': document '\\ud800' cannot be a name .*"),
        ({"# 1": {"a": 1.0}}, r"run 'bm25': topic '# 1' cannot be a name in a file .*"),
        ({NAN: {"a": 1.0}}, r"run 'bm25': topic nan is neither text nor a whole number.*"),
        ({"301": {("a",): 1.0}}, r"run 'bm25': document \('a',\) is neither text nor a whole number"),
        ({"301": {"a": 1.0}, "302": 3.0}, r"run 'bm25', topic '302': a float, not {docno: number}"),
        ({}, r"run 'bm25': empty: no document .*"),
        (frame(docno=["FT-1", "FT-1"]), r"run 'bm25': document 'FT-1' twice for topic '301'; .*"),
        (frame().rename(columns={"score": "sim"}), r".*: header not understood: no score or rank; found qid, docno, sim"),
        (frame().set_index(["qid", "docno"]), r"run 'bm25': header not understood: no query_id, doc_id; found score"),
        (pd.concat([frame(), frame()[["score"]]], axis=1), r"run 'bm25': two columns named score"),
        (frame().iloc[:0], r"run 'bm25': empty: no document .*"),
        (frame().set_axis(pd.MultiIndex.from_tuples([("a", "qid"), ("a", "docno"), ("a", "score")]), axis=1),
         r"run 'bm25': header not understood: no query_id, doc_id, score or rank; found .*"),
    ]),
    "judgments": (lambda grades: irci.score(grades, {"bm25": GOOD}), FormatError, [
        ({"301": {"FT-1": 0.5}}, r"qrels: topic '301', document 'FT-1': grade 0.5 is not an integer"),
        ({"301": {"FT-1": 2**80}}, r"qrels: topic '301', document 'FT-1': grade \d+ is not an integer"),
        ({}, r"qrels: empty: no document .*"),
        ([("301", "FT-1", 1)], r"qrels: 'tuple' object has no attribute 'query_id', of query_id, doc_id, relevance"),
    ]),
    "options": (lambda options: irci.ap_ci(GRADES, {"bm25": GOOD}, **options), UsageError, [
        ({"confidence": 95}, r"confidence: 95 must be between 0 and 1, such as 0.95"),
        ({"resamples": 1}, r"--resamples: one resample has no spread: .*"),
        ({"resamples": 10.5}, r"resamples: 10.5 is not a whole number from 0 to 10000000."),
        ({"resamples": True}, r"resamples: True is not a whole number from .*"),
        ({"measures": "mapp"}, r"no measure 'mapp'; is it map\? irci measures lists them all"),
        ({"interval": "wide"}, r"interval: 'wide' is not one of .*"),
        ({"judged_only": 1}, r"judged_only: 1 is neither True nor False."),
        ({"threads": 0}, r"threads: 0 is not a whole number from 1 to .*"),
        ({"topics": ["a,b"]}, r"topics: 'a,b' cannot stand in a list.*"),
        ({"topics": "999"}, r"(?s).*none of the topics asked for is judged \(--topics takes a list, or @FILE\)", DataError),
        ({"published": True}, r"--published is for --interval bca, and for --validate."),
        ({"save_scores": "-"}, r"save_scores: '-' is not a path to a file."),
        ({"scores": {}}, r"scores= is in place of qrels and runs: leave those out."),
        ({"interval": "parametric", "measures": "P_5"}, r"--interval parametric is for map, not for P_5."),
    ]),
    "inputs": (lambda inputs: irci.score(*inputs), UsageError, [
        ((None, None), r"Missing argument 'QRELS RUN\.\.\.'\."),
        ((GRADES, None), r"only QRELS given: add RUNs, .*"),
        ((None, GOOD), r"runs without qrels: give both, or scores=\."),
        ((GRADES, [GOOD]), r"runs: item 1 is a dict without a name: name runs in memory, .*"),
        ((GRADES, 7), r"runs: a int is neither a file, a mapping, a data frame nor a list\."),
        ((GRADES, {"x": 7}), r"run 'x': a int is neither .*"),
        ((GRADES, {"a\tb": GOOD}), r".*is not a name: .*"),
        ((GRADES, {"x": "-"}), r"- is standard input on the command line only: .*"),
    ]),
    "clusters": (lambda clusters: irci.map_ci(GRADES, {"bm25": GOOD}, clusters=clusters), FormatError, [
        ({}, r"clusters: empty file: no line of topic and cluster"),
        ({"301": NAN}, r"clusters, row 1 \('301', nan\): nan is not a name: .*"),
        ({"301": ("a", "b")}, r"clusters:1: 3 fields, expected topic and cluster"),
        (pd.DataFrame({"topic": ["301"]}), r"clusters: no columns topic, cluster; there are topic"),
        (pd.DataFrame({"topic": ["301", "301"], "cluster": ["a", "b"]}), r"clusters:2: topic '301' twice"),
    ]),
    "collections": (lambda collections: irci.map_ci(collections=collections), FormatError, [
        ({}, r"collections: 0 collections, where several are compared", DataError),
        ({"a": (GRADES, GOOD)}, r"collections: 1 collection, where several are compared", DataError),
        ({"a": GRADES, "b": GRADES}, r"collections: 'a' is no pair of qrels and runs\.", UsageError),
        ({"a": (GRADES, {"x": 7}), "b": (GRADES, GOOD)}, r"a: run 'x': a int is neither .*", UsageError),
        (
            {"a": (GRADES, {"x": {"301": {"FT-1": NAN}}}), "b": (GRADES, {"x": GOOD})},
            r"a: run 'x': topic '301', document 'FT-1': score nan is not a finite number",
        ),
    ]),
    "scores": (lambda scores: irci.map_ci(scores=scores), FormatError, [
        ({"x": {"map": {"1": NAN}}}, r"scores, row 1 \('x', '1', 'map', nan\): value nan is not a finite number"),
        ({"x": {"map": {"1": "0.5"}}}, r"scores, row 1 \(.*\): value '0.5' is not a finite number"),
        ({"x": {"map": {None: 0.5}}}, r"scores, row 1 \('x', None, .*\): None is not a name: .*"),
        ({"x": {"map": 0.5}}, r"scores, run 'x', 'map': a float, where .* of a run is expected"),
        ({"x": 0.5}, r"scores, run 'x': a float, not .*"),
        ({"x\ty": {"map": {"1": 0.5}}}, r"scores, row 1 .*: 'x\\ty' is not a name: .*"),
        ({"x": {"map": {"1": 0.5}, "AP": {"1": 0.5}}}, r"scores:3: map of run 'x' on topic '1' twice"),
        ([("1", "map", 0.5)], r"scores, run 'run': 'tuple' object has no attribute 'query_id', of query_id, measure, value"),
        (pd.DataFrame(LONG, columns=["run", "topic", "measure", "sim"]), r"scores.*: .*"),
        (pd.DataFrame([(1, 2, 3)], columns=["run", "run", "value"]), r"scores: two columns named run"),
        (pd.DataFrame(), r"scores.*"),
    ]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("ask", "given", "message", "kind"),
    [(ask, *row[:2], *(row[2:] or [kind])) for ask, kind, rows in REFUSED.values() for row in rows],
    ids=[f"{what} {place}" for what, (*_, rows) in REFUSED.items() for place in range(len(rows))],
)
def test_what_is_no_input_or_option_is_refused_with_its_place(
    ask: Callable[..., Any], given: Any, message: str, kind: type[IrciError]
) -> None:
    """As on the command line, or as in a file."""
    refused(kind, message, ask, given)


ODD: list[Any] = [
    "", " ", "a b", "\n", "\t", "\0", "\ud800", "#1", "\u2028", "x" * 5000, 7, -1, 10**30, 1.5, NAN, True, None, b"a", ("a",),
    Decimal(1), np.int64(3), np.float32(1), np.bool_(True), pd.NA, pd.NaT, 10**400, 1j, object(),
]  # fmt: skip


def as_frame(rows: list[tuple[Any, ...]], columns: list[str]) -> pd.DataFrame:
    """The rows as pandas takes them: before 3.1 it has no kind for numbers beyond the largest float, and pyarrow, which it
    uses where that is installed, none for half a letter."""
    try:
        return pd.DataFrame(rows, columns=columns)
    except (OverflowError, UnicodeEncodeError):
        return pd.DataFrame(rows, columns=columns, dtype=object)


@pytest.mark.sample(7)
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:12])
def test_whatever_stands_anywhere_is_taken_or_refused(odd: Any) -> None:
    """A report, or an error of ours: nothing else."""
    calls: list[Callable[[], Any]] = []
    for place in range(3):
        row = [*("301", "FT-1", 1)[:place], odd, *("301", "FT-1", 1)[place + 1 :]]
        rows = [("302", "FT-1", 1), tuple(row)]
        frames = [as_frame(rows, ["qid", "docno", name]) for name in ("score", "label")]
        calls += [
            lambda row=row: irci.score(GRADES, {"x": {row[0]: {row[1]: row[2]}, "302": {"FT-1": 1}}}),
            lambda row=row: irci.score({row[0]: {row[1]: row[2]}, "302": {"FT-1": 1}}, GOOD),
            lambda rows=rows: irci.score(GRADES, {"x": [ScoredDoc(*each) for each in rows]}),
            lambda frames=frames: irci.score(GRADES, {"x": frames[0]}),
            lambda frames=frames: irci.score(frames[1], GOOD),
        ]
    cell = [("a", "1", "map", 0.5), ("b", "1", "map", 0.25)]
    for place in range(4):
        rows = [*cell, (*cell[0][:place], odd, *cell[0][place + 1 :])]
        calls.append(lambda rows=rows: irci.map_ci(scores=as_frame(rows, ["run", "qid", "measure", "value"])))
    calls += [
        lambda: irci.score(GRADES, {odd: GOOD}), lambda: irci.score(GRADES, odd), lambda: irci.score(odd, GOOD),
        lambda: irci.map_ci(scores={odd: {"map": {"1": 0.5}}}), lambda: irci.map_ci(scores=odd),
        *(lambda name=name: irci.map_ci(GRADES, {"x": GOOD, "y": GOOD}, population="topics", **{name: odd})  # type: ignore[misc]
          for name in ("measures", "topics", "confidence", "resamples", "baseline", "margin", "sort", "depth")),
        lambda: irci.wcw(variances={"AP": odd}), lambda: irci.wcw(variances={"AP": 0.1}, width=odd),
    ]  # fmt: skip
    for call in calls:
        with contextlib.suppress(IrciError):
            call().to_json()


def test_a_generator_gives_its_items_once() -> None:
    items = (ScoredDoc(*row) for row in triples(GOOD))
    irci.score(GRADES, {"a": items})
    refused(FormatError, r"run 'a': empty: no document \(a generator .*\)", irci.score, GRADES, {"a": items})
    refused(UsageError, r"no runs: .*", irci.score, GRADES, items)
    refused(UsageError, r"no runs: .*", irci.score, GRADES, {}.values())


def test_an_unknown_keyword_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'basline'"):
        irci.map_ci(GRADES, {"bm25": GOOD}, basline="x")


def test_files_keep_their_own_refusals(tmp_path: Path) -> None:
    bad = tmp_path / "bad.run"
    bad.write_text("301 Q0 FT-1 1 x tag\n")
    refused(FormatError, rf"{bad}:1: score 'x' is not a finite number.*", irci.score, GRADES, bad)
    refused(FormatError, r"run 'a':1: score 'x' is not a finite number.*", irci.score, GRADES, {"a": bad.read_bytes()})
    refused(FormatError, r"nowhere: no such file or directory", irci.score, GRADES, "nowhere")
    with bad.open() as file:
        refused(UsageError, rf"{bad} is open as text: open it in mode 'rb'\.", irci.score, GRADES, file)


TOPICS, DOCNOS, LABELS, SCORES = list("1122"), list("5656"), [1, 0, 0, 1], [2.0, 1.0, 1.5, 2.5]
Column = Callable[[Sequence[Any]], Any]

RUNS, TOPICS_OF_RUNS = list("3344"), list("1212")

# Of names that are digits, whole numbers stand for the same.
NAMED: dict[str, Column] = {
    "category": pd.Categorical,
    "string": lambda names: pd.array(names, "string"),
    "text and numbers": lambda names: pd.Series(
        [int(name) if place % 2 else name for place, name in enumerate(names)], dtype=object
    ),
    "Int64": lambda names: pd.array([int(name) for name in names], "Int64"),
    "polars category": lambda names: pl.Series(names, dtype=pl.Categorical),
    "polars object": lambda names: pl.Series(names, dtype=pl.Object),
}
NAMELESS: dict[str, Column] = {
    "NA": lambda names: pd.Series([*names[:3], pd.NA], dtype=object),
    "fractions": lambda names: [float(name) for name in names],
    "truth values": lambda names: [True, True, False, False],
    "bytes": lambda names: [name.encode() for name in names],
    "empty": lambda names: ["", *names[1:]],
    "half a pair": lambda names: pd.Series(["\ud800", *names[1:]], dtype=object),
    "polars null": lambda names: pl.Series([None, *names[1:]]),
    "polars Date": lambda names: pl.Series([datetime.date(2000, 1, int(name)) for name in names]),
}
NUMBERED: dict[str, Column] = {
    "Float64": lambda numbers: pd.array(numbers, "Float64"),
    "category": pd.Categorical,
    "objects": lambda numbers: pd.Series(numbers, dtype=object),
    "polars Float32": lambda numbers: pl.Series(numbers, dtype=pl.Float32),
}
NUMBERLESS: dict[str, Column] = {
    "Float64 with one missing": lambda numbers: pd.array([None, *numbers[1:]], "Float64"),
    "nan": lambda numbers: [NAN, *numbers[1:]],
    "huge": lambda numbers: pd.Series([10**400, *numbers[1:]], dtype=object),
    "texts": lambda numbers: list(map(str, numbers)),
    "truth values": lambda numbers: [True, False] * 2,
    "polars null": lambda numbers: pl.Series([None, *numbers[1:]]),
    "polars Boolean": lambda numbers: pl.Series([True, False] * 2),
    "polars Date": lambda numbers: pl.Series([datetime.date(2000, 1, 1)] * 4),
}


def framed(**columns: Any) -> Any:
    """A data frame of polars, if one of its columns is, else of pandas."""
    library = pl if any(isinstance(column, pl.Series) for column in columns.values()) else pd
    return library.DataFrame(columns)


def ap_of(topics: Any = TOPICS, docnos: Any = DOCNOS, grades: Any = LABELS, scores: Any = SCORES) -> Any:
    report = irci.score(
        framed(query_id=topics, doc_id=docnos, relevance=grades), framed(query_id=topics, doc_id=docnos, score=scores)
    )
    return [(row["topic"], row["value"]) for row in json.loads(report.to_json())["rows"]]


def means_of(
    runs: Any = RUNS, topics: Any = TOPICS_OF_RUNS, measures: Any = "AP", values: Any = (0.5, 0.25, 0.75, 1.0)
) -> Any:
    measures = [measures] * 4 if isinstance(measures, str) else measures
    table = framed(run=runs, topic=topics, measure=measures, value=values, noted=[NAN, None, 1.0, 2.0])
    return [(row["run"], row["value"]) for row in json.loads(irci.map_ci(scores=table).to_json())["rows"]]


def test_plain_columns() -> None:
    """By hand."""
    assert ap_of() == [("1", 1.0), ("2", 1.0), ("all", 1.0)]
    assert means_of() == [("3", 0.375), ("4", 0.875)]


@pytest.mark.sample(4)
@pytest.mark.parametrize("of", NAMED.values(), ids=NAMED)
def test_names_in_columns_of_all_types(of: Column) -> None:
    assert ap_of(topics=of(TOPICS)) == ap_of(docnos=of(DOCNOS)) == ap_of()
    assert means_of(runs=of(RUNS)) == means_of(topics=of(TOPICS_OF_RUNS)) == means_of()


@pytest.mark.parametrize("of", NUMBERED.values(), ids=NUMBERED)
def test_numbers_in_columns_of_all_types(of: Column) -> None:
    assert ap_of(grades=of(LABELS)) == ap_of(scores=of(SCORES)) == ap_of()
    assert means_of(values=of([0.5, 0.25, 0.75, 1.0])) == means_of()


@pytest.mark.parametrize("of", NAMELESS.values(), ids=NAMELESS)
def test_what_is_no_name_is_refused(of: Column) -> None:
    is_no_name = r"(?s).*(is neither text nor a whole number|is not a name|cannot be a name|no name for).*"
    refused(FormatError, is_no_name, ap_of, topics=of(TOPICS))
    refused(FormatError, is_no_name, ap_of, docnos=of(DOCNOS))
    refused(FormatError, is_no_name, means_of, runs=of(RUNS))
    refused(FormatError, is_no_name, means_of, topics=of(TOPICS_OF_RUNS))


@pytest.mark.parametrize("of", NUMBERLESS.values(), ids=NUMBERLESS)
def test_what_is_no_number_is_refused(of: Column) -> None:
    refused(FormatError, r"(?s)qrels: topic .* is not an integer.*", ap_of, grades=of(LABELS))
    refused(FormatError, r"(?s)run 'run': topic .* is not a finite number.*", ap_of, scores=of(SCORES))
    is_no_number = r"(?s)scores(, row \d|:\d).*: value .* is not a finite number"
    refused(FormatError, is_no_number, means_of, values=of([0.5, 0.25, 0.75, 1.0]))


def test_measures_of_ir_measures_are_names_of_measures_only() -> None:
    measures = pd.Series([AP] * 4, dtype=object)
    assert means_of(measures=measures) == means_of()
    refused(FormatError, r"scores, row 1 .*: AP is not a name: .*", means_of, topics=measures)
    refused(FormatError, r"scores, row 1 .*: nan is not a name: .*", means_of, measures=[NAN, *["AP"] * 3])


def test_columns_of_several_levels_are_no_runs() -> None:
    """Their first one would be a run whose scores are the topics."""
    long = pd.DataFrame(
        {"run": list("aabb"), "topic": TOPICS_OF_RUNS, "measure": "AP", "value": [0.5, 0.25, 0.75, 1.0]}
    )
    matrix = long.pivot(index="topic", columns=["measure", "run"], values="value")
    reason = r"\('topic', ''\) is not a name: .*"
    refused(UsageError, reason, irci.map_ci, scores=matrix)
    rows = json.loads(irci.map_ci(scores=matrix["AP"]).to_json())["rows"]
    assert [(row["run"], row["value"]) for row in rows] == [("a", 0.375), ("b", 0.875)]
    assert (
        irci.map_ci(scores=long.set_index(["run", "topic", "measure"])).to_json() == irci.map_ci(scores=long).to_json()
    )
    refused(UsageError, r"nan is not a name: .*", irci.map_ci, scores=pd.DataFrame({"topic": ["1"], NAN: 1}))


@pytest.mark.parametrize("nothing", [None, NAN, np.float64(NAN), pd.NA], ids=str)
def test_a_cell_of_a_matrix_without_a_number_is_a_missing_score(nothing: Any) -> None:
    """As an outer join of frames leaves it; what is no number nor nothing is refused."""
    frame = pd.DataFrame({"topic": ["1", "2"], "a": pd.Series([0.5, nothing], dtype=object), "b": [0.25, 0.75]})
    for missing, means in (("zero", (0.25, 0.5)), ("drop", (0.5, 0.25))):
        rows = json.loads(irci.map_ci(scores=frame, missing=missing).to_json())["rows"]
        assert [(row["run"], row["value"]) for row in rows] == [*zip("ab", means, strict=True)]
    frame["a"] = [0.5, "nan"]
    refused(FormatError, r"scores, row 2 .*: value 'nan' is not a finite number", irci.map_ci, scores=frame)
