"""The Green Book: patents as the United States published them from 1976 to 2001, in tagged lines without markup.

A record begins with `PATN` alone on its line. Four letters alone open a group (`INVT`, `UREF`, `CLMS`), three letters
and two blanks a field of the group, and a line that begins with a blank continues the field before it.

- Number: `WKU 039327094` is US3932709; the ninth character is a check digit and is dropped.
- Kind: there were no kind codes. A stands for utility patents, S for designs, E for reissues, P for plants, H for
  statutory registrations and I for defensive publications, the first letters of the codes used since 2001.
- Citations: the data do not say who cited, so the origin is unknown; an asterisk marks an examiner's.
- Text: drawn formulas and structures are not in the data.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from leadline.collections.choices import Origin
from leadline.collections.documents.document import Citation, Claim, Document, Priority, limited, national, split
from leadline.collections.documents.fields.patent_offices import (
    application,
    office,
    patent_cited,
    read_claim,
    us_document,
)
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.registry import (
    BYTE_ORDER_MARK,
    MAX_DOCUMENT_BYTES,
    Broken,
    Raw,
    RecordMarker,
    Window,
    reader,
)
from leadline.text.days import iso

_NO_RECORD = "no line PATN, which begins a Green Book record"
# A line PATN; everything before the first one is the week's header. The letters come first: so they are found fast.
_RECORD = re.compile(rb"PATN(?:(?<=[\r\n]PATN)|(?<=\APATN))[ \t]*(?=[\r\n]|\Z)")
_DAMAGED = re.compile(
    rb"(?<=[\r\n])(?=[PATN \t]*\0)\0*P\0*A\0*T\0*N\0*[ \t\0]*(?=[\r\n])"
)  # such a line with NUL bytes
_MARKER = RecordMarker("PATN", (b"PATN",), _RECORD.match)
_CLAIMS_PRINTED = re.compile(rb"[\r\n]NCL  ([0-9]{1,4})[ \t]*[\r\n]")
_CLAIM = re.compile(rb"[\r\n]NUM  ")
_CLAIMS, _PARAGRAPH = re.compile(rb"CLMS(?=[ \t]*[\r\n])|DCLM(?=[ \t]*[\r\n])"), re.compile(rb"[\r\n]PA[A-Z0-9]  ")
_WEEK = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:HHHHH[^\r\n]*\s*)?")
_NEXT_WEEK = re.compile(rb"HHHHH[^\r\n]*[\s\xef\xbb\xbf]*\Z")  # behind the last record of a week
_HEADER_BYTES = 1 << 10
_BEGIN = re.compile(r"^PATN[ \t]*$", re.MULTILINE | re.IGNORECASE)
_TAG = re.compile(r"([A-Za-z]{4}(?=\s*$)|[A-Za-z][A-Za-z0-9]{2}(?=  |\s*$))")
# Fields of the first group and of no other.
_ONLY_OF_THE_PATENT = frozenset(("WKU", "SRC", "APT", "ART", "TTL", "NCL", "ECL", "EXP", "NDR", "NFG"))
_NUMBER = re.compile(r"(D|RE|PP|H|T|AI)?0*[1-9][0-9]*", re.IGNORECASE)
_KINDS = {"": "A", "D": "S", "RE": "E", "PP": "P", "H": "H", "T": "I"}
_DESCRIPTION = ("PARN", "GOVT", "BSUM", "DRWD", "DETD")
_DRAWN = frozenset({"TBL", "EQU"})  # their line breaks are kept
_RULE = re.compile(r"[\s_=-]*")
# First day and code of each series of application numbers, newest first.
_SERIES = (
    ("1997-12-30", "09"),
    ("1993", "08"),
    ("1987", "07"),
    ("1979", "06"),
    ("1970", "05"),
    ("1960", "04"),
    ("1948", "03"),
    ("", "02"),
)


@dataclass(slots=True)
class _Group:
    """A group of fields, each with its tag and its lines."""

    name: str
    fields: list[tuple[str, list[str]]] = field(default_factory=list)

    def all(self, tag: str) -> list[str]:
        return [" ".join(lines) for name, lines in self.fields if name == tag]

    def first(self, tag: str) -> str:
        return next(iter(self.all(tag)), "").strip()

    def paragraphs(self) -> Iterator[str]:
        for tag, lines in self.fields:
            for paragraph in lines if tag in _DRAWN else [" ".join(lines)]:
                if not _RULE.fullmatch(paragraph) and (words := decoded(paragraph)):
                    yield words


def split_records(window: Window) -> Iterator[Raw | Broken]:
    """The records of a stream."""
    start = _RECORD.search(window.buffer)
    if start is None:
        yield Broken(0, _NO_RECORD, records=0)
        return
    begin = start.start()
    if _WEEK.fullmatch(window.buffer, 0, begin):
        window.passed_over += begin
    else:
        problem = f"{begin:,} bytes before the first line PATN are not the header of a week; they were not read"
        yield Broken(0, problem, begin, 0)
    first, claimed = True, False
    while True:
        following = _RECORD.search(window.buffer, begin + 4)
        while following is None and len(window.buffer) - begin <= MAX_DOCUMENT_BYTES:
            window.drop(begin)
            begin = 0
            if not window.fill(4 << 20):
                break
            following = _RECORD.search(window.buffer, 4)
        if following is None and not window.ended:
            limit = f"{MAX_DOCUMENT_BYTES >> 20} MiB"
            yield Broken(window.begin + begin, f"the record is longer than {limit}; the rest was not read")
            return
        end = following.start() if following else len(window.buffer)
        content = window.buffer[begin:end]
        at = content.rfind(b"HHHHH", max(0, len(content) - _HEADER_BYTES))
        week = at >= 0 and _NEXT_WEEK.match(content, at) is not None
        if week:  # two files were joined
            content = content[:at].removesuffix(BYTE_ORDER_MARK)
            window.passed_over += end - begin - len(content)
        damaged = _DAMAGED.search(content) if window.has_nul else None
        lost = content[damaged.start() :] if damaged else b""
        content = content.removesuffix(lost)
        cut = _cut_off(content, claimed=claimed) if not lost and (week or following is None) else ""
        claimed = (claimed or first) and (b"CLMS" in content or b"DCLM" in content)
        first = False
        at, size = window.begin + begin, len(content)
        yield Broken(at, cut, size) if cut else Raw("greenbook", at, content, size=size)
        if lost:
            yield Broken(at + size, "has a NUL byte in its line PATN; it was not read", len(lost), 0)
        if following is None:
            return
        begin = end


def _cut_off(last: bytes, *, claimed: bool) -> str:
    """Why the last record of a file is not whole, if it is not: claims are the last of a record, and are counted.

    `claimed`: whether every record before has claims.
    """
    if not last.endswith((b"\r", b"\n", b"\x1a")):
        return "the last record may be cut off: the file ends inside a line; it was not read"
    printed, found = _CLAIMS_PRINTED.search(last), len(_CLAIM.findall(last))
    if printed and found < int(printed[1]) and (found or int(printed[1]) > 1):
        return f"the last record is cut off: {found} of {int(printed[1])} claims (NCL) are there; it was not read"
    claims = _CLAIMS.search(last)
    if claimed and claims is None:
        return "the last record is cut off: it has no claims, as those before have; it was not read"
    if claims and not _PARAGRAPH.search(last, max(last.rfind(b"NUM  "), claims.end())):
        return "the last record is cut off: the file ends before the text of a claim; it was not read"
    return ""


def has_record(head: bytes) -> bool:
    return head[:1] not in (b"<", b"{", b"[") and _RECORD.search(head) is not None


@reader("greenbook", split=split_records, recognises=has_record, marker=_MARKER)
def read(content: bytes) -> Document:
    """One record as a document.

    >>> read(b"PATN\\nWKU  D03671518\\nTTL  Pasta\\nISD  19960220\\n").id
    'USD367151S'
    """
    groups = _groups(content)
    patent = groups[0]
    of_another = any(tag in _ONLY_OF_THE_PATENT for group in groups[1:] for tag, _ in group.fields)
    if of_another or len(patent.all("WKU")) > 1 or sum(group.name == "CLMS" for group in groups) > 1:
        raise ValueError("holds two patents: the line PATN between them is missing or damaged")
    serial = patent.first("WKU")
    if not serial:
        raise ValueError("the record has no patent number (WKU)")
    spelled = _NUMBER.fullmatch(serial[:8])
    if spelled is None:
        raise ValueError(f"{serial[:20]!r} is not a patent number (WKU)")
    number = normalise(serial[:8], "US", _KINDS.get((spelled[1] or "").upper(), ""))
    route = next((group for group in groups if group.name == "PCTA"), _Group("PCTA"))
    series, applied = patent.first("SRC").replace("D", "29").zfill(2), patent.first("APN")  # D as in design
    return us_document(
        number,
        title=decoded(patent.first("TTL")),
        abstract=_text(groups, ("ABST",)),
        description=_text(groups, _DESCRIPTION),
        claims=_claims(groups),
        ipc=_all(groups, "CLAS", "ICL"),
        national=(national(text) for tag in ("OCL", "XCL") for text in _all(groups, "CLAS", tag)),
        priorities=_priorities(groups, series),
        international=Priority(application(route.first("PCN")), iso(route.first("PD3"))),
        filed=patent.first("APD"),
        application_number=series + applied[:6] if applied else "",
        published=patent.first("ISD"),
        citations=_citations(groups),
        assignees=_names(groups, "ASSG"),
        inventors=_names(groups, "INVT"),
    )


def _groups(content: bytes) -> list[_Group]:
    """The groups of a record; the first one is that of the patent itself."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    begin = _BEGIN.search(text)
    if begin is None:
        raise ValueError(_NO_RECORD)
    same_case = str.islower if begin[0].islower() else str.isupper  # else a word could look like a tag
    groups = [_Group("PATN")]
    for line in text[begin.end() :].split("\n"):
        tag = _TAG.match(line)
        if tag is None or not same_case(tag[1]):
            if not groups[-1].fields:
                groups[-1].fields.append(("PAR", []))  # a heading may follow its group without a tag
            groups[-1].fields[-1][1].append(line.strip())
        elif len(tag[1]) == 4:
            groups.append(_Group(tag[1].upper()))
        else:
            groups[-1].fields.append((tag[1].upper(), [line[5:]]))
    return groups


