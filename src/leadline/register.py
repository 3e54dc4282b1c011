"""One register for everything that can be added: measures, models, steps, readers, figures, synonyms.

A register knows its members from three places: the files of its own folders, which are found and need no list; what
installed packages offer under its entry point; and what a program adds while it runs, before or after the first use.

>>> shapes = Register[int]("shape")
>>> shapes.add("Square", 4, aliases=("quad",))
>>> shapes.named("square"), shapes.named("QUAD"), list(shapes)
(4, 4, ['Square'])
>>> shapes.named("sqare")
Traceback (most recent call last):
leadline.errors.InputError: shape: 'sqare' is not one of Square; did you mean Square?
"""

from __future__ import annotations

import importlib
import pkgutil
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from leadline.errors import InputError, LeadlineWarning, not_a_choice

Member = TypeVar("Member")


class Register(Mapping[str, Member], Generic[Member]):
    """Members by name; capital and small letters are alike. Iteration is in the order of the names."""

    def __init__(self, kind: str, *packages: str, entry_points: str = "") -> None:
        """`packages` are the folders whose modules add members when imported; `entry_points` a group of them."""
        self.kind = kind
        self._packages = packages
        self._group = entry_points
        self._members: dict[str, Member] = {}  # by the name as it was added
        self._names: dict[str, str] = {}  # names and aliases in small letters
        self._homes: dict[str, str] = {}  # the module that added a member
        self._loaded: set[str] = set()  # packages and groups whose members are known
        self._lock = threading.RLock()

    def add(self, name: str, member: Member, *, aliases: tuple[str, ...] = (), home: str = "") -> None:
        """Add a member. A module may replace what it added itself, as a notebook does; nobody else's."""
        if home.split(".", maxsplit=1)[0] != __package__:
            self._load_packages()  # so that the name of one that is not yet imported is refused
        with self._lock:
            for each in (name, *aliases):
                taken = self._names.get(each.lower())
                if taken is not None and (taken != name or self._homes[taken] != home):
                    raise InputError(
                        self.kind, f"{each!r} is taken by {taken} of {self._homes[taken] or 'this program'}"
                    )
            self._members[name] = member
            self._homes[name] = home
            self._names |= {each.lower(): name for each in (name, *aliases)}

    def find(self, name: str) -> Member | None:
        """The member with this name or alias, or None.

        The file that the package's FILES gives for the name, or else one named like it, is looked into first.
        """
        wanted = name.lower()
        for load in (self._load_file, self._load_packages, self._load_entry_points):
            if wanted in self._names:
                break
            load(wanted)
        written = self._names.get(wanted)
        return None if written is None else self._members[written]

    def named(self, name: str) -> Member:
        """The member with this name or alias; an error with the nearest name when there is none."""
        found = self.find(name)
        if found is None:
            raise not_a_choice(self.kind, name, list(self))
        return found

    def names(self) -> list[str]:
        """Every name and alias."""
        self._load_all()
        return [*self._members, *(alias for alias, name in self._names.items() if alias != name.lower())]

    def __getitem__(self, name: str) -> Member:
        found = self.find(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        self._load_all()
        return iter(sorted(self._members))

    def __len__(self) -> int:
        self._load_all()
        return len(self._members)

    def _load_all(self) -> None:
        self._load_packages()
        self._load_entry_points()

    def _load_file(self, name: str) -> None:
        for package in self._packages:
            file = _files(package).get(name, name)
            if not file.isidentifier():
                continue
            module = f"{package}.{file}"
            try:
                importlib.import_module(module)
            except ModuleNotFoundError as error:
                if error.name != module:
                    raise

    def _load_packages(self, _name: str = "") -> None:
        for package in self._packages:
            if package not in self._loaded:
                # a register may be one file, which has no folder to look through
                for module in pkgutil.iter_modules(getattr(importlib.import_module(package), "__path__", ())):
                    importlib.import_module(f"{package}.{module.name}")
                self._loaded.add(package)

    def _load_entry_points(self, _name: str = "") -> None:
        if not self._group or self._group in self._loaded:
            return
        from importlib.metadata import entry_points

        self._loaded.add(self._group)  # before loading, for what is loaded may look something up
        for entry in entry_points(group=self._group):
            try:
                entry.load()
            except Exception as error:  # somebody else's code, which may fail in any way
                problem = " ".join(f"{type(error).__name__}: {error}".split())
                warnings.warn(
                    f"{self._group}: {entry.value} cannot be loaded: {problem}", LeadlineWarning, stacklevel=2
                )


def _files(package: str) -> Mapping[str, str]:
    """Which file of a package defines which name, where the package says so: {name in small letters: file}."""
    files: Mapping[str, str] = getattr(importlib.import_module(package), "FILES", {})
    return files
