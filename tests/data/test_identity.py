"""Which document is which: bytes decide, whatever hashes say, and nobody can make tables slow or streams the same.

Docnos that share the public hash are forged; under a secret of zeros all table hashes are 0.
"""

import hashlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import naive
import numpy as np
import pytest
from command_lines import printed
from forging import twins
from helpers import SMALL, all_written, ranked, refusal, written
from hypothesis import given, settings
from hypothesis import strategies as st

from irci.base.streams import told_apart, topic_keys
from irci.data import inputs as trec
from irci.data import rankings
from irci.data.collection import Relevance
from irci.estimators.joint_resamples import Rankings, paired_replicates

RESAMPLES = 20_000
Z = 4  # standard errors
RUNS = [str(SMALL / "runs" / name) for name in ("alpha.run", "bravo.run.gz", "charlie.run.gz")]
SECRETS = [np.zeros(2, np.uint64), np.array([1, 3], np.uint64), np.array([2**63 + 12345, 2**64 - 5], np.uint64)]


def under(secret: np.ndarray) -> mock._patch:
    return mock.patch.object(rankings, "_secret", secret)


def collection_of(folder: Path, relevant: list[bytes], *runs: list[bytes]) -> tuple[str, list[str]]:
    """Files of one topic: its relevant documents, and runs in ranking order."""
    qrels = written(folder / "qrels", b"".join(b"1 0 %b 1\n" % docno for docno in relevant))
    texts = {
        f"run{number}": b"".join(b"1 Q0 %b 1 %d run%d\n" % (docno, -rank, number) for rank, docno in enumerate(docnos))
        for number, docnos in enumerate(runs)
    }
    return qrels, all_written(folder, texts)


def replicates(qrels: str, runs: list[str], resamples: int) -> np.ndarray:
    """float64[runs, B]: resampled together, as map-ci does."""
    judgments = trec.read_qrels(qrels)
    rankings = Rankings.of(judgments, Relevance.of(judgments, "relevance"), *ranked(judgments, *runs))
    (found,) = paired_replicates(rankings, topic_keys(judgments.topics), resamples=resamples, seed=1)
    return found


@settings(max_examples=25)
@given(docno=st.binary(min_size=1, max_size=40), number=st.integers(1, 30))
def test_twins_share_the_public_hash(docno: bytes, number: int) -> None:
    made = twins(number, docno)
    assert len({*made, docno}) == number + 1
    assert {naive.docno_hash(each) for each in made} == {naive.docno_hash(docno)}


def test_three_relevant_documents_of_one_hash(tmp_path: Path) -> None:
    """More relevant documents than hashes: this wrote past an array."""
    relevant = [b'75;J\\g?CK~Vz^"Fg', b'3YB8aD@to"ja^|nL', b"=0HJ<k<Ph)sy$n0N"]
    assert len({naive.docno_hash(docno) for docno in relevant}) == 1
    qrels, runs = collection_of(tmp_path, relevant, relevant[:1], relevant[1:2])
    rows = printed("compare", "-q", "--population", "documents", qrels, *runs).splitlines()
    assert [row.split("\t")[2] for row in rows if "all" in row][:2] == ["0.3333"] * 2


# Numbers of documents, of which 0 and 1 are relevant.
RANKINGS = [[[0], [1]], [[0, 2, 1], [2, 0, 1]], [[2, 0], [3, 1, 0]], [[2, 3, 0], [2, 0]]]


@pytest.mark.parametrize("rankings", RANKINGS)
def test_resampled_forged_documents_against_enumeration(rankings: list[list[int]], tmp_path: Path) -> None:
    """Mean and variance of the difference, where all documents share a hash."""
    names = twins(4)
    exact, probabilities = naive.exact_joint_distribution([[str(d) for d in r] for r in rankings], ["0", "1"], 8)
    difference = exact[0] - exact[1]
    mean = difference @ probabilities
    variance, fourth = ((difference - mean) ** power @ probabilities for power in (2, 4))
    ours = replicates(*collection_of(tmp_path, names[:2], *([names[d] for d in r] for r in rankings)), RESAMPLES)
    found = ours[0] - ours[1]
    assert abs(found.mean() - mean) <= Z * np.sqrt(variance / RESAMPLES)
    assert abs(found.var() - variance) <= Z * np.sqrt((fourth - variance**2) / RESAMPLES)


def test_streams_of_twins_are_as_independent_as_others(tmp_path: Path) -> None:
    """A run that retrieves the relevant documents' twins above all others varies as with any other documents there."""
    relevant = [f"relevant{i}".encode() for i in range(20)]
    tops = [twins(1, docno)[0] for docno in relevant], [f"other{i}".encode() for i in range(20)]
    sd = []
    for number, top in enumerate(tops):
        files = collection_of(tmp_path / str(number), relevant, relevant, [*top, *relevant])
        first, second = replicates(*files, 4000)
        sd.append((first - second).std())
    assert sd[0] == pytest.approx(sd[1], rel=Z * 2 / np.sqrt(2 * 4000))


def test_order_and_company_of_runs_of_twins(tmp_path: Path) -> None:
    names = twins(30)
    rng = np.random.default_rng(1)
    runs = [[names[i] for i in rng.permutation(30)[:25]] for _ in range(4)]
    qrels, paths = collection_of(tmp_path, names[:10], *runs)
    together = replicates(qrels, paths, 300)
    assert np.array_equal(replicates(qrels, paths[::-1], 300), together[::-1])
    assert len(np.unique(together, axis=0)) == 4
    # Of judged documents alone, whatever other runs retrieve.
    only_judged = [[docno for docno in run if docno in names[:10]] for run in runs[:2]]
    qrels, judged = collection_of(tmp_path / "judged", names[:10], *only_judged)
    assert np.array_equal(replicates(qrels, [*judged, *paths], 300)[:2], replicates(qrels, judged, 300))


