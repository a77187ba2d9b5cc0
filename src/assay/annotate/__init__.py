"""Collecting human judgments: protocols, stores, assignment, export and the web application."""
