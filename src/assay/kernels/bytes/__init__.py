"""Byte strings in flat buffers: copying, replacing, interning."""
