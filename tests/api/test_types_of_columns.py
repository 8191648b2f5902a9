"""Columns of all types that pandas and polars have: the same numbers where they hold names and numbers, else a refusal."""

import datetime
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from held import NAN, refused
from ir_measures import AP

import irci
from irci.base.errors import FormatError

TOPICS, DOCNOS, GRADES, SCORES = list("1122"), list("5656"), [1, 0, 0, 1], [2.0, 1.0, 1.5, 2.5]
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
    "sparse": lambda names: pd.arrays.SparseArray([int(name) for name in names]),
    "polars category": lambda names: pl.Series(names, dtype=pl.Categorical),
    "polars enum": lambda names: pl.Series(names, dtype=pl.Enum(sorted(set(names)))),
    "polars object": lambda names: pl.Series(names, dtype=pl.Object),
}
NAMELESS: dict[str, Column] = {
    "string with one missing": lambda names: pd.array([None, *names[1:]], "string"),
    "NA": lambda names: pd.Series([*names[:3], pd.NA], dtype=object),
    "fractions": lambda names: [float(name) for name in names],
    "truth values": lambda names: [True, True, False, False],
    "bytes": lambda names: [name.encode() for name in names],
    "lists": lambda names: [[name] for name in names],
    "decimals": lambda names: pd.Series([Decimal(name) for name in names], dtype=object),
    "empty": lambda names: ["", *names[1:]],
    "half a pair": lambda names: pd.Series(["\ud800", *names[1:]], dtype=object),
    "polars null": lambda names: pl.Series([None, *names[1:]]),
    "polars Int64 with null": lambda names: pl.Series([None, *map(int, names[1:])]),
    "polars Decimal": lambda names: pl.Series([Decimal(name) for name in names]),
    "polars List": lambda names: pl.Series([[name] for name in names]),
    "polars Date": lambda names: pl.Series([datetime.date(2000, 1, int(name)) for name in names]),
}
NUMBERED: dict[str, Column] = {
    "Float64": lambda numbers: pd.array(numbers, "Float64"),
    "category": pd.Categorical,
    "objects": lambda numbers: pd.Series(numbers, dtype=object),
    "sparse": pd.arrays.SparseArray,
    "polars Float32": lambda numbers: pl.Series(numbers, dtype=pl.Float32),
}
NUMBERLESS: dict[str, Column] = {
    "Float64 with one missing": lambda numbers: pd.array([None, *numbers[1:]], "Float64"),
    "nan": lambda numbers: [NAN, *numbers[1:]],
    "NA": lambda numbers: pd.Series([*numbers[:3], pd.NA], dtype=object),
    "huge": lambda numbers: pd.Series([10**400, *numbers[1:]], dtype=object),
    "texts": lambda numbers: list(map(str, numbers)),
    "truth values": lambda numbers: [True, False] * 2,
    "decimals": lambda numbers: pd.Series(list(map(Decimal, numbers)), dtype=object),
    "polars null": lambda numbers: pl.Series([None, *numbers[1:]]),
    "polars Decimal": lambda numbers: pl.Series(list(map(Decimal, numbers))),
    "polars Boolean": lambda numbers: pl.Series([True, False] * 2),
    "polars Date": lambda numbers: pl.Series([datetime.date(2000, 1, 1)] * 4),
    "polars List": lambda numbers: pl.Series([[each] for each in numbers]),
}


def frame(**columns: Any) -> Any:
    """A data frame of polars, if one of its columns is, else of pandas."""
    library = pl if any(isinstance(column, pl.Series) for column in columns.values()) else pd
    return library.DataFrame(columns)


def ap_of(topics: Any = TOPICS, docnos: Any = DOCNOS, grades: Any = GRADES, scores: Any = SCORES) -> Any:
    report = irci.score(
        frame(query_id=topics, doc_id=docnos, relevance=grades), frame(query_id=topics, doc_id=docnos, score=scores)
    )
    return [(row["topic"], row["value"]) for row in json.loads(report.to_json())["rows"]]


def means_of(
    runs: Any = RUNS, topics: Any = TOPICS_OF_RUNS, measures: Any = "AP", values: Any = (0.5, 0.25, 0.75, 1.0)
) -> Any:
    measures = [measures] * 4 if isinstance(measures, str) else measures
    table = frame(run=runs, topic=topics, measure=measures, value=values, noted=[NAN, None, 1.0, 2.0])
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
    assert ap_of(grades=of(GRADES)) == ap_of(scores=of(SCORES)) == ap_of()
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
    refused(FormatError, r"(?s)qrels, topic .* is not an integer.*", ap_of, grades=of(GRADES))
    refused(FormatError, r"(?s)run 'run', topic .* is not a finite number.*", ap_of, scores=of(SCORES))
    is_no_number = r"(?s)scores, column 'value', row \d: value .* is not a (finite )?number"
    refused(FormatError, is_no_number, means_of, values=of([0.5, 0.25, 0.75, 1.0]))


def test_measures_of_ir_measures_are_names_of_measures_only() -> None:
    measures = pd.Series([AP] * 4, dtype=object)
    assert means_of(measures=measures) == means_of()
    refused(FormatError, r"scores, column 'topic', row 1: AP is not a name: .*", means_of, topics=measures)
    refused(
        FormatError, r"scores, column 'measure', row 1: nan is not a name: .*", means_of, measures=[NAN, *["AP"] * 3]
    )


def test_columns_of_several_levels_are_no_runs() -> None:
    """Their first one would be a run whose scores are the topics."""
    long = pd.DataFrame(
        {"run": list("aabb"), "topic": TOPICS_OF_RUNS, "measure": "AP", "value": [0.5, 0.25, 0.75, 1.0]}
    )
    matrix = long.pivot(index="topic", columns=["measure", "run"], values="value")
    reason = r"scores, names of columns: \('topic', ''\) is not a name: .*"
    refused(FormatError, reason, irci.map_ci, scores=matrix)
    rows = json.loads(irci.map_ci(scores=matrix["AP"]).to_json())["rows"]
    assert [(row["run"], row["value"]) for row in rows] == [("a", 0.375), ("b", 0.875)]
    assert (
        irci.map_ci(scores=long.set_index(["run", "topic", "measure"])).to_json() == irci.map_ci(scores=long).to_json()
    )
    refused(
        FormatError,
        r"scores, names of columns: nan is not a name: .*",
        irci.map_ci,
        scores=pd.DataFrame({"topic": ["1"], NAN: 1}),
    )


@pytest.mark.parametrize("nothing", [None, NAN, np.float64(NAN), pd.NA], ids=str)
def test_a_cell_of_a_matrix_without_a_number_is_a_missing_score(nothing: Any) -> None:
    """As an outer join of frames leaves it; what is no number nor nothing is refused."""
    frame = pd.DataFrame({"topic": ["1", "2"], "a": pd.Series([0.5, nothing], dtype=object), "b": [0.25, 0.75]})
    for missing, means in (("zero", (0.25, 0.5)), ("drop", (0.5, 0.25))):
        rows = json.loads(irci.map_ci(scores=frame, missing=missing).to_json())["rows"]
        assert [(row["run"], row["value"]) for row in rows] == [*zip("ab", means, strict=True)]
    frame["a"] = [0.5, "nan"]
    refused(FormatError, r"scores, column 'a', row 2: value 'nan' is not a number", irci.map_ci, scores=frame)
