"""Files of standardisation factors: topic, measure, mean and sd of the reference systems, the form that trec_eval -Z reads."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from irci.base.errors import FormatError, Problem
from irci.base.names import decimal, raw, text
from irci.base.types import Floats
from irci.data.scores import LARGEST, SMALLEST
from irci.data.text_files import has_fields, problems_of, read_text_lines
from irci.measures import named

Factors = Mapping[str, tuple[Floats, Floats]]  # measure -> mean and sd of each topic; sd nan: undefined


def read_factors(path: str, topics: Sequence[str]) -> dict[str, tuple[Floats, Floats]]:
    """The factors of these topics, nan where the file has none, by canonical names of measures.

    Raises FormatError for rubbish or a line twice.
    """
    place_of = {topic: index for index, topic in enumerate(topics)}
    factors: dict[str, tuple[Floats, Floats]] = {}
    seen: set[tuple[str, str]] = set()
    with problems_of(path) as problems:
        for number, line in read_text_lines(path, is_record=has_fields(4)):
            fields = [text(field) for field in raw(line).split()]
            try:
                topic, measure, mean, sd = fields[0], named(fields[1]).canonical, decimal(fields[2]), decimal(fields[3])
                if len(fields) != 4 or not (abs(mean) <= LARGEST and (sd == 0 or SMALLEST <= sd <= LARGEST)):
                    raise ValueError
            except (IndexError, ValueError):
                problems.append(Problem(number, "not topic, measure, mean and standard deviation"))
                continue
            if (topic, measure) in seen:
                problems.append(Problem(number, f"{measure} of topic {topic!r} twice", "again"))
            seen.add((topic, measure))
            means, sds = factors.setdefault(measure, (np.full(len(topics), np.nan), np.full(len(topics), np.nan)))
            if topic in place_of:
                means[place_of[topic]], sds[place_of[topic]] = mean, sd if sd > 0 else math.nan
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
