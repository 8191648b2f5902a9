"""Command lines as documents show them, run in this process as far as may be; the rest by a shell."""

import contextlib
import json
import math
import os
import re
import shlex
import subprocess
import sys
from glob import glob
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from helpers import ROOT

from irci.cli.group import main
from irci.system import kind_of_processor

# Said by the first command after an installation, whichever that is.
COMPILING = re.compile("^irci: (compiling kernels|kernels were compiled).*\n", re.MULTILINE)
ENVIRONMENT = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

# What is read by users; the evidence is made by evidence/, and shows commands that take minutes.
EVIDENCE = ROOT / "evidence" / "evidence.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "doc").glob("*.md"))]


def irci(*arguments: object, given: str | bytes | None = None, status: int | None = None) -> Result:
    """What comes of these words typed, in this process; `status`: how it has to end."""
    words = list(map(str, arguments))
    result = CliRunner().invoke(main, words, input=given, prog_name="irci", catch_exceptions=False)
    assert status in (None, result.exit_code), result.output
    return result


def printed(*arguments: object, given: str | bytes | None = None, status: int = 0) -> str:
    """The results that are printed, or what is said instead of them, and nothing is printed then."""
    result = irci(*arguments, given=given, status=status)
    assert status not in (2, 3, 4) or result.stdout == ""
    return result.stderr if status else result.stdout


def result_lines(text: str) -> list[str]:
    """The lines of a text that are rows: trec_eval's, extended."""
    return [line for line in text.splitlines() if not line.startswith("#")]


def rows(*arguments: object) -> list[dict[str, Any]]:
    """The rows that are printed, as json has them."""
    found: list[dict[str, Any]] = json.loads(printed(*arguments, "--quiet", "--format", "json"))["rows"]
    return found


def rows_of(*arguments: object) -> list[dict[str, Any]]:
    """The same with nan for null."""
    return [{name: math.nan if cell is None else cell for name, cell in row.items()} for row in rows(*arguments)]


def warnings_of(*arguments: object) -> list[str]:
    """What is warned of, a line each."""
    lines = (line.partition("irci: warning: ") for line in irci(*arguments, status=0).stderr.splitlines())
    return [told for _, is_warning, told in lines if is_warning]


# At the end of a signature.
RECEIPTS = re.compile(r',\n  "line": .*?(?=\n }|\Z)', re.DOTALL)


def golden_case(case: Path) -> tuple[str, str]:
    """What a golden case says, and what it should say, on whatever processor."""
    shown, expected = said((case / "cmd").read_text())[1], (case / "out").read_text()
    return on_any_processor(shown, expected), on_any_processor(expected, expected)


def on_any_processor(text: str, golden: str) -> str:
    """What a golden case says, on whatever processor: numbers in 12 digits where the golden text is of another kind of it."""
    kind = re.search('"computed_with": "([^,"]*)', golden)
    if kind and kind[1] != kind_of_processor():
        text = re.sub(r"\d+\.\d+(e-\d+)?", lambda number: f"{float(number[0]):.12g}", text)
    return re.sub('"computed_with": "[^"]*"', '"computed_with": "any"', text)


def without_receipts(text: str) -> str:
    """A report as json without what only a line typed has: this line, and digests of what was read."""
    return RECEIPTS.sub("", text, count=1)


def sessions(page: Path) -> list[list[tuple[str, str]]]:
    """Of each console block of a page, the lines `$ irci ...` and what is shown below each."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.S)
    return [re.findall(r"^\$ (irci .*)\n((?:(?!\$ ).*\n)*)", block, re.M) for block in blocks]


def said(line: str, folder: Path = ROOT) -> tuple[int, str]:
    """The exit status and both outputs, in the order written, of a line typed at the root of the checkout or elsewhere.

    Each command of a pipe runs after the one before it, in this process if it can, and says its warnings before anything
    comes out at the other end.
    """
    line = line.strip()
    if line.endswith("; echo $?"):
        status, printed = said(line.removesuffix("; echo $?"), folder)
        return 0, f"{printed}{status}\n"
    if ";" in line:
        return by_shell(line, folder)
    status, warned, given = 0, "", ""
    for command in line.split(" | "):
        is_quiet = command.endswith(" 2>/dev/null")
        words = plain_words(command.removesuffix(" 2>/dev/null"))
        if words is None or words[0] != "irci":
            status, given = by_shell(command, folder, given)
            continue
        with contextlib.chdir(folder):
            arguments = [path for word in words[1:] for path in sorted(glob(word)) or [word]]
            # The width of help where the output is no terminal; the runner would force another one.
            result = CliRunner().invoke(
                main, arguments, given, prog_name="irci", terminal_width=78, catch_exceptions=False
            )
        if command == line and not is_quiet:
            return result.exit_code, result.output
        status, warned, given = result.exit_code, warned + result.stderr * (not is_quiet), result.stdout
    return status, warned + given


def by_shell(line: str, folder: Path = ROOT, given: str = "") -> tuple[int, str]:
    """The same by a shell and the processes that it starts."""
    shell: dict[str, Any] = {"shell": True, "cwd": folder, "env": ENVIRONMENT, "input": given, "text": True}
    result = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **shell)
    return result.returncode, COMPILING.sub("", result.stdout)


def by_python(*words: object, text: bool = True, **options: Any) -> "subprocess.CompletedProcess[Any]":
    """What becomes of a process of this interpreter with these words."""
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, check=False, text=text, **options)


def plain_words(line: str) -> list[str] | None:
    """The words of a command, or None if there is more to the line: a pipe, a redirection, a variable, a second command.

    A process of its own is also needed where a device, such as its standard output, is opened by name.
    """
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    words = list(lexer)
    more = any(sign in line for sign in ("$", "`", "\n", "/dev/")) or any(set(word) <= set("();<>|&") for word in words)
    return None if more else words
