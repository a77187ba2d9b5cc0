"""The subcommands of `assay annotate`."""
