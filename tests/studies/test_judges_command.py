"""judges: its rows against files and other commands, what must be so of any two judges, DL19."""

import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import command_lines
import naive_judges as naive
import pytest
from command_lines import printed
from helpers import QRELS, RUNS, SHARED, SMALL

import irci as package

DL19 = SHARED / "trec-dl19-passage"
LABELS = SHARED / "llm-judgments-dl19"


irci = partial(printed, "judges")
LIMITS = ("value", "lower", "upper")
WEIGHTS = ("none", "linear", "quadratic")


def rows(*args: object) -> dict[str, list[dict[str, Any]]]:
    """The rows by what they begin with."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in command_lines.rows("judges", *args):
        found.setdefault(row.get("measure", row.get("table")), []).append(row)
    return found


def judged(path: Path, change: Callable[[str, str, int], int | None]) -> Path:
    """Judgments of the small collection changed, those without a new grade left out."""
    lines = [line.split() for line in Path(QRELS).read_text().splitlines()]
    new = [(topic, docno, change(topic, docno, int(grade))) for topic, _, docno, grade in lines]
    path.write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in new if grade is not None))
    return path


def of_a_hash(topic: str, docno: str, shares: int) -> int:
    return zlib.crc32(f"{topic} {docno}".encode()) % shares


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A judge who takes every sixth grade for another."""
    return judged(tmp_path / "model.txt", lambda topic, docno, grade: grade ^ (of_a_hash(topic, docno, 6) == 0))


def test_scores_are_those_of_either_judge_alone(other: Path) -> None:
    """What map-ci prints with the file of each, bounded limits of scores of 0 and 1 among them.

    A topic that a run lacks scores 0: limits without it are map-ci's alone.
    """
    measures = ("-m", "map", "-m", "success@1", "--missing", "zero")
    found = rows(*measures, "--other-qrels", other, QRELS, *RUNS)
    for of, path in (("QRELS", QRELS), ("judge", other)):
        alone = command_lines.rows("map-ci", *measures, "--population", "topics", path, *RUNS)
        assert {row["interval"] for row in alone} == {"t", "bounded"}
        expected = {(row["measure"], row["run"]): [row[name] for name in LIMITS] for row in alone}
        ours = [
            row for name in ("map", "success@1") for row in found[name] if (row["of"] == "QRELS") == (of == "QRELS")
        ]
        assert len(ours) == 2 * len(RUNS)
        for row in ours:
            limits = expected[row["measure"], row["run"]]
            assert [row[name] for name in LIMITS] == pytest.approx(limits, abs=1e-15)


