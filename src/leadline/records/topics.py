"""Topics: information needs in words, or patents whose prior art is sought; their files, and the dates they ask for."""

from __future__ import annotations

import csv
import html
import io
import math
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePath
from typing import Any, NamedTuple

from leadline.errors import InputError, visible
from leadline.records.other_packages import MARKUP, is_handle, rows_of
from leadline.records.result import MOST_ROWS, Result, Table, counted, without_formula
from leadline.text.days import day_number, iso
from leadline.text.fields import is_skipped
from leadline.text.files import json_text, write_whole
from leadline.text.sheet import Sheet, has_header, label, sheet_of_text
from leadline.text.source import SourceText, read_text

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


# Topics: information needs in words, or patents whose prior art is sought; and their files.


_FIELDS = ("title", "description", "narrative", "category", "document")
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_LONE_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # others stand for bytes that are not UTF-8
_CONTROL_CODE = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_RESERVED = frozenset({"topic", "top", "number", "subtopic", "attribute", *_FIELDS})
_TITLE = ("title", "query", "text")
_DOCUMENT = ("document", "patent", "file", "tfile", "publication")


@dataclass(frozen=True)
class Subtopic:
    """A part of the topic: one claim of the patent, one aspect of the question."""

    name: str
    text: str = ""
    weight: float = 1.0


@dataclass(frozen=True)
class Topic:
    """One information need.

    >>> Topic("PA-7", document="EP-0049154-B2").patent, Topic("US7412705B2").patent
    ('EP-0049154-B2', 'US7412705B2')
    """

    id: str  # the name in runs and qrels
    title: str = ""
    description: str = ""
    narrative: str = ""
    category: str = ""
    document: str = ""  # the patent whose prior art is sought, where the id is not its number
    attributes: Mapping[str, str] = field(default_factory=dict)
    subtopics: tuple[Subtopic, ...] = ()

    @property
    def patent(self) -> str:
        """The number of the patent that is the topic, if one is."""
        return self.document or self.id

    @property
    def has_text(self) -> bool:
        """Whether it has words of its own to search for."""
        return any(text.strip() for text in (self.title, self.description, self.narrative))


@dataclass(frozen=True, repr=False)
class Topics(Result):
    """Topics in order: the first k of a sample are a sample too.

    >>> topics = Topics.of(["EP1", "US2"])
    >>> len(topics), topics.ids, topics[1]
    (2, ('EP1', 'US2'), Topic(id='US2', ...))
    """

    items: tuple[Topic, ...]
    name: str = "topics"

    @classmethod
    def of(cls, topics: Iterable[Topic | str], name: str = "topics") -> Topics:
        """Make Topics of topics or their ids; the same id twice is an error."""
        items = tuple(topic if isinstance(topic, Topic) else Topic(topic) for topic in topics)
        seen: set[str] = set()
        for topic in items:
            if topic.id in seen:
                raise InputError(name, f"topic {topic.id} is given twice")
            seen.add(topic.id)
        return cls(items, name)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Topics:
        """Read topics from a file or from a handle of ir_datasets.

        A file has TREC's or CLEF's markup, a table with a header, BEIR's JSON lines, or lines of an id and a title.
        """
        if is_handle(path):
            return _of_sheet(dataset_sheet(os.fspath(path)))
        return _of_sheet(topic_sheet(read_text(path)))

    def _finding(self) -> str:
        ids = f": {', '.join(self.ids[:3])}{' …' * (len(self) > 3)}" if self.items else ""
        return f"{self.name}: {counted(len(self), 'topic')}{ids}"

    def _shown_table(self) -> Table:
        """The first topics: ids and titles."""
        return Table(["topic", "title"], [[topic.id, topic.title] for topic in self.items[:MOST_ROWS]])

    def __str__(self) -> str:
        return f"{self._finding()}\n\n{super().__str__()}"

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(topic.id for topic in self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Topic]:
        return iter(self.items)

    def __getitem__(self, place: int) -> Topic:
        return self.items[place]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the topics completely or not at all; the file's ending chooses the format, see `encoded_as`."""
        write_whole(path, encoded_as(self, PurePath(path).suffix))


