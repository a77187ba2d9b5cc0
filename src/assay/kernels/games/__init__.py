"""Speakers and listeners: who means what by which utterance."""
