"""Damage files of every form and read them: a document may be refused or reported, but never lost without a word.

    python tools/attack/fuzz_readers.py --count 2000                  every reader, seeds of this file and of the tests
    python tools/attack/fuzz_readers.py --data FOLDER --only uspto    real files as seeds as well
    python tools/attack/fuzz_readers.py --engines                     compare the compiled engine with the plain one too

Allowed outcomes of a damaged file are documents, reported places, and one InputError of one line. Not allowed are any
other exception, a file that takes longer than the limit, fewer documents than before without a report, and two engines
that disagree. The damage is chosen by --seed, so that a finding can be repeated.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from leadline.collections.documents.document import Document
from leadline.collections.documents.registry import Broken, readers_by_form
from leadline.collections.documents.splitting import split
from leadline.errors import InputError

GOLDEN = Path(__file__).parents[2] / "tests" / "golden" / "documents"
SLOW = 20.0  # seconds of the processor for one small file
PIECE = 1 << 14  # of a stream, so that documents are cut between pieces


@dataclass
class Reading:
    """What reading a file gave."""

    documents: list[Document] = field(default_factory=list)
    reports: list[tuple[int, str]] = field(default_factory=list)


def read(content: bytes, form: str | None = None) -> Reading:
    """Read the bytes of a file as a build does. Any exception but InputError and ValueError is a finding."""
    readers, found = readers_by_form(), Reading()
    pieces = (content[at : at + PIECE] for at in range(0, len(content), PIECE))
    try:
        for raw in split(pieces, form, readers):
            if isinstance(raw, Broken):
                found.reports.append((raw.offset, raw.reason))
                continue
            try:
                found.documents.append(readers[raw.form].read(raw.content, raw.encoding))
            except ValueError as error:
                found.reports.append((raw.offset, str(error)))
            except RecursionError:
                found.reports.append((raw.offset, "is nested too deeply"))
    except InputError as error:
        found.reports.append((0, error.problem))
    return found


def problem_of(content: bytes, before: Reading, form: str | None = None, *, engines: bool = False) -> str:
    """What is wrong with how a damaged file is read; empty if nothing is. `before`: the reading of the whole file."""
    start = time.process_time()
    try:
        found = read(content, form)
    except Exception as error:  # the finding that is looked for
        return f"{type(error).__name__}: {error}"
    if time.process_time() - start > SLOW:
        return f"took {time.process_time() - start:.0f} s"
    new_reports = Counter(reason for _, reason in found.reports) - Counter(reason for _, reason in before.reports)
    if len(found.documents) < len(before.documents) and not new_reports:
        return f"silent loss: {len(found.documents)} documents of {len(before.documents)}"
    long = next((reason for _, reason in found.reports if "\n" in reason or len(reason) > 1000), None)
    if long is not None:
        return f"a report of more than one line: {long[:80]!r}"
    return _difference(content, form) if engines else ""


def _difference(content: bytes, form: str | None) -> str:
    """How the two engines disagree about a file; empty if they do not."""
    with _engine("plain"):
        plain = read(content, form)
    with _engine("compiled"):
        compiled = read(content, form)
    if plain.documents != compiled.documents:
        pairs = zip(plain.documents, compiled.documents, strict=False)
        one, other = next(((a, b) for a, b in pairs if a != b), (None, None))
        if one is None or other is None:
            return f"engines disagree: {len(plain.documents)} and {len(compiled.documents)} documents"
        names = [name for name in one.__dataclass_fields__ if getattr(one, name) != getattr(other, name)]
        return f"engines disagree about {', '.join(names)} of {one.id}"
    if [place for place, _ in plain.reports] != [place for place, _ in compiled.reports]:
        return "engines disagree about reports"
    return ""


@contextlib.contextmanager
def _engine(name: str) -> Iterator[None]:
    before = os.environ.get("LEADLINE_ENGINE")
    os.environ["LEADLINE_ENGINE"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["LEADLINE_ENGINE"]
        else:
            os.environ["LEADLINE_ENGINE"] = before


_TAG = re.compile(rb"<[^<>]{1,300}>")
_ROOT = re.compile(rb"</?(?:\w+:)?(?:[\w-]*-patent-[\w-]+|PATDOC|patent-document|patent-application-publication|"
                   rb"article|exchange-documents?|application-body|\w+Document)\b[^<>]*>")  # fmt: skip
_STRUCTURE = re.compile(rb'[<>/"&\n,;\t{}\[\]:=!?]|PATN|WKU')
_NOISE = (
    *(b"\0", b"<", b">", b"&", b'"', b"'", b"\n", b"\r", b"\t", b"/", b"?", b"{", b"}", b",", b";", b"\x1a"),
    *(b"]]>", b"<!--", b"-->", b"<![CDATA[", b"\xff", b"\xc3", b"\xe2\x80\xa8"),
    *(b"&#0;", b"&amp;", b"&x;", b"<p>", b"</p>"),
)


def damage(content: bytes, chance: random.Random) -> tuple[bytes, str]:
    """The content with one damage, and what it is. No damage removes a whole document."""
    kind = chance.choice(
        (
            "byte",
            "byte",
            "noise",
            "cut",
            "again",
            "tag",
            "tag",
            "root",
            "root",
            "mark",
            "mark",
            "move",
            "whole",
            "whole",
        )
    )
    if kind == "whole":
        return _whole(content, chance)
    pattern = {"tag": _TAG, "root": _ROOT, "mark": _STRUCTURE}.get(kind)
    places = [match.span() for match in pattern.finditer(content)] if pattern else []
    begin, end = chance.choice(places) if places else (chance.randrange(len(content)),) * 2
    if kind == "byte" or begin == end == len(content):
        at = chance.randrange(len(content))
        return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :], f"byte {at} changed"
    if kind == "noise":
        return content[:begin] + chance.choice(_NOISE) + content[begin:], f"noise at {begin}"
    if kind == "cut":
        end = begin + chance.randint(1, 30)
        return content[:begin] + content[end:], f"bytes {begin} to {end} removed"
    if kind == "again":
        end = begin + chance.randint(1, 200)
        return content[:end] + content[begin:], f"bytes {begin} to {end} repeated"
    if kind == "move":
        end, to = begin + chance.randint(1, 60), chance.randrange(len(content))
        rest = content[:begin] + content[end:]
        return rest[:to] + content[begin:end] + rest[to:], f"bytes {begin} to {end} moved to {to}"
    how = chance.choice(("removed", "byte", "again", "noise"))
    if how == "removed":
        return content[:begin] + content[end:], f"{kind} at {begin} removed"
    if how == "again":
        return content[:end] + content[begin:], f"{kind} at {begin} repeated"
    at = chance.randint(begin, max(begin, end - 1))
    with_noise = chance.choice(_NOISE) if how == "noise" else bytes([chance.randrange(256)])
    return content[:at] + with_noise + content[at + (how == "byte") :], f"{kind} at {at} damaged"


def _whole(content: bytes, chance: random.Random) -> tuple[bytes, str]:
    """A file with other line ends, cut at its end, joined with itself, or in another encoding."""
    kind = chance.choice(("line ends", "cut off", "joined", "joined after a cut", "encoding"))
    if kind == "line ends":
        ends = chance.choice([[b"\r"], [b"\r\n"], [b"\r", b"\n", b"\r\n"]])
        return re.sub(rb"\r?\n", lambda _: chance.choice(ends), content), f"line ends {ends}"
    at = chance.randrange(len(content) - len(content) // 6 + 1, len(content))  # in its last document, not before it
    if kind == "encoding":
        text = content.decode("utf-8", "replace")
        encoding = chance.choice(("utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "latin-1", "cp1252", "utf-7"))
        return text.encode(encoding, "replace"), f"encoded as {encoding}"
    if kind == "cut off":
        return content[:at], f"cut off at {at}"
    return content[: at if "cut" in kind else None] + content, f"{kind} at {at}"


GRANT = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v45-2014-04-03.dtd" [ ]>
<us-patent-grant lang="EN" id="us-patent-grant" country="US"><us-bibliographic-data-grant><publication-reference>
<document-id><country>US</country><doc-number>%d</doc-number><kind>B2</kind><date>20150106</date></document-id>
</publication-reference><invention-title id="d2e53">Nail</invention-title><us-references-cited>
<us-citation><patcit num="00001"><document-id><country>US</country><doc-number>5123456</doc-number><kind>A</kind>
<name>Doe</name><date>19920600</date></document-id></patcit><category>cited by examiner</category></us-citation>
<us-citation><nplcit num="00002"><othercit>Doe, <i>Nails</i> &amp; screws, 1990.</othercit></nplcit>
<category>cited by applicant</category></us-citation><us-citation><nplcit num="00003"><othercit>Roe, Bolts.</othercit>
</nplcit><category>cited by examiner</category></us-citation></us-references-cited></us-bibliographic-data-grant>
<abstract id="abstract"><p id="p-0001" num="0000">A nail of H<sub>2</sub>O &#x3b1;.</p></abstract>
<description id="description"><?summary end="lead"?><heading id="h-1">FIELD</heading><p>Text.</p></description>
<claims id="claims"><claim id="CLM-00001" num="00001"><claim-text>1. A nail.</claim-text></claim>
<claim id="CLM-00002" num="00002"><claim-text>2. The nail of <claim-ref idref="CLM-00001">claim 1</claim-ref>, bent.
</claim-text></claim></claims></us-patent-grant>
"""
RED_BOOK = b"""<?xml version="1.0"?>
<!DOCTYPE PATDOC SYSTEM "ST32-US-Grant-025xml.dtd" [<!ENTITY D0.TIF SYSTEM "D0.TIF" NDATA TIF>]>
<PATDOC DTD="2.5"><SDOBI><B100><B110><DNUM><PDAT>%d</PDAT></DNUM></B110><B130><PDAT>B1</PDAT></B130></B100><B500><B540>
<STEXT><PDAT>Nail</PDAT></STEXT></B540></B500></SDOBI><SDOAB><BTEXT><PARA><PTEXT><PDAT>A nail of
5 &mgr;m.</PDAT></PTEXT></PARA></BTEXT></SDOAB><SDOCL><CL><CLM ID="CLM-00001"><PARA><PTEXT>
<PDAT>1. A nail.</PDAT></PTEXT></PARA></CLM></CL></SDOCL></PATDOC>
"""
APPLICATION = b"""<?xml version="1.0" encoding="UTF-8"?>
<patent-application-publication><subdoc-bibliographic-information><document-id><doc-number>%d</doc-number>
<kind-code>A1</kind-code><document-date>20010315</document-date></document-id><technical-information>
<title-of-invention>Nail</title-of-invention></technical-information></subdoc-bibliographic-information>
<subdoc-abstract><paragraph id="A-1">A nail.</paragraph></subdoc-abstract><subdoc-claims>
<claim id="CLM-00001"><claim-text>1. A nail.</claim-text></claim></subdoc-claims></patent-application-publication>
"""
GREEN_BOOK = b"""PATN
WKU  0%d4
SRC  5
APN  4491559
APT  1
TTL  Nail
ISD  19760113
UREF
PNO  3518629
ISD  19700600
ABST
PAR  A nail with a .alpha. head
      and a point.
CLMS
STM  I claim:
NUM  1.
PAR  1. A nail.
"""
WRAPPER = b"""<?xml version="1.0" encoding="UTF-8"?>
<uspat:ClaimsDocument xmlns:uspat="urn:us:uspto:patent" xmlns:pat="http://www.wipo.int/ST96/Patent">
<pat:ApplicationNumber>13%d</pat:ApplicationNumber><uspat:MailRoomDate>2013-05-30</uspat:MailRoomDate>
<uspat:DocumentCode>CLM</uspat:DocumentCode><uspat:Claims><uspat:Claim id="CLM-1"><pat:ClaimNumber>1</pat:ClaimNumber>
<pat:ClaimText>A nail.</pat:ClaimText></uspat:Claim></uspat:Claims></uspat:ClaimsDocument>
"""
LINE = b'{"id": "US%dB2", "title": "A nail, bent", "claims": ["A nail.", "The nail of claim 1."], "ipc": ["B25C 1/00"]}'
ROW = b'US%dB2%s"A nail, bent"%s"A ""long"" text\nin two lines"\n'

