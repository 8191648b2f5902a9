"""Notices about many runs in one line: a warning counts the runs it is true of; ties, and docnos that look alike."""

import threading
from collections.abc import Iterable, Sequence

import numpy as np

from irci.base import NAMED, DataError, Record, first_few, logger, plural
from irci.base.types import Bools, Floats, Ints, offsets, owners
from irci.data.collection import JudgedRun
from irci.data.rankings import Qrels, Run
from irci.measures import Measure
from irci.measures.ties import Ties
from irci.stats.intervals import resamples_needed
from irci.wording import Notice, notify, tell

FEW_GROUPS = 10  # clusters or collections; fewer say little of others


def warn_of_topics(
    source: str, happens: str, topics: Sequence[str], noun: str = "topic", of: int | None = None
) -> None:
    """Count the topics of which something is to be said, out of so many, and name the first few."""
    if topics:
        number = plural(len(topics), noun) if of is None else f"{len(topics)} of {plural(of, noun)}"
        notify("topics", where=source, size=len(topics), number=number, then=happens, names=topics)


def warn_of_few_groups(number: int, noun: str, happens: str, few: int = FEW_GROUPS) -> None:
    """Say what so few clusters or collections mean."""
    if number < few:
        notify("few_units", number=plural(number, noun), then=happens)


def warn_of_few_resamples(limits: str, resamples: int, confidence: float, instead: str) -> None:
    """Say so if percentiles of so few resamples are no limits at this confidence; `instead`: what else would do."""
    least = resamples_needed(confidence)
    if resamples < least:
        of_limits = f"{limits} limits at confidence {confidence:.10g}"
        notify("few_resamples", limits=of_limits, resamples=resamples, least=least, instead=instead)


def warn_of_one_topic(topics: int) -> None:
    """Say that limits over topics take several."""
    warn_of_few_groups(topics, "topic", "no limits over topics", 2)


def warn_of_no_limits(measures: Iterable[Measure], over: str = "") -> None:
    """Say of each of these measures why it has none, once, since nan says nothing; `over`: what would have to vary, if only
    these limits are lacking."""
    for measure in measures:
        of_mean = "it is a mean of logits or logarithms of scores; irci map-ci has its limits"
        why = "a count has none" if measure.is_count else of_mean
        notify("lacking", measure=measure.name, what=f"limits{over}", who="", why=why)


# Facts of which a notice may have others where it says the like of another collection.
VARYING = ("where", "run", "names", "number", "more")


class Together:
    """Notices of one collection after the other, held back, so that one that many give is told once.

    `with Together() as told: for ...: told.of(name, files)`: notices of one template that differ in nothing but numbers, files
    and names are one, that with the largest number, and name the collections; `noun`: what they are called.
    """

    def __init__(self, noun: str = "collection") -> None:
        self._thread, self._noun = threading.get_ident(), noun
        self._name, self._files = "", frozenset[str]()
        # By what they have in common, by collection: the notice, and whether it names that.
        self._held: dict[tuple[object, ...], dict[str, tuple[Notice, bool]]] = {}

    def of(self, name: str, files: Iterable[str]) -> None:
        """The collection that is read from here on."""
        self._name, self._files = name, frozenset((name, *files))

    def _keeps(self, level: int, message: str) -> bool:
        """True of what is held back."""
        if level < logger.WARNING or threading.get_ident() != self._thread:
            return False
        notice = message if isinstance(message, Notice) else Notice(message, message, {})
        common = [
            (fact, value)
            for fact, value in notice.facts.items()
            if isinstance(value, str)
            and fact not in VARYING
            and value not in self._files
            and not value[:1].isdigit()  # "3 topics"
        ]
        is_named = not self._name or any(
            value in self._files for value in notice.facts.values() if isinstance(value, str)
        )
        self._held.setdefault((notice.name, *common), {}).setdefault(self._name, (notice, is_named))
        return True

    def __enter__(self) -> "Together":
        self._listening = logger.heard_by(self._keeps)
        self._listening.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.__exit__(None, None, None)
        for by_collection in self._held.values():
            notice, is_named = max(by_collection.values(), key=lambda held: _size(held[0]))
            names = [*by_collection]
            counted = f"{plural(len(names), self._noun)}: " if self._noun else ""
            are_same = not self._noun and len({held for held, _ in by_collection.values()}) == 1
            more = f" (the like in {counted}{first_few(names)})" if len(names) > 1 and not are_same else ""
            is_named |= are_same and len(names) > 1
            tell(f"{notice}{more or f' (in {names[0]})' * (not is_named)}")


