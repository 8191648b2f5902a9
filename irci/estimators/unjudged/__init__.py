"""Unjudged documents: the least and the greatest score that a run, or a pair of runs, could have."""
