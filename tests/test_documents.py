"""Golden cases, man pages and README: what they show is what the commands print."""

import ast
import gzip
import importlib.util
import inspect
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner
from command_lines import EVIDENCE, PAGES, by_shell, golden_case, plain_words, said, sessions
from helpers import ROOT, SMALL, TESTDATA

import irci
from irci.cli.group import MAIN_EXAMPLES, main
from irci.options.commands import COMMANDS
from irci.options.rows import options_of

CASES = sorted((TESTDATA / "golden").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_golden(case: Path) -> None:
    found, expected = golden_case(case)
    assert found == expected


@pytest.mark.check
def test_lines_run_here_are_those_of_a_process() -> None:
    """Warnings and results in the order in which a process writes them, and its status."""
    for line in (
        "irci ap-ci -q testdata/small/qrels.txt testdata/small/runs/[a-c]*",
        "irci wcw --scores testdata/none",
        "irci wcw --variance AP=.05 --sizes 10,15 | head -2",
    ):
        assert said(line) == by_shell(line)


def test_lines_that_need_a_shell() -> None:
    for sign in ("| b", "> b", "2>/dev/null", "; irci b", "$A", "`a`", "\nirci b", "/dev/a"):
        assert plain_words(f"irci a {sign}") is None
    assert plain_words("irci a '(?P<b>.)|c' \"d;\" e=.1,.2 *") == ["irci", "a", "(?P<b>.)|c", "d;", "e=.1,.2", "*"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # click-man calls what click is about to drop
def test_man_pages_are_current(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_man", ROOT / "man" / "make.py")
    assert spec is not None
    assert spec.loader is not None
    make_man = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_man)
    make_man.make(tmp_path)
    made = {page.name: page.read_text() for page in tmp_path.iterdir()}
    assert made == {page.name: page.read_text() for page in (ROOT / "man").glob("*.1")}


SESSIONS = [(page, session) for page in PAGES for session in sessions(page)]


@pytest.mark.sample(12)
@pytest.mark.parametrize(
    ("page", "session"), SESSIONS, ids=[f"{page.stem}: {session[0][0][:40]}" for page, session in SESSIONS]
)
def test_pages_show_what_is_printed(page: Path, session: list[tuple[str, str]], tmp_path: Path) -> None:
    """Every `$ irci ...` line of a block, with all that follows it in the block; `...` stands for left-out lines."""
    (tmp_path / "testdata").symlink_to(TESTDATA)
    (tmp_path / "doc").mkdir()
    for command, shown in session:
        pattern = "".join(
            r"(?:.*\n)+" if line == "...\n" else re.escape(line) for line in shown.splitlines(keepends=True)
        )
        _, printed = said(command.replace("/tmp/irci-", f"{tmp_path}/"), tmp_path)
        assert re.fullmatch(pattern, printed.replace(f"{tmp_path}/", "/tmp/irci-")), command
    drawn = set(re.findall(r"--plot doc/(\S+)", "\n".join(command for command, _ in session)))
    assert {path.name for path in (tmp_path / "doc").iterdir()} == drawn


def test_every_picture_is_shown_and_drawn() -> None:
    """Of each of doc/ a page shows it, and how it is drawn."""
    commands = [command for _, session in SESSIONS for command, _ in session]
    drawn = set(re.findall(r"--plot doc/(\S+)", "\n".join(commands)))
    shown = {
        (page.parent / name).resolve().name
        for page in PAGES
        for name in re.findall(r"!\[.*\]\((.*?)\)", page.read_text())
    }
    assert drawn == shown == {path.name for path in (ROOT / "doc").glob("*.svg")}


# Lines for what users of other tools have, each of whose formats is read in tests of data and of the functions.
OF_OTHER_TOOLS = re.findall(
    r"^\| .+ \| `(.+)` \|$", (ROOT / "doc" / "formats.md").read_text().partition("\n## Input")[0], re.MULTILINE
)


@pytest.mark.parametrize("line", [line for line in OF_OTHER_TOOLS if line.startswith("irci ")])
def test_lines_for_users_of_other_tools_have_options_that_there_are(line: str) -> None:
    _, command, *words = line.split()
    main.commands[command].make_context(command, words)


def test_calls_for_users_of_other_tools_take_such_arguments() -> None:
    """Those of the same table, and those for PyTerrier of the page on Python."""
    blocks = re.findall(r"^```py\n(.*?)^```", (ROOT / "doc" / "python.md").read_text(), re.DOTALL | re.MULTILINE)
    lines = [*blocks, *(line for line in OF_OTHER_TOOLS if line.startswith("irci."))]
    calls = [node for line in lines for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Call)]
    calls = [call for call in calls if ast.unparse(call.func).startswith("irci.")]
    for call in calls:
        function = getattr(irci, ast.unparse(call.func).removeprefix("irci."))
        inspect.signature(function).bind(*call.args, **{str(each.arg): each.value for each in call.keywords})
    assert len(calls) > 10
    assert len(OF_OTHER_TOOLS) > 20


def anchors(page: Path) -> set[str]:
    """Names of a page's headings in addresses, as forges make them."""
    headings = re.findall(r"^#+ (.*)", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_between_pages_lead_somewhere() -> None:
    for page in (*PAGES, EVIDENCE):
        for link, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", page.read_text()):
            to = page.parent / link if link else page
            assert to.exists(), f"{page.name}: {link}"
            assert not anchor or anchor in anchors(to), f"{page.name}: {link}#{anchor}"
        assert "![](" not in page.read_text(), f"{page.name}: a picture without a text"


def test_paragraphs_to_copy_have_the_numbers_of_their_commands() -> None:
    """Each decimal number of a quotation is one that is printed on its page, rounded."""
    found = 0
    for name in ("tutorial", "collections", "judgments", "methods"):
        page = (ROOT / "doc" / f"{name}.md").read_text()
        shown = "".join(re.findall(r"```console\n(.*?)```", page, re.S))
        printed = [abs(float(number)) for number in re.findall(r"\d+\.\d+(?:e-\d+)?", shown)]
        quoted = " ".join(re.findall(r"^> (.*)", page, re.M))
        for below, number in re.findall(r"(<? ?)(?<![\w.])[−+]?(\d*\.\d+)(?![\w.]*\w)", quoted):
            half = 0.5 * 10.0 ** -len(number.partition(".")[2]) + 1e-9
            found += 1
            if "<" in below:
                assert any(each < float(number) for each in printed), number
            else:
                assert any(abs(each - float(number)) <= half for each in printed), (number, quoted)
    assert found > 40


def plain(line: str) -> str:
    """A line of a man page's source as it is read."""
    return line.replace("\\-", "-").replace("\\\\", "\\")


EXAMPLES = sorted(
    {plain(line) for page in (ROOT / "man" / "sections").glob("*.man") for line in page.read_text().splitlines()
     if re.match(r"irci (?!itself)", plain(line))}
    | {plain(example) for page in (ROOT / "man").glob("*.1")
       for example in re.findall(r"Example: (irci (?!compile).*)", page.read_text())}
    | set(re.findall(r"`(irci [^`]+)`", (ROOT / "doc" / "questions.md").read_text())) - {"irci COMMAND -h"}
    | {example for examples in (MAIN_EXAMPLES, *(row.examples for row in COMMANDS.values())) for _, example in examples}
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's: qrels.txt, runs/ and the other files that examples name, of the topics with enough relevant documents."""
    path = tmp_path_factory.mktemp("examples")
    (path / "runs").mkdir()
    lines = (SMALL / "qrels.txt").read_text().splitlines()
    relevant = Counter(line.split()[0] for line in lines if not line.endswith(" 0"))
    kept = {topic for topic, count in relevant.items() if count >= 8}
    (path / "qrels.txt").write_text("".join(f"{line}\n" for line in lines if line.split()[0] in kept))
    for name in ("several", "leaderboard"):
        shutil.copytree(TESTDATA / name, path / name)
    for name in ("clusters.txt", "groups.tsv"):
        shutil.copy(SMALL / name, path)
    (path / "llm.qrels").write_text((SMALL / "qrels.txt").read_text())
    (path / "people.qrels").write_text("".join(f"{line}\n" for line in lines if line.split()[0] in sorted(kept)[:9]))
    runs = []
    for source in sorted((SMALL / "runs").iterdir()):
        text = source.read_bytes()
        text = gzip.decompress(text) if source.suffix == ".gz" else text
        text = text.replace(b" alpha\n", b" bm25\n")
        runs.append(text)
        (path / "runs" / f"{source.name.removesuffix('.gz')}.gz").write_bytes(gzip.compress(text))
    for name, text in zip(
        ("run.txt", "run1.txt", "run2.txt", "baseline.run", "new.run"), (*runs, runs[1])[1:], strict=True
    ):
        (path / name).write_bytes(text)
    other = (SMALL / "llm.txt").read_text().splitlines()
    for name in ("llm.txt", "person.txt", "p1.txt", "p2.txt", "p3.txt"):
        (path / name).write_text("".join(f"{line}\n" for line in other if line.split()[0] in kept))
    for name in ("a.eval", "b.eval"):
        run = "alpha" if name < "b" else "bravo"
        lines = said(f"irci ap-ci -q --quiet qrels.txt runs/{run}.run.gz", path)[1].splitlines()
        (path / name).write_text("".join("\t".join(line.split()[:3]) + "\n" for line in lines))  # as trec_eval's
    for name in ("first.tsv", "second.tsv", "scores.csv"):
        assert said(f"irci map-ci -n --quiet --save-scores {name} qrels.txt runs/*", path) == (0, "")
    for place, model in enumerate("ab"):
        (path / model).mkdir()
        items = "".join(f'{{"doc_id": {item}, "acc": {(item + place) % 3 % 2}}}\n' for item in range(9))
        (path / model / "samples_law_2026-01-02T03-04-05.67.jsonl").write_text(items)
    (path / "own.tsv").write_text("bm25\tllm\n")
    (path / "seeds.txt").write_text("alpha a 1\nbravo a 2\ncharlie b 1\ndelta b 2\necho echo -\n")
    assert said("irci stdap-ci --quiet --save-factors factors.tsv qrels.txt runs/*", path)[0] == 0
    assert said("irci map-ci --quiet -o report.json qrels.txt run1.txt run2.txt", path)[0] == 0
    return path


@pytest.fixture(scope="module")
def folder_of_versions(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with runs called bm25-v1 and so on, whose topic ids are three digits each for topic and version."""
    path = tmp_path_factory.mktemp("versions")
    (path / "runs").mkdir()
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    both = [[topic, *rest] for topic, *rest in lines] + [[f"1{int(topic):02}", *rest] for topic, *rest in lines]
    (path / "qrels.txt").write_text("".join(" ".join(fields) + "\n" for fields in both))
    for name, source in (("bm25", "alpha"), ("ql", "bravo")):
        text = gzip.decompress((folder / "runs" / f"{source}.run.gz").read_bytes()).decode()
        for version in (1, 2):
            made = [line.split() for line in text.splitlines()]
            made = [fields for fields in made if int(fields[3]) % (version + 2)]
            tagged = [[*fields[:5], f"{name}-v{version}"] for fields in made]
            tagged += [[f"1{int(f[0]):02}{v:03}", *f[1:5], f"{name}-v{version}"] for f in made for v in (1, 2)]
            (path / "runs" / f"{name}-v{version}").write_text("".join(" ".join(fields) + "\n" for fields in tagged))
    return path


@pytest.mark.sample(12)
@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_of_man_pages_and_help_run(example: str, folder: Path, folder_of_versions: Path) -> None:
    where = folder_of_versions if "--versions" in example else folder
    for line in example.split("; "):
        status, printed = said(line, where)
        assert status == (5 if "--fail-if not" in example else 0), printed
        assert "Traceback" not in printed


# What the lines of doc/papers.md leave open, of the small collection.
OPEN = {
    "QRELS": "testdata/small/qrels.txt", "RUN...": "testdata/small/runs/*", "RUN RUN": "testdata/small/runs/[ac]*",
    "--save-factors FILE": "--save-factors factors.tsv", "--groups FILE": "--groups testdata/groups.tsv",
    "REGEX": r"'(?P<system>.*)-v(?P<version>\d+)'", "random:5": "random:3", "-x 2,3,5": "-x 2,3", "--plot FILE": "",
    "COUNTS": "counts.csv", "--validate 10 ": "--validate 1 ", "--validate 1000": "--validate 50", "5,10,20,50": "5,10",
    "--sizes 50": "--sizes 5", "--sizes 25,50": "--sizes 2,5", "RUN": "testdata/small/runs/alpha*",
}  # fmt: skip
PAPERS = re.findall(r"`(irci [^`]+)`", (ROOT / "doc" / "papers.md").read_text())


@pytest.mark.sample(6)
@pytest.mark.parametrize("line", PAPERS)
def test_papers_tables_are_made(line: str, tmp_path: Path, folder_of_versions: Path) -> None:
    """Each line of doc/papers.md prints a table."""
    if "--versions" in line:
        tmp_path = folder_of_versions
        line = line.replace("QRELS RUN...", "qrels.txt runs/*")
    (tmp_path / "testdata").unlink(missing_ok=True)
    (tmp_path / "testdata").symlink_to(TESTDATA)
    (tmp_path / "counts.csv").write_text("A,B,10,3,2\nA,C,15,0,0\nB,C,1,2,12\n")
    for placeholder, words in OPEN.items():
        line = line.replace(placeholder, words)
    if line.startswith("irci partition-anova"):  # which takes topics with more relevant documents
        line = line.replace("small/", "")
    status, printed = said(line, tmp_path)
    assert status == 0, printed
    assert re.search(r"^\S+ *\t.*\t\d", printed, re.M), printed


def test_no_document_has_gone_unnoticed() -> None:
    """A test of nothing passes: every command has golden cases and examples, every command of the README is tested."""
    for lines in ([(case / "cmd").read_text() for case in CASES], EXAMPLES):
        assert set(COMMANDS) <= set(re.findall(r"\birci ([a-z-]+)", "\n".join(lines)))
    written = sum(len(re.findall(r"^\$ irci ", page.read_text(), re.M)) for page in PAGES)
    assert sum(len(session) for _, session in SESSIONS) == written > 20


def test_whom_to_cite() -> None:
    """By command and options, without files, whatever words stand where files would; every key has an entry."""
    plain = said("irci ap-ci --cite")[1]
    assert plain.startswith("@inproceedings{cormack2006,\n  author = {Gordon V. Cormack")
    assert (plain.count("@"), "@misc{irci,\n" in plain) == (2, True)  # the paper's and irci's own
    for words in ("--cite qrels swap", "qrels ab --cite", "--cite -o ab"):
        assert said(f"irci ap-ci {words}")[1] == plain
    assert "@" not in said("irci ap-ci -o --cite")[1]  # a file of this name is asked for
    for line, keys, no_key in (
        *((f"map-ci {asked} qrels runs", "smucker2007", "cormack2006") for asked in ("--test randomization", "--all-pairs")),
        ("map-ci --baseline a", "smucker2007", "romano2005"), ("map-ci --ranks", "smucker2007 romano2005", "cormack2006"),
        ("ap-ci --standardise=ab", "sakai2016", "voorhees2002"),
        ("partition-anova --test t,tukey", "carterette2012", "sakai2016"),
        ("compare", "irci", "cormack2006"), ("compare --population both", "cormack2006", "voorhees2002"),
        ("swap-error --procedure swap", "voorhees2002", "buckley2000"), ("swap-error", "buckley2000", "voorhees2002"),
    ):  # fmt: skip
        printed = said(f"irci {line} --cite")[1]
        assert [key for key in keys.split() if f"{{{key}," not in printed] == [], line
        assert f"{{{no_key}," not in printed, line
    entries = re.findall(r"^@\w+\{(\w+),", (ROOT / "irci" / "options" / "papers.bib").read_text(), re.M)
    cited = {"irci", *(paper for row in COMMANDS.values() for paper in row.cites.split())}
    cited |= {
        paper
        for command in COMMANDS
        for option in options_of(command).values()
        for papers in option.cites.values()
        for paper in papers.split()
    }
    assert sorted(cited) == sorted(entries)
    assert {*COMMANDS, "verify", "measures", "compile"} == set(main.commands)


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("irci sw", ["swap-error"]),
        ("irci map-ci --popul", ["--population"]),
        ("irci map-ci --population ", ["documents", "topics", "both"]),
        ("irci map-ci --table topic", ["topic", "topic_difference"]),
        ("irci ap-ci -m ndcg_", ["ndcg_cut", "ndcg_exp_cut"]),
    ],
)
def test_completion_of_commands_options_and_measures(words: str, completed: list[str]) -> None:
    asked = {"_IRCI_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    printed = CliRunner().invoke(main, prog_name="irci", env=asked).stdout
    found = [line.removeprefix("plain,") for line in printed.splitlines()]
    assert set(completed) <= set(found)
    assert all(each.startswith(words.split(" ")[-1]) for each in found)
