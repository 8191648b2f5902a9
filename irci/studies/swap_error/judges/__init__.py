"""swap-error --procedure judges: would another judge contradict this experiment?"""
