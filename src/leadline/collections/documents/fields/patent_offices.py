"""Fields of the offices' XML forms: those of ST.36 and its citations, and the American ones from 1976 to today.

Every function here expects a tree that went through `tidy`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from leadline.collections.choices import Origin
from leadline.collections.documents.document import (
    Citation,
    Claim,
    Document,
    Priority,
    limited,
    national,
    parents,
    split,
    symbol,
)
from leadline.collections.documents.numbers import Number, normalise
from leadline.collections.documents.registry import Element, find_text, has_words, listed, paragraphs, wording
from leadline.text.days import iso

# How a number or a name was normalised, the most comparable first; an element without a mark has only one format.
_FORMATS = ("docdb", "epo", "", "epodoc", "docdba", "intermediate", "inpi", "original")
_MARKS = ("data-format", "format", "document-id-type")


def st36_document(
    number: Number,
    data: Element,
    own_language: str,
    filed: Sequence[Element],
    *,
    title: Element | None,
    abstract: Element | None,
    description: Element | None = None,
    claims: Element | None = None,
    **fields: Any,
) -> Document:
    """A document from its bibliographic data, its texts and the ids of its application; `fields` are all others."""
    return Document(
        **{"id": number.id} | fields,
        office=number.office,
        serial=number.serial,
        kind=number.kind,
        language=kept_language((description, claims, abstract, title), own_language),
        title=wording(title),
        abstract=paragraphs(abstract),
        description=paragraphs(description),
        claims=claims_of(claims),
        ipc=ipc_of(data),
        cpc=cpc_of(data),
        national=national_of(data),
        priorities=priorities_of(data),
        application=date_of(filed),
        application_number=application_of(filed[0]) if filed else "",
    )


def _format_rank(element: Element) -> int:
    mark = next((element.get(mark) for mark in _MARKS if element.get(mark)), "")
    if not mark and (ids := element.findall("document-id")):
        return min(map(_format_rank, ids))
    return _FORMATS.index(mark) if mark in _FORMATS else len(_FORMATS)


def by_format(elements: Iterable[Element]) -> list[Element]:
    """The elements, those in the most comparable format first."""
    return sorted(elements, key=_format_rank)


def in_best_format(elements: Iterable[Element]) -> list[Element]:
    """The elements in the most comparable format present: the others repeat the same facts."""
    ordered = by_format(elements)
    return [element for element in ordered if _format_rank(element) == _format_rank(ordered[0])]


def number_of(document_id: Element) -> Number:
    """The publication's number in a `document-id`."""
    return normalise(
        find_text(document_id, "doc-number"), find_text(document_id, "country"), find_text(document_id, "kind")
    )


def publication_number(element: Element, published: Sequence[Element]) -> Number:
    """The number in the root's attributes, else in the first of the publication's ids; empty when both lack one."""
    number = normalise(element.get("doc-number", ""), element.get("country", ""), element.get("kind", ""))
    return number_of(published[0]) if published and not number.office else number


def document_ids(references: Iterable[Element]) -> list[Element]:
    """All `document-id` elements under some references, the most comparable first."""
    return [found for reference in by_format(references) for found in by_format(reference.findall("document-id"))]


def date_of(document_ids: Iterable[Element]) -> str:
    """The first date among them: not every format gives it."""
    return next((date for found in document_ids if (date := iso(find_text(found, "date")))), "")


