"""Split-half validation: halves against splitting the files, counts against ap-ci and map-ci run on the halves' own files,
and, where the model holds exactly, the share that it predicts."""

import hashlib
import itertools
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from command_lines import rows
from helpers import QRELS, RUNS, ap_scores, lists_of, resampled_scores, unpacked, written
from scipy import stats

from irci.base import DataError, FormatError
from irci.base.streams import Purpose, seed_word, topic_keys
from irci.data.collection import Relevance, judge
from irci.data.inputs import read_qrels, read_run
from irci.data.parts import Split, halves, hash_split, md5_halves, within_part
from irci.data.rankings import Docnos
from irci.estimators.ap_ci import KINDS, Half, IntervalMethod, in_halves, on_halves, outcome
from irci.kernels.words import PADDING
from irci.stats.scales import LOGIT, PLAIN


def rows_of(command: str, *arguments: object) -> list[dict[str, Any]]:
    return rows(command, "-B", "200", *arguments)


def docnos_of(names: list[str]) -> Docnos:
    data = "".join(names).encode()
    length = np.array([len(name) for name in names], np.int32)
    start = np.cumsum(length) - length
    padded = np.frombuffer(data + bytes(PADDING), np.uint8)
    return Docnos(padded, start.astype(np.int64), length, np.zeros(len(names), np.uint64))


NAMES = [f"doc-{number}" for number in range(20_000)]


def test_hash_split_against_naive() -> None:
    word = int(seed_word(3, Purpose.SPLIT))
    for number in (7, 0):
        word = naive.splitmix(word ^ naive.splitmix(number))
    expected = [naive.splitmix(naive.docno_hash(name.encode()) ^ word) % 5 for name in NAMES[:300]]
    assert hash_split(3, 7, parts=5)(docnos_of(NAMES[:300])).tolist() == expected


def test_md5_split_is_the_parity_of_the_digest() -> None:
    expected = [int(hashlib.md5(name.encode()).hexdigest(), 16) % 2 for name in NAMES[:500]]
    assert md5_halves(docnos_of(NAMES[:500])).tolist() == expected


def test_file_split(tmp_path: Path) -> None:
    path = tmp_path / "parts"
    path.write_text("".join(f"{name} {'left' if i % 3 else 'right'}\n" for i, name in enumerate(NAMES[:30])))
    (split,) = halves(str(path), 1)
    assert split(docnos_of(NAMES[:30])).tolist() == [int(i % 3 == 0) for i in range(30)]
    with pytest.raises(DataError, match="no part for document 'doc-30'"):
        split(docnos_of(NAMES[:31]))
    for text, message in (
        ("a 1\nb 2\nb 1\n", "3: document 'b' twice"),
        ("a 1\n\nb\n", "3: 1 fields, expected 2"),
        ("a 1\nb 1\n", "1 parts, expected 2"),
    ):
        path.write_text(text)
        with pytest.raises(FormatError, match=message):
            halves(str(path), 1)


def split_files(folder: Path, run: str, split: Split) -> list[tuple[str, str]]:
    """The qrels and the run of either half, as files: lines kept or not."""
    made: list[list[str]] = [[], []]
    for source in (QRELS, run):
        lines = unpacked(Path(source)).decode().splitlines(keepends=True)
        part = split(docnos_of([line.split()[2] for line in lines]))
        for half in (0, 1):
            kept = "".join(line for line, of in zip(lines, part, strict=True) if of == half)
            made[half].append(written(folder / f"{Path(source).name}.{half}.txt", kept))
    return [(qrels, half_run) for qrels, half_run in made]


@pytest.mark.parametrize("split", [hash_split(1, 1), md5_halves], ids=["hash", "md5"])
def test_halves_against_split_files(tmp_path: Path, split: Split) -> None:
    run = RUNS[2]
    whole = read_qrels(QRELS)
    relevance = Relevance.of(whole, "relevance")
    lines = read_run(run)
    judged = judge(whole, lines)
    part = split(lines.docnos.take(judged.lines))
    judged_halves = [within_part(judged, part == half) for half in (0, 1)]
    found = on_halves(judged_halves, in_halves(whole, relevance, split))
    for (value, lists), (qrels, half_run) in zip(found, split_files(tmp_path, run, split), strict=True):
        judgments, rankings = naive.read_qrels(qrels), naive.read_run(half_run)
        for place, topic in enumerate(whole.topics):
            relevant = {docno for docno, grade in judgments.get(topic, {}).items() if grade > 0}
            ranking = [int(docno in relevant) for docno in rankings.get(topic, [])]
            assert value[place] == pytest.approx(naive.average_precision(ranking, len(relevant)), abs=1e-14)
            ranks = lists.ranks[lists.offsets[place] : lists.offsets[place + 1]]
            assert ranks.tolist() == [rank for rank, hit in enumerate(ranking, 1) if hit]
            assert (lists.num_relevant[place], lists.retrieved[place]) == (len(relevant), len(ranking))


def usable_topics(folder: Path, run: str, split: Split) -> tuple[list[tuple[str, str]], list[str]]:
    """The files of the halves, and the topics that the run has and of which either half has relevant documents."""
    files = split_files(folder, run, split)
    common = set(naive.read_run(run))
    for qrels, _ in files:
        common &= {topic for topic, judged in naive.read_qrels(qrels).items() if max(judged.values()) > 0}
    return files, sorted(topic.decode() for topic in common)


PRINTED = [kind for kind in KINDS if kind != "delta-logit"]  # of resamples: ap-ci's parametric one is by a formula


