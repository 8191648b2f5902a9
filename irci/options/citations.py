"""Citations: entries of papers.bib, chosen by the command and the rows of its options."""

from collections.abc import Iterator

from irci.options.asked import Asked

OWN = """@misc{{irci,
  author = {{{{The irci developers}}}},
  title = {{irci: how far can an information-retrieval evaluation be trusted?}},
  note = {{Version {version}}},
  year = {{2026}}
}}
"""


def bibtex(asked: Asked, version: str) -> str:
    """The entries for what is asked, and irci's own."""
    from importlib.resources import files

    entries = files(__package__).joinpath("papers.bib").read_text("utf-8").split("\n\n")
    by_key = {entry.partition("{")[2].partition(",")[0]: f"{entry.rstrip()}\n" for entry in entries}
    return "\n".join([*(by_key[key] for key in dict.fromkeys(_keys(asked))), OWN.format(version=version)])


def _keys(asked: Asked) -> Iterator[str]:
    yield from asked.command.cites.split()
    for name, option in asked.options.items():
        if getattr(asked, name) in (None, False, ()):
            continue
        for holds, papers in option.cites:
            if holds is None or holds(asked):
                yield from papers.split()
