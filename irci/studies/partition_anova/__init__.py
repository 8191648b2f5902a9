"""partition-anova: scores on parts, effects of systems, decisions on pairs, agreement of splits."""
