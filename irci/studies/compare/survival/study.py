"""The report on claims: what map-ci prints of the populations asked for, and a row for each claim."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from irci.base.choices import SOURCE_OF_NAME, SOURCES, TOPICS
from irci.data.inputs import Inputs
from irci.output.report import Report
from irci.output.tables import tables
from irci.studies.compare.family import Family, Scored
from irci.studies.compare.request import Request
from irci.studies.compare.study import Compared, compared, report_of
from irci.studies.compare.survival.claims import Claims
from irci.studies.compare.survival.registry import populations, sources_asked
from irci.studies.compare.survival.sentences import conclusion, sentences


def read_with(request: Request, inputs: Inputs) -> Request:
    """The request with which scores are read where claims are tried: of all populations that other sources may be about."""
    structured = [source.name for source in SOURCES if source.name in source.words]
    own = [name for name in structured if getattr(request, name, None) is not None]
    of_rankings = () if inputs.has_only_scores else populations()
    every = dict.fromkeys((*own, *(request.population or ()), TOPICS, *of_rankings))
    return request._replace(population=tuple(every))


def with_survival(request: Request, scored: Scored, signature: Mapping[str, Any], inputs: Inputs) -> Report:
    """The report on the populations asked for, of what was read of all, and a row for each claim."""
    asked = SOURCE_OF_NAME[scored.kind or "means"]
    populations_shown = request.population or asked.words[: asked.usual]
    shown = scored._replace(sources=[source for source in scored.sources if source.name in populations_shown])
    found = compared(request, shown, signature, inputs.threads, inputs.progress)
    return _with_claims(report_of(found), found, scored, inputs)


def _with_claims(report: Report, comparisons: Compared, scored: Scored, inputs: Inputs) -> Report:
    """The report with a table of claims for each measure. `scored`: with all sources that are asked."""
    request, on = comparisons.request, comparisons.on
    others, not_checked = sources_asked(request, inputs, scored)
    topics = next(source for source in scored.sources if source.name == TOPICS)
    together: list[Family] = []
    families = [(each.pairs.of_claims(together), each.shown) for each in on if each.pairs is not None and each.shown]
    found = [Claims.on(family, shown, topics, others) for family, shown in families]
    if request.family == "joint":
        for claims in found:
            claims.as_one[:] = found
    failing = "reversed" in (request.fail_if or ())
    failures = [f"{each} (--fail-if reversed)" for claims in found if failing for each in claims.reversed_by()]
    further = [table for each in found for table in tables("claim", each.measure, each.rows())]
    further += [table for other in others for table in other.tables()]
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
