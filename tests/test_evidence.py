"""The page of evidence: what was typed for it, and lines of it that can be made again quickly."""

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from helpers import ROOT

sys.path.insert(0, str(ROOT / "evidence"))

import enumeration
import matrices
import selection
import strd
import which_test
from commands import TESTDATA
from page import Section, Table

import evidence

PAGE = (ROOT / "evidence" / "evidence.md").read_text(encoding="utf-8")
NIST = (
    Path(scipy.stats.__file__).parent / "tests" / "data" / "nist_anova"
)  # copies of the files, with scipy's own tests
SETS = {data.name: data for data in strd.data_sets()}
QUICK = ("SiRstv", "AtmWtAg", "SmLs07")
EXACT = 14.0  # digits that a rounding of a double here and there leaves


def test_the_page_has_all_sections() -> None:
    assert list(evidence.sections_of(PAGE)) == list(evidence.SECTIONS)


@pytest.mark.sample(4)
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


@pytest.mark.sample(4)
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


@pytest.mark.parametrize("name", QUICK)
def test_lines_of_reference_sets_are_on_the_page(name: str) -> None:
    assert all(table.lines_on(PAGE) for table in strd.section((name,)).tables)


def test_lines_of_enumerations_are_on_the_page() -> None:
    assert Table("", enumeration.HEADERS, list(enumeration.designs_of_versions())).lines_on(PAGE)


def test_lines_of_selection_are_on_the_page() -> None:
    small = matrices.scored("testdata", TESTDATA / "qrels.txt", TESTDATA / "runs", "RR")
    assert Table("", [], [selection.topics_added(matrix) for matrix in small]).lines_on(PAGE)


def test_a_table_knows_which_lines_a_page_has() -> None:
    table = Table("of two", ["a|b", "c"], [["x", 1], ["y|z", 0.5]])
    page = Section("title", "told", [table]).text()
    assert page.startswith("## title\n\ntold\n\n**of two**\n\n| a|b")
    assert table.lines_on(page)
    assert not table.lines_on(page.replace("0.5", "0.6"))
    assert not table.lines_on(page.replace("1", ""))


TILTED = [0.3, 0, 0, -0.1, 0.2, -0.2, 0, 0.1]


@pytest.mark.parametrize(
    ("delta", "weights"),
    [
        (0.0, [0.0765, 0.1291, 0.1291, 0.1537, 0.0910, 0.1831, 0.1291, 0.1084]),
        (0.1, [0.2350, 0.1037, 0.1037, 0.0789, 0.1789, 0.0601, 0.1037, 0.1362]),
    ],
)
def test_tilted_topics_of_a_worked_example(delta: float, weights: list[float]) -> None:
    """Weights that another program found, to four decimals."""
    found = which_test.tilting_weights(np.array(TILTED), delta)
    assert found is not None
    assert found.tolist() == pytest.approx(weights, abs=5.1e-5)


@pytest.mark.parametrize(("differences", "delta"), [([0.1, 0, 0.2], 0.0), ([-0.1, 0], 0.0), ([0.1, -0.1], 0.1)])
def test_no_weights_make_a_mean_beyond_the_differences(differences: list[float], delta: float) -> None:
    assert which_test.tilting_weights(np.array(differences), delta) is None


def test_pairs_that_tilting_would_leave_few_topics_are_not_used() -> None:
    assert which_test.usable_weights(np.array([0.1, -0.1, 0.1, -0.1, 0.1, 0, 0, 0])) is None  # five differ
    assert which_test.usable_weights(np.array([0.1, -0.1] * 3 + [0, 0])) is not None
    assert which_test.usable_weights(np.array([0.2] * 9 + [-0.01])) is None  # one topic has nearly all of the weight


SURVIVAL = (ROOT / "doc" / "survival.md").read_text(encoding="utf-8")


def survival_table(caption: str) -> list[list[str]]:
    """The cells of a table of the page, below its header."""
    lines = SURVIVAL.partition(f"**{caption}**\n\n")[2].partition("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_what_is_said_of_trec_2019_is_in_its_tables() -> None:
    """And the figures that the specification of claims has of them."""
    sources = {cells[0]: cells[1:] for cells in survival_table("What other sources say of the claims")}
    assert [int(cells[0]) for cells in sources.values()] == [692, 472, 692, 580, 603, 516, 494, 679, 665]
    assert {cells[3] for cells in sources.values()} == {"0"}
    assert [sources[name][2] for name in sources if name.startswith(("GPT-4", "second", "third"))] == ["75", "1", "22"]
    people = [list(map(int, cells[1:])) for cells in survival_table("Two people who judged a part")]
    assert people == [[472], [462], [494]]
    together = {cells[0]: int(cells[1]) for cells in survival_table("All six sources, people by documents in common")}
    assert list(together.values()) == [1830, 1081, 692, 399, 116, 78, 71, 28, 460, 419, 372, 291]
    model = sources["GPT-4 (UMBRELA), who judged all"]
    for said in (
        f"NIST's judgments show {together['claims: significant by the largest statistic of all pairs']} claims",
        f"NIST itself sustains {sources['*control: NIST on these documents*'][0]} of its claims",
        f"where {model[2]} of the {model[1]} that it does not confirm",
        f"{together['claims that 6 of the six confirm']} of 692 are confirmed by each source",
        f"{together['claims that survive all, by p_all']} survive as one statement",
    ):
        assert said in " ".join(SURVIVAL.split())
