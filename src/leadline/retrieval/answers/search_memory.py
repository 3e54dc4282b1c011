"""The memory of a search: an index is mapped, so that only scores and what a query's words need are held."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.records.scores.result import counted
from leadline.text.files import readable_size

if TYPE_CHECKING:
    from leadline.retrieval.index.index import Index
    from leadline.text.memory_budget import MemoryBudget

# Measured with benchmarks/memory.py: the memory of the libraries, and of each document.
BASE_BYTES, BYTES_A_DOCUMENT = 100_000_000, 250


def least_memory(documents: int) -> int:
    """The smallest budget for searching so many documents."""
    return BASE_BYTES + BYTES_A_DOCUMENT * documents


def keep_to(budget: MemoryBudget | None, index: Index) -> None:
    """Refuse a budget that is too small for an index, before the search; state what is held."""
    if budget is None:
        return
    budget.require(least_memory(len(index)), f"an index of {counted(len(index), 'document')}")
    size = sum(file.stat().st_size for file in index.folder.glob("*.arrays"))
    budget.state(f"the index of {readable_size(size)} is mapped, and only what a query needs is read")
