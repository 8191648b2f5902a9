"""map-ci: means of runs, differences between them, ranks."""
