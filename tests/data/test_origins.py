"""Origins of saved scores: what may be compared is, what may not is refused by what differs, whatever holds the scores."""

import hashlib
import io
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_lines import irci, printed
from helpers import SMALL

import irci as python
from irci.data import score_reading
from irci.data.scanned_scores import NotPlain

QRELS, ALPHA, BRAVO = SMALL / "qrels.txt", SMALL / "runs" / "alpha.run", SMALL / "runs" / "bravo.run.gz"
SHELL = 'awk \'{print $1 "\\t" $3 "\\t" $4}\' | LC_ALL=C sort | sha256sum'
MEASURES = ("-m", "AP", "-m", "nDCG@10", "-m", "nERR@10")
COMPARE = ("compare", "--quiet", "--scores", "--baseline", "alpha")


def saved(folder: Path, name: str, *words: object, qrels: Path = QRELS, run: Path = ALPHA) -> Path:
    """The scores of a run, with their origins."""
    path = folder / f"{name}.tsv"
    chosen = () if "-m" in words else MEASURES
    printed("ap-ci", "-B", "0", "--quiet", *chosen, *words, "--save-scores", path, "--receipts", qrels, run)
    return path


def words_of(path: Path) -> dict[str, set[str]]:
    """The words of each measure in a file."""
    header, *rows = (line.split("\t") for line in path.read_text().splitlines())
    assert header[-1] == "source"
    return {row[2]: {each[-1] for each in rows if each[2] == row[2]} for row in rows}


def refused(*words: object) -> str:
    return irci(*COMPARE, *words, status=4).stderr


def with_other_grade(folder: Path) -> Path:
    """Judgments of which one says otherwise."""
    lines = QRELS.read_text().splitlines()
    place = next(place for place, line in enumerate(lines) if line.split()[3] == "1")
    lines[place] = lines[place].rsplit(None, 1)[0] + " 0"
    (folder / "other.txt").write_text("\n".join(lines) + "\n")
    return folder / "other.txt"


def test_words_against_other_tools(tmp_path: Path) -> None:
    """Level, judgments as awk and sort and sha256sum have them, and topics sorted; the same for every run and spelling."""
    found = words_of(saved(tmp_path, "a", "-l", "1"))
    judgments = subprocess.run(SHELL, shell=True, input=QRELS.read_bytes(), capture_output=True, check=True).stdout
    topics = sorted({line.split()[0] for line in QRELS.read_text().splitlines()})
    of_topics = hashlib.sha256("\n".join(topics).encode()).hexdigest()
    begin = {"AP": "a1", "nDCG@10": "a0", "nERR@10": "a1"}  # no level changes nDCG
    for measure, words in found.items():
        (word,) = words
        assert word[:9] == begin[measure] + judgments.decode()[:4] + of_topics[:3]
    assert len({word for words in found.values() for word in words}) == 3
    assert words_of(saved(tmp_path, "b", run=BRAVO)) == found
    spelled = words_of(saved(tmp_path, "c", "-m", "map", "-m", "ndcg_cut_10", "-m", "nERR(cutoff=10)"))
    assert list(spelled.values()) == list(found.values())
    assert words_of(saved(tmp_path, "d", "-l", "1", "--max-grade", "2")) == found  # the highest that there is


def test_scores_of_one_origin_are_compared_as_runs_are(tmp_path: Path) -> None:
    """From two files, joined by cat, and saved again; json has no more than from scores without origins."""
    a, b = saved(tmp_path, "a"), saved(tmp_path, "b", run=BRAVO)
    expected = printed("compare", "--quiet", *MEASURES, QRELS, ALPHA, BRAVO)
    assert printed(*COMPARE, a, b) == expected
    joined = tmp_path / "joined.tsv"
    joined.write_text(a.read_text() + b.read_text())
    assert printed(*COMPARE, joined) == expected
    again = tmp_path / "again.tsv"
    printed(*COMPARE, joined, "--save-scores", again, "--receipts")
    assert sorted(again.read_text().splitlines()) == sorted({*joined.read_text().splitlines()})
    printed(*COMPARE, joined, "--save-scores", again)
    assert "source" not in again.read_text()
    assert printed(*COMPARE, again) == expected
    settings = [json.loads(printed(*COMPARE, path, "--format", "json"))["signature"] for path in (again, joined)]
    assert settings[0].keys() ^ settings[1].keys() == {f"sha256:{again}", f"sha256:{joined}"}


