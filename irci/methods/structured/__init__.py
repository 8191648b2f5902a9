"""Topics that belong together: estimators of means and differences."""
