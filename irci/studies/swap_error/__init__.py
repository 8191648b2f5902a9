"""swap-error: error rates, swaps, discriminative power."""
