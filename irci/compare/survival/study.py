"""Claims, what other sources say of each, in rows and in plain words, and the report with them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from irci.base.choices import DOCUMENTS, JUDGMENTS, SOURCE_OF_NAME, SOURCES, TOPICS
from irci.base.names import plural
from irci.base.types import Bools, Floats
from irci.compare.family import Family, Scored, Source, Witness
from irci.compare.request import Request
from irci.compare.second_judges import AnotherJudge
from irci.compare.study import Scope, compared, report_of
from irci.compare.wording import MOST, amount, number, p_text
from irci.data.inputs import Inputs
from irci.output.report import Report
from irci.output.tables import PValue, Row, tables
from irci.stats.decisions import VERDICTS, Survival, Told, p_of_all, separated, survival


@dataclass(frozen=True)
class ClaimsOnMeasure:
    """The claims on one measure: all pairs of the family, how many of them are shown, what topics tell of them, and what each
    other source does. `as_one`: the claims on all measures whose p are adjusted as one, none if these are by themselves."""

    family: Family
    shown: int
    topics: Told
    others: Mapping[str, Witness]
    told: Mapping[str, Told]
    as_one: list["ClaimsOnMeasure"] = field(default_factory=list)

    @classmethod
    def on(cls, family: Family, shown: int, topics: Source, others: Sequence[Witness]) -> "ClaimsOnMeasure":
        """The claims on the first pairs of a family, so many of which are shown."""
        named = {other.name: other for other in others}
        told = {name: other.evidence(family) for name, other in named.items()}
        return cls(family, shown, _of_topics(family, topics), named, told)

    @property
    def measure(self) -> str:
        """The measure's name."""
        return self.family.measure.name

    @cached_property
    def claimed(self) -> Bools:
        """bool[shown]: the pairs that differ significantly over topics."""
        found = separated(np.nan_to_num(self.topics.p_adjusted, nan=1.0), self.family.request.alpha)
        return np.asarray((found & self.topics.is_told)[: self.shown])

    @property
    def places(self) -> list[int]:
        """The claims' places among the pairs."""
        return np.flatnonzero(self.claimed).tolist()

    @cached_property
    def verdicts(self) -> dict[str, list[Survival]]:
        """Verdicts of each other source on all pairs."""
        alpha = self.family.request.alpha
        return {name: survival(self.topics.value, told, alpha) for name, told in self.told.items()}

    def reversed_by(self) -> Iterator[str]:
        """The claims that other sources reverse, each with the sources that do."""
        for place, row in zip(self.places, self.rows(), strict=True):
            found = [other.in_claims for name, other in self.others.items() if self.verdicts[name][place] == "reversed"]
            if found:
                yield f"{self.measure}: {row['run']} against {row['baseline']}: reversed by {', '.join(found)}"

    @cached_property
    def p_all(self) -> Floats:
        """p[P] that all sources agree, adjusted for all pairs of the family, or of all measures."""
        every = self.as_one or [self]
        tables = [(claims.topics, *claims.told.values()) for claims in every]
        together = [Told(*map(np.concatenate, zip(*of_source, strict=True))) for of_source in zip(*tables, strict=True)]
        ends = np.cumsum([len(claims.topics.p) for claims in every])
        found = np.split(p_of_all(together[0].value, together), ends[:-1])
        return next(p for p, claims in zip(found, every, strict=True) if claims is self)

    def rows(self) -> Iterator[Row]:
        """A row a claim: the run with the higher mean first."""
        topics, p_all = self.topics, self.p_all
        for place in self.places:
            better, worse = self.family.pairs[place].tolist()
            if topics.value[place] < 0:
                better, worse = worse, better
            columns: dict[str, Any] = {}
            for name, verdicts in self.verdicts.items():
                columns |= {name: verdicts[place], **self.others[name].claim_columns(self.family, place)}
            counted = [verdicts[place] for name, verdicts in self.verdicts.items() if self.others[name].brings_others]
            counts = Counter(counted)
            yield {
                "run": self.family.names[better], "baseline": self.family.names[worse],
                "value": abs(float(topics.value[place])), "p_adjusted": PValue(topics.p_adjusted[place]), **columns,
                "survives": counts["confirmed"], "of": len(counted) - counts["not testable"],
                "p_all": PValue(p_all[place], max((other.least_p for other in self.others.values()), default=0.0)),
            }  # fmt: skip


def _of_topics(family: Family, topics: Source) -> Told:
    found = family.over(topics)
    of = found.tested.of
    told = Told(of.value, found.tested.p, found.p_adjusted)
    return told.where(of.units >= family.fewest_units(topics, of))


