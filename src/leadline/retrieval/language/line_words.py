"""The parts of a line, and its words in our own terms: plain signs, wildcards, plurals, names of headings."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from leadline.retrieval.language.syntax import NearRule, Syntax, Wildcard
from leadline.retrieval.language.tree import LETTER_OF, Node

LinePartKind = Literal["word", "phrase", "node", "(", ")", "op", "near", "tag", "field", "ref"]


class LinePart(NamedTuple):
    """A part of a line: a word, an operator, a tag."""

    kind: LinePartKind
    text: str = ""
    node: Node | None = None
    rule: NearRule | None = None
    number: int = 0
    targets: tuple[str, ...] = ()
    at: int = 0
    end: int = 0


_CURLY = str.maketrans({**dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("‘’‚‛′`", "'"), **dict.fromkeys("–—‐‑‒−", "-"),
                        "\xa0": " ", "\u200b": " ", "\ufeff": " "})  # fmt: skip


def plain(text: str) -> str:
    """A text with the plain forms of quotation marks, hyphens and blanks, as long as before."""
    return text.translate(_CURLY)


def with_our_wildcards(text: str, syntax: Syntax) -> tuple[str, list[str]]:
    """A text with letters in place of the wildcards of a syntax, and notes on signs that are none there.

    >>> from leadline.retrieval.language.syntax import SYNTAXES
    >>> from leadline.retrieval.language.tree import FROM_LETTERS
    >>> with_our_wildcards("an?esthe$2", SYNTAXES["ovid"])[0].translate(FROM_LETTERS)
    'an$esthe$2'
    """
    if not any(sign in text for sign in "*?$#!:"):
        return text, []
    words: list[str] = []
    notes: list[str] = []
    for word in text.split():
        found = _WILD.sub(lambda match, word=word: _wildcard(match, word, syntax, notes), word)  # type: ignore[misc]
        words.append(found)
    return " ".join(words), notes


_WILD = re.compile(r"([*?$#!:])\1*([0-9]?)")
_USUAL: dict[str, Wildcard] = {"*": "many", "?": "maybe", "$": "many", "#": "one"}


def _wildcard(match: re.Match[str], word: str, syntax: Syntax, notes: list[str]) -> str:
    sign, count = match[1], len(match[0]) - len(match[2])
    kind = syntax.wildcards.get(sign)
    at_end, at_start = match.end() == len(word), match.start() == 0
    beside = (match.start() > 0 and word[match.start() - 1].isalnum()) or word[match.end() : match.end() + 1].isalnum()
    if kind is None:
        if (
            sign in "!:"
            or not beside
            or (sign == "$" and word[: match.start()].isdigit())
            or (sign == "#" and at_start)
        ):
            return match[0] if sign == ":" else " " + match[2] if sign == "!" and not at_end else match[2]
        kind = _USUAL[sign]
        meant = {"many": "any letters", "maybe": "at most one letter", "one": "one letter", "five": ""}[kind]
        notes.append(f"{word[:40]}: {sign} is no wildcard of {syntax.title}: taken as {meant}")
    if sign == ":" and not at_end:
        return match[0]
    if not beside or (at_start and kind != "many"):
        return match[2]
    if match[2] and at_end and kind in ("many", "five") and sign in "*$":
        return LETTER_OF["$"] + match[2]
    if kind == "many" or (kind == "five" and not at_end):
        return LETTER_OF["*"] + match[2]
    if kind == "five":
        return f"{LETTER_OF['$']}5"
    if kind == "one":
        return LETTER_OF["?"] * count + match[2]
    if at_end:
        return f"{LETTER_OF['$']}{min(count, 9)}"
    return LETTER_OF["$"] * count + match[2]


def heading_name(name: str) -> str:
    return " ".join(name.replace('"', " ").split()).strip(" ,;*")


def plurals(word: str) -> list[str]:
    """The plurals of an English word, or its singulars.

    >>> plurals("film"), plurals("bodies"), plurals("box"), plurals("glass")
    (['films'], ['body', 'bodie'], ['boxes'], ['glasses'])
    """
    small = word.lower()
    if len(small) < 3:
        return []
    if small.endswith("ies"):
        return [word[:-3] + "y", word[:-1]]
    if small.endswith(("sses", "xes", "ches", "shes", "zes")):
        return [word[:-2]]
    if small.endswith("s") and not small.endswith(("ss", "us", "is")):
        return [word[:-1]]
    if small.endswith(("s", "x", "z", "ch", "sh")):
        return [f"{word}es"]
    if small.endswith("y") and small[-2] not in "aeiou":
        return [f"{word[:-1]}ies"]
    return [f"{word}s"]


def short(text: str) -> str:
    """A text as notes show it: on one line, of at most 60 characters.

    >>> short("film\\n  foil")
    'film foil'
    """
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:59]}…"
