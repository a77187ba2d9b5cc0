"""Studies: a file that says what to measure, a resumable run, and a report."""
