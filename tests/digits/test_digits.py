"""What many command lines compute is, to 12 digits, what they computed before."""

from collections.abc import Iterator

import pytest

from digits import make

LINES = make.lines()


@pytest.fixture(scope="module")
def inputs() -> Iterator[None]:
    with make.inputs():
        yield


def test_each_line_has_rows_and_no_other() -> None:
    assert {path.stem for path in make.ROWS.iterdir()} == set(LINES)


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize("name", LINES)
def test_digits(name: str) -> None:
    """python tests/digits/make.py writes them anew where a change is meant, and prints what changed."""
    assert list(make.changes(make.stored(name), make.computed(LINES[name]))) == []
