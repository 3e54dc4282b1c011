"""Groups of texts: pairs that may be alike, kept on disk, compared shingle by shingle, and joined."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.text.engine import Kernel, compiled_job
from leadline.text.spread import Spread, spread_here

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]
    Pairs = tuple[Rows, Rows]

# What the search for duplicates keeps on disk: the bands of all texts, and the shingles of those to be compared.


class StoredArrays:
    """Arrays of 64-bit numbers in a temporary file, which goes when it is closed."""

    def __init__(self, folder: str | None = None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self.size = 0

    def append(self, values: NDArray[np.uint64]) -> int:
        """Write an array; return where it begins."""
        begin = self.size
        self._file.write(np.ascontiguousarray(values).data)
        self.size += values.size
        return begin

    def mapped(self) -> NDArray[np.uint64]:
        """All that was written, read from the file as it is used."""
        self._file.flush()
        return np.memmap(self._file, np.uint64, "r") if self.size else np.empty(0, np.uint64)

    def close(self) -> None:
        self._file.close()


class StoredBands:
    """The band hashes of all texts, written batch by batch and read band by band."""

    def __init__(self, count: int, folder: str | None = None) -> None:
        self.count, self._arrays = count, StoredArrays(folder)
        self._blocks: list[tuple[int, int]] = []  # begin and texts of each batch

    def append(self, hashes: NDArray[np.uint64]) -> None:
        """Add the bands (rows) of some texts (columns)."""
        self._blocks.append((self._arrays.append(hashes), hashes.shape[1]))

    def band(self, number: int) -> NDArray[np.uint64]:
        """One band of every text."""
        whole = self._arrays.mapped()
        begins = ((begin + number * texts, texts) for begin, texts in self._blocks)
        return np.concatenate([whole[begin : begin + texts] for begin, texts in begins])

    def close(self) -> None:
        self._arrays.close()


class StoredSets:
    """The shingles of texts as ascending hashes, on disk; a text that is not stored has none."""

    def __init__(self, folder: str | None = None) -> None:
        self._arrays = StoredArrays(folder)
        self._begins: list[int] = []
        self._rows: list[int] = []
        self._sizes: list[int] = []

    def append(self, rows: NDArray[np.int64], hashes: NDArray[np.uint64], sizes: NDArray[np.int64]) -> None:
        """Add the shingles of some texts, one text behind the other, and how many each has."""
        begin = self._arrays.append(hashes)
        self._rows += rows.tolist()
        self._sizes += sizes.tolist()
        self._begins += (begin + np.cumsum(sizes) - sizes).tolist()

    def opened(self, texts: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        """The hashes, and where those of each text begin and end."""
        starts, stops = np.zeros(texts, np.int64), np.zeros(texts, np.int64)
        rows = np.array(self._rows, np.int64)
        starts[rows] = self._begins
        stops[rows] = starts[rows] + np.array(self._sizes, np.int64)
        return self._arrays.mapped(), starts, stops

    def close(self) -> None:
        self._arrays.close()


AT_ONCE = 1 << 20  # pairs that are compared at once
ROUNDING = 1e-9  # so that 0.8 * 5 shingles are 4


@dataclass(frozen=True)
class ShingleSets:
    """The shingles of every text as ascending hashes without repetition, one text behind the other."""

    hashes: NDArray[np.uint64]
    starts: Rows
    stops: Rows

    @property
    def sizes(self) -> Rows:
        return self.stops - self.starts

    def common(self, first: Rows, second: Rows) -> Rows:
        """How many shingles the texts of each pair have in common."""
        work = int((self.sizes[first] + self.sizes[second]).sum())
        return _common.choose(4 * work)(self, first, second)

    def resemblance(self, first: Rows, second: Rows) -> NDArray[np.float64]:
        """The share of the shingles of each pair that both have; 0 where there are none."""
        common = self.common(first, second)
        return _ratio(common, self.sizes[first] + self.sizes[second] - common)


def _ratio(over: Rows, under: Rows) -> NDArray[np.float64]:
    return np.divide(over, under, out=np.zeros(len(over)), where=under > 0)


def _common_plain(sets: ShingleSets, first: Rows, second: Rows) -> Rows:
    def one(row: int) -> NDArray[np.uint64]:
        return sets.hashes[sets.starts[row] : sets.stops[row]]

    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return np.array([len(np.intersect1d(one(a), one(b), assume_unique=True)) for a, b in pairs], np.int64)


@compiled_job("leadline.collections.duplicates.kernels.count_common", plain=_common_plain)
def _common(kernel: Kernel, sets: ShingleSets, first: Rows, second: Rows) -> Rows:
    found = np.empty(len(first), np.int64)
    pair = (np.ascontiguousarray(first, np.int64), np.ascontiguousarray(second, np.int64))
    kernel(sets.hashes, sets.starts, sets.stops, len(first), *pair, found)
    return found


@dataclass(frozen=True)
class Likeness:
    """When two texts are near-duplicates."""

    resemblance: float
    containment: float | None = None  # of the text with fewer shingles in the other

    def holds(self, sets: ShingleSets, first: Rows, second: Rows) -> NDArray[np.bool_]:
        common = sets.common(first, second)
        a, b = sets.sizes[first], sets.sizes[second]
        alike = _ratio(common, a + b - common) >= self.resemblance
        if self.containment is not None:
            alike |= _ratio(common, np.minimum(a, b)) >= self.containment
        return alike & (common > 0)


class Groups:
    """Texts joined into groups. `labels` has a number for each text, the same for the texts of a group."""

    def __init__(self, texts: int) -> None:
        self.labels = np.arange(texts)

    def join(self, first: Rows, second: Rows) -> None:
        """Join the groups of the texts of each pair."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        if not len(first):
            return
        edges = (np.ones(len(first), np.int8), (self.labels[first], self.labels[second]))
        size = len(self.labels)
        _, found = connected_components(coo_array(edges, shape=(size, size)), directed=False)
        self.labels = found[self.labels].astype(np.int64)

    def apart(self, pairs: Pairs) -> Pairs:
        """The pairs whose texts are in different groups."""
        differ = self.labels[pairs[0]] != self.labels[pairs[1]]
        return pairs[0][differ], pairs[1][differ]


