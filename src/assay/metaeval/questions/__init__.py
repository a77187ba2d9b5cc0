"""The engine of questions: statistics by level, grouping and resampling."""