def application_name(country: str, number: str, kind: str = "") -> str:
    """An application's number in one spelling, so that a priority equals the number of the application it claims.

    Unlike numbers of publications they keep their zeros. The usual kind A and the check digit of European and German
    numbers are left out, since not every form prints them.

    >>> application_name("EP", "01935605.4"), application_name("US", "207496 P"), application_name("DE", "2804439", "A")
    ('EP01935605', 'US207496P', 'DE2804439')
    >>> application_name("WO", "PCT/US2004/012345"), application_name("US", "2004012345", "W")
    ('WOUS2004012345W', 'WOUS2004012345W')
    """
    text = number.strip().upper()
    if not text:
        return ""
    if "PCT" in text or country == "PCT" or kind == "W":
        named = text if "PCT" in text else f"PCT/{text if country == 'PCT' else country + text}"
        international = normalise(named)
        if international.kind == "W":
            return international.id
    if country in {"EP", "DE"}:
        text = re.sub(r"\.[0-9X]$", "", text)
    text = re.sub(r"[\s.,]" if country == "US" else r"[\s.,/-]", "", text)  # 10/123456 is not the patent 10123456
    return (text if text.startswith(country) else country + text) + ("" if kind == "A" else kind)


def application_of(element: Element) -> str:
    """The application's number in an element with `country`, `doc-number` and perhaps `kind`."""
    kind = find_text(element, "kind").upper()
    letter = kind if len(kind) <= 2 else ""  # some forms print the word "national" here
    return application_name(find_text(element, "country"), find_text(element, "doc-number"), letter)


def priorities_of(data: Element) -> tuple[Priority, ...]:
    """The priorities in `priority-claim` elements, each once even when it is written in several formats."""
    found: dict[Priority, None] = {}
    known_dates: set[str] = set()  # of priorities in a better format
    for _, claims in groupby(by_format(data.iter("priority-claim")), key=_format_rank):
        same_format = [_priority(document_ids([claim]) or [claim]) for claim in claims]
        found.update(dict.fromkeys(priority for priority in same_format if priority.date not in known_dates))
        known_dates.update(priority.date for priority in same_format)
    return tuple(priority for priority in found if priority.number or priority.date)


def _priority(ids: Sequence[Element]) -> Priority:
    return Priority(application_of(ids[0]), date_of(ids))


RESIDENCE = re.compile(r"\s*\[[A-Z]{2}\]$")


def names_of(members: Iterable[Element]) -> tuple[str, ...]:
    """The names of applicants or inventors, each once."""
    return tuple(dict.fromkeys(filter(None, map(_name, in_best_format(members)))))


def _name(member: Element) -> str:
    """One name. A person's employer may be named in the same element and is the last choice."""
    whole, last, first, employer = (
        wording(next(member.iter(tag), None)) for tag in ("name", "last-name", "first-name", "orgname")
    )
    return RESIDENCE.sub("", whole) or ", ".join(filter(None, (last, first))) or employer


_LOOSE_SYMBOL = re.compile(r"^\s*[0-9]?\s*([A-H])\s*([0-9]{2})\s*([A-Z])")  # " 7A 61K 31/44", with the edition
_MAIN_AND_FURTHER = ("main-classification", "further-classification", "main-clsf", "further-clsf")
_FIRST = re.compile(r"[0-9]{8}[ACS]F")  # the version, the level, and F for the first class


def loose_symbol(text: str) -> str:
    """A class symbol as older forms write it, with an edition before it or blanks inside.

    >>> loose_symbol("H 04B 7/185 A"), loose_symbol(" 7A 61K   7/06   A")
    ('H04B7/185', 'A61K7/06')
    """
    return symbol(_LOOSE_SYMBOL.sub(r"\1\2\3", text))


_VERSION = re.compile(r"\s(?:19|20)[0-9]{6}\s?[ACS]?\s?[FL]?[IN ].*")  # behind a symbol in columns


def _class_text(element: Element) -> str:
    """A class in one line, whether it was written so or in parts: section, class and so on."""
    section = find_text(element, "section")
    if section:
        cut = "".join(find_text(element, tag) for tag in ("class", "subclass", "main-group"))
        return f"{section}{cut}/{find_text(element, 'subgroup')}".rstrip("/")
    written = find_text(element, "classification-symbol") or find_text(element, "text") or wording(element)
    return _VERSION.sub("", written)  # behind a subclass alone, its digits would be a group


