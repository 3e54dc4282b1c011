"""How good the models and systems are, on real text and on a simulated office; writes the numbers of
docs/effectiveness.md.

    python benchmarks/effectiveness.py [--data ../shared/data] [--work DIR] [--check]

The data are not part of the project: the classic collections, and sets of patents described in examples/*.toml. It
takes about 20 minutes of processor time; indexes stay in DIR for the next time. Every table of the document is between
two marks, and one run writes all of them but that of benchmarks/best.py. The last mark holds the same
tables for small collections, which take seconds, without vectors; `--check` makes only these and compares them, and the
tests run it.
"""

from __future__ import annotations

import argparse
import lzma
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from classic import FILES, read_classic, searched_by_bm25s
from marked_document import SHORT, check, fill
from tuning import LEAST, STAGES, TEXT, build_up

import leadline as ll
from leadline.cli import main as leadline
from leadline.collections.documents.collection import Collection
from leadline.records.result import Table
from leadline.records.scores import Scores
from leadline.records.topics import Topic, Topics
from leadline.retrieval.choices import DERIVED, FIELDS
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import settings, system, systems
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import (
    RM3,
    Citations,
    ClaimScores,
    ClassAgreement,
    Dates,
    FamilyMembers,
    OneAFamily,
    Search,
    Survey,
    Text,
)  # fmt: skip
from leadline.retrieval.systems import best_afterwards, best_by_words
from leadline.trust.paired_tests import holm

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared")) / "data"
DOCUMENT = ROOT / "docs" / "effectiveness.md"
MEASURES = "AP R@100 PRES@100"
TUNED = best_by_words() >> best_afterwards()
TOPICS, OFFICE = 400, "--patents 20000 --words invented"
SOURCES = {"us_api": "docs_10k.jsonl.xz", "patsnap": "docs.jsonl.xz"}
# The short form: the first documents of one collection, topics drawn from them, a small office, a classic collection.
SLICE, SLICE_TOPICS, SMALL_OFFICE, SMALL_CLASSIC = (
    450,
    6,
    "--patents 300 --topics 4 --words invented --length 80",
    "Medline",
)
PLAIN = Text() >> Search("bm25")
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Office:
    """A collection of patents with topics and two kinds of judgements: by dates, and whatever the dates."""

    name: str
    lab: SearchContext
    topics: Topics
    qrels: str
    any_date: str | None = None

    def scores(self, pipelines: Mapping[str, Step], topics: Iterable[Topic] | None = None, qrels: str = "") -> Scores:
        asked = list(topics or self.topics)
        runs = [pipeline.run(self.lab, asked, name=name) for name, pipeline in pipelines.items()]
        return ll.evaluate(qrels or self.qrels, runs, MEASURES, topics=[topic.id for topic in asked])

    def halves(self, seed: int = 1) -> tuple[list[Topic], list[Topic]]:
        """The topics to tune on, and the others to report on."""
        order = np.random.default_rng(seed).permutation(len(self.topics))
        parts = np.sort(order[: len(order) // 2]), np.sort(order[len(order) // 2 :])
        return tuple([self.topics[place] for place in part.tolist()] for part in parts)  # type: ignore[return-value]


# What is searched


def real(name: str, source: str, data: Path, work: Path) -> Office | None:
    """A collection by its mapping, with patents drawn as topics and judgements from citations."""
    file = data / "patents" / name / source
    return drawn(name, file, work) if file.exists() else None


def drawn(name: str, file: Path, work: Path, number: int = TOPICS) -> Office:
    """The same for a file that is there."""
    folder, topics, qrels, loose = (str(work / f"{name}.{kind}") for kind in ("patents", "tsv", "qrels", "loose.qrels"))
    if not Path(qrels).exists():
        mapping = str(ROOT / "examples" / f"{name}.toml")
        leadline(["collection", "build", str(file), "--map", mapping, "-o", folder, "--quiet"])
        leadline(["topics", "sample", folder, "-o", topics, "--number", str(number), "--fewest", "1", "-q"])
        leadline(["qrels", "citations", folder, topics, "--dates", "none", "-o", loose, "-q"])
        leadline(["qrels", "citations", folder, topics, "-o", qrels, "-q"])
    return Office(name, indexed(folder, work / f"{name}.index"), Topics.read(topics), qrels, loose)


def simulated(work: Path, options: str = OFFICE) -> Office:
    folder = work / "office"
    if not (folder / "manifest.json").exists():
        leadline(["simulate", "office", "-o", str(folder), *options.split(), "-q"])
    lab = indexed(str(folder / "collection"), work / "office.index")
    return Office("simulated", lab, Topics.read(folder / "topics.tsv"), str(folder / "qrels.true.txt"))


def small_offices(data: Path, work: Path) -> list[Office]:
    """The first patents of one real collection, and a small simulated office."""
    part = work / "part.jsonl"
    with lzma.open(data / "patents" / "patsnap" / SOURCES["patsnap"], "rt", encoding="utf-8") as lines:
        part.write_text("".join(line for _, line in zip(range(SLICE), lines, strict=False)), encoding="utf-8")
    return [drawn("patsnap", part, work, SLICE_TOPICS), simulated(work, SMALL_OFFICE)]


def indexed(collection: str, folder: Path, fields: Sequence[str] = (*FIELDS, *DERIVED)) -> SearchContext:
    if not (folder / "manifest.json").exists():
        source = Collection.open(collection)
        Index.build(source, folder, fields=list(fields), origin=str(Path(collection).resolve()))
    return SearchContext.open(folder)


# What is written


def figures(first: str, scores: Mapping[str, Scores]) -> Table:
    """Runs down, collections and measures across; the best of each column is set off."""
    names = next(iter(scores.values())).runs
    columns = [f"{of} {measure}" for of, one in scores.items() for measure in one.measures]
    values = np.concatenate([one.mean_values() for one in scores.values()], axis=1)
    best = {(int(row), column + 1) for column, row in enumerate(values.argmax(axis=0))}
    return Table([first, *columns], [[name, *row] for name, row in zip(names, values.tolist(), strict=True)], best)


def against_first(scores: Scores, of: str) -> list[list[object]]:
    """Each run against the first, by `compare pairs`: randomisation tests, Holm's correction over these pairs."""
    return against(scores, of, scores.runs[0], scores.runs[1:])


def against(scores: Scores, of: str, first: str, others: Sequence[str]) -> list[list[object]]:
    """The same for some runs, against one that comes before them."""
    rows: list[list[object]] = []
    for measure in ("AP", "PRES@100"):
        pairs = ll.compare(scores, measure, correction="none")
        names = np.array(pairs.runs, object)
        with_first = np.flatnonzero((names[pairs.first] == first) & np.isin(names[pairs.second], list(others)))
        levels = holm(pairs.p[with_first])
        for place, level in zip(with_first.tolist(), levels.tolist(), strict=True):
            gain = -float(pairs.difference[place])
            word = "undecided" if level >= SIGNIFICANT else "helps" if gain > 0 else "hurts"
            before = float(pairs.means[pairs.first[place]])
            change = f"{round(100 * gain / before) + 0:+d} %"
            rows.append([of, pairs.runs[pairs.second[place]], measure, before + gain, change, level, word])
    return rows


AGAINST = ("collection", "with", "measure", "mean", "change", "p_corrected", "verdict")


def classic(data: Path, work: Path, names: Iterable[str] = FILES) -> dict[str, str]:
    scores: dict[str, Scores] = {}
    peers = []
    for name in names:
        known = read_classic(name, data / "classic")
        lab = SearchContext(Index.build(known.documents, work / f"{name}.index", fields=["title", "abstract"]))
        runs = [(Survey() >> Search(model)).run(lab, known.topics, name=model) for model in MODELS]
        runs += [(TEXT[choice]).run(lab, known.topics, name=choice) for choice in TEXT if choice != "bm25"]
        runs.append(searched_by_bm25s(known, lab.index.analysis))
        scores[name] = ll.evaluate(known.qrels, runs, MEASURES)
        ours, theirs = (float(scores[name].mean_values()[scores[name].runs.index(run), 0]) for run in ("bm25", "bm25s"))
        sizes = [name, f"{len(known.documents):,}", len(known.topics)]
        peers.append([*sizes, f"{ours:.4f}", f"{theirs:.4f}", f"{ours - theirs:+.4f}"])
    peer = Table(["collection", "documents", "topics", "AP, ours", "AP, bm25s", "difference"], peers)
    return {"classic": figures("model", scores).render("markdown"), "peer": peer.render("markdown")}


def modelled(offices: Sequence[Office]) -> dict[str, str]:
    pipelines = {model: Text() >> Search(model) for model in MODELS}
    scores = {office.name: office.scores(pipelines) for office in offices}
    return {"models": figures("model", scores).render("markdown")}


# The variants of five teams that are ours, where the team's best run has another rule of dates or less than we know.
OURS = {
    "bitem": "bitem:seen-citations",
    "iowa": "iowa:merged",
    "msoe": "msoe:levels",
    "scai": "scai:together",
    "york": "york:expanded",
}


def named_systems() -> list[str]:
    return [OURS.get(name, name) for name in systems()]


def named(offices: Sequence[Office]) -> dict[str, str]:
    pipelines = {name: system(name) for name in ["baseline", *named_systems()]}
    scores = {office.name: office.scores(pipelines) for office in offices}
    rows = [row for office in offices for row in against_first(scores[office.name], office.name)]
    return {
        "systems": figures("system", scores).render("markdown"),
        "systems compared": Table(AGAINST, [row for row in rows if row[2] == "AP"]).render("markdown"),
    }


def improved(offices: Sequence[Office]) -> dict[str, str]:
    """`best` beside BM25, with what it had before: other gains of citations."""
    before = best_by_words() >> ClassAgreement("subclass", 0.2)
    pipelines: dict[str, Step] = {
        "bm25": PLAIN,
        "best, gains of the largest": before >> Citations(20, 0.2, credit="rank") >> FamilyMembers(),
        "best, whole credit": before >> Citations(10, 0.5, credit="rank", cap=2.0) >> FamilyMembers(),
        "best": TUNED,
    }
    scores = {
        office.name: ll.evaluate(
            office.qrels,
            [pipeline.run(office.lab, office.topics, name=name) for name, pipeline in pipelines.items()],
            "AP R@10 R@100 PRES@100",
            topics=[topic.id for topic in office.topics],
        )
        for office in offices
    }
    rows = [row for name, one in scores.items() for row in against(one, name, "bm25", ["best"])]
    return {
        "improved": figures("system", scores).render("markdown"),
        "improved compared": Table(AGAINST, rows).render("markdown"),
    }


SEEN, ALL = "citations, seen before", "citations, all"
AFTER: dict[str, Step] = {
    "plain": PLAIN,
    SEEN: PLAIN >> Citations(seen="before"),
    ALL: Text() >> Dates("none") >> Search("bm25") >> Citations(seen="all") >> Dates(),
    "family members": PLAIN >> FamilyMembers(),
    "one a family": PLAIN >> OneAFamily(),
    "class agreement": PLAIN >> ClassAgreement(weight=0.1),
    "claim scores": PLAIN >> ClaimScores(weight=0.1),
    "rm3": PLAIN >> RM3(terms=50, weight=0.8, chances="equal") >> Search("bm25"),
}
LOOSE: dict[str, Step] = {
    "plain": Text() >> Dates("none") >> Search("bm25"),
    SEEN: Text() >> Dates("none") >> Search("bm25") >> Citations(seen="before"),
    ALL: Text() >> Dates("none") >> Search("bm25") >> Citations(seen="all"),
}


def after(offices: Sequence[Office]) -> dict[str, str]:
    scores = {office.name: office.scores(AFTER) for office in offices}
    rows = [row for name, one in scores.items() for row in against_first(one, name)]
    later = [row for name, one in scores.items() for row in against(one, name, SEEN, [ALL])]
    loose = [
        row
        for office in offices
        if office.any_date
        for row in against_first(office.scores(LOOSE, qrels=office.any_date), office.name)
    ]
    return {
        "after": Table(AGAINST, rows).render("markdown"),
        "later citations": Table(AGAINST, later).render("markdown"),
        "any date": Table(AGAINST, loose).render("markdown"),
    }


def dated(offices: Sequence[Office]) -> dict[str, str]:
    rules = {rule: Text() >> Dates(rule) >> Search("bm25") for rule in ("publication", "priority", "number", "none")}
    kinds = {f"{office.name}": (office, office.qrels) for office in offices}
    kinds |= {f"{office.name}, any date": (office, office.any_date) for office in offices if office.any_date}
    scores = {name: office.scores(rules, qrels=qrels) for name, (office, qrels) in kinds.items()}
    rows = [row for name, one in scores.items() for row in against_first(one, name) if row[2] == "AP"]
    return {
        "dates": figures("rule", scores).render("markdown"),
        "dates compared": Table(AGAINST, rows).render("markdown"),
    }


def tuned(offices: Sequence[Office]) -> dict[str, str]:
    """`best`, built up choice by choice on half of the topics, and what it does on the other half."""
    halves = {office.name: office.halves() for office in offices}

    def worth(pipeline: Step) -> list[float]:
        one = [office.scores({"one": pipeline}, halves[office.name][0]).mean_values()[0] for office in offices]
        return [*np.mean(one, axis=0).tolist(), *(float(each[2]) for each in one)]

    tried, found = build_up(worth)
    same = settings(found) == settings(TUNED)
    compared = {"baseline": system("baseline"), **{name: system(name) for name in named_systems() if name != "best"}}
    compared["best"] = found
    scores = {office.name: office.scores(compared, halves[office.name][1]) for office in offices}
    verdicts = []
    for office in offices:
        one = scores[office.name]
        for row in against_first(one, office.name):
            verdicts += [row] if row[1] == "best" else []
    names = ("choice", "tried", "mean AP", "mean R@100", "mean PRES@100", *(f"{o.name} PRES@100" for o in offices))
    chosen = {(n, 1) for n, (_, won) in enumerate(tried) if won}
    return {
        "choices": f"{len(STAGES)} choices were made one after the other. Each takes the candidate with the highest "
        "mean of AP and PRES@100 over\nthe collections, and keeps the choices before it; a step that gains less than "
        f"{LEAST} is not used.",
        "tuning": Table(names, [row for row, _ in tried], chosen).render("markdown"),
        "found": "It is the system `best`." if same else "**The system `best` differs from it.**",
        "other half": figures("system", scores).render("markdown"),
        "best compared": Table(AGAINST, verdicts).render("markdown"),
    }


def sizes(offices: Sequence[Office]) -> dict[str, str]:
    rows = []
    for office in offices:
        judged = ll.read_qrels(office.qrels)
        relevant = sum(grade > 0 for topic in office.topics for grade in judged.judgements(topic.id).values())
        number = [f"{len(office.lab.index):,}", len(office.topics), f"{relevant / len(office.topics):.1f}"]
        rows.append([office.name, *number])
    table = Table(["collection", "documents", "topics", "relevant of a topic"], rows)
    return {"sizes": table.render("markdown")}


PARTS = (sizes, modelled, named, improved, after, dated, tuned)


def short_form(data: Path) -> str:
    """All tables for small collections, one after the other; they change when anything behind the document changes."""
    with tempfile.TemporaryDirectory() as folder:
        offices = small_offices(data, Path(folder))
        parts = [classic(data, Path(folder), [SMALL_CLASSIC]), *(part(offices) for part in PARTS)]
        return "\n".join(text for part in parts for text in part.values())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--work", type=Path, help="folder for collections and indexes (default: a temporary one)")
    parser.add_argument("--check", action="store_true", help="only compare the short form with the document's")
    parser.add_argument(
        "--only", metavar="PART", choices=[part.__name__ for part in PARTS], help="write one part alone"
    )
    options = parser.parse_args(arguments)
    if not all((options.data / folder).is_dir() for folder in ("classic", "patents")):
        sys.exit(f"skipped: the folders classic and patents are not at {options.data}")
    made = {SHORT: short_form(options.data)}
    if options.check:
        return check(DOCUMENT, made)
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        patents = options.data / "patents"
        offices = [*(drawn(name, patents / name / source, work) for name, source in SOURCES.items()), simulated(work)]
        made |= classic(options.data, work)
        for part in PARTS:
            if options.only not in (None, part.__name__):
                continue
            start = time.monotonic()
            made |= part(offices)
            print(f"{part.__name__}: {time.monotonic() - start:.0f} s", flush=True)
    fill(DOCUMENT, made)
    print(f"wrote {DOCUMENT}")


if __name__ == "__main__":
    main()
