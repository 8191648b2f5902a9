"""What a process loads before it works, which is most of a short command's time."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import special as package
from scipy.stats import false_discovery_control

from irci import special
from irci.cli.group import main
from irci.stats.tests import adjusted

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
COMMAND_LINE = (
    "irci irci.__main__ irci.choices irci.cli irci.cli.command irci.cli.console irci.cli.group irci.cli.help irci.cli.options"
    " irci.cli.parameters irci.cli.signals irci.cli.standard_streams irci.cli.tables irci.data irci.data.names"
    " irci.data.numerals irci.errors irci.interrupts irci.output irci.output.kinds irci.process irci.temporaries irci.threads"
)
OF_WCW = (
    "irci.cli.judge irci.cli.layout irci.cli.outputs irci.cli.rules irci.cli.structured irci.cli.wcw irci.cli.writing"
    " irci.methods irci.methods.wcw irci.output.arranged irci.output.files irci.output.formats irci.output.meanings"
    " irci.output.report irci.stats irci.stats.intervals"
    " irci.stats.noncentral irci.stats.power irci.stats.scales irci.studies irci.studies.wcw irci.studies.wcw.designs"
    " irci.studies.wcw.settings irci.studies.wcw.study irci.types"
    " irci.special"
)
OF_AP_CI = (
    "irci.bootstrap irci.bootstrap.documents irci.bootstrap.plans irci.cli.ap_ci irci.cli.layout irci.cli.outputs"
    " irci.cli.unjudged irci.cli.validation irci.cli.writing irci.data.collection irci.data.docnos"
    " irci.data.experiment irci.data.headers irci.data.in_memory irci.data.measures irci.data.measures.lists"
    " irci.data.measures.measure irci.data.measures.names irci.data.measures.scorers irci.data.measures.table"
    " irci.data.mistaken irci.data.notices irci.data.score_formats irci.data.scores irci.data.text_files"
    " irci.data.topics irci.data.trec_files irci.kernels irci.kernels.compiled irci.kernels.corpus_bootstrap"
    " irci.kernels.decimals irci.kernels.gains irci.kernels.generator irci.kernels.hashing irci.kernels.influence"
    " irci.kernels.kinds irci.kernels.linking irci.kernels.measures irci.kernels.objects irci.kernels.ordering"
    " irci.kernels.poisson_tables irci.kernels.ranking irci.kernels.resampled_rankings irci.kernels.scan"
    " irci.kernels.shapes irci.kernels.store irci.kernels.words irci.memory irci.methods irci.methods.ap_ci"
    " irci.output.arranged irci.output.files irci.output.formats irci.output.meanings irci.output.report irci.stats"
    " irci.stats.intervals irci.stats.scales irci.stats.small_r irci.stats.standardisation irci.streams irci.studies"
    " irci.studies.ap_ci irci.studies.in_words irci.studies.limits irci.types"
)


def at_the_end(tmp_path: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    """The modules that a command has loaded, how many threads numpy's library was told to use, and what was printed."""
    path = tmp_path / "told.json"
    command = [sys.executable, "-c", TOLD_AT_THE_END, str(path), *arguments]
    others = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith("_NUM_THREADS") and (not name.startswith("NUMBA_") or name == "NUMBA_CACHE_DIR")
    }
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=others | environment)
    found: dict[str, Any] = json.loads(path.read_text()) | {"printed": done.stdout}
    return found


