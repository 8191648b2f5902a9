"""One module per command: pure functions of arrays and a seed."""
