"""People who judged few topics, and a judge who judged all, of the same runs: what would people say of all topics? In words:
which question each row answers, what the judge is worth, what would mislead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, product

import numpy as np

from irci.base import DataError, first_few, plural, text
from irci.base.choices import TOPICS
from irci.base.types import Bools, Floats, Ints
from irci.comparison.family import Family, Scored
from irci.comparison.reading import asked_about, signature_of
from irci.comparison.rows import OnMeasure, Scope
from irci.comparison.sentences import sentences_of_selection
from irci.comparison.sources import Source
from irci.comparison.study import compared, of_runs, report_of
from irci.data.experiment import experiments_by, on_topics_of, read_judges, scored_by
from irci.data.inputs import Inputs, where
from irci.data.score_tables import completed, refuse_no_scores, score_files
from irci.data.scores import SETTLED, Scores, renamed, settle
from irci.estimators import prediction_powered as ppi
from irci.estimators.means import Tested, by_ends
from irci.measures import MAP, Measure, named
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import NO_WORD, Row
from irci.stats import tests
from irci.stats.scales import mostly_one_score
from irci.wording import (
    Notice,
    amount,
    directions,
    interval_in_words,
    notice,
    notify,
    p_text,
    say,
    tell,
    warn_of_few_groups,
    warn_of_topics,
)

DEEP = 10  # the judge's share of judged documents is looked at down to here, where a measure has no cutoff


def judged(inputs: Inputs, measures: Sequence[Measure]) -> tuple[Scores, Scores, Bools, list[Measure]]:
    """Scores by people, whose qrels or files come first, and by the judge in `other_qrels`, of the same runs and topics, nan
    where there are none; bool[M]: the topics that people judged; and the measures. As --missing says: a run lacks a topic
    that the judge, or people, did not score it on.

    Raises DataError for fewer than 4 topics that people judged, of runs before any is read.
    """
    refuse_no_scores(measures)
    people, judge, human, measures = (_in_files if inputs.scores else _of_rankings)(inputs, list(measures))
    topics, runs = judge.topics, judge.runs
    is_human, has_scores = (np.isin(topics, own) for own in (human, people.topics))  # in the same order
    of_people = {name: np.full((len(runs), len(topics)), np.nan) for name in people.values}
    for name, scores in people.values.items():
        of_people[name][:, has_scores] = scores
    if inputs.missing in SETTLED:
        by_people, by_judge = (np.isnan([*values.values()]).any(axis=0) for values in (of_people, judge.values))
        absent = by_judge | (by_people & is_human)
        held = {name: np.where(absent, np.nan, scores) for name, scores in judge.values.items()}
        judge = settle(Scores(runs, topics, held), inputs)
        is_left = np.isin(topics, judge.topics)
        of_people = {name: np.where(absent & is_human, 0.0, own)[:, is_left] for name, own in of_people.items()}
        is_human = is_human[is_left]
    return judge._replace(values=of_people), judge.made, is_human, measures


def _of_rankings(inputs: Inputs, measures: list[Measure]) -> tuple[Scores, Scores, list[str], list[Measure]]:
    """Scores by people and by the judge, and the topics that people judged, by two sets of judgments."""
    measures = measures or [MAP]
    people, judge = read_judges(inputs)
    people = on_topics_of(people, judge)
    refuse_too_few(len(people.topics))
    levels = [inputs.relevance_level, inputs.levels.get(judge.path, inputs.relevance_level)]
    scored = [*measures, *map(named, shares_of_judged(measures))]
    of_people, of_judge = scored_by(experiments_by(inputs, measures, [people, judge], levels), scored)
    return of_people, of_judge, [*map(text, people.topics)], measures


def shares_of_judged(measures: Sequence[Measure]) -> Sequence[str]:
    """The measures of how much is judged, as deep as these look."""
    return list(dict.fromkeys(f"Judged@{measure.cut or DEEP}" for measure in measures))


def _in_files(inputs: Inputs, measures: list[Measure]) -> tuple[Scores, Scores, list[str], list[Measure]]:
    """The same from files of scores."""
    (path,) = inputs.other_qrels
    files = inputs.replaced(topics=None), inputs.replaced(topics=None, files=(path,), other_qrels=())
    people, judge = (score_files(own, measures) for own in files)
    if inputs.missing not in SETTLED:
        people, judge = (completed(table, own) for table, own in zip((people, judge), files, strict=True))
    asked = inputs.asked_for(judge.topics, path, "there")
    in_judge = np.isin(people.topics, where(judge.topics, asked))
    if inputs.topics is None:
        warn_of_topics(", ".join(inputs.files), f"that {path} does not have, dropped", where(people.topics, ~in_judge))
    refuse_too_few(int(in_judge.sum()))
    runs = [run for run in people.runs if run in judge.runs]
    if not runs:
        raise DataError(f"{path}: none of its runs is among {first_few(people.runs)}")
    dropped = [run for run in (*people.runs, *judge.runs) if run not in runs]
    warn_of_topics(path, "not in both files, dropped", dropped, "run")
    people, judge = renamed([people, judge])
    names = [name for name in people.values if name in judge.values]
    if not names:
        raise DataError(f"{path}: no scores of {', '.join(people.values)}; there are {', '.join(judge.values)}")
    of_people, of_judge = (
        Scores(runs, where(table.topics, mask), {name: table.only(runs).values[name][:, mask] for name in names})
        for table, mask in ((people, in_judge), (judge, asked))
    )
    return of_people, of_judge, of_people.topics, [named(name) for name in names]


def refuse_too_few(topics: int) -> None:
    """Raise DataError if so few topics that people judged say nothing."""
    if topics < ppi.FEWEST:
        judged = f"{plural(topics, 'topic')} judged by people and by the judge"
        raise DataError(f"{judged}: no limits with fewer than {ppi.FEWEST}")


SAME_TOPICS = "same-topics"
IN_PICTURES = {"human": "people alone", "ppi": "with the judge"}
COLUMNS = ("human", "others", "lambda", "r", "gain", "judge_mean")


class PeopleSource(Source):
    """People's topics, for new ones or for exactly these, or with the judge's scores of all beside these `alone`."""

    has_draws = has_test_column = tells_verdicts = tells_df = False
    own_notices = True

    def __init__(self, judge: Scores, is_human: Bools, name: str, alone: PeopleSource | None = None) -> None:
        """`is_human` bool[M]: the topics of the judge's scores that people judged too."""
        self.judge, self.is_human, self.name, self.alone = judge, is_human, name, alone
        self.labels = {"estimator": "human" if alone is None else "ppi"}
        self.words_as = "people" if name == TOPICS else "people-of-these"

    def tested(self, family: Family) -> Tested:
        """Estimates with limits, which hold 0 where signs of so few units cannot tell a difference from it.

        People's topics alone, if others like these vary, have the limits of any sample of topics; all others rest on how
        scores vary about what the judge says, and there are none where people's scores, or differences, are mostly one.
        """
        size, ends, is_of_pairs, design = len(family.pairs), family.ends, family.is_of_pairs, family.design
        is_plain_sample = self.name == TOPICS and self.alone is None
        numbers, bounded = np.full((3 + len(COLUMNS), size), np.nan), np.full((2, size), np.nan)
        is_unknown = np.zeros(size, np.bool_)
        for in_block, scores in self.effects(family):
            human, lam = scores.human, self._lambda(family, scores.human.shape[1])
            of = ppi.prediction_powered(scores, lam, design.confidence, new_topics=self.name == TOPICS)
            numbers[:, in_block] = of.value, of.error, of.df, *map(of.columns.__getitem__, COLUMNS)
            if ends is not None and not is_plain_sample:
                are_ties = ppi.mostly_ties(human, ends[1] - ends[0])
                is_unknown[in_block] = are_ties if is_of_pairs else mostly_one_score(human, *ends, half=True)
            elif ends is not None and not is_of_pairs:
                bounded[:, in_block], _ = by_ends(human[:, np.newaxis], human, of.value, ends, design)
        value, error, df, *further = numbers
        columns: dict[str, np.ndarray] = dict(zip(COLUMNS, further, strict=True))
        columns |= {name: np.nan_to_num(columns[name]).astype(np.int64) for name in ("human", "others")}
        columns |= {
            "gain": np.where(is_unknown, np.nan, columns["gain"]),
            "reason": np.where(is_unknown, "ties", NO_WORD),
        }
        units = columns["human"]
        tested = Tested.by_t(tests.Estimates(value, error, df, units, columns), units * is_of_pairs, design.confidence)
        value = tests.reaching_zero(np.stack((value, value)), units * is_of_pairs, design.confidence)
        is_bounded, limits = ~np.isnan(bounded[0]), np.where(error == 0, value, tested.limits)
        return tested._replace(
            test=np.full(size, "", object),
            limits=np.where(is_unknown, np.nan, np.where(is_bounded, bounded, limits)),
            p=np.where((error > 0) & ~is_unknown, tested.p, np.nan),
            interval=np.where(is_bounded, "bounded", "t").astype(object),
        )

    def run_means(self, family: Family) -> Floats:
        return self.tested(replace(family, comparison=tests.Comparison.alone(family.scored.runs))).of.value

    def effects(self, family: Family) -> Iterator[tuple[Ints, ppi.BothScores]]:
        """Which [k] of the contrasts, and their scores; none of those with too few human topics without what runs lack."""
        for in_block, mask, terms in tests.contrasts(np.hstack(self._by_both(family)), family.pairs):
            human = int(mask[: self.is_human.sum()].sum())
            if not family.scored.is_without:
                refuse_too_few(human)
            if human >= ppi.FEWEST:
                yield in_block, ppi.BothScores(*np.split(terms, (human, 2 * human), axis=1))

    def _by_both(self, family: Family) -> Sequence[Floats]:
        """Scores[rows, ...] by people and by the judge on the human topics, nan where either has none, and by the judge on the
        others; nan without what runs lack."""
        judge = self.judge.values[family.measure.name]
        if family.scored.is_without:
            judge = np.where(family.scored.near(family.measure), np.nan, judge)
        judge = family.comparison.table(judge)
        people, human = family.raw[:, self.is_human], judge[:, self.is_human]
        lacks = np.isnan(people + human)
        return np.where(lacks, np.nan, people), np.where(lacks, np.nan, human), judge[:, ~self.is_human]

    def _lambda(self, family: Family, human: int) -> float | None:
        """Lambda by the number of human topics and of runs, never by what is found; None: tuned."""
        if self.alone is None or human >= ppi.TUNED_FROM:
            return None if self.alone else 0.0
        people, judge, _ = (scores[: len(family.scored.runs)] for scores in self._by_both(family))
        return ppi.pooled_slope(people, judge, of_pairs=family.is_of_pairs)


