"""What a paper says of a table of structured topics: over what its limits are, and how runs were tested."""

from collections.abc import Sequence

import numpy as np

from irci.base.choices import PairCorrection, Varies
from irci.base.errors import plural
from irci.output.report import Caption
from irci.studies.map_ci.captions import OF_CORRECTION
from irci.studies.structured.compared import Compared
from irci.studies.structured.settings import Settings
from irci.studies.structured.structure import Structure

OVER: dict[Varies, str] = {"seeds": "seeds and topics"}
OF_COLLECTIONS: dict[Varies, str] = {"topics": "other topics of these collections"}


def caption(
    settings: Settings, structure: Structure, correction: PairCorrection, shown: str, compared: Sequence[Compared],
    ranked: Sequence[Compared],
) -> Caption:  # fmt: skip
    """Of means with limits over the population shown; `compared` and `ranked`: the families of pairs on each measure, if any
    are asked for."""
    varies = next(each for each in structure.varies if each == shown)
    return Caption(
        f"Means over {structure.made_of}",
        f"{100 * settings.confidence:g}% confidence limits over {_over(structure, varies)} (t)",
        _test(settings, structure, correction, varies, compared) if compared else "",
        _test(settings, structure, correction, varies, ranked) if ranked else "",
    )


def _over(structure: Structure, varies: Varies) -> str:
    """What varies, in words."""
    return (OF_COLLECTIONS if structure.kind == "collections" else OVER).get(varies, varies)


def _test(
    settings: Settings, structure: Structure, correction: PairCorrection, varies: Varies, families: Sequence[Compared]
) -> str:
    """How runs were tested, and for how many pairs p is adjusted, each measure by itself."""
    adjusted = families[0].tested(varies).p_adjusted
    pairs = int((~np.isnan(adjusted)).sum())  # none is adjusted for those of which nothing is known
    number = plural(pairs, "pair") + " of each measure" * (len(families) > 1)
    exact, drawn = families[0].is_exact(varies), families[0].signs
    if correction == "maxt":
        signs = (
            f"all signs of {_over(structure, varies)}"
            if exact
            else f"{drawn} random signs of {_over(structure, varies)}"
        )
        return f"randomization test by the largest t of {number}, {signs}"
    of_pairs = f"of the {number}" if correction == "none" else f"for {number}"
    test = "t test" if settings.test == "t" else f"randomization test ({'all' if exact else drawn} signs)"
    return f"{test} over {_over(structure, varies)}, {OF_CORRECTION[correction]} {of_pairs}"
