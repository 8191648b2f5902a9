"""The rows of the table of options, by their headings in the help."""
