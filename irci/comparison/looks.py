"""One of several looks at topics as they are judged: pairs at the level that it may spend, and what follows for
each; and the file of a plan of what will be asked (--save-plan)."""

import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from irci.base import DataError, UsageError, first_names, logger, plural, raw
from irci.base.types import gathered, reaches
from irci.comparison import reading
from irci.comparison.means import MOST
from irci.comparison.study import compared, report_of
from irci.data.inputs import Inputs, read_topics
from irci.data.plans import as_toml, in_order
from irci.options.asked import Asked
from irci.options.rows import plan_values
from irci.output.report import Report
from irci.output.tables import PValue, Row, Table, tables
from irci.stats.intervals import normal_quantile
from irci.stats.power import FEWEST_AT_LOOK, levels_of_many, looks_at
from irci.stats.tests import least_of_signs
from irci.wording import notify, say

NEXT = ("stop", "go on", "end")
LEAST_LEVEL = 1e-12  # less could not be found by t of any topics
TINY = 2.0**-51  # a level below that of 1 cannot be told; what it spends is nothing
SIGNS_OF_LEVEL = 20  # divided by the level: fewer signs, by the largest statistic, tell too little of such p


def check_looks(sizes: tuple[int, ...], alpha: float) -> str:
    """The looks, as they are spelled. Raises UsageError for looks that may not be taken, or that find nothing."""
    listed = ",".join(map(str, sizes))
    if sizes[0] < FEWEST_AT_LOOK:
        raise UsageError(f"--looks {listed}: t of fewer than {FEWEST_AT_LOOK} topics errs too often: look later.")
    if looks_at(sizes, alpha)[1][0] < LEAST_LEVEL:
        raise UsageError(f"--looks {listed}: at {sizes[0]} of {sizes[-1]} topics nothing can be found: look later.")
    return listed


def _this_look(request: Asked, topics: int, tests: int) -> tuple[Sequence[int], int, float]:
    """The numbers of topics of looks, the place of this one among them, from 0, and the level that it spends, for so many
    tests whose p are adjusted together. Raises UsageError where there is no look at so many topics, and for looks that may
    not be taken, or signs too few to tell p from its level."""
    assert request.looks is not None
    sizes = tuple(sorted(request.looks))
    listed = check_looks(sizes, 1 - request.confidence)
    if topics > sizes[-1]:
        spent = "more than the last look has: the level is spent by then."
        raise UsageError(f"--looks {listed}: there are {topics} topics, {spent}")
    if topics not in sizes:
        later = next(size for size in sizes if size > topics)
        raise UsageError(f"--looks {listed}: there are {topics} topics; the next look is at {later}.")
    index = sizes.index(topics)
    level = max(float(levels_of_many(sizes, 1 - request.confidence, tests)[index]), TINY)
    least = int(SIGNS_OF_LEVEL / level) + 1
    if request.correction == "maxt" and reading.design_of(request, "maxt").signs < least:
        takes = f"to tell p from {level:.2g}, the level of this look, takes -B {least}"
        raise UsageError(f"--correction maxt: {takes}: use --correction holm.")
    return sizes, index, level


def at_a_look(request: Asked, inputs: Inputs) -> Report:
    """The report on pairs at the level of this look, and a row for each with what follows."""
    scored = reading.on_topics(request, inputs)
    pairs = [len(family.pairs) for family in compared(request, scored, inputs).paired]
    tests = 1 if request.correction == "none" else max(pairs, default=1)
    sizes, index, level = _this_look(request, len(scored.topics), tests)
    signature = {**reading.signature_of(inputs), "looks": ",".join(map(str, sizes))}
    whole = compared(request.replaced(confidence=1 - level), scored, inputs)
    report = report_of(whole, signature)
    *earlier, last = map(str, sizes)
    alpha = f"{100 * (1 - request.confidence):.4g}%"
    of_all = say("look.of_all", sizes=f"{', '.join(earlier)} and {last}" if earlier else last, alpha=alpha)
    of_look: Row = {
        "look": index + 1, "of": len(sizes), "p_level": PValue(level), "boundary": normal_quantile(1 - level)
    }  # fmt: skip
    go_on, later = ("end", sizes[0]) if index == len(sizes) - 1 else ("go on", sizes[index + 1])
    facts = {"place": index + 1, "looks": len(sizes), "topics": sizes[index], "level": f"{level:.2g}"}
    looks, answers = list[Table](), list[str]()
    for family in whole.paired:
        is_shown = reaches(family.over(scored.sources[0]).p_adjusted, level)
        decisions = ["stop" if stops else go_on for stops in is_shown.tolist()]
        names_of_pairs, name = list(family.names_of_pairs()), family.measure.name
        rows = zip(names_of_pairs, decisions, strict=True)
        looks += tables("look", name, ({**names, **of_look, "decision": decision} for names, decision in rows))
        by_decision = gathered(zip(decisions, map("{run} against {baseline}".format_map, names_of_pairs), strict=True))
        in_words = (
            say(f"look.{decision.replace(' ', '_')}", names=first_names(by_decision[decision], MOST), later=later)
            for decision in NEXT
            if decision in by_decision
        )
        answers.append(say("look.decisions", measure=name, decisions="; ".join(in_words), **facts))
    return report._replace(
        tables=[*report.tables, *looks],
        signature={**report.signature, "confidence": request.confidence},
        explain=lambda: chain(report.sentences, answers, [of_all]),
        conclude=lambda: chain(report.conclusion, answers),
    )


def plan_of(asked: Asked, inputs: Inputs) -> Report:
    """The file of a plan, in a report without tables.

    Of files only names are read. Raises UsageError where nothing says which run is the baseline, and for looks that may
    not be taken.
    """
    values, sizes, alpha = plan_values(asked), tuple(sorted(asked.looks or ())), 1 - asked.confidence
    if inputs.scores:
        from irci.data.score_tables import read_tables

        names = list(dict.fromkeys(run for table in read_tables(inputs, ()) for run in table.runs))
    else:
        paths = inputs.paths()[1:]
        names = [name for _, name, _ in inputs.read_runs(paths)]
    if not {"baseline", "all-pairs"} & set(values):
        if not names:
            either = "--baseline NAME, or QRELS, BASELINE and RUNs, which are named in the plan"
            raise UsageError(f"--save-plan needs {either}.")
        values["baseline"] = names[0]
    if names:
        values["runs"] = names
    notes = []
    if asked.topics is not None:
        values["topics"] = in_order(read_topics(asked.topics), asked.seed)
        notes = [f"Topics are in the random order of seed {asked.seed}."]
    if sizes:
        check_looks(sizes, alpha)
        levels = looks_at(sizes, alpha)[1].tolist()
        for size, level in zip(sizes, levels, strict=True):
            if (least := float(least_of_signs(size))) > level:
                of_look = f"above the {level:.2g} of this look: it can stop nothing"
                logger.info(f"p over {size} topics is never below {least:.2g}, {of_look}")
        if "topics" not in values:
            notify("looks_order")
    path, text = str(asked.save_plan), as_toml(values, *notes)
    if os.path.isfile(path) and Path(path).read_bytes() != raw(text):
        raise DataError(f"{path}: there is another plan: remove it, or choose another name")
    runs = f" of {plural(len(names), 'run')}" if names else ""
    order, none = "topics in the random order in which to judge them", "without topics (--topics fixes them)"
    topics = f", {order if 'topics' in values else none}"
    logger.info(f"{path}: a plan{runs}{topics}; nothing is tested before --plan {path}")
    return Report([], {"command": "map-ci --save-plan"}, files={path: text})
