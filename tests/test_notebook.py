"""The notebook in examples/: its cells give the outputs that stand below them, and in a notebook too."""

import contextlib
import io
import json
import subprocess
import sys
from typing import Any

import pytest
from helpers import ROOT

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


# In a process of their own: those who run notebooks leave loops and sockets behind.
EXECUTED = (
    "import json, sys; sys.path.insert(0, 'examples'); from execute import executed; print(json.dumps(executed()))"
)
STOPPED = """
import threading
from jupyter_client.manager import start_new_kernel

manager, client = start_new_kernel(cwd="testdata")

def heard(message):
    if message["msg_type"] == "stream" and "started" in message["content"]["text"]:
        threading.Timer(1.0, manager.interrupt_kernel).start()

def asked(cell):
    return client.execute_interactive(cell, timeout=100, output_hook=heard)["content"]

before = "import irci, glob\\nruns = sorted(glob.glob('runs/*'))\\nprint('started', flush=True)\\n"
long = asked(before + "irci.map_ci('qrels.txt', runs, all_pairs=True, population='documents', resamples=10_000_000)")
assert (long["status"], long["ename"]) == ("error", "KeyboardInterrupt"), long
again = asked("irci.map_ci('qrels.txt', runs, all_pairs=True, population='documents', resamples=100).to_json() and None")
assert again["status"] == "ok", again
client.stop_channels()
manager.shutdown_kernel(now=True)
"""


def by_another(program: str) -> str:
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
def test_it_runs_as_a_notebook() -> None:
    pytest.importorskip("nbclient")
    cells = [cell for cell in json.loads(by_another(EXECUTED))["cells"] if cell["cell_type"] == "code"]
    assert [said(cell) for cell in cells] == [said(cell) for cell in CELLS]
    assert [shown(cell) for cell in cells] == [shown(cell) for cell in CELLS]


@pytest.mark.slow
def test_the_stop_button_ends_a_cell_and_the_next_one_works() -> None:
    """The interrupt is SIGINT, as Jupyter sends it, while the call computes."""
    pytest.importorskip("jupyter_client")
    by_another(STOPPED)
