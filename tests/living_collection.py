"""A collection that changes at random, and everything that can be asked of its index, as bytes to compare."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.update import update as update_collection
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.language import Language
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.models.searcher import Searcher
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.word_search import read_hits

FIELDS = ["title", "abstract", "claims", "description", "phrases"]
WORDS = [
    "film", "films", "filming", "communicates", "communication", "communicated", "silver", "particles", "particle",
    "polymer", "polymers", "1,4-butanediol", "covid-19", "1.000", "1,000", "café", "naïve", "valve", "valves",
    "acid", "acids", "water", "oil", "in", "of", "the", "nail", "nails", "bent", "Rahmen", "Fahrradrahmen",
    "Fahrrad", "zeolite", "coated", "wrapping", "pump", "pumps", "iron", "x-ray", "3.50", "3,50", "B12", "enzyme",
    "antibody",
]  # fmt: skip
# Words that few documents have, so that some vanish with their documents.
RARE = [
    f"{one}{other}"
    for one in ("zirkon", "quarz", "bläu", "co-", "2,")
    for other in ("ane", "anes", "iert", "-19", "um")
]
QUERIES = [
    "silver film", '"polymer film"', "film* AND NOT valve", "communicat*", "*icles", "pol?mers", "butanediol", "1000",
    "cafe OR covid", "silver NEAR/3 film", "acid SAME water", "(nail OR valve) W/4 iron", "title:film claims:silver",
    "class:C08J film", "class:F16B", "office:EP nail", "before:1996-01-01 film", "published:1990..1999",
    "sort:oldest film", "Rahmen", "partikles", "filn", "covid 19", "family:EP1000003B1", "cited-by:EP1000004B1",
    "cites:EP1000001B1", "applicant:Acme pump", "zirkon*", "*ane", "quarz", "zirkonane OR quarzum", "blau*", "blauane",
    "co", "zirkonume", "2", '"silver film"~3', "water PRE/2 oil", "3.5", "language:de film", "phrases:valve",
]  # fmt: skip
SYSTEMS = ["best", "baseline", "bm25+rm3", "links", "reputation", "york", "bitem", "scai", "purdue"]


def document(number: int, draw: random.Random) -> dict[str, Any]:
    """A patent of random words; the same number may have another text, other dates, classes, citations and family."""

    def text(most: int) -> str:
        words = draw.choices([*WORDS, *draw.sample(RARE, 2)], k=draw.randint(1, most))
        return "".join(word + draw.choices([" ", ". ", "\n"], [20, 2, 1])[0] for word in words).strip()

    year = draw.randint(1985, 2010)
    return {
        "id": f"EP{1000000 + number}B1", "title": text(6), "abstract": text(25), "description": text(60),
        "claims": [text(12) for _ in range(draw.randint(1, 3))], "language": draw.choice(["en", "en", "de"]),
        "ipc": draw.sample(["C08J 5/18", "A01N 59/16", "F16B 15/00", "F16B 2/00"], draw.randint(0, 3)),
        "publication": draw.choice(["", f"{year}-02-15"]), "application": f"{year - 2}-02-15",
        "applicants": draw.choice([[], ["Acme"], ["Acme", "Zeta"]]), "inventors": draw.choice([[], ["A. Bell"]]),
        "citations": [f"EP{1000000 + draw.randrange(40)}B1" for _ in range(draw.randrange(4))],
        "priorities": [{"number": f"GB{draw.randrange(12)}", "date": f"{year - 3}-01-01"}] * draw.randint(0, 1),
    }  # fmt: skip


def written(path: Path, documents: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in documents))
    return path


def change(collection: Path, draw: random.Random) -> None:
    """Add, change and delete some documents of a collection at random."""
    there = [int(name[2:9]) - 1000000 for name in Collection.open(collection).records["id"]]
    new = draw.sample(range(40), draw.randint(0, 5))
    deleted = [number for number in draw.sample(there, min(len(there) // 3, draw.randint(0, 4))) if number not in new]
    if new or deleted:
        source = written(collection.with_name("new.jsonl"), [document(number, draw) for number in new])
        names = [f"EP{1000000 + number}B1" for number in deleted]
        update_collection(collection, [source] if new else [], delete=names)


def answers(index: Path, *, systems: bool = True) -> dict[str, Any]:
    """What models, the query language and systems answer: ids, and scores to the last bit.

    Without `systems`, only what does not read the collection.
    """
    context = SearchContext.open(index) if systems else SearchContext(Index.open(index))
    opened, searcher, language = context.index, Searcher(context.index), Language(context.index)
    found: dict[str, Any] = {
        "ids": opened.ids, "ranks": opened.ranks.tolist(), "counts": opened.manifest["counts"],
        "columns": [opened.column(name).tolist() for name in ("publication", "known", "family", "content")],
    }  # fmt: skip
    for name in MODELS:
        for combine in ("text", "scores"):
            ranking = searcher.search("silver films of acids, naïve pumps", name, 20, combine=combine)
            found[f"{name} {combine}"] = context.names(ranking.rows), ranking.scores.tobytes()
    for number, query in enumerate(QUERIES):
        answer = language.search(query, k=20)
        names, rows = context.names(answer.ranking.rows), answer.ranking.rows[:3].tolist()
        why = [(each.term, each.field, each.score) for row in rows for each in language.why(answer, row)]
        hits = [(hit.facts, hit.document) for hit in read_hits(context, answer.ranking)] if number % 8 == 0 else []
        found[query] = answer.found, names, answer.ranking.scores.tobytes(), answer.notes, why, hits
    topics = opened.ids[:: max(len(opened.ids) // 4, 1)]
    for name in SYSTEMS if systems else ():
        results = system(name).answer(context, topics, 15)
        found[name] = {topic: (ids, np.array(scores).tobytes()) for topic, (ids, scores) in results.found.items()}
    return found


def indexed(collection: Path, index: Path) -> None:
    """Build an index of the collection."""
    opened = Collection.open(collection)
    Index.build(opened, index, fields=FIELDS, positions=True, origin=str(collection.resolve()), workers=1)


def rebuilt(collection: Path, index: Path, *, systems: bool = True) -> dict[str, Any]:
    """The answers of a new index of the collection."""
    indexed(collection, index)
    return answers(index, systems=systems)


def started(folder: Path, draw: random.Random, count: int) -> tuple[Path, Path]:
    """A new collection and its index."""
    collection, index = folder / "collection", folder / "index"
    build([written(folder / "first.jsonl", [document(number, draw) for number in range(count)])], collection)
    indexed(collection, index)
    return collection, index


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]
