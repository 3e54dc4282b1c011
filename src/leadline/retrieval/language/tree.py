"""The syntax tree of a query: words, joined by operators, within fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

ResultOrder = Literal["score", "newest", "oldest"]
ORDERS: tuple[ResultOrder, ...] = ("score", "newest", "oldest")
DATE_FILTERS = ("published", "filed", "priority")  # by a day or a period: 2010..2015
FILTERS = (
    "class", "office", "before", "after", *DATE_FILTERS, "ipc", "cpc", "applicant", "inventor", "number", "kind",
    "language", "cites", "cited-by", "family",
)  # fmt: skip  # by metadata of documents
SameUnit = Literal["sentence", "paragraph", "claim"]


@dataclass(frozen=True)
class WordOrPhrase:
    """A word as it was typed, perhaps truncated (`polymer*`), or a phrase."""

    text: str
    quoted: bool = False
    slop: int = 0  # of a phrase: how far its words may be moved in all


@dataclass(frozen=True)
class Near:
    """Parts, each at most `within` words from the one before it; after it, where `ordered`."""

    parts: tuple[Node, ...]
    within: tuple[int, ...]
    ordered: tuple[bool, ...] = ()  # empty: none is

    @property
    def is_ordered(self) -> tuple[bool, ...]:
        return self.ordered or (False,) * len(self.within)


@dataclass(frozen=True)
class Same:
    """Parts that are all in the same sentence, paragraph or claim."""

    parts: tuple[Node, ...]
    unit: SameUnit


@dataclass(frozen=True)
class Side:
    """Parts side by side, each with its mark: + for one that must be there, - for one that must not."""

    parts: tuple[tuple[str, Node], ...]


@dataclass(frozen=True)
class And:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Within:
    """A part limited to one field; where the field is one of FILTERS, it is a filter and not a word."""

    field: str
    part: Node


@dataclass(frozen=True)
class Boosted:
    """A part whose words count `factor` times."""

    part: Node
    factor: float


@dataclass(frozen=True)
class Saved:
    """An earlier query of a session, by its number."""

    number: int


Node = WordOrPhrase | Near | Same | Side | And | Or | Within | Boosted | Saved


@dataclass(frozen=True)
class Understood:
    """A parsed query: the tree (None where it has no words), the order of results, and notes on what was unclear."""

    tree: Node | None
    order: ResultOrder | None = None
    notes: tuple[str, ...] = ()

    @property
    def query(self) -> str:
        order = [f"sort:{self.order}"] if self.order else []
        return " ".join(([query_text(self.tree)] if self.tree is not None else []) + order)


def is_filter(node: Node) -> bool:
    """Whether a part has only filters and no words.

    >>> is_filter(Or((Within("class", WordOrPhrase("C07D")), Within("office", WordOrPhrase("EP")))))
    True
    """
    if isinstance(node, Within):
        return node.field in FILTERS or is_filter(node.part)
    if isinstance(node, Boosted):
        return is_filter(node.part)
    return not isinstance(node, (WordOrPhrase, Saved)) and all(is_filter(part) for part in parts_of(node))


def parts_of(node: Node) -> tuple[Node, ...]:
    if isinstance(node, WordOrPhrase):  # quick: most nodes
        return ()
    if isinstance(node, Side):
        return tuple(part for _, part in node.parts)
    if isinstance(node, (And, Or, Near, Same)):
        return node.parts
    return (node.part,) if isinstance(node, (Within, Boosted)) else ()


def nodes_of(node: Node) -> Iterator[Node]:
    """The nodes of a tree; equal siblings once."""
    yield node
    for part in dict.fromkeys(parts_of(node)):
        yield from nodes_of(part)


def ranking_numbers(node: Node) -> Iterator[int]:
    """The numbers of the earlier queries that a part names and does not exclude."""
    if isinstance(node, Saved):
        yield node.number
    kept = [part for mark, part in node.parts if mark != "-"] if isinstance(node, Side) else parts_of(node)
    for part in dict.fromkeys(kept):
        yield from ranking_numbers(part)


def filter_value(node: Within) -> str:
    """The value of a filter."""
    assert isinstance(node.part, WordOrPhrase)  # the parser makes one filter per value
    return node.part.text


def query_text(node: Node) -> str:
    """The query of a tree, as text.

    >>> foil = Boosted(WordOrPhrase("metal foil", quoted=True), 2.0)
    >>> query_text(And((WordOrPhrase("film"), Side((("", WordOrPhrase("acid")), ("-", foil))))))
    'film AND acid -"metal foil"^2'
    """
    return _WRITERS[type(node)](node)


def _enclosed(node: Node, *loose: type) -> str:
    """A part as text, in parentheses if it binds less tightly than its parent."""
    return f"({query_text(node)})" if isinstance(node, loose) else query_text(node)


_LOOSER = (Near, Same, Side, And, Or)  # than a word
_WRITERS: dict[type, Callable[[Any], str]] = {
    WordOrPhrase: lambda node: (f'"{node.text}"' + f"~{node.slop}" * bool(node.slop)) if node.quoted else node.text,
    Near: lambda node: _enclosed(node.parts[0], *_LOOSER) + "".join(
        f" {'PRE' if ordered else 'NEAR'}/{within} {_enclosed(part, *_LOOSER)}"
        for part, within, ordered in zip(node.parts[1:], node.within, node.is_ordered, strict=True)
    ),
    Same: lambda node: f" SAME {node.unit.upper()} ".join(_enclosed(part, *_LOOSER[1:]) for part in node.parts),
    Side: lambda node: " ".join(mark + (_enclosed(part, *_LOOSER) if mark else _enclosed(part, Side, And, Or))
                                for mark, part in node.parts),
    And: lambda node: " AND ".join(_enclosed(part, And, Or) for part in node.parts),
    Or: lambda node: " OR ".join(_enclosed(part, Or) for part in node.parts),
    Within: lambda node: f"{node.field}:{_enclosed(node.part, *_LOOSER, Boosted)}",
    Boosted: lambda node: f"{_enclosed(node.part, *_LOOSER, Boosted)}^{node.factor:.9g}",
    Saved: lambda node: f"#{node.number}",
}  # fmt: skip
