"""Figures of the structure of irci: python tests/figures.py [CHECKOUT]

They come from the import graph and `ast`, and from two commands run in the CHECKOUT (this one unless told) by this Python.
A room is a folder or a module directly in irci/; a floor is a step of the longest chain of rooms that import one another; a
circle is a set of rooms, or of modules, each of which imports each other one, directly or not. The version, which all may
name (`from irci import __version__`), is left out. A command enters a file by calling a function of it; what
runs as it is imported does not count.
"""

import ast
import os
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPARISON = (
    "compare", "--quiet", "testdata/qrels.txt", "testdata/runs/bm25.run", "testdata/runs/hybrid.run"
)  # fmt: skip
PAGE = (*COMPARISON, "--format", "html")
LARGEST = 5
VAGUE = {
    "found", "each", "place", "some", "told", "known", "given", "there", "which", "what", "others", "shown", "chosen", "every",
}  # fmt: skip
# Prints what users see of a checkout: options (hidden ones too), a command and in all, kinds of tables, and columns.
SURFACE = """
from irci.options.commands import COMMANDS
from irci.options.rows import options_of
from irci.output.tables import KINDS
options = {command: options_of(command) for command in COMMANDS}
spelled = {option.spelling for of_command in options.values() for option in of_command.values()}
print("options", len(spelled - {"--complete"}))  # which trec_eval's users type, and nobody reads of
print("kinds", len(KINDS))
print("columns", len({column for kind in KINDS.values() for column in kind.columns}))
for command, of_command in options.items():
    print(command, len({option.spelling for option in of_command.values()} - {"--complete"}))
"""
# Runs a command, and tells on standard error the files whose functions it calls.
ENTERED = """
import atexit, sys, threading
import irci
files, loading = set(), threading.local()
package = irci.__file__.removesuffix("__init__.py")
def note(frame, event, _):
    code = frame.f_code
    if code.co_filename.startswith(package):
        if code.co_name == "<module>":
            loading.depth = getattr(loading, "depth", 0) + {"call": 1, "return": -1}.get(event, 0)
        elif event == "call" and code.co_flags & 1 and not getattr(loading, "depth", 0):  # 1: no body of a class
            files.add(code.co_filename.removeprefix(package))
from irci.__main__ import main
atexit.register(lambda: print(*sorted(files), sep="\\n", file=sys.stderr))
threading.setprofile(note)
sys.setprofile(note)
main()
"""

Graph = Mapping[str, set[str]]


def nodes_at_run_time(tree: ast.AST) -> list[ast.AST]:
    """A node and all below it, without the bodies of `if TYPE_CHECKING`."""
    nodes = [tree]
    for node in nodes:
        if not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            nodes.extend(ast.iter_child_nodes(node))
    return nodes


