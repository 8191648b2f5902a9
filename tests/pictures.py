"""The contact sheet of `make pictures`: every kind of picture of 2, 22 and 83 runs with long names, to be looked at.

`python tests/pictures.py FOLDER [WORD...]` draws those whose kind has one of these words, as wide as they need, and in the
width of a column and of a page; FOLDER/index.html shows them. Runs come from a seeded generator.
"""

import random
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import irci
from irci.base.choices import INCHES
from irci.output.plots import draw

RUNS = (2, 22, 83)
TOPICS, DOCUMENTS, DEPTH = 24, 60, 20
PREFIX = "anonymous-laboratory-2026-"
MODELS = (
    "bm25-with-a-stemmer",
    "dense-retriever",
    "hybrid-of-both",
    "cross-encoder-reranked",
    "query-expansion-by-feedback",
)
Folder = Path


def names_of(runs: int) -> list[str]:
    return [f"{PREFIX}{MODELS[run % len(MODELS)]}-{run // len(MODELS) + 1:02}" for run in range(runs)]


def collection(folder: Folder, runs: int, seed: int = 0) -> dict[str, Any]:
    """Qrels, another judge's, and runs, written to a folder."""
    rng = random.Random(f"{runs} {seed}")
    skills = {name: rng.uniform(0.2, 1.3) for name in names_of(runs)}
    qrels, other = [], []
    ranked: dict[str, list[str]] = {name: [] for name in skills}
    for topic in range(1, TOPICS + 1):
        grades = {
            f"d{seed}-{topic}-{number}": rng.choices((0, 1, 2, 3), (5, 2, 1, 1))[0] for number in range(DOCUMENTS)
        }
        qrels += [f"{topic} 0 {name} {grade}" for name, grade in grades.items() if rng.random() < 0.9]
        other += [
            f"{topic} 0 {name} {max(0, min(3, grade + rng.choice((-1, 0, 0, 0, 1))))}" for name, grade in grades.items()
        ]
        for name, skill in skills.items():
            scores = {document: skill * grade + rng.gauss(0, 1.5) for document, grade in grades.items()}
            best = sorted(scores, key=lambda document: -scores[document])[:DEPTH]
            ranked[name] += [
                f"{topic} Q0 {document} {rank} {scores[document]:.4f} {name}" for rank, document in enumerate(best, 1)
            ]
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    files = {"qrels.txt": qrels, "other.txt": other, **{f"runs/{name}": lines for name, lines in ranked.items()}}
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return {
        "qrels": folder / "qrels.txt",
        "other": folder / "other.txt",
        "runs": [folder / "runs" / name for name in ranked],
    }


def reports(folder: Folder, runs: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The name of each kind of picture, and what computes its report."""
    found = collection(folder / f"{runs} runs", runs)
    qrels, ranked = of = (found["qrels"], found["runs"])
    several = {}
    for number, name in enumerate(("biomedical", "encyclopedia", "finance", "news")):
        one = collection(folder / f"{runs} runs" / name, min(runs, 22), number + 1)
        several[name] = (one["qrels"], one["runs"])
    asked: dict[str, tuple[Callable[..., Any], Any, dict[str, Any]]] = {
        "means of documents": (irci.ap_ci, of, {"resamples": 200}),
        "means and differences": (irci.map_ci, of, {"baseline": names_of(2)[0], "ranks": True}),
        "topics alone": (irci.compare, of, {"measures": ["nDCG@10"]}),
        "all pairs": (
            irci.map_ci,
            of,
            {"all_pairs": True, "population": "topics", "ranks": True, "correction": "holm"},
        ),
        "topic by topic": (irci.compare, (qrels, ranked[:2]), {"per_topic": True}),
        "bounds": (irci.compare, of, {"population": "judgments"}),
        "collections": (irci.map_ci, (), {"collections": several, "all_pairs": True, "ranks": True}),
        "effects": (irci.partition_anova, of, {"policy": "drop", "resamples": 500}),
        "splits": (irci.partition_anova, of, {"policy": "drop", "resamples": 500, "splits": 3}),
        "error rates": (irci.swap_error, of, {"sizes": [3, 5, 7, 10], "fuzziness": [1, 5]}),
        "swaps": (irci.swap_error, of, {"procedure": "swap"}),
        "discriminative power": (irci.swap_error, of, {"procedure": "discriminative-power", "figures": True}),
        "judges": (irci.judges, of, {"other_qrels": [found["other"]]}),
        "plans": (irci.wcw, of, {"width": [0.05, 0.1]}),
        "plan of pairs": (irci.wcw, of, {"difference": [0.05]}),
    }
    if runs > 2:  # what standardising by the runs themselves takes
        asked |= {
            "standardised": (irci.stdap_ci, of, {}),
            "type one": (irci.stdap_ci, of, {"validate": 50, "sizes": [2, 5]}),
        }
    for name, (command, positional, options) in asked.items():
        yield name, partial(command, *positional, **options)


def main(folder: Folder, *words: str) -> None:
    """Write a page that shows all pictures, each beside those of the same kind."""
    shown: dict[str, str] = {}
    for runs in RUNS:
        for name, report in reports(folder / "data", runs):
            if words and not any(word in name for word in words):
                continue
            computed = report()
            for span, inches in {"as wide as it needs": None, **INCHES}.items():
                path = folder / f"{name}, {runs} runs, {span}.png"
                path.write_bytes(draw(computed, "png", inches))
                shown[name] = shown.get(name, "") + f'<img src="{path.name}" title="{path.stem}">\n'
    sheet = "".join(f"<h2>{name}</h2>\n{pictures}" for name, pictures in shown.items())
    style = "<style>img { border: 1px solid; max-width: 30%; vertical-align: top }</style>\n"
    (folder / "index.html").write_text(f"<!doctype html>\n<title>Pictures</title>\n{style}{sheet}")
    print(folder / "index.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
