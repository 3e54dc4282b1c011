"""Documents in `<DOC>` elements, as TREC's disks, Gigaword and others have them: SGML, many a file.

The markup is not XML: `&` stands alone, tags are not closed, and old files are Latin-1. So a document is everything
from a line that begins with `<DOC` to `</DOC>`, or to the next such line where the end tag is missing.

- id: DOCNO, else DOCID, else the attribute `id` of DOC.
- title: the first of TITLE, HEADLINE, HL, HEAD, TI, TTL that there is, or the attribute `title` of DOC.
- text: TEXT with the lead, the abstract and the captions beside it; where a document has no TEXT, all of its elements
  but those for the id, the title and the date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import from_record
from leadline.collections.documents.fields.web_pages import decoded_text
from leadline.collections.documents.registry import MAX_DOCUMENT_BYTES, Broken, Raw, RecordMarker, Window, reader
from leadline.collections.documents.splitting import Gaps
from leadline.text.days import iso

_BEGINS = re.compile(
    rb"""\s*+(?:<\?xml[^>]{0,200}>\s*|<!DOCTYPE[^>\[]{0,200}>\s*|<!--.{0,5000}?-->\s*)*
    (?:<(?!DOC[\s>])[A-Za-z][\w-]{0,40}>\s*)?  # an element around the documents
    <DOC(?:\s[^<>]*)?>""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_LATER = re.compile(rb"(?:\A|[\r\n])<DOC>\s*<DOCNO>")  # where the first is damaged
_START = re.compile(rb"<[Dd][Oo][Cc](?=[\s>])")
_BEHIND = re.compile(rb"(?:[\r\n]|</[Dd][Oo][Cc]\s*>)[ \t]*\Z|\A\s*\Z")  # what may stand before a start tag
_NUMBER = re.compile(rb"[^<>]*>\s*<[Dd][Oo][Cc](?:[Nn][Oo]|[Ii][Dd])\b")  # a number follows: a document wherever it is
_DOCNO = re.compile(rb"(</?)DOCNO>", re.IGNORECASE)
_END = re.compile(rb"</[Dd][Oo][Cc]\s*>")
_UNENDED = "no </DOC> before the next <DOC>, as others have: it may be cut off"
_OVERLAP = 256  # bytes kept between pieces, so that no tag is cut in two

_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)((?:\s[^<>]*)?)>")
_ATTRIBUTE = re.compile(r"""([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ENTITY = re.compile(r"&(#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9.]*);")
# Each stops where another of its kind begins: otherwise many that do not end are each looked for up to the end.
_NOT_SHOWN = re.compile(
    r"<!--(?:(?!<!--).)*?-->|<(script|style)\b[^<>]*>(?:(?!<\1\b).)*?</\1\s*>|<![A-Z][^<>]*>", re.DOTALL | re.IGNORECASE
)
# The Federal Register's own entities, which no public set has.
_ENTITIES = {"hyph": "-", "blank": " ", "sect": "§", "para": "¶", "cir": "○", "thin": " "}

_INLINE = re.compile(r"</?(?:b|i|u|em|strong|sub|sup|font|a|span)(?:\s[^<>]*)?>", re.IGNORECASE)
_PARAGRAPH = re.compile(
    r"</?(?:p|br|div|h[1-6]|li|ul|ol|tr|table|hr)(?:\s[^<>]*)?/?>|\n[ \t]*\n\s*|\n(?=[ \t]{3})", re.IGNORECASE
)
_INNER_TITLE = re.compile(r"<(?:doc)?title>((?:(?!<(?:doc)?title>).)*?)</(?:doc)?title>", re.IGNORECASE | re.DOTALL)

_IDS = ("docno", "docid")
_TITLES = ("title", "headline", "hl", "head", "ti", "ttl")
_DATES = ("date", "date1", "date_time", "pubdate", "dd")
_TEXTS = ("abstract", "lp", "leadpara", "text", "body", "graphic", "caption", "correction")
_KNOWN = frozenset((*_IDS, *_TITLES, *_DATES, *_TEXTS, "dochdr"))


def is_trec(head: bytes) -> bool:
    """Whether a text begins with `<DOC>`, perhaps inside another element, or has one with a number further on."""
    return (_BEGINS.match(head) or _LATER.search(head)) is not None


def split_documents(window: Window) -> Iterator[Raw | Broken]:
    """The documents of a stream. What stands between them is reported unless it is markup around documents."""
    gaps = Gaps(("DOC", "doc"))
    position, nothing = 0, True
    ends = True  # whether documents have end tags; if not, the last one may be whole
    while True:
        start = _next_start(window.buffer, position, len(window.buffer))
        end = start.start() if start else max(position, len(window.buffer) - (0 if window.ended else _OVERLAP))
        gaps.add(window.buffer[position:end], window.begin + position, ended=start is not None or window.ended)
        window.passed_over += end - position  # or reported with the gaps
        if start is None:
            window.drop(end)
            position = 0
            if not window.fill(1 << 20) and not window.buffer:
                break
            continue
        begin, length, problem = _extent(window, start.start())
        content = window.buffer[begin : begin + length]
        is_read = bool(content) and (not (problem and ends) or problem == _UNENDED)
        if is_read:
            yield Raw("trec", window.begin + begin, content, size=length)
        if problem:
            how = "; it was read" if is_read else "; it was not read" * (length > 0)
            yield Broken(window.begin + begin, problem + how, records=int(not is_read))
        ends = _END.search(content, max(0, length - _OVERLAP)) is not None or (ends and not nothing)
        nothing = False
        if not length:
            return
        position = begin + length
    if nothing:
        yield Broken(0, "no <DOC> begins a line", records=0)
    yield from gaps.report()


def _next_start(text: bytes, begin: int, end: int) -> re.Match[bytes] | None:
    """The next start tag that begins a line, follows an end tag, or is followed by a number."""
    for found in _START.finditer(text, begin, end):
        if _begins(text, found.start()):
            return found
    return None


def _begins(text: bytes, at: int) -> bool:
    """Whether the start tag at a place begins a document."""
    before = text[max(0, at - 80) : at]
    behind = _START.match(text, at) and (_BEHIND.search(before) or _NUMBER.match(text, at + 4, at + 400))
    return behind is not None


_MARKER = RecordMarker("<DOC>", (b"<DOC", b"<doc", b"<Doc"), _begins)


def _extent(window: Window, begin: int) -> tuple[int, int, str]:
    """The begin in the window and the length of the document at a place, and what is wrong with its end."""
    seen = begin + len("<DOC")
    while True:
        closed = _END.search(window.buffer, seen)
        other = _next_start(window.buffer, seen, closed.start() if closed else len(window.buffer))
        if other is not None and (closed is not None or window.ended or other.end() + _OVERLAP < len(window.buffer)):
            return begin, other.start() - begin, _UNENDED if closed is not None else ""
        if closed is not None:
            return begin, closed.end() - begin, ""
        if len(window.buffer) - begin > MAX_DOCUMENT_BYTES:
            return begin, 0, f"is longer than {MAX_DOCUMENT_BYTES >> 20} MiB; the rest was not read"
        seen = max(seen, len(window.buffer) - _OVERLAP)
        window.drop(begin)
        begin, seen = 0, seen - begin
        if not window.fill(max(1 << 20, len(window.buffer))):
            return begin, len(window.buffer), "the file ends before </DOC>: its last document may be cut off"


def parse_document(content: bytes) -> dict[str, Any]:
    """A document as a record: our names for the elements we know, their own names for others."""
    text = decoded_text(content).replace("\r\n", "\n").replace("\r", "\n")
    text = _INLINE.sub("", _NOT_SHOWN.sub(" ", text))
    opening = _TAG.match(text.lstrip())
    attributes = {
        found[1].lower(): found[2] or found[3] or found[4]
        for found in _ATTRIBUTE.finditer(opening[3] if opening else "")
    }
    pieces = _pieces(text)
    fields: dict[str, list[str]] = {}
    for name, words in pieces:
        fields.setdefault(name, []).append(words)
    titles = next((fields[name] for name in _TITLES if name in fields), _INNER_TITLE.findall(text)[:1])
    dates = (iso(_one_line(date)) for name in _DATES for date in fields.get(name, ()))
    others = [name for name in fields if name and name not in _KNOWN]
    bodies = {"", *_TEXTS} if any(name in fields for name in _TEXTS) else {"", *others}
    record: dict[str, Any] = {
        "kind": "text",
        "id": next((_one_line(each) for name in _IDS for each in fields.get(name, ())), attributes.get("id", "")),
        "title": _one_line(" ".join(titles)) or attributes.get("title", ""),
        "description": "\n".join(filter(None, (_in_lines(words) for name, words in pieces if name in bodies))),
        "publication": next(filter(None, dates), ""),
    }
    left_out = [name for name in others if name not in bodies]
    return record | {name: " ".join(map(_one_line, fields[name])) for name in left_out}


def _pieces(text: str) -> list[tuple[str, str]]:
    """The outermost elements of a document with their texts, in order. Text outside of them has no name.

    A known element ends an unknown one around it. One that is not closed ends at the next known element, or at any that
    begins a line.
    """
    tags = list(_TAG.finditer(text))
    opened: dict[str, int] = {}  # of each name, where it is opened or closed next, from the end of the text backwards
    closed: dict[str, int] = {}
    is_closed = [False] * len(tags)
    for at in range(len(tags) - 1, -1, -1):
        name = tags[at][2].lower()
        if tags[at][1]:
            closed[name] = at
        else:
            is_closed[at] = closed.get(name, len(tags)) < opened.get(name, len(tags))
            opened[name] = at
    pieces: list[tuple[str, str]] = []
    name, begin, ends = "", 0, True
    for at, tag in enumerate(tags):
        here, closing = tag[2].lower(), bool(tag[1])
        if here == "doc" or (closing and here == name):
            following = ""
        elif closing or _PARAGRAPH.match(tag[0]) or (name and not _breaks(here, tag, name, ends)):
            continue
        else:
            following = here
        pieces.append((name, text[begin : tag.start()]))
        name, begin, ends = following, tag.end(), is_closed[at]
    pieces.append((name, text[begin:]))
    return [(name, content) for name, content in pieces if content.strip()]


def _breaks(here: str, tag: re.Match[str], name: str, closed: bool) -> bool:
    """Whether a start tag ends the element before it."""
    if here in _KNOWN:
        return name not in _KNOWN or not closed
    line = tag.string.rfind("\n", 0, tag.start()) + 1
    return not closed and name not in _TEXTS and not tag.string[line : tag.start()].strip()


def _one_line(markup: str) -> str:
    return " ".join(_without_entities(_TAG.sub(" ", markup)).split())


def _in_lines(markup: str) -> str:
    """The text of an element; a paragraph is a line."""
    paragraphs = _without_entities(_TAG.sub(" ", _PARAGRAPH.sub("\x1f", markup))).split("\x1f")
    return "\n".join(filter(None, (" ".join(each.split()) for each in paragraphs)))


def _without_entities(text: str) -> str:
    """A text with the characters of its entities; `&` alone stays, and so does an unknown name."""
    return (
        _ENTITY.sub(lambda found: _ENTITIES.get(found[1].lower()) or unescape(found[0]), text) if "&" in text else text
    )


@reader("trec", split=split_documents, recognises=is_trec, parse_record=parse_document, marker=_MARKER)
def read(content: bytes) -> Document:
    """One document."""
    record = parse_document(content)
    if not record["id"]:
        raise ValueError("no <DOCNO>")
    numbers = _DOCNO.findall(content)
    if max(numbers.count(b"<"), numbers.count(b"</")) > 1:
        raise ValueError("holds two documents: the <DOC> between them is missing or damaged")
    return from_record(record)
