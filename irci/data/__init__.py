"""Reading: text files, TREC files, collection, measures, experiment, score tables, splits, versions, factors."""
