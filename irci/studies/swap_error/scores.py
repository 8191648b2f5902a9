"""What swap-error studies: scores of runs on topics."""

import numpy as np

from irci.data.experiment import Inputs, scores_of, where
from irci.data.names import places_by_name
from irci.data.notices import warn_of_topics
from irci.data.scores import Scores
from irci.errors import DataError
from irci.studies.swap_error.settings import Settings


def common_scores(settings: Settings, inputs: Inputs) -> tuple[Scores, dict[str, str]]:
    """Scores of all runs, by name, on the topics that all of them have; and what --save-scores writes."""
    table, files = scores_of(inputs, settings.measures)
    order = places_by_name(table.runs)
    lacking = np.any([np.isnan(values).any(axis=0) for values in table.values.values()], axis=0)
    warn_of_topics("all runs", "that some run lacks, dropped", where(table.topics, lacking))
    if len(order) < 2 or (~lacking).sum() < 2:
        raise DataError("needs at least two runs that share two topics")
    values = {measure: each[order][:, ~lacking] for measure, each in table.values.items()}
    return Scores([table.runs[place] for place in order], where(table.topics, ~lacking), values), files
