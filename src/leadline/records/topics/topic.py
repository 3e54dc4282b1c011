"""Topics: information needs in words, or patents whose prior art is sought; and their files."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePath
from typing import Any

from leadline.errors import InputError, visible
from leadline.records.dataset_handles import is_handle
from leadline.records.scores.result import MOST_ROWS, Result, counted
from leadline.records.scores.table import Table, without_formula
from leadline.records.topics.topic_sheet import TOPIC_ID, dataset_sheet, topic_sheet
from leadline.text.files import write_whole
from leadline.text.json_output import json_text
from leadline.text.sheet import Sheet, label
from leadline.text.source import read_text

MARKUP = (".xml", ".trec", ".topics", ".sgml")
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
                raise InputError(name, f"topic {topic.id} is there twice")
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
            raise sheet.error(r, f"topic {names[r]} is there twice, first in {sheet.where(first[names[r]])}")
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
