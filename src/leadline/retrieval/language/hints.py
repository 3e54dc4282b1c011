"""Notes on words that look like the syntax of another search system and are searched for as words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from leadline.retrieval.language.fields import Token
from leadline.retrieval.language.tree import FILTERS

LONGEST_WORD = 100  # characters: the expressions below take the square of a word's length
_EARLIER = re.compile(r"[SL][0-9]{1,3}", re.IGNORECASE)
_TAG_BEHIND = re.compile(r"(.*\w)\[(ti|tiab|ab|tw|au|dp|mesh|title|abstract|title/abstract|author)\]?", re.IGNORECASE)
_CODE_BEHIND = re.compile(r"(.*[a-z].*)(/[A-Z]{2,4}|\.[a-z]{2}\.)")  # film/BI, film.xx.
_CLASS = re.compile(r"[A-HY][0-9]{2}[A-Z](?:[0-9]{1,4}/[0-9]{2,6})?")
_GROUP = re.compile(r"([A-HY][0-9]{2}[A-Z]) ?([0-9]{1,4}/[0-9]{2,6})", re.IGNORECASE)  # of a class: A61K31/00
_EMBASE = re.compile(r"(?:\w['’]?(?=/[em])|\w['’](?=/d))(/(?:exp|mj|de)(?:/mj)?)$")  # 'film'/exp, film/exp, 'film'/de
# The number of a publication: two letters and six digits or more, perhaps with a kind.
_NUMBER = re.compile(r"[A-Z]{2}(?:[0-9]{6,13}|[0-9]{4}/[0-9]{5,7})(?:[A-Z][0-9]?)?")
_SPACED_NUMBER = re.compile(r"[A-Z]{2} [0-9](?:[0-9]|,(?=[0-9])|/){5,15}(?: ?[A-Z][0-9])?")
_BLANKS = re.compile("[ ,]")
_JOINING = ("AND", "OR", "NOT")


def hints(tokens: Sequence[Token], *, is_cql: bool, in_session: bool) -> Iterator[str]:
    """Notes on the words among the tokens of a query that may have been meant in another way."""
    if not any(token.kind == "field" or (token.kind == "word" and not _is_plain(token.text)) for token in tokens):
        return
    for before, token in pairwise((Token("field"), *tokens)):
        if token.kind == "word":
            yield from _about_word(token.text, before.text if before.kind == "field" else "")
    words = [token.text if token.kind == "word" else "" for token in tokens]
    filtered = _in_filters(tokens)
    for at, word in enumerate(words):
        following = words[at + 1] if at + 2 < len(words) and words[at + 2] else ""
        if word in ("W", "N") and at and words[at - 1].isalpha() and following.isdigit() and len(following) < 3:
            yield f"{word} {following} was taken as words: a distance is written {word}/{following}"
        in_field = at > 0 and tokens[at - 1].kind == "field"
        if in_field or not 2 <= len(word) <= LONGEST_WORD:
            continue
        group = _GROUP.fullmatch(word) or _GROUP.fullmatch(" ".join(words[at : at + 2]))
        if group and not filtered[at]:
            asked = f"{group[1]}{group[2]}".upper()
            yield f"{group[0]} is searched for as words; write class:{asked} for the class"
        if not word[:2].isupper():
            continue
        if number := _NUMBER.fullmatch(word) or _SPACED_NUMBER.match(" ".join(words[at : at + 3])):
            yield f"{number[0]} is searched for as words; write number:{_BLANKS.sub('', number[0])} for the document"
    for field, name, behind in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_name = field.kind == "field" and field.text in ("applicant", "inventor")
        if is_name and name.kind == behind.kind == "word" and (is_cql or name.text[-1] in ",;"):
            yield f"{field.text}:{name.text} {behind.text}: {behind.text} is not part of the name; put a name in quotes"
    for left, right in pairwise(tokens):
        for one, other in ((left, right), (right, left)):
            if one.kind == "word" and _EARLIER.fullmatch(one.text) and other.kind in _JOINING:
                why = "it is not in the session" if in_session else "name the session with --history FILE"
                yield f"{one.text} was taken as a word, not as an earlier query: {why}"


def _in_filters(tokens: Sequence[Token]) -> list[bool]:
    """For each token, whether it is within the parentheses of a filter, as in class:(A61K31/00 OR C07D).

    >>> from leadline.retrieval.language.reading import tokenized
    >>> _in_filters(tokenized("class:(C07D) film", ["class"]).tokens)
    [False, True, True, True, False]
    """
    within: list[bool] = []
    opened = [False]  # for each open parenthesis whether it is in a filter
    for before, token in pairwise((Token("word"), *tokens)):
        if token.kind == "(":
            is_filter = before.kind == "field" and any(name in FILTERS for name in before.text.split(","))
            opened.append(opened[-1] or is_filter)
        within.append(opened[-1])
        if token.kind == ")":
            opened.pop()
    return within


def _is_plain(word: str) -> bool:
    return word.isalpha() and word.islower()


def _about_word(word: str, field: str) -> Iterator[str]:
    if len(word) > LONGEST_WORD:
        return
    if heading := _EMBASE.search(word):
        yield f"{word[:40]} was taken as words: Embase's {heading[1]} is not known: ask for the words"
    elif tag := _TAG_BEHIND.fullmatch(word):
        yield f"{word[:40]} was taken as words: fields are written before the word, as in title:{tag[1][:40]}"
    elif code := _CODE_BEHIND.fullmatch(word):
        yield f"{word[:40]} was taken as words: there is no field {code[2].strip('/.')}"
    elif field == "claims" and _CLASS.fullmatch(word):
        yield f"{word} is searched for in the text of the claims; write class:{word} for the class"
