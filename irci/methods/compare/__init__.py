"""map-ci: means of single runs, and differences between runs."""
