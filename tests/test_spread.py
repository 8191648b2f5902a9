"""examples/ and doc/performance.md: runs scored by many processes, joined, give to the byte what one process gives."""

import os
import random
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_lines import ENVIRONMENT, printed, result_lines, said
from helpers import ROOT, SMALL

MEASURES = ["-m", "map", "-m", "P_10"]
QRELS = SMALL / "qrels.txt"


def many_runs(folder: Path, number: int) -> list[str]:
    """Runs unlike each other: one of testdata/ with noise on its scores, 30 documents a topic."""
    rows = [line.split() for line in (SMALL / "runs" / "alpha.run").read_text().splitlines()]
    folder.mkdir(parents=True)
    for place in range(number):
        noise = random.Random(place)
        lines = (
            f"{topic} Q0 {docno} {rank} {float(score) + noise.gauss(0, 1 + place / 20):.6f} run{place:02}\n"
            for topic, _, docno, rank, score, _ in rows
            if int(rank) <= 30
        )
        (folder / f"run{place:02}").write_text("".join(lines))
    return [str(folder / f"run{place:02}") for place in range(number)]


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A folder with qrels.txt and runs/ of 40; and what one process says of topics and of pairs."""
    folder = tmp_path_factory.mktemp("experiment")
    runs = many_runs(folder / "runs", 40)
    shutil.copy(QRELS, folder / "qrels.txt")
    topics = printed("ap-ci", "-q", "--quiet", *MEASURES, QRELS, *runs)
    pairs = printed("map-ci", "--quiet", "--population", "topics", "--all-pairs", *MEASURES, QRELS, *runs)
    assert len(pairs.splitlines()) > 2 * (40 + 780)
    return folder, topics, pairs


def typed(line: str, folder: Path, **environment: str) -> str:
    """What a shell prints for a line typed in a folder."""
    done = subprocess.run(["sh", "-c", line], cwd=folder, env=ENVIRONMENT | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def by_make(make: str) -> str:
    """What `make` says while it does the whole example."""
    status, printed = said(make)
    assert status == 0, printed
    return printed


def by_steps(make: str) -> str:
    """The same in this process: what `make -n` lists, the warnings of each step kept as it has them."""
    printed = ""
    for step in said(f"{make} -n --no-print-directory")[1].splitlines():
        command, _, kept = step.partition(" 2> ")
        status, printed = said(command if kept else step)
        assert status == 0, (step, printed)
        if kept:
            Path(kept.split()[0]).write_text(printed)
    return printed


@pytest.mark.parametrize(("do", "number"), [(by_steps, 3), pytest.param(by_make, 40, marks=pytest.mark.slow)])
def test_the_example_makefile(do: Callable[[str], str], number: int, tmp_path: Path) -> None:
    """Its per-topic lines are those of a single process, and so are its comparisons; what is warned of is shown once.

    A run that changes is scored again, and no other; changed judgments have all scored again.
    """
    runs = [shutil.copy(path, tmp_path) for path in sorted((SMALL / "runs").iterdir())[:3]]
    runs += many_runs(tmp_path / "more", number)[3:]
    qrels = shutil.copy(QRELS, tmp_path)
    make = f"make -f examples/Makefile -j2 OUT={tmp_path}/out QRELS={qrels} RUNS='{' '.join(runs)}'"
    printed = do(make)
    files = f"-m map -m P_10 {qrels} {' '.join(runs)}"
    alone = f"irci ap-ci --quiet -q {files}"
    assert (tmp_path / "out" / "topics.txt").read_text().splitlines() == result_lines(said(alone)[1])
    pairs = f"irci map-ci --quiet --population topics --all-pairs --explain {files}"
    assert (tmp_path / "out" / "pairs.txt").read_text().startswith(said(pairs)[1])
    assert printed.count("without relevant documents") == 1
    assert "bravo: map: 4 topics with an interval wider than 0.9" in printed
    for changed, again in ((runs[1], runs[1:2]), (qrels, runs)):
        later = os.stat(changed).st_mtime + 1000
        os.utime(changed, (later, later))
        steps = said(f"{make} -n")[1].splitlines()
        assert [run for run in runs if any("ap-ci" in step and run in step for step in steps)] == again
        assert any("map-ci" in step for step in steps)


@pytest.mark.check
def test_a_slurm_array(experiment: tuple[Path, str, str]) -> None:
    """Four tasks of ten runs, in any order, one of them twice; then the job that waits for them. A task of no run fails."""
    folder, topics, pairs = experiment
    script = ROOT / "examples" / "slurm.sh"
    ((listing, compare),) = re.findall(r"^#   (ls .*)$.*--wrap '(.*)'$", script.read_text(), re.MULTILINE | re.DOTALL)
    typed(listing, folder)
    task = f"sh {script} qrels.txt runs.list results"
    for number in "24131":
        typed(task, folder, SLURM_ARRAY_TASK_ID=number)
    assert result_lines(typed("cat results/*.topics", folder)) == result_lines(topics)
    typed(compare, folder)
    assert (folder / "pairs.txt").read_text() == pairs
    with pytest.raises(AssertionError, match="only QRELS given"):
        typed(task, folder, SLURM_ARRAY_TASK_ID="5")
    assert len(list((folder / "results").iterdir())) == 8


@pytest.mark.check
def test_gnu_parallel(experiment: tuple[Path, str, str]) -> None:
    """The lines of doc/performance.md."""
    if shutil.which("parallel") is None:
        pytest.skip("GNU parallel is not installed")
    folder, topics, pairs = experiment
    page = (ROOT / "doc" / "performance.md").read_text()
    ((score, compare),) = re.findall(r"^    (ls .* \| parallel .*)\n    (cat .*)$", page, re.MULTILINE)
    (folder / "scores").mkdir()
    typed(score, folder)
    typed(compare, folder)
    assert result_lines((folder / "topics.txt").read_text()) == result_lines(topics)
    assert (folder / "pairs.txt").read_text() == pairs


OTHER_WORKERS = ("joblib loky", "joblib threading", "dask threads", "dask processes")


@pytest.mark.parametrize(
    "workers", ["dask synchronous", *(pytest.param(each, marks=pytest.mark.check) for each in OTHER_WORKERS)]
)
def test_workers_of_joblib_and_dask(
    workers: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pairs, and a baseline; two runs of one name, and a file that is none, are refused, in which process this is told."""
    library, scheduler = workers.split()
    pytest.importorskip(library)
    runs = [str(path) for path in sorted((SMALL / "runs").iterdir())[:3]]

    def by_workers(*asked: str) -> str:
        words = [f"--{library}", scheduler, *MEASURES, *asked]
        monkeypatch.setattr(sys, "argv", ["cluster.py", *words])
        runpy.run_path(str(ROOT / "examples" / "cluster.py"), run_name="__main__")
        return capsys.readouterr().out

    of_topics = ["map-ci", "--quiet", "--population", "topics", *MEASURES]
    assert by_workers(str(QRELS), *runs) == printed(*of_topics, "--all-pairs", QRELS, *runs)
    assert by_workers("--baseline", "bravo", str(QRELS), *runs) == printed(
        *of_topics, "--baseline", "bravo", QRELS, *runs
    )
    with pytest.raises(SystemExit, match="two runs are called alpha"):
        by_workers(str(QRELS), *runs, runs[0])
    (tmp_path / "bad").write_text("1 Q0 d 1 high run\n")
    with pytest.raises(SystemExit, match="bad:1: score 'high' is not a finite number"):
        by_workers(str(QRELS), runs[0], str(tmp_path / "bad"))


def test_a_run_split_by_topic(tmp_path: Path) -> None:
    """Scores of its parts, joined, are those of the whole."""
    run = SMALL / "runs" / "alpha.run"
    for part in range(2):
        for path in (QRELS, run):
            lines = [line for line in path.read_text().splitlines() if int(line.split()[0]) % 2 == part]
            (tmp_path / f"{path.name}.{part}").write_text("\n".join(lines) + "\n")
        files = [tmp_path / f"{path.name}.{part}" for path in (QRELS, run)]
        printed("ap-ci", "-q", "--quiet", *MEASURES, "--save-scores", tmp_path / f"scores{part}", *files)
    joined = [str(tmp_path / f"scores{part}") for part in range(2)]
    of_topics = ["map-ci", "--quiet", *MEASURES]
    assert printed(*of_topics, "--scores", *joined) == printed(*of_topics, "--population", "topics", QRELS, run)
