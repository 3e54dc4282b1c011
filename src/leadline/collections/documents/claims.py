"""The claims that a claim refers to, found in its text, and the claims of a plain text.

English, German and French are supported. Every reference counts as a parent, as in the XML of offices that mark
references: "the nail of claim 1, bent" and "a method of making the nail of claim 1" both depend on claim 1. Only
earlier claims count. A claim of another document, "claim 1 of U.S. Pat. No. 5,123,456", does not.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from leadline.collections.documents.document import Claim

_MAX_CLAIMS = 10_000  # a higher number is a misprint
MOST_CLAIMS = 20_000  # of a document: twice the most ever filed
MOST_REFERENCES = 10_000_000  # of all claims of a document: 4 000 claims of which each depends on all before it

# The patterns down to `parents` match texts in lower case with single blanks.
_SIGNS = ("claim", "anspr", "revendic")
_NOUN = r"(?:claims?|(?:patent|schutz|haupt|unter|neben)?anspr(?:uch(?:e?s)?|(?:ü|ue)chen?|\.)|revendications?)"
_DASH = r"[-‐‑‒–—−]"
_TO = rf"(?:to|through|thru|until|up to|bis(?: zu)?|jusqu'à|à|\.\.\.|…|{_DASH})"
_AND = r"(?:and/or|and|or|as well as|und/oder|und|oder|sowie|bzw\.|et/ou|et|ou|&|/)"
_NUMBER = r"[(\[]?([0-9]{1,9}(?![0-9])|[li](?!\w))[)\]]?"  # scanners read 1 as l

_ANCHOR = re.compile(rf"\b{_NOUN}\s*(?:(?:numbers?|nos?|nrn?|n[°º]s?|#|de)(?![^\W\d])\.?)?\s*:?\s*(?={_NUMBER})")
_FIRST = re.compile(_NUMBER)
_LAST = re.compile(rf"\s*{_TO}\s*(?:{_NOUN}\s*)?{_NUMBER}")
_NEXT = re.compile(rf"\s*(?:[,;]\s*({_AND}(?!\w)\s*)?|({_AND}(?!\w)\s*))(?={_NUMBER})")
# A number before a unit is not a claim: "the paint of claim 1 and 2 parts of water".
_QUANTITY = re.compile(
    rf"\.[0-9]|\s*(?:{_DASH}\s*)?(?:%|°|per\s?cent|wt|weight|prozent|gew|parts?\b|teilen?\b|parties\b|times\b|fold\b|carbon\b"
    r"|(?:mono|di|tri|methyl|ethyl)|atoms?\b|(?:[mcnµμ]?m|k?g|mg|[mµμ]?l|min|mol|moles?|minutes?|hours?|h|seconds?|s|days?|[kmg]?hz|k?v|k?w)\b)"
)
# In "claim 1, 2 ..." the 2 is a claim only if the sentence continues as after a claim's number.
_GOES_ON = re.compile(
    rf"\s*(?:$|[,;.:)\]&/]|{_DASH}|(?:and|or|to|wherein|in|which|where(?:by|of)?|characteri[sz]ed|further|comprising|having"
    r"|including|with|for|when|is|are|said|above|inclusive|und|oder|bis|dadurch|wobei|bei|mit|zur|zum|für"
    r"|et|ou|à|caractérisée?s?|dans|dont|où|comportant|comprenant|pour)\b)"
)

_EARLIER = r"(?:preceding|previous|foregoing|above(?:-mentioned)?|aforementioned|aforesaid|prior|earlier)"
_VORHER = r"(?:vor(?:her|aus|an)?gehend|vor(?:an)?stehend|vorangegangen|vorherig|vorig|vorgenannt|obig)"
_PRECEDING = re.compile(
    rf"\b{_EARLIER}\s+(?:(?!(?:and|or|the|to|in|of)\b)\w+\s+)?(claims?)\b(?!\s*[(\[]?[0-9])"
    rf"|\b{_VORHER}(?:e[nr]?|em)\s+(\w*anspr(?:uch(?:e?s)?|(?:ü|ue)chen?))\b(?!\s*[0-9])"
    r"|\b(revendications?)\s+(?:précédente?s?|antérieure?s?|qui précèdent|ci-dessus)"
    r"|\b(claims?)\s+(?:above|hereinabove|hereinbefore)\b"
)
# "The preceding claim" is one; "any preceding claim" is any of all.
_THE_ONE = re.compile(r"\b(?:the|said|dem|des|la|nach|gemäß|gemäss)\s+(?:immediately\s+|directly\s+|unmittelbar\s+)?$")
_SINGULAR = frozenset({"claim", "anspruch", "anspruchs", "anspruches", "revendication"})

_OFFICE = r"(?:u\.?\s?s\.?(?:\s?a\.?)?|united states|european|german|british|french|japanese|ep|wo|pct|de|gb|fr|jp)"
_PATENT = (
    rf"(?:{_OFFICE}\W*(?:[a-c][0-9]?\W+)?(?:[0-9]|pat)|pat\.|brevet|demande\b"
    r"|(?:haupt|stamm)?patent(?:s|e[sn]?|schrift|anmeldung)?\b\W*(?:$|no\b|num|nr|appl|publ|[a-z]{0,2}\W?[0-9]|[.,;)])"
    r"|(?:co-?pending|parent|patent|related|prior|our|earlier) application"
    r"|applications?\s+(?:serial|ser\.|nos?\.|number|[a-z]{0,3}[\s/]*[0-9]))"
)
_ELSEWHERE = re.compile(rf"\s*,?\s*(?:of|in|from|des|der|aus|von|du|de la)\s+(?:[\w'-]+\s+){{0,4}}?{_PATENT}")
_ELSEWHERE_BEFORE = re.compile(rf"\b{_OFFICE}\W[^;:]{{0,30}}?[0-9][0-9,./ ]{{3,}}(?:[a-c][0-9]?)?\W{{1,3}}(?:in\s+)?$")


def parents(text: str, number: int) -> tuple[int, ...]:
    """The claims that claim `number` refers to, in order.

    >>> parents("A nail according to any of claims 1 to 3, or claim 5.", 6)
    (1, 2, 3, 5)
    >>> parents("Nagel nach einem der vorhergehenden Ansprüche.", 4), parents("Clou selon la revendication 1 ou 2.", 4)
    ((1, 2, 3), (1, 2))
    """
    lower = " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).lower().split())
    if not any(sign in lower for sign in _SIGNS):
        return ()
    most = min(number - 1, _MAX_CLAIMS)
    found: list[int] = []
    reached = 0
    for first, last in sorted([*_preceding(lower, number), *_numbered(lower)]):
        found.extend(range(max(first, reached + 1), min(last, most) + 1))
        reached = max(reached, last)
    return tuple(found)


def limited(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims of a document; ValueError if they, or their references, are more than any real document has.

    Pass a generator, so that the limit applies before all claims are in memory.
    """
    kept: list[Claim] = []
    references = 0
    for claim in claims:
        kept.append(claim)
        references += len(claim.parents)
        if len(kept) > MOST_CLAIMS:
            raise ValueError(f"has more than {MOST_CLAIMS:,} claims")
        if references > MOST_REFERENCES:
            raise ValueError(f"its claims refer to more than {MOST_REFERENCES:,} claims")
    return tuple(kept)


