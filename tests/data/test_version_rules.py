"""Rules of query versions are regular expressions of the user's: none runs without end, none ends in a traceback."""

import signal
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from irci.base.errors import UsageError
from irci.cli.group import main
from irci.data import rules
from irci.data.versions import Versions

BEHIND = "(?P<version>z)"


def swap_error(rule: str, folder: Path) -> Result:
    """On scores of two runs, the names of which are 60 times a, and no z behind them."""
    (folder / "x.csv").write_text(f"topic,{'a' * 60}b,{'a' * 60}c\n1,.1,.2\n2,.3,.4\n")
    return CliRunner().invoke(main, ["swap-error", "--quiet", "--scores", "--versions", rule, str(folder / "x.csv")])


@pytest.mark.parametrize(
    "system", ["(a+)+", "(a|a)*", "(a|aa)+", "(.*)*y", "a*a*a*a*a*a*a*a*y", "(?:(?:a{0,30}){0,30}){0,30}y", r"(a*)*(?:a\2)*y"]
)  # fmt: skip
def test_what_takes_too_long_is_wrong_usage(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repetitions in repetitions, alternatives that overlap, many stars one after the other, backreferences."""
    monkeypatch.setattr(rules, "SECONDS", 0.02)
    refused = swap_error(f"(?P<system>{system}){BEHIND}", tmp_path)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"takes more than 0.02 s on '{'a' * 60}" in refused.stderr
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        ("a{4294967296}", "too large"),
        ("[", "unterminated"),
        ("(?:" * 5000 + "a" + ")" * 5000, "recursion"),
        ("a{2", "groups"),
    ],
)
def test_what_is_no_rule_is_wrong_usage(system: str, reason: str, tmp_path: Path) -> None:
    refused = swap_error(f"(?P<system>{system}){BEHIND if reason != 'groups' else ''}", tmp_path)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert reason in refused.stderr


def test_rules_that_take_no_time() -> None:
    """Whatever thread asks; a handler that was there before is there again."""
    before = signal.signal(signal.SIGVTALRM, signal.SIG_IGN)
    try:
        rule = Versions.of_rule("(?P<system>(?:a+b?)+)-(?P<version>[0-9]+)")
        found = []
        thread = threading.Thread(target=lambda: found.append(rule.cell("aab-1", "t")))
        thread.start()
        thread.join()
        assert [*found, rule.cell("ab-2", "t"), rule.cell("x", "t")] == [("aab", "t", "1"), ("ab", "t", "2"), None]
        assert signal.getsignal(signal.SIGVTALRM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGVTALRM, before)


def test_time_is_bounded_at_one_second_a_name() -> None:
    assert rules.SECONDS == 1


@pytest.mark.slow
def test_one_second_is_taken() -> None:
    rule = Versions.of_rule(f"(?P<system>(a+)+){BEHIND}")
    with pytest.raises(UsageError, match="takes more than 1 s"):
        rule.cell("a" * 50, "t")
