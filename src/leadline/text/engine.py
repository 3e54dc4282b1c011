"""Whether a job is worth machine code.

A small job is over before the kernels are loaded; a middling one before they are compiled. Neither should wait.
"""

from __future__ import annotations

import os

from leadline.text import compiled

LOADING_PAYS = 2 * 2**20  # bytes of text: the plain path needs about as long for this as loading takes
COMPILING_PAYS = 128 * 2**20  # and for this as long as compiling takes


def use_kernels(size: int) -> bool:
    """Whether to read `size` bytes with the kernels. LEADLINE_ENGINE=plain or =compiled decides it instead."""
    forced = os.environ.get("LEADLINE_ENGINE")
    if forced in ("plain", "compiled"):
        return forced == "compiled"
    return size > COMPILING_PAYS or (size > LOADING_PAYS and compiled.is_ready())
