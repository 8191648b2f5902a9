"""Which documents of a run count, and in which order: -J, --ties, and runs whose documents are none of the collection's."""

import json
from pathlib import Path

import naive
import pytest
from command_lines import irci, printed, result_lines, warnings_of
from helpers import QRELS, SMALL, all_written, refusal, unpacked, written
from hypothesis import given
from hypothesis import strategies as st

from irci.data import inputs as trec
from irci.data.collection import judge

NAMES = ("alpha", "charlie", "delta")  # few ties; a thousand; a topic missing
FILES = {name: next((SMALL / "runs").glob(f"{name}.run*")) for name in NAMES}


COMMANDS = [["ap-ci"], ["map-ci"], ["stdap-ci"], ["swap-error", "--sizes", "5", "--trials", "2"], ["wcw"],
            ["partition-anova", "--policy", "drop", "-B", "50"]]  # fmt: skip


@pytest.fixture(scope="module")
def judged_alone(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The runs without the lines of documents that have no judgment; their topics have some each."""
    judgments = naive.read_qrels(QRELS)
    folder = tmp_path_factory.mktemp("judged")
    for name, path in FILES.items():
        lines = [line for line in unpacked(path).splitlines() if line.split()[2] in judgments[line.split()[0]]]
        (folder / name).write_bytes(b"\n".join(lines))
    return [folder / name for name in NAMES]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "command",
    ["ap-ci -q -B 200 -m map -m P_5 -m num_ret -m bpref -m infAP", "map-ci -B 100 --all-pairs --population documents",
     "ap-ci --validate 2 -B 50", "partition-anova --policy drop -B 50", "swap-error --sizes 5 --trials 2"],
)  # fmt: skip
def test_judged_only_is_as_if_nothing_else_had_been_retrieved(command: str, judged_alone: list[Path]) -> None:
    """Under resampled documents and on parts too: the ranking of judged documents is what is resampled."""
    expected = printed(*command.split(), QRELS, *judged_alone)
    assert printed(*command.split(), "-J", QRELS, *FILES.values()) == expected
    assert printed(*command.split(), QRELS, *FILES.values()) != expected


def test_documents_with_a_negative_grade_are_not_judged(tmp_path: Path) -> None:
    """And -M cuts before they are taken out, as in trec_eval."""
    lines = (f"1 Q0 {docno} 1 {9 - place} x\n" for place, docno in enumerate("abcdef"))
    qrels, run = all_written(tmp_path, {"qrels": "1 0 b -1\n1 0 c 1\n1 0 d 0\n1 0 e 2\n", "run": "".join(lines)})
    judgments = trec.read_qrels(qrels)
    for depth, grades in ((None, [1, 0, 2]), (4, [1, 0]), (2, [])):
        judged = judge(judgments, trec.read_run(run), depth, judged_only=True)
        assert judgments.grade[judged.rows].tolist() == grades
        assert judged.ranks.tolist() == list(range(1, len(grades) + 1))
        assert judged.retrieved.tolist() == [len(grades)]


Line = tuple[str, str, int, str]
LINE = st.tuples(st.sampled_from(["1", "2"]), st.sampled_from("3210"), st.integers(-3, 3), st.sampled_from("abcdefgh"))


@given(lines=st.lists(LINE, min_size=1, max_size=20, unique_by=lambda line: (line[0], line[3])))
def test_ties_against_definition(tmp_path_factory: pytest.TempPathFactory, lines: list[Line]) -> None:
    run = "".join(f"{topic} Q0 {docno} {rank} {score} x\n" for topic, score, rank, docno in lines)
    qrels = "".join(f"{topic} 0 {docno} 1\n" for topic in "12" for docno in "abcdefgh")
    files = all_written(tmp_path_factory.mktemp("run"), {"qrels": qrels, "run": run})
    judgments = trec.read_qrels(files[0])
    text = judgments.docnos.buffer.tobytes()
    # In Python's stable sort the last key decides first.
    by_docno = sorted(lines, key=lambda line: line[3], reverse=True)
    orders = {"docno": by_docno, "rank": sorted(by_docno, key=lambda line: line[2]), "file": lines}
    for ties, ordered in orders.items():
        judged = judge(judgments, trec.read_run(files[1], ties=ties))  # type: ignore[arg-type]
        for place, topic in enumerate("12"):
            rows = judged.rows[judged.offsets[place] : judged.offsets[place + 1]]
            found = [text[start : start + 1].decode() for start in judgments.docnos.start[rows]]
            expected = sorted((line for line in ordered if line[0] == topic), key=lambda line: -int(line[1]))
            assert found == [line[3] for line in expected]


def test_ties_in_all_commands(tmp_path: Path) -> None:
    """A run all of whose scores are equal is its rank column, or its file, told to go by that."""
    ranked: dict[str, list[str]] = {}
    for topic, _, docno, *_ in map(str.split, unpacked(FILES["alpha"]).decode().splitlines()):
        ranked.setdefault(topic, []).append(docno)
    tied = [(topic, docno, rank) for topic in ranked for rank, docno in enumerate(ranked[topic], 1)]
    fallen = "".join(f"{topic} Q0 {docno} {rank} {-rank} alpha\n" for topic, docno, rank in tied)
    falling = written(tmp_path / "falling", fallen)
    by_rank = sorted(tied, key=lambda line: str(line[2]))
    for ties, order, lines in (("file", "as in the file", tied), ("rank", "by rank", by_rank)):
        text = "".join(f"{topic} Q0 {docno} {rank} 1 alpha\n" for topic, docno, rank in lines)
        run = written(tmp_path / "run", text)
        for command in (["ap-ci", "-q", "-B", "50"], ["map-ci"]):
            found = irci(*command, "--ties", ties, QRELS, run)
            assert found.stdout == irci(*command, QRELS, falling).stdout
            assert f"ordered {order}" in found.stderr
            assert irci(*command, QRELS, run).stdout != found.stdout


def test_ranks_are_read_only_where_ties_go_by_them(tmp_path: Path) -> None:
    lines = ("web-1 1 2", "", "web-2 second 1", "web-3 1.5 1", "web-4 99999999999999999999 1")
    run = written(tmp_path / "run", "".join(f"1  Q0\t{line} x\n" * bool(line) or "\n" for line in lines))
    told = refusal(lambda: trec.read_run(run, ties="rank"), run)
    assert told == [":3: rank 'second' is not an integer (--ties rank) (and 2 more lines: 4, 5)"]
    irci("ap-ci", "--ties", "rank", QRELS, run, status=3)
    assert len(trec.read_run(run).score) == 4


@pytest.mark.parametrize("options", [["-J"], ["--ties", "rank"]])
def test_rankings_are_refused_where_there_are_none(options: list[str]) -> None:
    for command in {command for command, *_ in COMMANDS} - {"partition-anova"}:
        assert "leave out --" in irci(command, "--scores", *options, QRELS, status=2).stderr
    irci("wcw", "--variance", "AP=.1", *options, status=2)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_rankings_are_in_the_signature(command: list[str]) -> None:
    shown = irci(*command, "-J", "--ties", "file", "--format", "json", QRELS, *FILES.values(), status=0)
    signature = json.loads(shown.stdout)["signature"]
    assert (signature["judged_only"], signature["ties"]) == (True, "file")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_docnos_that_never_match_are_refused(command: list[str], tmp_path: Path) -> None:
    """A frequent accident, which trec_eval scores 0. With the right docnos a run may well find nothing."""
    lines = [line.split() for line in unpacked(FILES["alpha"]).decode().splitlines()]
    other = "".join(f"{topic} Q0 doc:{docno} 1 {score} x\n" for topic, _, docno, _, score, _ in lines)
    run = written(tmp_path / "run", other)
    refused = irci(*command, QRELS, FILES["alpha"], run, status=4)
    assert refused.stdout == ""
    own, judged = lines[0][2], Path(QRELS).read_text().split()[2]
    assert (
        f"irci: {run}: none of its documents is judged; are docnos spelled differently?"
        f" (docno doc:{own} of {run}; docno {judged} of {QRELS})\n" in refused.stderr
    )


def test_a_run_that_finds_nothing_judged_among_what_is_used_scores_0(tmp_path: Path) -> None:
    texts = {"qrels": "1 0 a 1\n2 0 b 1\n", "run": "1 Q0 x 1 2 r\n1 Q0 a 2 1 r\n2 Q0 x 1 1 r\n"}
    for options in (["--topics", "2"], ["-M", "1"], ["-J", "-M", "1"]):
        found = irci("ap-ci", "-B", "0", *options, *all_written(tmp_path, texts), status=0)
        assert result_lines(found.stdout)[-1] == "map                   \tall\t0.0000\tnan\tnan\tr"


@pytest.mark.parametrize(("docno", "status"), [("a", 0), ("x", 4)])
def test_docnos_of_versions_that_never_match_are_refused(docno: str, status: int, tmp_path: Path) -> None:
    texts = {name: "".join(f"{topic} Q0 {docno} 1 1 {name}\n" for topic in ("1u", "1v", "2u", "2v")) for name in "rs"}
    files = all_written(tmp_path, {"qrels": "1 0 a 1\n2 0 b 1\n", **texts})
    found = irci("swap-error", "--versions", "(?P<topic>.)(?P<version>[uv])", *files, status=status)
    assert ("none of its documents is judged" in found.stderr) == (status == 4)


STANDARDISED = "standardised scores: no limits: they depend on the other runs (irci map-ci gives limits over topics)"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["ap-ci", "-m", "num_ret"], ["num_ret: no limits: a count has none"]),
        (["ap-ci", "-q", "-m", "map", "-m", "P_5"], []),
        (["ap-ci", "-B", "0", "-m", "num_ret", "-m", "map"], []),
        (["ap-ci", "--standardise", "z"], [STANDARDISED]),
        (["map-ci", "-m", "gm_map", "-m", "map"], []),
        (["map-ci", "--topics", "1"], []),
        (["map-ci", "--topics", "1", "--interval", "t"], ["only 1 topic: no limits over topics"]),
        (["map-ci", "--topics", "1", "--population", "documents"], []),
        (["stdap-ci", "--topics", "1", "--standardise", "none"], ["only 1 topic: no limits over topics"]),
    ],
)  # fmt: skip
def test_no_limits_say_why_once_a_measure(command: list[str], told: list[str]) -> None:
    few = ["-B", "50"] if command[0] == "ap-ci" and "-B" not in command else []
    warned = warnings_of(*command, *few, QRELS, FILES["alpha"], FILES["charlie"])
    assert [line for line in warned if "no limits" in line] == told