def _all(groups: Iterable[_Group], name: str, tag: str) -> list[str]:
    return [text for group in groups if group.name == name for text in group.all(tag)]


def _text(groups: Iterable[_Group], names: tuple[str, ...]) -> str:
    return "\n".join(paragraph for group in groups if group.name in names for paragraph in group.paragraphs())


def _claims(groups: Iterable[_Group]) -> tuple[Claim, ...]:
    found: list[_Group] = []
    for group in groups:
        if group.name not in {"CLMS", "DCLM"}:
            continue
        found.append(_Group("0"))
        for tag, lines in group.fields:
            if tag == "NUM":
                printed = re.search(r"[0-9]{1,4}", lines[0])
                found.append(_Group(printed[0] if printed else str(int(found[-1].name) + 1)))
            elif tag != "STM":
                found[-1].fields.append((tag, lines))
    texts = [(int(group.name), " ".join(group.paragraphs())) for group in found]
    numbered = limited(read_claim(number, text) for number, text in texts if number and text)
    return numbered or split(" ".join(text for _, text in texts))


def _priorities(groups: Iterable[_Group], own_series: str) -> Iterator[Priority]:
    for group in groups:
        number, date = group.first("APN"), iso(group.first("APD"))
        if group.name == "PRIR":
            yield Priority(application(number, office(group.first("CNT"))), date)
        elif group.name in {"RLAP", "REIS"}:
            if re.fullmatch(r"[0-9]{6}.?", number):
                number = _series(date, own_series) + number[:6]
            yield Priority(application(number), date)


