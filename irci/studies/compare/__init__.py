"""Means of runs, differences between them, and ranks: one engine, whatever varies (`sources`)."""

from irci.studies.compare.entry import compare
from irci.studies.compare.request import Request

__all__ = ["Request", "compare"]