def ipc_of(data: Element) -> tuple[str, ...]:
    """International classes, the main one first. Those of the first seven editions count only without newer ones."""
    found = [(_is_first(item), symbol(_class_text(item))) for item in data.iter("classification-ipcr")]
    if not found:
        older = data.iter(*_MAIN_AND_FURTHER)
        found = [(True, loose_symbol(wording(item))) for item in older if item.getparent().tag == "classification-ipc"]
    return tuple(dict.fromkeys(name for _, name in sorted(found, key=lambda item: not item[0]) if name))


def _is_first(item: Element) -> bool:
    return find_text(item, "symbol-position") == "F" or _FIRST.search(wording(item)) is not None


def cpc_of(data: Element) -> tuple[str, ...]:
    """Cooperative classes in the order given."""
    marked = (item for item in data.iter("patent-classification") if _scheme(item).startswith("CPC"))
    found = (symbol(_class_text(item)) for item in (*data.iter("classification-cpc"), *marked))
    return tuple(dict.fromkeys(filter(None, found)))


def national_of(data: Element) -> tuple[str, ...]:
    """Classes of an office's own scheme and of the old European one. American ones are written as in `national`."""
    found = []
    for item in data.iter("patent-classification"):
        scheme, words = _scheme(item), _class_text(item)
        if scheme and not scheme.startswith(("CPC", "IPC")):
            found.append(national(words) if scheme == "DOCUS" else "".join(words.split()))
    for own in data.iter("classification-national"):
        american = find_text(own, "country") == "US"
        items = own.iter(*_MAIN_AND_FURTHER)
        found += [national(item.text or "") if american else "".join(wording(item).split()) for item in items]
    for item in data.iter("classification-ecla"):
        symbols = item.findall("classification-symbol") or [item]
        found += ["".join(wording(one).split()) for one in symbols]
    return tuple(dict.fromkeys(filter(None, found)))


def _scheme(item: Element) -> str:
    scheme = item.find("classification-scheme")
    return "" if scheme is None else scheme.get("scheme", "")


def language_of(element: Element) -> str:
    """The language in an element's attribute `lang`, as two lower-case letters.

    >>> from leadline.collections.documents.registry import parse
    >>> language_of(parse(b"<abstract lang='EN'/>"))
    'en'
    """
    return (element.get("lang") or "").strip().lower()[:2]


def kept_language(texts: Iterable[Element | None], own: str) -> str:
    """The language of the first text that is not None; the document's own when that text does not say."""
    kept = next((text for text in texts if text is not None), None)
    return own if kept is None else language_of(kept) or own


def in_one_language(elements: Iterable[Element], own: str) -> Element | None:
    """The version to keep of a text in several languages: English, else the document's own, else the first.

    Versions without text, such as page images, are ignored.
    """
    written = [element for element in elements if has_words(element)]
    for language in ("en", own):
        for element in written:
            if language_of(element) == language:
                return element
    return written[0] if written else None


_NUMBERED = re.compile(r"([0-9]{1,5})\s?[.)]\s*(?=\S)")
_CLAIM_NUMBER = re.compile(r"[0-9]{1,5}")
_CLAIMS_HEAD = re.compile(r"clai|anspr|revend", re.IGNORECASE)


def claims_of(element: Element | None) -> tuple[Claim, ...]:
    """The claims of one `claims` element."""
    if element is None:
        return ()
    found = element.findall("claim")
    if not found:
        return split(wording(element))
    if len(found) == 1 and (lines := _numbered_lines(found[0])):
        return split("\n".join(lines))
    numbers = _claim_numbers(found)
    by_id = {claim.get("id"): number for claim, number in zip(found, numbers, strict=True)}
    claims = (_claim(claim, number, by_id) for claim, number in zip(found, numbers, strict=True))
    return limited(claim for claim in claims if claim.text)


