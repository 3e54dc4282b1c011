"""Parse a query. Any text is a query: what cannot be parsed is taken as plain words, with a note.

    any of two or three, better both     polymer film
    both                                 polymer AND film
    one without the other                polymer NOT film, polymer -film
    a phrase, or words near each other   "polymer film", polymer NEAR/3 film, polymer PRE/3 film
    in the same sentence                 polymer SAME SENTENCE film
    as it is written, no other form      =film

NEAR binds most tightly, then SAME, then NOT and the marks + and -, then words side by side, then AND, and OR the least.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from leadline.errors import InputError
from leadline.retrieval.index.trees import ends_before
from leadline.retrieval.language.fields import (
    BOOLEAN,
    EXPECTED,
    MOST_NOTES,
    NO_FIELD,
    OTHER_LANGUAGES,
    QUOTES,
    FieldCursor,
    Token,
    TokenKind,
    bracketed,
    filter_value,
    is_reversed,
    longer_operator,
    operator,
    period,
    plain_operator,
    unsupported,
    unsupported_in_parentheses,
)
from leadline.retrieval.language.hints import hints
from leadline.retrieval.language.tree import (
    CLASS_FILTERS,
    DATE_FILTERS,
    FILTERS,
    HEADINGS,
    And,
    Boosted,
    Heading,
    Near,
    Node,
    Or,
    ResultOrder,
    Same,
    Saved,
    Side,
    Understood,
    Within,
    WordOrPhrase,
    empty_periods,
    query_text,
)

# Split a query into words, signs and operators. Other signs separate words; only the length is limited.


STARTS: frozenset[TokenKind] = frozenset({"word", "quoted", "(", "field", "saved"})  # of a unit
MARKS: frozenset[TokenKind] = frozenset({"+", "-", "NOT"})
ENDS: frozenset[TokenKind] = frozenset({"word", "quoted", ")", "boost", "saved", "slop"})
DEEPEST = 40  # parentheses within parentheses
LONGEST_QUERY = 500_000  # characters
LONGEST_NAME = 40  # of an operator or a field
EXACT = "="  # before a word that is searched for as it is written
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
                self._open_bracket()
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

    def _open_bracket(self) -> None:
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
        if sign == "=" and (before_part or self._follows("field")) and self._unit_at(self.at + 1):
            self.tokens.append(Token("field", EXACT))  # =film: as it is written
            self.at += 1
            return
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


def understand(text: str, fields: Sequence[str], saved: Sequence[int] | None = None) -> Understood:
    """The parsed query of a text, for documents with these fields; `saved` are the numbers of earlier queries.

    >>> understand("title:film OR (acid -metal^2) sort:newest", ["title"]).query
    'title:film OR acid -metal^2 sort:newest'
    >>> understand("polymer AND (", ["title"])
    Understood(tree=Side(parts=(('', WordOrPhrase(text='polymer', quoted=False, slop=0, exact=False)),
      ('', WordOrPhrase(text='and', quoted=False, slop=0, exact=False)))), order=None,
      notes=('( is never closed: taken as closed at the end', 'AND has nothing to join: taken as a word'))
    """
    found = tokenized(text, [*fields, *FILTERS, *HEADINGS], saved)
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

    def _take(self, kind: str) -> bool:
        taken = self._kind() == kind
        self.at += taken
        return taken

    def alternatives(self) -> Node:
        parts = [self._all()]
        while self._take("OR"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _all(self) -> Node:
        parts = [self._side()]
        while self._take("AND"):
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
        field, exact = "", False
        while self._kind() == "field":
            name = self.tokens[self.at].text
            exact |= name == EXACT
            field = field if name == EXACT else name
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
            node = WordOrPhrase(token.text, token.kind == "quoted", slop, exact)
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
            several = field.split(",")
            if isinstance(node, And) and not set(several).intersection((*FILTERS, *HEADINGS)):
                return Within(field, node)  # each word in any of the fields
            return Or(tuple(self._within(each, node) for each in several))
        if field in HEADINGS:
            return self._headings(field, node)
        if field not in FILTERS:
            return Within(field, node)
        return self._filters(field, node)

    def _headings(self, field: str, node: Node) -> Node:
        """The headings that a part names: mesh:(Hypertension OR Stroke) is mesh:Hypertension OR mesh:Stroke."""
        if isinstance(node, WordOrPhrase):
            return Heading(node.text, exploded=field == "mesh")
        if isinstance(node, Side) and (name := _one_name(node)):
            return Heading(name, exploded=field == "mesh")
        if isinstance(node, Side):
            return Side(tuple((mark, self._headings(field, part)) for mark, part in node.parts))
        if isinstance(node, (And, Or)):
            return replace(node, parts=tuple(self._headings(field, part) for part in node.parts))
        if isinstance(node, Boosted):
            return replace(node, part=self._headings(field, node.part))
        self.notes.append(f"{field}: names headings: {query_text(node)[:40]} was taken as words")
        return node

    def _filters(self, name: str, node: Node) -> Node:
        """The filter for every word of a part: class:(C07D OR A61K) is class:C07D OR class:A61K."""
        if isinstance(node, WordOrPhrase):
            whole = node.quoted or name in DATE_FILTERS
            values = [
                filter_value(name, written) for written in ([node.text] if whole else node.text.rstrip(",;").split(","))
            ]
            if all(values):
                self.notes += [
                    f"{name}:{value} ends before it begins: nothing matches"
                    for value in values
                    if (name in DATE_FILTERS and is_reversed(value)) or (name in CLASS_FILTERS and ends_before(value))
                ]
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
        if isinstance(node, Heading):
            self.notes.append(f"{name}: says nothing about {query_text(node)[:40]}, which was taken without it")
            return node
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


# Signs that a keyboard, a word processor or a web page puts in place of those of the query language.


_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # of Chinese and Japanese keyboards
_INVISIBLE = dict.fromkeys((0x200B, 0x2060, 0xFEFF), " ")  # blanks without a width
_DASH_BEFORE_PART = re.compile(r"(?<![^\s(])([−‐‑‒–])(?=([^\W\d_][^\s()]{0,40}|[\"“„«(]))")
_SINGLE_QUOTES = re.compile(r"(?<![^\s(:=])['‘]([^\W_][^'‘’\n]{0,80}\s[^'‘’\n]{0,80})['’](?!\w)")
_BRACKETS = re.compile(r"(?<!\w)(?:\[([^\[\]{}]{1,5000})\]|\{([^\[\]{}]{1,5000})\})(?!\w)")
_OPERATOR = re.compile(r"\s(?:AND|OR|NOT|NEAR|ADJ|SAME|WITH|UND|ODER|NICHT|(?:NEAR|ADJ|PRE|W|N)/?[0-9]+)\s")
_AMBIGUOUS = re.compile(r"['\[{]")  # of the signs below those that are ASCII
_DEEPEST = 5  # brackets within brackets
MOST_NOTES_A_SIGN = 5  # about one kind of sign


def cleaned(text: str) -> tuple[str, list[str]]:
    """The text with plain signs, as long as before, and notes on signs that can be read in two ways.

    >>> cleaned("（film OR foil）ＡＮＤ metal")
    ('(film OR foil)AND metal', [])
    >>> cleaned("film –metal")
    ('film -metal', ['–metal was taken as -metal, without it: a dash before a word excludes the word'])
    """
    if text.isascii() and not _AMBIGUOUS.search(text):
        return text, []
    text = text.translate(_FULL_WIDTH | _INVISIBLE)
    notes = [
        f"{match[1]}{match[2]} was taken as -{match[2]}, without it: a dash before a word excludes the word"
        for match in _DASH_BEFORE_PART.finditer(text)
    ]
    quoted = [
        f'{match[0]} was taken as words: a phrase is written "{match[1]}"' for match in _SINGLE_QUOTES.finditer(text)
    ]
    text, grouped = _with_parentheses(_DASH_BEFORE_PART.sub("-", text))
    return text, [*notes[:MOST_NOTES_A_SIGN], *quoted[:MOST_NOTES_A_SIGN], *grouped[:MOST_NOTES_A_SIGN]]


def _with_parentheses(text: str) -> tuple[str, list[str]]:
    """The text with parentheses in place of brackets that hold an operator or follow a field, and notes on them.

    >>> _with_parentheses("[film OR foil] AND metal")
    ('(film OR foil) AND metal', ['[film OR foil] was taken as (film OR foil)'])
    >>> _with_parentheses("[2010 TO 2015] benzo[a]pyrene")[1]
    []
    """
    notes: list[str] = []

    def enclosed(match: re.Match[str]) -> str:
        inside, before = match[1] or match[2], text[match.start() - 1 : match.start()]
        if not _OPERATOR.search(inside) and not (before and before in ":=" and " TO " not in inside):
            return match[0]
        shown = inside if len(inside) <= 40 else f"{inside[:39]}…"
        notes.append(f"{match[0][0]}{shown}{match[0][-1]} was taken as ({shown})")
        return f"({inside})"

    for _ in range(_DEEPEST):
        count = len(notes)
        text = _BRACKETS.sub(enclosed, text)
        if len(notes) == count:
            break
    return text, notes
