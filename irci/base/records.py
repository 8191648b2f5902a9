"""Records: what has named fields and is neither set again nor a tuple.

Dataclasses and NamedTuples have their methods written as text and compiled, class by class: half a millisecond or a tenth of
one each, at every start. What is unpacked, or goes to a kernel, is a NamedTuple.
"""

from functools import cache
from typing import Any, ClassVar, Literal, Self, dataclass_transform, get_args, get_origin, get_type_hints


@dataclass_transform(frozen_default=True)
class Record:
    """Fields in the order of their annotations, those of classes that it is made of first; methods as of a NamedTuple.

    Two are equal that are of the same class and have the same values.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        bases = [base for base in reversed(cls.__mro__[1:]) if issubclass(base, Record)]
        own = [name for name, annotation in cls.__annotations__.items() if "ClassVar" not in str(annotation)]
        cls._fields = tuple(dict.fromkeys([*(name for base in bases for name in base._fields), *own]))
        inherited = {name: default for base in bases for name, default in base._defaults.items()}
        cls._defaults = inherited | {name: vars(cls)[name] for name in own if name in vars(cls)}

    def __init__(self, *values: Any, **named: Any) -> None:
        by_place = dict(zip(self._fields, values, strict=False))
        if len(values) > len(by_place) or by_place.keys() & named or not named.keys() <= set(self._fields):
            raise TypeError(f"{type(self).__name__} takes {', '.join(self._fields)}, each once")
        self.__dict__.update(self._defaults | by_place | named)
        if len(self.__dict__) < len(self._fields):
            lacking = [name for name in self._fields if name not in self.__dict__]
            raise TypeError(f"{type(self).__name__} lacks {', '.join(lacking)}")
        self.__post_init__()

    def __post_init__(self) -> None:
        """Check the fields."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: _replace makes another")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._compared() == self._compared()

    def __hash__(self) -> int:
        return hash(self._compared())

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"

    def _compared(self) -> tuple[Any, ...]:
        """The values that two which are equal have in common."""
        return tuple(self._asdict().values())

    def _asdict(self) -> dict[str, Any]:
        """The values by the names of the fields, in their order."""
        return {name: self.__dict__[name] for name in self._fields}

    def _replace(self, **changes: Any) -> Self:
        """The same with other values of some fields."""
        return type(self)(**self._asdict() | changes)


class Checked(Record):
    """Records whose fields hold none but the words that their annotations allow, or ValueError."""

    def __post_init__(self) -> None:
        check(self)


def check(record: Any) -> None:
    """Raise ValueError if a field of a record holds none of the words that its annotation allows."""
    kind: Any = type(record)
    for name, words in _words_of(kind).items():
        value = getattr(record, name)
        if words and value not in words:
            raise ValueError(f"{name}: {value!r} is none of {', '.join(map(str, words))}")


@cache
def _words_of(kind: Any) -> dict[str, tuple[Any, ...]]:
    # Annotations are text, and evaluating them takes longer than checking.
    return {name: allowed(annotation) for name, annotation in get_type_hints(kind).items() if name in kind._fields}


def allowed(annotation: Any) -> tuple[Any, ...]:
    """The values of a Literal, or of a union of such and None; () of any other annotation."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    if annotation is type(None):
        return (None,)
    members = [allowed(member) for member in get_args(annotation)]
    return sum(members, ()) if all(members) else ()


def values_of(record: Record, kind: type[Record]) -> dict[str, Any]:
    """The values of those of a record's fields that `kind` has too, by name."""
    return {name: getattr(record, name) for name in kind._fields}
