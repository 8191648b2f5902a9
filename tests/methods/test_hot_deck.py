"""Grades drawn for documents that a second judge did not judge, against a naive version; what they depend on."""

import numpy as np
import pytest

from irci.base.streams import Purpose, seed_word, topic_keys
from irci.base.types import Floats, offsets
from irci.kernels.paired_bootstrap import document_keys
from irci.kernels.topics import draw_sign_bits
from irci.methods.compare.hot_deck import Decks, over_imputations
from irci.stats.imputation import combined
from irci.stats.tests import paired_t

UNKNOWN = -1
KEYS = topic_keys([b"one", b"two", b"three"])


def some_decks(seed: int, share: float = 0.5) -> Decks:
    """Three topics of 8, 20 and 31 documents with grades 0 to 2 by the first, few of them 2, of which the second judged a
    share; and documents that the second alone judged."""
    rng = np.random.default_rng(seed)
    sizes = [8, 20, 31]
    first = rng.choice([0, 1, 2, UNKNOWN], sum(sizes), p=[0.5, 0.3, 0.1, 0.1])
    second = np.where((rng.random(len(first)) < share) | (first == UNKNOWN), rng.integers(0, 4, len(first)), UNKNOWN)
    words = rng.integers(0, 2**63, len(first)).astype(np.uint64) * np.uint64(2)
    return Decks(first, second, offsets(sizes), KEYS, words)


def naive_drawn(decks: Decks, imputations: int, seed: int) -> list[list[int]]:
    """Document by document: the deck of the topic and grade if it has three, else that of the grade; from it as many are drawn
    with replacement, and of these one. Members stand in the order of their words."""
    word = seed_word(seed, Purpose.IMPUTATION)
    bits: dict[tuple[int, int], list[int]] = {}
    for topic, key in enumerate(decks.keys):
        places = range(decks.offsets[topic], decks.offsets[topic + 1])
        drawn = np.empty((len(places), imputations), np.uint64)
        draw_sign_bits(word, document_keys(word, key, decks.words[places.start : places.stop]), drawn)
        bits |= {(topic, place): row for place, row in zip(places, drawn.tolist(), strict=True)}
    found = []
    for imputation in range(imputations):
        grades = decks.second.tolist()
        for topic, place in bits:
            if decks.first[place] < 0 or decks.second[place] >= 0:
                continue
            of_grade = [
                (int(decks.words[other]), of, other)
                for of, other in bits
                if decks.first[other] == decks.first[place] and decks.second[other] >= 0
            ]
            deck = sorted(each for each in of_grade if each[1] == topic)
            part = 0
            if len(deck) < 3:
                deck, part = sorted(of_grade), 1

            def number(of: int, other: int, size: int, part: int = part, imputation: int = imputation) -> int:
                high, low = divmod(bits[of, other][imputation], 2**32)
                return (low if part else high) * size >> 32

            drawn_first = [deck[number(of, other, len(deck))] for _, of, other in deck]
            grades[place] = int(decks.second[drawn_first[number(topic, place, len(deck))][2]])
        found.append(grades)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_grades_drawn_against_the_naive_version(seed: int) -> None:
    decks = some_decks(seed)
    assert [each.tolist() for each in decks.drawn(5, seed)] == naive_drawn(decks, 5, seed)


def test_what_was_judged_stays() -> None:
    decks = some_decks(3)
    for grades in decks.drawn(3, 1):
        assert (grades[~decks.unknown] == decks.second[~decks.unknown]).all()
        assert (grades >= 0).all()


def test_grades_depend_on_the_document_and_not_on_its_place() -> None:
    """Lines of a file may come in any order, and other topics may be read or not."""
    decks = some_decks(5, share=0.6)
    order = np.concatenate(
        [begin + np.random.default_rng(1).permutation(end - begin) for begin, end in ((0, 8), (8, 28), (28, 59))]
    )
    turned = Decks(decks.first[order], decks.second[order], decks.offsets, KEYS, decks.words[order])
    last = slice(28, 59)
    alone = Decks(decks.first[last], decks.second[last], offsets([31]), KEYS[2:], decks.words[last])
    own = np.array(
        [((decks.first[last] == grade) & (decks.second[last] >= 0)).sum() >= 3 for grade in decks.first[last]]
    )
    for found, other, of_last in zip(decks.drawn(4, 2), turned.drawn(4, 2), alone.drawn(4, 2), strict=True):
        assert (found[order] == other).all()
        assert (found[last][own] == of_last[own]).all()


def test_shares_of_grades_are_those_of_the_deck() -> None:
    """Of a deck with grades 0, 0, 0, 3 a quarter of draws are 3: each imputation draws the deck anew, so that draws of one
    resemble each other; over 4000 imputations their mean lies within four errors."""
    first, second = np.zeros(10, np.int64), np.array([0, 0, 0, 3, *[UNKNOWN] * 6])
    decks = Decks(first, second, offsets([10]), KEYS[:1], np.arange(10, dtype=np.uint64))
    drawn = np.array([grades[4:] == 3 for grades in decks.drawn(4000, 1)])
    by_imputation = drawn.mean(axis=1)
    assert by_imputation.mean() == pytest.approx(0.25, abs=4 * by_imputation.std(ddof=1) / np.sqrt(4000))
    # Of two documents of one imputation both are 3 more often than by chance: the mean of (k/4)^2, k binomial of 4 and 1/4.
    both = (drawn[:, 0] & drawn[:, 1]).mean()
    expected = (0.25 * 0.75 / 4) + 0.25**2
    assert both == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 4000))


def test_grades_of_which_too_little_is_known() -> None:
    first = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    second = np.array([1, 1, 1, UNKNOWN, 1, 1, UNKNOWN, 0, 0])
    decks = Decks(first, second, offsets([9]), KEYS[:1], np.arange(9, dtype=np.uint64))
    assert decks.too_few == [1]  # of grade 2, two are known and none is not


def test_differences_over_imputations() -> None:
    """Of each pair on the topics of both, and of what the first judge's differences have more."""
    rng = np.random.default_rng(1)
    imputed: Floats = rng.random((4, 3, 9))
    imputed[:, 2, 5:] = np.nan
    first = rng.random((3, 9))
    pairs = np.array([[1, 0], [2, 0]])
    found, change = over_imputations(imputed, pairs), over_imputations(imputed, pairs, first)
    for place, (pair, topics) in enumerate(zip(pairs.tolist(), (9, 5), strict=True)):
        for of, sign, base in ((found, 1, np.zeros((3, 9))), (change, -1, first)):
            run, baseline = pair
            differences = (base[run] - base[baseline] + sign * (imputed[:, run] - imputed[:, baseline]))[:, :topics]
            tests = [paired_t(each[np.newaxis], 0.95) for each in differences]
            errors = [float(each.mean[0] / each.effect_size[0] / topics**0.5) for each in tests]
            expected = combined(
                np.array([each.mean for each in tests]), np.array(errors)[:, np.newaxis], np.array([topics])
            )
            assert of.value[place] == pytest.approx(expected.value[0])
            assert of.error[place] == pytest.approx(expected.error[0])
            assert of.df[place] == pytest.approx(expected.df[0])
            assert of.units[place] == topics
