"""Sizes of memory, budgets, and arrays in temporary files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leadline.errors import InputError
from leadline.text.memory import MappedArrays
from leadline.text.spread import MemoryBudget, memory_size


@pytest.mark.parametrize(
    ("written", "size"),
    [("2GB", 2 * 10**9), ("500MB", 5 * 10**8), ("1.5GiB", 3 << 29), ("3 kb", 3000), ("1TB", 10**12), ("7B", 7), (9, 9)],
)
def test_sizes(written: str | int, size: int) -> None:
    assert memory_size(written) == size


@pytest.mark.parametrize("written", ["", "2", "GB", "2XB", "-2GB", "1,5GB", "2GB 3MB", "nan", "1e9B"])
def test_other_words_are_one_line(written: str) -> None:
    with pytest.raises(InputError, match=r"memory: must be a size such as 2GB, 500MB or 1\.5GiB, got"):
        memory_size(written)


def test_a_budget_that_is_too_small_names_the_smallest_that_would_do() -> None:
    budget = MemoryBudget(10**6)
    budget.require(10**6, "this")
    problem = "--memory: 1.0 MB is too little for a graph: the smallest that would do is 3MB"
    with pytest.raises(InputError, match=problem):
        budget.require(2_000_001, "a graph")


def test_a_budget_is_stated() -> None:
    said: list[str] = []
    MemoryBudget(2 * 10**9, say=said.append).state("8 parts")
    MemoryBudget(1).state("nobody hears this")
    assert said == ["at most 2.0 GB: 8 parts"]


def test_mapped_arrays_leave_no_files(tmp_path: Path) -> None:
    arrays = MappedArrays(str(tmp_path))
    taken = arrays.take("a", 1000, np.int32)
    assert not taken.any()
    taken[:] = np.arange(1000)
    assert int(taken.sum()) == 499_500
    assert len(arrays.take("b", 0, np.float64)) == 0
    assert not list(tmp_path.iterdir())  # while they are in use, so also after a kill
