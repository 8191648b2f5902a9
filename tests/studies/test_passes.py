"""--passes: the judge's part of a score's error against loops and by hand, refusals, and simulated judges."""

import math
from functools import partial
from itertools import combinations, product
from pathlib import Path

import command_lines
import numpy as np
import pytest
from command_lines import irci as command
from helpers import pick, words
from scipy import stats

from irci.estimators.grouped import over_passes
from irci.stats.tests import NOTHING

RULE = r"(?P<judge>[a-z]+)(?P<pass>\d)\.qrels"
irci = partial(command, "map-ci")
rows_of = partial(command_lines.rows_of, "map-ci")


def written(folder: Path, *, judges: str = "aaa", topics: int = 8, flips: float = 0.3, seed: int = 1) -> list[str]:
    """Options for passes a1.qrels, a2.qrels, ... of judges of one letter, and qrels.txt, x.run, y.run and z.run."""
    rng = np.random.default_rng(seed)
    grades = rng.choice(3, (topics, 30), p=(0.6, 0.25, 0.15))

    def qrels(name: str, graded: np.ndarray) -> str:
        lines = (
            f"{t} 0 d{d} {grade}\n" for t, of_topic in enumerate(graded.tolist()) for d, grade in enumerate(of_topic)
        )
        (folder / name).write_text("".join(lines))
        return str(folder / name)

    options = []
    for place, judge in enumerate(judges):
        flipped = np.where(rng.random(grades.shape) < flips, rng.choice(3, grades.shape), grades)
        options += ["--other-qrels", qrels(f"{judge}{judges[:place].count(judge) + 1}.qrels", flipped)]
    files = [qrels("qrels.txt", grades)]
    for run in "xyz":
        scores = grades + rng.normal(0, 1.5, grades.shape)
        lines = (f"{t} Q0 d{d} 1 {scores[t, d]:.6f} {run}\n" for t in range(topics) for d in range(30))
        files.append(str(folder / f"{run}.run"))
        Path(files[-1]).write_text("".join(lines))
    return [*options, *files]


def scores_by_pass(files: list[str], measure: str) -> dict[str, list[list[float]]]:
    """Of each run its scores by pass and topic, as map-ci prints them with the passes in place of QRELS."""
    passes = [path for path in files if path.endswith(".qrels")]
    scored = [rows_of("-q", "-m", measure, path, *files[-3:]) for path in passes]
    topics = sorted({row["topic"] for row in scored[0]} - {"all"})
    return {
        run: [[pick(rows, run=run, topic=topic)[0]["value"] for topic in topics] for rows in scored] for run in "xyz"
    }


def naive(table: list[list[float]]) -> dict[str, float]:
    """By the mean squares of a two-way table of passes by topics, in loops."""
    passes, topics = len(table), len(table[0])
    mean = sum(map(sum, table)) / passes / topics
    by_pass = [sum(row) / topics for row in table]
    by_topic = [sum(row[topic] for row in table) / passes for topic in range(topics)]
    of_topics = passes * sum((one - mean) ** 2 for one in by_topic) / (topics - 1)
    of_passes = topics * sum((one - mean) ** 2 for one in by_pass) / (passes - 1)
    rest = 0.0
    for row, of_pass in zip(table, by_pass, strict=True):
        for score, of_topic in zip(row, by_topic, strict=True):
            rest += (score - of_pass - of_topic + mean) ** 2
    rest /= (passes - 1) * (topics - 1)
    cells = passes * topics
    variance, df = of_topics / cells, topics - 1.0
    if of_passes > rest:
        variance = (of_topics + of_passes - rest) / cells
        parts = (of_topics / cells) ** 2 / (topics - 1), (of_passes / cells) ** 2 / (passes - 1)
        df = variance**2 / (sum(parts) + (rest / cells) ** 2 / ((passes - 1) * (topics - 1)))
    judge, true = max(of_passes, rest) / topics, max(0.0, of_topics - rest) / cells
    needed = next((n for n in range(1, 10**5) if judge / n < 0.1 * (true + judge / n)), math.inf)
    reach = max(
        stats.t.ppf(0.975, df) * math.sqrt(variance), stats.t.ppf(0.975, topics - 1) * math.sqrt(of_topics / cells)
    )
    return {
        "value": mean, "lower": mean - reach, "upper": mean + reach, "df": df, "sd_passes": math.sqrt(of_passes / topics),
        "share": judge / passes / (true + judge / passes), "passes_needed": needed, "passes": passes,
    }  # fmt: skip


