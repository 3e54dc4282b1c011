"""A page of the web as a document: HTML, its main text and encoding, PDF, and HTTP messages.

Readers of HTML and WARC files and the crawler all hand a page over in one form: a line of JSON with its address, type,
date and status, then its bytes decoded to UTF-8 (or as they are, for PDF).
"""

from __future__ import annotations

import codecs
import email.utils
import importlib.util
import io
import json
import logging
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.text.days import iso

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

KIND = "page"
HTML_TYPES = ("text/html", "application/xhtml+xml")
PDF_TYPE = "application/pdf"
PAGE_TYPES = (*HTML_TYPES, "text/plain", PDF_TYPE)


def packed_page(address: str, content_type: str, content: bytes, date: str = "") -> bytes:
    """A page in the one form that `page_document` reads."""
    kind = media_type(content_type)
    if kind == PDF_TYPE:  # has NUL bytes, which a raw document may not have
        title, text = pdf_texts(content)
        head = {"address": address, "type": "text/plain", "date": date, "title": title}
        return json.dumps(head).encode() + b"\n" + text.replace("\0", "").encode("utf-8", "replace")
    head = {"address": address, "type": kind, "date": date}
    return json.dumps(head).encode() + b"\n" + decoded_page(content, content_type).encode("utf-8", "replace")


def unpacked_page(packed: bytes) -> tuple[dict[str, str], str]:
    """What is known of a page, and its text or markup."""
    first, _, content = packed.partition(b"\n")
    return json.loads(first), content.decode("utf-8", "replace")


def page_document(packed: bytes) -> Document:
    """The document of a page."""
    head, text = unpacked_page(packed)
    if head["type"] in HTML_TYPES:
        return document_of_page(head["address"], read_page(text), head.get("date", ""))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    body = "\n".join(line for line in lines if line)
    title = head.get("title") or body.partition("\n")[0][:200]
    return Document(id=head["address"], kind=KIND, title=title, description=body, publication=head.get("date", ""))


def document_of_page(address: str, page: HtmlPage, date: str = "") -> Document:
    """The document of a page that was read; `date` is what the server says, used where the page says nothing."""
    return Document(
        id=address,
        kind=KIND,
        language=page.language,
        title=page.title,
        abstract=page.summary,
        description=page.text,
        publication=page.date or date,
        inventors=page.authors,
    )


def media_type(content_type: str) -> str:
    """The media type of a Content-Type header.

    >>> media_type("Text/HTML; charset=utf-8")
    'text/html'
    """
    return content_type.partition(";")[0].strip().lower()


def server_date(headers: Mapping[str, str]) -> str:
    """The day of the header Last-Modified; empty where it is missing or wrong.

    >>> server_date({"last-modified": "Wed, 21 Oct 2015 07:28:00 GMT"})
    '2015-10-21'
    """
    try:
        return email.utils.parsedate_to_datetime(headers.get("last-modified", "")).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


# What a page in HTML says: its title, texts, links, dates and what it allows robots.


