"""Headings, fields and limits of a line, as this index can answer them; and what is to be said of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.retrieval.language.filters import missing
from leadline.retrieval.language.line_reading import read_line
from leadline.retrieval.language.tree import (
    DATE_FILTERS,
    FILTERS,
    And,
    Boosted,
    Heading,
    Near,
    Node,
    Or,
    Same,
    Side,
    Understood,
    Within,
    WordOrPhrase,
    query_text,
)

if TYPE_CHECKING:
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.language.syntax import Syntax

# The names of a heading, and of all narrower ones where it is exploded; None for a heading that is not known.
HeadingNames = Callable[[str, bool], Sequence[str] | None]
SEARCHED = ("title", "abstract")  # for headings: where those who index a document look first
_WORD = re.compile(r"[^\W_][\w'-]*")
_QUALIFIER = re.compile(r"\([^)]*\)")
_VALUES = {"language": "a language", **dict.fromkeys(DATE_FILTERS, "a date")}


def thesaurus_of(index: Index) -> HeadingNames | None:
    """The names of headings by the thesaurus that an index keeps; None where it has none."""
    thesaurus = getattr(index, "thesaurus", None)
    if thesaurus is None:
        return None

    def names(name: str, exploded: bool) -> list[str] | None:
        if not thesaurus.has(name):
            return None
        first = thesaurus.heading(name)
        headings = thesaurus.exploded(name) if exploded or first is None else [first]
        return list(dict.fromkeys(each for heading in headings for each in heading.names))

    return names


def with_parts(node: Node, changed: Callable[[Node], Node]) -> Node:
    """A part with each of its own parts changed."""
    if isinstance(node, (And, Or, Near, Same)):
        return replace(node, parts=tuple(changed(each) for each in node.parts))
    if isinstance(node, Side):
        return Side(tuple((mark, changed(each)) for mark, each in node.parts))
    return replace(node, part=changed(node.part)) if isinstance(node, (Within, Boosted)) else node


class Answerable:
    """What a tree asks for, in terms of one index.

    `changed` is what is not as it was asked; `said` what was looked up as it was asked.
    """

    def __init__(self, index: Index, headings: HeadingNames | None = None) -> None:
        self.index, self.headings = index, headings or thesaurus_of(index)
        self.changed: dict[str, None] = {}
        self.said: dict[str, None] = {}

    def tree(self, node: Node) -> Node | None:
        """The tree that the index can answer; None where nothing of it can be."""
        if isinstance(node, Heading):
            return self._heading(node)
        if isinstance(node, Within):
            return self._within(node)
        if isinstance(node, (And, Or)):
            parts = [part for each in node.parts if (part := self.tree(each)) is not None]
            return (parts[0] if len(parts) == 1 else replace(node, parts=tuple(parts))) if parts else None
        if isinstance(node, (Near, Same)):
            kept = [self.tree(each) for each in node.parts]
            if all(each is not None for each in kept):
                return replace(node, parts=tuple(each for each in kept if each is not None))
            return self.tree(And(node.parts))
        if isinstance(node, Side):
            sides = [(mark, part) for mark, each in node.parts if (part := self.tree(each)) is not None]
            return Side(tuple(sides)) if sides else None
        if isinstance(node, Boosted):
            inside = self.tree(node.part)
            return None if inside is None else replace(node, part=inside)
        return node

    def _within(self, node: Within) -> Node | None:
        if node.field in FILTERS:
            if node.field in _VALUES and missing(self.index, node.field).all():
                self.changed[f"{node.field}: no document of this index has {_VALUES[node.field]}: it was left out"] = (
                    None
                )
                return None
            return node
        inside = self.tree(node.part)
        if inside is None:
            return None
        there = [name for name in node.fields if name in self.index.fields]
        if not there:
            own = ", ".join(self.index.own)
            self.changed[f"{node.field}: this index has no such field: all of its texts are searched ({own})"] = None
            return inside
        return Within(",".join(there), inside)

    def _heading(self, node: Heading) -> Node | None:
        """The names of a heading in titles and abstracts; without a thesaurus its words."""
        there = [name for name in SEARCHED if name in self.index.fields] or list(self.index.own)
        where = " and ".join(there)
        shown = f'"{query_text(WordOrPhrase(node.name)).strip(chr(34))}"'
        extra = [f"subheading {node.under} was left out"] if node.under else []
        extra += ["whether it is a main subject is not known"] if node.focused else []
        names = self.headings(node.name, node.exploded) if self.headings is not None else None
        if names:
            narrower = " and of narrower headings" if node.exploded else ""
            self.said[f"heading {shown}: {len(names):,} names of it{narrower} were searched for in {where}"] = None
            for each in extra:
                self.changed[f"heading {shown}: {each}"] = None
            phrases = tuple(WordOrPhrase(name, quoted=" " in name) for name in names)
            return Within(",".join(there), phrases[0] if len(phrases) == 1 else Or(phrases))
        words = _WORD.findall(_QUALIFIER.sub(" ", node.name).lower())
        if not words:
            self.changed[f"heading {shown} has no words: it was left out"] = None
            return None
        why = "no thesaurus is loaded" if self.headings is None else "the thesaurus does not have it"
        extra = ["narrower headings were not searched for", *extra] if node.exploded else extra
        ending = "".join(f"; {each}" for each in extra)
        what = "its word was" if len(words) == 1 else "all of its words were"
        self.changed[f"heading {shown}: {why}: {what} searched for in {where}{ending}"] = None
        parts = tuple(WordOrPhrase(word) for word in dict.fromkeys(words))
        return Within(",".join(there), parts[0] if len(parts) == 1 else And(parts))


def understood_line(text: str, syntax: Syntax, index: Index) -> Understood:
    """A single query in the syntax of another system, as an index can answer it."""
    read = read_line(text, syntax)
    answerable = Answerable(index)
    tree = None if read.tree is None else answerable.tree(read.tree)
    return Understood(tree, None, (*read.changed, *read.said, *answerable.changed, *answerable.said))