def _of_sheet(sheet: Sheet) -> Topics:
    key = sheet.find(TOPIC_ID)
    if key is None:
        raise InputError(sheet.name, f"no column topic (or qid, number) among {', '.join(sheet.columns[:8])}")
    places = {
        "title": sheet.find(_TITLE),
        "description": sheet.find(("description", "desc")),
        "narrative": sheet.find(("narrative", "narr")),
        "category": sheet.find(("category",)),
        "document": sheet.find(_DOCUMENT),
        "subtopics": sheet.find(("subtopics",)),
    }
    own = {place for place in places.values() if place is not None} | {key}
    others = [(place, _as_bytes_are(name)) for place, name in enumerate(sheet.columns) if place not in own]
    names = [_as_bytes_are(name) for name in sheet.labels(key)]
    first: dict[str, int] = {}
    topics = []
    for r, row in enumerate(sheet.rows):
        if first.setdefault(names[r], r) != r:
            raise sheet.error(r, f"topic {names[r]} is given twice, first in {sheet.where(first[names[r]])}")
        known = {name: None if place is None else row[place] for name, place in places.items()}
        topics.append(
            Topic(
                names[r],
                title=_text(known["title"]),
                description=_text(known["description"]),
                narrative=_text(known["narrative"]),
                category=_text(known["category"]),
                document=_document(_text(known["document"]), names[r]),
                attributes={name: words for place, name in others if (words := _text(row[place]))},
                subtopics=tuple(_subtopic(sheet, r, subtopic) for subtopic in known["subtopics"] or ()),
            )
        )
    return Topics(tuple(topics), sheet.name)


def _text(cell: Any) -> str:
    """A cell as text; several values are joined by blanks, and values with names are JSON."""
    if isinstance(cell, Mapping):
        return _as_bytes_are(json_text(dict(cell), indent=None)) if cell else ""
    if isinstance(cell, (list, tuple)):
        return " ".join(filter(None, map(_text, cell)))
    return _as_bytes_are(label(cell))


def _as_bytes_are(text: str) -> str:
    """A text in which a lone surrogate, which JSON can hold but UTF-8 cannot, is written as in a file: as its bytes."""
    if text.isascii():
        return text
    return _LONE_SURROGATE.sub(
        lambda found: found[0].encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape"), text
    )


def _document(written: str, topic: str) -> str:
    """Return the document number in the name of a topic's file.

    >>> _document("topics/PAC-1001_EP-1233455-A1.xml", "PAC-1001")
    'EP-1233455-A1'
    """
    name = PurePath(written).name if written.lower().endswith((".xml", ".xml.gz", ".txt", ".sgml")) else written
    for ending in (".gz", ".xml", ".txt", ".sgml"):
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name.removeprefix(f"{topic}_")


def _subtopic(sheet: Sheet, row: int, written: Any) -> Subtopic:
    try:
        weight = float(written.get("weight") or 1)
        if not 0 <= weight < math.inf:
            raise ValueError
        return Subtopic(_text(written.get("name")), _text(written.get("text")), weight)
    except (AttributeError, TypeError, ValueError):
        raise sheet.error(row, "a subtopic needs a name, a text and a weight of 0 or more") from None


def encoded_as(topics: Topics, ending: str) -> bytes:
    """Return the topics as .csv, .jsonl, markup (.xml, .trec, .topics, .sgml), or, for any other ending, .tsv.

    >>> print(encoded_as(Topics.of([Topic("TS-1", "Fine ink", attributes={"office": "EP"})]), ".tsv").decode())
    topic	title	office
    TS-1	Fine ink	EP
    """
    write = _markup if ending.lower() in MARKUP else _WRITERS.get(ending.lower(), _tsv)
    return _as_bytes_are(write(topics)).encode("utf-8", "surrogateescape")


def _columns(topics: Topics) -> list[list[str]]:
    """The names of the columns, then the cells of each topic. Fields that are empty in all topics are left out."""
    fields = [name for name in _FIELDS if name == "title" or any(getattr(topic, name) for topic in topics)]
    attributes = list(dict.fromkeys(name for topic in topics for name in topic.attributes))
    rows = [["topic", *fields, *attributes]]
    for topic in topics:
        cells = [topic.id, *(getattr(topic, name) for name in fields)]
        rows.append([" ".join(cell.split()) for cell in (*cells, *(topic.attributes.get(a, "") for a in attributes))])
    return rows


def _tsv(topics: Topics) -> str:
    columns, *rows = _columns(topics)
    return f"{Table(columns, rows).render('tsv')}\n"


def _csv(topics: Topics) -> str:
    buffer = io.StringIO()
    rows = (
        [without_formula(_CONTROL_CODE.sub(lambda code: visible(code[0]), cell)) for cell in row]
        for row in _columns(topics)
    )
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def _json_lines(topics: Topics) -> str:
    return "".join(json_text(_record(topic), indent=None) + "\n" for topic in topics)


def _record(topic: Topic) -> dict[str, object]:
    record: dict[str, object] = {"topic": topic.id, "title": topic.title}
    record |= {name: getattr(topic, name) for name in _FIELDS[1:] if getattr(topic, name)}
    record |= topic.attributes
    if topic.subtopics:
        record["subtopics"] = [{"name": s.name, "weight": s.weight, "text": s.text} for s in topic.subtopics]
    return record


