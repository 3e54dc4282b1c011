"""Journal articles in JATS or its predecessor, the NLM tag set: `article`, as PubMed Central and publishers give it.

An article's id is its number in PubMed Central, else that in PubMed, else its DOI. Its body is the description, its
authors are the inventors, and its references are literature, except patents. It has no claims and no classes: keywords
and subjects belong to no scheme.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from leadline.collections.documents.document import Citation, Document
from leadline.collections.documents.fields.writing import add, add_path, is_heading, line, parts_of_date, person, root
from leadline.collections.documents.numbers import Number, normalise
from leadline.collections.documents.registry import (
    Element,
    find_text,
    listed,
    paragraphs,
    reader,
    tidy,
    wording,
    writer,
)
from leadline.text.days import iso

ROOTS = ("article",)
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_IDS = ("pmc", "pmcid", "pmid", "doi", "publisher-id")  # the first one present is the article's id
_NOT_PUBLISHED = frozenset({"pmc-release", "nihms-submitted", "received", "accepted", "rev-recd", "retracted"})


@reader("jats", *ROOTS)
def read(element: Element) -> Document:
    """One article."""
    tidy(element)
    for given in element.iter("given-names"):  # only the tag separates them from the surname
        given.text = f" {given.text or ''}"
    meta = element.find("front/article-meta")
    if meta is None:
        raise ValueError("no element front/article-meta: not an article in JATS")
    own = (element.get(_LANGUAGE) or "en").lower()[:2]  # the tag set's default is English
    body = element.find("body")
    abstract = _abstract(meta, own)
    return Document(
        id=_name(meta),
        kind="article",
        language=own if body is not None or abstract is None else _language(abstract, own),
        title=_title(meta, own),
        abstract=paragraphs(abstract),
        description=paragraphs(body),
        publication=_publication(meta),
        citations=tuple(_references(element)),
        inventors=tuple(_authors(meta)),
    )


def _name(meta: Element) -> str:
    found = {identifier.get("pub-id-type"): wording(identifier) for identifier in meta.findall("article-id")}
    name = next((kind for kind in _IDS if found.get(kind)), None)
    if name is None:
        raise ValueError("no article-id of the types " + ", ".join(_IDS))
    return "PMC" + found[name].upper().removeprefix("PMC") if name.startswith("pmc") else found[name]


def _language(element: Element, own: str) -> str:
    return (element.get(_LANGUAGE) or own).lower()[:2]


def _title(meta: Element, own: str) -> str:
    """The title, in English when there is one, without footnote marks."""
    groups = [*meta.findall("title-group"), *meta.findall("title-group/trans-title-group")]
    english = (group for group in groups if _language(group, own) == "en")
    group = next(english, groups[0] if groups else None)
    if group is None:
        return ""
    parts = [group.find(tag) for tag in ("article-title", "trans-title", "subtitle", "trans-subtitle")]
    for part in parts:
        for mark in [] if part is None else list(part.iter("xref", "fn")):
            mark.clear(keep_tail=True)
    return ": ".join(filter(None, map(wording, parts)))


def _abstract(meta: Element, own: str) -> Element | None:
    """The abstract proper, in English when there is one. Others are graphical or for tables of contents."""
    found = [*meta.findall("abstract"), *meta.findall("trans-abstract")]
    proper = [abstract for abstract in found if not abstract.get("abstract-type")] or found
    english = (abstract for abstract in proper if _language(abstract, own) == "en")
    return next(english, proper[0] if proper else None)


def _publication(meta: Element) -> str:
    """The earliest date of publication, printed or electronic. Of two in one year, the more exact one."""
    dates = [(date.get("pub-type") or date.get("date-type") or "", _date(date)) for date in meta.findall("pub-date")]
    out = [date for kind, date in dates if date and kind not in _NOT_PUBLISHED]
    released = [date for kind, date in dates if date and kind == "pmc-release"]
    return min(out or released, key=lambda date: f"{date}-99-99"[:10], default="")


def _date(element: Element) -> str:
    year, month, day = (find_text(element, part) for part in ("year", "month", "day"))
    if not year:
        return iso(element.get("iso-8601-date", "")) or iso(find_text(element, "string-date"))
    if month.isdecimal():
        return iso(f"{year}-{month}-{day}" if day.isdecimal() else f"{year}-{month}") or iso(year)
    return (iso(f"{day} {month} {year}".strip()) if month else "") or iso(year)


def _authors(meta: Element) -> Iterator[str]:
    for author in meta.iterfind("contrib-group/contrib"):
        if author.get("contrib-type", "author") == "author":
            names = (find_text(author, f".//{part}") for part in ("surname", "given-names"))
            if name := ", ".join(filter(None, names)) or find_text(author, ".//collab"):
                yield name


_PRINTED = ("mixed-citation",)
_TAGGED = ("element-citation", "citation", "nlm-citation")


def _references(element: Element) -> Iterator[Citation]:
    """The citations of the authors. Some publishers give a reference twice, as printed and divided into its parts."""
    for reference in element.iterfind("back//ref-list/ref"):
        printed, tagged = list(reference.iter(*_PRINTED)), list(reference.iter(*_TAGGED))
        if len(printed) == 1 and len(tagged) == 1:
            yield from _reference(printed[0], tagged[0])
        else:
            for one in (*printed, *tagged):
                yield from _reference(one, one)


def _reference(printed: Element, tagged: Element) -> Iterator[Citation]:
    words = wording(printed) if printed.tag in _PRINTED or (printed.text or "").strip() else listed(printed)
    kind = tagged.get("publication-type") or tagged.get("citation-type") or printed.get("publication-type") or ""
    date = _date(tagged)
    number = _patent(printed, tagged, words) if kind.lower() == "patent" or _has_patent(tagged) else None
    if number is not None and number.office:
        yield Citation(number.id, "applicant", date=date)
    elif words:
        yield Citation(origin="applicant", date=date, text=words)


def _has_patent(element: Element) -> bool:
    return next(element.iter("patent"), None) is not None


_NUMBER = re.compile(
    r"\b(?:U\.?\s?S\.?(?:A\.?)?|EP|WO|PCT|JP|DE|GB|FR|CN|KR|CA|AU|CH)\b[\s,-]*"
    r"(?:(?:[Pp]at(?:ent)?|[Aa]ppl(?:ication)?|[Nn]o|[Nn]r|[Nn]umber)\b\.?[\s,:]*)*"
    r"[A-Z]{0,2}[\s-]?[0-9][0-9,./ -]{3,14}[0-9](?:\s?[A-Z][0-9]?\b)?"
)


def _patent(printed: Element, tagged: Element, words: str) -> Number | None:
    """The number in a reference to a patent: in an element `patent`, or found in the text."""
    for found in (*tagged.iter("patent"), *printed.iter("patent")):
        number = normalise(wording(found), found.get("country", ""))
        if number.office:
            return number
    for match in _NUMBER.finditer(words):
        number = normalise(match[0])
        if number.office:
            return number
    return None


# The same form written.


_HOLDS = frozenset(
    {"id", "kind", "language", "title", "abstract", "description", "publication", "citations", "inventors"}
)
_TYPES_OF_IDS = (("pmc", re.compile(r"PMC[0-9]+")), ("pmid", re.compile("[0-9]+")), ("doi", re.compile(r"10\..+")))


def limited_to_form(document: Document) -> Document:
    """An article as this form holds it: its references are the authors', and it has a language."""
    citations = tuple(replace(each, origin="applicant") for each in document.citations)
    return replace(document, id=line(document.id), language=document.language or "en", citations=citations)