ROBOT = "leadline"  # the name by which pages and servers may address this crawler
MAX_LINKS = 10_000  # of one page
MAX_ANCHOR = 500  # characters
MAX_DEPTH = 2000  # elements inside each other
_REFRESH = re.compile(r"""\s*[\d.]*\s*[;,]\s*(?:url\s*=\s*)?(["']?)([^"'\s]+)\1""", re.IGNORECASE)
_NO_FOLLOW = frozenset({"nofollow", "ugc", "sponsored"})
_DATES = (
    "article:published_time", "citation_publication_date", "citation_date", "dcterms.issued", "dcterms.date",
    "dc.date.issued", "dc.date", "datepublished", "date", "pubdate", "publish-date", "article:modified_time",
    "last-modified",
)  # fmt: skip
_AUTHORS = ("citation_author", "author", "dc.creator", "dcterms.creator")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)[^<>]*>?")
_CLOSED_BY_OTHERS = frozenset(  # or without content: they are never deep
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr", "p",
     "li", "dt", "dd", "option", "tr", "td", "th", "tbody", "thead")
)  # fmt: skip
_LANGUAGE = re.compile(r"\s*([a-zA-Z]{2})(?:[-_].*)?\s*")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link as the page writes it."""

    href: str
    anchor: str = ""
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """What was read from a page."""

    title: str
    text: str  # the main text; all visible text where no block is content
    summary: str  # the page's own description
    date: str
    language: str
    authors: tuple[str, ...]
    canonical: str  # the address that the page says is its own, as written
    base: str  # what links are relative to, as written
    links: tuple[PageLink, ...]
    noindex: bool
    nofollow: bool


def check_html_packages(what: str) -> None:
    """Refuse to read HTML where the package for it is missing."""
    import importlib.util

    if importlib.util.find_spec("selectolax") is None:
        raise InputError(what, 'needs the package selectolax: pip install "leadline[web]"')


def read_page(markup: str, *, texts: bool = True) -> HtmlPage:
    """Read a page; broken markup is read as browsers read it. Without `texts`, its text is not looked for."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_without_depth(markup))
    meta = _meta(tree)
    noindex, nofollow = robots_words([*meta.get("robots", ()), *meta.get(ROBOT, ())])
    title = tree.css_first("head > title") or tree.css_first("title")
    base = tree.css_first("base[href]")
    root = tree.css_first("html")
    language = _LANGUAGE.fullmatch((root.attributes.get("lang") if root is not None else "") or "")
    canonical = next(
        (
            node.attributes.get("href") or ""
            for node in tree.css("link[rel][href]")
            if "canonical" in (node.attributes.get("rel") or "").lower().split()
        ),
        "",
    )
    links = (*_refreshed(tree), *_links(tree))
    heading = tree.css_first("h1")
    named = _tidy(title.text() if title is not None else "") or next(iter(meta.get("og:title", ())), "")
    if not named and heading is not None:
        named = _tidy(heading.text())
    main, whole = page_texts(tree) if texts else ("", "")
    return HtmlPage(
        title=named,
        text=main or whole,
        summary=next(iter(meta.get("description", meta.get("og:description", ()))), ""),
        date=next((day for name in _DATES for text in meta.get(name, ()) if (day := iso(text))), ""),
        language=language[1].lower() if language else "",
        authors=tuple(next((meta[name] for name in _AUTHORS if meta.get(name)), ())),
        canonical=canonical,
        base=(base.attributes.get("href") or "") if base is not None else "",
        links=links,
        noindex=noindex,
        nofollow=nofollow,
    )


def _without_depth(markup: str) -> str:
    """The markup; without its elements but links where they are too deep for the parser.

    Its time grows with the square of the depth, and elements inside each other can be as many as a page has bytes.
    """
    if markup.count("<") <= MAX_DEPTH:
        return markup
    depth = 0
    for tag in _TAG.finditer(markup):
        if tag[2].lower() not in _CLOSED_BY_OTHERS:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
            if depth > MAX_DEPTH:
                return _TAG.sub(lambda each: each[0] if each[2].lower() in ("a", "title") else " ", markup)
    return markup


def robots_words(directives: Iterable[str]) -> tuple[bool, bool]:
    """Whether directives such as `noindex, nofollow` forbid to keep a page and to follow its links.

    >>> robots_words(["noindex, follow"]), robots_words(["none"])
    ((True, False), (True, True))
    """
    words = {word.strip().lower() for text in directives for word in re.split(r"[,;\s]+", text)}
    return bool(words & {"noindex", "none"}), bool(words & {"nofollow", "none"})


def robots_header(values: Iterable[str]) -> tuple[bool, bool]:
    """The same of X-Robots-Tag headers; a directive for another robot does not count.

    >>> robots_header(["otherbot: noindex", "leadline: nofollow"])
    (False, True)
    """
    ours = []
    for value in values:
        agent, colon, rest = value.partition(":")
        if not colon or "," in agent or agent.strip().lower() in ("unavailable_after", "max-snippet"):
            ours.append(value)
        elif agent.strip().lower() == ROBOT:
            ours.append(rest)
    return robots_words(ours)


