"""The report on claims: what map-ci prints of the populations asked for, by max-T, and a row for each claim."""

from dataclasses import replace
from itertools import chain

from irci.base.choices import DOCUMENTS, TOPICS
from irci.data.inputs import Inputs
from irci.output.report import Report
from irci.output.tables import tables
from irci.studies.compare import reading
from irci.studies.compare.request import Request
from irci.studies.compare.study import on_measures, report_on
from irci.studies.compare.survival.claims import Claims
from irci.studies.compare.survival.registry import populations, sources_asked
from irci.studies.compare.survival.sentences import conclusion, sentences


def with_survival(request: Request, inputs: Inputs) -> Report:
    """The report on the populations asked for, pairs by max-T, and a row for each claim."""
    request = replace(request, correction="maxt")
    asked = request.population or (TOPICS, DOCUMENTS)
    every = reading.on_topics(replace(request, population=(TOPICS, *populations())), inputs)
    others, not_checked = sources_asked(request, inputs, every)
    shown = replace(every, sources=[source for source in every.sources if source.name in asked])
    signature = {**reading.signature_of(inputs), "survives": " ".join(other.name for other in others)}
    report = report_on(request, shown, signature, threads=inputs.threads, progress=inputs.progress)
    request = request.of_runs(every.runs, every.paths)
    found = [
        Claims.on(request, every, on, others, inputs.threads, inputs.progress)
        for on in on_measures(request, every, request.design("maxt"), inputs.threads)
        if on.pairs is not None and on.shown
    ]
    further = [table for each in found for table in tables("claim", each.measure, each.rows())]
    further += [table for other in others for table in other.tables()]
    return replace(
        report,
        tables=[*report.tables, *further],
        drawn=lambda: [*report.pictures, *further],
        explain=lambda: chain(report.sentences, *(sentences(each, not_checked) for each in found)),
        conclude=lambda: chain(report.conclusion, *map(conclusion, found)),
    )
