"""Documents as records: of JSON with our names, of any shape, and of systematic reviews; one function per field."""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from leadline.collections.choices import ORIGINS
from leadline.collections.documents.document import (
    OTHER_KINDS,
    Citation,
    Claim,
    Document,
    Priority,
    limited,
    split,
    symbol,
)
from leadline.collections.documents.document import parents as parents_in
from leadline.collections.documents.fields.patent_offices import application_name
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import MAX_DOCUMENT_BYTES, Broken, Raw, RecordMarker, Window, head_lines
from leadline.errors import not_a_choice
from leadline.text.days import iso

NAMES = tuple(field.name for field in fields(Document))
_NUMBER_PARTS = ("office", "serial", "kind")  # always written: a missing one would be guessed from the id
_SURROGATE = re.compile("[\ud800-\udfff]")
# Names that test collections use, the preferred one first: BEIR, Anserini, MS MARCO, TREC.
_OTHER_IDS = ("_id", "pid", "docno", "docid", "doc_id")
OTHER_TEXTS = ("contents", "text", "body", "passage", "segment")
OTHER_NAMES = (*_OTHER_IDS, *OTHER_TEXTS)
_OF_PATENTS = frozenset({"office", "serial", "kind", "claims", "ipc", "cpc", "priorities", "application"})
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89A-Fa-f]")


def parse_record(content: bytes) -> dict[str, Any]:
    """One JSON object. NaN becomes null, a number of 20 digits or more becomes text, a repeated name is an error.

    >>> parse_record(b'{"id": "X1", "title": NaN}')
    {'id': 'X1', 'title': None}
    """
    try:
        text = content.decode("utf-8-sig")
        value = _DECODER.decode(text)
        if _ESCAPED_SURROGATE.search(text):  # a lone surrogate can be escaped in JSON, but not encoded as UTF-8
            value = json.loads(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", json.dumps(value, ensure_ascii=False)))
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8: byte {error.start} of the record") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not readable JSON: {error.msg} at character {error.pos} of the record") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError(f"is {shown(value)}, expected a JSON object")
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        repeated = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ValueError(f"{repeated[:40]!r} is given twice")
    return record


def _int_or_text(digits: str) -> int | str:
    return int(digits) if len(digits) < 20 else digits


_DECODER = json.JSONDecoder(object_pairs_hook=_without_repeats, parse_int=_int_or_text, parse_constant=lambda _: None)


def to_record(document: Document) -> dict[str, Any]:
    """A document as a record; empty fields are left out.

    >>> from leadline.collections.documents.document import Claim
    >>> to_record(Document("EP0049154B2", "EP", "0049154", "B2", title="A nail", claims=(Claim(1, "A nail."),)))
    {'id': 'EP0049154B2', 'office': 'EP', 'serial': '0049154', 'kind': 'B2', 'title': 'A nail',
     'claims': [{'number': 1, 'text': 'A nail.', 'parents': []}]}
    """
    record = {name: value for name in NAMES if (value := getattr(document, name)) or name in _NUMBER_PARTS}
    record |= {name: list(value) for name, value in record.items() if isinstance(value, tuple)}
    if document.claims:
        record["claims"] = [
            {"number": claim.number, "text": claim.text, "parents": list(claim.parents)} for claim in document.claims
        ]
    if document.priorities:
        record["priorities"] = [_filled(priority, ("number", "date")) for priority in document.priorities]
    if document.citations:
        parts = ("number", "origin", "category", "date", "text")
        record["citations"] = [_filled(citation, parts) for citation in document.citations]
    return record


def _filled(thing: object, names: Iterable[str]) -> dict[str, str]:
    return {name: value for name in names if (value := getattr(thing, name))}


