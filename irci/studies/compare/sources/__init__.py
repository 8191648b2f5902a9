"""map-ci where topics belong together: clusters, collections, training seeds, query versions."""