def _markup(topics: Topics) -> str:
    lines = ["<topics>"]
    for topic in topics:
        lines += ["<topic>", _element("number", topic.id)]
        lines += [_element(name, getattr(topic, name)) for name in _FIELDS if getattr(topic, name)]
        lines += [_attribute(name, value) for name, value in topic.attributes.items()]
        lines += [
            f'<subtopic number="{escape(s.name)}" weight="{s.weight}">{escape(s.text, quote=False)}</subtopic>'
            for s in topic.subtopics
        ]
        lines.append("</topic>")
    return "\n".join([*lines, "</topics>", ""])


def _element(name: str, content: str) -> str:
    return f"<{name}>{escape(content, quote=False)}</{name}>"


def _attribute(name: str, content: str) -> str:
    """An element with the attribute's name, if that is a valid name with no other meaning here."""
    if _NAME.fullmatch(name) and name not in _RESERVED:
        return _element(name, content)
    return f'<attribute name="{escape(name)}">{escape(content, quote=False)}</attribute>'


_WRITERS: dict[str, Callable[[Topics], str]] = {".csv": _csv, ".jsonl": _json_lines, ".json": _json_lines}


# Limits on the date of publication that a topic's text asks for: "documents published after 1997".


_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+)?(?:{_MONTH}\s+)?(?:\d{{1,2}},?\s+)?(?:1[89]|20|21)\d\d(?:-\d\d(?:-\d\d)?)?"
_PUBLISHED = r"(?:published|issued|dated|printed|appear(?:ed|ing)|publications?|documents|patents|articles|papers)"
_NOT = r"(?P<not>\bnot\s+)?"
_RANGE = rf"{_PUBLISHED}\s+(?:in\s+the\s+years?\s+)?(?:between|from)\s+(?P<first>{_DATE})\s+(?:and|to|until|till)\s+"
_BETWEEN = re.compile(rf"{_NOT}\b{_RANGE}(?P<last>{_DATE})", re.IGNORECASE)
_ONE = r"(?P<when>after|since|from|before|until|till|up\s+to|by|in|during|later\s+than|earlier\s+than)"
_SINGLE = re.compile(rf"{_NOT}\b{_PUBLISHED}\s+(?:only\s+)?{_ONE}\s+(?P<date>{_DATE})", re.IGNORECASE)
_OPEN = r"\s+(?:onwards?|or\s+later)\b"
_ONWARDS = re.compile(_OPEN, re.IGNORECASE)


class DateLimits(NamedTuple):
    """The first and the last day that documents may be published on, in days since 1970, and the words that say so."""

    first: int | None
    last: int | None
    words: str


def date_limits(text: str) -> DateLimits | None:
    """The limits that a text asks for, or None. Only words about publication count: "heated after 1997" does not.

    A year is meant whole: "after 1997" begins on 1 January 1998. "Not published after" is the opposite.

    >>> date_limits("all documents published after 1997 describing inks")
    DateLimits(first=10227, last=None, words='published after 1997')
    >>> date_limits("patents between 1990 and May 1995").words, date_limits("stirred until 1997 rpm")
    ('patents between 1990 and May 1995', None)
    """
    if (match := _BETWEEN.search(text)) is not None and not match["not"]:
        return DateLimits(_day(match["first"]), _day(match["last"], late=True), _words_between(match[0]))
    if (match := _SINGLE.search(text)) is None:
        return None
    when, date = " ".join(match["when"].lower().split()), match["date"]
    first, last = _limits(when, date)
    onwards = _ONWARDS.match(text, match.end())
    if when in ("in", "from") and onwards is not None:
        last = None
    if match["not"]:
        if first is not None and last is not None:
            return None  # not in a certain year: two spans, which no filter here has
        first, last = (None, first - 1) if first is not None else (last + 1 if last is not None else None, None)
    return DateLimits(first, last, _words_between(match[0] + (onwards[0] if onwards else "")))


def _limits(when: str, date: str) -> tuple[int | None, int | None]:
    """The first and last day for a word such as "after", with a date that may be a year or a month."""
    if when in ("after", "later than"):
        return _day(date, late=True) + 1, None
    if when in ("since", "from"):
        return _day(date), None
    if when in ("before", "earlier than"):
        return None, _day(date) - 1
    if when in ("until", "till", "up to", "by"):
        return None, _day(date, late=True)
    return _day(date), _day(date, late=True)  # in, during


def _day(date: str, *, late: bool = False) -> int:
    written = " ".join(date.split())
    return day_number(iso(written) or written[-4:], late=late)


def _words_between(found: str) -> str:
    return " ".join(found.split())
