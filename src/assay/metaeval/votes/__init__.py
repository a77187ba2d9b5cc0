"""Judgments of annotators: agreement, quality, consensus, preferences."""
