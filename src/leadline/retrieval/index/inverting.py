"""Documents in batches of about the same number of bytes, inverted: words found, reduced to terms, postings grouped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol
from zlib import crc32

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.documents.families import without_kind
from leadline.collections.documents.numbers import normalise
from leadline.errors import InputError
from leadline.retrieval.choices import FIELDS
from leadline.retrieval.index.analysis import Analysis, Occurrences, WordSpans, joined
from leadline.retrieval.index.derived import field_function, sentence_marks, sentence_starts
from leadline.retrieval.index.kernel_arguments import BatchWords, PositionLists, PostingLists, TermCounts
from leadline.retrieval.index.packing import ascending, gaps, packed
from leadline.retrieval.index.segment import (
    MISSING,
    NUMBERS,
    CodedColumn,
    stored_breaks,
    stored_codes,
    stored_forms,
    stored_terms,
    stored_wide,
)
from leadline.retrieval.index.terms import Terms, counted_forms, forms_of, offsets_of, packed_forms, word_ranks
from leadline.text.days import day_number
from leadline.text.engine import Kernel, compiled_job
from leadline.text.memory import cuts

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    WordLists = list[list[str]] | pl.Series  # the words of each document


def inverted(batch: DocumentBatch, analysis: Analysis, positions: bool) -> dict[str, NDArray[Any]]:
    """The arrays of a segment with the documents of a batch."""
    ids = Terms.of([name.encode() for name in batch.ids])
    content = stored_terms(ids, "ids", "id_lengths")
    for name, found in _occurrences(batch, analysis):
        content |= {f"{name}/{array}": values for array, values in _field(found, positions).items()}
    for name, numbers in {**batch.numbers, "content": content_sums(list(batch.texts.values()))}.items():
        content |= stored_wide(numbers, f"columns/{name}")
    for name, words in batch.codes.items():
        content |= {f"columns/{name}/{array}": values for array, values in stored_codes(coded(words)).items()}
    return content


def _occurrences(batch: DocumentBatch, analysis: Analysis) -> Iterator[tuple[str, Occurrences]]:
    """The terms of each field, first those of the documents, then derived ones; one field is in memory at a time."""
    languages = [given[0] if given else "" for given in listed(batch.codes["language"])]
    for name, texts in batch.texts.items():
        yield name, WordSpans.of(*joined(texts), analysis.words, analysis.syllables).terms(analysis, languages)
    if batch.derived:
        whole = ["\n".join(texts) for texts in zip(*batch.texts.values(), strict=True)]
        for name in batch.derived:
            yield name, field_function(name)(whole, analysis)


def counted_documents(
    documents: Sequence[Document], fields: Sequence[str], analysis: Analysis
) -> tuple[NDArray[np.int64], dict[str, list[Counter[str]]]]:
    """Of a few documents the checksums of their texts, and how often each has each term in each of these fields.

    They are those that an index of the documents has, if it has these fields and no others of texts.
    """
    batch = _batch([_as_mapping(each) for each in documents], fields)
    counts = {
        name: [Counter(found.of_text(number)) for number in range(len(documents))]
        for name, found in _occurrences(batch, analysis)
    }
    return content_sums(list(batch.texts.values())), counts


def _field(occurrences: Occurrences, positions: bool) -> dict[str, NDArray[Any]]:
    """The arrays of one field of a segment."""
    names = sorted({term for term in occurrences.terms if term})
    number = {name: code for code, name in enumerate(names)}
    term_of = np.array([number.get(term, -1) for term in occurrences.terms], np.int32)
    offsets, codes = occurrences.offsets, occurrences.codes
    words = BatchWords(len(offsets) - 1, offsets, codes, term_of, len(names))
    size = _BYTES_A_WORD * len(codes)
    counts, lengths = _counted.choose(size)(words)
    starts = offsets_of(counts.texts)
    documents, frequencies, places = _filled.choose(size)(words, counts, starts, positions)
    terms = Terms.of(names)
    listed = occurrences.words or [b""] * len(occurrences.terms)  # a field without words has no forms
    keys, owners, form_of = forms_of(listed, occurrences.terms if occurrences.words else listed, term_of, len(names))
    forms = counted_forms(keys, owners, form_of, words, counts.occurrences)
    codes_of_forms = packed_forms.choose(size)(words, word_ranks(words, form_of, forms), forms)
    breaks = text_breaks(occurrences) if positions else (np.empty(0, np.int32), np.zeros_like(offsets))
    first = np.cumsum(frequencies, dtype=np.int64) - frequencies
    return {
        **stored_terms(terms, "terms", "term_lengths"),
        "document_counts": packed(counts.texts),
        **stored_wide(counts.occurrences - counts.texts, "repetitions"),
        "documents": packed(documents, ascending(words.texts)),
        "frequencies": packed(frequencies - 1),
        "positions": packed(gaps(places, first) if positions else places),
        "lengths": packed(lengths),
        **stored_forms(forms, terms),
        "form_codes": codes_of_forms,
        **stored_terms(Terms.of(sorted(set(occurrences.spellings))), "spellings", "spelling_lengths"),
        **stored_breaks(*breaks),
    }


def content_sums(fields: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """A checksum of the texts of each document, by which a changed document is recognised."""
    texts = zip(*fields, strict=True)
    return np.array([crc32("\n\n".join(each).encode("utf-8", "replace")) for each in texts], np.int64)


_BYTES_A_WORD = 2  # NumPy sorts a word into its list in the time in which plain Python reads so many bytes of text


def _occurring(words: BatchWords) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The term of every word that is not left out, its text, and its position there."""
    text = np.repeat(np.arange(words.texts), np.diff(words.offsets))
    term = words.term_of[words.codes].astype(np.int64)
    here = np.flatnonzero(term >= 0)
    return term[here], text[here], here - words.offsets[text[here]]


