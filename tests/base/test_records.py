"""Records, against dataclasses of the same fields; and words that are no choice."""

import copy
import pickle
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
import pytest

from irci.base import Record
from irci.stats.scales import standardised
from irci.stats.tests import adjusted


class One(Record):
    first: int
    second: str = "b"


@dataclass(frozen=True)
class OneData:
    first: int
    second: str = "b"


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}), ((1, "c"), {}), ((), {"second": "d", "first": 3}), ((4,), {"second": "e"}), ((), {}), ((1, "c", 2.0), {}),
    ((1,), {"first": 1}),
]  # fmt: skip


def made(kind: Any, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What a call makes, or the error."""
    try:
        return kind(*values, **named)
    except TypeError:
        return TypeError


@pytest.mark.parametrize(("values", "named"), CALLS)
def test_it_is_made_and_shown_and_told_apart_as_a_dataclass(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    result, expected = made(One, values, named), made(OneData, values, named)
    assert repr(result).replace("One", "OneData") == repr(expected)
    if expected is TypeError:
        return
    assert list(result._asdict().items()) == list(asdict(expected).items())
    assert One._fields == tuple(field.name for field in fields(OneData))
    assert [result == One(first) for first in range(5)] == [expected == OneData(first) for first in range(5)]
    assert hash(result) == hash(expected)
    assert result._replace(first=9)._asdict() == asdict(replace(expected, first=9))
    for copied in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert copied == result


def test_it_is_no_tuple_and_cannot_be_changed() -> None:
    assert One(7, "b") != (7, "b")
    assert One(7) != OneData(7)
    with pytest.raises(AttributeError):
        One(1).first = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match="One takes first, second"):
        One(1)._replace(third=2)
    with pytest.raises(TypeError, match="One lacks first"):
        One(second="c")  # type: ignore[call-arg]


def test_nothing_falls_through() -> None:
    """An unknown word."""
    scores, one = np.array([[0.1, 0.2], [0.3, 0.5]]), np.ones(2)
    for unchecked in (
        lambda: standardised(scores, one, one, "zz"),  # type: ignore[arg-type]
        lambda: adjusted(one, "zz"),  # type: ignore[arg-type]
    ):
        with pytest.raises(AssertionError, match="zz"):
            unchecked()
