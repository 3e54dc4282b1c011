"""Disks for tests: small ones, and places that cannot be written to."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def mounted(place: Path, *options: str) -> Iterator[None]:
    """A mounted disk; the test is skipped where that is not permitted."""
    place.mkdir(exist_ok=True)
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, *options, str(place)], check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


@contextlib.contextmanager
def read_only(folder: Path, at: Path) -> Iterator[None]:
    with mounted(at, "--bind", str(folder)):
        if subprocess.run(["mount", "-o", "remount,bind,ro", str(at)], check=False).returncode:
            pytest.skip("nothing can be mounted read-only here")
        with pytest.raises(OSError, match=r"[Rr]ead-only"):
            (at / "x").touch()
        yield
