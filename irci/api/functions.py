"""The public functions: each asks a command; `irci/__init__.pyi` tells their types to checkers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from irci.api.signatures import help_of, inputs_of, parameters_of, signature_of
from irci.system import between_kernels

if TYPE_CHECKING:
    from irci.output.report import Report

SCORE: Mapping[str, Any] = {"resamples": 0}  # the options that `score` always takes
# Each function with its command, those options, and what help says besides the question of the command.
FUNCTIONS: dict[str, tuple[str, Mapping[str, Any], str]] = {
    "ap_ci": ("ap-ci", {}, "The documents are resampled, topics and run stay fixed."),
    "score": ("ap-ci", SCORE, "The scores alone, without intervals: what `irci ap-ci -B 0` prints."),
    "compare": ("compare", {}, "Each run is compared with the first, or with `baseline`."),
    "map_ci": ("map-ci", {}, "Documents, topics or both vary."),
    "partition_anova": ("partition-anova", {}, "Parts of the documents are replicates, or versions of the topics."),
    "stdap_ci": (
        "stdap-ci", {},
        "`summaries`: published figures, {name: (mean, sd, n)}, or with the name of the reference fourth.",
    ),
    "swap_error": ("swap-error", {}, "Sets are of topics, or of query versions."),
    "wcw": ("wcw", {}, "From runs or scores, for pairs of these; or from `variances`, {measure: variance}."),
    "judges": ("judges", {}, "Each of `other_qrels` is compared with `qrels`; without runs, labels alone."),
}  # fmt: skip


def _function(name: str) -> Callable[..., Report]:
    command, fixed, note = FUNCTIONS[name]
    signature = signature_of(command, fixed)

    def function(*args: Any, **options: Any) -> Report:
        keywords = {**signature.bind(*args, **options).arguments, **fixed}
        with between_kernels():
            from irci.api.answer import answer

            return answer(command, keywords)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = help_of(command, note, fixed)
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__ = {keyword.name: keyword.annotation for keyword in signature.parameters.values()}
    return function


def __getattr__(name: str) -> Any:
    if name not in FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _function(name))


HEAD = '''"""irci: how far can an information-retrieval evaluation be trusted? Made of the table of options by `make doc`."""

# fmt: off
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar

from irci.base import DataError as DataError
from irci.base import FormatError as FormatError
from irci.base import IrciError as IrciError
from irci.base import UsageError as UsageError
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
Groups: TypeAlias = Path | Mapping[Any, Any] | Any
'''


def stub() -> str:
    """The text of `irci/__init__.pyi`."""
    return HEAD + "".join(_declared(name) for name in FUNCTIONS)


def _declared(name: str) -> str:
    command, fixed, _ = FUNCTIONS[name]
    keywords = [f"{keyword}: {of} = {default!r}" for keyword, of, default in parameters_of(command, fixed)]
    scores = ", scores: Source = None" * ("scores" in inputs_of(command))
    lines, line = [f"qrels: Source = None, runs: Source = None, *{scores}"], ""
    for keyword in keywords:
        if line and len(line) + len(keyword) > 98:
            lines.append(line)
            line = ""
        line = f"{line}, {keyword}" if line else keyword
    return f"\ndef {name}(\n" + "".join(f"    {part},\n" for part in (*lines, line)) + ") -> Report: ...\n"
