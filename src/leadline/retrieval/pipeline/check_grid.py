"""A full check of a grid: every finished run, and the table of choices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leadline.collections.documents.check import check_file, check_identity, finding_of
from leadline.errors import InputError
from leadline.retrieval.pipeline.grid_runs import FIX, MANIFEST, NOTHING, RUNS, TABLE, finished_runs, read_manifest
from leadline.text.checksums import Finding


def check_grid(folder: Path) -> Iterator[Finding]:
    """The problems of a grid; none if it is undamaged."""
    yield from check_identity(folder)
    try:
        manifest, runs = read_manifest(folder), finished_runs(folder)
    except InputError as error:
        yield finding_of(error, FIX)
        return
    if "table" in manifest:
        yield from check_file(folder / TABLE, manifest["table"], FIX)
    for name, about in runs.items():
        if "/" in name or name.startswith("."):
            yield Finding(str(folder / MANIFEST), f"is damaged, it names a run {name!r}", FIX)
        elif about.get("content") != NOTHING:
            yield from check_file(folder / RUNS / f"{name}.run", about.get("content"), FIX)
