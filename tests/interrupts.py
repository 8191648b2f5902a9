"""End commands by signals at random moments: python tests/interrupts.py NUMBER [SEED [KIND ...]]"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

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


class Try(NamedTuple):
    """What became of one command: seconds from its start and from the signal; whether it had ended before that."""

    status: int
    stdout: bytes
    stderr: bytes
    left: list[str]
    lasted: float
    ended: float
    is_early: bool

    def is_before_main(self) -> bool:
        """True if the signal was faster than the first line of main: Python's own doing, in which no line of irci appears."""
        return self.status == -signal.SIGINT and b"irci" not in self.stderr

    def is_expected(self, number: signal.Signals, whole: "Try | None") -> bool:
        """True if it ended as the signal says, or was done, as `whole`, before that came; or it came too early for irci."""
        is_done = whole is not None and (self.status, self.stdout, self.left) == (
            whole.status,
            whole.stdout,
            whole.left,
        )
        # A picture may be there already, and the other file not yet.
        is_clean = set(self.left) <= set(whole.left if whole else ())
        return is_done or self.is_before_main() or (is_clean and (self.status, self.stderr) == EXPECTED[number])


def attempt(
    kind: str, number: signal.Signals | None = None, delay: float = 0.0, handler: signal.Handlers = signal.SIG_DFL
) -> Try:
    """Run a command of a kind in a folder of its own; send it the signal so many seconds after the first line of main.

    `handler`: what the command was started to do at signals: a job behind & ignores interrupts.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"MPLCONFIGDIR": str(Path(tempfile.gettempdir(), "irci-matplotlib"))}
        environment |= {"NUMBA_CACHE_DIR": f"{folder}/kernels", "IRCI_KERNELS": "kept"} if kind == RARE else {}
        work = Path(folder, "work")
        work.mkdir()
        process = subprocess.Popen(
            [sys.executable, "-c", START, *KINDS[kind]], cwd=work, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=lambda: [signal.signal(number, handler) for number in EXPECTED],
        )  # fmt: skip
        with process:
            assert process.stdout.read(len(STARTED)) == STARTED
            began = time.monotonic()
            is_early = False
            if number is not None:
                time.sleep(delay)
                is_early = process.poll() is not None
                process.send_signal(number)
            sent = time.monotonic()
            if number is None:
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            ended = time.monotonic()
            process.kill()
            left = sorted(path.name for path in work.iterdir())
            outputs = process.stdout.read(), process.stderr.read()
        return Try(process.returncode, *outputs, left, ended - began, ended - sent, is_early)


def interrupts(number: int, seed: int = 0, kinds: list[str] | None = None) -> dict[str, list[tuple[str, str, Try]]]:
    """So many tries by kind, kinds in turns and `compiling` seldom; mostly interrupts: outcome, what is unexpected, try."""
    rng = random.Random(seed)
    kinds = kinds or [kind for kind in KINDS if kind != RARE]
    whole = {kind: attempt(kind) for kind in kinds if kind not in ENDLESS}
    tries: dict[str, list[tuple[str, str, Try]]] = {}
    for turn in range(number):
        kind = RARE if turn % 50 == 49 and len(kinds) > 1 else kinds[turn % len(kinds)]
        sent = rng.choice([signal.SIGINT] * 8 + [signal.SIGTERM, signal.SIGHUP])
        complete = whole.get(kind)
        delay = rng.uniform(0, LONGEST if complete is None else min(complete.lasted, LONGEST))
        result = attempt(kind, sent, delay)
        outcome = "too late" if result.is_early else "before main" if result.is_before_main() else result.status
        problem = "" if result.is_expected(sent, complete) else f"{sent.name} after {delay:.4f} s: {result}"
        tries.setdefault(kind, []).append((f"{sent.name} {outcome}", problem, result))
    return tries


def main(number: int, seed: int = 0, *kinds: str) -> None:
    """Print a row for each kind of command, then all that was unexpected."""
    tries = interrupts(number, seed, list(kinds))
    print("kind\ttries\tunexpected\tslowest\tstatuses")
    for kind, of_kind in tries.items():
        outcomes = ", ".join(
            f"{outcome}: {count}" for outcome, count in sorted(Counter(row[0] for row in of_kind).items())
        )
        slowest = max(result.ended for *_, result in of_kind)
        print(f"{kind}\t{len(of_kind)}\t{sum(bool(row[1]) for row in of_kind)}\t{slowest:.2f} s\t{outcomes}")
    for kind, of_kind in tries.items():
        print(end="".join(f"{kind}: {problem}\n" for _, problem, _ in of_kind if problem))


if __name__ == "__main__":
    main(int(sys.argv[1]), *map(int, sys.argv[2:3]), *sys.argv[3:])
