"""One of each kind of thing that is stored, small, made twice with other content: to be damaged, and to be swapped."""

from __future__ import annotations

import contextlib
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from leadline.cli import main
from leadline.collections.crawl.crawl_folder import crawl_into
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document
from leadline.collections.documents.forms import write_forms
from leadline.collections.simulate.settings import Settings
from leadline.judge.journal import Event, JudgingJournal, People, new_uid
from leadline.judge.pools import draw_pool
from leadline.judge.review.exchange import begin_review
from leadline.judge.review.project import ReviewProject, ReviewSettings, back_up_review
from leadline.judge.review.runs_folder import write_runs
from leadline.judge.simulated_office import write_office
from leadline.records.runs import read_run
from leadline.records.topics import Topics
from leadline.retrieval.index import arrays
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import (
    ABOUT,
    ABOUT_FORMAT,
    MADE,
    TEXT_ARRAY,
    VECTOR_ARRAY,
    read_manifest,
    row_state,
)
from leadline.retrieval.index.manifest import KIND as INDEX
from leadline.retrieval.index.manifest import VERSION as INDEX_VERSION
from leadline.retrieval.index.trees import Entry, Tree
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.grid import GridRuns, plan
from leadline.retrieval.word_search import HISTORY
from leadline.show.campaign.archive import archive
from leadline.show.campaign.judging import assign, draw_campaign_pool, release
from leadline.show.campaign.live_campaign import LiveCampaign
from leadline.show.campaign.submission import Description
from leadline.show.demo import CHOICES, POOL, build_lab, keep_told, open_lab
from leadline.show.demo import KIND as DEMO
from leadline.show.demo import VERSION as DEMO_VERSION
from leadline.show.lab.case import ENDING as CASE
from leadline.show.lab.case import Cases
from leadline.show.lab.case_export import archived
from leadline.show.lab.job_plans import pool_plan
from leadline.show.lab.jobs import Jobs
from leadline.show.lab.kept_sources import keep_sources
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import AuditLog
from leadline.show.lab.opened import OpenedLab
from leadline.show.lab.stored_results import ResultKey, StoredResults
from leadline.text.checksums import sealed
from leadline.text.files import write_stored
from leadline.text.owned_folder import OwnedFolder
from leadline.text.store.store import Store

sys.path.insert(0, str(Path(__file__).parent / "collections" / "crawl"))
WIDTH = 4  # numbers of a vector
RUNS = [{"query": "whole", "model": ["bm25", "dirichlet"]}]


def number(word: str, at: int) -> str:
    """The number of a document: those of another word are others."""
    return f"US{7_000_000 + 100 * len(word) + at}B2"


def documents(word: str) -> list[Document]:
    return [
        Document(number(word, at), title=f"{word} {at}", abstract=f"A {word} {at}.", claims=(Claim(1, word),))
        for at in range(6)
    ]  # fmt: skip


def patent(document: Document) -> Document:
    """The same with the parts of its number, so that an office's form can hold it."""
    return replace(document, office="US", serial=document.id[2:9], kind="B2")


