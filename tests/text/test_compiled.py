"""The cache of machine code: made once, used without Numba, and never believed when it is damaged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CODE = """
import sys
from leadline.text.engine import engine_of
engine = engine_of("leadline.text.kernels")
ready = engine.library.is_cached()
engine.kernel("hash_fields")
print(ready, "numba" in sys.modules)
"""


def load(cache: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CODE], env={**os.environ, "LEADLINE_CACHE": str(cache)}, capture_output=True, check=True,
        text=True,
    )  # fmt: skip
    return done.stdout.strip()


def test_compiled_once_then_loaded_without_numba(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert load(cache) == "False True"
    assert load(cache) == "True False"
    (kept,) = cache.iterdir()
    kept.write_bytes(kept.read_bytes()[:-100])
    assert load(cache) == "True True"  # there, but damaged: made again
    assert load(cache) == "True False"
    kept.chmod(0o666)
    assert load(cache) == "True True"  # anyone could have written it


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert load(blocked / "cache") == "False True"
