"""The public functions: each asks a command; `irci/__init__.pyi` tells their types to checkers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from irci.api.signatures import help_of, inputs_of, parameters_of, signature_of
from irci.base.names import nearest
from irci.system.work import between_kernels

if TYPE_CHECKING:
    from irci.output.report import Report

# Each with its command, the options that it always takes, and what it is about.
FUNCTIONS: dict[str, tuple[str, Mapping[str, Any], str]] = {
    "ap_ci": (
        "ap-ci", {},
        "How precise is each topic's average precision? `irci ap-ci`: the documents are resampled, topics and run stay fixed.",
    ),
    "score": ("ap-ci", {"resamples": 0}, "Scores alone, no interval: what `irci ap-ci -B 0` prints."),
    "compare": (
        "compare", {},
        """Is one run really better than another, on other topics too? `irci compare`: each run against the first, or
    `baseline`.""",
    ),
    "map_ci": (
        "map-ci", {},
        """How precise is a run's mean score, and is one run really better than another? `irci map-ci`.

    Documents, topics or both vary.""",
    ),
    "partition_anova": (
        "partition-anova", {},
        """Which systems differ, system-topic interaction counted? `irci partition-anova`: parts of the
    collection are replicates.

    `scores`: of the whole and of parts, a long frame with columns run, topic, measure, split, part and value.""",
    ),
    "stdap_ci": (
        "stdap-ci", {},
        """What mean score would a new sample of topics give, comparably across papers? `irci stdap-ci`: scores are
    standardised.

    `summaries`: published figures, {name: (mean, sd, n)}, or with the name of the reference fourth.""",
    ),
    "swap_error": (
        "swap-error", {},
        """How often does an experiment of this size order two systems wrongly? `irci swap-error`.

    Sets are of topics, or of query versions.""",
    ),
    "wcw": (
        "wcw", {},
        """How many topics does a difference take; how wide can an interval get? `irci wcw`.

    From runs or scores, for pairs of these; or from `variances`, {measure: variance}.""",
    ),
    "judges": (
        "judges", {},
        """How far do two sets of judgments agree, and would the runs rank differently? `irci judges`: each of
    `other_qrels` is compared with `qrels`; without runs, labels alone.""",
    ),
}  # fmt: skip


def _function(name: str) -> Callable[..., Report]:
    command, fixed, about = FUNCTIONS[name]
    signature = signature_of(command, fixed)

    def function(*args: Any, **options: Any) -> Report:
        refuse_unknown(name, options, signature.parameters)
        asked = {**signature.bind(*args, **options).arguments, **fixed}
        with between_kernels():
            from irci.api.answer import answer

            return answer(command, asked)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = help_of(command, about, fixed)
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    return function


# What other libraries call a keyword, by the letters it begins with.
ELSEWHERE = {"metric": "measures", "measure": "measures", "qrel": "qrels", "run": "runs"}


# Options of the command line whose place is taken by what a report can be asked for.
OF_REPORTS = {
    "plot": ".plot()", "format": ".to_text(form)", "output": ".to_text(form)", "layout": ".to_text(form, layout=...)",
    "digits": ".to_text(form, digits=...)", "explain": ".sentences and .explanation", "table": ".table(kind)",
}  # fmt: skip


def refuse_unknown(function: str, options: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    """Raise TypeError for a keyword that a function does not have, with the one that may be meant."""
    for name in options:
        if name not in known:
            meant = next((found for start, found in ELSEWHERE.items() if name.startswith(start)), None)
            if name in OF_REPORTS:
                raise TypeError(
                    f"{function}() has no keyword {name!r}: the report that it gives has {OF_REPORTS[name]}"
                )
            close = meant if meant in known else nearest(name, known)
            hint = f": is it {close}?" if close else f"; help(irci.{function}) lists them"
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def __getattr__(name: str) -> Any:
    if name not in FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _function(name))


HEAD = '''"""irci: how far can an information-retrieval evaluation be trusted? Made of the table of options by `make doc`."""

# fmt: off
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

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
    return f"\ndef {name}(\n" + "".join(f"    {each},\n" for each in (*lines, line)) + ") -> Report: ...\n"
