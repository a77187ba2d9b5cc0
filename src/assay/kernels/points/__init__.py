"""Points in feature space: neighbors and dispersion."""
