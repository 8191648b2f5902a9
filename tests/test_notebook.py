"""The notebook in examples/: its cells give the outputs that stand below them, and in a notebook too."""

import contextlib
import io
import json
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest
from conftest import ROOT

NOTEBOOK = ROOT / "examples" / "notebook.ipynb"
CELLS = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]


def said(cell: dict[str, Any]) -> str:
    """What a cell has printed."""
    return "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")


def shown(cell: dict[str, Any]) -> set[str]:
    """The forms of what a cell has shown."""
    return {form for output in cell["outputs"] for form in output.get("data", {})}


def test_it_is_small_and_every_cell_has_its_output() -> None:
    assert NOTEBOOK.stat().st_size < 150_000
    assert len(CELLS) == 8
    assert all(cell["outputs"] for cell in CELLS)
    assert "image/svg+xml" in {form for cell in CELLS for form in shown(cell)}


def test_cells_print_what_stands_below_them() -> None:
    pytest.importorskip("ir_measures")
    scope: dict[str, Any] = {}
    with contextlib.chdir(NOTEBOOK.parent):
        for cell in CELLS:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile("".join(cell["source"]), "cell", "exec"), scope)
            assert printed.getvalue() == said(cell)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of those that run notebooks
def test_it_runs_as_a_notebook() -> None:
    pytest.importorskip("nbclient")
    spec = spec_from_file_location("execute", NOTEBOOK.with_name("execute.py"))
    assert spec is not None
    assert spec.loader is not None
    execute = module_from_spec(spec)
    spec.loader.exec_module(execute)
    cells = [cell for cell in execute.executed().cells if cell["cell_type"] == "code"]
    assert [said(cell) for cell in cells] == [said(cell) for cell in CELLS]
    assert [shown(cell) for cell in cells] == [shown(cell) for cell in CELLS]