def _preceding(text: str, number: int) -> Iterator[tuple[int, int]]:
    for match in _PRECEDING.finditer(text):
        noun, start = match[match.lastindex or 0], match.start()
        one = noun in _SINGULAR and _THE_ONE.search(text, max(0, start - 40), start)
        yield (number - 1 if one else 1, number - 1)


def _numbered(text: str) -> Iterator[tuple[int, int]]:
    """First and last claim of each reference by number, as written; the claims need not exist."""
    for anchor in _ANCHOR.finditer(text):
        ranges, end = _ranges(text, anchor.end())
        start = anchor.start()
        if not _ELSEWHERE.match(text, end) and not _ELSEWHERE_BEFORE.search(text, max(0, start - 80), start):
            yield from ranges


def _ranges(text: str, start: int) -> tuple[list[tuple[int, int]], int]:
    """The list of numbers and ranges that starts here, such as "1, 2 or 5-7", and where it ends."""
    ranges: list[tuple[int, int]] = []
    end, loose = start, False
    while first := _FIRST.match(text, start):
        last = _LAST.match(text, first.end())
        stop = (last or first).end()
        quantity = _QUANTITY.match(text, stop)
        if ranges and (quantity or (loose and not _GOES_ON.match(text, stop))):
            break
        if quantity:
            last, stop = None, first.end()
        low, high = sorted((_claim(first[1]), _claim((last or first)[1])))
        ranges.append((low, high))
        end = stop
        more = _NEXT.match(text, end)
        if more is None:
            break
        start, loose = more.end(), not (more[1] or more[2])
    return ranges, end


