"""Documents: patents and articles with claims, classes, dates and citations; and which a collection keeps."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from leadline.collections.choices import DEFAULT_RULE, Origin
from leadline.errors import checked_choice

# Kinds of documents that are not patents: they have no number to normalise, and no claims.
OTHER_KINDS = ("article", "record", "page", "text")
INDEPENDENT_WEIGHT, DEPENDENT_WEIGHT = 1.0, 0.5  # of a claim, where claims are subtopics


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: its number, its text, and the claims it refers to.

    >>> Claim(1, "A nail."), Claim(2, "The nail of claim 1, bent.", (1,)).independent
    (Claim(number=1, text='A nail.', parents=()), False)
    """

    number: int
    text: str
    parents: tuple[int, ...] = ()

    @property
    def independent(self) -> bool:
        return not self.parents

    @property
    def weight(self) -> float:
        """The weight of the claim among the claims of its patent."""
        return INDEPENDENT_WEIGHT if self.independent else DEPENDENT_WEIGHT


@dataclass(frozen=True, slots=True)
class Citation:
    """A citation of a patent by its normalised number, or of literature by its text."""

    number: str = ""  # "US5793966A", without a kind when none is printed; "" for literature
    origin: Origin = "unknown"  # "examiner" includes search reports
    category: str = ""  # of a search report: X, Y, A, D ...
    date: str = ""  # when the cited document was published, as far as printed: "1998-08"
    text: str = ""  # literature, as printed


@dataclass(frozen=True, slots=True)
class Priority:
    """An earlier application whose date this one claims. Documents with the same priorities are a simple family."""

    number: str
    date: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Document:
    """A patent, an application, or an article.

    Dates are `YYYY-MM-DD`, shorter when less is known, empty when unknown.
    Class symbols are written without blanks, `C07D401/04`.
    """

    id: str  # in runs and qrels: the source's own id, or the normalised number
    office: str = ""  # two letters; empty for an article
    serial: str = ""  # the normalised number between office and kind
    kind: str = ""  # B2, A1 ...; or one of OTHER_KINDS. A "record" is a title with or without its abstract
    language: str = ""  # of the text, two lower-case letters
    title: str = ""
    abstract: str = ""
    description: str = ""
    claims: tuple[Claim, ...] = ()
    ipc: tuple[str, ...] = ()  # the first is the main class
    cpc: tuple[str, ...] = ()
    national: tuple[str, ...] = ()  # the office's own scheme, in its spelling: "709/204"
    priorities: tuple[Priority, ...] = ()
    application: str = ""  # when it was filed
    application_number: str = ""  # normalised; the priority that later filings claim
    publication: str = ""  # when it was published or granted
    citations: tuple[Citation, ...] = ()
    citers: tuple[str, ...] = ()  # normalised numbers of documents that the source says cite this one
    family: str = ""  # the source's name for the simple family
    relatives: tuple[str, ...] = ()  # normalised numbers the source lists as family members
    applicants: tuple[str, ...] = ()
    inventors: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()  # of a record: its source's other fields, `ris:JO Lancet` (fields/references.py)

    def __repr__(self) -> str:
        """The id and the title, not the whole text.

        >>> Document("EP1", title="A valve", description="..." * 1000)
        Document('EP1', title='A valve')
        """
        title = self.title if len(self.title) <= 60 else f"{self.title[:59]}…"
        return f"Document({self.id!r}{f', title={title!r}' if title else ''})"

    @property
    def priority(self) -> str:
        """The latest of its priority dates, which filters by date use; empty when it claims none.

        >>> Document("X", priorities=(Priority("EP1", "1999-01-02"), Priority("EP2", "1998-05-06"))).priority
        '1999-01-02'
        """
        return max((priority.date for priority in self.priorities), default="")


# The claims that a claim refers to, found in its text, and the claims of a plain text.
#
# English, German and French are supported. Every reference counts as a parent, as in the XML of offices that mark
# references: "the nail of claim 1, bent" and "a method of making the nail of claim 1" both depend on claim 1. Only
# earlier claims count. A claim of another document, "claim 1 of U.S. Pat. No. 5,123,456", does not.


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


