"""Files of every form, mutated: each record that begins by its marker is a document or reported, and no byte is lost.

Ends of lines change, files are cut, joined and encoded otherwise, lines are lost or come twice, a NUL byte slips in. A
document that is read is then one of the original ones, or a line names the place where it may not be; an original that
no mutation touched is read, or reported. Markers and bytes are counted here with means of their own.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from leadline.collections.documents.document import Document
from leadline.collections.documents.registry import Broken, readers_by_form
from leadline.collections.documents.splitting import split
from leadline.errors import InputError

TOOLS = Path(__file__).parents[3] / "tools" / "attack"
WORDS = ("Nägel aus Holz", "Screws", "Bolts & nuts", "Größe 8, brass", "Hinges")


def _several(template: str, first: int = 1, head: str = "") -> bytes:
    return (head + "".join(template % {"n": first + n, "words": WORDS[n % len(WORDS)]} for n in range(5))).encode()


RIS = """TY  - JOUR
ID  - r%(n)d
TI  - %(words)s
  and more of them, %(n)d
AU  - Doe, J%(n)d
AB  - On %(words)s.
PY  - 2001
ER  - \n
"""
NBIB = """PMID- %(n)d
OWN - NLM
TI  - %(words)s
      and more of them, %(n)d
AU  - Doe J%(n)d
AB  - On %(words)s.
DP  - 2001 May 3
SO  - J. 2001\n
"""
TREC = """<DOC>
<DOCNO> FT-%(n)d </DOCNO>
<HEADLINE>%(words)s</HEADLINE>
<TEXT>
On %(words)s, number %(n)d.
</TEXT>
</DOC>
"""
GREEN_BOOK = """PATN
WKU  039327%(n)02d4
SRC  5
TTL  %(words)s
NCL  1
ISD  19760113
ABST
PAR  On %(words)s
      and more of them, %(n)d.
