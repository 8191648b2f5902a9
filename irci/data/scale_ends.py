"""The ends of measures' scales: of the table's, or taken from scores, or given; what cannot be between them."""

from collections.abc import Mapping, Sequence

from irci.base.choices import Standardisation
from irci.base.errors import DataError, logger
from irci.base.types import Ends, Floats
from irci.data.measures import Measure
from irci.data.scores import UNIT, lie_within
from irci.stats.scales import PLAIN


def ends_of_scales(
    measures: Sequence[Measure],
    tables: Sequence[Mapping[str, Floats]],
    given: Ends | None,
    standardised: Standardisation | None,
    option: str = "",
) -> dict[str, Ends]:
    """The ends of the scales of those measures that have any, by name; tables[collection][base name] float64[runs, T], nan
    where there is none. `given`: what the user says of all; `standardised`: how scores are; `option`: what says otherwise.

    Measures that are counts, or averaged as logits or logarithms, have none. Of a measure that is not of the table the scale
    is 0 to 1 if all its scores lie there, which is told.
    """
    found: dict[str, Ends] = {}
    taken = []
    for measure in measures:
        if measure.is_count or measure.scale() != PLAIN:
            continue
        ends = given or measure.ends
        if standardised == "rank":  # the other runs, all beaten
            ends = (0.0, float(max(len(values[measure.base.name]) for values in tables) - 1))
        is_free = ends is None and not measure.is_known and standardised != "z"
        if is_free and all(lie_within(values[measure.base.name], UNIT) for values in tables):
            ends = UNIT
            taken += [measure.name] * (standardised is None)
        if ends is not None:
            found[measure.name] = ends
    if taken:
        logger.info(f"{', '.join(taken)}: all scores lie between 0 and 1, which is taken for the scale{option}")
    return found


def refuse_impossible(measure: str, difference: float, ends: Ends) -> None:
    """Raise DataError for a true difference that scores on the scale cannot have."""
    if difference > ends[1] - ends[0]:
        raise DataError(f"{measure}: no means of scores from {ends[0]:g} to {ends[1]:g} differ by {difference:g}")
