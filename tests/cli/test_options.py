"""Options: what is refused, and how; what goes into the signature; citations; one line for what is true of many runs."""

import json
import subprocess
import sys

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
        (["stdap-ci", "--sizes", "3", QRELS, "r"], "--sizes is for --validate."),
        (["stdap-ci", "--validate", "9", "-q", QRELS, "r"], "--validate does not take --per-topic."),
        (["swap-error", "--max-rate", ".1", QRELS, "r"], "--max-rate is for --procedure swap."),
        (["swap-error", "--alpha", ".1", QRELS, "r"], "--alpha is for --procedure discriminative-power."),
        (["ap-ci", "--validate", "0", QRELS, "r"], "0 is not in the range 1<=x<=100000."),
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


def test_citations_go_by_options_not_by_words() -> None:
    """A file may be called swap; an option may come behind --cite, which may be a value."""
    plain = irci("ap-ci", "--cite")
    assert plain.exit_code == 0
    assert plain.stdout.count("@") == 2  # the paper's and irci's own
    assert "@misc{irci,\n" in plain.stdout
    for arguments in (["--cite", "qrels", "swap"], ["qrels", "ab", "--cite"], ["--cite", "-o", "ab"]):
        assert irci("ap-ci", *arguments).stdout == plain.stdout
    assert "sakai2016" in irci("ap-ci", "--cite", "--standardise=ab").stdout
    assert "buckley2000" not in irci("swap-error", "--procedure", "swap", "--cite").stdout
    assert "carterette2012" in irci("partition-anova", "--test", "t,tukey", "--cite").stdout
    assert "cormack2006" not in irci("compare", "--cite").stdout  # which resamples no documents
    assert "cormack2006" in irci("compare", "--population", "both", "--cite").stdout
    assert "@" not in irci("ap-ci", "-o", "--cite").stdout  # a file of this name is asked for


def test_a_closed_pipe_ends_the_command_as_it_ends_other_filters() -> None:
    command = f"{sys.executable} -m irci wcw --quiet --variance AP=.05 --sizes 5-200 | true; echo ${{PIPESTATUS[0]}}"
    shown = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert (shown.stdout, shown.stderr) == (b"141\n", b"")


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
