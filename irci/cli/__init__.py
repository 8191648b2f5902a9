"""What is typed: the group, the shared options, one module a command. The only importer of click."""
