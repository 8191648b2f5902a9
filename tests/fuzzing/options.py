"""Command lines made of the commands' own options, each with values that suit it and values that do not, and what must be so
whatever the line: a status that is documented, no crash, no warning from below, nothing printed before an error.

A line is its arguments, joined by NUL as the system keeps them. It is run in this process, in a folder of small files.
"""

import atexit
import contextlib
import gzip
import json
import random
import shutil
import tempfile
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import click
from claim_cases import csv_of
from click.testing import CliRunner
from helpers import SMALL, unpacked

from fuzzing import findings
from fuzzing.findings import expect
from fuzzing.mutants import Mutator
from irci.cli.group import main
from irci.options.commands import COMMANDS

SPARSE = ("hits", "sparse", "graded")  # kinds of scores, two that hardly vary
TOPICS = {b"1", b"2", b"3", b"4", b"5", b"6", b"10"}
DEPTH = 40
MUTANTS = 8  # of each kind of file
STATUSES = {0, 2, 3, 4, 5, 6}
WITHOUT_OUTPUT = {2, 3, 4}
BEGINNINGS = ("irci: ", "Usage: irci", "Try 'irci ", "Error: ")

HOSTILE = [
    "", " ", "nan", "inf", "-inf", "-1", "0", "1", "2", "1e999", "1e-320", "-0.0", "１２", "٣", "1_0", "+5", "0x10", "5.0",
    "9" * 30, "-" + "9" * 30, "9" * 5000, "18446744073709551616",
    "\x1b[31m", "\n", "a\nb", "a\tb", "\r", "\u202e", "\u2028", "\udcff",
    ".", "..", "/", "/dev/null", "nosuch", "nosuch/x", "(", "(?P<topic>", "(?P<topic>(a+)*)(?P<version>x)", "(?P<topic>.*)",
    "(?P<topic>.+)(?P<version>.+)x", "%", "1%", "-1%", "1e999%", "=", "a=", "=1", "a=nan", "a=1,2,3", "a=nan,1,5",
    "a=.1,.2,１２", "a=.1,.2,30,b", "a=-.1,0,2", "a=.05", ",", ",,", "1,1", "5,4,...,1", "1,2,...,99999999", "1,2,...,9",
    "2,...", "...",
    ".5,.1", "1e-9", "0.999999999", "x" * 5000, "--", "-q", "map", "AP", "P_0", "P_5,10", "P_99999999999", "nDCG@0", "num_ret",
    "gm_map", "lmap", "iprec_at_recall_2", "rbp_7", "all", "hash", "md5", "qrels", "a.run", "b.run", "scores", "topics",
]  # fmt: skip
# Values that suit options whose type does not tell.
SUITABLE: Mapping[str, Sequence[str]] = {
    name: values.split()
    for line in r"""
    topics 1,2,3 topics ./topics @topics 6 1,nosuch | judge qrels qrels-1 scores | other_qrels qrels qrels-1 scores
    tables topic estimate difference rank effect pair error_rate matrix wcw nosuch | groups groups auto (.*)
    validate 2 md5 parts | baseline alpha bravo nobody | reference alpha,bravo bravo,delta,echo | factors factors
    measures map P_10 P.5,10 ndcg_cut_5 Rprec recip_rank gm_map lmap num_rel Q nERR AP | counts counts
    versions (?P<system>.*)-v(?P<version>.) (?P<topic>\d)(?P<version>\d*) versions | widths .1 .05,.2 | margin .01 2% .3
    judge_correlation 0 .7 .95 | judged_topics 4 50 1000 | confidence .9 0.95 .5 | max_rate .05 .2 | beta .2 .1
    alpha .05 .01 | alphas .05 .01,.05 .1,.5 | sizes 2 3,5 2,3,4 | fuzziness 5 0,5 1,2,...,5 | systems 2 10 50
    summaries a=.1,.2,30 b=.3,.1,20,TREC-8 | variances AP=.05 nDCG=.0441 x=0 | tests t none t,randomization tukey
    threads 1 2 3 1024 100000 | resamples 0 2 10 100 | parts 2 3 2,3 parts | splits 1 2 3 | trials 1 2 5
    plot out/x.svg out/x.png nosuch/x.svg out/x
    """.replace("|", "\n")
    .strip()
    .splitlines()
    for name, values in [line.strip().split(" ", 1)]
}
WRITTEN = {"output", "plot", "save_scores", "save_factors"}
PLACES = ["out/x", "out/y.tsv", "out", "nosuch/x", "/proc/x", "", "out/a\nb", "out/" + "x" * 300]
# So much work as is asked for takes so long: what they get is either little or more than anybody can mean.
WORK = {"resamples", "splits", "trials", "parts", "systems", "sizes"}


