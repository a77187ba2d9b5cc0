"""The study of generators that train on a user's own texts: `assay testbed`."""
