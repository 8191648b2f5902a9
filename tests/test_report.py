"""Formats: what is printed, read back."""

import json
import math

from irci.report import FORMATS

ROWS = [
    {"measure": "map", "topic": "1", "value": 1 / 3, "lower": math.nan, "upper": 2 / 3, "run": "é\udcff", "flag": True},
    {"measure": "map", "topic": "all", "value": 0.0, "lower": 0.25, "upper": 1.0, "run": "x", "flag": False},
]
SIGNATURE = {"irci": "0", "depth": None}


def test_text_is_trec_evals_line_extended() -> None:
    assert FORMATS["text"](ROWS, SIGNATURE) == (
        "map                   \t1\t0.3333\tnan\t0.6667\té\udcff\tflag\n"
        "map                   \tall\t0.0000\t0.2500\t1.0000\tx\n"
    )


def test_tsv_has_a_header_and_full_precision() -> None:
    header, *lines = [line.split("\t") for line in FORMATS["tsv"](ROWS, SIGNATURE).splitlines()]
    assert header == ["measure", "topic", "value", "lower", "upper", "run", "flag"]
    assert [float(line[2]) for line in lines] == [1 / 3, 0.0]
    assert lines[0][3] == "nan"
    assert [line[6] for line in lines] == ["true", "false"]


def test_json_carries_the_signature_and_null() -> None:
    read = json.loads(FORMATS["json"](ROWS, SIGNATURE))
    assert read["signature"] == SIGNATURE
    assert read["rows"] == [{**ROWS[0], "lower": None}, ROWS[1]]


def test_no_rows() -> None:
    assert FORMATS["text"]([], SIGNATURE) == FORMATS["tsv"]([], SIGNATURE) == ""
    assert json.loads(FORMATS["json"]([], SIGNATURE))["rows"] == []