@pytest.mark.parametrize(("seed", "flips"), [(1, 0.3), (2, 0.05), (3, 0.6)])
def test_passes_against_naive(seed: int, flips: float, tmp_path: Path) -> None:
    files = written(tmp_path, judges="aaaa", flips=flips, seed=seed)
    rows = rows_of("-m", "nDCG@10", "--all-pairs", "--passes", RULE, *files)
    scores = scores_by_pass(files, "nDCG@10")
    tables = {(run, None): table for run, table in scores.items()}
    for run, baseline in combinations("xyz", 2):
        tables[baseline, run] = (np.array(scores[baseline]) - np.array(scores[run])).tolist()
    for row in pick(rows, population="passes"):
        expected = naive(tables[row["run"], row.get("baseline")])
        if row["interval"] == "bounded":
            assert row["lower"] <= expected.pop("lower") < expected.pop("upper") <= row["upper"]
        row["passes_needed"] = math.inf if math.isnan(row["passes_needed"]) else row["passes_needed"]  # in json null
        assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-9)


def test_a_judge_by_hand() -> None:
    """Two topics, three passes: pass means 2, 3, 4 of b = 1, no interaction; s_D^2 = 2 of topic means 2 and 4."""
    of = over_passes(np.array([[[1.0, 3]], [[2, 4]], [[3, 5]]]), np.array([[0, NOTHING]]))
    assert (of.value[0], of.error[0] ** 2) == pytest.approx((3, 2 / 2 + 1 / 3))
    assert of.df[0] == pytest.approx((4 / 3) ** 2 / (1**2 / 1 + (1 / 3) ** 2 / 2))
    columns = {name: column[0] for name, column in of.columns.items()}
    assert columns == pytest.approx({"passes": 3, "sd_passes": 1, "share": 0.25, "passes_needed": 10})


def test_equal_passes_leave_the_topics(tmp_path: Path) -> None:
    """The judge has no part, and limits are those of the paired t test by the passes' labels."""
    files = written(tmp_path, flips=0)
    rows = rows_of("--baseline", "x", "--passes", RULE, *files)
    of_passes = pick(rows, population="passes")
    assert all((row["sd_passes"], row["share"], row["passes_needed"]) == (0, 0, 1) for row in of_passes)
    for row in of_passes:
        (same,) = pick(rows, population="topics", run=row["run"], measure=row["measure"])
        limits, same_limits = ((of["lower"], of["upper"]) for of in (row, same))
        if same["interval"] == "t":
            assert limits == pytest.approx(same_limits, rel=1e-12)
        assert limits[0] <= same_limits[0] + 1e-12
        assert limits[1] >= same_limits[1] - 1e-12


def test_rows_over_topics_are_as_without_passes(tmp_path: Path) -> None:
    files = written(tmp_path, judges="aaabbb")
    options = ["-m", "P@1", "-m", "map", "--baseline", "x", "--margin", "5%", "--ranks"]
    plain, rows = rows_of(*options, *files[-4:]), pick(rows_of(*options, "--passes", RULE, *files), population="topics")
    assert {row["judge"] for row in rows} == {"-"}
    known = [{name: row[name] for name in one if name in row} for one, row in zip(plain, rows, strict=True)]
    assert list(map(str, known)) == [
        str({name: one[name] for name in of}) for one, of in zip(plain, known, strict=True)
    ]
    assert {"value", "lower", "upper"} < set.intersection(*map(set, known))


def test_passes_of_a_file_are_as_by_a_rule(tmp_path: Path) -> None:
    """Judges too, where a third has two passes: no limits over these."""
    files = written(tmp_path, judges="aaabbbcc")
    names = [f"{judge}{number}" for judge, number in product("abc", "123")][:-1]
    (tmp_path / "passes.txt").write_text("".join(f"{name}.qrels {name[1]} {name[0]}\n" for name in names))
    by_file = rows_of("--baseline", "x", "--passes", tmp_path / "passes.txt", *files)
    assert str(by_file) == str(rows_of("--baseline", "x", "--passes", RULE, *files))
    few = pick(by_file, judge="c")
    assert len(few) == 5
    assert all(math.isnan(row["lower"]) and row["sd_passes"] > 0 for row in few)
    assert not any(math.isnan(row["lower"]) for row in by_file if row["judge"] != "c")
    (tmp_path / "passes.txt").write_text(
        "".join(f"{name}.qrels {name[1]} {name[0] * (name < 'c')}\n" for name in names)
    )
    rows = pick(rows_of("--passes", tmp_path / "passes.txt", *files), population="passes")
    assert {row["judge"]: row["passes"] for row in rows} == {"a": 3, "b": 3, "-": 2}
    (tmp_path / "passes.txt").write_text("".join(f"{name}.qrels {name}\n" for name in names))
    assert {
        row["passes"] for row in rows_of("--population", "passes", "--passes", tmp_path / "passes.txt", *files)
    } == {8}


