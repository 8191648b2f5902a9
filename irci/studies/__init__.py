"""Reports: one module (or folder) a command, settings and inputs -> a report. No click, no printing."""
