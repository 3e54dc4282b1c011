"""The kernels of this room as machine code."""

from __future__ import annotations

from leadline.text.compiled import Library

KERNELS = Library("leadline.documents.kernels", {"strip_markup": ("stripping", "bisib")})
