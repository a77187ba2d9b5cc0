"""Small text generators that know the exact log-probability of every text."""
