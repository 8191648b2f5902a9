"""Asked: the value of every option of a command, and which were given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

from irci.base import choices
from irci.options.comparing import Compare, Replicating
from irci.options.option import Command, Option, Use
from irci.options.scoring import Input, Intervals, Output, WhatToScore

RecordType = TypeVar("RecordType")
OF_DOCUMENTS = {"documents", "both", "judgments"}


class Asked(WhatToScore, Compare, Intervals, Input, Output, Replicating):
    """The value of every option, None of those that the command does not have."""

    command: Command  # map-ci where compare was typed, which is it with a baseline
    options: Mapping[str, Option]  # of the command, by their names
    given: frozenset[str]  # the names of the options that were given, and "files"
    memory: Mapping[str, Any]  # what stands for files that are no paths, as a call from Python may have them
    files: tuple[str, ...]
    runs: tuple[str, ...]
    line: str = ""  # what was typed, but for how the result is written; "" of a call
    compare: bool = False
    adjusted_limits: bool = False  # of differences, for all pairs at once, in columns for programs
    new_topics: int | None = None  # of --interval prediction:N

    def __init__(self, values: Mapping[str, Any]) -> None:
        """`values`: by the names of the fields."""
        self.__dict__.update(values)

    def replaced(self, **values: Any) -> Asked:
        """The same with other values."""
        kept = {name: value for name, value in self.__dict__.items() if name not in ("use", "over")}
        return Asked({**kept, **values})

    def has(self, name: str) -> bool:
        """True if an option was given."""
        return name in self.given

    @cached_property
    def use(self) -> Use:
        """The one of the several uses of the command that is asked for."""
        *uses, usual = self.command.uses
        for use in uses:
            if use.when(self) if use.when is not None else getattr(self, use.name) is not None:
                return use
        return usual

    @cached_property
    def over_in_rows(self) -> Sequence[str]:
        """The populations that map-ci's rows are about."""
        if self.command.name != "map-ci" or self.use.name not in choices.SOURCES:
            return ()
        source, asked = choices.SOURCES[self.use.name], self.population or ()
        words = asked if self.use.name == "means" and asked else source.words[: source.usual]
        return (*words, *asked)

    @cached_property
    def over(self) -> Sequence[str]:
        """These, and those by which --survives tries differences."""
        reads_documents = self.use.name in ("means", "clusters", "passes") and not (self.scores or self.standardise)
        is_tried = self.command.name == "map-ci" and self.survives and reads_documents
        return (*self.over_in_rows, *(choices.SOURCES["means"].words if is_tried else ()))

    @property
    def has_pairs(self) -> bool:
        """True if runs are compared."""
        return bool(self.compare or self.baseline or self.all_pairs)

    @property
    def has_draws(self) -> bool:
        """True if documents, topics or signs are drawn at random (of map-ci)."""
        return bool(
            self.test in ("randomization", "wilcoxon")
            or self.correction == "maxt"
            or {"both", "documents"} & {*self.over}
            or self.meta
            or self.best
            or self.ranks
            or self.use.name == "validate"
        )

    @property
    def is_with_first(self) -> bool:
        """True if runs are compared with the first one."""
        return bool(self.compare and not self.baseline and not self.all_pairs)

    @property
    def is_wide(self) -> bool:
        """True if a paper's table is asked for, by name or by how it shows limits."""
        by_limits = self.layout is None and self.has("limits") and self.output_format in choices.OF_PAPERS
        return self.layout == "wide" or by_limits

    def record(self, kind: type[RecordType], **values: Any) -> RecordType:
        """A record whose fields are options of the same names, but for those that are given here."""
        own = {*self.options, *self.command.always, *self.given, "files"}
        return kind(**{name: getattr(self, name) for name in kind.__annotations__ if name in own} | values)

    def spelling(self, name: str) -> str:
        """The long name of an option."""
        return self.options[name].spelling

    @property
    def are_means_over_topics(self) -> bool:
        """True where nothing but scores of topics is asked of rankings: no limits over documents, no bounds, no parts."""
        is_of_scores = self.command.name in ("map-ci", "stdap-ci", "swap-error", "wcw") and self.validate is None
        return is_of_scores and not (OF_DOCUMENTS & {*self.over} or self.meta or self.survives)
