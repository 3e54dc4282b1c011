"""A browser for the tests of the page."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser(chromium: Any) -> Any:
    return chromium