@pytest.mark.sample(1)
@pytest.mark.parametrize("published", [False, True])
def test_counts_against_ap_ci_on_the_halves(tmp_path: Path, published: bool) -> None:
    """Two runs, one of which lacks a topic: limits printed for one half's files, values for the other's."""
    counted: dict[tuple[str, str, str, str], list[int]] = {}
    for run in (RUNS[0], RUNS[3]):
        (tmp_path / Path(run).name).mkdir()
        files, topics = usable_topics(tmp_path / Path(run).name, run, md5_halves)
        for direction, here, there in (("A", 0, 1), ("B", 1, 0)):
            chosen = ["-q", "-n", "--topics", ",".join(topics)]
            values = {row["topic"]: row["value"] for row in rows_of("ap-ci", "-B", "0", *chosen, *files[there])}
            relevant = naive.read_qrels(files[here][0])
            for kind in PRINTED:
                for correction, option in (("none", ["--small-r", "none"]), ("wider", [])):
                    for row in rows_of("ap-ci", *chosen, "--interval", kind, *option, *files[here]):
                        other = values[row["topic"]]
                        shown = min(max(other, 1e-5), 1 - 1e-5) if published and "logit" in kind else other
                        lower, upper = row["lower"] - 1e-12, row["upper"] + 1e-12
                        inside = lower <= other <= upper or lower <= shown <= upper
                        place = 1 if inside else 0 if other < lower else 2
                        num_relevant = sum(grade > 0 for grade in relevant[str(row["topic"]).encode()].values())
                        for filtered in ("all", "R>5") if num_relevant > 5 else ("all",):
                            counted.setdefault((direction, kind, correction, filtered), [0, 0, 0])[place] += 1
    found = rows_of("ap-ci", "--validate", "md5", *(["--published"] if published else []), QRELS, RUNS[0], RUNS[3])
    assert (len(found), len(counted)) == (2 * 5 * 2 * 2, 2 * 4 * 2 * 2)
    for row in found:
        name = (row["direction"], str(row["interval"]).removesuffix("/bootstrap"), row["correction"], row["relevant"])
        if name[1] not in PRINTED:
            continue
        expected = counted[name]
        shares = [100 * count / sum(expected) for count in expected]
        assert [row["below"], row["in"], row["above"]] == pytest.approx(shares, abs=1e-9)


@pytest.mark.parametrize("option", [[], ["--small-r", "none"]])
def test_means_against_map_ci_on_the_halves(option: list[str], tmp_path: Path) -> None:
    """One run: all of it lies below, in or above, by the limits that map-ci prints for one half's files."""
    files, topics = usable_topics(tmp_path, RUNS[1], md5_halves)
    found = rows_of("map-ci", "--validate", "md5", *option, QRELS, RUNS[1])
    shares = {(row["interval"], row["direction"]): row for row in found}
    assert len(shares) == 8
    chosen = ["-m", "map", "-m", "lmap", "--topics", ",".join(topics), "--population", "documents", *option]
    for method, interval in (("bootstrap", "linear"), ("parametric", "parametric")):
        of_halves = [rows_of("map-ci", "--interval", interval, *chosen, *of_half) for of_half in files]
        on_halves = [{row["measure"]: row for row in found} for found in of_halves]
        for (half, name), measure in itertools.product(enumerate("AB"), ("map", "lmap")):
            here, there = on_halves[half][measure], on_halves[1 - half][measure]["value"]
            place = ["below", "in", "above"][1 + int(there > here["upper"]) - int(there < here["lower"])]
            assert shares[f"{measure}/{method}", name][place] == 100


def test_published_means_are_centred_on_resampled_map_without_a_correction() -> None:
    """Topics with one relevant document, on the other half at another rank: MAP's limits are about mean resampled MAP."""
    here, other = lists_of(*[([1, 0, 1], 2)] * 6), lists_of(*[([0, 1], 2)] * 6)
    keys = topic_keys([b"%d" % n for n in range(6)])
    halves = [(ap_scores(lists), lists) for lists in (here, other)]
    settings = IntervalMethod(resamples=500, published=True)
    found = outcome(*halves, np.ones(6, np.bool_), keys, settings)[1]
    replicates = resampled_scores(here, keys, resamples=500, seed=1)
    z = stats.norm.ppf(0.975)
    for row, scale in enumerate((PLAIN, LOGIT)):
        of_means = scale.forward(replicates).mean(axis=0)
        means = [scale.forward(value).mean() for value, _ in halves]
        limits = (means[0] if row else of_means.mean()) + np.array([-z, z]) * of_means.std(ddof=1)
        assert found[row] == pytest.approx([scale.back(means[0]), *scale.back(limits), scale.back(means[1])])


def half(ranking: list[int], num_relevant: int) -> Half:
    lists = lists_of((ranking, num_relevant))
    return np.array([naive.average_precision(ranking, num_relevant)]), lists


@pytest.mark.parametrize(("published", "place"), [(False, 0), (True, 1)])
def test_a_score_of_0_is_inside_only_where_it_lies_unless_published(
    published: bool, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AP 0 there, and a lower limit here that is more than 0 though no more than epsilon."""
    for module in ("irci.stats.scales", "irci.estimators.ap_ci"):
        monkeypatch.setattr(f"{module}.EPSILON", 0.05)
    settings = IntervalMethod(resamples=500, published=published)
    counts, _ = outcome(half([0, 0, 1], 2), half([], 2), np.ones(1, np.bool_), topic_keys([b"1"]), settings)
    counts = counts[KINDS.index("logit"), :, 0]
    assert counts[0].tolist() == [int(place == i) for i in range(3)]
