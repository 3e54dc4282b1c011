"""The short form of benchmarks/lab_load.py: readers and searches at once, nothing wrong, memory flat."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]


@pytest.mark.soak
def test_a_lab_under_load(tmp_path: Path, soak: bool) -> None:
    pytest.importorskip("fastapi", reason="the server needs fastapi")
    spec = importlib.util.spec_from_file_location("lab_load", ROOT / "benchmarks" / "lab_load.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lab_load"] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    short = {"documents": 300, "readers": 3, "rate": 2.0, "seconds": 2.0, "requests": 40}
    long = {**module.FULL, "documents": 20_000, "requests": 3000}
    found = module.load(tmp_path, **(long if soak else short))
    print(found)
    assert not found.readers.wrong + found.searches.wrong, str(found)
    assert found.searches.seconds
    assert found.growth < 60, str(found)
