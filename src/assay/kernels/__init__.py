"""Arrays in, arrays out: counting, ranking, resampling. No strings, no files, no records."""
