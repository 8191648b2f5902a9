"""The contact sheet of `make pictures`: every kind of picture of 2, 22 and 83 runs with long names, to be looked at.

`python tests/pictures.py FOLDER [WORD...]` draws those of tests/output/test_plots.py whose kind has one of these words, as
wide as they need, and in the width of a column and of a page; FOLDER/index.html shows them. Runs come from a seeded generator.
"""

import random
import sys
from itertools import product
from pathlib import Path

from command_lines import irci
from output.test_plots import COMMANDS, QRELS, RUNS

from irci.base.choices import INCHES

TOPICS, DOCUMENTS, DEPTH = 24, 60, 20
PREFIX = "anonymous-laboratory-2026-"
MODELS = (
    "bm25-with-a-stemmer",
    "dense-retriever",
    "hybrid-of-both",
    "cross-encoder-reranked",
    "query-expansion-by-feedback",
)
SEVERAL = ("biomedical", "encyclopedia", "finance", "news")


def names_of(runs: int) -> list[str]:
    return [f"{PREFIX}{MODELS[run % len(MODELS)]}-{run // len(MODELS) + 1:02}" for run in range(runs)]


def collection(folder: Path, runs: int, seed: int = 0) -> list[str]:
    """Judgments and runs, written to a folder; their paths, and beside it those by another judge."""
    rng = random.Random(f"{runs} {seed}")
    skills = {name: rng.uniform(0.2, 1.3) for name in names_of(runs)}
    lines: dict[str, list[str]] = {
        name: [] for name in ("qrels.txt", *(f"runs/{name}" for name in skills), "../other.txt")
    }
    for topic in range(1, TOPICS + 1):
        grades = {
            f"d{seed}-{topic}-{number}": rng.choices((0, 1, 2, 3), (5, 2, 1, 1))[0] for number in range(DOCUMENTS)
        }
        lines["qrels.txt"] += [f"{topic} 0 {name} {grade}" for name, grade in grades.items() if rng.random() < 0.9]
        others = {name: max(0, min(3, grade + rng.choice((-1, 0, 0, 0, 1)))) for name, grade in grades.items()}
        lines["../other.txt"] += [f"{topic} 0 {name} {grade}" for name, grade in others.items()]
        for name, skill in skills.items():
            scores = {document: skill * grade + rng.gauss(0, 1.5) for document, grade in grades.items()}
            best = sorted(scores, key=lambda document: -scores[document])[:DEPTH]
            lines[f"runs/{name}"] += [
                f"{topic} Q0 {document} {rank} {scores[document]:.4f} {name}" for rank, document in enumerate(best, 1)
            ]
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    for name, of_file in lines.items():
        (folder / name).write_text("\n".join(of_file) + "\n")
    return [str(folder / name) for name in lines]


def main(folder: Path, *words: str) -> None:
    """Write a page that shows all pictures, each beside those of the same kind."""
    shown: dict[str, str] = {}
    for runs in (2, 22, 83):
        data = folder / "data" / f"{runs} runs"
        qrels, *ranked, other = collection(data / "one", runs)
        for number, name in enumerate(SEVERAL, 1):
            collection(data / "several" / name, min(runs, 22), number)
        (data / "several" / "other.txt").unlink()
        instead = {QRELS: [qrels], "alpha": names_of(1), str(Path(QRELS).with_name("llm.txt")): [other]}
        lines = {name: line for name, (line, _) in COMMANDS.items() if not words or any(word in name for word in words)}
        lines["map-ci several"] = ["map-ci", "--all-pairs", "--ranks", str(data / "several")]
        for (name, line), (span, inches) in product(lines.items(), {"as wide as it needs": None, **INCHES}.items()):
            given = sum(word in RUNS for word in line)
            asked = [part for word in line if word not in RUNS for part in instead.get(word, [word])]
            path = folder / f"{name}, {runs} runs, {span}.png"
            width = ["--plot-width", f"{inches}"] if inches else []
            drawn = irci(*asked, *(ranked[:given] if given < len(RUNS) else ranked), "--quiet", "--plot", path, *width)
            if drawn.exit_code == 0:  # else there are too few runs, or too many
                shown[name] = shown.get(name, "") + f'<img src="{path.name}" title="{path.stem}">\n'
    sheet = "".join(f"<h2>{name}</h2>\n{pictures}" for name, pictures in shown.items())
    style = "<style>img { border: 1px solid; max-width: 30%; vertical-align: top }</style>\n"
    (folder / "index.html").write_text(f"<!doctype html>\n<title>Pictures</title>\n{style}{sheet}")
    print(folder / "index.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
