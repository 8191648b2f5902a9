"""Which sources of variation does a claim survive? A claim: a run scores significantly higher over topics, by max-T.

Other sources are asked about the same pairs, at the same level, in the same direction.
"""
