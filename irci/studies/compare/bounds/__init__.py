"""Unjudged documents: between which bounds runs score, and differ, whatever grades these documents have."""

from irci.studies.unjudged.settings import Settings
from irci.studies.unjudged.study import unjudged

__all__ = ["Settings", "unjudged"]
