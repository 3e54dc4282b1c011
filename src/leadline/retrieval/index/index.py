"""An index on disk: a folder with a manifest and a file for each segment; its lists united and intersected.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> texts = [{"id": "EP1", "abstract": "A polymer film."}, {"id": "EP2", "abstract": "Films of metal."}]
    >>> index = Index.build(texts, folder.name, fields=["abstract"])
    >>> len(index), index.lists("abstract", [b"film"]).documents.tolist()
    (2, [0, 1])
    >>> folder.cleanup()

Rows number the documents from 0 in the order in which they were added. The manifest names the segments, and is replaced
as the last step of every change: opening the folder gives the old index or the new one. A document that was changed or
deleted is dead in its segment (`tombstones.py`), and everything is as if it were not there.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.collections.documents.document import covering, is_main_group
from leadline.errors import InputError, LeadlineWarning, checked_choice
from leadline.records.result import Result, counted
from leadline.retrieval.choices import FIELDS
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.derived import split_fields
from leadline.retrieval.index.inverting import Records
from leadline.retrieval.index.kernel_arguments import FieldLists
from leadline.retrieval.index.manifest import (
    MANIFEST,
    OrderFile,
    Origin,
    opened_segment,
    opened_tree,
    read_manifest,
    trees_of,
)
from leadline.retrieval.index.packing import NOT_IN_ORDER, PackedArray
from leadline.retrieval.index.segment import CODES, NUMBERS, CodedColumn
from leadline.retrieval.index.terms import offsets_of
from leadline.retrieval.index.trees import Tree, TreeKind, class_range, ends_before, is_in_range, is_subgroup
from leadline.text.engine import Kernel, compiled_job
from leadline.text.fields import encode_id

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.choices import Members, Unit
    from leadline.retrieval.index.writing import Changes
    from leadline.text.spread import MemoryLike, Spread

    _United = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]


@dataclass(frozen=True)
class Lists:
    """The postings of some terms, concatenated: those of term t are offsets[t]:offsets[t + 1]."""

    offsets: NDArray[np.int64]
    documents: NDArray[np.int32]
    frequencies: NDArray[np.int32]
    occurrences: NDArray[np.int64]  # of each term in the whole field


class Words(NamedTuple):
    """A word or a phrase: terms of the dictionaries; None is a word that none has, but that has a place."""

    terms: tuple[bytes | None, ...]


class AnyTerm(NamedTuple):
    """Any of several terms, by their numbers in the dictionary of each segment."""

    numbers: NDArray[np.int64]
    ends: NDArray[np.int64]  # of those of each segment


Part = Words | AnyTerm


class Index(Result):
    """An index: the postings of every term, by field, and the metadata of the documents."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder, self.manifest = folder, manifest
        self.analysis = Analysis.of(manifest["analysis"], str(folder / MANIFEST))
        self._check_stemmer()
        self.fields: list[str] = manifest["fields"]
        # The fields of the documents, and those derived from them, which are searched only by name.
        self.own, self.derived = split_fields(self.fields)
        self.unit: Unit = manifest.get("unit", "document")
        self.segments = [opened_segment(folder, known) for known in manifest["segments"]]
        self.bases = offsets_of([len(segment) for segment in self.segments])
        self._columns: dict[str, NDArray[Any]] = {}  # those that were asked for
        self.kept: dict[Any, Any] = {}  # what searches made of it, by what it is; all queries share it
        self._trees: dict[TreeKind, Tree | None] = {}  # those that were asked for; all queries share them
        self._order = OrderFile(folder, manifest, len(self))
        # The rank of each document by id: documents with equal scores are sorted by it, high first.
        self.ranks = self._order.ranks

    def _finding(self) -> str:
        return f"{self.folder}: {counted(len(self), self.unit)}; fields {', '.join(self.fields)}"

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Index:
        """Open an index that `build` made."""
        manifest = read_manifest(Path(folder))
        try:
            return cls(Path(folder), manifest)
        except InputError:  # files may have gone because the index has just been changed: then there is a new manifest
            newer = read_manifest(Path(folder))
            if newer == manifest:
                raise
            return cls(Path(folder), newer)

    @classmethod
    def build(
        cls,
        source: Iterable[Any] | Records,
        folder: str | os.PathLike[str],
        *,
        fields: Sequence[str] = FIELDS,
        analysis: Analysis | None = None,
        positions: bool = False,
        workers: int | None = None,
        origin: str = "",
        unit: Unit = "document",
        members: Members = "joined",
        spread: Spread | None = None,
        memory: MemoryLike = None,
    ) -> Index:
        """Index a collection, or an iterable of Documents or mappings. An index in the folder is replaced.

        `fields` may include the derived fields biology, entities, phrases and sentences. With `unit="family"` a row is
        a family, with the texts that `members` chooses (see `families.py`). `workers` threads invert batches in
        parallel (default: one per processor); with `spread` others do. `memory`, such as "2GB", is the most that is
        held: batches become smaller, and the index is the same.
        """
        from leadline.retrieval.index.writing import build

        build(
            source,
            Path(folder),
            fields,
            analysis or Analysis(),
            positions,
            workers,
            origin,
            unit,
            members,
            memory,
            spread,
        )
        return cls.open(folder)

    def add(self, source: Iterable[Any] | Records, *, workers: int | None = None) -> Index:
        """Add documents as a new segment, and return the new index."""
        from leadline.retrieval.index.writing import add

        if self.unit != "document":
            problem = "is an index of families, to which no documents can be added: update its collection, and then it"
            raise InputError(str(self.folder), problem)
        add(source, self, workers)
        return Index.open(self.folder)

    def keep(self, trees: Mapping[TreeKind, Tree]) -> Index:
        """Keep a scheme of classes or a thesaurus in the folder, and return the new index.

        Every search of the index then knows what is under a class or a heading. An update of the index keeps them.
        """
        from leadline.retrieval.index.writing import keep_trees

        keep_trees(self.folder, self.manifest, trees)
        return Index.open(self.folder)

    @property
    def kept_trees(self) -> list[TreeKind]:
        """Which trees are kept."""
        return list(trees_of(self.manifest))

    @property
    def scheme(self) -> Tree | None:
        """The scheme of classes that the index keeps; None where it has none."""
        return self._tree("scheme")

    @property
    def thesaurus(self) -> Tree | None:
        """The thesaurus that the index keeps; None where it has none."""
        return self._tree("thesaurus")

    def _tree(self, kind: TreeKind) -> Tree | None:
        if kind not in self._trees:
            self._trees[kind] = opened_tree(self.folder, self.manifest, kind)
        return self._trees[kind]

    def update(
        self,
        collection: Records,
        *,
        workers: int | None = None,
        changes: Changes | None = None,
        texts: Any = None,
        origin: str | None = None,
    ) -> Index:
        """Bring the index up to date with its collection, and return the new index.

        Documents that are new or changed are indexed; those that were changed or deleted are no longer found. `changes`
        are those that `changes_of` found, `texts` gives the texts of documents (default: the collection), and `origin`
        is the folder of the collection, where it was moved.
        """
        from leadline.retrieval.index.writing import changes_of, groups_to_merge, merge_groups, update

        update(self, collection, changes or changes_of(self, collection), workers, texts, origin)
        index = Index.open(self.folder)
        while groups := groups_to_merge(index.manifest["segments"]):
            merge_groups(index, groups)
            index = Index.open(self.folder)
        return index

    def tidy(self) -> None:
        """Remove what a killed process left in the folder."""
        from leadline.retrieval.index.writing import tidy

        tidy(self.folder, self.manifest)

    def merge(self) -> Index:
        """Merge all segments into one, and return the new index."""
        from leadline.retrieval.index.writing import merge_all

        if len(self.segments) == 1 and not self.has_dead:
            return self
        merge_all(self)
        return Index.open(self.folder)

    @property
    def has_dead(self) -> bool:
        """Whether a segment has dead documents."""
        return any(segment.get("dead") for segment in self.manifest["segments"])

    @property
    def origin(self) -> Origin | None:
        """Where the documents come from; None where that is not known."""
        return self._order.origin

    def _check_stemmer(self) -> None:
        """Warn if queries would be stemmed by another version of PyStemmer than the documents."""
        stored, installed = self.manifest.get("stemmer"), self.analysis.stemmer_version()
        if stored and installed and stored != installed:
            problem = f"made with PyStemmer {stored}, this is {installed}, and stems may differ"
            fix = "build the index again, or install that version"
            warnings.warn(f"{self.folder}: {problem}: {fix}", LeadlineWarning, stacklevel=4)

    def __len__(self) -> int:
        return int(self.bases[-1])

    def check(self) -> None:
        """Read every byte and raise InputError if anything is damaged."""
        from leadline.retrieval.index.manifest import check_index

        for finding in check_index(self.folder):
            raise InputError(finding.path, f"{finding.problem}: {finding.mend}")

    # Documents

    @cached_property
    def ids(self) -> list[str]:
        """The id of every document, by row."""
        return [name.decode() for segment in self.segments for name in segment.ids]

    def id_of(self, row: int) -> str:
        number = int(np.searchsorted(self.bases, row, "right")) - 1
        return self.segments[number].ids[int(row - self.bases[number])].decode()

    @cached_property
    def _row_of(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.ids)}

    def row(self, name: str) -> int:
        """The row of a document."""
        if name not in self._row_of:
            raise InputError(name, f"is not in the index {self.folder}")
        return self._row_of[name]

    def has(self, name: str) -> bool:
        """Whether there is a document of this id."""
        return name in self._row_of

    # Words

    def field(self, name: str) -> str:
        """The name, if the index has such a field; otherwise InputError."""
        return checked_choice("field", name, self.fields)

    def lengths(self, field: str) -> NDArray[np.int32]:
        """The number of terms in a field of each document."""
        parts = [segment.field(self.field(field)).lengths for segment in self.segments]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def lists(self, field: str, terms: Sequence[bytes]) -> Lists:
        """The postings of terms over all segments; a term that does not occur has an empty list."""
        parts = [segment.field(self.field(field)) for segment in self.segments]
        counts, occurrences = np.zeros((len(parts), len(terms)), np.int64), np.zeros(len(terms), np.int64)
        documents, frequencies = [], []
        for part, base, count in zip(parts, self.bases.tolist(), counts, strict=False):
            number = part.terms.find(terms)
            here = number >= 0
            starts, stops = np.zeros(len(terms), np.int64), np.zeros(len(terms), np.int64)
            starts[here], stops[here] = part.starts[number[here]], part.starts[number[here] + 1]
            occurrences[here] += part.totals[number[here]]
            count[:] = stops - starts
            rows, counts_of = part.postings(starts, stops)
            documents.append(rows + np.int32(base))
            frequencies.append(counts_of)
        offsets = offsets_of(counts.sum(axis=0))
        return Lists(offsets, _term_by_term(documents, counts), _term_by_term(frequencies, counts), occurrences)

    def has_terms(self, field: str, terms: Sequence[bytes]) -> NDArray[np.bool_]:
        """Which terms a field has."""
        found = [segment.field(self.field(field)).terms.find(terms) >= 0 for segment in self.segments]
        return np.logical_or.reduce(found)

    def are_stored(self, terms: Sequence[bytes]) -> bool:
        """Whether the lists of these terms are those of the segments."""
        return True

    def part_of(self, term: bytes, field: str) -> Part | None:
        """What a term is in a field, where its documents can be read from the lists of the segments; else None."""
        return Words((term,))

    def expand(self, field: str, prefix: str, limit: int = 1000) -> list[str]:
        """The first terms of a field that begin with a prefix, sorted."""
        found: set[bytes] = set()
        for segment in self.segments:
            terms = segment.field(self.field(field)).terms
            found.update(terms[number] for number in terms.prefixed(encode_id(prefix))[:limit])
        return [term.decode() for term in sorted(found)[:limit]]

    # Metadata

    def column(self, name: str) -> NDArray[Any]:
        """A number for each document: a day since 1970 (`segment.MISSING` where none is known), or a family."""
        checked_choice("column", name, list(NUMBERS))
        if name == "family" and self.origin is not None:  # families change with the collection
            return self.origin.family
        if name not in self._columns:
            column = np.concatenate([segment.numbers(name) for segment in self.segments])
            column.flags.writeable = False  # all who ask share it
            self._columns[name] = column
        return self._columns[name]

    def words_of(self, column: str, row: int) -> list[str]:
        """The words of a document in a column: its classes, its applicants, the numbers that it cites."""
        checked_choice("column", column, list(CODES))
        number = int(np.searchsorted(self.bases, row, "right")) - 1
        coded, place = self.segments[number].coded(column), row - int(self.bases[number])
        codes = coded.codes[coded.offsets[place] : coded.offsets[place + 1]]
        return [coded.terms[code].decode() for code in codes.tolist()]

    def having(self, column: str, words: Sequence[str]) -> NDArray[np.bool_]:
        """Which documents have one of these offices, or one of these classes or a class under one of them.

        A class is a section, class, subclass or group: C07 includes C07D401/04, and C07D4 is group 4, C07D4* also 40 to
        49 and so on. A main group, written C07D401 or C07D401/00, includes its subgroups, and where the index keeps a
        scheme, a subgroup those under it. C07D401-C07D405 are all from the first up to the last and what is under it.
        """
        checked_choice("column", column, list(CODES))
        asked = ["".join(word.upper().split()) for word in words]
        if column not in CLASS_COLUMNS:
            return self._having(column, asked, [])
        ranges = [ends for word in asked if (ends := class_range(word)) and not ends_before(word)]
        listed, others = [], []
        for word in [*(word for word in asked if not class_range(word)), *(last for _, last in ranges)]:
            known = self.scheme is not None and is_subgroup(word) and self.scheme.has(word)
            listed += self.scheme.labels_under(word) if known and self.scheme is not None else []
            others += [] if known else [word]
        return self._having(column, listed, others, ranges)

    def _having(
        self, column: str, exactly: Sequence[str], under: Sequence[str], ranges: Sequence[tuple[str, str]] = ()
    ) -> NDArray[np.bool_]:
        """Which documents have one of some words, a class that is or begins as another, or one of a range."""
        parts = (segment.coded(column) for segment in self.segments)
        masks = [part.having(_chosen_words(part, exactly, under, ranges)) for part in parts]
        return masks[0] if len(masks) == 1 else np.concatenate(masks)


