"""How numbers are spelled, in files and on the command line alike: in ASCII digits, not in all the ways that Python takes."""

from typing import NamedTuple

from irci.base.names import BLANKS


class Margin(NamedTuple):
    """Within which runs are equivalent: an amount, or a share of the baseline's mean."""

    amount: float
    is_share: bool = False

    def __str__(self) -> str:
        return f"{100 * self.amount:g}%" if self.is_share else f"{self.amount:g}"


def decimal(token: str) -> float:
    """The number that a token spells. Raises ValueError for what only Python takes for one: 1_000, digits of other
    scripts, separators of control characters around it."""
    if "_" in token or not token.isascii() or not token.strip(BLANKS).isprintable():
        raise ValueError(token)
    return float(token)


def whole_number(token: str) -> int:
    """The whole number, between -2^53 and 2^53, that a token spells as `decimal` takes it. Raises ValueError for others."""
    if not abs(decimal(token)) < 2**53:
        raise ValueError(token)
    return int(token)
