"""Make the files of testdata/: python testdata/make.py

The collection of first outputs (collection.py) and what a model says of it (judge.py), several collections in several/
(several.py), results of models on tasks in leaderboard/ (leaderboard.py), the small one of the tests in small/, and in bad/
what must be refused. The small one is made to be awkward: topics of different difficulty and number of relevant documents
(some with 1 to 5), five systems of different quality, graded judgments (and another judge's) pooled from the runs, ties, and a
topic missing from one run. Seeded, from the standard library's generator alone, so that all comes out the same everywhere.
"""

import gzip
import io
import math
import random
from pathlib import Path

import collection
import judge
import leaderboard
import several

HERE = Path(__file__).parent
SEED = 20061
TOPICS = 20
DOCUMENTS = 3000
DEPTH = 200
POOL_DEPTH = 40
FEW_RELEVANT = {"3": 1, "7": 2, "11": 3, "16": 4, "20": 5}
# name: (quality, decimals of the scores, topic left out)
SYSTEMS = {
    "alpha": (1.9, 6, None),
    "bravo": (1.7, 6, None),
    "charlie": (1.7, 1, None),
    "delta": (1.3, 6, "13"),
    "echo": (0.7, 4, None),
}
PLAIN = "alpha"  # the other runs are gzipped


def small_files() -> dict[str, str]:
    """The qrels and the runs, by file name (without .gz)."""
    rng = random.Random(SEED)
    documents = [f"{rng.choice(('news', 'web', 'law'))}-{number:05d}" for number in range(DOCUMENTS)]
    runs: dict[str, list[str]] = {name: [] for name in SYSTEMS}
    qrels = []
    for topic in sorted(str(number) for number in range(1, TOPICS + 1)):
        difficulty = rng.gauss(0, 0.35)
        num_relevant = FEW_RELEVANT.get(topic) or round(math.exp(rng.gauss(3.4, 0.7)))
        relevant = rng.sample(documents, num_relevant)
        grade = {docno: 2 if rng.random() < 0.3 else 1 for docno in relevant}
        # What every system gets wrong: a document's own pull towards or away from the topic.
        pull = {docno: rng.gauss(0, 0.7) for docno in documents}
        pool = set()
        for name, (quality, decimals, left_out) in SYSTEMS.items():
            score = {
                docno: 10
                + pull[docno]
                + (quality - difficulty) * (1 + 0.4 * (grade.get(docno, 0) > 1)) * (docno in grade)
                + rng.gauss(0, 0.7)
                for docno in documents
            }
            ranking = sorted(documents, key=lambda docno: (round(score[docno], decimals), docno), reverse=True)[:DEPTH]
            pool.update(ranking[:POOL_DEPTH])
            if topic != left_out:
                runs[name] += [
                    f"{topic} Q0 {docno} {rank} {score[docno]:.{decimals}f} {name}"
                    for rank, docno in enumerate(ranking, 1)
                ]
        qrels += [f"{topic} 0 {docno} {grade.get(docno, 0)}" for docno in sorted(pool)]
    files = {f"runs/{name}.run": "\n".join(lines) + "\n" for name, lines in runs.items()}
    return {"qrels.txt": "\n".join(qrels) + "\n", **files}


def other_judge(qrels: str) -> str:
    """The judgments of the small collection by somebody lenient, who takes some grades for the next one."""
    rng = random.Random(SEED + 2)
    lines = [line.split() for line in qrels.splitlines()]
    change = [rng.choices((-1, 0, 1), (5, 80, 15))[0] for _ in lines]
    return "".join(
        f"{topic} 0 {docno} {min(max(int(grade) + by, 0), 2)}\n"
        for (topic, _, docno, grade), by in zip(lines, change, strict=True)
    )


