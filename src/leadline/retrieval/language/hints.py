"""Notes on words that look like the syntax of another search system and are searched for as words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from leadline.retrieval.language.operators import Token

LONGEST_WORD = 100  # characters: the expressions below take the square of a word's length
_EARLIER = re.compile(r"[SL][0-9]{1,3}", re.IGNORECASE)
_TAG_BEHIND = re.compile(r"(.*\w)\[(ti|tiab|ab|tw|au|dp|mesh|title|abstract|title/abstract|author)\]?", re.IGNORECASE)
_CODE_BEHIND = re.compile(r"(.*[a-z].*)(/[A-Z]{2,4}|\.[a-z]{2}\.)")  # film/BI, film.xx.
_CLASS = re.compile(r"[A-HY][0-9]{2}[A-Z](?:[0-9]{1,4}/[0-9]{2,6})?")
_JOINING = ("AND", "OR", "NOT")


def hints(tokens: Sequence[Token], *, is_cql: bool, in_session: bool) -> Iterator[str]:
    """Notes on the words among the tokens of a query that may have been meant in another way."""
    for before, token in pairwise((Token("field"), *tokens)):
        if token.kind == "word":
            yield from _about_word(token.text, before.text if before.kind == "field" else "")
    for field, name, word in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_name = field.kind == "field" and field.text in ("applicant", "inventor")
        if is_name and name.kind == word.kind == "word" and (is_cql or name.text[-1] in ",;"):
            yield f"{field.text}:{name.text} {word.text}: {word.text} is not part of the name; put a name in quotes"
    for left, right in pairwise(tokens):
        for one, other in ((left, right), (right, left)):
            if one.kind == "word" and _EARLIER.fullmatch(one.text) and other.kind in _JOINING:
                why = "it is not in the session" if in_session else "name the session with --history FILE"
                yield f"{one.text} was taken as a word, not as an earlier query: {why}"


def _about_word(word: str, field: str) -> Iterator[str]:
    if len(word) > LONGEST_WORD:
        return
    if tag := _TAG_BEHIND.fullmatch(word):
        yield f"{word[:40]} was taken as words: fields are written before the word, as in title:{tag[1][:40]}"
    elif code := _CODE_BEHIND.fullmatch(word):
        yield f"{word[:40]} was taken as words: there is no field {code[2].strip('/.')}"
    elif field == "claims" and _CLASS.fullmatch(word):
        yield f"{word} is searched for in the text of the claims; write class:{word} for the class"