def _term_by_term(parts: Sequence[NDArray[np.int32]], counts: NDArray[np.int64]) -> NDArray[np.int32]:
    """The lists of all parts, concatenated term by term; `counts` are the sizes of each part's lists."""
    if len(parts) == 1:
        return parts[0]
    lists = [np.split(part, np.cumsum(count)[:-1]) for part, count in zip(parts, counts, strict=True)]
    return np.concatenate([np.empty(0, np.int32), *chain.from_iterable(zip(*lists, strict=True))])


CLASS_COLUMNS = ("classes", "ipc", "cpc")


def _chosen_words(
    column: CodedColumn, exactly: Sequence[str], under: Sequence[str], ranges: Sequence[tuple[str, str]]
) -> NDArray[np.bool_]:
    """Which words of a column are chosen, as `Index._having` says."""
    chosen = np.zeros(len(column.terms) + 1, np.bool_)
    classes = [covering(word) for word in under]
    found = column.terms.find([encode_id(word) for word in (*exactly, *classes)])
    chosen[found[found >= 0]] = True
    for word in classes:
        beginning = word[:-1] if word.endswith("*") else f"{word}/" if is_main_group(word) else word
        within = column.terms.prefixed(encode_id(beginning))
        chosen[within.start : within.stop] = True
    for first, last in ranges:
        for number in column.terms.prefixed(encode_id(first[:1] if first[:1] == last[:1] else "")):
            chosen[number] |= is_in_range(column.terms[number].decode(), first, last)
    return chosen


