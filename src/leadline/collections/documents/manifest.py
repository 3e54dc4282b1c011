"""The manifest of a collection: what it was made from, its counts, its files and their checksums."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from leadline.collections.documents.column_sums import FIX, sums_name
from leadline.errors import InputError, system_reason
from leadline.text.checksums import check_seal, parsed_object
from leadline.text.owned_folder import wrong_folder
from leadline.text.stored import stored_bytes

MANIFEST, WHAT = "manifest.json", "a leadline collection"
VERSION = 2  # of the format of collections. 1: without the sums of columns, and the manifest without its own checksum
TABLES = ("records.parquet", "citations.parquet", "families.parquet", "lookup.parquet")
BROKEN = "broken.tsv"
FOLDER = re.compile("collection-[0-9a-f]{12}")
_PART = re.compile(r"part-\d{5,9}\.parquet")
_SHA256 = re.compile("[0-9a-f]{64}")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest in a folder, with everything that is used of it checked."""
    path = folder / MANIFEST
    try:
        content = stored_bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        raise wrong_folder(folder, "collection", _hint(folder)) from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {system_reason(error)}") from None
    return checked_manifest(content, folder)


def checked_manifest(content: bytes, folder: Path) -> dict[str, Any]:
    """A manifest from its bytes; InputError where it is damaged, of another format or not a collection's."""
    where = str(folder / MANIFEST)
    manifest = parsed_object(content, where, FIX)
    if manifest.get("what") != WHAT:
        raise wrong_folder(folder, "collection", _hint(folder))
    version = manifest.get("version")
    if type(version) is int and version > VERSION:
        raise InputError(where, f"has format {version}, this version reads up to {VERSION}: update leadline")
    if version != 1 or "checksum" in manifest:
        check_seal(manifest, where, FIX)
    problem = _problem(manifest)
    if problem:
        raise InputError(where, f"is damaged, {problem}: {FIX}")
    return manifest


def files_of(manifest: dict[str, Any]) -> dict[str, str]:
    """The SHA-256 of every file in the folder of the collection, by its name."""
    parts = {part["file"]: part["sha256"] for part in manifest["parts"]}
    return {**parts, **manifest["tables"], **manifest.get("checksums", {})}


def _problem(manifest: dict[str, Any]) -> str:
    """What is wrong with the shape of a manifest; empty if nothing is."""
    version, folder, parts = manifest.get("version"), manifest.get("folder"), manifest.get("parts")
    if type(version) is not int or version < 1:
        return "`version` is not a number"
    if not isinstance(folder, str) or not FOLDER.fullmatch(folder):
        return "`folder` does not name a folder of the collection"
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        return "`parts` is not a list of objects"
    for part in parts:
        if not isinstance(part.get("file"), str) or not _PART.fullmatch(part["file"]):
            return "`parts` has a name that is not a part's"
        if not _is_count(part.get("documents")) or not _is_sha256(part.get("sha256")):
            return "`parts` lacks the documents or the checksum of one"
    tables, counts = manifest.get("tables"), manifest.get("counts")
    if not isinstance(tables, dict) or set(tables) != set(TABLES) or not all(map(_is_sha256, tables.values())):
        return "`tables` does not list the tables with their checksums"
    wanted = {"documents", "families", "citations", "citations inside", "dated by filing", "dated by publication"}
    wanted |= {"not dated"}
    if not isinstance(counts, dict) or not wanted <= set(counts) or not all(map(_is_count, counts.values())):
        return "`counts` lacks a number"
    if counts["documents"] > sum(part["documents"] for part in parts):
        return "`counts` has more documents than the parts"
    dropped, sums = manifest.get("dropped"), manifest.get("checksums", {})
    if not isinstance(dropped, dict) or not all(map(_is_count, dropped.values())):
        return "`dropped` is not an object of numbers"
    if not _is_count(manifest.get("broken")) or not _is_sha256(manifest.get("hash")):
        return "`broken` or `hash` is missing"
    slips, broken = manifest.get("slips"), manifest.get("first_broken")
    if not isinstance(slips, list) or not all(isinstance(slip, str) for slip in slips):
        return "`slips` is not a list of names"
    if not isinstance(broken, list) or not all(isinstance(each, list) and len(each) == 3 for each in broken):
        return "`first_broken` is not a list of sources, bytes and reasons"
    if version > 1:
        names = {sums_name(name) for name in (*tables, *(part["file"] for part in parts))}
        if not isinstance(sums, dict) or set(sums) != names | {BROKEN} or not all(map(_is_sha256, sums.values())):
            return "`checksums` does not list the sums of every table"
    return ""


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 40


def _is_sha256(value: object) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _hint(folder: Path) -> str:
    inside = folder / "collection"  # where a simulated office keeps its own
    return f"did you mean {inside}?" if (inside / MANIFEST).exists() else "`leadline collection build` makes one"
