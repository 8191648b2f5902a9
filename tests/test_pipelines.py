"""examples/ci: what others' pipelines take is run as they run it, on runs of testdata/."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_lines import said
from helpers import ROOT, TESTDATA

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


@pytest.mark.parametrize("name", ["github.yml", "gitlab.yml"])
def test_yaml(name: str) -> None:
    linter = pytest.importorskip("yamllint.linter")
    config = pytest.importorskip("yamllint.config").YamlLintConfig(
        "{extends: default, rules: {document-start: disable, line-length: {max: 120}}}"
    )
    assert [str(each) for each in linter.run((CI / name).read_text(), config)] == []


def test_what_a_workflow_of_github_needs() -> None:
    workflow = read("github.yml")
    assert set(workflow) == {"name", "on", "permissions", "jobs"}
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}
    for job in workflow["jobs"].values():
        assert set(job) == {"runs-on", "steps"}
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert set(step) <= {"name", "uses", "run", "with", "env", "if"}
            assert "uses" not in step or re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])


def test_what_a_job_of_gitlab_needs() -> None:
    (job,) = read("gitlab.yml").values()
    assert {"script", "stage", "image"} <= set(job) <= {
        "script", "stage", "image", "rules", "variables", "before_script", "allow_failure", "artifacts"
    }  # fmt: skip
    assert job["allow_failure"] == {"exit_codes": 6}
    assert job["artifacts"]["paths"] == [job["variables"]["PAGE"], job["variables"]["SUMMARY"]]


def test_an_image_has_the_wheel_alone_and_no_rights() -> None:
    """It is built where docker is, which is not here."""
    lines = [line for line in (CI / "Dockerfile").read_text().splitlines() if re.match(r"[A-Z]+ ", line)]
    words = [line.split() for line in lines]
    assert [each[1:-1] for each in words if each[0] == "COPY"] == [
        ["irci-*-cp311-manylinux*.whl"],
        ["--from=installed", "/opt/irci"],
    ]
    assert {each[1] for each in words if each[0] == "FROM"} == {"python:3.11-slim"}
    assert [each[1:] for each in words if each[0] == "USER"] == [["irci"]]
    assert lines[lines.index("USER irci") + 1 :] == [
        "WORKDIR /data",
        'ENTRYPOINT ["irci"]',
    ]  # nothing is left to compile


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
