"""Make the man pages from the command tree, and append the sections written by hand: python man/make.py [FOLDER]

click-man writes NAME, SYNOPSIS, DESCRIPTION, OPTIONS and COMMANDS; sections/COMMAND.man holds what no help text says.
"""

import sys
from pathlib import Path

from click_man.core import write_man_pages

import irci
from irci.cli.group import main

HERE = Path(__file__).parent
DATE = "2026-11-21"


def make(folder: Path) -> None:
    """Write one page a command into the folder."""
    write_man_pages("irci", main, version=irci.__version__, target_dir=str(folder), date=DATE)
    for page in folder.glob("irci*.1"):
        by_hand = HERE / "sections" / f"{page.stem}.man"
        page.write_text(page.read_text() + by_hand.read_text())


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
