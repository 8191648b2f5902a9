"""Estimators: arrays and a seed -> a result with named fields. None imports another."""
