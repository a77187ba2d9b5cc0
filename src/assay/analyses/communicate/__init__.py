"""Whether listeners recover what was meant: accuracy, calibration, confusion, and what shuffled words do."""
