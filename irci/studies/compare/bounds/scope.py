"""What is asked of unjudged documents, and which of it does not go together."""

from collections.abc import Sequence

from irci.base.errors import DataError, UsageError
from irci.data.experiment import Experiment
from irci.data.inputs import Inputs
from irci.data.measures import Measure
from irci.methods.unjudged.bounds import RBP, SCORED, Unknowns
from irci.studies.compare.request import Request


def unknowns_of(request: Request) -> Unknowns:
    """The documents whose grades are unknown; those that can score if nothing is said."""
    return Unknowns(request.unjudged or "scored", request.tail)


def check_measures(request: Request, measures: Sequence[Measure], inputs: Inputs) -> None:
    """Raise UsageError for what has no bounds, or no meaning."""
    counts = [measure.name for measure in measures if measure.is_count]
    if counts:
        raise UsageError(f"{', '.join(counts)}: a count has no bounds: choose other measures.")
    if not request.tail and not any(measure.family.name in RBP for measure in measures):
        raise UsageError("--no-tail is for rbp.")
    if any(level_of(measure, inputs.relevance_level) < 1 for measure in measures):
        raise UsageError("at level 0 whatever is judged is relevant: bounds of unjudged documents need -l 1 or more.")


def check_grades(experiment: Experiment, measures: Sequence[Measure], highest: int) -> None:
    """Raise an error where the scale of grades ends below a grade in the file, or below what is relevant."""
    found, option = experiment.qrels.highest_grade, "--max-grade"
    if found > highest:
        raise DataError(f"{experiment.qrels_path}: grade {found}, but {option} is {highest}")
    level = max(level_of(measure, experiment.inputs.relevance_level) for measure in measures)
    if level > highest:
        raise UsageError(
            f"relevant from grade {level} on, but the highest grade is {highest}: no document could be relevant"
            f" ({option} says where the scale ends)."
        )


def which_documents(request: Request, measures: Sequence[Measure]) -> str:
    """Those that may have any grade, in words."""
    has_cut = unknowns_of(request).unjudged == SCORED and any(measure.cut for measure in measures)
    return "unjudged documents that are retrieved" + (", down to a measure's cutoff," if has_cut else "")


def level_of(measure: Measure, level: int) -> int:
    """From which grade on documents are relevant to a measure; 1 for one that goes by gains. `level`: what -l says."""
    if measure.level is not None:
        return measure.level
    return 1 if measure.base.family.level == "none" else level
