"""Every option of every command: it stands once in help under its heading; a number has two ends, and what is not between them
is wrong usage; with everything that the command is asked for it changes what is printed, or is refused: with status 2, by its
name. A trace in the signature alone is no effect."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import pytest
from click.testing import CliRunner
from command_lines import irci
from helpers import QRELS, ROOT, RUNS, SMALL, TESTDATA

from irci import system
from irci.base.choices import Format
from irci.cli.group import RowOption, StudyCommand, main
from irci.options.commands import COMMANDS, STRUCTURED
from irci.options.option import Option
from irci.options.rows import HEADINGS, options_of
from irci.options.types import FRACTION, Type

FILES = [QRELS, *RUNS]
VERSIONS = ["--scores", str(SMALL / "versions.csv")]
RULE = r"(?P<topic>\d+)(?P<version>\d\d)"
VALIDATE = ["--validate", "20", "-B", "20"]
# What asks for each request of a command, with its files.
ASKED: dict[str, dict[str, list[str]]] = {
    "ap-ci": {
        "intervals": ["-B", "50", *FILES], "judgments": ["--population", "judgments", *FILES], "validate": [*VALIDATE, *FILES],
    },
    "map-ci": {
        "means": FILES, "judgments": ["--population", "judgments", *FILES],
        "collections": [str(TESTDATA / "several")],
        "seeds": ["--seeds", r"(?P<system>.+)_s(?P<seed>\d)", "--scores", str(SMALL / "seeds.csv")],
        "versions": ["--versions", RULE, *VERSIONS],
        "judge": ["--judge", str(TESTDATA / "llm.qrels"), str(TESTDATA / "people.qrels"),
                  *(str(path) for path in sorted((TESTDATA / "runs").iterdir())[:4])],
        "passes": ["--passes", "(?P<pass>.+)", "--other-qrels", QRELS, "--other-qrels", str(SMALL / "llm.txt"), *FILES],
        "validate": [*VALIDATE, *FILES],
    },
    "partition-anova": {
        "parts": ["--policy", "drop", "-B", "50", *FILES], "versions": ["-B", "50", "--versions", RULE, *VERSIONS],
    },
    "stdap-ci": {
        "means": FILES, "published": ["--summary", "a=.2,.1,50,r", "--summary", "b=.3,.1,50,r"],
        "validate": ["--validate", "20", *FILES],
    },
    "swap-error": {
        "error-rate": ["--sizes", "5", "--trials", "2", *FILES],
        "swap": ["--procedure", "swap", "--trials", "50", "--scores", str(SMALL / "ten.csv")],  # fewer have no curves
        "discriminative-power": ["--procedure", "discriminative-power", "-B", "300", *FILES],
    },
    "judges": {
        "runs": ["-B", "50", "--other-qrels", str(SMALL / "llm.txt"), *FILES],
        "labels": ["-B", "50", "--other-qrels", str(SMALL / "llm.txt"), QRELS],
    },
    "wcw": {
        "variances": ["--variance", "AP=.05"], "files": FILES,
        "correlation": ["--variance", "AP=.05", "--judge", ".7:1000"], "noncentrality": ["--table", "noncentrality"],
    },
}  # fmt: skip
# A source that is not among these is asked for by a file that says where each topic belongs.
ASKED["map-ci"] |= {
    name: [f"--{name}", str(SMALL / f"{name}.txt"), *FILES] for name in STRUCTURED if name not in ASKED["map-ci"]
}
# Options that ask for another use, and are answered, or refused for what they lack.
SELECTING = {
    "scores", "versions", "validate", "population", "judge", "collections", "survives", "topics", "summaries", "procedure",
    "tables", *STRUCTURED,
}  # fmt: skip
REFUSED = {
    (command, request): [
        option
        for name, option in options_of(command).items()
        if not option.suits(COMMANDS[command], request) and not option.hidden and name not in SELECTING
    ]
    for command, requests in ASKED.items()
    for request in requests
}


def value_of(option: Option) -> list[str]:
    """A value for an option, other than its default."""
    if option.is_flag:
        return [option.spellings[-1]]
    words = (
        [word for word in option.type.words() if word != option.default]
        if option.type.name == "choice" or option.type.is_list
        else []
    )
    given = {"resamples": "30", "digits": "7", "versions": RULE, "clusters": str(SMALL / "clusters.txt")}
    given |= {"plan": str(TESTDATA / "plan" / "plan.toml"), "measures": "P_5"}
    number = ".5" if option.type is FRACTION else str(option.type.bounds[0]) if option.type.bounds else "7"
    by_type = {"list": ".5" if "alpha" in option.name else "6", "variance": "P=.1", "summary": "c=.1,.1,9"}
    fixed = given.get(option.name, words[0] if words else by_type.get(option.type.name, number))
    return [f"{option.spelling}={fixed}"] if len(option.spelling) > 2 else [option.spelling, fixed]


@pytest.mark.parametrize(("command", "request_"), REFUSED)
def test_what_has_no_effect_is_refused(command: str, request_: str) -> None:
    """As the table of options has it: before anything is read, and by its name."""
    for option in REFUSED[command, request_]:
        refused = irci(command, *value_of(option), *ASKED[command][request_])
        assert (refused.exit_code, refused.stdout) == (2, ""), (option.name, refused.output)
        assert any(spelled in refused.stderr for spelled in option.spellings), (option.name, refused.stderr)


def test_all_that_commands_are_asked_for_is_tried() -> None:
    for command, requests in ASKED.items():
        left = {use.name for use in COMMANDS[command].uses} - set(requests)
        assert left <= {"counts", "scores", "judge"}, command
    assert set(ASKED) == {name for name, row in COMMANDS.items() if row.rows == name}
    assert sum(map(len, REFUSED.values())) > 200


# Values that show an effect, where the first one that comes to mind would not; and what else the line needs for it.
SUITABLE = {
    "measures": "P_5", "topics": "1,2,4,5,6,7,8,9,10,11", "baseline": "bravo", "confidence": ".8", "seed": "7", "depth": "3",
    "relevance_level": "2", "margin": ".02", "alpha": ".2", "alphas": ".2",
    "systems": "3", "sizes": "7", "widths": ".3", "max_rate": ".3", "fuzziness": "30", "reference": "alpha,bravo,delta",
    "trials": "9", "splits": "2",
    "interval": "percentile", "population": "topics", "parts": "3", "variances": "P=.1",
    "summaries": "c=.1,.1,9", "tests": "tukey", "tools": "ci", "resamples": "400", "mean": "clusters",
    "correction": "none", "model": "additive",
    "policy": "zero",
}  # fmt: skip
# Of single requests, where those are defaults, or no values at all.
SUITABLE_TO = {
    ("ap-ci", "intervals", "population"): "judgments", ("ap-ci", "judgments", "population"): "documents",
    ("map-ci", "means", "population"): "documents",
    **{("map-ci", request, "interval"): "prediction" for request in ASKED["map-ci"]},
    **{("map-ci", request, "baseline"): "dense" for request in ("collections", "seeds", "judge")},
}  # fmt: skip
OF_PAIRS = ("baseline", "test", "correction", "survives", "margin", "power", "fail_if")
WITH = {
    ("map-ci", request, name): ["--baseline", "bm25" if request in ("collections", "seeds", "judge") else "alpha"]
    for request in ASKED["map-ci"]
    for name in OF_PAIRS
} | {
    ("ap-ci", "intervals", "published"): ["--interval", "bca"],
    ("wcw", "variances", "published"): ["--width", ".1"],
    ("judges", "runs", "correction"): ["--alpha", ".3", "--table", "agreement"],
    ("judges", "runs", "alphas"): ["--table", "agreement"],
}  # fmt: skip
# What no line above can show: of files, or of measures, runs and defects that are not in the collection.
UNSEEN = {
    "scores", "max_grade", "names", "groups", "factors", "clusters", "slices",
    "versions", "collections", "seeds", "passes", "judge", "other_qrels", "validate", "procedure",
    "no_summary", "ties", "missing", "no_relevant", "ignore_identical_ids", "family",
    "plan", "duplicates",
}  # fmt: skip
TRIED = [
    (command, request, name)
    for command, requests in ASKED.items()
    for request in requests
    for name, option in options_of(command).items()
    if option.suits(COMMANDS[command], request) and name not in UNSEEN and option.heading not in ("Output", "Input")
]


@pytest.mark.check
@pytest.mark.parametrize(("command", "request_", "name"), TRIED)
def test_what_is_taken_changes_what_is_printed(
    command: str, request_: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Except by options of trec_eval that are accepted, which help does not show."""
    monkeypatch.chdir(tmp_path)
    option = options_of(command)[name]
    usual = SUITABLE.get(name)
    suitable = SUITABLE_TO.get((command, request_, name), None if usual == option.default else usual)
    line = [*WITH.get((command, request_, name), []), *ASKED[command][request_]]
    asked = [*value_of(option)[:1]] if suitable is None else [option.spelling, suitable]
    if option.is_flag or (suitable is None and len(option.spelling) == 2):
        asked = value_of(option)
    without, taken = (irci(command, "--quiet", *line, *more) for more in ([], asked))
    assert without.exit_code == 0, without.stderr
    if option.hidden:
        assert (taken.exit_code, taken.stdout) == (0, without.stdout)
    elif taken.exit_code == 2:
        assert any(spelled in taken.stderr for spelled in option.spellings), taken.stderr
    else:
        assert (taken.exit_code, taken.stdout) != (without.exit_code, without.stdout)


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
        ("partition-anova", ["--policy", "drop", "--test", "none", "-B", "10000000"]),
        ("swap-error", ["--trials", "1000000", "--sizes", "5"]),
        ("swap-error", ["--procedure", "discriminative-power", "-B", "10000000"]),
        ("stdap-ci", ["--validate", "1000000"]),
    ],
)
def test_more_than_there_is_memory_for(command: str, options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before it is asked for: a system that promises too much ends the command without a word."""
    monkeypatch.setattr(system, "physical", lambda: 1e7)
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


STUDIES = {name: command for name, command in main.commands.items() if isinstance(command, StudyCommand)}
SIX = ["What to score", "Compare", "Intervals", "Input", "Output", "Replicating a paper"]


def shown(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments, prog_name="irci", terminal_width=78)
    assert result.exit_code == 0, result.output
    return result.stdout


def headings(text: str) -> list[str]:
    return re.findall(r"^(\S.*):$", text, re.M)


def spelled(text: str) -> list[str]:
    """The first option of each line that begins with one."""
    return re.findall(r"^  (-[-\w]+)", text, re.M)


@pytest.mark.parametrize("command", STUDIES)
def test_every_option_stands_once_under_a_heading(command: str) -> None:
    text = shown(command, "--help")
    assert [each for each in SIX if each in headings(text)] == headings(text)
    context = click.Context(STUDIES[command])
    options = [each for each in STUDIES[command].get_params(context) if isinstance(each, click.Option)]
    first = sorted(min(each.opts, key=len) for each in options if not each.hidden)
    assert sorted(spelled(text)) == first
    assert list(HEADINGS) == SIX
    page = (ROOT / "man" / f"irci-{command}.1").read_text()
    assert [each for each in re.findall(r"^\.SS (.*)", page, re.M) if each in SIX] == headings(text)


@pytest.mark.parametrize("command", ["", *STUDIES])
def test_the_short_help_is_short(command: str) -> None:
    """Two small screens at most; of options that there are; with two examples or more; where more is told."""
    text = shown(*command.split(), "-h")
    assert len(text.splitlines()) <= 48
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("\n  irci ") >= 2
    assert "--help" in text
    if command:
        assert [each for each in SIX if each in headings(text)] == headings(text)[:-1]
        assert len(spelled(text)) <= 21
        known = {name: each.name for each in STUDIES[command].params for name in each.opts} | {"--help": "help"}
        first = {name: option.heading for name, option in options_of(command).items()} | {"help": "Output"}
        under = re.split(r"^(\S.*):$", text, flags=re.M)[1:-2]
        for heading, lines in zip(under[::2], under[1::2], strict=True):
            assert [first[known[name]] for name in spelled(lines)] == [heading] * len(spelled(lines))
    else:
        assert re.findall(r"^  ([a-z-]+) {2,}\S", text, re.M) == list(main.commands)


def test_formats_of_the_short_help_are_there() -> None:
    (told,) = re.findall(r"--format FORMAT +(.*)", shown("map-ci", "-h"))
    assert set(re.findall(r"\w+", told)) - {"or"} <= set(get_args(Format))


def test_irci_alone_is_wrong_usage_and_gets_the_short_help() -> None:
    result = CliRunner().invoke(main, [], prog_name="irci", terminal_width=78)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == shown("-h")
