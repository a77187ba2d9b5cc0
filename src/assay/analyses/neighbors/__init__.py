"""Quality from neighbors: estimates, how far to trust them, and what changes them."""