# Unite the postings of terms in several fields to one list per term.


_BYTES_A_POSTING_UNITED = 20  # NumPy unites a posting in the time in which plain Python reads so many bytes of text


def united(fields: Sequence[Lists], documents: int) -> _United:
    """The offset of each term's list, the documents of all lists, and per field a row of frequencies.

    >>> title = Lists(np.array([0, 1]), np.array([3], np.int32), np.array([1], np.int32), np.array([1]))
    >>> body = Lists(np.array([0, 2]), np.array([2, 3], np.int32), np.array([5, 4], np.int32), np.array([9]))
    >>> _, found, frequencies = united([title, body], 4)
    >>> found.tolist(), frequencies.tolist()
    ([2, 3], [[0.0, 1.0], [5.0, 4.0]])
    """
    if len(fields) == 1:
        only = fields[0]
        return only.offsets, only.documents, only.frequencies.astype(np.float64)[None]
    postings = sum(len(lists.documents) for lists in fields)
    return _united.choose(_BYTES_A_POSTING_UNITED * postings)(fields, documents)


def _united_plain(fields: Sequence[Lists], documents: int) -> _United:
    terms = len(fields[0].offsets) - 1
    # A posting as one number: its term and its document.
    keys = [
        np.repeat(np.arange(terms), np.diff(lists.offsets)) * documents + lists.documents.astype(np.int64)
        for lists in fields
    ]
    union = np.unique(np.concatenate(keys))
    frequencies = np.zeros((len(fields), len(union)))
    for row, key, lists in zip(frequencies, keys, fields, strict=True):
        row[np.searchsorted(union, key)] = lists.frequencies
    offsets = np.searchsorted(union, np.arange(terms + 1) * documents)
    return offsets.astype(np.int64), (union % documents).astype(np.int32), frequencies


