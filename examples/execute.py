"""Executes notebook.ipynb beside this file, and writes it with its outputs: make notebook"""

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).with_name("notebook.ipynb")


def executed() -> Any:
    """The notebook with new outputs, and nothing in it that changes from day to day."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(notebook, record_timing=False, resources={"metadata": {"path": str(NOTEBOOK.parent)}})
    client.execute()
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