def _meta(tree: LexborHTMLParser) -> dict[str, list[str]]:
    """The contents of meta elements by their names in small letters."""
    found: dict[str, list[str]] = {}
    for node in tree.css("meta[content]"):
        attributes = node.attributes
        name = attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or ""
        content = _tidy(attributes.get("content") or "")
        if name and content:
            found.setdefault(name.strip().lower(), []).append(content)
    return found


def _refreshed(tree: LexborHTMLParser) -> list[PageLink]:
    """Where a page sends its reader by itself: <meta http-equiv="refresh" content="0; url=/new">."""
    found = []
    for node in tree.css("meta[http-equiv][content]"):
        target = _REFRESH.match(node.attributes.get("content") or "")
        if (node.attributes.get("http-equiv") or "").strip().lower() == "refresh" and target:
            found.append(PageLink(target[2].strip(), "", False))
    return found


def _links(tree: LexborHTMLParser) -> tuple[PageLink, ...]:
    found = []
    for node in tree.css("a[href], area[href], frame[src], iframe[src], link[rel=next][href], link[rel=prev][href]"):
        attributes = node.attributes
        tag = node.tag
        href = attributes.get("src" if tag in ("frame", "iframe") else "href") or ""
        if not href or href.startswith("#"):
            continue
        rel = attributes.get("rel")
        nofollow = rel is not None and not _NO_FOLLOW.isdisjoint(rel.lower().split())
        anchor = _tidy(node.text()) if tag == "a" else _tidy(attributes.get("alt") or "")
        found.append(PageLink(href, anchor[:MAX_ANCHOR], nofollow))
        if len(found) == MAX_LINKS:
            break
    return tuple(found)


def _tidy(text: str) -> str:
    return " ".join(text.split())


# The main text of a page, told from menus, headers and footers.
#
# A page is cut into blocks of text. A block is kept or dropped by its number of words, the share of them inside links,
# and the same of its neighbours, with the decision tree of Kohlschütter, Fankhauser and Nejdl, Boilerplate Detection
# using Shallow Text Features, WSDM 2010. What a page marks as navigation is dropped before; what it marks as its main
# part limits the search. Headings are kept with the text that follows them.


UNSEEN = ("script", "style", "noscript", "template", "svg", "iframe", "object", "select", "button", "input", "textarea")
NAVIGATION = ("nav", "aside", "footer", "menu", "dialog")
_NAVIGATION = ", ".join(
    [*NAVIGATION, *(f"[role={role}]" for role in ("navigation", "banner", "contentinfo", "search"))]
)
_MAIN = "main, [role=main], article"
_BLOCKS = frozenset((
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "legend", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody",
    "td", "tfoot", "th", "thead", "tr", "ul",
))  # fmt: skip
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LARGEST_LINKED, _LINKED_BEFORE = 1 / 3, 5 / 9  # shares of words in links, of the block and of the one before it
FEWEST_MAIN = 0.25  # share of a page's words that its marked main part must have to be believed


@dataclass(slots=True)
class TextBlock:
    """A run of text that no block element interrupts."""

    text: str
    words: int
    linked: int  # words inside links
    heading: bool = False

    @property
    def density(self) -> float:
        return self.linked / self.words if self.words else 0.0


def page_texts(tree: LexborHTMLParser) -> tuple[str, str]:
    """The main text and all visible text of a page. The tree loses what is not shown."""
    tree.strip_tags(list(UNSEEN))
    body = tree.body
    if body is None:
        return "", ""
    everything = list(text_blocks(body))
    whole = "\n".join(block.text for block in everything)
    size = sum(block.words for block in everything)
    scope: list[LexborNode] = [body]
    marked = body.css(_MAIN)
    outer = [node for node in marked if not any(_is_inside(node, other) for other in marked if other != node)]
    if outer:
        blocks = [block for node in outer for block in text_blocks(node)]
        if sum(block.words for block in blocks) >= FEWEST_MAIN * size:
            scope = outer
    for node in scope:
        for navigation in node.css(_NAVIGATION):
            navigation.decompose()
    kept = main_blocks([block for node in scope for block in text_blocks(node)])
    return "\n".join(block.text for block in kept), whole


