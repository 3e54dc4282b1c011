"""Records with the same text under other ids, as several databases give them: one unit of a review, read once.

Two records are the same if their titles are the same word for word and their abstracts have at least nine of ten
shingles in common, as our duplicates compare texts; or, where both have a title alone, if it has at least four words
and the year is the same. Records with different DOIs are never the same: a correction, or the next edition of a review,
may repeat a text. Patents are left to their families.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.references import about
from leadline.collections.duplicates.sketches import Shingles, resemblance, shingles

ALIKE = 0.9  # of the shingles of two abstracts: what databases add, such as a line of copyright, is less
FEWEST_WORDS = 4  # of a title that stands alone: "Reply" and "Heart failure" are titles of many
_NOT_LETTERS = r"[^\p{L}\p{N}]+"
Units = list[tuple[str, ...]]


@dataclass(frozen=True)
class FoldedUnits:
    """Units of a round, in each of which a record stands for those with the same text."""

    units: Units
    folded: int  # records that stand behind another of this round
    known: int  # records whose text is in an earlier round, left out


Earlier = Sequence[tuple[Collection, Sequence[str]]]  # the collection of each earlier round, and its documents


def fold(collection: Collection, units: Sequence[tuple[str, ...]], earlier: Earlier = ()) -> FoldedUnits:
    """Units in which records with the same text are one; those whose text an earlier round has are left out."""
    own = _keys(collection, [unit[0] for unit in units])
    before = [_keys(each, names) for each, names in earlier]
    counts = Counter(own.values())
    seen = {key for keys in before for key in keys.values()}
    wanted = {key for key, count in counts.items() if count > 1 or key in seen}
    known: dict[str, list[_Record]] = {}
    for (each, _), keys in zip(earlier, before, strict=True):
        for found in _records(each, {name: key for name, key in keys.items() if key in wanted}):
            known.setdefault(found.key, []).append(found)
    chosen = {name: key for name, key in own.items() if key in wanted}
    records = {each.name: each for each in _records(collection, chosen)}
    kept: dict[str, tuple[str, ...]] = {}
    first: dict[str, list[_Record]] = {}
    folded = left_out = 0
    for unit in units:
        record = records.get(unit[0])
        if record is None:
            kept[unit[0]] = unit
        elif any(record.is_same(other) for other in known.get(record.key, ())):
            left_out += len(unit)
        else:
            alike = first.setdefault(record.key, [])
            same = next((other for other in alike if record.is_same(other)), None)
            if same is None:
                alike.append(record)
                kept[unit[0]] = unit
            else:
                kept[same.name] += unit
                folded += len(unit)
    return FoldedUnits(list(kept.values()), folded, left_out)


@dataclass(frozen=True)
class _Record:
    """What two records are compared by."""

    name: str
    key: str  # the title in small letters, without what is between words
    abstract: Shingles
    dois: frozenset[str]
    year: str

    @classmethod
    def of(cls, document: Document, key: str) -> _Record:
        dois = frozenset(each.lower().rstrip(".") for each in about(document, "doi"))
        return cls(document.id, key, shingles(document.abstract), dois, document.publication[:4])

    def is_same(self, other: _Record) -> bool:
        """Whether both are records of one publication."""
        if self.dois and other.dois and self.dois != other.dois:
            return False
        if not self.abstract and not other.abstract:
            return bool(self.year) and self.year == other.year and len(self.key.split()) >= FEWEST_WORDS
        return resemblance(self.abstract, other.abstract) >= ALIKE


def _keys(collection: Collection, names: Sequence[str]) -> dict[str, str]:
    """The key of the title of each of these documents that is no patent and has one."""
    import polars as pl

    key = pl.col("title").fill_null("").str.to_lowercase().str.replace_all(_NOT_LETTERS, " ").str.strip_chars()
    asked = pl.DataFrame({"id": names}, schema={"id": pl.String})
    rows = collection.records.filter(pl.col("office").fill_null("") == "").join(asked, on="id", how="semi")
    return {name: key for name, key in rows.select("id", key=key).iter_rows() if key}


def _records(collection: Collection, keys: Mapping[str, str], at_once: int = 500) -> Iterator[_Record]:
    """The records of some documents; few of a review have a title that another has."""
    names = list(keys)
    for start in range(0, len(names), at_once):
        some = names[start : start + at_once]
        for name, document in zip(some, collection.documents_named(some), strict=True):
            yield _Record.of(document, keys[name])
