"""The answer in a sentence for each measure: which run is best, if all are ranked; of a pair, or of the pairs with a baseline,
whether a run is better; without pairs, which run scores highest."""

from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.choices import DOCUMENTS, TOPICS
from irci.base.names import first_names
from irci.output.tables import Table, as_read
from irci.stats.decisions import separated
from irci.studies.compare.best import sentences_of_best
from irci.studies.compare.family import Scored, Source
from irci.studies.compare.pair_sentences import sentence_on_pair
from irci.studies.compare.request import Request
from irci.studies.compare.row_sentences import is_of, sentences_of_row
from irci.studies.compare.rows import OnMeasure, difference_name
from irci.studies.compare.sentences import baseline_of, in_family, pair_of, sentences_of_ranks, signs_of, terms_of
from irci.studies.wording import amount, directions, highest_means, means_in, too_sure


def conclusion(request: Request, scored: Scored, found: Sequence[Table], on: Sequence[OnMeasure]) -> Iterator[str]:
    """A paragraph a measure, a sentence unless that alone would mislead, over the first of several sources of variation."""
    asked = scored.sources[0]
    ranks = [table for table in found if table.kind == "rank"]
    compared = [each for each in on if each.pairs is not None and each.shown and each.finds]
    if ranks:
        yield from (" ".join(told) for table in ranks if (told := list(sentences_of_ranks(table, request, [asked]))))
    elif not compared and request.best:
        yield from sentences_of_best(on)
    elif not compared:
        rows = [as_read(row) for row in means_in(found) if row["topic"] == "all"] if len(scored.runs) == 1 else []
        own = [sentence for row in rows if (sentence := asked.sentence(row)) is not None]
        yield from own or highest_means(means_in(found), request.confidence, TOPICS)
    for each in compared if not ranks else ():
        if each.shown > 1:
            yield _of_several(each, asked)
        elif asked.observes:
            yield _of_one(each, asked)
        else:
            yield from _of_row(each, asked, request, found)


def _of_one(on: OnMeasure, source: Source) -> str:
    assert on.pairs is not None
    return sentence_on_pair(pair_of(on, 0, [source]), terms_of(on.pairs, [source]), source.name)


def _of_several(on: OnMeasure, source: Source) -> str:
    family = on.pairs
    assert family is not None
    columns = {name: column[: on.shown].tolist() for name, column in family.over(source).tested.of.columns.items()}
    if (own := source.sentence_on_many(family.measure.name, columns)) is not None:
        return own
    found = signs_of(on, source)
    measure, adjusted = family.measure.name, terms_of(family, ()).p_name
    is_too_sure = source.name == DOCUMENTS and family.measure.is_of_the_top and found.any()
    but = f" But {too_sure(family.measure)}." if is_too_sure else ""
    but += _of_equivalence(on, source)
    if family.request.all_pairs:
        count = np.count_nonzero(found)
        of_pairs = f"{count or 'none'} of {len(found)} pairs of runs"
        return f"{source.among}, {of_pairs} differ significantly in {measure} (by {adjusted}).{but}"
    runs, baseline = family.pairs[: on.shown, 0], baseline_of(family, family.pairs[0, 1])
    names = {sign: [family.names[run] for run in runs[found == sign]] for sign in (1, -1, 0)}
    higher, lower = directions(family.measure)
    of = f"score significantly {higher} in {measure} than {baseline} (by {adjusted})"
    told = [f"{len(names[1]) or 'none'} of {len(found)} runs {of}{_listed(names[1])}"]
    told += [f"{len(names[-1])} significantly {lower}{_listed(names[-1])}"] if names[-1] else []
    told += [f"{len(names[0])} cannot be told from {baseline}{_listed(names[0])}"] if names[0] else []
    return f"{source.among}, {'; '.join(told)}.{but}"


def _of_equivalence(on: OnMeasure, source: Source) -> str:
    """Sentence on how many of several pairs are shown to differ by less than the margin, and which; "" without a margin."""
    family = on.pairs
    within = on.resolution(source).equivalence if source.tells_verdicts and on.tells_verdicts else None
    if family is None or within is None:
        return ""
    request = family.request
    margin = request.margin
    assert margin is not None
    told = f"{margin} of the baseline's mean" if margin.is_share else amount(margin.amount)
    shown = np.flatnonzero(separated(np.nan_to_num(within.p_adjusted, nan=1.0), request.alpha)).tolist()
    sides = [[family.names[side] for side in family.pairs[place].tolist()] for place in shown]
    names = [" and ".join(pair) if request.all_pairs else pair[0] for pair in sides]
    noun, verb = ("pairs" if request.all_pairs else "runs"), ("is" if len(names) < 2 else "are")
    of_all = f"{len(names) or 'None'} of {on.shown} {noun} {verb} shown to differ"
    return f" {of_all} by less than the margin of {told} (by adjusted p){_listed(names)}."


def _listed(names: Sequence[str]) -> str:
    return f": {first_names(names)}" if names else ""


def _of_row(on: OnMeasure, source: Source, request: Request, found: Sequence[Table]) -> Iterator[str]:
    assert on.pairs is not None
    rows = (as_read(row) for table in found if table.kind == "difference" for row in table.rows)
    for row in rows:
        if is_of(row, source) and row["measure"] == difference_name(on.measure, request.scale(on.measure)):
            yield next(sentences_of_row(row, source, request, *in_family(row, source, [on])))