def versions_file() -> str:
    """Scores of three systems on four wordings of each topic, whose number is behind the topic's: 1701 is the first of 17."""
    rng = random.Random(SEED + 1)
    lines = ["run,topic,measure,value"]
    for topic in range(1, TOPICS + 1):
        difficulty = rng.gauss(0, 0.15)
        for version in range(1, 5):
            wording = rng.gauss(0, 0.08)
            for system, quality in (("alpha", 0.42), ("bravo", 0.36), ("charlie", 0.34)):
                score = min(max(quality - difficulty + wording + rng.gauss(0, 0.08), 0), 1)
                lines.append(f"{system},{topic}{version:02d},map,{score:.4f}")
    return "\n".join(lines) + "\n"


def ten_file() -> str:
    """Scores of ten systems, from good to bad: of fewer, swap-error names no difference that is needed."""
    rng = random.Random(SEED + 4)
    difficulty = [rng.gauss(0, 0.15) for _ in range(TOPICS)]
    lines = ["run,topic,measure,value"]
    for system in range(1, 11):
        for topic in range(TOPICS):
            score = 0.45 - 0.015 * system - difficulty[topic] + rng.gauss(0, 0.1)
            lines.append(f"run{system:02d},{topic + 1},map,{min(max(score, 0), 1):.4f}")
    return "\n".join(lines) + "\n"


def seeds_files() -> dict[str, str]:
    """Scores of bm25, which is not trained, and of two systems trained from 3 and 5 seeds; and which run is of which."""
    rng = random.Random(SEED + 3)
    difficulty = [rng.gauss(0, 0.15) for _ in range(TOPICS)]
    lines, listed = ["run,topic,measure,value"], ["bm25 bm25 -"]
    for system, quality, seeds in (("bm25", 0.33, 0), ("dense", 0.38, 3), ("hybrid", 0.46, 5)):
        own = [rng.gauss(0, 0.07) for _ in range(TOPICS)]
        for seed in range(1, seeds + 1) if seeds else (None,):
            run = f"{system}_s{seed}" if seed else system
            training = rng.gauss(0, 0.03) if seed else 0
            for topic in range(TOPICS):
                score = quality + training - difficulty[topic] + own[topic] + rng.gauss(0, 0.05)
                lines.append(f"{run},{topic + 1},ndcg_cut_10,{min(max(score, 0), 1):.4f}")
            listed += [f"{run} {system} {seed}"] if seed else []
    return {"seeds.csv": "\n".join(lines) + "\n", "seeds.txt": "\n".join(listed) + "\n"}


GOOD_RUN = b"1 Q0 a 1 2.5 x\n1 Q0 b 2 1.5 x\n"
GZIPPED = gzip.compress(GOOD_RUN * 100, mtime=0)

