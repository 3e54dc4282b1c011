"""What a query means in an index: the documents that match it, and the terms that rank them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.records.result import counted
from leadline.retrieval.index import derived
from leadline.retrieval.index.analysis import in_several_words, prepared
from leadline.retrieval.index.index import rows_with_all
from leadline.retrieval.language.filters import DATED, count_missing, missing, notes_of, passing
from leadline.retrieval.language.matching import (
    AnyOf,
    BlockKind,
    NearBy,
    Phrase,
    Positional,
    QueryWord,
    Together,
    as_letters,
    query_words,
)
from leadline.retrieval.language.query_terms import QueryTerm, WiderIndex, has_left_out
from leadline.retrieval.language.tree import (
    FILTERS,
    And,
    Boosted,
    Heading,
    Near,
    Node,
    Or,
    Same,
    Saved,
    Side,
    Within,
    WordOrPhrase,
    filter_value,
    is_filter,
    nodes_of,
    parts_of,
    query_text,
    ranking_numbers,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]
    Texts = Callable[[NDArray[np.integer[Any]], Sequence[str]], Mapping[int, tuple[str, Sequence[str]]]]


# Parts of a query as text: in the terms of the index, and as the query writes them.


def part_name(part: Positional) -> str:
    """A part as a query would write it, in the terms of the index."""
    if isinstance(part, Phrase):
        words = [_word(unit) if unit is not None else "_" for unit in part.words]
        slop = f"~{part.slop}" if part.slop else ""
        return words[0] if len(words) == 1 else f'"{" ".join(words)}"{slop}'
    if isinstance(part, AnyOf):
        return f"({' OR '.join(map(part_name, part.parts))})"
    if isinstance(part, Together):
        return f"({f' SAME {part.kind.upper()} '.join(map(part_name, part.parts))})"
    names = map(part_name, part.parts)
    ordered = part.ordered or (False,) * len(part.within)
    return next(names) + "".join(
        f" {'PRE' if in_order else 'NEAR'}/{within} {name}"
        for within, in_order, name in zip(part.within, ordered, names, strict=True)
    )


def _word(unit: QueryWord) -> str:
    return unit.pattern or (f"={unit.exact.decode()}" if unit.exact else unit.term.decode())


def as_typed(name: str, node: Node, fields: Sequence[str], known: str = "") -> str:
    """A part as the query writes it, with the fields that its name has; added to other words of the same term.

    >>> from leadline.retrieval.language.tree import WordOrPhrase
    >>> as_typed("title:film", WordOrPhrase("Films"), ["title"]), as_typed("film", WordOrPhrase("film"), [], "Films")
    ('title:Films', 'Films, film')
    """
    prefix = f"{','.join(fields)}:"
    shown = (prefix if name.startswith(prefix) else "") + query_text(node)
    return f"{known}, {shown}" if known and shown not in known.split(", ") else known or shown


# Evaluate a query: the documents that match it, and the terms that rank them.


MOST_PLACED = 10_000  # words of one query in phrases, beside NEAR and truncated: the positions of each are read
MOST_NOTES = 50
MOST_READ = 20_000  # documents whose texts are read for the common words of a phrase
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
    written: dict[str, str] = field(default_factory=dict)  # the terms as the query writes them
    saved: Mapping[int, Node] = field(default_factory=dict)  # earlier queries, by their numbers
    undated_pass: bool = False  # whether documents without a date pass filters by date
    has_undated: bool = False  # whether there are such documents, and filters by date
    phrases: dict[str, Phrase | None] = field(default_factory=dict)  # by the text of a word or phrase
    exact_phrases: dict[str, Phrase | None] = field(default_factory=dict)  # of words without their other forms
    found: dict[int, Mask | None] = field(default_factory=dict)  # what earlier queries found
    texts: Texts | None = None  # reads documents by their rows

    def matching(self, node: Node) -> Mask | None:
        """The documents that match; None where the query has no word to search for and no filter."""
        self._prepare(node)
        return self._matching(node, self.fields, 1.0, quiet=True)

    def required_terms(self, node: Node) -> list[str] | None:
        """The terms that a document needs to match, where the query is nothing but words joined by AND; else None."""
        parts = node.parts if isinstance(node, And) else (node,)
        words = [part for part in parts if isinstance(part, WordOrPhrase)]
        if len(words) < len(parts):
            return None
        self._prepare(node)
        if any(map(self._has_left_out_words, words)):
            return None
        names: list[str] = []
        for word, count in Counter(words).items():
            names += self._words(word, self.fields, float(count), quiet=len(parts) == 1) or ()
        return names

    def enough_terms(self, node: Node) -> list[str] | None:
        """The terms each of which is enough, where the query is nothing but words side by side or joined by OR."""
        if isinstance(node, Side):
            parts = [part for mark, part in node.parts if not mark]
        else:
            parts = list(node.parts) if isinstance(node, Or) else []
        words = [part for part in parts if isinstance(part, WordOrPhrase)]
        if len(words) < len(node.parts if isinstance(node, (Side, Or)) else (node,)):
            return None
        self._prepare(node)
        if not all(map(self._is_one_term, words)):
            return None
        found: dict[str, None] = {}
        for word, count in Counter(words).items():
            found |= dict.fromkeys(self._words(word, self.fields, float(count), quiet=isinstance(node, Side)) or ())
        return list(found)

    def _is_one_term(self, node: WordOrPhrase) -> bool:
        """Whether a word or phrase is one term of the index or of the query, or none."""
        if self.index.derived and not set(self.fields).isdisjoint(self.index.derived):
            return False
        phrase = (self.exact_phrases if node.exact else self.phrases)[node.text]
        is_one = phrase is None or len(phrase.words) == 1 or self.index.manifest["positions"]
        return is_one and not self._has_left_out_words(node)

    def having_any(self, names: Sequence[str], among: Mask | None = None) -> Mask:
        """The documents that have any of the terms, among those of a mask."""
        found = self._having_any(names, self.fields)
        return found if among is None else found & among

    def having(self, names: Sequence[str], among: Mask | None = None) -> Mask:
        """The documents that have all terms, among those of a mask."""
        found = self._having_all(names, self.fields)
        return found if among is None else found & among

    def _prepare(self, node: Node) -> None:
        """Look up the words of a query, and find what the earlier queries that it names found."""
        nodes = list(nodes_of(node))
        named: set[int] = set()
        for each in nodes:  # the list grows: earlier queries may name earlier ones
            if isinstance(each, Saved) and each.number not in named and each.number not in self.found:
                named.add(each.number)
                nodes += nodes_of(self.saved[each.number])
        for exact in (False, True):
            texts = list({each.text: None for each in nodes if isinstance(each, WordOrPhrase) and each.exact == exact})
            if not exact:
                texts += [each.name for each in nodes if isinstance(each, Heading)]  # in case no thesaurus has it
            known = self.exact_phrases if exact else self.phrases
            known.update(zip(texts, self.index.phrases(texts, exact=exact), strict=True))
        self._check_size(nodes)
        ranking = set(ranking_numbers(node)) if named else set()
        for number in sorted(named, reverse=True):
            ranking.update(ranking_numbers(self.saved[number]) if number in ranking else ())
        for number in sorted(named):  # a query names only earlier ones
            weight = float(number in ranking)
            self.found[number] = self._matching(self.saved[number], self.fields, weight, quiet=True)

    def _check_size(self, nodes: Iterable[Node]) -> None:
        """Raise InputError for a query with so many words in phrases and beside NEAR that it would take minutes."""
        asked = (*self.phrases.values(), *self.exact_phrases.values())
        placed = sum(len(phrase.words) for phrase in asked if phrase and not phrase.is_one_term)
        placed += sum(len(each.parts) for each in nodes if isinstance(each, (Near, Same)))
        if placed > MOST_PLACED:
            problem = f"has {placed:,} words in phrases, beside NEAR or cut off by *"
            raise InputError("query", f"{problem}; at most {MOST_PLACED:,} are searched for: split it into several")

    def _matching(self, node: Node, fields: Sequence[str], weight: float, *, quiet: bool = False) -> Mask | None:
        """The documents that match a part; `weight` is that of its words in the ranking, 0 if they are excluded."""
        if isinstance(node, WordOrPhrase):
            names = self._words(node, fields, weight, quiet)
            if names is None:
                return None
            found = self._having_all(names, fields)
            return self._with_left_out_words(node, fields, found) if self._has_left_out_words(node) else found
        return _MEANINGS[type(node)](self, node, fields, weight)

    # Words, phrases, words near each other

    def _has_left_out_words(self, node: WordOrPhrase) -> bool:
        """Whether a phrase has words that are not in the index, so that the texts are read to find them."""
        if self.texts is None or " " not in node.text or node.slop or not self.index.manifest["positions"]:
            return False
        phrase = (self.exact_phrases if node.exact else self.phrases).get(node.text)
        return phrase is not None and len(phrase.words) > 0 and has_left_out(self.index.analysis, node.text)

    def _with_left_out_words(self, node: WordOrPhrase, fields: Sequence[str], found: Mask) -> Mask:
        """The documents of a mask that have the phrase word for word: "water in oil" is not "water and oil"."""
        rows = np.flatnonzero(found)
        if len(rows) > MOST_READ:
            self._note(
                f"{query_text(node)[:60]}: any word may stand where it has a common one: {len(rows):,} documents"
            )
            return found
        phrase = self.index.worded(node.text, exact=node.exact)
        assert self.texts is not None
        kept = found.copy()
        for row, (language, texts) in self.texts(rows, [name for name in fields if name in self.index.own]).items():
            kept[row] = phrase.is_in(texts, language)
        return kept

    def _words(self, node: WordOrPhrase, fields: Sequence[str], weight: float, quiet: bool) -> list[str] | None:
        """The terms that a document must have to match a word or phrase; None where it is left out."""
        names = self._names(node, fields, weight, quiet)
        if names is not None and len(names) == 1:
            self.written[names[0]] = as_typed(names[0], node, fields, self.written.get(names[0], ""))
        return names

    def _names(self, node: WordOrPhrase, fields: Sequence[str], weight: float, quiet: bool) -> list[str] | None:
        if self.index.derived and set(fields) <= set(self.index.derived) and as_letters(node.text) == node.text:
            return self._derived(node, fields, weight)
        phrase = self._phrase(node, quiet)
        if phrase is None:
            return None
        if len(phrase.words) == 1 and (separate := self._in_several_words(node, phrase)) is not None:
            return [self._term(AnyOf((phrase, separate)), fields, weight)]
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
        phrase = (self.exact_phrases if node.exact else self.phrases)[node.text]
        if phrase is None and not quiet:
            self._note(f"{node.text[:40]} is left out: too common to be in the index")
        return replace(phrase, slop=node.slop) if phrase and node.slop and len(phrase.words) > 1 else phrase

    def _in_several_words(self, node: WordOrPhrase, phrase: Phrase) -> Phrase | None:
        """The phrase as which documents may write a number or a name: 1 000 for 1000, COVID 19 for COVID-19."""
        if len(phrase.words) > 1 or not self.index.manifest["positions"] or phrase.words[0].pattern:  # type: ignore[union-attr]
            return None
        separate = in_several_words(prepared(node.text).decode(), self.index.analysis.language)
        (found,) = self.index.phrases([separate]) if separate else [None]
        if found is None or None in found.words:
            return None
        terms = [word.term for word in query_words(found)]
        if not any(self.index.has_terms(name, terms).all() for name in self.index.own):
            return None
        return Phrase(tuple(QueryWord(term) for term in terms))  # these words only, not names that have them as parts

    def _term(self, part: Positional, fields: Sequence[str], weight: float, name: str = "") -> str:
        """The name of a part's term; unless the part is excluded, the term is added to those that rank."""
        if weight:
            self.words += query_words(part)
        name = name or part_name(part)
        everywhere = fields == self.scored or set(fields) == set(self.scored)
        if not (everywhere and isinstance(part, Phrase) and part.plain_term):
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
        terms = [name.encode() for name in names]
        if len(fields) == 1 and self.index.are_stored(terms):
            mask = np.zeros(len(self.index), np.bool_)
            mask[rows_with_all(self.index, fields[0], terms)] = True
            return mask
        return reduce(np.logical_and, [self._having_any([name], fields) for name in names])

    def _near(self, node: Near | Same, fields: Sequence[str], weight: float) -> Mask | None:
        if not self.index.manifest["positions"]:
            self._lacks_positions(query_text(node))
            return self._and(And(node.parts), fields, weight)
        near = self._positional(node)
        if near is None:
            name = "NEAR" if isinstance(node, Near) else "SAME"
            self._note(f"{name} joins words, phrases and choices of them in one field: elsewhere it was taken as AND")
            return self._and(And(node.parts), fields, weight)
        part, named = near
        within = named or fields
        if named:
            self._check_words(named)
        if part is None:
            return None
        name = self._term(part, within, weight)
        self.written[name] = as_typed(name, node, within)
        return self._having_any([name], within)

    def _positional(self, node: Node) -> tuple[Positional | None, tuple[str, ...]] | None:
        """A part that has places in a text, and the field it names; None for a part without places."""
        if isinstance(node, WordOrPhrase):
            phrase = self._phrase(node)
            separate = self._in_several_words(node, phrase) if phrase else None
            return (phrase if phrase is None or separate is None else AnyOf((phrase, separate))), ()
        if isinstance(node, Heading):
            names = self._names_of(node)
            if names is None:
                return self._positional(WordOrPhrase(node.name, quoted=True))
            return (AnyOf(tuple(names)) if names else None), ()
        if isinstance(node, Within) and node.field not in FILTERS:
            inside = self._positional(node.part)
            return inside and (inside[0], inside[1] or node.fields)
        if isinstance(node, Boosted):  # a weight within NEAR is ignored
            return self._positional(node.part)
        if isinstance(node, (And, Saved)) or (isinstance(node, Side) and any(mark for mark, _ in node.parts)):
            return None
        found = [self._positional(part) for part in parts_of(node)]
        fields = {each[1] for each in found if each is not None and each[1]}
        if isinstance(node, Same) and node.unit == "claim":
            fields.add(("claims",))
            if "claims" not in self.index.fields:
                self._note("SAME CLAIM needs an index with the field claims: taken as AND")
                return None
        if None in found or len(fields) > 1 or (fields and not isinstance(node, (Near, Same))):
            return None
        field = fields.pop() if fields else ()
        if isinstance(node, Same):
            together = tuple(each[0] for each in found if each and each[0])
            kind: BlockKind = "sentence" if node.unit == "sentence" else "paragraph"
            return (Together(together, kind) if len(together) > 1 else together[0] if together else None), field
        if isinstance(node, Near):
            return self._chain(node, [each[0] for each in found if each]), field
        parts = tuple(each[0] for each in found if each and each[0])
        return (AnyOf(parts) if len(parts) > 1 else parts[0] if parts else None), field

    def _chain(self, node: Near, parts: Sequence[Positional | None]) -> Positional | None:
        links = zip(parts, (0, *node.within), (False, *node.is_ordered), strict=True)
        kept = [(part, within, ordered) for part, within, ordered in links if part is not None]
        if len(kept) < 2:
            return kept[0][0] if kept else None
        chained, within, ordered = zip(*kept, strict=True)
        return NearBy(chained, within[1:], ordered[1:] if any(ordered) else ())

    def _lacks_positions(self, part: str) -> None:
        self._note(
            f"{part[:60]} was taken as all of its words: the index keeps no positions; "
            "`leadline index --positions` makes one that does"
        )

    # Headings of the thesaurus

    def _heading(self, node: Heading, fields: Sequence[str], weight: float) -> Mask | None:
        """The documents that have a name of a heading, or of a narrower one, in their texts."""
        phrases = self._names_of(node)
        if phrases is None:
            return self._matching(WordOrPhrase(node.name, quoted=" " in node.name), fields, weight)
        if not phrases:
            return np.zeros(len(self.index), np.bool_)
        if not self.index.manifest["positions"] and any(len(phrase.words) > 1 for phrase in phrases):
            self._lacks_positions(f"each name of {query_text(node)}")
            names = [[self._term(Phrase((unit,)), fields, weight) for unit in query_words(each)] for each in phrases]
            return np.logical_or.reduce([self._having_all(list(dict.fromkeys(each)), fields) for each in names])
        part = AnyOf(tuple(phrases)) if len(phrases) > 1 else phrases[0]
        name = self._term(part, fields, weight, query_text(node))
        self.written[name] = as_typed(name, node, fields)
        return self._having_any([name], fields)

    def _names_of(self, node: Heading) -> list[Phrase] | None:
        """The names of a heading that may be in some document, as phrases; None where there is no such heading."""
        names, notes = names_of(self.index, node)
        for note in notes:
            self._note(note)
        return None if names is None else possible(self.index, names)

    # Parts together

    def _and(self, node: And, fields: Sequence[str], weight: float) -> Mask | None:
        names: list[str] = []
        found: list[Mask | None] = []
        for part, count in Counter(node.parts).items():
            if isinstance(part, WordOrPhrase) and not self._has_left_out_words(part):  # words are looked up together
                names += self._words(part, fields, weight * count, quiet=False) or ()
            else:
                found.append(self._matching(part, fields, weight * count))
        if names:
            found.append(self._having_all(names, fields))
        return _together(np.logical_and, found)

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
            return self._filtered(node.field, [filter_value(node)])
        self._check_words(node.fields)
        return self._matching(node.part, node.fields, weight)

    def _filtered(self, name: str, values: Sequence[str]) -> Mask:
        """The documents that a filter lets pass."""
        for note in notes_of(self.index, name, values):
            self._note(note)
        mask = passing(self.index, name, values)
        if name in DATED:
            self.has_undated |= count_missing(self.index, name) > 0
            if self.undated_pass:
                return mask | missing(self.index, name)
        return mask

    def _check_words(self, names: Sequence[str]) -> None:
        if not any(len(segment.field(name).documents) for segment in self.index.segments for name in names):
            self._note(f"{','.join(names)}: finds nothing: no document of this index has {' or '.join(names)}")

    def _earlier(self, node: Saved, fields: Sequence[str], weight: float) -> Mask | None:
        """What an earlier query found; its words rank once, however often it is named."""
        return self.found[node.number]

    def _boosted(self, node: Boosted, fields: Sequence[str], weight: float) -> Mask | None:
        return self._matching(node.part, fields, weight * node.factor)

    def _note(self, note: str) -> None:
        if len(self.notes) <= MOST_NOTES:
            self.notes[note if len(self.notes) < MOST_NOTES else "there are more parts like these"] = None


