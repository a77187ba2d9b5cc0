"""Simulations that hold every interval, test and sentence to the rate it states; see rate.py for what a rate is."""
