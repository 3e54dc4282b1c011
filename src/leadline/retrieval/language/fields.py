"""Fields, filters and operators of the search systems that people come from, and reading them at a place in a query."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from leadline.collections.documents.document import is_main_group, levels, symbol
from leadline.errors import InputError, nearest
from leadline.retrieval.language.tree import CLASS_FILTERS, DATE_FILTERS, FILTERS, HEADINGS, ORDERS, ResultOrder
from leadline.text.days import day_number, iso

ALIASES = {
    "title": "ti ttl", "abstract": "ab abs abst", "claims": "cl clm clms aclm", "description": "de desc spec detd",
    "title,abstract": "ta tiab", "title,abstract,claims": "tac", "applicant": "pa as asg assignee applicants aanm",
    "inventor": "in inv inventors", "number": "pn pnr patent publication-number", "kind": "kd kc", "ipc": "ic icl int",
    "cpc": "cpcs", "class": "cls classification", "published": "pd py pub publication isd dp",
    "filed": "ad apd fd filing application", "priority": "pr prd pri prio", "cites": "ct citing",
    "cited-by": "citedby cited_by", "family": "fam", "office": "cc country", "language": "la lang",
}  # fmt: skip
FIELD_OF = {name: field for field, names in ALIASES.items() for name in names.split()}
_TWO_READINGS = re.compile(r"([0-9]{1,2})\s?([-/])\s?([0-9]{1,2})\s?\2\s?([0-9]{4})")
_YEARS = re.compile(r"([0-9]{4})\s*[-–:]\s*([0-9]{4})|([0-9]{6,8}):([0-9]{6,8})")
_COMPARED = re.compile(r"(<=|>=|<|>)\s*(.+)")
_BRACKETS = re.compile(r"([\[{(])\s*([^\s\[\]{}()]+)\s+(?:TO|to)\s+([^\s\[\]{}()]+)\s*([\]})])")
_WHOLE_DAY = re.compile(r"[0-9]{8}|[0-9]{1,4}([-/.])[0-9]{1,2}\1[0-9]{1,4}")
_CUT_OFF = re.compile(r"[?$+#]+$|/(?:LOW)?$")  # after a class, for those under it, which are always meant
_CLASS_RANGE = re.compile(r"([A-HY][0-9A-Z/]*)(?:-|–|->|\.\.)([A-HY][0-9A-Z/]*|[0-9]{1,4}/[0-9A-Z/]+)")
_DAY = datetime.timedelta(days=1)

EXPECTED = {
    "class": "write a class like C07, C07D or C07D401/04, or two with - between them",
    "office": "write an office in two letters",
    "before": "write a day like 1998-08-12, or a month or year",
    "kind": "write a kind like B2",
    "language": "write a language in two letters",
    "applicant": "write a name",
    "number": "write the number of a document",
    "published": "write a day, a month or a year, or two with .. between them: 2010..2015",
}
for _same, _as in (
    ("ipc", "class"),
    ("cpc", "class"),
    ("after", "before"),
    ("filed", "published"),
    ("priority", "published"),
    ("inventor", "applicant"),
    ("cites", "number"),
    ("cited-by", "number"),
    ("family", "number"),
):
    EXPECTED[_same] = EXPECTED[_as]


def field_named(name: str, fields: list[str]) -> str:
    """The field or filter that a name means, several with commas between them; empty where there is none."""
    lower = name.lower()
    if lower in fields:
        return lower
    meant = FIELD_OF.get(lower, "")
    return ",".join(each for each in meant.split(",") if each in fields)


def filter_values(name: str, written: Sequence[str], where: str) -> list[str]:
    """Several values of a filter, normalised; InputError with the place `where` for one that is invalid.

    >>> filter_values("class", ["c07d 401/04", "A61"], "class")
    ['C07D401/04', 'A61']
    """
    values = [filter_value(name, word) for word in written]
    if not all(values):
        example = "C07, C07D or C07D401/04" if name == "class" else "EP"
        raise InputError(where, f"{written[values.index('')]!r} is not a valid {name}; use one like {example}")
    return values


def filter_value(name: str, written: str) -> str:
    """A filter's value, normalised; empty where it is invalid. A date with two readings is an error.

    >>> filter_value("class", "c07d 401/04"), filter_value("before", "12.8.1998"), filter_value("office", "Europe")
    ('C07D401/04', '1998-08-12', '')
    >>> filter_value("class", "C07D4*"), filter_value("class", "C07D*"), filter_value("class", "C07D401/*")
    ('C07D4*', 'C07D', 'C07D401')
    >>> filter_value("class", "c07d 401/00 - c07d 403/14"), filter_value("class", "C07D/low")
    ('C07D401/00-C07D403/14', 'C07D')
    >>> filter_value("published", "2010-2012"), filter_value("filed", ">1998"), filter_value("kind", "b2")
    ('2010..2012', '1999-01-01..', 'B2')
    """
    written = written.strip()
    if name in ("applicant", "inventor"):
        return " ".join(written.split()) if any(map(str.isalnum, written)) else ""
    if name in ("number", "cites", "cited-by", "family"):
        return " ".join(written.split()) if any(map(str.isalnum, written)) else ""
    if name in DATE_FILTERS:
        return period(name, written)
    if name in ("before", "after"):
        return _date(name, written)
    stars, written = written.endswith("*"), written.rstrip("*")
    if name in ("class", "ipc", "cpc"):
        typed = "".join(written.upper().split())
        if several := _CLASS_RANGE.fullmatch(typed):
            return "" if stars else _class_range(several[1], several[2])
        compact = _CUT_OFF.sub("", typed)
        if not compact or compact not in levels(symbol(compact)):
            return ""
        return f"{compact}*" if stars and compact == typed and is_main_group(compact) else compact
    letters = written if written.isascii() and written.isalnum() else ""
    if name == "kind":
        return letters.upper() if len(letters) <= 8 else ""
    letters = letters if len(letters) == 2 and letters.isalpha() else ""
    return letters.upper() if name == "office" else letters.lower()


def _class_range(first: str, last: str) -> str:
    """A range of classes, normalised, its end perhaps without the subclass of its beginning; or empty.

    >>> _class_range("A61K31/00", "31/80"), _class_range("A61K", "A61P"), _class_range("A61K31/LOW", "A61K33/00")
    ('A61K31/00-A61K31/80', 'A61K-A61P', 'A61K31-A61K33/00')
    """
    last = first[:4] + last if last[:1].isdigit() else last
    ends = [filter_value("class", end) for end in (first, last)]
    return "-".join(ends) if all(ends) else ""


def period(name: str, written: str) -> str:
    """A period as two dates with .. between them, each perhaps empty or only a year; empty where it is not one.

    >>> period("published", "[2010 TO 2015]"), period("published", "2010..*"), period("published", "{2010 TO 2012}")
    ('2010..2015', '2010..', '2011-01-01..2011-12-31')
    >>> period("published", "(2010 TO 2015)")
    '2010..2015'
    """
    if match := _COMPARED.fullmatch(written):
        return _compared(match[1], _date(name, match[2]))
    if match := _BRACKETS.fullmatch(written):
        low, high = (part if part == "*" else _date(name, part) for part in (match[2], match[3]))
        if not low or not high:
            return ""
        low = "" if low == "*" else _compared(">" if match[1] == "{" else ">=", low).partition("..")[0]
        high = "" if high == "*" else _compared("<" if match[4] == "}" else "<=", high).partition("..")[2]
        return f"{low}..{high}"
    years = _YEARS.fullmatch(written)
    low, mark, high = (years[1] or years[3], "..", years[2] or years[4]) if years else written.partition("..")
    if not mark:
        first, blank, second = written.replace(",", " ").strip().partition(" ")
        if blank and _is_date(first) and _is_date(second.strip()):  # CQL: within "2010 2015"
            low, high = first, second.strip()
        else:
            high = low
    ends = [_date(name, part) if part.strip("* ") else "" for part in (low, high)]
    wrong = any(part.strip("* ") and not end for part, end in zip((low, high), ends, strict=True))
    return "" if wrong or not any(ends) else f"{ends[0]}..{ends[1]}"


def is_reversed(dates: str) -> bool:
    """Whether a period ends before it begins."""
    low, _, high = dates.partition("..")
    return bool(low and high) and day_number(low) > day_number(high, late=True)


def bracketed(text: str, at: int) -> re.Match[str] | None:
    """A range in brackets or parentheses, [2010 TO 2015], at a place of a text."""
    return _BRACKETS.match(text, at)


def _is_date(written: str) -> bool:
    return bool(re.fullmatch(r"[0-9]{4}(?:[-/.]?[0-9]{1,2}){0,2}", written))


def _compared(sign: str, date: str) -> str:
    if not date:
        return ""
    if sign in ("<", "<="):
        return f"..{date if sign == '<=' else _shifted(date, late=False)}"
    return f"{date if sign == '>=' else _shifted(date, late=True)}.."


def _shifted(date: str, *, late: bool) -> str:
    """The day after a period, or with `late=False` the day before it."""
    day = datetime.date(1970, 1, 1) + day_number(date, late=late) * _DAY
    return (day + _DAY if late else day - _DAY).isoformat()


def _date(name: str, written: str) -> str:
    """A date, as far as it is written; InputError where day and month could be swapped."""
    written = written.strip()
    match = _TWO_READINGS.fullmatch(written)
    if match and match[1] != match[3] and max(int(match[1]), int(match[3])) <= 12 and min(int(match[1]), int(match[3])):
        one, other = (f"{match[4]}-{int(m):02d}-{int(d):02d}" for m, d in ((match[1], match[3]), (match[3], match[1])))
        raise InputError("query", f"{name}:{written} may be {one} or {other}: write one of them")
    date = iso(written.upper())
    return "" if len(date) < len("1998-08-12") and _WHOLE_DAY.fullmatch(written) else date  # no 30th of February


# The operators of other search systems: what patent and legal searchers write between two words.
#
# | written | means | known from | |---|---|---| | `NEAR/5` `NEAR5` `N/5` `W/5` `/5` `WITHIN/5` | at most 5 words apart,
# in any order | dtSearch, Lexis, Westlaw, Ovid | | `PRE/3` `P/3` `ADJ3` `ADJ/3` `ONEAR/3` `+3` | the second at most 3
# words behind the first | Lexis, EAST, Westlaw | | `ADJ` `(W)` `()` `(N)` | next to each other; with (N) in any order |
# EAST, STN, Dialog | | `(5W)` `(5N)` | at most 5 words between them; with N in any order | STN, Dialog | | `WITH` `W/S`
# `/S` `(S)` `SAME SENTENCE` | in the same sentence | EAST, Lexis, Westlaw, STN | | `SAME` `W/P` `/P` `(P)` `SAME
# PARAGRAPH` | in the same paragraph | EAST, Lexis, Westlaw, STN | | `SAME CLAIM` | in the same claim | | | `&&` `||`
# `!` | AND, OR, NOT | Lucene |


TokenKind = Literal[
    "word", "quoted", "(", ")", "AND", "OR", "NOT", "NEAR", "SAME", "+", "-", "field", "boost", "saved", "slop"
]
DEFAULT_DISTANCE = 5  # of NEAR without a number


class Token(NamedTuple):  # made faster than a dataclass
    kind: TokenKind
    text: str = ""
    number: float = 0.0
    ordered: bool = False  # of NEAR
    value: str = ""  # of a field that is a filter, where it is read with the name


BOOLEAN: dict[str, TokenKind] = {
    "AND": "AND",
    "OR": "OR",
    "NOT": "NOT",
    "&&": "AND",
    "||": "OR",
    "|": "OR",
    "ANDNOT": "NOT",
    "BUTNOT": "NOT",
}
_NUMBER = r"([1-9][0-9]{0,4})"
_ANY_ORDER = re.compile(rf"(?:NEAR/?|N/|W/|WITHIN/|/){_NUMBER}", re.IGNORECASE)
_IN_ORDER = re.compile(rf"(?:PRE/?|P/|ADJ/?|ONEAR/?){_NUMBER}|\+{_NUMBER}", re.IGNORECASE)
_SAME = {
    "SENTENCE": re.compile(r"WITH|(?:W?/)(?:S|SEN|SENT|SENTENCE)|SAME[/_]SENTENCE"),
    "PARAGRAPH": re.compile(r"SAME|(?:W?/)(?:P|PAR|PARA|PARAGRAPH)|SAME[/_]PARAGRAPH"),
    "CLAIM": re.compile(r"SAME[/_]CLAIM"),
}
_TWO_WORDS = re.compile(r"SAME\s+(CLAIM|SENTENCE|PARAGRAPH)(?=\s+[\w\"“(*])", re.IGNORECASE)
_ENCLOSED = re.compile(
    r"\(([0-9]{0,3})([WN])\)|\(([SP])\)(?![-\w])|\(([0-9]{1,3})([wn])\)|\((w?)\)(?=\w)"
    r"|\(\s*([0-9]{1,3})\s*([WN])\s*\)(?=\s*[\w\"“(*])"
)
# With blanks where there should be none: W / 5, NEAR 5, NEAR(5).
_SPACED = re.compile(
    rf"(?:(NEAR|N|W|WITHIN|PRE|P|ADJ|ONEAR)(?:\s*/\s*|\s*\(\s*){_NUMBER}|(NEAR|PRE|ADJ|ONEAR|WITHIN)\s+{_NUMBER})\)?"
    r"(?=\s+[\w\"“(*])"
)
_SPACED_SMALL = re.compile(rf"(near|n|w|within|pre|p|adj|onear)\s*/\s*{_NUMBER}(?=\s+[\w\"“(*])")
# AND, OR and NOT in the languages of the European Patent Office.
OTHER_LANGUAGES = {"UND": "AND", "ODER": "OR", "NICHT": "NOT", "ET": "AND", "OU": "OR", "SAUF": "NOT"}
_OTHER_ENCLOSED = re.compile(r"\((?:([0-9]{0,3})A|[LFT])\)(?=\s*[\w\"“(*])")
_PROX = re.compile(r"prox((?:/(?:distance|unit|ordered|unordered)\s*(?:[<>=]{1,2}\s*\w+)?)*)", re.IGNORECASE)
# Operators of other systems that mean nothing here, with what to write instead.
_OTHERS = (
    (re.compile(r"XOR"), "write (a OR b) NOT (a AND b)"),
    (re.compile(r"(?:NOT\s?)?W/SEG"), "write AND within one field"),
    (re.compile(r"(?:SAME|WITH)[0-9]+"), "write SAME or NEAR/n"),
    (re.compile(r"ATLEAST[0-9]*|ATL[0-9]+"), "the number of occurrences cannot be asked for"),
    (re.compile(r"NOTW/.*|NOTNEAR.*|XNEAR.*|XPRE.*"), "write NOT (a NEAR/n b)"),
    (
        re.compile(
            r"(?:NEAR|PRE|ADJ|WITHIN|ONEAR)/.*|(?:NEAR|PRE|ADJ|ONEAR)(?:0+|[0-9]{6,})|[WNP]/[0-9]+|(?:near|pre|adj|within)/[0-9]+"
        ),
        "write a distance from 1 to 99999: NEAR/5",
    ),
    (re.compile(r"[WN][0-9]{1,2}"), "distances are written W/5 or NEAR/5"),
    (re.compile(r"(?:NEAR|[WNP]|PRE|ADJ)/[0-9]+[A-Za-z].*"), "put a blank behind the distance"),
    (re.compile(r"FREQ/.*|[a-z]*/[0-9]+<"), "the number of occurrences cannot be asked for"),
)


def operator(run: str) -> Token | None:
    """The operator that a text without blanks is; None for a word.

    >>> [operator(run) for run in ("W/5", "ADJ", "film")]
    [Token(kind='NEAR', text='W/5', number=5.0, ordered=False, value=''),
     Token(kind='NEAR', text='ADJ', number=1, ordered=True, value=''), None]
    """
    if run in BOOLEAN:
        return Token(BOOLEAN[run], run)
    if run == "NEAR":
        return Token("NEAR", run, DEFAULT_DISTANCE)
    if run == "ADJ":
        return Token("NEAR", run, 1, ordered=True)
    if match := _ANY_ORDER.fullmatch(run):
        return Token("NEAR", run, float(match[1]))
    if match := _IN_ORDER.fullmatch(run):
        return Token("NEAR", run, float(match[1] or match[2]), ordered=True)
    for unit, pattern in _SAME.items():
        if pattern.fullmatch(run.upper() if "/" in run else run):
            return Token("SAME", run, value=unit.lower())
    return None


def longer_operator(text: str, at: int) -> tuple[Token, int] | None:
    """An operator with blanks or parentheses inside, as `SAME CLAIM` or `(5W)`, and where it ends."""
    if match := _TWO_WORDS.match(text, at):
        if match[0][:4] == "SAME":
            return Token("SAME", " ".join(match[0].split()), value=match[1].lower()), match.end()
        return None
    if match := _SPACED.match(text, at) or _SPACED_SMALL.match(text, at):
        name, distance = (each for each in match.groups() if each)
        ordered = name.upper() in ("PRE", "P", "ADJ", "ONEAR")
        return Token("NEAR", match[0], float(distance), ordered=ordered), match.end()
    if match := _ENCLOSED.match(text, at):
        between = match[1] or match[4] or match[7] or "0"
        letter = (match[2] or match[5] or match[8] or "").upper()
        if letter:
            return Token("NEAR", match[0], int(between) + 1, ordered=letter == "W"), match.end()
        if match[6] is not None:  # Dialog: thin()film
            return Token("NEAR", match[0], 1, ordered=True), match.end()
        return Token("SAME", match[0], value="sentence" if match[3] == "S" else "paragraph"), match.end()
    if (match := _PROX.match(text, at)) and match[1] and not text[match.end() : match.end() + 1].isalnum():
        return _prox(match), match.end()
    return None


def _prox(match: re.Match[str]) -> Token:
    """CQL's proximity: prox/distance<3/unit=word/ordered=true."""
    written = match[0].lower().replace(" ", "")
    unit = re.search(r"unit=(\w+)", written)
    if unit and unit[1] in ("sentence", "paragraph"):
        return Token("SAME", match[0], value=unit[1])
    distance = re.search(r"distance(<=|<|=)([0-9]+)", written)
    number = int(distance[2]) - (distance[1] == "<") if distance else 1
    return Token("NEAR", match[0], max(number, 1), ordered="ordered=true" in written or written.endswith("/ordered"))


