"""Versions of each topic's query as replicates of its scores, in place of parts of the collection."""

from irci.base.errors import DataError
from irci.data.inputs import Inputs
from irci.data.part_scores import PartScores
from irci.data.version_scores import cube_of
from irci.data.versions import Versions
from irci.studies.partition_anova.request import PartitionAnovaRequest

CROSSED = ("md4", "md5", "md6")  # models with effects of versions that all topics have


def score_versions(request: PartitionAnovaRequest, inputs: Inputs, versions: Versions) -> PartScores:
    """Every system on as many versions of each topic, and on average over them.

    Raises DataError for a model that needs the same versions of all topics, where they are not the same.
    """
    cube = cube_of(inputs, request.measures, versions, request.seed)
    if cube.versions is None and request.model in CROSSED:
        raise DataError(
            f"--model {request.model} needs versions of the same names for every topic: these are each of one topic (--model"
            " nested)"
        )
    return PartScores(
        runs=cube.systems,
        topics=cube.topics,
        whole={measure: values.mean(axis=1) for measure, values in cube.values.items()},
        splits={measure: [values.transpose(0, 2, 1)] for measure, values in cube.values.items()},
        numbers=[1],
        replicate="version",
        labels=cube.versions,
    )
