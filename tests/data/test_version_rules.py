"""Rules of query versions are regular expressions of the user's: none runs without end, none ends in a traceback."""

import random
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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


SLOW = "(?P<system>(a|aa)+)"


def test_what_takes_too_long_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "SECONDS", 0.02)
    refused = swap_error(f"{SLOW}{BEHIND}", tmp_path)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"takes more than 0.02 s, most of it on '{'a' * 60}" in refused.stderr


def at_once(call: Callable[[], object]) -> object:
    try:
        return call()
    except UsageError as error:
        return error


def in_a_thread(call: Callable[[], object]) -> object:
    """What a call gives or raises in a thread, which no signal reaches."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(at_once, call).result()


@pytest.mark.parametrize("run", [at_once, in_a_thread])
@pytest.mark.parametrize(
    "system",
    ["(a+)+", "(a|a)*", "(a|aa)+", "(.*)*y", "a*a*a*a*a*a*a*a*y", "(?:(?:a{0,30}){0,30}){0,30}y", r"(a*)*(?:a\2)*y",
     "((a{1,60}){1,60}){1,60}"],
)  # fmt: skip
def test_no_rule_goes_on_in_any_thread(
    run: Callable[[Callable[[], object]], object], system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Repetitions in repetitions, alternatives that overlap, many stars one after the other, backreferences: no match is
    found in time, or the rule is refused."""
    monkeypatch.setattr(rules, "SECONDS", 0.02)
    began = time.process_time()
    rule = Versions.of_rule(f"(?P<system>{system}){BEHIND}")
    found = run(lambda: rule.cell("a" * 60, "t"))
    assert found is None or isinstance(found, UsageError)
    assert time.process_time() - began < 0.5  # of which compiling the rule takes some


def test_time_is_for_all_names_and_the_slowest_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """200 names that take a hundredth of a second each are refused before all of them have been matched."""
    monkeypatch.setattr(rules, "SECONDS", 0.1)
    rule = Versions.of_rule(f"{SLOW}{BEHIND}")
    names = [f"{'a' * (28 if number == 3 else 22)}{number}" for number in range(200)]
    with pytest.raises(UsageError, match=f"takes more than 0.1 s, most of it on '{names[3]}'"):
        [rule.cell(name, "t") for name in names]


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        ("a{4294967296}", "too big"),
        ("[", "unterminated"),
        ("(?:" * 5000 + "a" + ")" * 5000, "recursion"),
        ("a{2", "groups"),
    ],
)
def test_what_is_no_rule_is_wrong_usage(system: str, reason: str, tmp_path: Path) -> None:
    refused = swap_error(f"(?P<system>{system}){BEHIND if reason != 'groups' else ''}", tmp_path)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert reason in refused.stderr


@pytest.mark.parametrize("run", [at_once, in_a_thread])
def test_rules_that_take_no_time(run: Callable[[Callable[[], object]], object]) -> None:
    rule = Versions.of_rule("(?P<system>(?:a+b?)+)-(?P<version>[0-9]+)")
    found = [run(lambda name=name: rule.cell(name, "t")) for name in ("aab-1", "ab-2", "x")]  # type: ignore[misc]
    assert found == [("aab", "t", "1"), ("ab", "t", "2"), None]


def test_time_is_bounded_at_five_seconds_a_rule() -> None:
    assert rules.SECONDS == 5


def piece(rng: random.Random, depth: int) -> str:
    """A random piece of a regular expression."""
    plain = rng.choice(["a", "b", "-", "1", ".", r"\d", r"\w", "[ab]", "[^a]", "é"])
    if depth <= 0 or rng.random() < 0.6:
        return plain + rng.choice(["", "", "*", "+", "?", "*?", "+?", "{2}", "{1,3}"])
    inner = "|".join("".join(piece(rng, depth - 1) for _ in range(rng.randint(1, 3))) for _ in range(rng.randint(1, 2)))
    return rng.choice(["(?:{})", "({})?", "(?={})", "(?!{})", "(?:{})+?", "(?:{}){{1,2}}"]).format(inner)


def test_rules_find_what_python_finds() -> None:
    rng = random.Random(5)
    found = 0
    for _ in range(150):
        system, version = ("".join(piece(rng, 1) for _ in range(rng.randint(1, 3))) for _ in range(2))
        text = f"(?P<system>{system})(?P<version>{version})"
        rule, expected = Versions.of_rule(text), re.compile(text)
        for name in ("".join(rng.choices("aab-1é", k=rng.randint(1, 8))) for _ in range(20)):
            groups = expected.fullmatch(name)
            found += groups is not None
            assert rule.cell(name, "t") == (groups and (groups["system"], "t", groups["version"])), (text, name)
    assert found > 150


@pytest.mark.slow
def test_five_seconds_are_taken() -> None:
    rule = Versions.of_rule(f"{SLOW}{BEHIND}")
    began = time.process_time()
    with pytest.raises(UsageError, match="takes more than 5 s"):
        rule.cell("a" * 80, "t")
    assert 5 <= time.process_time() - began < 6
