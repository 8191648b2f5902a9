"""examples/: pipelines of others run as they run them, the notebook's cells print what stands below them, and runs scored by
many processes, joined, give to the byte what one process gives."""

import contextlib
import io
import json
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_lines import by_python, printed, result_lines, said
from helpers import ROOT, SMALL, TESTDATA

CI = ROOT / "examples" / "ci"
OPTIONS = "-m nDCG@10 -m AP --margin .02"
# Runs of the main branch and of another one, with what the pipeline says and how irci ends.
ENDS = [
    ("bm25", "hybrid", "Not worse by .02", 0),
    ("hybrid", "bm25", "Worse", 5),
    ("dense", "bm25+rm3", "Too few topics to tell", 6),
]


def read(name: str) -> Any:
    """A file in YAML."""
    return pytest.importorskip("yaml").safe_load((CI / name).read_text())


def repository(folder: Path, main: str, new: str) -> None:
    """What others keep: judgments, the runs of two branches, the script."""
    (folder / "runs").mkdir()
    (folder / "ci").mkdir()
    shutil.copy(TESTDATA / "qrels.txt", folder)
    shutil.copy(CI / "compare.sh", folder / "ci")
    shutil.copy(CI / "same-judgments.sh", folder / "ci")
    shutil.copy(TESTDATA / "runs" / f"{main}.run", folder / "runs" / "main.run")
    shutil.copy(TESTDATA / "runs" / f"{new}.run", folder / "runs" / "new.run")


def ended(folder: Path, shell: str, script: str, variables: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """How a script of a pipeline ends, and what it prints."""
    return subprocess.run(
        [shell, "-ec", script], cwd=folder, env=os.environ | variables, capture_output=True, text=True
    )


@pytest.mark.check
@pytest.mark.parametrize(("main", "new", "answer", "status"), ENDS, ids=["better", "worse", "inconclusive"])
def test_three_ends(tmp_path: Path, main: str, new: str, answer: str, status: int) -> None:
    """In both pipelines; the summary has the table that irci prints, the page is there."""
    repository(tmp_path, main, new)
    _, table = said(
        f"irci compare --quiet --table difference --format markdown {OPTIONS} qrels.txt runs/main.run runs/new.run",
        tmp_path,
    )
    assert table.startswith("| measure")
    (job,) = read("gitlab.yml").values()
    (step,) = [each for each in read("github.yml")["jobs"]["compare"]["steps"] if each.get("name") == "Compare"]
    of_gitlab = ended(tmp_path, "sh", "\n".join(job["script"]), job["variables"])
    gitlabs_summary = (tmp_path / "irci.md").rename(tmp_path / "gitlab.md").read_text()
    of_github = ended(tmp_path, "bash", step["run"], step["env"] | {"GITHUB_STEP_SUMMARY": "github.md"})
    assert (of_gitlab.returncode, of_github.returncode) == (status, 0 if status == 6 else status), of_gitlab.stderr
    assert of_github.stdout.startswith("::warning title=irci::too few topics") == (status == 6)
    summary = (tmp_path / "irci.md").read_text()
    assert summary == (tmp_path / "github.md").read_text() == gitlabs_summary
    assert summary.startswith(f"### {answer}\n\n")
    assert summary.endswith(f"\n\n{table}")
    assert ("\n- nDCG@10: " in summary) == (status > 0)
    assert "</html>" in (tmp_path / "irci.html").read_text()


@pytest.mark.check
def test_scores_by_other_judgments_are_told_apart(tmp_path: Path) -> None:
    """The same judgments in another order and file are the same; one grade that differs is not, nor a report without any."""
    repository(tmp_path, "bm25", "hybrid")
    lines = (tmp_path / "qrels.txt").read_text().splitlines()
    (tmp_path / "again.txt").write_text("\n".join(reversed(lines)) + "\n")
    topic, iteration, docno, grade = lines[0].split()
    (tmp_path / "other.txt").write_text("\n".join([f"{topic} {iteration} {docno} {int(grade) + 1}", *lines[1:]]) + "\n")
    for name in ("qrels", "again", "other"):
        said(f"irci map-ci --quiet --format json -o {name}.json {name}.txt runs/new.run", tmp_path)
    (tmp_path / "none.json").write_text('{"signature": {}}')
    for now, status in (("again", 0), ("other", 1), ("none", 1)):
        done = ended(tmp_path, "sh", f"sh ci/same-judgments.sh qrels.json {now}.json", {})
        assert (done.returncode, f"scored by other judgments than qrels.json: {now}.json" in done.stderr) == (
            status,
            status > 0,
        )


@pytest.mark.check
def test_nothing_to_compare_is_no_end_of_the_three(tmp_path: Path) -> None:
    repository(tmp_path, "bm25", "hybrid")
    done = ended(tmp_path, "sh", "sh ci/compare.sh qrels.txt runs/none runs/new.run", {})
    assert (done.returncode, done.stdout) == (3, "")
    assert "runs/none: no such file" in done.stderr


@pytest.mark.check
def test_a_commit_with_a_worse_run_is_kept_out(tmp_path: Path) -> None:
    """The first run goes in, a better one too, and a worse one does not, nor one that cannot be read."""
    # A home of its own for git, but not for kernels, which would be compiled anew.
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "EMAIL")
    me = dict.fromkeys(names, "a") | {"HOME": str(tmp_path), "XDG_CACHE_HOME": cache}
    shutil.copy(TESTDATA / "qrels.txt", tmp_path)
    (tmp_path / "runs").mkdir()
    assert ended(tmp_path, "sh", f"git init -q; cp {CI}/pre-commit .git/hooks", me).returncode == 0
    for run, taken, says in (
        ("bm25", True, ""),
        ("hybrid", True, "\tbetter\n"),
        ("bm25+rm3", True, "\tinconclusive\n"),
        ("reranked", True, "\tbetter\n"),
        ("bm25", False, "nDCG@10: now against before: worse (--fail-if worse)"),
    ):
        shutil.copy(TESTDATA / "runs" / f"{run}.run", tmp_path / "runs" / "system.run")
        done = ended(tmp_path, "sh", f"git add -A; git commit -qm {run}", me)
        assert (done.returncode == 0) == taken, done.stderr
        assert says in done.stderr
    (tmp_path / "runs" / "system.run").write_text("no run\n")
    assert ended(tmp_path, "sh", "git add -A; git commit -qm none", me).returncode != 0