def _is_inside(node: LexborNode, other: LexborNode) -> bool:
    parent = node.parent
    while parent is not None:
        if parent.mem_id == other.mem_id:
            return True
        parent = parent.parent
    return False


def text_blocks(root: LexborNode) -> Iterator[TextBlock]:
    """The blocks of text under an element, in their order. Without recursion: pages may be nested without limit."""
    pieces: list[str] = []
    linked: list[str] = []
    heading = False
    # An element is on the stack once to be opened and, if it is a block or a link, once to be closed.
    stack: list[tuple[LexborNode, bool]] = [(root, False)]
    links = 0
    while stack:
        node, closing = stack.pop()
        tag = node.tag
        if tag == "-text":
            if text := node.text_content:
                pieces.append(text)
                if links:
                    linked.append(text)
            continue
        if tag in _BLOCKS:
            if block := _block(pieces, linked, heading):
                yield block
            pieces.clear()
            linked.clear()
            heading = not closing and tag in _HEADINGS
        elif tag == "a":
            links += -1 if closing else 1
        if not closing:
            if tag in _BLOCKS or tag == "a":
                stack.append((node, True))
            child = node.last_child
            while child is not None:
                if child.tag != "-comment":
                    stack.append((child, False))
                child = child.prev
    if block := _block(pieces, linked, heading):
        yield block


def _block(pieces: Iterable[str], linked: Iterable[str], heading: bool) -> TextBlock | None:
    words = "".join(pieces).split()
    if not words:
        return None
    return TextBlock(" ".join(words), len(words), sum(len(text.split()) for text in linked), heading)


def main_blocks(blocks: list[TextBlock]) -> list[TextBlock]:
    """The blocks that are content, and the headings directly before them."""
    edge = TextBlock("", 0, 0)
    content = [
        is_content(block, blocks[place - 1] if place else edge, blocks[place + 1] if place + 1 < len(blocks) else edge)
        for place, block in enumerate(blocks)
    ]
    for place in reversed(range(len(blocks) - 1)):
        if blocks[place].heading and content[place + 1]:
            content[place] = True
    return [block for block, kept in zip(blocks, content, strict=True) if kept]


def is_content(block: TextBlock, before: TextBlock, after: TextBlock) -> bool:
    """Whether a block is content, by the decision tree on words and links.

    >>> is_content(TextBlock("", 40, 2), TextBlock("", 3, 3), TextBlock("", 0, 0))
    False
    >>> is_content(TextBlock("", 41, 2), TextBlock("", 3, 3), TextBlock("", 0, 0))
    True
    """
    if block.density > _LARGEST_LINKED:
        return False
    if before.density <= _LINKED_BEFORE:
        return block.words > 16 or after.words > 15 or before.words > 4
    return block.words > 40 or after.words > 17


# The encoding of a page: what its bytes, its server and its own text say, in this order.


_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})")
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_HEAD = 4096  # bytes in which a page declares its encoding
FALLBACK = "cp1252"  # of a page that says nothing and is not UTF-8
# Browsers read these as the larger sets that contain them.
_LARGER = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
}
# Codecs of Python that are no character sets, or that read bytes as text in dangerous ways.
_NOT_TEXT = frozenset({"utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"})


def charset_of(content: bytes, content_type: str = "") -> str:
    """The name of a page's encoding, as Python calls it.

    >>> charset_of(b"\\xef\\xbb\\xbfabc"), charset_of(b"abc", "text/html; charset=ISO-8859-2")
    ('utf-8', 'iso8859-2')
    >>> charset_of(b'<meta charset="koi8-r">'), charset_of("\\u00fc".encode()), charset_of(b"\\xfc")
    ('koi8-r', 'utf-8', 'cp1252')
    """
    for mark, name in _MARKS:
        if content.startswith(mark):
            return name
    header = _HEADER.search(content_type)
    if header and (name := _python_encoding(header[1])):
        return name
    declared = _XML.match(content[:_HEAD]) or _DECLARED.search(content[:_HEAD])
    name = _python_encoding(declared[1].decode("ascii", "replace")) if declared else ""
    if name and not name.startswith(("utf-16", "utf-32")):  # it was read byte by byte, so it is neither
        return name
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        # A body that was cut may end inside a character.
        return "utf-8" if error.start > max(0, len(content) - 4) and error.start > 0 else FALLBACK
    return "utf-8"


