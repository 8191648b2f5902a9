"""What is asked of a command: the values of its options, and which of them were given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, TypeVar

from irci.base.choices import SOURCE_OF_NAME, SOURCES, Source
from irci.base.errors import UsageError
from irci.options.commands import COMMANDS, STRUCTURED, Command, Request
from irci.options.option import Option, either, holds
from irci.options.table import is_for, options_of, takes

Record = TypeVar("Record")

# Of options: what is printed besides the summary, or saved.
PRINTED = ("per_topic", "compare", "baseline", "all_pairs", "ranks", "meta")
SAVED = ("save_scores", "save_factors")


class MissingFiles(UsageError):
    """No files where there must be some."""


@dataclass(frozen=True)
class Given:
    """What is asked of a command, as words or from Python.

    `values`: of all its options and of `files`; `given`: the names of those that were given. `memory`: what of the files is no
    path, as a call from Python may have it.
    """

    command: Command
    values: Mapping[str, Any]
    given: frozenset[str]
    memory: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, command: str, chosen: Mapping[str, Any], memory: Mapping[str, Any], **defaults: Any) -> Given:
        """The values chosen; the others are those of the options' defaults, or of these."""
        values = {name: default_of(option) for name, option in options_of(command).items()} | defaults
        return cls(COMMANDS[command], {"files": (), **values, **chosen}, frozenset(chosen), memory)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def option(self, name: str) -> Any:
        """The value of an option that only some commands have, or None."""
        return self.values.get(name)

    def has(self, name: str) -> bool:
        """Whether an option was given."""
        return name in self.given

    def record(self, kind: Callable[..., Record], **others: Any) -> Record:
        """A record whose fields are options of the same names, but for those that are given here."""
        names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
        return kind(**{name: self[name] for name in names if name in self.values} | others)

    @cached_property
    def options(self) -> Mapping[str, Option]:
        """The options of the command."""
        return options_of(self.command.name)

    @cached_property
    def request(self) -> Request:
        """What of the several things that the command does is asked for."""
        return next(request for request in self.command.requests if holds(self.values, request.asked))

    def facts(self, request: Request) -> Mapping[str, Any]:
        """What conditions look at: the values, the request, the measures' families, and populations that rows are about."""
        families = tuple(each.family.name for each in self.option("measures") or ())
        facts = {**self.values, "request": request.name, "families": families}
        if self.command.name != "map-ci" or request.name not in SOURCE_OF_NAME:
            return facts
        source, asked = SOURCE_OF_NAME[request.name], self["population"] or ()
        words = source.words[: source.usual]
        if request.name == "means":
            words = asked or (("topics",) if self["scores"] or self["standardise"] else words)
        return facts | {"over": (*words, *asked)}

    def spelling(self, name: str) -> str:
        """An option as its long name has it, with its value where that is the name; or the files."""
        if name == "files":
            return self.command.files.strip("[]")
        option = self.options[name]
        off = option.is_flag and self.option(name) is False and "/" in option.spelled
        return option.spelled.partition("/")[2] if off else option.spelling

    def require_files(self) -> None:
        """Raise MissingFiles if there are none, nor what makes them needless."""
        command = self.command
        if command.missing and not self["files"] and not holds(self.values, command.without or "files"):
            raise MissingFiles(command.missing)

    def check(self, request: Request | None = None) -> None:
        """Raise UsageError for an option that is given and has no effect; `request`: what turned out to be asked for,
        if that is not what it looked like."""
        command, request = self.command, request or self.request
        if self["files"] and request.alone:
            raise UsageError(request.refusal.format(command.files.strip("[]")))
        facts = self.facts(request)
        for name in self._chosen():
            option, spelling = self.options[name], self.spelling(name)
            if not takes(command.name, option, request.name):
                if request.name in STRUCTURED and name in STRUCTURED:
                    raise UsageError(f"--{request.name} and {spelling} do not go together.")
                raise UsageError((request.refusal or f"{{}} is for {is_for(command.name, option)}.").format(spelling))
        if command.name == "map-ci" and request.name in SOURCE_OF_NAME:
            self._check_words(SOURCE_OF_NAME[request.name], request)
        for name in self._chosen():
            option, spelling = self.options[name], self.spelling(name)
            for condition, message in option.needs.items():
                if not holds(facts, condition):
                    raise UsageError(message.format(spelling, **facts))
        if self.option("no_summary") and not any(self.option(name) for name in (*PRINTED, *SAVED)):
            self._refuse_nothing()

    def _chosen(self) -> list[str]:
        return [name for name in self.values if name in self.given and name in self.options]

    def _check_words(self, source: Source, request: Request) -> None:
        for name, words in source.takes().items():
            given = self[name] if isinstance(self[name], tuple) else (self[name],)
            others = [value for value in given if value not in words]
            if not self.has(name) or not others:
                continue
            value = others[0]
            if name == "population" and source.name == "means":
                asker = next(other.asked_by for other in SOURCES if value in other.words)
                raise UsageError(f"--population {value} is for --{asker}.")
            choose = f": use {either(words)}" if words else ""
            raise UsageError(f"{self.spelling(name)} {value} is not for {request.words}{choose}.")

    def _refuse_nothing(self) -> None:
        names = [name for name in PRINTED if name in self.options and self.takes(name)]
        *others, last = ("-q" if name == "per_topic" else self.spelling(name) for name in names)
        asks = f"{', '.join(others)} or {last}" if others else last
        raise UsageError(f"-n alone leaves nothing to print: add {asks}.")

    def takes(self, name: str) -> bool:
        """Whether an option means something for what is asked for."""
        return takes(self.command.name, self.options[name], self.request.name)


def default_of(option: Option) -> Any:
    """The value of an option that is not given."""
    if option.many:
        return ()
    if option.is_flag and option.name != "progress":
        return bool(option.default)
    return option.default() if callable(option.default) else option.default
