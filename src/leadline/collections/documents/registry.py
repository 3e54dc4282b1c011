"""The registers of readers and writers, and what readers are given: raw documents, elements of untrusted XML.

The function returns the Document of one raw document, or raises ValueError with the problem. It never opens a file. A
reader of XML names the root elements it reads, and gets the root element; a reader of another form has a function that
splits a stream into documents, and gets the bytes of one. A form's writer stands beside its reader: the function that
gives the element, or the bytes, of one Document.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.register import Register

# Raw documents, and the window over a stream of bytes from which they are cut.


BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLANK = b" \t\r\n\v\f\x1a"  # what stands between records; the last is the end of a file under DOS
MAX_DOCUMENT_BYTES = 256 << 20  # ten times the longest sequence listing printed


@dataclass(frozen=True, slots=True)
class Raw:
    """One document as its source holds it."""

    form: str  # the root element for XML, else the name of the reader
    offset: int  # of its first byte in the unpacked stream
    content: bytes
    encoding: str = "utf-8"
    size: int = -1  # the bytes of the stream that it stands for; below 0: not known


@dataclass(frozen=True, slots=True)
class Broken:
    """A place where a document should begin but cannot be read, or something else that is said of a stream."""

    offset: int
    reason: str
    size: int = -1  # the bytes of the stream that it stands for; below 0: not known
    records: int = 1  # how many records begin in these bytes


@dataclass(frozen=True)
class RecordMarker:
    """What begins every record of a form, by which records are counted apart from the reader that splits them."""

    name: str
    openings: tuple[bytes, ...]  # a record begins at one of these, if
    begins: Callable[[bytes, int], object]  # is true of the bytes and the place, with some bytes before and behind it


_BEFORE, _BEHIND = 128, 1024  # bytes around a marker that its function may look at


class Marks:
    """The number of markers in a stream, whose bytes come in pieces."""

    def __init__(self, marker: RecordMarker) -> None:
        self.marker = marker
        self.count = 0
        self._text, self._next = b"\n", 1  # a stream begins as a line does

    def add(self, piece: bytes, *, ended: bool = False) -> None:
        """Count in another piece, up to where what stands behind a marker is known."""
        text = self._text + piece if piece else self._text
        stop = len(text) if ended else max(self._next, len(text) - _BEHIND)
        for opening in self.marker.openings:
            at = text.find(opening, self._next, stop + len(opening) - 1)
            while at >= 0:
                self.count += bool(self.marker.begins(text, at))
                at = text.find(opening, at + 1, stop + len(opening) - 1)
        keep = max(0, stop - _BEFORE)
        self._text, self._next = text[keep:], stop - keep

    def finished(self) -> int:
        """The number of markers, at the end of the stream."""
        self.add(b"", ended=True)
        return self.count


class Window:
    """The bytes of a stream that are in memory. `begin` is the place of the first one in the stream."""

    def __init__(self, pieces: Iterator[bytes], name: str = "") -> None:
        self.pieces = pieces
        self.name = name  # of the stream, where a document has no id but its file's name
        self.buffer = b""
        self.begin = 0
        self.ended = False
        self.marks: Marks | None = None
        self.passed_over = 0  # bytes that belong to no record: blank lines, a header, a byte order mark
        self.has_nul = False  # whether any byte so far is NUL
        self.foreign, self.first_foreign = 0, 0  # lines that are not UTF-8, and the place of the first

    def fill(self, at_least: int = 1) -> bool:
        """Read more bytes; False at the end of the stream."""
        fresh, count = [self.buffer], 0
        while count < at_least and not self.ended:
            piece = next(self.pieces, None)
            self.ended = piece is None
            fresh.append(piece or b"")
            count += len(fresh[-1])
        for piece in fresh[1:]:
            self.has_nul = self.has_nul or b"\0" in piece
            if self.marks is not None:
                self.marks.add(piece)
        self.buffer = b"".join(fresh)
        return count > 0

    def count(self, marker: RecordMarker, at: int = 0) -> None:
        """Count a marker from a place of the buffer on, in what is read from now on, too."""
        self.marks = Marks(marker)
        self.marks.add(self.buffer[at:])

    def decoded(self, line: bytes, at: int) -> str:
        """The text of a line. One that is not UTF-8 is noted, and taken for Windows' Latin-1 where it can be that."""
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            from leadline.collections.documents.fields.web_pages import decoded_text

            self.first_foreign = self.first_foreign if self.foreign else at
            self.foreign += 1
            return decoded_text(line)

    def drop(self, count: int) -> None:
        """Drop the first bytes."""
        self.buffer = self.buffer[count:]
        self.begin += count

    def ended_lines(self, *, lone_cr: bool = True) -> Iterator[tuple[int, bytes]]:
        """Each line with the place where it begins and with its end, LF, CRLF or CR in any mix; the last may lack it.

        A byte order mark before a line is left out: two files may have been joined. `lone_cr=False` keeps a CR without
        LF inside its line, for cells that may hold one.
        """
        while True:
            lines = self.buffer.splitlines(keepends=True) if lone_cr else _ended_by_lf(self.buffer)
            # The last line goes on in the next piece, unless it has its end; after a CR, the LF may be there.
            rest = lines.pop() if lines and not lines[-1].endswith(b"\n") else b""
            at = self.begin
            marked = BYTE_ORDER_MARK in self.buffer
            for line in lines:
                if marked and line[:3] == BYTE_ORDER_MARK:
                    self.passed_over += 3
                    yield at + 3, line[3:]
                else:
                    yield at, line
                at += len(line)
            self.drop(len(self.buffer) - len(rest))
            if len(rest) > MAX_DOCUMENT_BYTES:
                limit = f"{MAX_DOCUMENT_BYTES >> 20} MiB"
                raise InputError(f"byte {at}", f"the line at byte {at} is longer than {limit}; the rest was not read")
            if not self.fill(4 << 20):
                mark = len(BYTE_ORDER_MARK) if rest.startswith(BYTE_ORDER_MARK) else 0
                self.passed_over += mark
                if rest[mark:]:
                    yield at + mark, rest[mark:]
                return


