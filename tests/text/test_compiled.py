"""The cache of machine code: made once, used without Numba, and never believed when it is damaged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from leadline.text.files import read_cached, write_cached

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


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert load(blocked / "cache") == "False True"


def test_what_is_damaged_or_refused_is_compiled_again(tmp_path: Path, monkeypatch) -> None:
    from leadline.text import engine

    users = engine.KernelLibrary("leadline.text.kernels")
    users.load()
    good = read_cached(users._object_file) or users._compile()
    monkeypatch.setenv("LEADLINE_CACHE", str(tmp_path))
    library = engine.KernelLibrary("leadline.text.kernels")
    linked = library._linked
    made = []

    def compile_again() -> bytes:
        made.append(good)
        return good

    monkeypatch.setattr(library, "_compile", compile_again)
    library.load()
    path = library._object_file
    stored = path.read_bytes()
    library.load()
    assert len(made) == 1
    flipped = bytearray(stored)
    flipped[len(stored) // 2] ^= 1
    for damaged in (b"", b"x" * 40, bytes(flipped), stored[:-1], stored + b"x"):
        path.write_bytes(damaged)
        assert read_cached(path) is None
        kernels, not_cached = library.load()
        assert "encode" in kernels
        assert not_cached is None
        assert path.read_bytes() == stored
    assert len(made) == 6

    if os.name == "posix":
        path.chmod(0o666)
        library.load()  # anyone could have written it
        assert len(made) == 7
        library.load()
        assert len(made) == 7
    other = path.with_name("other.o")
    assert write_cached(other, b'{"one": {}}\nmachine code') is None  # with the checksum of its own name
    other.replace(path)
    assert "encode" in library.load()[0]
    assert path.read_bytes() == stored
    assert len(made) == (8 if os.name == "posix" else 7)

    attempts = []

    def refuse_once(content: bytes) -> object:
        attempts.append(content)
        if len(attempts) == 1:
            raise OSError("LLVM does not know this object")
        return linked(content)

    monkeypatch.setattr(library, "_linked", refuse_once)
    assert "encode" in library.load()[0]
    assert len(attempts) == 2


def test_a_home_that_cannot_be_written(monkeypatch) -> None:
    from leadline.text import engine

    monkeypatch.delenv("LEADLINE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/proc")  # no folder can be made there, not even by root
    library = engine.KernelLibrary("leadline.text.kernels")
    monkeypatch.setattr(library, "_compile", lambda: b"{}\n")
    monkeypatch.setattr(library, "_linked", lambda _: {})
    assert not library.is_cached()
    assert isinstance(library.load()[1], OSError)
