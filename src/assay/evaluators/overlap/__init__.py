"""Word and character overlap with references."""
