"""Given: what is asked of a command, as values of its options, of which some were given.

Here is the table of these options too, all rows under their headings in the order of the help; and measures of the names that
are given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from irci.base.choices import FORMATS, SOURCE_OF_NAME, SOURCES, SourceRow
from irci.base.errors import UsageError, logger
from irci.base.names import is_list
from irci.base.records import Record
from irci.options.commands import COMMANDS, STRUCTURED, Command, CommandUse
from irci.options.option import Option, either, holds
from irci.options.rows import comparing, designs, findings, limits, output, reading, replicating, scoring
from irci.options.types import BadValue

if TYPE_CHECKING:
    from irci.measures import Measure

HEADINGS: Mapping[str, tuple[Option, ...]] = {
    "What to score": scoring.ROWS,
    "Compare": (*comparing.ROWS, *findings.ROWS, *designs.ROWS),
    "Intervals": limits.ROWS,
    "Input": reading.ROWS,
    "Output": output.ROWS,
    "Replicating a paper": replicating.ROWS,
}


@cache
def options_of(command: str) -> Mapping[str, Option]:
    """The options of a command, by their names, in the order of the help; each knows its heading."""
    row = COMMANDS[command]
    found = {
        option.name: option._replace(heading=heading)
        for heading, rows in HEADINGS.items()
        for option in rows
        if row.rows in option.requests
    }
    if row.rows == command:
        return found
    left_out = [name for name, option in found.items() if not any(requests_with(command, option))]
    return {name: option for name, option in found.items() if name not in left_out}


def takes(command: str, option: Option, request: str) -> bool:
    """True if an option means something for a request; of sources of variation, whether that carries it."""
    rows = COMMANDS[command].rows
    named = option.requests[rows]
    if "carried" in named:
        return request in named or any(source.name == request and source.carries(option.name) for source in SOURCES)
    return option.suits(rows, request)


def requests_with(command: str, option: Option) -> Iterator[CommandUse]:
    """The requests of a command for which an option means something, each once."""
    seen = set()
    for request in COMMANDS[command].requests:
        if request.name not in seen and takes(command, option, request.name):
            seen.add(request.name)
            yield request


def is_for(command: str, option: Option) -> str:
    """The purpose of an option, in words: what asks for the requests that take it."""
    words = [request.words for request in requests_with(command, option) if request.words]
    beginning = words[0].rpartition(" ")[0]
    if len(words) > 1 and beginning and all(word.startswith(f"{beginning} ") for word in words):
        return f"{beginning} {either([each.removeprefix(f'{beginning} ') for each in words], 'and')}"
    return either(words)


OF_ALL_TREC = "rbp_resid is Moffat and Zobel's: trec_eval prints 0 for it where nothing retrieved lacks a judgment"
# Commas outside brackets and before a letter that begins no parameter: those of P.5,10 and rbp_p=.5,p=.8 are of one measure.
BETWEEN_MEASURES = r"\s*,\s*(?=[A-Za-z])(?!p=)(?![^(]*\))"


def measures_of(names: Sequence[str], command: str, chosen: Mapping[str, Any]) -> list[Measure]:
    """The measures of these names, each once, in the order in which they are given, or in trec_eval's order of output where
    lines are to be compared with its lines: ap-ci's, and all with those of single topics. A file of scores may hold any.
    `chosen`: the values of the options that are given."""
    if not names:
        return []
    from irci.measures import TABLE, together

    scores = "scores" in chosen
    measures = together(measure for name in _apart(names, scores=scores) for measure in _named(name, scores=scores))
    if command != "ap-ci" and not chosen.get("per_topic"):
        return measures
    place = {family.name: place for place, family in enumerate(TABLE)}
    most = len(place)
    return sorted(
        measures,
        key=lambda each: (place.get(each.family.name, most), each.parameter or 0, each.level or 0, each.canonical),
    )


def _apart(names: Iterable[str], *, scores: bool) -> Iterator[str]:
    """Each name by itself, of several with commas between them; in a file of scores such a text may be one name."""
    from irci.measures import is_measure

    for name in names:
        several = re.split(BETWEEN_MEASURES, name)
        yield from [name] if scores and not all(map(is_measure, several)) else several


def _named(name: str, *, scores: bool) -> Sequence[Measure]:
    from irci.measures import ALL_TREC, asked_for, named

    try:
        measures = asked_for(name)
    except ValueError as error:
        if scores:
            return [named(name)]
        raise BadValue(str(error)) from None
    if name == ALL_TREC:
        logger.warning(OF_ALL_TREC)
    return measures


Asked = TypeVar("Asked", bound=Record)

# Of options: what is printed besides the summary.
PRINTED = ("per_topic", "compare", "baseline", "all_pairs", "ranks", "best", "meta")


class MissingFiles(UsageError):
    """No files where there must be some."""


class Call(Record):
    """A request of a command, as words or from Python.

    `values`: of all its options and of `files`; `given`: the names of those that were given. `memory`: what of the files is no
    path, as a call from Python may have it. `line`: what was typed, but for how the result is written; "" where no receipts
    are wanted, and of a call.
    """

    command: Command
    values: Mapping[str, Any]
    given: frozenset[str]
    memory: Mapping[str, Any] = {}
    line: str = ""

    @classmethod
    def of(cls, command: str, chosen: Mapping[str, Any], memory: Mapping[str, Any], **defaults: Any) -> Call:
        """The values chosen; the others are those of the options' defaults, or of these.

        A command that is like another becomes that one, with what it always takes.
        """
        row = COMMANDS[command]
        chosen = _with_size_of_prediction(_with_folder(row.rows, chosen, memory))
        values = {name: default_of(option) for name, option in options_of(row.rows).items()} | defaults
        return cls(
            row._replace(name=row.rows, typed=command),
            {"files": (), **values, **chosen, **row.always, "runs": chosen.get("files", ())[1:]},
            frozenset(chosen),
            memory,
        )

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def option(self, name: str) -> Any:
        """The value of an option that only some commands have, or None."""
        return self.values.get(name)

    def has(self, name: str) -> bool:
        """True if an option was given."""
        return name in self.given

    @property
    def is_with_first(self) -> bool:
        """True if runs are compared with the first one."""
        return bool(self.option("compare") and not self["baseline"] and not self["all_pairs"])

    @property
    def has_every_column(self) -> bool:
        """True if the result is for programs, which have columns that people are not shown."""
        return not FORMATS[self["output_format"]].for_reading

    @property
    def has_receipts(self) -> bool:
        """True if the result is to say of which files it is, and how it was asked for."""
        return FORMATS[self["output_format"]].has_receipts

    def record(self, kind: type[Asked], **others: Any) -> Asked:
        """A record whose fields are options of the same names, but for those that are given here."""
        return kind(**{name: self[name] for name in kind._fields if name in self.values} | others)

    @cached_property
    def options(self) -> Mapping[str, Option]:
        """The options of the command."""
        return options_of(self.command.name)

    @cached_property
    def request(self) -> CommandUse:
        """The one of the several things that the command does that is asked for."""
        return next(request for request in self.command.requests if holds(self.values, request.asked))

    def facts(self, request: CommandUse) -> Mapping[str, Any]:
        """The facts that conditions look at: values, request, families of measures, and populations that rows are about."""
        families = tuple(each.family.name for each in self.option("measures") or ())
        facts = {**self.values, "request": request.name, "families": families}
        if self.command.name != "map-ci" or request.name not in SOURCE_OF_NAME:
            return facts
        source, asked = SOURCE_OF_NAME[request.name], self["population"] or ()
        words = asked if request.name == "means" and asked else source.words[: source.usual]
        reads_documents = request.name in ("means", "clusters") and not (self["scores"] or self["standardise"])
        survived = SOURCE_OF_NAME["means"].words if self["survives"] and reads_documents else ()
        return facts | {"over": (*words, *asked, *survived)}

    def spelling(self, name: str) -> str:
        """An option as its long name has it, with its value where that is the name; or the files."""
        if name == "files":
            return self.command.files.strip("[]")
        if name == "runs":
            return "RUN..."
        option = self.options[name]
        off = option.is_flag and self.option(name) is False and "/" in option.spelled
        return option.spelled.partition("/")[2] if off else option.spelling

    def require_files(self) -> None:
        """Raise MissingFiles if there are none, nor what makes them needless."""
        command = self.command
        if command.missing and not self["files"] and not holds(self.values, command.without or "files"):
            raise MissingFiles(command.missing)
        elsewhere = self.option("scores") or self.option("collections") or any(map(is_list, self["files"]))
        if command.files.startswith("QRELS BASELINE") and 0 < len(self["files"]) < 3 and not elsewhere:
            given, lacking = (
                ("QRELS", "BASELINE and RUN...") if len(self["files"]) < 2 else ("QRELS and BASELINE", "RUN...")
            )
            folder = next(
                (f"; the runs of {path}: {os.path.join(path, '*')}" for path in self["files"] if os.path.isdir(path)),
                "",
            )
            raise MissingFiles(f"only {given} given, {lacking} missing: {command.files} is the order{folder}.")

    def check(self, request: CommandUse | None = None) -> None:
        """Raise UsageError for an option that is given and has no effect; `request`: what turned out to be asked for,
        if that is not what it looked like."""
        command, request = self.command, request or self.request
        if self["files"] and request.alone:
            raise UsageError(request.refusal.format(command.files.strip("[]")))
        facts = self.facts(request)
        for condition, message in command.needs.items():
            if not holds(facts, condition):
                raise UsageError(message)
        for name in self._chosen():
            option, spelling = self.options[name], self.spelling(name)
            if not takes(command.name, option, request.name):
                if request.name in STRUCTURED and name in STRUCTURED:
                    raise UsageError(f"--{request.name} and {spelling} do not go together.")
                raise UsageError((request.refusal or f"{{}} is for {is_for(command.name, option)}.").format(spelling))
        if command.name == "map-ci" and request.name in SOURCE_OF_NAME:
            self._check_words(SOURCE_OF_NAME[request.name], request)
            if self.option("new_topics") and request.name != "means":
                size = self["new_topics"]
                raise UsageError(f"--interval prediction:{size} is not for {request.words}: leave out the number.")
        for name in self._chosen():
            option, spelling = self.options[name], self.spelling(name)
            for condition, message in option.needs.items():
                if not holds(facts, condition):
                    raise UsageError(message.format(spelling, **facts))
        prints = (*PRINTED, "save_scores", "save_factors")
        if self.option("no_summary") and command.name != "ap-ci" and not any(map(self.option, prints)):
            self._refuse_nothing()

    def _chosen(self) -> list[str]:
        return [name for name in self.values if name in self.given and name in self.options]

    def _check_words(self, source: SourceRow, request: CommandUse) -> None:
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
        """True if an option means something for what is asked for."""
        return takes(self.command.name, self.options[name], self.request.name)


def _with_folder(command: str, chosen: Mapping[str, Any], memory: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take a folder that is the only file for one of collections."""
    files = chosen.get("files", ())
    if (
        command != "map-ci"
        or "scores" in chosen
        or len(files) != 1
        or files[0] in memory
        or not os.path.isdir(files[0])
    ):
        return chosen
    return {**chosen, "collections": files[0], "files": ()}


