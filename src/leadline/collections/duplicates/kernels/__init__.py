"""Loops over tokens and shingles, which run as machine code."""
