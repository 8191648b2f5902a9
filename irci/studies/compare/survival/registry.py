"""The other sources of variation that claims are asked about, a row each, in the order of columns and sentences."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from irci.base.choices import DOCUMENTS, JUDGMENTS
from irci.data.inputs import Inputs
from irci.studies.compare.family import Scored, Source
from irci.studies.compare.request import Request
from irci.studies.compare.survival.judgments import UnjudgedDocuments
from irci.studies.compare.survival.other_judges import AnotherJudge
from irci.studies.compare.survival.other_source import Documents, Grouped, OtherSource


class Asked(NamedTuple):
    """A source, or several of a kind, that claims may be asked about.

    `populations`: what of rankings is read for it, by the names of populations; `named`: what it is called among those that
    were not checked; `found`: the sources of this kind that a request asks about, of what was read; none if it was not given.
    """

    populations: tuple[str, ...]
    named: str
    found: Callable[[Request, Inputs, Scored], Sequence[OtherSource]]


def _of_engine(
    name: str, of: Callable[[Source], OtherSource]
) -> Callable[[Request, Inputs, Scored], list[OtherSource]]:
    return lambda request, inputs, scored: [of(source) for source in scored.sources if source.name == name]


def _grouped(name: str, in_words: str) -> Asked:
    """Row of a source that topics or runs make, by the option of the population's name."""
    return Asked((), in_words, _of_engine(name, lambda source: Grouped(source, in_words)))


def _documents(source: Source) -> OtherSource:
    return Documents(source, "documents")


def _judges(request: Request, inputs: Inputs, scored: Scored) -> Sequence[OtherSource]:
    return [AnotherJudge(judge, scored) for judge in scored.judges]


ROWS = (
    Asked((DOCUMENTS,), "other documents", _of_engine(DOCUMENTS, _documents)),
    Asked((JUDGMENTS,), "unjudged documents", _of_engine(JUDGMENTS, UnjudgedDocuments)),
    Asked((), "another judge", _judges),
    _grouped("clusters", "other clusters of topics"),
    _grouped("collections", "other collections"),
    _grouped("seeds", "other seeds"),
    _grouped("versions", "other wordings"),
)


def populations() -> tuple[str, ...]:
    """The populations that are read for other sources."""
    return tuple(name for row in ROWS for name in row.populations)


def sources_asked(request: Request, inputs: Inputs, scored: Scored) -> tuple[list[OtherSource], list[str]]:
    """The sources that are there, in order, and what those that are not are called."""
    found = [(row.named, row.found(request, inputs, scored)) for row in ROWS]
    return [source for _, some in found for source in some], [named for named, some in found if not some]
