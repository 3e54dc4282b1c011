"""Everything that Leadline stores, how it is made, and how it is asked: what `stored_damage.py` damages."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from small_site import small_site

MADE_AGAIN = "made again"  # the answer of what is not believed, and need not be


@dataclass(frozen=True)
class StoredKind:
    """Files of one kind."""

    files: str  # a pattern
    ask: Callable[[Path], Any]  # everything that can be asked of them
    made_by: str = ""  # commands, separated by semicolons
    prepare: Callable[[Path], None] = lambda _work: None  # after these
    checks: bool = False  # asking is checking: damage must be found
    misshaped: bool = False  # values of another type, instead of damaged bytes

    def stored(self, work: Path) -> list[Path]:
        found = sorted(path for path in work.glob(self.files) if path.is_file())
        return [path for path in found if path.suffix in (".json", ".jsonl")] if self.misshaped else found


def ask_index(folder: Path, name: str = "index") -> Any:
    """Everything an index can be asked: words, phrases, filters, lengths, ids, and its own check."""
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.language.language import Language

    index = Index.open(folder / name)
    language = Language(index)
    found = []
    for query in ("polymer film", '"polymer film"', "metal AND NOT valve", "gla* before:2000", "title:acid class:F16B"):
        answer = language.search(query, k=20)
        found.append((answer.found, answer.ranking.rows.tolist(), answer.ranking.scores.tobytes()))
    lengths = [index.lengths(name).tolist() for name in index.fields]
    columns = [index.column(name).tolist() for name in ("publication", "family")]
    return found, list(index.ids), lengths, columns, index.having("office", ["EP"]).tolist()


def ask_collection(folder: Path) -> Any:
    """Everything a collection can be asked: tables, single documents, all texts, masks."""
    from leadline.collections.documents.collection import Collection

    collection = Collection.open(folder / "collection")
    tables = [getattr(collection, name).to_dicts() for name in ("records", "citations", "families")]
    one = [collection.document(f"EP{1000000 + n}B1") for n in (0, 17, 39)]
    every = [(document.id, document.title, document.abstract, document.claims) for document in collection.documents()]
    texts = [frame.to_dicts() for frame in collection.texts(["title", "description"])]
    chosen = collection.select(before="2000-01-01", classes=["F16B"]).tolist()
    return len(collection), tables, one, every, texts, chosen


def check(folder: str) -> Callable[[Path], Any]:
    """What `leadline check` says of a folder; InputError where something is damaged."""

    def ask(work: Path) -> Any:
        from leadline.errors import InputError
        from leadline.show.check import examine

        found = examine(work / folder)
        if found.findings:
            raise InputError(found.findings[0].path, found.findings[0].problem)
        if found.strangers:  # an identity file that was cut between two lines lists fewer files
            raise InputError(str(found.strangers[0]), "is not of this folder")
        return found.kind

    return ask


def fill_cache(work: Path) -> None:
    from leadline.text.files import write_cached

    (work / "cache").mkdir(mode=0o700)
    write_cached(work / "cache" / "entry", b"some machine code " * 50)


def ask_cache(folder: Path) -> Any:
    from leadline.text.files import read_cached

    found = read_cached(folder / "cache" / "entry")
    return MADE_AGAIN if found is None else found


TOPICS = {str(topic): ([f"d{topic}", "d9"], [0.5, 0.25], ["a note"], 0.125, None) for topic in range(6)}


def write_run_journal(work: Path) -> None:
    from leadline.retrieval.pipeline.pipeline import Journal, TopicResult

    journal = Journal(work / "x.unfinished", "made of this")
    for topic, found in TOPICS.items():
        journal.add(topic, TopicResult(*found))


def ask_run_journal(work: Path) -> Any:
    """The finished topics of a run: each as it was, or to be made again."""
    from leadline.retrieval.pipeline.pipeline import Journal

    journal = Journal(work / "x.unfinished", "made of this")
    found = [journal.get(topic) for topic in TOPICS]
    wrong = [each for each, right in zip(found, TOPICS.values(), strict=True) if each not in (None, right)]
    return wrong or MADE_AGAIN if len(journal) <= len(TOPICS) else "more topics than there were"


def stop_a_build(work: Path) -> None:
    """Leave a collection half built: all parts are written, and the next step fails."""
    from leadline.collections.documents import tables
    from leadline.collections.documents.build import build

    def fail(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    tables.write_tables = fail
    with contextlib.suppress(KeyboardInterrupt):
        build([work / "more.jsonl"], work / "half", processes=1)


def ask_half_build(work: Path) -> Any:
    """What a build makes of what a stopped one left."""
    from leadline.collections.documents.build import build

    shutil.rmtree(work / "again", ignore_errors=True)
    shutil.copytree(work / "half", work / "again")
    build([work / "more.jsonl"], work / "again", processes=1)
    return sorted(path.name for path in (work / "again").iterdir()), check("again")(work)


def ask_pool(work: Path) -> Any:
    from leadline.judge.pools import Pool

    pool = Pool.read(work / "pool.txt")
    return pool.documents.rows(), pool.strata, pool.seed, pool.runs, pool.budget, pool.extended


def ask_judging(work: Path) -> Any:
    from leadline.judge.journal import JudgingJournal

    for name in ("pool.txt.journal-wal", "pool.txt.journal-shm"):
        (work / name).unlink(missing_ok=True)
    with contextlib.closing(JudgingJournal(work / "pool.txt.journal")) as journal:
        return list(journal.events())


def write_forms(work: Path) -> None:
    from leadline.collections.documents.collection import Collection
    from leadline.collections.documents.forms import write_forms

    write_forms(Collection.open(work / "collection").documents(), work / "forms")


def add_people(work: Path) -> None:
    from leadline.judge.journal import People

    people = People(work / "pool.people")
    for name in ("anna", "bert", "eve"):
        people.add(name, "assessor")


def ask_people(work: Path) -> Any:
    from leadline.judge.journal import People

    os.stat(work / "pool.people")
    return list(People(work / "pool.people"))


def write_vectors(work: Path) -> None:
    import numpy as np

    from leadline.retrieval.index import arrays
    from leadline.retrieval.index.manifest import VECTOR_ARRAY as NAME

    with arrays.create(work / "vectors-00.float16", {NAME: (np.float16, 40 * 16)}) as into:
        into[NAME][:] = np.arange(40 * 16) / 640


def ask_vectors(work: Path) -> Any:
    import numpy as np

    from leadline.retrieval.dense.vectors import Vectors

    return Vectors(work / "vectors-00.float16", (40, 16)).scores(np.ones(16, np.float32)).tolist()


def make_crawl(work: Path) -> None:
    """Crawl a small site."""
    from leadline.collections.crawl.crawl_folder import crawl_into as crawl

    with small_site() as site:
        crawl(work / "crawl", [site], delay=0.0)


def ask_crawl(work: Path) -> Any:
    """Everything a crawl is asked for: its documents, its tables, its links as a graph, and the check."""
    import polars as pl

    from leadline.collections.documents.collection import Collection
    from leadline.collections.links.reading import read_links

    checked = check("crawl")(work)
    graph = read_links(work / "crawl")
    documents = [(each.id, each.title) for each in Collection.open(work / "crawl").documents()]
    return checked, documents, str(graph), pl.read_parquet(work / "crawl" / "pages.parquet").rows()


def ask_campaign(work: Path) -> Any:
    """What a campaign shows, pools and archives: its record, people, topics, runs, pool and judgements."""
    from leadline.judge.journal import People
    from leadline.show.campaign.campaign import Campaign
    from leadline.show.campaign.judging import runs_read

    facts = Campaign.open(work / "campaign")
    task = facts.task()
    runs = [(run.name, run.topics, run.documents.names(), run.order.tolist()) for run in runs_read(facts, task)]
    pool, judged = facts.pool(task), facts.qrels(task)
    assert pool is not None
    assert judged is not None
    os.stat(work / "campaign" / "people")
    known = (
        facts.tasks,
        facts.people,
        facts.sent,
        facts.releases,
        list(facts.topics(task)),
        runs,
        pool.documents.rows(),
    )
    return *known, judged.read_bytes(), list(People(work / "campaign" / "people"))


LIVING = (
    "collection build documents.jsonl -o grown --processes 1 -q; index grown -o living --positions --workers 1 -q;"
    " collection update grown changed.jsonl --delete EP1000003B1 --processes 1 -q;"
    " index grown -o living --update --workers 1 -q"
)
JUDGED = "pool a.run b.run --depth 5 -o pool.txt -q; judge import pool.txt marks.txt --person anna"
CAMPAIGN = (
    "campaign new campaign --collection collection --task s --kind survey --topics topics.tsv --strata 3:1 -q;"
    " campaign invite campaign york -q; campaign submit campaign a.run --team york --kind automatic --fields title"
    " --resources none --text Words,_by_BM25 --priority 1 -q; campaign pool campaign -q;"
    " campaign release campaign --qrels qrels.txt"
)
KINDS: dict[str, StoredKind] = {
    "index": StoredKind("index/**/*", ask_index),
    "collection": StoredKind("collection/**/*", ask_collection),
    "cache": StoredKind("cache/*", ask_cache, prepare=fill_cache),
    "manifests of an index": StoredKind("index/**/*", ask_index, misshaped=True),
    "manifests of a collection": StoredKind("collection/**/*", ask_collection, misshaped=True),
    "index, checked": StoredKind("index/**/*", check("index"), checks=True),
    "index with dead documents": StoredKind("living/**/*", partial(ask_index, name="living"), LIVING),
    "index with dead documents, checked": StoredKind("living/**/*", check("living"), LIVING, checks=True),
    "collection, checked": StoredKind("collection/**/*", check("collection"), checks=True),
    "simulated office, checked": StoredKind(
        "office/**/*", check("office"), "simulate office --patents 100 -o office -q", checks=True
    ),
    "grid, checked": StoredKind(
        "grid/**/*", check("grid"), "grid index topics.tsv grid.toml -k 5 -o grid -q", checks=True
    ),
    "unfinished run": StoredKind("x.unfinished", ask_run_journal, prepare=write_run_journal),
    "unfinished collection": StoredKind("half/**/*", ask_half_build, prepare=stop_a_build),
    "pool and its record": StoredKind("pool.txt*", ask_pool, "pool a.run b.run --depth 5 -o pool.txt -q"),
    "pool in rounds": StoredKind(
        "pool.txt*",
        ask_pool,
        "pool a.run b.run --rounds 3,6 -o pool.txt -q; judge import pool.txt marks.txt --person anna",
    ),
    "publication folder, checked": StoredKind("forms/**/*", check("forms"), prepare=write_forms, checks=True),
    "journal of judging": StoredKind("pool.txt.journal", ask_judging, JUDGED),
    "people": StoredKind("pool.people", ask_people, prepare=add_people),
    "crawl": StoredKind("crawl/**/*", ask_crawl, prepare=make_crawl),
    "tables of a crawl, checked": StoredKind("crawl/*", check("crawl"), prepare=make_crawl, checks=True),
    "campaign": StoredKind("campaign/**/*", ask_campaign, CAMPAIGN),
    "vectors": StoredKind("vectors-*", ask_vectors, prepare=write_vectors),
}
