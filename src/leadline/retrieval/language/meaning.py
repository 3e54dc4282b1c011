"""Evaluate a query: the documents that match it, and the terms that rank them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.retrieval.index import derived
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.language.query_terms import QueryTerm, WiderIndex, phrases_of
from leadline.retrieval.language.spans import AnyOf, NearBy, Phrase, Positional, QueryWord, query_words
from leadline.retrieval.language.tree import (
    FILTERS,
    And,
    Boosted,
    Near,
    Node,
    Or,
    Side,
    Within,
    WordOrPhrase,
    is_filter,
    parts_of,
    query_text,
)
from leadline.text.days import day_number, parse_date

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

MOST_PLACED = 10_000  # words of one query in phrases, beside NEAR and truncated: the positions of each are read
MOST_NOTES = 50
AT_ONCE = 200  # words whose documents are looked up together


@dataclass
class Meaning:
    """Evaluates a query on an index. A part whose words are all stop words is ignored.

    `terms` are the terms that rank, with their weights: those of all parts that are not excluded.
    """

    index: WiderIndex
    fields: tuple[str, ...]  # searched for words that name no field
    scored: tuple[str, ...]  # these fields, and those that the query names
    terms: dict[str, float] = field(default_factory=dict)
    words: list[QueryWord] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)  # each once, in order
    _phrases: dict[str, Phrase | None] = field(default_factory=dict)  # by the text of a word or phrase

    def matching(self, node: Node) -> Mask | None:
        """The documents that match; None where the query has no word to search for and no filter."""
        nodes = list(_nodes(node))
        texts = list({each.text: None for each in nodes if isinstance(each, WordOrPhrase)})
        self._phrases = dict(zip(texts, phrases_of(self.index.analysis, texts), strict=True))
        self._check_size(nodes)
        return self._matching(node, self.fields, 1.0, quiet=True)

    def _check_size(self, nodes: Iterable[Node]) -> None:
        """Raise InputError for a query with so many words in phrases and beside NEAR that it would take minutes."""
        placed = sum(len(phrase.words) for phrase in self._phrases.values() if phrase and not phrase.is_one_term)
        placed += sum(len(each.parts) for each in nodes if isinstance(each, Near))
        if placed > MOST_PLACED:
            problem = f"has {placed:,} words in phrases, beside NEAR or cut off by *"
            raise InputError("query", f"{problem}; at most {MOST_PLACED:,} are searched for: split it into several")

    def _matching(self, node: Node, fields: Sequence[str], weight: float, *, quiet: bool = False) -> Mask | None:
        """The documents that match a part; `weight` is that of its words in the ranking, 0 if they are excluded."""
        if isinstance(node, WordOrPhrase):
            names = self._words(node, fields, weight, quiet)
            return None if names is None else self._having_all(names, fields)
        return _MEANINGS[type(node)](self, node, fields, weight)

    # Words, phrases, words near each other

    def _words(self, node: WordOrPhrase, fields: Sequence[str], weight: float, quiet: bool) -> list[str] | None:
        """The terms that a document must have to match a word or phrase; None where it is left out."""
        if set(fields) <= set(self.index.derived) and not node.text.endswith("*"):
            return self._derived(node, fields, weight)
        phrase = self._phrase(node, quiet)
        if phrase is None:
            return None
        if len(phrase.words) == 1 or self.index.manifest["positions"]:
            return [self._term(phrase, fields, weight)]
        self._lacks_positions(query_text(node))
        return [self._term(Phrase((unit,)), fields, weight) for unit in dict.fromkeys(query_words(phrase))]

    def _derived(self, node: WordOrPhrase, fields: Sequence[str], weight: float) -> list[str] | None:
        """The terms of a word or phrase in derived fields; None where there are none."""
        analysis = self.index.analysis
        terms = dict.fromkeys(term for name in fields for term in derived.terms(name, [node.text], analysis))
        if not terms:
            self._note(f"{node.text[:40]} is left out: it has no term in {' and '.join(fields)}")
            return None
        return [self._term(Phrase((QueryWord(term.encode()),)), fields, weight) for term in terms]

    def _phrase(self, node: WordOrPhrase, quiet: bool = False) -> Phrase | None:
        phrase = self._phrases[node.text]
        if phrase is None and not quiet:
            self._note(f"{node.text[:40]} is left out: too common to be in the index")
        if "*" in node.text.strip("*") and not node.quoted:
            self._note(f"{node.text[:40]}: a star truncates a word only at its end")
        return phrase

    def _term(self, part: Positional, fields: Sequence[str], weight: float) -> str:
        """The name of a part's term; unless the part is excluded, the term is added to those that rank."""
        if weight:
            self.words += query_words(part)
        name = _name(part)
        everywhere = set(fields) == set(self.scored)
        plain = isinstance(part, Phrase) and part.words == (QueryWord(name.encode()),)
        if not (plain and everywhere):
            name = name if everywhere else f"{','.join(fields)}:{name}"
            self.index.add_term(name, QueryTerm(part, tuple(self.index.fields) if everywhere else tuple(fields)))
        if weight:
            self.terms[name] = self.terms.get(name, 0.0) + weight
        return name

    def _having_any(self, names: Sequence[str], fields: Sequence[str]) -> Mask:
        mask = np.zeros(len(self.index), np.bool_)
        for first in range(0, len(names), AT_ONCE):
            terms = [name.encode() for name in names[first : first + AT_ONCE]]
            for each in fields:
                mask[self.index.lists(each, terms).documents] = True
        return mask

    def _having_all(self, names: Sequence[str], fields: Sequence[str]) -> Mask:
        return reduce(np.logical_and, [self._having_any([name], fields) for name in names])

    def _near(self, node: Near, fields: Sequence[str], weight: float) -> Mask | None:
        if not self.index.manifest["positions"]:
            self._lacks_positions(query_text(node))
            return self._and(And(node.parts), fields, weight)
        near = self._positional(node)
        if near is None:
            self._note("NEAR joins words, phrases and choices of them in one field: elsewhere it was taken as AND")
            return self._and(And(node.parts), fields, weight)
        part, named = near
        within = named or fields
        return None if part is None else self._having_any([self._term(part, within, weight)], within)

    def _positional(self, node: Node) -> tuple[Positional | None, tuple[str, ...]] | None:
        """A part that has places in a text, and the field it names; None for a part without places."""
        if isinstance(node, WordOrPhrase):
            return self._phrase(node), ()
        if isinstance(node, Within) and node.field not in FILTERS:
            inside = self._positional(node.part)
            return inside and (inside[0], inside[1] or (node.field,))
        if isinstance(node, Boosted):  # a weight within NEAR is ignored
            return self._positional(node.part)
        if isinstance(node, And) or (isinstance(node, Side) and any(mark for mark, _ in node.parts)):
            return None
        found = [self._positional(part) for part in parts_of(node)]
        fields = {each[1] for each in found if each is not None and each[1]}
        if None in found or len(fields) > 1 or (fields and not isinstance(node, Near)):
            return None
        field = fields.pop() if fields else ()
        if isinstance(node, Near):
            return self._chain(node, [each[0] for each in found if each]), field
        parts = tuple(each[0] for each in found if each and each[0])
        return (AnyOf(parts) if len(parts) > 1 else parts[0] if parts else None), field

    def _chain(self, node: Near, parts: Sequence[Positional | None]) -> Positional | None:
        kept = [(part, within) for part, within in zip(parts, (0, *node.within), strict=True) if part is not None]
        if len(kept) < 2:
            return kept[0][0] if kept else None
        return NearBy(tuple(part for part, _ in kept), tuple(within for _, within in kept[1:]))

    def _lacks_positions(self, part: str) -> None:
        self._note(
            f"{part[:60]} was taken as all of its words: the index keeps no positions; "
            "`leadline index --positions` makes one that does"
        )

    # Parts together

    def _and(self, node: And, fields: Sequence[str], weight: float) -> Mask | None:
        counted = Counter(node.parts).items()
        return _together(np.logical_and, (self._matching(part, fields, weight * count) for part, count in counted))

    def _or(self, node: Or, fields: Sequence[str], weight: float) -> Mask | None:
        alternatives = _Alternatives(self, fields)
        for part, count in Counter(node.parts).items():
            alternatives.add(part, weight * count)
        return alternatives.mask()

    def _side(self, node: Side, fields: Sequence[str], weight: float) -> Mask | None:
        """Required parts and filters hold, excluded ones do not; where no word is required, at least one is there."""
        words, excluded = _Alternatives(self, fields), _Alternatives(self, fields)
        required: Mask | None = None
        has_required = False
        for (mark, part), count in Counter(node.parts).items():
            if mark == "-":
                excluded.add(part, 0.0)
            elif mark == "+" or is_filter(part):
                found = self._matching(part, fields, weight * count, quiet=not mark)
                has_required |= found is not None and not is_filter(part)
                required = _together(np.logical_and, (required, found))
            else:
                words.add(part, weight * count, quiet=True)
        without = excluded.mask()
        asked = None if has_required else words.mask()
        return _together(np.logical_and, (required, asked, None if without is None else ~without))

    def _within(self, node: Within, fields: Sequence[str], weight: float) -> Mask | None:
        if node.field in FILTERS:
            return _FILTERS[node.field](self.index, [_value(node)])
        return self._matching(node.part, (node.field,), weight)

    def _boosted(self, node: Boosted, fields: Sequence[str], weight: float) -> Mask | None:
        return self._matching(node.part, fields, weight * node.factor)

    def _note(self, note: str) -> None:
        if len(self.notes) <= MOST_NOTES:
            self.notes[note if len(self.notes) < MOST_NOTES else "there are more parts like these"] = None


