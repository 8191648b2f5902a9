"""Every option of every command with everything that the command is asked for: it changes what is printed, or is refused.

What is refused ends with status 2 and names the option. A trace in the signature alone is no effect.
"""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from helpers import SMALL, TESTDATA

from irci.cli.group import main
from irci.options.asked import STRUCTURED, Asked, Option
from irci.options.commands import COMMANDS
from irci.options.rows import NAMES, options_of

QRELS = str(SMALL / "qrels.txt")
RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())]
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
    words = [word for word in option.type.words() if word != option.default] if option.is_choice else []
    given = {"resamples": "30", "digits": "7", "versions": RULE, "clusters": str(SMALL / "clusters.txt")}
    given |= {"plan": str(TESTDATA / "plan" / "plan.toml")}
    number = re.findall(r"[\d.e-]+", option.type.range)[0] if option.type.range else "7"
    by_type = {
        "fraction": ".5",
        "list": ".5" if "alpha" in option.name else "6",
        "variance": "P=.1",
        "summary": "c=.1,.1,9",
    }
    fixed = given.get(option.name, words[0] if words else by_type.get(option.type.name, number))
    return [f"{option.spelling}={fixed}"] if len(option.spelling) > 2 else [option.spelling, fixed]


def irci(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="irci")


@pytest.mark.parametrize(("command", "request_"), REFUSED)
def test_what_has_no_effect_is_refused(command: str, request_: str) -> None:
    """As the table of options has it: before anything is read, and by its name."""
    for option in REFUSED[command, request_]:
        refused = irci(command, *value_of(option), *ASKED[command][request_])
        assert (refused.exit_code, refused.stdout) == (2, ""), (option.name, refused.output)
        assert any(spelled in refused.stderr for spelled in option.spellings), (option.name, refused.stderr)


def test_what_is_asked_has_a_field_for_each_option() -> None:
    beside = {"command", "options", "given", "memory", "line", "compare", "files", "runs", "new_topics"}
    assert set(Asked.__annotations__) == {*NAMES} | beside


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
    "versions", "collections", "seeds", "judge", "other_qrels", "validate", "procedure",
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
