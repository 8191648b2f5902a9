"""swap-error --procedure judges: would another judge contradict this experiment?"""

from irci.studies.swap_error.judges.study import compare_judges

__all__ = ["compare_judges"]
