"""How good the models and systems are, on real text and on a simulated office; writes docs/effectiveness.md.

    python benchmarks/effectiveness.py [--data ../shared/data] [--work DIR] [--only classic,models,…] [-o FILE]

The data are not part of the project: the classic collections, and two sets of patents described in examples/*.toml.
Parts whose data are missing are left out, and the document says so. It takes about eight minutes on two processors;
indexes stay in DIR for the next time.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from classic import FILES, read_classic, searched_by_bm25s
from tuning import LEAST, STAGES, TEXT, build_up

import leadline as ll
from leadline.cli import main as leadline
from leadline.collections.documents.store import Collection
from leadline.records.scores.scores import Scores
from leadline.records.scores.table import Table
from leadline.records.topics.topic import Topic, Topics
from leadline.retrieval.index.batches import FIELDS
from leadline.retrieval.index.derived import DERIVED
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.pipeline_files import settings, system, systems
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
from leadline.trust.corrections import holm

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared")) / "data"
MEASURES = "AP R@100 PRES@100"
TOPICS, OFFICE = 400, 20_000
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
    if not file.exists():
        return None
    folder, topics, qrels, loose = (str(work / f"{name}.{kind}") for kind in ("patents", "tsv", "qrels", "loose.qrels"))
    if not Path(qrels).exists():
        mapping = str(ROOT / "examples" / f"{name}.toml")
        leadline(["collection", "build", str(file), "--map", mapping, "-o", folder, "--quiet"])
        leadline(["topics", "sample", folder, "-o", topics, "--number", str(TOPICS), "--fewest", "1", "-q"])
        leadline(["qrels", "citations", folder, topics, "--dates", "none", "-o", loose, "-q"])
        leadline(["qrels", "citations", folder, topics, "-o", qrels, "-q"])
    return Office(name, indexed(folder, work / f"{name}.index"), Topics.read(topics), qrels, loose)


def simulated(work: Path) -> Office:
    folder = work / "office"
    if not (folder / "manifest.json").exists():
        leadline(["simulate", "office", "-o", str(folder), "--patents", str(OFFICE), "-q"])
    lab = indexed(str(folder / "collection"), work / "office.index")
    return Office("simulated", lab, Topics.read(folder / "topics.tsv"), str(folder / "qrels.true.txt"))


def indexed(collection: str, folder: Path) -> SearchContext:
    if not (folder / "manifest.json").exists():
        source = Collection.open(collection)
        Index.build(source, folder, fields=[*FIELDS, *DERIVED], origin=str(Path(collection).resolve()))
    return SearchContext.open(folder)


# What is told


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


def classic(data: Path, work: Path) -> list[str]:
    scores: dict[str, Scores] = {}
    peers = []
    for name, (archive, *_) in FILES.items():
        if not (data / "classic" / archive).exists():
            continue
        known = read_classic(name, data / "classic")
        lab = SearchContext(Index.build(known.documents, work / f"{name}.index", fields=["title", "abstract"]))
        runs = [(Survey() >> Search(model)).run(lab, known.topics, name=model) for model in MODELS]
        runs += [(TEXT[choice]).run(lab, known.topics, name=choice) for choice in TEXT if choice != "bm25"]
        runs.append(searched_by_bm25s(known, lab.index.analysis))
        scores[name] = ll.evaluate(known.qrels, runs, MEASURES)
        ours, theirs = (float(scores[name].mean_values()[scores[name].runs.index(run), 0]) for run in ("bm25", "bm25s"))
        assert abs(ours - theirs) < 0.01, (name, ours, theirs)
        sizes = [name, f"{len(known.documents):,}", len(known.topics)]
        peers.append([*sizes, f"{ours:.4f}", f"{theirs:.4f}", f"{ours - theirs:+.4f}"])
    if not scores:
        return []
    peer = Table(["collection", "documents", "topics", "AP, ours", "AP, bm25s", "difference"], peers)
    return [
        "## Classic collections",
        "Title and text of a document are one field, the query is every word of the topic, and parameters have "
        "their defaults unless given. The last row is another program, bm25s, with the same terms. The two rows "
        "with rm3 are candidates for what `best` does with a topic in words: it uses the first of them unchanged, "
        "and nothing was tuned here.",
        figures("model", scores).render("markdown"),
        "BM25 compared with bm25s. Scores agree to five digits, because bm25s uses single precision; only the order "
        "of documents with equal scores differs.",
        peer.render("markdown"),
    ]


def modelled(offices: Sequence[Office]) -> list[str]:
    pipelines = {model: Text() >> Search(model) for model in MODELS}
    scores = {office.name: office.scores(pipelines) for office in offices}
    return [
        "## Models, for patents as topics",
        "The query is every word of the patent; the fields of a document are searched as one text.",
        figures("model", scores).render("markdown"),
    ]


def named(offices: Sequence[Office]) -> list[str]:
    pipelines: dict[str, Step] = {name: system(name) for name in ["baseline", *systems()]}
    scores = {office.name: office.scores(pipelines) for office in offices}
    rows = [row for office in offices for row in against_first(scores[office.name], office.name)]
    table = Table(AGAINST, [row for row in rows if row[2] == "AP"])
    return [
        "## Systems",
        "All topics, including those on which `best` was tuned; its results on the others are below.",
        figures("system", scores).render("markdown"),
        "Each compared with `baseline`:",
        table.render("markdown"),
    ]


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


def after(offices: Sequence[Office]) -> list[str]:
    scores = {office.name: office.scores(AFTER) for office in offices}
    rows = [row for name, one in scores.items() for row in against_first(one, name)]
    later = [row for name, one in scores.items() for row in against(one, name, SEEN, [ALL])]
    loose = [
        row
        for office in offices
        if office.any_date
        for row in against_first(office.scores(LOOSE, qrels=office.any_date), office.name)
    ]
    return [
        "## What helps after the first pass",
        "Each step is added after the plain search (every word of the patent, BM25) and compared with it. "
        "*Citations, seen before* uses citations that were public on the topic's date (on us_api: filed by then); "
        "*citations, all* also uses those made by documents later than the topic, which the first pass may then "
        "find, although the result may not contain them. Judgements count every publication of a relevant "
        "invention: this favours family members and penalises one hit per family. us_api has neither claims nor "
        "classes, patsnap has no claims; steps that need them have no effect there.",
        Table(AGAINST, rows).render("markdown"),
        "The effect of the later citations: all citations, compared with those seen before.",
        Table(AGAINST, later).render("markdown"),
        "Compared with the plain search by the rule of TREC-CHEM 2009, which ignores dates in the search and in the "
        "judgements; there citations improved MAP by 168 %:",
        Table(AGAINST, loose).render("markdown"),
    ]


def dated(offices: Sequence[Office]) -> list[str]:
    rules = {rule: Text() >> Dates(rule) >> Search("bm25") for rule in ("publication", "priority", "number", "none")}
    kinds = {f"{office.name}": (office, office.qrels) for office in offices}
    kinds |= {f"{office.name}, any date": (office, office.any_date) for office in offices if office.any_date}
    scores = {name: office.scores(rules, qrels=qrels) for name, (office, qrels) in kinds.items()}
    rows = [row for name, one in scores.items() for row in against_first(one, name) if row[2] == "AP"]
    return [
        "## Which dates are too late",
        "`publication`: documents published after the topic's latest priority are excluded; `priority`: documents "
        "with a later priority are excluded; `number`: as publication, and by document number if no date is known; "
        "`none`: nothing is excluded. Judged by citations that follow the first rule, and by all citations (*any "
        "date*); all topics have at least one relevant document by the first rule.",
        figures("rule", scores).render("markdown"),
        "Compared with `publication`:",
        Table(AGAINST, rows).render("markdown"),
    ]


def tuned(offices: Sequence[Office]) -> list[str]:
    """`best`, built up choice by choice on half of the topics, and what it does on the other half."""
    halves = {office.name: office.halves() for office in offices}

    def worth(pipeline: Step) -> list[float]:
        one = [office.scores({"one": pipeline}, halves[office.name][0]).mean_values()[0] for office in offices]
        return [*np.mean(one, axis=0).tolist(), *(float(each[2]) for each in one)]

    tried, found = build_up(worth)
    same = settings(found) == settings(system("best").steps[0].patent)  # type: ignore[attr-defined]
    compared = {"baseline": system("baseline"), **{name: system(name) for name in systems() if name != "best"}}
    compared["best"] = found
    scores = {office.name: office.scores(compared, halves[office.name][1]) for office in offices}
    verdicts = []
    for office in offices:
        one = scores[office.name]
        for row in against_first(one, office.name):
            verdicts += [row] if row[1] == "best" else []
    whether_best = "It is the system `best`." if same else "**The system `best` differs from it.**"
    names = ("choice", "tried", "mean AP", "mean R@100", "mean PRES@100", *(f"{o.name} PRES@100" for o in offices))
    return [
        "## The best pipeline found",
        f"Half of the topics, drawn with seed 1, were used for tuning. {len(STAGES)} choices were made one after the "
        "other, "
        "each by the mean of PRES@100 over the collections, keeping the choices before it; a step that gains less "
        "than "
        f"{LEAST} is not used. The candidates were selected before, on the same half (and an earlier simulated "
        "office), from 56 pipelines: other models and parameters, best terms, nouns alone, separate fields, claims, "
        "feedback by words, other credits for citations and other levels of classes were not better there. The "
        "candidates, with the chosen one in bold:",
        Table(names, [row for row, _ in tried], {(n, 1) for n, (_, won) in enumerate(tried) if won}).render("markdown"),
        f"{whether_best} On the other half of the topics:",
        figures("system", scores).render("markdown"),
        "`best` compared with `baseline` there (corrected for all systems):",
        Table(AGAINST, verdicts).render("markdown"),
    ]


def opening(offices: Sequence[Office]) -> list[str]:
    rows = []
    for office in offices:
        judged = ll.read_qrels(office.qrels)
        relevant = sum(grade > 0 for topic in office.topics for grade in judged.judgements(topic.id).values())
        sizes = [f"{len(office.lab.index):,}", len(office.topics), f"{relevant / len(office.topics):.1f}"]
        rows.append([office.name, *sizes])
    return [
        "# How well it finds",
        "Made by `python benchmarks/effectiveness.py`, whose docstring lists the data it needs; all numbers below "
        "are measured by it. AP, R@100 and PRES@100 are means over topics. Verdicts are those of `leadline compare "
        "pairs`: a "
        "randomisation test, Holm's correction over the rows of one collection and measure; p from 0.05 up is "
        "undecided.",
        "| collection | what |\n|---|---|\n"
        "| us_api | United States patents: title, abstract, the beginning of the description. No claims and no "
        "classes; the only date is that of filing, which is used for all dates. Citations are references to other "
        "patents in the texts, mostly by the applicant: the text of a topic contains the numbers of what it cites, "
        "and other documents may contain them, too |\n"
        "| patsnap | patents of several offices: title, abstract, classes, dates; few of the cited documents are in "
        "the collection |\n"
        f"| simulated | `leadline simulate office --patents {OFFICE}`, judged by its true relevance, not by its "
        "citations |",
        Table(["collection", "documents", "topics", "relevant of a topic"], rows).render("markdown"),
    ]


PARTS = {"models": modelled, "systems": named, "after": after, "dates": dated, "best": tuned}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--work", type=Path, help="keep what is built here")
    parser.add_argument("--only", help=f"some of classic, {', '.join(PARTS)}")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "effectiveness.md")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else ["classic", *PARTS]
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        sources = {"us_api": "docs_10k.jsonl.xz", "patsnap": "docs.jsonl.xz"}
        found = {name: real(name, file, options.data, work) for name, file in sources.items()}
        offices = [*(office for office in found.values() if office), simulated(work)]
        lines = opening(offices)
        missing = [name for name, office in found.items() if office is None]
        lines += [f"Without data, and left out: {', '.join(missing)}."] if missing else []
        for name in wanted:
            start = time.monotonic()
            lines += classic(options.data, work) if name == "classic" else PARTS[name](offices)
            print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)
    options.output.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
