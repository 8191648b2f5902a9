"""A plan of what is asked, for --save-plan: its file, and no results."""

from irci.base.errors import UsageError, logger
from irci.comparison.looks import check_looks
from irci.data.inputs import Inputs, read_topics
from irci.data.plans import as_toml, in_order
from irci.options.asked import Asked
from irci.options.planned import plan_values
from irci.output.report import Report
from irci.stats.looks import looks_at
from irci.stats.tests import least_of_signs
from irci.wording import notify


def plan_of(asked: Asked, inputs: Inputs) -> Report:
    """The file of a plan, in a report without tables.

    Of files only names are read. Raises UsageError where nothing says which run is the baseline, and for looks that may
    not be taken.
    """
    names = _names_of_runs(inputs)
    values = plan_values(asked)
    if not {"baseline", "all-pairs"} & set(values):
        if not names:
            raise UsageError(
                "--save-plan needs --baseline NAME, or QRELS, BASELINE and RUNs, which are named in the plan."
            )
        values["baseline"] = names[0]
    if names:
        values["runs"] = names
    notes = []
    if asked.topics is not None:
        values["topics"] = in_order(read_topics(asked.topics), asked.seed)
        notes = [f"Topics are in the random order of seed {asked.seed}."]
    if asked.looks is not None:
        _tell_of_looks(tuple(sorted(asked.looks)), 1 - asked.confidence, has_order="topics" in values)
    return Report([], {"command": "map-ci --save-plan"}, files={str(asked.save_plan): as_toml(values, *notes)})


def _names_of_runs(inputs: Inputs) -> list[str]:
    if inputs.scores:
        from irci.data.score_tables import read_tables

        return list(dict.fromkeys(run for table in read_tables(inputs, ()) for run in table.runs))
    paths = inputs.paths()[1:]
    inputs = inputs.with_names_apart(paths)
    return [inputs.read_run(path)[0] for path in paths]


def _tell_of_looks(sizes: tuple[int, ...], alpha: float, *, has_order: bool) -> None:
    """Tell of looks that can stop nothing, and that looks need an order of topics."""
    check_looks(sizes, alpha)
    for size, level in zip(sizes, looks_at(sizes, alpha).level.tolist(), strict=True):
        if (least := float(least_of_signs(size))) > level:
            logger.info(
                f"p over {size} topics is never below {least:.2g}, above the {level:.2g} of this look: it can stop nothing"
            )
    if not has_order:
        notify("looks_order")
