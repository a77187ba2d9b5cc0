"""Annotators that are programs: bots that drive the pages over HTTP, and those of a rehearsal, who call the service."""
