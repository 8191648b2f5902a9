"""Citations: entries of papers.bib, chosen by the command and the rows of its options."""

from collections.abc import Iterator, Mapping
from typing import Any

from irci.options.call import options_of
from irci.options.commands import COMMANDS
from irci.options.option import holds

OWN = """@misc{{irci,
  author = {{{{The irci developers}}}},
  title = {{irci: how far can an information-retrieval evaluation be trusted?}},
  note = {{Version {version}}},
  year = {{2026}}
}}
"""


def bibtex(command: str, values: Mapping[str, Any], version: str) -> str:
    """The entries for a command with these values of its options, and irci's own."""
    from importlib.resources import files

    entries = files(__package__).joinpath("papers.bib").read_text("utf-8").split("\n\n")
    by_key = {entry.partition("{")[2].partition(",")[0]: f"{entry.rstrip()}\n" for entry in entries}
    return "\n".join([*(by_key[key] for key in dict.fromkeys(_keys(command, values))), OWN.format(version=version)])


def _keys(command: str, values: Mapping[str, Any]) -> Iterator[str]:
    row = COMMANDS[command]
    values = {**values, **row.always}
    yield from row.cites.split()
    for name, option in options_of(row.rows).items():
        for condition, papers in option.cites.items():
            if holds(values, f"{name} & {condition}"):
                yield from papers.split()
