"""--survives: significant differences over topics, what other sources say of each, in rows and in words.

Other sources are asked about the same pairs, at the same level, in the same direction.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from irci.base import DataError
from irci.base.choices import SOURCES, TOPICS
from irci.base.types import Floats, gathered, reaches
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
from irci.stats.decisions import VERDICTS, is_told, p_of_all, survival
from irci.wording import amount, p_text, say, templates

LATER = VERDICTS[1:]  # in the order in which they stand behind the sources that confirm a claim


# By measure: the pairs, and the rows of claims by their places among these.
Claims = Sequence[tuple[Family, Mapping[int, dict[str, Any]]]]


def claims_on(families: Sequence[Family], topics: Source, witnesses: Sequence[Source]) -> Claims:
    """The claims on the pairs of each family, those that differ significantly over topics: the run with the higher mean, the
    other as its baseline, what each other source says, and p_all, that all sources agree, adjusted for all pairs of the
    family, or of all measures."""
    by_measure: list[Floats] = []  # [S, 3, P]: over topics, then by each other source
    for family in families:
        by_measure.append(np.array([source.evidence(family) for source in (topics, *witnesses)]))
    p_all: list[Floats] = []
    for as_one in [by_measure] if any(family.adjusted_with for family in families) else [[of] for of in by_measure]:
        p_of_one = p_of_all(np.concatenate(as_one, axis=2))
        p_all += np.split(p_of_one, np.cumsum([evidence.shape[2] for evidence in as_one])[:-1])
    result = list[tuple[Family, dict[int, dict[str, Any]]]]()
    least_p = max((of.least_p for of in witnesses), default=0.0)
    for family, (over_topics, *by_others), p in zip(families, by_measure, p_all, strict=True):
        verdicts = [survival(over_topics[0], of, family.alpha) for of in by_others]
        rows = dict[int, dict[str, Any]]()
        for index in np.flatnonzero(reaches(over_topics[2], family.alpha) & is_told(over_topics)).tolist():
            value, _, p_adjusted = over_topics[:, index].tolist()
            run, baseline = [family.names[row] for row in family.pairs[index]][:: 1 if value > 0 else -1]
            row = {"run": run, "baseline": baseline, "value": abs(value), "p_adjusted": PValue(p_adjusted)}
            for source, of_source in zip(witnesses, verdicts, strict=True):
                row |= {source.column: of_source[index], **source.claim_columns(family, index)}
            counted = [row[source.column] for source in witnesses if source.brings_others]
            row |= {"survives": counted.count("confirmed"), "of": len(counted) - counted.count("not testable")}
            rows[index] = {**row, "p_all": PValue(p[index], least_p)}
        result.append((family, rows))
    return result


def sources_asked(scored: Scored) -> tuple[list[Source], list[str]]:
    """Sources of what was read that are asked about claims, in order; and what those that are not there would be."""
    unchecked = templates()["unchecked"]
    by_name = gathered(
        (*((source.name, source) for source in scored.sources), *(("judge", of) for of in scored.judges))
    )
    asked = [source for name in unchecked for source in by_name.get(name, ())]
    return asked, [words for name, words in unchecked.items() if name not in by_name]


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
    return scored.replaced(sources=[*by_name.values()])


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
    by_measure, failures = claims_on(families, topics, witnesses), list[str]()
    for family, rows in by_measure if "reversed" in (request.fail_if or ()) else ():
        for row in rows.values():
            if names := ", ".join(of.in_claims for of in witnesses if row[of.column] == "reversed"):
                finding = "{run} against {baseline}: reversed by {names}".format(**row, names=names)
                failures.append(f"{family.measure.name}: {finding} (--fail-if reversed)")
    further = [table for family, rows in by_measure for table in tables("claim", family.measure.name, rows.values())]
    return report._replace(
        tables=[*report.tables, *further],
        failures=[*report.failures, *failures],
        signature={
            **report.signature,
            "survives": " ".join(other.column for other in witnesses),
            **({"levels": inputs.levels_told} if scored.judges else {}),
        },
        drawn=lambda: [*report.pictures, *further],
        explain=lambda: chain(report.sentences, conclusion(by_measure, witnesses, not_checked, has_notes=True)),
        conclude=lambda: chain(report.conclusion, conclusion(by_measure, witnesses, not_checked)),
    )


# In words


def conclusion(
    by_measure: Claims, witnesses: Sequence[Source], not_checked: Sequence[str], *, has_notes: bool = False
) -> Iterator[str]:
    """Each claim on each measure in a sentence, or how many each source confirms, and why some cannot be tested;
    `not_checked`: other sources; `has_notes`: and what sources are. Columns say what verdicts and counts mean."""
    for family, rows in by_measure:
        facts = {"measure": family.measure.name, "claims": len(rows)}
        if not rows:
            yield say("survival.none", **facts)
        elif len(rows) <= MOST:
            yield from (_sentence(family, witnesses, index, row) for index, row in rows.items())
        else:
            yield from _counted(family, witnesses, rows)
        for source in witnesses:
            is_equal = source.evidence(family)[0] == 0
            untested = [index for index, row in rows.items() if row[source.column] == "not testable"]
            reasons = Counter("no difference" if is_equal[at] else source.remark(family, at) for at in untested)
            facts |= {"source": source.in_claims}
            yield from (
                say("survival.untested", count=count, why=why, **facts) for why, count in reasons.items() if why
            )
    if any(rows for _, rows in by_measure):
        if not_checked:
            yield say("survival.not_checked", names=", ".join(not_checked))
        if has_notes:
            yield from (note for source in witnesses for note in source.notes())


def _sentence(family: Family, witnesses: Sequence[Source], index: int, row: Mapping[str, Any]) -> str:
    remarks = {of.column: of.remark(family, index) for of in witnesses if row[of.column] != "not testable"}
    words = gathered(  # of sources that count, and of others
        (
            (of.brings_others, row[of.column]),
            of.in_claims + (f" ({remark})" if (remark := remarks.get(of.column)) else ""),
        )
        for of in witnesses
    )

    def listed(brings_others: bool, verdicts: Sequence[str]) -> list[str]:
        named = [(verdict, words[brings_others, verdict]) for verdict in verdicts if (brings_others, verdict) in words]
        return [f"{verdict}: {', '.join(names)}" for verdict, names in named]

    if row["of"]:
        confirmed = ", ".join(words.get((True, "confirmed"), ()))
        names = f" ({confirmed})" if confirmed else ""
        parts = [say("survival.confirmed_by", count=row["survives"], sources=row["of"], names=names)]
    else:
        parts = [say("survival.no_test" if any(of.brings_others for of in witnesses) else "survival.no_source")]
    parts += listed(True, LATER)
    if beside := listed(False, VERDICTS):
        parts.append(say("survival.on_these", verdicts=", ".join(beside)))
    facts = {"measure": family.measure.name, "run": row["run"], "baseline": row["baseline"]}
    p = f" ({p_text(row['p_all'], 'p_all')})" if row["p_all"] == row["p_all"] else ""
    return say("survival.claim", **facts, value=amount(row["value"]), p=p, verdicts="; ".join(parts))


def _counted(family: Family, witnesses: Sequence[Source], rows: Mapping[int, Mapping[str, Any]]) -> Iterator[str]:
    count = sum(bool(reaches(row["p_all"], family.alpha)) for row in rows.values())
    facts = {"measure": family.measure.name, "claims": len(rows)}
    yield say("survival.all", count=count or "none", number=count, **facts)
    for brings_others, where in ((True, ""), (False, "on these topics ")):
        parts = []
        for source in witnesses:
            counts = Counter(row[source.column] for row in rows.values())
            later = ", ".join(f"{counts[verdict]} {verdict}" for verdict in LATER if counts[verdict])
            words = f"{source.in_claims} {counts['confirmed'] or 'none'}{f' ({later})' if later else ''}"
            parts += [words] if source.brings_others == brings_others else []
        if parts:
            yield say("survival.by_source", where=where, counts="; ".join(parts), **facts)
    for source in witnesses:
        yield from source.sentences_on_claims(family, [*rows])
