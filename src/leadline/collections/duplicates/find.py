"""Find near-duplicates: groups of documents whose texts are nearly the same, and the copy of each that is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from leadline.collections.duplicates.grouping import (
    Groups,
    Likeness,
    ShingleSets,
    join_alike,
    pairs_in_bands,
    pairs_in_several_bands,
    pairs_with_rare_shingles,
    shared_bands,
)
from leadline.collections.duplicates.shingles import ShingleHashes
from leadline.collections.duplicates.sketches import PLACES, Bands, band_hashes, bands, check_places, sketches
from leadline.collections.duplicates.stored import StoredBands, StoredSets
from leadline.collections.duplicates.texts import (
    BATCH_BYTES,
    FIELDS,
    PartTexts,
    TextBatch,
    Texts,
    TextSource,
    open_texts,
)
from leadline.collections.duplicates.tokens import UNITS, By
from leadline.errors import InputError, checked_choice
from leadline.records.scores.result import Result, counted
from leadline.records.scores.table import Table
from leadline.text.files import readable_size
from leadline.text.memory_budget import LargestDocument, MemoryBudget, MemoryLike
from leadline.text.spread import Spread, spread_here

if TYPE_CHECKING:
    from numpy.typing import NDArray

Keep = Literal["earliest", "longest", "best-linked"]
Progress = Callable[[int, int, str], None]
WIDEST = 1000  # tokens of a shingle
# Measured with benchmarks/memory.py: the memory of the libraries, of each document, and of each byte of a batch.
BASE_BYTES, BYTES_A_DOCUMENT, BYTES_A_BYTE = 200_000_000, 500, 12
SMALLEST_BATCH = 1 << 20
COLUMNS = ("group", "document", "resemblance", "kept")


@dataclass(frozen=True, repr=False)
class Duplicates(Result):
    """The documents that have a near-duplicate, group by group, the kept copy first.

    `entries` are (group, document, resemblance, kept): groups are numbered from 1, the largest first; the resemblance
    is to the kept copy of the group, exact, and 1 for that copy itself.
    """

    entries: Sequence[tuple[int, str, float, bool]]
    documents: int
    pairs_compared: int
    bands: Bands | None  # None: every pair that can be alike was compared
    resemblance: float
    notes: tuple[str, ...] = ()

    @property
    def groups(self) -> int:
        return self.entries[-1][0] if self.entries else 0

    @property
    def superfluous(self) -> int:
        """How many documents go if one of each group is kept."""
        return len(self.entries) - self.groups

    @property
    def share(self) -> float:
        """The share of all documents that are superfluous."""
        return self.superfluous / self.documents

    @cached_property
    def group_of(self) -> dict[str, int]:
        """The group of each document that has a duplicate."""
        return {document: group for group, document, _, _ in self.entries}

    def table(self) -> Table:
        """A row for each document that has a duplicate."""
        return Table(COLUMNS, [list(entry) for entry in self.entries])

    def _finding(self) -> str:
        if not self.entries:
            return f"no near-duplicates among {counted(self.documents, 'document')}"
        return (
            f"{100 * self.share:.1f} % of {counted(self.documents, 'document')} are near-duplicates of another that is "
            f"kept: {counted(len(self.entries), 'document')} in {counted(self.groups, 'group')}"
        )

    def _shown_table(self) -> Table:
        return self.table()


def duplicates(
    source: TextSource,
    *,
    shingle: int = 4,
    resemblance: float = 0.8,
    by: By = "words",
    exact: bool = False,
    containment: float | None = None,
    keep: Keep = "earliest",
    fields: Sequence[str] = FIELDS,
    places: int = PLACES,
    progress: Progress | None = None,
    spread: Spread | None = None,
    memory: MemoryLike = None,
) -> Duplicates:
    """Groups of documents whose shingles are nearly the same.

    `source` is a collection or its folder, a file or folder of texts or JSON lines, a mapping from ids to texts, or
    documents in memory. Two documents are near-duplicates if `resemblance` of the shingles that either has are in both;
    with `containment`, also if so much of the smaller is in the larger. Groups are what hangs together by such pairs.
    Pairs are found by sketches of so many `places`, and compared exactly; `exact` finds all without sketches, as
    `containment` does, and holds the shingles of all documents in memory. `memory`, such as "2GB", is the most that is
    held otherwise: batches become smaller, and the groups are the same. `spread` hashes the texts elsewhere.

    >>> found = duplicates({"a": "one two three four five", "b": "One two three, four FIVE.", "c": "six"})
    >>> found.entries
    [(1, 'a', 1.0, True), (1, 'b', 1.0, False)]
    """
    if not 1 <= shingle <= WIDEST:
        raise InputError("shingle", f"must be from 1 to {WIDEST}, got {shingle}")
    for name, share in (("resemblance", resemblance), ("containment", containment)):
        if share is not None and not 0 < share <= 1:
            raise InputError(name, f"must be above 0 and at most 1, got {share}")
    checked_choice("by", by, list(UNITS))
    checked_choice("keep", keep, get_args(Keep))
    check_places(places)
    alike = Likeness(resemblance, containment)
    cut = None if exact or containment is not None else bands(resemblance, places)
    texts = open_texts(source, fields)
    if keep == "best-linked":
        _ = texts.links()  # refused before anything is read
    budget = MemoryBudget.of(memory)
    folder = _keep_to(texts, budget, cut)
    with ExitStack() as stack:
        sets = stack.enter_context(closing(StoredSets(folder)))
        stored = None if cut is None else stack.enter_context(closing(StoredBands(cut.count, folder)))
        pieces = texts.batches if spread is None else texts.pieces
        spread = spread or spread_here
        seen = _seen(pieces(), LargestDocument(budget, texts.batch_bytes, BYTES_A_BYTE))
        read = spread(_hashed, ((piece,) for piece in seen), shingle, by, places, cut)
        first = _first_reading(read, texts, stored, sets, progress)
        total = len(first.tokens)
        groups = Groups(total)
        same = first.same_text()
        distinct = (same == np.arange(total)) & (first.tokens > 0)
        if stored is not None:
            distinct = shared_bands(stored, distinct, spread)
            for several in spread(_shingles_of, ((piece,) for piece in pieces(distinct)), shingle, by):
                for found in several:
                    sets.append(*found)
                    _step(progress, int(found[0][-1]) + 1, total, "comparing")
        opened = ShingleSets(*sets.opened(total))
        if stored is None or cut is None:
            pairs = pairs_with_rare_shingles(opened, distinct, alike)
        elif cut.least == 1:
            pairs = pairs_in_bands(stored, distinct, groups)
        else:
            pairs = pairs_in_several_bands(stored, distinct, cut.least)
        compared = join_alike(groups, pairs, opened, alike)
        has_text = np.flatnonzero(first.tokens > 0)
        groups.join(has_text, same[has_text])
        entries = _entries(texts, groups.labels, first.tokens, same, opened, keep)
    notes = [*texts.notes, *first.notes(shingle, by)]
    if cut is not None:
        notes.append(
            f"a pair at the resemblance {resemblance:g} is missed with a probability of {cut.missed(resemblance):.1g} "
            f"({cut}); --exact misses none"
        )
    return Duplicates(entries, total, compared, cut, resemblance, tuple(notes))


def _keep_to(texts: Texts, budget: MemoryBudget | None, cut: Bands | None) -> str | None:
    """Make the batches of texts small enough for a budget; return the folder for temporary files."""
    if budget is None:
        return None
    if cut is None:
        raise InputError("--memory", "cannot be kept by --exact or --containment, which hold all shingles in memory")
    # Pairs that must be equal in several bands are counted with the order of all bands in memory.
    a_document = BYTES_A_DOCUMENT + (8 * cut.count if cut.least > 1 else 0)
    fixed = BASE_BYTES + a_document * len(texts.ids)
    budget.require(fixed + SMALLEST_BATCH * BYTES_A_BYTE, f"duplicates among {counted(len(texts.ids), 'document')}")
    texts.batch_bytes = min(BATCH_BYTES, (budget.size - fixed) // BYTES_A_BYTE)
    budget.state(f"batches of {readable_size(texts.batch_bytes)} of text, bands and shingles in temporary files")
    return budget.folder


def _seen(
    pieces: Iterator[TextBatch] | Iterator[TextBatch | PartTexts], largest: LargestDocument
) -> Iterator[TextBatch | PartTexts]:
    """The same pieces; of one that is a single text too large for the budget, it is said."""
    for piece in pieces:
        if isinstance(piece, TextBatch) and len(piece.texts) == 1:
            largest.see(len(piece.texts[0]))
        yield piece


@dataclass(frozen=True)
class _Read:
    """What the first reading tells of each document."""

    tokens: NDArray[np.int64]
    fingerprints: NDArray[np.uint64]

    def same_text(self) -> NDArray[np.int64]:
        """For each document the first with the same shingles in the same order: itself, if there is no other."""
        _, first, which = np.unique(self.fingerprints, return_index=True, return_inverse=True)
        return first[which]

    def notes(self, width: int, by: By) -> list[str]:
        empty, short = int((self.tokens == 0).sum()), int(((self.tokens > 0) & (self.tokens < width)).sum())
        said = []
        if empty:
            said.append(f"{counted(empty, 'document')} without text: never a duplicate")
        if short:
            said.append(f"{counted(short, 'document')} with fewer than {width} {by}: only equal ones are duplicates")
        return said


def _first_reading(
    read: Iterator[list[_HashedBatch]],
    texts: Texts,
    stored: StoredBands | None,
    sets: StoredSets,
    progress: Progress | None,
) -> _Read:
    """Take what was read of every document: the number of tokens, and bands, or shingles where there are no bands."""
    tokens: list[NDArray[np.int64]] = []
    fingerprints: list[NDArray[np.uint64]] = []
    for batch in chain.from_iterable(read):
        tokens.append(batch.tokens)
        fingerprints.append(batch.fingerprints)
        if stored is not None and batch.bands is not None:
            stored.append(batch.bands)
        elif batch.sets is not None:
            sets.append(batch.rows, *batch.sets)
        _step(progress, int(batch.rows[-1]) + 1, len(texts.ids), "reading")
    if not tokens:
        raise InputError("duplicates", "there are no documents")
    return _Read(np.concatenate(tokens), np.concatenate(fingerprints))


@dataclass(frozen=True)
class _HashedBatch:
    """What is kept of some texts: their bands, or their shingles where there are no bands."""

    rows: NDArray[np.int64]
    tokens: NDArray[np.int64]
    fingerprints: NDArray[np.uint64]
    bands: NDArray[np.uint64] | None
    sets: tuple[NDArray[np.uint64], NDArray[np.int64]] | None


def _hashed(
    piece: TextBatch | PartTexts, width: int, by: By, places: int, cut: Bands | None
) -> list[_HashedBatch]:  # fmt: skip
    return [_hashed_batch(batch, width, by, places, cut) for batch in piece.batches()]


def _hashed_batch(batch: TextBatch, width: int, by: By, places: int, cut: Bands | None) -> _HashedBatch:
    shingles = ShingleHashes.of(batch.texts, width, by)
    bands = None if cut is None else band_hashes(sketches(shingles, places), cut)
    sets = shingles.sets() if cut is None else None
    return _HashedBatch(batch.rows, shingles.tokens, shingles.fingerprints, bands, sets)


def _shingles_of(
    piece: TextBatch | PartTexts, width: int, by: By
) -> list[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]]:
    return [(batch.rows, *ShingleHashes.of(batch.texts, width, by).sets()) for batch in piece.batches()]


def _step(progress: Progress | None, done: int, total: int, what: str) -> None:
    if progress is not None:
        progress(done, max(done, total), what)


def _entries(
    texts: Texts,
    labels: NDArray[np.int64],
    tokens: NDArray[np.int64],
    same: NDArray[np.int64],
    sets: ShingleSets,
    keep: Keep,
) -> list[tuple[int, str, float, bool]]:
    """The members of every group: the largest group first, in it the kept copy first, then by resemblance to it."""
    sizes = np.bincount(labels, minlength=len(labels))
    members = np.flatnonzero((sizes[labels] > 1) & (tokens > 0))
    if not len(members):
        return []
    # The preference of each copy, smallest first; equal ones in the order of reading.
    if keep == "earliest":
        rank = np.array([texts.dates[row] or "9999" for row in members.tolist()])
    else:
        rank = -(tokens if keep == "longest" else texts.links())[members]
    _, rank = np.unique(rank, return_inverse=True)
    order = np.lexsort((members, rank, labels[members]))
    members = members[order]
    begins = np.flatnonzero(np.r_[True, np.diff(labels[members]) != 0])
    counts = np.diff(np.append(begins, len(members)))
    kept = np.repeat(members[begins], counts)
    alike = np.ones(len(members))
    differ = same[members] != same[kept]
    alike[differ] = sets.resemblance(same[members][differ], same[kept][differ])
    # Largest groups first; those of one size in the order of their kept copies.
    place = np.empty(len(begins), np.int64)
    place[np.lexsort((members[begins], -counts))] = np.arange(len(begins))
    group = np.repeat(place, counts)
    final = np.lexsort((members, -alike, members != kept, group))
    return [
        (int(group[at]) + 1, texts.ids[members[at]], float(alike[at]), bool(members[at] == kept[at]))
        for at in final.tolist()
    ]
