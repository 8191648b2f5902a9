"""stdap-ci: means of standardised scores, published figures compared, and the type I experiment."""

from irci.studies.stdap_ci.request import StdapCiRequest
from irci.studies.stdap_ci.study import Summary, stdap_ci, summaries_compared

__all__ = ["StdapCiRequest", "Summary", "stdap_ci", "summaries_compared"]
