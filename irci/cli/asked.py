"""What was asked, for a page: the question, the line to type again, whom to cite, and what has been warned of."""

from __future__ import annotations

import re
import shlex

import irci
from irci.base.errors import OBEYED
from irci.cli.command import TYPED, Given
from irci.cli.console import WARNINGS
from irci.output.page import Request
from irci.studies.citations import bibtex


def asked(given: Given) -> Request:
    """Of this command."""
    context, command = given.context, given.context.command
    return Request(
        question=command.get_short_help_str(limit=1000),
        line=shlex.join(["irci", str(command.name)]) + "".join(f" {quoted(word)}" for word in context.meta[TYPED]),
        citations=bibtex(str(command.name), context.params, irci.__version__),
        warnings=tuple(context.meta[WARNINGS]),
    )


def quoted(word: str) -> str:
    """A word as a shell takes it; what cannot be shown, and bytes that are no UTF-8, as escapes of bash."""
    if not OBEYED.search(word) and word.isprintable():
        return shlex.quote(word)
    escapes = re.sub(r"[\\']", r"\\\g<0>", word)
    return "$'" + "".join(letter if letter.isprintable() else _as_bytes(letter) for letter in escapes) + "'"


def _as_bytes(letter: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))