def _ended_by_lf(text: bytes) -> list[bytes]:
    lines = text.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + lines[-1:]


def rows_end_in_cr(head: bytes) -> bool:
    """Whether the lines of a table, the first and most of them, end in a CR alone. If not, such a CR belongs to a cell.

    >>> rows_end_in_cr(b"id,title\\r7,A nail\\r"), rows_end_in_cr(b"id,title\\r\\n7,A\\rnail\\r\\n")
    (True, False)
    """
    first = head.splitlines(keepends=True)[:1]
    alone = head.count(b"\r") - head.count(b"\r\n")
    return bool(first) and first[0].endswith(b"\r") and alone > head.count(b"\n")


def head_lines(head: bytes, most: int) -> list[bytes]:
    """The first lines of a text, of its first bytes. The last may be cut off, and is left out unless it is alone.

    >>> head_lines(b"a\\r\\nb\\nc", 9), head_lines(b"a\\rb\\rc", 9)
    ([b'a', b'b'], [b'a', b'b'])
    """
    lines = head.splitlines(keepends=True)
    whole = lines if len(lines) < 2 or lines[-1].endswith((b"\r", b"\n")) else lines[:-1]
    return [line.rstrip(b"\r\n") for line in whole[:most]]


# Parsing XML from untrusted sources, without entities, network or DTD; and the text of elements.


Element = Any  # lxml has no types


@cache
def _parser(encoding: str) -> Any:
    from lxml import etree

    return etree.XMLParser(
        encoding=encoding,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,  # the splitter limits the size of a document
        collect_ids=False,
    )


