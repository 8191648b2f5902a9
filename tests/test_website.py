"""The site: every page and every option is there; in a browser (`make page`) it searches, fits screens, fetches nothing."""

import re
import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_lines import EVIDENCE, PAGES
from helpers import ROOT

from irci.cli.group import main

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
    page.wait_for_url(re.compile("commands/.*#.*equivalence"))
    if AXE.is_file():
        for name in ("index.html", "doc/evidence.html", "doc/questions.html", "commands/map-ci.html"):
            page.goto((site / name).as_uri())
            assert grave_of(page) == [], name
    assert {address.partition(":")[0] for address in asked} <= {"file", "data", "blob"}
    assert faults == []
    assert len(files) > 20
