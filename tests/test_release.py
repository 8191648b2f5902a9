"""What is released: version and date, the README on an index of packages, what is where after an installation."""

import os
import re
import runpy
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from helpers import ROOT

import irci

SETUP = runpy.run_path(str(ROOT / "setup.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_version_and_date_are_those_of_the_latest_changes() -> None:
    """In CITATION.cff; man/make.py takes the date from CHANGELOG.md."""
    version, date = re.findall(r"^## ([0-9.]+) \((\d{4}-\d\d-\d\d)\)$", (ROOT / "CHANGELOG.md").read_text(), re.M)[0]
    assert version == irci.__version__
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {version}\ndate-released: {date}\n" in citation


def test_an_index_shows_no_picture_or_page_that_it_does_not_have() -> None:
    readme = (ROOT / "README.md").read_text()
    shown = SETUP["shown_by_an_index"](readme)
    assert not re.findall(r"\]\((?!https?:|#)", shown)
    assert len(re.findall(r"^#", shown, re.M)) == len(re.findall(r"^#", readme, re.M))
    assert "CONTRIBUTING.md: speed, memory, several machines;" in shown
    assert SETUP["ELSEWHERE"] in shown
    kept = "![a](https://a.org/a.svg)\n\n[a](https://a.org), [b](#b)"
    assert SETUP["shown_by_an_index"](f"![a](doc/a.svg)\n\n{kept}") == kept


def test_the_source_distribution_names_all_that_git_has() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout")
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    manifest = (ROOT / "MANIFEST.in").read_text()
    folders = re.findall(r"^graft (\S+)$", manifest, re.M)
    patterns = " ".join(re.findall(r"^include (.*)$", manifest, re.M)).split()
    known = {"LICENSE", "MANIFEST.in", "pyproject.toml"}  # which setuptools takes unasked
    for each in map(Path, files):
        assert each.parts[0] in {*folders, *known, ".ci", ".gitignore"} or any(map(each.match, patterns)), each


COMPLETED = {
    "bash": '. completions/irci; COMP_WORDS=(irci sw) COMP_CWORD=1; _irci_completion irci; echo "${COMPREPLY[@]}"',
    "fish": 'source completions/irci.fish; complete -C "irci sw"',
}


@pytest.mark.check
@pytest.mark.parametrize("shell", COMPLETED)
def test_completion_in_a_shell(shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not here")
    done = subprocess.run([shell, "-c", COMPLETED[shell]], cwd=ROOT, capture_output=True, text=True)
    assert re.split(r"[\t\n]", done.stdout)[0] == "swap-error", done.stderr


def test_completions_go_where_shells_look() -> None:
    places = PROJECT["tool"]["setuptools"]["data-files"]
    files = [places[f"share/{place}"] for place in (
        "bash-completion/completions", "zsh/site-functions", "fish/vendor_completions.d",
    )]  # fmt: skip
    assert files == [[f"completions/{name}"] for name in ("irci", "_irci", "irci.fish")]
    assert sorted(os.listdir(ROOT / "completions")) == ["_irci", "irci", "irci.fish"]
