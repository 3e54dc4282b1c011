"""The cache of machine code: made once, used without Numba, and never believed when it is damaged."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from io import FileIO
from pathlib import Path

import pytest

from leadline.text import engine
from leadline.text.files import read_cached, with_checksum, write_cached

# A small library; `leadline.text.engine` may compile it in a process of its own, whose id is printed.
LIBRARY = "leadline.judge.review.kernels"
CODE = """
import pathlib, sys
from leadline.text import engine
engine.KernelLibrary.shipped_file = pathlib.Path("none")
begun, begin = [], engine.Compiler.__init__
def noted(self, *given):
    begin(self, *given)
    begun.append(self._process.pid)
    if sys.argv[2:]:
        print(begun[0], flush=True)
        if sys.argv[2] == "kill the compiler":
            self._process.kill()
engine.Compiler.__init__ = noted
library = engine.engine_of(sys.argv[1])
ready = library.library.is_cached()
if sys.argv[2:] == ["begin"]:
    assert not library.expects(engine.COMPILING_PAYS)
    sys.exit()
kernel = library.kernel("train")
print(ready, len(begun), kernel is not None, "numba" in sys.modules)
"""


@pytest.fixture(autouse=True)
def _nothing_shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.KernelLibrary, "shipped_file", Path("none"))  # whatever a build left in the tree


def start(cache: Path, *more: str) -> subprocess.Popen[str]:
    """A process that loads a library."""
    environment = {
        **os.environ,
        "LEADLINE_CACHE": str(cache),
        "LEADLINE_ENGINE": "" if more == ("begin",) else "compiled",
    }
    command = [sys.executable, "-c", CODE, LIBRARY, *more]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def load(cache: Path, *more: str) -> tuple[str, str]:
    """Whether it was cached, how often it was compiled, whether there was a kernel, and Numba; and what was said."""
    with start(cache, *more) as process:
        printed, said = process.communicate()
    assert process.returncode == 0, said
    return printed.strip().splitlines()[-1], said


def is_gone(process: int) -> bool:
    """Whether a process has ended, after some seconds at most."""
    for _ in range(500):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        if "State:\tZ" in Path(f"/proc/{process}/status").read_text(encoding="utf-8"):
            return True  # nobody asks how it ended
        time.sleep(0.02)
    return False


def test_compiled_once_then_loaded_without_numba(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert load(cache) == ("False 1 True False", "")
    assert load(cache) == ("True 0 True False", "")
    (kept,) = cache.iterdir()
    kept.write_bytes(kept.read_bytes()[:-100])
    assert load(cache) == ("False 1 True False", "")  # there, but damaged: made again
    assert [each.name for each in cache.iterdir()] == [kept.name]


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    printed, said = load(blocked / "cache")
    assert printed == "False 1 True False"
    assert "machine code cannot be cached, so it will be compiled again next time: NotADirectoryError" in said


def test_two_processes_compile_once(tmp_path: Path) -> None:
    with start(tmp_path / "cache") as one, start(tmp_path / "cache") as other:
        printed = sorted(each.communicate()[0].split()[1:] for each in (one, other))
    assert printed == [["0", "True", "False"], ["1", "True", "False"]]
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="what became of a process, as Linux shows it")
def test_a_process_that_ends_or_is_killed_leaves_nothing_that_runs_or_is_half_written(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with start(cache, "begin") as process:
        ended, said = process.communicate()
    assert (process.returncode, said) == (0, "")
    with start(cache, "say") as process:
        assert process.stdout is not None
        killed = int(process.stdout.readline())
        process.kill()
    assert is_gone(killed)
    if ended:  # with one processor it was not begun
        assert is_gone(int(ended))
    assert not list(cache.glob("*.o"))
    assert load(cache) == ("False 1 True False", "")
    assert len(list(cache.iterdir())) == 1  # what was left is gone


def test_a_compiler_that_is_killed_is_one_line(tmp_path: Path) -> None:
    printed, said = load(tmp_path / "cache", "kill the compiler")
    assert printed == "False 1 False False"
    assert said.count("plain Python is used because machine code cannot be: compiling ended with status ") == 1
    assert not list((tmp_path / "cache").iterdir())


def test_machine_code_for_another_processor_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binding = importlib.import_module("llvmlite.binding")
    monkeypatch.setenv("LEADLINE_CACHE", str(tmp_path))
    here = engine.KernelLibrary(LIBRARY)
    assert write_cached(here._object_file, b"machine code") is None
    assert here.is_cached()
    monkeypatch.setattr(binding, "get_host_cpu_name", lambda: "another")
    assert not engine.KernelLibrary(LIBRARY).is_cached()


def test_what_a_wheel_brings_is_used_where_the_processor_can_run_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = engine.KernelLibrary(LIBRARY)
    users.load()
    good = read_cached(users._object_file) or users.compiled()
    monkeypatch.setenv("LEADLINE_CACHE", str(tmp_path / "cache"))
    shipped = tmp_path / "kernels.o"
    shipped.write_bytes(with_checksum(shipped, good))
    monkeypatch.setattr(engine.KernelLibrary, "shipped_file", shipped)
    monkeypatch.setattr(engine, "_is_shipped_for", lambda: True)
    monkeypatch.setattr(engine, "Compiler", None)  # nothing is compiled
    assert "train" in engine.KernelLibrary(LIBRARY).load()[0]
    assert not (tmp_path / "cache").exists()
    monkeypatch.setattr(engine, "_is_shipped_for", lambda: False)
    assert not engine.KernelLibrary(LIBRARY).is_cached()
    monkeypatch.setattr(engine, "_is_shipped_for", lambda: True)
    shipped.write_bytes(shipped.read_bytes()[:-1])
    assert not engine.KernelLibrary(LIBRARY).is_cached()


def test_a_processor_without_what_the_code_of_a_wheel_needs_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    binding = importlib.import_module("llvmlite.binding")
    everything = dict.fromkeys(engine._FEATURES, True)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: everything)
    assert engine._is_shipped_for()
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: {**everything, "avx2": False})
    assert not engine._is_shipped_for()
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: everything)
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert not engine._is_shipped_for()


def test_what_is_damaged_or_refused_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    users = engine.KernelLibrary("leadline.text.kernels")
    users.load()
    good = read_cached(users._object_file) or users.compiled()
    monkeypatch.setenv("LEADLINE_CACHE", str(tmp_path))
    library = engine.KernelLibrary("leadline.text.kernels")
    linked = library._linked
    made = []

    class Again:
        def __init__(self, _module: str, path: Path, held: FileIO) -> None:
            made.append(good)
            self.not_cached = write_cached(path, good)
            held.close()

        def result(self) -> tuple[bytes, OSError | None]:
            return good, self.not_cached

    monkeypatch.setattr(engine, "Compiler", Again)
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


def test_a_home_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEADLINE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/proc")  # no folder can be made there, not even by root
    library = engine.KernelLibrary(LIBRARY)
    monkeypatch.setattr(library, "_linked", lambda _: {})
    assert not library.is_cached()
    assert isinstance(library.load()[1], OSError)
