"""The parts of a split collection, by the docno alone, so that none depends on which runs are read: every run scored on each,
with the part's own judgments, as replicates of its scores.

Voorhees, Samarov & Soboroff, "Using replicates in information retrieval evaluation", ACM TOIS 36(2), 2017.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from irci.base import DataError, FormatError, first_few, plural, raw, text
from irci.base.choices import Policy
from irci.base.streams import Purpose, seed_word
from irci.base.types import Bools, Floats, Ints, Parts, Words, gathered, offsets, owners
from irci.data import text_files
from irci.data.collection import JudgedRun, Relevance
from irci.data.experiment import Experiment, ExperimentRun, scored_by
from irci.data.inputs import Inputs, where
from irci.data.rankings import Docnos, Qrels
from irci.data.scores import without_missing
from irci.kernels.generator import splitmix
from irci.kernels.ranking import balanced_attempt, part_of_hash
from irci.measures import MAP, ListsByLevel, Measure, judgments_by_level, lists_by_level
from irci.system import in_order
from irci.wording import warn_of_topics

MOST_ATTEMPTS = 1_000_000


Split = Callable[[Docnos], Parts]  # the part of each document, uint8[n]


def _mixed(word: np.uint64, number: int) -> np.uint64:
    return np.uint64(splitmix(word ^ np.uint64(splitmix(np.uint64(number)))))


def joined_topics(hashes: Sequence[Words]) -> list[list[int]]:
    """The topics in groups that share relevant documents, directly or by way of others."""
    topics_of = gathered((document, topic) for topic, own in enumerate(hashes) for document in own.tolist())
    group = np.arange(len(hashes))
    for topics in topics_of.values():
        if len(topics) > 1 and len(joined := set(group[topics].tolist())) > 1:  # the others are looked at for each join
            group[np.isin(group, [*joined])] = min(joined)
    return list(gathered((first, topic) for topic, first in enumerate(group.tolist())).values())


def hash_split(seed: int, split: int, parts: int = 2, hashes: Sequence[Words] = ()) -> Split:
    """A split by a salted hash: part = mix(docno hash, seed, split, attempt) mod parts, so that sizes are binomial.
    It is a split of hashes: documents whose docnos share one are in one part, and with later attempts move together.

    `hashes`: of the relevant documents of topics each of which has one in every part: where chance fails, another attempt is
    made. Topics that share a relevant document are redrawn as one and others by themselves, which samples splits given that
    all topics pass. Raises ValueError for topics, given by their places, for which no attempt out of MOST_ATTEMPTS succeeds.
    """
    word = _mixed(seed_word(seed, Purpose.SPLIT), split)
    salt_of: dict[int, np.uint64] = {}
    for topics in joined_topics(hashes):
        joined = np.concatenate([hashes[topic] for topic in topics])
        edges = offsets([len(hashes[topic]) for topic in topics])
        attempt = balanced_attempt(joined, edges, word, parts, MOST_ATTEMPTS)
        if attempt < 0:
            raise ValueError(topics)
        salt_of |= dict.fromkeys(joined.tolist() if attempt else [], _mixed(word, int(attempt)))
    redrawn = np.array(sorted(salt_of), np.uint64)
    further = np.array([salt_of[document] for document in redrawn.tolist()], np.uint64)

    def part(docnos: Docnos) -> Parts:
        own = docnos.public_hashes()
        salts = np.full(len(own), _mixed(word, 0))
        if len(redrawn):
            places = np.minimum(np.searchsorted(redrawn, own), len(redrawn) - 1)
            salts = np.where(redrawn[places] == own, further[places], salts)
        return np.asarray(part_of_hash(own ^ salts, np.uint64(0), parts))

    return part


def md5_halves(docnos: Docnos) -> Parts:
    """Two halves by the parity of the docno's MD5 digest, its last bit (Cormack & Lynam 2006, section 4, name no bit)."""
    digests = (hashlib.md5(docno, usedforsecurity=False).digest()[-1] & 1 for docno in docnos.texts())
    return np.fromiter(digests, np.uint8, len(docnos.hash))


def read_parts(path: str, parts: int | None = None) -> dict[bytes, int]:
    """The part of each document in a file of lines of docno and part; so many parts, numbered in the order of their names.
    Raises FormatError for a line of other than two fields, a document twice, or another number of parts."""

    def wrong(fields: Sequence[str]) -> str:
        return "" if len(fields) == 2 else f"{len(fields)} fields, expected 2 (docno part)"

    named = text_files.table_of(path, text_files.read_fields(path), wrong, "document {!r}")
    names = sorted({name for (name,) in named.values()}, key=raw)
    if len(names) > 255 or len(names) != (parts or len(names)):
        expected = "more than 255" if parts is None else f"expected {parts}"
        raise FormatError.whole_file(path, f"{len(names)} parts, {expected}")
    number_of = {name: number for number, name in enumerate(names)}
    return {raw(docno): number_of[name] for (docno,), (name,) in named.items()}


