"""The manifest of an index, which names its files and says how it was made."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from leadline.errors import InputError, system_reason
from leadline.retrieval.index.array_table import REBUILD, damaged, newer_format
from leadline.text.checksums import CHECKSUM, check_seal, parsed_object
from leadline.text.owned_folder import wrong_folder
from leadline.text.stored import stored_bytes

MANIFEST = "manifest.json"
KIND, WHAT, VERSION = "index", "a leadline index", 5
OLDEST = 4  # format that is read; it has neither dead documents nor the places of documents in their collection
_FILE = re.compile(r"[\w-][\w.-]*")
_LARGEST = 64 << 20  # bytes: far more than any index needs


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder; an error where it is missing, damaged or of another version."""
    path = folder / MANIFEST
    try:
        written = stored_bytes(path, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        raise wrong_folder(folder, KIND, "`leadline index` makes one") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {system_reason(error)}") from None
    manifest = parsed_object(written, str(path), REBUILD)
    if CHECKSUM in manifest:
        check_seal(manifest, str(path), REBUILD)
    if manifest.get("what") == "a leadline collection":
        raise InputError(str(folder), f"is a collection, not an index; `leadline index {folder} -o INDEX` makes one")
    if manifest.get("what") != WHAT:
        raise InputError(str(path), "is not the manifest of an index")
    _check_version(manifest.get("version"), str(path))
    check_seal(manifest, str(path), REBUILD)
    wrong = next((name for name, is_right in _SHAPE.items() if not is_right(manifest.get(name))), None)
    if wrong is not None:
        raise damaged(str(path), f"{wrong!r} is not as it should be")
    return manifest


def _check_version(version: Any, path: str) -> None:
    if type(version) is not int or version < 1:
        raise damaged(path, "it has no format")
    if version > VERSION:
        raise newer_format(path, version, VERSION)
    if version < OLDEST:
        lacks = {1: "checksums", 2: "words as they are written"}.get(version, "compressed postings")
        raise InputError(path, f"has format {version}, which has no {lacks}: {REBUILD}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 62


def _is_file(value: Any) -> bool:
    """Whether this describes a file of the folder."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("file"), str)
        and _FILE.fullmatch(value["file"]) is not None
        and _is_count(value.get("bytes"))
        and _is_text(value.get("checksum"))
        and _is_text(value.get("sha256"))
    )


def _is_segments(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_segment, value))


def _is_segment(value: Any) -> bool:
    """Whether this describes a segment, and its tombstones where it has dead documents."""
    if not _is_file(value) or not _is_count(value.get("documents")):
        return False
    dead = value.get("dead")
    return dead is None or (
        _is_file(dead) and _is_count(dead.get("documents")) and 0 < dead["documents"] < value["documents"]
    )


def _is_collection(value: Any) -> bool:
    """Whether this says of which collection the index is; None where that is not known."""
    if value is None:
        return True
    parts = value.get("parts") if isinstance(value, dict) else None
    return isinstance(parts, list) and all(map(_is_text, [*parts, value.get("hash"), value.get("id", "")]))


def live_documents(segment: dict[str, Any]) -> int:
    """The number of documents of a segment that are not dead."""
    return int(segment["documents"]) - int((segment.get("dead") or {"documents": 0})["documents"])


def files_of(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of all files that a manifest names."""
    dead = [segment["dead"] for segment in manifest["segments"] if segment.get("dead")]
    return [*manifest["segments"], *dead, manifest["order"]]


def row_digests(manifest: dict[str, Any]) -> list[str]:
    """The SHA-256 of the files that say which document is in each row."""
    return [entry["sha256"] for entry in files_of(manifest)[:-1]]


def content_digests(manifest: dict[str, Any]) -> list[str]:
    """The SHA-256 of the files that answers depend on."""
    return [entry["sha256"] for entry in files_of(manifest)]


def _is_fields(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_settings(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _is_counts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_count, value.values()))


_SHAPE = {
    "analysis": _is_settings,
    "fields": _is_fields,
    "positions": lambda value: isinstance(value, bool),
    "source": _is_text,
    "unit": lambda value: value in ("document", "family"),
    "members": _is_text,
    "stemmer": lambda value: value is None or isinstance(value, str),
    "counts": _is_counts,
    "segments": _is_segments,
    "order": _is_file,
    "collection": _is_collection,
}
