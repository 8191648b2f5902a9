"""Words that are none of those an annotation allows."""

from dataclasses import dataclass
from typing import Literal

import pytest

from irci.choices import ApInterval, MetaMethod, SmallR, check


@dataclass
class Record:
    interval: ApInterval = "logit"
    small_r: SmallR | Literal["none"] = "wider"
    meta: MetaMethod | None = None
    free: str = "anything"
    number: int | None = None


def test_what_is_allowed_passes() -> None:
    check(Record())
    check(Record(interval="delta-logit", small_r="none", meta="random", free="", number=3))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"interval": "logti"}, "interval: 'logti' is none of logit, linear, percentile, bca, delta-logit"),
        ({"interval": None}, "interval: None is none of logit, linear, percentile, bca, delta-logit"),
        ({"small_r": "wide"}, "small_r: 'wide' is none of wider, hull, none"),
        ({"meta": "Fixed"}, "meta: 'Fixed' is none of fixed, random, stouffer, None"),
    ],
)
def test_what_is_not_is_named(given: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(Record(**given))  # type: ignore[arg-type]
