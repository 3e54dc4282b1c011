"""The numbers that the kernels of near-duplicates share with their plain twins, which must not wait for Numba."""

from __future__ import annotations

import numpy as np

# What a character is in a token, as `sketches.py` classes it.
BETWEEN, IN_WORD, ALONE = 0, 1, 2
LETTERS, WORDS, LINES = 0, 1, 2
NEWLINE, SPACE = 10, 32

TOKEN_BASE = np.uint64(0x9E3779B97F4A7C15)  # a token's hash is a polynomial in this, modulo 2**64, then mixed
LINE_BASE = np.uint64(0xD6E8FEB86659FD93)  # a line's is one of its words' hashes
SHINGLE_BASE = np.uint64(0xC2B2AE3D27D4EB4F)  # and a shingle's one of its tokens' hashes
SHORT_MARK = np.uint64(0xA0761D6478BD642F)  # added for the one shingle of a text with fewer tokens than a shingle
MIX_A, MIX_B = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)  # the place of a sketch that no shingle has reached
VALUE_WIDTH = np.uint64(48)  # bits of a product that compete for a place; the round is above them
VALUE_BITS = np.uint64(0x0000FFFFFFFFFFFF)
TAKEN = np.uint64(0x8000000000000000)  # marks a number taken from another place, while others look for one
OTHERS = 6  # places in which an empty one looks
