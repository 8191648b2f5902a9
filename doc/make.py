"""Make what README.md and doc/*.md show anew, outputs and pictures: python doc/make.py [PAGE ...]

Each `$ irci ...` line of a console block is run, and what stands below it is replaced by what it prints. A line `...` stands
for lines left out: as many as stood before the first and behind the last of them are shown again.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
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


def main() -> None:
    """Write the pages named, or all."""
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        text = page.read_text()
        page.write_text(re.sub(r"(?<=```console\n).*?(?=```)", lambda block: made_anew(block[0]), text, flags=re.S))


if __name__ == "__main__":
    main()
