"""The page of evidence: what was typed for it, and lines of it that can be made again quickly."""

import math
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import scipy.stats
from helpers import ROOT

sys.path.insert(0, str(ROOT / "evidence"))

import enumeration
import strd
from page import Section, Table

PAGE = (ROOT / "doc" / "evidence.md").read_text(encoding="utf-8")
NIST = (
    Path(scipy.stats.__file__).parent / "tests" / "data" / "nist_anova"
)  # copies of the files, with scipy's own tests
SETS = {data.name: data for data in strd.data_sets()}
QUICK = ("SiRstv", "AtmWtAg", "SmLs07")
EXACT = 14.0  # digits that a rounding of a double here and there leaves


@pytest.mark.parametrize("name", SETS)
def test_typed_data_give_the_typed_certificate(name: str) -> None:
    """In rational arithmetic, to the digits certified."""
    data = SETS[name]
    between, within = data.degrees
    assert (len(data.treatments) - 1, sum(map(len, data.treatments)) - len(data.treatments)) == (between, within)
    found = strd.of_decimals(data)
    assert {quantity: strd.digits(float(found[quantity]), right) for quantity, right in data.certified.items()} == {
        quantity: pytest.approx(15, abs=0.6) for quantity in strd.QUANTITIES
    }


@pytest.mark.parametrize("name", SETS)
def test_typed_data_are_those_of_the_files(name: str) -> None:
    file = NIST / f"{name}.dat"
    if not file.exists():
        pytest.skip("this scipy is without its tests' data")
    lines = [line.split() for line in file.read_text().splitlines()]
    theirs: dict[str, list[Fraction]] = {}
    for treatment, response in filter(None, lines[60:]):
        theirs.setdefault(treatment, []).append(Fraction(response))
    assert list(theirs.values()) == [list(map(Fraction, of)) for of in SETS[name].treatments]
    numbers = [word for line in lines[40:48] for word in line if "E" in word and word[0].isdigit()]
    assert sorted(map(Fraction, numbers)) == sorted(map(Fraction, SETS[name].certified.values()))


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in SETS]
)
def test_all_digits_of_what_is_read(name: str) -> None:
    """The commands against exact arithmetic on the doubles: leading digits in common take nothing away."""
    right, found = strd.of_doubles(SETS[name]), strd.by_partition_anova(SETS[name])
    assert {
        quantity: strd.digits(found[quantity], right[quantity]) >= EXACT for quantity in strd.QUANTITIES
    } == dict.fromkeys(strd.QUANTITIES, True)
    assert strd.digits(strd.by_wcw(SETS[name]), right["MS within"]) >= EXACT


def test_digits() -> None:
    assert strd.digits(1.0, 1) == 15
    assert strd.digits(1.001, 1) == pytest.approx(3, abs=1e-9)
    assert strd.digits(2.5, 1) == 0
    assert strd.digits(math.nan, 1) == 0


@pytest.mark.parametrize("name", QUICK)
def test_lines_of_reference_sets_are_on_the_page(name: str) -> None:
    assert all(table.lines_on(PAGE) for table in strd.section((name,)).tables)


def test_lines_of_enumerations_are_on_the_page() -> None:
    assert Table("", enumeration.HEADERS, list(enumeration.designs_of_versions())).lines_on(PAGE)


def test_a_table_knows_which_lines_a_page_has() -> None:
    table = Table("of two", ["a|b", "c"], [["x", 1], ["y|z", 0.5]])
    page = Section("title", "told", [table]).text()
    assert page.startswith("## title\n\ntold\n\n**of two**\n\n| a|b")
    assert table.lines_on(page)
    assert not table.lines_on(page.replace("0.5", "0.6"))
    assert not table.lines_on(page.replace("1", ""))