OF_RANKINGS = (DOCUMENTS, JUDGMENTS)
# What may be asked about claims, in the order of columns and sentences, and what it is called if it is not checked.
WITNESSES = {
    DOCUMENTS: "other documents", JUDGMENTS: "unjudged documents", "judge": "another judge",
    "clusters": "other clusters of topics", "collections": "other collections", "seeds": "other seeds",
    "versions": "other wordings",
}  # fmt: skip


def read_with(request: Request, inputs: Inputs) -> Request:
    """The request with which scores are read where claims are tried: of all populations that other sources may be about."""
    structured = [source.name for source in SOURCES if source.name in source.words]
    own = [name for name in structured if getattr(request, name, None) is not None]
    of_rankings = () if inputs.has_only_scores else OF_RANKINGS
    every = dict.fromkeys((*own, *(request.population or ()), TOPICS, *of_rankings))
    return request._replace(population=tuple(every))


def sources_asked(scored: Scored) -> tuple[list[Witness], list[str]]:
    """Sources of what was read that are asked about claims, in order; and the names of those that are not there."""
    judges: list[Witness] = [AnotherJudge(judge, scored) for judge in scored.judges]
    of_name = {
        name: judges if name == "judge" else [source for source in scored.sources if source.name == name]
        for name in WITNESSES
    }
    asked = [witness for witnesses in of_name.values() for witness in witnesses]
    return asked, [WITNESSES[name] for name, witnesses in of_name.items() if not witnesses]


def in_populations_asked(request: Request, scored: Scored) -> Scored:
    """The scores with the sources of the populations asked for alone."""
    asked = SOURCE_OF_NAME[scored.kind or "means"]
    populations = request.population or asked.words[: asked.usual]
    return scored._replace(sources=[source for source in scored.sources if source.name in populations])


def with_survival(request: Request, scored: Scored, signature: Mapping[str, Any], inputs: Inputs) -> Report:
    """The report on the populations asked for, of what was read of all, and a row for each claim."""
    shown = in_populations_asked(request, scored)
    whole = compared(request, shown, inputs.threads, inputs.progress, signature.get("standardise"))
    return with_claims(report_of(whole, signature), whole, scored, inputs)


def with_claims(report: Report, comparisons: Scope, scored: Scored, inputs: Inputs) -> Report:
    """The report with a table of claims for each measure. `scored`: with all sources that are asked."""
    request, on = comparisons.request, comparisons.on
    others, not_checked = sources_asked(scored)
    topics = next(source for source in scored.sources if source.name == TOPICS)
    together: list[Family] = []
    families = [(each.pairs.of_claims(together), each.shown) for each in on if each.pairs is not None]
    found = [ClaimsOnMeasure.on(family, shown, topics, others) for family, shown in families]
    if request.family == "joint":
        for claims in found:
            claims.as_one[:] = found
    failing = "reversed" in (request.fail_if or ())
    failures = [f"{each} (--fail-if reversed)" for claims in found if failing for each in claims.reversed_by()]
    further = [table for each in found for table in tables("claim", each.measure, each.rows())]
    return report._replace(
        tables=[*report.tables, *further],
        failures=[*report.failures, *failures],
        signature={
            **report.signature,
            "survives": " ".join(other.name for other in others),
            **({"levels": inputs.levels_told} if scored.judges else {}),
        },
        drawn=lambda: [*report.pictures, *further],
        explain=lambda: chain(report.sentences, sentences(found, not_checked)),
        conclude=lambda: chain(report.conclusion, conclusion(found, not_checked)),
    )


LATER = VERDICTS[1:]  # in the order in which they stand behind the sources that confirm a claim


def conclusion(found: Sequence[ClaimsOnMeasure], not_checked: Sequence[str]) -> Iterator[str]:
    """Each claim on each measure in a sentence, or how many each source confirms; `not_checked`: the names of sources."""
    for claims in found:
        rows = list(claims.rows())
        if not rows:
            yield f"In {claims.measure}, there is no claim to be tried: no pair differs significantly over topics."
        elif len(rows) <= MOST:
            for row, place in zip(rows, claims.places, strict=True):
                yield _sentence(claims, row, place)
        else:
            yield from _counted(claims, rows)
        yield from _why_untold(claims)
    if any(claims.places for claims in found) and not_checked:
        yield f"Not checked: {_listed(not_checked)}."