def plain_operator(token: Token) -> str:
    """An operator as the language itself writes it.

    >>> plain_operator(Token("NEAR", "W / 5", 5.0)), plain_operator(Token("AND", "UND"))
    ('NEAR/5', 'AND')
    """
    if token.kind == "NEAR":
        return f"{'PRE' if token.ordered else 'NEAR'}/{token.number:.0f}"
    return f"SAME {token.value.upper()}" if token.kind == "SAME" else token.kind


def unsupported(run: str) -> str:
    """What to write instead of an operator that is not supported; empty for other words."""
    return next((instead for pattern, instead in _OTHERS if pattern.fullmatch(run)), "")


def unsupported_in_parentheses(text: str, at: int) -> tuple[str, str] | None:
    """An operator of STN in parentheses that is not supported, as (A) or (L), and what to write instead."""
    match = _OTHER_ENCLOSED.match(text, at)
    if not match:
        return None
    if match[1] is None:
        return match[0], "write SAME PARAGRAPH, or AND within one field"
    return match[0], f"the operator is written NEAR/{int(match[1] or 0) + 1}"


# A place in the text of a query, the tokens before it, and what can be read there: runs of letters, and weights.


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
        if following == "=":  # =film: as it is written
            following = self.text[place + 1 : place + 2]
            return following.isalnum() or (following != "" and following in QUOTES)
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


