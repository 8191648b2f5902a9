"""The parts of a split collection, by the docno alone, so that none depends on which runs are read: every run scored on each,
with the part's own judgments, as replicates of its scores; and tables of such scores, of our own making or others': run topic
measure split part value.

Part 0 of split 0 is the whole collection; the parts of a split are numbered from 1. Voorhees, Samarov & Soboroff, "Using
replicates in information retrieval evaluation", ACM TOIS 36(2), 2017.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, assert_never

import numpy as np

from irci.base import DataError, FormatError, Problem, Record, first_few, plural, raw, text, whole_number
from irci.base.choices import Policy
from irci.base.streams import Purpose, seed_word
from irci.base.types import Bools, Floats, Ints, Parts, Words, gathered, offsets
from irci.data import text_files
from irci.data.collection import JudgedRun, Relevance
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs, where
from irci.data.rankings import Docnos, Qrels
from irci.data.score_files import Tables, refuse_rankings
from irci.data.score_formats import cells_of, long_columns
from irci.data.scores import LONG, long_table, not_missing, refuse_tiny
from irci.kernels.generator import splitmix
from irci.kernels.ranking import balanced_attempt, part_of_hash, ranks_within_part
from irci.measures import MAP, JudgmentsByLevel, Measure
from irci.system import in_order

MOST_ATTEMPTS = 1_000_000


class HashSplit(Record):
    """A split by a salted hash: part = mix(docno hash, seed, split, attempt) mod parts, so that sizes are binomial.
    It is a split of hashes: documents whose docnos share one are in one part, and with later attempts move together.
    `redrawn` uint64[...]: sorted hashes of documents with a later attempt, `attempts` int64[...] theirs."""

    seed: int
    split: int
    parts: int = 2
    redrawn: Words = np.empty(0, np.uint64)
    attempts: Ints = np.empty(0, np.int64)

    def __call__(self, docnos: Docnos) -> Parts:
        hashes = docnos.public_hashes()
        part = self.of_hashes(hashes)
        if len(self.redrawn):
            position = np.minimum(np.searchsorted(self.redrawn, hashes), len(self.redrawn) - 1)
            changed = self.redrawn[position] == hashes
            for attempt in np.unique(self.attempts[position[changed]]).tolist():
                documents = np.flatnonzero(changed)[self.attempts[position[changed]] == attempt]
                part[documents] = self.of_hashes(hashes[documents], attempt)
        return part

    def of_hashes(self, hashes: Words, attempt: int = 0) -> Parts:
        return np.asarray(part_of_hash(hashes, _mixed(self.word, attempt), self.parts))

    @property
    def word(self) -> np.uint64:
        return _mixed(seed_word(self.seed, Purpose.SPLIT), self.split)

    def balanced(self, hashes: Sequence[Words]) -> "HashSplit":
        """The split in which every topic has a relevant document in every part: where chance fails, another attempt is made.
        `hashes`: of each topic's relevant documents.

        Topics that share a relevant document are redrawn as one and others by themselves, which samples splits given that all
        topics pass. Raises ValueError for topics, given by their places, for which no attempt out of MOST_ATTEMPTS succeeds.
        """
        redrawn: dict[int, int] = {}
        for topics in joined_topics(hashes):
            joined = np.concatenate([hashes[topic] for topic in topics])
            edges = offsets([len(hashes[topic]) for topic in topics])
            attempt = balanced_attempt(joined, edges, self.word, self.parts, MOST_ATTEMPTS)
            if attempt < 0:
                raise ValueError(topics)
            if attempt > 0:
                redrawn.update((hash_word, int(attempt)) for hash_word in joined.tolist())
        order = sorted(redrawn)
        attempts = np.array([redrawn[hash_word] for hash_word in order], np.int64)
        return self._replace(redrawn=np.array(order, np.uint64), attempts=attempts)


def _mixed(word: np.uint64, number: int) -> np.uint64:
    return np.uint64(splitmix(word ^ np.uint64(splitmix(np.uint64(number)))))


def md5_halves(docnos: Docnos) -> Parts:
    """Two halves by the parity of the docno's MD5 digest, its last bit (Cormack & Lynam 2006, section 4, name no bit)."""
    digests = (hashlib.md5(docno, usedforsecurity=False).digest()[-1] & 1 for docno in docnos.texts())
    return np.fromiter(digests, np.uint8, len(docnos.hash))


