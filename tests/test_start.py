"""What a process loads before it works, which is most of a short command's time."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from command_lines import by_python
from scipy import special as package

from irci.system import special

TESTDATA = Path(__file__).parent.parent / "testdata"
ONE_RUN = [str(TESTDATA / "qrels.txt"), str(TESTDATA / "runs" / "bm25.run")]
WCW = ["wcw", "--variance", "AP=.0471", "--width", ".05,.1"]

TOLD_AT_THE_END = """
import atexit, json, os, sys
def tell(path):
    with open(path, "w") as file:
        json.dump({"modules": [*sys.modules], "threads": os.environ.get("OPENBLAS_NUM_THREADS")}, file)
atexit.register(tell, sys.argv.pop(1))
from irci.__main__ import main
main()
"""
ALONE = """
import sys
from irci.system import process, special
process.is_own = True
special.stdtrit
print(*sys.modules)
"""
# What a command loads of ours: no more modules than this, and none of these rooms or of other commands.
LOADED = {
    "help": (47, {"native", "kernels", "stats", "estimators", "comparison", "studies", "api"}, {"click"}),
    "wcw": (70, {"native", "kernels", "api"}, {"click", "numpy"}),
    "ap-ci": (110, {"api"}, {"click", "numpy"}),
}


def at_the_end(tmp_path: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    """The modules that a command has loaded, how many threads numpy's library was told to use, and what was printed."""
    path = tmp_path / "told.json"
    others = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith("_NUM_THREADS") and (not name.startswith("NUMBA_") or name == "NUMBA_CACHE_DIR")
    }
    done = by_python("-c", TOLD_AT_THE_END, path, *arguments, env=others | environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(path.read_text()) | {"printed": done.stdout}
    return found


@pytest.mark.parametrize(
    ("which", "arguments"), [("help", ["--help"]), ("wcw", WCW), ("ap-ci", ["ap-ci", "-B", "0", *ONE_RUN])], ids=LOADED
)
def test_commands_load_no_more_than_they_need(tmp_path: Path, which: str, arguments: list[str]) -> None:
    most, needless_rooms, theirs = LOADED[which]
    modules = at_the_end(tmp_path, *arguments)["modules"]
    ours = [name for name in modules if name.partition(".")[0] == "irci"]
    assert len(ours) <= most
    assert not {name.split(".")[1] for name in ours if "." in name} & needless_rooms
    others = {"ap_ci", "map_ci", "partition_anova", "stdap_ci", "swap_error", "wcw", "judges"} - {
        which.replace("-", "_")
    }
    inside = {part for name in ours for part in name.split(".")[2:] if name.split(".")[1] in ("estimators", "studies")}
    assert not inside & others
    assert not any(name.startswith(("irci.output.plots", "irci.output.page")) for name in ours)
    if which == "ap-ci" and "numba" in modules:  # without a library of kernels; numba loads much
        return
    assert {"click", "llvmlite", "numba", "numpy", "scipy", "tabulate", "tqdm"} & set(modules) == theirs
    needless = {"asyncio", "email", "matplotlib", "numpy.ma", "numpy.random", "pandas", "unittest"}
    needless |= {"click.shell_completion", "csv", "dataclasses", "numpy.typing", "shlex"}
    needless |= {"concurrent", "logging", "pathlib", "tempfile"}
    if found := needless & set(modules):  # an older numpy loads some of them itself, and a newer scipy's functions
        alone = by_python("-c", ALONE)
        assert found <= set(alone.stdout.split()), alone.stderr


def test_numpy_has_one_thread_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    assert at_the_end(tmp_path, "--version")["threads"] == "1"
    assert at_the_end(tmp_path, "--version", OPENBLAS_NUM_THREADS="3")["threads"] == "3"
    assert at_the_end(tmp_path, "--version", OMP_NUM_THREADS="2")["threads"] is None


FUNCTIONS = "bdtr chdtrc chdtri chndtr fdtrc fdtri gammaincinv gammaln log_ndtr nctdtr ncfdtr ndtr ndtri stdtr stdtrit"
SHORT = f"""
import sys
import irci.system.process
irci.system.process.is_own = True
from irci.system.special import {FUNCTIONS.replace(" ", ", ")}
assert not [name for name in sys.modules if name.startswith("scipy")]
import scipy.special, scipy.stats, scipy.linalg, scipy.optimize, scipy.special._ufuncs, scipy
for name in {FUNCTIONS.split()}:
    assert globals()[name] is getattr(scipy.special, name), name
assert scipy.stats.nct.cdf(1, 5, 0.4) == scipy.special.nctdtr(5, 0.4, 1)
assert scipy.optimize.curve_fit(lambda x, a: a * x, [1, 2], [2, 4])[0].round(9) == 2
assert scipy._lib and scipy.special._ufuncs.ndtr is ndtr
"""


@pytest.mark.check
def test_functions_are_scipys_and_the_package_is_whole_afterwards() -> None:
    by_python("-W", "error", "-c", SHORT).check_returncode()


def test_in_a_program_functions_come_from_the_package() -> None:
    """Whose threads may be importing it."""
    assert special.stdtrit is package.stdtrit
    with pytest.raises(AttributeError):
        special.there_is_no_such_function  # noqa: B018


@pytest.mark.check
@pytest.mark.parametrize("happens", ["raise ImportError", "return __import__('types').ModuleType('empty')"])
def test_another_scipy_inside_takes_the_package(happens: str) -> None:
    """Where the extension has another name, or has lost the function."""
    code = f"import irci.system.special\ndef other():\n    {happens}\nirci.system.special._extension = other\n"
    code += "import irci.system.process\nirci.system.process.is_own = True\n"
    code += "from irci.system.special import ndtr\nassert ndtr(0) == 0.5"
    by_python("-c", code).check_returncode()
