"""Makes the table of docs/derived-qrels.md: judgements that others derived from citations, and ours by their rule.

    python benchmarks/derived_qrels.py [--check]

It builds three collections of the shared data, which takes half a minute. With --check nothing is written; the status
is 1 when the document has other numbers.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from marked_document import fill, written

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.judge.citations import from_citations
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.topics import Topics

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "derived-qrels.md"
SHARED = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared")) / "data/patents"
SOURCES = {"us_api": "docs_10k.jsonl.xz", "patsnap": "docs.jsonl.xz", "synbio": "docs.jsonl.xz"}
# collection, its name, the file of judgements, the rule in words, and as options
ROWS: list[tuple[str, str, str, str, dict[str, Any]]] = [
    ("us_api", "US patents", "qrels_citations", "rule 1; filed no later than the topic", {"rules": (1,)}),
    ("us_api", "US patents", "qrels_family_expanded", "rules 1, 2; filed no later than the topic", {"rules": (1, 2)}),
    ("patsnap", "database export", "qrels_citations", "rule 1; no dates", {"rules": (1,), "dates": "none"}),
    ("patsnap", "database export", "qrels_family_expanded", "rules 1, 2; no dates", {"rules": (1, 2), "dates": "none"}),
    ("synbio", "synthetic biology", "qrels_family_expanded", "rules 1, 2, 3; no dates", {"dates": "none"}),
]


def pairs(qrels: Qrels) -> set[tuple[str, str]]:
    return {(topic, document) for topic in qrels.topics for document in qrels.judgements(topic)}


def table(folder: Path) -> str:
    """The table as markdown; the collections are built in the folder."""
    lines = ["| judgements | pairs, topics | rule found | ours by that rule | agree |", "|---|---:|---|---:|---:|"]
    for source, name, file, words, options in ROWS:
        if not (folder / source).exists():
            build([SHARED / source / SOURCES[source]], folder / source, mapping=ROOT / f"examples/{source}.toml")
        collection = Collection.open(folder / source)
        theirs = read_qrels(SHARED / source / f"{file}.txt")
        derived = from_citations(collection, Topics.of(collection.records["id"].to_list()), **options)
        found, given = pairs(derived.provenance.qrels()), pairs(theirs)
        agree = len(found & given)
        row = f"| {name}, `{file}` | {len(given):,}, {len(theirs.topics)} | {words} | {len(found):,} | {agree:,} |"
        lines.append(re.sub(r"(?<=\d),(?=\d{3})", " ", row))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        made = table(Path(folder))
    if not options.check:
        fill(DOCUMENT, {"pairs": made})
    elif made != written(DOCUMENT, "pairs"):
        sys.exit(f"{DOCUMENT.name} has other numbers; the table is now\n{made}")


if __name__ == "__main__":
    main()
