"""PATDOC: patents as the United States published them from 2001 to 2004, in WIPO's standard ST.32, as SGML, then XML.

- Citations: those marked as not cited by the examiner come from the applicant. Literature printed with the examiner's
  asterisk is the examiner's, even when it is marked as cited by others.
- Text: passages that a reissue deletes are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadline.collections.choices import Origin
from leadline.collections.documents.document import Citation, Document, Priority, national
from leadline.collections.documents.fields.patent_offices import (
    application,
    lines,
    mark_breaks,
    office,
    patent_cited,
    read_claims,
    us_document,
)
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import Element, characters, find_text, reader, text_of
from leadline.text.days import iso

_EMPTY = b"""B221US B473US B597US CHEMCDX CHEMMOL CITED-BY-EXAMINER CITED-BY-OTHER CRF CUSTOM-CHARACTER DEL-E DEL-S
    DFREF EMI EMR FOR INS-E INS-S LSTREF MATHEMATICA PAREF SEQREF TBLREF
    colspec maligngroup malignmark mprescripts mspace none sep spanspec"""
_NAMES = b"|".join(_EMPTY.split())
_OPENED = re.compile(rb"<((?:%b)(?=[\s/>])[^<>]*)>" % _NAMES, re.IGNORECASE)
_CLOSED = re.compile(rb"</(?:%b)\s*>" % _NAMES, re.IGNORECASE)
_REFERENCES = {  # they have no end tag in SGML, but one in XML
    b"</CLREF": re.compile(rb"<(CLREF(?=[\s/>])[^<>]*)>"),
    b"</FGREF": re.compile(rb"<(FGREF(?=[\s/>])[^<>]*)>"),
}

_BLOCKS = ("PARA", "H", "CWU", "CLMSTEP", "LI", "DT", "DD", "row", "ROW")
_CELLS = ("entry", "ENTRY", "FOO")
_SILENT = ("SEQLST-US",)  # sequences are not text
_PARENTS = ("B620", "B631", "B632", "B633", "B640", "B641US")
_ORIGINS: dict[str, Origin] = {"CITED-BY-EXAMINER": "examiner", "CITED-BY-OTHER": "applicant"}


def prepare(content: bytes) -> bytes:
    """SGML as XML: empty elements are closed, and character entities become numbers.

    >>> prepare(b'<P>5 &mgr;m<EMI FILE="a.tif"><CITED-BY-OTHER></P>')
    b'<P>5 &#956;m<EMI FILE="a.tif"/><CITED-BY-OTHER/></P>'
    """
    content = characters(content)
    first = _OPENED.search(content)
    if first is None or first[0].endswith(b"/>"):
        return content  # already XML
    content = _OPENED.sub(_closed, _CLOSED.sub(b"", content))
    for end, reference in _REFERENCES.items():
        if end not in content:
            content = reference.sub(_closed, content)
    return content


def _closed(tag: re.Match[bytes]) -> bytes:
    return b"<" + tag[1].rstrip(b"/ \t\r\n") + b"/>"


@reader("patdoc", "PATDOC", prepare=prepare)
def read(element: Element) -> Document:
    """One patent. The tree is changed."""
    printed = find_text(element, "SDOBI/B100/B110")
    number = normalise(printed, find_text(element, "SDOBI/B100/B190") or "US", find_text(element, "SDOBI/B100/B130"))
    if not printed or not number.office:
        raise ValueError("the patent has no number (B110)")
    _drop_deleted(element)
    mark_breaks(element, _BLOCKS, _CELLS, _SILENT)
    data = element.find("SDOBI")
    route = "B800/B860/B861/DOC"
    return us_document(
        number,
        title=find_text(data, "B500/B540"),
        abstract="\n".join(lines(element.find("SDOAB"))),
        description="\n".join(lines(element.find("SDODE"))),
        claims=read_claims(element.findall("SDOCL//CLM"), "ID", "CLREF", "ID"),
        ipc=_columns(data, "B500/B510/B511", "B500/B510/B512"),
        national=map(national, _columns(data, "B500/B520/B521", "B500/B520/B522")),
        priorities=_priorities(data),
        international=Priority(application(find_text(data, f"{route}/DNUM")), iso(find_text(data, f"{route}/DATE"))),
        filed=find_text(data, "B200/B220"),
        application_number=find_text(data, "B200/B210"),
        published=find_text(data, "B100/B140"),
        citations=_citations(data),
        assignees=map(_name, data.findall("B700/B730/B731")),
        inventors=map(_name, data.findall("B700/B720/B721")),
    )


def _columns(data: Element, *paths: str) -> Iterator[str]:
    """Class symbols with all their blanks, which carry meaning."""
    for path in paths:
        for node in data.findall(f"{path}/PDAT"):
            yield node.text or ""


def _priorities(data: Element) -> Iterator[Priority]:
    for node in data.findall("B300"):
        number = application(find_text(node, "B310"), office(find_text(node, "B330")))
        yield Priority(number, iso(find_text(node, "B320")))
    parents = (node for tag in _PARENTS for node in data.findall(f"B600//{tag}/PARENT-US/PDOC/DOC"))
    for node in (*parents, *data.findall("B600/B680US/DOC")):
        yield Priority(application(find_text(node, "DNUM")), iso(find_text(node, "DATE")))


def _citations(data: Element) -> Iterator[Citation]:
    for node in data.findall("B500/B560/*"):
        origin: Origin = next((_ORIGINS[child.tag] for child in node if child.tag in _ORIGINS), "unknown")
        document = node.find("PCIT/DOC")
        if document is not None:
            where = office(find_text(document, "CTRY")) or "US"
            number, kind, date = (find_text(document, tag) for tag in ("DNUM", "KIND", "DATE"))
            yield patent_cited(number, where, kind, date, origin)
        elif text := text_of(node.find("NCIT")):
            yield Citation(origin="examiner" if text.endswith("*") else origin, text=text.rstrip("* "))


def _name(party: Element) -> str:
    if company := find_text(party, "PARTY-US/NAM/ONM"):
        return company
    return ", ".join(filter(None, (find_text(party, f"PARTY-US/NAM/{tag}") for tag in ("SNM", "FNM"))))


def _drop_deleted(root: Element) -> None:
    """Remove the text between the marks DEL-S and DEL-E, which may be anywhere in the tree."""
    if root.find(".//DEL-S") is None or len(root.findall(".//DEL-S")) != len(root.findall(".//DEL-E")):
        return
    from lxml import etree

    deleted = False
    for event, node in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            deleted = node.tag == "DEL-S" or (deleted and node.tag != "DEL-E")
            if deleted:
                node.text = None
        elif deleted:
            node.tail = None
