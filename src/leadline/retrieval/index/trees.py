"""Trees that an index keeps: a scheme of classes, and a thesaurus of headings with their names.

A heading may be at several places of the tree, as in MeSH, and have other headings under it at each. Names are found in
any case, and codes too, as C14.907.489 and D006973. `tree_files.py` reads the files.

>>> tree = Tree.of([
...     Entry("C14", "Vascular Diseases", positions=["C14.907"]),
...     Entry("D006973", "Hypertension", ["High Blood Pressure"], ["C14.907.489"]),
... ])
>>> [each.label for each in tree.exploded("vascular diseases")]
['Vascular Diseases', 'Hypertension']
>>> tree.heading("high blood pressure")
HeadingNames(label='Hypertension', names=('Hypertension', 'High Blood Pressure'))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from leadline.collections.documents.document import covering
from leadline.errors import InputError, nearest
from leadline.retrieval.index.analysis import prepared
from leadline.retrieval.index.arrays import REBUILD
from leadline.retrieval.index.packing import packed
from leadline.retrieval.index.segment import SegmentFile, stored_terms
from leadline.retrieval.index.terms import Terms, offsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

TreeKind = Literal["scheme", "thesaurus"]
TREES: tuple[TreeKind, ...] = ("scheme", "thesaurus")
MOST_LEVELS = 1000  # of a place that is written with points


@dataclass(frozen=True)
class Entry:
    """A heading or class of a file: its code, its label and other names, and where it is.

    Places are either `positions`, whose parts are divided by points, or `broader`, the codes of those right above it.
    """

    code: str
    label: str
    names: Sequence[str] = ()
    positions: Sequence[str] = ()
    broader: Sequence[str] = ()
    others: Sequence[str] = ()  # codes by which it is asked for too, and which texts have only by chance


@dataclass(frozen=True)
class HeadingNames:
    """A heading, and the names under which texts may have it, its label first."""

    label: str
    names: tuple[str, ...]


def name_key(name: str) -> bytes:
    """A name as it is looked for.

    >>> name_key("Diabetes  Mellitus, Type 2")
    b'diabetes mellitus, type 2'
    """
    return b" ".join(prepared(name).split())


@dataclass(frozen=True)
class NumberLists:
    """NumberLists of numbers: that of n is values[starts[n]:starts[n + 1]]."""

    starts: NDArray[np.int64]
    values: NDArray[np.int64]

    @classmethod
    def of(cls, owners: Sequence[int], values: Sequence[int], count: int) -> NumberLists:
        """Each owner's values, in their order."""
        owner = np.array(owners, np.int64)
        order = np.argsort(owner, kind="stable")
        return cls(offsets_of(np.bincount(owner, minlength=count)), np.array(values, np.int64)[order])

    def of_all(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The values of all these lists."""
        parts = [self.values[self.starts[number] : self.starts[number + 1]] for number in numbers.tolist()]
        return np.concatenate([np.empty(0, np.int64), *parts])


@dataclass(frozen=True)
class Tree:
    """The headings of a file, numbered in its order."""

    labels: Terms
    names: Terms  # of all headings, one after the other
    name_starts: NDArray[np.int64]  # of each heading's names
    keys: Terms  # names and codes as they are looked for, sorted, each once
    of_key: NumberLists  # the headings of each
    heading_of: NDArray[np.int64]  # of each place of the tree
    under: NumberLists  # the places right under each place
    source: str = field(default="", compare=False)

    @classmethod
    def of(cls, entries: Iterable[Entry], source: str = "") -> Tree:
        """The tree of the entries of files; of several with the same code, what each says counts."""
        by_code: dict[str, list[Entry]] = {}
        for entry in entries:
            by_code.setdefault(entry.code, []).append(entry)
        if not by_code:
            raise InputError(source, "has no class or heading")
        number_of = {code: number for number, code in enumerate(by_code)}
        keyed: dict[bytes, dict[int, None]] = {}
        places: list[tuple[str, int]] = []
        labels, names, counts = [], [], []
        for number, (code, same) in enumerate(by_code.items()):
            label = next((each.label for each in same if each.label), code)
            own = list(dict.fromkeys([label, *(name for each in same for name in each.names if name)]))
            positions = list(dict.fromkeys(position for each in same for position in each.positions))
            if deep := [position for position in positions if position.count(".") >= MOST_LEVELS]:
                raise InputError(source, f"{code} is at {deep[0][:40]}…, deeper than {MOST_LEVELS} levels")
            labels.append(label)
            names += own
            counts.append(len(own))
            for name in (*own, code, *positions, *(other for each in same for other in each.others)):
                keyed.setdefault(name_key(name), {})[number] = None
            places += [(position, number) for position in positions or [""]]
        keyed.pop(b"", None)
        keys = sorted(keyed)
        owners = [place for place, key in enumerate(keys) for _ in keyed[key]]
        above, below = _edges(places, by_code, number_of)
        return cls(
            Terms.of([label.encode() for label in labels]),
            Terms.of([name.encode() for name in names]),
            offsets_of(counts),
            Terms.of(keys),
            NumberLists.of(owners, [number for key in keys for number in keyed[key]], len(keys)),
            np.array([number for _, number in places], np.int64),
            NumberLists.of(above, below, len(places)),
            source,
        )

    def __len__(self) -> int:
        return len(self.labels)

    def has(self, name: str) -> bool:
        """Whether there is a heading of this name or code."""
        return bool(self.keys.find([name_key(name)])[0] >= 0)

    def heading(self, name: str) -> HeadingNames | None:
        """The heading of a name or code, the first of several; None where there is none."""
        found = self._numbers(name)
        return self._heading(int(found[0])) if len(found) else None

    def exploded(self, name: str) -> list[HeadingNames]:
        """The heading of a name or code, or all that have it, and then every narrower heading; empty without any."""
        asked = self._numbers(name)
        return [self._heading(number) for number in dict.fromkeys([*asked.tolist(), *self._narrower(asked)])]

    def labels_under(self, name: str) -> list[str]:
        """The labels of a heading and of every narrower one."""
        return [each.label for each in self.exploded(name)]

    def nearest(self, name: str) -> str:
        """A hint at a name that is nearly this one; empty without any."""
        key = name_key(name)
        alike = self.keys.prefixed(key[: max(1, min(3, len(key)))])
        return nearest(key.decode(), [self.keys[number].decode() for number in alike[:5000]])

    def groups(self) -> Iterable[list[str]]:
        """The names of each heading that has several."""
        for first, last in pairwise(self.name_starts.tolist()):
            if last - first > 1:
                yield [self.names[number].decode() for number in range(first, last)]

    def _numbers(self, name: str) -> NDArray[np.int64]:
        found = self.keys.find([name_key(name)])
        return self.of_key.of_all(found[found >= 0])

    def _heading(self, number: int) -> HeadingNames:
        first, last = self.name_starts[number : number + 2].tolist()
        return HeadingNames(self.labels[number].decode(), tuple(self.names[at].decode() for at in range(first, last)))

    @cached_property
    def _places(self) -> NumberLists:
        """The places of each heading."""
        places = range(len(self.heading_of))
        return NumberLists.of(self.heading_of.tolist(), list(places), len(self))

    def _narrower(self, numbers: NDArray[np.int64]) -> list[int]:
        """The headings at all places under those of some headings, nearest first; a circle is walked once."""
        level = self._places.of_all(numbers)
        seen = dict.fromkeys(level.tolist())
        while len(level):
            below = dict.fromkeys(self.under.of_all(level).tolist())
            level = np.array([place for place in below if place not in seen], np.int64)
            seen |= dict.fromkeys(level.tolist())
        return list(dict.fromkeys(self.heading_of[list(seen)].tolist())) if seen else []

    def stored(self) -> dict[str, NDArray[Any]]:
        """The arrays of a file."""
        return {
            **stored_terms(self.labels, "labels", "label_lengths"),
            **stored_terms(self.names, "names", "name_lengths"),
            "name_counts": packed(np.diff(self.name_starts)),
            **stored_terms(self.keys, "keys", "key_lengths"),
            **_stored_lists(self.of_key, "of_key"),
            "heading_of": packed(self.heading_of),
            **_stored_lists(self.under, "under"),
        }

    @classmethod
    def open(cls, path: Path, source: str, fix: str = REBUILD) -> Tree:
        """The tree of a file; an error with the advice `fix` where its arrays do not fit together."""
        file = SegmentFile(path, fix)
        labels = file.terms("labels", "label_lengths", "labels")
        names, keys = file.terms("names", "name_lengths", "names"), file.terms("keys", "key_lengths", "names")
        counts = file.integers("name_counts", np.int64, "names")
        heading_of = file.integers("heading_of", np.int64, "places")
        tree = cls(
            labels,
            names,
            offsets_of(counts),
            keys,
            _opened_lists(file, "of_key", len(keys), len(labels)),
            heading_of,
            _opened_lists(file, "under", len(heading_of), len(heading_of)),
            source,
        )
        fits = len(counts) == len(labels) and int(counts.sum()) == len(names) and int(counts.min(initial=1)) > 0
        if not fits or not 0 <= int(heading_of.min(initial=0)) <= int(heading_of.max(initial=0)) < max(len(labels), 1):
            raise file.damaged("headings")
        return tree


def _edges(
    places: Sequence[tuple[str, int]], by_code: dict[str, list[Entry]], number_of: dict[str, int]
) -> tuple[list[int], list[int]]:
    """The upper and the lower place of each step down the tree."""
    place_of = {position: place for place, (position, _) in enumerate(places) if position}
    first_place: dict[int, int] = {}
    for place, (_, number) in enumerate(places):
        first_place.setdefault(number, place)
    above, below = [], []
    for place, (position, _) in enumerate(places):
        upper = position.rpartition(".")[0]
        while upper and upper not in place_of:  # a level that the file leaves out
            upper = upper.rpartition(".")[0]
        if upper:
            above.append(place_of[upper])
            below.append(place)
    for code, same in by_code.items():
        for broader in dict.fromkeys(each for entry in same for each in entry.broader):
            if broader in number_of and broader != code:
                above.append(first_place[number_of[broader]])
                below.append(first_place[number_of[code]])
    return above, below


def _stored_lists(lists: NumberLists, name: str) -> dict[str, NDArray[Any]]:
    return {f"{name}_counts": packed(np.diff(lists.starts)), name: packed(lists.values)}


def _opened_lists(file: SegmentFile, name: str, count: int, below: int) -> NumberLists:
    counts, values = (file.integers(array, np.int64, name) for array in (f"{name}_counts", name))
    fits = len(counts) == count and int(counts.min(initial=0)) >= 0 and int(counts.sum()) == len(values)
    if not fits or not (int(values.min(initial=0)) >= 0 and int(values.max(initial=-1)) < below):
        raise file.damaged(name)
    return NumberLists(offsets_of(counts), values)


# Ranges of classes, in the order in which schemes list them.


def class_range(value: str) -> tuple[str, str] | None:
    """The first and the last class of a range; None for a single class.

    >>> class_range("A61K31/00-A61K31/80"), class_range("A61K31/00")
    (('A61K31/00', 'A61K31/80'), None)
    """
    first, sign, last = value.partition("-")
    return (first, last) if sign else None


def is_subgroup(symbol: str) -> bool:
    """Whether a class is a group under a main group: what is under it is told by its dots in a scheme.

    >>> is_subgroup("A61K31/10"), is_subgroup("A61K31/00"), is_subgroup("A61K31"), is_subgroup("A61K")
    (True, False, False, False)
    """
    return "/" in symbol and covering(symbol) == symbol


def ends_before(value: str) -> bool:
    """Whether a class is a range that ends before it begins."""
    ends = class_range(value)
    return ends is not None and not is_in_range(ends[1], *ends) and class_order(ends[1]) < class_order(ends[0])


def class_order(symbol: str) -> tuple[str, int, str]:
    """The place of a class in the order of a scheme: groups by number, subgroups as the digits of a fraction.

    >>> sorted(["A61K9/00", "A61K31/10", "A61K31/095", "A61K31/00", "A61K"], key=class_order)
    ['A61K', 'A61K9/00', 'A61K31/00', 'A61K31/095', 'A61K31/10']
    """
    group, _, subgroup = symbol[4:].partition("/")
    return symbol[:4], int(group) if group.isdigit() else -1, "" if subgroup == "00" else subgroup


def is_in_range(symbol: str, first: str, last: str) -> bool:
    """Whether a class is from the first up to the last of a range, or under the last.

    >>> [is_in_range(each, "A61K31/00", "A61K31/80") for each in ("A61K31/095", "A61K31/80", "A61K31/802", "A61K33/00")]
    [True, True, False, False]
    >>> is_in_range("A61P3/10", "A61K", "A61P"), is_in_range("A61K33/06", "A61K31", "A61K33/00")
    (True, True)
    """
    if class_order(symbol) < class_order(first):
        return False
    end = covering(last)
    inside = symbol.startswith(end) if len(end) <= 4 else symbol == end or symbol.startswith(f"{end}/")
    return inside or class_order(symbol) <= class_order(last)