def with_our_names(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record with our names in place of those of test collections; one that has only such texts is a "text".

    >>> with_our_names({"_id": "MED-10", "title": "Statins", "text": "Breast cancer.", "metadata": {}})
    {'title': 'Statins', 'metadata': {}, 'id': 'MED-10', 'description': 'Breast cancer.', 'kind': 'text'}
    """
    if record.keys().isdisjoint(OTHER_NAMES):
        return record
    ours = dict(record)
    for name, others in (("id", _OTHER_IDS), ("description", OTHER_TEXTS)):
        other = next((each for each in others if each in record), None)
        if other is not None and name not in record:
            ours[name] = ours.pop(other)
    if len(ours) == len(record) and ours.keys() == record.keys():
        return record
    return ours if ours.keys() & _OF_PATENTS else ours | {"kind": "text"}


def from_record(record: Mapping[str, Any]) -> Document:
    """The document that a record describes; ValueError names the field that is wrong.

    Numbers, classes and dates may be in any spelling. Unknown names are ignored; those that test collections use for
    the id and the text are known.

    >>> found = from_record({"id": "US7412705B2", "claims": ["A nail.", "The nail of claim 1."], "ipc": ["G06F 15/16"]})
    >>> found.office, found.serial, found.kind, found.ipc
    ('US', '7412705', 'B2', ('G06F15/16',))
    """
    record = with_our_names(record)
    values = {name: FIELD_READERS[name](name, value) for name, value in record.items() if name in FIELD_READERS}
    identifier = values.get("id", "").strip()
    if not identifier:
        raise ValueError("id: missing")
    if len(identifier.split()) > 1:
        raise ValueError(f"id: {identifier[:40]!r} has a blank, which runs and judgements cannot hold")
    kind = values.get("kind", "")
    if record.get("serial") is None and kind not in OTHER_KINDS:
        number = normalise(identifier, values.get("office", ""), kind)
        if number.office:
            values |= {"office": number.office, "serial": number.serial, "kind": number.kind or kind}
    return Document(**(values | {"id": identifier}))


def unknown_names(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The names in a record that are neither fields of Document nor names that test collections use for them.

    >>> unknown_names({"id": "X1", "tittle": "A nail"})
    ('tittle',)
    """
    known = with_our_names(record)
    return tuple(name for name, value in known.items() if name not in FIELD_READERS and value not in ({}, [], "", None))


# The fields of a record: one function per field, which returns its value or raises a ValueError with the place.


_PRINTED_NUMBER = re.compile(r"([0-9]{1,7})\s?[.)]\s+")
_MAX_CLAIM_NUMBER = 10**6  # claim numbers are stored in four bytes


def shown(value: Any) -> str:
    """A value as a message shows it: its type for an object or a list, else its first 40 characters."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "a list"
    return json.dumps(value)[:40] if value is None or isinstance(value, bool) else repr(value)[:40]


def plain_text(where: str, value: Any) -> str:
    """A text. A whole number is accepted, since spreadsheets turn names into numbers."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value == value // 1:
        return str(int(value))
    raise ValueError(f"{where}: {shown(value)}, expected a text")


def _family(where: str, value: Any) -> str:
    """The name of a family; a list is of its members, which another field has."""
    if isinstance(value, (list, tuple)):
        fix = 'a list of members is called relatives; write it so, or use --map with [fields] relatives = "family"'
        raise ValueError(f"{where}: {shown(value)}, expected a text: {fix}")
    return plain_text(where, value)


def _normalised(where: str, value: Any, normal: Callable[[str], str], expected: str) -> str:
    """A text in its normal spelling; ValueError when a text that is not empty has none."""
    text = plain_text(where, value).strip()
    found = normal(text)
    if text and not found:
        raise ValueError(f"{where}: {text[:40]!r} is {expected}")
    return found


def _date(where: str, value: Any) -> str:
    return _normalised(where, value, iso, "not a date, expected YYYY-MM-DD")


def _symbol(where: str, value: Any) -> str:
    return _normalised(where, value, symbol, "not a class symbol, expected one such as C07D401/04")


def _number(where: str, value: Any) -> str:
    text = plain_text(where, value).strip()
    return normalise(text).id if text else ""


def _application(where: str, value: Any) -> str:
    """The number of an application. Unlike a publication's number it keeps its zeros."""
    text = plain_text(where, value).strip().upper()
    return application_name(text[:2], text[2:]) if text[:2].isalpha() else text


def _items(where: str, value: Any, expected: str) -> list[Any]:
    """The items of a list. A text is divided at semicolons, as in the cells of a table."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return []
    if isinstance(value, str):
        return [item for item in map(str.strip, value.split(";")) if item]
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{where}: {shown(value)}, expected a list of {expected}")
    return [item for item in value if item is not None]


def _list_of(read_one: Callable[[str, Any], str], expected: str) -> Callable[[str, Any], tuple[str, ...]]:
    def read_list(where: str, value: Any) -> tuple[str, ...]:
        items = _items(where, value, expected)
        return tuple(filter(None, (read_one(f"{where}[{place}]", item) for place, item in enumerate(items))))

    return read_list


def _claims(where: str, value: Any) -> tuple[Claim, ...]:
    """Claims from a list of texts or objects, or from one text with all of them, which is cut at their numbers."""
    if isinstance(value, str):
        return split(value)
    items = enumerate(_items(where, value, "texts or of {number, text, parents}"))
    claims = limited(_claim(f"{where}[{place}]", item, place + 1) for place, item in items)
    numbers: set[int] = set()
    for claim in claims:
        if claim.number in numbers:
            raise ValueError(f"{where}: claim {claim.number} is listed twice")
        if later := [parent for parent in claim.parents if parent >= claim.number]:
            raise ValueError(f"{where}: claim {claim.number} cannot depend on claim {later[0]}, which is not before it")
        numbers.add(claim.number)
    return claims


def _claim(where: str, value: Any, place: int) -> Claim:
    if not isinstance(value, Mapping):
        words = plain_text(where, value).strip()
        own_number = _PRINTED_NUMBER.match(words)
        if own_number and own_number[1] == str(place):
            words = words[own_number.end() :]
        return Claim(place, words, parents_in(words, place))
    number = _claim_number(f"{where}.number", value.get("number", place))
    words = plain_text(f"{where}.text", value.get("text"))
    if value.get("parents") is None:
        return Claim(number, words, parents_in(words, number))
    found = _items(f"{where}.parents", value["parents"], "claim numbers")
    return Claim(number, words, tuple(_claim_number(f"{where}.parents", parent) for parent in found))


def _claim_number(where: str, value: Any) -> int:
    text = plain_text(where, value).strip()
    if not (text.isascii() and text.isdigit() and int(text[:20]) < _MAX_CLAIM_NUMBER):
        raise ValueError(f"{where}: {shown(value)}, expected a claim's number")
    return int(text)


def _priorities(where: str, value: Any) -> tuple[Priority, ...]:
    items = enumerate(_items(where, value, "{number, date}"))
    found = (_priority(f"{where}[{place}]", item) for place, item in items)
    return tuple(priority for priority in found if priority != Priority(""))


def _priority(where: str, value: Any) -> Priority:
    """A priority from an object, or from a text with a number, a date, or both with a blank between."""
    if isinstance(value, Mapping):
        return Priority(_application(f"{where}.number", value.get("number")), _date(f"{where}.date", value.get("date")))
    text = plain_text(where, value).strip()
    if date := iso(text):
        return Priority("", date)
    number, _, last = text.rpartition(" ")
    if number and (date := iso(last)):
        return Priority(_application(where, number), date)
    return Priority(_application(where, text))


def _citations(where: str, value: Any) -> tuple[Citation, ...]:
    items = enumerate(_items(where, value, "numbers or of {number, origin, category, date, text}"))
    found = (_citation(f"{where}[{place}]", item) for place, item in items)
    return tuple(citation for citation in found if citation.number or citation.text)


def _citation(where: str, value: Any) -> Citation:
    if not isinstance(value, Mapping):
        return Citation(_number(where, value))
    origin = plain_text(f"{where}.origin", value.get("origin")).strip().lower() or "unknown"
    if origin not in ORIGINS:
        raise ValueError(str(not_a_choice(f"{where}.origin", origin[:40], ORIGINS)))
    return Citation(
        number=_number(f"{where}.number", value.get("number")),
        origin=origin,
        category=plain_text(f"{where}.category", value.get("category")),
        date=_date(f"{where}.date", value.get("date")),
        text=plain_text(f"{where}.text", value.get("text")),
    )


FIELD_READERS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("id", "office", "serial", "kind", "language"), plain_text),
    "family": _family,
    **dict.fromkeys(("title", "abstract", "description"), plain_text),
    **dict.fromkeys(("application", "publication"), _date),
    "application_number": _application,
    **dict.fromkeys(("ipc", "cpc"), _list_of(_symbol, "class symbols")),
    **dict.fromkeys(("national", "applicants", "inventors", "reference"), _list_of(plain_text, "texts")),
    "relatives": _list_of(_number, "numbers"),
    "citers": _list_of(_number, "numbers"),
    "claims": _claims,
    "priorities": _priorities,
    "citations": _citations,
}


# Where in a record a value is, and how it is taken from there.


_WINDOWS_BYTES = {
    ord(character): byte
    for byte in range(0x80, 0xA0)
    if (character := bytes([byte]).decode("cp1252", "ignore"))  # five bytes have no character
}


def repair_utf8(text: str) -> str:
    """The right text where UTF-8 was decoded as Latin-1 or Windows-1252; any other text unchanged.

    A text is repaired as a whole or not at all: the bytes of a right text are hardly ever valid UTF-8.

    >>> repair_utf8("dÃ©crit"), repair_utf8("décrit"), repair_utf8("â€œnailâ€\\x9d")
    ('décrit', 'décrit', '“nail”')
    """
    if text.isascii():
        return text
    try:
        return text.translate(_WINDOWS_BYTES).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


REPAIRS: dict[str, Callable[[str], str]] = {"utf8": repair_utf8, "entities": html.unescape}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is: at the first path that leads to a value, else a fixed value."""

    paths: tuple[str, ...] = ()
    value: str = ""
    separator: str = ""  # divides one text into several
    take: str = "all"  # or "first": the text before the separator
    values: Mapping[str, str] = field(default_factory=dict, hash=False)  # the source's codes and their meanings
    drop: frozenset[str] = frozenset()  # codes of items to leave out

    def found(self, record: Any) -> list[Any]:
        """The values at the first path that leads to any."""
        for path in self.paths:
            if found := list(_follow(record, path)):
                return found
        return []

    def texts(self, record: Any, repairs: tuple[str, ...] = ()) -> list[str]:
        """The texts at this place, without blanks around them.

        >>> Place(("biblio.dates",), separator="|").texts({"biblio": {"dates": "1998-08-12 | 1997-03-04"}})
        ['1998-08-12', '1997-03-04']
        >>> Place(("claims.text",)).texts({"claims": [{"text": "A nail."}, {"text": "A bent nail."}]})
        ['A nail.', 'A bent nail.']
        """
        whole = (plain_text(self.name, item) for item in self.found(record))
        apart = (part for text in whole for part in (text.split(self.separator) if self.separator else [text]))
        parts = (_repaired(part, repairs).strip() for part in apart)
        texts = [self.values.get(part, part) for part in parts if part and part not in self.drop]
        if not texts and self.value:
            return [self.value]
        return texts[:1] if self.take == "first" else texts

    def drops(self, record: Any) -> bool:
        """Whether the value here is the code of an item to leave out."""
        return bool(self.drop) and any(plain_text(self.name, item) in self.drop for item in self.found(record))

    @property
    def name(self) -> str:
        return self.paths[0] if self.paths else ""


def _repaired(text: str, repairs: tuple[str, ...]) -> str:
    for name in repairs:
        text = REPAIRS[name](text)
    return text.replace("\r\n", "\n")


def _follow(value: Any, path: str) -> Iterator[Any]:
    """The values that a dotted path leads to; through a list it leads to each item, or by a number to one of them.

    A name may contain a dot: the whole rest of the path is tried before its first part.
    """
    if value is None or value == "":
        return
    if not path:
        if isinstance(value, list):
            for item in value:
                yield from _follow(item, "")
        else:
            yield value
        return
    first, _, rest = path.partition(".")
    if isinstance(value, dict):
        if path in value:
            yield from _follow(value[path], "")
        elif first in value:
            yield from _follow(value[first], rest)
    elif isinstance(value, list):
        if first.isdecimal() and first.isascii():
            yield from _follow(value[int(first[:9])] if int(first[:9]) < len(value) else None, rest)
        else:
            for item in value:
                yield from _follow(item, path)


# Records of systematic reviews: their ids, documents and labels, whatever the form of the export.


_DOI = re.compile(r"10\.\d{4,9}/\S+")
_PMID = re.compile(r"(?:PMID:?\s*)?(\d{1,9})(?:\.0)?", re.IGNORECASE)
_WORDS = {
    **dict.fromkeys(("1", "1.0", "yes", "y", "true", "included", "include", "relevant", "asreview_relevant"), 1),
    **dict.fromkeys(("0", "0.0", "no", "n", "false", "excluded", "exclude", "irrelevant", "asreview_irrelevant"), 0),
}
_NO_LABEL = frozenset({"", "-1", "-1.0", "na", "nan", "none", "null", "asreview_not_seen", "not seen", "unlabelled"})


def identifier(own: str, pmid: str, doi: str, other: str, row: int) -> str:
    """The id of a record: its own, else its number in PubMed, its DOI, its number in the export, or its row.

    Runs and judgements divide fields by blanks, so blanks become underscores.

    >>> identifier("", "10051933.0", "10.1/x", "7", 1), identifier("", "", "https://doi.org/10.1234/AB", "7", 1)
    ('10051933', '10.1234/ab')
    >>> identifier("", "", "", "", 12)
    'row12'
    """
    pubmed, found = _PMID.fullmatch(pmid.strip()), _DOI.search(doi)
    chosen = own or (pubmed[1] if pubmed else "") or (found[0].lower() if found else "") or other or f"row{row}"
    return "_".join(chosen.split())


def packed(form_fields: Mapping[str, Any], label: Mapping[str, str], row: int) -> bytes:
    """A record as the bytes that its reader gets."""
    return json.dumps({"fields": form_fields, "labels": label, "row": row}).encode()


def unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, str], int]:
    """The fields, the labels by their column, and the number of the row."""
    record = json.loads(content)
    return record["fields"], record["labels"], record["row"]


