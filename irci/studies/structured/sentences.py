"""map-ci of structured topics in plain words: over what each line speaks, and what it shows."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.choices import PairCorrection, Varies
from irci.bootstrap.joint_resamples import POOLED
from irci.output.report import Row, Table, as_read
from irci.stats.decisions import separated
from irci.studies.structured.settings import Settings
from irci.studies.structured.structure import Structure
from irci.studies.wording import amount, first_names, number, p_text

# What signs of members of given groups count as chance: for each kind the population, and the groups.
WITHIN = {
    "clusters": ("topics", "clusters"),
    "collections": ("topics", "collections"),
    "versions": ("versions", "topics"),
}
MOST = 10  # runs or pairs told one by one


def explanation(
    found: Sequence[Table], structure: Structure, settings: Settings, correction: PairCorrection
) -> Iterator[str]:
    """Pairs if there are any, else means; ranks; and what limits over each population are for."""
    differences = [table for table in found if table.kind == "difference"]
    told = differences or [table for table in found if table.kind == "estimate"]
    rows = [as_read(row) for table in told for row in table.rows]
    varies: list[Varies] = list(dict.fromkeys(row["population"] for row in rows))  # type: ignore[misc]
    if len(rows) <= MOST * max(len(varies), 1):
        for row in rows:
            yield _sentence(row, structure, settings)
            yield from _of_equivalence(row, structure, settings)
    elif differences:
        yield from _counted(rows, structure, settings)
    for table in found:
        if table.kind == "rank":
            yield from _of_ranks(table, structure, settings)
    yield from (structure.means[each] for each in varies)
    if len(rows) <= MOST * max(len(varies), 1):
        yield from structure.remarks(rows)
    pairs = len({(row["run"], row.get("baseline")) for row in rows})
    if settings.ranks and settings.baseline not in POOLED:
        pairs = math.comb(len(structure.runs), 2)
    if differences and pairs > 1 and structure.kind != "collections":  # each of which has a family of its own
        of_each = {sum(row["population"] == each for row in rows) for each in varies}
        of_pairs = "up to " * (len(of_each) > 1) + str(pairs)  # of some nothing is known in one of the populations
        yield from of_family(of_pairs, rows, settings, correction)
    if differences and correction == "maxt":
        yield from _of_signs(rows, structure, settings)


def _of_signs(rows: Sequence[Row], structure: Structure, settings: Settings) -> Iterator[str]:
    """What comes from signs, and what these count as chance that is none."""
    if settings.test == "t":
        at_once = settings.interval == "simultaneous" or settings.adjusted_limits
        limits = " and limits for all pairs at once come" if at_once else " comes"
        yield f"The adjusted p{limits} from signs (--correction maxt), p of each pair from the test its row names."
    members, groups = WITHIN.get(structure.kind, ("", ""))
    if any(row["population"] == members for row in rows):
        yield (
            f"Signs of {members} count differences between {groups} as chance too, so over {members} the adjusted p and limits"
            f" for all pairs at once are cautious where {groups} differ; --correction holm is sharper there."
        )


def of_family(
    pairs: str, rows: Sequence[Row], settings: Settings, correction: PairCorrection,
    each: str = "each measure and each population",
) -> Iterator[str]:  # fmt: skip
    """For how many pairs p is adjusted, how, `each` of what by itself, and for which of them limits hold."""
    if correction == "none":
        yield f"p is not adjusted for the number of pairs, {pairs}; limits of differences hold for each pair alone."
        return
    how = {
        "holm": "by Holm's method", "maxt": "by the largest statistic of all pairs",
        "bh": "by Benjamini and Hochberg's method",
    }[correction]  # fmt: skip
    yield f"p is adjusted for {pairs} pairs {how}, for {each} by itself."
    at_once = "hold for all pairs at once; where they disagree with the adjusted p, it decides"
    bounds = "lower" if settings.interval == "simultaneous" else "lower_adjusted"
    if correction == "maxt" and bounds in rows[0] and all(math.isnan(number(row, bounds)) for row in rows):
        yield "No limits that hold for all pairs at once can be given."
    elif settings.interval == "simultaneous":
        yield f"Limits {at_once}."
    elif settings.adjusted_limits and correction == "maxt":
        yield f"Adjusted limits {at_once}; the others hold for each pair alone."
    else:
        yield "Limits of differences hold for each pair alone."


def _sentence(row: Row, structure: Structure, settings: Settings) -> str:
    """One mean, or one difference and what it shows."""
    lead = structure.lead[row["population"]]  # type: ignore[index]
    lower, upper, percent = number(row, "lower"), number(row, "upper"), f"{100 * settings.confidence:g}%"
    limits = f"between {amount(lower)} and {amount(upper)} ({percent} confidence"
    if "baseline" not in row:
        if math.isnan(lower):
            return f"{row['run']} scores {amount(number(row, 'value'))} in {row['measure']}."
        return f"{lead}, the mean of {row['run']} in {row['measure']} lies {limits})."
    value, p = number(row, "value"), row["p_adjusted"]
    who = f"{row['run']} less {row['baseline']} in {str(row['measure']).removesuffix('_diff')}"
    if math.isnan(value) or not isinstance(p, float) or math.isnan(p):
        return f"{lead}, nothing can be told of {who}."
    word = "higher" if value > 0 else "lower"
    verdict = (
        f"evidence that {row['run']} scores {word} on average"
        if separated(np.array([p]), 1 - settings.confidence)[0]
        else "not enough evidence to tell which run scores higher"
    )
    between = f"lies {limits}, " if not math.isnan(lower) else f"is {amount(value)} here ("
    return f"{lead}, the mean difference of {who} {between}{p_text(p, 'adjusted p')}): {verdict}."


def _of_equivalence(row: Row, structure: Structure, settings: Settings) -> Iterator[str]:
    """Whether a difference is smaller than matters."""
    margin = settings.equivalence
    if margin is None or "p_equivalence_adjusted" not in row:
        return
    within = f"{margin} of the baseline's mean" if margin.is_share else amount(margin.amount)
    p = number(row, "p_equivalence_adjusted")
    told = "" if math.isnan(p) else f" ({p_text(p, 'adjusted p')})"
    if separated(np.array([p]), 1 - settings.confidence)[0]:
        lead = structure.lead[row["population"]]  # type: ignore[index]
        yield f"{lead}, the two differ on average by less than the margin of {within}{told}."
    else:
        yield f"It is not shown that the mean difference is smaller than the margin of {within}{told}."


def _counted(rows: Sequence[Row], structure: Structure, settings: Settings) -> Iterator[str]:
    """How many of many pairs differ."""
    groups: dict[tuple[str, Varies], list[float]] = {}
    for row in rows:
        key = str(row["measure"]).removesuffix("_diff"), row["population"]
        groups.setdefault(key, []).append(number(row, "p_adjusted"))  # type: ignore[arg-type]
    for (measure, each), p in groups.items():
        count = int(separated(np.nan_to_num(np.array(p), nan=1.0), 1 - settings.confidence).sum())
        yield f"{structure.lead[each]}, {count} of {len(p)} pairs differ significantly in {measure} (by adjusted p)."


def _of_ranks(table: Table, structure: Structure, settings: Settings) -> Iterator[str]:
    """Which runs may be the best."""
    for each in dict.fromkeys(row["population"] for row in table.rows):
        rows = [row for row in table.rows if row["population"] == each]
        best = [str(row["run"]) for row in sorted(rows, key=lambda row: int(row["value"] or 0)) if row["lower"] == 1]
        of_runs = f"of {len(rows)} runs in {table.measure}"
        who = (
            f"{best[0]} is the best {of_runs}"
            if len(best) == 1
            else f"any of {len(best)} runs may be the best {of_runs}"
        )
        which = f": {first_names(best, MOST)}" if 1 < len(best) < len(rows) else ""
        sure = f" ({100 * settings.confidence:g}% confidence)" if len(best) < len(rows) else ""
        yield f"{structure.lead[each]}, {who}{sure}{which}."  # type: ignore[index]
