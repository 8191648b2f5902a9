"""What others can rerun of what irci claims, on one page: make evidence

Each module here makes a section: NIST's reference data sets, enumerations, the papers' tables, trec_eval's lines, hostile
inputs, coverage, tests and limits on real scores, selection. All goes through irci's commands and functions, or the tests' own
checks. Only versions, date and times change with the day.
"""

import argparse
import datetime
import platform
import sys
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

# The plain versions of definitions, and the checks that tests make.
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "testdata")]

import enumeration
import equal_rankings
import hostile
import limits_of_means
import papers
import selection
import soundness
import strd
import trec_eval
import which_test
from commands import SHARED

SECTIONS = {
    "strd": strd.section,
    "enumeration": enumeration.section,
    "papers": papers.section,
    "trec_eval": trec_eval.section,
    "hostile": hostile.section,
    "soundness": soundness.section,
    "which_test": which_test.section,
    "limits_of_means": limits_of_means.section,
    "equal_rankings": equal_rankings.section,
    "selection": selection.section,
}
PACKAGES = ("irci", "numpy", "scipy", "numba", "click")


HEAD = """# Evidence

`make evidence` writes this page; nothing is edited by hand. `python evidence/evidence.py SECTION ...` updates single sections.
Seeds are fixed: only dates, versions and times change. Public collections that are not in the checkout are looked for in
`../shared/data`; what needs them is left out if they are absent."""


def made(name: str) -> str:
    """A section, and with what, when and in what time it was computed."""
    began = time.monotonic()
    section = SECTIONS[name]()
    spent = time.monotonic() - began
    print(f"{name}: {spent:.0f} s", file=sys.stderr)
    versions = ", ".join([f"Python {platform.python_version()}", *(f"{each} {version(each)}" for each in PACKAGES)])
    data = "the public collections" if SHARED.is_dir() else "none of the public collections"
    told = f"{section.told}\n\n*{name}: {datetime.date.today()}, {versions}, with {data}; {spent:.0f} s.*"
    return replace(section, told=told).text()


def main() -> None:
    """Write the page, or some sections of it."""
    parser = argparse.ArgumentParser(description="Compute the evidence and write it as a page.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "evidence" / "evidence.md", help="the page")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"only these: {', '.join(SECTIONS)}")
    options = parser.parse_args()
    texts = sections_of(options.output.read_text(encoding="utf-8")) if options.output.exists() else {}
    for name in options.sections or SECTIONS:
        texts[name] = made(name)
    page = "\n\n".join([HEAD, *(texts[name] for name in SECTIONS if name in texts)]) + "\n"
    options.output.write_text(page, encoding="utf-8")


def sections_of(page: str) -> dict[str, str]:
    """The sections of a page as they are."""
    texts = [f"## {text.strip()}" for text in page.split("\n## ")[1:]]
    return {name: text for text in texts for name in SECTIONS if f"\n*{name}: " in text}


if __name__ == "__main__":
    main()
