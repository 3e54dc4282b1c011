"""The titles of classes: those of the sections, and those of a table that the user names."""

from __future__ import annotations

import os
import re

from leadline.collections.documents.classes import symbol
from leadline.errors import InputError
from leadline.text.source import read_text

SECTIONS = {
    "A": "Human necessities",
    "B": "Performing operations; transporting",
    "C": "Chemistry; metallurgy",
    "D": "Textiles; paper",
    "E": "Fixed constructions",
    "F": "Mechanical engineering; lighting; heating; weapons",
    "G": "Physics",
    "H": "Electricity",
    "Y": "New technologies; former classes",
}
_HEADERS = frozenset({"code", "symbol", "class"})  # first words of a line that names the columns
_LINE = re.compile(r'\s*"?([^"\t,;]*?)"?\s*[\t,;]\s*"?(.*?)"?\s*')


def read_class_titles(path: str | os.PathLike[str]) -> dict[str, str]:
    """The titles in a table of two columns, code and title, divided by the first tab, comma or semicolon of a line."""
    text = read_text(path)
    found: dict[str, str] = {}
    for number, line in enumerate(text.bytes().decode("utf-8", "replace").splitlines(), start=1):
        parts = _LINE.fullmatch(line)
        if not line.strip(' \t,;"') or (number == 1 and parts and parts[1].lower() in _HEADERS):
            continue
        code = symbol(parts[1]) if parts else ""
        if not parts or not code or not parts[2]:
            raise InputError(
                text.name, f"{line[:40]!r} is not a class and its title, such as C07D,Cyclics", line=number
            )
        found.setdefault(code.removesuffix("/00"), plain_title(parts[2]))
    return found


def plain_title(title: str) -> str:
    """A title as text: a heading that is all capitals gets small letters.

    >>> plain_title("ORGANIC CHEMISTRY "), plain_title("Flotation; Sedimentation")
    ('Organic chemistry', 'Flotation; Sedimentation')
    """
    tidy = " ".join(title.split())
    return tidy.capitalize() if tidy.isupper() else tidy
