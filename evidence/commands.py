"""irci's commands, run in this process: what they print, as data."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from irci.cli.group import main

ROOT = Path(__file__).resolve().parent.parent
TESTDATA = ROOT / "testdata"
SHARED = ROOT.parent / "shared" / "data"


def rows(*arguments: object) -> list[dict[str, Any]]:
    """The rows of a command in its json. Raises RuntimeError if it does not end well."""
    return list(json.loads(printed(*arguments, "--quiet", "--format", "json"))["rows"])


def printed(*arguments: object) -> bytes:
    """What a command prints. Raises RuntimeError if it does not end well."""
    result = CliRunner().invoke(main, [str(each) for each in arguments], prog_name="irci")
    if result.exit_code:
        raise RuntimeError(f"irci {' '.join(map(str, arguments))}: {result.exit_code}: {result.stderr}")
    return result.stdout_bytes
