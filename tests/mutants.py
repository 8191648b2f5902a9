"""Plant faults in irci, one at a time, and tell which the tests do not find: python tests/mutants.py [--only N] [--seed S]

Faults are drawn by a seeded generator, kinds in turns: an operator, a constant, a default, a branch that is turned round, two
templates of a section exchanged, a purpose of random streams that is another's. Each is made in a copy of the checkout, where
the tests that name the module run first, then all of `make test`, until one fails. A fault of a kernel has kernels compiled.
"""

import argparse
import ast
import copy
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LONGEST = 900  # seconds: what takes longer than any tests has been found
NUMBER, MOST_SURVIVORS = 40, 2
OPERATORS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.And: ast.Or, ast.Or: ast.And,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


class Fault(NamedTuple):
    """A kind, and bytes of a file (of irci/) from one place to another that become others."""

    kind: str
    path: Path
    begin: int
    end: int
    new: str

    def __str__(self) -> str:
        content = (ROOT / self.path).read_bytes()
        line = content.count(b"\n", 0, self.begin) + 1
        return f"{self.kind} {self.path}:{line}: {content[self.begin : self.end].decode()}  ->  {self.new}"


def other_operator(node: ast.expr) -> ast.expr | None:
    """The expression with another operator, unless it is one of a text."""
    is_comparison = isinstance(node, ast.Compare) and len(node.ops) == 1
    new = OPERATORS.get(type(node.ops[0] if is_comparison else getattr(node, "op", None)))
    if new is None or isinstance(getattr(node, "left", None), ast.Constant | ast.JoinedStr):
        return None
    changed = copy.copy(node)
    setattr(changed, "ops" if is_comparison else "op", [new()] if is_comparison else new())
    return changed


def other_constant(node: ast.AST | None) -> ast.expr | None:
    """Another number or truth."""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool):
        return ast.Constant(not value)
    return ast.Constant(value + 1 if value < 2 else type(value)(value / 2)) if isinstance(value, int | float) else None


def changes(node: ast.AST) -> Iterator[tuple[str, ast.expr, ast.expr | None]]:
    """What can be changed in a node: kind, expression, and what takes its place, if anything does."""
    if isinstance(node, ast.arguments):
        for default in filter(None, (*node.defaults, *node.kw_defaults)):
            yield "default", default, other_constant(default)
    elif isinstance(node, ast.AnnAssign) and node.value:
        yield "default", node.value, other_constant(node.value)
    elif isinstance(node, ast.If | ast.IfExp) and "TYPE_CHECKING" not in ast.unparse(node.test):
        yield "branch", node.test, ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Purpose":
        yield "stream", node, ast.Attribute(node.value, "SPLIT" if node.attr != "SPLIT" else "SWAPS")
    elif isinstance(node, ast.expr):
        yield "operator", node, other_operator(node)
        yield "constant", node, other_constant(node)


def python_faults(path: Path, source: str) -> Iterator[Fault]:
    """The faults of a module."""
    lines = [0, *accumulate(map(len, source.encode().splitlines(keepends=True)))]
    nodes: list[ast.AST] = [ast.parse(source)]
    for node in nodes:  # but for types, and for what is in texts, whose places Python 3.11 does not tell
        types = (getattr(node, "annotation", None), getattr(node, "returns", None))
        nodes += [
            child for child in ast.iter_child_nodes(node) if child not in types and not isinstance(child, ast.JoinedStr)
        ]
        for kind, old, new in changes(node):
            if new is not None:
                begin, end = lines[old.lineno - 1] + old.col_offset, lines[old.end_lineno - 1] + old.end_col_offset
                yield Fault(kind, path, begin, end, f"({ast.unparse(new)})")


def template_faults(path: Path, source: str) -> Iterator[Fault]:
    """Templates of one line, each with the text of the next."""
    for pair in re.finditer(r'^\w+ = ("(?!"").*)\n(?=\w+ = ("(?!"").*)\n)', source, re.MULTILINE):
        begin = len(source[: pair.start(1)].encode())
        yield Fault("template", path, begin, begin + len(pair[1].encode()), pair[2])


def draw(number: int, seed: int) -> list[Fault]:
    """So many faults, kinds in turns."""
    faults: dict[str, list[Fault]] = {}
    for path in sorted((ROOT / "irci").rglob("*.*")):
        if find := {".py": python_faults, ".toml": template_faults}.get(path.suffix):
            for fault in find(path.relative_to(ROOT), path.read_text()):
                faults.setdefault(fault.kind, []).append(fault)
    rng = random.Random(seed)
    for of_kind in faults.values():
        rng.shuffle(of_kind)
    return [faults[kind][turn % len(faults[kind])] for turn in range(number) for kind in sorted(faults)][:number]


def first_failure(checkout: Path, fault: Fault | None) -> str:
    """The first test that fails, or nothing."""
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    tests = []
    if fault is not None:
        if fault.path.parts[1] in ("kernels", "native"):
            environment["NUMBA_CACHE_DIR"] = str(checkout / "build")
        module = fault.path.parent.name if fault.path.stem == "__init__" else fault.path.stem
        tests = [str(path) for path in (checkout / "tests").rglob("test_*.py") if module in path.read_text()]
    for files in (tests, []) if tests else ([],):
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "auto", "--dist", "worksteal", *files]
        try:
            done = subprocess.run(
                command, cwd=checkout, env=environment, stdout=-1, stderr=-1, text=True, timeout=LONGEST
            )
        except subprocess.TimeoutExpired:
            return "the time"
        if done.returncode not in (0, 5):  # 5: none of these tests is one of `make test`
            failure = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
            return failure[1] if failure else "the start of the tests"
    return ""


def main() -> None:
    """Print a line a fault; status 1 if more survive than may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=int, metavar="N", help="the fault of this number alone")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder, "irci")
        shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".venv*", "__pycache__", "build", "dist"))
        Path(folder, "shared").symlink_to((ROOT.parent / "shared").resolve())
        if failure := first_failure(checkout, None):
            sys.exit(f"without a fault {failure} fails")
        for number, fault in enumerate(draw(NUMBER, options.seed), 1):
            if options.only not in (None, number):
                continue
            began, content = time.monotonic(), (ROOT / fault.path).read_bytes()
            planted = content[: fault.begin] + fault.new.encode() + content[fault.end :]
            (checkout / fault.path).write_bytes(planted)
            found_by = first_failure(checkout, fault)
            (checkout / fault.path).write_bytes(content)
            survivors += not found_by
            print(f"{number:2} {time.monotonic() - began:4.0f} s  {found_by or 'SURVIVES'}  {fault}", flush=True)
    sys.exit(survivors > MOST_SURVIVORS)


if __name__ == "__main__":
    main()