def _series(date: str, own: str) -> str:
    """The series of an application by its date: parents are printed without it."""
    if own == "29" and date >= "1992-10":  # when designs got a series of their own
        return own
    return next(code for first_day, code in _SERIES if date >= first_day)


def _citations(groups: Iterable[_Group]) -> Iterator[Citation]:
    for group in groups:
        if group.name == "OREF":
            for text in map(decoded, group.all("PAL") + group.all("PAR")):
                if text:
                    examined = text.endswith("*")
                    yield Citation(origin="examiner" if examined else "unknown", text=text.rstrip("* "))
        elif group.name in {"UREF", "FREF"} and group.first("PNO"):
            printed = group.first("PNO")
            where = "US" if group.name == "UREF" else office(group.first("CNT"))
            origin: Origin = "examiner" if printed.endswith("*") else "unknown"
            yield patent_cited(printed.rstrip("* "), where, "", group.first("ISD"), origin)


def _names(groups: Iterable[_Group], name: str) -> Iterator[str]:
    """People are printed as `Daniels; Everette E.`, companies without a semicolon."""
    return (decoded(text).replace("; ", ", ", 1) for text in _all(groups, name, "NAM"))


# Characters that the Green Book spells between dots: `.alpha.` for α, `.sub.` before a subscript.
#
# The tapes of 1976 held letters and a few signs; every other character got a name. Names that are not in the table are
# left alone, since a text may hold `e.g.` or `U.S.A.`.