def _python_encoding(name: str) -> str:
    """Python's name of an encoding; empty for one that it does not have."""
    try:
        found = codecs.lookup(name.strip())
    except (LookupError, ValueError):
        return ""
    if found.name in _NOT_TEXT or not getattr(found, "_is_text_encoding", True):
        return ""
    return _LARGER.get(found.name, found.name)


def decoded_page(content: bytes, content_type: str = "") -> str:
    """The text of a page's bytes, without byte order mark and NUL characters."""
    text = content.decode(charset_of(content, content_type), "replace")
    return text.removeprefix("\ufeff").replace("\0", "")


_BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")


def decoded_text(content: bytes) -> str:
    """A text that declares no encoding: UTF-8, or Windows' Latin-1 where no character of it is UTF-8.

    >>> decoded_text("Zürich".encode()), decoded_text("Zürich".encode("latin-1"))
    ('Zürich', 'Zürich')
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        damaged_utf8 = _BEYOND_ASCII.search(content.decode("utf-8", "surrogateescape"))
        return content.decode("utf-8", "replace") if damaged_utf8 else _latin_1(content)


def _latin_1(content: bytes) -> str:
    try:
        return content.decode(FALLBACK)
    except UnicodeDecodeError:  # five bytes have no character there
        return content.decode("latin-1")


# The text of a PDF file, where the package pypdf is installed.


MAX_PAGES = 2000
MAX_CHARACTERS = 20_000_000


@cache
def reads_pdf() -> bool:
    """Whether the package pypdf is installed."""
    return importlib.util.find_spec("pypdf") is not None


def pdf_texts(content: bytes) -> tuple[str, str]:
    """The title and the text of a PDF file; ValueError where it cannot be read."""
    if not reads_pdf():
        raise ValueError('a PDF file needs the package pypdf: pip install "leadline[web]"')
    import pypdf

    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it comments on every small fault of a file
    try:
        reader = pypdf.PdfReader(io.BytesIO(content))
        pages: list[str] = []
        size = 0
        for page in reader.pages[:MAX_PAGES]:
            text = "\n".join(" ".join(line.split()) for line in (page.extract_text() or "").splitlines())
            pages.append(text)
            size += len(text)
            if size > MAX_CHARACTERS:
                break
        title = str(reader.metadata.get("/Title") or "") if reader.metadata is not None else ""
    except Exception as error:  # pypdf raises errors of many kinds on damaged files
        raise ValueError(f"is a damaged PDF file: {' '.join(str(error).split())[:200]}") from None
    return " ".join(title.split()), "\n".join(pages).strip()


# HTTP messages as WARC files hold them: headers, chunks, and bodies unpacked within limits.


MAX_BODY = 64 << 20  # bytes of a body after unpacking


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """The answer of a server. Names of headers are in small letters; of several with a name all are kept."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    cut: bool = False  # the body was longer than the limit

    @property
    def named(self) -> dict[str, str]:
        """The first header of each name."""
        return dict(reversed(self.headers))

    def all(self, name: str) -> list[str]:
        """Every header of a name."""
        return [value for each, value in self.headers if each == name]


class _Unpacker(Protocol):
    """What zlib's decompressors do."""

    @property
    def unconsumed_tail(self) -> bytes: ...

    def decompress(self, piece: bytes, most: int, /) -> bytes: ...