def with_judge(request: Asked, inputs: Inputs) -> Report:
    """Means and differences of runs by few people and a judge, the people's alone beside them."""
    table, judge, is_human, measures = judged(inputs, request.measures)
    request, judges = of_runs(request, table.runs), list[PeopleSource]()
    sources = list[Source]()
    for name in asked_about(request, [TOPICS, SAME_TOPICS]):
        alone = PeopleSource(judge, is_human, name)
        judges.append(PeopleSource(judge, is_human, name, alone))
        sources += [alone, judges[-1]]
    signature = {
        "judge": inputs.other_qrels[0], "levels": inputs.levels_told,
        "num_topics": len(table.topics), "num_human": int(is_human.sum()),
    }  # fmt: skip
    scope = compared(request, Scored(table, measures, sources=sources, kind="judge", signature=signature), inputs)
    report = report_of(scope, signature_of(inputs))
    warn_of_people(scope.on, judges)

    def label(row: Row) -> str:
        return f"{report.sources[str(row['population'])]['label']}, {IN_PICTURES[str(row['estimator'])]}"

    return report._replace(
        explain=lambda: chain(explanation(scope, judges), sentences_of_selection(scope, [scope])),
        conclude=None,
        drawn=lambda: [
            table._replace(rows=[{**row, "population": label(row)} for row in table.rows]) for table in report.tables
        ],
        caption=None,
    )


