"""What a reference has besides title, abstract, authors and date: journal, volume, pages, DOI, keywords and the rest.

A document keeps these fields as its source wrote them, `ris:JO Lancet`: the form, the tag or the name of the column,
and the text. So nothing is lost on the way through a collection or a review, whatever the fields are called, and what
the forms have in common can be asked for by one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.writing import line

Form = Literal["ris", "nbib", "table"]
Lines = list[tuple[str, str]]  # tags or names of columns, each with a text

# Tags that mean the same: what a document has under one of them need not be kept under another.
_ALIKE: dict[Form, tuple[tuple[str, ...], ...]] = {
    "ris": (("TI", "T1", "CT", "BT"), ("AB", "N2"), ("AU", "A1")),
    "nbib": (("TI", "BTI"), ("AB", "OAB"), ("FAU",)),
    "table": (),
}
_DIVIDED = re.compile(r"\s*[;|]\s*")
_FIRST_PAGE = re.compile(r"\s*[-\u2013]\s*")
_DOI = re.compile(r"10\.\d{4,9}/\S+")


class SourceField(NamedTuple):
    """One field as its source has it."""

    form: str
    name: str
    text: str


def kept_fields(form: Form, fields: Mapping[str, Iterable[str]], written: Lines) -> tuple[str, ...]:
    """The fields of a record that would not be `written` anyway from what else the document has.

    >>> kept_fields("ris", {"T1": ["Of nails"], "JO": ["Lancet"], "VL": [""]}, [("TI", "Of nails")])
    ('ris:JO Lancet',)
    """
    known = {(_like(form, name), text) for name, text in written}
    found = ((name, line(text)) for name, texts in fields.items() for text in texts)
    return tuple(f"{form}:{name} {text}" for name, text in found if text and (_like(form, name), text) not in known)


def _like(form: Form, name: str) -> str:
    return next((alike[0] for alike in _ALIKE[form] if name in alike), name)


def fields_of(document: Document) -> list[SourceField]:
    """The fields that a document keeps as its source wrote them.

    >>> fields_of(Document("1", reference=("table:journal_name The Lancet",)))
    [SourceField(form='table', name='journal_name', text='The Lancet')]
    """
    found = []
    for each in document.reference:
        form, colon, rest = each.partition(":")
        name, _, text = rest.partition(" ")
        if colon and text:
            found.append(SourceField(form, name, text))
    return found


def column_name(name: str) -> str:
    """The name of a column without blanks, as a field that is kept has it."""
    return "_".join(name.split())


# What the forms have in common, by one name.

_NAMES: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    # name: tags of RIS, tags of nbib, names of columns; the preferred one first
    "type": (("TY",), ("PT",), ("type", "publicationtype", "documenttype", "typeofwork")),
    "journal": (
        ("JO", "JF", "T2", "JA", "J2", "J1", "BT"),
        ("JT", "TA"),
        ("journal", "journalname", "journaltitle", "secondarytitle", "source", "sourcetitle", "publicationtitle"),
    ),
    "volume": (("VL",), ("VI",), ("volume",)),
    "issue": (("IS",), ("IP",), ("issue", "number")),
    "pages": (("SP",), ("PG",), ("pages", "pagenumbers", "startpage")),
    "last_page": (("EP",), (), ("endpage",)),
    "doi": (("DO",), ("LID", "AID"), ("doi",)),
    "url": (("UR", "L1", "L2"), (), ("url", "urls", "link")),
    "issn": (("SN",), ("IS",), ("issn", "isbn")),
    "keywords": (("KW",), ("OT", "MH"), ("keywords", "authorkeywords", "keyword")),
    "notes": (("N1",), ("GN",), ("notes", "note")),
    "publisher": (("PB",), (), ("publisher",)),
    "place": (("CY", "PP"), ("PL",), ("place",)),
    "address": (("AD",), ("AD",), ("address", "affiliation", "affiliations")),
    "number": (("AN",), ("PMID",), ("accessionnumber", "pubmedid", "pmid")),
}
_SEVERAL = frozenset({"keywords", "notes", "url", "address"})


def _places(name: str) -> dict[str, tuple[str, ...]]:
    ris, nbib, table = _NAMES[name]
    return {"ris": ris, "nbib": nbib, "table": table}


def about(document: Document, name: str) -> list[str]:
    """What a document says under a name that the forms have in common, such as `journal` or `keywords`.

    >>> found = Document("1", reference=("nbib:JT Lancet", "nbib:AID 10.1/x [pii]", "nbib:AID 10.1234/y [doi]"))
    >>> about(found, "journal"), about(found, "doi"), about(found, "volume")
    (['Lancet'], ['10.1234/y'], [])
    """
    places, given = _places(name), fields_of(document)
    texts: list[str] = []
    for form, names in places.items():
        for wanted in names:
            found = [each.text for each in given if each.form == form and _plain(each) == wanted]
            if name == "doi":
                found = [match[0] for text in found if (match := _DOI.search(text)) and "[pii]" not in text]
            if found and name not in _SEVERAL:
                return found[:1]
            texts += [part for text in found for part in _parts(form, name, text)]
    return list(dict.fromkeys(texts))


def _plain(field: SourceField) -> str:
    return re.sub(r"[\s_-]", "", field.name.lower()) if field.form == "table" else field.name


def _parts(form: str, name: str, text: str) -> list[str]:
    return [part for part in _DIVIDED.split(text) if part] if form == "table" and name == "keywords" else [text]


def printed_pages(document: Document) -> str:
    """The pages, from the first to the last where both are known."""
    first, last = about(document, "pages"), about(document, "last_page")
    return "-".join((*first, *last)) if first else ""


def printed_source(document: Document) -> str:
    """Journal, volume, issue and pages as they are cited.

    >>> printed_source(Document("1", reference=("ris:JO Lancet", "ris:VL 12", "ris:SP 3", "ris:EP 9")))
    'Lancet 12, 3-9'
    """
    journal, volume, issue = ("".join(about(document, name)) for name in ("journal", "volume", "issue"))
    number = f"{volume}({issue})" if volume and issue else volume
    return ", ".join(filter(None, (f"{journal} {number}".strip(), printed_pages(document))))


def in_form(document: Document, form: Literal["ris", "nbib"]) -> Lines:
    """What a document keeps, as lines of a form: its own as they are, those of other forms under the tag that fits.

    What another form has no tag for is left out.

    >>> in_form(Document("1", reference=("nbib:JT Lancet", "nbib:OT nail", "nbib:STAT MEDLINE")), "ris")
    [('JO', 'Lancet'), ('KW', 'nail')]
    """
    given = fields_of(document)
    lines = [(each.name, each.text) for each in given if each.form == form]
    foreign = [each for each in given if each.form != form]
    if not foreign:
        return lines
    others = Document(document.id, reference=tuple(f"{form}:{name} {text}" for form, name, text in foreign))
    taken = {tag for tag, _ in lines}
    for name in _NAMES:
        tags = _places(name)[form]
        if not tags or name in ("type", "last_page") or taken & set(tags):
            continue
        texts = about(others, name)
        if form == "ris" and name == "number" and texts:
            lines += [("AN", texts[0]), ("DB", "PubMed")] if texts[0].isdigit() else [("AN", texts[0])]
        elif form == "ris" and name == "pages" and texts:
            first, *last = _FIRST_PAGE.split(printed_pages(others), maxsplit=1)
            lines += [("SP", first), *(("EP", each) for each in last)]
        elif form == "nbib" and name == "pages" and texts:
            lines.append(("PG", printed_pages(others)))
        elif form == "nbib" and name == "doi":
            lines += [("LID", f"{text} [doi]") for text in texts]
        elif not (form == "nbib" and name == "number"):
            lines += [(tags[0], text) for text in texts]
    return lines