class FileSplit(Record):
    """Parts as a file says, one document a line: docno and the name of its part."""

    path: str
    part_of: dict[bytes, int]
    names: list[str]

    @classmethod
    def read(cls, path: str, parts: int | None = None) -> "FileSplit":
        """Read a file of so many parts, which are numbered in the order of their names.
        Raises FormatError for a line of other than two fields, a document twice, or another number of parts."""
        named = text_files.table_of(
            path,
            (
                (number, text_files.fields_of(line))
                for number, line in text_files.read_text_lines(path, is_record=text_files.has_fields(2))
            ),
            lambda fields: None if len(fields) == 2 else (f"{len(fields)} fields, expected 2 (docno part)", "fields"),
            "document {!r}",
        )
        names = sorted({name for (name,) in named.values()}, key=raw)
        if len(names) > 255:
            raise FormatError.whole_file(path, f"{len(names)} parts, more than 255")
        if parts is not None and len(names) != parts:
            raise FormatError.whole_file(path, f"{len(names)} parts, expected {parts}")
        number_of = {name: number for number, name in enumerate(names)}
        return cls(path, {raw(docno): number_of[name] for (docno,), (name,) in named.items()}, names)

    def __call__(self, docnos: Docnos) -> Parts:
        """uint8[n]: the part of each document. Raises DataError for one that is not in the file."""
        part = np.empty(len(docnos.hash), np.uint8)
        for index, docno in enumerate(docnos.texts()):
            number = self.part_of.get(docno)
            if number is None:
                raise DataError(f"{self.path}: no part for document {text(docno)!r}")
            part[index] = number
        return part


def joined_topics(hashes: Sequence[Words]) -> list[list[int]]:
    """The topics in groups that share relevant documents, directly or by way of others."""
    group = list(range(len(hashes)))

    def root(topic: int) -> int:
        while group[topic] != topic:
            group[topic] = group[group[topic]]
            topic = group[topic]
        return topic

    first_with: dict[int, int] = {}
    for topic, of_topic in enumerate(hashes):
        for document in of_topic.tolist():
            group[root(topic)] = root(first_with.setdefault(document, topic))
    return list(gathered((root(topic), topic) for topic in range(len(hashes))).values())


Split = Callable[[Docnos], Parts]


def halves(of: int | str, seed: int) -> Sequence[Split]:
    """The splits in two that are asked for: so many random ones, `md5`, or a file's."""
    if isinstance(of, int):
        return [HashSplit(seed, split) for split in range(1, of + 1)]
    return [md5_halves if of == "md5" else FileSplit.read(of, 2)]


@dataclass
class PartScores:
    """Scores of m runs (sorted by name) on T topics (sorted): for each measure those on the whole, float64[T, m], and those of
    each split, float64[T, m, x]; nan where there is none. `numbers`: the splits'. `relevant`: of each int64[T, x], if known.
    `collection`: what the collection is called, if it has a name.
    """

    runs: list[str]
    topics: list[str]
    whole: dict[str, Floats]
    splits: dict[str, list[Floats]]
    numbers: list[int]
    relevant: list[Ints] = field(default_factory=list)
    replicate: Literal["part", "version"] = "part"
    labels: list[str] | None = None
    collection: str | None = None


def saved_text(scores: PartScores) -> str:
    """The long table, with tabs, that `read_part_scores` reads back to the last digit."""
    begin = "" if scores.collection is None else f"{scores.collection}\t"
    rows = (
        (begin, run, topic, measure, split, part, value)
        for measure, whole in scores.whole.items()
        for split, of_split in zip((0, *scores.numbers), (whole[..., np.newaxis], *scores.splits[measure]), strict=True)
        for part, values in enumerate(np.moveaxis(of_split, 2, 0).tolist(), int(split > 0))
        for topic, of_topic in zip(scores.topics, values, strict=True)
        for run, value in zip(scores.runs, of_topic, strict=True)
    )
    return long_table("" if scores.collection is None else "collection\t", rows)


