"""map-ci over several collections in plain words: over all, in how many, how they vary, and what rows are for."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.choices import TOPICS
from irci.base.errors import first_few, plural
from irci.data.inputs import MEAN
from irci.output.report import Report
from irci.output.tables import Row, Table
from irci.stats.decisions import separated
from irci.studies.compare.family import Scored
from irci.studies.compare.request import Request
from irci.studies.compare.sentences import how_adjusted, limits_hold
from irci.studies.compare.study import correction_over
from irci.studies.wording import MOST, amount, number, p_text

FEW = 5  # collections; limits over fewer are hardly of use


def sentences(
    of_all: Report, found: Sequence[Table], request: Request, everything: Scored, pairs: Sequence[int]
) -> Iterator[str]:
    """What is shown over all collections, how single ones differ, and what each kind of row is for; `pairs`: as many as each
    family has, that of all collections and those of single ones."""
    told = of_all.sentences
    general = [each for each in told if each.startswith(("Rows over", "The adjusted p", "Signs of"))]
    yield from (each for each in told if each not in general)
    differences = [table for table in found if table.kind == "difference"]
    if len({(row["run"], row["baseline"]) for table in differences for row in table.rows}) <= MOST:
        for table in differences:
            yield from _in_single_ones(table, request)
    for table in found:
        if table.kind == "heterogeneity":
            yield from _of_heterogeneity(table, request)
    yield from (each for each in general if each.startswith("Rows over"))
    rows = [row for table in differences for row in table.rows]
    if rows and max(pairs) > 1:
        of_pairs = "up to " * (len(set(pairs)) > 1) + str(max(pairs))
        by_itself = "each measure, each single collection and each population over all collections"
        correction = correction_over(request, everything.sources)
        yield from how_adjusted(of_pairs, correction, by_itself)
        yield from limits_hold(request, rows, correction)
    yield from (each for each in general if not each.startswith("Rows over"))
    yield from _of_rows(request, everything)


def _of_rows(request: Request, everything: Scored) -> Iterator[str]:
    if request.population is None or TOPICS in request.population:
        yield "Rows of a single collection speak of other topics of that collection, as map-ci of it alone would."
    if everything.signature["mean"] == "collections":
        yield (
            "Pooling all topics would estimate a different mean, dominated by large collections (--mean topics); these limits"
            " are not for it."
        )
    else:
        yield (
            "Each topic counts alike, so large collections decide; papers mostly report the mean in which each collection"
            " counts alike (--mean collections)."
        )
    if everything.signature["num_collections"] < FEW and request.population != (TOPICS,):
        collections = plural(everything.signature["num_collections"], "collection")
        yield f"With only {collections}, limits over collections are honest but nearly useless."


def _in_single_ones(table: Table, request: Request) -> Iterator[str]:
    by_pair: dict[tuple[str, str], list[Row]] = {}
    for row in table.rows:
        if row["collection"] != MEAN and not math.isnan(number(row, "value")):
            by_pair.setdefault((str(row["run"]), str(row["baseline"])), []).append(row)
    for (run, baseline), rows in by_pair.items():
        p = np.array([number(row, "p_adjusted") for row in rows])
        sure = separated(np.nan_to_num(p, nan=1.0), 1 - request.confidence).tolist()
        higher = [row for row in rows if number(row, "value") > 0]
        up, down = (
            [
                str(row["collection"])
                for row, is_sure in zip(rows, sure, strict=True)
                if is_sure and (row in higher) == is_up
            ]
            for is_up in (True, False)
        )
        where = f": {first_few(down)}" if down else ""
        yield (
            f"In {table.measure}, {run} scores higher than {baseline} in {len(higher)} of {plural(len(rows), 'collection')},"
            f" significantly in {len(up)}; significantly lower in {len(down)}{where}"
            " (p not adjusted for the number of collections)."
        )


def _of_heterogeneity(table: Table, request: Request) -> Iterator[str]:
    rows = [row for row in table.rows if not math.isnan(number(row, "Q"))]
    alpha = 1 - request.confidence
    if len(rows) > MOST:
        count = int(separated(np.array([number(row, "Q_p") for row in rows]), alpha).sum())
        yield (
            f"In {table.measure}, the differences of {count} of {len(rows)} pairs vary from collection to collection more than"
            " chance explains (by Q, p not adjusted)."
        )
        return
    for row in rows:
        who = f"In {table.measure}, the difference of {row['run']} less {row['baseline']}"
        p = number(row, "Q_p")
        if separated(np.array([p]), alpha)[0]:
            yield (
                f"{who} varies from collection to collection more than chance explains (Q, {p_text(p, 'p')}): true"
                f" differences have a standard deviation of about {amount(number(row, 'tau'))}."
            )
        else:
            yield (
                f"{who} varies from collection to collection no more than chance may explain (Q, {p_text(p, 'p')}); that"
                " does not show that it is the same in all."
            )