def make_all(place: Path, word: str) -> dict[str, Path]:
    """One of each kind in a folder, by the names of the damage table; another word gives other content."""
    place.mkdir()
    at = {name: place / name for name in ("collection", "index", "grid", "office", "runs", "review", "lab", "demo")}
    at["forms"] = place / "forms"
    write_forms([patent(each) for each in documents(word)], at["forms"], ["ris", "uspto"])
    write_collection(documents(word), at["collection"], {"of": word})
    index = Index.build(
        Collection.open(at["collection"]), at["index"], fields=("title", "abstract"), origin="../collection"
    )
    headings = [Entry("1", word, ["a nail", "nails"]), Entry("2", "bent", broader=["1"])]
    index.keep({"thesaurus": Tree.of(headings, "headings.ttl")})
    add_vectors(at["index"], word)
    topics = place / "topics.tsv"
    topics.write_text(f"topic\tpatent\n1\t{number(word, 0)}\n2\t{number(word, 1)}\n")
    context = SearchContext.open(at["index"], at["collection"])
    systems = plan({"choices": CHOICES, "runs": RUNS}, word)
    GridRuns(at["grid"], context, Topics.read(topics), 5).make(systems)
    write_office(Settings(patents=100, topics=2, length=30, seed=len(word)), at["office"])
    at["run"] = made_run(at["index"], topics, place / "one.run")
    write_runs(at["runs"], {"svm": at["run"].read_bytes(), "bayes": at["run"].read_bytes()[:40]})
    (place / "review.csv").write_text(f"record_id,title,abstract,included\n{word},{word},A.,1\nwood,Wood,B.,0\n")
    begin_review(at["review"], [place / "review.csv"], ReviewSettings(word), labels=True)
    People(at["review"] / "people").add("anna", "assessor")
    at["backup"] = place / "review.backup"
    back_up_review(ReviewProject.open(at["review"]), at["backup"])
    at["pool"] = made_pool(at["run"], place / "pool.txt", word)
    at["history"] = place / "history"
    with Store.open(at["history"], HISTORY, write=True, create=True) as store, store.change() as now:
        for asked in range(30):
            now.events.append("query", query=f"{word} {asked}", found=2, folder=str(at["index"]))
    make_lab(at, place, topics, word)
    make_demo(at["demo"], word)
    at["campaign"] = make_campaign(place / "campaign", at["run"], topics, word)
    at["archive"] = place / "archive"
    archive(LiveCampaign.open(at["campaign"]), at["archive"])
    at["crawl"] = crawled(place / "crawl", word)
    return at


def add_vectors(index: Path, word: str) -> None:
    """Vectors as `leadline index --dense` leaves them; the model would take longer than all else here."""
    name = f"vectors-0123456789abcdef-{row_state(read_manifest(index))}"
    count = len(Index.open(index))
    with OwnedFolder.locked(index, INDEX, INDEX_VERSION) as owned:
        owned.add(f"{name}.json", f"{name}.float16")
        layout = {VECTOR_ARRAY: (np.float16, WIDTH * count), TEXT_ARRAY: (np.int64, 2 * count)}
        with arrays.create(index / f"{name}.float16", layout) as into:
            into[VECTOR_ARRAY][:] = np.random.default_rng(len(word)).normal(size=WIDTH * count)
            into[TEXT_ARRAY][:] = np.arange(2 * count) + len(word)
        said = {"model": "", "precision": "int8", "fields": ["title"], "width": WIDTH}
        said[MADE] = arrays.read(index / f"{name}.float16").root
        write_stored(index / f"{name}.json", sealed({"what": ABOUT, "format": ABOUT_FORMAT, **said}))


def made_run(index: Path, topics: Path, output: Path) -> Path:
    """A run with its manifest, as `leadline run` makes it."""
    main(["run", str(index), str(topics), "--system", "baseline", "-k", "5", "-o", str(output), "-q"])
    return output


def made_pool(run: Path, pool: Path, word: str) -> Path:
    """A pool that somebody judged."""
    drawn = draw_pool([read_run(run)], strata="3:1")
    write_stored(f"{pool}.json", drawn.record())  # the pool of a demo lies in a folder of ours
    write_stored(pool, drawn.lines())
    with contextlib.closing(JudgingJournal(f"{pool}.journal", create=True)) as journal:
        for topic, document in drawn.to_judge().select("topic", "document").iter_rows():
            journal.append(Event(new_uid(), "anna", "assessor", "mark", topic, document, "1"))
            journal.append(Event(new_uid(), "anna", "assessor", "note", topic, document, f"about {word}"))
    People(Path(f"{pool}.people")).add("anna", "assessor")
    return pool


