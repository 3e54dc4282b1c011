"""Read the user's synonyms from a TSV or CSV table."""

from __future__ import annotations

import os

from leadline.errors import InputError
from leadline.retrieval.pipeline.synonyms.thesaurus import Thesaurus
from leadline.text.sheet import ragged_rows
from leadline.text.source import read_text

# A first cell that makes the first line a header, and columns that do not hold names.
_HEADS = ("name", "term", "short", "synonym", "group")
_NOT_NAMES = ("documents", "count", "weight", "by")


def read_table(path: str | os.PathLike[str]) -> Thesaurus:
    """The synonyms of a table: names in one line are synonyms, as are names in lines with the same first name.

    Most tables have two columns, a name and a synonym. Lines that begin with # are ignored. With a header `group name`
    the first column identifies the group and is not itself a name.

    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> folder = TemporaryDirectory()
    >>> path = Path(folder.name) / "own.tsv"
    >>> _ = path.write_text("acetone\\tpropanone\\nacetone\\t67-64-1\\n")
    >>> read_table(path).synonyms("Propanone")
    ['acetone', '67-64-1']
    >>> folder.cleanup()
    """
    text = read_text(path)
    rows = [row for _, row in ragged_rows(text)]
    places, grouped = list(range(max(map(len, rows), default=0))), False
    if rows and rows[0][0].lower() in _HEADS:
        head = [cell.lower() for cell in rows.pop(0)]
        grouped = head[0] == "group"
        places = [place for place, title in enumerate(head) if title not in (*_NOT_NAMES, "group")]
    groups: dict[str, list[str]] = {}
    for row in rows:
        names = [row[place] for place in places if place < len(row) and row[place]]
        groups.setdefault(row[0].lower(), []).extend(names)
    if not any(len(set(group)) > 1 for group in groups.values()):
        need = "a group and a name in each line" if grouped else "two names in a line, separated by a tab or a comma"
        raise InputError(text.name, f"has no two names that mean the same; it needs {need}")
    return Thesaurus.of(groups.values())