NOTEBOOK = ROOT / "examples" / "notebook.ipynb"
CELLS = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]


def printed_by(cell: dict[str, Any]) -> str:
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


@pytest.mark.check
def test_cells_print_what_stands_below_them() -> None:
    pytest.importorskip("ir_measures")
    scope: dict[str, Any] = {}
    with contextlib.chdir(NOTEBOOK.parent):
        for cell in CELLS:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile("".join(cell["source"]), "cell", "exec"), scope)
            assert printed.getvalue() == printed_by(cell)


# In a process of their own: those who run notebooks leave loops and sockets behind.
EXECUTED = (
    "import json, sys; sys.path.insert(0, 'examples'); from execute import executed; print(json.dumps(executed()))"
)


def by_another(program: str) -> str:
    result = by_python("-c", program, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
def test_it_runs_as_a_notebook() -> None:
    pytest.importorskip("nbclient")
    cells = [cell for cell in json.loads(by_another(EXECUTED))["cells"] if cell["cell_type"] == "code"]
    assert [printed_by(cell) for cell in cells] == [printed_by(cell) for cell in CELLS]
    assert [shown(cell) for cell in cells] == [shown(cell) for cell in CELLS]


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


def test_several_processes(tmp_path: Path) -> None:
    """The lines of doc/performance.md give what one process gives."""
    many_runs(tmp_path / "runs", 10)
    shutil.copy(QRELS, tmp_path / "qrels.txt")
    (tmp_path / "scores").mkdir()
    page = (ROOT / "doc" / "performance.md").read_text()
    *scoring, comparing = re.findall(r"^    (irci .*)$", page.partition("## Spreading")[2], re.MULTILINE)
    for line in scoring:
        assert said(line, tmp_path)[0] == 0
    files = QRELS, *sorted((tmp_path / "runs").iterdir())
    alone = printed("map-ci", "--quiet", "--population", "topics", "--all-pairs", *MEASURES, *files)
    line = comparing.removesuffix(" > pairs.txt")
    assert said(line.replace("map-ci", "map-ci --quiet"), tmp_path)[1] == alone