# Values of filters with blanks or signs inside: periods, comparisons of dates, classes and numbers of publications.


NUMBER_FILTERS = ("number", "cites", "cited-by", "family")
_EQUAL = (":", "=", "==")
_DATE = r'"?([0-9][0-9./-]*)"?'
_TWO_DATES = re.compile(rf"{_DATE}(?:\s*(?:\.\.+|…|->|[–—])\s*|\s+(?:-|to|TO)\s+){_DATE}(?!\w)")
_COMPARED_DATES = re.compile(rf"([<>]=?)\s*{_DATE}(?:([<>]=?)\s*{_DATE})?(?!\w)")
_SYMBOL = r"[A-HY][0-9]{2}(?:[A-Z](?:\s*[0-9]{1,4}/[0-9]{2,6}|[0-9]{1,4})?)?(?![\w/])"
_CLASS = re.compile(r"[A-HY][0-9]{2}[A-Z]\s+[0-9]{1,4}/[0-9]{2,6}(?!\w)", re.IGNORECASE)
_RANGE = re.compile(
    rf"{_SYMBOL}(?:\s+(?:-|–|->|\.\.|TO)\s+|->|-|–|\.\.)(?:{_SYMBOL}|[0-9]{{1,4}}/[0-9]{{2,6}}(?![\w/]))",
    re.IGNORECASE,
)
_TO = re.compile(r"\s+TO\s+", re.IGNORECASE)
_CLASSES = re.compile(rf"{_SYMBOL}(?:\s*[,;]\s*{_SYMBOL})+", re.IGNORECASE)
_PUBLICATION_NUMBER = re.compile(
    r"[A-Z]{2}(?:\s?[0-9]{1,3}(?:[ ,][0-9]{3})+|\s[0-9]+(?:/[0-9]+)?)(?:[A-Z][0-9]?|\s[A-Z][0-9])?(?![\w,])"
)


