"""What is released: version and date, the README on an index of packages, what is where after an installation; and the site,
which in a browser (`make page`) searches, fits screens, fetches nothing."""

import os
import re
import runpy
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_lines import EVIDENCE, PAGES
from helpers import ROOT

import irci
from irci.cli.group import main

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


CHROMIUM = shutil.which("chromium")
PICTURES = "[...document.images].map((each) => [each.alt, each.complete && each.naturalWidth > 0])"


@pytest.fixture(scope="module")
def website() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "doc" / "website.py"))


@pytest.fixture(scope="module")
def tree(website: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the site is made of."""
    folder: Path = tmp_path_factory.mktemp("tree")
    website["make_tree"](folder)
    return folder


def test_every_page_every_command_and_every_option_is_in_the_tree(tree: Path) -> None:
    pages = {str(path.relative_to(tree / "pages")) for path in (tree / "pages").rglob("*.md")}
    known = {
        str(path.relative_to(ROOT)) for path in (*PAGES, EVIDENCE, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md")
    }
    assert pages == known - {"README.md"} | {"index.md"} | {f"commands/{name}.md" for name in main.commands}
    for name, command in main.commands.items():
        page = (tree / "pages" / "commands" / f"{name}.md").read_text()
        shown = set(re.findall(r"[ `](--?[\w-]+)", "\n".join(re.findall("^### .*", page, re.M))))
        options = {each for option in command.params for each in (*option.opts, *option.secondary_opts)}
        hidden = {each for option in command.params if getattr(option, "hidden", True) for each in option.opts}
        assert name in ("measures", "compile") or options - hidden - {"--help"} <= shown, name


def test_links_and_pictures_of_the_tree_are_there(tree: Path) -> None:
    for page in (tree / "pages").rglob("*.md"):
        for link in re.findall(r"\]\(([^)#:]+)", re.sub("```.*?```", "", page.read_text(), flags=re.S)):
            assert (page.parent / link).exists() or link == "README.md", f"{page.name}: {link}"


@pytest.fixture(scope="module")
def site(tree: Path, website: dict[str, Any]) -> Path:
    """The pages made of it."""
    pytest.importorskip("zensical")
    website["build"](tree)
    return tree / "site"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    from output.test_page_in_browser import ARGUMENTS

    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.mark.page
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1400, "light")])
def test_the_site_on_small_and_large_screens(width: int, scheme: str, site: Path, browser: Any) -> None:
    """Opened from a folder: pictures are there and have a text, nothing is cut off or fetched, search finds options, and axe
    finds nothing grave."""
    from output.test_page_in_browser import AXE, grave_of

    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    asked: list[str] = []
    faults: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    files = sorted(path for path in site.rglob("*.html") if path.name != "404.html")
    for path in files:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert all(text and shown for text, shown in page.evaluate(PICTURES)), path
    page.goto((site / "index.html").as_uri())
    page.keyboard.press("Control+k")
    page.keyboard.type("--margin")
    page.get_by_text("--margin MARGIN").first.click()
    page.wait_for_url(re.compile("commands/.*#.*margin"))
    if AXE.is_file():
        for name in ("index.html", "evidence/evidence.html", "doc/questions.html", "commands/map-ci.html"):
            page.goto((site / name).as_uri())
            assert grave_of(page) == [], name
    assert {address.partition(":")[0] for address in asked} <= {"file", "data", "blob"}
    assert faults == []
    assert len(files) > 20
