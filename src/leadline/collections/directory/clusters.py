"""Clusters of documents that have no classes, each named by its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.documents.store import Collection
from leadline.collections.duplicates.tokens import canonical

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

FIELDS = ("title", "abstract", "description")
OPENING = 2000  # characters of a description, where there is no abstract: pages of the web have none
SAMPLE = 20_000  # documents from which words and centres are learnt
VOCABULARY = 20_000
COMMONEST = (0.15, 0.5)  # a word in a larger share of the documents is left out: with many clusters, with few
MOST = 24  # clusters
ROUNDS = 20
AT_ONCE = 4096  # documents
NAME_WORDS = 3
_WORD = re.compile(r"[^\W\d_]{3,}")


def clusters(collection: Collection, rows: NDArray[np.int64]) -> list[tuple[str, NDArray[np.int64]]]:
    """Documents by what they are about: the name and the rows of each cluster, largest first.

    Titles and abstracts are read, and the opening of the description where there is no abstract.
    Words are weighted by tf-idf, and documents are gathered around centres (spherical k-means).
    """
    sampled = rows[:: max(1, -(-len(rows) // SAMPLE))]
    counts = [Counter(words) for _, words in _words(collection, sampled)]
    common = Counter(word for each in counts for word in each)
    wanted = number_of_clusters(len(rows))
    limit = max(2, len(counts) * min(max(1.2 / wanted, COMMONEST[0]), COMMONEST[1]))
    kept = [word for word, count in common.most_common() if 2 <= count <= limit][:VOCABULARY]
    if not kept:
        return [("documents", rows)]
    places = {word: place for place, word in enumerate(kept)}
    rarity = np.log(len(counts) / np.array([common[word] for word in kept]))
    centres = _centres(_vectors(counts, places, rarity), wanted)
    found: list[list[int]] = [[] for _ in centres]
    rest = _words(collection, rows)
    while some := list(islice(rest, AT_ONCE)):
        vectors = _vectors([Counter(words) for _, words in some], places, rarity)
        for (row, _), cluster in zip(some, np.argmax(vectors @ centres.T, axis=1).tolist(), strict=True):
            found[cluster].append(row)
    named = [
        (_name(centre, kept), np.array(members)) for centre, members in zip(centres, found, strict=True) if members
    ]
    return sorted(named, key=lambda cluster: -len(cluster[1]))


def number_of_clusters(documents: int) -> int:
    """How many clusters so many documents are divided into.

    >>> [number_of_clusters(n) for n in (3, 100, 1000, 10**6)]
    [1, 2, 8, 24]
    """
    return int(np.clip(round(documents**0.5 / 4), 1, MOST))


def _words(collection: Collection, rows: NDArray[np.int64]) -> Iterator[tuple[int, list[str]]]:
    for part in collection.texts(FIELDS, rows):
        for row, title, abstract, description in part.select("row", *FIELDS).iter_rows():
            body = abstract or (description or "")[:OPENING]
            yield row, _WORD.findall(canonical(f"{title or ''} {body}"))


def _vectors(counts: list[Counter[str]], places: dict[str, int], rarity: NDArray[np.float64]) -> csr_array:
    """Documents as vectors of length 1."""
    from scipy.sparse import csr_array

    entries = [
        (row, places[word], count) for row, each in enumerate(counts) for word, count in each.items() if word in places
    ]
    row, column, count = (np.array(each) for each in (zip(*entries, strict=True) if entries else ([0], [0], [0])))
    values = np.log1p(count) * rarity[column]
    lengths = np.sqrt(np.bincount(row, weights=values**2, minlength=len(counts)))
    values = np.divide(values, lengths[row], out=np.zeros(len(values)), where=lengths[row] > 0)
    return csr_array((values, (row, column)), shape=(len(counts), len(rarity)))


def _centres(vectors: csr_array, count: int) -> NDArray[np.float64]:
    """The centres around which the vectors lie: first far from each other, then moved to the middle of their own."""
    rng = np.random.default_rng(1)
    centres = vectors[[int(rng.integers(vectors.shape[0]))]].toarray()
    for _ in range(count - 1):  # the next is drawn from those that are far from all
        far = np.clip(1 - (vectors @ centres.T).max(axis=1), 0, None) ** 2
        if not far.sum():
            break
        centres = np.vstack([centres, vectors[[int(rng.choice(len(far), p=far / far.sum()))]].toarray()])
    for _ in range(ROUNDS):
        nearest = np.argmax(vectors @ centres.T, axis=1)
        moved = np.stack([np.asarray(vectors[nearest == c].sum(axis=0)).ravel() for c in range(len(centres))])
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        moved = np.divide(moved, lengths, out=centres.copy(), where=lengths > 0)
        if np.allclose(moved, centres):
            break
        centres = moved
    return centres


def _name(centre: NDArray[np.float64], words: list[str]) -> str:
    """The words of most weight in a centre; of a singular and its plural the heavier."""
    best: list[str] = []
    for place in np.argsort(-centre, kind="stable")[: 4 * NAME_WORDS].tolist():
        word = words[place]
        if centre[place] > 0 and not {word.removesuffix("s"), f"{word}s"} & {*best}:
            best.append(word)
    return ", ".join(best[:NAME_WORDS]) or "other"
