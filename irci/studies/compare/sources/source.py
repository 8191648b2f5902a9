"""What scores belong to, as the study of structured topics needs it: one class a kind of structure (`clusters`, ...)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from irci.base.choices import Varies
from irci.base.types import Bools, Floats, Pairs
from irci.bootstrap.joint_resamples import Comparison
from irci.data.measures import Measure
from irci.methods.structured.units import Units
from irci.output.report import Row
from irci.stats.estimates import Estimates


class Structure(Protocol):
    """Scores of runs (or systems, by --seeds) and what their topics, or they themselves, belong to.

    `kind`: the option that asks for it; `where`: of which collection, if it is one of several; `made_of`: what means are over
    ("50 topics in 8 clusters"). `varies`: the populations that there are rows for, in order of output, the one that a paper's
    table shows first. `with_signs`: those of them in which signs can be changed. `lead`: how sentences about each population
    begin ("Over all clusters of topics of this kind"); `means`: what limits over each are for, in a sentence.
    """

    @property
    def kind(self) -> str:
        """See above."""

    @property
    def where(self) -> str:
        """See above."""

    @property
    def made_of(self) -> str:
        """See above."""

    @property
    def runs(self) -> Sequence[str]:
        """What is compared, by name."""

    @property
    def varies(self) -> Sequence[Varies]:
        """See above."""

    @property
    def with_signs(self) -> Sequence[Varies]:
        """See above."""

    @property
    def lead(self) -> Mapping[Varies, str]:
        """See above."""

    @property
    def means(self) -> Mapping[Varies, str]:
        """See above."""

    @property
    def measures(self) -> Sequence[Measure]:
        """What scores there are of."""

    def scores(self, base: Measure, comparison: Comparison) -> Floats:
        """float64[rows, M] of a base measure, nan where there is none: the runs', and that of pooled runs if compared with."""

    def of_runs(self, values: Floats) -> Floats:
        """float64[rows, M]: what runs themselves score, of such scores on a scale; these as they are, unless several make a
        run."""

    def estimates(self, values: Floats, pairs: Pairs, varies: Varies) -> Estimates:
        """Of each of pairs[P, 2] (a run, or a run less its baseline) from scores on the measure's scale."""

    def units(self, values: Floats, mask: Bools, varies: Varies) -> Units:
        """What one sign is drawn for, of the scores bool[M] that the mask chooses."""

    def remarks(self, rows: Sequence[Row]) -> Iterable[str]:
        """What else is to be said of rows of means, or of differences."""

    def signature(self) -> Mapping[str, Any]:
        """What of it changes a digit, and how many of what there are."""
