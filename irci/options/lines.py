"""Lines that ask again for a result: words of options as they are typed, quoted as a shell takes them, and read again."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from irci.base.errors import UsageError
from irci.base.names import OBEYED, raw, text
from irci.options.files import STANDARD_STREAM
from irci.options.rows import options_of

ESCAPED = r"\$'((?:[^'\\]|\\.)*)'"
WORD = re.compile(rf"\s*(?:{ESCAPED}(?!\S)|((?:'[^']*'|\"[^\"]*\"|\\.|[^\s'\"\\])+))")
ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|.)")


def line_of(command: str, typed: Mapping[str, Any], files: Sequence[str]) -> str:
    """The line that asks for a result by what was typed: options by their names, in the order of the help and without those
    of how a result is written, then files."""
    words = [
        word
        for name, option in options_of(command).items()
        if name in typed and option.is_of_result
        for word in option.words(typed[name])
    ]
    words += ["--"] if any(file.startswith("-") and file != STANDARD_STREAM for file in files) else []
    return " ".join(["irci", command, *map(quoted, (*words, *files))])


def quoted(word: str) -> str:
    """A word as a shell takes it; what cannot be shown, and bytes that are no UTF-8, as escapes of bash."""
    if not re.search(OBEYED, word) and word.isprintable():
        return shlex.quote(word)
    letters = re.sub(r"[\\']", r"\\\g<0>", word)
    escaped = (
        letter if letter.isprintable() else "".join(f"\\x{byte:02x}" for byte in raw(letter)) for letter in letters
    )
    return f"$'{''.join(escaped)}'"


def words_of(line: str) -> list[str]:
    """The words behind `irci` of a line. Raises UsageError for what is none."""
    words, start = [], 0
    while match := WORD.match(line, start):
        words += [_unescaped(match[1])] if match[1] is not None else shlex.split(match[2])
        start = match.end()
    if line[start:].strip() or words[:1] != ["irci"] or len(words) == 1 or any("\0" in word for word in words):
        raise UsageError("this is no line of irci")
    return words[1:]


def _unescaped(word: str) -> str:
    # What `quoted` made of: bytes by their numbers, and letters that stand for themselves.
    parts = ESCAPE.split(word)
    ends = (bytes([int(escape[1:], 16)]) if len(escape) == len("x00") else raw(escape) for escape in parts[1::2])
    return text(b"".join(part for pair in zip(map(raw, parts[::2]), (*ends, b""), strict=True) for part in pair))
