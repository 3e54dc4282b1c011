"""Meaning instead of words: documents and topics as vectors of a small language model. An extra, never required."""