def _is_of_mteb(folder: str) -> bool:
    """True of a folder with results as MTEB writes them, and without judgments of collections."""
    from irci.data.collection_files import qrels_in  # only for folders
    from irci.data.mteb_results import files_in

    return not qrels_in(folder) and bool(files_in(folder))


def with_scores(command: str, chosen: Mapping[str, Any], memory: Mapping[str, Any]) -> dict[str, Any]:
    """Take files for those of --scores where the first of them is a table of scores by its first line."""
    files = chosen.get("files", ())
    if not files or "scores" in chosen or files[0] in memory or "scores" not in options_of(command):
        return dict(chosen)
    if os.path.isdir(files[0]):
        return {**chosen, "scores": True} if len(files) == 1 and _is_of_mteb(files[0]) else dict(chosen)
    from irci.data.file_bytes import first_line

    line = first_line(files[0])
    is_of_qrels = len(line.split()) == 4 and line.split()[-1].lstrip("-").isdecimal()  # TREC's, as most are
    if is_of_qrels or not set(line) & set("\t;,"):
        return dict(chosen)
    from irci.data.guesses import is_of_scores  # only for these

    return {**chosen, "scores": True} if is_of_scores(line) else dict(chosen)


def _with_size_of_prediction(chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """Take the number of prediction:50 for the size of the sample that is predicted."""
    kind, _, number = str(chosen.get("interval", "")).partition(":")
    return {**chosen, "interval": kind, "new_topics": int(number)} if number else chosen


def default_of(option: Option) -> Any:
    """The value of an option that is not given."""
    if option.many:
        return ()
    if option.is_flag:
        return bool(option.default)
    return option.default() if callable(option.default) else option.default