class _Alternatives:
    """The documents that have any of several parts. Words are looked up together, which is many times faster."""

    def __init__(self, meaning: Meaning, fields: Sequence[str]) -> None:
        self.meaning, self.fields = meaning, fields
        self.names: dict[str, None] = {}  # of terms, each of which is enough
        self.values: dict[str, list[str]] = {}  # of filters
        self.others: Mask | None = None

    def add(self, node: Node, weight: float, *, quiet: bool = False) -> None:
        """Add a part; `weight` and `quiet` are as in `Meaning._words`."""
        if isinstance(node, WordOrPhrase):
            names = self.meaning._words(node, self.fields, weight, quiet)
            if names is None:
                return
            if len(names) == 1:
                self.names[names[0]] = None
                return
            found: Mask | None = self.meaning._having_all(names, self.fields)
        elif isinstance(node, Within) and node.field in FILTERS:
            self.values.setdefault(node.field, []).append(_value(node))
            return
        else:
            found = self.meaning._matching(node, self.fields, weight)
        self.others = _together(np.logical_or, (self.others, found))

    def mask(self) -> Mask | None:
        """The documents; None where no part has a word to search for or a filter."""
        words = self.meaning._having_any(list(self.names), self.fields) if self.names else None
        filters = (_FILTERS[name](self.meaning.index, values) for name, values in self.values.items())
        return _together(np.logical_or, (self.others, words, *filters))


