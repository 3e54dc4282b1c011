"""Split a query into words, signs and operators. Other signs separate words; only the length is limited."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from leadline.errors import InputError, nearest
from leadline.retrieval.language.tree import ORDERS, ResultOrder

TokenKind = Literal["word", "quoted", "(", ")", "AND", "OR", "NOT", "NEAR", "+", "-", "field", "boost"]
STARTS: frozenset[TokenKind] = frozenset({"word", "quoted", "(", "field"})  # of a unit
MARKS: frozenset[TokenKind] = frozenset({"+", "-", "NOT"})
ENDS: frozenset[TokenKind] = frozenset({"word", "quoted", ")", "boost"})
DEFAULT_DISTANCE = 5  # of NEAR without a number
DEEPEST = 40  # parentheses within parentheses
MOST_NOTES = 50
LONGEST_QUERY = 500_000  # characters

_QUOTES = '"“”„«»'
_RUN = re.compile(rf"[^\s(){_QUOTES}]+")
_OPERATOR = re.compile(r"(AND|OR|NOT)|(NEAR)(?:/([1-9][0-9]{0,4}))?")
_FIELD = re.compile(r"([^\W\d]\w*):")
_BOOST = re.compile(r"\^([0-9]{1,4}(?:\.[0-9]{1,4})?)")
_BOOSTED = re.compile(rf"(.*[^\^]){_BOOST.pattern}", re.DOTALL)
_NO_BOOST = re.compile(r"\^([+-]?(?:nan|inf|infinity)|-[0-9][0-9.]*)(?!\w)", re.IGNORECASE)
_NOT_BOOSTED = re.compile(rf"(.*[^\^]){_NO_BOOST.pattern}\W*", re.DOTALL | re.IGNORECASE)
_LONGEST_UNIT = 3  # letters: cm^-1 and mol^-1 are units, not words with a weight


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
    if len(text) > LONGEST_QUERY:
        raise InputError("query", f"has {len(text):,} characters; at most {LONGEST_QUERY:,} are searched for")
    lexer = _Lexer(text, fields)
    lexer.run()
    return Tokenized(lexer.tokens, lexer.order, list(dict.fromkeys(lexer.notes)))


class _Lexer:
    def __init__(self, text: str, fields: Sequence[str]) -> None:
        self.text, self.fields = text, fields
        self.tokens: list[Token] = []
        self.order: ResultOrder | None = None
        self.notes: list[str] = []
        self.at, self.run_end = 0, 0
        self.open: list[bool] = []  # for each open parenthesis, whether it groups a part of the query (not in a name)
        self.depth = 0  # the number of those that do

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
            elif not sign.isalnum():
                self._sign(sign)
            else:
                self._run()
        if self.depth:
            self.notes.append("( is never closed: taken as closed at the end")
        while self.depth:
            self._close()

    def _end_of_run(self) -> int:
        """The place of the next blank, parenthesis or quotation mark."""
        if self.run_end <= self.at:
            match = _RUN.match(self.text, self.at)
            self.run_end = match.end() if match else self.at
        return self.run_end

    def _note(self, note: Callable[[], str]) -> None:
        """Add a note, unless there are very many already."""
        if len(self.notes) < MOST_NOTES:
            self.notes.append(note())
            if len(self.notes) == MOST_NOTES:
                self.notes.append("there are more parts like these")

    def _follows(self, *kinds: TokenKind) -> bool:
        """Whether the last token is one of these kinds and ends directly before this place."""
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
        self._nothing_behind()  # a mark before a quotation mark that is never closed
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
        """Read the weight after a phrase or a parenthesis."""
        if wrong := _NO_BOOST.match(self.text, self.at):
            raise _wrong_weight(wrong[0])
        match = _BOOST.match(self.text, self.at)
        if match and (match.end() == len(self.text) or not self.text[match.end()].isalnum()):
            self.tokens.append(Token("boost", number=float(match[1])))
            self.at = match.end()

    def _sign(self, sign: str) -> None:
        """A mark before a part, or a sign that means nothing."""
        if sign in "+-" and (self._behind_blank() or self._follows("(")) and self._unit_at(self.at + 1):
            self.tokens.append(Token("+" if sign == "+" else "-", sign))
        self.at += 1

    def _run(self) -> None:
        """The text up to the next blank: a word, an operator, or a field with something after it."""
        end = self._end_of_run()
        operator = _OPERATOR.fullmatch(self.text, self.at, end)
        if operator is not None and not self._follows("+", "-", "field"):
            kind: TokenKind = operator[1] or operator[2]  # type: ignore[assignment]
            self.tokens.append(Token(kind, operator[0], float(operator[3] or DEFAULT_DISTANCE)))
            self.at = end
            return
        field = _FIELD.match(self.text, self.at, end)
        if field is None or not self._field(field, end):
            self._word(self.text[self.at : end])

    def _unit_at(self, place: int) -> bool:
        """Whether a word, a phrase or a parenthesis begins here."""
        following = self.text[place : place + 1]
        return following.isalnum() or (following != "" and following in _QUOTES + "(")

    def _field(self, match: re.Match[str], end: int) -> bool:
        """Read a name with a colon, as a field or else as a word; False if the colon is only a sign."""
        name, behind = match[1].lower(), match.end()
        shown = self.text[self.at : min(end, self.at + 40)]
        if name == "sort" and (asked := self.text[behind:end].lower()) in ORDERS:
            self._nothing_behind()
            self.order = ORDERS[ORDERS.index(asked)]
            self.at = end
            return True
        if not self._unit_at(behind):
            if name in self.fields and behind == end:
                self._note(lambda: f"{shown} was taken as a word: nothing follows it directly")
            return False
        if name not in self.fields:
            self._note(lambda: f"{shown} was taken as words: {self._instead(match[1])}")
        self.tokens.append(Token("field", name) if name in self.fields else Token("word", match[1]))
        self.at = behind
        return True

    def _instead(self, name: str) -> str:
        if name.lower() == "sort":
            return f"results can be sorted by {', '.join(ORDERS)}"
        hint = nearest(name[:40], [f"{field}:" for field in self.fields]) or f", only {', '.join(self.fields)}"
        return f"there is no field {name[:40]}{hint}"

    def _word(self, run: str) -> None:
        wrong = _NOT_BOOSTED.fullmatch(run)
        if wrong and (self._follows("field") or not _is_power(wrong[1], wrong[2])):
            raise _wrong_weight(run)
        self.at += len(run)
        boosted = _BOOSTED.fullmatch(run)
        word = boosted[1] if boosted else run
        self.tokens.append(Token("word", word.lower() if _OPERATOR.fullmatch(word) else word))
        if boosted:
            self.tokens.append(Token("boost", number=float(boosted[2])))


def _is_power(word: str, exponent: str) -> bool:
    """Whether a word with ^ is a number or a unit to a power, as in texts: 10^-3, cm^-1."""
    return exponent[1:2].isdigit() and (len(word) <= _LONGEST_UNIT or any(map(str.isdigit, word)))


def _wrong_weight(written: str) -> InputError:
    return InputError("query", f"{written[-40:]}: the weight after ^ must be a number from 0 to 9999.9999")
