"""Plans: what will be tested, written before it is, as TOML of a few plain lines that people and programs write and read.

Its keys are options of `irci compare` by their long names, `runs`, the names of those to be compared, and `topics`, in the
order in which they are to be judged. A plan is known by SHA-256 of its bytes: a changed plan is another one.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from irci.base import DataError, FormatError, Problem, first_few, logger, plural, raw, text
from irci.data.text_files import TextFile
from irci.wording import notify

COMMENT = """What will be tested, written before it is: irci compare --plan FILE takes it from here.
No line may rest on scores of topics that are still to be tested."""


class ComparisonPlan(NamedTuple):
    """A plan that was read.

    asked: options of compare by their long names without dashes, as they stand in the file
    runs: names of the runs to be compared; empty if it names none
    topics: those to be judged, in this order; empty if it names none
    digest: SHA-256 of the file, 64 hex digits
    """

    path: str
    asked: Mapping[str, Any]
    runs: Sequence[str] = ()
    topics: Sequence[str] = ()
    digest: str = ""

    @classmethod
    def of_file(cls, path: str) -> "ComparisonPlan":
        """Read a plan. Raises FormatError for what is none."""
        content = TextFile.read(path).content
        try:
            asked = tomllib.loads(text(content))
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"line (\d+)", str(error))
            reason = re.sub(r" \(at .*\)", "", str(error))
            raise FormatError(path, [Problem(int(line[1]) if line else None, f"not TOML: {reason}")]) from None
        runs, topics = (_names(path, key, asked.pop(key, [])) for key in ("runs", "topics"))
        return cls(path, asked, runs, topics, hashlib.sha256(content).hexdigest())

    def check_order(self, topics: Sequence[str]) -> None:
        """Raise DataError for a look at topics that are not the first of the plan's."""
        first, scored = self.topics[: len(topics)], set(topics)
        further = sorted(scored - set(first), key=raw)
        if self.topics and further:
            lacking = [topic for topic in first if topic not in scored]
            raise DataError(
                f"{self.path}: these are not the first {len(topics)} topics of the plan's order: without"
                f" {first_few(lacking) or 'some'}, but with {first_few(further)}"
            )

    def signature(
        self, runs: Sequence[str], topics: Sequence[str], *, looks: bool, are_selected: bool
    ) -> dict[str, str | int]:
        """The plan's digest, and by how many runs and topics a result of these deviates from it, of which a line tells.

        looks: the first so many topics of the plan, of which nothing else may be, are all that is to be there yet
        are_selected: topics were asked for by name, which a plan without topics does not have
        """
        baselines = self.asked.get("baseline", [])  # whether or not these stand among the runs
        named = {*baselines} if isinstance(baselines, list) else {baselines}
        planned_runs = {*self.runs} | (named & {*runs}) if self.runs else {*runs}
        planned_topics = {*self.topics[: len(topics) if looks else None]} or {*topics}
        things, number = list[str](), 0
        for noun, names, planned in (("run", {*runs}, planned_runs), ("topic", {*topics}, planned_topics)):
            for which, apart in (("not in the plan", names - planned), ("of the plan not given", planned - names)):
                if apart:
                    things.append(f"{plural(len(apart), noun)} {which} ({first_few(sorted(apart, key=raw))})")
                    number += len(apart)
        has_own_selection = are_selected and not self.topics and not looks
        if things:
            notify("apart_from_plan", plan=self.path, things=", ".join(things))
        if has_own_selection:
            notify("plan_without_topics", plan=self.path, topics=len(topics))
        number += has_own_selection
        if not number:
            same = "runs and topics are" if self.topics else "runs are" if self.runs else "options are"
            without = "" if self.topics else ", which has no topics"
            logger.info(f"{self.path}: {same} those of the plan{without}")
        return {"plan": self.digest, "deviations": number}


def _names(path: str, key: str, value: Any) -> list[str]:
    has_names = isinstance(value, list) and all(isinstance(name, str | int) and name is not True for name in value)
    names = [str(name) for name in value] if has_names else []
    if not has_names or len(set(names)) < len(names):
        raise FormatError.whole_file(path, f"{key} is no list of names, each once")
    return names


def as_toml(values: Mapping[str, Any], *notes: str) -> str:
    """A plan of text, numbers, truths and lists of these, by their keys; notes stand above it."""
    lines = [*(f"# {line}" for line in (*COMMENT.splitlines(), *notes)), ""]
    return "\n".join([*lines, *(f"{key} = {_value(value)}" for key, value in values.items())]) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):  # ten a line
        values = [*map(_value, value)]
        tens = [", ".join(values[index : index + 10]) for index in range(0, len(values), 10)]
        return "[\n  " + ",\n  ".join(tens) + ",\n]" if len(tens) > 1 else f"[{''.join(tens)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return str(value).lower() if isinstance(value, bool) else repr(value)


def in_order(topics: Iterable[str], seed: int) -> list[str]:
    """Topics in the random order of a seed, whichever others there are."""
    from irci.base.streams import Purpose, seed_word, topic_keys

    distinct = sorted(set(topics), key=raw)
    drawn = topic_keys(list(map(raw, distinct)), seed_word(seed, Purpose.SAMPLE).tobytes()).tolist()
    return [topic for _, topic in sorted(zip(drawn, distinct, strict=True))]
