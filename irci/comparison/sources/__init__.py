"""Sources of variation: over what limits and tests of means and differences speak. One file each."""
