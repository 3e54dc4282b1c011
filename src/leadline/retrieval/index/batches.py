"""Documents of a collection or of an iterable, in batches of about the same number of bytes of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.documents.family import without_kind
from leadline.collections.documents.numbers import normalise
from leadline.errors import InputError
from leadline.retrieval.index.segment import MISSING, NUMBERS, CodedColumn
from leadline.retrieval.index.terms import Terms, offsets_of
from leadline.text.cuts import cuts
from leadline.text.days import day_number

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

BATCH_BYTES = 24 << 20
DOCUMENT_BYTES = 200  # counted for each document of a batch beside its texts: its id, dates and codes take memory too
FIELDS = ("title", "abstract", "claims", "description")
DAYS = tuple(name for name in NUMBERS if name not in ("family", "content"))


class Records(Protocol):
    """The interface of a collection, such as `leadline.collections.documents.store.Collection`."""

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
    codes: dict[str, list[list[str]]]
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
        values = {name: getattr(document, name) for name in (*_GIVEN, *FIELDS, *NUMBERS)
                  if name not in ("known", "claims", "content")}  # fmt: skip
        return {**values, "claims": claims, "cites": [citation.number for citation in document.citations]}
    return document if isinstance(document, Mapping) else {}


def _batch(documents: Sequence[Mapping[str, Any]], fields: Sequence[str]) -> DocumentBatch:
    present = set().union(*documents)

    def values(name: str, missing: Any) -> list[Any]:
        """The value of each document, or `missing`; quick where no document has one."""
        return [each.get(name) or missing for each in documents] if name in present else [missing] * len(documents)

    days = {
        name: np.array([_day(written) for written in values(name, "")], np.int32)
        for name in ("priority", "application", "publication")
    }
    known_since = np.where(days["priority"] != MISSING, days["priority"], days["application"])
    # Family names of a source mean nothing in other sources: only numbers are taken.
    families = [family if isinstance(family, int) else -1 for family in values("family", -1)]
    return DocumentBatch(
        ids=[str(name) for name in values("id", "")],
        texts={name: [_text_of(text) for text in values(name, "")] for name in fields},
        numbers={
            **days,
            "known": np.where(known_since != MISSING, known_since, days["publication"]).astype(np.int32),
            "family": np.array(families, np.int64),
        },
        codes={
            **{
                name: [[given] if given else [] for given in values(name, "")]
                for name in ("office", "kind", "language")
            },
            **{name: [list(given) for given in values(name, ())] for name in ("ipc", "cpc")},
            "classes": [[*ipc, *cpc] for ipc, cpc in zip(values("ipc", ()), values("cpc", ()), strict=True)],
            "applicant": [_names(given) for given in values("applicants", ())],
            "inventor": [_names(given) for given in values("inventors", ())],
            "number": [[_number(each)] for each in documents],
            "cites": [sorted({normalise(number).key for number in given if number}) for given in values("cites", ())],
        },
    )


_GIVEN = ("id", "office", "serial", "kind", "language", "ipc", "cpc", "applicants", "inventors")


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
                codes=code_columns(rows.with_columns(
                    piece["inventors"], cites=pl.Series(piece["cited_number"]).list.eval(without_kind(pl.element()))
                )),
            )  # fmt: skip


_ONE_WORD = {"office": "office", "kind": "kind", "language": "language", "number": "key"}
RECORD_COLUMNS = ("id", *DAYS, "family", *_ONE_WORD.values(), "ipc", "cpc", "applicants")


def code_columns(rows: pl.DataFrame) -> dict[str, list[list[str]]]:
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
    return {name: filled[name].to_list() for name in filled.columns}


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


def coded(values: Sequence[Sequence[str]]) -> CodedColumn:
    """A column of words: a dictionary, and the codes of each document.

    >>> column = coded([["US"], [], ["EP", "US"]])
    >>> column.codes.tolist(), column.offsets.tolist()
    ([1, 0, 1], [0, 1, 1, 3])
    """
    names = sorted({word.encode() for words in values for word in words})
    code_of = {name: code for code, name in enumerate(names)}
    offsets = offsets_of([len(words) for words in values])
    codes = np.array([code_of[word.encode()] for words in values for word in words], np.int32)
    return CodedColumn(Terms.of(names), offsets, codes)