OTHERS = {
    "other judgments": ("AP nDCG@10 nERR@10", ()),
    "other topics": ("AP nDCG@10 nERR@10", ("--topics", "1,2,5,6,8,9")),
    "relevance levels 2 and 1 (-l)": ("AP nERR@10", ("-l", 2)),
    "--depth": ("AP nDCG@10 nERR@10", ("--depth", 5)),
    "--judged-only": ("AP nDCG@10 nERR@10", ("-J",)),
    "--ties": ("AP nDCG@10 nERR@10", ("--ties", "file")),
    "--max-grade": ("nERR@10", ("--max-grade", 9)),
}


@pytest.mark.parametrize("what", OTHERS)
def test_scores_that_differ_in_one_thing_are_refused_by_its_name(what: str, tmp_path: Path) -> None:
    """Of the measures that it changes; --mixed compares them, and says so in the settings and in a line."""
    measures, options = OTHERS[what]
    a = saved(tmp_path, "a")
    qrels = with_other_grade(tmp_path) if what == "other judgments" else QRELS
    b = saved(tmp_path, "b", *options, qrels=qrels, run=BRAVO)
    for measure in ("AP", "nDCG@10", "nERR@10"):
        if measure not in measures.split():
            assert printed(*COMPARE, "-m", measure, a, b)
            assert "leave out --mixed" in refused("-m", measure, "--mixed", a, b)
            continue
        said = refused("-m", measure, a, b)
        ((word,), (other,)) = (words_of(path)[measure] for path in (b, a))
        assert f"{measure}: scores of bravo and of alpha cannot be compared: " in said
        assert f"({'source ' + word} and {other}); --mixed compares" in said
        named = [each for each in OTHERS if each in said.partition("cannot be compared")[2]]
        assert what in named
        assert len(named) == (4 if what.startswith("--") else 1)
    mixed = irci("compare", *COMPARE[2:], "--mixed", "--format", "json", a, b)
    assert json.loads(mixed.stdout)["signature"]["mixed"] is True
    assert mixed.stderr.count("compared all the same (--mixed)") == len(measures.split())


def test_topics_that_are_asked_for_make_others_no_matter(tmp_path: Path) -> None:
    """Where all runs have scores of the topics compared; not where one lacks some, which would count as 0."""
    some = "1,2,5,6,8,9"
    a, b = saved(tmp_path, "a"), saved(tmp_path, "b", "--topics", some, run=BRAVO)
    expected = printed("compare", "--quiet", *MEASURES, "--topics", some, QRELS, ALPHA, BRAVO)
    assert printed(*COMPARE, "--topics", some, a, b) == expected
    assert "other topics" in refused("--topics", "1,2,3", a, b)
    again = tmp_path / "again.tsv"
    printed(*COMPARE, "--topics", some, a, b, "--save-scores", again, "--receipts")
    assert words_of(again) == words_of(b)
    assert "leave out --mixed" in refused("--topics", some, "--mixed", a, b)


def test_rows_of_one_run_that_differ_among_themselves(tmp_path: Path) -> None:
    a = saved(tmp_path, "a", "-m", "AP")
    b = saved(tmp_path, "b", "-m", "AP", run=BRAVO)
    lines = a.read_text().splitlines()
    lines[-1] = lines[-1].replace("\ta1", "\ta3")
    a.write_text("\n".join(lines))
    assert "AP: scores of alpha, among themselves, cannot be compared: relevance levels 3 and 1 (-l)" in refused(a, b)
    again = tmp_path / "again.tsv"
    said = refused("--mixed", a, b, "--save-scores", again, "--receipts")
    assert "scores of alpha (AP) are of several sources" in said
    assert not again.exists()
    lines[-1] = lines[-1].replace("\ta3", "\tA3")
    a.write_text("\n".join(lines))
    said = irci(*COMPARE, a, b, status=3).stderr
    assert f"{a}:{len(lines)}: source 'A3" in said


def test_scores_without_an_origin_are_told_once(tmp_path: Path) -> None:
    """Rows of an older file, and cells that a data frame left empty; files that have no origins at all are as ever."""
    a, b = saved(tmp_path, "a"), saved(tmp_path, "b", run=BRAVO)
    plain = tmp_path / "plain.tsv"
    plain.write_text("".join(line.rpartition("\t")[0] + "\n" for line in b.read_text().splitlines()))
    expected = printed(*COMPARE, a, b)
    told = "bravo: scores without a source: nothing tells"
    empty = tmp_path / "empty.csv"
    of_bravo = plain.read_text().replace("\n", "\t\n").partition("\n")[2]
    empty.write_text(a.read_text() + of_bravo)
    for files in ([a, plain], [empty]):
        found = irci("compare", *COMPARE[2:], *files)
        assert found.stdout == expected
        assert found.stderr.count(told) == found.stderr.count("without a source") == 1
    c = tmp_path / "c.tsv"
    c.write_text(plain.read_text().replace("bravo", "alpha"))
    assert "source" not in irci("compare", *COMPARE[2:], plain, c).stderr


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_a_column_of_this_name_that_holds_other_things_is_ignored(separator: str, tmp_path: Path) -> None:
    path = tmp_path / "others.csv"
    rows = [["run", "source", "topic", "measure", "value"]]
    rows += [[run, f"news {run}", str(topic), "AP", f".{topic}"] for run in "ab" for topic in range(1, 5)]
    path.write_text("".join(separator.join(row) + "\n" for row in rows))
    (table,), _ = score_reading.read_scores([str(path)])
    assert not table.origins


