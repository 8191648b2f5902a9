"""Which documents of a run count, and in which order: -J, --ties, and runs whose documents are none of the collection's."""

import gzip
import json
from pathlib import Path

import naive
import pytest
from command_lines import irci, result_lines
from helpers import SMALL
from hypothesis import given
from hypothesis import strategies as st

from irci.base.errors import FormatError
from irci.data import ranking_files as trec
from irci.data.collection import Collection, judge

QRELS = str(SMALL / "qrels.txt")
NAMES = ("alpha", "charlie", "delta")  # few ties; a thousand; a topic missing
FILES = {name: next((SMALL / "runs").glob(f"{name}.run*")) for name in NAMES}


def read(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


@pytest.fixture(scope="module")
def judged_alone(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The runs without the lines of documents that have no judgment; their topics have some each."""
    judgments = naive.read_qrels(QRELS)
    folder = tmp_path_factory.mktemp("judged")
    for name, path in FILES.items():
        lines = [line for line in read(path).splitlines() if line.split()[2] in judgments[line.split()[0]]]
        (folder / name).write_bytes(b"\n".join(lines))
    return [folder / name for name in NAMES]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "command",
    [
        ["ap-ci", "-q", "-B", "200", "-m", "map", "-m", "P_5", "-m", "num_ret", "-m", "bpref", "-m", "infAP"],
        ["map-ci", "-B", "100", "--all-pairs", "--population", "documents"],
        ["ap-ci", "--validate", "2", "-B", "50"],
        ["partition-anova", "--policy", "drop", "-B", "50"],
        ["swap-error", "--sizes", "5", "--trials", "2"],
    ],
)
def test_judged_only_is_as_if_nothing_else_had_been_retrieved(command: list[str], judged_alone: list[Path]) -> None:
    """Under resampled documents and on parts too: the ranking of judged documents is what is resampled."""
    expected = irci(*command, QRELS, *judged_alone)
    assert expected.exit_code == 0, expected.stderr
    assert irci(*command, "-J", QRELS, *FILES.values()).stdout == expected.stdout
    assert irci(*command, QRELS, *FILES.values()).stdout != expected.stdout


def test_documents_with_a_negative_grade_are_not_judged(tmp_path: Path) -> None:
    """And -M cuts before they are taken out, as in trec_eval."""
    (tmp_path / "run").write_text("".join(f"1 Q0 {docno} 1 {9 - place} x\n" for place, docno in enumerate("abcdef")))
    (tmp_path / "qrels").write_text("1 0 b -1\n1 0 c 1\n1 0 d 0\n1 0 e 2\n")
    collection, run = Collection.of(trec.read_qrels(str(tmp_path / "qrels"))), trec.read_run(str(tmp_path / "run"))
    for depth, grades in ((None, [1, 0, 2]), (4, [1, 0]), (2, [])):
        judged = judge(collection, run, depth, judged_only=True)
        assert collection.qrels.grade[judged.rows].tolist() == grades
        assert judged.ranks.tolist() == list(range(1, len(grades) + 1))
        assert judged.retrieved.tolist() == [len(grades)]


LINE = st.tuples(st.sampled_from(["1", "2"]), st.sampled_from("3210"), st.integers(-3, 3), st.sampled_from("abcdefgh"))


@given(lines=st.lists(LINE, min_size=1, max_size=20, unique_by=lambda line: (line[0], line[3])))
def test_ties_against_definition(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, str, int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    (folder / "run").write_text(
        "".join(f"{topic} Q0 {docno} {rank} {score} x\n" for topic, score, rank, docno in lines)
    )
    (folder / "qrels").write_text("".join(f"{topic} 0 {docno} 1\n" for topic in "12" for docno in "abcdefgh"))
    collection = Collection.of(trec.read_qrels(str(folder / "qrels")))
    text = collection.qrels.docnos.buffer.tobytes()
    # In Python's stable sort the last key decides first.
    by_docno = sorted(lines, key=lambda line: line[3], reverse=True)
    orders = {"docno": by_docno, "rank": sorted(by_docno, key=lambda line: line[2]), "file": lines}
    for ties, ordered in orders.items():
        judged = judge(collection, trec.read_run(str(folder / "run"), ties=ties))  # type: ignore[arg-type]
        for place, topic in enumerate("12"):
            rows = judged.rows[judged.offsets[place] : judged.offsets[place + 1]]
            found = [text[start : start + 1].decode() for start in collection.qrels.docnos.start[rows]]
            expected = sorted((line for line in ordered if line[0] == topic), key=lambda line: -int(line[1]))
            assert found == [line[3] for line in expected]


def test_ties_in_all_commands(tmp_path: Path) -> None:
    """A run all of whose scores are equal is its rank column, or its file, told to go by that."""
    lines = [line.split() for line in read(FILES["alpha"]).decode().splitlines()]
    run, ranked = tmp_path / "run", {}
    for topic, _, docno, _, _, _ in lines:
        ranked.setdefault(topic, []).append(docno)
    tied = [
        [topic, "Q0", docno, str(rank), "1", "alpha"] for topic in ranked for rank, docno in enumerate(ranked[topic], 1)
    ]
    falling = tmp_path / "falling"
    falling.write_text("".join(" ".join([*line[:4], str(-int(line[3])), line[5]]) + "\n" for line in tied))
    for ties, written in (("file", tied), ("rank", sorted(tied, key=lambda line: line[2]))):
        run.write_text("".join(" ".join(line) + "\n" for line in written))
        for command in (["ap-ci", "-q", "-B", "50"], ["map-ci"]):
            found = irci(*command, "--ties", ties, QRELS, run)
            assert found.stdout == irci(*command, QRELS, falling).stdout
            assert f"ordered {'by rank' if ties == 'rank' else 'as in the file'}" in found.stderr
            assert irci(*command, QRELS, run).stdout != found.stdout


def test_ranks_are_read_only_where_ties_go_by_them(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text(
        "1 Q0 web-1 1 2 x\n\n1 Q0 web-2 second 1 x\n1 Q0 web-3 1.5 1 x\n1  Q0\tweb-4 99999999999999999999 1 x\n"
    )
    with pytest.raises(FormatError) as caught:
        trec.read_run(str(run), ties="rank")
    assert str(caught.value).splitlines() == [
        f"{run}:3: rank 'second' is not an integer (--ties rank) (and 2 more lines: 4, 5)"
    ]
    assert irci("ap-ci", "--ties", "rank", QRELS, run).exit_code == 3
    assert len(trec.read_run(str(run)).score) == 4


@pytest.mark.parametrize("options", [["-J"], ["--ties", "rank"]])
def test_rankings_are_refused_where_there_are_none(options: list[str]) -> None:
    for command in ("ap-ci", "map-ci", "stdap-ci", "swap-error", "wcw", "partition-anova"):
        refused = irci(command, "--scores", *options, QRELS)
        assert refused.exit_code == 2, command
        assert "leave out --" in refused.stderr
    assert irci("wcw", "--variance", "AP=.1", *options).exit_code == 2


@pytest.mark.parametrize("command", ["ap-ci", "map-ci", "stdap-ci", "swap-error", "wcw", "partition-anova"])
def test_rankings_are_in_the_signature(command: str) -> None:
    few = {"partition-anova": ["--policy", "drop", "-B", "50"], "swap-error": ["--sizes", "5", "--trials", "2"]}
    shown = irci(command, *few.get(command, ()), "-J", "--ties", "file", "--format", "json", QRELS, *FILES.values())
    assert shown.exit_code == 0, shown.stderr
    signature = json.loads(shown.stdout)["signature"]
    assert (signature["judged_only"], signature["ties"]) == (True, "file")


@pytest.mark.parametrize(
    "command", [["ap-ci"], ["map-ci"], ["stdap-ci"], ["swap-error"], ["wcw"], ["partition-anova", "--policy", "drop"]]
)
def test_docnos_that_never_match_are_refused(command: list[str], tmp_path: Path) -> None:
    """A frequent accident, which trec_eval scores 0. With the right docnos a run may well find nothing."""
    run = tmp_path / "run"
    lines = [line.split() for line in read(FILES["alpha"]).decode().splitlines()]
    run.write_text("".join(f"{topic} Q0 doc:{docno} 1 {score} x\n" for topic, _, docno, _, score, _ in lines))
    refused = irci(*command, QRELS, FILES["alpha"], run)
    assert refused.exit_code == 4
    assert refused.stdout == ""
    own, judged = lines[0][2], Path(QRELS).read_text().split()[2]
    assert (
        f"irci: {run}: none of its documents is judged; are docnos spelled differently?"
        f" (docno doc:{own} of {run}; docno {judged} of {QRELS})\n" in refused.stderr
    )


def test_a_run_that_finds_nothing_judged_among_what_is_used_scores_0(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    (tmp_path / "run").write_text("1 Q0 x 1 2 r\n1 Q0 a 2 1 r\n2 Q0 x 1 1 r\n")
    for options in (["--topics", "2"], ["-M", "1"], ["-J", "-M", "1"]):
        found = irci("ap-ci", "-B", "0", *options, tmp_path / "qrels", tmp_path / "run")
        assert found.exit_code == 0, found.stderr
        assert result_lines(found.stdout)[-1] == "map                   \tall\t0.0000\tnan\tnan\tr"


def test_docnos_of_versions_that_never_match_are_refused(tmp_path: Path) -> None:
    rule = "(?P<topic>.)(?P<version>[uv])"
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n")
    for docno, status in (("a", 0), ("x", 4)):
        for name in "rs":
            lines = [f"{topic}{version} Q0 {docno} 1 1 {name}\n" for topic in "12" for version in "uv"]
            (tmp_path / name).write_text("".join(lines))
        found = irci("swap-error", "--versions", rule, tmp_path / "qrels", tmp_path / "r", tmp_path / "s")
        assert found.exit_code == status, found.stderr
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
    shown = irci(*command, *few, QRELS, FILES["alpha"], FILES["charlie"])
    assert shown.exit_code == 0, shown.stderr
    assert [line.removeprefix("irci: warning: ") for line in shown.stderr.splitlines() if "no limits" in line] == told
