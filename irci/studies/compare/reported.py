"""Which row of a pair, or of a mean, is the one to report, where several sources of variation stand side by side."""

import math
from collections.abc import Iterable
from itertools import islice
from typing import Literal

from irci.base.choices import DOCUMENTS, SEEDS, TOPICS
from irci.output.tables import Table
from irci.studies.wording import number

LOOKED_AT = 1000  # rows of a table, which may have a million: the same sources come with each pair
# What a claim is about that a row answers for, the widest first; that over both adds nothing to that over topics.
CLAIMS = {
    SEEDS: "systems that are trained again",
    "clusters": "other clusters of topics",
    "collections": "other collections",
    TOPICS: "other topics",
    DOCUMENTS: "these topics in other collections of documents",
    "versions": "other wordings of these topics",
    "same-topics": "these topics",
}


def which_to_report(tables: Iterable[Table], kind: Literal["difference", "estimate"] = "difference") -> str:
    """A sentence on which row of a pair, or of a run's mean, to report for which claim; "" unless rows of this kind name
    several sources, whose p, or limits, are known."""
    told_by = "p" if kind == "difference" else "lower"
    rows = (row for table in tables if table.kind == kind for row in islice(table.rows, LOOKED_AT))
    told = (row for row in rows if told_by in row and "population" in row)
    sources = list(dict.fromkeys(str(row["population"]) for row in told if not math.isnan(number(row, told_by))))
    if len(sources) < 2 or TOPICS not in sources:
        return ""
    rows_of_claims = [f"the row over {name} for a claim about {CLAIMS[name]}" for name in CLAIMS if name in sources]
    return f"Report {', and '.join(rows_of_claims)}."