def sentences(found: Sequence[ClaimsOnMeasure], not_checked: Sequence[str]) -> Iterator[str]:
    """The same, and what it means."""
    yield from conclusion(found, not_checked)
    if not any(claims.places for claims in found):
        return
    yield "Not confirmed means not significant: no evidence against a claim by itself."
    if any(not source.brings_others for source in found[0].others.values()):
        yield "What is said on these topics is not counted: chance in the choice of topics passes it."
    if JUDGMENTS in found[0].others:
        yield "Unjudged documents are worst cases over all their grades."
    for source in found[0].others.values():
        yield from source.notes()
    family = found[0].family
    of_all = "differences in all measures" if found[0].as_one else "pairs"
    of_pairs = f", by Holm's method for {family.number} {of_all}" if family.number > 1 else ""
    yield f"p_all is the largest p of topics and of all sources that could be told{of_pairs}; the counts are no such test."


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _sentence(claims: ClaimsOnMeasure, row: Row, place: int) -> str:
    counted, beside = (
        [(name, each) for name, each in claims.others.items() if each.brings_others == it] for it in (True, False)
    )
    who = f"That {row['run']} scores higher than {row['baseline']} in {claims.measure} (by {amount(number(row, 'value'))})"
    p = number(row, "p_all")
    lead = f"{who}: {p_text(p, 'p_all')};" if p == p else who
    by_verdict = _by_verdict(claims, row, place, counted)
    confirmed = by_verdict.pop("confirmed", [])
    sources = f"survives {row['survives']} of {row['of']} {'source' if row['of'] == 1 else 'sources'}"
    if counted and row["of"] == 0:
        sources = "no source could be tested"
    survives = sources if counted else "no source with other topics, seeds, collections or judges was asked"
    told = [f"{lead} {survives}" + f" ({', '.join(confirmed)})" * bool(confirmed), *_listed_by(by_verdict)]
    if counted and "reversed" not in by_verdict:
        told.append("reversed: none")
    if beside:
        told.append(f"on these topics {', '.join(_listed_by(_by_verdict(claims, row, place, beside), VERDICTS))}")
    return f"{'; '.join(told)}."


def _by_verdict(
    claims: ClaimsOnMeasure, row: Row, place: int, sources: Sequence[tuple[str, Witness]]
) -> dict[str, list[str]]:
    """Names of sources, with their remarks, by the verdict of each on a claim."""
    found: dict[str, list[str]] = {}
    for name, source in sources:
        remark = "" if row[name] == "not testable" else source.remark(claims.family, place)
        found.setdefault(str(row[name]), []).append(source.in_claims + f" ({remark})" * bool(remark))
    return found


def _listed_by(by_verdict: Mapping[str, Sequence[str]], order: Sequence[str] = LATER) -> list[str]:
    return [f"{verdict}: {', '.join(by_verdict[verdict])}" for verdict in order if verdict in by_verdict]


def _why_untold(claims: ClaimsOnMeasure) -> Iterator[str]:
    """For each source that tells nothing of some claims, why that is so, if it is known."""
    for name, source in claims.others.items():
        untold = [place for place in claims.places if claims.verdicts[name][place] == "not testable"]
        no_difference = {place for place in untold if claims.told[name].value[place] == 0}
        whys = Counter(
            "no difference" if place in no_difference else source.remark(claims.family, place) for place in untold
        )
        for why, times in whys.items():
            if why:
                of = f"{times} of {plural(len(claims.places), 'claim')} in {claims.measure}"
                yield f"{of} cannot be tested by {source.in_claims}: {why}."


def _counted(claims: ClaimsOnMeasure, rows: Sequence[Row]) -> Iterator[str]:
    p_all = np.nan_to_num(np.array([number(row, "p_all") for row in rows]), nan=1.0)
    found = int(separated(p_all, claims.family.request.alpha).sum())
    yield f"In {claims.measure}, {found or 'none'} of {len(rows)} claims survive all sources together (by p_all)."
    for counted in (True, False):
        parts = []
        for name, source in claims.others.items():
            if source.brings_others == counted:
                counts = Counter(str(row[name]) for row in rows)
                confirmed = counts.pop("confirmed", 0)
                others = ", ".join(f"{counts[verdict]} {verdict}" for verdict in LATER if counts[verdict])
                parts.append(f"{source.in_claims} {confirmed or 'none'}{f' ({others})' if others else ''}")
        if parts:
            where = "these confirm" if counted else "on these topics these confirm"
            yield f"Of {len(rows)} claims in {claims.measure}, {where}: {'; '.join(parts)}."
    for source in claims.others.values():
        yield from source.sentences_on_claims(claims.family, claims.places)