class _Alternatives:
    """The documents that have any of several parts. Words are looked up together, which is many times faster."""

    def __init__(self, meaning: Meaning, fields: Sequence[str]) -> None:
        self.meaning, self.fields = meaning, fields
        self.names: dict[tuple[str, ...], dict[str, None]] = {}  # by fields, of terms each of which is enough
        self.values: dict[str, list[str]] = {}  # of filters
        self.others: Mask | None = None

    def add(self, node: Node, weight: float, *, quiet: bool = False) -> None:
        """Add a part; `weight` and `quiet` are as in `Meaning._words`."""
        fields = self.fields
        if isinstance(node, Within) and node.field not in FILTERS and isinstance(node.part, WordOrPhrase):
            self.meaning._check_words(node.fields)
            fields, node, quiet = node.fields, node.part, False
        found: Mask | None
        if isinstance(node, WordOrPhrase):
            names = self.meaning._words(node, fields, weight, quiet)
            if names is None:
                return
            reads = self.meaning._has_left_out_words(node)
            if len(names) == 1 and not reads:
                self.names.setdefault(tuple(fields), {})[names[0]] = None
                return
            found = self.meaning._having_all(names, fields)
            found = self.meaning._with_left_out_words(node, fields, found) if reads else found
        elif isinstance(node, Within) and node.field in FILTERS:
            self.values.setdefault(node.field, []).append(filter_value(node))
            return
        else:
            found = self.meaning._matching(node, self.fields, weight)
        self.others = _together(np.logical_or, (self.others, found))

    def mask(self) -> Mask | None:
        """The documents; None where no part has a word to search for or a filter."""
        words = (self.meaning._having_any(list(names), fields) for fields, names in self.names.items())
        filters = (self.meaning._filtered(name, values) for name, values in self.values.items())
        return _together(np.logical_or, (self.others, *words, *filters))


