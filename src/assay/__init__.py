"""Judge text generators, and judge the judges."""