_GREEK = """alpha beta gamma delta epsilon zeta eta theta iota kappa lamda mu nu xi omicron pi rho sigma tau upsilon phi
    chi psi omega"""
_SIGNS = """
    about ~   A-inverted ∀   AMP &   andgate ∩   ang Å   ANG Å   angle ∠   apprxeq ≈   approxeq ≈   asterisk-pseud ※
    BECAUSE ∵   box-solid ■   cent ¢   circle-solid ●   cndot •   congruent ≅   COPYRGT ©   dagger †   dagger-dbl ‡
    dbd =   dblprime ″   degree °   diamond ◇   diamond-solid ◆   differential ∂   div ÷   dwnarw ↓   E-backward ∃
    fwdarw →   gradient ∇   GT >   gtoreq ≥   ident ≡   infin ∞   intg ∫   largecircle ◯   LT <   ltoreq ≤   multidot ·
    noteq ≠   orgate ∪   parallel ∥   permill ‰   perp ⊥   prime ′   quadrature □   rarw ←   revreaction ⇄   RTM ®
    Salinity ‰   sctn §   SM ℠   smallcircle ∘   sqroot √   star-solid ★   sym ⊕   tbd ≡   thrfore ∴   times ×   TM ™
    uparw ↑   varies ∝   vertline |   +- ±   -+ ∓
"""
_CODES: dict[str, str] = {
    **dict(zip(_SIGNS.split()[::2], _SIGNS.split()[1::2], strict=True)),
    **{name: unicodedata.lookup(f"GREEK SMALL LETTER {name}") for name in _GREEK.split()},
    **{name.upper(): unicodedata.lookup(f"GREEK CAPITAL LETTER {name}") for name in _GREEK.split()},
    "lambda": "λ",
    "LAMBDA": "Λ",
}
# Subscripts and superscripts, once or twice nested: written on the line, as in the text of XML.
_SCRIPTS = ("sub", "sup", "sbsb", "sbsp", "spsb", "spsp")
_REISSUE = ("[", "]", "Iadd", "Iaddend", "Badd", "Baddend")
_MEANINGS = {**_CODES, **dict.fromkeys(_SCRIPTS, ""), **dict.fromkeys(_REISSUE, "")}
_CODE = re.compile(r"\.(" + "|".join(map(re.escape, sorted(_MEANINGS, key=len, reverse=True))) + r")\.")
_DELETED = re.compile(r"\.\[\.(?:(?!\.\[\.).)*?\.\]\.")  # text that a reissue deletes, in bold brackets
_IMAGE = re.compile(r"##[A-Z]{3}[0-9]+##")  # the place of a drawn formula


def decoded(text: str) -> str:
    """A text on one line, with characters instead of their names.

    >>> decoded("heated to 100.degree. C. with .alpha.-D.sub.7 (10.sup.-3 mol), e.g. in the U.S.A.")
    'heated to 100° C. with α-D7 (10-3 mol), e.g. in the U.S.A.'
    >>> decoded("a .[.wooden.]. .Iadd.steel .Iaddend.nail")
    'a steel nail'
    """
    if ".[." in text:
        text = _DELETED.sub(" ", text)
    if "##" in text:
        text = _IMAGE.sub(" ", text)
    return " ".join(_CODE.sub(lambda match: _MEANINGS[match[1]], text).split())
