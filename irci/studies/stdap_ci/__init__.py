"""stdap-ci: means of standardised scores, published figures compared, and the type I experiment."""

from irci.studies.stdap_ci.published import Summary, summaries_compared
from irci.studies.stdap_ci.settings import Settings
from irci.studies.stdap_ci.study import stdap_ci

__all__ = ["Settings", "Summary", "stdap_ci", "summaries_compared"]
