"""The command line, as it is typed: the group and its commands, helps, and reports written. The only importer of click."""
