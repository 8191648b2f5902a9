"""Numbers on the command line: every option that takes one has two ends, and what is not between them is wrong usage."""

import re
from collections.abc import Iterator

import pytest
from command_lines import irci
from helpers import SMALL

from irci.cli.group import main
from irci.cli.parameters import RowOption
from irci.options.types import Type
from irci.system import work

VALUES = ("nan", "inf", "-inf", "-1", "0", "1e400", str(10**20), "1e5", "0x10", " 5", "५", "", "1_0", "2", "9" * 5000)
SPELLED = {"variance": "AP={}", "summary": "A=.5,{},5", "range": "-2,{}"}
WHOLE, DECIMAL = re.compile(r"\s*[+-]?[0-9]{1,400}\s*"), re.compile(r"\s*[+-]?[0-9]*\.?[0-9]+(e[+-]?[0-9]+)?\s*")
# The ends of numbers inside other words; of these 0 is a value too, but of a margin.
ENDS = {"variance": (1e-12, 1e9), "margin": (1e-12, 1e9), "range": (-2 + 1e-9, 1e9), "summary": (1e-9, 1e9)}


def options() -> Iterator[tuple[str, RowOption]]:
    """Each option of each command that takes numbers; one that several share once."""
    seen = set()
    for name, command in main.commands.items():
        for param in command.params:
            if isinstance(param, RowOption) and (param.row.type.bounds or param.row.type.name in ENDS):
                if (param.name, param.row.type) not in seen:
                    yield name, param
                seen.add((param.name, param.row.type))


NUMBER_OPTIONS = list(options())


def test_every_number_has_two_ends() -> None:
    assert all(least < most for _, option in NUMBER_OPTIONS for least, most in [option.row.type.bounds or (0, 1)])
    assert len(NUMBER_OPTIONS) > 20


def lies_within(kind: Type, value: str) -> bool:
    """Whether a value is a number as we spell them, in the range."""
    is_whole = kind.name == "whole number" or kind.annotation == "Several[int]"
    if not (WHOLE if is_whole else DECIMAL).fullmatch(value):
        return False
    if kind.name == "whole number":
        assert kind.bounds is not None
        return kind.bounds[0] <= int(value) <= kind.bounds[1]
    least, most = kind.bounds or ENDS[kind.name]
    return least <= float(value) <= most or (float(value) == 0 and kind.bounds is None and kind.name != "margin")


@pytest.mark.sample(12)
@pytest.mark.parametrize(("command", "option"), NUMBER_OPTIONS, ids=lambda each: getattr(each, "name", each))
def test_what_is_out_of_range_is_wrong_usage(command: str, option: RowOption) -> None:
    """Whatever else: there is no such file, which is found later; one resample has no spread."""
    for value in VALUES:
        spelled = SPELLED.get(option.row.type.name, "{}").format(value)
        result = irci(command, f"{option.opts[-1]}={spelled}" if len(option.opts[-1]) > 2 else f"{option.opts[-1]}{spelled}",
                      "none.qrels", "none.run")  # fmt: skip
        if lies_within(option.row.type, value):
            assert result.exit_code in (2, 3), (value, result.output)
            assert "Invalid value" not in result.stderr, (value, result.output)
        else:
            assert result.exit_code == 2, (value, result.output)
            assert "Invalid value for" in result.stderr


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("ap-ci", ["-B", "10000000"]),
        ("map-ci", ["--population", "documents", "-B", "10000000"]),
        ("partition-anova", ["--policy", "drop", "--test", "randomization", "-B", "100000"]),
        ("partition-anova", ["--policy", "drop", "--test", "none", "-B", "10000000"]),
        ("swap-error", ["--trials", "1000000", "--sizes", "5"]),
        ("swap-error", ["--procedure", "discriminative-power", "-B", "10000000"]),
        ("stdap-ci", ["--validate", "1000000"]),
    ],
)
def test_more_than_there_is_memory_for(command: str, options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before it is asked for: a system that promises too much ends the command without a word."""
    monkeypatch.setattr(work, "physical", lambda: 1e7)
    runs = [str(path) for path in sorted((SMALL / "runs").iterdir())[:3]]
    result = irci(command, "--quiet", *options, str(SMALL / "qrels.txt"), *runs)
    assert (result.exit_code, result.stdout) == (4, "")
    assert re.search(r"not enough memory .* \([0-9.e+]+ GB are needed, .*\): fewer resamples", result.stderr)


EXTREME = [
    ("wcw", "--variance", "AP=.05", "--systems", "10000"),
    ("wcw", "--variance", "AP=.05", "--systems", "2", "--sizes", "2,1000000", "--tool", "anova"),
    ("wcw", "--variance", "AP=.05", "--sizes", "2,1000000", "--tool", "ci", "--tool", "paired"),
    ("wcw", "--variance", "AP=1000000000", "--width", "1000000000,1e-9"),
    ("wcw", "--variance", "AP=1e-12", "--width", "1000000000,1e-9", "--published"),
    ("wcw", "--variance", "AP=.05", "--published", "--width", "0.00002"),
    ("wcw", "--variance", "AP=.05", "--alpha", "1e-9", "--power", ".999999999"),
    ("wcw", "--variance", "AP=.05", "--alpha", ".999999998", "--power", ".999999999", "--published"),
    ("stdap-ci", "--summary", "A=1e9,1e9,2", "--summary", "B=-1e9,1e-9,1000000000"),
    ("ap-ci", "--confidence", ".999999999", "-B", "2", "--seed", str(2**63 - 1), "--threads", "1024",
     "-M", "2147483647", "-l", "1000000000", "QRELS", "RUN"),
    ("map-ci", "--confidence", "1e-9", "-B", "2", "--seed", str(2**63 - 1), "--threads", "1024",
     "--population", "topics,documents", "--interval", "prediction:1000000", "QRELS", "RUN"),
]  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("arguments", EXTREME, ids=" ".join)
def test_the_ends_of_ranges(arguments: tuple[str, ...]) -> None:
    """Whatever is computed there, it is done, or said that it cannot be."""
    files = {"QRELS": str(SMALL / "qrels.txt"), "RUN": str(SMALL / "runs" / "alpha.run")}
    result = irci(*(files.get(each, each) for each in arguments))
    assert result.exit_code in (0, 4), result.output
    assert "Warning" not in result.stderr
    assert ("nan" in result.stdout) <= (arguments[0] != "wcw"), result.stdout
