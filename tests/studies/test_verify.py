"""irci verify: what a report says is found again, and what was changed in it, or in its files, is told."""

import json
import os
import random
import re
import shlex
import shutil
from glob import glob
from pathlib import Path
from typing import Any

import pytest
from command_lines import by_shell, irci, plain_words, printed
from helpers import ROOT, SMALL, TESTDATA

LINES = {path.parent.name: path.read_text().strip() for path in sorted((TESTDATA / "golden").glob("*/cmd"))}
# What ends otherwise than by a report, and how reports are written.
NO_REPORT = re.compile(
    "help|irci measures|echo|verify|partition-anova testdata/small/qrels.txt testdata/small/runs/\\*$"
)
WRITTEN = re.compile(r" (?:--(?:format|layout|limits|save-scores) \S+|-n(?= .*--save-scores)|2>/dev/null)")
FILES = [str(SMALL / "qrels.txt"), *(str(SMALL / "runs" / name) for name in ("alpha.run", "bravo.run.gz"))]


def as_json(line: str) -> tuple[list[str], str]:
    """The words that print the report of a golden case as json, and what they read from standard input."""
    commands = line.split(" | ")
    place = max(place for place, command in enumerate(commands) if command.startswith("irci "))
    given = by_shell(" | ".join(commands[:place]))[1] if place else ""
    words = plain_words(WRITTEN.sub("", commands[place]))
    assert words is not None
    found = [path for word in words[1:] for path in sorted(glob(word)) or [word]]
    return [*found, "--quiet", "--format", "json"], given


@pytest.mark.sample(1)
@pytest.mark.parametrize("case", [case for case, line in LINES.items() if not NO_REPORT.search(line)])
def test_every_golden_case_is_found_again(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    words, given = as_json(LINES[case])
    report = tmp_path / "report.json"
    report.write_text(printed(*words, given=given))
    told = printed("verify", report, given=given)
    assert " differ" not in told
    assert "agree to the last digit" in told


# Lines with options that change a digit, each with another value of an option and the setting that is told of it.
ASKED = {
    "compare -m nDCG@10 --test randomization --seed 3 -B 500 --confidence .9 -M 60": [
        ("--seed 3", "--seed 5", "seed", 5), ("--confidence .9", "--confidence .8", "confidence", .8),
        ("--resamples 500", "--resamples 600", "signs", 600), ("nDCG@10", "nDCG@5", "measures", "nDCG@5"),
        ("--depth 60", "--depth 4", "depth", 4), ("randomization", "wilcoxon", "test", "wilcoxon"),
    ],
    "ap-ci -q --topics 1,2,3,4,5,6,7,8 --depth 60 --ties rank -B 200 --no-relevant drop": [
        ("1,2,3,4", "1,2,3,9", "topics", "1,2,3,9,5,6,7,8"), ("--depth 60", "--depth 20", "depth", 20),
        ("--resamples 200", "--resamples 100", "resamples", 100), ("--topics 1,", "--topics ", "topics", "2,3,4,5,6,7,8"),
    ],
    "map-ci --population topics --all-pairs -m map -m P_5 --power": [
        ("P_5", "P_10", "measures", "map P_10"), ("--measure P_5 ", "", "measures", "map"), ("--power ", "", "", None),
        ("--all-pairs", "--all-pairs --ranks", "", None),
    ],
}  # fmt: skip


def tampered(
    report: dict[str, Any], others: list[tuple[str, str, str, Any]], paths: list[Path], draw: random.Random
) -> None:
    """Change one value of a report, one option in its line and in its settings, or one byte of one of its files."""
    kind = draw.choice(("value", "value", "setting", "option", "file"))
    if kind == "file":
        path = draw.choice(paths)
        data = bytearray(path.read_bytes())
        # Of judgments the last of a line, which is a grade's: the iteration tells nothing.
        place = draw.choice([found.start() for found in re.finditer(rb"\d(?=\s*\n)|(?<=\.)\d", data)])
        data[place] = ord("0") + (data[place] - ord("0") + draw.randrange(1, 10)) % 10
        path.write_bytes(bytes(data))
    elif kind == "option":
        old, new, setting, value = draw.choice(others)
        assert old in report["signature"]["line"]
        report["signature"]["line"] = report["signature"]["line"].replace(old, new)
        if setting in report["signature"]:
            report["signature"][setting] = value
    else:
        of = draw.choice(report["rows"]) if kind == "value" else report["signature"]
        name = draw.choice([each for each in of if each not in ("irci", "computed_with", "line")])
        of[name] = changed(of[name], draw)


def changed(value: Any, draw: random.Random) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, str):
        return value[:-1] + chr(ord(value[-1]) ^ 1) if value else "x"
    other = value + draw.choice((1, -1)) if isinstance(value, int) else value * (1 + draw.choice((1e-15, -1e-6, 0.3)))
    return other if isinstance(value, int) else other or 1e-9


