"""Make doc/options.md: which option each command has, and what can be asked where what varies: python doc/options.py."""

from pathlib import Path

from irci.base.choices import SOURCES
from irci.options.commands import COMMANDS
from irci.options.given import HEADINGS, options_of, takes

PAGE = Path(__file__).with_name("options.md")
HEAD = """# Options

Made by `make doc` of the table of options (`irci/options/`) and of the sources of variation (`irci/base/choices.py`).

## Which command has which option

*: always; otherwise what of the command's requests it means something for. Where it means nothing it is refused.

"""
SOURCE_HEAD = """
## What can be asked of map-ci, by what varies

"""


def page() -> str:
    """The text of the page."""
    commands = list(COMMANDS)
    lines = [_row(["option", *commands]), _row(["---"] * (len(commands) + 1))]
    for heading, rows in HEADINGS.items():
        lines.append(_row([f"**{heading}**", *[""] * len(commands)]))
        for name in dict.fromkeys(row.name for row in rows):
            cells = [_cell(command, name, heading) for command in commands]
            lines.append(_row([_spelling(name, heading), *cells]))
    return HEAD + "\n".join(lines) + "\n" + SOURCE_HEAD + "\n".join(_sources()) + "\n"


def _spelling(name: str, heading: str) -> str:
    return next(f"`{row.spelling}`" for row in HEADINGS[heading] if row.name == name)


def _cell(command: str, name: str, heading: str) -> str:
    """The requests of a command that take an option; * for all."""
    option = options_of(command).get(name)
    if option is None or option.heading != heading or option.hidden:
        return ""
    requests = list(dict.fromkeys(request.name for request in COMMANDS[command].requests))
    taken = [request for request in requests if takes(command, option, request)]
    return "*" if taken == requests else ", ".join(taken)


def _sources() -> list[str]:
    """What each source carries: words of options that have several, and a * for others."""
    asked = list(dict.fromkeys(name for source in SOURCES for name in (*source.takes(), *source.asks)))
    known = options_of("map-ci")
    rows = [
        [f"`{known[name].spelling}`", *(", ".join(source.takes().get(name, "*" * source.carries(name))) for source in SOURCES)]
        for name in asked
    ]  # fmt: skip
    return [_row(each) for each in (["", *(source.name for source in SOURCES)], ["---"] * (len(SOURCES) + 1), *rows)]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(page())
    from irci.api.functions import stub

    (Path(__file__).parent.parent / "irci" / "__init__.pyi").write_text(stub())