DOCNO = st.binary(min_size=1, max_size=20)


@settings(max_examples=40)
@given(names=st.lists(DOCNO, min_size=2, max_size=12, unique=True), data=st.data())
def test_words_of_streams(names: list[bytes], data: st.DataObject) -> None:
    """All different; as hashed where that is; those of judged documents whatever else there is; and in no order."""
    hashes = np.array(data.draw(st.lists(st.integers(0, 5), min_size=len(names), max_size=len(names))), np.uint64)
    judged = data.draw(st.integers(0, len(names)))
    words = told_apart(hashes, names[:judged], names[judged:])
    assert len(set(words.tolist())) == len(names)
    for value in set(hashes.tolist()):
        holders = [(place >= judged, names[place]) for place in np.flatnonzero(hashes == value)]
        assert words[names.index(min(holders)[1])] == value
    assert np.array_equal(told_apart(hashes[:judged], names[:judged], []), words[:judged])
    back = [*reversed(range(judged)), *reversed(range(judged, len(names)))]
    turned = told_apart(hashes[back], names[:judged][::-1], names[judged:][::-1])
    assert np.array_equal(turned, words[back])


def test_word_of_a_second_docno_with_a_hash() -> None:
    """BLAKE2b, salted where its word is taken as well."""

    def digest(docno: bytes, salt: int) -> int:
        return int.from_bytes(hashlib.blake2b(docno, digest_size=8, salt=bytes([salt])).digest(), "little")

    assert told_apart(np.array([7, 7], np.uint64), [], [b"b", b"a"]).tolist() == [digest(b"b", 0), 7]
    hashes = np.array([7, 7, digest(b"b", 0)], np.uint64)
    assert told_apart(hashes, [b"c"], [b"b", b"a"]).tolist() == [7, digest(b"b", 1), digest(b"b", 0)]


COMMANDS = [
    ["map-ci", "-q", "--all-pairs", "--population", "topics,documents", "-m", "map", "-m", "ndcg_cut_10", "-B", "100"],
    ["compare", "--meta", "random", "-B", "100", "-M", "30"],
    ["partition-anova", "--splits", "2", "--policy", "drop", "-B", "50"],
]


@pytest.mark.sample(1)
@pytest.mark.parametrize("command", COMMANDS, ids=["pairs", "meta", "parts"])
def test_nothing_depends_on_the_secret(command: list[str]) -> None:
    """Not even if all documents share one table hash: then bytes alone tell them apart."""
    arguments = [*command, str(SMALL / "qrels.txt"), *RUNS]
    expected = printed(*arguments)
    for secret in SECRETS:
        with under(secret):
            assert printed(*arguments) == expected


def test_documents_again_are_told_whatever_the_secret(tmp_path: Path) -> None:
    names = twins(50)
    again = [names[i] for i in (7, 3, 7)]
    run = written(tmp_path / "run", b"".join(b"1 Q0 %b 1 1 x\n" % docno for docno in [*names, *again]))
    told = set()
    for secret in [rankings.secret(), *SECRETS]:
        with under(secret):
            told |= set(refusal(lambda: trec.read_run(run)))
    (message,) = told
    assert "first on line 8; --duplicates first keeps one (and" in message
    assert "2 more lines: 52, 53" in message


@pytest.mark.parametrize("name", [lambda i: twins(20_000), lambda i: [f"d{i:07}".encode() for i in range(20_000)]])
def test_tables_are_filled_evenly(name: Callable[[int], list[bytes]], tmp_path: Path) -> None:
    """As many slots as hashes at random, for forged docnos as for others: a secret differs from process to process."""
    run = written(tmp_path / "run", b"".join(b"1 Q0 %b 1 1 x\n" % docno for docno in name(0)))
    size = 65_536
    load = 20_000 / size
    expected, sd = size * (1 - np.exp(-load)), np.sqrt(size * np.exp(-load) * (1 - (1 + load) * np.exp(-load)))
    for secret in (rankings.secret(), np.array([7919, 0x9E3779B97F4A7C15], np.uint64)):
        with under(secret):
            hashes = trec.read_run(run).docnos.hash
        for shift in (0, 24, 48):  # slots of a table of this size that these hashes ask for
            slots = np.unique((hashes >> np.uint64(shift)) & np.uint64(size - 1))
            assert abs(len(slots) - expected) < 5 * sd


def test_secrets_differ_from_process_to_process() -> None:
    spec = importlib.util.find_spec("irci.data.rankings")
    assert spec is not None
    assert spec.loader is not None
    other = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(other)
    assert other.secret().tolist() != rankings.secret().tolist()
    assert int(other.secret()[1]) % 2 == 1


def test_parts_of_relevant_documents_of_one_hash(tmp_path: Path) -> None:
    """They fall into one part, by definition: no split can give each part one of them, and that is said at once."""
    names = twins(2000)
    qrels, runs = collection_of(tmp_path, names, names[:50], names[50:90])
    told = printed("partition-anova", "--splits", "1", qrels, *runs, status=4)
    assert "1 topic has too few relevant documents for 2 parts" in told
