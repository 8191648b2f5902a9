"""The best run in rows, sentences and warnings."""

from collections.abc import Iterator, Sequence

import numpy as np

from irci.base.choices import TOPICS
from irci.base.errors import UsageError
from irci.comparison.family import Family
from irci.comparison.request import Request
from irci.comparison.rows import OnMeasure, difference_name
from irci.comparison.wording import amount, p_text
from irci.data.scale_ends import UNIT
from irci.estimators.compare.best import Best, Lead
from irci.measures import Measure
from irci.output.tables import NO_WORD, Bounded, PValue, Row
from irci.stats.decisions import separated
from irci.stats.scales import PLAIN


def check_best(request: Request, measures: Sequence[Measure]) -> None:
    """Refuse to pick the best run where no measure has one."""
    if request.best and not any(measure.more_is_better and not measure.is_count for measure in measures):
        names = ", ".join(measure.name for measure in measures)
        raise UsageError(f"--best: by {names} no run is better than another.")


def _on_scores(family: Family, best: Best) -> tuple[float, ...]:
    """Its mean, limits and corrected mean, transformed back."""
    numbers = np.array([best.value, best.lower, best.upper, best.corrected])
    return tuple(family.request.scale(family.measure).back(numbers).tolist())


def is_shown(family: Family, best: Best) -> bool:
    """True if no other one of the runs given is better: every pair of the best run is significant by itself."""
    return bool(separated(np.array([best.p]), family.request.alpha)[0])


def row_of_best(family: Family, best: Best) -> Row:
    """The row of the best run by a measure."""
    value, lower, upper, corrected = _on_scores(family, best)
    row: Row = {
        "measure": family.measure.name, "topic": "all", "value": value, "lower": lower, "upper": upper,
        "run": family.names[best.place], "population": TOPICS, "selected": best.of, "corrected": corrected,
        "p_best": PValue(best.p), "reason": "unbounded" if best.of > 1 and family.ends is None else NO_WORD,
    }  # fmt: skip
    is_plain = family.request.scale(family.measure) == PLAIN
    return Bounded(row) if is_plain and family.measure.is_bounded and family.ends == UNIT else row


def row_of_lead(family: Family, lead: Lead) -> Row:
    """The row of the best run's difference from a baseline."""
    run, baseline = family.pairs[lead.place].tolist()
    return {
        "measure": difference_name(family.measure, family.request.scale(family.measure)), "topic": "all",
        "value": lead.value, "lower": lead.lower, "upper": lead.upper, "run": family.names[run],
        "baseline": family.names[baseline], "population": TOPICS, "selected": lead.of,
        "reason": "unbounded" if family.ends is None else NO_WORD,
    }  # fmt: skip


def sentences_of_best(on_measures: Sequence[OnMeasure]) -> Iterator[str]:
    """For each measure which run is the best, how good it is, and whether another one may be better."""
    for on in on_measures:
        if on.alone.best is not None:
            yield _sentence(on.alone, on.alone.best)
        if on.pairs is not None and on.pairs.lead_of_best is not None:
            yield _sentence_on_lead(on.pairs, on.pairs.lead_of_best)


def _sentence(family: Family, best: Best) -> str:
    run, measure = family.names[best.place], family.measure.name
    value, lower, upper, corrected = map(amount, _on_scores(family, best))
    if best.of == 1:
        return f"{run} is the only run in {measure}, so nothing was picked: {value}."
    sentence = f"{run} came out best of {best.of} runs in {measure}: {value}"
    if best.corrected == best.corrected:
        sentence += f", corrected for having been picked {corrected}"
    if best.lower == best.lower:
        sentence += f", between {lower} and {upper} ({100 * family.request.confidence:g}% confidence)"
    elif best.upper == best.upper:
        sentence += f", at most {upper} ({100 * family.request.confidence:g}% confidence)"
    if best.p != best.p:
        return f"{sentence}."
    outcome = "is shown" if is_shown(family, best) else "is not shown"
    return f"{sentence}; that no other run is better {outcome} ({p_text(best.p)})."


def _sentence_on_lead(family: Family, lead: Lead) -> str:
    run, baseline = (family.names[side] for side in family.pairs[lead.place].tolist())
    least = f"from {amount(lead.lower)}" if lead.lower == lead.lower else "without a lower limit"
    return (
        f"{run}, picked of {lead.of} runs, leads {baseline} in {family.measure.name} by {amount(lead.value)}, {least} to"
        f" {amount(lead.upper)} ({100 * family.request.confidence:g}% confidence)."
    )


def captions_of_best(on_measures: Sequence[OnMeasure]) -> Iterator[str]:
    """By which measures it is shown that no run is better than the best, and by which not."""
    measures_of_outcome: dict[str, list[str]] = {}
    for on in on_measures:
        best = on.alone.best
        if best is not None and best.p == best.p:
            outcome = "is shown" if is_shown(on.alone, best) else "is not shown"
            measures_of_outcome.setdefault(outcome, []).append(on.measure.name)
    for outcome, measures in sorted(measures_of_outcome.items(), reverse=True):
        yield f"That no other run is better than the highest one {outcome} in {', '.join(measures)}."
