"""Bounds of scores and differences over all grades that unjudged documents could have; nothing is estimated."""
