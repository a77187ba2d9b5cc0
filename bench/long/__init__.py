"""What takes many minutes: `make long` runs it, its tables stand in docs/."""
