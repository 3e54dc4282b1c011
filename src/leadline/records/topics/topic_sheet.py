"""Topics from any file as a table: markup as TREC and CLEF write it, a table with a header, or plain lines."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from typing import Any

from leadline.errors import InputError
from leadline.records.dataset_handles import rows_of
from leadline.text.fields import is_skipped
from leadline.text.sheet import Sheet, has_header, sheet_of_text
from leadline.text.source import SourceText

# Names of the column with the topics' ids, the surest first. (A column `query` holds titles.)
TOPIC_ID = ("query_id", "_id", "qid", "topic_id", "q_id", "query-id", "topic", "id", "number", "num", "tid")

_SHORT = {"desc": "description", "narr": "narrative", "query": "title", "tfile": "file", "dom": "domain"}
_BLOCK = re.compile(r"<(topic|top)\b([^<>]*)>", re.IGNORECASE)
_TAG = re.compile(r"<([a-z][\w.:-]*)((?:\s[^<>]*)?)>", re.IGNORECASE)
_CLOSING = re.compile(r"</([a-z][\w.:-]*)\s*>", re.IGNORECASE)
_LINE_BEGINS = re.compile(r"^([^\S\n]*+)<", re.MULTILINE)
_ATTRIBUTE = re.compile(r"""(?<![\w.:-])([\w.:-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""")
# Each stops where another of its kind begins: otherwise many that do not end are each looked for up to the end.
_NOT_CONTENT = re.compile(r"<!--(?:(?!<!--).)*?-->|<!DOCTYPE[^<>]*>|<\?(?:(?!<\?).)*?\?>", re.DOTALL | re.IGNORECASE)
_CDATA = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA\[).)*?)\]\]>", re.DOTALL)
_BEYOND_ASCII = re.compile("[^\x00-\x7f\udc80-\udcff]")
_INLINE = re.compile(r"</?(?:b|i|u|em|strong|sub|sup)\s*>", re.IGNORECASE)
_ANY_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
_LABEL = re.compile(r"\s*([A-Z][a-z]+)(?:\(s\))?\s*:")
_LANGUAGE = re.compile(r"[a-z]{2}-(?=title|desc|narr)")
_ENCODING = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)["']""", re.IGNORECASE)


def is_markup(text: SourceText) -> bool:
    """Whether a text is markup."""
    return text.buffer[text.begin : text.begin + 4096].tobytes().lstrip()[:1] == b"<"


def topic_sheet(text: SourceText, *, header: bool = False) -> Sheet:
    """Return the topics of a text, a row each: TREC's or CLEF's markup, a table, or lines of an id and a title.

    With `header` the first line names columns, even where none of them has a usual name for topics.
    """
    if is_markup(text):
        return _markup_sheet(text)
    return sheet_of_text(text) if header or has_header(text, TOPIC_ID) else _lines_sheet(text)


def dataset_sheet(handle: str) -> Sheet:
    """The queries of a dataset of ir_datasets, a row each."""
    rows = [query._asdict() for query in rows_of(handle, "queries")]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return Sheet(handle, columns, [[_plain_value(row.get(column)) for column in columns] for row in rows])


def _plain_value(value: Any) -> Any:
    """A text, or the texts of a list; other values have no place in a topic."""
    if isinstance(value, (list, tuple)):
        return [each for each in value if isinstance(each, (str, int, float))]
    return value if isinstance(value, (str, int, float)) else None


def _lines_sheet(text: SourceText) -> Sheet:
    """Lines without a header: the topic's id, then its title if there is more."""
    rows, lines = [], []
    for number, line in enumerate(text.bytes().decode("utf-8", "surrogateescape").splitlines(), start=1):
        if not is_skipped(line.encode("utf-8", "surrogateescape")):
            name, _, title = line.strip().replace("\t", " ").partition(" ")
            rows.append([name, " ".join(title.split())])
            lines.append(number)
    if not rows:
        raise InputError(text.name, "is empty")
    return Sheet(text.name, ["topic", "title"], rows, lines)


def _markup_sheet(text: SourceText) -> Sheet:
    """One row per topic. A repeated field is a list; a subtopic keeps its attributes.

    >>> content = b"<top>\\n<num> Number: 401\\n<title> fine ink\\n<desc> Description:\\nInks?\\n</top>"
    >>> sheet = _markup_sheet(SourceText.of(content, "topics"))
    >>> sheet.columns, sheet.rows
    (['topic', 'title', 'description'], [['401', 'fine ink', 'Inks?']])
    """
    content = _decoded(text.bytes())
    blocks = list(_BLOCK.finditer(content))
    if not blocks:
        raise InputError(text.name, "has no <topic> or <top>; give topics as a table with a header, or one per line")
    ends = [block.start() for block in blocks[1:]] + [len(content)]
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    line, seen = 1, 0
    for block, end in zip(blocks, ends, strict=True):
        record = _attributes(block[2])
        _read_fields(content[block.end() : _closed(content, block[1], block.end(), end)], record)
        line, seen = line + content.count("\n", seen, block.start()), block.start()
        lines.append(line)
        if not record.get("topic"):
            raise InputError(text.name, "a topic without a number: add <num> or <number>", line=line)
        records.append(record)
    columns = list(dict.fromkeys(["topic", *(name for record in records for name in record)]))
    return Sheet(text.name, columns, [[record.get(column) for column in columns] for record in records], lines)


def _decoded(content: bytes) -> str:
    """The text without comments and declarations. Old files are Latin-1, and some declare it."""
    declared = _ENCODING.match(content.lstrip()[:200])
    try:
        decoded = content.decode(declared[1].decode() if declared else "utf-8")
    except (UnicodeDecodeError, LookupError):
        decoded = content.decode("utf-8", "surrogateescape")
        if not _BEYOND_ASCII.search(decoded):  # no character of UTF-8, only bytes that are not: Latin-1
            decoded = content.decode("latin-1")
    decoded = _CDATA.sub(lambda match: html.escape(match[1], quote=False), decoded.replace("\r\n", "\n"))
    # Line feeds stay, so that messages name the right line.
    return _NOT_CONTENT.sub(lambda match: "\n" * match[0].count("\n"), decoded)


def _closed(content: str, name: str, begin: int, end: int) -> int:
    closing = re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE).search(content, begin, end)
    return end if closing is None else closing.start()