def read_part_scores(paths: Sequence[str], memory: text_files.Memory = text_files.NOTHING) -> PartScores:
    """Read tables as one. Raises FormatError for rubbish or a score twice, DataError where there are no parts, or several
    collections."""
    tables = Tables(lambda label: ", split {1}, part {2}".format(*label))
    for path in paths:
        lines = text_files.read_text_lines(*text_files.file_and_content(path, memory))
        if not lines:
            raise FormatError.whole_file(path, "empty file: no scores")
        refuse_rankings(lines, path)
        _, column_of, numbers, columns = long_columns(lines, path, ("split", "part"))
        run, topic, measure, split, part, value = (columns[column_of[name]] for name in LONG)
        collection = columns[column_of["collection"]] if "collection" in column_of else [None] * len(numbers)
        labels: list[Any] = []
        with text_files.problems_of(path) as problems:
            for line, of_line, *split_and_part in zip(numbers, collection, split, part, strict=True):
                try:
                    numbers_of_part = [*map(whole_number, split_and_part)]
                except ValueError:
                    numbers_of_part = [-1]
                labels.append((of_line, *numbers_of_part))
                if min(numbers_of_part) < 0:
                    reason = "split {!r}, part {!r}: no numbers from 0 on".format(*split_and_part)
                    problems.append(Problem(line, reason))
        tables.add(path, cells_of(numbers, run, topic, measure, value, labels))
    where = ", ".join(paths)
    by_label = {label: table for label, *table in tables.by_collection()}
    collections = dict.fromkeys(collection for collection, _, _ in by_label)
    if len(collections) > 1:
        names = [name or "one without a name" for name in collections]
        raise DataError(f"{where}: scores of {len(names)} collections ({first_few(names)}): take one at a time")
    by_part = {(split, part): table for (_, split, part), table in by_label.items()}
    return replace(_table(by_part, where), collection=next(iter(collections), None))


def _table(by_part: Mapping[tuple[int, int], Sequence[Any]], where: str) -> PartScores:
    """The scores of a collection, of runs, topics and values by measure of each split and part."""
    runs, topics = (sorted({name for table in by_part.values() for name in table[kind]}, key=raw) for kind in (0, 1))
    parts: dict[int, int] = {}
    num_scores = sum(int((~np.isnan(values)).sum()) for _, _, table in by_part.values() for values in table.values())
    for split, part in sorted(by_part):
        if split and part > num_scores:
            reason = f"split {split}, part {part}: parts count from 1, and some before it have no score"
            raise DataError(f"{where}: {reason}")
        if (split == 0) != (part == 0):
            raise DataError(f"{where}: split {split}, part {part}: the whole is split 0, part 0, parts count from 1")
        if split:
            parts[split] = part
    if not parts or min(parts.values()) < 2:
        raise DataError(f"{where}: needs scores on at least two parts of a split (split and part count from 1)")
    whole: dict[str, Floats] = {}
    splits: dict[str, list[Floats]] = {}
    for measure in dict.fromkeys(measure for _, _, table in by_part.values() for measure in table):
        arrays = {split: np.full((len(topics), len(runs), size), np.nan) for split, size in ((0, 1), *parts.items())}
        for (split, part), (own_runs, own_topics, table) in by_part.items():
            if measure in table:
                cells = np.ix_([*map(topics.index, own_topics)], [*map(runs.index, own_runs)])
                arrays[split][..., max(part - 1, 0)][cells] = table[measure].T
        refuse_tiny(measure, np.concatenate([values.ravel() for values in arrays.values()]), where)
        whole[measure], *splits[measure] = arrays.pop(0)[..., 0], *arrays.values()
    return PartScores(runs, topics, whole, splits, [*parts])


# Scores of runs on parts.

