"""Cut a pasted strategy into its lines: numbers, comments between lines, lines that go on, counts at the ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from leadline.errors import InputError
from leadline.retrieval.language.line_words import plain, short
from leadline.retrieval.language.syntax import recognised, syntax_named

MOST_LINES = 2000
LONGEST_TEXT, LONGEST_LINE = 5_000_000, 100_000  # characters; the second of a line with all that goes on
MOST_WRITTEN = 40_000  # lines as they are written, of which several may be one
END = 40  # characters in which shows whether a line goes on: more than the longest operator
JOINED_AT_MOST = 6  # lines whose parentheses are looked at together
MOST = 0.6  # of the lines, that the others are like them


@dataclass(frozen=True)
class StrategyLine:
    """A line with its number; `notes` say what was done to it before it was read."""

    number: int
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class StrategyText:
    """The lines of a strategy, whose syntax they are in, and what was left out as a comment."""

    lines: tuple[StrategyLine, ...]
    syntax: str
    comments: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


_HEADER = re.compile(
    r"\W*(?:query|search\s+strategy|strategy|search\s+terms?|search\s+history|searches|search)\s*:\s*", re.IGNORECASE
)
_ABOUT = re.compile(
    r"\W*(?:topic|title|database|databases|date(?:\s+searched)?|date\s+of\s+search|searched|host|interface|platform|source|search\s+date"
    r"|note|notes|comment|comments|results?|hits|file|review)\b[^:]{0,30}:.*|[-=_*~\s.]{3,}|\W*(?:comment|note)s?\b.*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\s*(?:=>\s*)?([#SL]?)\s?([0-9]{1,4})(?:\s*[.):]\s+|\s*[.):](?=[^\d\s])|\s*\t\s*|\s+)(?=\S)", re.IGNORECASE
)
_SETS = re.compile(r"[#SL]?\s?[0-9]{1,4}|and|or|not|[\s(){}/,.–-]", re.IGNORECASE)
_OPERATOR_FIRST = re.compile(r"(?:and|or|not|adj[0-9]*|near|next|near/[0-9]+)\s", re.IGNORECASE)
_OPERATOR_LAST = re.compile(r"(?:^|\s)(?:and|or|not|adj[0-9]*|near/[0-9]+|next)\s*$", re.IGNORECASE)
_COMPLETE = re.compile(
    r"(?:[/\])}\".*$?=]|[0-9]|\.[a-z]{2}|:[a-z,]{2,}|/[a-z]{2}|/[A-Z]{2,4})$"
)  # the end of a line that is whole
_HYPHENATED = re.compile(r"[^\W\d_]{2}-$")
_GAP = re.compile(r"[ \t\xa0]{3,}")
_COUNT = re.compile(
    r"(?:\s*total\s+(?:references|results|hits)\s*[=:]\s*|\s+\(|\t\s*|\s{2,}|\s+\[)([0-9][0-9,. ]{0,19})[)\]]?\s*$",
    re.IGNORECASE,
)
_LOOSE_COUNT = re.compile(r"(?<!or/)(?<!and/)(?<![=<>])\s([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)\s*$")
_SIGN = re.compile(
    r"[\"*?$\[\]{}=]|\b(?:AND|OR|NOT)\b|\b(?:and|or|not|adj[0-9]*)\b|[/:.][a-z]{2}\b|\w/(?:\s|$|[a-z]{2})|\("
)


def strategy_text(text: str, syntax: str | None = None, where: str = "STRATEGY") -> StrategyText:
    """The lines of a strategy; `syntax` is the name of its syntax, if it is known.

    >>> found = strategy_text("Query:\\n1. exp Neoplasms/ (1,234)\\n2. (cancer or\\ntumor$).tw.\\n3. 1 and 2")
    >>> found.syntax, [(line.number, line.text) for line in found.lines]
    ('ovid', [(1, 'exp Neoplasms/'), (2, '(cancer or tumor$).tw.'), (3, '1 and 2')])
    """
    if len(text) > LONGEST_TEXT:
        raise InputError(where, f"has {len(text):,} characters; a strategy has at most {LONGEST_TEXT:,}")
    raw = [line.rstrip() for line in _narrow(plain(text)).replace("\x0c", "\n").splitlines()]
    if len(raw) > MOST_WRITTEN:
        raise InputError(where, f"has {len(raw):,} lines; a strategy is written in at most {MOST_WRITTEN:,}")
    for number, line in enumerate(raw, start=1):
        _check_length(line, f"{where}:{number}")
    raw, comments = _body(raw)
    notes: list[str] = []
    if syntax is None:
        syntax, doubt = recognised(raw)
        notes += [doubt] if doubt else []
    else:
        syntax_named(syntax)
    if not raw:
        raise InputError(where, "has no lines")
    numbers = _numbers_of(raw)
    lines, more = _numbered(raw, numbers, syntax) if numbers else _unnumbered(raw, syntax)
    if len(lines) > MOST_LINES:
        raise InputError(where, f"has {len(lines):,} lines; a strategy has at most {MOST_LINES:,}")
    if numbers and [line.number for line in lines] == sorted((line.number for line in lines), reverse=True):
        if len(lines) > 1:
            notes.append("the lines are printed from the last to the first: read in the order of their numbers")
        lines = lines[::-1]
    comments += more
    if not numbers and len(lines) > 1:
        notes.append("the lines have no numbers: they were counted from 1")
    return StrategyText(tuple(_without_counts(lines)), syntax, tuple(comments), tuple(notes))


def _narrow(text: str) -> str:
    """A text without wide gaps, which patterns would go through from each of their blanks.

    >>> _narrow("film      12 x \t\t   7")
    'film  12 x\t7'
    """
    return _GAP.sub(lambda gap: "\t" if "\t" in gap[0] else "  ", text)


def _check_length(line: str, where: str) -> None:
    if len(line) > LONGEST_LINE:
        raise InputError(where, f"is a line of more than {LONGEST_LINE:,} characters, with what goes on: divide it")


def is_combination(text: str) -> bool:
    """Whether a line is nothing but the numbers of lines and operators.

    >>> [is_combination(text) for text in ("1 and 2", "or/1-3,7", "#1 OR #2", "{or #1-#3}", "film", "5")]
    [True, True, True, True, False, False]
    """
    return (
        bool(re.search("[0-9]", text))
        and bool(re.search("and|or|not|-", text, re.IGNORECASE))
        and not _SETS.sub("", text)
    )


def _body(raw: list[str]) -> tuple[list[str], list[str]]:
    """The lines of the strategy itself, and those about it."""
    comments: list[str] = []
    start = 0
    for place, line in enumerate(raw):
        if (header := _HEADER.match(line)) and not is_combination(line):
            comments += [each for each in raw[:place] if each.strip()]
            rest = line[header.end() :].strip()
            comments.append(line[: header.end()].strip())
            raw = [*([rest] if rest else []), *raw[place + 1 :]]
            break
    kept = []
    for line in raw[start:]:
        if not line.strip():
            continue
        if _ABOUT.fullmatch(line) and not _LINE_SIGN.search(line):
            comments.append(line.strip())
        else:
            kept.append(line)
    return kept, comments


_LINE_SIGN = re.compile(r"\.(?:ti|ab|mp|tw)\b|\[[a-z]+\]|\]/|:(?:ti|ab)\b")


def _numbers_of(raw: Sequence[str]) -> dict[int, tuple[int, int]]:
    """For each place of a numbered line its number, and where its text begins; empty where lines have no numbers."""
    found: dict[int, tuple[int, int]] = {}
    for place, line in enumerate(raw):
        match = _NUMBERED.match(line)
        if match and not re.match(r"(?:and|or|not)\b(?!/)", line[match.end() :], re.IGNORECASE):
            found[place] = (int(match[2]), match.end())
    numbers = [number for number, _ in found.values()]
    if not numbers:
        return {}
    if len(numbers) > 2 and numbers == sorted(set(numbers), reverse=True) and numbers[-1] <= 2:
        return found
    rising: dict[int, tuple[int, int]] = {}
    last = 0
    for place, (number, at) in found.items():
        if number > last and (number <= last + 20 or last == 0):
            rising[place], last = (number, at), number
    kept = [number for number, _ in rising.values()]
    consecutive = kept == list(range(kept[0], kept[0] + len(kept)))
    if len(kept) == 1:
        alone = re.match(r"\s*(?:[#SL]\s?1|1\s*[.):]|1\t|1\s+(?=[(\"\[']))", raw[next(iter(rising))]) is not None
        return rising if kept == [1] and alone and next(iter(rising)) == 0 else {}
    return rising if (kept[0] == 1 and consecutive) or len(kept) >= 0.5 * len(raw) else {}


def _goes_on(before: str, line: str, *, numbered: bool) -> bool:
    """Whether a line goes on with the one before it."""
    end = before[-END:]
    if _HYPHENATED.search(end) and line[:1].islower():
        return True
    begins = _OPERATOR_FIRST.match(line) is not None and not (is_combination(line) and "-" in line)
    if _OPERATOR_LAST.search(end) or begins:
        return True
    if not numbered:
        return False
    is_open = any(before.count(opens) > before.count(closes) for opens, closes in ("()", "[]"))
    return is_open or before.count('"') % 2 == 1 or (bool(before) and not _COMPLETE.search(end))


def _join(before: str, line: str) -> tuple[str, str]:
    """Two lines that are one, and what to say of it."""
    _check_length(before, short(before))
    if _HYPHENATED.search(before[-END:]) and line[:1].islower():
        start = before.rsplit(None, 1)[-1]
        word = start[:-1] + line.split(None, 1)[0]
        return before[:-1] + line, f"{start} at the end of a line was joined: {word[:40]}"
    return f"{before} {line}", ""


def _has_sign(line: str, syntax: str) -> bool:
    table = syntax_named(syntax)
    return bool(_SIGN.search(line)) or (table is not None and table.score([line]) > 0)


def _numbered(
    raw: Sequence[str], numbers: dict[int, tuple[int, int]], syntax: str
) -> tuple[list[StrategyLine], list[str]]:
    """Numbered lines, each with what goes on; a number with a title has the lines below it."""
    lines: list[StrategyLine] = []
    comments: list[str] = []
    is_title = False
    for place, written in enumerate(raw):
        if place in numbers:
            number, start = numbers[place]
            text = written[start:].strip()
            following = raw[place + 1] if place + 1 < len(raw) and place + 1 not in numbers else ""
            heads = not _has_query(text, syntax) and _has_query(following, syntax)
            is_title = bool(following) and heads and not _goes_on(text, following, numbered=False)
            if is_title:
                comments.append(written.strip())
            lines.append(StrategyLine(number, "" if is_title else text))
            continue
        text = written.strip()
        if not lines:
            if _has_query(text, syntax):
                lines.append(StrategyLine(0, text, ("the line before the first number",)))
            else:
                comments.append(text)
            continue
        last = lines[-1]
        if is_combination(text) and not _goes_on(last.text, text, numbered=True):
            lines.append(StrategyLine(last.number + 1, text, (f"has no number: taken as line {last.number + 1}",)))
        elif not last.text:
            lines[-1] = replace(last, text=text)
        elif _goes_on(last.text, text, numbered=True) or (_has_query(text, syntax) and is_title):
            joined, note = _join(last.text, text)
            lines[-1] = replace(last, text=joined, notes=(*last.notes, *([note] if note else [])))
        elif _has_query(text, syntax):
            joined, _ = _join(last.text, text)
            lines[-1] = replace(last, text=joined, notes=(*last.notes, f"{short(text)} was taken as its end"))
        else:
            comments.append(text)
    kept = [line for line in lines if line.text]
    return kept, comments


def _has_query(line: str, syntax: str) -> bool:
    """Whether a line is one of a query, and not a title or a comment."""
    table = syntax_named(syntax)
    if table is not None and table.score([line]):
        return True
    return is_combination(line) or bool(re.search(r"[\"*$\[{]|\w/(?=\s|$)|\b(?:AND|OR|NOT)\b|[?](?=\w)", line))


def _unnumbered(raw: Sequence[str], syntax: str) -> tuple[list[StrategyLine], list[str]]:
    """Lines without numbers, counted from 1; comments among them, where nearly all others have signs."""
    joined: list[tuple[str, list[str]]] = []
    place = 0
    while place < len(raw):
        text, notes = raw[place].strip(), []
        reach = _balanced_after(raw, place)
        while place + 1 < len(raw) and (place < reach or _goes_on(text, raw[place + 1].strip(), numbered=False)):
            place += 1
            text, note = _join(text, raw[place].strip())
            notes += [note] if note else []
        joined.append((text, notes))
        place += 1
    table = syntax_named(syntax)
    words = [text for text, _ in joined if not is_combination(text)]
    signed = [text for text in words if _has_sign(text, syntax)]
    comments: list[str] = []
    lines: list[StrategyLine] = []
    tell = table is not None and len(words) > 2 and len(signed) >= 0.8 * len(words)
    for text, notes in joined:
        is_comment = text.endswith(":") or (tell and not is_combination(text) and not _has_sign(text, syntax))
        if is_comment:
            comments.append(text)
        else:
            lines.append(StrategyLine(len(lines) + 1, text, tuple(notes)))
    return lines, comments


def _balanced_after(raw: Sequence[str], place: int) -> int:
    """The last of the lines that close the parentheses which a line leaves open; the line itself where none does."""
    depth = 0
    for at in range(place, min(place + JOINED_AT_MOST, len(raw))):
        depth += raw[at].count("(") - raw[at].count(")")
        if depth <= 0:
            return at
        if at > place and is_combination(raw[at]):
            break
    return place


def _without_counts(lines: Sequence[StrategyLine]) -> list[StrategyLine]:
    """The lines without the numbers of results at their ends."""
    known = {line.number for line in lines}
    loose = [match for line in lines if (match := _LOOSE_COUNT.search(line.text))]
    mostly = len(loose) >= MOST * len(lines) and len(lines) > 1
    cleaned = []
    for line in lines:
        match = _COUNT.search(line.text)
        if match is None and (number := _LOOSE_COUNT.search(line.text)):
            before = line.text[: number.start()]
            in_sets = is_combination(line.text) and not _OPERATOR_LAST.search(before)
            far = int(number[1].replace(",", "")) not in known or bool(re.search(r"[\w)]\s*$", before))
            behind_end = before.rstrip().endswith((")", "]", ".", "/", '"'))  # no word is left for a number to follow
            if (mostly or in_sets or behind_end) and far and not _OPERATOR_LAST.search(before):
                match = number
        if match is None or not line.text[: match.start()].strip(" ()"):
            cleaned.append(line)
            continue
        note = f"{match[1].strip()} at its end was left out: a number of results"
        cleaned.append(replace(line, text=line.text[: match.start()].rstrip(), notes=(*line.notes, note)))
    return cleaned