TREC = b"""<DOC>
<DOCNO> FT911-%d </DOCNO>
<HEADLINE>Nails & screws</HEADLINE>
<TEXT>
A nail of 5 &micro;m.
<P>
Second paragraph, caf\xe9.
</TEXT>
</DOC>
"""
# Four columns: of two, a line that lost its end and the number behind it is a line like any other.
PAGES = b"D%d\thttps://example.org/nail\tNails\tA nail is bent.\n"
BEIR = b'{"_id": "MED-%d", "title": "Nails", "text": "A nail is bent.", "metadata": {"url": "http://x"}}\n'
ANSERINI = b'{\n  "id" : "doc%d",\n  "contents" : "A nail is bent."\n}\n'

RIS = b"TY  - JOUR\nTI  - Nails in wood\nAB  - An abstract\nDO  - 10.1000/n%d\nPY  - 2001\nER  - \n\n"
NBIB = b"PMID- %d\nTI  - Of nails\n      and wood\nAB  - First line\n      second line.\nDP  - 2001 May 3\n\n"
# Each record is longer than what `damage` cuts out or moves, and none has a quotation mark: a whole record that is
# gone, or that a mark has made part of a cell, cannot be noticed.
REVIEW = (
    b"record_id,title,abstract,doi,included\n"
    b"1,Nails and how they are made,About nails with a head of brass and a point of iron,10.1000/a,1\n"
    b"2,More nails and their uses,About more nails for boats and more on their heads,10.1000/b,0\n"
    b"3,Wood that nails are driven into,About wood that splits when a nail is driven into it,10.1000/c,0\n"
)


