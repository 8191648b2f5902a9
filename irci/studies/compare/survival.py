"""Which sources of variation does a claim survive? A claim: a run scores significantly higher over topics, by max-T.

Documents, both, and bounds over the grades of unjudged documents are asked about the same pairs, at the same level, in the
same direction.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from irci.base.choices import BOTH, DOCUMENTS, JUDGMENTS, TOPICS
from irci.base.names import plural
from irci.base.types import Bools, Progress
from irci.data.inputs import Inputs
from irci.output.report import Report
from irci.output.tables import PValue, Row, tables
from irci.stats.decisions import separated
from irci.stats.power import fewest_units
from irci.stats.survival import VERDICTS, Survival, Told, p_of_all, survival
from irci.studies.compare import reading
from irci.studies.compare.family import Family, Scored, Source
from irci.studies.compare.request import Request
from irci.studies.compare.rows import OnMeasure
from irci.studies.compare.sources.documents import LEAST_NORMAL_P
from irci.studies.compare.sources.judgments import Judgments
from irci.studies.compare.study import on_measures, report_on
from irci.studies.wording import MOST, amount, number, p_text

OTHERS = (DOCUMENTS, BOTH, JUDGMENTS)
IN_WORDS = {DOCUMENTS: "documents", BOTH: "topics and documents at once", JUDGMENTS: "unjudged documents"}
NOT_CHECKED = "another judge, clusters of topics, other collections, seeds and wordings"


def with_survival(request: Request, inputs: Inputs) -> Report:
    """The report on the populations asked for, pairs by max-T, and a row for each claim."""
    request = replace(request, correction="maxt")
    asked = request.population or (TOPICS, DOCUMENTS)
    every = reading.on_topics(replace(request, population=(TOPICS, *OTHERS)), inputs)
    shown = replace(every, sources=[source for source in every.sources if source.name in asked])
    signature = {**reading.signature_of(inputs), "survives": " ".join(OTHERS)}
    report = report_on(request, shown, signature, threads=inputs.threads, progress=inputs.progress)
    request = request.of_runs(every.runs, every.paths)
    found = [
        Claims.on(request, every, on, inputs.threads, inputs.progress)
        for on in on_measures(request, every, request.design("maxt"), inputs.threads)
        if on.pairs is not None and on.shown
    ]
    further = [table for each in found for table in tables("claim", each.measure, each.rows())]
    return replace(
        report,
        tables=[*report.tables, *further],
        drawn=lambda: [*report.pictures, *further],
        explain=lambda: chain(report.sentences, *(each.sentences() for each in found)),
        conclude=lambda: chain(report.conclusion, *(each.conclusion() for each in found)),
    )


@dataclass(frozen=True)
class Claims:
    """The claims on one measure: all pairs of the family, how many of them are shown, what each source tells of them, and
    bool[P], whether there are unjudged documents whose grades could tell anything."""

    family: Family
    shown: int
    of: Mapping[str, Told]
    has_unjudged: Bools

    @classmethod
    def on(cls, request: Request, scored: Scored, on: OnMeasure, threads: int, progress: Progress) -> "Claims":
        """Over topics by max-T, over documents and both by Holm's method."""
        family = on.pairs
        assert family is not None
        by_holm = Family(request, request.design("holm"), scored, family.measure, family.comparison, threads, progress)
        # No p of documents is to be relied on for measures that look at the top alone.
        sources = {source.name: source for source in scored.sources}
        told = {TOPICS: _told(family, sources[TOPICS])}
        for name in OTHERS:
            told[name] = _of_bounds(by_holm, sources[name]) if name == JUDGMENTS else _told(by_holm, sources[name])
        if family.measure.is_of_the_top:
            told[DOCUMENTS] = told[DOCUMENTS].where(np.zeros(len(family.pairs), np.bool_))
        assert isinstance(scored.judgments, Judgments)
        return cls(family, on.shown, told, scored.judgments.has_unjudged(family))

    @property
    def measure(self) -> str:
        """The measure's name."""
        return self.family.measure.name

    @cached_property
    def claimed(self) -> Bools:
        """bool[shown]: the pairs that differ significantly over topics."""
        topics = self.of[TOPICS]
        found = separated(np.nan_to_num(topics.p_adjusted, nan=1.0), self.family.request.alpha)
        return np.asarray((found & topics.is_told)[: self.shown])

    @cached_property
    def verdicts(self) -> dict[str, list[Survival]]:
        """Verdicts of each other source on all pairs."""
        value, alpha = self.of[TOPICS].value, self.family.request.alpha
        return {name: survival(value, self.of[name], alpha) for name in OTHERS}

    def rows(self) -> Iterator[Row]:
        """A row a claim: the run with the higher mean first."""
        topics, p_all = self.of[TOPICS], p_of_all(self.of[TOPICS].value, list(self.of.values()))
        for place in np.flatnonzero(self.claimed).tolist():
            better, worse = self.family.pairs[place].tolist()
            if topics.value[place] < 0:
                better, worse = worse, better
            verdicts = {name: each[place] for name, each in self.verdicts.items()}
            counts = Counter(verdicts.values())
            yield {
                "run": self.family.names[better], "baseline": self.family.names[worse],
                "value": abs(float(topics.value[place])), "p_adjusted": PValue(topics.p_adjusted[place]), **verdicts,
                "survives": counts["confirmed"], "of": len(verdicts) - counts["untold"],
                "p_all": PValue(p_all[place], LEAST_NORMAL_P),
            }  # fmt: skip

    def conclusion(self) -> Iterator[str]:
        """Each claim in a sentence, or how many each source confirms."""
        rows = list(self.rows())
        if not rows:
            yield f"In {self.measure}, there is no claim to be tried: no pair differs significantly over topics."
        elif len(rows) <= MOST:
            yield from map(self._sentence, rows, self.has_unjudged[: self.shown][self.claimed].tolist())
        else:
            yield from self._counted(rows)

    def sentences(self) -> Iterator[str]:
        """The same, and what it means."""
        yield from self.conclusion()
        if not self.claimed.any():
            return
        yield (
            "Weaker means the same sign, not significant; contrary another one, not significant: neither is evidence against a"
            " claim by itself."
        )
        yield "Topics and documents at once hold both, and are no further evidence; unjudged documents are worst cases."
        of_pairs = (
            f", by Holm's method for {plural(len(self.family.pairs), 'pair')}" if len(self.family.pairs) > 1 else ""
        )
        yield f"p_all is the largest p of topics and of all sources that could be told{of_pairs}; the counts are no such test."
        yield f"Not checked: {NOT_CHECKED}."

    def _sentence(self, row: Row, has_unjudged: bool) -> str:
        by_verdict: dict[str, list[str]] = {}
        for name in OTHERS:
            none = ", of which there are none" * (name == JUDGMENTS and not has_unjudged)
            by_verdict.setdefault(str(row[name]), []).append(IN_WORDS[name] + none)
        confirmed = by_verdict.pop("confirmed", [])
        survives = f"survives {row['survives']} of {row['of']} sources" + f" ({', '.join(confirmed)})" * bool(confirmed)
        words = {"untold": "cannot be told"}
        others = [
            f"{words.get(verdict, verdict)}: {', '.join(by_verdict[verdict])}"
            for verdict in VERDICTS
            if verdict in by_verdict
        ]
        p = number(row, "p_all")
        told = f" ({p_text(p, 'p of all')})" if p == p else ""
        who = f"That {row['run']} scores higher than {row['baseline']} in {self.measure} (by {amount(number(row, 'value'))})"
        return f"{'; '.join([f'{who} {survives}{told}', *others])}."

    def _counted(self, rows: Sequence[Row]) -> Iterator[str]:
        parts = []
        for name in OTHERS:
            counts = Counter(str(row[name]) for row in rows)
            confirmed = counts.pop("confirmed", 0)
            others = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
            parts.append(f"{IN_WORDS[name]} {confirmed or 'none'}{f' ({others})' if others else ''}")
        yield f"Of {len(rows)} claims in {self.measure}, these confirm: {'; '.join(parts)}."
        if without := int((~self.has_unjudged[: self.shown][self.claimed]).sum()):
            yield f"In {self.measure}, the runs of {without} of {len(rows)} claims have no unjudged documents that count."
        found = separated(
            np.nan_to_num(np.array([number(row, "p_all") for row in rows]), nan=1.0), self.family.request.alpha
        )
        yield f"In {self.measure}, {int(found.sum()) or 'none'} of {len(rows)} claims survive all sources together (by p_all)."


def _told(family: Family, source: Source) -> Told:
    found = family.over(source)
    of, tested = found.tested.of, found.tested
    told = Told(of.value, tested.p, found.p_adjusted)
    return told.where(of.units >= fewest_units(family.request.alpha)) if source.name == TOPICS else told


def _of_bounds(family: Family, source: Source) -> Told:
    """p 0 of a sign that is sure, and nothing where it is open."""
    of = family.over(source).tested.of
    p = np.where(of.columns["sign"] == "sure", 0.0, np.nan)
    return Told(of.value, p, p)
