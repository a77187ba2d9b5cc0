"""One function per question a user asks; each returns a `Part`."""
