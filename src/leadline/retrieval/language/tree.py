"""The syntax tree of a query: words, joined by operators, within fields; and filters by date that leave no day."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from leadline.text.days import EPOCH, day_number, parse_date

ResultOrder = Literal["score", "newest", "oldest"]
ORDERS: tuple[ResultOrder, ...] = ("score", "newest", "oldest")
CLASS_FILTERS = ("class", "ipc", "cpc")  # by a class, with those under it, or a range: A61K31/00-A61K31/80
DATE_FILTERS = ("published", "filed", "priority")  # by a day or a period: 2010..2015
FILTERS = (
    "class", "office", "before", "after", *DATE_FILTERS, "ipc", "cpc", "applicant", "inventor", "number", "kind",
    "language", "cites", "cited-by", "family"
)  # fmt: skip  # by metadata of documents
HEADINGS = ("mesh", "mesh-noexp")  # by a heading of the thesaurus with all narrower ones, or alone
SameUnit = Literal["sentence", "paragraph", "claim"]


# Wildcards are letters while a query is cut into words: characters that no other text has.
LETTER_OF = {"*": "ꙮ", "?": "ꟻ", "$": "ꟷ", "#": "ꞏ"}
FROM_LETTERS = str.maketrans({letter: sign for sign, letter in LETTER_OF.items()})


@dataclass(frozen=True)
class WordOrPhrase:
    """A word as it was typed, perhaps truncated (`polymer*`), or a phrase; `exact` is without other forms of a word."""

    text: str
    quoted: bool = False
    slop: int = 0  # of a phrase: how far its words may be moved in all
    exact: bool = False


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
    """A part limited to a field, or to any of several; where the field is one of FILTERS, it is a filter, no word."""

    field: str  # several have commas between them
    part: Node

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(self.field.split(","))


@dataclass(frozen=True)
class Boosted:
    """A part whose words count `factor` times."""

    part: Node
    factor: float


@dataclass(frozen=True)
class Saved:
    """An earlier query of a session, by its number."""

    number: int


@dataclass(frozen=True)
class Heading:
    """A heading of the thesaurus, by any of its names; with `exploded` also every narrower heading.

    In lines of other systems `strategy/headings.py` puts names or words in its place before it is searched for.
    """

    name: str
    exploded: bool = True
    focused: bool = False  # only where it is a main subject
    under: str = ""  # subheadings, with commas between them


Node = Heading | WordOrPhrase | Near | Same | Side | And | Or | Within | Boosted | Saved


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
    leaf = isinstance(node, (WordOrPhrase, Saved, Heading))
    return not leaf and all(is_filter(part) for part in parts_of(node))


def parts_of(node: Node) -> tuple[Node, ...]:
    if isinstance(node, (WordOrPhrase, Heading)):  # quick: most nodes
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


def ranking_words(node: Node) -> Iterator[str]:
    """The words and phrases that a part asks for, without those that it excludes and without filters.

    >>> list(ranking_words(Side((("", WordOrPhrase("film")), ("-", WordOrPhrase("metal"))))))
    ['film']
    """
    if isinstance(node, (WordOrPhrase, Heading)):
        yield node.text if isinstance(node, WordOrPhrase) else node.name
    if isinstance(node, Within) and node.field in FILTERS:
        return
    kept = [part for mark, part in node.parts if mark != "-"] if isinstance(node, Side) else parts_of(node)
    for part in dict.fromkeys(kept):
        yield from ranking_words(part)


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
    WordOrPhrase: lambda node: (
        "=" * node.exact
        + ((f'"{node.text}"' + f"~{node.slop}" * bool(node.slop)) if node.quoted else node.text).translate(FROM_LETTERS)
    ),
    Near: lambda node: (
        _enclosed(node.parts[0], *_LOOSER)
        + "".join(
            f" {'PRE' if ordered else 'NEAR'}/{within} {_enclosed(part, *_LOOSER)}"
            for part, within, ordered in zip(node.parts[1:], node.within, node.is_ordered, strict=True)
        )
    ),
    Same: lambda node: f" SAME {node.unit.upper()} ".join(_enclosed(part, *_LOOSER[1:]) for part in node.parts),
    Side: lambda node: " ".join(
        mark + (_enclosed(part, *_LOOSER) if mark else _enclosed(part, Side, And, Or)) for mark, part in node.parts
    ),
    And: lambda node: " AND ".join(_enclosed(part, And, Or) for part in node.parts),
    Or: lambda node: " OR ".join(_enclosed(part, Or) for part in node.parts),
    Within: lambda node: f"{node.field}:{_enclosed(node.part, *_LOOSER, Boosted)}",
    Boosted: lambda node: f"{_enclosed(node.part, *_LOOSER, Boosted)}^{node.factor:.9g}",
    Saved: lambda node: f"#{node.number}",
    Heading: lambda node: (
        f"mesh{'' if node.exploded else '-noexp'}:" + (node.name if node.name.isalnum() else f'"{node.name}"')
    ),
}


# Parts of trees put together, and their words changed.


def is_exclusion(part: Node | None) -> bool:
    """Whether a part only excludes: what the documents were to be taken from was left out, or never there."""
    return isinstance(part, Side) and all(mark == "-" for mark, _ in part.parts)


def together(operator: str, parts: Sequence[Node | None]) -> Node | None:
    """Parts joined by one operator; a part that was left out joins nothing, and beside OR an exclusion neither.

    >>> query_text(together("OR", [WordOrPhrase("film"), None, WordOrPhrase("foil")]))
    'film OR foil'
    """
    kept = [part for part in parts if part is not None and not (operator == "OR" and is_exclusion(part))]
    if operator == "NOT":
        marked = [("-" if place else "", part) for place, part in enumerate(parts) if part is not None]
        return Side(tuple(marked)) if marked and (len(marked) > 1 or marked[0][0]) else (kept[0] if kept else None)
    if len(kept) < 2:
        return kept[0] if kept else None
    return And(tuple(kept)) if operator == "AND" else Or(tuple(kept))


def each_leaf(node: Node, changed: Callable[[WordOrPhrase], Node | None]) -> Node | None:
    """The tree with its words and phrases changed; what becomes None is left out."""
    if isinstance(node, WordOrPhrase):
        return changed(node)
    if isinstance(node, (And, Or, Near, Same)):
        parts = [part for each in node.parts if (part := each_leaf(each, changed)) is not None]
        join = Or if isinstance(node, Or) else And
        return (parts[0] if len(parts) == 1 else join(tuple(parts))) if parts else None
    if isinstance(node, Side):
        kept = [(mark, part) for mark, each in node.parts if (part := each_leaf(each, changed)) is not None]
        return Side(tuple(kept)) if kept else None
    return node


# Filters by date that leave no day between them: `after:2010 before:2000`.


_PUBLISHED = ("before", "after", "published")  # all three compare the day of publication


def empty_periods(tree: Node) -> Iterator[str]:
    """A note for each part of a query whose filters by date exclude each other."""
    if isinstance(tree, (And, Side)):
        filters = [each for each in _required_filters(tree) if isinstance(each.part, WordOrPhrase)]
        if len(filters) < 2:
            return
        for names in (_PUBLISHED, *((name,) for name in DATE_FILTERS if name != "published")):
            dated = [(each.field, each.part.text) for each in filters if each.field in names]  # type: ignore[union-attr]
            if len(dated) > 1 and (note := no_day_between(dated)):
                yield note
        return
    for part in parts_of(tree):
        yield from empty_periods(part)


def no_day_between(filters: list[tuple[str, str]]) -> str:
    """A note where no day passes all of these filters; empty where one does.

    >>> no_day_between([("after", "2010"), ("before", "2000")])
    'after:2010 before:2000: no day is in both: nothing matches; did you mean after:2000 before:2010?'
    """
    if _has_day(filters):
        return ""
    note = f"{' '.join(f'{name}:{value}' for name, value in filters)}: no day is in both: nothing matches"
    named = dict(filters)
    if len(filters) == 2 and named.keys() == {"before", "after"}:
        exchanged = [("after", named["before"]), ("before", named["after"])]
        if _has_day(exchanged):
            return f"{note}; did you mean {' '.join(f'{name}:{value}' for name, value in exchanged)}?"
        return "; ".join([note, *(days_meant(name, value) for name, value in filters)])
    return note


def _has_day(filters: list[tuple[str, str]]) -> bool:
    """Whether some day passes all filters."""
    bounds = [_bounds(name, value) for name, value in filters]
    low = max((first for first, _ in bounds if first is not None), default=None)
    high = min((last for _, last in bounds if last is not None), default=None)
    return low is None or high is None or low <= high


def partial_dates(tree: Node | None) -> Iterator[str]:
    """For each before: and after: with a month or a year, the days that pass it."""
    is_date = isinstance(tree, Within) and tree.field in ("before", "after") and isinstance(tree.part, WordOrPhrase)
    if is_date and len(tree.part.text) < len("1998-08-12"):  # type: ignore[union-attr]
        yield days_meant(tree.field, tree.part.text)  # type: ignore[union-attr]
    for part in parts_of(tree) if tree is not None else ():
        yield from partial_dates(part)


def days_meant(name: str, value: str) -> str:
    """What before: or after: means, as days.

    >>> days_meant("after", "2015"), days_meant("before", "2015-03")
    ('after:2015 means from 2016-01-01 on', 'before:2015-03 means up to 2015-02-28')
    """
    first, last = _bounds(name, value)
    if first is not None:
        return f"{name}:{value} means from {EPOCH + datetime.timedelta(first)} on"
    return f"{name}:{value} means up to {EPOCH + datetime.timedelta(last or 0)}"


def _required_filters(node: Node) -> Iterator[Within]:
    """The filters that every document must pass."""
    if isinstance(node, Within):
        yield node
    elif isinstance(node, And):
        for part in node.parts:
            yield from _required_filters(part)
    elif isinstance(node, Side):
        for mark, part in node.parts:
            if mark != "-":
                yield from _required_filters(part)


def _bounds(name: str, value: str) -> tuple[int | None, int | None]:
    """The first and the last day that pass a filter, in days since 1970."""
    if name == "before":
        return None, day_number(parse_date(value)) - 1
    if name == "after":
        return day_number(parse_date(value, late=True)) + 1, None
    low, _, high = value.partition("..")
    return day_number(low) if low else None, day_number(high, late=True) if high else None
