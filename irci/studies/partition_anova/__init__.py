"""partition-anova: scores on parts, effects of systems, decisions on pairs, agreement of splits."""

from irci.studies.partition_anova.request import PUBLISHED, PartitionAnovaRequest
from irci.studies.partition_anova.study import partition_anova

__all__ = ["PUBLISHED", "PartitionAnovaRequest", "partition_anova"]
