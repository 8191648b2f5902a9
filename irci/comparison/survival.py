"""--survives: significant differences over topics, what other sources say of each, in rows and in words.

Other sources are asked about the same pairs, at the same level, in the same direction.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irci.base import DataError
from irci.base.choices import DOCUMENTS, JUDGMENTS, SOURCES, TOPICS
from irci.base.types import Floats, reaches
from irci.comparison.family import Family, Scored
from irci.comparison.means import MOST
from irci.comparison.reading import signature_of
from irci.comparison.rows import Scope
from irci.comparison.sources import Source
from irci.comparison.study import compared, report_of
from irci.data.inputs import Inputs
from irci.options.asked import Asked
from irci.output.report import Report
from irci.output.tables import PValue, tables
from irci.stats.decisions import VERDICTS, Told, p_of_all, separated, survival
from irci.wording import amount, p_text, say, templates

OF_RANKINGS = (DOCUMENTS, JUDGMENTS)
LATER = VERDICTS[1:]  # in the order in which they stand behind the sources that confirm a claim


class ClaimsOnMeasure(NamedTuple):
    """The claims on one measure, and what each other source, by its name, says of all pairs of the family.

    places: of the claims among the pairs, those that differ significantly over topics
    rows: of the claims: the run with the higher mean, the other as its baseline, and what is found; p_all: that all sources
        agree, adjusted for all pairs of the family, or of all measures
    """

    family: Family
    sources: Mapping[str, Source]
    evidence: Mapping[str, Told]
    places: Sequence[int]
    rows: Sequence[dict[str, Any]]


def claims_on(families: Sequence[Family], topics: Source, witnesses: Sequence[Source]) -> list[ClaimsOnMeasure]:
    """The claims on the pairs of each family."""
    by_measure: list[list[Told]] = []  # by measure: over topics, then by each other source
    for family in families:
        of = family.over(topics).of
        over_topics = topics.told_of_pairs(family).where(of.units >= family.fewest_units(topics, of))
        by_measure.append([over_topics, *(other.evidence(family) for other in witnesses)])
    p_all: list[Floats] = []
    for as_one in [by_measure] if any(family.adjusted_with for family in families) else [[of] for of in by_measure]:
        stacked = [Told(*map(np.concatenate, zip(*of_source, strict=True))) for of_source in zip(*as_one, strict=True)]
        ends = np.cumsum([len(over_topics.p) for over_topics, *_ in as_one])
        p_all += np.split(p_of_all(stacked[0].value, stacked), ends[:-1])
    result, sources = list[ClaimsOnMeasure](), {other.column: other for other in witnesses}
    least_p = max((of.least_p for of in witnesses), default=0.0)
    for family, (over_topics, *by_others), p in zip(families, by_measure, p_all, strict=True):
        evidence = dict(zip(sources, by_others, strict=True))
        verdicts = {name: survival(over_topics.value, of, family.alpha) for name, of in evidence.items()}
        is_claimed = separated(over_topics.p_adjusted, family.alpha) & over_topics.is_told
        places, rows = np.flatnonzero(is_claimed).tolist(), list[dict[str, Any]]()
        for index in places:
            value, columns = float(over_topics.value[index]), dict[str, Any]()
            names = [family.names[row] for row in family.pairs[index]][:: 1 if value > 0 else -1]
            for name, source in sources.items():
                columns |= {name: verdicts[name][index], **source.claim_columns(family, index)}
            counted = [verdicts[name][index] for name, source in sources.items() if source.brings_others]
            rows.append({
                "run": names[0], "baseline": names[1], "value": abs(value),
                "p_adjusted": PValue(over_topics.p_adjusted[index]), **columns, "survives": counted.count("confirmed"),
                "of": len(counted) - counted.count("not testable"), "p_all": PValue(p[index], least_p),
            })  # fmt: skip
        result.append(ClaimsOnMeasure(family, sources, evidence, places, rows))
    return result


def read_with(request: Asked, inputs: Inputs) -> Asked:
    """The request with which scores are read where claims are tried: of all populations that other sources may be about."""
    structured = [name for name, source in SOURCES.items() if name in source.words]
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
    asked = SOURCES[scored.kind or "means"]
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
    families, of_pairs = list[Family](), [on.pairs for on in comparisons.on if on.pairs is not None]
    families += [replace(of, adjusted_with=families if of.adjusted_with else [], is_of_claims=True) for of in of_pairs]
    # A plain sample, also where rows are about topics of clusters.
    topics = [source for source in scored.sources if source.name == TOPICS][-1]
    by_measure = claims_on(families, topics, witnesses)
    failures = []
    for claims in by_measure if "reversed" in (request.fail_if or ()) else ():
        for row in claims.rows:
            names = ", ".join(of.in_claims for name, of in claims.sources.items() if row[name] == "reversed")
            finding = "{run} against {baseline}: reversed by {names}".format(**row, names=names)
            failures += [f"{claims.family.measure.name}: {finding} (--fail-if reversed)"] if names else []
    further = [table for claims in by_measure for table in tables("claim", claims.family.measure.name, claims.rows)]
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
        measure, number = claims.family.measure.name, len(claims.places)
        if not claims.places:
            yield say("survival.none", measure=measure)
        elif number <= MOST:
            yield from map(partial(_sentence, claims), claims.places, claims.rows)
        else:
            yield from _counted(claims)
        for name, source in claims.sources.items():
            is_equal, by_place = claims.evidence[name].value == 0, zip(claims.places, claims.rows, strict=True)
            untested = [index for index, row in by_place if row[name] == "not testable"]
            reasons = Counter("no difference" if is_equal[at] else source.remark(claims.family, at) for at in untested)
            facts = {"claims": number, "measure": measure, "source": source.in_claims}
            yield from (
                say("survival.untested", count=count, why=why, **facts) for why, count in reasons.items() if why
            )
    if any(claims.places for claims in by_measure):
        if not_checked:
            yield say("survival.not_checked", names=", ".join(not_checked))
        if has_notes:
            yield from (note for source in by_measure[0].sources.values() for note in source.notes())


def _sentence(claims: ClaimsOnMeasure, index: int, row: Mapping[str, Any]) -> str:
    by_verdict: dict[tuple[bool, str], list[str]] = {}  # of sources that count, and of others
    for name, source in claims.sources.items():
        remark = "" if row[name] == "not testable" else source.remark(claims.family, index)
        words = source.in_claims + f" ({remark})" * bool(remark)
        by_verdict.setdefault((source.brings_others, row[name]), []).append(words)

    def listed(brings_others: bool, verdicts: Sequence[str]) -> list[str]:
        by_name = {verdict: by_verdict.get((brings_others, verdict)) for verdict in verdicts}
        return [f"{verdict}: {', '.join(names)}" for verdict, names in by_name.items() if names]

    if row["of"]:
        confirmed = by_verdict.get((True, "confirmed"))
        names = f" ({', '.join(confirmed)})" if confirmed else ""
        parts = [say("survival.confirmed_by", count=row["survives"], sources=row["of"], names=names)]
    else:
        counts = any(brings_others for brings_others, _ in by_verdict)
        parts = [say("survival.no_test" if counts else "survival.no_source")]
    parts += listed(True, LATER)
    if beside := listed(False, VERDICTS):
        parts.append(say("survival.on_these", verdicts=", ".join(beside)))
    facts = {"measure": claims.family.measure.name, "run": row["run"], "baseline": row["baseline"]}
    p = f" ({p_text(row['p_all'], 'p_all')})" if row["p_all"] == row["p_all"] else ""
    return say("survival.claim", **facts, value=amount(row["value"]), p=p, verdicts="; ".join(parts))


def _counted(claims: ClaimsOnMeasure) -> Iterator[str]:
    count = sum(bool(reaches(row["p_all"], claims.family.alpha)) for row in claims.rows)
    facts = {"measure": claims.family.measure.name, "claims": len(claims.places)}
    yield say("survival.all", count=count or "none", number=count, **facts)
    parts: dict[bool, list[str]] = {True: [], False: []}
    for name, source in claims.sources.items():
        counts = Counter(row[name] for row in claims.rows)
        later = ", ".join(f"{counts[verdict]} {verdict}" for verdict in LATER if counts[verdict])
        words = f"{source.in_claims} {counts['confirmed'] or 'none'}{f' ({later})' if later else ''}"
        parts[source.brings_others].append(words)
    for brings_others, where in ((True, ""), (False, "on these topics ")):
        if parts[brings_others]:
            yield say("survival.by_source", where=where, counts="; ".join(parts[brings_others]), **facts)
    for source in claims.sources.values():
        yield from source.sentences_on_claims(claims.family, claims.places)
