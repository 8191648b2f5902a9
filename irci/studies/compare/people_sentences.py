"""map-ci --judge in plain words: which question each line answers, what the judge is worth, and what would mislead."""

import math
from collections.abc import Iterable, Iterator, Sequence

from irci.data.measures import named
from irci.output.tables import Row, Table, as_read
from irci.studies.wording import amount, direction, number, p_text

HUMAN, WITH_JUDGE = "human", "ppi"
ROUNDING = 1e-9  # of gains
MOST = 10  # runs or pairs told one by one
FOR = {"same-topics": "On exactly these topics", "topics": "On new topics of this kind"}
QUESTIONS = {
    "same-topics": "Lines for same-topics are about what people would say of exactly these topics, had they judged all of"
    " them.",
    "topics": "Lines for topics are about what people would say of all topics of this kind; claims about a system need these.",
}
MISLEADING = (
    "All of this assumes that the human topics were drawn at random, and that the judge, its prompt and the pool"
    " were the same on all topics; no figure here can show that.",
    "It does not hold for a judge tuned or prompted with these human labels, nor for human labels filled in with the judge's.",
    "A judge that favours a run, perhaps one made with it, does not make these limits wrong: the run's own human topics"
    " correct for that.",
    "Decide which line to report before you look: limits hold less often if the narrower of ppi and human is picked.",
)


def explanation(found: Sequence[Table], confidence: float) -> Iterator[str]:
    """Each run or pair with the judge and without, and what to make of it."""
    rows = [as_read(row) for table in found for row in table.rows]
    ppi = [row for row in rows if row["estimator"] == WITH_JUDGE]
    alone = {_key(row): row for row in rows if row["estimator"] == HUMAN}
    differences = [row for row in ppi if "baseline" in row]
    told = differences or ppi
    populations = dict.fromkeys(str(row["population"]) for row in told)
    if len(told) <= MOST * len(populations):
        for row in told:
            yield _sentence(row, alone[_key(row)], confidence)
    else:
        yield from _in_summary(told, populations)
    yield from (QUESTIONS[population] for population in populations)
    if told:
        yield _of_judge(told)
        yield from _correlations(told)
    yield from MISLEADING


def _key(row: Row) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("measure", "run", "baseline", "population"))


def _sentence(row: Row, alone: Row, confidence: float) -> str:
    """A sentence on a run or pair: with the judge first, unless people's topics alone give narrower limits."""
    if math.isnan(number(row, "lower")):
        by = f"{FOR[str(row['population'])]}, by {row['human']} human topics"
        if math.isnan(number(alone, "lower")):
            return f"{by}, {_told(alone, confidence)}."
        return f"{by} alone, {_told(alone, confidence)}; with the judge there are no limits."
    if number(row, "gain") > 1 + ROUNDING:
        return (
            f"{FOR[str(row['population'])]}, by {row['human']} human topics alone, {_told(alone, confidence)}; with the"
            f" judge wider ones, {_limits(row)} (gain {number(row, 'gain'):.2f})."
        )
    return (
        f"{FOR[str(row['population'])]}, {_told(row, confidence)}; the {row['human']} human topics alone give"
        f" {_limits(alone)}."
    )


def _told(row: Row, confidence: float) -> str:
    value, measure, tested = number(row, "value"), str(row["measure"]), ""
    who = f"{row['run']} scores {amount(value)} in {measure}"
    if "baseline" in row:
        measure = measure.removesuffix("_diff")
        word = direction(1.0 if value >= 0 else -1.0, named(measure))
        who = f"{row['run']} scores {amount(abs(value))} {word} than {row['baseline']} in {measure}"
        p = number(row, "p_adjusted")
        tested = "" if math.isnan(p) else f", {p_text(p, 'adjusted p')}"
    if math.isnan(number(row, "lower")):
        return f"{who} (no limits)"
    return f"{who} (limits {_limits(row)} with {100 * confidence:g}% confidence{tested})"


def _limits(row: Row) -> str:
    return f"{amount(number(row, 'lower'))} to {amount(number(row, 'upper'))}"


def _in_summary(rows: Sequence[Row], populations: Iterable[str]) -> Iterator[str]:
    for population in populations:
        gains = sorted(number(row, "gain") for row in rows if row["population"] == population)
        gains = [gain for gain in gains if not math.isnan(gain)]
        if gains:
            middle = gains[len(gains) // 2]
            yield (
                f"{FOR[population]}, limits with the judge are {gains[0]:.2f} to {gains[-1]:.2f} times as wide as those of"
                f" people alone (median of {len(gains)}: {middle:.2f}){_where_wider(gains)}."
            )


def _where_wider(gains: Sequence[float]) -> str:
    wider = sum(gain > 1 + ROUNDING for gain in gains)
    return f"; where they are wider ({wider}), rely on people alone" if wider else ""


def _of_judge(rows: Sequence[Row]) -> str:
    """A sentence on the judge alone, who is no estimate of what people say."""
    off = max(rows, key=_off)
    return (
        f"The judge's own means (column judge_mean) differ from these by up to {amount(_off(off))} ({off['run']}), however"
        " many topics it has: do not publish an interval from its labels alone."
    )


def _off(row: Row) -> float:
    return abs(number(row, "judge_mean") - number(row, "value"))


def _correlations(rows: Sequence[Row]) -> Iterator[str]:
    r = sorted(each for row in rows if not math.isnan(each := number(row, "r")))
    if r:
        amounts = f"{r[0]:.2f}" if r[0] == r[-1] else f"{r[0]:.2f} to {r[-1]:.2f}"
        what = "differences" if "baseline" in rows[0] else "scores"
        yield f"Over the human topics, the judge's {what} correlate {amounts} with people's."
