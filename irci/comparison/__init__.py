"""Means of runs, differences between them, and ranks: one engine (`entry`), whatever varies (`sources`)."""