def _counted_plain(words: BatchWords) -> tuple[TermCounts, NDArray[np.int32]]:
    term, text, _ = _occurring(words)
    once = np.unique(term * words.texts + text)
    counts = TermCounts(
        texts=np.bincount(once // max(words.texts, 1), minlength=words.terms),
        occurrences=np.bincount(term, minlength=words.terms),
    )
    return counts, np.bincount(text, minlength=words.texts).astype(np.int32)


@compiled_job("leadline.retrieval.index.kernels.count_terms", plain=_counted_plain)
def _counted(kernel: Kernel, words: BatchWords) -> tuple[TermCounts, NDArray[np.int32]]:
    """The number of texts that have each term, its occurrences, and the number of terms of each text."""
    counts = TermCounts(np.empty(words.terms, np.int64), np.empty(words.terms, np.int64))
    lengths = np.empty(words.texts, np.int32)
    kernel(words, np.empty(words.terms, np.int32), counts, lengths)
    return counts, lengths


_Filled = tuple["NDArray[np.int32]", "NDArray[np.int32]", "NDArray[np.int32]"]


def _filled_plain(words: BatchWords, counts: TermCounts, starts: NDArray[np.int64], positions: bool) -> _Filled:
    term, text, position = _occurring(words)
    key = term * words.texts + text
    order = np.argsort(key, kind="stable")
    once, frequencies = np.unique(key, return_counts=True)
    places = position[order] if positions else np.empty(0, np.int64)
    documents = once % max(words.texts, 1)
    return documents.astype(np.int32), frequencies.astype(np.int32), places.astype(np.int32)


@compiled_job("leadline.retrieval.index.kernels.fill_postings", plain=_filled_plain)
def _filled(
    kernel: Kernel, words: BatchWords, counts: TermCounts, starts: NDArray[np.int64], positions: bool
) -> _Filled:
    """The documents of each term, its frequency in each, and its positions there (empty without `positions`)."""
    postings = int(starts[-1])
    lists = PostingLists(starts[:-1].copy(), np.empty(postings, np.int32), np.empty(postings, np.int32))
    ends = offsets_of(counts.occurrences)
    places = PositionLists(positions, ends[:-1].copy(), np.empty(int(ends[-1]) if positions else 0, np.int32))
    kernel(words, np.empty(words.terms, np.int32), lists, places)
    return lists.documents, lists.frequencies, places.positions


# Documents of a collection or of an iterable, in batches of about the same number of bytes of text.


BATCH_BYTES = 24 << 20
DOCUMENT_BYTES = 200  # counted for each document of a batch beside its texts: its id, dates and codes take memory too
DAYS = tuple(name for name in NUMBERS if name not in ("family", "content"))


class Records(Protocol):
    """The interface of a collection, such as `leadline.collections.documents.collection.Collection`."""

    def __len__(self) -> int: ...
    @property
    def records(self) -> pl.DataFrame: ...
    def records_at(self, rows: NDArray[np.integer[Any]], columns: Sequence[str]) -> pl.DataFrame: ...
    def texts(self, fields: Sequence[str]) -> Iterator[pl.DataFrame]: ...


def is_collection(source: Any) -> bool:
    """Whether a source of documents is a collection; the `records` of one are not read for the answer."""
    return hasattr(source, "records_at")


class SomeRows:
    """Some rows of a collection, or of a wrapper of one that takes rows."""

    def __init__(self, collection: Any, rows: NDArray[np.int64]) -> None:
        self.records_at, self._collection, self._rows = collection.records_at, collection, rows

    def texts(self, fields: Sequence[str]) -> Any:
        return self._collection.texts(fields, self._rows)


@dataclass(frozen=True)
class DocumentBatch:
    """Some documents: their ids, the texts of each field, and their metadata as numbers and codes."""

    ids: list[str]
    texts: dict[str, list[str]]
    numbers: dict[str, NDArray[Any]]
    codes: dict[str, WordLists]
    derived: tuple[str, ...] = ()  # fields to be made of the texts

    @property
    def size(self) -> int:
        """The characters of its texts."""
        return sum(len(text) for texts in self.texts.values() for text in texts)


def batches(source: Iterable[Any] | Records, fields: Sequence[str], size: int = BATCH_BYTES) -> Iterator[DocumentBatch]:
    """The documents of a collection, or of an iterable of `Document`s or of mappings with `id` and the fields."""
    if is_collection(source):
        yield from _from_collection(source, fields, size)
        return
    waiting: list[Mapping[str, Any]] = []
    weight = 0
    documents: Any = source
    for number, document in enumerate(documents):
        mapping = document if isinstance(document, dict) else _as_mapping(document)
        if not mapping.get("id"):
            raise InputError(f"document {number + 1}", "has no id: give Documents, or mappings with `id` and fields")
        own = DOCUMENT_BYTES + sum(len(mapping.get(name) or "") for name in fields)
        if waiting and weight + own > size:
            yield _batch(waiting, fields)
            waiting, weight = [], 0
        waiting.append(mapping)
        weight += own
    if waiting:
        yield _batch(waiting, fields)


def _as_mapping(document: Any) -> Mapping[str, Any]:
    if isinstance(document, Document):
        claims = tuple(claim.text for claim in document.claims)
        values = {
            name: getattr(document, name)
            for name in (*_GIVEN, *FIELDS, *NUMBERS)
            if name not in ("known", "claims", "content")
        }
        return {**values, "claims": claims, "cites": [citation.number for citation in document.citations]}
    return document if isinstance(document, Mapping) else {}


def _batch(documents: Sequence[Mapping[str, Any]], fields: Sequence[str]) -> DocumentBatch:
    present = set().union(*documents)

    def values(name: str, missing: Any, convert: Callable[[Any], Any]) -> list[Any]:
        """What is made of the value of each document, or of `missing`; quick where no document has one."""
        if name not in present:
            return [convert(missing)] * len(documents)
        return [convert(each.get(name) or missing) for each in documents]

    days = {name: np.array(values(name, "", _day), np.int32) for name in ("priority", "application", "publication")}
    known_since = np.where(days["priority"] != MISSING, days["priority"], days["application"])
    # Family names of a source mean nothing in other sources: only numbers are taken.
    families = values("family", -1, lambda family: family if isinstance(family, int) else -1)
    ipc, cpc = (values(name, (), list) for name in ("ipc", "cpc"))
    return DocumentBatch(
        ids=values("id", "", str),
        texts={name: values(name, "", _text_of) for name in fields},
        numbers={
            **days,
            "known": np.where(known_since != MISSING, known_since, days["publication"]).astype(np.int32),
            "family": np.array(families, np.int64),
        },
        codes={
            **{name: values(name, "", _one) for name in ("office", "kind", "language")},
            **{"ipc": ipc, "cpc": cpc},
            "classes": [[*some, *others] for some, others in zip(ipc, cpc, strict=True)],
            "applicant": values("applicants", (), _names),
            "inventor": values("inventors", (), _names),
            "number": [[_number(each)] for each in documents],
            "cites": values("cites", (), _keys),
        },
    )


_GIVEN = ("id", "office", "serial", "kind", "language", "ipc", "cpc", "applicants", "inventors")


def _one(given: str) -> list[str]:
    return [given] if given else []


def _keys(numbers: Sequence[str]) -> list[str]:
    """Publications without their kinds."""
    return sorted({normalise(number).key for number in numbers if number})


def _names(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else [name for name in given if name]


def _number(document: Mapping[str, Any]) -> str:
    """The number of a publication without its kind, or the id of a document without a number."""
    serial = document.get("serial")
    return f"{document.get('office') or ''}{serial}" if serial else normalise(str(document["id"])).key or document["id"]


def _text_of(value: Any) -> str:
    """The text of a field; of several claims each is one line."""
    if isinstance(value, str):
        return value
    return claims_text(getattr(each, "text", each) for each in value or ())


def claims_text(claims: Iterable[str]) -> str:
    """Claims as one text, each in one line, so that a search knows where each ends.

    >>> claims_text(["A nail,\\nbent.", "A screw."])
    'A nail, bent.\\nA screw.'
    """
    return "\n".join(claim.replace("\n", " ") for claim in claims)


def _day(written: Any) -> int:
    """A date as days since 1970; where only the month or year is known, its first day.

    >>> _day("1970-02"), _day("1971"), _day("")
    (31, 365, -2147483648)
    """
    return day_number(written) if written else int(MISSING)


def _from_collection(collection: Any, fields: Sequence[str], size: int) -> Iterator[DocumentBatch]:
    import polars as pl

    named = ["inventors", "cited_number"]
    wanted = list(fields)
    for part in collection.texts([*wanted, *named]):
        frame = joined_claims(part, wanted)
        lengths = frame.select(pl.sum_horizontal(pl.col(name).str.len_bytes().fill_null(0) for name in wanted))
        for start, end in cuts(lengths.to_series().to_numpy().astype(np.int64) + DOCUMENT_BYTES, size):
            piece = frame[start:end]
            rows = collection.records_at(piece["row"].to_numpy(), RECORD_COLUMNS)
            yield DocumentBatch(
                ids=rows["id"].to_list(),
                texts={name: piece[name].fill_null("").to_list() for name in wanted},
                numbers=number_columns(rows),
                codes=code_columns(
                    rows.with_columns(
                        piece["inventors"], cites=pl.Series(piece["cited_number"]).list.eval(without_kind(pl.element()))
                    )
                ),
            )


_ONE_WORD = {"office": "office", "kind": "kind", "language": "language", "number": "key"}
RECORD_COLUMNS = ("id", *DAYS, "family", *_ONE_WORD.values(), "ipc", "cpc", "applicants")


def code_columns(rows: pl.DataFrame) -> dict[str, WordLists]:
    """The columns of words of documents, as a segment stores them."""
    import polars as pl

    several = {"ipc": "ipc", "cpc": "cpc", "applicant": "applicants", "inventor": "inventors", "cites": "cites"}
    texts = pl.List(pl.String)
    lists = rows.select(
        **{name: pl.concat_list(pl.col(column).fill_null("")).cast(texts) for name, column in _ONE_WORD.items()},
        **{name: pl.col(column).fill_null([]).cast(texts) for name, column in several.items()},
        classes=pl.concat_list("ipc", "cpc").fill_null([]).cast(texts),
    )
    filled = lists.with_columns(pl.all().list.eval(pl.element().filter(pl.element() != "")))
    return {name: filled[name] for name in filled.columns}


def joined_claims(texts: pl.DataFrame, fields: Sequence[str]) -> pl.DataFrame:
    """Texts of a collection with the claims of each document joined to one text, each in one line."""
    import polars as pl

    lists = [name for name in fields if isinstance(texts.schema[name], pl.List)]
    one_line = pl.element().str.replace_all("\n", " ", literal=True)
    return texts.with_columns(pl.col(name).list.eval(one_line).list.join("\n") for name in lists)


def joined_fields(texts: pl.DataFrame, fields: Sequence[str]) -> pl.Series:
    """Texts of a collection with the fields of each document joined to one text."""
    import polars as pl

    return joined_claims(texts, fields).select(pl.concat_str(fields, separator="\n", ignore_nulls=True)).to_series()


def number_columns(rows: pl.DataFrame) -> dict[str, NDArray[Any]]:
    """The days and families of documents, as a segment stores them."""
    import polars as pl

    days = {name: rows[name].cast(pl.Int32).fill_null(int(MISSING)).to_numpy() for name in DAYS}
    return {**days, "family": rows["family"].cast(pl.Int64).to_numpy()}


def coded(values: WordLists) -> CodedColumn:
    """A column of words: a dictionary, and the codes of each document.

    >>> column = coded([["US"], [], ["EP", "US"]])
    >>> column.codes.tolist(), column.offsets.tolist()
    ([1, 0, 1], [0, 1, 1, 3])
    """
    if not isinstance(values, list):
        return _coded_series(values)
    words = list(chain.from_iterable(values))
    names = sorted(set(words))  # in the order of their bytes
    code_of = {name: code for code, name in enumerate(names)}
    codes = np.fromiter(map(code_of.__getitem__, words), np.int32, len(words))
    return CodedColumn(Terms.of([name.encode() for name in names]), offsets_of(list(map(len, values))), codes)


def listed(values: WordLists) -> list[list[str]]:
    """The words of each document as lists."""
    return values if isinstance(values, list) else values.to_list()


def _coded_series(values: pl.Series) -> CodedColumn:
    """The same of a column of lists: no word becomes an object."""
    import polars as pl

    words = values.explode().drop_nulls()
    names = words.unique().sort()
    codes = words.cast(pl.Enum(names)).to_physical().cast(pl.Int32).to_numpy()
    offsets = offsets_of(values.list.len().to_numpy())
    return CodedColumn(Terms.of([name.encode() for name in names]), offsets, np.ascontiguousarray(codes))


# Where the sentences and paragraphs of texts begin, so that words in the same one can be searched for.
#
# A paragraph is a line; in the field of claims a line is a claim. A break is twice the position of the first word of a
# sentence, plus 1 where it begins a paragraph too. A text's first sentence has no break.


def text_breaks(occurrences: Occurrences) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The breaks of each text, and where those of each text begin.

    >>> from leadline.retrieval.index.analysis import Analysis
    >>> from leadline.retrieval.index.analysis import joined
    >>> from leadline.retrieval.index.analysis import WordSpans
    >>> spans = WordSpans.of(*joined(["A nail. It bends.\\nOurs not.", "Tin"]), "plain")
    >>> [array.tolist() for array in text_breaks(spans.terms(Analysis()))]
    [[4, 9], [0, 2, 2]]
    """
    spans, texts = occurrences.spans, len(occurrences.offsets) - 1
    if spans is None or not len(spans.codes):
        return np.empty(0, np.int32), np.zeros(texts + 1, np.int64)
    first = sentence_starts(spans)
    text = np.searchsorted(spans.offsets, first, "right") - 1
    inside = first > spans.offsets[text]  # a text's first sentence has no break
    first, text = first[inside], text[inside]
    _, lines = sentence_marks(spans.content)
    before, after = (np.searchsorted(lines, spans.starts[words]) for words in (first - 1, first))
    breaks = (first - spans.offsets[text]) * 2 + (after > before)
    return breaks.astype(np.int32), np.searchsorted(text, np.arange(texts + 1))