def spaced_values(field: str, text: str, at: int) -> tuple[list[str], int] | None:
    """A class or a number in several words, as C07D 401/04 or EP 1 000 000 A1, or classes with commas; and the end."""
    if field in CLASS_FILTERS and (one := _RANGE.match(text, at)):
        return [_TO.sub("-", one[0])], one.end()
    if field in CLASS_FILTERS and (several := _CLASSES.match(text, at)):
        return re.split(r"\s*[,;]\s*", several[0]), several.end()
    pattern = _CLASS if field in CLASS_FILTERS else _PUBLICATION_NUMBER if field in NUMBER_FILTERS else None
    match = pattern.match(text, at) if pattern else None
    return ([match[0]], match.end()) if match else None


def dates_at(field: str, sign: str, text: str, at: int) -> tuple[str, int] | None:
    """The period of a filter by date whose value begins here, and where it ends; None for a date alone.

    >>> dates_at("published", ":", "published:2010 to 2015 film", 10)
    ('2010..2015', 22)
    >>> dates_at("published", ">=", 'pd>="20100101"<="20151231"', 4)
    ('2010-01-01..2015-12-31', 26)
    """
    if field not in DATE_FILTERS:
        return None
    if match := bracketed(text, at):
        written, end = match[0], match.end()
    elif sign in _EQUAL and (match := _TWO_DATES.match(text, at)):
        written, end = f"{match[1].rstrip('.')}..{match[2]}", match.end()
    elif sign not in _EQUAL and (match := _COMPARED_DATES.match(text, at - len(sign))):
        written, end = match[1] + match[2], match.end()
        if match[3]:
            ends = [period(field, written), period(field, match[3] + match[4])]
            low, high = sorted(ends, key=lambda each: each.startswith(".."))
            return (low + high[2:], end) if low.endswith("..") and high.startswith("..") else None
    elif sign not in _EQUAL or text.startswith(("<", ">", ".."), at):
        found = RUN.match(text, at)
        written, end = ((sign if sign not in _EQUAL else "") + found[0], found.end()) if found else ("", at)
    else:
        return None
    dates = period(field, written)
    return (dates, end) if dates else None


