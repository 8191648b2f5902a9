"""irci: how far can an information-retrieval evaluation be trusted?

The functions here are the commands, on objects as well as on files: doc/python.md lists everything that is public.
Nothing is loaded before it is asked for.
"""

from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "irci.api.functions": (
        "ap_ci", "compare", "judges", "map_ci", "partition_anova", "score", "stdap_ci", "swap_error", "wcw",
    ),
    "irci.base": ("DataError", "FormatError", "IrciError", "UsageError"),
    "irci.output.notebook": ("Drawing",),
    "irci.output.report": ("Report",),
    "irci.output.tables": ("Table",),
}  # fmt: skip
__all__ = sorted(name for names in _HOMES.values() for name in names)


def __getattr__(name: str) -> Any:
    """Public names, loaded when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'irci' has no attribute {name!r}")
    from importlib import import_module

    home = next(home for home, names in _HOMES.items() if name in names)
    member = globals()[name] = getattr(import_module(home), name)
    return member


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
