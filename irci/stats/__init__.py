"""The textbook: intervals, tests, ranks and letters, scales, standardisation, small R."""
