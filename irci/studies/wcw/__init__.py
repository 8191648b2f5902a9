"""wcw: widths for numbers of topics, topics for widths, powers; from variances given, or estimated from files."""
