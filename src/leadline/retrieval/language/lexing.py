"""Split a query into words, signs and operators. Other signs separate words; only the length is limited."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from leadline.errors import InputError
from leadline.retrieval.language.field_cursor import FieldCursor
from leadline.retrieval.language.field_names import bracketed, period
from leadline.retrieval.language.field_values import CLASS_FILTERS
from leadline.retrieval.language.hints import hints
from leadline.retrieval.language.operators import (
    BOOLEAN,
    OTHER_LANGUAGES,
    Token,
    TokenKind,
    longer_operator,
    operator,
    plain_operator,
    unsupported,
    unsupported_in_parentheses,
)
from leadline.retrieval.language.pasted_text import cleaned
from leadline.retrieval.language.text_cursor import MOST_NOTES, NO_FIELD, QUOTES
from leadline.retrieval.language.tree import ResultOrder

STARTS: frozenset[TokenKind] = frozenset({"word", "quoted", "(", "field", "saved"})  # of a unit
MARKS: frozenset[TokenKind] = frozenset({"+", "-", "NOT"})
ENDS: frozenset[TokenKind] = frozenset({"word", "quoted", ")", "boost", "saved", "slop"})
DEEPEST = 40  # parentheses within parentheses
LONGEST_QUERY = 500_000  # characters
LONGEST_NAME = 40  # of an operator or a field
SHORT = 8  # words: in a longer text and, or and not are words of a sentence

_SLOP = re.compile(r"~([0-9]{1,4})(?!\w)")
_FUZZY = re.compile(r"(.*\w)~[0-9.]*")
_SAVED = re.compile(r"#([0-9]{1,6})(?!\w)")
_SET = re.compile(r"[SLsl]([0-9]{1,6})")
# film.ti,ab. and film/TI; in small letters only names that no text has behind a stroke.
_SMALL_FIELD = "(?:ti|ab|ttl|abst|clm|tac)"
_BEHIND = re.compile(
    r"\.([a-zA-Z]{2,4}(?:,[a-zA-Z]{2,4})*)\."
    rf"|/([A-Z]{{2,4}}(?:,[A-Z]{{2,4}})*|{_SMALL_FIELD}(?:,{_SMALL_FIELD})*)"
)
_REFERENCE = re.compile(r"(?<!\S)\(*[#SLsl]([0-9]{1,6})(?!\w)")
_NO_ENDING = re.compile(r"(.*\w)([?!+#])")
_SMALL = frozenset({"and", "or", "not", "near", "adj", "same"})
_SAME_SMALL = re.compile(r"same\s+(?:claim|sentence|paragraph)(?=\s+\w)")


@dataclass
class Tokenized:
    tokens: list[Token]
    order: ResultOrder | None
    notes: list[str]


def tokenized(text: str, fields: Sequence[str], saved: Sequence[int] | None = None) -> Tokenized:
    """The tokens of a query; `fields` are the names that a colon may follow, `saved` the numbers of earlier queries.

    >>> [token.kind for token in tokenized('title:film AND "a nail"^2 -poly(ethylene)', ["title"]).tokens]
    ['field', 'word', 'AND', 'quoted', 'boost', '-', 'word', 'word']
    """
    if len(text) > LONGEST_QUERY:
        raise InputError("query", f"has {len(text):,} characters; at most {LONGEST_QUERY:,} are searched for")
    text, notes = cleaned(text)
    lexer = _Lexer(text, list(fields), saved)
    lexer.run()
    tokens = [token for token in lexer.tokens if token is not NO_FIELD]
    about = islice(hints(tokens, is_cql=lexer.is_cql, in_session=saved is not None), MOST_NOTES)
    return Tokenized(tokens, lexer.order, list(dict.fromkeys([*notes, *lexer.notes, *about])))


class _Lexer(FieldCursor):
    def __init__(self, text: str, fields: list[str], saved: Sequence[int] | None) -> None:
        super().__init__(text, fields)
        self.saved = saved
        self.last = len(text.rstrip())
        self.open: list[int] = []  # for each open parenthesis the place of its token; -1 within a name
        self.depth = 0  # the number of those that group a part of the query
        self.is_cql = self._looks_like_cql()
        self.small: dict[str, None] = {}  # operators in small letters

    def _looks_like_cql(self) -> bool:
        """Whether `and` is an operator: fields are followed by = or a relation, or earlier queries are named."""
        if self.saved and any(int(number) in self.saved for number in _REFERENCE.findall(self.text)):
            return True
        return self._has_relation()

    def run(self) -> None:
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign.isspace():
                self.at += 1
            elif sign in QUOTES:
                self._quoted()
            elif sign == "(":
                self._opened()
            elif sign == ")":
                self._closed()
            elif sign.isalnum() or (sign == "*" and self.text[self.at + 1 : self.at + 2].isalnum()):
                self._run()
            else:
                self._sign(sign)
        if self.depth:
            self.notes.append("( is never closed: taken as closed at the end")
        while self.depth:
            self.open.pop()
            self._close()
        uses_syntax = any(token.kind not in ("word", "+", "-", "boost") for token in self.tokens)
        if self.small and (uses_syntax or len(self.tokens) <= SHORT):
            named, words = ", ".join(self.small), "a word" if len(self.small) == 1 else "words"
            self.notes.append(f"{named} in small letters: taken as {words}; operators are written in capitals")

    def _quoted(self) -> None:
        if self._behind_letter():  # as in 5" pipe
            self.at += 1
            return
        end = next((at for at in range(self.at + 1, len(self.text)) if self.text[at] in QUOTES), None)
        if end is None:
            self.notes.append(f"{self.text[self.at]} without a second one was ignored")
            self.at += 1
            return
        inside = " ".join(self.text[self.at + 1 : end].split())
        self.at = end + 1
        if not any(map(str.isalnum, inside)):
            self._nothing_behind()
            return
        self.tokens.append(Token("quoted", inside))
        if slop := _SLOP.match(self.text, self.at):
            self.tokens.append(Token("slop", number=float(slop[1])))
            self.at = slop.end()
        self._behind_unit(len(self.tokens) - 1 - bool(slop))
        self._boost()

    def _opened(self) -> None:
        if self._joined_by_longer():
            return
        if self.tokens and self.tokens[-1].kind in ENDS and (other := unsupported_in_parentheses(self.text, self.at)):
            self._note(lambda: f"{other[0]} was taken as a word: {other[1]}")
        grouping = not self._behind_letter()  # poly(ethylene glycol) is a name
        if grouping and self.depth >= DEEPEST:
            self.notes.append(f"parentheses deeper than {DEEPEST} were ignored")
            grouping = False
        self.open.append(len(self.tokens) if grouping else -1)
        self.depth += grouping
        if grouping:
            self.tokens += [NO_FIELD, Token("(")]
        self.at += 1

    def _joined_by_longer(self) -> bool:
        """Read an operator with blanks or parentheses inside, if there is one here and it follows a part."""
        if not self.tokens or self.tokens[-1].kind not in ENDS:
            return False
        found = longer_operator(self.text, self.at)
        if found is None:
            return False
        token, end = found
        if token.kind == "NEAR" and any(map(str.isspace, token.text)) and not token.text.lower().startswith("prox"):
            written = " ".join(token.text.split())
            self._note(lambda: f"{written} was taken as {plain_operator(token)}; put it in quotes for the words")
        self.tokens.append(token)
        self.at = end
        return True

    def _closed(self) -> None:
        self.at += 1
        if not self.open:
            self.notes.append(") without ( was ignored")
            return
        place = self.open.pop()
        if place >= 0 and self._close():
            self._behind_unit(place)
            self._boost()

    def _close(self) -> bool:
        """End the last part in parentheses; False where they are empty."""
        self.depth -= 1
        self._nothing_behind()  # a mark before a quotation mark that is never closed
        if self.tokens[-1].kind == "(":
            del self.tokens[-2:]
            self._nothing_behind()
            return False
        self.tokens.append(Token(")"))
        return True

    def _behind_unit(self, place: int) -> None:
        """Read the fields after a phrase or a parenthesis, `"thin film".ti,ab.`, and put them before its token."""
        match = _BEHIND.match(self.text, self.at)
        following = self.text[match.end() : match.end() + 1] if match else ""
        field = self._fields_named((match[1] or match[2]).split(",")) if match and not following.isalnum() else ""
        if match and field:
            self.at = match.end()
            if self.tokens[place] is NO_FIELD:
                self.tokens[place] = Token("field", field)
            else:
                self.tokens.insert(place, Token("field", field))

    def _sign(self, sign: str) -> None:
        """A mark before a part, an operator that begins with a sign, or a sign that means nothing."""
        end = self._end_of_run()
        if sign in "&|/+" and end - self.at <= LONGEST_NAME and self._behind_blank():
            found = operator(self.text[self.at : end])
            if found is not None and self.tokens and self.tokens[-1].kind in ENDS:
                self.tokens.append(found)
                self.at = end
                return
        before_part = self._behind_blank() or self._follows("(", "NOT", "+", "-")
        if sign == "#" and before_part and (match := _SAVED.match(self.text, self.at)):
            self._earlier(match[0], int(match[1]))
            self.at = match.end()
            return
        if sign == "[" and (match := bracketed(self.text, self.at)) and (dates := period("published", match[0])):
            self._note(lambda: f"{match[0][:40]} was taken as published:{dates}")
            self.tokens += [Token("field", "published"), Token("word", dates)]
            self.at = match.end()
            return
        if sign in "?#$" and before_part and self.text[self.at + 1 : self.at + 2].isalpha():
            word = self.text[self.at + 1 : min(end, self.at + 40)]
            self._note(lambda: f"{sign}{word}: {sign} at the beginning was ignored; write *{word} for any beginning")
        if sign == "&" and end == self.at + 1 and self.tokens and self._unit_at(self.at + 2):
            self._note(lambda: "& was ignored: write AND for both")
        if sign in "+-!" and before_part and self._unit_at(self.at + 1):
            self.tokens.append(Token("NOT", "!") if sign == "!" else Token("+" if sign == "+" else "-", sign))
        self.at += 1

    def _earlier(self, written: str, number: int) -> None:
        """A reference to an earlier query; InputError where the session does not have it."""
        if self.saved is not None and number in self.saved:
            self.tokens.append(Token("saved", written, number))
            return
        if self.saved is not None:
            raise InputError("query", f"{written} is not in the session, which has {_numbered(self.saved)}")
        why = "name the session with --history FILE"
        self._note(lambda: f"{written} was taken as a word, not as an earlier query: {why}")
        self.tokens.append(Token("word", written[1:]))

    def _run(self) -> None:
        """The text up to the next blank: a word, an operator, or a field with something after it."""
        end = self._end_of_run()
        if not self._follows("+", "-", "field") and self._operator(end):
            return
        if not self._named_part(end):
            self._word(self.text[self.at : end])

    def _operator(self, end: int) -> bool:
        """Read an operator; False for a word."""
        run = self.text[self.at : end]
        if run in BOOLEAN:  # quick: most operators
            self.tokens.append(Token(BOOLEAN[run], run))
            self.at = end
            return True
        if self._joined_by_longer():
            return True
        if len(run) > LONGEST_NAME:
            return False
        if self.is_cql and run.lower() in ("and", "or", "not"):
            run = run.upper()
        elif run.lower() in _SMALL and not run.isupper():
            self.small[run] = None
            if match := _SAME_SMALL.match(self.text, self.at):
                written = " ".join(match[0].split())
                self._note(lambda: f"{written} was taken as words: the operator is {written.upper()}")
        if run.isalpha() and run.islower():  # quick: most words
            return False
        if self.saved and (match := _SET.fullmatch(run)) and int(match[1]) in self.saved:
            self._earlier(run, int(match[1]))
            self.at = end
            return True
        found = operator(run) or self._in_other_language(run, end)
        if found is None:
            if instead := unsupported(run):
                self._note(lambda: f"{run} was taken as a word: {instead}")
            return False
        self.tokens.append(found)
        self.at = end
        return True

    def _in_other_language(self, run: str, end: int) -> Token | None:
        """AND, OR or NOT in German or French, in capitals and between two parts."""
        kind = OTHER_LANGUAGES.get(run)
        before = self.tokens[-1].kind if self.tokens else ""
        joins = before in ENDS or (kind == "NOT" and before in ("AND", "OR"))
        place = end + len(self.text[end : end + 40]) - len(self.text[end : end + 40].lstrip())
        if kind is None or not joins or not self._unit_at(place):
            return None
        self._note(lambda: f"{run} was taken as {kind}; put it in quotes for the word")
        return Token(kind, run)  # type: ignore[arg-type]

    def _word(self, run: str) -> None:
        self.at += len(run)
        if run.isalnum() and run.islower():  # quick: most words
            self.tokens.append(Token("word", run))
            return
        word, weight = self._weighted(run)
        field = ""
        tail = word[-LONGEST_NAME:]
        if (match := re.search(f"(?:{_BEHIND.pattern})$", tail)) and len(word) > len(match[0]):
            field = self._fields_named((match[1] or match[2]).split(","))
            word = word[: -len(match[0])] if field else word
        if field:
            if match and match[0].startswith("/") and match[0].islower():
                self._note(lambda: f"{word[:40]}{match[0]} was taken as {field}:{word[:40]}")
            self.tokens.append(Token("field", field))
        if fuzzy := _FUZZY.fullmatch(word):
            self._note(lambda: f"{word[:40]}: similar spellings are not searched for; taken as {fuzzy[1][:40]}")
            word = fuzzy[1]
        if (ending := _NO_ENDING.fullmatch(word)) and self._is_truncation(ending[1], ending[2]):
            self._note(
                lambda: f"{word[:40]}: {ending[2]} at the end was ignored; write {ending[1][:40]}* for any ending"
            )
        self.tokens.append(Token("word", word.lower() if operator(word[: LONGEST_NAME + 1]) else word))
        if weight is not None:
            self.tokens.append(Token("boost", number=weight))

    def _is_truncation(self, word: str, sign: str) -> bool:
        """Whether a sign may have been meant to cut a word off; Na+ and C++ are names."""
        if self.tokens and self.tokens[-1].text in CLASS_FILTERS:
            return False  # a class has those under it
        return len(word) >= 4 if sign in "+#" else self.at < self.last or len(self.tokens) < 2


def _numbered(saved: Sequence[int]) -> str:
    """The numbers of earlier queries in words.

    >>> _numbered([]), _numbered([1]), _numbered([1, 2, 3, 5])
    ('no queries yet', '#1', '#1 to #3 and #5')
    """
    runs: list[list[int]] = []
    for number in sorted(saved):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    named = [f"#{run[0]}" if len(run) == 1 else f"#{run[0]} to #{run[-1]}" for run in runs]
    return " and ".join(filter(None, [", ".join(named[:-1]), *named[-1:]])) or "no queries yet"
