"""The key of a page: a hash of everything it was made from, so that the same request does not make it again."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import metadata
from pathlib import Path

from leadline.errors import InputError, system_reason
from leadline.text.stored import stored_bytes
from leadline.version import __version__

HEAD = 400  # bytes at the start of a page that contain its key
_PACKAGES = ("altair", "vl-convert-python", "numpy", "scipy")
_CODE = ("measures", "records", "show/charts", "show/figures", "show/plots", "show/report", "text", "trust")
_ENDINGS = (".py", ".js", ".css", ".json", ".csv")
_PLUGINS = ("leadline.figures", "leadline.measures")  # entry points of other packages that a page may use
_ENDING = "<!-- checksum ", " -->\n"  # the last line of a page
_KEY = re.compile(rb"<!-- leadline \S+ key ([0-9a-f]{64}) -->")


def key_of(inputs: Sequence[str], tables: Sequence[str], options: Iterable[str]) -> str:
    """A hash of the names and contents of the files, of the options, and of the versions and code that make a page.

    Names count because a run is called by its file's name. Empty if an input is not a file, such as standard input.
    """
    paths = [*inputs, *tables]
    if not all(Path(path).is_file() for path in paths):
        return ""
    made_by = [__version__, code_of(*_CODE), *map(_version, _PACKAGES), *map(_plugins, _PLUGINS)]
    whole = hashlib.sha256("\0".join([*made_by, *options]).encode())
    with ThreadPoolExecutor() as pool:
        for path, digest in zip(paths, pool.map(_digest, paths), strict=True):
            whole.update(os.fsencode(Path(path).name) + b"\0" + digest)
    return whole.hexdigest()


def with_checksum(page: str) -> str:
    """A page with the checksum of its content in the last line."""
    return f"{page}{_ENDING[0]}{hashlib.sha256(page.encode('utf-8', 'replace')).hexdigest()}{_ENDING[1]}"


def key_written_in(path: str | os.PathLike[str]) -> str:
    """The key in an existing page; empty if there is no page or no key, or the page is damaged."""
    try:
        page = stored_bytes(path)
    except OSError:
        return ""
    content, _, ending = page.rpartition(_ENDING[0].encode())
    found = _KEY.search(content[:HEAD])
    whole = ending == f"{hashlib.sha256(content).hexdigest()}{_ENDING[1]}".encode()
    return found[1].decode() if found and whole else ""


@cache
def code_of(*folders: str) -> str:
    """A hash of the code and data in these folders of the package.

    >>> code_of("trust") == code_of("trust"), code_of("trust") == code_of("show/report")
    (True, False)
    """
    whole = hashlib.sha256()
    home = Path(__file__).parents[2]
    for folder in folders:
        if not (home / folder).is_dir():
            raise FileNotFoundError(home / folder)
        for path in sorted(path for path in (home / folder).rglob("*") if path.suffix in _ENDINGS):
            whole.update(str(path.relative_to(home)).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def _digest(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        raise InputError(path, f"cannot be read: {system_reason(error)}") from None


def _plugins(group: str) -> str:
    """The entry points of a group, with the versions of their packages."""
    found = metadata.entry_points(group=group)
    return " ".join(sorted(f"{entry.value}=={entry.dist.version if entry.dist else ''}" for entry in found))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