@compiled_job("leadline.retrieval.index.kernels.unite_lists", plain=_united_plain)
def _united(kernel: Kernel, fields: Sequence[Lists], documents: int) -> _United:
    terms = len(fields[0].offsets) - 1
    before = np.cumsum([0, *(len(lists.documents) for lists in fields)])
    postings = int(before[-1])
    lists = FieldLists(
        terms=terms,
        fields=len(fields),
        starts=np.concatenate([lists.offsets[:-1] + start for lists, start in zip(fields, before, strict=False)]),
        stops=np.concatenate([lists.offsets[1:] + start for lists, start in zip(fields, before, strict=False)]),
        documents=np.concatenate([lists.documents for lists in fields]),
        frequencies=np.concatenate([lists.frequencies for lists in fields]),
    )
    offsets, into = np.empty(terms + 1, np.int64), np.empty(postings, np.int32)
    frequencies = np.empty((len(fields), postings))
    count = kernel(lists, np.empty(len(fields), np.int64), offsets, into, frequencies, postings)
    return offsets, into[:count], frequencies[:, :count]


_BYTES_A_POSTING_INTERSECTED = (
    2  # NumPy intersects a posting in the time in which plain Python reads so many bytes of text
)
_PER_BLOCK = 128


def rows_with_all(index: Index, field: str, terms: Sequence[bytes]) -> NDArray[np.int64]:
    """The rows of the documents that have all terms in a field, ascending. The terms must be those of segments."""
    found = []
    for segment, base in zip(index.segments, index.bases.tolist(), strict=False):
        part = segment.field(index.field(field))
        numbers = part.terms.find(terms)
        if (numbers >= 0).all():
            starts, stops = part.starts[numbers], part.starts[numbers + 1]
            order = np.argsort(stops - starts, kind="stable")  # the shortest list first
            found.append(base + intersected(part.documents, starts[order], stops[order]))
    return np.concatenate([np.empty(0, np.int64), *found])


def intersected(documents: PackedArray, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int32]:
    """The documents that are in all lists, the shortest of which is first."""
    if type(documents) is not PackedArray:  # lists that are not as they are stored
        return _intersected_plain(documents, starts, stops)
    return _intersected.choose(_BYTES_A_POSTING_INTERSECTED * int((stops - starts).sum()))(documents, starts, stops)


def _intersected_plain(
    documents: PackedArray, starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> NDArray[np.int32]:
    lists = [documents.ranges(starts[n : n + 1], stops[n : n + 1]) for n in range(len(starts))]
    if any((each[1:] <= each[:-1]).any() for each in lists):
        raise documents.damaged(NOT_IN_ORDER)
    return reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), lists)


@compiled_job("leadline.retrieval.index.kernels.intersect_lists", plain=_intersected_plain)
def _intersected(
    kernel: Kernel, documents: PackedArray, starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> NDArray[np.int32]:
    into = np.empty(int(stops[0] - starts[0]), np.int32)
    blocks = documents.checked_blocks(starts, stops)
    count = kernel(blocks, starts, stops, len(starts), np.empty(_PER_BLOCK, np.int32), into)
    if count < 0:
        raise documents.damaged(NOT_IN_ORDER)
    return into[:count]
