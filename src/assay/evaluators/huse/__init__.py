"""HUSE (Hashimoto, Zhang and Liang, 2019): quality and diversity of a system in one number."""
