"""map-ci: means of runs, differences between them, effects combined over topics, ranks."""

from irci.studies.map_ci.settings import Settings
from irci.studies.map_ci.study import map_ci

__all__ = ["Settings", "map_ci"]
