"""Code that needs heavy, optional dependencies, which it imports only on use."""
