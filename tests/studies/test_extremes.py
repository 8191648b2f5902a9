"""Scores that are all the same, very large or very small: numbers, or a refusal in words.

Warnings are errors in all tests (pyproject.toml), so that one of these would come out as an exception here.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from irci.cli.group import main

RUNS, TOPICS = 4, 6
U = np.random.default_rng(0).random((RUNS, TOPICS)).tolist()
SCORES: dict[str, Callable[[int, int], float]] = {
    "all the same": lambda run, topic: 0.5,
    "each run the same": lambda run, topic: run / 8,
    "each topic the same": lambda run, topic: topic / 8,
    "two runs the same": lambda run, topic: U[max(run, 1)][topic],
    "large": lambda run, topic: 1e50 * (2 * U[run][topic] - 1),
    "large and small": lambda run, topic: (1e50, -1e50, 0.5, 1e-300)[(run + topic) % 4],
    "last bits": lambda run, topic: 0.5 + 2**-52 * ((run + topic) % 2),
}
COMMANDS = (
    "ap-ci --standardise z",
    "map-ci --all-pairs --ranks --power --margin 2%",
    "map-ci --all-pairs --interval bounded",
    "map-ci --baseline r0 --test randomization --correction maxt",
    "stdap-ci --reference others",
    "stdap-ci --validate 9",
    "stdap-ci --validate 9 --reference random:3",
    "swap-error --sizes 2",
    "swap-error --procedure swap --sizes 2,3",
    "swap-error --procedure discriminative-power -B 100",
    "wcw --table variance",
    "partition-anova -B 50 --versions (?P<topic>.+)-(?P<version>.)",
)


def scored(path: Path, command: str, score: Callable[[int, int], float]) -> Result:
    """What a command says of these scores; on versions of topics, of these and others beside them."""
    lines = ["run\ttopic\tmeasure\tvalue"]
    for run in range(RUNS):
        for topic in range(TOPICS):
            value = score(run, topic)
            versions = (1, 2) if command.startswith("partition") else (0,)
            lines += [f"r{run}\t{topic}-{version}\tm\t{value * (1 - version / 8)!r}" for version in versions]
    path.write_text("".join(f"{line}\n" for line in lines))
    name, *options = command.split()
    return CliRunner().invoke(main, [name, "--quiet", "--scores", *options, str(path)])


@pytest.mark.sample(3)
@pytest.mark.parametrize("scores", SCORES)
def test_done_or_refused_in_words(scores: str, tmp_path: Path) -> None:
    for command in COMMANDS:
        result = scored(tmp_path / "x", command, SCORES[scores])
        assert not isinstance(result.exception, Exception), (command, result.exc_info)
        assert result.exit_code in (0, 4), (command, result.output)
        assert bool(result.stdout) == (result.exit_code == 0), command


@pytest.mark.parametrize("command", ["ap-ci", "map-ci", "stdap-ci", "swap-error", "wcw", COMMANDS[-1]])
def test_beyond_what_can_be_added_up(command: str, tmp_path: Path) -> None:
    """Sums of 1e308 are infinite, squares of 1e-200 are 0: both are refused, the first with its lines."""
    huge = scored(tmp_path / "x", command, lambda run, topic: 1e308 * U[run][topic])
    assert (huge.exit_code, huge.stdout) == (3, "")
    assert huge.stderr.startswith(f"irci: {tmp_path}/x:2: ")
    assert "too large" in huge.stderr or "beyond 1e+50" in huge.stderr
    tiny = scored(tmp_path / "x", command, lambda run, topic: 1e-200 * U[run][topic])
    assert (tiny.exit_code, tiny.stdout) == (4, "")
    assert "too small to compute with" in tiny.stderr
