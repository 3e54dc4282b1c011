"""A review in one file: taken while people read, and brought back in a new folder or added to the review it came from.

The file is a ZIP archive of the folder of a review: settings, candidates, people, the journal, and the collections that
are inside the folder. Its `backup.json` lists every file with its size and checksum.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from leadline.errors import InputError, system_reason, visible
from leadline.judge.assessors.journal import JudgingJournal
from leadline.judge.review.project import BESIDE_JOURNAL, JOURNAL, KIND, PEOPLE, SETTINGS, VERSION, ReviewProject
from leadline.text.checksums import check_seal, file_sha256, parsed_object, sealed
from leadline.text.files import PART_PREFIX, replacing
from leadline.text.lock import LOCK_FILE
from leadline.text.owned_folder import OwnedFolder

WHAT, FORMAT, LIST = "a backup of a review", 1, "backup.json"
REPAIR = "use another backup"
LARGEST_LIST = 64 << 20  # bytes
AT_ONCE = 1 << 20  # bytes
NAME = re.compile(
    rf"{re.escape(SETTINGS)}|{JOURNAL}|{PEOPLE}|candidates-\d+\.tsv|collection-\d+(/[\w=+-][\w.=+-]*){{1,2}}", re.ASCII
)


@dataclass(frozen=True)
class BackupContents:
    """What a backup has, or what was brought back from one."""

    events: int
    files: int
    elsewhere: tuple[str, ...] = ()  # collections outside the folder, which are not in the backup


def back_up_review(project: ReviewProject, path: str | os.PathLike[str]) -> BackupContents:
    """Write a review to a new file, also while it is served; the file is complete or not there."""
    target = Path(path)
    if os.path.lexists(target):
        raise InputError(str(target), "is there already; name a new file for the backup")
    # Under the lock, so that nobody adds a round meanwhile; people who read do not need it.
    with (
        OwnedFolder.locked(project.folder, KIND, VERSION),
        tempfile.TemporaryDirectory() as place,
        replacing(target) as file,
    ):
        project = ReviewProject.open(project.folder)
        copy = Path(place) / JOURNAL
        with contextlib.closing(project.journal()) as journal:
            journal.backup(copy)
        with contextlib.closing(JudgingJournal(copy)) as copied:
            events = len(copied)
        listed: dict[str, Any] = {}
        with zipfile.ZipFile(file, "w") as archive:
            for name, source in (*_files(project), (JOURNAL, copy)):
                archive.write(source, name)
                listed[name] = {"bytes": source.stat().st_size, "sha256": file_sha256(source)}
            archive.writestr(LIST, sealed({"what": WHAT, "format": FORMAT, "events": events, "files": listed}))
    target.chmod(0o600)  # it has the hashes of the people's links
    return BackupContents(events, len(listed), _elsewhere(project))


def _elsewhere(project: ReviewProject) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.collection for each in project.rounds if not _is_inside(project, each.collection)))


def _is_inside(project: ReviewProject, collection: str) -> bool:
    return (project.folder / Path(collection).name).is_dir()


def _files(project: ReviewProject) -> Iterator[tuple[str, Path]]:
    """The files of a review besides its journal, with their names in the backup; the settings come last."""
    folder = project.folder
    for each in project.rounds:
        yield each.file, folder / each.file
    for each in project.rounds:
        if _is_inside(project, each.collection):
            inside = folder / Path(each.collection).name
            for path in sorted(inside.rglob("*")):
                if path.is_file() and path.name != LOCK_FILE and not path.name.startswith(PART_PREFIX):
                    yield path.relative_to(folder).as_posix(), path
    if (folder / PEOPLE).is_file():
        yield PEOPLE, folder / PEOPLE
    yield SETTINGS, folder / SETTINGS


def bring_back_review(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> BackupContents:
    """Bring a review back from its backup: all of it to a new folder, or only the events that a review lacks.

    A review is added to only if it has the candidates of the backup.
    """
    place, where = Path(folder), os.fspath(path)
    with _opened(where) as (archive, listed):
        if (place / SETTINGS).is_file():
            return _merged(archive, listed, place, where)
        with OwnedFolder.locked(place, KIND, VERSION) as owned:
            own = dict.fromkeys(name.partition("/")[0] for name in listed["files"])
            owned.reserve(*own, *BESIDE_JOURNAL)
            # The settings last: a folder without them is not a review yet, and can be written to again.
            for name in sorted(listed["files"], key=lambda name: name == SETTINGS):
                _extract(archive, name, listed["files"][name], place / name, where)
    brought = ReviewProject.open(place)
    with contextlib.closing(brought.journal()) as journal:
        return BackupContents(len(journal), len(listed["files"]), _elsewhere(brought))


def _merged(archive: zipfile.ZipFile, listed: dict[str, Any], place: Path, where: str) -> BackupContents:
    """Add the events of a backup that a review lacks to its journal."""
    project = ReviewProject.open(place)
    known = {each.file: each.sha256 for each in project.rounds}
    for name, about in listed["files"].items():
        if name.startswith("candidates-") and known.get(name) != about["sha256"]:
            problem = f"is a backup of another review than {place}, or of one with more rounds: name a new folder"
            raise InputError(where, problem)
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / JOURNAL
        _extract(archive, JOURNAL, listed["files"][JOURNAL], copy, where)
        with contextlib.closing(project.journal()) as journal:
            return BackupContents(journal.merge_from(copy), 0)


@contextlib.contextmanager
def _opened(where: str) -> Iterator[tuple[zipfile.ZipFile, dict[str, Any]]]:
    """The archive and its list, which is checked; errors of a damaged archive are told in one line."""
    try:
        with zipfile.ZipFile(where) as archive:
            if LIST not in archive.namelist() or archive.getinfo(LIST).file_size > LARGEST_LIST:
                raise InputError(where, f"is not {WHAT}: `leadline review backup` makes one")
            listed = parsed_object(archive.read(LIST), where, REPAIR)
            check_seal(listed, where, REPAIR)
            if listed.get("what") != WHAT:
                raise InputError(where, f"is not {WHAT}: `leadline review backup` makes one")
            if listed["format"] > FORMAT:
                problem = f"has format {listed['format']}, this version reads up to {FORMAT}: update leadline"
                raise InputError(where, problem)
            for name in listed["files"]:
                if not NAME.fullmatch(name):
                    raise InputError(where, f"is damaged, it has a file {visible(name)}: {REPAIR}")
            for name in (SETTINGS, JOURNAL):
                if name not in listed["files"]:
                    raise InputError(where, f"is damaged, it has no {name}: {REPAIR}")
            yield archive, listed
    except (zipfile.BadZipFile, EOFError, KeyError, TypeError, NotImplementedError, RuntimeError) as error:
        raise InputError(where, f"is not {WHAT}, or is damaged ({error}): {REPAIR}") from None
    except OSError as error:
        raise InputError(error.filename or where, f"cannot be read: {system_reason(error)}") from None


def _extract(archive: zipfile.ZipFile, name: str, about: dict[str, Any], target: Path, where: str) -> None:
    """Write one file of a backup, whole and only if it is what the list says."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(name) as source, replacing(target) as file:
        _copy(source, file, name, about, where)
    if name in (PEOPLE, JOURNAL):
        target.chmod(0o600)


def _copy(source: IO[bytes], file: IO[bytes], name: str, about: dict[str, Any], where: str) -> None:
    digest, left = hashlib.sha256(), int(about["bytes"])
    while block := source.read(AT_ONCE):
        digest.update(block)
        left -= len(block)
        if left < 0:
            break
        file.write(block)
    if left or digest.hexdigest() != about["sha256"]:
        raise InputError(where, f"is damaged, {name} is not what was written: {REPAIR}")
