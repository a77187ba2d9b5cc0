"""Heavy and optional parts, imported only by name."""
