"""JSON: one object a line, or one list of objects. docs/json-lines.md describes the names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.record_fields import from_record, parse_record
from leadline.collections.documents.registry import (
    BLANK,
    BYTE_ORDER_MARK,
    MAX_DOCUMENT_BYTES,
    Broken,
    Raw,
    Window,
    head_lines,
    reader,
)

_JOINED = b"}" + BYTE_ORDER_MARK + b"{"
_BETWEEN = re.compile(r"[\s,]*")


def split_json(window: Window) -> Iterator[Raw | Broken]:
    """The objects of a stream."""
    head = window.buffer.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] == b"[" or [line.strip() for line in head_lines(head, 1)] == [b"{"]:
        yield from _split_list(window)
    else:
        for offset, line in window.ended_lines():
            if not line.strip(BLANK):
                window.passed_over += len(line)
            elif b"}{" in line or _JOINED in line:
                yield from _objects_of(offset, line)
            else:
                yield Raw("json", offset, line.rstrip(b"\r\n"), size=len(line))


def _objects_of(offset: int, line: bytes) -> Iterator[Raw]:
    """The objects of a line that may have several, as where files were joined whose last line has no end."""
    text = line.decode("utf-8", "surrogateescape")
    decoder, at = json.JSONDecoder(), 0
    while True:
        try:
            end = decoder.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            end = len(text)  # which is refused where it is read
        following = text.find("{", end)
        if following < 0 or text[end:following].strip("\ufeff"):
            following = len(text)
        content, between = _encoded(text[at:following].rstrip("\ufeff\r\n")), _encoded(text[at:following])
        yield Raw("json", offset, content, size=len(between))
        offset, at = offset + len(between), following
        if at == len(text):
            return


def _split_list(window: Window) -> Iterator[Raw | Broken]:
    """The objects of a list, or objects of several lines each, one after the other."""
    while window.fill(1 << 24):
        if len(window.buffer) > MAX_DOCUMENT_BYTES:
            yield Broken(0, f"a JSON list longer than {MAX_DOCUMENT_BYTES >> 20} MiB; write one object a line")
            return
    content = window.buffer.removeprefix(BYTE_ORDER_MARK)
    text = content.decode("utf-8", "surrogateescape")  # a record that is not UTF-8 is refused where it is read
    in_list = text.lstrip().startswith("[")
    decoder, at = json.JSONDecoder(), text.index("[") + 1 if in_list else 0
    place = len(_encoded(text[:at]))  # in the content, without a byte order mark
    mark = len(window.buffer) - len(content)
    window.passed_over += place + mark
    while True:
        begin = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        between = len(_encoded(text[at:begin]))
        place, window.passed_over = place + between, window.passed_over + between
        offset, rest = place + mark, len(content) - place
        if begin == len(text):
            if in_list:
                yield Broken(offset, "the list does not end: the file may be cut off", 0, 0)
            return
        if text[begin] == "]" and in_list:
            if text[begin + 1 :].strip():
                problem = "there is more after the end of the list; it was not read"
                yield Broken(offset + 1, problem, rest - 1, 0)
                rest = 1
            window.passed_over += rest
            return
        try:
            _, at = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError) as error:
            problem = f"is not readable JSON: {' '.join(str(error).split())[:100]}; the rest was not read"
            yield Broken(offset, problem, rest)
            return
        record = _encoded(text[begin:at])
        yield Raw("json", offset, record, size=len(record))
        place += len(record)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def starts_as_json(head: bytes) -> bool:
    """Whether a text begins with an object or a list, or its second line does and only the first is damaged."""
    return head[:1] in (b"{", b"[") or b"".join(head.splitlines()[1:2]).startswith((b'{"', b'{ "'))


@reader("json", split=split_json, recognises=starts_as_json, parse_record=parse_record)
def read(content: bytes) -> Document:
    """The document that one JSON object describes."""
    return from_record(parse_record(content))