class Package:
    """The modules of a checkout's irci/, by their names."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.paths = {self._name_of(path): path for path in sorted((root / "irci").rglob("*.py"))}

    def _name_of(self, path: Path) -> str:
        parts = path.relative_to(self.root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)

    @cached_property
    def texts(self) -> dict[str, str]:
        """Modules' sources."""
        return {name: path.read_text("utf-8") for name, path in self.paths.items()}

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        """Modules, parsed."""
        return {name: ast.parse(text) for name, text in self.texts.items()}

    @cached_property
    def nodes(self) -> dict[str, list[ast.AST]]:
        """All nodes of each module, but what only types are read for."""
        return {name: nodes_at_run_time(tree) for name, tree in self.trees.items()}

    @cached_property
    def modules(self) -> Graph:
        """The modules of the package that each module imports, wherever in it."""
        return {name: set(self._imported_by(name)) - {name} for name in self.trees}

    def _imported_by(self, name: str) -> Iterator[str]:
        for node in self.nodes[name]:
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found = [f"{node.module}.{alias.name}" for alias in node.names if alias.name != "__version__"]
            else:
                continue
            yield from filter(None, map(self._module_of, found))

    def _module_of(self, name: str) -> str | None:
        """The module that is imported, or that holds what is."""
        while name not in self.paths and "." in name:
            name = name.rpartition(".")[0]
        return name if name in self.paths else "irci.__init__" if name == "irci" else None

    @cached_property
    def rooms(self) -> Graph:
        """The rooms that each room imports."""
        found: dict[str, set[str]] = {}
        for name, others in self.modules.items():
            found.setdefault(room_of(name), set()).update(map(room_of, others))
        return {room: others - {room} for room, others in found.items()}

    def docstrings(self) -> Iterator[str]:
        """Docstrings of modules, classes and functions."""
        for node in chain.from_iterable(self.nodes.values()):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield ast.get_docstring(node) or ""

    def classes(self) -> Iterator[str]:
        """Names of classes."""
        return (node.name for node in chain.from_iterable(self.nodes.values()) if isinstance(node, ast.ClassDef))

    def lines(self) -> Counter[str]:
        """Lines of each module."""
        return Counter({name: text.count("\n") for name, text in self.texts.items()})

    def statements(self) -> int:
        """Nodes of `ast.stmt`."""
        return sum(isinstance(node, ast.stmt) for tree in self.trees.values() for node in ast.walk(tree))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """This interpreter in the checkout, with its irci."""
        environment = {**os.environ, "PYTHONPATH": str(self.root), "COLUMNS": "80"}
        return subprocess.run(
            [sys.executable, *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=True
        )

    def entered(self, command: Sequence[str]) -> list[str]:
        """The files entered by a command, whose kernels another run of it has compiled."""
        self.run("-m", "irci", *command)
        return self.run("-c", ENTERED, *command).stderr.split()

    def help_of(self, command: str) -> str:
        """The long help of a command, 80 columns wide."""
        return self.run("-m", "irci", command, "--help").stdout

    def surface(self) -> dict[str, int]:
        """Counts of what users see, taken from the tables of the checkout itself (SURFACE)."""
        return {name: int(number) for name, number in map(str.split, self.run("-c", SURFACE).stdout.splitlines())}

    def notices(self) -> int:
        """Kinds of notices: templates of the section, and calls of logger.warning, which have none."""
        calls = (node.func for node in chain.from_iterable(self.nodes.values()) if isinstance(node, ast.Call))
        without = sum(isinstance(call, ast.Attribute) and call.attr == "warning" for call in calls)
        path = self.root / "irci" / "wording" / "notices.toml"
        return without + (len(tomllib.loads(path.read_text("utf-8"))["notice"]) if path.exists() else 0)

    def vague_names(self) -> int:
        """Names bound, by assignment or as an argument, that say nothing of their role."""
        nodes = chain.from_iterable(self.nodes.values())
        return sum(
            (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE)
            or (isinstance(node, ast.arg) and node.arg in VAGUE)
            for node in nodes
        )

    def lines_below(self, *folders: str, suffix: str = ".py") -> int:
        """Lines of files of a kind, Python's if nothing else is said, in folders of the checkout."""
        paths = (path for name in folders for path in (self.root / name).rglob(f"*{suffix}"))
        return sum(path.read_text("utf-8").count("\n") for path in paths)

    def words(self) -> int:
        """Words of README.md and of the pages of doc/."""
        pages = [self.root / "README.md", *(self.root / "doc").glob("*.md")]
        return sum(len(page.read_text("utf-8").split()) for page in pages)


def room_of(module: str) -> str:
    """irci.kernels.scan -> kernels."""
    return module.split(".")[1]


def circles(graph: Graph) -> list[list[str]]:
    """Sets of more than one node each of which can be reached from each other one."""
    reached = {node: _reached(graph, node) for node in graph}
    found = {frozenset(other for other in reached[node] if node in reached[other]) for node in graph}
    return sorted(sorted(each) for each in found if len(each) > 1)


def _reached(graph: Graph, start: str) -> set[str]:
    found, waiting = set(), [start]
    while waiting:
        for other in graph[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


def floors(graph: Graph) -> int:
    """The nodes of the longest chain, where the nodes of a circle count as one."""
    home = {node: circle[0] for circle in circles(graph) for node in circle}
    one = {home.get(node, node): set[str]() for node in graph}
    for node, others in graph.items():
        one[home.get(node, node)] |= {home.get(other, other) for other in others} - {home.get(node, node)}
    height: dict[str, int] = {}

    def climb(node: str) -> int:
        if node not in height:
            height[node] = 1 + max(map(climb, one[node]), default=0)
        return height[node]

    return max(map(climb, one))


def figures(package: Package) -> Iterator[tuple[str, object, str]]:
    """Each figure by its name, with what it is made of."""
    lines, docstrings = package.lines(), list(package.docstrings())
    yield "rooms", len(package.rooms), " ".join(sorted(package.rooms))
    yield "floors", floors(package.rooms), ""
    for kind, graph in (("rooms", package.rooms), ("modules", package.modules)):
        found = circles(graph)
        yield f"circles of {kind}", len(found), "; ".join(" ".join(circle) for circle in found)
    yield "modules", len(package.paths), ""
    templates = package.lines_below("irci", suffix=".toml")
    yield "lines", lines.total() + templates, f"Python {lines.total()}, templates {templates}"
    yield "statements", package.statements(), ""
    yield (
        "modules over 300 lines",
        sum(number > 300 for number in lines.values()),
        " ".join(f"{name} ({number})" for name, number in lines.most_common(LARGEST)),
    )
    begin = Counter(word for text in docstrings if (word := text.split(" ")[0]) in ("Of", "Whether", "What"))
    yield "docstrings that begin with Of, Whether, What", begin.total(), ""
    twice = sorted(name for name, number in Counter(package.classes()).items() if number > 1)
    yield "classes", len(list(package.classes())), ""
    yield "class names defined twice", len(twice), " ".join(twice)
    yield "names bound that say nothing of their role", package.vague_names(), ""
    surface = package.surface()
    options, kinds, columns = surface.pop("options"), surface.pop("kinds"), surface.pop("columns")
    yield "distinct options", options, " ".join(f"{command} {number}" for command, number in surface.items())
    yield "kinds of tables", kinds, ""
    yield "columns", columns, ""
    yield "kinds of notices", package.notices(), ""
    yield "lines of compare --help", package.help_of("compare").count("\n"), ""
    yield "lines of tests/", package.lines_below("tests"), ""
    yield "lines of evidence/ and bench/", package.lines_below("evidence", "bench"), ""
    yield "words of README.md and doc/", package.words(), ""
    for name, command in (("compare", COMPARISON), ("compare --format html", PAGE)):
        entered = package.entered(command)
        rooms = Counter(path.split("/")[0].removesuffix(".py") for path in entered)
        yield f"files entered by {name}", len(entered), " ".join(f"{room} {rooms[room]}" for room in sorted(rooms))


def main() -> None:
    """Print the figures of a checkout."""
    for name, value, details in figures(Package(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT)):
        print(f"{name:<45} {value:>6}  {details}".rstrip())


if __name__ == "__main__":
    main()
