"""The report on claims: what map-ci prints of the populations asked for, and a row for each claim."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

from irci.base.choices import DOCUMENTS, JUDGMENTS, SOURCE_OF_NAME, SOURCES, TOPICS
from irci.data.inputs import Inputs
from irci.output.report import Report
from irci.output.tables import tables
from irci.studies.compare.family import Family, Scored, Witness
from irci.studies.compare.request import Request
from irci.studies.compare.study import Compared, compared, report_of
from irci.studies.compare.survival.claims import Claims
from irci.studies.compare.survival.other_judges import AnotherJudge
from irci.studies.compare.survival.sentences import conclusion, sentences

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
    others, not_checked = sources_asked(scored)
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