def test_the_reader_of_columns_takes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They do not make it give up and have lines read one by one."""
    path = saved(tmp_path, "a")

    def none(*arguments: object) -> None:
        raise NotPlain

    monkeypatch.setattr(score_reading, "_line_by_line", none)
    (table,), _ = score_reading.read_scores([str(path)])
    assert set(table.origins) == {"AP", "nDCG@10", "nERR@10"}


def frames(paths: Sequence[Path]) -> list[object]:
    """The rows of files as frames of the libraries that are there, as they read them."""
    text = "".join(
        path.read_text() if not place else path.read_text().partition("\n")[2] for place, path in enumerate(paths)
    )
    found: list[object] = []
    for library in ("pandas", "polars"):
        try:
            module = __import__(library)
        except ImportError:
            continue
        read = {"sep": "\t"} if library == "pandas" else {"separator": "\t"}
        found.append(module.read_csv(io.BytesIO(text.encode()), **read))
    return found


def test_data_frames_keep_them(tmp_path: Path) -> None:
    a, b = saved(tmp_path, "a"), saved(tmp_path, "b", "--depth", 5, run=BRAVO)
    c = saved(tmp_path, "c", run=BRAVO)
    expected = python.compare(scores=[a, c], baseline="alpha").to_text()
    for same, mixed in zip(frames([a, c]), frames([a, b]), strict=True):
        assert python.compare(scores=same, baseline="alpha").to_text() == expected
        with pytest.raises(python.DataError, match="other settings"):
            python.compare(scores=mixed, baseline="alpha")
        report = python.compare(scores=mixed, baseline="alpha", mixed=True)
        assert report.signature["mixed"]
        assert any("compared all the same" in warning for warning in report.warnings)


def test_python_saves_them_too(tmp_path: Path) -> None:
    """Of judgments and runs in memory, whatever these are called."""
    held: dict[str, dict[str, int]] = {}
    for line in QRELS.read_text().splitlines():
        topic, _, docno, grade = line.split()
        held.setdefault(topic, {})[docno] = int(grade)
    path = tmp_path / "scores.tsv"
    python.score(held, [ALPHA], measures=list(MEASURES[1::2]), save_scores=path, receipts=True)
    assert path.read_text() == saved(tmp_path, "a").read_text()


PARTS = ("partition-anova", "--quiet", "-m", "AP", "--policy", "drop", "-B", 20, "--receipts")


def test_parts_differ_by_how_they_are_made(tmp_path: Path) -> None:
    """The whole does not; its word is that of scores that other commands save."""
    paths = []
    for seed, run in ((1, "charlie"), (1, "delta"), (2, "echo")):
        paths.append(tmp_path / f"{run}.tsv")
        runs = [SMALL / "runs" / name for name in ("alpha.run", f"{run}.run.gz")]
        printed(*PARTS, "--seed", seed, "--save-scores", paths[-1], QRELS, *runs)
        if run != "charlie":  # of which there are scores in both
            paths[-1].write_text(re.sub("(?m)^alpha\t.*\n", "", paths[-1].read_text()))
    rows = [[line.split("\t") for line in path.read_text().splitlines()[1:]] for path in paths]
    whole, parts = (
        [{row[-1] for row in of_file if (row[3] == "0") is is_whole} for of_file in rows] for is_whole in (True, False)
    )
    assert whole[0] == whole[1] == whole[2] == words_of(saved(tmp_path, "a", "-m", "AP", "--no-relevant", "drop"))["AP"]
    assert parts[0] == parts[1] != parts[2]
    joined = ("partition-anova", "--quiet", "--scores", "--policy", "drop", "-B", 20)
    assert printed(*joined, *paths[:2])
    said = irci(*joined, *paths, status=4).stderr
    assert "AP on parts: scores of echo and of alpha cannot be compared: another definition of the measure" in said
    mixed = printed(*joined, "--mixed", "--format", "json", *paths)
    assert json.loads(mixed)["signature"]["mixed"] is True
