"""What to cite for what a command does: BibTeX entries of papers.bib, chosen by the command and the rows of its options."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from irci.options.commands import COMMANDS
from irci.options.option import holds
from irci.options.table import options_of

OWN = """@misc{{irci,
  author = {{{{The irci developers}}}},
  title = {{irci: how far can an information-retrieval evaluation be trusted?}},
  note = {{Version {version}}},
  year = {{2026}}
}}
"""


def bibtex(command: str, values: Mapping[str, Any], version: str) -> str:
    """The entries for a command with these values of its options, and irci's own."""
    entries = Path(__file__).with_name("papers.bib").read_text().split("\n\n")
    by_key = {entry.partition("{")[2].partition(",")[0]: f"{entry.rstrip()}\n" for entry in entries}
    return "\n".join([*(by_key[key] for key in dict.fromkeys(_keys(command, values))), OWN.format(version=version)])


def _keys(command: str, values: Mapping[str, Any]) -> Iterator[str]:
    yield from COMMANDS[command].cites.split()
    for name, option in options_of(command).items():
        for condition, papers in option.cites.items():
            if holds(values, f"{name} & {condition}"):
                yield from papers.split()
