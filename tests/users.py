"""Two users, of whom a process of root's can be either."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

USER, OTHER = 4321, 12345

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")


@contextmanager
def user(number: int) -> Iterator[None]:
    """Do it as another user; root may do all again afterwards."""
    os.setresuid(-1, number, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
