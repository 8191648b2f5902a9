"""The page (--format html): whole without a browser, whatever names hold; test_page_in_browser.py looks at it in one."""

import base64
import hashlib
import re
from functools import cache
from html import escape
from html.parser import HTMLParser
from shlex import quote

import pytest
from click.testing import CliRunner, Result
from helpers import QRELS, SMALL, TESTDATA, interval

from irci.base import visible
from irci.cli.group import main
from irci.output.page import page
from irci.output.report import Report
from irci.output.tables import Table, tables

RUNS = [str(path) for path in sorted((SMALL / "runs").iterdir())][:3]
VERSIONS = ["--versions", r"(?P<topic>\d+)(?P<version>\d\d)", "--scores", str(SMALL / "versions.csv")]
SEEDS = ["--seeds", str(SMALL / "seeds.txt"), "--scores", str(SMALL / "seeds.csv")]
PASSES = ["--passes", "(?P<pass>.+)", "--other-qrels", QRELS, "--other-qrels", str(SMALL / "llm.txt")]
COMMANDS = {
    "ap-ci": ["ap-ci", "-q", "-B", "100", QRELS, *RUNS],
    "compare": ["compare", QRELS, *RUNS],
    "map-ci": ["map-ci", "--baseline", "alpha", "--population", "topics", QRELS, *RUNS],
    "partition-anova": ["partition-anova", "--policy", "drop", "-B", "100", QRELS, *RUNS],
    "compare several": ["compare", "--all-pairs", str(TESTDATA / "several"), "--ranks"],
    "compare --slices": ["compare", "--slices", str(SMALL / "slices.txt"), "--ranks", QRELS, *RUNS],
    "compare --clusters": ["compare", "--clusters", "(?P<cluster>.).*", "--ranks", QRELS, *RUNS],
    "map-ci --versions": ["map-ci", "--baseline", "alpha", *VERSIONS],
    "partition-anova --versions": ["partition-anova", "-B", "100", *VERSIONS],
    "map-ci --seeds": ["map-ci", "--baseline", "bm25", *SEEDS],
    "compare --passes": ["compare", *PASSES, QRELS, *RUNS],
    "ap-ci --population": ["ap-ci", "--population", "judgments", "-q", QRELS, *RUNS],
    "compare --population judgments": ["compare", "--population", "judgments", QRELS, *RUNS],
    "stdap-ci": ["stdap-ci", QRELS, *RUNS],
    "swap-error": ["swap-error", "--sizes", "3,5", "--fuzziness", "1,5", QRELS, *RUNS],
    "judges": ["judges", "--other-qrels", str(SMALL / "llm.txt"), QRELS, *RUNS],
    "wcw": ["wcw", "--variance", "AP=.05", "--sizes", "10,20"],
}
NAMES = (
    "<script>alert(1)</script>", '"onx="alert(1)', "' onx='", "&amp;", "]]>", "<!--", "--><b>", "a\tb\x1b[31m",
    "\u202eRTL", "\udcff\udc80",
    "Ünïcødé 漢字", 'x" id="y', "url(#a)", "</title></style></svg>", "\\", "{0}",
)  # fmt: skip
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Parsed(HTMLParser):
    """A page as a parser sees it: which elements are open, their attributes, and the text in each kind of element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def values(self, attribute: str) -> list[str]:
        return [str(attributes[attribute]) for _, attributes in self.elements if attribute in attributes]


@cache
def result_of(*arguments: str) -> Result:
    result = CliRunner().invoke(main, [*arguments, "--format", "html"])
    assert result.exit_code == 0, result.output
    return result


def written(*arguments: str) -> str:
    return result_of(*arguments).stdout


@cache
def of_names(names: tuple[str, ...] = NAMES, warnings: tuple[str, ...] = ()) -> str:
    """A page of a few tables in which all that can be a name is one of these, and pictures of it."""
    rows = [interval(0.1 * place, 0.1, run=name) for place, name in enumerate(names)]
    pairs = [{"run": name, "baseline": name, "difference": 0.1} for name in names]
    found: list[Table] = [*tables("estimate", names[0], rows), *tables("pair", names[1], pairs)]
    signature = {"irci": "0", "command": "map-ci", "measures": names[0], "topics": " ".join(names)}
    report = Report(found, signature, explain=lambda: [f"So is {name}." for name in names])
    asked = {"question": names[0], "line": visible(quote(names[1])), "citations": names[2]}
    return "".join(page(report, 4, **asked, warnings=warnings or names))


@pytest.mark.sample(1)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_page_with_all_of_its_parts(command: str) -> None:
    text = written(*COMMANDS[command])
    parsed = Parsed(text)
    ids = parsed.values("id")
    assert len(ids) == len(set(ids))
    for attribute in ("aria-labelledby", "for"):
        assert set(parsed.values(attribute)) <= set(ids)
    links = [each[1:] for each in parsed.values("href") if not each.startswith("data:image/png")]
    assert {*re.findall(r"url\(#([^)]*)\)", text), *links} <= set(ids)
    order = ["The answer", "Pictures", "Tables", "Warnings", "What varies, and what does not", "Settings"]
    order += ["To run it again", "To cite"]
    assert parsed.texts["h2"] == order
    assert re.findall(r"<summary><h2>([^<]*)", text) == order[4:]  # folded, until a reader opens them
    assert parsed.texts["nav"][0].strip().splitlines() == order
    assert parsed.texts["title"][0] == parsed.texts["h1"][0]
    assert str(main.commands[command.split()[0]].short_help) in parsed.texts["header"][0]
    assert any(value.startswith("data:image/svg") for value in parsed.values("src"))
    assert "@inproceedings" in text
    line = parsed.texts["pre"][0].split()  # which can be typed again
    assert [*line[:2], line[-1]] == ["irci", COMMANDS[command][0], "html"]
    varies = text.partition("<h2>What varies, and what does not</h2></summary>\n")[2]
    verbs, ends = "vary|varies|are for|are bounds over", "same|drawn jointly|size given"
    assert re.match(rf"<p>[^<]+ ({verbs})[^<]* ({ends})", varies)


def test_the_page_has_the_numbers_of_the_table_and_of_explain() -> None:
    arguments = COMMANDS["map-ci"]
    plain = CliRunner().invoke(main, [*arguments, "--explain"]).stdout.splitlines()
    parsed = Parsed(written(*arguments))
    cells = {text for tag in ("td", "th") for text in parsed.texts[tag]}
    for line in plain:
        if line.startswith(("map", "map_diff")):
            measure, topic, *others = line.split("\t")
            assert topic == "all"
            assert {measure.strip(), *filter(None, others)} <= cells
    sentence = next(line for line in plain if " scores " in line)
    assert sentence.removeprefix("# ") in parsed.texts["p"]


@pytest.mark.usefixtures("no_pictures")
@pytest.mark.parametrize(("measures", "opens"), [(["P@5", "map"], "Means"), (["P@5", "map", "RR"], "Runs by measures")])
def test_one_table_is_open_and_from_three_measures_on_a_paper_s(measures: list[str], opens: str) -> None:
    options = [word for measure in measures for word in ("-m", measure)]
    page = result_of.__wrapped__("compare", *options, QRELS, *RUNS).stdout
    tables = page.partition('<section id="tables">')[2].partition("</section>")[0]
    first, *others = tables.split("<h3 ")[1:]
    assert first.startswith(f'id="{"wide" if opens[0] == "R" else "table1"}-heading">{opens}</h3>')
    assert [re.findall(r"<span>(\d+) rows</span></summary>", each) for each in others] == [
        [str(rows)] for rows in ((3 * 3, 2 * 3) if opens[0] == "R" else (2 * 2,))
    ]
    per_topic = result_of.__wrapped__("ap-ci", "-B", "0", *options, "-q", QRELS, *RUNS).stdout
    assert 'id="wide"' not in per_topic  # which would leave rows out


@pytest.mark.usefixtures("no_pictures")
def test_warnings_are_on_the_page_under_quiet_too() -> None:
    result = result_of.__wrapped__(*COMMANDS["ap-ci"])
    said = [line.removeprefix("irci: warning: ") for line in result.stderr.splitlines() if "warning" in line]
    assert said
    quiet = result_of.__wrapped__(*COMMANDS["ap-ci"], "--quiet")
    assert quiet.stderr == ""
    for each in (result, quiet):
        assert re.findall("<li>(.*)</li>", each.stdout.partition('<section id="warnings">')[2]) == list(
            map(escape, said)
        )


def test_nothing_is_fetched_and_no_script_runs_but_our_own() -> None:
    text = of_names()
    parsed = Parsed(text)
    policy = next(str(attributes["content"]) for _, attributes in parsed.elements if "http-equiv" in attributes)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    digest = base64.b64encode(hashlib.sha256(parsed.texts["script"][0].encode()).digest()).decode()
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == f"'sha256-{digest}'"
    assert rules["img-src"] == "data:"
    assert not {"connect-src", "font-src"} & set(rules)
    assert all(value.startswith("data:image/svg+xml;base64,") for value in parsed.values("src"))
    assert all(value.startswith(("#", "data:")) for value in parsed.values("href"))
    assert "@import" not in text
    assert "http://" not in text.replace("http://www.w3.org", "")


@pytest.mark.usefixtures("no_pictures")
def test_without_matplotlib_the_page_says_how_to_get_pictures() -> None:
    parsed = Parsed(of_names.__wrapped__())
    assert not parsed.values("src")
    assert any("pip install" in text for text in parsed.texts["p"])
    assert len(parsed.texts["table"]) == 2


def test_what_there_is_none_of_has_no_heading() -> None:
    nothing = Report([], {"irci": "0", "command": "ap-ci"})
    parsed = Parsed("".join(page(nothing, 4, question="?", line="irci", citations="@")))
    assert parsed.texts["h2"] == ["Warnings", "Settings", "To run it again", "To cite"]
