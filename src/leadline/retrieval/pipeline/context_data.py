"""What steps need of a collection beside its index: rows, links, classes, terms, claims, patents from outside."""

from __future__ import annotations

import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document, levels
from leadline.collections.documents.families import without_kind
from leadline.retrieval.choices import DERIVED
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.inverting import counted_documents
from leadline.retrieval.index.segment import MISSING, CodedColumn, Field, MergedTerms
from leadline.retrieval.index.terms import Terms, offsets_of
from leadline.retrieval.models.registry import MODELS, Postings
from leadline.retrieval.models.searcher import parse_model
from leadline.text.days import day_number
from leadline.text.fields import ranges

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Frequencies = Callable[[Sequence[str], Iterable[str]], NDArray[np.int64]]


def index_rows(index: Index, collection: Collection) -> NDArray[np.int64]:
    """The row in the index of each row of the collection; -1 for a document that is not in the index.

    Most indexes hold the whole collection in its order. In an index of families a document is in its family's row.
    """
    import polars as pl

    ids = collection.records["id"]
    if len(ids) == len(index) and _same_order(index, ids):
        return np.arange(len(ids))
    places = pl.DataFrame({"id": index.ids, "place": np.arange(len(index))})
    by_id = ids.to_frame("id").join(places, on="id", how="left", maintain_order="left")["place"]
    if index.unit != "family":
        return by_id.fill_null(-1).to_numpy()
    families = pl.DataFrame({"family": index.column("family"), "place": np.arange(len(index))})
    of_records = collection.records.select(pl.col("family").cast(pl.Int64))
    by_family = of_records.join(families.unique("family", keep="first"), on="family", how="left", maintain_order="left")
    return by_family["place"].fill_null(-1).to_numpy()


def _same_order(index: Index, ids: pl.Series) -> bool:
    """Whether the index has these ids in this order; compared as bytes, which needs no Python object per id."""
    if "".join(ids.to_list()).encode() != b"".join(segment.ids.buffer.tobytes() for segment in index.segments):
        return False
    lengths = np.concatenate([np.diff(segment.ids.offsets) for segment in index.segments])
    return bool((ids.str.len_bytes().to_numpy() == lengths).all())


# Links between documents, such as citations and family membership, as arrays.


