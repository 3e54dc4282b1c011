"""Texts that are not documents but stand beside them: topics, judgements and runs, told by their first lines."""

from __future__ import annotations

import re

_TOPICS = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*|<!--.{0,5000}?-->\s*)*(?:<topics\b[^<>]{0,200}>\s*)?<(?:topic|top)\b[^<>]{0,200}>",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER = re.compile(rb"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
_GRADE = re.compile(rb"[+-]?\d{1,3}")
_SAMPLE = 20
_FILE = re.compile(
    r"(?:queries|topics|qrels)(?:[._-][^/]*)?\.(?:jsonl?|tsv|csv|txt|qrels)(?:\.(?:gz|xz|zst|bz2))?", re.IGNORECASE
)
_FOLDER = re.compile(r"(?:^|/)qrels/[^/]+\.(?:tsv|txt|qrels)(?:\.(?:gz|xz|zst|bz2))?$", re.IGNORECASE)
_BEIR = {b"query-id", b"corpus-id", b"score"}


def what_else(head: bytes) -> str:
    """What the first bytes of a text are, if they are not documents: "topics", "judgements" or "a run"; else empty.

    >>> what_else(b"301 0 FT911-3 1\\n301 0 FT911-4 0\\n"), what_else(b"1 Q0 FT911-3 1 9.5 bm25\\n")
    ('judgements', 'a run')
    >>> what_else(b"7\\tA nail.\\n8\\tA screw.\\n")
    ''
    """
    if _TOPICS.match(head):
        return "topics"
    lines = head.split(b"\n")
    rows = [line.split() for line in (lines[:-1] or lines)[:_SAMPLE] if line.strip()]
    if not rows:
        return ""
    if set(rows[0]) == _BEIR:
        return "judgements"
    if all(len(row) == 6 and _GRADE.fullmatch(row[3]) and _NUMBER.fullmatch(row[4]) for row in rows):
        return "a run"
    if all(len(row) == 6 and row[1].upper() == b"Q0" for row in rows):
        return "a run"
    if all(len(row) in (4, 5) and row[1] in (b"0", b"Q0") and _GRADE.fullmatch(row[-1]) for row in rows):
        return "judgements"
    return ""


def beside_documents(name: str) -> bool:
    """Whether a file of a folder or an archive has the name of topics or judgements, as in the folders of BEIR.

    >>> [beside_documents(name) for name in ("nfcorpus/queries.jsonl", "nfcorpus/qrels/test.tsv", "corpus.jsonl")]
    [True, True, False]
    """
    return _FILE.fullmatch(name.rsplit("/", 1)[-1]) is not None or _FOLDER.search(name) is not None