def test_claims_by_passes(tmp_path: Path) -> None:
    """By passes that agree, that are noise, that say the opposite, and by two alone."""
    files = written(tmp_path, judges="aaabbbcccdd", topics=25, flips=0.1)
    rng = np.random.default_rng(4)
    lines = [line.split() for line in (tmp_path / "qrels.txt").read_text().splitlines()]
    for number in "123":
        noise = (f"{topic} 0 {docno} {rng.integers(3)}\n" for topic, _, docno, _ in lines)
        (tmp_path / f"b{number}.qrels").write_text("".join(noise))
        (tmp_path / f"c{number}.qrels").write_text(
            "".join(f"{topic} 0 {docno} {2 - int(grade)}\n" for topic, _, docno, grade in lines)
        )
    good = "".join(f"{topic} Q0 {docno} 1 {grade} w\n" for topic, _, docno, grade in lines)
    (tmp_path / "x.run").write_text(good)
    asked = words("-n -m nDCG@10 --baseline y --survives --table claim")
    options = [*asked, "--passes", RULE, *files[:-1]]
    (row,) = rows_of(*options)
    verdicts = {judge: row[f"passes:{judge}"] for judge in "abcd"}
    assert verdicts == {"a": "confirmed", "b": "not confirmed", "c": "reversed", "d": "not testable"}
    assert (row["survives"], row["of"]) == (1, 3)
    one = ["--passes", r"a(?P<pass>\d)\.qrels", *files[:6], *files[-4:-1]]
    assert rows_of(*asked, *one)[0]["passes"] == "confirmed"
    by_signs = words("--population topics --test randomization")  # which passes do not have
    assert rows_of(*asked, *by_signs, *one)[0]["passes"] == "confirmed"
    assert "only 2 passes of d: no limits" in "".join(command_lines.warnings_of("map-ci", *options))


@pytest.mark.parametrize(
    ("judges", "rule", "options", "status", "why"),
    [
        ("aaa", r"b(?P<pass>\d).qrels", [], 4, "does not say which pass 'a1.qrels' is"),
        ("aab", r".(?P<pass>\d).qrels", [], 4, "'a1.qrels' and 'b1.qrels' are both pass '1'"),
        ("aab", RULE, [], 4, "'b1.qrels' is the only pass of b"),
        ("a", RULE, [], 2, "--passes names passes of a judge: give --other-qrels once for each"),
        ("", RULE, [], 2, "--passes names passes of a judge"),
        ("aaa", r"a(?P<run>\d)", [], 2, "its named groups must be pass (of a file) or pass and judge (of a file)"),
        ("aaa", RULE, ["--standardise", "z"], 2, "--passes and --standardise do not go together"),
        ("aaa", RULE, ["--population", "passes", "--baseline", "x", "--margin", ".1"], 2, "are about topics"),
        ("aaa", RULE, ["--baseline", "x", "--correction", "maxt"], 2, "signs, which passes do not have"),
    ],
)  # fmt: skip
def test_refusals(judges: str, rule: str, options: list[str], status: int, why: str, tmp_path: Path) -> None:
    result = irci(*options, "--passes", rule, *written(tmp_path, judges=judges), status=status)
    assert why in result.stderr
    assert result.stdout == ""


def test_passes_over_other_documents_are_refused(tmp_path: Path) -> None:
    files = written(tmp_path)
    lines = Path(files[1]).read_text().splitlines(keepends=True)
    Path(files[1]).write_text("".join(lines[::2]))
    assert "a1.qrels 120 of 240 documents" in irci("--passes", RULE, *files, status=4).stderr
    for place in (1, 3, 5):
        Path(files[place]).write_text("".join(line for line in lines if line.split()[0] in str(place)))
    assert "over the same documents" in irci("--passes", RULE, *files, status=4).stderr