def parse(content: bytes, encoding: str = "utf-8") -> Element:
    """The root element of one document; ValueError with the parser's message when it is broken.

    >>> parse(b"<p>one <b>two</b></p>").tag
    'p'
    """
    from lxml import etree

    try:
        root = etree.fromstring(content, _parser(encoding))
    except (etree.XMLSyntaxError, LookupError) as error:
        raise ValueError(" ".join(str(error).split())) from None
    if root.getroottree().docinfo.doctype:
        raise ValueError("a document type inside a document is refused: it could define entities")
    return root


def text_of(element: Element | None) -> str:
    """The text of an element with blanks collapsed; empty for None.

    >>> text_of(parse(b"<p>one\\n  <b>two</b> three</p>"))
    'one two three'
    """
    if element is None:
        return ""
    from lxml import etree

    # Ten times faster than itertext.
    text: str = etree.tostring(element, method="text", encoding="unicode", with_tail=False)
    return " ".join(text.split())


def find_text(element: Element, path: str) -> str:
    """The text of the first element at a path; empty when there is none.

    >>> find_text(parse(b"<a><b> x </b></a>"), "b"), find_text(parse(b"<a/>"), "b/c")
    ('x', '')
    """
    return text_of(element.find(path))


def local_name(tag: str) -> str:
    """A tag without its namespace.

    >>> local_name("{http://example.org}claim")
    'claim'
    """
    return tag.rpartition("}")[2]


Read = TypeVar("Read", bound=Callable[[Any], Document])


@dataclass(frozen=True)
class FormReader:
    """A registered reader. Its functions are those of modules, so that worker processes can import them."""

    name: str
    function: Callable[[Any], Document]
    roots: tuple[str, ...]
    read_bytes: Callable[[bytes], Document] | None
    prepare: Callable[[bytes], bytes] | None
    merge: Callable[[Document, Document], Document] | None
    split: Callable[[Window], Iterator[Raw | Broken]] | None
    recognises: Callable[[bytes], bool] | None
    parse_record: Callable[[bytes], dict[str, Any]] | None
    binary: bool = False
    marker: RecordMarker | None = None

    def read(self, content: bytes, encoding: str = "utf-8") -> Document:
        """The document in these bytes; ValueError if it cannot be read."""
        if not self.roots:
            return self.function(content)
        if self.read_bytes is not None and encoding == "utf-8":
            return self.read_bytes(content)
        return self.function(parse(content if self.prepare is None else self.prepare(content), encoding))


READERS = Register[FormReader]("form", "leadline.collections.documents.readers", entry_points="leadline.readers")


def reader(
    name: str,
    *roots: str,
    read_bytes: Callable[[bytes], Document] | None = None,
    prepare: Callable[[bytes], bytes] | None = None,
    merge: Callable[[Document, Document], Document] | None = None,
    split: Callable[[Window], Iterator[Raw | Broken]] | None = None,
    recognises: Callable[[bytes], bool] | None = None,
    parse_record: Callable[[bytes], dict[str, Any]] | None = None,
    binary: bool = False,
    marker: RecordMarker | None = None,
) -> Callable[[Read], Read]:
    """Register a function as the reader of a form.

    Of XML: `roots` are the local names of the elements that hold one document each; `read_bytes` reads UTF-8 without
    making a tree, as a faster way; `prepare` turns SGML into XML. Of other forms: `split` cuts a stream, `recognises`
    tells the form by the first bytes of a stream, and `parse_record` gives a record as a dict, which a mapping can then
    read; `binary` says that a stream may hold bytes that are no text, `marker` what begins each record, so that records
    are counted apart from `split`. Of both: `merge` joins consecutive documents with one id.
    """
    if bool(roots) == bool(split):
        raise InputError(f"reader {name}", "needs either root elements or a function `split`")

    def add(function: Read) -> Read:
        member = FormReader(
            name, function, roots, read_bytes, prepare, merge, split, recognises, parse_record, binary, marker
        )
        READERS.add(name, member, home=function.__module__)
        return function

    return add


def readers_by_form() -> dict[str, FormReader]:
    """Every reader under its root elements, or under its name when it does not read XML."""
    found: dict[str, FormReader] = {}
    for member in READERS.values():
        for form in member.roots or (member.name,):
            other = found.setdefault(form, member)
            if other is not member:
                raise InputError("form", f"{other.name} and {member.name} both read {form}")
    return found


