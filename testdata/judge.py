"""A model that judges what people judged in the collection of first outputs: lenient, and now and then wrong.

It takes documents of some topics to be better than they are, of others worse, and makes errors of its own on single documents.
PEOPLE are the topics of `irci map-ci --sample 20 --seed 1 testdata/llm.qrels`: those that people judge where the model judges
the rest. Seeded, from the standard library's generator alone, so that it comes out the same everywhere.
"""

import random

SEED = 1968
LENIENT, OF_TOPIC, OF_DOCUMENT = 0.2, 0.9, 0.8  # in grades: the mean, and standard deviations
PEOPLE = (
    "304", "308", "310", "312", "320", "321", "323", "325", "326", "327",
    "331", "332", "333", "334", "337", "339", "342", "345", "349", "350",
)  # fmt: skip


def files(qrels: str) -> dict[str, str]:
    """The model's qrels, and people's of a few topics, from people's of all."""
    rng = random.Random(SEED)
    leniency: dict[str, float] = {}
    judged = []
    for line in qrels.splitlines():
        topic, iteration, docno, grade = line.split()
        own = leniency.setdefault(topic, rng.gauss(LENIENT, OF_TOPIC))
        seen = round(min(max(int(grade) + own + rng.gauss(0, OF_DOCUMENT), 0), 3))
        judged.append(f"{topic} {iteration} {docno} {seen}\n")
    few = [f"{line}\n" for line in qrels.splitlines() if line.split()[0] in PEOPLE]
    return {"llm.qrels": "".join(judged), "people.qrels": "".join(few)}
