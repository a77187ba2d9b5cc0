"""Annotators that are programs: bots that drive the pages over HTTP, and rehearsals of a study."""