WAYS_ON = (
    "leave them out of such splits (--policy drop), impute their scores (--policy zero or mean), or take fewer parts"
    " (-x)"
)


class SplitCollection(Record):
    """A collection split into x parts: the part of each judgment, and each part's judgments.
    `relevant` int64[T, x]: the relevant documents of each topic and part."""

    split: Split
    part: Parts
    judgments: list[JudgmentsByLevel]
    relevant: Ints

    @classmethod
    def of(cls, qrels: Qrels, split: Split, parts: int, level: int, highest: int | None) -> "SplitCollection":
        part = split(qrels.docnos)
        judgments = []
        for number in range(parts):
            is_in = part == number
            of_part = qrels.take(np.flatnonzero(is_in), offsets(is_in)[qrels.offsets])  # all topics stay
            judgments.append(JudgmentsByLevel(of_part, level, highest or qrels.highest_grade))
        return cls(split, part, judgments, np.array([judgment.at(None).relevant for judgment in judgments]).T)

    def scores(self, ranked: Docnos, judged: JudgedRun, measures: Sequence[Measure]) -> Floats:
        """float64[measures, T, x]: one run's scores on each part; nan where the part has no relevant document.
        `ranked`: the docnos of judged.lines."""
        part_of_line = self.split(ranked)
        values = np.empty((len(measures), *self.relevant.shape))
        for number, judgments in enumerate(self.judgments):
            lists = judgments.of_run(_run_within_part(judged, part_of_line, self.part, number))
            for index, measure in enumerate(measures):
                score, relevant = measure.scores(lists(measure.level)), judgments.at(measure.level).relevant
                values[index, :, number] = np.where(relevant > 0, score, np.nan)
        return values


def _run_within_part(judged: JudgedRun, part_of_line: Parts, part_of_row: Parts, number: int) -> JudgedRun:
    # The part of a run's ranking that is in one part of the documents, ranks counted anew and rows those of the part's
    # judgments.
    kept, ranks, retrieved = ranks_within_part(part_of_line, judged.line_offsets, judged.ranks, judged.offsets, number)
    new_row = np.cumsum(part_of_row == number, dtype=np.int32) - np.int32(1)
    return judged._replace(
        offsets=offsets(kept)[judged.offsets], ranks=ranks, rows=new_row[judged.rows[kept]], retrieved=retrieved
    )


def hash_splits(qrels: Qrels, level: int, *, splits: int, parts: int, seed: int, policy: Policy) -> list[Split]:
    """Random splits; with `redraw`, such that every topic has a relevant document in every part.
    Raises DataError naming the topics for which there can be none, and the ways on."""
    bases = [HashSplit(seed, split, parts) for split in range(1, splits + 1)]
    if policy != "redraw":
        return list(bases)
    relevant = Relevance.of(qrels, "relevance", level).classes >= 0
    topic_offsets = offsets(relevant)[qrels.offsets]
    # Documents that share a hash share a part, so that as many parts take as many hashes.
    hashes = [np.unique(of_topic) for of_topic in np.split(qrels.docnos.public_hashes()[relevant], topic_offsets[1:-1])]
    small = [index for index, of_topic in enumerate(hashes) if len(of_topic) < parts]
    if small:
        count = "1 topic has" if len(small) == 1 else f"{len(small)} topics have"
        names = first_few([text(qrels.topics[topic]) for topic in small])
        raise DataError(f"{count} too few relevant documents for {parts} parts: {names}", WAYS_ON)
    try:
        return [base.balanced(hashes) for base in bases]
    except ValueError as error:
        raise DataError(
            f"no split in {MOST_ATTEMPTS:,} attempts gives these topics, which share documents, relevant documents in all"
            f" {parts} parts: {first_few([text(qrels.topics[topic]) for topic in error.args[0]])}",
            WAYS_ON,
        ) from None


