"""Searching prior art in a lab: for a patent of its collection, or for one that somebody pastes or uploads."""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any

from leadline.collections.documents.document import Document
from leadline.errors import InputError, checked_choice, nearest, visible
from leadline.records.scores.table import Table
from leadline.retrieval.answers.patent_file import read_patent
from leadline.retrieval.answers.prior_art_search import DEFAULT_SYSTEM, ClaimBearing, PriorArt, prior_art
from leadline.retrieval.answers.prior_art_words import (
    bearing_rule,
    claim_numbers,
    fit_words,
    hidden_note,
    prior_art_finding,
    prior_art_record,
    search_notes,
    system_line,
)
from leadline.retrieval.answers.search_hits import result_table
from leadline.retrieval.answers.snippets import Marker
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline_files import system
from leadline.show.lab.marked_text import clean, pieces
from leadline.show.lab.opened import OpenedLab
from leadline.show.lab.prior_art_systems import prior_art_systems
from leadline.text.days import parse_date

MOST_K = 50  # hits
AT_ONCE = 2  # searches: each takes a processor for about a second
SNIPPET, PASSAGE = 260, 500  # characters
LARGEST = 4_000_000  # bytes of a patent
LONGEST_TEXT = 600_000  # characters of a patent that is searched with
MOST_PATENTS = 40  # that were pasted, in memory


class PriorArtSearches:
    """Searches for prior art in a lab, and the patents that were pasted. Threads may share it."""

    def __init__(self, opened: OpenedLab) -> None:
        self._opened = opened
        self._places = threading.Semaphore(AT_ONCE)
        self._pasted: OrderedDict[str, Document] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, content: bytes, date: str = "") -> str:
        """Read a patent that was pasted or uploaded, and keep it for a while; its key goes into the address."""
        document = read_pasted(content, date)
        key = hashlib.sha256(content + b"\0" + date.encode()).hexdigest()[:24]
        with self._lock:
            self._pasted[key] = document
            self._pasted.move_to_end(key)
            while len(self._pasted) > MOST_PATENTS:
                self._pasted.popitem(last=False)
        return key

    def find(self, index: str, patent: str, pasted: str, k: int, named: str = "") -> dict[str, Any]:
        """What bears on the claims of a patent of the collection, or of one that was pasted.

        `named` is one of `prior_art_systems()` (default: the best of what the index has).
        """
        if named:
            checked_choice("system", named, prior_art_systems())
        if not 1 <= k <= MOST_K:
            raise InputError("k", f"must be 1 to {MOST_K}, got {k}")
        context = self._opened.context(index)
        topic: Document | str = self._document(pasted) if pasted else _number(context, patent)
        collection = self._opened.collection_of(index)
        entries = [self._opened.lab.get("index", index)]
        entries += [self._opened.lab.get("collection", collection)] if collection else []

        def make() -> dict[str, Any]:
            with self._places:
                return _found(context, topic, k, named)

        found = self._opened.computed("prior art", entries, make, pasted or patent, bool(pasted), k, named)
        return {**found, "collection": collection}

    def _document(self, key: str) -> Document:
        with self._lock:
            found = self._pasted.get(key)
        if found is None:
            raise InputError("pasted", "this patent is no longer kept here: paste it again")
        return found


def read_pasted(content: bytes, date: str = "") -> Document:
    """The patent in what was pasted or uploaded: XML, SGML or JSON of an office, or plain text."""
    if len(content) > LARGEST:
        raise InputError("patent", f"has {len(content):,} bytes, at most {LARGEST:,}")
    if not content.strip():
        raise InputError("patent", "is empty: paste its text, or choose a file")
    if b"\0" in content[:65_536] or content.startswith((b"\x1f\x8b", b"PK\x03\x04", b"%PDF", b"BZh", b"\xfd7zXZ")):
        raise InputError("patent", "is not text: give XML, SGML, JSON or plain text, not an archive or a PDF")
    ending = {b"<": ".xml", b"{": ".json", b"[": ".json"}.get(content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1], ".txt")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"patent{ending}"
        path.write_bytes(content)
        try:
            document = read_patent(path)
        except InputError as error:
            problem = error.problem.replace(str(path), "the patent").replace(folder, "")
            raise InputError("patent", problem, line=error.line) from None
    if date:
        try:
            document = replace(document, application=parse_date(date).isoformat(), priorities=())
        except InputError as error:
            raise InputError("date", error.problem) from None
    return replace(document, description=document.description[:LONGEST_TEXT])


