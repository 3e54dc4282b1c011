"""Split a stream of bytes into raw documents, without parsing them, and account for what stands between them.

Offices publish a week in one file: thousands of documents, each with its own XML declaration, which no parser accepts
as one text. A document is found by the start and the end of its root element. Everything between documents is dropped,
including the document type, so that no entity is ever defined; unexpected text there is reported (`Gaps`). A
document that does not end is reported with the place where it begins, and the next one is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from leadline.collections.documents.registry import (
    MAX_DOCUMENT_BYTES,
    READERS,
    Broken,
    FormReader,
    Raw,
    RecordMarker,
    Window,
    readers_by_form,
)
from leadline.collections.documents.sources import what_else

FALLBACK_FORM = "csv"  # of a text that is not XML and that no reader recognises
_ENCODING = re.compile(rb"<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.-]+)")
_XML_LINE = re.compile(rb"^[ \t]*<(?:\?xml|!DOCTYPE)\s", re.MULTILINE)
_NAMESPACE = re.compile(rb"\sxmlns(?::[\w.-]+)?\s*=\s*(?:\"[^\"<]*\"|'[^'<]*')")
_ELEMENT = re.compile(rb"<([A-Za-z_][\w.:-]{0,80})")
_OVERLAP = 256  # bytes kept between pieces, so that no tag is cut in two
_HEAD = 1 << 16
_MAX_NULS = 3  # NUL bytes at the beginning of a damaged text; a binary file has many more
_MAX_NAMES = 100  # of root elements with their prefixes in one stream, each of which is searched for
_MAX_NAMESPACES = 1 << 14  # bytes: they are copied into every document


def split(
    pieces: Iterator[bytes],
    form: str | None = None,
    readers: Mapping[str, FormReader] | None = None,
    name: str = "",
) -> Iterator[Raw | Broken]:
    """The documents of a stream called `name`. Without `form`, its first bytes decide which reader splits it.

    >>> week = [b"<?xml version='1.0'?><PATDOC>1</PATDOC>\\n<?xml version='1.0'?><PATDOC>2</PAT", b"DOC>"]
    >>> [(raw.offset, raw.content) for raw in split(iter(week))]
    [(21, b'<PATDOC>1</PATDOC>'), (61, b'<PATDOC>2</PATDOC>')]
    """
    readers = readers_by_form() if readers is None else readers
    window = Window(pieces, name)
    window.fill(_HEAD)
    head = window.buffer.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return iter([Broken(0, "is UTF-16 text; save it as UTF-8")])
    if head[:2] == b"PK":
        return iter([Broken(0, "is a damaged archive")])
    if form is None and (other := what_else(head)):
        return iter([Broken(0, f"holds {other}, not documents; --form reads it nevertheless")])
    chosen = READERS.named(form) if form else _recognised(head, readers)
    if head.count(b"\0") > max(_MAX_NULS, len(head) // 1000) and not (chosen is not None and chosen.binary):
        return iter([Broken(0, "is not a text")])
    if chosen is None or chosen.split is None:
        return _accounted(_split_xml(window, tuple(name for name, each in readers.items() if each.roots)), window)
    if chosen.marker is not None:
        window.count(chosen.marker)
    return _accounted(chosen.split(window), window)


def _accounted(found: Iterator[Raw | Broken], window: Window) -> Iterator[Raw | Broken]:
    """The documents, those with a NUL byte as broken; then a line for each thing that does not add up.

    Every record that begins by its marker is a document or reported, whatever the reader made of the stream, and so is
    every byte where the reader says how many it has passed over and read.
    """
    records = read = 0
    for each in found:
        records += 1 if isinstance(each, Raw) else each.records
        read = -1 if each.size < 0 or read < 0 else read + each.size
        at = each.content.find(b"\0") if isinstance(each, Raw) else -1
        yield each if at < 0 else Broken(each.offset, f"has a NUL byte, {at:,} bytes after its beginning", each.size)
    if window.foreign:
        lines = "a line that is not UTF-8 was" if window.foreign == 1 else "lines that are not UTF-8 were"
        count = "" if window.foreign == 1 else f"{window.foreign:,} "
        yield Broken(window.first_foreign, f"{count}{lines} read as Windows-1252", 0, 0)
    while window.marks is not None and window.fill(4 << 20):  # what the reader has left
        window.drop(len(window.buffer))
    if window.marks is not None and (marked := window.marks.finished()) != records:
        problem = f"{marked:,} records begin with {window.marks.marker.name}, and {records:,} were read or reported"
        yield Broken(0, problem, 0, marked - records)
    elif read >= 0 and window.ended and (lost := window.begin + len(window.buffer) - read - window.passed_over):
        yield Broken(0, f"{lost:,} bytes were neither read nor reported", 0, 0)


def _recognised(head: bytes, readers: Mapping[str, FormReader]) -> FormReader | None:
    """The reader that recognises the first bytes of a stream; None for XML, which has many."""
    for each in readers.values():
        if each.recognises is not None and each.recognises(head):
            return each
    is_xml = head[:1] == b"<" or _XML_LINE.search(head[:4096])  # the first byte may be damaged
    return None if is_xml else readers[FALLBACK_FORM]


@lru_cache(maxsize=8)
def _start_pattern(roots: tuple[str, ...]) -> re.Pattern[bytes]:
    names = "|".join(map(re.escape, roots)).encode()
    return re.compile(rb"<((?:[A-Za-z_][\w.-]*:)?(" + names + rb"))(?=[\s>/])")


def _split_xml(window: Window, roots: tuple[str, ...]) -> Iterator[Raw | Broken]:
    root_start, gaps = _start_pattern(roots), Gaps(roots)
    encoding, namespaces = "utf-8", b""
    names: set[bytes] = set()
    first = _ELEMENT.search(window.buffer)
    position = 0
    in_gap = True  # False in the rest of a broken document
    while True:
        start = root_start.search(window.buffer, position)
        # Without a start tag, the last bytes may be the beginning of one.
        end = start.start() if start else len(window.buffer) - (0 if window.ended else _OVERLAP)
        end = max(position, end)
        gap = window.buffer[position:end]
        if declared := _ENCODING.search(window.buffer, position, start.start() if start else len(window.buffer)):
            encoding = declared[1].decode("ascii").lower()
        if not names:  # an element around the documents may declare the prefixes they use
            namespaces += b"".join(dict.fromkeys(_NAMESPACE.findall(gap)))
            if len(namespaces) > _MAX_NAMESPACES:
                yield Broken(
                    0, f"more than {_MAX_NAMESPACES} bytes of namespaces before the first document; not read", records=0
                )
                return
        if in_gap:
            gaps.add(gap, window.begin + position, ended=start is not None or window.ended)
        window.passed_over += len(gap)  # or reported with the gaps, or as the rest of a broken document
        if start is None:
            window.drop(end)
            position = 0
            if not window.fill(1 << 20) and not window.buffer:
                if not names:
                    root = f": its root is {first[1].decode('ascii', 'replace')}" if first else ""
                    yield Broken(0, f"no document of a known form{root}", 0, 0)
                else:
                    yield from gaps.report()
                if len(names) > 1:  # one may stand inside another
                    window.marks = None
                return
            continue
        name, root = start[1], start[2].decode()
        if not names:
            window.count(_marker(name), start.start())
        names.add(name)
        if len(names) > _MAX_NAMES:
            yield Broken(
                window.begin + start.start(),
                f"more than {_MAX_NAMES} names of documents; the rest is not read",
                records=0,
            )
            window.marks = None
            return
        begin, length, problem = _extent(window, start.start(), name)
        in_gap = not problem
        if problem:
            gaps.skip()
            yield Broken(window.begin + begin, problem, 1)
            position = begin + 1
            continue
        content = window.buffer[begin : begin + length]
        yield Raw(root, window.begin + begin, _with_namespaces(content, name, namespaces), encoding, length)
        position = begin + length


def _marker(name: bytes) -> RecordMarker:
    """A start tag, which may stand only where a document begins: `_extent` ends a document that holds another one."""
    tag = re.compile(rb"<" + re.escape(name) + rb"[\s>/]")
    return RecordMarker(f"<{name.decode('ascii', 'replace')}", (b"<" + name,), tag.match)


def _extent(window: Window, begin: int, name: bytes) -> tuple[int, int, str]:
    """The begin in the window and the length of the document at a place, or the problem if it does not end."""
    end = re.compile(rb"</" + re.escape(name) + rb"\s*>")
    again = re.compile(rb"<" + re.escape(name) + rb"[\s>/]")
    seen, more = len(name) + 1, 4 << 20
    ahead = 1 << 12  # bytes searched at once: few at first, because the next document may begin soon
    while True:
        stop = min(begin + seen + ahead, len(window.buffer))
        closed = _search(end, b"</" + name, window.buffer, begin + seen, stop)
        limit = closed.start() if closed else stop
        if other := _search(again, b"<" + name, window.buffer, begin + seen, limit):
            at = window.begin + other.start()
            return begin, 0, f"does not end before the next document begins, at byte {at}"
        if closed:
            return begin, closed.end() - begin, ""
        if stop - begin > MAX_DOCUMENT_BYTES:
            return begin, 0, f"is longer than {MAX_DOCUMENT_BYTES >> 20} MiB"
        seen = max(seen, stop - begin - _OVERLAP)
        if stop < len(window.buffer):
            ahead *= 2
            continue
        window.drop(begin)
        begin = 0
        if not window.fill(more):
            return begin, 0, "the file ends in the middle of it"
        more *= 2


def _search(pattern: re.Pattern[bytes], opening: bytes, text: bytes, start: int, end: int) -> re.Match[bytes] | None:
    """The first match of a pattern that begins with `opening`; `find` is much faster than `search`."""
    at = text.find(opening, start, end)
    while at >= 0:
        if found := pattern.match(text, at):
            return found
        at = text.find(opening, at + 1, end)
    return None


def _with_namespaces(content: bytes, name: bytes, namespaces: bytes) -> bytes:
    """The document with the namespaces that elements around it declare and its own start tag does not."""
    if not namespaces:
        return content
    opening = content[: content.find(b">") + 1]
    missing = [found for found in _NAMESPACE.findall(namespaces) if found.split(b"=")[0].strip() not in opening]
    at = len(name) + 1
    return content[:at] + b"".join(missing) + content[at:]


# The bytes between the documents of an XML stream: expected markup is ignored, everything else is reported.
#
# The splitter does not find a document whose start tag is damaged; its text is then between two documents. Expected are
# blanks, XML declarations and other instructions, document types, comments, elements around documents, and a few
# elements that offices put beside documents. One line per stream reports how much else there is, and where it begins.


OFFSETS_SHOWN = 5
MAX_UNENDED = 20  # comments and document types of one piece that do not end; the rest is unknown
MAX_PENDING = 1 << 18  # bytes of a tag or document type that has not ended; a longer one is unknown
# Sequence listings of the USPTO; what the Open Patent Services and OAI-PMH write about an answer.
_BESIDE = frozenset(
    {b"sequence-cwu", b"meta", b"query", b"range", b"responseDate", b"request", b"header", b"resumptionToken"}
)
_TOKEN = re.compile(
    rb"""[\s\xef\xbb\xbf\x1a]++                              # a byte order mark, the end of a file under DOS
    |<\?[A-Za-z][^<>]*+(?<=\?)>
    |<!DOCTYPE\s(?:[^<>\[\]"']|"[^"<>]*+"|'[^'<>]*+')*+
        (?:\[(?:[^\]"'<]|"[^"<]*+"|'[^'<]*+'|<!--(?:[^-]|-(?!->))*+-->|<[!?])*+\]\s*+)?+>
    |<!--(?:[^-]|-(?!->))*+-->
    |<(?P<end>/?)(?P<name>[A-Za-z_][\w.:-]*+)(?:\s++[\w.:-]++\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'))*+\s*+(?P<empty>/?)>""",
    re.VERBOSE,
)
_CUT = re.compile(rb"<[^<>]*+\Z|<!(?:--|DOCTYPE\s)")  # may be a token that continues in the next piece


class Gaps:
    """The unknown stretches between the documents of one stream."""

    def __init__(self, roots: Iterable[str]) -> None:
        self.next_document = _next_document(tuple(roots))
        self.count, self.size = 0, 0
        self.offsets: list[int] = []
        self.wrappers: list[
            tuple[bytes, int, bool]
        ] = []  # elements open here: name, offset, whether one held a document
        self.pending, self.pending_at = b"", 0
        self.beside: tuple[bytes, int] | None = None  # end tag and offset of a known element that is open here
        self.last_end = -1
        self.disturbed = False  # after unknown text or a broken document, end tags cannot be matched

    def add(self, piece: bytes, offset: int, *, ended: bool) -> None:
        """Check bytes outside of documents, at an offset; `ended`: a document or the end of the stream follows."""
        text, offset = (self.pending + piece, self.pending_at) if self.pending else (piece, offset)
        self.pending = b""
        at = self._behind_element(text, offset, ended) if self.beside else 0
        unended = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None and not ended and len(text) - at < MAX_PENDING and _CUT.match(text, at):
                self.pending, self.pending_at = text[at:], offset + at
                return
            if token is None and text.startswith((b"<!--", b"<!DOCTYPE"), at):
                unended += 1
            at = self._take(token, text, offset) if token else self._unknown(text, at, offset)
            if unended > MAX_UNENDED:  # searching for the end of each takes time
                self._count(offset + at, len(text) - at)
                return
            if self.beside:
                at += self._behind_element(text[at:], offset + at, ended)
        if ended:
            self.wrappers = [(name, begin, True) for name, begin, _ in self.wrappers]

    def skip(self) -> None:
        """Note that a document is broken, so that the bytes after it belong to it."""
        self.pending, self.disturbed = b"", True

    def _take(self, token: re.Match[bytes], text: bytes, offset: int) -> int:
        """Take a token into account; return the place after it."""
        name = token["name"]
        if name is None:
            return token.end()
        if token["end"]:
            if self.wrappers and self.wrappers[-1][0] == name:
                _, begin, held = self.wrappers.pop()
                if not held:
                    self._count(begin, offset + token.end() - begin)
            elif not self.disturbed or self.next_document.match(token[0]):
                return self._unknown(text, token.start(), offset)
        elif name.rpartition(b":")[2] in _BESIDE:
            if not token["empty"]:
                self.beside = (b"</" + name + b">", offset + token.start())
        elif token["empty"]:
            self._count(offset + token.start(), len(token[0]))
        else:
            self.wrappers.append((name, offset + token.start(), False))
        return token.end()

    def _behind_element(self, text: bytes, offset: int, ended: bool) -> int:
        """The place after the expected element that is open, or the end of the text."""
        assert self.beside is not None
        close, begin = self.beside
        at = text.find(close)
        if at >= 0 or ended:
            self.beside = None
        if at >= 0:
            return at + len(close)
        if ended:
            self._count(begin, offset + len(text) - begin)
        else:  # the end tag may be cut in two
            self.pending = text[max(0, len(text) - len(close)) :]
            self.pending_at = offset + len(text) - len(self.pending)
        return len(text)

    def _unknown(self, text: bytes, at: int, offset: int) -> int:
        """Count the unknown text at a place; return the place after it, where another document may have begun."""
        found = self.next_document.search(text, at + 1)
        end = len(text) if found is None else found.end() if found[0].startswith(b"</") else found.start()
        begin = next((start for _, start, held in self.wrappers if not held), offset + at)
        self.wrappers = [wrapper for wrapper in self.wrappers if wrapper[2]]
        self._count(begin, offset + end - begin)
        return end

    def _count(self, begin: int, size: int) -> None:
        self.disturbed = True
        self.size += size
        goes_on, self.last_end = begin == self.last_end, begin + size
        if goes_on:  # in another piece
            return
        self.count += 1
        if len(self.offsets) < OFFSETS_SHOWN:
            self.offsets.append(begin)

    def report(self) -> Iterator[Broken]:
        """At the end of the stream: one line about everything that was not read."""
        if self.count:
            places = ", ".join(map(str, self.offsets)) + (", ..." if self.count > len(self.offsets) else "")
            yield Broken(
                self.offsets[0],
                f"{self.size:,} bytes outside of documents were not read: unknown text in {self.count} "
                f"place{'s' * (self.count != 1)}, at byte{'s' * (self.count != 1)} {places}",
                0,
                0,
            )
        elif self.wrappers and not self.disturbed:
            name, begin, _ = self.wrappers[-1]
            problem = f"the file ends before </{name.decode('ascii', 'replace')[:40]}>: it may be cut off"
            yield Broken(begin, problem, 0, 0)


@lru_cache(maxsize=8)
def _next_document(roots: tuple[str, ...]) -> re.Pattern[bytes]:
    """Where a document ends or another may begin: the end tag of a root, an XML declaration, a document type."""
    names = "|".join(map(re.escape, roots)).encode()
    return re.compile(rb"</(?:[A-Za-z_][\w.-]*:)?(?:" + names + rb")\s*>|<\?xml\s|<!DOCTYPE\s")
