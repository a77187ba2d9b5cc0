"""One file per step of a study."""