# Class symbols of patent offices, normalised.
#
# A symbol of the international and the cooperative classification is a section, class and subclass, then a group and a
# subgroup: `C07D401/04`. Until 2001 the American office printed it in columns, the group right-aligned in the three
# columns after the subclass and the subgroup after that, without a stroke: `G06F  728` is G06F7/28, `H01L 21302` is
# H01L21/302 and `C07C24900` is C07C249/00. There blanks carry meaning: pass such fields unchanged.


_SUBCLASS = r"(?<![A-Z0-9])([A-HY]) ?([0-9]{2}) ?([A-Z])"
_STROKE = re.compile(rf"{_SUBCLASS}[-\s]*([0-9]{{1,4}})\s*[/:]\s*([0-9]{{1,6}})")
_PACKED = re.compile(rf"{_SUBCLASS}([ ]*)([0-9]{{1,10}})(?![0-9])")
_ALONE = re.compile(_SUBCLASS + r"(?![A-Z])")
_ABOVE = re.compile(r"[A-HY](?:[0-9]{2})?")


@lru_cache(maxsize=1 << 16)
def symbol(text: str) -> str:
    """The canonical IPC or CPC symbol, without blanks and leading zeros; empty when the text has none.

    >>> symbol("C07D 401/04"), symbol("G06F015/16"), symbol("H04M 1100"), symbol("A61K  31/44 20060101AFI")
    ('C07D401/04', 'G06F15/16', 'H04M11/00', 'A61K31/44')
    >>> symbol("A61K0031440000"), symbol("G06F2203/04"), symbol("A61K"), symbol("none")
    ('A61K31/44', 'G06F2203/04', 'A61K', '')
    """
    text = text.upper()
    if match := _STROKE.search(text):
        *subclass, group, subgroup = match.groups()
        return f"{''.join(subclass)}{int(group)}/{subgroup}"
    if match := _PACKED.search(text):
        *subclass, blanks, digits = match.groups()
        return "".join(subclass) + _unpacked(len(blanks), digits)
    if match := _ALONE.search(text):
        return "".join(match.groups())
    return text.strip() if _ABOVE.fullmatch(text.strip()) else ""


def _unpacked(blanks: int, digits: str) -> str:
    """Group and subgroup from columns without a stroke; the subgroup is the last two digits if columns are lost."""
    if len(digits) == 10:  # as in the classifications' own files: four digits, then six padded with zeros
        return f"{int(digits[:4])}/{digits[4:6]}{digits[6:].rstrip('0')}"
    width = 3 - blanks
    if len(digits) <= 2 or (blanks == 0 and len(digits) == 3):
        return str(int(digits))
    if width < 1 or len(digits) < width + 2:
        width = len(digits) - 2
    return f"{int(digits[:width])}/{digits[width:]}"


def levels(symbol: str) -> tuple[str, ...]:
    """The section, class, subclass, group and subgroup of a symbol, down to its own level.

    >>> levels("C07D401/04"), levels("C07D")
    (('C', 'C07', 'C07D', 'C07D401', 'C07D401/04'), ('C', 'C07', 'C07D'))
    """
    group, stroke, _ = symbol.partition("/")
    ends = [1, 3, 4, len(group)] + ([len(symbol)] if stroke else [])
    return tuple(dict.fromkeys(symbol[:end] for end in ends if 0 < end <= len(symbol)))


def covering(symbol: str) -> str:
    """The symbol of all that a class covers: of a main group, which is written with /00, the group itself.

    >>> covering("A61K31/00"), covering("A61K31/44"), covering("A61K")
    ('A61K31', 'A61K31/44', 'A61K')
    """
    return symbol.removesuffix("/00")


def is_main_group(symbol: str) -> bool:
    """Whether a class is a main group, written without its /00: what is under it begins with a slash.

    >>> is_main_group("A61K31"), is_main_group("A61K31/44"), is_main_group("A61K")
    (True, False, False)
    """
    return len(symbol) > 4 and "/" not in symbol


