"""Search strategies of other systems: lines that are combined by their numbers, in the syntax of Ovid or PubMed.

As words they would find something else than they ask for, so such a text is refused, with the sign that tells it.

    1. exp neoplasms/              a subject heading
    2. (cancer or tumor).tw.       fields behind the words
    3. 1 and 2                     lines, by their numbers
"""

from __future__ import annotations

import re

from leadline.errors import InputError

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
_SIGNS = {
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
                instead = "ask each line in a session (--history FILE) and combine them as in #1 AND #2"
                raise InputError("QUERY", f"is a search strategy, not one query: {where}; {instead}")
    for system, sign in _SIGNS.items():
        found = [match[0].strip() for match in sign.finditer(text)]
        if len(found) >= (SIGNS_IN_LINES if len(lines) > 1 else SIGNS_IN_ONE_LINE):
            what = f"{len(found):,} signs such as {_short(found[0])!r} mean nothing here"
            instead = "write fields before words (title:film), operators in capitals and headings as words"
            raise InputError("QUERY", f"is a search strategy of {system}, not a query: {what}; {instead}")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
