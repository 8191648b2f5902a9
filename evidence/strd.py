"""NIST's Statistical Reference Datasets for the analysis of variance, and how many of their certified digits irci gets.

Source: NIST/ITL StRD, https://www.itl.nist.gov/div898/strd/anova/anova.html, one page a data set (SiRstv.html, ...): data and
certified values typed from there. SmLs01 to 09 are generated data, which their pages' listing follows from a rule.

One-way data go to the commands as scores: treatments are systems, replicates are the parts of one topic (partition-anova) or
topics (wcw, whose variance within systems is the certified mean square within treatments).
"""

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from commands import rows
from page import Section, Table

SIRSTV = """
196.3052 196.1240 196.1890 196.2569 196.3403 / 196.3042 196.3825 196.1669 196.3257 196.0422 /
196.1303 196.2005 196.2889 196.0343 196.1811 / 196.2795 196.1748 196.1494 196.1485 195.9885 /
196.2119 196.1051 196.1850 196.0052 196.2090"""
ATMWTAG = """
107.8681568 107.8681465 107.8681572 107.8681785 107.8681446 107.8681903 107.8681526 107.8681494 107.8681616 107.8681587
107.8681519 107.8681486 107.8681419 107.8681569 107.8681508 107.8681672 107.8681385 107.8681518 107.8681662 107.8681424
107.8681360 107.8681333 107.8681610 107.8681477 /
107.8681079 107.8681344 107.8681513 107.8681197 107.8681604 107.8681385 107.8681642 107.8681365 107.8681151 107.8681082
107.8681517 107.8681448 107.8681198 107.8681482 107.8681334 107.8681609 107.8681101 107.8681512 107.8681469 107.8681360
107.8681254 107.8681261 107.8681450 107.8681368"""

QUANTITIES = ("SS between", "MS between", "F", "SS within", "MS within", "R squared", "residual sd")
# Certified: in the order of QUANTITIES, and the degrees of freedom between and within.
CERTIFIED = {
    "SiRstv": (
        "5.11462616000000E-02 1.27865654000000E-02 1.18046237440255E+00 2.16636560000000E-01 1.08318280000000E-02"
        " 1.90999039051129E-01 1.04076068334656E-01", 4, 20),
    "AtmWtAg": (
        "3.63834187500000E-09 3.63834187500000E-09 1.59467335677930E+01 1.04951729166667E-08 2.28155932971014E-10"
        " 2.57426544538321E-01 1.51048314446410E-05", 1, 46),
    21: ("1.68 .21 21 1.8 .01 4.82758620689655E-01 .1", 8, 180),
    201: ("16.08 2.01 201 18 .01 4.71830985915493E-01 .1", 8, 1800),
    2001: ("160.08 20.01 2001 180 .01 4.70712773465067E-01 .1", 8, 18000),
}  # fmt: skip
CONSTANTS = (1, 1_000_000, 1_000_000_000_000)
MOST_DIGITS = 15  # as many as are certified


@dataclass(frozen=True)
class DataSet:
    """Responses in decimals, a list for each treatment; what is certified of them."""

    name: str
    treatments: list[list[str]]
    certified: dict[str, str]
    degrees: tuple[int, int]


def data_sets() -> list[DataSet]:
    """All eleven, in NIST's order of difficulty."""
    observed = {"SiRstv": SIRSTV, "AtmWtAg": ATMWTAG}
    found = {name: _set(name, [part.split() for part in text.split("/")], name) for name, text in observed.items()}
    numbered = [(constant, replicates) for constant in CONSTANTS for replicates in (21, 201, 2001)]
    for number, (constant, replicates) in enumerate(numbered, 1):
        found[f"SmLs0{number}"] = _set(f"SmLs0{number}", _simon_lesage(constant, replicates), replicates)
    return [found[name] for name in ("SiRstv", *[f"SmLs0{n}" for n in (1, 2, 3)], "AtmWtAg",
                                     *[f"SmLs0{n}" for n in range(4, 10)])]  # fmt: skip


def _set(name: str, treatments: list[list[str]], key: str | int) -> DataSet:
    values, *degrees = CERTIFIED[key]
    return DataSet(name, treatments, dict(zip(QUANTITIES, values.split(), strict=True)), tuple(degrees))


def _simon_lesage(constant: int, replicates: int) -> list[list[str]]:
    """Nine treatments: the mean, and then in turns a tenth below and above it; means of .4, and .3 and .5 in turns."""
    means = [4, 3, 5, 3, 5, 3, 5, 3, 5]
    pairs = (replicates - 1) // 2
    return [[f"{constant}.{tenth}" for tenth in (mean, *(mean - 1, mean + 1) * pairs)] for mean in means]