def _read_fields(block: str, record: dict[str, Any]) -> None:
    """A field ends with its closing tag; one that is never closed, at the next line that begins with a tag."""
    closing: dict[str, list[int]] = {}
    for found in _CLOSING.finditer(block):
        closing.setdefault(found[1].lower(), []).append(found.start())
    begins = list(_LINE_BEGINS.finditer(block))
    at_line_start = {found.end() - 1 for found in begins}
    lines = [found.start() for found in begins if not found[1].strip(" \t")]
    place = 0
    while (tag := _TAG.search(block, place)) is not None:
        name, place = tag[1].lower(), tag.end()
        if tag[2].endswith("/"):
            continue
        end = _first(closing.get(name, []), place, len(block))
        if end == len(block):
            if tag.start() not in at_line_start:
                continue  # neither closed nor at the start of a line: not a field, but a character in a text
            end = _first(lines, place, len(block))
        words = _words(block[place:end], name)
        attributes = _attributes(tag[2])
        if name == "subtopic":
            subtopic = {"name": attributes.pop("topic", ""), **attributes, "text": words}
            record.setdefault("subtopics", []).append(subtopic)
        else:
            _add(record, attributes.get("name", "") if name == "attribute" else _canonical(name), words)
        place = end


def _first(places: list[int], behind: int, end: int) -> int:
    """The first of some ascending places that is not before another; the end where none is."""
    at = bisect_left(places, behind)
    return places[at] if at < len(places) else end


def _add(record: dict[str, Any], name: str, words: str) -> None:
    """Add a field; a repeated one becomes a list."""
    earlier = record.get(name)
    if isinstance(earlier, list):
        earlier.append(words)
    else:
        record[name] = words if earlier is None else [earlier, words]


def _attributes(written: str) -> dict[str, Any]:
    found = _ATTRIBUTE.findall(written)
    return {_canonical(name.lower()): html.unescape(double or single) for name, double, single in found}


def _canonical(name: str) -> str:
    name = _LANGUAGE.sub("", name)
    return "topic" if name in TOPIC_ID else _SHORT.get(name, name)


def _words(content: str, name: str) -> str:
    """The words of a field without tags, entities and the label that old topics repeat: `<num> Number: 401`."""
    plain = _ANY_TAG.sub(" ", _INLINE.sub("", content))
    label = _LABEL.match(plain)
    if label is not None and (label[1].lower().startswith(name) or (name, label[1]) == ("title", "Topic")):
        plain = plain[label.end() :]
    return " ".join(html.unescape(plain).split())
