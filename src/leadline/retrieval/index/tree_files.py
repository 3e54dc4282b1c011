"""Read the files from which trees are made: schemes of classes, and thesauri. The form is told by the content.

    IPC             the scheme of WIPO in XML, <IPCScheme>
    CPC             the scheme of the European and the American office in XML, <class-scheme>
    MeSH            the descriptors in XML, <DescriptorRecordSet>, or in lines, *NEWRECORD
    SKOS            a thesaurus as RDF/XML, <rdf:RDF>, or as Turtle or N-Triples

Files may be packed, and one may be a folder or an archive of several.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from leadline.collections.documents.document import symbol
from leadline.collections.documents.registry import local_name, text_of
from leadline.collections.documents.sources import find_sources, open_streams
from leadline.errors import InputError
from leadline.retrieval.index.trees import Entry, Tree, TreeKind

NEEDED = {
    "scheme": "the IPC scheme of WIPO or the CPC scheme in XML",
    "thesaurus": "MeSH (its XML or ASCII file) or SKOS (RDF/XML or Turtle)",
}
HEAD = 1 << 16  # bytes in which the form shows
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
SKOS = "http://www.w3.org/2004/02/skos/core#"
_XML_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def read_trees(scheme: str | os.PathLike[str] | None, thesaurus: str | os.PathLike[str] | None) -> dict[TreeKind, Tree]:
    """The trees of the files that are given."""
    given: list[tuple[TreeKind, Any]] = [("scheme", scheme), ("thesaurus", thesaurus)]
    return {kind: read_tree(path, kind) for kind, path in given if path is not None}


def read_tree(path: str | os.PathLike[str], kind: TreeKind) -> Tree:
    """The tree of a file, or of the files of a folder or an archive."""
    return Tree.of(_entries(Path(path), kind), Path(path).name)


def _entries(path: Path, kind: TreeKind) -> Iterator[Entry]:
    for file in find_sources([path]):
        for stream in open_streams(file):
            pieces = iter(stream.pieces)
            head = b""
            for piece in pieces:
                head += piece
                if len(head) >= HEAD:
                    break
            read = _reader(head, kind)
            if read is None:
                raise InputError(stream.name, f"is not a {kind} in a form that is known: it needs {NEEDED[kind]}")
            try:
                yield from read(_all_of(head, pieces))
            except ValueError as error:
                raise InputError(stream.name, f"cannot be read: {error}") from None


def _behind_prolog(head: bytes) -> bytes:
    """XML from its first element on, without what may stand before it; empty where that does not end.

    >>> _behind_prolog(b'<?xml?> <!-- <a> --><!DOCTYPE b [<!ENTITY c "d>">]><b/>')
    b'<b/>'
    """
    at = 0
    while True:
        at = _BLANKS.match(head, at).end()  # type: ignore[union-attr]
        begins = next((each for each in _PROLOG if head.startswith(each, at)), b"")
        if not begins:
            return head[at:]
        end = _PROLOG[begins].search(head, at)
        if end is None:
            return b""
        if end[0] == b"[":  # declarations of a document type
            end = _DECLARED.search(head, end.end())
        if end is None:
            return b""
        at = end.end()


_BLANKS, _DECLARED = re.compile(rb"\s*"), re.compile(rb"\]\s*>")
_PROLOG = {b"<!--": re.compile(rb"-->"), b"<?": re.compile(rb"\?>"), b"<!DOCTYPE": re.compile(rb"[\[>]")}


def _all_of(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from pieces


_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)[\s>/]")
_TURTLE = re.compile(rb"^\s*(?:@prefix|@base|prefix|base|<[^>\s]+>\s)", re.IGNORECASE | re.MULTILINE)


def _reader(head: bytes, kind: TreeKind) -> Callable[[Iterator[bytes]], Iterator[Entry]] | None:
    """What reads a file that begins so; None where it is of no known form."""
    found = _ROOT.match(_behind_prolog(head.lstrip(b"\xef\xbb\xbf")))
    roots = _SCHEMES if kind == "scheme" else _THESAURI
    if found and found[1] in roots:
        return roots[found[1]]
    if kind == "scheme":
        return None
    if b"*NEWRECORD" in head:
        return _mesh_lines
    return _turtle if _TURTLE.search(head) and b"skos" in head.lower() else None


def _events(pieces: Iterable[bytes], *wanted: str) -> Iterator[tuple[str, Any]]:
    """The starts and ends of elements; entities, document types and the network are not used.

    ValueError where the XML is broken.
    """
    from lxml import etree

    parser = etree.XMLPullParser(
        ("start", "end"), resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        for piece in pieces:
            parser.feed(piece)
            yield from ((event, element) for event, element in parser.read_events() if isinstance(element.tag, str))
        parser.close()
        yield from ((event, element) for event, element in parser.read_events() if isinstance(element.tag, str))
    except etree.XMLSyntaxError as error:
        raise ValueError(" ".join(str(error).split())) from None


def _forget(element: Any) -> None:
    """Free the memory of an element and of those before it."""
    element.clear()
    while element.getprevious() is not None:
        del element.getparent()[0]


# Schemes of classes: what is under what is told by the level of each class, in the order of the file.


_GUIDES = (3, 6)  # levels of the CPC that only gather what follows, under the symbol of the first
_KINDS = "scum123456789AB"  # of the IPC: section, class, subclass, main group, and groups by their dots


class _Levels:
    """The class that each next one is under: the last with a lower level."""

    def __init__(self) -> None:
        self.open: list[tuple[int, str]] = []

    def entry(self, level: int, written: str) -> Iterator[Entry]:
        code = symbol(written)
        while self.open and self.open[-1][0] >= level:
            self.open.pop()
        if code:
            yield Entry(code, code, broader=[self.open[-1][1]] if self.open else [])
            self.open.append((level, code))


def _ipc(pieces: Iterator[bytes]) -> Iterator[Entry]:
    levels = _Levels()
    for event, element in _events(pieces):
        if local_name(element.tag) != "ipcEntry":
            continue
        kind = element.get("kind", "")
        if event == "start" and len(kind) == 1 and kind in _KINDS:
            yield from levels.entry(_KINDS.index(kind), element.get("symbol", ""))
        elif event == "end":
            _forget(element)


def _cpc(pieces: Iterator[bytes]) -> Iterator[Entry]:
    levels = _Levels()
    for event, element in _events(pieces):
        name = local_name(element.tag)
        if event == "end" and name == "classification-symbol" and element.getparent() is not None:
            level = element.getparent().get("level", "")
            if level.isdecimal() and int(level) not in _GUIDES:
                yield from levels.entry(int(level), element.text or "")
        elif event == "end" and name == "classification-item":
            _forget(element)


# MeSH: positions in its trees are the numbers C14.907.489.


def _mesh_xml(pieces: Iterator[bytes]) -> Iterator[Entry]:
    for event, element in _events(pieces):
        if event == "end" and element.tag == "DescriptorRecord":
            terms = [text_of(each) for each in element.iterfind("ConceptList/Concept/TermList/Term/String")]
            positions = [text_of(each) for each in element.iterfind("TreeNumberList/TreeNumber")]
            label = text_of(element.find("DescriptorName/String"))
            yield Entry(text_of(element.find("DescriptorUI")) or label, label, terms, positions)
            _forget(element)


_NAMES_OF_RECORDS = {"MH", "SH", "NM"}  # of headings; and of qualifiers and substances, which are none


def _mesh_lines(pieces: Iterator[bytes]) -> Iterator[Entry]:
    fields: dict[str, list[str]] = {}
    records = -1
    for line in chain(_lines(pieces), ["*NEWRECORD"]):
        if line.startswith("*NEWRECORD"):
            records += 1
            if records and not _NAMES_OF_RECORDS & fields.keys():
                raise ValueError(f"record {records} has no name (MH): it may have been cut")
            if label := "".join(fields.get("MH", [])[:1]):
                names = [each.partition("|")[0] for tag in ("PRINT ENTRY", "ENTRY") for each in fields.get(tag, ())]
                yield Entry("".join(fields.get("UI", [label])[:1]), label, names, fields.get("MN", []))
            fields = {}
        elif " = " in line:
            tag, _, value = line.partition(" = ")
            fields.setdefault(tag.strip(), []).append(value.strip())


_LINE_END = re.compile(rb"\r?\n|\r(?!\n|\Z)")


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """The lines of a file, ended by LF, CRLF or CR."""
    left = b""
    for piece in pieces:
        *whole, left = _LINE_END.split(left + piece)
        yield from (line.decode("utf-8", "replace") for line in whole)
    yield left.decode("utf-8", "replace").rstrip("\r")


# SKOS: statements about concepts, `concept prefLabel "label"@en`, in two ways of writing them.


_LABELS = ("prefLabel", "altLabel", "hiddenLabel")
_NO_CONCEPT = ("ConceptScheme", "Collection", "OrderedCollection")


class _Concepts:
    """What was said about concepts."""

    def __init__(self) -> None:
        self.labels: dict[str, list[tuple[int, str]]] = {}  # of each concept, with how much each is preferred
        self.codes: dict[str, list[str]] = {}
        self.broader: dict[str, list[str]] = {}
        self.others: set[str] = set()  # what is no concept

    def say(self, about: str, predicate: str, value: str, language: str) -> None:
        if predicate in _LABELS:
            preferred = _LABELS.index(predicate) * 2 + (not language.lower().startswith("en") and language != "")
            self.labels.setdefault(about, []).append((preferred, " ".join(value.split())))
        elif predicate == "notation":
            self.codes.setdefault(about, []).append(value.strip())
        elif predicate == "broader":
            self.broader.setdefault(about, []).append(value)
        elif predicate == "narrower":
            self.broader.setdefault(value, []).append(about)
        elif predicate == "type" and value in (SKOS + each for each in _NO_CONCEPT):
            self.others.add(about)

    def entries(self) -> Iterator[Entry]:
        if not self.labels:
            raise ValueError("no concept has a skos:prefLabel; labels of SKOS-XL are not read")
        for about, labels in self.labels.items():
            if about not in self.others:
                names = [label for _, label in sorted(labels, key=lambda each: each[0]) if label]
                codes, broader = self.codes.get(about, []), self.broader.get(about, [])
                yield Entry(about, names[0] if names else about, names, broader=broader, others=codes)


def _skos_xml(pieces: Iterator[bytes]) -> Iterator[Entry]:
    concepts, depth = _Concepts(), 0
    for event, element in _events(pieces):
        depth += 1 if event == "start" else -1
        if event == "start":
            continue
        about = _node(element)
        if about and element.tag != f"{RDF}RDF":
            if str(element.tag).startswith(f"{{{SKOS}}}"):
                concepts.say(about, "type", SKOS + local_name(element.tag), "")
            for each in element:
                if not isinstance(each.tag, str):
                    continue
                value = each.get(f"{RDF}resource") or next((_node(inside) for inside in each), "") or (each.text or "")
                if each.tag.startswith(f"{{{SKOS}}}") or each.tag == f"{RDF}type":
                    concepts.say(about, local_name(each.tag), value, each.get(_XML_LANGUAGE, ""))
        if depth == 1:
            _forget(element)
    yield from concepts.entries()


def _node(element: Any) -> str:
    """The name of the thing that an element describes; empty for other elements."""
    own = element.get(f"{RDF}ID")
    return element.get(f"{RDF}about") or (f"#{own}" if own else "") or element.get(f"{RDF}nodeID") or ""


_TOKEN = re.compile(
    r'\s+|#[^\r\n]*|(?P<text>"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*\'\'\'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*')(?:@(?P<language>[A-Za-z][\w-]*)|\^\^(?:<[^>\s]*>|[\w.-]*:[\w.%-]*))?"
    r"|<(?P<iri>[^<>\s]*)>|(?P<directive>@?(?:prefix|base)\b)(?=\s)|(?P<sign>[;,\[\]()]|\.(?!\d))"
    r"|(?P<name>[\w.-]*:(?:[\w%:-]|\.(?=[\w%:-])|\\.)*|_:\w+)|(?P<word>a(?=[\s<])|true|false|[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)",
    re.DOTALL | re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}


def _turtle(pieces: Iterator[bytes]) -> Iterator[Entry]:
    """The concepts of Turtle; what is in brackets and parentheses is passed over."""
    concepts = _Concepts()
    prefixes: dict[str, str] = {}
    base, depth = "", 0
    statement: list[tuple[str, str]] = []  # what was read since the last sign: values and their languages
    about: str | None = None
    predicate: str | None = None
    directive: list[str] = []
    for kind, value, language in _tokens(b"".join(pieces).decode("utf-8", "replace")):
        if kind == "sign" and value in "[]()":
            if value in "[(" and not depth:
                statement.append(("", ""))
            depth += 1 if value in "[(" else -1
            continue
        if depth > 0:
            continue
        if kind == "directive":
            directive = [value.lower().lstrip("@")]
            continue
        if directive:
            if kind in ("name", "iri"):
                directive.append(value)
            if directive[0] == "base" and len(directive) == 2:
                base, directive = urljoin(base, directive[1]), []
            elif len(directive) == 3:
                prefixes[directive[1].rstrip(":")] = urljoin(base, directive[2])
                directive = []
            continue
        if kind != "sign":
            statement.append((_whole_name(kind, value, prefixes, base), language))
            continue
        if statement and about is None:
            about, statement = statement[0][0], statement[1:]
        if statement and predicate is None:
            predicate, statement = statement[0][0], statement[1:]
        for each, of_language in statement:
            short = "type" if predicate in ("a", f"{RDF[1:-1]}type") else (predicate or "").removeprefix(SKOS)
            concepts.say(about or "", short, each, of_language)
        statement = []
        if value in ";.":
            predicate = None
        if value == ".":
            about = None
    yield from concepts.entries()


def _whole_name(kind: str, value: str, prefixes: dict[str, str], base: str) -> str:
    """What a token names: a name without its prefix, an address from the base on, or a text as it is."""
    if kind == "name" and not value.startswith("_:"):
        prefix, _, local = value.partition(":")
        return prefixes.get(prefix, f"{prefix}:") + re.sub(r"\\(.)", r"\1", local)
    return urljoin(base, _unescaped(value)) if kind == "iri" else value


def _tokens(text: str) -> Iterator[tuple[str, str, str]]:
    """The tokens of Turtle: kind, value, language. ValueError where there is none."""
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(
                f"line {text.count(chr(10), 0, at) + 1}: {text[at : at + 20]!r} is not Turtle that is known"
            )
        at = match.end()
        kind = match.lastgroup if match.lastgroup != "language" else "text"
        if kind == "text":
            written = match["text"]
            quotes = 3 if written[:3] in ('"""', "'''") and len(written) >= 6 else 1
            yield "text", _unescaped(written[quotes:-quotes]), match["language"] or ""
        elif kind is not None:
            yield kind, match[kind], ""


def _unescaped(text: str) -> str:
    def letter(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        if code:
            number = int(code, 16)
            return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
        return _ESCAPED.get(match[3], match[3])

    return _ESCAPE.sub(letter, text) if "\\" in text else text


_SCHEMES = {b"IPCScheme": _ipc, b"class-scheme": _cpc}
_THESAURI = {b"DescriptorRecordSet": _mesh_xml, b"RDF": _skos_xml}
