"""The manifest of an index, which names its files and says how it was made."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from leadline.errors import InputError

MANIFEST = "manifest.json"
KIND, WHAT, VERSION = "index", "a leadline index", 1


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder; an error where it is missing, damaged or of another version."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(str(folder), "is not an index; `leadline index` makes one") from None
    except (OSError, ValueError) as error:
        raise InputError(str(path), f"cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(manifest, dict) or manifest.get("what") != WHAT:
        raise InputError(str(path), "is not the manifest of an index")
    if manifest.get("version") != VERSION:
        raise InputError(str(path), f"is of version {manifest.get('version')}, not {VERSION}: build the index again")
    if not all(isinstance(manifest.get(name), list) for name in ("fields", "segments")):
        raise InputError(str(path), "is damaged: build the index again")
    return manifest


def file_digest(path: Path) -> str:
    """The SHA-256 checksum of a file, as the manifest has it."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
