"""irci wcw: widths and numbers of topics, with or without files and a judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irci.base.errors import UsageError

if TYPE_CHECKING:
    from irci.options.given import Given
    from irci.output.report import Report


def report(given: Given) -> Report:
    """What is asked for."""
    match given.request.name:
        case "judge":
            return _with_judge(given)
        case "correlation":
            from irci.studies.human_topics import HumanTopicsRequest, human_topics

            if given["files"]:
                raise UsageError("files tell what a judge is worth with --judge alone: add it, or leave them out.")
            return human_topics(given.record(HumanTopicsRequest))
        case _:
            from irci.studies import wcw

            settings = given.record(wcw.WcwRequest)
            if not given["files"]:
                return wcw.wcw(settings, None)
            from irci.studies.commands.inputs import inputs

            return wcw.wcw(settings, inputs(given))


def _with_judge(given: Given) -> Report:
    """How many topics people must judge beside a judge."""
    from irci.studies.commands.inputs import inputs
    from irci.studies.human_topics import HumanTopicsRequest, human_topics

    if not given["files"]:
        raise UsageError("--judge needs people's QRELS and RUN..., or --scores and a file.")
    return human_topics(given.record(HumanTopicsRequest), inputs(given, other_qrels=(given["judge"],)))