def test_labels_are_those_of_the_files(tmp_path: Path) -> None:
    """Of three grades; some documents are judged by one alone, and a grade of -1 is none."""

    def graded(name: str, topic: str, docno: str, grade: int) -> int | None:
        lacks = of_a_hash(topic, docno + name, 9) == 0
        return None if lacks else min(grade + of_a_hash(topic, docno + name, 6) // 4, 2)

    paths = [judged(tmp_path / name, partial(graded, name)) for name in ("ours", "theirs")]
    paths[1].write_text(paths[1].read_text() + "1 0 nowhere -1\n1 0 anywhere 1\n")
    ours, theirs = (
        {tuple(line.split()[::2]): int(line.split()[3]) for line in path.read_text().splitlines()} for path in paths
    )
    pairs = [(grade, theirs[key]) for key, grade in ours.items() if theirs.get(key, -1) >= 0]
    assert len(pairs) < min(len(ours), len(theirs))
    found = rows("--other-qrels", paths[1], paths[0])
    for weights in WEIGHTS:
        (row,) = found[f"kappa_{weights}"]
        assert (row["value"], row["documents"]) == (pytest.approx(naive.kappa(pairs, weights)), len(pairs))
    assert found["kappa_binary"][0]["value"] == pytest.approx(naive.kappa([(a > 0, b > 0) for a, b in pairs]))
    for row in found["confusion"]:
        assert row["documents"] == pairs.count((row["grade"], row["grade_judge"]))
    assert sum(row["percent"] for row in found["confusion"]) == pytest.approx(100)
    overlap = sum(a > 0 and b > 0 for a, b in pairs) / sum(a > 0 or b > 0 for a, b in pairs)
    assert found["overlap"][0]["value"] == pytest.approx(overlap)
    assert set(found) == {*(f"kappa_{weights}" for weights in (*WEIGHTS, "binary")), "overlap", "confusion"}
    told = f"QRELS finds {sum(a > 0 for a, _ in pairs) / len(pairs):.1%} of these documents relevant"
    assert told in irci("--other-qrels", paths[1], "--explain", "--quiet", paths[0])


def test_several_judges_have_the_lines_that_each_has_alone(other: Path, tmp_path: Path) -> None:
    """Also one who has judged half of the topics; in whatever order the runs come."""
    half = judged(tmp_path / "person.txt", lambda topic, docno, grade: grade if int(topic) % 2 else None)
    options = ["--groups", "a", "-m", "P_10", "-m", "map", QRELS]
    both = rows("--other-qrels", other, "--other-qrels", half, *options, *reversed(RUNS))
    for path in (other, half):
        alone = rows("--other-qrels", path, *options, *RUNS)
        for name, of_name in alone.items():
            assert [row for row in both[name] if row["judge"] == path.stem] == of_name, name


def test_scales_that_differ_are_compared_as_relevant_or_not(tmp_path: Path) -> None:
    graded = judged(tmp_path / "graded.txt", lambda topic, docno, grade: 2 * grade + of_a_hash(topic, docno, 2))
    found = rows("--other-qrels", f"{graded}:2", QRELS)
    assert [row["value"] for row in found["kappa_binary"]] == [1]
    assert "kappa_none" not in found
    again = rows("--other-qrels", graded, "-l", 1, QRELS)
    assert again["kappa_binary"][0]["value"] < 1


def test_only_documents_that_both_judged_count(tmp_path: Path) -> None:
    """A judge who agrees, but lacks a twentieth of the documents, gives each run the score that QRELS without these does."""
    holes, few = (
        judged(tmp_path / name, lambda t, d, grade, shares=shares: grade if of_a_hash(t, d, shares) else None)
        for name, shares in (("holes.txt", 20), ("few.txt", 500))
    )
    whole, lacking = (len(Path(path).read_text().splitlines()) for path in (QRELS, holes))
    told = f"irci: warning: {holes} judges {lacking / whole:.0%} of {whole} documents that {QRELS} judges:"
    said = command_lines.irci("judges", "--other-qrels", holes, QRELS, *RUNS).stderr
    assert f"{told} labels and scores are of these alone\n" in said
    found = rows("--other-qrels", holes, QRELS, *RUNS)
    assert {row["value"] for row in found["bias_map"]} == {0}
    alone = command_lines.rows("map-ci", "--missing", "zero", "--population", "topics", holes, *RUNS)
    expected = {row["run"]: row["value"] for row in alone}
    assert {row["run"]: row["value"] for row in found["map"]} == pytest.approx(expected, abs=1e-15)
    assert "judges" not in command_lines.irci("judges", "--other-qrels", few, QRELS, *RUNS).stderr


def rounded(number: float) -> str:
    """With four decimals, without a 0 before the point."""
    return f"{number:.4f}".removeprefix("0")


def test_whether_the_ranking_would_change_is_concluded() -> None:
    changed, same = (
        package.judges(QRELS, RUNS, other_qrels=path, measures="RR") for path in (SMALL / "llm.txt", QRELS)
    )
    row = next(row for row in changed.table("order").rows if row["measure"] == "tau_RR")
    sentence, of_pairs, unconfirmed = same.conclusion
    assert of_pairs.endswith(" confirms 4 (100%), finds none not significant and reverses none.")
    assert unconfirmed == "Of 4 pairs that differ significantly by qrels, QRELS confirms 4 (100%)."
    assert sentence.startswith("qrels ranks the 5 runs by mean RR as QRELS does: Kendall's tau 1.0000 (95% CI ")
    sentence, *_ = changed.conclusion
    assert row["value"] < 1
    assert (
        f"differently from QRELS: Kendall's tau {rounded(row['value'])} (95% CI {rounded(row['lower'])} to" in sentence
    )


def test_groups_by_a_file_are_each_judges_own(other: Path, tmp_path: Path) -> None:
    """Lines of run and judge: the contrast is that of a rule which finds the runs of this judge."""
    own = tmp_path / "own.tsv"
    own.write_text("run\tjudge\nalpha\tmodel\nbravo\tperson\ndelta\tmodel\n")
    person = judged(tmp_path / "person.txt", lambda topic, docno, grade: grade ^ (of_a_hash(topic, docno, 9) == 0))
    both = rows("--other-qrels", other, "--other-qrels", person, "--groups", own, QRELS, *RUNS)["group_bias_map"]
    for row, path, rule in zip(both, (other, person), ("alpha|delta", "bravo"), strict=True):
        (alone,) = rows("--other-qrels", path, "--groups", rule, QRELS, *RUNS)["group_bias_map"]
        assert row | {"run": rule} == alone


def test_what_is_refused(other: Path, tmp_path: Path) -> None:
    elsewhere, nobody = tmp_path / "elsewhere.txt", tmp_path / "nobody.tsv"
    elsewhere.write_text("1 0 nowhere 1\n")
    nobody.write_text("alpha\tsomebody\n")
    assert "no run of model" in irci("--other-qrels", other, "--groups", nobody, QRELS, *RUNS, status=4)
    assert "have judged no document in common" in irci("--other-qrels", elsewhere, QRELS, status=4)


@pytest.mark.check
@pytest.mark.skipif(not LABELS.exists(), reason="no ../shared/data")
def test_people_and_models_on_dl19() -> None:
    """NIST against GPT-4 (UMBRELA), a person and Llama: figures found beforehand by other programs."""
    runs = sorted(str(path) for path in (DL19 / "runs").iterdir())
    qrels, measure = DL19 / "qrels.dl19-passage.gz", ["-m", "ndcg_cut_10", "--names", "file"]
    model, person = LABELS / "qrels.dl19.umbrela-gpt4.gz", LABELS / "qrels.dl19.assessor-b.gz"
    found = rows("--other-qrels", model, "--other-qrels", person, *measure, qrels, *runs)
    tau, of_person = found["tau_ndcg_cut_10"]
    assert (round(tau["value"], 3), tau["topics"]) == (0.823, 43)
    assert 0.87 <= of_person["value"] <= 0.89
    assert found["max_drop_ndcg_cut_10"][0]["value"] == 12
    counts, _ = found["agreement_ndcg_cut_10"]
    assert (counts["pairs"], round(counts["bias"], 3), round(counts["unconfirmed"], 2)) == (1830, 0.127, 0.18)
    assert [(round(row["value"], 2), row["documents"]) for row in found["kappa_none"]] == [
        (0.34, 9260), (0.12, 4195),
    ]  # fmt: skip
    # Limits by topics are 4 to 5 times as wide as the textbook's, [.325, .352].
    assert 4 <= (found["kappa_none"][0]["upper"] - found["kappa_none"][0]["lower"]) / (0.352 - 0.325) <= 5.5
    bias = [row["value"] for row in found["bias_ndcg_cut_10"] if row["judge"].endswith("gpt4")]
    assert round(sum(bias) / 61, 3) == 0.087
    relative = found["relative_bias_ndcg_cut_10"]
    assert min(row["p_adjusted"] for row in relative if row["judge"].endswith("gpt4")) > 0.05


@pytest.mark.slow
@pytest.mark.skipif(not LABELS.exists(), reason="no ../shared/data")
def test_corrected_counts_and_self_preference_on_dl19() -> None:
    runs = sorted(str(path) for path in (DL19 / "runs").iterdir())
    qrels, measure = DL19 / "qrels.dl19-passage.gz", ["-m", "ndcg_cut_10", "--names", "file"]
    model, llama = LABELS / "qrels.dl19.umbrela-gpt4.gz", LABELS / "qrels.dl19.binary-llama3.2.gz"
    (counts,) = rows("--other-qrels", model, "--correction", "holm", *measure, qrels, *runs)["agreement_ndcg_cut_10"]
    assert round(counts["bias"], 3) == 0.232
    found = rows("--other-qrels", f"{llama}:1", "--groups", "rankgpt4", "-l", 2, *measure, qrels, *runs)
    assert sum(row["p_adjusted"] <= 0.05 for row in found["relative_bias_ndcg_cut_10"]) == 13
    (group,) = found["group_bias_ndcg_cut_10"]
    assert group["upper"] < 0
