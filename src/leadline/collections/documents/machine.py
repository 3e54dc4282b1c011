"""The kernels of this room as machine code."""

from __future__ import annotations

import os

from leadline.text.compiled import Library
from leadline.text.engine import COMPILING_PAYS, LOADING_PAYS

KERNELS = Library(
    "leadline.collections.documents.kernels",
    {"outline": ("outlining", "bisssi"), "strip_markup": ("stripping", "bsisibsi")},
)


class _Read:
    """How many bytes this process has read here."""

    size = 0


def kernels_pay(size: int) -> bool:
    """Whether there has been enough to read, with these bytes. LEADLINE_ENGINE=plain or =compiled decides it instead.

    Documents come one by one, and nobody says how many there will be.
    """
    forced = os.environ.get("LEADLINE_ENGINE")
    if forced in ("plain", "compiled"):
        return forced == "compiled"
    _Read.size += size
    return KERNELS.is_loaded() or _Read.size > COMPILING_PAYS or (_Read.size > LOADING_PAYS and KERNELS.is_ready())
