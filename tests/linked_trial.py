"""Kernels to be linked: `python tests/linked_trial.py FOLDER EXPRESSION...` tells what each gives, and whether by numba."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

SOURCE = """
from typing import NamedTuple

import numpy as np

from irci.native.compiled import njit, uint64


class Split(NamedTuple):
    low: np.ndarray
    high: np.ndarray
    number: int


@njit(cache=True, nogil=True)
def refuse(number):
    if number < 0:
        raise ValueError("below zero")


@njit(cache=True, nogil=True)
def total(values, first):
    refuse(first)
    found = uint64(0) * 0.0
    for i in range(first, len(values)):
        found += values[i]
    return found


@njit(cache=True, nogil=True)
def split(values, at):
    return Split(values[values < at], values[values >= at].copy(), len(values))


@njit(cache=True, nogil=True)
def longest(parts):
    return max(len(parts.low), len(parts.high))


@njit(cache=True, nogil=True)
def wait(flag):
    count = 0
    while flag[0] == 0:
        count += 1
        if count > 1 << 40:
            break
    return True
"""


def load(folder: Path) -> Any:
    """The kernels as a module beside irci's own."""
    path = folder / "trial.py"
    if not path.exists():
        path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("irci.kernels.trial", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["irci.kernels.trial"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(value: Any) -> Any:
    """As json can tell it, with its types."""
    if hasattr(value, "_fields"):
        return [type(value).__name__, *map(plain, value)]
    return [str(value.dtype), value.tolist()] if hasattr(value, "dtype") else [type(value).__name__, value]


def main(folder: str, *expressions: str) -> None:
    """Print what each expression over the kernels gives, or its error."""
    from irci.system import process

    process.is_own = True
    import numpy as np

    trial = load(Path(folder))
    found = []
    for expression in expressions:
        try:
            found.append(plain(eval(expression, {"np": np, "sys": sys, **vars(trial)})))
        except Exception as error:
            found.append([type(error).__name__, str(error)])
    sys.stdout.write(json.dumps([found, "numba" in sys.modules]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