def _size(notice: Notice) -> list[int]:
    """The numbers among its facts, also those that stand before a noun."""
    words = (str(value).split(maxsplit=1)[:1] for value in notice.facts.values() if isinstance(value, int | str))
    return [int(word) for of_fact in words for word in of_fact if word.isdecimal()]


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
                notify(
                    "run", run=run, about=about, size=number, number=plural(number, kind.noun), then=kind.happens,
                    more=f"{detail}{named}",
                )  # fmt: skip
            else:
                things = plural(max(number for _, number, *_ in notices), kind.noun)
                most = max(notice[-1] for notice in notices)[1]
                happening = kind.of_many.format(things=things, happens=kind.happens, most=most)
                detailed = notices[:NAMED] if kind.names_lacking else []
                named = "; ".join(f"{run} lacks {first_few(names)}" for run, _, names, *_ in detailed)
                more = "; ..." if detailed and len(notices) > NAMED else ""
                more = f"{happening}{': ' * bool(detailed)}{named}{more}"
                notify("runs", runs=len(notices), about=about, kind=kind.happens, more=more)
        self._found.clear()


UNJUDGED = 0.5  # between what is judged irrelevant and what is relevant


def extremes(run: Run, judged: JudgedRun, qrels: Qrels) -> tuple[JudgedRun, JudgedRun]:
    """The run as it is judged with the documents of each tie by grade, from the lowest and from the highest: the orders that
    measures of relevance like least and most, as any two neighbours in the wrong order would do better exchanged. Ties across
    --depth are told of as far as it reaches."""
    group, tied = _groups(run, judged)
    places = _places(judged)
    concerned = np.zeros(len(tied), np.bool_)
    concerned[group[places]] = True
    moved = np.flatnonzero((concerned & tied)[group])
    grades = np.full(len(group), UNJUDGED)
    grades[places] = qrels.grade[judged.rows]
    return _by_grade(judged, places, group, moved, grades), _by_grade(judged, places, group, moved, -grades)


def ties_of(run: Run, judged: JudgedRun) -> Ties:
    """The ties of the judged documents."""
    group, _ = _groups(run, judged)
    sizes, places = np.bincount(group, minlength=1), _places(judged)
    first = offsets(sizes)[group[places]] - judged.line_offsets[owners(judged.offsets)] + 1
    return Ties(first, sizes[group[places]])


def _places(judged: JudgedRun) -> Ints:
    """int64[...]: the places of the judged documents among all that are retrieved, topic after topic."""
    return np.asarray(judged.line_offsets[owners(judged.offsets)] + judged.ranks - 1)


def _groups(run: Run, judged: JudgedRun) -> tuple[Ints, Bools]:
    """int64[N]: the tie that each retrieved document is in, in order; and bool[G]: the ties of more than one."""
    score = run.score[judged.lines]
    begins = np.ones(len(score), np.bool_)
    begins[1:] = score[1:] != score[:-1]
    begins[judged.line_offsets[:-1][np.diff(judged.line_offsets) > 0]] = True
    group = np.cumsum(begins) - 1
    return group, np.bincount(group, minlength=1) > 1


def _by_grade(judged: JudgedRun, places: Ints, group: Ints, moved: Ints, keys: Floats) -> JudgedRun:
    """The judged run with the documents at the places moved by their keys, within each tie."""
    order = np.arange(len(group))
    order[moved[np.lexsort((keys[moved], group[moved]))]] = moved
    by_place = np.argsort(order[places])  # topics stay in order
    first = judged.line_offsets[owners(judged.offsets)]
    ranks = (order[places][by_place] - first + 1).astype(judged.ranks.dtype)
    return judged._replace(ranks=ranks, rows=judged.rows[by_place])


LEFT_OUT = Kind("with the id of its topic, left out", "document")


def without_identical_ids(run: Run) -> tuple[Run, int]:
    """The run without documents that have the id of their topic, which stays though nothing is left of it; and how many these
    are. Raises DataError if there are no others."""
    keep = np.ones(len(run.lines), np.bool_)
    for topic, begin, end in zip(run.topics, run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True):
        docnos = run.docnos.take(run.lines[begin:end])
        as_long = np.flatnonzero(docnos.length == len(topic))
        letters = docnos.buffer[docnos.start[as_long, np.newaxis] + np.arange(len(topic))]
        keep[begin + as_long] = (letters != np.frombuffer(topic, np.uint8)).any(axis=1)
    if not keep.any():
        raise DataError(f"{run.path}: all documents have the id of their topic (--ignore-identical-ids)")
    return run._replace(lines=run.lines[keep], offsets=offsets(keep)[run.offsets]), int((~keep).sum())
