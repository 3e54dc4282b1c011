"""Leave out judgements, as masks over the existing ones: nothing is read or joined again.

A mask has an element for each judgement: True keeps it. A document without its judgement is unjudged: it is removed
from the hits, from the ideal list, and from its subtopics and stratum.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from leadline.errors import InputError, MismatchError, checked_choice
from leadline.measures.alignment import listed
from leadline.measures.hits import Hits, Integers, Judged, Mask
from leadline.records.qrels.qrels import Qrels
from leadline.text.fields import read_fields
from leadline.text.ids import decode_id, encode_id
from leadline.text.source import read_text

Drawn = Literal["relevant", "judged"]
Rounding = Literal["random", "at-least-one"]
Sources = Mapping[tuple[str, str], Collection[str]]  # who found a document for a topic, by (topic, document)


@dataclass(frozen=True)
class Thinned:
    """A subset of the judgements, and what is needed to restrict the hits of any run to it."""

    kept: Mask
    place: Integers  # index of each judgement among those kept
    qrels: Qrels
    judged: Judged

    @classmethod
    def of(cls, qrels: Qrels, kept: Mask) -> Thinned:
        """The judgements in the mask."""
        fewer = qrels.where(kept)
        return cls(kept, np.cumsum(kept) - 1, fewer, Judged.of(fewer))

    def hits(self, hits: Hits) -> Hits:
        """The hits as if only these judgements had been made."""
        inner = hits.where(self.kept[hits.document])
        return replace(inner, document=self.place[inner.document], judged=self.judged, qrels=self.qrels)


def at_random(
    qrels: Qrels,
    share: float,
    rng: np.random.Generator,
    level: int = 1,
    *,
    of: Drawn = "relevant",
    rounding: Rounding = "random",
) -> Mask:
    """A mask that keeps a random share of each topic's relevant documents, and all that are not relevant.

    Of n documents the whole part of share · n is kept, and one more with the probability that remains, so that the
    share is true on average; a topic may be left without any. With `rounding="at-least-one"` the number is rounded half
    up and is at least one. With `of="judged"` the same share of the documents that are not relevant is kept as well, as
    if fewer documents had been read. Magdy and Jones, CLEF 2010.

    >>> qrels = Qrels.of({"7": {"a": 1, "b": 1, "c": 2, "d": 1, "e": 1, "f": 0}, "8": {"g": 1, "h": 0}})
    >>> kept = at_random(qrels, 0.3, np.random.default_rng(1), rounding="at-least-one")
    >>> [int((kept & (qrels.grades >= 1))[a:b].sum()) for a, b in ((0, 6), (6, 8))], int((~kept).sum())
    ([2, 1], 3)
    >>> rng = np.random.default_rng(1)
    >>> sum(int(at_random(qrels, 0.3, rng)[:5].sum()) for _ in range(1000)) / 5000
    0.3002
    """
    wrong = qrels.grades < level
    drawn = np.flatnonzero(~wrong) if checked_choice("of", of, get_args(Drawn)) == "relevant" else np.arange(len(qrels))
    group = 2 * qrels.topic_of_document[drawn] + wrong[drawn]  # a topic's relevant documents, then its others
    counts = np.bincount(group, minlength=2 * len(qrels.topics))
    # 0.145 · 100 is 14.499999999999998 in floating point: round to nine digits first.
    exact = np.round(share * counts, 9)
    if checked_choice("rounding", rounding, get_args(Rounding)) == "random":
        wanted = np.floor(exact) + (rng.random(len(exact)) < exact - np.floor(exact))
    else:
        wanted = np.floor(exact + 0.5)
        wanted[::2] = np.maximum(wanted[::2], 1)
    # Shuffle within each group, and drop the documents beyond the wanted number of their group.
    order = np.lexsort((rng.random(len(drawn)), group))
    place = np.arange(len(drawn)) - np.repeat(np.cumsum(counts) - counts, counts)
    kept = np.ones(len(qrels), bool)
    kept[drawn[order[place >= np.repeat(wanted, counts)]]] = False
    return kept


def within_depth(hits: Hits, count: int, depth: int) -> Mask:
    """A mask over `count` judgements that keeps the documents that some run ranks within the depth."""
    kept = np.zeros(count, bool)
    kept[hits.document[hits.rank <= depth]] = True
    return kept


def found_by_these_alone(hits: Hits, these: Mask, count: int, depth: int | None = None) -> Mask:
    """A mask over `count` judgements: documents that `these` rows retrieve (within the depth) and no other row does."""
    read = hits if depth is None else hits.where(hits.rank <= depth)
    ours = these[read.row]
    mine, others = (np.bincount(read.document[mask], minlength=count) for mask in (ours, ~ours))
    return (mine > 0) & (others == 0)


def found_by_source_alone(qrels: Qrels, sources: Sources, source: str) -> Mask:
    """A mask over the judgements: documents that this source found and no other source did.

    >>> qrels = Qrels.of({"7": {"a": 1, "b": 1, "c": 1}})
    >>> found = {("7", "a"): {"examiner"}, ("7", "b"): {"examiner", "applicant"}}
    >>> found_by_source_alone(qrels, found, "examiner")
    array([ True, False, False])
    """
    known = {name for names in sources.values() for name in names}
    if source not in known:
        raise InputError("source", f"{source!r} found no document; the sources are {listed(sorted(known))}")
    places = [
        qrels.lookup.get(topic, {}).get(encode_id(document), -1)
        for (topic, document), names in sources.items()
        if set(names) == {source}
    ]
    judged = [place for place in places if place >= 0]
    if places and not judged:
        raise MismatchError(
            f"no document found by {source} alone is judged in {qrels.name}; check that both use the same ids"
        )
    alone = np.zeros(len(qrels), bool)
    alone[judged] = True
    return alone


def sources_of(rows: Iterable[tuple[str, str, str]]) -> Sources:
    """Who found each document, from rows of topic, document and source; a document may have several.

    >>> sources_of([("7", "a", "examiner"), ("7", "a", "applicant")]) == {("7", "a"): {"applicant", "examiner"}}
    True
    """
    found: dict[tuple[str, str], set[str]] = {}
    for topic, document, source in rows:
        found.setdefault((topic, document), set()).add(source)
    return found


def read_sources(path: str | os.PathLike[str]) -> Sources:
    """Who found each document, from a file with three fields per line: topic, document, source."""
    expected = "expected 3 (topic document source)"
    table = read_fields(read_text(os.fspath(path)), 3, 4, lambda found: f"{found} fields, {expected}")
    if table.columns > 3:
        raise table.error(int(np.flatnonzero(table.ids[3].lengths)[0]), f"more than 3 fields, {expected}")
    columns = ([decode_id(name) for name in column.as_bytes()] for column in table.ids[:3])
    return sources_of(zip(*columns, strict=True))
