"""Measures: the table of their families, how they are spelled, and what of the judgments and of a run they look at.

`table` has a row a family and the kernels that score it, and measures, a family with a parameter and a relevance level of
its own; `scorers` has what these score, `ties` their means over orders of ties; `spelling` reads names.
"""

from irci.measures.scorers import JudgedLists, ListsByLevel, judgments_by_level, lists_by_level, lists_of_ranks
from irci.measures.spelling import asked_for, is_measure, named, one_name_each, parse, together
from irci.measures.table import ALL_TREC, FAMILIES, MAP, NICKNAMES, REMARKS, TABLE, Measure

__all__ = [
    "ALL_TREC", "FAMILIES", "MAP", "NICKNAMES", "REMARKS", "TABLE", "JudgedLists", "ListsByLevel", "Measure", "asked_for",
    "is_measure", "judgments_by_level", "lists_by_level", "lists_of_ranks", "named", "one_name_each", "parse", "together",
]  # fmt: skip
