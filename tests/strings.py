"""Every text that irci can print, to be read as a whole: `python tests/strings.py > FILE`.

A line a text with its place: messages, sentences, captions, titles, helps. What is filled in stands in braces.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

IRCI = Path(__file__).parent.parent / "irci"


def text_of(node: ast.expr) -> str | None:
    """The text of a literal, None of anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (text_of(part) or f"{{{ast.unparse(part.value)}}}" for part in node.values)  # type: ignore[attr-defined]
        return "".join(parts)
    return None


def texts(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Texts of a module with their lines, whole f-strings as one, without those that stand alone, which are docstrings."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and text_of(child.value) is not None:
            continue
        text = text_of(child) if isinstance(child, ast.expr) else None
        if text is None:
            yield from texts(child)
        else:
            yield child.lineno, text


def main() -> None:
    for path in sorted(IRCI.rglob("*.py")):
        for line, text in texts(ast.parse(path.read_text())):
            if " " in text.strip():
                print(f"{path.relative_to(IRCI)}:{line}: {' '.join(text.split())}")


if __name__ == "__main__":
    main()
