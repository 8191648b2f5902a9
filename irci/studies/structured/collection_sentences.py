"""map-ci over several collections in plain words."""

from collections.abc import Iterator, Sequence

from irci.output.report import Report, Table
from irci.studies.structured.collected import CollectedRuns
from irci.studies.structured.settings import Settings


def sentences(of_all: Report, found: Sequence[Table], settings: Settings, everything: CollectedRuns) -> Iterator[str]:
    """What is shown over all collections, how single ones differ, and what each kind of row is for."""
    yield from of_all.sentences
