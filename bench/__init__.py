"""Speed beside the peers, measured: `python -m bench`."""