def record_document(
    number: str,
    *,
    title: str,
    abstract: str,
    authors: Iterable[str],
    published: str,
    language: str = "",
    reference: Iterable[str] = (),
) -> Document:
    """A record as a document."""
    title, abstract = " ".join(title.split()), " ".join(abstract.split())
    return Document(
        id=number,
        kind="record",
        language=language.lower()[:2] if language else "",
        title=title,
        abstract=abstract,
        publication=iso(published.removesuffix(".0")),
        inventors=tuple(name for name in authors if name),
        reference=tuple(reference),
    )


def grade(label: str) -> int | None:
    """The grade that a label means, None where the record is not labelled; ValueError for another word.

    >>> grade("1"), grade("Excluded"), grade("ASReview_not_seen")
    (1, 0, None)
    """
    word = label.strip().lower()
    if word in _NO_LABEL:
        return None
    if word not in _WORDS:
        raise ValueError(f"label {label[:40]!r} is not one of 1, 0, yes, no, included, excluded")
    return _WORDS[word]


# Records in lines with tags, as RIS and PubMed's nbib have them.


Fields = dict[str, list[str]]
_RUNS_OF_BLANKS = re.compile(r"\s+")
_AT_LINE = rb"(?:(?<=[\r\n])|(?<=[\r\n]\xef\xbb\xbf))"  # a byte order mark stands before a line where files were joined


