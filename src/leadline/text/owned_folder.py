"""Folders that are provably ours: an identity file says what a folder is and which names in it we made.

    FOLDER/leadline.jsonl    {"kind": "collection", "format": 1, "id": "9f0c…", "checksum": "2a…"}
                             then a line for each name we made, with its checksum

Only a name that the identity lists is ever removed or replaced. It is a file of the folder or of a folder in it, never
reached through a link, `..` or an absolute path. What else lies there is somebody's, and stays.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from leadline.errors import InputError, nearest
from leadline.text.checksums import Finding, finding_of, open_stored
from leadline.text.files import (
    LOCK_FILE,
    PART_PREFIX,
    PART_SUFFIX,
    FolderLock,
    is_leftover,
    is_trusted,
    new_file,
    put_first,
    remove_leftovers,
    reported,
    sync_folder,
    user_name,
    write_stored,
)
from leadline.text.owned_files import IDENTITY, FolderIdentity, checked_name, identity_line, is_owned, read_identity


@dataclass(kw_only=True)
class OwnedFolder(FolderIdentity):
    """A folder with our identity file in it."""

    path: Path

    @classmethod
    def claim(cls, path: str | os.PathLike[str], kind: str, format: int) -> OwnedFolder:
        """The folder to write to: new, empty, or ours and of the same kind. Anything else is refused."""
        folder = Path(path)
        if folder.is_symlink() and not folder.exists():
            raise InputError(str(folder), "is a link that leads nowhere")
        if folder.exists() and not folder.is_dir():
            raise InputError(str(folder), f"is a file; name a folder for the {kind}")
        # Who is root may write anywhere, so a folder of somebody else is taken only once it is a folder of ours.
        if folder.is_dir() and not is_trusted(user := folder.stat().st_uid) and (os.geteuid() or not is_owned(folder)):
            fix = "name a folder of your own, or make this one yours with chown"
            raise InputError(str(folder), f"belongs to another user ({user_name(user)}): {fix}")
        if folder.is_dir() and any(not entry.name.startswith(PART_PREFIX) for entry in folder.iterdir()):
            return cls.open(folder, kind, format, writing=True)
        with reported(folder):
            folder.mkdir(parents=True, exist_ok=True)
            part, descriptor = new_file(folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    identity = {"kind": kind, "format": format, "id": secrets.token_hex(16)}
                    file.write(identity_line(identity).encode() + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
                    put_first(part, folder / IDENTITY)  # while it is locked, so that nobody takes it for a leftover
            finally:
                part.unlink(missing_ok=True)
            sync_folder(folder)
        return cls.open(folder, kind, format, writing=True)

    @classmethod
    @contextlib.contextmanager
    def locked(
        cls, path: str | os.PathLike[str], kind: str, format: int, *, patience: float = 0.0
    ) -> Iterator[OwnedFolder]:
        """The folder to write to, as `claim` gives it, while no other process writes there.

        Who writes there already is waited for as many seconds as `patience` says.
        """
        folder, unused = cls.claim(path, kind, format).path, False
        try:
            with FolderLock(folder, patience=patience):
                try:
                    owned = cls.open(folder, kind, format, writing=True)  # as the last writer left it
                    owned.remove_leftovers()
                    yield owned
                finally:
                    unused = {entry.name for entry in folder.iterdir()} <= {IDENTITY, LOCK_FILE}
                    if unused:
                        (folder / IDENTITY).unlink(missing_ok=True)
        finally:
            if unused:
                with contextlib.suppress(OSError):
                    folder.rmdir()

    @classmethod
    def open(cls, path: str | os.PathLike[str], kind: str, format: int, *, writing: bool = False) -> OwnedFolder:
        """A folder of ours. One of another kind, of a newer format, or without identity is refused."""
        folder = Path(path)
        owned = identity_of(folder)
        if owned is None:
            problem = f"is not {_with_article(kind)}"
            if writing:
                problem = (
                    f"has other things in it, or is {_with_article(kind)} of an older version: make it in a new folder"
                )
            raise InputError(str(folder), problem)
        if owned.kind != kind:
            problem = f"is {_with_article(owned.kind)}, not {_with_article(kind)}; name another folder"
            raise InputError(str(folder), problem)
        if owned.format > format:
            problem = f"has format {owned.format}, this version reads up to {format}: update leadline"
            raise InputError(str(folder), problem)
        if writing:
            if not is_trusted(owned.user):
                raise InputError(str(folder / IDENTITY), "was put there by another user: name a folder of your own")
            owned.format = format  # what is written is of this version
        return owned

    def add(self, *names: str) -> None:
        """List names before they are made, so that whatever is left after a stop can be removed by the next."""
        new = [name for name in dict.fromkeys(names) if name not in self.names]
        for name in new:
            checked_name(name, str(self.path))
        if new:
            # Each begins a line of its own, also behind one that was cut when a program was killed.
            lines = "".join("\n" + identity_line({"name": name}) for name in new) + "\n"
            identity = self.path / IDENTITY
            with reported(identity, len(lines)), open(identity, "ab", opener=_open_existing) as file:
                file.write(lines.encode())
                file.flush()
                os.fsync(file.fileno())
            self.names.update(new)

    def reserve(self, *names: str) -> None:
        """List names that are about to be written; refuse one that is there and not ours."""
        for name in names:
            if name not in self.names and os.path.lexists(self.path / name):
                raise InputError(str(self.path / name), f"is not of this {self.kind}: move it, or name a new folder")
        self.add(*names)

    def remove(self, names: Iterable[str]) -> list[str]:
        """Remove files and empty folders of ours; returns what could not be removed."""
        kept = []
        for name in sorted(names, key=lambda each: -each.count("/")):  # what is inside a folder before the folder
            if name not in self.names:
                raise InputError(str(self.path / name), "is not listed as ours, so it is not removed")
            try:
                self._remove_one(name)
            except FileNotFoundError:
                pass
            except OSError:
                kept.append(name)
        return kept

    def remove_all(self, prefix: str) -> None:
        """Remove what is listed under names that begin so."""
        self.remove([name for name in self.names if name.startswith(prefix)])

    def remove_leftovers(self) -> None:
        """Remove files in the making that a killed process left, in this folder and those of ours in it."""
        for folder in self._folders():
            remove_leftovers(folder)

    def leftovers(self) -> Iterator[Path]:
        """Files in the making that no process is writing, in this folder and those of ours in it."""
        for folder in self._folders():
            yield from (path for path in sorted(folder.glob(f"{PART_PREFIX}*{PART_SUFFIX}")) if is_leftover(path))

    def _folders(self) -> Iterator[Path]:
        yield self.path
        inside = (self.path / name for name in sorted(self.names))
        yield from (path for path in inside if path.is_dir() and not path.is_symlink())

    def strangers(self) -> Iterator[Path]:
        """What lies in this folder, and in those of ours in it, and is not ours."""
        known = {IDENTITY, LOCK_FILE, *self.names}
        for entry in sorted(self.path.iterdir()):
            if entry.name not in known and not is_leftover(entry):
                yield entry
            elif entry.name in self.names and entry.is_dir() and not entry.is_symlink() and not is_owned(entry):
                inside = sorted(path for path in entry.iterdir() if f"{entry.name}/{path.name}" not in known)
                yield from (path for path in inside if not is_leftover(path))

    def _remove_one(self, name: str) -> None:
        folder, _, last = name.rpartition("/")
        place = self.path / folder if folder else self.path
        if folder and place.is_symlink():
            raise OSError("a link")
        if os.unlink in os.supports_dir_fd and os.name == "posix":
            # By descriptor, so that nobody can put a link in the folder's place between the check and the removal.
            flags = os.O_RDONLY | os.O_DIRECTORY
            descriptor = os.open(place, flags | os.O_NOFOLLOW if folder else flags)
            try:
                about = os.lstat(last, dir_fd=descriptor)
                (os.rmdir if stat.S_ISDIR(about.st_mode) else os.unlink)(last, dir_fd=descriptor)
            finally:
                os.close(descriptor)
            return
        target = place / last
        (target.rmdir if target.is_dir() and not target.is_symlink() else target.unlink)()

    def keep_only(self, names: Iterable[str]) -> None:
        """Forget the names that are gone: the list is written anew with these and whatever else is still there."""
        wanted = set(names)
        left = {name for name in self.names if name in wanted or os.path.lexists(self.path / name)}
        identity = {"kind": self.kind, "format": self.format, "id": self.id}
        lines = [identity_line(identity), *(identity_line({"name": name}) for name in sorted(left))]
        write_stored(self.path / IDENTITY, ("\n".join(lines) + "\n").encode())
        self.names = left
        sync_folder(self.path)


def _open_existing(path: str, flags: int) -> int:
    """Open a stored file to append to, and never make one."""
    return open_stored(path, flags & ~os.O_CREAT)


def identity_of(folder: Path) -> OwnedFolder | None:
    """What a folder says it is; None where it has no identity file. A damaged one is an error."""
    said = read_identity(folder)
    return None if said is None else OwnedFolder(path=folder, **vars(said))


def wrong_folder(path: Path, kind: str, fix: str) -> InputError:
    """The error for a path that is not a folder of a kind: what it is instead, and the nearest fix."""
    named = _with_article(kind)
    if not os.path.lexists(path):
        beside: list[str] = []
        with contextlib.suppress(OSError):
            beside = [entry.name for entry in path.absolute().parent.iterdir() if is_owned(entry)]
        near = nearest(path.name, beside) or f"; {fix}"
        return InputError(os.fspath(path), f"is not {named}, there is no such folder{near}")
    if not path.is_dir():
        return InputError(os.fspath(path), f"is not {named} but a file; {fix}")
    owned = identity_of(path)
    other = "" if owned is None or owned.kind == kind else f" but {_with_article(owned.kind)}"
    return InputError(os.fspath(path), f"is not {named}{other}; {fix}")


def discard(folder: Path) -> None:
    """Remove a folder of ours and the folders of ours in it; what is not ours stays, with the folder it is in."""
    owned = None if folder.is_symlink() else identity_of(folder)
    if owned is None or not is_trusted(owned.user):
        return
    owned.remove_leftovers()
    for name in owned.names:
        discard(folder / name)
    owned.remove(owned.names)
    if {entry.name for entry in folder.iterdir()} <= {IDENTITY, LOCK_FILE}:
        with contextlib.suppress(OSError):
            (folder / LOCK_FILE).unlink(missing_ok=True)
            (folder / IDENTITY).unlink()
            folder.rmdir()


def _with_article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def check_listed(folder: Path, names: Iterable[str]) -> Iterator[Finding]:
    """A finding if a folder has no identity file, or one that does not list these names where they are there.

    An identity that was cut between two lines has no damaged one; what it does not list would never be removed.
    """
    try:
        owned = identity_of(folder)
    except InputError:  # damaged, which is said elsewhere
        return
    if owned is None:
        yield Finding(str(folder / IDENTITY), "is missing", "restore it from a copy of the folder, or make that again")
        return
    missing = [name for name in sorted({*names} - owned.names) if os.path.lexists(folder / name)]
    if missing and not owned.damaged:
        problem = f"does not list {missing[0]}, which is of this {owned.kind}"
        yield Finding(str(folder / IDENTITY), problem, f"restore it from a copy, or make the {owned.kind} again")


def check_identity(folder: Path) -> Iterator[Finding]:
    """A finding if the identity file of a folder is damaged or cannot be read."""
    try:
        owned = identity_of(folder)
    except InputError as error:
        yield finding_of(error, "make the folder again under another name")
        return
    if owned is not None and owned.damaged:
        problem = f"has {owned.damaged} damaged lines, so some files are no longer known as ours"
        yield Finding(str(folder), problem, f"make the {owned.kind} again, under another name if that is refused")
