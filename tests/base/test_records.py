"""Records, against dataclasses of the same fields."""

import copy
import pickle
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

import pytest

from irci.base.records import Record


class One(Record):
    first: int
    second: str = "b"


class Two(One):
    of_all: ClassVar[int] = 3
    third: float = 0.5
    first: int = 7


class Other(Record):
    fourth: int = 4
    second: str = "other"


class Both(Two, Other):
    fifth: int = 5


@dataclass(frozen=True)
class OneData:
    first: int
    second: str = "b"


@dataclass(frozen=True)
class TwoData(OneData):
    of_all: ClassVar[int] = 3
    third: float = 0.5
    first: int = 7


@dataclass(frozen=True)
class OtherData:
    fourth: int = 4
    second: str = "other"


@dataclass(frozen=True)
class BothData(TwoData, OtherData):
    fifth: int = 5


PAIRS = [(One, OneData), (Two, TwoData), (Both, BothData)]
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, "c"), {}),
    ((), {"first": 2}),
    ((), {"second": "d", "first": 3}),
    ((4,), {"second": "e"}),
    ((), {}),
    ((1, "c", 2.0, 3), {}),
    ((1,), {"first": 1}),
    ((1,), {"fourth": 1}),
]


def made(kind: Any, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What a call makes, or the error."""
    try:
        return kind(*values, **named)
    except TypeError:
        return TypeError


@pytest.mark.parametrize(("record", "data"), PAIRS)
@pytest.mark.parametrize(("values", "named"), CALLS)
def test_it_is_made_and_shown_and_told_apart_as_a_dataclass(
    record: Any, data: Any, values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    found, expected = made(record, values, named), made(data, values, named)
    assert repr(found).replace(record.__name__, data.__name__) == repr(expected)
    if expected is TypeError:
        return
    assert list(found._asdict().items()) == list(asdict(expected).items())
    assert record._fields == tuple(field.name for field in fields(data))
    assert [found == record(first) for first in range(5)] == [expected == data(first) for first in range(5)]
    assert hash(found) == hash(expected)
    changed, wanted = found._replace(first=9), replace(expected, first=9)
    assert (changed.first, changed.second) == (wanted.first, wanted.second)
    assert changed != found


def test_it_is_no_tuple_and_equals_only_its_own_kind() -> None:
    assert One(7, "b") != (7, "b")
    assert Two() != One(7, "b")
    assert not isinstance(One(1), tuple)


@pytest.mark.parametrize("kind", [One, OneData])
def test_no_field_is_set_again(kind: Any) -> None:
    found = kind(1)
    with pytest.raises(AttributeError):
        found.first = 2
    with pytest.raises(AttributeError):
        del found.first
    assert found.first == 1


def test_another_name_is_refused_where_one_is_replaced() -> None:
    with pytest.raises(TypeError, match="One takes first, second"):
        One(1)._replace(third=2)


def test_it_is_copied_and_pickled() -> None:
    for found in (copy.copy(Two(third=1.5)), copy.deepcopy(Two(third=1.5)), pickle.loads(pickle.dumps(Two(third=1.5)))):
        assert found == Two(third=1.5)


def test_its_class_says_what_it_lacks() -> None:
    with pytest.raises(TypeError, match="One lacks first"):
        One(second="c")  # type: ignore[call-arg]
