"""Options: what is refused, and how; what goes into the signature; citations; one line for what is true of many runs."""

import json

import pytest
from command_lines import irci
from helpers import SMALL

QRELS = str(SMALL / "qrels.txt")
RUNS = {path.name.split(".")[0]: str(path) for path in sorted((SMALL / "runs").iterdir())}
FROM_FILES = ("ap-ci", "map-ci", "partition-anova", "stdap-ci", "swap-error", "wcw")
FEW = {"partition-anova": ["--policy", "drop", "-B", "100"], "swap-error": ["--sizes", "5", "--trials", "2"]}


@pytest.mark.parametrize(
    ("arguments", "spelled"),
    [
        (["partition-anova", "--scores", "-x", "3", QRELS], "leave out -x."),
        (["partition-anova", "-x", "x", "--splits", "3", QRELS, "r"], "leave out --splits."),
        (["wcw", "--save-scores", "x", "--variance", "AP=.1"], "--save-scores is for variances from files."),
    ],
)
def test_an_option_without_effect_is_refused_as_it_is_spelled(arguments: list[str], spelled: str) -> None:
    refused = irci(*arguments)
    assert refused.exit_code == 2
    assert spelled in refused.stderr
    assert "Usage: irci" in refused.stderr


@pytest.mark.sample(3)
@pytest.mark.parametrize("command", FROM_FILES)
def test_signatures_hold_no_threads(command: str) -> None:
    """Which change no digit: the same bytes with one and with two."""
    shown = [
        irci(command, *FEW.get(command, ()), "--format", "json", "--threads", threads, QRELS, *RUNS.values())
        for threads in "12"
    ]
    assert shown[0].exit_code == 0, shown[0].stderr
    assert shown[0].stdout == shown[1].stdout
    assert "threads" not in json.loads(shown[0].stdout)["signature"]


def test_ties_are_told_of_runs_whose_means_they_move() -> None:
    """A run by itself is named, and its topics; nothing is said of the ties of others, which move no mean."""
    ties = "20 topics with tied scores of judged documents ("
    for runs in ([RUNS["charlie"]], RUNS.values()):
        many = irci("ap-ci", "-B", "0", QRELS, *runs).stderr.splitlines()
        assert many[1].startswith(f"irci: warning: {RUNS['charlie']}: {ties}")
    assert [line for line in many if "judged topic missing" in line] == [
        f"irci: warning: {RUNS['delta']}: 1 judged topic missing, scored 0 (their intervals mean nothing): 13"
    ]
    assert len(many) == 3


def test_quiet_is_quiet_for_one_command_only() -> None:
    assert irci("ap-ci", "-B", "0", "--quiet", QRELS, RUNS["charlie"]).stderr == ""
    assert irci("ap-ci", "-B", "0", QRELS, RUNS["charlie"], "--quiet").stderr == ""
    assert irci("ap-ci", "-B", "0", QRELS, RUNS["charlie"]).stderr != ""
