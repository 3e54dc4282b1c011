"""A place in the text of a query, the tokens before it, and what can be read there: runs of letters, and weights."""

from __future__ import annotations

import re
from collections.abc import Callable

from leadline.errors import InputError
from leadline.retrieval.language.operators import Token, TokenKind

MOST_NOTES = 50
QUOTES = '"“”„«»'
RUN = re.compile(rf"[^\s(){QUOTES}]+")
NO_FIELD = Token("field")  # where a field may be inserted
_BOOST = re.compile(r"\^([0-9]{1,4}(?:\.[0-9]{1,4})?)")
_BOOSTED = re.compile(rf"(.*[^\^]){_BOOST.pattern}", re.DOTALL)
_NO_BOOST = re.compile(r"\^([+-]?(?:nan|inf|infinity)|-[0-9][0-9.]*)(?!\w)", re.IGNORECASE)
_NOT_BOOSTED = re.compile(rf"(.*[^\^]){_NO_BOOST.pattern}\W*", re.DOTALL | re.IGNORECASE)
_LONGEST_UNIT = 3  # letters: cm^-1 and mol^-1 are units, not words with a weight


class TextCursor:
    """The text, the tokens read so far, and the place up to which it was read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.notes: list[str] = []
        self.at, self.run_end = 0, 0

    def _end_of_run(self) -> int:
        """The place of the next blank, parenthesis or quotation mark."""
        if self.run_end <= self.at:
            match = RUN.match(self.text, self.at)
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
        return letter and not self._follows("AND", "OR", "NOT", "NEAR", "SAME", "boost", "slop", "saved")

    def _nothing_behind(self) -> None:
        """Remove fields and marks whose part is empty."""
        while self.tokens and self.tokens[-1].kind in ("field", "+", "-") and self.tokens[-1] is not NO_FIELD:
            self.tokens.pop()

    def _boost(self) -> None:
        """Read the weight after a phrase or a parenthesis."""
        if wrong := _NO_BOOST.match(self.text, self.at):
            raise _wrong_weight(wrong[0])
        match = _BOOST.match(self.text, self.at)
        if match and (match.end() == len(self.text) or not self.text[match.end()].isalnum()):
            self.tokens.append(Token("boost", number=float(match[1])))
            self.at = match.end()

    def _unit_at(self, place: int) -> bool:
        """Whether a word, a phrase or a parenthesis begins here."""
        following = self.text[place : place + 1]
        return following.isalnum() or (following != "" and following in QUOTES + "(*#")

    def _weighted(self, run: str) -> tuple[str, float | None]:
        """A word without its weight, and the weight; the place is behind the word."""
        wrong = _NOT_BOOSTED.fullmatch(run)
        if wrong and ((self.tokens and self.tokens[-1].kind == "field") or not _is_power(wrong[1], wrong[2])):
            raise _wrong_weight(run)
        boosted = _BOOSTED.fullmatch(run)
        return (boosted[1], float(boosted[2])) if boosted else (run, None)


def _is_power(word: str, exponent: str) -> bool:
    """Whether a word with ^ is a number or a unit to a power, as in texts: 10^-3, cm^-1."""
    return exponent[1:2].isdigit() and (len(word) <= _LONGEST_UNIT or any(map(str.isdigit, word)))


def _wrong_weight(written: str) -> InputError:
    return InputError("query", f"{written[-40:]}: the weight after ^ must be a number from 0 to 9999.9999")
