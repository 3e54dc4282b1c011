"""How topics are written down: a table for the other commands, TREC's markup, or a record a line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from html import escape

from leadline.records.topics.topic import Topic, Topics

MARKUP = (".xml", ".trec", ".topics", ".sgml")
_FIELDS = ("title", "description", "narrative", "category", "document")
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_RESERVED = frozenset({"topic", "top", "number", "subtopic", "attribute", *_FIELDS})


def encoded_as(topics: Topics, ending: str) -> bytes:
    """The topics as .tsv (and every ending that says nothing), .csv, .jsonl, or .xml, .trec, .topics, .sgml.

    >>> print(encoded_as(Topics.of([Topic("TS-1", "Fine ink", attributes={"office": "EP"})]), ".tsv").decode())
    topic	title	office
    TS-1	Fine ink	EP
    """
    write = _markup if ending.lower() in MARKUP else _WRITERS.get(ending.lower(), _tsv)
    return write(topics).encode("utf-8", "surrogateescape")


def _columns(topics: Topics) -> list[list[str]]:
    """The names of the columns, then the cells of each topic. Fields that no topic has are left out."""
    fields = [name for name in _FIELDS if name == "title" or any(getattr(topic, name) for topic in topics)]
    attributes = list(dict.fromkeys(name for topic in topics for name in topic.attributes))
    rows = [["topic", *fields, *attributes]]
    for topic in topics:
        cells = [topic.id, *(getattr(topic, name) for name in fields)]
        rows.append([" ".join(cell.split()) for cell in (*cells, *(topic.attributes.get(a, "") for a in attributes))])
    return rows


def _tsv(topics: Topics) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter="\t", quoting=csv.QUOTE_NONE, escapechar="\\", lineterminator="\n")
    writer.writerows(_columns(topics))
    return buffer.getvalue()


def _csv(topics: Topics) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(_columns(topics))
    return buffer.getvalue()


def _json_lines(topics: Topics) -> str:
    return "".join(json.dumps(_record(topic), ensure_ascii=False) + "\n" for topic in topics)


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
    """An element of the attribute's name, where that can be one and means nothing else."""
    if _NAME.fullmatch(name) and name not in _RESERVED:
        return _element(name, content)
    return f'<attribute name="{escape(name)}">{escape(content, quote=False)}</attribute>'


_WRITERS: dict[str, Callable[[Topics], str]] = {".csv": _csv, ".jsonl": _json_lines, ".json": _json_lines}