@cache
def folder() -> Path:
    """Small files of all kinds, valid ones and mutants, made once a process."""
    place = Path(tempfile.mkdtemp(prefix="irci-options-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    for name, data in _valid_files().items():
        (place / name).write_bytes(data)
    mutator = Mutator(0)
    from fuzzing.targets import SEEDS  # which has these checks among its targets

    for kind in ("run", "qrels", "scores", "versions", "factors", "counts", "list"):
        for number in range(MUTANTS):
            (place / f"{kind}-{number}").write_bytes(mutator.mutant(SEEDS[kind]))
    (place / "out").mkdir()
    return place


def _valid_files() -> dict[str, bytes]:
    """A small collection, and files that go with it."""

    def shortened(path: Path) -> bytes:
        kept: dict[bytes, list[bytes]] = {}
        for line in unpacked(path).splitlines(keepends=True):
            topic = line.split()[0]
            if topic in TOPICS and len(kept.setdefault(topic, [])) < DEPTH:
                kept[topic].append(line)
        return b"".join(line for lines in kept.values() for line in lines)

    runs = {path.name.split(".")[0]: shortened(path) for path in sorted((SMALL / "runs").iterdir())}
    judged = (SMALL / "qrels.txt").read_bytes().splitlines(keepends=True)
    qrels = b"".join(line for line in judged if line.split()[0] in TOPICS)
    docnos = sorted({line.split()[2] for line in qrels.splitlines()})
    return {
        **{f"{name}.run": data for name, data in runs.items()},
        "packed.gz": gzip.compress(runs["bravo"], mtime=0),
        "qrels": qrels,
        "a.run": b"1 Q0 x 1 1 a-v1\n1 Q0 y 2 .5 a-v1\n",
        "b.run": b"1 Q0 y 1 1 a-v2\n1 Q0 x 2 .5 a-v2\n",
        "scores": (SMALL / "versions.csv").read_bytes()[:1500].rpartition(b"\n")[0] + b"\n",
        "matrix": b"alpha,bravo,delta\n.1,.2,.3\n.3,.2,.15\n.5,.25,.4\n0,1,.5\n.2,.2,.2\n.6,.5,.1\n",
        "constant": b"alpha,bravo\n.5,.5\n.5,.5\n.5,.5\n",
        **{kind: csv_of("topics", kind, 5, 48) for kind in SPARSE},
        "wide": b"alpha,bravo\n1e308,-1e308\n1e-308,1e308\n-1e308,5e-324\n",
        "parts": b"".join(docno + b" %d\n" % (place % 2) for place, docno in enumerate(docnos)),
        "topics": b"1\n2\n3\n4\n",
        "list": b"alpha.run\nbravo.run\n",
        "groups": b"alpha x\nbravo x\ncharlie y\ndelta y\necho z\n",
        "factors": b"".join(b"%s\tmap\t0.25\t0.125\n" % topic for topic in sorted(TOPICS)),
        "counts": b"a,b,3,2,1\na,c,0,0,6\n",
        "versions": b"alpha\ts\t1\nbravo\ts\t2\ncharlie\tt\t1\ndelta\tt\t2\n",
        "empty": b"",
    }


class CommandLines:
    """Lines for all commands, by a generator of its own: the same seed, the same lines."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def line(self) -> bytes:
        """A command, some of its options, and files."""
        name = self.random.choice(sorted(COMMANDS))
        options = [each for each in main.commands[name].params if isinstance(each, click.Option)]
        chosen = [self.random.choice(options) for _ in range(min(int(self.random.expovariate(0.35)), 9))]
        hostility = self.random.choice((0, 0, 0.15, 0.5))  # many lines are valid throughout, or little would be run
        arguments = [part for option in chosen for part in self._given(option, hostility)]
        if not any(option.name in ("resamples", "help") for option in chosen) and _takes(name, "-B"):
            arguments += ["-B", "50"]
        files = self._files(hostility)
        if name == "wcw" and self.random.random() < 0.5:
            files = ["--variance", self.random.choice(SUITABLE["variances"])]
        elif self.random.random() < 0.3:
            files = ["--scores", *self._score_files(hostility)]
        line = [name, *arguments, *files] if self.random.random() < 0.8 else [name, *files, *arguments]
        return "\0".join(line).encode("utf-8", "surrogateescape")

    def _given(self, option: click.Option, hostility: float) -> list[str]:
        spelling = self.random.choice(option.opts)
        if option.is_flag:
            return [spelling]
        if option.name == "plot" and self.random.random() < 0.7:  # drawing takes longer than all else
            return []
        value = self._value(option, hostility)
        joined = spelling.startswith("--") and self.random.random() < 0.5
        return [f"{spelling}={value}"] if joined else [spelling, value]

    def _value(self, option: click.Option, hostility: float) -> str:
        name = str(option.name)
        hostile = self.random.random() < hostility
        if name in WRITTEN:
            return self.random.choice(PLACES if hostile or name not in SUITABLE else SUITABLE[name])
        if hostile:
            return self.random.choice([each for each in HOSTILE if name not in WORK or not 3 < len(each) < 30])
        kind = getattr(option.type, "kind", None)
        if kind is not None and (kind.name == "choice" or kind.is_list):
            return str(self.random.choice(kind.words()))
        if name in SUITABLE:
            return self.random.choice(SUITABLE[name])
        if kind is not None and kind.name == "whole number":
            return str(kind.bounds[0] + self.random.randrange(4))
        return self.random.choice(HOSTILE)

    def _files(self, hostility: float) -> list[str]:
        valid = ["alpha.run", "bravo.run", "charlie.run", "delta.run", "echo.run", "packed.gz"]
        runs = self.random.sample(valid, self.random.choice((1, 2, 2, 3, 5)))
        if self.random.random() < hostility:
            others = ["a.run", "b.run", "alpha.run", "empty", "nosuch", "/dev/null", ".", "-", "qrels"]
            runs.insert(0, self.random.choice([*others, *(f"run-{number}" for number in range(MUTANTS))]))
        qrels = "qrels"
        if self.random.random() < hostility / 2:
            qrels = self.random.choice(["alpha.run", "empty", ".", *(f"qrels-{number}" for number in range(MUTANTS))])
        return [qrels, *runs]

    def _score_files(self, hostility: float) -> list[str]:
        if self.random.random() < hostility:
            strange = ["constant", "wide", "empty", "qrels", "alpha.run", "/dev/null", ".", "-", "nosuch"]
            mutants = [f"scores-{number}" for number in range(MUTANTS)]
            return self.random.sample([*strange, *mutants], self.random.choice((1, 1, 2)))
        return [self.random.choice(("scores", "matrix", "constant", "wide", *SPARSE))]


def _takes(name: str, spelling: str) -> bool:
    return any(spelling in each.opts for each in main.commands[name].params)


def check_options(data: bytes) -> bool:
    """Whether a line was run to its end; what must be so whatever it says."""
    arguments = [part.decode("utf-8", "surrogateescape") for part in data.split(b"\0")]
    began = time.monotonic()
    with contextlib.chdir(folder()), warnings.catch_warnings():
        warnings.simplefilter("error")
        result = CliRunner().invoke(main, arguments, prog_name="irci")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    expect(time.monotonic() - began < findings.SECONDS, "takes too long")
    expect(result.exit_code in STATUSES, f"status {result.exit_code}", result.stderr[-300:])
    if result.exit_code in WITHOUT_OUTPUT:
        expect(result.stdout == "", "something printed before an error", result.stdout[:300])
        expect(result.stderr != "", f"status {result.exit_code} without a word")
    told = result.stderr
    for line in told.splitlines():
        is_ours = not line.strip() or line.startswith(BEGINNINGS)
        expect(is_ours, "a line on standard error that irci does not begin", repr(line))
    expect(told.replace("\n", "").isprintable() or "\\" in told, "a control character on standard error")
    if result.exit_code in (0, 5) and _format_of(arguments) == "json" and result.stdout:
        json.loads(result.stdout)
    return result.exit_code in (0, 5)


def _format_of(arguments: Sequence[str]) -> str:
    """The format asked for last, if nothing else is asked for."""
    other = {"-h", "--help", "--cite", "-v", "--version"}
    given = [each.partition("=")[2] for each in arguments if each.startswith("--format=")]
    return given[-1] if given and not other & set(arguments) and "--format" not in arguments else ""


def warm_up_commands() -> None:
    """Have what every command needs loaded and compiled, which takes longer than a line may."""
    runs = ["qrels", "alpha.run", "bravo.run", "charlie.run"]
    for line in (
        "ap-ci -q -m map -m P_10 -m ndcg_cut_5 -m Rprec", "ap-ci --interval bca --plot out/x.png", "ap-ci --validate 2",
        "map-ci --all-pairs --ranks --population both", "map-ci --validate 2", "partition-anova --policy zero",
        "compare --meta random --test randomization --correction maxt",
        "compare --test wilcoxon --power --interval prediction", "wcw",
        "partition-anova --policy zero --splits 2 --test tukey", "stdap-ci --validate 9", "swap-error --sizes 2",
        "swap-error --procedure swap", "swap-error --procedure discriminative-power",
    ):  # fmt: skip
        words = line.split() + (["-B", "50"] if _takes(line.split()[0], "-B") else [])
        with contextlib.chdir(folder()):
            CliRunner().invoke(main, [*words, *runs], prog_name="irci")