Write = TypeVar("Write", bound=Callable[[Document], Any])


@dataclass(frozen=True)
class FormWriter:
    """A registered writer, and what its form can hold."""

    name: str
    function: Callable[[Document], Any]  # an element, or bytes
    holds: frozenset[str]  # fields of Document; "citations.date" and so on of Citation
    takes: Callable[[Document], bool]
    limit: Callable[[Document], Document]
    file: Callable[[Document], str]
    around: Callable[[], Element] | None
    types: Mapping[str, str] = field(default_factory=dict)

    @property
    def suffix(self) -> str:
        return f".{self.name}" if self.around is None and not self.types else ".xml"


WRITERS = Register[FormWriter]("form", "leadline.collections.documents.readers", entry_points="leadline.readers")


def writer(
    name: str,
    holds: Collection[str],
    *,
    takes: Callable[[Document], bool] = bool,
    limit: Callable[[Document], Document] | None = None,
    file: Callable[[Document], str] | None = None,
    around: Callable[[], Element] | None = None,
    types: Mapping[str, str] | None = None,
) -> Callable[[Write], Write]:
    """Register a function as the writer of a form; beside its reader, which reads the same document again.

    `holds` are the fields of Document that the form has a place for, and those of Citation as `citations.date`. `takes`
    tells the documents that are published in this form. `limit` gives a document without what its fields can hold, but
    not in this form. `file` names the file that a document goes to: by default that of the form. Of XML: `around` makes
    an element around the documents of a file, and `types` are document types by the root element of a document.
    """

    def add(function: Write) -> Write:
        known = frozenset(holds)
        member = FormWriter(
            name, function, known, takes, limit or _unlimited, file or (lambda _: name), around, types or {}
        )
        WRITERS.add(name, member, home=function.__module__)
        return function

    return add


def _unlimited(document: Document) -> Document:
    return document


# Prepare trees for extracting text: drop namespaces, and mark where a new word or a new line begins.
#
# Text goes through the parser's own serialiser, which is several times faster than collecting strings in Python.


# Elements that end a word: often only a tag separates "comprising:" from the step that follows.
_WORDS = (
    *("claim", "claim-text", "sec"),
    *("br", "dd", "dl", "dt", "label", "li", "list-item", "ol", "ul"),
    *("entry", "row", "table", "td", "th", "tr"),
)
_LINES = ("heading", "p", "title")
_LINE = "\r"  # not in any parsed text, since parsers turn it into \n; `str.split` treats it as a blank


def tidy(element: Element, prefix: str = "") -> Element:
    """The same tree, changed in place. An office's `prefix` of element names is dropped.

    >>> from leadline.collections.documents.registry import parse
    >>> wording(tidy(parse(b"<x:claim xmlns:x='http://x.org'>A nail<x:claim-text>bent</x:claim-text></x:claim>")))
    'A nail bent'
    >>> tidy(parse(b"<a><fr-claims/></a>"), "fr-")[0].tag
    'claims'
    """
    for node in element.iter("*"):
        name = node.tag
        if name[0] == "{":
            node.tag = name = local_name(name)
        if prefix and name.startswith(prefix):
            node.tag = name[len(prefix) :]
    for tags, mark in ((_WORDS, " "), (_LINES, _LINE)):
        for block in element.iter(*tags):
            block.text = mark + (block.text or "")
            tail = block.tail
            if tail and not tail[0].isspace():
                block.tail = mark + tail
    return element


def _raw(element: Element) -> str:
    from lxml import etree

    return etree.tostring(element, method="text", encoding="unicode", with_tail=False)


def _collapsed(text: str) -> str:
    text = text.strip()
    if text.isascii() and "\n" not in text and "\r" not in text and "\t" not in text and "  " not in text:
        return text  # most paragraphs: checking is four times faster than splitting and joining
    return " ".join(text.split())


