"""The table of options: all rows, under their headings in the order of the help, and those of a command."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from irci.base.choices import SOURCES
from irci.options.commands import COMMANDS, Request
from irci.options.option import Option, either
from irci.options.rows import comparing, designs, limits, output, reading, replicating, scoring

HEADINGS: Mapping[str, tuple[Option, ...]] = {
    "What to score": scoring.ROWS,
    "Compare": (*comparing.ROWS, *designs.ROWS),
    "Intervals": limits.ROWS,
    "Input": reading.ROWS,
    "Output": output.ROWS,
    "Replicating a paper": replicating.ROWS,
}


@cache
def options_of(command: str) -> Mapping[str, Option]:
    """The options of a command, by their names, in the order of the help; each knows its heading."""
    return {
        option.name: replace(option, heading=heading)
        for heading, rows in HEADINGS.items()
        for option in rows
        if command in option.requests
    }


def takes(command: str, option: Option, request: str) -> bool:
    """Whether an option means something for a request; of sources of variation, whether that carries it."""
    named = option.requests[command]
    if "carried" in named:
        return request in named or any(source.name == request and source.carries(option.name) for source in SOURCES)
    return option.suits(command, request)


def requests_with(command: str, option: Option) -> Iterator[Request]:
    """The requests of a command for which an option means something, each once."""
    seen = set()
    for request in COMMANDS[command].requests:
        if request.name not in seen and takes(command, option, request.name):
            seen.add(request.name)
            yield request


def is_for(command: str, option: Option) -> str:
    """What an option is for, in words: what asks for the requests that take it."""
    words = [request.words for request in requests_with(command, option) if request.words]
    beginning = words[0].rpartition(" ")[0]
    if len(words) > 1 and beginning and all(each.startswith(f"{beginning} ") for each in words):
        return f"{beginning} {either([each.removeprefix(f'{beginning} ') for each in words], 'and')}"
    return either(words)