def warm(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    """The same with all kernels compiled."""
    first = at_the_end(tmp_path, *arguments)
    return at_the_end(tmp_path, *arguments) if "numba" in first["modules"] else first


@pytest.mark.parametrize(
    ("arguments", "ours", "theirs"),
    [
        (["--help"], COMMAND_LINE, {"click"}),
        (WCW, f"{COMMAND_LINE} {OF_WCW}", {"click", "numpy"}),
        (["ap-ci", *ONE_RUN], f"{COMMAND_LINE} {OF_AP_CI}", {"click", "llvmlite", "numpy"}),
    ],
    ids=["help", "wcw", "ap-ci"],
)
def test_commands_load_no_more_than_they_need(
    tmp_path: Path, arguments: list[str], ours: str, theirs: set[str]
) -> None:
    modules = warm(tmp_path, *arguments)["modules"]
    of_commands = {name for name in modules if name.startswith("irci.cli.") and arguments == ["--help"]}
    assert {name for name in modules if name.partition(".")[0] == "irci"} - of_commands == set(
        ours.split()
    ) - of_commands
    assert {"click", "llvmlite", "numba", "numpy", "scipy", "tabulate", "tqdm"} & set(modules) == theirs
    needless = {"asyncio", "email", "matplotlib", "numpy.ma", "numpy.random", "pandas", "unittest"}
    if found := needless & set(modules):  # an older numpy loads some of them itself
        alone = subprocess.run(
            [sys.executable, "-c", "import numpy, sys; print(*sys.modules)"], capture_output=True, text=True
        )
        assert found <= set(alone.stdout.split())
    # What llvmlite loads.
    assert "tempfile" not in modules or "llvmlite" in theirs


SMALL = [str(TESTDATA / "qrels.txt"), *(str(TESTDATA / "runs" / f"{name}.run") for name in ("bm25", "dense", "hybrid"))]


@pytest.mark.parametrize(
    "arguments",
    [
        ["ap-ci", *ONE_RUN],
        ["map-ci", *ONE_RUN],
        ["map-ci", "--all-pairs", "--ranks", *SMALL],
        ["partition-anova", *SMALL],
        ["stdap-ci", *SMALL],
        ["swap-error", *SMALL],
        ["wcw", *SMALL],
    ],
    ids=lambda arguments: " ".join(each for each in arguments if "/" not in each),
)
def test_a_second_run_loads_no_numba(tmp_path: Path, arguments: list[str]) -> None:
    """And prints the same."""
    second = warm(tmp_path, *arguments)
    assert not [name for name in second["modules"] if name.partition(".")[0] == "numba"]
    assert CliRunner().invoke(main, arguments).stdout == second["printed"]


def test_numpy_has_one_thread_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    assert at_the_end(tmp_path, "--version")["threads"] == "1"
    assert at_the_end(tmp_path, "--version", OPENBLAS_NUM_THREADS="3")["threads"] == "3"
    assert at_the_end(tmp_path, "--version", OMP_NUM_THREADS="2")["threads"] is None


FUNCTIONS = "bdtr chdtrc chdtri chndtr fdtrc fdtri gammaincinv gammaln log_ndtr nctdtr ncfdtr ndtr ndtri stdtr stdtrit"
SHORT = f"""
import sys
import irci.process
irci.process.is_own = True
from irci.special import {FUNCTIONS.replace(" ", ", ")}
assert not [name for name in sys.modules if name.startswith("scipy")]
import scipy.special, scipy.stats, scipy.linalg, scipy.optimize, scipy.special._ufuncs, scipy
for name in {FUNCTIONS.split()}:
    assert globals()[name] is getattr(scipy.special, name), name
assert scipy.stats.nct.cdf(1, 5, 0.4) == scipy.special.nctdtr(5, 0.4, 1)
assert scipy.optimize.curve_fit(lambda x, a: a * x, [1, 2], [2, 4])[0].round(9) == 2
assert scipy._lib and scipy.special._ufuncs.ndtr is ndtr
"""


def test_functions_are_scipys_and_the_package_is_whole_afterwards() -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", SHORT], check=True)


def test_in_a_program_functions_come_from_the_package() -> None:
    """Whose threads may be importing it."""
    assert special.stdtrit is package.stdtrit
    with pytest.raises(AttributeError):
        special.there_is_no_such_function  # noqa: B018


@pytest.mark.parametrize("happens", ["raise ImportError", "return __import__('types').ModuleType('empty')"])
def test_another_scipy_inside_takes_the_package(happens: str) -> None:
    """Where the extension has another name, or has lost the function."""
    code = f"import irci.special\ndef other():\n    {happens}\nirci.special._extension = other\n"
    code += "import irci.process\nirci.process.is_own = True\nfrom irci.special import ndtr\nassert ndtr(0) == 0.5"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("size", [0, 1, 2, 9, 400])
def test_benjamini_hochberg_against_scipy(size: int) -> None:
    """To the last bit, and with ties."""
    p = np.random.default_rng(size).uniform(0, 1, size) ** 3
    p[size // 2 :] = p[size // 2 :].round(1)
    assert adjusted(p, "bh").tobytes() == (false_discovery_control(p) if size else p).tobytes()
