"""Rules of query versions are regular expressions of the user's: none runs without end, none ends in a traceback."""

import time
from pathlib import Path

import pytest
from command_lines import irci, printed
from helpers import SMALL, written

from irci.base import UsageError
from irci.data.versions import Versions

BEHIND = "(?P<version>z)"


@pytest.mark.parametrize(
    "system",
    ["(a+)+", "(a|a)*", "(a|aa)+", "(.*)*y", "(a?a)*y", "a*a*a*a*a*a*a*a*y", "(?:(?:a{0,30}){0,30}){0,30}y",
     r"(a*)*(?:a\2)*y", "((a{1,60}){1,60}){1,60}", "((a{999}){999}){999}", "(?:){1001}", "(a|a)" * 27, "a?" * 27,
     "(?>(?:a|aa)*)", "(?:(?=a*)a)*y"],
)  # fmt: skip
def test_what_could_take_long_is_refused(system: str) -> None:
    """Repetitions in repetitions, alternatives that overlap, many stars one after the other, counts of counts: before anything
    is tried."""
    began = time.process_time()
    with pytest.raises(
        (ValueError, UsageError), match=r"more than 100,000,000 ways|inside a repetition|more than 1000 times"
    ):
        Versions.of_rule(f"(?P<system>{system}){BEHIND}").cell("a" * 60, "t")
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize("option", ["--clusters", "--slices", "--seeds"])
def test_each_kind_of_rule_has_these_limits(option: str) -> None:
    groups = "(?P<system>x)(?P<seed>y)" if option == "--seeds" else f"(?P<{option[2:-1]}>x)"
    files = (SMALL / "qrels.txt", SMALL / "runs" / "alpha.run", SMALL / "runs" / "bravo.run.gz")
    for slow in ("((a{999}){999}){999}", "(?:a+)+", "a" * 1000, "a{1001}"):
        assert "a regular expression" in printed("compare", option, slow + groups, *files, status=2).splitlines()[-1]


@pytest.mark.parametrize("system", ["a*a*a*a*a*y", "(a)*(a)*(a)*(a)*y", "(?:a|a)" * 20, "[ab]+-[^-]*a?a?a?a*a*"])
def test_what_is_allowed_takes_a_bounded_time(system: str) -> None:
    """Names without a match, of nearly as many ways as there may be: 100 ns a way at most, where processors are busy."""
    rule = Versions.of_rule(f"(?P<system>{system}){BEHIND}")
    began = time.process_time()
    assert rule.cell("a" * 28, "t") is None
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (f"(?P<system>(a+)+){BEHIND}", "inside a repetition"),
        (f"(?P<system>a*a*a*a*a*a*a*a*y){BEHIND}", "ways to match 'aaa"),
        (f"(?P<system>a{{4294967296}}){BEHIND}", "too large"),
        (f"(?P<system>[){BEHIND}", "unterminated"),
        (f"(?P<system>{'(?:' * 5000}a{')' * 5000}){BEHIND}", "more than 1000 letters"),
        ("(?P<system>a{2)", "groups"),
    ],
)
def test_what_is_no_rule_is_wrong_usage(rule: str, reason: str, tmp_path: Path) -> None:
    """On scores of two runs, the names of which are 60 times a, and no z behind them."""
    path = written(tmp_path / "x.csv", f"topic,{'a' * 60}b,{'a' * 60}c\n1,.1,.2\n2,.3,.4\n")
    refused = irci("swap-error", "--quiet", "--scores", "--versions", rule, path, status=2)
    assert refused.stdout == ""
    assert reason in refused.stderr
