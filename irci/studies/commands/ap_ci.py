"""irci ap-ci: intervals of topics, their validation, or bounds of unjudged documents."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

from irci.options.types import STANDARD_STREAM
from irci.studies.commands.inputs import inputs
from irci.studies.commands.validation import validated

if TYPE_CHECKING:
    from irci.options.given import Given
    from irci.output.report import Report

logger = logging.getLogger("irci")
OF_ALL = "limits of `all` are for these topics; for other topics of their kind: irci map-ci --population topics"


def report(given: Given) -> Report:
    """What is asked for."""
    if given.request.name == "validate":
        return validated(given, "ap-ci")
    if given.request.name == "judgments":
        from irci.studies.compare.bounds.study import unjudged
        from irci.studies.compare.request import Request

        return unjudged(given.record(Request), inputs(given), "ap-ci --unjudged")
    from irci.studies.ap_ci import ApCiRequest, ap_ci

    found = ap_ci(given.record(ApCiRequest), inputs(given))
    _tell_what_all_is(given, found)
    return found


def _tell_what_all_is(given: Given, report: Report) -> None:
    """Say whom the limits of the mean are for, unless a program may read all topics' lines.

    On standard error, so that what a pipe gets is trec_eval's lines and nothing else, at a terminal or not.
    """
    is_read = given["per_topic"] and (given["output"] != STANDARD_STREAM or not sys.stdout.isatty())
    rows = (row for table in report.tables if table.kind == "estimate" for row in table.rows)
    if given["output_format"] == "text" and not is_read and any(row["lower"] == row["lower"] for row in rows):
        logger.info(OF_ALL)
