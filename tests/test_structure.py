"""Which way imports go, what has no place outside the command line or the kernels, and what a process loads."""

import ast
import json
import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command_lines import by_python
from figures import Package, circles, floors
from helpers import ROOT
from scipy import special as package

from irci.system import special

PACKAGE = ROOT / "irci"
PARTS = Package(ROOT)

# Each room may import those below it, but no other of its floor. See doc/design.md.
FLOORS = (
    ("base",), ("system", "wording"), ("native",), ("kernels",), ("stats",), ("measures",), ("data",), ("estimators",),
    ("output",), ("options",), ("comparison",), ("studies",), ("cli", "api"), ("__init__", "__main__"),
)  # fmt: skip
# Whom a room may not import although it lies below: output shows what it is given, and knows base and the machine.
SHOWN = {"native", "kernels", "stats", "measures", "data", "estimators"}
NOT = {"output": SHOWN, "options": SHOWN - {"measures", "data"}}
EXCEPT = {("native", "__init__"), ("cli", "__init__"), ("studies", "__init__")}  # the version


DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


@cache
def modules() -> dict[Path, list[ast.AST]]:
    """All nodes of every module of the package, itself first, by the first test that looks at them."""
    return {PARTS.paths[name]: nodes for name, nodes in PARTS.nodes.items()}


def part_of(module: str) -> str:
    """irci.kernels.scan -> kernels; irci -> __init__."""
    return "__init__" if module in ("irci", "irci.__version__") else module.split(".")[1]


def imports(nodes: Iterable[ast.AST]) -> set[str]:
    """The full names of imported modules."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found.update(f"irci.{alias.name}" if node.module == "irci" else str(node.module) for alias in node.names)
    return found


def names_called(nodes: Iterable[ast.AST]) -> set[str]:
    return {dotted(node.func) for node in nodes if isinstance(node, ast.Call)}


def dotted(node: ast.expr) -> str:
    """a.b of a name, or nothing of any other expression, which `ast.unparse` would take long to write."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def floor_of(room: str) -> int:
    return next(floor for floor, rooms in enumerate(FLOORS) if room in rooms)


def may_import(room: str, other: str, *, inside: bool) -> bool:
    """`inside`: whether the module lies in a folder, whose modules may import one another."""
    if room == other:
        return inside
    return (room, other) in EXCEPT or (floor_of(other) < floor_of(room) and other not in NOT.get(room, ()))


def test_imports_go_one_way() -> None:
    wrong = []
    for path, nodes in modules().items():
        room, *inside = path.relative_to(PACKAGE).with_suffix("").parts
        found = imports(nodes)
        ours = {part_of(name) for name in found if name.split(".")[0] == "irci"}
        wrong += [(path.name, each) for each in ours if not may_import(room, each, inside=bool(inside))]
        outside = {name.split(".")[0] for name in found}
        homes = {"click": room == "cli", "numba": room == "native", "matplotlib": inside[:1] == ["plots"]}
        wrong += [(path.name, package) for package, is_home in homes.items() if package in outside and not is_home]
    assert not wrong


def test_rooms_and_floors_are_few() -> None:
    assert len(PARTS.rooms) <= 17
    assert floors(PARTS.rooms) <= 12


def test_no_room_and_no_module_imports_itself_by_way_of_others() -> None:
    assert circles(PARTS.rooms) == circles(PARTS.modules) == []


def test_figures_of_a_graph() -> None:
    """d and e are one floor; so are b and c, which import each other."""
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"b", "e"}, "d": set(), "e": set()}
    assert circles(graph) == [["b", "c"]]
    assert floors(graph) == 3
    assert (circles(graph | {"c": {"e"}}), floors(graph | {"c": {"e"}})) == ([], 4)


def test_choices_import_nothing() -> None:
    assert imports(PARTS.nodes["irci.base.choices"]) <= sys.stdlib_module_names


def test_only_the_command_line_prints_or_exits() -> None:
    for path, nodes in modules().items():
        calls = names_called(nodes)
        assert not calls & {"print", "sys.exit", "exit", "quit"}, path
        assert "click.echo" not in calls or path.parent.name == "cli"


def test_no_network_no_pickle_no_eval() -> None:
    """Modules that talk to others, run strings or load objects have no place in the package; compiled kernels are programs."""
    banned = {"socket", "ssl", "http", "urllib", "requests", "pickle", "marshal", "shelve", "subprocess", "ctypes"}
    runs_or_loads = {"eval", "exec", "compile", "np.load", "numpy.load", "__import__"}
    for path, nodes in modules().items():
        ours = {
            "jit.py": {"pickle"},
            "compiled.py": {"pickle", "marshal"},
            "ahead.py": {"subprocess"},  # Python itself, to compile
        }
        known = ours.get(path.name, set())
        assert not {name.split(".")[0] for name in imports(nodes)} & banned - known, path
        assert not names_called(nodes) & runs_or_loads, path


def test_every_part_is_listed() -> None:
    found = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in modules()}
    assert found == {room for rooms in FLOORS for room in rooms}


def test_public_functions_say_what_they_do() -> None:
    for path, nodes in modules().items():
        tree = nodes[0]
        assert isinstance(tree, ast.Module)
        assert ast.get_docstring(tree), path
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                assert ast.get_docstring(node), f"{path}: {node.name}"
        if path.relative_to(PACKAGE).parts[0] not in ("kernels", "native"):  # where a change compiles everything again
            begins = [str(ast.get_docstring(each)) for each in nodes if isinstance(each, DOCUMENTED)]
            assert not [text for text in begins if text.startswith(("Of ", "Whether ", "What "))], path


def test_kernels_are_kept_by_all_that_they_are_made_of() -> None:
    """Their own decorator keeps them; its key is the content of two folders, outside of which they get nothing of ours but
    what annotations name."""
    for path, nodes in modules().items():
        if path.parent.name == "kernels":
            named = [node for node in nodes if isinstance(node, ast.ImportFrom)]
            from_elsewhere = {(node.module, alias.name) for node in named for alias in node.names}
            ours = imports(nodes) - {"irci.base.types"}
            assert {part_of(name) for name in ours if name.split(".")[0] == "irci"} <= {"kernels", "native"}
            assert {name for module, name in from_elsewhere if module == "irci.base.types"} <= {"Array"}, path
            assert not {("numba", "njit"), ("numba", "jit")} & from_elsewhere, path


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
from irci import system
system.is_own = True
system.special.stdtrit
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
    assert {"click", "llvmlite", "numba", "numpy", "scipy", "tqdm"} & set(modules) == theirs
    needless = {"asyncio", "email", "matplotlib", "numpy.ma", "numpy.random", "pandas", "unittest"}
    needless |= {"click.shell_completion", "csv", "dataclasses", "numpy.typing"}
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
import irci.system
irci.system.is_own = True
for name in {FUNCTIONS.split()}:
    globals()[name] = getattr(irci.system.special, name)
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
    code = f"import irci.system\ndef other():\n    {happens}\nirci.system._extension = other\n"
    code += "irci.system.is_own = True\n"
    code += "assert irci.system.special.ndtr(0) == 0.5"
    by_python("-c", code).check_returncode()
