"""The short form of benchmarks/judging_load.py: people judge in a lab that is killed; nothing is lost or doubled."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]


@pytest.mark.soak
def test_nothing_is_lost_when_the_server_is_killed(tmp_path: Path, soak: bool) -> None:
    pytest.importorskip("fastapi", reason="the judging server needs fastapi")
    spec = importlib.util.spec_from_file_location("judging_load", ROOT / "benchmarks" / "judging_load.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["judging_load"] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    how = (50, 20.0, 120.0, 8, 1000) if soak else (10, 8.0, 10.0, 2, 200)
    assessors, rate, seconds, kills, half_open = how
    found = module.load(tmp_path, assessors=assessors, rate=rate, seconds=seconds, kills=kills, half_open=half_open)
    print(found)
    assert found.right, str(found)
    assert found.held == half_open
    assert not soak or not found.slow, str(found)  # a short form runs beside other tests
    assert found.kills == kills
    assert found.told == found.stored >= 0.9 * rate * seconds
