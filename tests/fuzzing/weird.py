"""Qrels and runs whose names elsewhere begin a comment or stand for a mean: irci's AP against a plain reader and scorer."""

import math
import random
from pathlib import Path

import naive
from command_lines import irci

NAMES = ["#", "#5", "##", "all", "5", "#all", "-1", "é#"]
TOPICS = ["all", "5", "-1", "é#", "5#", "+#"]  # # would begin a comment


def weird_files(rng: random.Random) -> tuple[str, str]:
    """Qrels and a run with such names, comments and blanks in between."""
    between = ["", "", "", "\n", "# a note\n", "# of five words in all, no\n", "#5 not judged\n", " # 0 a 1\n", " \t\n"]
    judged = [(topic, docno) for topic in rng.sample(TOPICS, 4) for docno in rng.sample(NAMES, 5)]
    found = [(topic, docno) for topic in rng.sample(TOPICS, 5) for docno in rng.sample(NAMES, 6)]
    rng.shuffle(found)
    tag = rng.choice(NAMES)
    blank = rng.choice([" ", "\t", "  "])
    qrels = "".join(
        rng.choice(between) + blank.join((topic, "0", docno, str(rng.randint(-1, 2)))) + "\n" for topic, docno in judged
    )
    run = "".join(
        rng.choice(between) + blank.join((topic, "Q0", docno, "0", f"{rng.randint(-3, 3) / 2}", tag)) + "\n"
        for topic, docno in found
    )
    return qrels, run


def compared(seed: int, folder: Path) -> int | None:
    """Topics whose AP is, as irci saves it, the plain one; 0 where both have no topic in common; None if anything differs."""
    paths = [str(folder / name) for name in ("qrels", "run")]
    for path, content in zip(paths, weird_files(random.Random(seed)), strict=True):
        Path(path).write_text(content, encoding="utf-8")
    judgments, rankings = naive.read_qrels(paths[0]), naive.read_run(paths[1])
    saved = folder / "saved"
    saved.unlink(missing_ok=True)
    result = irci(
        "ap-ci",
        "--table",
        "estimate",
        "-B",
        "0",
        "-m",
        "map",
        "--quiet",
        "--missing",
        "zero",
        "--save-scores",
        str(saved),
        *paths,
    )
    if not set(judgments) & set(rankings):
        return 0 if result.exit_code == 4 else None
    if result.exit_code != 0:
        return None
    rows = [line.split("\t") for line in saved.read_text(encoding="utf-8").splitlines()[1:]]
    found = {row[1]: float(row[-1]) for row in rows}
    expected = {
        topic.decode(): naive.average_precision(
            [int(grades.get(docno, 0) > 0) for docno in rankings.get(topic, [])],
            sum(grade > 0 for grade in grades.values()),
        )
        for topic, grades in judgments.items()
    }
    agree = found.keys() == expected.keys() and all(math.isclose(found[t], expected[t], abs_tol=1e-12) for t in found)
    return len(expected) if agree else None
