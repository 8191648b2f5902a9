"""Tables of scores on the parts of a collection, of our own making or others': run topic measure split part value.

Part 0 of split 0 is the whole collection; the parts of a split are numbered from 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from irci.base.errors import DataError, FormatError, Problem
from irci.base.names import BLANKS, decimal, first_few, is_name, raw, whole_number
from irci.base.types import Floats, Ints
from irci.data.headers import places
from irci.data.score_files import refuse_rankings
from irci.data.score_formats import Lines, read_cells
from irci.data.scores import LARGEST, LONG, long_table, refuse_tiny
from irci.data.text_files import NOTHING, Memory, file_and_content, problems_of, read_text_lines
from irci.measures import one_name_each

WHOLE = (0, 0)  # split and part


@dataclass
class PartScores:
    """Scores of m runs (sorted by name) on T topics (sorted): for each measure those on the whole, float64[T, m], and those of
    each split, float64[T, m, x]; nan where there is none. `numbers`: the splits'. `relevant`: of each int64[T, x], if known.
    `collection`: what the collection is called, if it has a name.
    """

    runs: list[str]
    topics: list[str]
    whole: dict[str, Floats]
    splits: dict[str, list[Floats]]
    numbers: list[int]
    relevant: list[Ints] = field(default_factory=list)
    replicate: Literal["part", "version"] = "part"
    labels: list[str] | None = None
    collection: str | None = None


def saved_text(scores: PartScores) -> str:
    """The long table, with tabs, that `read_part_scores` reads back to the last digit."""
    begin = "" if scores.collection is None else f"{scores.collection}\t"
    tables = (
        (measure, place, values)
        for measure, whole in scores.whole.items()
        for place, values in [(WHOLE, whole)]
        + [
            ((split, part + 1), of_split[:, :, part])
            for split, of_split in zip(scores.numbers, scores.splits[measure], strict=True)
            for part in range(of_split.shape[2])
        ]
    )
    rows = (
        (begin, run, topic, measure, *place, value)
        for measure, place, values in tables
        for topic, of_topic in zip(scores.topics, values.tolist(), strict=True)
        for run, value in zip(scores.runs, of_topic, strict=True)
    )
    return long_table("" if scores.collection is None else "collection\t", rows)


def read_part_scores(paths: Sequence[str], memory: Memory = NOTHING) -> PartScores:
    """Read tables as one; Raises FormatError for rubbish or a score twice, DataError
    where there are no parts, or several collections."""
    seen: dict[tuple[str, str, str, int, int], float] = {}
    collections: dict[str | None, None] = {}
    name_of = one_name_each()
    for path in paths:
        _add(seen, collections, path, read_text_lines(*file_and_content(path, memory)), name_of)
    where = ", ".join(paths)
    if len(collections) > 1:
        names = [name or "one without a name" for name in collections]
        raise DataError(f"{where}: scores of {len(names)} collections ({first_few(names)}): take one at a time")
    return replace(_table(seen, where), collection=next(iter(collections)))


def _add(
    seen: dict[tuple[str, str, str, int, int], float],
    collections: dict[str | None, None],
    path: str,
    lines: Lines,
    name_of: Callable[[str], str],
) -> None:
    if not lines:
        raise FormatError.whole_file(path, "empty file: no scores")
    refuse_rankings(lines, path)
    (number, header), *rows = read_cells(lines, path)
    place_of = places(header, path, number, ("split", "part"))
    order = [place_of[column] for column in LONG]
    of_collection = place_of.get("collection")
    with problems_of(path) as problems:
        for number, cells in rows:
            if cells == header:  # of a file joined to the one before
                continue
            try:
                run, topic, measure, split, part, value = (cells[place].strip(BLANKS) for place in order)
                key = (run, topic, name_of(measure), whole_number(split), whole_number(part))
                score = decimal(value)
                if len(cells) != len(header) or not (is_name(run) and is_name(topic) and is_name(measure)):
                    raise ValueError
                collections[None if of_collection is None else cells[of_collection].strip(BLANKS)] = None
            except (IndexError, ValueError):
                problems.append(Problem(number, f"not {', '.join(LONG)} with numbers for the last three"))
                continue
            if len(collections) > 1:  # which is refused, whatever else is wrong
                problems.clear()
                return
            if key in seen:
                problems.append(
                    Problem(
                        number, f"{key[2]} of run {run!r} on topic {topic!r}, split {split}, part {part} twice", "again"
                    )
                )
            elif not abs(score) <= LARGEST or key[3] < 0 or key[4] < 0:
                problems.append(Problem(number, "a split, part or value that is negative, too large or not finite"))
            else:
                seen[key] = score


def _table(seen: dict[tuple[str, str, str, int, int], float], where: str) -> PartScores:
    def in_order(place: int) -> dict[str, int]:
        return {name: number for number, name in enumerate(sorted({str(key[place]) for key in seen}, key=raw))}

    runs, topics = in_order(0), in_order(1)
    numbers = sorted({key[3] for key in seen} - {0})
    parts = dict.fromkeys(numbers, 0)
    for key in seen:
        if key[3]:
            parts[key[3]] = max(parts[key[3]], key[4])
            if key[4] > len(seen):
                raise DataError(
                    f"{where}: split {key[3]}, part {key[4]}: parts count from 1, and some before it have no score"
                )
    if not numbers or min(parts.values()) < 2:
        raise DataError(f"{where}: needs scores on at least two parts of a split (split and part count from 1)")
    whole: dict[str, Floats] = {}
    splits: dict[str, list[Floats]] = {}
    for measure in dict.fromkeys(key[2] for key in seen):
        whole[measure] = np.full((len(topics), len(runs)), np.nan)
        splits[measure] = [np.full((len(topics), len(runs), parts[split]), np.nan) for split in numbers]
    place_of = {split: place for place, split in enumerate(numbers)}
    for (run, topic, measure, split, part), value in seen.items():
        if (split, part) == WHOLE:
            whole[measure][topics[topic], runs[run]] = value
        elif split > 0 and part > 0:
            splits[measure][place_of[split]][topics[topic], runs[run], part - 1] = value
        else:
            raise DataError(f"{where}: split {split}, part {part}: the whole is split 0, part 0, parts count from 1")
    for measure, values in whole.items():
        refuse_tiny(measure, np.concatenate([values.ravel(), *(each.ravel() for each in splits[measure])]), where)
    return PartScores(list(runs), list(topics), whole, splits, numbers)
