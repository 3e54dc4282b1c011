"""The folder of the runs that simulated reviews give: each with its manifest, by which damage to it is told."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from leadline.records.manifest import check_manifest, write_manifest
from leadline.text.checksums import Finding
from leadline.text.files import write_stored
from leadline.text.owned_files import MANIFEST
from leadline.text.owned_folder import OwnedFolder, check_identity, check_listed, identity_of
from leadline.version import __version__

KIND, VERSION = "runs of reviews", 1
REPAIR = "simulate the reviews again"
_END = ".run"


def write_runs(folder: str | os.PathLike[str], runs: Mapping[str, bytes]) -> None:
    """Write runs by their names; those that were there before go."""
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        files = {f"{name}{_END}": content for name, content in runs.items()}
        names = [*files, *(f"{name}{MANIFEST}" for name in files)]
        owned.reserve(*names)
        for name, content in files.items():
            path = owned.path / name
            write_stored(path, content)
            write_manifest(path, {"what": "a run", "leadline": __version__, "tag": name.removesuffix(_END)})
        owned.remove(owned.names - set(names))
        owned.keep_only(names)


def check_runs(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with the runs; those of version 0.1 have no manifests."""
    yield from check_identity(folder)
    owned = identity_of(folder)
    names = set() if owned is None else owned.names
    yield from check_listed(folder, [name for each in names for name in (each.removesuffix(MANIFEST), each + MANIFEST)])
    for name in sorted(names):
        if not os.path.lexists(folder / name):
            yield Finding(str(folder / name), "is missing", REPAIR)
        elif name.endswith(_END):
            yield from check_manifest(folder / name)
