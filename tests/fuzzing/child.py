"""Checks in a process of their own: one that hangs where no alarm is heard, or takes the process along, is a finding too."""

import mmap
import multiprocessing
import os
import signal
import struct
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any, NoReturn, Protocol

from fuzzing import findings

LONGEST = 1 << 20  # bytes of a file or a line that is told when its process is lost
STEP = 0.25  # seconds between looks at a child
HEAD = struct.Struct("QQ")  # how many were begun, and the length of the last


class Work(Protocol):
    """What the process does: it begins with the `first` thing, tells each before it is checked, and sends what it finds."""

    def __call__(self, first: int, begun: "Begun", send: Connection) -> None: ...


class Begun:
    """What is being checked, where the parent can see it whatever happens to the child."""

    def __init__(self, number: int) -> None:
        self.hangs = False
        self.memory = mmap.mmap(-1, HEAD.size + LONGEST)
        self.memory[: HEAD.size] = HEAD.pack(number, 0)

    def tell(self, data: bytes) -> None:
        """The child is about to check this."""
        kept = data[:LONGEST]
        self.memory[: HEAD.size + len(kept)] = HEAD.pack(self.number + 1, len(kept)) + kept

    @property
    def number(self) -> int:
        """How many were begun, those of other children included."""
        return int(HEAD.unpack(self.memory[: HEAD.size])[0])

    @property
    def data(self) -> bytes:
        """The last."""
        length = HEAD.unpack(self.memory[: HEAD.size])[1]
        return self.memory[HEAD.size : HEAD.size + length]


def in_children(work: Work) -> Iterator[tuple[str, Any]]:
    """What a child sends, as ("sent", it), and ("lost", (how, data)) for each that hung or died; then another goes on."""
    first = 0
    while True:
        begun = Begun(first)
        ours, theirs = multiprocessing.Pipe(duplex=False)
        child = os.fork()
        if not child:
            _leave_after(work, first, begun, theirs)
        theirs.close()
        yield from _until_lost(ours, begun)
        ours.close()
        ended, status = os.waitpid(child, os.WNOHANG if begun.hangs else 0)
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        elif status == 0:
            return
        how = f"ends the process ({os.waitstatus_to_exitcode(status)})" if ended else "hangs"
        yield "lost", (how, begun.data)
        first = max(begun.number, first + 1)


def _leave_after(work: Work, first: int, begun: Begun, send: Connection) -> NoReturn:
    """The child's whole life: nothing that the parent has planned for its own end is done."""
    status = 1
    try:
        work(first, begun, send)
        status = 0
    finally:
        os._exit(status)


def _until_lost(ours: Connection, begun: Begun) -> Iterator[tuple[str, Any]]:
    """What comes, until the child ends or has been at one thing for longer than any alarm should let it."""
    patience, last = 0.0, -1
    while patience < 2 * findings.SECONDS:
        if ours.poll(STEP):
            try:
                yield "sent", ours.recv()
            except EOFError:
                return
        patience = patience + STEP if begun.number == last else 0.0
        last = begun.number
    begun.hangs = True
