"""The operators of other search systems: what patent and legal searchers write between two words.

| written | means | known from |
|---|---|---|
| `NEAR/5` `NEAR5` `N/5` `W/5` `/5` `WITHIN/5` | at most 5 words apart, in any order | dtSearch, Lexis, Westlaw, Ovid |
| `PRE/3` `P/3` `ADJ3` `ADJ/3` `ONEAR/3` `+3` | the second at most 3 words behind the first | Lexis, EAST, Westlaw |
| `ADJ` `(W)` `()` `(N)` | next to each other; with (N) in any order | EAST, STN, Dialog |
| `(5W)` `(5N)` | at most 5 words between them; with N in any order | STN, Dialog |
| `WITH` `W/S` `/S` `(S)` `SAME SENTENCE` | in the same sentence | EAST, Lexis, Westlaw, STN |
| `SAME` `W/P` `/P` `(P)` `SAME PARAGRAPH` | in the same paragraph | EAST, Lexis, Westlaw, STN |
| `SAME CLAIM` | in the same claim | |
| `&&` `||` `!` | AND, OR, NOT | Lucene |
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

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
