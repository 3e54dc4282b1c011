"""The three classic test collections, Cranfield, CACM and Medline, and the same search by another program."""

from __future__ import annotations

import re
import tarfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leadline.records.runs import Run
from leadline.records.topics import Topic, Topics
from leadline.retrieval.index.analysis import Analysis

# The archive, its files of documents, queries and judgements, and which columns judge.
FILES = {
    "Cranfield": ("cran.tar.xz", "cran/cran.all.1400", "cran/cran.qry", "cran/cranqrel", 1),
    "CACM": ("cacm.tar.xz", "cacm/cacm.all", "cacm/query.text", "cacm/qrels.text", 1),
    "Medline": ("med.tar.xz", "med/MED.ALL", "med/MED.QRY", "med/MED.REL", 2),
}
_TITLE, _TEXT = ".T", ".W"


@dataclass(frozen=True)
class Classic:
    """Documents with title and text, needs in words, and judgements."""

    documents: list[dict[str, str]]
    topics: Topics
    qrels: dict[str, dict[str, int]]


def read_classic(name: str, folder: Path) -> Classic:
    """A collection from its archive. Cranfield's queries count from 1 in its judgements, whatever they are called."""
    archive, documents, queries, judgements, place = FILES[name]
    with tarfile.open(folder / archive) as files:
        texts = {member: _read(files, member) for member in (documents, queries, judgements)}
    found = [
        {"id": number, "title": parts.get(_TITLE, ""), "abstract": parts.get(_TEXT, "")}
        for number, parts in _records(texts[documents])
    ]
    asked = [Topic(str(n), parts.get(_TEXT, "")) for n, (_, parts) in enumerate(_records(texts[queries]), start=1)]
    qrels: dict[str, dict[str, int]] = {}
    for line in texts[judgements].splitlines():
        cells = line.split()
        if len(cells) > place:
            grade = 0 if name == "Cranfield" and cells[2] == "-1" else 1  # -1: of no interest
            qrels.setdefault(str(int(cells[0])), {})[str(int(cells[place]))] = grade
    return Classic(found, Topics.of([topic for topic in asked if topic.id in qrels]), qrels)


def _read(files: tarfile.TarFile, member: str) -> str:
    content = files.extractfile(member)
    assert content is not None
    return content.read().decode("latin-1")


def _records(text: str) -> list[tuple[str, dict[str, str]]]:
    """The number and the parts of each record: `.I 1`, then `.T`, `.W` and others with what follows them."""
    records: list[tuple[str, dict[str, str]]] = []
    part = ""
    for line in text.splitlines():
        if match := re.fullmatch(r"\.I\s+(\d+)\s*", line):
            records.append((str(int(match[1])), {}))
            part = ""
        elif re.fullmatch(r"\.[A-Z]\s*", line):
            part = line.strip()
        elif part and records:
            records[-1][1][part] = records[-1][1].get(part, "") + line + "\n"
    return records


def searched_by_bm25s(collection: Classic, analysis: Analysis, k: int = 1000) -> Run:
    """BM25 by the program bm25s, which gets our terms: what may differ is its arithmetic, in single precision.

    Documents without any term are left out, for it would count them among all.
    """
    import bm25s

    terms = {each["id"]: analysis.terms(f"{each['title']}\n{each['abstract']}") for each in collection.documents}
    terms = {name: own for name, own in terms.items() if own}
    peer = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    peer.index(list(terms.values()), show_progress=False)
    ids = list(terms)
    rows: list[tuple[str, str, float]] = []
    for topic in collection.topics:
        known = [term for term in analysis.terms(topic.title) if term in peer.vocab_dict]
        scores = peer.get_scores(known)
        best = np.argsort(-scores, kind="stable")[:k]
        rows += [(topic.id, ids[place], float(scores[place])) for place in best if scores[place] > 0]
    topics, documents, found = zip(*rows, strict=True)
    return Run.from_columns(topics, documents, found, "bm25s")
