"""What texts share with their references and with each other, from token and n-gram numbers."""
