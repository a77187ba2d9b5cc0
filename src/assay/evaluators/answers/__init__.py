"""Whether a short answer is right: equal to a reference, in its words, or as a number."""