# A place in a query, and the fields that can be read there: `title:film`, `ti,ab=film`, `TTL/film`, `pd within …`.


_NAME = r"[^\W\d][\w-]{0,40}"
_FIELD = re.compile(rf"({_NAME})(:|==?(?!=)|[<>]=?)")
_SPACED_FIELD = re.compile(rf"({_NAME})\s*(==?|[<>]=?|(?<=\s):)\s*(?=[\w\"“(*])")
_SEVERAL = re.compile(rf"({_NAME}(?:,{_NAME}){{1,9}})(:|==?(?!=))(?=[\w\"“(*]|=\w)")  # ti,ab=film
_RELATION = re.compile(
    rf"({_NAME})\s+(?:(any|all|exact|adj|within)\s+\"([^\"]*)\"|(within)\s+([0-9][0-9-]{{3,9}}[\s,]+[0-9][0-9-]{{3,9}}))",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(TTL|ABST|ACLM|SPEC|IN|ICL|PN|ISD|APD|CPC|PA|AN)/(?=[\w\"“(])|(TI|AB|CLM?|TAC|ti|ab|ttl|abst|clm)/(?=[a-zA-Z*\"“(])"
)
_SIGN_OF_COMPARISON = re.compile("[=<>]")
_RELATED = re.compile('"|within', re.IGNORECASE)  # what every relation has
_BARE_WORD = re.compile(r"[^\W_]+(?=\s+[^\s:=<>]|\s*\Z)")  # with no sign behind it that could make a field of it
_OF_WHICH = re.compile(r"(priority|filing|publication):")  # before:priority:2010


class FieldCursor(TextCursor):
    """The text, the tokens read so far, and the names that may be fields."""

    def __init__(self, text: str, fields: list[str]) -> None:
        super().__init__(text)
        self.fields = fields
        self.order: ResultOrder | None = None
        self.is_cql = False

    def _has_relation(self) -> bool:
        """Whether a field is followed by = or a relation of CQL."""
        patterns = [*((_FIELD, _SPACED_FIELD) if _SIGN_OF_COMPARISON.search(self.text) else ())]
        patterns += [_RELATION] if _RELATED.search(self.text) else []
        found = (match for pattern in patterns for match in pattern.finditer(self.text))
        return any(match[2] != ":" and field_named(match[1], self.fields) for match in found)

    def _named_part(self, end: int) -> bool:
        """Read a field with something after it, in a text that ends here; False where there is none."""
        if not self.is_cql and _BARE_WORD.match(self.text, self.at):  # quick: most words
            return False
        if self._relation() or self._prefixed() or self._several_fields():
            return True
        field = _FIELD.match(self.text, self.at, end) or _SPACED_FIELD.match(self.text, self.at)
        return field is not None and self._field(field, end)

    def _fields_named(self, names: Sequence[str]) -> str:
        found = [field_named(name, self.fields) for name in names]
        return ",".join(found) if all(found) else ""

    def _relation(self) -> bool:
        """Read a relation of CQL: ti any "film foil", pd within "2010 2015"."""
        match = _RELATION.match(self.text, self.at) if self.is_cql else None
        field = field_named(match[1], self.fields) if match else ""
        if not match or not field or not (match[3] or match[5] or "").strip():
            return False
        relation, words = (match[2] or match[4]).lower(), (match[3] or match[5]).split()
        self.tokens.append(Token("field", field))
        if relation in ("exact", "adj", "within") or len(words) == 1:
            self.tokens.append(Token("quoted", " ".join(words)))
        else:
            joined = Token("OR" if relation == "any" else "AND", relation)
            self.tokens.append(Token("("))
            for place, word in enumerate(words):
                self.tokens += [*([joined] if place else []), Token("word", word)]
            self.tokens.append(Token(")"))
        self.at = match.end()
        return True

    def _prefixed(self) -> bool:
        """Read a field before a stroke: TTL/film."""
        match = _BEFORE.match(self.text, self.at)
        if match is None:
            return False
        name = "PA" if match[1] == "AN" else match[1] or match[2]  # AN is the assignee's name
        field = field_named(name, self.fields)
        if field:
            if match[2]:
                self._note(lambda: f"{match[0]} was taken as {field}:")
            self.at = match.end()
            self._value_of(field, ":", self.at)
        return bool(field)

    def _several_fields(self) -> bool:
        """Read several fields before one value: ti,ab=film."""
        match = _SEVERAL.match(self.text, self.at)
        if match is None:
            return False
        names = match[1].split(",")
        unknown = [name for name in names if not field_named(name, self.fields)]
        if not unknown:
            self._value_of(self._fields_named(names), match[2], match.end())
        elif len(unknown) < len(names):
            self._note(lambda: f"{match[0][:40]} was taken as words: {self._instead(unknown[0])}")
        return not unknown

    def _field(self, match: re.Match[str], end: int) -> bool:
        """Read a name with a colon or =, as a field or else as a word; False if the sign means nothing."""
        name, sign, behind = match[1].lower(), match[2], match.end()
        shown = self.text[self.at : min(end, self.at + 40)]
        if name == "sort" and (asked := self.text[behind:end].lower()) in ORDERS:
            self._nothing_behind()
            self.order = ORDERS[ORDERS.index(asked)]
            self.at = end
            return True
        if name in ("before", "after") and (dated := _OF_WHICH.match(self.text, behind)):
            which, compared = field_named(dated[1], self.fields), "<" if name == "before" else ">"
            if which and dates_at(which, compared, self.text, dated.end()):
                self._value_of(which, compared, dated.end())
                return True
        field = field_named(name, self.fields)
        if dates_at(field, sign, self.text, behind):
            self._value_of(field, sign, behind)
            return True
        if not self._unit_at(behind) or sign in ("<", ">", "<=", ">="):
            if field and behind == end:
                self._note(lambda: f"{shown} was taken as a word: nothing follows it directly")
            elif field and sign != ":":
                self._note(lambda: f"{shown} was taken as words: only dates can be compared")
            return False
        if not field and (match.end() > end or (sign != ":" and len(name) < 2)):
            return False
        if not field:
            self._note(lambda: f"{shown} was taken as words: {self._instead(match[1])}")
            if not self._follows("+", "-", "NOT"):  # -tittle:film excludes film, not tittle
                self.tokens.append(Token("word", match[1]))
            self.at = behind
        else:
            if sign == ":" and behind > end:
                self._note(lambda: f"{match[1]} : was taken as {field}:")
            self._value_of(field, sign, behind)
        return True

    def _value_of(self, field: str, sign: str, behind: int) -> None:
        """Read a field, and its value where this has blanks or signs inside: a period, a class, a number."""
        self.tokens.append(Token("field", field))
        self.at = behind
        if dates := dates_at(field, sign, self.text, behind):
            self.tokens.append(Token("word", dates[0]))
            self.at = dates[1]
        elif spaced := spaced_values(field, self.text, behind):
            values = [Token("quoted", " ".join(value.split())) for value in spaced[0]]
            if len(values) == 1:
                self.tokens += values
            else:
                self.tokens.append(Token("("))
                for place, value in enumerate(values):
                    self.tokens += [*([Token("OR", ",")] if place else []), value]
                self.tokens.append(Token(")"))
            self.at = spaced[1]

    def _instead(self, name: str) -> str:
        if name.lower() == "sort":
            return f"results can be sorted by {', '.join(ORDERS)}"
        own = [field for field in self.fields if field not in (*FILTERS, *HEADINGS)]
        known = [*own, "applicant", "inventor", "class", "published"]
        hint = (
            nearest(name[:40], [f"{field}:" for field in self.fields]) or f"; fields are {', '.join(known)} and others"
        )
        return f"there is no field {name[:40]}{hint}"