def _numbered_lines(claim: Element) -> Sequence[str]:
    """The lines of one `claim` element that holds all claims, as in scanned documents; empty when it holds one."""
    lines = [wording(line) for line in claim.findall("claim-text")]
    begun = [bool(_NUMBERED.match(line)) for line in lines]
    all_claims = sum(begun) > 1 and (begun[0] or _CLAIMS_HEAD.search(lines[0]) is not None)
    return lines if all_claims else ()


def _claim_numbers(found: Sequence[Element]) -> list[int]:
    """The printed numbers, or 1, 2, 3 ... when the printed ones do not count up."""
    printed = [int(number) if _CLAIM_NUMBER.fullmatch(number := claim.get("num", "")) else 0 for claim in found]
    rising = all(one < other for one, other in zip([0, *printed], printed, strict=False))
    return printed if rising else list(range(1, len(found) + 1))


def _claim(element: Element, number: int, by_id: dict[str | None, int]) -> Claim:
    words = wording(element)
    printed = _NUMBERED.match(words)
    if printed is not None and int(printed[1]) == number:
        words = words[printed.end() :]
    linked = {by_id[ref.get("idref")] for ref in element.iter("claim-ref") if ref.get("idref") in by_id}
    earlier = {claim for claim in linked if claim < number}
    return Claim(number, words, tuple(sorted(earlier.union(parents(words, number)))))


# Citations in the elements `citation`, `patcit` and `nplcit`, which the offices' XML forms share.
#
# The codes of phases are those of the European exchange format (DOCDB), which MAREC uses too; the words are those of
# WIPO's standard ST.36, which the Open Patent Services use. docs/forms.md says what each means.


_PHASES: dict[str, Origin] = {
    **dict.fromkeys(("app", "apl", "description"), "applicant"),
    **dict.fromkeys(("sea", "isr", "sup", "prs", "exa", "ch2", "search", "limitation"), "examiner"),
    **dict.fromkeys(("opp", "fop", "opposition"), "opposition"),
    **dict.fromkeys(("tpo", "115"), "third party"),
}
_BY: dict[str, Origin] = {
    "applicant": "applicant",
    "examiner": "examiner",
    "opponent": "opposition",
    "third-party": "third party",
}


def origin_of(phase: str, by: str = "") -> Origin:
    """The origin of a citation, from the phase it was made in and, when the form says it, from who made it.

    >>> origin_of("ISR"), origin_of("supplementary-national-search-report"), origin_of("FOP")
    ('examiner', 'examiner', 'opposition')
    >>> origin_of("examination", "applicant"), origin_of("undefined")
    ('applicant', 'unknown')
    """
    named = phase.strip().lower()
    if named.endswith(("search-report", "examination")):
        named = "search"
    origin = _PHASES.get(named, "unknown")
    if origin == "opposition":  # citations added by the opposition division count as the opposition's
        return origin
    return _BY.get(by.strip().lower(), origin)


def categories(printed: Iterable[str]) -> str:
    """The category letters of a search report, each once, in the order printed.

    >>> categories(["X,D", "A"]), categories(["Y", "XY"])
    ('XDA', 'YX')
    """
    return "".join(dict.fromkeys(mark for text in printed for mark in text.upper() if mark.isalpha() or mark == "&"))


def citations_under(element: Element) -> Iterator[Citation]:
    """The citations below an element. The origin is in the attributes of each, or follows from its search report."""
    for citation in element.iter("citation"):
        phase, by = citation.get("cited-phase", ""), citation.get("cited-by", "")
        origin = origin_of(phase, by)
        letters = categories(wording(category) for category in citation.iter("category"))
        if not phase and not by and (letters or citation.getparent().tag == "srep-citations"):
            origin = "examiner"  # only search reports give categories
        for cited in citation:
            yield from cited_in(cited, origin, letters)


def cited_in(element: Element, origin: Origin, category: str = "") -> Iterator[Citation]:
    """The citation in a `patcit` or `nplcit`; nothing for other elements and for empty ones."""
    if element.tag == "patcit":
        yield _patent(element, origin, category)
    elif element.tag == "nplcit" and (text := find_text(element, "text") or listed(element)):
        yield Citation(origin=origin, category=category, text=text)


