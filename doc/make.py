"""Make what README.md and doc/*.md show anew, outputs and pictures, and the functions of irci/__init__.pyi: python doc/make.py
[PAGE ...]

Each `$ irci ...` line of a console block is run, and what stands below it is replaced by what it prints. A line `...` stands
for lines left out: as many as stood before the first and behind the last of them are shown again.
"""

import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
STUB = ROOT / "irci" / "__init__.pyi"
sys.path.insert(0, str(ROOT / "tests"))

from command_lines import PAGES, said  # noqa: E402


def shortened(printed: str, shown: str) -> str:
    """What is printed, with as much left out as was."""
    old, lines = shown.splitlines(), printed.splitlines(keepends=True)
    if "..." not in old:
        return printed
    last = old[::-1].index("...")
    return "".join([*lines[: old.index("...")], "...\n", *lines[len(lines) - last :]])


def made_anew(block: str) -> str:
    """A console block with the output of today."""

    def rerun(match: re.Match[str]) -> str:
        status, printed = said(match[1])
        print(f"{status} {match[1]}", file=sys.stderr)
        return f"$ {match[1]}\n{shortened(printed, match[2])}"

    return re.sub(r"^\$ (irci .*)\n((?:(?!\$ ).*\n)*)", rerun, block, flags=re.M)


def stub() -> str:
    """The text of irci/__init__.pyi: its head as it is, and the functions as the table of options has them."""
    from irci.api import functions

    text = STUB.read_text().partition("\ndef ")[0]
    for name in functions.FUNCTIONS:
        keywords = inspect.signature(getattr(functions, name)).parameters.values()
        declared = [f"{own.name}: {own.annotation} = {own.default!r}" for own in keywords]
        lines = "".join(f"    {line},\n" for line in (*declared[:2], "*", *declared[2:]))
        text += f"\ndef {name}(\n{lines}) -> Report: ...\n"
    return text


def main() -> None:
    """Write the pages named, or all, and the stub."""
    STUB.write_text(stub())
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        text = page.read_text()
        page.write_text(re.sub(r"(?<=```console\n).*?(?=```)", lambda block: made_anew(block[0]), text, flags=re.S))


if __name__ == "__main__":
    main()