def _claim(number: str) -> int:
    return int(number) if number.isdigit() else 1


# A claim's number is at the start of a line; or after a sentence and before a capital; or, when a claim ends in a
# formula without a full stop, before an article with a reference soon after it.
_COUNT = r"0{0,4}([1-9][0-9]{0,3})\s?"
_ARTICLE = r"(?:The|An?|Der|Die|Das|Eine?|L['’ae]|Une?)\b"
_START = re.compile(
    rf"^(?:Claim\s)?{_COUNT}[.:)](?=\s?[^\W\d]|\s\S)"
    rf"|(?<=[.:;)\]])\s(?:Claim\s)?{_COUNT}[.)]\s?(?=[\"'“(\[]?[^\W\d_a-zß-öø-ÿ]|[(\[]cancel)"
    rf"|(?<=[^,;-])\s{_COUNT}\.\s(?={_ARTICLE}[^.;:]{{0,120}}?\b(?:claim|[Aa]nspr|revend))",
    re.MULTILINE,
)
_NO_START = re.compile(
    rf"(?<=\S\s)(?:{_NOUN}|of|to|through|bis|{_AND}|(?:figs?|nos?|nr|abb|eqs?|ex|tab|vol|ref|approx|pat)[.:])\s*$",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"(?:(?:(?:what|that which) (?:is|we|i) claim(?:ed)?(?: is)?|(?:we|i) claim|the invention claimed is"
    r"|(?:patent)?claims?|(?:patent)?ansprüche|revendications?)\s*:|[il]\s?\.(?=\s))\s*",
    re.IGNORECASE,
)
_CANCELLED = re.compile(
    r"(?:[0-9]+\s*(?:-|–|to)\s*[0-9]+\s*\.?\s*)?[(\[]?\s*(?:cancell?ed|deleted|gestrichen)\s*[)\]]?\.?", re.IGNORECASE
)


def split(text: str) -> tuple[Claim, ...]:
    """The claims of a plain text, divided at numbers that count up; a text without numbers is claim 1.

    >>> [claim.text for claim in split("What is claimed is: 1. A nail. 2. The nail of claim 1, bent.")]
    ['A nail.', 'The nail of claim 1, bent.']
    """
    text = "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))
    starts = _counting_up([match for match in _START.finditer(text) if not _refers(text, match.start())])
    edges = [0, *(match.end() for match in starts)], [*(match.start() for match in starts), len(text)]
    numbers = [0, *map(_number_of, starts)]
    return limited(_claims_between(text, numbers, *edges))


def _claims_between(text: str, numbers: list[int], starts: list[int], ends: list[int]) -> Iterator[Claim]:
    for number, start, end in zip(numbers, starts, ends, strict=True):
        words = text[start:end].replace("\n", " ").strip()
        if number == 0:
            words = "" if 1 in numbers else _PREAMBLE.sub("", words, count=1)
        if words and not _CANCELLED.fullmatch(words):
            yield Claim(number or 1, words, parents(words, number))


def _refers(text: str, place: int) -> bool:
    """Whether the words before a number show that it belongs to a figure or to a reference to a claim."""
    return _NO_START.search(text, max(0, place - 20), place) is not None


def _number_of(start: re.Match[str]) -> int:
    return int(start[1] or start[2] or start[3])


def _counting_up(starts: list[re.Match[str]]) -> list[re.Match[str]]:
    """The longest increasing subsequence by number, so that one stray number does not hide the claims after it."""
    ends: list[int] = []  # the smallest last number of a chain of each length
    places: list[int] = []
    previous: list[int] = []
    for place, start in enumerate(starts):
        number = _number_of(start)
        length = bisect_left(ends, number)
        previous.append(places[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            places.append(place)
        elif number < ends[length]:  # an equal number later in the text is probably a step inside a claim
            ends[length], places[length] = number, place
    chain = []
    place = places[-1] if places else -1
    while place >= 0:
        chain.append(starts[place])
        place = previous[place]
    return chain[::-1]
