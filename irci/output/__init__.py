"""Everything that is shown: tables and reports, formats, files, plots. Computes nothing."""
