"""The stub of the package for type checkers and editors, of the functions' signatures."""

from __future__ import annotations

from irci.api.functions import FUNCTIONS
from irci.api.signatures import parameters_of

HEAD = '''"""irci: how far can an information-retrieval evaluation be trusted? Made of the table of options by `make doc`."""

# fmt: off
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from irci.base import choices
from irci.base.errors import DataError as DataError
from irci.base.errors import FormatError as FormatError
from irci.base.errors import IrciError as IrciError
from irci.base.errors import UsageError as UsageError
from irci.output.notebook import Drawing as Drawing
from irci.output.report import Report as Report
from irci.output.tables import Table as Table

__version__: str
__all__: list[str]

Value = TypeVar("Value")
Source: TypeAlias = Any
Path: TypeAlias = str | os.PathLike[str]
Several: TypeAlias = Value | Sequence[Value]
Measures: TypeAlias = Any
Topics: TypeAlias = Sequence[str] | Sequence[int] | Path
'''
INPUTS = "qrels: Source = None, runs: Source = None, *, scores: Source = None"


def stub() -> str:
    """The text of `irci/__init__.pyi`."""
    return HEAD + "".join(_declared(name) for name in FUNCTIONS)


def _declared(name: str) -> str:
    command, fixed, _ = FUNCTIONS[name]
    keywords = [f"{keyword}: {of} = {default!r}" for keyword, of, default in parameters_of(command, fixed)]
    lines, line = [INPUTS], ""
    for keyword in keywords:
        if line and len(line) + len(keyword) > 98:
            lines.append(line)
            line = ""
        line = f"{line}, {keyword}" if line else keyword
    return f"\ndef {name}(\n" + "".join(f"    {each},\n" for each in (*lines, line)) + ") -> Report: ...\n"
