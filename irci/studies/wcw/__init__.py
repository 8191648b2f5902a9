"""wcw: widths for numbers of topics, topics for widths, powers; from variances given, or estimated from files."""

from irci.studies.wcw.request import WcwRequest
from irci.studies.wcw.study import wcw

__all__ = ["WcwRequest", "wcw"]
