"""What was asked, for a page: the question, the line to type again, whom to cite, and what has been warned of."""

from __future__ import annotations

import re
import shlex

import click

import irci
from irci.base.errors import OBEYED
from irci.cli.command import TYPED
from irci.cli.console import WARNINGS
from irci.options.citations import bibtex
from irci.options.given import Given
from irci.output.page import Request


def asked(given: Given) -> Request:
    """Of this command."""
    meta, command = click.get_current_context().meta, given.command
    return Request(
        question=command.question,
        line=shlex.join(["irci", command.name]) + "".join(f" {quoted(word)}" for word in meta[TYPED]),
        citations=bibtex(command.name, given.values, irci.__version__),
        warnings=tuple(meta[WARNINGS]),
    )


def quoted(word: str) -> str:
    """A word as a shell takes it; what cannot be shown, and bytes that are no UTF-8, as escapes of bash."""
    if not OBEYED.search(word) and word.isprintable():
        return shlex.quote(word)
    escapes = re.sub(r"[\\']", r"\\\g<0>", word)
    return "$'" + "".join(letter if letter.isprintable() else _as_bytes(letter) for letter in escapes) + "'"


def _as_bytes(letter: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))
