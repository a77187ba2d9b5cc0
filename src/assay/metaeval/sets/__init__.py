"""Tests of diversity metrics on response sets."""