CLMS
STM  I claim:
NUM  1.
PAR  1. A nail.
"""
CSV = 'US70000%(n)02dB2,"%(words)s, %(n)d","On ""%(words)s""\nand more of them",G06F15/16\n'
TSV = "D%(n)d\thttps://example.org/%(n)d\t%(words)s\tOn them, number %(n)d.\n"
REVIEW = 'r%(n)d,"%(words)s in short","On %(words)s, number %(n)d",1\n'
JSON = '{"id": "US70000%(n)02dB2", "title": "%(words)s", "abstract": "On them, number %(n)d."}\n'
TEXTS = {
    "ris": ("", RIS),
    "nbib": ("", NBIB),
    "trec": ("", TREC),
    "greenbook": ("HHHHHT    APS1 ISSUE - 760113\n", GREEN_BOOK),
    "csv": ("id,title,description,ipc\n", CSV),
    "tsv": ("", TSV),
    "review": ("record_id,title,abstract,included\n", REVIEW),
    "json": ("", JSON),
}


def harness() -> dict[str, list[bytes]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOOLS))
        import fuzz_readers

        sys.modules.pop("fuzz_readers")
        found: dict[str, list[bytes]] = fuzz_readers.seeds()
        return found


def pairs() -> dict[str, list[tuple[bytes, bytes]]]:
    """For each form files, each with another that may be joined to it."""
    found = {name: [(_several(text, 1, head), _several(text, 6, head))] for name, (head, text) in TEXTS.items()}
    listed = [b"[" + each.strip().replace(b"\n", b",\n") + b"]\n" for each in found["json"][0]]
    found["json list"] = [(listed[0], listed[1])]
    for name, contents in harness().items():
        if name not in TEXTS:
            found[name] = [(content, content) for content in contents]
    return found


FORMS = sorted({*TEXTS, "json list", "uspto", "patdoc", "pap", "uspto_wrapper", "exchange", "epo", "st36", "marec"}
               | {"jats", "html", "warc"})  # fmt: skip


@dataclass
class Reading:
    """What was made of a file: documents and reports, each with its place and bytes, and how many records it counts."""

    documents: list[tuple[int, int, Document]] = field(default_factory=list)
    reports: list[tuple[int, int, int, str]] = field(default_factory=list)  # place, bytes, records, line


def read(content: bytes) -> Reading:
    readers, found = readers_by_form(), Reading()
    try:
        for raw in split(iter([content[:997], content[997:]]), None, readers, "page.html"):
            if isinstance(raw, Broken):
                found.reports.append((raw.offset, raw.size, raw.records, raw.reason))
                continue
            try:
                found.documents.append((raw.offset, raw.size, readers[raw.form].read(raw.content, raw.encoding)))
            except ValueError as error:
                found.reports.append((raw.offset, raw.size, 1, str(error)))
    except InputError as error:
        found.reports.append((0, len(content), 0, error.problem))
    return found


# The mutations: each gives the mutated content, the offset to which the original is whole, and from which the rest is.

Mutated = tuple[bytes, int, int]
Mutation = Callable[[bytes, bytes, random.Random], Mutated]


def other_ends(content: bytes, _: bytes, chance: random.Random) -> Mutated:
    ends = chance.choice([[b"\r"], [b"\r\n"], [b"\n", b"\r", b"\r\n"]])
    lines = content.replace(b"\r\n", b"\n").split(b"\n")
    return b"".join(line + chance.choice(ends) for line in lines[:-1]) + lines[-1], len(content), len(content)


def cut(content: bytes, _: bytes, chance: random.Random) -> Mutated:
    at = chance.randrange(1, len(content))
    return content[:at], at, len(content)


def join(content: bytes, other: bytes, chance: random.Random) -> Mutated:
    at = chance.choice([len(content), len(content.rstrip()), chance.randrange(1, len(content))])
    if content[:at].rpartition(b"\n")[2] in (b"D", *(b"D%d" % n for n in range(9))):
        at = len(content)  # half an id and another id behind it are an id like others
    return content[:at] + chance.choice([b"", b"\xef\xbb\xbf"]) + other, at, len(content)


def without_line(content: bytes, _: bytes, chance: random.Random) -> Mutated:
    lines = content.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    begin = sum(map(len, lines[:at]))
    return b"".join(lines[:at] + lines[at + 1 :]), begin, begin + len(lines[at])


def line_twice(content: bytes, _: bytes, chance: random.Random) -> Mutated:
    lines = content.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    begin = sum(map(len, lines[:at]))
    return b"".join(lines[: at + 1] + lines[at:]), begin, begin + len(lines[at])


def encoded(content: bytes, _: bytes, chance: random.Random) -> Mutated:
    name = chance.choice(["latin-1", "latin-1", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
    try:
        return content.decode().encode(name), len(content), len(content)
    except UnicodeError:
        return b"\xef\xbb\xbf" + content, len(content), len(content)


def with_nul(content: bytes, _: bytes, chance: random.Random) -> Mutated:
    at = chance.randrange(len(content))
    return content[:at] + b"\0" + content[at:], at, at


MUTATIONS: list[Mutation] = [other_ends, cut, cut, join, without_line, line_twice, encoded, with_nul, with_nul]


# What must hold.

_MARKERS: dict[str, bytes] = {
    "ris": rb"TY  -",
    "nbib": rb"PMID-",
    "trec": rb"<DOC>",
    "greenbook": rb"(?:(?<=[\r\n])|\A)PATN[ \t]*(?=[\r\n]|\Z)",
}
_NUMBERS = (
    "not a text",
    "UTF-16",
    "no document of a known form",
    "no record",
    "is empty",
    "damaged archive",
    "the table was not read",
    "nothing under it",
)
_WIDE = (*_NUMBERS, "the rest was not read", "more after the end of the list", "the header has", "outside of documents")


def problem_of(form: str, before: Reading, content: bytes, mutated: Mutated, each: int = 1) -> str:
    """What is wrong with the reading of a mutated file; empty if nothing is. A report may stand for `each` records."""
    changed, begin, end = mutated
    try:
        after = read(changed)
    except Exception as error:  # the finding that is looked for
        return f"{type(error).__name__}: {error}"
    said = " | ".join(line for *_, line in after.reports)
    if "\n" in said:
        return f"a report of more than one line: {said}"
    if "records begin with" in said or "neither read nor reported" in said:
        return f"does not add up: {said}"
    refused = any(phrase in said for phrase in _NUMBERS)
    if form in _MARKERS and not refused and "the header has" not in said:
        markers = len(re.findall(_MARKERS[form], changed))
        records = len(after.documents) + sum(count for _, _, count, _ in after.reports)
        if markers != records:
            return f"{markers} markers, {len(after.documents)} documents, {records} with reports: {said}"
    if problem := _unassigned(form, changed, after):
        return f"{problem}: {said or 'no report'}"
    return _lost(before, after, content, begin, end, said, each)


def _unassigned(form: str, content: bytes, found: Reading) -> str:
    """Bytes that no document and no report stands for."""
    if any(size < 0 or phrase in line for _, size, _, line in found.reports for phrase in _NUMBERS):
        return ""
    rest, place = [], 0
    spans = [(at, size) for at, size, _ in found.documents] + [(at, size) for at, size, *_ in found.reports]
    for at, size in sorted(span for span in spans if span[1] > 0):
        rest.append(content[place:at])
        place = max(place, at + size)
    left = b"".join(rest) + content[place:]
    if form == "greenbook":
        left = re.sub(rb"HHHHH[^\r\n]*", b"", left)
    said = " ".join(line for *_, line in found.reports)
    if any(each in said for each in ("outside of documents", "records that were not read", "the header has")):
        return ""  # bytes that are told of by their number, or the first line of what is no table
    if form not in TEXTS and form not in ("json list", "html", "warc"):  # markup around documents
        left = re.sub(rb"<!DOCTYPE.*?\][^<>]*>|<[^<>]*>", b"", left, flags=re.DOTALL)
        left = b"" if found.reports else left
    left = left.replace(b"\xef\xbb\xbf", b"").strip(b" \t\r\n\x1a,[]" if form == "json list" else b" \t\r\n\x1a")
    if left and (len(re.split(rb"[\r\n]+", left)) > 1 or form not in ("csv", "review")):  # one header
        return f"{left[:40]!r} is lost"
    return ""


def _lost(before: Reading, after: Reading, content: bytes, begin: int, end: int, said: str, each: int) -> str:
    """Originals that were read whole before, and are neither read now nor reported; documents that never were."""
    originals = [_plain(document) for _, _, document in before.documents]
    found = [_plain(document) for _, _, document in after.documents]
    untouched = []
    for (at, size, _), document in zip(before.documents, originals, strict=True):
        if document in found:
            continue
        whole = content[at : at + size].rstrip()
        if at + len(whole) <= begin or at >= end:
            untouched.append(document.id)
        alone = at == before.documents[0][0]  # nothing tells that the last lines of the only record are gone
        if at < begin and len(found) < len(originals) and not alone and not after.reports:
            return f"{document.id} is lost without a word"
    # One report of many bytes or of a table that is none may stand for several.
    most = each * sum(max(1, records) if size else 1 for _, size, records, _ in after.reports)
    wide = any(size > 400 or any(phrase in line for phrase in _WIDE) for _, size, _, line in after.reports)
    if len(untouched) > most and not wide:
        return f"{', '.join(untouched)} not touched, and not read: {said}"
    if begin == end == len(content) and "Windows" not in said:
        for (at, size, _), document in zip(after.documents, found, strict=True):
            told = any(at <= place <= at + max(size, 0) for place, *_ in after.reports)
            if document not in originals and not told:
                return f"{document.id} at {at} is not an original, and no report says so: {said}"
    return ""


def _plain(document: Document) -> Document:
    """A document with LF in its texts: a cell of a table may have other ends of lines."""
    return replace(document, description="\n".join(document.description.splitlines()))


@pytest.mark.soak
@pytest.mark.parametrize("form", FORMS)
def test_no_mutation_loses_a_record_without_a_word(form: str, soak: bool) -> None:
    files = pairs()[form]
    readings = {each: read(each) for pair in files for each in pair}
    findings = []
    for number in range(2000 if soak else 50):
        chance = random.Random(f"{form} {number}")
        first, second = chance.choice(files)
        mutation = chance.choice(MUTATIONS)
        mutated = mutation(first, second, chance)
        before = readings[first]
        if mutation is join:  # the documents of the other file come after all of the first
            after = [(len(first) + at, size, each) for at, size, each in readings[second].documents]
            before = Reading([*before.documents, *after])
        if form == "warc" and mutation is other_ends:
            continue  # its ends of lines are part of the lengths that it gives
        original, each = (first + second, 2) if mutation is join else (first, 1)  # a row may be joined to another
        if problem := problem_of(form, before, original, mutated, each):
            findings.append(f"{number} {mutation.__name__} at {mutated[1]} to {mutated[2]}: {problem[:300]}")
    assert findings == []


def test_seeds_are_read_whole() -> None:
    for form, files in pairs().items():
        for content, _ in files:
            found = read(content)
            assert found.documents, form
            assert found.reports == [] or form == "exchange", form  # which has notices of deleted documents
    assert sorted(pairs()) == FORMS
