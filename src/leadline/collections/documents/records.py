"""Documents as records: a JSON object whose names are the fields of Document. docs/json-lines.md describes them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from leadline.collections.documents.document import OTHER_KINDS, Document
from leadline.collections.documents.fields.values import FIELD_READERS, shown
from leadline.collections.documents.numbers import normalise

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
        raise ValueError(f"{repeated[:40]!r} is there twice")
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
