"""Cut a query into words, signs and operators. Nothing is refused: a sign without a meaning separates words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from leadline.errors import nearest
from leadline.retrieval.language.tree import ORDERS, ResultOrder

TokenKind = Literal["word", "quoted", "(", ")", "AND", "OR", "NOT", "NEAR", "+", "-", "field", "boost"]
STARTS: frozenset[TokenKind] = frozenset({"word", "quoted", "(", "field"})  # of a unit
MARKS: frozenset[TokenKind] = frozenset({"+", "-", "NOT"})
ENDS: frozenset[TokenKind] = frozenset({"word", "quoted", ")", "boost"})
USUAL_DISTANCE = 5  # of NEAR without a number
DEEPEST = 40  # parentheses within parentheses

_QUOTES = '"“”„«»'
_RUN = re.compile(rf"[^\s(){_QUOTES}]+")
_OPERATOR = re.compile(r"(AND|OR|NOT)|(NEAR)(?:/([1-9][0-9]{0,4}))?")
_FIELD = re.compile(r"([^\W\d]\w*):")
_BOOST = re.compile(r"\^([0-9]{1,4}(?:\.[0-9]{1,4})?)")
_BOOSTED = re.compile(rf"(.*[^\^]){_BOOST.pattern}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    kind: TokenKind
    text: str = ""
    number: float = 0.0


@dataclass
class Tokenized:
    tokens: list[Token]
    order: ResultOrder | None
    notes: list[str]


def tokenized(text: str, fields: Sequence[str]) -> Tokenized:
    """The tokens of a query; `fields` are the names that a colon may follow.

    >>> [token.kind for token in tokenized('title:film AND "a nail"^2 -poly(ethylene)', ["title"]).tokens]
    ['field', 'word', 'AND', 'quoted', 'boost', '-', 'word', 'word']
    """
    lexer = _Lexer(text, fields)
    lexer.run()
    return Tokenized(lexer.tokens, lexer.order, list(dict.fromkeys(lexer.notes)))


class _Lexer:
    def __init__(self, text: str, fields: Sequence[str]) -> None:
        self.text, self.fields = text, fields
        self.tokens: list[Token] = []
        self.order: ResultOrder | None = None
        self.notes: list[str] = []
        self.at = 0
        self.open: list[bool] = []  # whether each parenthesis open here is one of the query, not of a name
        self.depth = 0  # how many of them are

    def run(self) -> None:
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign.isspace():
                self.at += 1
            elif sign in _QUOTES:
                self._quoted()
            elif sign == "(":
                self._opened()
            elif sign == ")":
                self._closed()
            else:
                self._run(self._matched(_RUN))
        if self.depth:
            self.notes.append("( is never closed: taken as closed at the end")
        while self.depth:
            self._close()

    def _matched(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        assert match is not None  # anything but a blank, parenthesis or quotation mark begins a run
        return match[0]

    def _follows(self, *kinds: TokenKind) -> bool:
        """Whether the last token is one of these and directly precedes this place."""
        return bool(self.tokens) and self.tokens[-1].kind in kinds and not self._behind_blank()

    def _behind_blank(self) -> bool:
        return self.at == 0 or self.text[self.at - 1].isspace()

    def _behind_letter(self) -> bool:
        letter = self.at > 0 and self.text[self.at - 1].isalnum()
        return letter and not self._follows("AND", "OR", "NOT", "NEAR", "boost")

    def _quoted(self) -> None:
        if self._behind_letter():  # as in 5" pipe
            self.at += 1
            return
        end = next((at for at in range(self.at + 1, len(self.text)) if self.text[at] in _QUOTES), None)
        if end is None:
            self.notes.append(f"{self.text[self.at]} without a second one was ignored")
            self.at += 1
            return
        inside = " ".join(self.text[self.at + 1 : end].split())
        self.at = end + 1
        if any(map(str.isalnum, inside)):
            self.tokens.append(Token("quoted", inside))
            self._boost()
        else:
            self._nothing_behind()

    def _opened(self) -> None:
        grouping = not self._behind_letter()  # poly(ethylene glycol) is a name
        if grouping and self.depth >= DEEPEST:
            self.notes.append(f"parentheses deeper than {DEEPEST} were ignored")
            grouping = False
        self.open.append(grouping)
        self.depth += grouping
        if grouping:
            self.tokens.append(Token("("))
        self.at += 1

    def _closed(self) -> None:
        self.at += 1
        if not self.open:
            self.notes.append(") without ( was ignored")
        elif self.open.pop() and self._close():
            self._boost()

    def _close(self) -> bool:
        """End the last part in parentheses; False where they are empty."""
        self.depth -= 1
        if self.tokens[-1].kind == "(":
            self.tokens.pop()
            self._nothing_behind()
            return False
        self.tokens.append(Token(")"))
        return True

    def _nothing_behind(self) -> None:
        """Remove fields and marks whose part is empty."""
        while self.tokens and self.tokens[-1].kind in ("field", "+", "-"):
            self.tokens.pop()

    def _boost(self) -> None:
        match = _BOOST.match(self.text, self.at)
        if match and (match.end() == len(self.text) or not self.text[match.end()].isalnum()):
            self.tokens.append(Token("boost", number=float(match[1])))
            self.at = match.end()

    def _run(self, run: str) -> None:
        """The text up to the next blank: a word, an operator, or a mark or a field with something after it."""
        marked = self._follows("+", "-", "field")
        operator = _OPERATOR.fullmatch(run)
        if operator is not None and not marked:
            kind: TokenKind = operator[1] or operator[2]  # type: ignore[assignment]
            self.tokens.append(Token(kind, run, float(operator[3] or USUAL_DISTANCE)))
            self.at += len(run)
            return
        if run[0] in "+-" and (self._behind_blank() or self._follows("(")) and self._unit_at(self.at + 1):
            self.tokens.append(Token("+" if run[0] == "+" else "-", run[0]))
            self.at += 1
            return
        if not run[0].isalnum():  # a sign that means nothing before a word
            self.at += 1
            return
        field = _FIELD.match(run)
        if field is None or not self._field(run, field):
            self._word(run)

    def _unit_at(self, place: int) -> bool:
        """Whether a word, a phrase or a parenthesis begins here."""
        following = self.text[place : place + 1]
        return following.isalnum() or (following != "" and following in _QUOTES + "(")

    def _field(self, run: str, match: re.Match[str]) -> bool:
        """Take a name with a colon, as a field or as a word where there is no such field; False: it is only a sign."""
        name, behind = match[1].lower(), self.at + match.end()
        asked = run[match.end() :].lower()
        if name == "sort" and asked in ORDERS:
            self._nothing_behind()
            self.order = ORDERS[ORDERS.index(asked)]
            self.at += len(run)
            return True
        if not self._unit_at(behind):
            if name in self.fields and run == match[0]:
                self.notes.append(f"{run[:40]} was taken as a word: nothing follows it directly")
            return False
        if name not in self.fields:
            self.notes.append(f"{run[:40]} was taken as words: {self._instead(match[1])}")
        self.tokens.append(Token("field", name) if name in self.fields else Token("word", match[1]))
        self.at = behind
        return True

    def _instead(self, name: str) -> str:
        if name.lower() == "sort":
            return f"results can be sorted by {', '.join(ORDERS)}"
        hint = nearest(name, [f"{field}:" for field in self.fields]) or f", only {', '.join(self.fields)}"
        return f"there is no field {name[:40]}{hint}"

    def _word(self, run: str) -> None:
        self.at += len(run)
        boosted = _BOOSTED.fullmatch(run)
        word = boosted[1] if boosted else run
        self.tokens.append(Token("word", word.lower() if _OPERATOR.fullmatch(word) else word))
        if boosted:
            self.tokens.append(Token("boost", number=float(boosted[2])))