def wording(element: Element | None) -> str:
    """The text of an element with blanks collapsed; empty for None."""
    return "" if element is None else _collapsed(_raw(element))


def has_words(element: Element) -> bool:
    """Whether there is any text under an element."""
    text = _raw(element)
    return bool(text) and not text.isspace()


def paragraphs(element: Element | None) -> str:
    """The text of an element, one line for each paragraph and heading.

    >>> from leadline.collections.documents.registry import parse
    >>> paragraphs(tidy(parse(b"<a><sec><title>Nails</title><p>A <b>bent</b> nail.</p><p/><p>A bolt.</p></sec></a>")))
    'Nails\\nA bent nail.\\nA bolt.'
    """
    return "" if element is None else "\n".join(filter(None, map(_collapsed, _raw(element).split(_LINE))))


def listed(element: Element) -> str:
    """The text of an element's parts, with commas between them.

    >>> from leadline.collections.documents.registry import parse
    >>> listed(parse(b"<article><author>Doe</author><serial><title>Nails</title><year>1998</year></serial></article>"))
    'Doe, Nails, 1998'
    """
    return ", ".join(filter(None, _parts(element)))


def _parts(element: Element) -> Iterator[str]:
    if len(element) and not (element.text or "").strip():
        for child in element:
            yield from _parts(child)
    else:
        yield wording(element)


# Characters for the named entities of SGML, which an XML parser knows only from a document type.
#
# Names come from the sets of ISO 8879, which HTML has except for the Greek alphabet, and from two formula editors. An
# unknown name is left alone, and the parser then reports it.


_REFERENCE = re.compile(rb"&([A-Za-z][A-Za-z0-9.]*) ?;")
_GREEK = "a b g d e z ee th i k l m n x o p r s t u ph kh ps oh"  # agr, bgr ... ohgr; capitals Agr, Bgr ... OHgr
_SMALL, _CAPITAL = "αβγδεζηθικλμνξοπρστυφχψω", "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_INVISIBLE = """af ApplyFunction it InvisibleTimes ic InvisibleComma InvisibleSpace AutoLeftMatch AutoRightMatch
    InvisiblePrefixScriptBase"""
_FORMULA_ENTITIES = {
    **dict.fromkeys(_INVISIBLE.split(), ""),
    "IndentingNewLine": " ",
    "LeftBracketingBar": "|",
    "RightBracketingBar": "|",
    "Parenopenst": "(",
    "Parenclosest": ")",
    "Brketopenst": "[",
    "Brketclosest": "]",
    "Circlesolid": "●",
    "Asteriskpseud": "※",
}


def characters(content: bytes) -> bytes:
    """The same text with numeric references instead of named ones, for every encoding and parser.

    >>> characters(b"5 &mgr;m &times; 3&deg; &lt; &what;").decode()
    '5 &#956;m &#215; 3&#176; &lt; &what;'
    """
    return _REFERENCE.sub(lambda match: _references().get(match[1], match[0]), content)


@cache
def _references() -> dict[bytes, bytes]:
    from html.entities import html5

    named = {name[:-1]: text for name, text in html5.items() if name[-1] == ";" and name[:-1] not in _XML_ENTITIES}
    named |= {f"{name}gr": letter for name, letter in zip(_GREEK.split(), _SMALL, strict=True)}
    named |= {f"{name.upper()}gr": letter for name, letter in zip(_GREEK.split(), _CAPITAL, strict=True)}
    for vowel in ("a", "e", "ee", "i", "o", "u", "oh"):
        named[f"{vowel}acgr"] = unicodedata.normalize("NFC", named[f"{vowel}gr"] + "\N{COMBINING ACUTE ACCENT}")
    named |= {f"b.{name}": text for name, text in named.items() if "α" <= text <= "ω" or "Α" <= text <= "Ω"}  # in bold
    named |= {"sfgr": "ς", **_FORMULA_ENTITIES}
    return {name.encode(): "".join(f"&#{ord(letter)};" for letter in text).encode() for name, text in named.items()}
