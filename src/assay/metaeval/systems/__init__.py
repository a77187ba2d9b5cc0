"""Systems compared with each other: differences, clusters, ranks."""
