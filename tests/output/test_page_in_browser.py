"""The page in a browser (`make page`): it sorts, filters, fits every screen, is silent, fetches nothing, and is accessible."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from helpers import ROOT, TESTDATA
from output.test_page import of_names

from irci.cli.group import main

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium")
AXE = Path(os.environ.get("AXE", ROOT / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"))
pytestmark = [pytest.mark.page, pytest.mark.skipif(CHROMIUM is None, reason="no chromium")]

ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
QRELS = str(TESTDATA / "qrels.txt")
RUNS = [str(path) for path in sorted((TESTDATA / "runs").iterdir())]
SCREENS = [(width, scheme) for width in (400, 1400) for scheme in ("light", "dark")]
# Pictures that are cut: on a narrow screen they are smaller.
CUT_PICTURES = """[...document.querySelectorAll('figure')].filter((figure) =>
    figure.querySelector('img').getBoundingClientRect().width > figure.getBoundingClientRect().width + 1
).map((figure) => figure.querySelector('img').alt)"""
# What a long table's first body cells of a column say.
COLUMN = """([table, name]) => {
    const place = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent === name);
    return [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.cells[place].textContent);
}"""


def grave_of(page: Any) -> list[tuple[str, str]]:
    """What axe finds grave in what is shown: its rule, and the first place."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run({preload: false})")["violations"]  # a site in a folder lets nothing be fetched
    return [(each["id"], each["nodes"][0]["html"][:200]) for each in found if each["impact"] in ("serious", "critical")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of a comparison, of single topics, and of names that would like to be more than text."""
    folder = tmp_path_factory.mktemp("pages")
    commands = {
        "compared": ["compare", "--ranks", "--correction", "maxt", QRELS, *RUNS],
        "topics": ["ap-ci", "-q", QRELS, *RUNS],
        "wide": ["compare", "-m", "map", "-m", "P_10", "--layout", "wide", QRELS, *RUNS],
    }
    for name, command in commands.items():
        result = CliRunner().invoke(main, [*command, "--format", "html", "-o", str(folder / name)])
        assert result.exit_code == 0, result.output
        (folder / name).rename(folder / f"{name}.html")
    (folder / "names.html").write_text(of_names(), "utf-8")
    (folder / "many.html").write_text(of_names(tuple(f"run{i}" for i in range(601))), "utf-8")
    return {path.stem: path for path in sorted(folder.iterdir())}


@pytest.fixture
def shown(browser: Any, pages: dict[str, Path]) -> Iterator[Any]:
    """Opens a page on a screen; in the end it must not have complained, nor asked for anything but itself."""
    said: list[str] = []
    opened: list[Any] = []

    def show(name: str, width: int = 1400, scheme: str = "light") -> Any:
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        address = pages[name].as_uri()
        page.on(
            "request",
            lambda asked: None if asked.url in address or asked.url[:5] == "data:" else said.append(asked.url),
        )
        page.goto(address)
        opened.append(page)
        return page

    yield show
    for page in opened:
        page.close()
    assert not said


@pytest.mark.parametrize("name", ["compared", "topics", "wide", "names"])
def test_it_fits_every_screen(shown: Any, name: str) -> None:
    for width, scheme in SCREENS:
        page = shown(name, width, scheme)
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
        assert page.evaluate(CUT_PICTURES) == []


def test_links_lead_to_every_part_of_the_page(shown: Any) -> None:
    page = shown("compared", 400)
    links = page.locator("nav a").all()
    assert len(links) == 8
    for link in links:
        link.click()
        page.wait_for_function("scrollY > 0")
        heading = page.locator(f"{link.get_attribute('href')} h2")
        assert heading.text_content() == link.text_content()
        assert heading.evaluate("(found) => found.getBoundingClientRect().top < innerHeight")


def test_a_header_sorts_up_then_down_then_as_given(shown: Any) -> None:
    page = shown("compared")
    table = page.locator("table").first
    header = table.get_by_role("columnheader", name="value")
    button = header.get_by_role("button")

    def values() -> list[str]:
        found: list[str] = page.evaluate(COLUMN, [table.element_handle(), "value"])
        return found

    given = values()
    for direction, expected in (
        ("ascending", sorted(given, key=float)),
        ("descending", sorted(given, key=float, reverse=True)),
        ("none", given),
    ):
        button.press("Enter")
        assert header.get_attribute("aria-sort") == direction
        assert values() == expected
    names = table.get_by_role("columnheader", name="run")
    names.get_by_role("button").click()
    runs = page.evaluate(COLUMN, [table.element_handle(), "run"])
    assert runs == sorted(runs)
    assert header.get_attribute("aria-sort") == "none"


def test_no_number_comes_last_either_way(shown: Any) -> None:
    page = shown("topics")
    table = page.locator("table").filter(has=page.get_by_role("columnheader", name="topic")).last
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.evaluate("(table) => { table.tBodies[0].rows[1].cells[3].textContent = 'nan'; }", table.element_handle())
    column = table.locator("thead th").nth(3)
    for _ in range(2):
        column.get_by_role("button").click()
        assert page.evaluate(COLUMN, [table.element_handle(), column.text_content()])[-1] == "nan"


def test_paper_shows_all_rows_and_no_boxes(shown: Any) -> None:
    page = shown("topics")
    page.locator("#tables > details.whole > summary").click()
    page.get_by_role("searchbox").first.fill("no such row")
    page.locator("#tables > details.whole > summary").click()
    visible = "[...document.querySelectorAll('tbody tr')].filter((row) => row.checkVisibility()).length"
    page.evaluate(f"addEventListener('beforeprint', () => {{ window.printed = {visible}; }})")
    page.pdf()
    assert page.evaluate("window.printed") == 5 * (50 + 1)
    page.emulate_media(media="print")
    assert not page.locator("input:visible").count()


def test_of_very_many_rows_the_first_are_shown_and_all_sorted_and_searched(shown: Any) -> None:
    page = shown("many")
    table = page.locator("table").first
    assert table.locator("tbody tr").count() == 500
    table.get_by_role("button", name="value").click(click_count=2)
    assert table.locator("tbody th").first.text_content() == "run600"
    page.get_by_role("searchbox").first.fill("run599")
    assert table.locator("tbody tr").count() == 1
    assert page.locator("output").first.text_content().startswith("1 of ")
    page.get_by_role("searchbox").first.fill("")
    page.get_by_role("button", name="Show all 601").click()
    assert table.locator("tbody tr").count() == 601


def test_without_script_all_can_be_read(browser: Any, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["compared"].as_uri())
    assert page.locator("tbody tr").first.is_visible()
    assert page.get_by_role("searchbox").count() == page.get_by_role("button").count() == 0
    context.close()


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core")
@pytest.mark.parametrize("name", ["compared", "topics", "wide", "names"])
def test_axe_finds_nothing_grave(shown: Any, name: str) -> None:
    for width, scheme in SCREENS:
        page = shown(name, width, scheme)
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert grave_of(page) == []
