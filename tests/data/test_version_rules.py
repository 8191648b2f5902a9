"""Rules of query versions are regular expressions of the user's: what is none is wrong usage."""

from pathlib import Path

import pytest
from command_lines import irci
from helpers import written

BEHIND = "(?P<version>z)"


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (f"(?P<system>a{{4294967296}}){BEHIND}", "too large"),
        (f"(?P<system>[){BEHIND}", "unterminated"),
        (f"(?P<system>{'(?:' * 5000}a{')' * 5000}){BEHIND}", "not a regular expression (maximum recursion depth"),
        ("(?P<system>a{2)", "groups"),
    ],
)
def test_what_is_no_rule_is_wrong_usage(rule: str, reason: str, tmp_path: Path) -> None:
    """On scores of two runs, the names of which are 60 times a, and no z behind them."""
    path = written(tmp_path / "x.csv", f"topic,{'a' * 60}b,{'a' * 60}c\n1,.1,.2\n2,.3,.4\n")
    refused = irci("swap-error", "--quiet", "--scores", "--versions", rule, path, status=2)
    assert refused.stdout == ""
    assert reason in refused.stderr