_MEANINGS: dict[type, Callable[[Meaning, Any, Sequence[str], float], Any]] = {
    Near: Meaning._near,
    Same: Meaning._near,
    Saved: Meaning._earlier,
    Heading: Meaning._heading,
    And: Meaning._and,
    Or: Meaning._or,
    Side: Meaning._side,
    Within: Meaning._within,
    Boosted: Meaning._boosted,
}


def _together(join: Callable[[Mask, Mask], Mask], parts: Iterable[Mask | None]) -> Mask | None:
    known = (part for part in parts if part is not None)
    first = next(known, None)
    return None if first is None else reduce(join, known, first)


LONGEST_SHOWN = 60  # characters of a heading in a note


def names_of(index: WiderIndex, node: Heading) -> tuple[list[str] | None, list[str]]:
    """The names that a heading asks for, and what to say of it; None where no thesaurus has it."""
    thesaurus, shown = index.thesaurus, query_text(node)[:LONGEST_SHOWN]
    if thesaurus is None:
        where = f"`leadline index COLLECTION -o {index.folder} --update --thesaurus FILE` keeps one"
        return None, [f"{shown} was taken as words: no thesaurus is loaded; {where}"]
    name, stroke, subheading = node.name, "", ""
    if not thesaurus.has(name):
        name, stroke, subheading = (part.strip() for part in node.name.partition("/"))
    exploded, first = thesaurus.exploded(name), thesaurus.heading(name)
    if first is None:
        return None, [f"{shown} was taken as words: not in {thesaurus.source}{thesaurus.nearest(name)}"]
    notes = [f"{shown}: the subheading {subheading[:LONGEST_SHOWN]} is ignored"] if stroke else []
    headings = exploded if node.exploded else [first]
    names = list(dict.fromkeys(each for heading in headings for each in heading.names))
    narrower = f" with {counted(len(headings) - 1, 'narrower heading')}" if node.exploded else ""
    said = f"{shown} is {first.label}{narrower}: {counted(len(names), 'name')} searched for in the texts"
    return names, [*notes, said]


def possible(index: WiderIndex, names: Sequence[str]) -> list[Phrase]:
    """Names as phrases, of which each word is in some document: most names of a large thesaurus are in none."""
    phrases = list(dict.fromkeys(phrase for phrase in index.phrases(names) if phrase is not None))
    units = list({unit: None for phrase in phrases for unit in query_words(phrase)})
    terms = list({term: None for unit in units for term in (unit.term, *unit.others)})
    there = np.zeros(len(terms), np.bool_)
    for name in index.fields:
        there |= index.has_terms(name, terms)
    known = {term for term, is_there in zip(terms, there.tolist(), strict=True) if is_there}
    return [
        phrase
        for phrase in phrases
        if all(unit.pattern or not known.isdisjoint((unit.term, *unit.others)) for unit in query_words(phrase))
    ]
