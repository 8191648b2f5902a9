"""map-ci --sample: which topics people are to judge, drawn by lot."""

import numpy as np

from irci.base.errors import DataError, UsageError
from irci.base.names import plural, raw, text
from irci.base.streams import lots
from irci.data.experiment import Judge
from irci.data.inputs import Inputs
from irci.data.score_tables import score_files
from irci.output.report import Report
from irci.output.tables import tables


def sample(number: int, seed: int, inputs: Inputs) -> Report:
    """So many of the topics of QRELS (or of score files), in their order. A larger sample by the same seed has the smaller."""
    path, *runs = inputs.paths()
    if runs and not inputs.scores:
        raise UsageError("--sample takes QRELS alone: leave out the RUNs.")
    if inputs.scores:
        topics = score_files(inputs, (), complete=False).topics
    else:
        topics = [text(topic) for topic in Judge.read(inputs, path).qrels.topics]
        keep = inputs.asked_for(topics, path, "judged")
        topics = [topic for topic, kept in zip(topics, keep.tolist(), strict=True) if kept]
    if number > len(topics):
        raise DataError(f"{path}: {plural(len(topics), 'topic')}, of which {number} cannot be drawn")
    order = np.argsort(lots(seed, [raw(topic) for topic in topics]), kind="stable")
    chosen = sorted(order[:number].tolist())
    return Report(
        tables("sample", "", [{"topic": topics[place]} for place in chosen]),
        {"command": "map-ci", "sample": number, "seed": seed, "topics": inputs.topics, "num_topics": len(topics)},
        explain=lambda: (
            f"These {number} of {len(topics)} topics are drawn by lot: have people judge all of them, and no others, before"
            " looking at any score.",
        ),
    )