PAGE = b"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Pumps</title></head><body>
<h1>Pumps for acids</h1><p>A pump moves a liquid. Some pumps have valves, and <a href="/valves">valves</a> wear out.</p>
<p>Acids attack seals; a pump without seals lasts longer.</p></body></html>"""


def _several(template: bytes, first: int = 7000001, count: int = 3) -> bytes:
    return b"".join(template % (first + number) for number in range(count))


def _rows(separator: bytes) -> bytes:
    header = separator.join((b"id", b"title", b"description")) + b"\n"
    return header + b"".join(ROW % (7000001 + number, separator, separator) for number in range(4))


def seeds() -> dict[str, list[bytes]]:
    """Small files of every form, by the reader's name."""
    golden = {path.stem: path.read_bytes() for path in sorted(GOLDEN.glob("*.xml"))}
    found = {
        "uspto": [_several(GRANT)],
        "patdoc": [_several(RED_BOOK, 6336130)],
        "pap": [_several(APPLICATION, 20010000044)],
        "greenbook": [b"HHHHHT    APS1 ISSUE - 760113\n" + _several(GREEN_BOOK, 3932709)],
        "uspto_wrapper": [_several(WRAPPER, 694401)],
        "json": [
            _several(LINE + b"\n", count=4),
            b"[" + b",\n".join(LINE % (7 + n) for n in range(3)) + b"]",
            _several(BEIR),
            _several(ANSERINI),
        ],
        "trec": [_several(TREC)],
        "tsv": [_several(PAGES, count=6)],
        "csv": [_rows(b","), _rows(b"\t"), _rows(b";")],
        "exchange": [golden[name] for name in ("docdb", "ops")],
        "ris": [_several(RIS)],
        "nbib": [_several(NBIB)],
        "review": [REVIEW],
        "html": [PAGE],
        "warc": [b"".join(_record(number) for number in range(1, 4))],
    }
    for reader, prefix in (("epo", "epo"), ("st36", "st36"), ("marec", "marec"), ("jats", "jats")):
        own = [content for name, content in golden.items() if name.startswith(prefix)]
        found[reader] = [*own, b"\n".join(own)]
    return found