def first_text(fields: Mapping[str, Sequence[str]], *tags: str) -> str:
    """The first text that a record has under one of these tags, in their order; empty where it has none."""
    return next((text for tag in tags for text in fields.get(tag, ()) if text), "")


def begins_with_tags(head: bytes, marker: RecordMarker, tag: re.Pattern[str]) -> bool:
    """Whether a text begins with a record in lines, or with another line of one before the first that is whole."""
    first, *_ = (*head_lines(head, 1), b"")
    if tag.match(first.decode("utf-8", "replace")) is None:
        return False
    text = b"\n" + head
    return any(marker.begins(text, at) and text[at - 1] in b"\r\n" for at in _all(text, marker.openings[0]))


def tag_marker(first: str, at_line: bytes, inside: bytes) -> RecordMarker:
    """The marker of records in lines: the tag `first` where a line begins, or, written more strictly, inside one."""
    pattern = re.compile(_AT_LINE + at_line + b"|" + inside)
    return RecordMarker(first, (first.encode(),), pattern.match)


def tagged_records(
    window: Window,
    form: str,
    tag: re.Pattern[str],
    first: str,
    pack: Callable[[Fields, int], bytes],
    *,
    marker: RecordMarker,
    once: Collection[str],
    several: Collection[str] = (),
    odd: tuple[re.Pattern[str], str],
    end: str = "",
    usual_last: str = "",
) -> Iterator[Raw | Broken]:
    """The records of a stream. `tag` matches a line's tag and text, `first` is the tag that begins a record.

    A line without a tag continues the field before it; those that `odd` matches are counted, with what it says of them.
    Every line belongs to a record or is reported: lines before the first record are, and those from a sign on that the
    beginning of a record was lost, which is a line after the tag `end`, or, behind a blank line, one after the tag
    `usual_last` or a second tag of `once`, except one of `several` where records have an `end`. A last line without its
    end is told of. A loss from the inside of one record to that of the next shows in nothing but a tag of `once` that
    comes twice. Every beginning that `marker` finds gives a record or a report, and these are reported and not read:

    - a record with another beginning inside one of its lines, or with a NUL byte;
    - a record without the tag `end`, unless records of this stream have none;
    - where there is no `end`, the last record if the stream stops inside a line, or before the tag `usual_last` that
      earlier records have, and another one without it that no blank line ends.
    """
    # A part of the stream is a record, or lines that belong to none, whose `own_row` is 0.
    fields: dict[str, list[list[str]]] = {}  # for each tag its texts, each with its lines
    lines: list[str] = []  # of the last field
    begin, passed, own_row, row, records, problem = -1, 0, 0, 0, 0, ""
    order: list[str] = []  # the tags in order, where what stands behind a blank line may have to be taken back
    strays, first_stray = 0, 0
    gap, before_gap = -1, 0  # the place of the first line after a blank one, and how many fields stand before it
    field_before, lines_before = lines, 0  # the last of these fields, and how many of its lines do
    offset, line, name, words, blank, with_last = 0, b"", "", "", False, False
    ends = bool(end) and _has_ends(window.buffer, tag, first, end)
    lost = f"is the {first} between lost? It was not read"
    sought, match = first.encode(), tag.match

    def finished(until: int, *, at_end: bool = False) -> Raw | Broken:
        nonlocal with_last
        size = until - begin - (window.passed_over - passed)  # a byte order mark may stand inside
        if not own_row:
            return Broken(begin, problem, size, records)
        why, in_line = problem, not line.endswith((b"\r", b"\n", b"\x1a"))
        if not why and ends and end not in fields:
            why = f"the record is cut off: {'the file ends' if at_end else f'the next {first} comes'} before {end}"
        elif not why and at_end and not ends and (in_line or not blank) and usual_last not in fields:
            if in_line:
                why = "the last record may be cut off: the file ends inside a line"
            elif with_last:
                why = f"the last record is cut off: the file ends before {usual_last}"
        elif not why and not at_end and with_last and gap >= 0 and usual_last not in fields:
            why = f"the record is cut off: the next {first} comes before {usual_last}, and no blank line"
        with_last = with_last or usual_last in fields
        if why:
            return Broken(begin, f"{why}; it was not read", size, records)
        whole = {
            name: [" ".join(text) if len(text) > 1 else text[0] for text in texts] for name, texts in fields.items()
        }
        return Raw(form, begin, pack(whole, own_row), size=size)

    for offset, line in window.ended_lines():
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = window.decoded(line, offset)
        found = match(text)
        if found is None:
            name, words = "", text.strip()
            blank = words in ("", "\x1a")  # the end of a file under DOS
        else:
            name, blank = found[1], False
        if name == first:
            if begin >= 0:
                yield finished(offset)
            row += 1
            begin, passed, own_row, records, problem = offset, window.passed_over, row, 1, ""
            fields, order, gap, before_gap = {}, [], offset, 0
        elif begin < 0:
            if blank:
                window.passed_over += len(line)
                continue
            what = f"{name} before" if name else "a line before"
            begin, passed = offset, window.passed_over
            problem = f"{what} the first {first}: it was not read, and what follows up to {first}"
        if offset - begin > MAX_DOCUMENT_BYTES:
            limit = f"{MAX_DOCUMENT_BYTES >> 20} MiB"
            yield Broken(begin, f"the record is longer than {limit}; the rest was not read", -1, records)
            return
        if sought in line:
            inside = [at for at in _all(line, sought) if at and marker.begins(b"\n" + line, at + 1)]
            records += len(inside)
            if inside and not problem:
                problem = f"another {first} inside a line, at byte {offset + inside[0]}: the end of a line is lost"
        if not own_row:
            continue
        if blank:
            gap, before_gap, field_before, lines_before = -1, len(order), lines, len(lines)
            continue
        if gap < 0:
            gap = offset
        closed = end if end in fields else ""
        if 0 < before_gap == len(order) and (name or (line.endswith((b"\r", b"\n")) and odd[0].match(text) is None)):
            closed = closed or usual_last
        if closed in fields:
            what = f"{name or 'a line'} after {closed} in the record that begins at byte {begin}: {lost}"
            yield finished(offset)
            begin, passed, own_row, records, problem = offset, window.passed_over, 0, 0, what
            continue
        if window.has_nul and b"\0" in line and not problem:
            problem = f"has a NUL byte, {offset + line.index(0) - begin:,} bytes after its beginning"
        if problem:
            continue  # the whole record is reported
        if found is None:
            if odd[0].match(text):
                strays, first_stray = strays + 1, first_stray if strays else offset
            lines.append(_RUNS_OF_BLANKS.sub(" ", words))
            continue
        if name in once and name in fields and not (ends and name in several):
            what = f"{name} again in the record that begins at byte {begin}: {lost}"
            if ends or not before_gap:
                yield Broken(offset, what, 0, 0)
                continue
            for each in order[before_gap:]:
                fields[each].pop()
            fields = {each: texts for each, texts in fields.items() if texts}
            del field_before[lines_before:]
            yield finished(gap)
            begin, passed, own_row, records, problem = gap, window.passed_over, 0, 0, what
            continue
        lines = [found[2].strip()]
        if name in fields:
            fields[name].append(lines)
        else:
            fields[name] = [lines]
        order.append(name)
    at_end = offset + len(line)
    if own_row and before_gap and gap == offset and not (problem or name or blank or line.endswith((b"\r", b"\n"))):
        lines.pop()  # perhaps the first letters of the next record
        yield finished(offset)
        yield Broken(
            offset, "the file ends inside a line, which belongs to no record; it was not read", at_end - offset, 0
        )
    elif begin >= 0:
        yield finished(at_end, at_end=True)
        in_line = not blank and not line.endswith((b"\r", b"\n", b"\x1a"))
        if in_line and own_row and not problem and usual_last in fields:
            problem = "the last record may be cut off: the file ends inside its last line; it was read"
            yield Broken(offset, problem, 0, 0)
    if strays:
        what = "a line that begins" if strays == 1 else f"{strays:,} lines that begin"
        yield Broken(first_stray, f"{what} {odd[1]}: read as part of the field before", 0, 0)
    if not row:
        yield Broken(0, f"no record: no line begins with {first}", 0, 0)


def _all(line: bytes, sought: bytes) -> Iterator[int]:
    """Every place of some bytes in a line."""
    at = line.find(sought)
    while at >= 0:
        yield at
        at = line.find(sought, at + 1)


def _has_ends(head: bytes, tag: re.Pattern[str], first: str, end: str) -> bool:
    """Whether the records of a stream end in a tag: those at its beginning do, or only one is there, maybe cut."""
    found = [tag.match(line.decode("utf-8", "replace")) for line in head.splitlines()]
    names = [each[1] for each in found if each]
    return end in names or names.count(first) < 2
