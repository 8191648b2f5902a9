"""One of several looks at topics as they are judged: pairs at the level that it may spend, and what follows for each."""

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from irci.base.errors import UsageError
from irci.base.names import first_names
from irci.base.records import Record
from irci.base.types import reaches
from irci.compare import reading
from irci.compare.request import SIGNS, Request
from irci.compare.study import report_on
from irci.compare.wording import MOST, although, amount, directions, number, p_text
from irci.data.inputs import Inputs
from irci.estimators.joint_resamples import POOLED
from irci.measures import named
from irci.output.report import Report
from irci.output.tables import PValue, Row, Table, as_read, tables
from irci.stats.intervals import normal_quantile
from irci.stats.looks import FEWEST_AT_LOOK, levels_of_many, looks_at

NEXT = ("stop", "go on", "end")
LEAST_LEVEL = 1e-12  # less could not be found by t of any topics
TINY = 2.0**-51  # a level below that of 1 cannot be told; what it spends is nothing
SIGNS_OF_LEVEL = 20  # divided by the level: fewer signs, by the largest statistic, tell too little of such p


def check_looks(sizes: tuple[int, ...], alpha: float) -> str:
    """The looks, as they are spelled. Raises UsageError for looks that may not be taken, or that find nothing."""
    listed = ",".join(map(str, sizes))
    if sizes[0] < FEWEST_AT_LOOK:
        raise UsageError(f"--looks {listed}: t of fewer than {FEWEST_AT_LOOK} topics errs too often: look later.")
    if looks_at(sizes, alpha).level[0] < LEAST_LEVEL:
        raise UsageError(f"--looks {listed}: at {sizes[0]} of {sizes[-1]} topics nothing can be found: look later.")
    return listed


class Look(Record):
    """The look at which a table is: its place, from 0, among numbers of topics; the level that it spends, also as a boundary
    of a standard normal score; and the confidence of all looks together."""

    place: int
    sizes: Sequence[int]
    level: float
    boundary: float
    confidence: float

    @property
    def is_last(self) -> bool:
        """True if nothing is judged after it."""
        return self.place == len(self.sizes) - 1

    @classmethod
    def of(cls, request: Request, topics: int, tests: int) -> "Look":
        """The look at so many topics, for so many tests whose p are adjusted together. Raises UsageError where there is
        none, and for looks that may not be taken."""
        assert request.looks is not None
        sizes = tuple(sorted(request.looks))
        listed = check_looks(sizes, request.alpha)
        if topics > sizes[-1]:
            raise UsageError(
                f"--looks {listed}: there are {topics} topics, more than the last look has: the level is spent by then."
            )
        if topics not in sizes:
            later = next(size for size in sizes if size > topics)
            now = ""
            if topics >= FEWEST_AT_LOOK and request.plan is None:
                listed_now = ",".join(map(str, sorted({*sizes, topics})))
                now = f" For a look now, which no result may have led to: --looks {listed_now}."
            raise UsageError(f"--looks {listed}: there are {topics} topics; the next look is at {later}.{now}")
        place = sizes.index(topics)
        level = max(float(levels_of_many(sizes, request.alpha, tests)[place]), TINY)
        return cls(place, sizes, level, normal_quantile(1 - level), request.confidence)

    def applied(self, request: Request) -> Request:
        """The request at the level of this look. Raises UsageError for signs too few to tell p from it."""
        least = int(SIGNS_OF_LEVEL / self.level) + 1
        if request.correction == "maxt" and request.draws(SIGNS) < least:
            raise UsageError(
                f"--correction maxt: to tell p from {self.level:.2g}, the level of this look, takes -B {least}: use"
                " --correction holm."
            )
        return request._replace(confidence=1 - self.level)

    def row(self, pair: Row) -> Row:
        """Row of what follows for a pair, whose difference over topics has the row given."""
        stops = bool(reaches(number(pair, "p_adjusted"), self.level))
        return {
            "run": pair["run"], "baseline": pair["baseline"], "look": self.place + 1, "looks": len(self.sizes),
            "p_level": PValue(self.level), "boundary": self.boundary,
            "decision": NEXT[0 if stops else 1 + self.is_last],
        }  # fmt: skip


