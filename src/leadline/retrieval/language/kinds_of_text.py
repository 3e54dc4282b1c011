"""What a text is: words, a query in Boolean form, or a search strategy of another system."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from leadline.errors import InputError
from leadline.retrieval.choices import COMMON
from leadline.retrieval.language.fields import field_named
from leadline.retrieval.language.reading import OPERATORS, tokenized, understand
from leadline.retrieval.language.tree import FILTERS, HEADINGS, And, Heading, Near, Or, Same, Side, Within, nodes_of

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
    known = [*fields, *FILTERS, *HEADINGS]
    in_fields = any(isinstance(node, (Within, Heading)) for node in nodes)
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


# Search strategies of other systems: lines that are combined by their numbers, in the syntax of Ovid or PubMed.
#
# As words they would find something else than they ask for, so such a text is refused, with the sign that tells it.
#
#     1. exp neoplasms/              a subject heading
#     2. (cancer or tumor).tw.       fields behind the words
#     3. 1 and 2                     lines, by their numbers


LONGEST_SHOWN = 40  # characters of a line in a message
SIGNS_IN_ONE_LINE = 3  # fewer are noted one by one, as words
SIGNS_IN_LINES = 2
_NUMBER = r"[\s(]*+[#SL]?[0-9]{1,3}(?:-[0-9]{1,3})?[\s)]*+"
_NUMBERED = re.compile(r"\s*#?[0-9]{1,3}\s*[.):]?\s+(?=\S)")
_COMBINED = re.compile(
    rf"(?:{_NUMBER}(?:(?:and|or|not){_NUMBER})+|(?:and|or)/{_NUMBER}"
    r"|limit\s+[#SL]?[0-9]{1,3}\s+to\b.*)\.?",
    re.IGNORECASE,
)
# Each of these is counted: Ovid's fields and headings, and PubMed's tags.
_SYSTEM_SIGNS = {
    "Ovid": re.compile(
        r"(?<=[\w$*?)\"”])\.\s?(?:[a-z]{2},)*(?:mp|tw|ti|ab|sh|hw|ot|kw|kf|nm|rn|pt|fs|af|tx)\b(?:\.|(?=\s*$))"
        r"|^[\s(]*(?:exp\s{1,5}|\*)?[A-Z][\w ,'-]{2,80}/(?=[a-z]{2}\b|\s|$)"
        r"|(?<!\w)exp\s{1,5}[^\s/][^/\n]{1,80}/(?=\s|$)",
        re.MULTILINE,
    ),
    "PubMed": re.compile(
        r"\[\s?(?:tiab|tw|ti|ab|mesh|mh|majr|sh|pt|la|dp|au|all|title/abstract|text\s?word|(?:mesh|all|title|subheading)"
        r"[ a-z]{0,12})(?::noexp)?\s?\]",
        re.IGNORECASE,
    ),
}


def refuse_strategy(text: str, *, in_session: bool) -> None:
    """InputError for a text that is a search strategy of another system; in a session, #1 is a query of the session.

    >>> refuse_strategy("1. exp neoplasms/\\n2. (cancer or tumor).tw.\\n3. 1 and 2", in_session=False)
    Traceback (most recent call last):
    leadline.errors.InputError: QUERY: is a search strategy, not one query: line 3, '1 and 2', combines lines by ...
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines if len(lines) > 1 else (), start=1):
        for written in dict.fromkeys((line, _NUMBERED.sub("", line, count=1))):
            if _COMBINED.fullmatch(written) and not (in_session and "#" in written):
                where = f"line {number}, {_short(written)!r}, combines lines by their numbers"
                instead = "`leadline strategy run INDEX FILE` runs it, or ask each line in a session (--history FILE)"
                raise InputError("QUERY", f"is a search strategy, not one query: {where}; {instead}")
    for system, sign in _SYSTEM_SIGNS.items():
        found = [match[0].strip() for match in sign.finditer(text)]
        if len(found) >= (SIGNS_IN_LINES if len(lines) > 1 else SIGNS_IN_ONE_LINE):
            what = f"{len(found):,} signs such as {_short(found[0])!r} mean nothing here"
            instead = f"--syntax {system.lower()} takes one line of it, `leadline strategy run INDEX FILE` all"
            raise InputError("QUERY", f"is a search strategy of {system}, not a query: {what}; {instead}")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
