"""End commands by signals at random moments: python tests/interrupts.py NUMBER [SEED [KIND ...]]"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

SMALL = Path(__file__).parent.parent / "testdata" / "small"
QRELS = str(SMALL / "qrels.txt")
ALPHA, *OTHERS = map(str, sorted((SMALL / "runs").iterdir()))
KINDS = {
    "help": ["--help"],
    "no files": ["wcw", "--variance", "AP=.05", "--sizes", "5-200"],
    "topics": ["ap-ci", "--quiet", "-q", QRELS, ALPHA, *OTHERS],
    "all pairs": ["map-ci", "--quiet", "--all-pairs", "--ranks", QRELS, ALPHA, *OTHERS],
    "one kernel": ["ap-ci", "--quiet", "--threads", "1", "-B", "10000000", QRELS, ALPHA],
    "slow pipe": ["ap-ci", "--quiet", QRELS, "-"],
    "picture": ["compare", "--quiet", QRELS, ALPHA, *OTHERS, "--plot", "picture.svg", "-o", "out"],
    "compiling": ["ap-ci", "--quiet", QRELS, ALPHA],
}
RARE = "compiling"  # is not to be repeated often: it takes a processor
ENDLESS = {"one kernel", "slow pipe", RARE}  # or nearly so
LONGEST = 3.0  # seconds until the signal
PATIENCE = 30.0  # seconds from the signal to the end
# Says when the first line of main is next: what comes before is Python's own.
STARTED = b"main\n"
START = f"import os; from irci.__main__ import main; os.write(1, {STARTED!r}); main()"
EXPECTED = {
    signal.SIGINT: (130, b"irci: interrupted\n"),
    signal.SIGTERM: (-signal.SIGTERM, b""),
    signal.SIGHUP: (-signal.SIGHUP, b""),
}


@dataclass
class Try:
    """What became of one command: its status, outputs, the files it left, seconds from its start and from the signal, and
    whether it had ended before that.
    """

    status: int
    stdout: bytes
    stderr: bytes
    left: list[str]
    lasted: float
    ended: float
    early: bool

    def before_main(self) -> bool:
        """Whether the signal was faster than the first line of main: Python's own doing, which no line of irci appears in."""
        return self.status == -signal.SIGINT and b"irci" not in self.stderr

    def unexpected(self, number: signal.Signals, whole: "Try | None") -> bool:
        """Whether it is neither ended as the signal says nor, `whole`, done before that came; nor too early for irci."""
        done = whole is not None and (self.status, self.stdout, self.left) == (whole.status, whole.stdout, whole.left)
        # A picture may be there already, and the other file not yet.
        clean = set(self.left) <= set(whole.left if whole else ())
        ended = clean and (self.status, self.stderr) == EXPECTED[number]
        return not (done or ended or self.before_main())


def attempt(
    kind: str, number: signal.Signals | None = None, delay: float = 0.0, handler: signal.Handlers = signal.SIG_DFL
) -> Try:
    """Run a command of a kind in a folder of its own; send it the signal so many seconds after the first line of main.

    `handler`: what the command was started to do at signals: a job behind & ignores interrupts.
    """
    with tempfile.TemporaryDirectory() as folder:
        cache = {"NUMBA_CACHE_DIR": f"{folder}/kernels"} if kind == RARE else {}
        work = Path(folder, "work")
        work.mkdir()
        process = subprocess.Popen(
            [sys.executable, "-c", START, *KINDS[kind]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=work,
            env={**os.environ, "MPLCONFIGDIR": str(Path(tempfile.gettempdir(), "irci-matplotlib")), **cache},
            preexec_fn=lambda: [signal.signal(each, handler) for each in EXPECTED],
        )
        with process:
            assert process.stdout.read(len(STARTED)) == STARTED
            began = time.monotonic()
            early = False
            if number is not None:
                time.sleep(delay)
                early = process.poll() is not None
                process.send_signal(number)
            sent = time.monotonic()
            if number is None:
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            ended = time.monotonic()
            process.kill()
            left = sorted(path.name for path in work.iterdir())
            stdout, stderr = process.stdout.read(), process.stderr.read()
        return Try(process.returncode, stdout, stderr, left, ended - began, ended - sent, early)


@dataclass
class Row:
    """The tries of one kind: what they ended with, those unexpected, and the longest time from signal to end."""

    statuses: Counter[str] = field(default_factory=Counter)
    unexpected: list[str] = field(default_factory=list)
    slowest: float = 0.0


def interrupts(number: int, seed: int = 0, kinds: list[str] | None = None) -> dict[str, Row]:
    """So many tries, kinds in turns and `compiling` seldom; mostly interrupts."""
    rng = random.Random(seed)
    kinds = kinds or [kind for kind in KINDS if kind != RARE]
    whole = {kind: attempt(kind) for kind in kinds if kind not in ENDLESS}
    rows: dict[str, Row] = defaultdict(Row)
    for turn in range(number):
        kind = RARE if turn % 50 == 49 and RARE in KINDS and len(kinds) > 1 else kinds[turn % len(kinds)]
        signum = rng.choice([signal.SIGINT] * 8 + [signal.SIGTERM, signal.SIGHUP])
        complete = whole.get(kind)
        delay = rng.uniform(0, LONGEST if complete is None else min(complete.lasted, LONGEST))
        found = attempt(kind, signum, delay)
        row = rows[kind]
        outcome = "too late" if found.early else "before main" if found.before_main() else found.status
        row.statuses[f"{signum.name} {outcome}"] += 1
        row.slowest = max(row.slowest, found.ended)
        if found.unexpected(signum, complete):
            row.unexpected.append(f"{signum.name} after {delay:.4f} s: {found}")
    return rows


def main(number: int, seed: int = 0, *kinds: str) -> None:
    """Print a row for each kind of command, then all that was unexpected."""
    rows = interrupts(number, seed, list(kinds))
    print("kind\ttries\tunexpected\tslowest\tstatuses")
    for kind, row in rows.items():
        statuses = ", ".join(f"{status}: {count}" for status, count in sorted(row.statuses.items()))
        print(f"{kind}\t{row.statuses.total()}\t{len(row.unexpected)}\t{row.slowest:.2f} s\t{statuses}")
    for kind, row in rows.items():
        for told in row.unexpected:
            print(f"{kind}: {told}")


if __name__ == "__main__":
    main(int(sys.argv[1]), *map(int, sys.argv[2:3]), *sys.argv[3:])