def exactly(treatments: Sequence[Sequence[Fraction]]) -> dict[str, Fraction | float]:
    """The quantities of a one-way analysis in rational arithmetic; the residual sd from the exact mean square."""
    count = sum(map(len, treatments))
    grand = sum(map(sum, treatments), Fraction(0)) / count
    means = [sum(of, Fraction(0)) / len(of) for of in treatments]
    between = sum((len(of) * (mean - grand) ** 2 for of, mean in zip(treatments, means, strict=True)), Fraction(0))
    within = sum((sum((y - mean) ** 2 for y in of) for of, mean in zip(treatments, means, strict=True)), Fraction(0))
    degrees = len(treatments) - 1, count - len(treatments)
    squares = between / degrees[0], within / degrees[1]
    values = (between, squares[0], squares[0] / squares[1], within, squares[1], between / (between + within))
    return {**dict(zip(QUANTITIES, values, strict=False)), QUANTITIES[-1]: math.sqrt(squares[1])}


def of_decimals(data: DataSet) -> dict[str, Fraction | float]:
    """What the typed decimals give: the certificate, if they are typed right."""
    return exactly([[Fraction(y) for y in of] for of in data.treatments])


def of_doubles(data: DataSet) -> dict[str, Fraction | float]:
    """What the nearest doubles give, which is all that a program can see of the decimals."""
    return exactly([[Fraction(float(y)) for y in of] for of in data.treatments])


def digits(found: float, right: Fraction | float | str) -> float:
    """The log relative error: how many leading digits are right, at most as many as are certified."""
    right = Fraction(Decimal(right)) if isinstance(right, str) else Fraction(right)
    off = abs(Fraction(found) - right) / abs(right) if math.isfinite(found) else Fraction(1)
    return MOST_DIGITS if off == 0 else min(max(-math.log10(off), 0), MOST_DIGITS)


def by_partition_anova(data: DataSet) -> dict[str, float]:
    """The commands' numbers: one topic, systems are treatments, parts are replicates."""
    lines = ["run\ttopic\tmeasure\tsplit\tpart\tvalue"]
    for place, of in enumerate(data.treatments):
        lines += [f"t{place}\t1\ty\t{min(part, 1)}\t{part}\t{value}" for part, value in enumerate((of[0], *of))]
    found = _table_of("\n".join(lines) + "\n")
    between, within, total = found["system"], found["error"], found["total"]
    values = (between["ss"], between["ms"], between["F"], within["ss"], within["ms"], between["ss"] / total["ss"],
              math.sqrt(within["ms"]))  # fmt: skip
    return dict(zip(QUANTITIES, values, strict=True))


def _table_of(text: str) -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "parts.tsv"
        path.write_text(text)
        arguments = ("--scores", "--model", "additive", "--tests", "none", "-B", "2", "-m", "y")
        lines = [row for row in rows("partition-anova", *arguments, path) if row.get("table") == "anova_y"]
    return {line["source"]: {name: math.nan if v is None else v for name, v in line.items()} for line in lines}


def by_wcw(data: DataSet) -> float:
    """The variance within systems of a matrix of topics by systems."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrix.csv"
        names = ",".join(f"t{place}" for place in range(len(data.treatments)))
        path.write_text("\n".join([names, *(",".join(row) for row in zip(*data.treatments, strict=True))]) + "\n")
        return float(rows("wcw", "--scores", path)[0]["value"])


def section(names: Sequence[str] = ()) -> Section:
    """Digits of every quantity of every set, or of some."""
    against = {"certificate": lambda data: data.certified, "doubles": of_doubles}
    lines: dict[str, list[list[object]]] = {name: [] for name in against}
    for data in (each for each in data_sets() if not names or each.name in names):
        found, variance = by_partition_anova(data), by_wcw(data)
        for name, right_of in against.items():
            right = right_of(data)
            cells = [f"{digits(found[quantity], right[quantity]):.1f}" for quantity in QUANTITIES]
            lines[name].append([data.name, *cells, f"{digits(variance, right['MS within']):.1f}"])
    headers = ["data set", *QUANTITIES, "wcw: variance"]
    return Section(
        "NIST's StRD, analysis of variance",
        __doc__.split("\n\n")[1].replace("\n", " ") + " The digits that `irci partition-anova --scores --model additive` and"
        " `irci wcw --scores` get right (log relative errors, at most 15), by the certified values, which hold for the"
        " decimals as printed; and by exact rational arithmetic on the doubles nearest to them. The former cannot be more than"
        " the doubles themselves keep: of SmLs07 to 09, with thirteen constant leading digits, that is about four digits.",
        [Table("Digits by the certificate", headers, lines["certificate"]),
         Table("Digits by exact arithmetic on the doubles read", headers, lines["doubles"])],
    )  # fmt: skip