ROUNDING = 1e-9  # of gains
MOST = 10  # runs or pairs reported one by one


def explanation(scope: Scope, judges: Sequence[PeopleSource]) -> Iterator[str]:
    """Each run or pair with the judge and without, and what to make of it."""
    families = scope.paired or [on.alone for on in scope.on]
    contrasts = [(family, index) for family in families for index in range(len(family.pairs))]
    if len(contrasts) <= MOST:
        yield from (_sentence(*contrast, source) for contrast, source in product(contrasts, judges))
    yield from (source.word("explains") for source in judges)
    estimates = [(family, family.over(source).of) for family, source in product(families, judges)]
    if runs := [names["run"] for family, _ in estimates for names in family.names_of_pairs()]:
        off = np.concatenate([np.abs(of.columns["judge_mean"] - of.value) for _, of in estimates])
        yield say("people.judge", off=amount(off.max()), run=runs[off.argmax()])
        r = np.concatenate([of.columns["r"] for _, of in estimates])
        if not np.isnan(r).all():
            least, most = f"{np.nanmin(r):.2f}", f"{np.nanmax(r):.2f}"
            of_range = least if least == most else f"{least} to {most}"
            yield say("people.correlations", what="differences" if families[0].is_of_pairs else "scores", r=of_range)
    yield from (say(f"people.{name}") for name in ("random", "tuned", "favours", "decide"))


