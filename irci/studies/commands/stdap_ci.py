"""irci stdap-ci: means of standardised scores, or published figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irci.studies.commands.inputs import inputs
from irci.studies.stdap_ci import StdapCiRequest, Summary, stdap_ci, summaries_compared

if TYPE_CHECKING:
    from irci.options.given import Given
    from irci.output.report import Report


def report(given: Given) -> Report:
    """What is asked for."""
    if given.request.name == "published":
        summaries = [Summary(*each) for each in given["summaries"]]
        return summaries_compared(summaries, given["confidence"], given["any_reference"])
    return stdap_ci(given.record(StdapCiRequest), inputs(given))
