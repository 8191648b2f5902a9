"""--survives: significant differences over topics, what other sources say of each, in rows and in words.

Other sources are asked about the same pairs, at the same level, in the same direction.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from irci.base import DataError
from irci.base.choices import DOCUMENTS, JUDGMENTS, SOURCE_OF_NAME, SOURCES, TOPICS
from irci.base.types import Floats
from irci.comparison.family import Family, Scored
from irci.comparison.means import MOST
from irci.comparison.reading import signature_of
from irci.comparison.rows import Scope
from irci.comparison.sources import Source
from irci.comparison.study import compared, report_of
from irci.data.inputs import Inputs
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import PValue, Row, tables
from irci.stats.decisions import VERDICTS, Survival, Told, p_of_all, separated, survival
from irci.wording import amount, p_text, say, templates

OF_RANKINGS = (DOCUMENTS, JUDGMENTS)
LATER = VERDICTS[1:]  # in the order in which they stand behind the sources that confirm a claim


@dataclass(frozen=True)
class ClaimsOnMeasure:
    """The claims on one measure: what topics say of all P pairs of the family, and what each other source does, by its name.

    places: of the claims among the pairs, those that differ significantly over topics
    verdicts: of each other source on all pairs
    p_all: float64[P] that all sources agree, adjusted for all pairs of the family, or of all measures
    """

    family: Family
    topics: Told
    sources: Mapping[str, Source]
    evidence: Mapping[str, Told]
    places: Sequence[int]
    verdicts: Mapping[str, Sequence[Survival]]
    p_all: Floats

    def names(self, index: int) -> dict[str, str]:
        """The run with the higher mean, and the other as its baseline."""
        run, baseline = (self.family.names[row] for row in self.family.pairs[index].tolist())
        is_lower = self.topics.value[index] < 0
        return {"run": baseline, "baseline": run} if is_lower else {"run": run, "baseline": baseline}

    def counts(self, index: int) -> tuple[int, int]:
        """How many sources of others confirm a claim, of how many that can be tested."""
        counted = [verdicts[index] for name, verdicts in self.verdicts.items() if self.sources[name].brings_others]
        return counted.count("confirmed"), len(counted) - counted.count("not testable")

    def told_p_all(self, index: int) -> PValue:
        """p of a claim that all sources agree, as far as it is told."""
        return PValue(self.p_all[index], max((other.least_p for other in self.sources.values()), default=0.0))

    def rows(self) -> Iterator[Row]:
        """A row a claim."""
        for index in self.places:
            columns: dict[str, Any] = {}
            for name, verdicts in self.verdicts.items():
                columns |= {name: verdicts[index], **self.sources[name].claim_columns(self.family, index)}
            value, p_adjusted = abs(float(self.topics.value[index])), PValue(self.topics.p_adjusted[index])
            counts = dict(zip(("survives", "of"), self.counts(index), strict=True))
            p_all = self.told_p_all(index)
            yield {**self.names(index), "value": value, "p_adjusted": p_adjusted, **columns, **counts, "p_all": p_all}


def claims_on(families: Sequence[Family], topics: Source, witnesses: Sequence[Source]) -> list[ClaimsOnMeasure]:
    """The claims on the pairs of each family."""
    by_measure: list[list[Told]] = []  # by measure: over topics, then by each other source
    for family in families:
        of = family.over(topics).of
        over_topics = topics.told_of_pairs(family).where(of.units >= family.fewest_units(topics, of))
        by_measure.append([over_topics, *(other.evidence(family) for other in witnesses)])
    p_all: list[Floats] = []
    for as_one in [by_measure] if any(family.measures for family in families) else [[of] for of in by_measure]:
        stacked = [Told(*map(np.concatenate, zip(*of_source, strict=True))) for of_source in zip(*as_one, strict=True)]
        ends = np.cumsum([len(over_topics.p) for over_topics, *_ in as_one])
        p_all += np.split(p_of_all(stacked[0].value, stacked), ends[:-1])
    result, sources = list[ClaimsOnMeasure](), {other.column: other for other in witnesses}
    for family, (over_topics, *by_others), p in zip(families, by_measure, p_all, strict=True):
        is_claimed = separated(over_topics.p_adjusted, family.alpha) & over_topics.is_told
        evidence = dict(zip(sources, by_others, strict=True))
        verdicts = {name: survival(over_topics.value, of, family.alpha) for name, of in evidence.items()}
        places = np.flatnonzero(is_claimed).tolist()
        result.append(ClaimsOnMeasure(family, over_topics, sources, evidence, places, verdicts, p))
    return result


def read_with(request: Asked, inputs: Inputs) -> Asked:
    """The request with which scores are read where claims are tried: of all populations that other sources may be about."""
    structured = [source.name for source in SOURCES if source.name in source.words]
    own = [name for name in structured if getattr(request, name, None) is not None]
    of_rankings = () if inputs.has_only_scores else OF_RANKINGS
    return request.replaced(population=tuple(dict.fromkeys((*own, *(request.population or ()), TOPICS, *of_rankings))))


def sources_asked(scored: Scored) -> tuple[list[Source], list[str]]:
    """Sources of what was read that are asked about claims, in order; and what those that are not there would be."""
    unchecked = templates()["unchecked"]
    by_name: dict[str, Sequence[Source]] = {
        name: scored.judges if name == "judge" else [source for source in scored.sources if source.name == name]
        for name in unchecked
    }
    return [*chain.from_iterable(by_name.values())], [words for name, words in unchecked.items() if not by_name[name]]


def in_populations_asked(request: Asked, scored: Scored) -> Scored:
    """The scores with the sources of the populations asked for alone, the first of each name."""
    asked = SOURCE_OF_NAME[scored.kind or "means"]
    populations = request.population or asked.words[: asked.usual]
    by_name: dict[str, Source] = {}
    for source in scored.sources:
        if source.name in populations:
            by_name.setdefault(source.column, source)
    if not by_name:
        raise DataError(f"nothing can be said over {', '.join(populations)} (--population {TOPICS})")
    return scored._replace(sources=[*by_name.values()])


def with_survival(request: Asked, scored: Scored, inputs: Inputs) -> Report:
    """The report on the populations asked for, of what was read of all, with a table of claims for each measure."""
    whole = compared(request, in_populations_asked(request, scored), inputs)
    return with_claims(report_of(whole, signature_of(inputs)), whole, scored, inputs)


def with_claims(report: Report, comparisons: Scope, scored: Scored, inputs: Inputs) -> Report:
    """The report with a table of claims for each measure. `scored`: with all sources that are asked."""
    request = comparisons.request
    witnesses, not_checked = sources_asked(scored)
    families: list[Family] = []
    for on in comparisons.on:
        if on.pairs is not None:
            measures = families if on.pairs.measures else []
            families.append(replace(on.pairs, measures=measures, is_of_claims=True))
    # A plain sample, also where rows are about topics of clusters.
    topics = [source for source in scored.sources if source.name == TOPICS][-1]
    by_measure = claims_on(families, topics, witnesses)
    failures = []
    for claims in by_measure if "reversed" in (request.fail_if or ()) else ():
        for index in claims.places:
            names = [of.in_claims for name, of in claims.sources.items() if claims.verdicts[name][index] == "reversed"]
            pair = "{run} against {baseline}".format(**claims.names(index))
            finding = f"{claims.family.measure.name}: {pair}: reversed by {', '.join(names)} (--fail-if reversed)"
            failures += [finding] if names else []
    further = [table for claims in by_measure for table in tables("claim", claims.family.measure.name, claims.rows())]
    return report._replace(
        tables=[*report.tables, *further],
        failures=[*report.failures, *failures],
        signature={
            **report.signature,
            "survives": " ".join(other.column for other in witnesses),
            **({"levels": inputs.levels_told} if scored.judges else {}),
        },
        drawn=lambda: [*report.pictures, *further],
        explain=lambda: chain(report.sentences, conclusion(by_measure, not_checked, has_notes=True)),
        conclude=lambda: chain(report.conclusion, conclusion(by_measure, not_checked)),
    )


# In words


def conclusion(
    by_measure: Sequence[ClaimsOnMeasure], not_checked: Sequence[str], *, has_notes: bool = False
) -> Iterator[str]:
    """Each claim on each measure in a sentence, or how many each source confirms, and why some cannot be tested;
    `not_checked`: other sources; `has_notes`: and what sources are. Columns say what verdicts and counts mean."""
    for claims in by_measure:
        measure = claims.family.measure.name
        if not claims.places:
            yield say("survival.none", measure=measure)
        elif len(claims.places) <= MOST:
            yield from (_sentence(claims, index) for index in claims.places)
        else:
            yield from _counted(claims)
        for name, source in claims.sources.items():
            untested = [index for index in claims.places if claims.verdicts[name][index] == "not testable"]
            is_equal = claims.evidence[name].value == 0
            reasons = Counter("no difference" if is_equal[at] else source.remark(claims.family, at) for at in untested)
            for why, count in reasons.items():
                facts = {"claims": len(claims.places), "measure": measure, "source": source.in_claims}
                yield from [say("survival.untested", count=count, why=why, **facts)] if why else []
    if any(claims.places for claims in by_measure):
        if not_checked:
            yield say("survival.not_checked", names=", ".join(not_checked))
        if has_notes:
            yield from (note for source in by_measure[0].sources.values() for note in source.notes())


def _sentence(claims: ClaimsOnMeasure, index: int) -> str:
    by_verdict: dict[bool, dict[str, list[str]]] = {True: {}, False: {}}  # of sources that count, and of others
    for name, source in claims.sources.items():
        verdict = claims.verdicts[name][index]
        remark = "" if verdict == "not testable" else source.remark(claims.family, index)
        words = source.in_claims + f" ({remark})" * bool(remark)
        by_verdict[source.brings_others].setdefault(verdict, []).append(words)
    counted, beside = by_verdict[True], by_verdict[False]
    confirmed, (survives, of) = counted.pop("confirmed", []), claims.counts(index)
    if of:
        names = f" ({', '.join(confirmed)})" if confirmed else ""
        parts = [say("survival.confirmed_by", count=survives, sources=of, names=names)]
    else:
        parts = [say("survival.no_test" if counted else "survival.no_source")]
    parts += _listed(counted, LATER)
    parts += [say("survival.on_these", verdicts=", ".join(_listed(beside, VERDICTS)))] if beside else []
    p = claims.told_p_all(index)
    jointly, value = f" ({p_text(p, 'p_all')})" if p == p else "", amount(abs(float(claims.topics.value[index])))
    facts = {"measure": claims.family.measure.name, "value": value, "p": jointly}
    return say("survival.claim", **claims.names(index), **facts, verdicts="; ".join(parts))


def _listed(by_verdict: Mapping[str, Sequence[str]], order: Sequence[str]) -> list[str]:
    return [f"{verdict}: {', '.join(by_verdict[verdict])}" for verdict in order if verdict in by_verdict]


def _counted(claims: ClaimsOnMeasure) -> Iterator[str]:
    count = int(separated(claims.p_all[claims.places], claims.family.alpha).sum())
    facts = {"measure": claims.family.measure.name, "claims": len(claims.places)}
    yield say("survival.all", count=count or "none", number=count, **facts)
    for brings_others, where in ((True, ""), (False, "on these topics ")):
        parts = []
        for name, source in claims.sources.items():
            if source.brings_others == brings_others:
                counts = Counter(claims.verdicts[name][index] for index in claims.places)
                later = ", ".join(f"{counts[verdict]} {verdict}" for verdict in LATER if counts[verdict])
                parts.append(f"{source.in_claims} {counts['confirmed'] or 'none'}{f' ({later})' if later else ''}")
        if parts:
            yield say("survival.by_source", where=where, counts="; ".join(parts), **facts)
    for source in claims.sources.values():
        yield from source.sentences_on_claims(claims.family, claims.places)
