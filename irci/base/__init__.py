"""The ground that every room may import: errors, types, choices, names of things, numerals, random streams."""
