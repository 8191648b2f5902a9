"""Plans: what will be tested, written before it is, as TOML of a few plain lines that people and programs read.

[compare] has options of `irci compare` by their long names; [topics] how many there are to be, and in which order they are to
be judged; all else is there to be read. A plan is known by SHA-256 of its bytes: a changed plan is another one.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from irci.base.errors import DataError, FormatError, Problem
from irci.base.names import first_few, plural, raw, text
from irci.base.records import Record
from irci.data.text_files import TextFile

BARE = re.compile(r"[A-Za-z0-9_-]+")
Asked = Mapping[str, str | bool | Sequence[str]]


class Plan(Record):
    """A plan that was read: `asked`, words of options of compare by their long names without dashes; the `number` of topics
    and the `order` in which they are to be judged, if it has one; `digest`, 64 hex digits."""

    path: str
    asked: Asked
    number: int | None = None
    order: Sequence[str] = ()
    digest: str = ""

    @classmethod
    def of_file(cls, path: str) -> "Plan":
        """The plan in a file. Raises FormatError for what is none."""
        file = TextFile.read(path)
        content = file.token(file.start, file.size)
        try:
            found = tomllib.loads(text(content))
            asked, topics = found.get("compare"), found.get("topics", {})
            if not isinstance(asked, dict) or not isinstance(topics, dict):
                raise FormatError.whole_file(path, "not a plan: no [compare]; irci plan writes one")
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"line (\d+)", str(error))
            reason = re.sub(r" \(at .*\)", "", str(error))
            raise FormatError(path, [Problem(int(line[1]) if line else None, f"not TOML: {reason}")]) from None
        return cls(
            path,
            {name: _words(path, name, value) for name, value in asked.items()},
            *_of_topics(path, topics),
            hashlib.sha256(content).hexdigest(),
        )

    def check_topics(self, topics: Sequence[str], *, looks: bool) -> None:
        """Raise DataError for scores on other topics than those that were planned: others than the first so many of the
        order, or, but at `looks`, another number of them."""
        if not looks and self.number not in (None, len(topics)):
            raise DataError(f"{self.path}: {plural(self.number or 0, 'topic')} planned; here are {len(topics)}")
        if not self.order:
            return
        first, scored = set(self.order[: len(topics)]), set(topics)
        lacking = [topic for topic in self.order[: len(topics)] if topic not in scored]
        others = [topic for topic in topics if topic not in first]
        if others:
            raise DataError(
                f"{self.path}: these are not the first {len(topics)} topics of the plan's order: without"
                f" {first_few(lacking) or 'some'}, but with {first_few(others)}"
            )


def _words(path: str, name: str, value: Any) -> str | bool | list[str]:
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return value
    if isinstance(value, str) or value is True:
        return value
    raise FormatError.whole_file(path, f"{name} is no text, nor true, nor a list of text: {value!r}")


def _of_topics(path: str, topics: Mapping[str, Any]) -> tuple[int | None, list[str]]:
    number, order = topics.get("number"), topics.get("order", [])
    if not isinstance(number, int | None) or isinstance(number, bool) or (number is not None and number < 1):
        raise FormatError.whole_file(path, f"number of topics {number!r} is no positive whole number")
    is_list = isinstance(order, list) and all(isinstance(topic, str) for topic in order)
    if not is_list or len(set(order)) < len(order) or (order and len(order) < (number or 0)):
        raise FormatError.whole_file(path, "order is no list of so many topics, each once, in quotes")
    return number, order


def as_toml(comment: str, sections: Mapping[str, Mapping[str, Any]]) -> str:
    """TOML of a comment and sections of text, numbers, truths, lists of text, and lines of numbers by name."""
    lines = [f"# {line}" for line in comment.splitlines()]
    for section, values in sections.items():
        lines += ["", f"[{section}]", *(f"{_key(name)} = {_value(value)}" for name, value in values.items())]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_value(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return _listed(map(_value, value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _listed(values: Iterable[str]) -> str:
    # Ten a line.
    every = list(values)
    if len(every) <= 10:
        return f"[{', '.join(every)}]"
    tens = [", ".join(every[place : place + 10]) for place in range(0, len(every), 10)]
    return "[\n  " + ",\n  ".join(tens) + ",\n]"


def in_order(topics: Iterable[str], seed: int) -> list[str]:
    """Topics in the random order of a seed, whichever others there are."""
    from irci.base.streams import lots

    every = sorted(set(topics), key=raw)
    drawn = lots(seed, [raw(topic) for topic in every]).tolist()
    return [topic for _, topic in sorted(zip(drawn, every, strict=True))]
