"""What people said about a unit."""