def _sentence(family: Family, index: int, judge: PeopleSource) -> str:
    """A sentence on a run or pair: with the judge first, unless people's topics alone give a narrower interval."""
    by_both = [family.over(judge), family.over(judge.alone or judge)]
    limits = [over.limits[:, index].tolist() for over in by_both]
    intervals = ["" if math.isnan(lower) else interval_in_words(lower, upper) for lower, upper in limits]
    gain = by_both[0].of.columns["gain"][index]
    lead = int(not intervals[0] or gain > 1 + ROUNDING)
    value, p = (values[index].item() for values in (by_both[lead].of.value, by_both[lead].p_adjusted))
    (run, baseline), of_pair = (family.names[row] for row in family.pairs[index].tolist()), family.is_of_pairs
    who = say(
        "people.pair" if of_pair else "people.run", population=say(f"population.{judge.name}"), run=run, baseline=baseline,
        measure=family.measure.name, word=directions(family.measure)[value < 0],
        value=amount(abs(value) if of_pair else value),
    )  # fmt: skip
    evidence = say("people.no_interval")
    if intervals[lead]:
        of_p = f"; {p_text(p, 'adjusted p')}" if of_pair and not math.isnan(p) else ""
        confidence = f"{100 * family.design.confidence:g}%"
        evidence = say("people.evidence", confidence=confidence, interval=intervals[lead], p=of_p)
    if not lead:
        return say("people.estimate", who=who, evidence=evidence, alone=intervals[1] or "no CI")
    judged = f"{intervals[0]}, wider (gain {gain:.2f})" if intervals[0] else "no CI"
    human = by_both[1].of.columns["human"][index]
    return say("people.alone", who=who, evidence=evidence, human=human, judged=judged)


UNLIKE = 0.05  # p below which human topics look unlike the others
JUDGED_ALIKE = 0.02  # shares of judged documents that differ by more are not made alike


