"""swap-error --procedure judges: would another judge contradict this experiment? One module a question."""