# American classes are in columns too: three for the class, three for the subclass, then its decimals and letters. "DIG"
# and "FOR" are collections beside the subclasses; those in E follow the European office.
_CLASS = re.compile(r"D?[1-9][0-9]{0,2}|PLT|G9B")
_POINT = re.compile(r" *([0-9]{1,3})\.([0-9]+) *([A-Z]{0,3})")
_COLUMNS = re.compile(r"([ ]{2}[0-9]|[ ]?[0-9]{1,2}(?![0-9])|[ ][0-9]{2}|[0-9]{3})([0-9]*) *([A-Z]{0,3})")
_COLLECTION = re.compile(r"(DIG|FOR)[. ]*([0-9]+)")
_EUROPEAN = re.compile(r"(E[0-9]{2})\.?([0-9]+)")


@lru_cache(maxsize=1 << 16)
def national(text: str) -> str:
    """A class of the American scheme in the usual spelling; empty when the text has none.

    >>> national("709204000"), national("179 90K"), national(" 24  312"), national("D 2916-919"), national("156DIG 14")
    ('709/204', '179/90K', '24/3.12', 'D2/916-919', '156/DIG14')
    """
    text = text.rstrip().upper()
    main, stroke, rest = text.partition("/")
    if not stroke:
        columns = text if " " in text else text.rjust(6)  # leading blanks may be lost
        main, rest = columns[:3], columns[3:]
    main = re.sub(r"(?<![0-9])0+(?=[0-9])", "", main.replace(" ", ""))
    subclasses = [_national_subclass(part) for part in re.split("[-–]", rest.strip() if stroke else rest)]
    return f"{main}/{'-'.join(subclasses)}" if _CLASS.fullmatch(main) and all(subclasses) else ""


def _national_subclass(text: str) -> str:
    if match := _COLLECTION.fullmatch(text.strip()):
        return match[1] + match[2]
    if match := _EUROPEAN.fullmatch(text.strip()):
        return f"{match[1]}.{match[2]}"
    match = _POINT.fullmatch(text) or _COLUMNS.fullmatch(text)
    if match is None:
        return ""
    whole, decimals, letters = match.groups()
    return str(int(whole)) + f".{decimals.rstrip('0')}".rstrip(".") + letters


# Which documents a collection keeps, and why it drops the others.


FIELDS = ("claims", "description", "abstract", "title")
ANY_TEXT = ("description|abstract|title",)  # of a collection in which nothing has claims
NO_CLAIMS = "no claims"


def checked_rule(rule: str | Sequence[str], option: str = "--keep") -> tuple[str, ...]:
    """The fields a document must have, as a list or separated by commas; `|` separates alternatives.

    `all` requires nothing. `option` is the name of the rule in error messages.

    >>> checked_rule("claims,description|abstract"), checked_rule("all")
    (('claims', 'description|abstract'), ())
    """
    parts = rule.replace(" ", "").split(",") if isinstance(rule, str) else list(rule)
    for part in parts:
        for field in part.split("|"):
            checked_choice(option, field, (*FIELDS, "all"))
    return tuple(part for part in parts if "all" not in part.split("|"))


def drop_reason(document: Document, rule: tuple[str, ...]) -> str:
    """The reason why a document is dropped, such as "no claims"; empty when it is kept.

    Articles and pages need no claims. Records of a review and documents of a test collection need only a title or a
    text, unless another rule is given: reviewers judge records without an abstract too.

    >>> drop_reason(Document("X", abstract="About nails."), DEFAULT_RULE)
    'no claims'
    >>> drop_reason(Document("PMC1", kind="article", abstract="About nails."), DEFAULT_RULE)
    ''
    >>> drop_reason(Document("10051933", kind="record", title="Of nails"), DEFAULT_RULE)
    ''
    """
    if document.kind in ("record", "text") and rule == DEFAULT_RULE:
        return "" if has_text(document) else f"no title or {'abstract' if document.kind == 'record' else 'text'}"
    for part in rule:
        fields = part.split("|")
        if fields == ["claims"] and document.kind in OTHER_KINDS:
            continue
        if not any(getattr(document, field) for field in fields):
            return f"no {' or '.join(fields)}"
    return ""


def has_text(document: Document) -> bool:
    """Whether a document has a title, an abstract or a description."""
    return bool(document.title or document.abstract or document.description)


def needs_claims(document: Document) -> bool:
    """Whether the default rule keeps a document only if no other of its collection has claims."""
    return not document.claims and document.kind not in OTHER_KINDS and has_text(document)
