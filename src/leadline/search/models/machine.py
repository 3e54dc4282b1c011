"""The kernels of this room as machine code."""

from __future__ import annotations

from leadline.text.compiled import Library

KERNELS = Library("leadline.search.models.kernels", {"rank_documents": ("ranking", "issddswdinibidnnhnhndn")})