def join_alike(groups: Groups, candidates: Iterator[Pairs], sets: ShingleSets, alike: Likeness) -> int:
    """Compare candidate pairs and join those that are alike; return how many were compared.

    A pair that is already in one group, or was compared before, is not compared again.
    """
    texts = len(groups.labels)
    unlike = np.empty(0, np.int64)  # ascending
    compared = 0
    for pairs in candidates:
        first, second = groups.apart(pairs)
        keys = np.unique(np.minimum(first, second) * texts + np.maximum(first, second))
        place = np.searchsorted(unlike, keys)
        keys = keys[(place == len(unlike)) | (np.append(unlike, -1)[place] != keys)]
        for begin in range(0, len(keys), AT_ONCE):
            some = keys[begin : begin + AT_ONCE]
            first, second = groups.apart((some // texts, some % texts))
            good = alike.holds(sets, first, second)
            compared += len(good)
            groups.join(first[good], second[good])
            new = (first * texts + second)[~good]
            unlike = np.insert(unlike, np.searchsorted(unlike, new), new)
    return compared


def shared_bands(bands: StoredBands, among: NDArray[np.bool_], spread: Spread = spread_here) -> NDArray[np.bool_]:
    """Which of some texts are equal to another of them in a band."""
    found = np.zeros(len(among), np.bool_)
    rows = np.flatnonzero(among)
    for equal in spread(_equal_in, ((bands.band(number)[rows],) for number in range(bands.count))):
        found[rows[equal]] = True
    return found


def _equal_in(band: NDArray[np.uint64]) -> Rows:
    """The places of the texts that are equal to another in a band."""
    order, _, sizes = _buckets(band)
    return order[np.repeat(sizes > 1, sizes)]


def _buckets(values: NDArray[np.uint64]) -> tuple[Rows, Rows, Rows]:
    """The order that puts equal values together, where each run of them starts in it, and how long it is."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)])
    return order, starts, np.diff(np.append(starts, len(ordered)))


def pairs_in_bands(bands: StoredBands, among: NDArray[np.bool_], groups: Groups) -> Iterator[Pairs]:
    """Pairs of texts that are equal in a band: neighbours in all bands first, then those that these did not join."""
    rows = np.flatnonzero(among)
    waiting: list[Pairs] = []
    for number in range(bands.count):
        order, starts, sizes = _buckets(bands.band(number)[rows])
        goes_on = np.ones(len(order), np.bool_)
        goes_on[starts + sizes - 1] = False
        first = np.flatnonzero(goes_on)
        waiting.append((rows[order[first]], rows[order[first + 1]]))
        if sum(len(pairs[0]) for pairs in waiting) >= AT_ONCE or number == bands.count - 1:
            yield np.concatenate([pairs[0] for pairs in waiting]), np.concatenate([pairs[1] for pairs in waiting])
            waiting = []
    for number in range(bands.count):
        order, starts, sizes = _buckets(bands.band(number)[rows])
        step = 2
        while (long := sizes > step).any():
            starts, sizes = starts[long], sizes[long]
            # Runs whose texts are all in one group by now are done.
            labels = groups.labels[rows[order[_spread(starts, sizes)]]]
            begins = np.cumsum(sizes) - sizes
            mixed = np.minimum.reduceat(labels, begins) != np.maximum.reduceat(labels, begins)
            starts, sizes = starts[mixed], sizes[mixed]
            first = _spread(starts, sizes - step)
            yield rows[order[first]], rows[order[first + step]]
            step += 1


def _spread(starts: Rows, counts: Rows) -> Rows:
    """The numbers from each start on, as many as its count."""
    return np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())


@dataclass(frozen=True)
class _Buckets:
    """For each band the texts in an order that puts equal ones together, and where each text's run ends in it.

    Within a run the texts ascend. Two texts are equal in a band if their runs end at the same place.
    """

    order: NDArray[np.int32]
    ends: NDArray[np.int32]

    @classmethod
    def of(cls, bands: StoredBands, rows: Rows) -> _Buckets:
        order, ends = (np.empty((bands.count, len(rows)), np.int32) for _ in range(2))
        for number in range(bands.count):
            order[number], starts, sizes = _buckets(bands.band(number)[rows])
            ends[number][order[number]] = np.repeat(starts + sizes, sizes)
        return cls(order, ends)


def pairs_in_several_bands(bands: StoredBands, among: NDArray[np.bool_], least: int) -> Iterator[Pairs]:
    """Pairs of texts that are equal in at least so many bands. The buckets of all bands are held in memory."""
    rows = np.flatnonzero(among)
    buckets = _Buckets.of(bands, rows)
    begin = 0
    while begin < len(rows):
        begin, first, second = _shared.choose(4 * buckets.order.size)(buckets, begin, least)
        yield rows[first], rows[second]


def _shared_plain(buckets: _Buckets, begin: int, least: int) -> tuple[int, Rows, Rows]:
    ends = buckets.ends
    second = begin + 1 + np.flatnonzero((ends[:, begin + 1 :] == ends[:, begin : begin + 1]).sum(axis=0) >= least)
    return begin + 1, np.full(len(second), begin), second


@compiled_job("leadline.collections.duplicates.kernels.count_shared_bands", plain=_shared_plain)
def _shared(kernel: Kernel, buckets: _Buckets, begin: int, least: int) -> tuple[int, Rows, Rows]:
    bands, texts = buckets.order.shape
    room = max(AT_ONCE, texts)
    counts, touched, stop = np.zeros(texts, np.int32), np.empty(texts, np.int32), np.empty(1, np.int64)
    first, second = np.empty(room, np.int64), np.empty(room, np.int64)
    found = kernel(
        bands,
        texts,
        buckets.order.ravel(),
        buckets.ends.ravel(),
        begin,
        least,
        room,
        counts,
        touched,
        first,
        second,
        stop,
    )
    return int(stop[0]), first[:found], second[:found]


def pairs_with_rare_shingles(sets: ShingleSets, among: NDArray[np.bool_], alike: Likeness) -> Iterator[Pairs]:
    """All pairs that can be alike, and few others: none is missed.

    Of two texts with a resemblance of at least t, each lacks at most (1 - t) of its shingles in the other. So if each
    takes its rarest (1 - t) |A| + 1 shingles, in one order for all, they share one of these. For the containment of A,
    these of A are looked for among all shingles of the other.
    """
    import polars as pl

    rows = np.flatnonzero(among & (sets.sizes > 0))
    if not len(rows):
        return
    frame = pl.DataFrame(
        {
            "row": np.repeat(rows, sets.sizes[rows]),
            "hash": np.concatenate([sets.hashes[sets.starts[row] : sets.stops[row]] for row in rows.tolist()]),
        }
    )
    frame = frame.with_columns(size=pl.len().over("row"), rarity=pl.len().over("hash")).sort("row", "rarity", "hash")
    frame = frame.with_columns(place=pl.int_range(pl.len()).over("row"))

    def rarest(share: float) -> pl.DataFrame:
        most = pl.col("size") - (pl.col("size") * share - ROUNDING).ceil() + 1
        return frame.filter((pl.col("place") < most) & (pl.col("rarity") > 1))

    choices = [(rarest(alike.resemblance), rarest(alike.resemblance))]
    if alike.containment is not None:
        choices.append((rarest(alike.containment), frame.filter(pl.col("rarity") > 1)))
    for some, others in choices:
        for piece in some.select("row", "hash").iter_slices(AT_ONCE):
            pairs = piece.join(others.select("hash", other="row"), on="hash").filter(pl.col("row") != pl.col("other"))
            unique = pairs.select("row", "other").unique()
            yield unique["row"].to_numpy(), unique["other"].to_numpy()
