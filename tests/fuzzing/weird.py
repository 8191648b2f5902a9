"""Qrels and runs whose names elsewhere begin a comment or stand for a mean: irci's AP against a plain reader and scorer."""

import math
import random
from pathlib import Path

import naive
from command_lines import irci
from helpers import all_written

NAMES = ["#", "#5", "##", "all", "5", "#all", "-1", "é#"]
TOPICS = ["all", "5", "-1", "é#", "5#", "+#"]  # # would begin a comment
BETWEEN = ["", "", "", "\n", "# a note\n", "# of five words in all, no\n", "#5 not judged\n", " # 0 a 1\n", " \t\n"]


def weird_files(draw: random.Random) -> dict[str, str]:
    """Qrels and a run with such names, comments and blanks in between."""
    judged = [(topic, docno) for topic in draw.sample(TOPICS, 4) for docno in draw.sample(NAMES, 5)]
    found = [(topic, docno) for topic in draw.sample(TOPICS, 5) for docno in draw.sample(NAMES, 6)]
    draw.shuffle(found)
    tag, blank = draw.choice(NAMES), draw.choice([" ", "\t", "  "])
    qrels = (draw.choice(BETWEEN) + blank.join((*of, str(draw.randint(-1, 2)))) for of in _with(judged, "0"))
    run = (
        draw.choice(BETWEEN) + blank.join((*of, "0", str(draw.randint(-3, 3) / 2), tag)) for of in _with(found, "Q0")
    )
    return {"qrels": "\n".join([*qrels, ""]), "run": "\n".join([*run, ""])}


def _with(pairs: list[tuple[str, str]], word: str) -> list[tuple[str, str, str]]:
    return [(topic, word, docno) for topic, docno in pairs]


def compared(seed: int, folder: Path) -> int | None:
    """Topics whose AP is, as irci saves it, the plain one; 0 where both have no topic in common; None if anything differs."""
    files, saved = all_written(folder, weird_files(random.Random(seed))), folder / "saved"
    judgments, rankings = naive.read_qrels(files[0]), naive.read_run(files[1])
    saved.unlink(missing_ok=True)
    command = ["ap-ci", "--table", "estimate", "-B", "0", "-m", "map", "--quiet", "--missing", "zero"]
    status = irci(*command, "--save-scores", saved, *files).exit_code
    if not judgments.keys() & rankings.keys():
        return 0 if status == 4 else None
    if status != 0:
        return None
    lines = [line.split("\t") for line in saved.read_text(encoding="utf-8").splitlines()[1:]]
    found, expected = {line[1]: float(line[-1]) for line in lines}, {}
    for topic, grades in judgments.items():
        relevance = [int(grades.get(docno, 0) > 0) for docno in rankings.get(topic, [])]
        expected[topic.decode()] = naive.average_precision(relevance, sum(grade > 0 for grade in grades.values()))
    agree = found.keys() == expected.keys() and all(math.isclose(found[t], expected[t], abs_tol=1e-12) for t in found)
    return len(expected) if agree else None
