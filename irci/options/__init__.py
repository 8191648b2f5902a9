"""The table of what may be asked: one row an option, the types of their values, and what each needs and excludes. No click."""
