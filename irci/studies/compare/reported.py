"""Which row of a pair, or of a mean, is the one to report, where several sources of variation stand side by side."""

import math
from collections.abc import Iterable
from itertools import islice
from typing import Literal

from irci.base.choices import DOCUMENTS, SEEDS, TOPICS
from irci.output.tables import Table
from irci.studies.wording import number

LOOKED_AT = 1000  # rows of a table, which may have a million: the same sources come with each pair
# What a row allows for that the row over topics does not.
ALSO = {SEEDS: "training from other seeds", "clusters": "other clusters of topics", "collections": "other collections"}
# What rows beside that over topics are about, which says nothing of other topics.
ALONE = {
    DOCUMENTS: "these very topics, in other collections of documents",
    "versions": "other wordings of these very topics",
    "same-topics": "these very topics",
}


def which_to_report(tables: Iterable[Table], kind: Literal["difference", "estimate"] = "difference") -> str:
    """A sentence on which row of a pair, or of a run's mean, to report, and why; "" unless rows of this kind name several
    sources, whose p, or limits, are known."""
    told_by = "p" if kind == "difference" else "lower"
    rows = (row for table in tables if table.kind == kind for row in islice(table.rows, LOOKED_AT))
    told = (row for row in rows if told_by in row and "population" in row)
    sources = list(dict.fromkeys(str(row["population"]) for row in told if not math.isnan(number(row, told_by))))
    if len(sources) < 2 or TOPICS not in sources:
        return ""
    if found := [name for name in sources if name in ALSO]:
        return (
            f"Report the row over {found[0]}: it also allows for {ALSO[found[0]]}, which the row over topics does not."
        )
    if found := [name for name in sources if name in ALONE]:
        name = found[0]
        return (
            f"Report the row over topics: it also allows for other topics; the row over {name} is about {ALONE[name]}."
        )
    return ""
