"""What is asked: an information need in words, or a patent whose prior art is sought."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from leadline.errors import InputError
from leadline.text.sheet import Sheet, label
from leadline.text.source import Text, read_text, write_whole
from leadline.text.table import is_skipped
from leadline.text.topic_sheet import TOPIC, is_headed, is_markup, topic_sheet

_TITLE = ("title", "query", "text")
_DOCUMENT = ("document", "patent", "file", "tfile", "publication")


@dataclass(frozen=True)
class Subtopic:
    """A part of the need: one claim of the patent, one aspect of the question."""

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


@dataclass(frozen=True)
class Topics:
    """Topics in their order: the first k of a sample are a sample too.

    >>> topics = Topics.of(["EP1", "US2"])
    >>> len(topics), topics.ids, topics[1]
    (2, ('EP1', 'US2'), Topic(id='US2', ...))
    """

    items: tuple[Topic, ...]
    name: str = "topics"

    @classmethod
    def of(cls, topics: Iterable[Topic | str], name: str = "topics") -> Topics:
        """Topics from topics or their names; the same name twice is refused."""
        items = tuple(topic if isinstance(topic, Topic) else Topic(topic) for topic in topics)
        seen: set[str] = set()
        for topic in items:
            if topic.id in seen:
                raise InputError(name, f"topic {topic.id} is there twice")
            seen.add(topic.id)
        return cls(items, name)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Topics:
        """Topics from a file: TREC's or CLEF's markup, a table with a header, or one id a line, then its title."""
        text = read_text(path)
        sheet = topic_sheet(text) if is_markup(text) or is_headed(text) else _plain(text)
        return _of_sheet(sheet)

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
        """Write the topics whole or not at all; the file's ending says how, as `encoded_as` does."""
        from leadline.records.topics.written import encoded_as

        write_whole(path, encoded_as(self, PurePath(path).suffix))


def _plain(text: Text) -> Sheet:
    """Lines without a header: the topic's name, and its title if there is more."""
    rows, lines = [], []
    for number, line in enumerate(text.bytes().decode("utf-8", "surrogateescape").splitlines(), start=1):
        if not is_skipped(line.encode("utf-8", "surrogateescape")):
            name, _, title = line.strip().replace("\t", " ").partition(" ")
            rows.append([name, " ".join(title.split())])
            lines.append(number)
    if not rows:
        raise InputError(text.name, "is empty")
    return Sheet(text.name, ["topic", "title"], rows, lines)


def _of_sheet(sheet: Sheet) -> Topics:
    key = sheet.find(TOPIC)
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
    others = [(place, name) for place, name in enumerate(sheet.columns) if place not in own]
    names = sheet.labels(key)
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
    """A cell as words; a field that was given several times, or a list, side by side."""
    if isinstance(cell, (list, tuple)):
        return " ".join(filter(None, map(_text, cell)))
    return label(cell)


def _document(written: str, topic: str) -> str:
    """The number in the name of a topic's file.

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
        return Subtopic(label(written.get("name")), label(written.get("text")), weight)
    except (AttributeError, TypeError, ValueError):
        raise sheet.error(row, "a subtopic has a name, a text and a weight that is a number") from None
