"""What a check finds, and the limits of time and memory within which it looks."""

import io
import os
import resource
import signal
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import irci
from irci import base

PACKAGE = f"{Path(irci.__file__).parent}{os.sep}"  # a checkout may lie in folders of any name, the package's too
MEMORY = 512 << 20  # bytes that a reader may take beyond what is in use
SECONDS = 5.0  # that a reader may take


class TooSlow(BaseException):
    """The alarm. No Exception, and above all no OSError, which a reader would take for the file's fault."""


class Finding(AssertionError):
    """A reader that crashed, or read what is not there, or refused what it should not; `label` says which, in short."""

    def __init__(self, label: str, detail: object = ""):
        super().__init__(f"{label} {detail}")
        self.label = label


def expect(condition: bool, label: str, detail: object = "") -> None:
    """A finding unless the condition holds."""
    if not condition:
        raise Finding(label, detail)


def given(data: bytes) -> str:
    """The path under which a reader finds these bytes."""
    sys.stdin = types.SimpleNamespace(buffer=io.BytesIO(data))
    return base.STDIN


@contextmanager
def limits() -> Iterator[None]:
    """No more memory than is decent, and an alarm for readers that hang."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    before = resource.getrlimit(resource.RLIMIT_AS)
    alarm = signal.signal(signal.SIGALRM, _too_slow)
    if pages:
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGALRM, alarm)


def _too_slow(*_: object) -> None:
    raise TooSlow


def outcome(name: str, check: Callable[[bytes], bool], data: bytes) -> bool:
    """Whether a file was accepted. A crash of the reader becomes a finding that names where it happened."""
    try:
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            return check(data)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Finding as finding:
        finding.label = f"{name}: {finding.label}"
        raise
    except (Exception, TooSlow) as error:
        where = traceback.extract_tb(error.__traceback__)
        ours = [frame.name for frame in where if frame.filename.startswith(PACKAGE)]
        place = ours[-1] if ours else where[-1].name
        raise Finding(f"{name}: {type(error).__name__} in {place}", error) from error
