"""Refusals: of a call without files, and of options that have no effect in what is asked."""

import os

from irci.base.choices import SOURCE_OF_NAME, SOURCES
from irci.base.errors import UsageError
from irci.base.names import either, is_list
from irci.options.asked import PRINTED, STRUCTURED, Asked, Command, Option, Use


class MissingFiles(UsageError):
    """No files where there must be some."""


def require_files(asked: Asked) -> None:
    """Raise MissingFiles if there are none, nor what makes them needless."""
    command, files = asked.command, asked.files
    if command.missing and not files and not command.without(asked):
        raise MissingFiles(command.missing)
    is_elsewhere = asked.scores or asked.collections or any(map(is_list, files))
    if command.files.startswith("QRELS BASELINE") and 0 < len(files) < 3 and not is_elsewhere:
        there_are, lacking = ("QRELS", "BASELINE and RUN...") if len(files) < 2 else ("QRELS and BASELINE", "RUN...")
        folders = [path for path in files if os.path.isdir(path)]
        hint = f"; the runs of {folders[0]}: {os.path.join(folders[0], '*')}" if folders else ""
        raise MissingFiles(f"only {there_are} given, {lacking} missing: {command.files} is the order{hint}.")


def check(asked: Asked, use: Use | None = None) -> None:
    """Raise UsageError for an option that is given and has no effect.

    use: what turned out to be asked for, if that is not what it looked like
    """
    if use is not None and use is not asked.use:
        other = asked.replaced()
        other.__dict__["use"] = use
        check(other)
        return
    command, use = asked.command, asked.use
    if asked.files and use.alone:
        raise UsageError(use.refusal.format(command.files.strip("[]")))
    for holds, message in command.needs:
        if not holds(asked):
            raise UsageError(message)
    requested = [name for name in asked.options if name in asked.given]
    for name in requested:
        _check_taken(asked, name)
    if command.name == "map-ci" and use.name in SOURCE_OF_NAME:
        _check_words(asked)
    for name in requested:
        for holds, message in asked.options[name].needs:
            if not holds(asked):
                raise UsageError(message.format(asked.spelling(name), asked=asked))
    is_printed = any(getattr(asked, name) for name in (*PRINTED, "save_scores", "save_factors"))
    if asked.no_summary and command.name != "ap-ci" and not is_printed:
        names = [name for name in PRINTED if name in asked.options and asked.options[name].suits(command, use.name)]
        options = either(["-q" if name == "per_topic" else asked.spelling(name) for name in names])
        raise UsageError(f"-n alone leaves nothing to print: add {options}.")


def _check_taken(asked: Asked, name: str) -> None:
    command, use, option = asked.command, asked.use, asked.options[name]
    if option.suits(command, use.name):
        return
    if use.name in STRUCTURED and name in STRUCTURED:
        raise UsageError(f"--{use.name} and {option.spelling} do not go together.")
    raise UsageError((use.refusal or f"{{}} is for {_purpose(command, option)}.").format(option.spelling))


def _check_words(asked: Asked) -> None:
    """Refuse words that the source of variation does not take."""
    source = SOURCE_OF_NAME[asked.use.name]
    for name, words in source.takes().items():
        value = getattr(asked, name)
        refused = [word for word in (value if isinstance(value, tuple) else (value,)) if word not in words]
        if not asked.has(name) or not refused:
            continue
        if name == "population" and source.name == "means":
            asked_by = next(other.asked_by for other in SOURCES if refused[0] in other.words)
            raise UsageError(f"--population {refused[0]} is for --{asked_by}.")
        hint = f": use {either(words)}" if words else ""
        raise UsageError(f"{asked.spelling(name)} {refused[0]} is not for {asked.use.words}{hint}.")
    if asked.new_topics and asked.use.name != "means":
        raise UsageError(
            f"--interval prediction:{asked.new_topics} is not for {asked.use.words}: leave out the number."
        )


def _purpose(command: Command, option: Option) -> str:
    """The words that ask for the uses that take an option."""
    words = list(dict.fromkeys(use.words for use in command.uses if use.words and option.suits(command, use.name)))
    beginning = words[0].rpartition(" ")[0]
    if len(words) > 1 and beginning and all(word.startswith(f"{beginning} ") for word in words):
        return f"{beginning} {either([word.removeprefix(f'{beginning} ') for word in words], 'and')}"
    return either(words)
