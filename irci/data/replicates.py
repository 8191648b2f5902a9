"""What `irci.data.parts` has, under its former name."""

from irci.data.parts import SplitCollection, balanced, hash_splits, qrels_of_part

__all__ = ["SplitCollection", "balanced", "hash_splits", "qrels_of_part"]
