"""Topics whose text is a Boolean query: only the documents that match it are found, ranked by the system.

What is found is what `leadline search` finds with the same text. Every step of the system sees the words that the query
asks for, without operators, fields and excluded words; a search by words ranks by the terms of the query.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from leadline.errors import InputError
from leadline.retrieval.choices import COMMON
from leadline.retrieval.language.fields import field_named
from leadline.retrieval.language.language import Language
from leadline.retrieval.language.reading import OPERATORS, tokenized, understand
from leadline.retrieval.language.strategies import refuse_strategy
from leadline.retrieval.language.tree import FILTERS, And, Near, Or, Same, Side, Within, nodes_of, ranking_words
from leadline.retrieval.pipeline.context import BooleanTopic, Request

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

AS_QUERY = "in Boolean form, run as queries and not as words"
PERHAPS = "perhaps in Boolean form, run as words"


def boolean_topic(context: SearchContext, request: Request, k: int) -> Request:
    """The request, limited to what its text asks for if that is a Boolean query; a note says how it was read."""
    if request.is_patent:
        return request
    part = "title" if request.topic.title.strip() else "narrative"
    text = getattr(request.topic, part)
    try:
        refuse_strategy(text, in_session=False)
        reading = reading_of(text, context.index.fields)
        if reading == "words":
            return request
        if reading == "unsure":
            return request.with_note(PERHAPS)
        language = Language(context.index, None, context.searching)
        answer = language.search(text, k=k, mask=context.visible(request))
    except InputError as error:
        return request.with_note(f"run as words, since the text {error.problem}")
    if answer.is_empty:
        return request.with_note(PERHAPS)
    tree = understand(text, context.index.fields).tree
    words = "" if tree is None else " ".join(ranking_words(tree))
    is_title = part == "title"
    topic = replace(request.topic, title=words) if is_title else replace(request.topic, narrative=words)
    limited = replace(request, topic=topic, boolean=BooleanTopic(part, answer, language)).only(answer.matching)
    for note in (AS_QUERY, *(f"in whose query {note}" for note in answer.notes)):
        limited = limited.with_note(note)
    return limited


# Whether a text is a Boolean query or words. Topics are mostly sentences, and some hold AND by chance.
#
# A text is a query if it names a field of the index, `title:film`, asks for an order, `sort:newest`, joins words by
# operators in capitals, or cuts words off, `polym* film`. That is not certain where all of it is in capitals, or where
# it reads as a sentence, nor where it is only a phrase in quotes or has a word with a mark, `film -metal`. A star
# behind the last of several words may lead to a footnote, and a question mark within a word may stand for a lost
# letter.


Reading = Literal["query", "words", "unsure"]
# Without any of these a text is words.
_SIGNS = re.compile(
    r"[A-Z]{2}|\w:[\w\"“(]|[\"“„«]|(?<!\S)[-+]\w|\w[*?](?!$)|\w\*$|=|\.[a-z]{2,4}[.,]|\w\[[a-z]"
    r"|\(|/exp(?!\w)"
)
_PREFIX = re.compile(r"(?<![\w:/.])([A-Za-z][A-Za-z-]{0,20})(:|\s?=\s?)(?=[\w\"“(])")
_FIELDS_BEHIND = re.compile(r"[\w*?$)\"”]\.[a-z]{2,4}(?:,[a-z]{2,4}){0,9}\.(?=[\s)]|$)")  # film.ti,ab.
_TAG_BEHIND = re.compile(
    r"[\w*\"”]\[(?:ti|tiab|ab|tw|au|dp|mesh|mh|title|abstract|title/abstract|author)\]", re.IGNORECASE
)
# In letters only: CYP2C19*2 is the name of an allele.
_CUT_OFF = re.compile(r"(?<![^\s(])(?:[^\W\d_]+-)?[^\W\d_]{3,}(?:\*[^\W\d_]*|\?[^\W\d_]+)(?=[\s),;]|$)")
_PERHAPS_CUT_OFF = re.compile(r"(?<![\w*])\w{3,}\*(?![\w*])|[^\W\d_]{2}[*?][^\W\d_]")
_HEADING = re.compile(r"\w['’]?/exp(?!\w)")  # Embase's 'film'/exp
# Two operators in small letters, one of them in parentheses: (film or foil) and metal, film not (foil or sheet).
_IN_PARENTHESES = r"\([^()]{0,200}\s(?:and|or|not)\s[^()]{0,200}\)"
_GROUPED = re.compile(rf"{_IN_PARENTHESES}\s(?:and|or|not)\s|\s(?:and|or|not)\s{_IN_PARENTHESES}", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<![^\s(])\*\w")
_SMALL = frozenset(("and", "or", "not"))
_COMMON = frozenset(word.decode() for words in COMMON.values() for word in words)


def reading_of(text: str, fields: Sequence[str]) -> Reading:
    """How a text is meant, for documents with these fields.

    >>> [reading_of(text, ["title"]) for text in ("title:film", "film AND NOT (metal OR foil)", "the AND of inputs")]
    ['query', 'query', 'unsure']
    >>> [reading_of(text, ["title"]) for text in ("SALT AND PEPPER", "salt and pepper", "Title: salt", '"thin film"')]
    ['unsure', 'words', 'words', 'unsure']
    >>> [reading_of(text, ["title"]) for text in ("polym* film", "title=film", "film.ti.", "film sort:newest", "wom?n")]
    ['query', 'query', 'query', 'query', 'query']
    >>> [reading_of(text, ["title"]) for text in ("Salt and pepper*", "film and (foil* or sheet*)", "Why salt?")]
    ['unsure', 'unsure', 'words']
    """
    if not _SIGNS.search(text):
        return "words"
    understood = understand(text, fields)
    tree = understood.tree
    nodes = [] if tree is None else list(nodes_of(tree))
    known = [*fields, *FILTERS]
    in_fields = any(isinstance(node, Within) for node in nodes)
    prefixes = [(match[1], match[2]) for match in _PREFIX.finditer(text)] if in_fields else []
    if any(sign == ":" and field_named(name, known) for name, sign in prefixes):
        return "query"
    if understood.order is not None:
        return "unsure" if tree is None else "query"
    tokens = tokenized(text, known).tokens
    marked = any(mark for node in nodes if isinstance(node, Side) for mark, _ in node.parts)
    joined = marked or any(isinstance(node, (And, Or, Near, Same)) for node in nodes)
    words = [token.text for token in tokens if token.kind in ("word", "quoted")]
    common = any(word.lower() in _COMMON and not word.isupper() for word in words)
    behind = [match.end() for match in _FIELDS_BEHIND.finditer(text)] if in_fields else []
    is_sentence = common or (text.rstrip().endswith(("?", ".", "!")) and len(text.rstrip()) not in behind)
    if not joined or not any(token.kind in OPERATORS and token.text.isupper() for token in tokens):
        if behind or any(_is_field(name, fields) for name, _ in prefixes) or _is_cut_off(text):
            return "unsure" if is_sentence else "query"
        only_quoted = bool(tokens) and all(token.kind in ("quoted", "slop") for token in tokens)
        perhaps = in_fields or any(sign.search(text) for sign in (_PERHAPS_CUT_OFF, _TAG_BEHIND, _HEADING))
        small = {word.lower() for word in words} & _COMMON <= _SMALL and _GROUPED.search(text)
        return "unsure" if only_quoted or perhaps or small or (marked and not is_sentence) else "words"
    in_capitals = not any(map(str.islower, "".join(words)))
    return "unsure" if in_capitals or is_sentence else "query"


def _is_field(name: str, fields: Sequence[str]) -> bool:
    """Whether a name before `=` is a field or filter beyond doubt; the short names of filters are also symbols."""
    return name.lower() in FILTERS or bool(field_named(name, list(fields)))


def _is_cut_off(text: str) -> bool:
    """Whether a text has a word that is cut off or has a letter left open, beyond doubt."""
    found = _CUT_OFF.search(text)
    if found is None or _EMPHASIS.search(text) or not any(map(str.islower, found[0])):
        return False
    if found[0] == text.strip():
        return not found[0].endswith("?s")  # Parkinson?s: an apostrophe was lost
    return "?" not in found[0] and bool(text[found.end() :].strip(" .,;)"))
