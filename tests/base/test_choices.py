"""Words that are none of those an annotation allows."""

from typing import Literal, get_type_hints

import numpy as np
import pytest

from irci.base.choices import ApInterval, MetaMethod, SmallR
from irci.base.records import Record, allowed, check
from irci.estimators import ap_ci, partition_anova, validation, wcw
from irci.estimators.compare.means import Design
from irci.estimators.wcw import worst_case_width
from irci.stats.intervals import corrected
from irci.stats.scales import standardised
from irci.stats.tests import adjusted


class Words(Record):
    interval: ApInterval = "logit"
    small_r: SmallR | Literal["none"] = "wider"
    meta: MetaMethod | None = None
    free: str = "anything"
    number: int | None = None


def test_what_is_allowed_passes() -> None:
    check(Words())
    check(Words(interval="parametric", small_r="none", meta="random", free="", number=3))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"interval": "logti"}, "interval: 'logti' is none of logit, linear, percentile, bca, parametric"),
        ({"interval": None}, "interval: None is none of logit, linear, percentile, bca, parametric"),
        ({"small_r": "wide"}, "small_r: 'wide' is none of wider, none"),
        ({"meta": "Fixed"}, "meta: 'Fixed' is none of fixed, random, stouffer, None"),
    ],
)
def test_what_is_not_is_named(given: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(Words(**given))  # type: ignore[arg-type]


SETTINGS = [
    ap_ci.IntervalMethod,
    partition_anova.ResidualBootstrap,
    validation.SplitHalf,
    Design,
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.__module__)
def test_settings_refuse_what_is_no_choice(settings: type) -> None:
    """In each field that has choices, and there is one."""
    names = [name for name, annotation in get_type_hints(settings).items() if allowed(annotation)]
    assert names
    settings()
    for name in names:
        with pytest.raises(ValueError, match=f"{name}: 'logti' is none of "):
            settings(**{name: "logti"})


def test_nothing_falls_through() -> None:
    """An unknown word where no record has been checked."""
    scores = np.array([[0.1, 0.2], [0.3, 0.5]])
    one, two = np.ones(2), np.array([2, 2])
    with pytest.raises(AssertionError, match="zz"):
        standardised(scores, one, one, "zz")  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="zz"):
        adjusted(one, "zz")  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="zz"):
        corrected(one, (one, one), two, two, 0.95, "zz")  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="zz"):
        worst_case_width(10, 0.1, "zz", wcw.TopicSetDesign())  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="an interval has no power"):
        wcw.power(10, 0.1, 0.1, "ci", wcw.TopicSetDesign())
