"""Progress bars, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from irci.base.types import Progress

Thing = TypeVar("Thing")


def progress_of(wanted: bool | None) -> Progress:
    """Shows how far it is, on a terminal if that takes more than a second; if wanted everywhere and at once, or never."""
    from irci.base.types import as_they_are

    if wanted is None:
        return with_progress if sys.stderr.isatty() else as_they_are
    return with_bar if wanted else as_they_are


def with_progress(things: Sequence[Thing], unit: str, /) -> Iterable[Thing]:
    """Things, with a progress bar if there are several and going through them takes more than a second."""
    if len(things) == 1:
        return things
    from tqdm import tqdm

    bar: Iterable[Thing] = tqdm(things, unit=unit, delay=1, leave=False)
    return bar


def with_bar(things: Sequence[Thing], unit: str, /) -> Iterable[Thing]:
    """Things, with a progress bar that stays."""
    from tqdm import tqdm

    bar: Iterable[Thing] = tqdm(things, unit=unit)
    return bar
