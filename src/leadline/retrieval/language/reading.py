"""Parse a query. Any text is a query: what cannot be parsed is taken as plain words, with a note.

    any of two or three, better both     polymer film
    both                                 polymer AND film
    one without the other                polymer NOT film, polymer -film
    a phrase, or words near each other   "polymer film", polymer NEAR/3 film, polymer PRE/3 film
    in the same sentence                 polymer SAME SENTENCE film

NEAR binds most tightly, then SAME, then NOT and the marks + and -, then words side by side, then AND, and OR the least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from leadline.retrieval.language.field_names import EXPECTED, filter_value, is_reversed
from leadline.retrieval.language.lexing import ENDS, LONGEST_NAME, MARKS, STARTS, tokenized
from leadline.retrieval.language.operators import Token, operator
from leadline.retrieval.language.periods import empty_periods
from leadline.retrieval.language.tree import (
    DATE_FILTERS,
    FILTERS,
    And,
    Boosted,
    Near,
    Node,
    Or,
    Same,
    Saved,
    Side,
    Understood,
    Within,
    WordOrPhrase,
)


def understand(text: str, fields: Sequence[str], saved: Sequence[int] | None = None) -> Understood:
    """The parsed query of a text, for documents with these fields; `saved` are the numbers of earlier queries.

    >>> understand("title:film OR (acid -metal^2) sort:newest", ["title"]).query
    'title:film OR acid -metal^2 sort:newest'
    >>> understand("polymer AND (", ["title"])
    Understood(tree=Side(parts=(('', WordOrPhrase(text='polymer', quoted=False, slop=0)),
      ('', WordOrPhrase(text='and', quoted=False, slop=0)))), order=None,
      notes=('( is never closed: taken as closed at the end', 'AND has nothing to join: taken as a word'))
    """
    found = tokenized(text, [*fields, *FILTERS], saved)
    parser = _QueryParser(_joining(found.tokens, found.notes), found.notes)
    tree = parser.alternatives() if parser.tokens else None
    if tree is not None:
        found.notes.extend(empty_periods(tree))
    return Understood(tree, found.order, tuple(dict.fromkeys(found.notes)))


PEOPLE = ("applicant", "inventor")
NAMED = ("applicant", "inventor", "number", "cites", "cited-by", "family")  # filters by a name of several words
OPERATORS = ("AND", "OR", "NOT", "NEAR", "SAME")
_OPENS = STARTS | MARKS
_MAY_FOLLOW = dict.fromkeys(("AND", "OR", *MARKS), _OPENS) | dict.fromkeys(("NEAR", "SAME", "field"), STARTS)


def _joining(tokens: Sequence[Token], notes: list[str]) -> list[Token]:
    """The tokens with every operator between two parts: others become words, and marks without a part are dropped."""
    kept: list[Token] = []
    for token in reversed(tokens):
        following = kept[-1].kind if kept else ")"
        if token.kind == "(" and following == ")":  # empty, since an operator in it joined nothing
            del kept[-1:]
        elif following in _MAY_FOLLOW.get(token.kind, {following}):
            kept.append(token)
        elif token.kind in OPERATORS and (word := _as_word(token, notes)):
            kept.append(word)
    joined: list[Token] = []
    for token in reversed(kept):
        before = joined[-1].kind if joined else "("
        between = token.kind not in ("AND", "OR", "NEAR", "SAME") or before in ENDS
        if kept_token := token if between else _as_word(token, notes):
            joined.append(kept_token)
    return joined


def _as_word(token: Token, notes: list[str]) -> Token | None:
    """An operator that joins nothing, as a word; None for one that is written with signs."""
    if not token.text.isalpha():  # W/5 is no word of a text
        notes.append(f"{token.text} has nothing to join: ignored")
        return None
    notes.append(f"{token.text} has nothing to join: taken as a word")
    return Token("word", token.text.lower())


def _one_name(node: Side) -> str:
    """The words of a part that has nothing but words; empty for any other."""
    words = [part.text for mark, part in node.parts if not mark and isinstance(part, WordOrPhrase) and not part.quoted]
    return " ".join(words) if len(words) == len(node.parts) else ""


class _QueryParser:
    """Recursive descent, one method per level; every level has at least one part."""

    def __init__(self, tokens: Sequence[Token], notes: list[str]) -> None:
        self.tokens, self.notes = tokens, notes
        self.kinds = [*(token.kind for token in tokens), ")"]  # as if all were in parentheses
        self.at = 0

    def _kind(self) -> str:
        return self.kinds[self.at]

    def _taken(self, kind: str) -> bool:
        taken = self._kind() == kind
        self.at += taken
        return taken

    def alternatives(self) -> Node:
        parts = [self._all()]
        while self._taken("OR"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _all(self) -> Node:
        parts = [self._side()]
        while self._taken("AND"):
            parts.append(self._side())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _side(self) -> Node:
        parts = []
        while self._kind() in _OPENS:
            mark = ""
            while self._kind() in MARKS:  # two NOTs cancel out
                following = "+" if self._kind() == "+" else "-"
                mark = following if mark != "-" else "" if following == "-" else "-"
                self.at += 1
            parts.append((mark, self._same()))
        return parts[0][1] if len(parts) == 1 and not parts[0][0] else Side(tuple(parts))

    def _same(self) -> Node:
        """Parts joined by SAME, from left to right; those of one unit together."""
        node: Node = self._near()
        parts, unit = [node], ""
        while self._kind() == "SAME":
            asked = self.tokens[self.at].value
            if unit and asked != unit:
                parts = [Same(tuple(parts), unit)]  # type: ignore[arg-type]
            unit = asked
            self.at += 1
            parts.append(self._near())
        return Same(tuple(parts), unit) if unit else node  # type: ignore[arg-type]

    def _near(self) -> Node:
        parts, within, ordered = [self._unit()], [], []
        while self._kind() == "NEAR":
            within.append(int(self.tokens[self.at].number))
            ordered.append(self.tokens[self.at].ordered)
            self.at += 1
            parts.append(self._unit())
        if len(parts) == 1:
            return parts[0]
        return Near(tuple(parts), tuple(within), tuple(ordered) if any(ordered) else ())

    def _unit(self) -> Node:
        field = ""
        while self._kind() == "field":
            field = self.tokens[self.at].text
            self.at += 1
        token = self.tokens[self.at]
        self.at += 1
        node: Node
        if token.kind == "(":
            node = self.alternatives()
            self.at += 1
        elif token.kind == "saved":
            node = Saved(int(token.number))
        else:
            slop = int(self.tokens[self.at].number) if self._kind() == "slop" else 0
            self.at += self._kind() == "slop"
            node = WordOrPhrase(token.text, token.kind == "quoted", slop)
        if field:
            node = self._within(field, node)
        if self._kind() == "boost":
            node = Boosted(node, self.tokens[self.at].number)
            self.at += 1
        return node

    def _within(self, field: str, node: Node) -> Node:
        """A part in a field; the innermost field counts, and an invalid value of a filter is taken as words."""
        if isinstance(node, Within):
            return node
        if "," in field:
            return Or(tuple(self._within(each, node) for each in field.split(",")))
        if field not in FILTERS:
            return Within(field, node)
        return self._filters(field, node)

    def _filters(self, name: str, node: Node) -> Node:
        """The filter for every word of a part: class:(C07D OR A61K) is class:C07D OR class:A61K."""
        if isinstance(node, WordOrPhrase):
            whole = node.quoted or name in DATE_FILTERS
            values = [
                filter_value(name, written) for written in ([node.text] if whole else node.text.rstrip(",;").split(","))
            ]
            if all(values):
                self.notes += [f"{name}:{value} ends before it begins: nothing matches" for value in values
                               if name in DATE_FILTERS and is_reversed(value)]  # fmt: skip
                filters: list[Node] = [
                    Within(name, WordOrPhrase(value, not value.isalnum() and name in NAMED)) for value in values
                ]
                return filters[0] if len(filters) == 1 else Or(tuple(filters))
            self.notes.append(f"{name}:{node.text[:40]} was taken as words: {EXPECTED[name]}")
            # In quotes, so that the query as it is shown means the same again.
            ambiguous = "^" in node.text or operator(node.text[: LONGEST_NAME + 1]) is not None
            word = replace(node, quoted=True) if ambiguous else node
            return Side((("", WordOrPhrase(name)), ("", word)))
        if isinstance(node, (Within, Boosted)):
            return node if isinstance(node, Within) else self._filters(name, node.part)
        if isinstance(node, Saved):
            self.notes.append(f"{name}:#{node.number} was taken as #{node.number}: an earlier query has its own fields")
            return node
        if isinstance(node, (Near, Same)):
            self.notes.append(f"{'NEAR' if isinstance(node, Near) else 'SAME'} says nothing about {name}: taken as AND")
            return And(tuple(self._filters(name, part) for part in node.parts))
        if isinstance(node, Side):
            if name in PEOPLE and (whole_name := _one_name(node)):
                self.notes.append(f"{name}:({whole_name}) was taken as one name; write OR between names")
                return Within(name, WordOrPhrase(whole_name, quoted=True))
            if not any(mark for mark, _ in node.parts):  # any one of several classes
                return Or(tuple(self._filters(name, part) for _, part in node.parts))
            return Side(tuple((mark, self._filters(name, part)) for mark, part in node.parts))
        return replace(node, parts=tuple(self._filters(name, part) for part in node.parts))
