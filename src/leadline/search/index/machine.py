"""The kernels of this room as machine code."""

from __future__ import annotations

from leadline.text.compiled import Library

KERNELS = Library(
    "leadline.search.index.kernels",
    {
        "find_words": ("words", "bisbisns"),
        "number_words": ("inverting", "bisnunishn"),
        "count_terms": ("inverting", "isnninssn"),
        "fill_postings": ("inverting", "isnninsnnisn"),
        "merge_terms": ("merging", "bsissns"),
        "move_lists": ("merging", "insnisn"),
        "find_terms": ("merging", "bsibsis"),
        "unite_lists": ("merging", "iissnnssndi"),
    },
)
