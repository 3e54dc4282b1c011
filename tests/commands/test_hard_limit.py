"""--memory where the system enforces it, and an index searched in less memory than it has bytes."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def hard_limit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hard_limit", ROOT / "benchmarks" / "hard_limit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hard_limit"] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    try:
        with module.limited(1 << 30):
            pass
    except module.NoLimitError as problem:
        pytest.skip(str(problem))
    return module


def test_a_process_that_takes_more_is_killed(hard_limit: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="status -9"):
        hard_limit.run(["-c", "print(len(bytearray(200_000_000)))"], tmp_path, 60_000_000)
    assert hard_limit.run(["-c", "print(len(bytearray(9)))"], tmp_path, 60_000_000).printed == b"9\n"


def test_where_memory_ends_the_compiler_is_ended_and_plain_python_works_on(
    hard_limit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    monkeypatch.setenv("LEADLINE_CACHE", str(tmp_path / "cache"))
    code = (
        "from leadline.text.engine import engine_of; print(engine_of('leadline.records.kernels').kernel('order_run'))"
    )
    assert hard_limit.run(["-c", code], tmp_path, 100_000_000).printed == b"None\n"
    assert not list((tmp_path / "cache").iterdir())


@pytest.mark.soak
def test_indexing_and_evaluating_keep_to_a_hard_limit(hard_limit: ModuleType, tmp_path: Path, soak: bool) -> None:
    rows = hard_limit.worked(tmp_path) if soak else hard_limit.worked(tmp_path, documents=300, topics=10)
    assert len(rows) == 2  # with the same results as without it, or there would have been an error


@pytest.mark.soak
def test_an_index_larger_than_memory_is_searched(hard_limit: ModuleType, tmp_path: Path, soak: bool) -> None:
    if not soak:
        pytest.skip("takes a minute: `make soak` runs it")
    (run, *_) = hard_limit.searched(tmp_path, 600_000_000, 200_000_000)
    assert int(run[1]) > 2 * int(run[2]) >= 2 * int(run[5])