def _number(context: SearchContext, written: str) -> str:
    """The number of a patent of the collection; InputError with the nearest where there is none."""
    if not context.has_collection:
        raise InputError(str(context.index.folder.name), "has no texts: add the collection of this index to the lab")
    if context.request(written).is_patent:
        return written
    ids = context.collection.records["id"]
    begin = ids.filter(ids.str.starts_with(written.strip()[:4])).head(2000).to_list()
    raise InputError(visible(written), f"is not a patent of the collection{nearest(written, begin)}")


def _found(context: SearchContext, topic: Document | str, k: int, named: str) -> dict[str, Any]:
    request = context.request(topic)
    found = prior_art(context, request, system(named or DEFAULT_SYSTEM), k, SNIPPET)
    record = prior_art_record(found)
    bears = [list(found.claims_of(place)) for place in range(len(found.hits))]
    cards = [
        {**{key: hit[key] for key in ("rank", "document", "score", "published", "class", "members")},
         "title": clean(hit["title"]), "snippet": pieces(snippet), "bears": numbers,
         "bears_on": claim_numbers(numbers) if numbers else ""}
        for hit, snippet, numbers in zip(record["hits"], found.snippets, bears, strict=True)
    ]  # fmt: skip
    shares = [" ".join(f"{number}:{share:.2f}" for number, share in found.claims_of(place).items())
              for place in range(len(found.hits))]  # fmt: skip
    return {
        "patent_facts": {**record["topic"], "title": clean(found.topic.title), "classes": [*found.topic.ipc[:3]],
                         "claims": len(found.topic.claims)},
        "finding": clean(prior_art_finding(found)),
        "rule": clean(bearing_rule(found)),
        "system": system_line(context, request, named or None),
        "notes": [clean(note) for note in (*search_notes(found, named or None), *hidden_note(found))],
        "cards": cards,
        "hits": result_table(found.hits, found.snippets, {"claims": shares}),
        "claims": [_claim(context, each, found) for each in found.bearing],
        "bearing": Table(
            ["claim", "rank", "document", "where", "share", "distinguishing", "level", "passage"],
            [[claim["claim"], *(hit[key] for key in ("rank", "document", "where", "share", "distinguishing", "level",
                                                     "passage"))]
             for claim in record["claims"] for hit in claim["hits"]],
        ),
        "without": claim_numbers([each.claim.number for each in found.bearing if not each.found])
        if found.bearing and not all(each.found for each in found.bearing) else "",
    }  # fmt: skip


def _claim(context: SearchContext, each: ClaimBearing, found: PriorArt) -> dict[str, Any]:
    """A claim, its distinguishing part, and the passages that bear on it with its words marked."""
    marker = Marker(context.index.analysis, dict.fromkeys(each.part.terms, 1.0))
    return {
        "number": each.claim.number, "name": each.name.capitalize(),
        "text": clean(each.claim.text), "part": clean(each.part.text), "basis": each.part.basis,
        "ranks": [one.hit + 1 for one in each.found],
        "passages": [
            {"rank": one.hit + 1, "document": found.hits[one.hit].name, "title": clean(found.hits[one.hit].title),
             "where": one.passage.where, "fit": fit_words(one), "part": patent_paragraph(one.passage.where),
             "pieces": pieces(marker.snippet(one.passage.text, PASSAGE))}
            for one in each.found
        ],
    }  # fmt: skip


def patent_paragraph(where: str) -> str:
    """The part of the page of a document that a passage is in, as the end of its address.

    >>> patent_paragraph("¶ 12"), patent_paragraph("claim 3"), patent_paragraph("abstract")
    ('#p12', '#claim3', '#abstract')
    """
    kind, _, number = where.partition(" ")
    return f"#p{number}" if kind == "¶" else f"#{kind}{number}"