def make_lab(at: dict[str, Path], place: Path, topics: Path, word: str) -> None:
    """A lab with something of each kind, people, an audit log, a job that waits, and a stored result."""
    lab = Lab.create(at["lab"], word)
    for source in (at["collection"], at["index"], at["review"], topics, at["run"], at["pool"]):
        lab.add(source)
    judged = place / "judged.qrels"
    judged.write_text(f"1 0 {number(word, 2)} 1\n2 0 {number(word, 3)} 1\n")
    lab.add(judged)
    shutil.copy(at["run"], lab.folder / "runs" / "found.run")  # found there, not added
    shutil.copy(f"{at['run']}.manifest.json", lab.folder / "runs" / "found.run.manifest.json")
    People(lab.people_file()).add("olga", "organiser")
    AuditLog(lab.store).add("olga", "organiser", f"opened {word}")
    case = Cases(lab).begin("anna", "assessor", index="index", question=f"What of {word}?", name="asked")
    case.do("anna", "assessor", "grade", document=number(word, 1), grade="X")
    case.do("anna", "assessor", "sign", statement=word)
    at["case"] = place / f"sent{CASE}"
    shutil.copy(case.path, at["case"])
    at["case archive"] = place / "asked.zip"
    at["case archive"].write_bytes(archived(OpenedLab(lab), case))
    keep_sources(lab, {"sent.qrels": judged, "sent.topics": topics}, lambda folder, _: folder)
    jobs = Jobs(lab)
    jobs.start_worker = lambda: None  # type: ignore[method-assign]
    job, _ = jobs.submit(pool_plan(lab, ["one"], 5, "second"), "olga")
    (jobs.folder / f"{job.id}.log").write_text("pooling\n")
    StoredResults(lab).keep(ResultKey("board", {"run": word}), {"means": [0.5] * 200})


def make_campaign(folder: Path, run: Path, topics: Path, word: str) -> Path:
    """A campaign with a run, a judged pool and what was released."""
    names = sorted({line.split()[2] for line in run.read_text().splitlines()})
    ids = folder.with_suffix(".ids")
    ids.write_text("".join(f"{name}\n" for name in [*names, word]))
    live = LiveCampaign.create(folder, word, documents=str(ids))
    task = live.set_task("ts", "survey", topics=str(topics), strata="2:1", double=0)
    live.invite("york", "team")
    live.invite("anna", "student")
    live.submit("york", task, run, Description("automatic", ("title",), "none", f"Words such as {word}.", 1))
    drawn = draw_campaign_pool(live, task)
    assign(live, task)
    asked = drawn.pool.to_judge().row(0, named=True)
    with contextlib.closing(JudgingJournal(f"{folder / task.pool_file}.journal")) as journal:
        journal.append(Event(new_uid(), "anna", "assessor", "mark", asked["topic"], asked["document"], "1"))
    release(live, task, incomplete=True)
    return folder


def make_demo(folder: Path, word: str) -> None:
    """A demo with all its steps done; its reports are a line each, since a check does not read what they say."""
    settings = Settings(patents=100, topics=2, length=30, seed=len(word))

    build_lab(folder, settings, plan({"choices": CHOICES, "runs": RUNS}, "demo"), lambda _: contextlib.nullcontext())
    with OwnedFolder.locked(folder, DEMO, DEMO_VERSION) as owned:
        keep_told(owned, f"<p>{word} by the truth</p>".encode(), f"<p>{word} by citations</p>".encode(), [word, "end"])
        owned.reserve(*(f"{POOL}{end}" for end in ("", ".json", ".journal", ".people")))
        made_pool(next(iter(sorted((folder / "runs").glob("*.run")))), folder / POOL, word)
    open_lab(folder)


def crawled(folder: Path, word: str) -> Path:
    """A crawl of a site of our own."""
    from site_server import links, redirect, site

    pages = {"/": links("/a", "/b", text=word), "/a": links("/b", text=f"{word} a"), "/b": redirect("/a")}
    with site(pages) as server:
        crawl_into(folder, [server.url + "/"], delay=0.0, backoff=0.01, sitemaps=False)
    return folder
