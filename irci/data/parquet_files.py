"""Runs and judgments in parquet, which polars or pyarrow reads, if one of them is installed."""

import io
from typing import Any

from irci.base.errors import FormatError
from irci.base.types import Bytes
from irci.data.frames import Arrow, of_frame
from irci.data.in_memory import qrels_of as qrels_of_documents
from irci.data.in_memory import run_of as run_of_documents
from irci.data.rankings import Qrels, Run
from irci.data.scanned import Asked


def run_of(path: str, buffer: Bytes, size: int, asked: Asked) -> Run:
    """The run in a file of these bytes. Raises FormatError for what is none."""
    return run_of_documents(path, of_frame(path, _frame(path, buffer, size), "run"), asked.ties, asked.duplicates)


def qrels_of(path: str, buffer: Bytes, size: int) -> Qrels:
    """The judgments in a file of these bytes. Raises FormatError for what is none."""
    return qrels_of_documents(path, of_frame(path, _frame(path, buffer, size), "qrels"))


def _frame(path: str, buffer: Bytes, size: int) -> Any:
    content = io.BytesIO(buffer[:size].tobytes())
    for library in (_by_polars, _by_pyarrow):
        try:
            return library(content)
        except ImportError:
            continue
        except Exception as error:  # whatever a library says of a file that is damaged
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise FormatError.whole_file(path, f"parquet that cannot be read: {reason}") from error
    raise FormatError.whole_file(path, "parquet, which polars or pyarrow reads: pip install polars")


def _by_polars(content: io.BytesIO) -> Any:
    import polars

    return polars.read_parquet(content)


def _by_pyarrow(content: io.BytesIO) -> Any:
    from pyarrow import parquet

    return Arrow(parquet.read_table(content))
