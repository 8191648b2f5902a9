"""swap-error: its three procedures, one module each."""