_MEANINGS: dict[type, Callable[[Meaning, Any, Sequence[str], float], Any]] = {
    Near: Meaning._near, And: Meaning._and, Or: Meaning._or, Side: Meaning._side, Within: Meaning._within,
    Boosted: Meaning._boosted,
}  # fmt: skip


def _together(join: Callable[[Mask, Mask], Mask], parts: Iterable[Mask | None]) -> Mask | None:
    known = (part for part in parts if part is not None)
    first = next(known, None)
    return None if first is None else reduce(join, known, first)


def _nodes(node: Node) -> Iterator[Node]:
    """The nodes of a tree; equal siblings once."""
    yield node
    for part in dict.fromkeys(parts_of(node)):
        yield from _nodes(part)


def _name(part: Positional) -> str:
    """A part as a query would write it, in the terms of the index."""
    if isinstance(part, Phrase):
        words = [_word(unit) if unit is not None else "_" for unit in part.words]
        return words[0] if len(words) == 1 else f'"{" ".join(words)}"'
    if isinstance(part, AnyOf):
        return f"({' OR '.join(map(_name, part.parts))})"
    names = map(_name, part.parts)
    return next(names) + "".join(f" NEAR/{within} {name}" for within, name in zip(part.within, names, strict=True))


def _word(unit: QueryWord) -> str:
    return f"{unit.prefix.decode()}*" if unit.prefix else unit.term.decode()


# Filters by metadata, as masks

_FILTERS: dict[str, Callable[[WiderIndex, Sequence[str]], Mask]] = {
    "class": lambda index, values: index.having("classes", values),
    "office": lambda index, values: index.having("office", values),
    "before": lambda index, values: published(index, "before", max(values)),  # ISO dates
    "after": lambda index, values: published(index, "after", min(values)),
}


def _value(node: Within) -> str:
    assert isinstance(node.part, WordOrPhrase)  # the parser makes one filter per value
    return node.part.text


def published(index: Index, when: str, date: str) -> Mask:
    """The documents published before a day or after it; those without a date are neither."""
    try:
        than = day_number(parse_date(date))
    except InputError:
        raise InputError(f"--{when}", f"{date!r} is not a date; write 1998-08-12") from None
    days = index.column("publication")
    return (days < than) & (days != MISSING) if when == "before" else days > than
