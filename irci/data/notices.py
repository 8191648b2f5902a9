"""Notices about many runs in one line: a warning counts the runs it is true of."""

import re
import threading
from collections.abc import Iterable, Sequence

from irci.base.errors import logger
from irci.base.names import NAMED, first_few, plural
from irci.base.records import Record
from irci.data.measures import Measure
from irci.stats.intervals import resamples_needed

FEW_GROUPS = 10  # clusters or collections; fewer say little of others


def warn_of_topics(what: str, happens: str, topics: Sequence[str], noun: str = "topic", of: int | None = None) -> None:
    """Count the topics of which something is to be said, out of so many, and name the first few."""
    if topics:
        number = plural(len(topics), noun) if of is None else f"{len(topics)} of {plural(of, noun)}"
        logger.warning(f"{what}: {number} {happens}: {first_few(topics)}")


def warn_of_few_groups(number: int, noun: str, happens: str) -> None:
    """Say what so few clusters or collections mean."""
    if number < FEW_GROUPS:
        logger.warning(f"only {plural(number, noun)}: {happens}")


def warn_of_few_resamples(limits: str, resamples: int, confidence: float, instead: str) -> None:
    """Say so if percentiles of so few resamples are no limits at this confidence; `instead`: what else would do."""
    least = resamples_needed(confidence)
    if resamples < least:
        logger.warning(
            f"{limits} limits at confidence {confidence:.10g}: fewer than one of {plural(resamples, 'resample')} lies beyond"
            f" each; -B {least} or more{instead}"
        )


def warn_of_one_topic(topics: int) -> None:
    """Say that limits over topics take several."""
    if topics == 1:
        logger.warning("one topic: no limits over topics")


def warn_of_no_limits(measures: Iterable[Measure], over: str = "") -> None:
    """Say of each of these measures why it has none, once, since nan says nothing; `over`: what would have to vary, if only
    these limits are lacking."""
    for measure in measures:
        of_mean = "a mean of logits or logarithms of scores; irci map-ci has its limits"
        logger.warning(f"{measure.name}: no limits{over}: {'a count has none' if measure.is_count else of_mean}")


class Together:
    """Warnings of one collection after the other, held back, so that one that many give is told once.

    `with Together() as told: for ...: told.of(name, files)`: warnings that differ in nothing but numbers, files and names are
    one, that with the largest number, and name the collections.
    """

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._name, self._files = "", tuple[str, ...]()
        self._held: dict[
            str, dict[str, tuple[str, bool]]
        ] = {}  # by what they have in common, by collection: named in it?

    def of(self, name: str, files: Iterable[str]) -> None:
        """The collection that is read from here on."""
        self._name, self._files = name, tuple(files)

    def _keeps(self, level: int, message: str) -> bool:
        """True of what is held back."""
        if level < logger.WARNING or threading.get_ident() != self._thread:
            return False
        is_named = not self._name or message.startswith((*(f"{file}: " for file in self._files), f"{self._name}: "))
        self._held.setdefault(self._in_common(message), {}).setdefault(self._name, (message, is_named))
        return True

    def _in_common(self, message: str) -> str:
        file = next((file for file in self._files if message.startswith(f"{file}: ")), "")
        words = re.sub(NAMES_AT_THE_END, "", message.removeprefix(file))
        return re.sub(r"s\b", "", re.sub(r"[\d.]+", "#", words))

    def __enter__(self) -> "Together":
        self._listening = logger.heard_by(self._keeps)
        self._listening.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.__exit__(None, None, None)
        for of_collections in self._held.values():
            told, is_named = max(of_collections.values(), key=lambda held: _numbers(held[0]))
            names = [*of_collections]
            alike = f" (the like in {len(names)} collections: {first_few(names)})" if len(names) > 1 else ""
            logger.warning(f"{told}{alike or f' (in {names[0]})' * (not is_named)}")


NAMES_AT_THE_END = rf"(?<=\w): \S+( \S+){{0,{NAMED - 1}}}( \.\.\.)?$"


def _numbers(message: str) -> list[int]:
    """The numbers of a message, without those in its path."""
    return [int(number) for number in re.findall(r"(?<![\w.])\d+(?![\w.])", message.rpartition("/")[2])]


class Kind(Record):
    """A kind of notice: what happens to things of a run; `of_many` says it of several runs, with {things} for their largest
    number and {most} for what is said of the largest size. `names_lacking`: what several runs lack is named for each."""

    happens: str
    noun: str = "topic"
    about: str = ""
    of_many: str = "up to {things} {happens}"
    names_lacking: bool = False


class Notices:
    """Notices taken while runs are read, and told when all of them have been."""

    def __init__(self) -> None:
        # For each kind: runs, the number of things that are concerned, their names if they have any, a detail, and a size.
        self._found: dict[Kind, list[tuple[str, int, Sequence[str], str, tuple[float, str]]]] = {}

    def add(
        self, run: str, kind: Kind, names: Sequence[str], detail: str = "", number: int = 0,
        most: tuple[float, str] = (0.0, ""),
    ) -> None:  # fmt: skip
        """Something about some topics of a run, or so many other things; `detail` is told of a single run only, and of several
        the words of `most` with the largest number."""
        if names or number:
            self._found.setdefault(kind, []).append((run, number or len(names), names, detail, most))

    def tell(self) -> None:
        for kind, notices in self._found.items():
            about = f"{kind.about}: " if kind.about else ""
            if len(notices) == 1:
                ((run, number, names, detail, _),) = notices
                named = f": {first_few(names)}" if names else ""
                logger.warning(f"{run}: {about}{plural(number, kind.noun)} {kind.happens}{detail}{named}")
            else:
                things = plural(max(number for _, number, *_ in notices), kind.noun)
                most = max(notice[-1] for notice in notices)[1]
                told = kind.of_many.format(things=things, happens=kind.happens, most=most)
                some = notices[:NAMED] if kind.names_lacking else []
                named = "; ".join(f"{run} lacks {first_few(names)}" for run, _, names, *_ in some)
                more = "; ..." if some and len(notices) > NAMED else ""
                logger.warning(f"{len(notices)} runs: {about}{told}{': ' * bool(some)}{named}{more}")
        self._found.clear()
