"""What Python programs call: the commands as functions, of objects as well as of files."""