@writer(
    "jats",
    _HOLDS | {"citations.date"},
    takes=lambda document: document.kind == "article",
    limit=limited_to_form,
    around=lambda: root("pmc-articleset", {}),
)
def write(document: Document) -> Element:
    """One article."""
    article = root("article", {"article-type": "research-article", _LANGUAGE: document.language})
    meta = add_path(article, "front/article-meta")
    kind = next((kind for kind, pattern in _TYPES_OF_IDS if pattern.fullmatch(document.id)), "publisher-id")
    add(meta, "article-id", document.id.removeprefix("PMC") if kind == "pmc" else document.id, pub_id_type=kind)
    if document.title:
        add_path(meta, "title-group/article-title", document.title)
    authors = add(meta, "contrib-group") if document.inventors else None
    for name in document.inventors:
        last, first = person(name)
        written = add(add(authors, "contrib", contrib_type="author"), "name")
        add(written, "surname", last)
        if first:
            add(written, "given-names", first)
    _add_date(add(meta, "pub-date", pub_type="epub"), document.publication)
    if document.abstract:
        _add_lines(add(meta, "abstract"), document.abstract)
    if document.description:
        section = body = add(article, "body")
        for text in document.description.split("\n"):
            if is_heading(text):
                section = add(body, "sec")
            add(section, "title" if is_heading(text) else "p", text)
    if document.citations:
        references = add_path(article, "back/ref-list")
        for sequence, citation in enumerate(document.citations, start=1):
            _add_reference(add(references, "ref", id=f"ref{sequence}"), citation)
    return article


def _add_lines(parent: Element, text: str) -> None:
    for each in text.split("\n"):
        add(parent, "p", each)


def _add_date(element: Element, date: str) -> None:
    for name, part in parts_of_date(date):
        add(element, name, part)


def _add_reference(reference: Element, citation: Citation) -> None:
    """Add a reference: a patent by its number; literature as printed, and again divided for its date."""
    if citation.number:
        tagged = add(reference, "element-citation", publication_type="patent")
        add(tagged, "patent", citation.number, country=citation.number[:2])
    else:
        add(reference, "mixed-citation", citation.text, publication_type="other")
        tagged = add(reference, "element-citation", publication_type="other") if citation.date else None
    if tagged is not None:
        _add_date(tagged, citation.date)
