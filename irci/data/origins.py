"""Origins of scores: words of 12 hex digits in the column `source` of saved scores, which differ where scores are not to be
compared.

Two digits of the relevance level, from a0 on, so that a word is no number to whoever reads the table; four of the digest of
the judgments (`irci.data.canonical`); three of the topics that were scored; three of the measure and what it is computed of.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from irci.base.digests import sha256
from irci.base.errors import DataError, logger
from irci.base.names import first_few, raw
from irci.data.headers import SOURCE

if TYPE_CHECKING:
    from irci.data.inputs import Inputs
    from irci.data.measures import Measure

WORD = "[a-f][0-9a-f]{11}"
ON_PARTS = "{} on parts"  # what scores of a measure on parts of the collection are called
UNKNOWN = ""  # of rows without a word
LEVEL, JUDGMENTS, TOPICS, DEFINITION = slice(0, 2), slice(2, 6), slice(6, 9), slice(9, 12)
FIRST_LEVEL, LEVELS = 0xA0, 0x60  # that two digits tell apart
Words = dict[tuple[str, str], dict[str, None]]  # by measure and run, as they come
Origins = Mapping[str, Mapping[str, tuple[str, ...]]]  # of each measure and run: the words of its scores, each once
NONE: Origins = {}


class Table(Protocol):
    """Scores of a collection, whole or of parts too."""

    @property
    def collection(self) -> str | None: ...

    @property
    def origins(self) -> Origins: ...


def origin(
    measure: "Measure", inputs: "Inputs", judgments: str, most: int, topics: Iterable[str], *parts: object
) -> str:
    """The word of a measure's scores on these topics, and on `parts` that are made so; `judgments`: 64 hex digits; `most`:
    the highest grade of the scale.

    A level counts for measures that it changes, and the end of the scale for those whose gains are 2^grade - 1.
    """
    family = measure.family
    has_level = measure.level is None and (family.level != "none" or family.looks_at.level)
    level = FIRST_LEVEL + (inputs.relevance_level if has_level else 0) % LEVELS
    of_measure = (family.name, measure.parameter, measure.level, most if family.exponential else None)
    of_runs = (inputs.depth, inputs.judged_only, inputs.ties, inputs.ignore_identical_ids)
    definition = _digest(map(repr, (*of_measure, *of_runs, *parts)))
    return f"{level:x}{judgments[: JUDGMENTS.stop - JUDGMENTS.start]}{_of_topics(topics)}{definition}"


def _digest(texts: Iterable[str]) -> str:
    return sha256(b"\n".join(map(raw, texts))).hexdigest()[: TOPICS.stop - TOPICS.start]


def _of_topics(topics: Iterable[str]) -> str:
    return _digest(sorted(topics, key=raw))


def words_of(names: Iterable[str]) -> bool:
    """True if a column holds words of origins, so that it is no other one of this name. Raises ValueError for a name that
    is none, among words."""
    given = {name for name in names if name != UNKNOWN}
    wrong = {name for name in given if not re.fullmatch(WORD, name)}
    if wrong and wrong < given:
        raise ValueError(min(wrong))
    return bool(given) and not wrong


def gathered(words: Words) -> Origins:
    """The origins of scores by their words; none if no score has one."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    if all(set(each) == {UNKNOWN} for each in words.values()):
        return found
    for (measure, run), each in words.items():
        found.setdefault(measure, {})[run] = tuple(each)
    return found


def on_topics(
    words: Mapping[str, tuple[str, ...]], topics: Sequence[str], *, complete: bool, chosen: bool
) -> dict[str, tuple[str, ...]]:
    """A measure's words by run as of scores on these topics alone: where all are there (`complete`), no matter which others
    were scored, or where the same were scored for all and these are `chosen` of them."""
    known = {word[TOPICS] for of_run in words.values() for word in of_run if word != UNKNOWN}
    if not (complete or (chosen and len(known) == 1)):
        return dict(words)
    of_topics = _of_topics(topics)

    def here(word: str) -> str:
        return word and word[: TOPICS.start] + of_topics + word[TOPICS.stop :]

    return {run: tuple(dict.fromkeys(map(here, of_run))) for run, of_run in words.items()}


def word_of(origins: Origins, measure: str, run: str) -> str:
    """The one word of a run's scores. Raises DataError where they have several."""
    words = origins.get(measure, {}).get(run, (UNKNOWN,))
    if len(words) > 1:
        raise DataError(f"--receipts with --save-scores: the scores of {run} ({measure}) are of several sources")
    return words[0]


def check_origins(tables: Sequence[Table], inputs: "Inputs") -> None:
    """Raise DataError for scores of a measure and collection that are not to be compared, unless --mixed allows that, and for
    --mixed without such; say which have no origin where others have."""
    unlike = [sentence for table in tables for sentence in _unlike(table)]
    for sentence in unlike if inputs.mixed else ():
        logger.warning(f"{sentence}; compared all the same (--mixed)")
    if unlike and not inputs.mixed:
        raise DataError(f"{inputs.named}: {unlike[0]}; --mixed compares them all the same")
    if inputs.mixed and not unlike:
        raise DataError(f"{inputs.named}: no column {SOURCE} says that scores cannot be compared: leave out --mixed")
    unknown = {run: None for table in tables for run in _unknown(table)}
    if unknown:
        some = first_few(list(unknown))
        logger.warning(f"{some}: scores without a {SOURCE}: nothing tells whether they can be compared with the others")


def _unlike(table: Table) -> Iterator[str]:
    """Reasons against scores of measures that have several origins."""
    where = "" if table.collection is None else f" in {table.collection}"
    for measure, of_runs in table.origins.items():
        runs: dict[str, list[str]] = {}
        for run, words in of_runs.items():
            for word in words:
                runs.setdefault(word, []).append(run)
        known = [word for word in runs if word != UNKNOWN]
        if len(known) > 1:
            first, other = known[:2]
            one, others = runs[first][0], runs[other]
            which = f"{one}, among themselves," if others == [one] else f"{first_few(others)} and of {one}"
            sources = f"{SOURCE} {other} and {first}"
            yield f"{measure}{where}: scores of {which} cannot be compared: {_differences(other, first)} ({sources})"


def _differences(word: str, other: str) -> str:
    levels = (str(int(each[LEVEL], 16) - FIRST_LEVEL) for each in (word, other))
    said = {
        "other judgments": JUDGMENTS,
        "other topics": TOPICS,
        f"relevance levels {' and '.join(levels)} (-l)": LEVEL,
        "another definition of the measure, or other settings (--depth, --judged-only, --ties, --max-grade,"
        " --ignore-identical-ids, or how parts are made)": DEFINITION,
    }
    return ", ".join(words for words, part in said.items() if word[part] != other[part])


def _unknown(table: Table) -> Iterator[str]:
    """The runs of which some score has no origin, where others have."""
    for of_runs in table.origins.values():
        yield from (run for run, words in of_runs.items() if UNKNOWN in words)
