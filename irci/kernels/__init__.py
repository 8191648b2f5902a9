"""Every compiled function. numba caches each module by its own file, so a kernel's helpers live beside it.

The one helper shared between modules is the generator (`generator.py`); after editing it run `make clean`.
"""
