"""The doors for Python programs: the commands as functions, of objects as well as of files."""
