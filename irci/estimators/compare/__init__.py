"""Means of runs, differences between them, and how both vary: with documents, topics, clusters, seeds, judges."""
