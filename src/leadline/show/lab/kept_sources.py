"""The sources that people sent for a collection or a review, kept until nothing needs them.

    LAB/sources/leadline.jsonl   the names of what is here
    LAB/sources/HASH/FILE        the files that were confirmed together; HASH is that of their names and contents

They are written whole before the job that reads them is asked for. What a machine that stopped in between has left is
of no job, and is removed the next time.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from leadline.errors import InputError
from leadline.show.lab.jobs import Jobs
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import LAB_FOLDER, SOURCES, SOURCES_FOLDER
from leadline.text.checksums import Finding, file_sha256
from leadline.text.files import PATIENCE, replacing_ours, reported
from leadline.text.owned_folder import OwnedFolder, check_identity, check_listed

Made = TypeVar("Made")


def keep_sources(lab: Lab, files: Mapping[str, Path], ask: Callable[[Path, str], Made]) -> Made:
    """Copy files into the lab, and ask for the work on them: `ask` gets their folder and its hash."""
    sha256 = _hash({name: file_sha256(path) for name, path in files.items()})
    place = lab.folder / SOURCES
    with OwnedFolder.locked(lab.folder, *LAB_FOLDER, patience=PATIENCE) as outer:
        outer.reserve(SOURCES)
    with OwnedFolder.locked(place, *SOURCES_FOLDER, patience=PATIENCE) as owned:
        _remove_unused(lab, owned, keep=sha256)
        owned.reserve(sha256, *(f"{sha256}/{name}" for name in files))
        with reported(place):
            (place / sha256).mkdir(exist_ok=True)
        for name, path in files.items():
            if not (place / sha256 / name).exists():
                with path.open("rb") as old, replacing_ours(place / sha256 / name) as new:
                    shutil.copyfileobj(old, new)
        return ask(place / sha256, sha256)


def _remove_unused(lab: Lab, owned: OwnedFolder, keep: str) -> None:
    """Remove the sources that no job names."""
    used = {part for job in Jobs(lab).all() for word in job.arguments for part in Path(word).parts} | {keep}
    gone = {name for name in owned.names if name.partition("/")[0] not in used}
    if gone:
        owned.remove(sorted(gone, key=len, reverse=True))
        owned.keep_only(owned.names - gone)


def check_sources(place: Path) -> Iterator[Finding]:
    """Everything that is damaged in the folder of sources of a lab, if it has one."""
    if not os.path.lexists(place):
        return
    sent = [path for path in sorted(place.iterdir()) if path.is_dir() and re.fullmatch("[0-9a-f]{32}", path.name)]
    files = [f"{folder.name}/{path.name}" for folder in sent for path in folder.iterdir()]
    yield from (*check_identity(place), *check_listed(place, [*(folder.name for folder in sent), *files]))
    for each in sent:
        try:
            found = _hash({path.name: file_sha256(path) for path in each.iterdir()})
        except (OSError, InputError):
            found = ""
        if found != each.name:
            yield Finding(str(each), "is not what was sent", "remove it: what was made of it does not need it")


def _hash(files: Mapping[str, str]) -> str:
    """The hash of files with these names and hashes."""
    said = "".join(f"{name}\0{sha256}\n" for name, sha256 in sorted(files.items()))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]
