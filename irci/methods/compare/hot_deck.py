"""Grades that a second judge, who judged a part of what the first one did, may have given the rest.

A hot deck: a document that he did not judge has the grade that he gave to one drawn from those of the same topic to which the
first judge gave the same grade. These are themselves drawn with replacement, anew in each imputation, so that what is not
known of the deck varies too (D. B. Rubin and N. Schenker, Journal of the American Statistical Association 81, 1986). That is
right if which documents he judged depends on topic and first grade alone.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from irci.base.records import Record
from irci.base.streams import Purpose, seed_word
from irci.base.types import Bools, Floats, Ints, Pairs, Words, offsets, owners
from irci.bootstrap.joint_resamples import common_topics, in_blocks, on_topics
from irci.kernels.paired_bootstrap import document_keys
from irci.kernels.topics import draw_sign_bits
from irci.stats.estimates import Estimates
from irci.stats.imputation import combined
from irci.stats.tests import mean_and_sd

IMPUTATIONS = 40
FEWEST = 3  # documents in a deck: with fewer, those of all topics are the deck
LOWER = np.uint64(2**32 - 1)
HALF = np.uint64(32)


class Decks(Record):
    """Documents that either judge judged: `first` and `second` int64[J], their grades, negative where there is none. Topic t's
    are [offsets[t]:offsets[t+1]]; `keys` uint64[T] and `words` uint64[J] key the streams of topics and documents."""

    first: Ints
    second: Ints
    offsets: Ints
    keys: Words
    words: Words

    @cached_property
    def _grades(self) -> tuple[Ints, Ints]:
        """The first judge's grades int64[G], and the place of each document's, int64[J]; -1 where there is none."""
        found = np.unique(self.first[self.first >= 0])
        return found, np.where(self.first >= 0, np.searchsorted(found, self.first), -1)

    @property
    def unknown(self) -> Bools:
        """bool[J]: the first judge's documents that the second did not judge."""
        return np.asarray((self.first >= 0) & (self.second < 0))

    @property
    def too_few(self) -> list[int]:
        """The first judge's grades whose deck, of all topics, is too small, though there are documents to be drawn for."""
        grades, place = self._grades
        known, unknown = (
            np.bincount(place[some], minlength=len(grades))
            for some in ((place >= 0) & (self.second >= 0), self.unknown)
        )
        found: list[int] = grades[(unknown > 0) & (known < FEWEST)].tolist()
        return found

    def drawn(self, imputations: int, seed: int) -> Iterator[Ints]:
        """The second judge's grades int64[J], those that he gave and those drawn, of each imputation.

        What is drawn for a document depends on topic, document and imputation, and on its deck, alone.
        """
        grades, place = self._grades
        topic = owners(self.offsets)
        bits = self._bits(imputations, seed)
        own, shared = (
            _Deck.of(cells, self.second, self.words)
            for cells in (np.where(place < 0, -1, topic * len(grades) + place), place)
        )
        unknown = np.flatnonzero(self.unknown)
        is_own = own.sizes[unknown] >= FEWEST
        for imputation in range(imputations):
            drawn, found = bits[:, imputation], self.second.copy()
            # Both decks of a document draw from bits of their own.
            found[unknown[is_own]] = own.drawn(unknown[is_own], drawn >> HALF)
            found[unknown[~is_own]] = shared.drawn(unknown[~is_own], drawn & LOWER)
            yield found

    def _bits(self, imputations: int, seed: int) -> Words:
        """uint64[J, imputations]: random bits of each document."""
        word = seed_word(seed, Purpose.IMPUTATION)
        groups = [self.words[begin:end] for begin, end in zip(self.offsets, self.offsets[1:], strict=False)]
        keys = [document_keys(word, key, words) for key, words in zip(self.keys, groups, strict=True)]
        bits = np.empty((len(self.words), imputations), np.uint64)
        draw_sign_bits(word, np.concatenate(keys), bits)
        return bits


class _Deck(Record):
    """Documents from which grades are drawn, int64[D], by cell and then by word, and their grades; of each document int64[J]
    where its cell begins among these, and how many it has."""

    members: Ints
    grades: Ints
    begins: Ints
    sizes: Ints

    @classmethod
    def of(cls, cells: Ints, grades: Ints, words: Words) -> "_Deck":
        known = np.flatnonzero((cells >= 0) & (grades >= 0))
        members = known[np.lexsort((words[known], cells[known]))]
        sizes = np.bincount(cells[known], minlength=cells.max(initial=-1) + 2)  # the last is of no cell
        return cls(members, grades[members], offsets(sizes)[:-1][cells], sizes[cells])

    def drawn(self, documents: Ints, bits: Words) -> Ints:
        """Grades of documents[U], by 32 random bits uint64[J] of each document: of one of the deck, drawn with replacement
        first."""
        bootstrap = self._among(self.members, bits)
        return self.grades[bootstrap[self._among(documents, bits)]]

    def _among(self, documents: Ints, bits: Words) -> Ints:
        """Places of documents in their cells, at random."""
        sizes = self.sizes[documents].astype(np.uint64)
        return self.begins[documents] + (bits[documents] * sizes >> HALF).astype(np.int64)


def over_imputations(imputed: Floats, pairs: Pairs, first: Floats | None = None) -> Estimates:
    """Differences of pairs[P, 2] of imputed[M, rows, T] scores, topics varying; with `first` float64[rows, T] those by the
    first judge less these. Topics that both of a pair are scored on count; nan where there are none."""
    imputations = len(imputed)
    value, error, df = np.full((3, len(pairs)), np.nan)
    units = np.zeros(len(pairs), np.int64)
    for mask, some in in_blocks(common_topics(imputed[0], pairs)):
        if not mask.any():
            continue
        values, errors = np.empty((2, imputations, len(some)))
        units[some] = mask.sum()
        of_first = None if first is None else on_topics(first, pairs[some], mask)
        for imputation, scores in enumerate(imputed):
            differences = on_topics(scores, pairs[some], mask)
            values[imputation], sd = mean_and_sd(differences if of_first is None else of_first - differences)
            errors[imputation] = sd / np.sqrt(mask.sum())
        of = combined(values, errors, units[some])
        value[some], error[some], df[some] = of.value, of.error, of.df
    return Estimates(value, error, df, units)
