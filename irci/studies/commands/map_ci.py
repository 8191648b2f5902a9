"""irci map-ci: which study answers what is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from irci.base.errors import UsageError
from irci.options.outputs import refuse_inputs
from irci.studies.commands import inputs
from irci.studies.commands.validation import validated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irci.data.inputs import CollectionFiles
    from irci.options.given import Given
    from irci.output.report import Report


def report(given: Given) -> Report:
    """What is asked for."""
    match given.request.name:
        case "validate":
            return validated(given, "map-ci")
        case "sample":
            from irci.studies.sample import sample

            return sample(given["sample"], given["seed"], inputs(given))
        case _:
            return _compared(given)


def _compared(given: Given) -> Report:
    """Means, pairs and ranks, whatever varies."""
    from irci.data.score_tables import SeveralCollections
    from irci.studies.compare.collections import over_collections
    from irci.studies.compare.entry import compare
    from irci.studies.compare.request import Request

    # -B says how often documents and topics are resampled, and if it is given how many signs are drawn.
    drawn = {} if given.has("resamples") else {"resamples": None}
    request = given.record(Request, collections=_listed(given), **drawn)
    read = inputs(given, other_qrels=() if given["judge"] is None else (given["judge"],))
    try:
        return compare(request, read)
    except SeveralCollections as found:
        if given.request.name != "means":
            raise
        given.check(given.command.request("collections"))
        return over_collections(request, read, found.tables)


def _listed(given: Given) -> Sequence[CollectionFiles] | None:
    """The collections that a list or a folder names."""
    if given["collections"] is None:
        return None
    from irci.data.inputs import read_collection_list

    if given["files"] or given["runs_from"]:
        raise UsageError("--collections names qrels, runs and files of scores: leave out other files.")
    several = read_collection_list(given["collections"], scores=given["scores"])
    refuse_inputs(given, [file for each in several for file in each.files])
    return several
