"""Where the tests find their data: golden files beside them, and a folder of other people's data that may be absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("leadline", deadline=None)  # machines that run tests are busy with other things
settings.load_profile("leadline")

GOLDEN = Path(__file__).parent / "golden"
SHARED = Path(os.environ.get("LEADLINE_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def golden() -> Path:
    return GOLDEN


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `data` of the shared material; tests that need it are skipped where it is missing."""
    data = SHARED / "data"
    if not data.is_dir():
        pytest.skip(f"needs the shared data at {data}")
    return data


@pytest.fixture(scope="session")
def soak() -> bool:
    """Whether the longer form of a test is wanted, as `make soak` does."""
    return bool(os.environ.get("LEADLINE_SOAK"))
