"""The bytes between the documents of an XML stream: expected markup is ignored, everything else is reported.

The splitter does not find a document whose start tag is damaged; its text is then between two documents. Expected are
blanks, XML declarations and other instructions, document types, comments, elements around documents, and a few elements
that offices put beside documents. One line per stream reports how much else there is, and where it begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from leadline.collections.documents.raw import Broken

OFFSETS_SHOWN = 5
MAX_UNENDED = 20  # comments and document types of one piece that do not end; the rest is unknown
MAX_PENDING = 1 << 18  # bytes of a tag or document type that has not ended; a longer one is unknown
# Sequence listings of the USPTO; what the Open Patent Services and OAI-PMH write about an answer.
_BESIDE = frozenset({b"sequence-cwu", b"meta", b"query", b"range", b"responseDate", b"request", b"header",
                     b"resumptionToken"})  # fmt: skip
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
            at = self._taken(token, text, offset) if token else self._unknown(text, at, offset)
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

    def _taken(self, token: re.Match[bytes], text: bytes, offset: int) -> int:
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
            )
        elif self.wrappers and not self.disturbed:
            name, begin, _ = self.wrappers[-1]
            yield Broken(begin, f"the file ends before </{name.decode('ascii', 'replace')[:40]}>: it may be cut off")


@lru_cache(maxsize=8)
def _next_document(roots: tuple[str, ...]) -> re.Pattern[bytes]:
    """Where a document ends or another may begin: the end tag of a root, an XML declaration, a document type."""
    names = "|".join(map(re.escape, roots)).encode()
    return re.compile(rb"</(?:[A-Za-z_][\w.-]*:)?(?:" + names + rb")\s*>|<\?xml\s|<!DOCTYPE\s")
