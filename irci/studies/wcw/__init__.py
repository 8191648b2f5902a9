"""wcw: widths for numbers of topics, topics for widths, powers; from variances given, or estimated from files."""

from irci.studies.wcw.settings import Settings
from irci.studies.wcw.study import wcw

__all__ = ["Settings", "wcw"]
