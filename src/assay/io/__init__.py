"""The only package that opens files: readers, writers, the catalogue, the cache."""