def warn_of_people(on_measures: Sequence[OnMeasure], judges: Sequence[PeopleSource]) -> None:
    """Warn of too few human topics, of those unlike the others, and of a judge who adds nothing, or less."""
    first = judges[0]
    for on in on_measures:
        families = [family for family in (on.alone, on.pairs) if family is not None and len(family.pairs)]
        if not families:  # runs are missing
            continue
        measure, least = on.measure.name, int(families[-1].over(first).of.units.min())
        then = f"judged by people in {measure}: limits rest on scores (or differences) being close to normal"
        warn_of_few_groups(least, "topic", then)
        has_others = bool(on.alone.over(first).of.columns["others"].any())
        if not has_others:
            why = "people judged all topics that the judge has"
            notify("lacking", measure=measure, what="gain from the judge", who="", why=why)
        for family in families:
            tell(*_of_family(family, judges, has_others=has_others))
    names = shares_of_judged([on.measure for on in on_measures])
    for name, shares in first.judge.values.items():
        scored = ~np.isnan(shares).all(axis=0)
        if name in names and (scored & ~first.is_human).any():
            human, rest = (float(np.nanmean(shares[:, scored & part])) for part in (first.is_human, ~first.is_human))
            if abs(human - rest) > JUDGED_ALIKE:
                notify("judge_labels", measure=name, human=f"{human:.3f}", others=f"{rest:.3f}")


def _of_family(family: Family, judges: Sequence[PeopleSource], *, has_others: bool) -> Iterator[Notice]:
    """Notices of runs, or pairs, that lack limits or a gain by the judge; and of the judge if it scores some run, or sees some
    pair differ, otherwise on human topics than on the others: by the smallest p of them all, by Holm's method."""
    name, noun = (f"{family.measure.name}_diff", "pair") if family.is_of_pairs else (family.measure.name, "run")
    is_without, pairs = np.zeros(len(family.pairs), np.bool_), family.pairs

    def lack(what: str, is_lacking: Bools, over: str, why: str) -> Iterator[Notice]:
        if count := int(is_lacking.sum()):
            yield notice("lacking", measure=name, what=what, who=f" for {plural(count, noun)}{over}", why=why)

    for source in family.scored.sources:
        tested = family.over(source)
        is_without |= tested.of.columns["reason"] == "ties" if family.is_of_pairs else np.isnan(tested.limits[0])
    for source in judges if has_others else ():
        tested, over = family.over(source), f" over {source.name}"
        columns, (lower, upper) = tested.of.columns, tested.limits
        is_few, of_judge = columns["others"] < ppi.LEAST_OTHERS * (source.name == TOPICS), columns["lambda"] == 0
        unlike = "the judge has scores or differences that do not rise with people's"
        yield from lack("gain from the judge", is_few & of_judge, over, "the judge has too few topics")
        yield from lack("gain from the judge", ~is_few & of_judge, over, unlike)
        if count := int((columns["gain"] > 1 + ROUNDING).sum()):
            gain = f"{np.nanmax(columns['gain']):.2f}"
            yield notice("judge_wider", measure=name, population=source.name, who=plural(count, noun), gain=gain)
        yield from lack(f"limits with any width{over}", upper == lower, "", "nothing varies")
    why = "half or more of the human topics hardly differ from their median, and fewer than 10 do"
    yield from lack("limits with the judge, or on the same topics,", is_without, "", why)
    p, human, rest = np.full((3, len(pairs)), np.nan)
    for in_block, scores in judges[0].effects(family) if has_others else ():
        p[in_block] = tests.unequal_variances_p(scores.judge, scores.others)
        human[in_block], rest[in_block] = scores.judge.mean(axis=-1), scores.others.mean(axis=-1)
    p = tests.adjusted(p, "holm")
    if (p < UNLIKE).any():
        index = int(np.nanargmin(p))
        run, baseline = (family.names[row] for row in pairs[index].tolist())
        yield notice(
            "judge_draw", measure=family.measure.name,
            who=f"{run} minus {baseline} differs by" if family.is_of_pairs else f"{run} scores",
            human=amount(float(human[index])), others=amount(float(rest[index])),
            p=p_text(float(p[index]), "adjusted p" if len(pairs) > 1 else "p"),
        )  # fmt: skip
