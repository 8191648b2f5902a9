"""irci map-ci: which study answers what is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from irci.base.choices import MeanOf
from irci.base.errors import UsageError
from irci.options.outputs import refuse_inputs
from irci.studies.commands.bounds import bounds
from irci.studies.commands.inputs import inputs
from irci.studies.commands.validation import validated

if TYPE_CHECKING:
    from irci.data.scores import Scores
    from irci.options.given import Given
    from irci.output.report import Report
    from irci.studies.structured.settings import Settings


def report(given: Given) -> Report:
    """What is asked for."""
    return REQUESTS[given.request.name](given)


def _of_means(given: Given) -> Report:
    from irci.data.score_tables import SeveralCollections
    from irci.studies.map_ci import Settings, map_ci

    # -B says how often documents and topics are resampled, and if it is given how many signs are drawn.
    chosen: dict[str, Any] = {} if given.has("resamples") else {"resamples": None}
    if given["interval"] == "delta":
        chosen |= {"method": "parametric", "interval": None}
    try:
        return map_ci(given.record(Settings, **chosen), inputs(given))
    except SeveralCollections as found:
        given.check(given.command.request("collections"))
        return _of_collections(given, found.tables)


def _of_judge(given: Given) -> Report:
    from irci.studies.map_ci.few_human import POPULATIONS, Settings, few_human

    chosen = tuple(each for each in POPULATIONS if given["population"] in (None, each))
    settings = given.record(Settings, populations=chosen, correction=given["correction"] or "holm")
    return few_human(settings, inputs(given, other_qrels=(given["judge"],)))


def _drawn(given: Given) -> Report:
    from irci.studies.map_ci.sample import sample

    return sample(given["sample"], given["seed"], inputs(given))


def _of_clusters(given: Given) -> Report:
    from irci.studies.structured.clusters import clustered

    return clustered(_settings(given), inputs(given), given["clusters"], given["mean"] or "topics")


def _of_seeds(given: Given) -> Report:
    from irci.studies.structured.seeds import seeded

    return seeded(_settings(given), inputs(given), given["seeds"], given["seed_variance"] or "own")


def _of_versions(given: Given) -> Report:
    from irci.studies.structured.versions import on_versions

    return on_versions(_settings(given), inputs(given), given["versions"])


def _of_collections(given: Given, tables: Sequence[Scores] | None = None) -> Report:
    """What is found of the collections that are listed, or that tables of scores name, which may have been read."""
    from irci.data.collection_lists import read_collection_list, refuse_one
    from irci.data.score_tables import read_tables
    from irci.studies.structured.collections import collected

    mean: MeanOf = given["mean"] or "collections"
    settings, read = _settings(given), inputs(given)
    where: str | None = given["collections"]
    if where is None:
        found = read_tables(read, [each.base for each in settings.measures]) if tables is None else tables
        if len(found) == 1:
            asked = "mean" if given["mean"] is not None else "population"
            message = f"{given.spelling(asked)} {given[asked]} is for several collections: these are scores of one."
            raise UsageError(message)
        refuse_one([str(table.collection) for table in found], ", ".join(read.files))
        return collected(settings, read, found, mean)
    if read.files:
        raise UsageError("--collections names qrels, runs and files of scores: leave out other files.")
    several = read_collection_list(where, scores=read.scores)
    refuse_inputs(given, [file for each in several for file in each.files])
    return collected(settings, read, several, mean)


def _settings(given: Given) -> Settings:
    """What all sources with a structure are asked."""
    from irci.studies.structured.settings import Settings

    # -B is of signs, if it is given.
    return given.record(Settings, **({} if given.has("resamples") else {"resamples": None}))


REQUESTS: dict[str, Callable[[Given], Report]] = {
    "means": _of_means,
    "judgments": bounds,
    "judge": _of_judge,
    "sample": _drawn,
    "clusters": _of_clusters,
    "collections": _of_collections,
    "seeds": _of_seeds,
    "versions": _of_versions,
    "validate": lambda given: validated(given, "map-ci"),
}
