"""Equal runs made of real ones: neighbours in TREC-8's order that swap their rankings topic by topic. How often topics
combined by meta-analysis tell them apart, and that documents confirm what topics falsely say."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from command_lines import rows
from helpers import SHARED
from scipy import stats

from irci.stats import meta

TREC8 = SHARED / "trec8-adhoc"
QRELS = TREC8 / "qrels.trec8.adhoc.gz"
DEPTH = 100
Ranking = dict[str, list[str]]

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not TREC8.exists(), reason="no ../shared/data")]


def ranking(path: Path) -> Ranking:
    """The first documents of each topic, as the fields of a line after the topic and before the tag."""
    found: Ranking = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        topic, *fields, _ = line.split()
        if len(found.setdefault(topic, [])) < DEPTH:
            found[topic].append(" ".join(fields))
    return found


def written(path: Path, run: Ranking) -> str:
    path.write_text("".join(f"{topic} {line} {path.name}\n" for topic, lines in run.items() for line in lines))
    return str(path)


@pytest.fixture(scope="module")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Ranking], np.ndarray, list[str]]:
    """The best 31 runs in order of their means, their AP[runs, topics], and the topics."""
    folder = tmp_path_factory.mktemp("runs")
    runs = [ranking(path) for path in sorted((TREC8 / "runs").iterdir())]
    files = [written(folder / f"run{place}", run) for place, run in enumerate(runs)]
    found = [row for row in rows("ap-ci", "-q", "-B", "0", "--missing", "zero", QRELS, *files) if row["topic"] != "all"]
    topics = sorted({row["topic"] for row in found})
    ap = {(row["run"], row["topic"]): row["value"] for row in found}
    scores = np.array([[ap.get((Path(file).name, topic), 0.0) for topic in topics] for file in files])
    order = np.argsort(-scores.mean(axis=1))[:31].tolist()
    return [runs[place] for place in order], scores[order], topics


def plainly(effects: np.ndarray, errors: np.ndarray, method: str) -> float:
    """p by the formulas."""
    weights, number = errors**-2.0, len(effects)
    if method == "stouffer":
        return float(2 * stats.norm.sf(abs((effects / errors).sum() / number**0.5)))
    mean = (weights * effects).sum() / weights.sum()
    if method == "fixed":
        return float(2 * stats.norm.sf(abs(mean) * weights.sum() ** 0.5))
    q = (weights * (effects - mean) ** 2).sum()
    tau2 = max(0.0, (q - number + 1) / (weights.sum() - (weights**2).sum() / weights.sum()))
    weights = 1 / (errors**2 + tau2)
    mean = (weights * effects).sum() / weights.sum()
    error2 = (weights * (effects - mean) ** 2).sum() / (number - 1) / weights.sum()
    return float(2 * stats.t.sf(abs(mean) / error2**0.5, number - 1))


def test_how_often_combined_topics_tell_equal_runs_apart(
    ranked: tuple[list[Ranking], np.ndarray, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As doc/trust.md has it: a fixed effect in 39 to 50%, Stouffer's z in 37 to 40, Hartung and Knapp's in 4 to 6; that p are
    those of the formulas."""
    runs, _, _ = ranked
    methods, pairs = dict(meta.METHODS), []
    monkeypatch.setitem(meta.METHODS, "fixed", lambda *effects: pairs.append(effects) or methods["fixed"](*effects))
    for place in range(0, 30, 3):
        two = [written(tmp_path / name, run) for name, run in zip("ab", runs[place : place + 2], strict=True)]
        rows("map-ci", "--population", "documents", "--all-pairs", "--meta", "fixed", "-B", "300", QRELS, *two)
    rng, number = np.random.default_rng(3), 300
    assert len(pairs) == 10
    shares = []
    for method in ("fixed", "stouffer", "random"):
        rejected = 0
        for effects, errors in pairs:
            for experiment in range(number):
                swapped = effects * rng.choice([-1, 1], len(effects))
                p = plainly(swapped, errors, method)
                rejected += p <= 0.05
                assert experiment or methods[method](swapped, errors).p() == pytest.approx(p, rel=1e-9)  # type: ignore[index]
        shares.append(rejected / number / len(pairs))
    fixed, stouffer, random = shares
    assert 0.34 < fixed < 0.5
    assert 0.34 < stouffer < 0.46
    assert 0.03 < random < 0.06


def test_documents_confirm_what_topics_falsely_say(
    ranked: tuple[list[Ranking], np.ndarray, list[str]], tmp_path: Path
) -> None:
    """Each of six false claims over topics, as documents are those of the same topics; unjudged documents hardly fewer."""
    runs, scores, topics = ranked
    rng, verdicts = np.random.default_rng(4), []
    while len(verdicts) < 6:
        place, keeps = int(rng.integers(30)), rng.random(len(topics)) < 0.5
        differences = np.where(keeps, 1, -1) * (scores[place] - scores[place + 1])
        if stats.ttest_1samp(differences, 0).pvalue > 0.05:
            continue
        kept = list(zip(topics, keeps.tolist(), strict=True))
        files = [
            written(tmp_path / name, {topic: runs[place + (keep == is_second)][topic] for topic, keep in kept})
            for name, is_second in (("x", True), ("y", False))
        ]
        asked = ["map-ci", "--all-pairs", "--survives", "-B", "100", "--population", "topics,documents,judgments"]
        (claim,) = [row for row in rows(*asked, QRELS, *files) if "p_all" in row]
        verdicts.append((claim["documents"], claim["judgments"]))
        assert claim["of"] == 0  # neither brings other topics
    assert [documents for documents, _ in verdicts] == ["confirmed"] * 6
    assert [judgments for _, judgments in verdicts].count("confirmed") >= 4
