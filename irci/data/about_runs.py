"""Files that say of runs their teams, and how often each of a pair is better; and of topics the standardisation factors, in
the form that trec_eval -Z reads: topic, measure, mean and sd of the reference systems."""

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from irci.base.errors import FormatError, Problem
from irci.base.names import BLANKS, decimal, takes, whole_number
from irci.base.types import Floats
from irci.data.headers import is_number
from irci.data.score_formats import read_cells
from irci.data.scores import LARGEST, SMALLEST
from irci.data.text_files import fields_of, has_fields, problems_of, read_text_lines, table_of
from irci.measures import named

# A line of two names and three counts: with tabs, where a name may have commas in it, or as csv.
COUNTS = re.compile(
    r"""[^\t]+\t[^\t]+(\t *-?[0-9]+ *){3}|("[^"]*"|[^\t,;"]+)([,;])("[^"]*"|[^\t,;"]+)(\3 *-?[0-9]+ *){3}"""
)
Counts = dict[tuple[str, str], tuple[int, int, int]]


def read_teams(path: str) -> dict[str, str]:
    """The team of each run: lines of run, tab, team; a header line `run team`, `run group` or `run judge` is left out."""
    lines = read_text_lines(path, is_record=lambda line: line.count("\t") == 1)
    records = [(number, [field.strip(BLANKS) for field in line.split("\t")]) for number, line in lines]
    if records and [name.lower() for name in records[0][1]] in (["run", "team"], ["run", "group"], ["run", "judge"]):
        del records[0]

    def wrong(fields: Sequence[str]) -> tuple[str, str] | None:
        if len(fields) != 2:
            return f"{len(fields)} fields with tabs, expected 2 (run, team)", "fields"
        return None if all(fields) else ("no run or no team", "")

    rows = table_of(path, records, wrong, "run {!r}")
    return {run: team for (run,), (team,) in rows.items()}


def read_counts(path: str) -> Counts | None:
    """Pair -> better, worse, equal, from lines of csv or tsv: two systems and three counts; a header may go before.

    None for a file that has no such line among its first two. Raises FormatError for rubbish or a pair twice.
    """
    lines = read_text_lines(path, is_record=lambda line: COUNTS.fullmatch(line) is not None)
    if not any(COUNTS.fullmatch(line) for _, line in lines[:2]):
        return None
    counts_of_pair: Counts = {}
    with problems_of(path) as problems:
        for index, (number, cells) in enumerate(read_cells(lines, path)):
            try:
                first, second, *counts = (cell.strip(BLANKS) for cell in cells)
                better, worse, equal = (whole_number(count) for count in counts)
                if min(better, worse, equal) < 0 or not first or not second or first == second:
                    raise ValueError
            except ValueError:
                if index or len(cells) != 5 or any(is_number(cell or "nan") for cell in cells[2:]):
                    problems.append(Problem(number, "not two systems and how often the first is better, worse, equal"))
                continue
            if (first, second) in counts_of_pair or (second, first) in counts_of_pair:
                problems.append(Problem(number, f"{first} and {second} twice", "again"))
            counts_of_pair[first, second] = better, worse, equal
    if not any(sum(counts) for counts in counts_of_pair.values()):
        raise FormatError.whole_file(path, "no counts")
    return counts_of_pair


Factors = Mapping[str, tuple[Floats, Floats]]  # measure -> mean and sd of each topic; sd nan: undefined


def read_factors(path: str, topics: Sequence[str]) -> dict[str, tuple[Floats, Floats]]:
    """The factors of these topics, nan where the file has none, by canonical names of measures.

    Raises FormatError for rubbish or a line twice.
    """
    place_of = {topic: index for index, topic in enumerate(topics)}
    factors: dict[str, tuple[Floats, Floats]] = {}
    records = [(number, fields_of(line)) for number, line in read_text_lines(path, is_record=has_fields(4))]
    for _, fields in records:
        if len(fields) == 4 and takes(named, fields[1]):
            fields[1] = named(fields[1]).canonical

    def wrong(fields: Sequence[str]) -> tuple[str, str] | None:
        if len(fields) == 4 and takes(named, fields[1]) and takes(decimal, fields[2]) and takes(decimal, fields[3]):
            mean, sd = map(decimal, fields[2:])
            if abs(mean) <= LARGEST and (sd == 0 or SMALLEST <= sd <= LARGEST):
                return None
        return "not topic, measure, mean and standard deviation", ""

    for (topic, measure), (mean, sd) in table_of(path, records, wrong, "{1} of topic {0!r}", 2).items():
        means, sds = factors.setdefault(measure, (np.full(len(topics), np.nan), np.full(len(topics), np.nan)))
        if topic in place_of:
            means[place_of[topic]], sds[place_of[topic]] = decimal(mean), decimal(sd) or math.nan
    if not factors:
        raise FormatError.whole_file(path, "empty file: no factors")
    return factors


def as_lines(factors: Factors, topics: Sequence[str]) -> str:
    """The text of a file of factors, at full precision; a topic on which all references score the same has sd 0."""
    return "".join(
        f"{topic}\t{measure}\t{mean!r}\t{0.0 if math.isnan(sd) else sd!r}\n"
        for measure, (means, sds) in factors.items()
        for topic, mean, sd in zip(topics, means.tolist(), sds.tolist(), strict=True)
        if not math.isnan(mean)
    )
