"""Folders for the many small indexes that property tests make."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def new_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Path]]:
    """Name a folder that is not there yet; all of them are removed with their module."""
    base, numbers = tmp_path_factory.mktemp("indexes"), count()
    yield lambda: base / str(next(numbers))
    shutil.rmtree(base, ignore_errors=True)  # Windows keeps files that are still mapped