# name: (what the file holds, the message without the path); .run files are read as runs, .qrels as qrels
BAD = {
    "too-few-fields.run": (
        b"1 Q0 a 1 2.5 x\n1 Q0 b 2 1.5\n\n1 Q0\n",
        ["2: 5 fields, expected 6 (topic Q0 docno rank score tag) (and 1 more line: 4)"],
    ),
    "one-field.run": (b"# a run\nhello\n", ["2: 1 field, expected 6 (topic Q0 docno rank score tag)"]),
    "score-a-word.run": (GOOD_RUN + b"1 Q0 c 3 high x\n", ["3: score 'high' is not a finite number"]),
    "score-nan.run": (b"1 Q0 a 1 nan x\n", ["1: score 'nan' is not a finite number"]),
    "score-infinite.run": (b"1 Q0 a 1 1e999 x\n1 Q0 b 2 -inf x\n",
        ["1: score '1e999' is not a finite number (and 1 more line: 2)"]),
    "score-with-comma.run": (b"1 Q0 a 1 2,5 x\n", ["1: score '2,5' is not a finite number"]),
    "score-with-underscore.run": (b"1 Q0 a 1 1_000 x\n", ["1: score '1_000' is not a finite number"]),
    "docno-twice.run": (
        GOOD_RUN + b"2 Q0 a 1 3 x\n1 Q0 a 3 0.5 x\n",
        ["4: document 'a' twice for topic '1', first on line 1; --duplicates first keeps one"],
    ),
    "several-kinds.run": (
        b"1 Q0 a 1 2.5 x\n1 Q0 b 2 zwei x\n1 Q0 a 3 1 x\n1 Q0 c\n",
        [
            "2: score 'zwei' is not a finite number",
            "3: document 'a' twice for topic '1', first on line 1; --duplicates first keeps one",
            "4: 3 fields, expected 6 (topic Q0 docno rank score tag)",
        ],
    ),
    "many-lines.run": (
        b"".join(b"1 Q0 d%d 1 ? x\n" % n for n in range(12)),
        ["1: score '?' is not a finite number (and 11 more lines: 2, 3, 4, ...)"],
    ),
    "empty.run": (b"", ["empty file: no line of topic Q0 docno rank score tag"]),
    "only-comments.run": (b"# nothing\n\n", ["empty file: no line of topic Q0 docno rank score tag"]),
    "truncated.run": (
        GZIPPED[:9] + b"\x03" + GZIPPED[10:-12],  # the system, which Pythons name differently
        ["damaged gzip file (Compressed file ended before the end-of-stream marker was reached)"],
    ),
    "binary.run": (GOOD_RUN + b"\x89PNG\x00\x01", ["3: binary data (a NUL byte), not text"]),
    "carriage-returns-and-a-newline.run": (
        GOOD_RUN.replace(b"\n", b"\r") + b"\n", ["lines end in CR alone, not in LF or CR LF"]
    ),
    "carriage-returns.run": (GOOD_RUN.replace(b"\n", b"\r"), ["lines end in CR alone, not in LF or CR LF"]),
    "grade-no-integer.qrels": (
        b"1 0 a 1\n1 0 b 0.5\n1 0 c yes\n",
        ["2: grade '0.5' is not an integer (and 1 more line: 3)"],
    ),
    "too-few-fields.qrels": (b"1 0 a\n", ["1: 3 fields, expected 4 (topic iteration docno grade)"]),
    "too-many-fields.qrels": (
        GOOD_RUN,
        ["1: 6 fields, expected 4 (topic iteration docno grade) (and 1 more line: 2)"],
    ),
    "docno-twice.qrels": (b"1 0 a 1\n1 0 a 0\n", ["2: document 'a' twice for topic '1', first on line 1"]),
    "empty.qrels": (b"\n\n", ["empty file: no line of topic iteration docno grade"]),
    "binary.qrels": (b"\x00\x01\x02", ["1: binary data (a NUL byte), not text"]),
}  # fmt: skip


def main() -> None:
    """Write all files below this one's folder."""
    for folder in ("runs", "small/runs", "bad"):
        (HERE / folder).mkdir(parents=True, exist_ok=True)
    first_outputs = collection.files()
    for name, content in (*first_outputs.items(), *judge.files(first_outputs["qrels.txt"]).items()):
        (HERE / name).write_text(content)
    for name, content in small_files().items():
        if name.startswith("runs/") and PLAIN not in name:
            packed = io.BytesIO()
            with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as file:
                file.write(content.encode())
            (HERE / "small" / (name + ".gz")).write_bytes(packed.getvalue())
        else:
            (HERE / "small" / name).write_text(content)
    more = {"several": several.files(), "leaderboard": leaderboard.files()}
    for path, content in (
        (HERE / folder / name, content) for folder, some in more.items() for name, content in some.items()
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (HERE / "small" / "llm.txt").write_text(other_judge(small_files()["qrels.txt"]))
    (HERE / "small" / "versions.csv").write_text(versions_file())
    (HERE / "small" / "ten.csv").write_text(ten_file())
    for name, content in seeds_files().items():
        (HERE / "small" / name).write_text(content)
    for name, (content, _) in BAD.items():
        (HERE / "bad" / name).write_bytes(content)


if __name__ == "__main__":
    main()