def _patent(patcit: Element, origin: Origin, category: str) -> Citation:
    """A citation of a patent. One cited as an application has no publication's number and is kept as text."""
    found = by_format(patcit.findall("document-id"))
    printed = patcit.get("dnum") or patcit.get("ucid") or find_text(patcit, "text")
    if patcit.get("dnum-type", "").lower().startswith(("application", "appno", "pctno")):
        name = application_of(found[0]) if found else printed
        return Citation(origin=origin, category=category, text=f"application {name}")
    number = number_of(found[0]) if found else normalise(printed)
    if not number.office:
        number = normalise(printed)
    if not number.office:
        return Citation(origin=origin, category=category, date=date_of(found), text=number.serial)
    return Citation(number.id, origin, category, date_of(found))


def distinct_citations(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Each citation once, even when the cover page and the search report both print it. The first has most details."""
    kept: dict[tuple[str, str], Citation] = {}
    for citation in citations:
        if name := citation.number or citation.text:
            kept.setdefault((name, citation.origin), citation)
    return tuple(kept.values())


# Fields of the American forms from 1976 to today, and the document made of them.
#
# - Priorities: foreign priorities, provisionals, and the filing dates of parents: the applications that this one
#   continues (in part or whole), was divided from, or is reissued from. A substitute has no right to the earlier date.
#   When no priority is claimed, the international application that this one comes from is the first filing, and counts.
# - Filed: for an application by the international route, the day of the international filing.
# - Applicants: the assignees, or the inventors when there are none.
# - Text: one line for each paragraph and each row of a table.


# Codes of offices before 1978.
_FORMER_OFFICES = {"DL": "DD", "DT": "DE", "JA": "JP", "OE": "AT", "SW": "SE", "UK": "GB"}
_PRINTED_NUMBER = re.compile(r"\s*([0-9]{1,4})\s?[.)]\s*")


def us_document(
    number: Number,
    *,
    title: str,
    abstract: str,
    description: str,
    claims: tuple[Claim, ...],
    ipc: Iterable[str],
    national: Iterable[str],
    priorities: Iterable[Priority],
    international: Priority,
    filed: str,
    application_number: str,
    published: str,
    citations: Iterable[Citation],
    assignees: Iterable[str],
    inventors: Iterable[str],
) -> Document:
    """A patent or application from its fields as they are printed; `international` is empty without that route."""
    filing = min(filter(None, (iso(filed), international.date)), default="")
    people = distinct(inventors)
    return Document(
        id=number.id,
        office=number.office,
        serial=number.serial,
        kind=number.kind,
        language="en",
        title=title,
        abstract=abstract,
        description=description,
        claims=claims,
        ipc=distinct(map(symbol, ipc)),
        national=distinct(national),
        priorities=valid_priorities(list(priorities) or [international], filing),
        application=filing,
        application_number=application(application_number),
        publication=iso(published),
        citations=tuple(citations),
        applicants=distinct(assignees) or people,
        inventors=people,
    )


def distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Each text once, empty ones left out.

    >>> distinct(["H04M11/00", "", "H04M11/00"])
    ('H04M11/00',)
    """
    return tuple(dict.fromkeys(filter(None, texts)))


def office(code: str) -> str:
    """The two-letter code of an office, from a former code or from one with the third letter that the Green Book adds.

    >>> office("JPX"), office("DTX"), office("WO")
    ('JP', 'DE', 'WO')
    """
    letters = code.strip().upper()[:2]
    return _FORMER_OFFICES.get(letters, letters)


def application(number: str, country: str = "US") -> str:
    """An application's number in one spelling. American ones are the series code and six digits.

    >>> application("09/413,215"), application("09413215"), application("PCT/NO98/00107"), application("971605", "NO")
    ('US09413215', 'US09413215', 'WONO1998000107W', 'NO971605')
    """
    if country == "US" and "PCT" not in number.upper():
        number = number.replace("/", "")
    return application_name(country, number)


def patent_cited(number: str, country: str, kind: str, date: str, origin: Origin) -> Citation:
    """A citation of a patent. A number that cannot be one of its office is kept as text.

    >>> patent_cited("3,932,709", "US", "A", "19760100", "examiner")
    Citation(number='US3932709A', origin='examiner', category='', date='1976-01', text='')
    """
    cited = normalise(number, country, kind)
    if not cited.office:
        return Citation("", origin, "", iso(date), cited.serial)
    return Citation(cited.id, origin, "", iso(date))


def valid_priorities(claimed: Iterable[Priority], filed: str) -> tuple[Priority, ...]:
    """The priorities claimed, each once, without empty ones and without those dated after the filing.

    >>> valid_priorities([Priority("US1", "1990-01-02"), Priority("US2", "1999-01-02"), Priority("", "")], "1991-01-01")
    (Priority(number='US1', date='1990-01-02'),)
    """
    given = (priority for priority in claimed if priority.number or priority.date)
    return tuple(dict.fromkeys(priority for priority in given if not filed or priority.date <= filed))


def read_claim(number: int, text: str, marked: Iterable[int] = ()) -> Claim:
    """A claim without its printed number. Its parents are those that the source marks and those that its text names.

    >>> read_claim(3, "3. The nail of claim 1 or 2.", [1])
    Claim(number=3, text='The nail of claim 1 or 2.', parents=(1, 2))
    """
    printed = _PRINTED_NUMBER.match(text)
    if printed is not None and int(printed[1]) == number:
        text = text[printed.end() :]
    linked = {claim for claim in marked if claim < number}
    return Claim(number, text, tuple(sorted(linked.union(parents(text, number)))))


# Text and claims of the Red Book, the American markup of 2001 to 2004, in both its forms: PATDOC and PAP.


_BREAK = "\N{PARAGRAPH SEPARATOR}"  # `str.split` treats it as a blank, so it never ends up inside a word


def mark_breaks(root: Element, blocks: Iterable[str], cells: Iterable[str], silent: Iterable[str]) -> None:
    """Mark a tree for `lines`: a break around every block, a blank around every cell; silent elements are emptied."""
    for node in list(root.iter(*silent)):
        node.clear(keep_tail=True)
    for names, mark in ((blocks, _BREAK), (cells, " ")):
        for node in root.iter(*names):
            node.text = mark + (node.text or "")
            node.tail = mark + (node.tail or "")


def lines(element: Element | None) -> Iterator[str]:
    """The lines of an element in a tree that `mark_breaks` has marked."""
    from lxml import etree

    if element is not None:
        text: str = etree.tostring(element, encoding="unicode", method="text", with_tail=False)
        for line in text.split(_BREAK):
            if words := " ".join(line.split()):
                yield words


def read_claims(found: Sequence[Element], name: str, reference: str, target: str) -> tuple[Claim, ...]:
    """The claims. `name` is the attribute with their id, CLM-00001 ...; `target` that of a `reference` to a claim."""
    digits = [re.search(r"[0-9]{1,6}", claim.get(name, "")) for claim in found]
    numbers = [int(match[0]) if match else 0 for match in digits]
    if any(one >= other for one, other in zip([0, *numbers], numbers, strict=False)):
        numbers = list(range(1, len(found) + 1))  # they do not count up: take the places instead
    by_name = {claim.get(name): number for claim, number in zip(found, numbers, strict=True)}
    texts = [" ".join(lines(claim)) for claim in found]
    marked = [
        [by_name[one] for mark in claim.iter(reference) for one in mark.get(target, "").split() if one in by_name]
        for claim in found
    ]
    read = (read_claim(*parts) for parts in zip(numbers, texts, marked, strict=True))
    return limited(claim for claim in read if claim.text)
