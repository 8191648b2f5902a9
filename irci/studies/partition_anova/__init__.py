"""partition-anova: scores on parts, effects of systems, decisions on pairs, agreement of splits."""

from irci.studies.partition_anova.settings import PUBLISHED, Settings
from irci.studies.partition_anova.study import partition_anova

__all__ = ["PUBLISHED", "Settings", "partition_anova"]
