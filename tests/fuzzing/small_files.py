"""Files of versions, clusters, seeds, parts, teams, factors and counts, and lists: the plain reader of each, and the check
that irci reads the same."""

import math
import re
from collections.abc import Callable
from functools import partial

from fuzzing import plain_text
from fuzzing.findings import expect, given
from fuzzing.plain_text import INTEGER, ISSPACE, Refused, agree, number_in, plain_lines, refuse_unless
from irci import base
from irci.base import FormatError, raw
from irci.data import text_files
from irci.data.parts import read_parts
from irci.data.rules import as_lines, read_counts, read_factors, read_teams
from irci.data.scores import LARGEST, SMALLEST
from irci.data.versions import cell_of
from irci.measures import named
from irci.options import types


def has_counts(line: str) -> bool:
    """Whether a line has two names and three whole numbers."""
    cells = plain_text.cells_of(line)
    return len(cells) == 5 and all(INTEGER.fullmatch(cell.strip(ISSPACE)) for cell in cells[2:])


def plain_versions(data: bytes) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Run, or run and topic id -> what `cell` should answer: lines of three or five full fields, no key twice."""
    lines = [[cell.strip(ISSPACE) for cell in line.split("\t")] for line in plain_lines(data)]
    refuse_unless({len(fields) for fields in lines} in ({3}, {5}) and all(map(all, lines)))
    if len(lines[0]) == 3:
        table = {(run, "any"): (system, "any", version) for run, system, version in lines}
    else:
        table = {(run, topic_id): (system, topic, version) for run, topic_id, system, topic, version in lines}
    refuse_unless(len(table) == len(lines))
    return table


def check_versions(data: bytes) -> bool:
    """Every cell as in the file."""

    def ours() -> dict[tuple[str, ...], tuple[str, ...] | None]:
        cell = partial(cell_of, types.VERSIONS.value(given(data)))
        try:
            keys = list(plain_versions(data))
        except (Refused, ValueError):
            keys = []
        expect(cell("no such run", "no such topic") is None, "a cell for what is not there")
        return {(run, topic): cell(run, topic) for run, topic in keys}

    return agree(lambda: plain_versions(data), ours, data)


def plain_groups(data: bytes, number: int, optional: int = 0) -> dict[str, tuple[str, ...]]:
    """Name -> so many groups, the last of which may lack, no name twice."""
    table: dict[str, tuple[str, ...]] = {}
    for line in plain_lines(data):
        name, *groups = re.findall(f"[^{ISSPACE}]+", line)
        refuse_unless(number - optional <= len(groups) <= number and name not in table)
        table[name] = (*groups, *[""] * (number - len(groups)))
    return table


def plain_splits(data: bytes) -> dict[bytes, int]:
    """Docno -> the number of its part, in the order of their names, up to 255 of them."""
    table = {raw(docno): raw(part) for docno, (part,) in plain_groups(data, 1).items()}
    numbers = {part: number for number, part in enumerate(sorted(set(table.values())))}
    refuse_unless(len(numbers) <= 255)
    return {docno: numbers[part] for docno, part in table.items()}


def plain_teams(data: bytes) -> dict[str, str]:
    """Run -> team: lines are run, tab and team, no run twice; a header may go before."""
    teams: dict[str, str] = {}
    for place, line in enumerate(plain_lines(data)):
        run, team = (field.strip(ISSPACE) for field in line.split("\t"))
        if place or (run.lower(), team.lower()) not in (("run", "team"), ("run", "group")):
            refuse_unless(run and team and run not in teams)
            teams[run] = team
    return teams


def plain_factors(data: bytes) -> dict[tuple[str, str], tuple[float, float]]:
    """Topic, measure -> mean and sd."""
    table: dict[tuple[str, str], tuple[float, float]] = {}
    for line in plain_lines(data):
        topic, measure, mean, sd = re.findall(f"[^{ISSPACE}]+", line)
        key = topic, named(measure).canonical
        refuse_unless(key not in table and abs(number_in(mean)) <= LARGEST)
        refuse_unless(number_in(sd) == 0 or SMALLEST <= number_in(sd) <= LARGEST)
        table[key] = float(mean), float(sd) + 0.0
    refuse_unless(table)
    return table


def check_factors(data: bytes) -> bool:
    """Files of factors: accepted if lines are topic, measure, mean and sd, none twice; also when written and read again."""
    try:
        topics = list(dict.fromkeys(topic for topic, _ in plain_factors(data)))
    except (Refused, ValueError):
        topics = ["1"]

    def ours(of: bytes = data) -> dict[tuple[str, str], tuple[float, float]]:
        factors = read_factors(given(of), topics)
        return {
            (topic, measure): (mean, 0.0 if math.isnan(sd) else sd)
            for measure, (means, sds) in factors.items()
            for topic, mean, sd in zip(topics, means.tolist(), sds.tolist(), strict=True)
            if not math.isnan(mean)
        }

    accepted = agree(lambda: plain_factors(data), ours, data)
    if accepted:
        # As above: a topic of another line than the first may look like a byte order mark.
        saved = b"\n" + raw(as_lines(read_factors(given(data), topics), topics))
        expect(ours(saved) == ours(), "what was saved is read as something else")
    return accepted


def plain_counts(data: bytes) -> dict[tuple[str, str], tuple[int, ...]]:
    """Pair -> the three counts: lines are two systems and these, no pair twice; a header may go before."""
    table: dict[tuple[str, str], tuple[int, ...]] = {}
    pairs = set()
    for place, cells in enumerate(plain_text.plain_cells(data, has_counts) if plain_lines(data, has_counts) else []):
        if place == 0 and len(cells) == 5 and not any(map(_is_number, cells[2:])):
            continue
        first, second, *counts = (cell.strip(ISSPACE) for cell in cells)
        refuse_unless(len(counts) == 3 and first and second and first != second)
        refuse_unless(frozenset((first, second)) not in pairs and all(map(INTEGER.fullmatch, counts)))
        pairs.add(frozenset((first, second)))
        table[first, second] = tuple(map(int, counts))
        refuse_unless(all(0 <= count < 10**15 for count in table[first, second]))
    refuse_unless(any(map(any, table.values())))
    return table


def _is_number(cell: str) -> bool:
    try:
        float(cell.strip(ISSPACE) or "nan")
    except ValueError:
        return False
    return True


def counts_read(path: str) -> object:
    """Those of a file that has counts."""
    counts = read_counts(path)
    if counts is None:
        raise FormatError.whole_file(base.STDIN, "no file of counts")
    return counts


def plain_list(data: bytes) -> list[bytes]:
    """The lines that are neither blank nor comments; # alone is a name."""
    lines = [line.strip() for line in plain_text.plain_text(data).splitlines()]
    return [line for line in lines if line and not re.match(rb"#+\s", line)]


# The plain reader of each kind of file, and irci's.
READERS: dict[str, tuple[Callable[[bytes], object], Callable[[str], object]]] = {
    "splits": (plain_splits, read_parts),
    "teams": (plain_teams, read_teams),
    "counts": (plain_counts, counts_read),
    "list": (plain_list, text_files.read_lines),
}


def check_small(data: bytes, name: str) -> bool:
    """A file of one of these kinds."""
    plain, ours = READERS[name]
    return agree(lambda: plain(data), lambda: ours(given(data)), data)


def check_groups(data: bytes, of: types.Type) -> bool:
    """Files of clusters, slices or seeds: accepted if lines are a name and its groups, one line at least."""

    def plain() -> dict[str, tuple[str, ...]]:
        table = plain_groups(data, len(of.columns[-1]) - 1, len(of.columns) - 1)
        refuse_unless(table)
        return table

    def ours() -> dict[str, tuple[str, ...]]:
        found, padding = of.value(given(data)), dict.fromkeys(of.columns[-1][1:], "")
        return {name: (*(padding | found.find(name)).values(),) for name in found.listed}

    return agree(plain, ours, data)