def balanced(y: Floats, policy: Policy) -> tuple[Floats, Bools]:
    """Scores y[T, m, x] made complete, and bool[T] the topics kept.

    A cell without a score fails its topic: `zero` scores it 0, `mean` the mean of the run's other parts, else the topic goes.
    """
    missing = np.isnan(y)
    match policy:
        case "zero":
            return np.where(missing, 0.0, y), np.ones(len(y), np.bool_)
        case "mean":
            scored = (~missing).sum(axis=2, keepdims=True)
            means = np.divide(np.where(missing, 0.0, y).sum(axis=2, keepdims=True), scored, where=scored > 0, out=None)
            kept = np.asarray((scored > 0).all(axis=(1, 2)))
            return np.where(missing, means, y)[kept], kept
        case "redraw" | "drop":
            kept = np.asarray(~missing.any(axis=(1, 2)))
            return y[kept], kept
        case _:
            assert_never(policy)


def score_parts(
    inputs: Inputs, measures: Sequence[Measure], parts: int | str, *, splits: int, policy: Policy, seed: int
) -> PartScores:
    """Scores of every run on every part of every split and on the whole. Documents are split into so many `parts`, at random
    so many times, or as a file says; `policy`: see `balanced`."""
    measures = measures or [MAP]
    experiment = Experiment(inputs, measures)
    experiment.tells_missing = inputs.missing != "auto"
    qrels = experiment.qrels
    split_rules, num_parts = _splits(qrels, inputs.relevance_level, parts, splits, policy, seed)
    split_collections = [
        SplitCollection.of(qrels, split, num_parts, inputs.relevance_level, inputs.max_grade) for split in split_rules
    ]
    scored_runs, absent = [], []
    for run in experiment.runs():
        whole = np.array([run.scores(measure) for measure in measures])
        ranked = run.run.docnos.take(run.judged.lines)
        score = partial(SplitCollection.scores, ranked=ranked, judged=run.judged, measures=measures)
        on_parts = list(in_order(score, split_collections, inputs.threads))
        for values in on_parts:
            values[:, ~run.kept] = np.nan
        scored_runs.append((run.name, whole, on_parts))
        absent.append(run.judged.missing)
    made = not_missing([name for name, *_ in scored_runs], np.array(absent), inputs, experiment.topics)
    scored_runs = [of_run for of_run, is_made in zip(scored_runs, made, strict=True) if is_made]
    scored_runs.sort(key=lambda of_run: raw(of_run[0]))
    # Where a run lacks a topic, all do: the analysis needs the same topics of all.
    common = np.asarray(~np.any([np.isnan(whole).any(axis=0) for _, whole, _ in scored_runs], axis=0))
    if not common.any():
        raise DataError("the runs have no topic in common")
    wholes = np.stack([whole[:, common] for _, whole, _ in scored_runs], axis=2)
    of_splits = [np.stack(of_runs, axis=2)[:, common] for of_runs in zip(*(of for *_, of in scored_runs), strict=True)]
    return PartScores(
        runs=[name for name, _, _ in scored_runs],
        topics=where(experiment.topics, common),
        whole={measure.name: whole for measure, whole in zip(measures, wholes, strict=True)},
        splits={m.name: [of_split[index] for of_split in of_splits] for index, m in enumerate(measures)},
        numbers=list(range(1, len(split_rules) + 1)),
        relevant=[split.relevant[common] for split in split_collections],
    )


def _splits(
    qrels: Qrels, level: int, parts: int | str, splits: int, policy: Policy, seed: int
) -> tuple[list[Split], int]:
    if isinstance(parts, int):
        return hash_splits(qrels, level, splits=splits, parts=parts, seed=seed, policy=policy), parts
    file_split = FileSplit.read(parts)
    if len(file_split.names) < 2:
        raise DataError(f"{parts}: a split needs at least two parts")
    if policy == "redraw":
        counts = SplitCollection.of(qrels, file_split, len(file_split.names), level, None).relevant
        empty = [text(topic) for topic, of_topic in zip(qrels.topics, counts, strict=True) if not of_topic.all()]
        if empty:
            raise DataError(
                f"{parts}: a part without relevant documents of {plural(len(empty), 'topic')}: {' '.join(empty[:5])};"
                " given parts cannot be redrawn: --policy drop, zero or mean"
            )
    return [file_split], len(file_split.names)