class AtLook(NamedTuple):
    """Pairs at a look: the rows of their differences over topics, and a table with a row for each of what follows."""

    pairs: Sequence[Row]
    table: Table


def at_a_look(request: Request, inputs: Inputs) -> Report:
    """The report on pairs at the level of this look, and a row for each with what follows."""
    scored = reading.on_topics(request, inputs)
    runs = len(scored.runs)
    most_pairs = math.comb(runs, 2) if request.all_pairs or request.ranks else runs - (request.baseline not in POOLED)
    look = Look.of(request, len(scored.topics), 1 if request.correction == "none" else max(most_pairs, 1))
    listed = ",".join(map(str, look.sizes))
    signature = {**reading.signature_of(inputs), "looks": listed}
    report = report_on(look.applied(request), scored, signature, threads=inputs.threads, progress=inputs.progress)
    at_looks = []
    for each in report.tables:
        if each.kind == "difference":
            rows = [row for row in map(as_read, each.rows) if row["topic"] == "all"]
            at_looks += [AtLook(rows, table) for table in tables("look", each.measure, map(look.row, rows))]
    return report._replace(
        tables=[*report.tables, *(at_look.table for at_look in at_looks)],
        signature={**report.signature, "confidence": look.confidence},
        explain=lambda: chain(report.sentences, _explained(look, at_looks)),
        conclude=lambda: chain.from_iterable(_concluded(look, at_look) for at_look in at_looks),
    )


def _explained(look: Look, at_looks: Sequence[AtLook]) -> Iterator[str]:
    for at_look in at_looks:
        yield from _concluded(look, at_look)
    yield (
        f"The chance of any false finding at the looks at {_sizes(look)} topics is at most"
        f" {100 * (1 - look.confidence):.4g}% for each measure; limits hold at all of them together."
    )
    yield "That takes topics judged in random order, and numbers and an order of them that do not depend on results."


def _concluded(look: Look, at_look: AtLook) -> Iterator[str]:
    """Sentences on each pair's look, or on how many pairs have which decision."""
    pairs, table = at_look
    at = f"In {table.measure}, look {look.place + 1} of {len(look.sizes)} ({look.sizes[look.place]} topics)"
    if len(table.rows) <= MOST:
        for pair, row in zip(pairs, table.rows, strict=True):
            yield f"{at}: {_sentence(look, table.measure, pair, str(row['decision']), is_only=len(pairs) == 1)}"
        return
    decided = {
        word: [f"{row['run']} and {row['baseline']}" for row in table.rows if row["decision"] == word] for word in NEXT
    }
    counted = "; ".join(f"{len(some)} {word}: {first_names(some, MOST)}" for word, some in decided.items() if some)
    yield f"{at}, of {len(table.rows)} pairs {counted}."


def _sentence(look: Look, measure: str, row: Row, decision: str, *, is_only: bool) -> str:
    difference, p = number(row, "value"), number(row, "p_adjusted")
    told = p_text(p, "p" if is_only else "adjusted p")
    if decision == "stop":
        is_so = f"scores {directions(named(measure))[difference < 0]} than"
        lower, upper = number(row, "lower"), number(row, "upper")
        but = although(lower, upper, found=True, found_alone=True)
        what = f"{row['run']} {is_so} {row['baseline']}{but}; limits for all looks {amount(lower)} to {amount(upper)}"
        return f"{told} is at most {look.level:.2g}: stop, {what}."
    of_p = f"{told} is above {look.level:.2g}" if p == p else "there is no p"
    pair = f"{row['run']} from {row['baseline']}"
    if look.is_last:
        return f"{of_p}, and this is the last look: nothing tells {pair}."
    return f"{of_p}: nothing tells {pair} yet, go on to {look.sizes[look.place + 1]} topics."


def _sizes(look: Look) -> str:
    *others, last = map(str, look.sizes)
    return f"{', '.join(others)} and {last}" if others else last