class LimitedBody:
    """A body that arrives in pieces, unpacked as it comes and cut at a limit, so that no bomb is ever unpacked."""

    def __init__(self, encoding: str, limit: int) -> None:
        """`encoding` is the header Content-Encoding; ValueError for one that is not read."""
        self.limit, self.cut = limit, False
        self._pieces: list[bytes] = []
        self._size = 0
        self._unpackers = [_unpacker(name) for name in reversed(encoding.lower().replace(" ", "").split(",")) if name]

    def add(self, piece: bytes) -> bool:
        """Take a piece; False once the limit is reached. ValueError for damaged compression."""
        room = self.limit - self._size
        try:
            for unpack in self._unpackers:
                piece = unpack.decompress(piece, room + 1)
        except zlib.error as error:
            raise ValueError(f"its compression is damaged: {error}") from None
        if len(piece) > room or any(unpack.unconsumed_tail for unpack in self._unpackers):
            self.cut = True
            piece = piece[:room]
        self._pieces.append(piece)
        self._size += len(piece)
        return not self.cut

    def content(self) -> bytes:
        return b"".join(self._pieces)


class _Deflate:
    """Deflate with or without the header of zlib: servers send both under one name."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj()
        self._first = True

    @property
    def unconsumed_tail(self) -> bytes:
        return self._inner.unconsumed_tail

    def decompress(self, piece: bytes, most: int) -> bytes:
        if self._first and piece:
            self._first = False
            try:
                return self._inner.decompress(piece, most)
            except zlib.error:
                self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
        return self._inner.decompress(piece, most)


def _unpacker(name: str) -> _Unpacker:
    if name in ("gzip", "x-gzip"):
        return zlib.decompressobj(16 + zlib.MAX_WBITS)
    if name == "deflate":
        return _Deflate()
    if name == "identity":
        return _Plain()
    raise ValueError(f"its Content-Encoding is {name[:40]}, which is not read")


class _Plain:
    """No compression, in the form of a decompressor."""

    unconsumed_tail = b""

    def decompress(self, piece: bytes, _most: int) -> bytes:
        return piece


def parse_answer(message: bytes, limit: int = MAX_BODY) -> HttpAnswer:
    """The answer in a response record; ValueError where the bytes are not an answer."""
    head, _, body = message.partition(b"\r\n\r\n") if b"\r\n\r\n" in message[: 1 << 20] else message.partition(b"\n\n")
    lines = head.decode("latin-1").splitlines()
    words = lines[0].split(None, 2) if lines else []
    if len(words) < 2 or not words[0].upper().startswith("HTTP/") or not words[1].isdigit():
        raise ValueError("is not an HTTP response")
    headers = tuple(parse_headers(lines[1:]))
    named = dict(reversed(headers))
    if "chunked" in named.get("transfer-encoding", "").lower():
        body = _unchunked(body)
    limited = LimitedBody(named.get("content-encoding", "") if _looks_packed(body) else "", limit)
    limited.add(body)
    return HttpAnswer(int(words[1]), headers, limited.content(), limited.cut)


def _looks_packed(body: bytes) -> bool:
    """Whether a body is still compressed; some archives keep the header of what they have unpacked."""
    return body[:2] == b"\x1f\x8b" or (body[:1] == b"\x78" and body[1:2] in b"\x01\x5e\x9c\xda")


def parse_headers(lines: list[str]) -> list[tuple[str, str]]:
    """Headers with their names in small letters; a line that begins with a blank continues the one before."""
    found: list[tuple[str, str]] = []
    for line in lines:
        if line[:1] in " \t" and found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        elif ":" in line:
            name, _, value = line.partition(":")
            found.append((name.strip().lower(), value.strip()))
    return found


def _unchunked(body: bytes) -> bytes:
    """The chunks of a body joined; a body that is not in chunks as it is."""
    pieces: list[bytes] = []
    at = 0
    while True:
        end = body.find(b"\r\n", at, at + 64)
        if end < 0:
            return b"".join(pieces) or body
        try:
            size = int(body[at:end].split(b";")[0].strip() or b"x", 16)
        except ValueError:
            return b"".join(pieces) or body
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[end + 2 : end + 2 + size])
        at = end + 2 + size + 2