def file_split(path: str, parts: int | None = None) -> tuple[int, Split]:
    """How many parts a file makes of documents, and which; DataError for a document that is not in the file."""
    part_of = read_parts(path, parts)

    def part(docnos: Docnos) -> Parts:
        try:
            return np.fromiter(map(part_of.__getitem__, docnos.texts()), np.uint8, len(docnos.hash))
        except KeyError as error:
            raise DataError(f"{path}: no part for document {text(error.args[0])!r}") from None

    return max(part_of.values(), default=-1) + 1, part


def halves(of: int | str, seed: int) -> Sequence[Split]:
    """The splits in two that are asked for: so many random ones, `md5`, or a file's."""
    if isinstance(of, int):
        return [hash_split(seed, split) for split in range(1, of + 1)]
    return [md5_halves if of == "md5" else file_split(of, 2)[1]]


def within_part(judged: JudgedRun, is_in_part: Bools) -> JudgedRun:
    """A run within a part of the collection, ranks counted anew; bool[N]: which of its lines are in the part."""
    edges, before = judged.line_offsets, offsets(is_in_part)
    begins, places = edges[owners(judged.offsets)], judged.places
    kept = is_in_part[places]
    ranks = before[places[kept]] - before[begins[kept]] + 1
    return judged._replace(
        offsets=offsets(kept)[judged.offsets], ranks=ranks.astype(np.int32), rows=judged.rows[kept],
        retrieved=np.diff(before[edges]),
    )  # fmt: skip


class PartScores(NamedTuple):
    """Scores on the whole and on x parts of it, or x versions of each topic; nan where there is none."""

    runs: list[str]  # m, sorted by name
    topics: list[str]  # T, sorted
    whole: dict[str, Floats]  # by measure, [T, m]
    splits: dict[str, list[Floats]]  # by measure, of each split [T, m, x]
    relevant: Sequence[Ints] = ()  # documents of each split [T, x]; of versions none
    labels: list[str] | None = None  # of versions that all topics have
    replicate: Literal["part", "version"] = "part"

    def complete(self, measure: str, split: int, policy: Policy) -> tuple[Floats, Bools]:
        """A split's scores y[T, m, x] made complete, and bool[T] the topics kept.

        A cell without a score fails its topic: `zero` scores it 0, `mean` the mean of the run's other parts, else the topic
        goes; DataError if none is left, or one would go where splits are such that none has to.
        """
        y, name = self.splits[measure][split], f"{measure}, split {split + 1}"
        missing = np.isnan(y)
        is_imputed = missing.any(axis=(1, 2))
        if policy == "zero":
            y, missing = np.where(missing, 0.0, y), np.zeros_like(missing)
        elif policy == "mean":
            scored = (~missing).sum(axis=2, keepdims=True)
            y = np.where(missing, np.nansum(y, axis=2, keepdims=True) / np.maximum(scored, 1), y)
            missing = scored == 0
        kept = np.asarray(~missing.any(axis=(1, 2)))
        lacking = where(self.topics, ~kept)
        if lacking and policy == "redraw":
            number = f"{plural(len(lacking), 'topic')} ({' '.join(lacking[:5])})"
            raise DataError(f"{name}: no score of some run or part on {number}: --policy drop, zero or mean")
        warn_of_topics(name, f"with parts that --policy {policy} scores", where(self.topics, is_imputed & kept))
        warn_of_topics(name, "without a score of every run and part, dropped", lacking)
        if not kept.any():
            raise DataError(f"{measure}: no topic has a score of every run and part")
        return y[kept], kept


# Scores of runs on parts.

WAYS_ON = (
    "leave them out of such splits (--policy drop), impute their scores (--policy zero or mean), or take fewer parts"
    " (-x)"
)


def judgments_of_parts(inputs: Inputs, qrels: Qrels, split: Split, parts: int) -> tuple[list[ListsByLevel], Ints]:
    """Each part's judgments, those of other parts being no grade, and its relevant documents by topic, int64[T, x]."""
    part = split(qrels.docnos)
    of_parts = [qrels._replace(grade=np.where(part == number, qrels.grade, -1)) for number in range(parts)]
    highest = inputs.max_grade or qrels.highest_grade
    judgments = [judgments_by_level(of_part, inputs.relevance_level, highest) for of_part in of_parts]
    return judgments, np.array([of_part(None).relevant for of_part in judgments]).T


