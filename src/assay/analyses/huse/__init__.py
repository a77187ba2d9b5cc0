"""HUSE of every system of a data set: the numbers, their uncertainty, and what gives each system away."""