def _record(number: int) -> bytes:
    """A page of a web archive."""
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + PAGE
    head = (
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\n"
        b"WARC-Target-URI: http://example.org/%d\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
        b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
    )
    return head % (number, number, len(answer)) + answer + b"\r\n\r\n"


def real_seeds(folder: Path) -> dict[str, list[bytes]]:
    """Real files in a folder with the layout of the shared data: two or three documents joined into one file."""
    forms = folder / "patents" / "uspto_forms"
    found: dict[str, list[bytes]] = {}
    for reader, names in {"uspto": ("xml2004", "xml2014", "xmlApp2004"), "patdoc": ("sgml",), "pap": ("pap",),
                          "greenbook": ("greenbook",)}.items():  # fmt: skip
        for name in names:
            files = sorted((forms / name).glob("*"), key=lambda path: path.stat().st_size)[:2]
            found.setdefault(reader, []).append(b"\n".join(path.read_bytes() for path in files))
    with zipfile.ZipFile(forms / "xml4ip" / "sample_XML4IP.ZIP") as archive:
        parts = [archive.read(member) for member in archive.infolist() if member.filename.endswith(".xml")]
    found["uspto_wrapper"] = [b"\n".join(parts[:3])]
    return found


def fuzz(
    files: dict[str, list[bytes]], count: int, seed: int, *, engines: bool = False, share: tuple[int, int] = (0, 1)
) -> tuple[Counter[str], list[str]]:
    """Damage the files `count` times for each reader: how often each outcome happened, and every finding.

    `share` is the part of the numbers that is tried here: the first of how many.
    """
    outcomes: Counter[str] = Counter()
    findings = []
    for reader, contents in files.items():
        before = [read(content) for content in contents]
        for number in range(share[0], count, share[1]):
            chance = random.Random(f"{seed} {reader} {number}")
            which = chance.randrange(len(contents))
            damaged, what = damage(contents[which], chance)
            problem = problem_of(damaged, before[which], engines=engines)
            outcomes[f"{reader}: {'findings' if problem else 'as they should be'}"] += 1
            if problem:
                findings.append(f"{reader} file {which}, number {number} ({what}): {problem}")
    return outcomes, findings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300, help="damages for each reader (default: 300)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, help="a folder with real files")
    parser.add_argument("--only", action="append", metavar="READER", help="only this reader; may be repeated")
    parser.add_argument("--engines", action="store_true", help="compare the compiled engine with the plain one")
    options = parser.parse_args()
    chosen = [seeds()] + ([real_seeds(options.data)] if options.data else [])
    failed = False
    for files in chosen:
        wanted = {name: each for name, each in files.items() if not options.only or name in options.only}
        outcomes, findings = fuzz(wanted, options.count, options.seed, engines=options.engines)
        print("\n".join(f"{count:6} {name}" for name, count in sorted(outcomes.items())))
        print("\n".join(findings))
        failed = failed or bool(findings)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