def scores_on_parts(
    judgments: Sequence[ListsByLevel], part_of_line: Parts, judged: JudgedRun, measures: Sequence[Measure]
) -> Floats:
    """float64[measures, T, x]: one run's scores on each part, by its judgments; nan where it has no relevant document.
    `part_of_line`: of each of judged.lines."""
    values = []
    for number, of_part in enumerate(judgments):
        lists = lists_by_level(of_part, within_part(judged, part_of_line == number))
        scores = [(measure.scores(lists(measure.level)), of_part(measure.level).relevant) for measure in measures]
        values.append([np.where(relevant > 0, score, np.nan) for score, relevant in scores])
    return np.ascontiguousarray(np.moveaxis(np.array(values), 0, 2))


def score_parts(inputs: Inputs) -> list[PartScores]:
    """Scores of every run on every part of every split and on the whole: documents are split at random into so many parts, so
    many times, for each of some numbers, or as a file says."""
    measures, parts = inputs.measures or [MAP], inputs.parts
    experiment = Experiment(inputs, measures)
    experiment.tells_missing = inputs.missing != "auto"
    qrels = experiment.qrels
    if isinstance(parts, str):
        numbered = [file_split(parts)]
        if numbered[0][0] < 2:
            raise DataError(f"{parts}: a split needs at least two parts")
    else:
        numbered = [(number, split) for number in parts for split in _random(inputs, qrels, number)]
    splits = [(split, *judgments_of_parts(inputs, qrels, split, number)) for number, split in numbered]
    empty = where(experiment.topics, np.asarray(~splits[0][2].all(axis=1)))
    if isinstance(parts, str) and inputs.policy == "redraw" and empty:
        raise DataError(
            f"{parts}: a part without relevant documents of {plural(len(empty), 'topic')}: {' '.join(empty[:5])};"
            " given parts cannot be redrawn: --policy drop, zero or mean"
        )
    on_parts: list[list[Floats]] = []  # of runs, of splits

    def score(run: ExperimentRun) -> None:
        ranked = run.run.docnos.take(run.judged.lines)

        def on_split(of_split: tuple[Split, list[ListsByLevel], Ints]) -> Floats:
            split, judgments, _ = of_split
            values = scores_on_parts(judgments, split(ranked), run.judged, measures)
            values[:, ~run.kept] = np.nan
            return values

        on_parts.append([*in_order(on_split, splits, inputs.threads)])

    (table,) = scored_by([experiment], measures, [score])
    left = without_missing(table, inputs, names_topics=True)
    left = left.only(sorted(left.runs, key=raw))
    order = [table.runs.index(run) for run in left.runs]
    # Where a run lacks a topic, all do: the analysis needs the same topics of all.
    common = np.asarray(~np.isnan([*left.values.values()]).any(axis=(0, 1)))
    if not common.any():
        raise DataError("the runs have no topic in common")
    topics = where(left.topics, common)
    whole = {name: np.ascontiguousarray(values[:, common].T) for name, values in left.values.items()}
    scored = []
    for of_number in gathered((relevant.shape[1], place) for place, (*_, relevant) in enumerate(splits)).values():
        values = [np.stack([on_parts[row][split] for row in order], axis=2)[:, common] for split in of_number]
        by_measure = {m.name: [of_split[index] for of_split in values] for index, m in enumerate(measures)}
        scored.append(
            PartScores(left.runs, topics, whole, by_measure, [splits[split][2][common] for split in of_number])
        )
    return scored


def _random(inputs: Inputs, qrels: Qrels, parts: int) -> Sequence[Split]:
    """So many splits; with `redraw`, such that every topic has a relevant document in every part.
    Raises DataError naming the topics for which there can be none, and the ways on."""
    numbers, seed = range(1, inputs.splits + 1), inputs.seed
    if inputs.policy != "redraw":
        return [hash_split(seed, number, parts) for number in numbers]
    relevant = Relevance.of(qrels, "relevance", inputs.relevance_level).classes >= 0
    edges = offsets(relevant)[qrels.offsets]
    # Documents that share a hash share a part, so that as many parts take as many hashes.
    hashes = [np.unique(of_topic) for of_topic in np.split(qrels.docnos.public_hashes()[relevant], edges[1:-1])]
    refused = [index for index, own in enumerate(hashes) if len(own) < parts]
    count = "1 topic has" if len(refused) == 1 else f"{len(refused)} topics have"
    why = f"{count} too few relevant documents for {parts} parts"
    if not refused:
        try:
            return [hash_split(seed, number, parts, hashes) for number in numbers]
        except ValueError as error:
            (refused,) = error.args
            share = "gives these topics, which share documents, relevant documents"
            why = f"no split in {MOST_ATTEMPTS:,} attempts {share} in all {parts} parts"
    raise DataError(f"{why}: {first_few([text(qrels.topics[topic]) for topic in refused])}", WAYS_ON)
