"""The server of the crawler's tests, and the packages they need."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

for package in ("aiohttp", "protego", "selectolax", "warcio"):
    pytest.importorskip(package, reason=f"the crawler needs the package {package}")
sys.path.insert(0, str(Path(__file__).parent))