@pytest.mark.parametrize("plants", [10, pytest.param(80, marks=pytest.mark.check)])
def test_what_was_tampered_with_is_found(plants: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values, settings, options and files, each by itself; and what was not tampered with agrees."""
    draw = random.Random(plants)
    reports = {}
    monkeypatch.chdir(tmp_path)
    names = [shutil.copy(path, tmp_path) and Path(path).name for path in FILES]
    for line in ASKED:
        reports[line] = printed(*line.split(), "--quiet", "--format", "json", *names)
        assert irci("verify", "-", given=reports[line]).exit_code == 0
    for plant in range(plants):
        line = draw.choice(list(ASKED))
        report = json.loads(reports[line])
        for path in FILES:
            shutil.copy(path, tmp_path)
        tampered(report, ASKED[line], [tmp_path / name for name in names[:2]], draw)
        found = irci("verify", "-", given=json.dumps(report))
        assert found.exit_code in (3, 4, 5), (plant, line, found.output)


def reported(folder: Path, *words: str) -> Path:
    """A report of three files in a folder, with paths from there."""
    path = folder / "report.json"
    path.write_text(printed("compare", "--quiet", "--format", "json", *words, *FILES))
    return path


def tampered_report(folder: Path, **signature: Any) -> Path:
    """A report with other settings."""
    report = reported(folder)
    content = json.loads(report.read_text())
    content["signature"] |= signature
    report.write_text(json.dumps(content))
    return report


def test_files_are_looked_for_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(SMALL, tmp_path / "here")
    monkeypatch.chdir(folder)
    report = tmp_path / "report.json"
    asked = ["map-ci", "--quiet", "--format", "json", "--clusters", "clusters.txt", "qrels.txt", "runs/alpha.run"]
    report.write_text(printed(*asked))
    assert "files\t3\tagree\n" in printed("verify", report)
    qrels = Path("qrels.txt")
    qrels.write_text(qrels.read_text().replace(" law-00073 0", " law-00073 1"))
    assert "differs\tjudgments:qrels.txt" in irci("verify", report, status=5).stdout
    monkeypatch.chdir(tmp_path)
    assert "no such file or directory" in printed("verify", report, status=3)


def test_on_another_processor_numbers_agree_as_they_are_printed(tmp_path: Path) -> None:
    """What differs in the last bits agrees there, and nowhere else; what is seen in four decimals differs."""
    report = reported(tmp_path)
    told = json.loads(report.read_text())
    told["rows"][0]["value"] *= 1 + 1e-14
    report.write_text(json.dumps(told))
    assert "value\t" in printed_of_differences(report)
    told["signature"]["computed_with"] = "another"
    report.write_text(json.dumps(told))
    shown = printed("verify", report)
    assert "agree in 4 decimals" in shown
    assert "computed_with\tanother\t" in shown
    assert "\nirci\t" not in shown
    told["signature"]["irci"] = "0.0.9"
    report.write_text(json.dumps(told))
    assert "\nirci\t0.0.9\t" in printed("verify", report)
    told["rows"][0]["value"] += 1e-4
    report.write_text(json.dumps(told))
    assert "differs\trow 1 (map all alpha topics t): value" in printed_of_differences(report)


def printed_of_differences(report: Path) -> str:
    return irci("verify", report, status=5).stdout


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("irci compare --save-scores {folder}/x {files}", "--save-scores has no place in it"),
        ("irci compare -o {folder}/x {files}", "--output has no place in it"),
        ("irci compare --cite {files}", "--cite has no place in it"),
        ("irci compare --help", "it asks for no report"),
        ("irci verify {folder}/report.json", "verify makes no report"),
        ("irci compare --nonsense {files}", "No such option"),
        ("irci compare --confidence 2 {files}", "must be between 0 and 1"),
        ("rm {files}", "is no line of irci"),
        ("irci 'compare", "is no line of irci"),
    ],
)
def test_lines_that_ask_for_no_report_or_for_more_are_refused(line: str, why: str, tmp_path: Path) -> None:
    report = tampered_report(tmp_path, line=line.format(folder=tmp_path, files=" ".join(FILES)))
    said = irci("verify", report, status=4)
    assert (said.stdout, why in said.stderr) == ("", True), said.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json"]


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "{}", '{"signature": [], "rows": []}', '{"signature": {"command": "ap-ci"}, "rows": [1]}',
        '{"signature": {"command": "ap-ci", "command": "wcw"}, "rows": []}', '{"signature": {"command": 1}, "rows": []}',
        '{"signature": {"command": "ap-ci", "seed": NaN}, "rows": []}', "[" * 100_000, '{"signature": {}, "rows": {}}',
        '{"signature": {"command": "ap-ci"}, "rows": [], "more": 1}', "measure\ttopic\tvalue\n",
    ],
)  # fmt: skip
def test_what_is_no_report_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    assert printed("verify", path, status=3) == (
        f"irci: {path}: no report of --format json, which alone can be verified\n"
    )


@pytest.mark.parametrize("forged", ["\x1b[2K", "x\nrows\t9\tagree", "\r\u2028rows\t9\tagree"])
def test_nothing_of_a_report_is_obeyed_by_a_terminal_or_makes_a_line(forged: str, tmp_path: Path) -> None:
    """Control bytes in settings, in rows, in names of settings and in the line itself are shown, not obeyed."""
    settings = {"irci": forged, "computed_with": forged, forged: forged, "measures": forged}
    report = tampered_report(tmp_path, **settings)
    content = json.loads(report.read_text())
    content["rows"][0] |= {"run": forged, forged: 1}
    content["notes"] = [forged]
    report.write_text(json.dumps(content))
    printed_lines = irci("verify", report, status=5).output
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u2028]|^(x|rows.9)", printed_lines, re.MULTILINE)
    assert printed_lines.count("\nrows\t") == 1
    content["signature"]["line"] += f" {shlex.quote(forged)} '{forged}'"
    report.write_text(json.dumps(content))
    refused = irci("verify", report).output
    assert refused.count("\n") == 1
    assert "\x1b" not in refused


@pytest.mark.parametrize("device", ["/dev/zero", "pipe"])
def test_nothing_but_files_is_read(device: str, tmp_path: Path) -> None:
    """Neither for a report nor for its line: a device has no end, and a pipe may wait for ever."""
    path = device if device.startswith("/") else str(tmp_path / device)
    if device == "pipe":
        os.mkfifo(path)
    assert printed("verify", path, status=3) == f"irci: {path}: not a file\n"
    files = " ".join(FILES)
    for words in (f"{files} {path}", f"--clusters {path} {files}", f"--topics @{path} {files}", f"{path} {files}"):
        report = tampered_report(tmp_path, line=f"irci compare {words}")
        assert printed("verify", report, status=3) == f"irci: {path}: not a file\n"


def test_files_of_odd_names_are_found_again(tmp_path: Path) -> None:
    names = ["a b", "it's $x", '"é*\\']
    for name, path in zip(names, FILES, strict=True):
        shutil.copy(path, tmp_path / name)
    report = tmp_path / "-report"
    report.write_text(printed("ap-ci", "--format", "json", "-B", "9", *(tmp_path / name for name in names)))
    assert "files\t3\tagree\n" in printed("verify", report)