@dataclass(frozen=True)
class Links:
    """Links between documents: those from row r are to targets[offsets[r]:offsets[r + 1]].

    >>> links = Links.of_pairs(np.array([2, 0, 2]), np.array([1, 2, 0]), 3)
    >>> links.degrees.tolist(), [part.tolist() for part in links.of_rows(np.array([2, 1]))]
    ([1, 0, 2], [[0, 0], [0, 1]])
    >>> links.reversed.of_rows(np.array([2]))[1].tolist()
    [0]
    """

    offsets: NDArray[np.int64]
    targets: NDArray[np.int64]

    @classmethod
    def of_pairs(cls, sources: NDArray[np.integer], targets: NDArray[np.integer], size: int) -> Links:
        """Links between pairs of rows, each once, without links from a document to itself."""
        different = sources != targets
        keys = np.unique(sources[different].astype(np.int64) * size + targets[different])
        return cls(np.searchsorted(keys, np.arange(size + 1) * size), keys % size)

    @classmethod
    def of(cls, citations: pl.DataFrame, units: NDArray[np.int64], size: int) -> Links:
        """Citations between documents of the index; `units` are the rows of the collection's documents in the index."""
        inside = citations.select("citing", "cited").drop_nulls()
        sources, targets = units[inside["citing"].to_numpy()], units[inside["cited"].to_numpy()]
        both = (sources >= 0) & (targets >= 0)
        return cls.of_pairs(sources[both], targets[both], size)

    @classmethod
    def of_groups(cls, groups: NDArray[np.int64]) -> Links:
        """Links from each document to all documents of its group, including itself.

        >>> Links.of_groups(np.array([5, 4, 5])).of_rows(np.array([1, 2]))[1].tolist()
        [1, 0, 2]
        """
        order = np.argsort(groups, kind="stable")
        starts = np.searchsorted(groups[order], groups)
        sizes = np.searchsorted(groups[order], groups, "right") - starts
        return cls(offsets_of(sizes), order[ranges(starts, sizes)])

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """The number of links from each document."""
        return np.diff(self.offsets)

    @cached_property
    def reversed(self) -> Links:
        """The links in the other direction."""
        sources = np.repeat(np.arange(len(self.degrees)), self.degrees)
        return Links.of_pairs(self.targets, sources, len(self.degrees))

    def of_rows(self, rows: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The links from these rows: the index in `rows` of each link's source, and the row of its target."""
        sizes = self.degrees[rows]
        return np.repeat(np.arange(len(rows)), sizes), self.targets[ranges(self.offsets[rows], sizes)]


# The words of the links to each document: what other pages call it.


@dataclass(frozen=True)
class AnchorWords:
    """For each word the documents that links with this word lead to, and the number of such links."""

    counts: Mapping[str, Mapping[int, int]]
    documents: int  # in the index

    @classmethod
    def of(cls, collection: Collection, index: Index, row_of: Mapping[str, int]) -> AnchorWords:
        """The words of a crawl's links, without those marked nofollow and those of a page to itself."""
        from leadline.collections.links.reading import LINKS, crawl_table

        links = crawl_table(collection, LINKS)
        counts: dict[str, dict[int, int]] = {}
        if links is None:
            return cls(counts, len(index))
        followed = links.filter(~links["nofollow"] & (links["source"] != links["target"]))
        same_words: dict[str, list[str]] = {}
        for target, text in followed.select("target", "anchor").iter_rows():
            row = row_of.get(target)
            if row is None or not text:
                continue
            if text not in same_words:
                same_words[text] = list(dict.fromkeys(index.analysis.terms(text)))
            for word in same_words[text]:
                pages = counts.setdefault(word, {})
                pages[row] = pages.get(row, 0) + 1
        return cls(counts, len(index))

    def scores(self, query: Mapping[str, float]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The documents whose links have words of a query, and Σ weight · ln(1 + N / n) · links / (links + 1).

        >>> words = AnchorWords({"film": {2: 3, 5: 1}}, 10)
        >>> [part.round(3).tolist() for part in words.scores({"film": 1.0, "steel": 2.0})]
        [[2, 5], [1.344, 0.896]]
        """
        totals: dict[int, float] = {}
        for word, weight in query.items():
            pages = self.counts.get(word, {})
            for row, links in pages.items():
                gain = weight * math.log(1 + self.documents / len(pages)) * links / (links + 1)
                totals[row] = totals.get(row, 0.0) + gain
        rows = np.array(sorted(totals), np.int64)
        return rows, np.array([totals[row] for row in rows.tolist()])


# The agreement of documents with a topic in their classes, at any level of the classification.


ClassLevel = Literal["section", "class", "subclass", "group", "subgroup"]
LEVELS = get_args(ClassLevel)
AgreementMeasure = Literal["share", "jaccard", "any", "main"]


@dataclass(frozen=True)
class AtLevel:
    """The classes at a level: their numbers, those of each document, and that of its main symbol (-1: none).

    The classes of document d are codes[offsets[d]:offsets[d + 1]], each once.
    """

    numbers: Mapping[str, int]
    codes: NDArray[np.int64]
    offsets: NDArray[np.int64]
    main: NDArray[np.int64]


class Classes:
    """The classes of all documents.

    >>> from leadline.retrieval.index.inverting import coded
    >>> part = coded([["C07D401/04", "A61K31/44"], ["C07D213/00"], []])
    >>> Classes([part]).agreement(["C07D401/00", "A01N1/00"], "subclass", "share").tolist()
    [0.5, 0.5, 0.0]
    """

    def __init__(self, parts: Sequence[CodedColumn]) -> None:
        symbols: dict[str, int] = {}
        coded = []
        for part in parts:
            renumbered = [symbols.setdefault(term.decode(), len(symbols)) for term in part.terms]
            coded.append(np.array(renumbered, np.int64)[part.codes])
        self.symbols = list(symbols)
        self.codes = np.concatenate(coded)
        self.offsets = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.offsets) for part in parts]))])
        self._at: dict[ClassLevel, AtLevel] = {}

    def of_document(self, row: int) -> list[str]:
        """The symbols of a document, the main one first."""
        return [self.symbols[code] for code in self.codes[self.offsets[row] : self.offsets[row + 1]].tolist()]

    def at(self, level: ClassLevel) -> AtLevel:
        """The classes at a level, computed on first use."""
        if level not in self._at:
            self._at[level] = self._classes_at(level)
        return self._at[level]

    def _classes_at(self, level: ClassLevel) -> AtLevel:
        numbers: dict[str, int] = {}
        names = [under(symbol, level) for symbol in self.symbols]
        class_of = np.array([numbers.setdefault(name, len(numbers)) if name else -1 for name in names], np.int64)
        classes = class_of[self.codes]
        documents, size = len(self.offsets) - 1, max(len(numbers), 1)
        main = np.full(documents, -1, np.int64)
        filled = np.diff(self.offsets) > 0
        main[filled] = classes[self.offsets[:-1][filled]]
        # Pairs of a document and a class, each once, as one number.
        document = np.repeat(np.arange(documents), np.diff(self.offsets))
        keys = np.unique((document * size + classes)[classes >= 0])
        return AtLevel(numbers, keys % size, np.searchsorted(keys, np.arange(documents + 1) * size), main)

    def agreement(
        self, symbols: Sequence[str], level: ClassLevel, by: AgreementMeasure, rows: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """The agreement of each of these documents, or of all, with the symbols of a topic, from 0 to 1."""
        at = self.at(level)
        names = dict.fromkeys(under(symbol, level) for symbol in symbols)
        of_topic = [at.numbers.get(name, -1) for name in names if name]
        is_of_topic = np.zeros(len(at.numbers) + 1, np.bool_)
        is_of_topic[of_topic] = True
        is_of_topic[-1] = False  # the place of classes that no document has
        before = np.concatenate([[0], np.cumsum(is_of_topic[at.codes])])
        shared = before[at.offsets[1:]] - before[at.offsets[:-1]]
        first = at.numbers.get(under(symbols[0], level), -2) if symbols else -2
        counts = Counts(shared, np.diff(at.offsets), len(of_topic), at.main == first)
        agreement = AGREEMENTS[by](counts)
        return agreement if rows is None else agreement[rows]


def under(symbol: str, level: ClassLevel) -> str:
    """The class of a symbol at a level; empty if the symbol is less specific.

    >>> under("C07D401/04", "subclass"), under("C07D401/04", "group"), under("C07D", "group")
    ('C07D', 'C07D401', '')
    """
    classes = _levels(symbol)
    place = LEVELS.index(level)
    return classes[place] if place < len(classes) else ""


_levels = cache(levels)


class Counts(NamedTuple):
    """The numbers of classes that agreement is computed from; arrays have one entry per document."""

    shared: NDArray[np.int64]
    document: NDArray[np.int64]
    topic: int
    same_main: NDArray[np.bool_]  # whether the main class is the topic's


AGREEMENTS: dict[str, Callable[[Counts], NDArray[np.float64]]] = {
    "share": lambda counts: counts.shared / max(counts.topic, 1),
    "jaccard": lambda counts: counts.shared / np.maximum(counts.document + counts.topic - counts.shared, 1),
    "any": lambda counts: (counts.shared > 0).astype(np.float64),
    "main": lambda counts: counts.same_main.astype(np.float64),
}


# The terms of each document: its text is read and analysed again, or the postings of a field are transposed.
#
# Transposing reads the whole index and takes eight bytes a posting in memory, so it is for those who ask for many
# documents. Both give the same numbers: a text that is not as it was indexed is not counted.


READ_AGAIN = 100  # documents whose texts are read before postings are transposed
SMALL = 10_000_000  # postings that are transposed in a fraction of a second


class DocumentTerms:
    """The terms of documents, by row.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> texts = [{"id": "EP1", "title": "acid film", "body": "acid"}, {"id": "EP2", "title": "base", "body": ""}]
    >>> forward = DocumentTerms(Index.build(texts, folder.name, fields=["title", "body"]))
    >>> forward.mixture(np.array([0, 1]), np.array([0.5, 0.5]), {"title": 1.0, "body": 2.0})
    {'acid': 0.375, 'base': 0.5, 'film': 0.125}
    >>> folder.cleanup()
    """

    def __init__(
        self, index: Index, read: Callable[[NDArray[np.integer]], Sequence[Document | None]] | None = None
    ) -> None:
        self.index = index
        self._read = read  # the documents in some rows, where there is a collection
        self._read_again = 0
        self._matrices: dict[str, tuple[Terms, Any]] = {}

    def mixture(
        self, rows: NDArray[np.integer], chances: NDArray[np.float64], fields: Mapping[str, float]
    ) -> dict[str, float]:
        """The probability of each term, if a document is drawn with these chances, and then one of its words.

        A word of a field with weight 2 counts as two words.
        """
        words = sum(weight * self.index.lengths(field)[rows] for field, weight in fields.items())
        each = np.divide(chances, words, out=np.zeros(len(rows)), where=np.asarray(words) > 0)
        total: dict[str, float] = {}
        counted = self._counted(rows, list(fields))
        for field, weight in fields.items():
            for word, chance in self._sums(field, rows, weight * each, counted):
                total[word] = total.get(word, 0.0) + chance
        return total

    def _counted(self, rows: NDArray[np.integer], fields: Sequence[str]) -> dict[str, list[Counter[str]]] | None:
        """The terms of some documents by their texts; None where the postings tell them sooner, or alone."""
        parts = [segment.field(self.index.field(field)) for field in fields for segment in self.index.segments]
        small = sum(len(part.documents) for part in parts) <= SMALL
        transposed = small or all(field in self._matrices for field in fields)
        derived = any(field in DERIVED for field in fields)
        if self._read is None or derived or transposed or self._read_again + len(rows) > READ_AGAIN:
            return None
        self._read_again += len(rows)
        there = [document for document in self._read(rows) if document is not None]
        if len(there) < len(rows):
            return None
        texts = [name for name in self.index.fields if name not in DERIVED]
        sums, counts = counted_documents(there, texts, self.index.analysis)
        return counts if (sums == self.index.column("content")[rows]).all() else None

    def _sums(
        self, field: str, rows: NDArray[np.integer], each: NDArray[np.float64],
        counted: Mapping[str, Sequence[Mapping[str, int]]] | None,
    ) -> Iterator[tuple[str, float]]:  # fmt: skip
        """Each term of some documents, with the sum of its weighted frequencies, added in the order of documents."""
        if counted is not None:
            sums: dict[str, float] = {}
            for weight, counts in zip(each.tolist(), counted[field], strict=True):
                for word, count in counts.items():
                    sums[word] = sums.get(word, 0.0) + count * weight
            yield from ((word, total) for word, total in sums.items() if total)
            return
        terms, matrix = self._matrix(field)
        found = matrix[:, rows] @ each
        yield from ((terms[term].decode(), float(found[term])) for term in np.flatnonzero(found).tolist())

    def _matrix(self, field: str) -> tuple[Terms, Any]:
        """The terms of a field, and a sparse matrix of frequencies, terms by documents.

        It is one for all segments, so that sums are added up in the same order however documents are divided.
        """
        if field not in self._matrices:
            from scipy.sparse import csc_array

            parts = [segment.field(self.index.field(field)) for segment in self.index.segments]
            if len(parts) == 1:
                every, numbers = parts[0].terms, [np.arange(len(parts[0].terms), dtype=np.int32)]
            else:
                merged = MergedTerms(self.index.segments, [part.terms for part in parts])
                every, numbers = merged.terms, [merged.of_part(number) for number in range(len(parts))]
            columns = [_columns(part, number) for part, number in zip(parts, numbers, strict=True)]
            frequencies, terms, counts = (np.concatenate(each) for each in zip(*columns, strict=True))
            starts = offsets_of(counts)
            starts = starts.astype(np.int32) if starts[-1] < 2**31 else starts
            matrix = csc_array((frequencies, terms, starts), shape=(len(every), len(self.index)))
            self._matrices[field] = every, matrix
        return self._matrices[field]


def _columns(part: Field, number: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The frequencies of each document's terms, the terms by their number in all segments, and their counts."""
    from scipy.sparse import csr_array

    small = len(part.documents) < 2**31
    starts = part.starts.astype(np.int32) if small else part.starts
    shape = (len(part.terms), len(part.lengths))
    columns = csr_array((part.frequencies[:], part.documents[:], starts), shape=shape).tocsc()
    return columns.data, number[columns.indices], np.diff(columns.indptr)


# The claims of documents as units that can be scored by themselves: each with the claims it refers to.


class DocumentClaims(NamedTuple):
    """The unnested claims of a document: the number of terms of each, and for each term of each claim its frequency."""

    lengths: NDArray[np.int64]
    claim: NDArray[np.int32]  # the place of the claim in the document
    term: NDArray[np.int32]  # a number in the vocabulary
    tf: NDArray[np.int32]


class ClaimUnits:
    """The unnested claims of the documents of an index. Those of a document are read once and kept."""

    def __init__(
        self, index: Index, read: Callable[[Sequence[int]], list[Document]], document_frequencies: Frequencies
    ) -> None:
        self._index, self._read, self._document_frequencies = index, read, document_frequencies
        self._claims: dict[int, DocumentClaims] = {}  # by the row of the document
        self._vocabulary: dict[str, int] = {}

    def best_scores(
        self, rows: Sequence[int], queries: Sequence[Mapping[str, float]], model: str
    ) -> NDArray[np.float64]:
        """For each document the score of its best claim for any of the queries; 0 for one without claims.

        The statistics of a term are those of the field of claims.
        """
        documents = self._of_rows(rows)
        counts = np.array([len(each.lengths) for each in documents])
        terms = list(dict.fromkeys(term for query in queries for term in query))
        if not counts.sum() or not terms:
            return np.zeros(len(rows))
        asked = np.array([[query.get(term, 0.0) for term in terms] for query in queries])
        best = (self._weights(documents, counts, terms, model) @ asked.T).max(axis=1)
        # The best of the claims of each document: where each one's claims begin, for those that have any.
        scores = np.zeros(len(rows))
        starts = np.cumsum(counts) - counts
        scores[counts > 0] = np.maximum.reduceat(best, starts[counts > 0])
        return scores

    def _of_rows(self, rows: Sequence[int]) -> list[DocumentClaims]:
        new = [row for row in rows if row not in self._claims]
        documents = self._read(new)
        claims = [claim for document in documents for claim in document.claims]
        terms = iter(self._index.analysis.terms_of([claim.text for claim in claims]))
        for row, document in zip(new, documents, strict=True):
            self._claims[row] = self._claim_terms(document.claims, list(islice(terms, len(document.claims))))
        return [self._claims[row] for row in rows]

    def _claim_terms(self, claims: Sequence[Claim], terms: Sequence[list[str]]) -> DocumentClaims:
        """The terms of each claim and of the claims it refers to, from those of each alone."""
        own = dict(zip(claims, terms, strict=True))
        units = [Counter(chain.from_iterable(own[claim] for claim in together)) for together in with_parents(claims)]
        found = [
            (place, self._vocabulary.setdefault(term, len(self._vocabulary)), tf)
            for place, unit in enumerate(units)
            for term, tf in unit.items()
        ]
        claim, term, tf = np.array(found, np.int32).reshape(-1, 3).T
        return DocumentClaims(np.array([unit.total() for unit in units], np.int64), claim, term, tf)

    def _weights(
        self, documents: Sequence[DocumentClaims], counts: NDArray[np.int64], terms: Sequence[str], model: str
    ) -> NDArray[np.float64]:
        """The weight of each term in each claim of all documents by a model, claim × term."""
        place = np.full(len(self._vocabulary) + 1, -1, np.int64)
        place[[self._vocabulary.get(term, -1) for term in terms]] = np.arange(len(terms))
        place[-1] = -1  # of terms that no claim has
        first = np.repeat(np.cumsum(counts) - counts, [len(each.claim) for each in documents])
        claim = first + np.concatenate([each.claim for each in documents])
        term = place[np.concatenate([each.term for each in documents])]
        tf = np.concatenate([each.tf for each in documents])
        lengths = np.concatenate([each.lengths for each in documents]).astype(np.float64)
        known = term >= 0
        claim, term = claim[known], term[known]
        df = np.maximum(self._document_frequencies(terms, ("claims",)), 1).astype(np.float64)[term]
        size = len(self._index)
        postings = Postings(tf[known].astype(np.float64), lengths[claim], df, df, size, float(lengths.mean()) * size)
        name, parameters = parse_model(model)
        formula = MODELS.named(name)
        weights = np.zeros((len(lengths), len(terms)))
        weights[claim, term] = formula.function(postings, **formula.checked_parameters(parameters))
        return weights


# Claims that can be read by themselves: each with the text of the claims it refers to.


def unnested(claims: Sequence[Claim]) -> list[str]:
    """The text of each claim, after the texts of the claims it refers to, directly or not, each once.

    >>> unnested([Claim(1, "A nail."), Claim(2, "Claim 1, bent.", (1,)), Claim(3, "Claims 1 and 2, of tin.", (1, 2))])
    ['A nail.', 'A nail. Claim 1, bent.', 'A nail. Claim 1, bent. Claims 1 and 2, of tin.']
    """
    return [" ".join(claim.text for claim in together) for together in with_parents(claims)]


def with_parents(claims: Sequence[Claim]) -> list[list[Claim]]:
    """Each claim, after the claims it refers to, directly or not, each once."""
    by_number = {claim.number: claim for claim in claims}
    found = []
    for claim in claims:
        ancestors: set[int] = set()
        waiting = list(claim.parents)
        while waiting:
            parent = waiting.pop()
            if parent not in ancestors and parent in by_number and parent != claim.number:
                ancestors.add(parent)
                waiting.extend(by_number[parent].parents)
        found.append([*(by_number[number] for number in sorted(ancestors)), claim])
    return found


# Topics that are patents outside the collection: read from a file, with their day and their families.


def read_patents(path: str | os.PathLike[str]) -> Iterator[Document]:
    """The documents of a file in any form that `leadline collection build` reads, even if parts are missing."""
    with tempfile.TemporaryDirectory() as folder:
        build([path], folder, keep="all")
        yield from Collection.open(folder).documents()


def day_of(document: Document) -> int:
    """The day of a patent's latest priority, else of its filing, else of its publication, in days since 1970.

    >>> day_of(Document("X", application="1970-02")), day_of(Document("X", publication="1970")), day_of(Document("X"))
    (31, 364, -2147483648)
    """
    written = document.priority or document.application
    if written:
        return day_number(written)  # the first day of a month or year, so that no later document is found
    return day_number(document.publication, late=True) if document.publication else int(MISSING)


class FamilyFinder:
    """Finds the family of a patent that is not in the collection, by the rules of `documents/families.py`."""

    def __init__(self, collection: Collection) -> None:
        import polars as pl

        self.collection = collection
        claims = pl.concat(collection.texts(["family", "priority_number", "application_number"]))
        numbers = pl.col("priority_number").list.filter(pl.element() != "")
        priorities = numbers.list.unique().list.sort().list.join(" + ")
        self.claims = claims.select(
            named="family",
            claims=pl.when(priorities != "").then(priorities).otherwise("application_number"),
            family=pl.lit(collection.records["family"]).gather(pl.col("row")),
        )

    def families(self, document: Document) -> tuple[int, ...]:
        """The families of the collection that the document belongs to: none, one, or several that it joins."""
        import polars as pl

        numbers = [*document.relatives, document.office + document.serial + document.kind, document.id]
        claimed = " + ".join(sorted({priority.number for priority in document.priorities if priority.number}))
        same = (pl.col("claims") == (claimed or document.application_number)) & (pl.col("claims") != "")
        named = (pl.col("named") == document.family) & (pl.col("named") != "")
        rows = self.collection.rows(numbers)
        families = [
            *self.claims.filter(same | named)["family"].to_list(),
            *self.collection.records["family"].gather(rows[rows >= 0]).to_list(),
            *self._families_listing(numbers).to_list(),
        ]
        return tuple(sorted(set(map(int, families))))

    def _families_listing(self, numbers: list[str]) -> pl.Series:
        """The families whose lists of members have one of these numbers, with any kind code."""
        import polars as pl

        wanted = pl.DataFrame({"number": numbers}).select(bare=without_kind(pl.col("number"))).unique()
        members = self.collection.families.with_columns(bare=without_kind(pl.col("number")))
        return members.join(wanted, on="bare", how="semi")["family"]
