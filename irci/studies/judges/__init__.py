"""judges: how far another's judgments agree with QRELS, and whether runs would rank differently by them."""
