"""How a simulated office compares with real patents, and how hard its topics are; writes the numbers of
docs/simulated-office.md.

    python benchmarks/simulated_office.py [--data ../shared/data] [--check]

The data are not part of the project: full texts of US patents, and three sets of patents described in examples/*.toml.
It takes about five minutes. Every table of the document is between two marks, and one run writes all of them. The last
mark holds the same tables for small offices, without the real patents; `--check` makes only these and compares them,
and the tests run it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from marked_document import SHORT, check, fill
from patent_figures import (
    FUNCTION_WORDS,
    citation_figures,
    claim_figures,
    days_to_publication,
    description_words,
    family_figures,
    mean_citations,
    overlap,
    refer_to_one,
    share,
    word_figures,
)

import leadline as ll
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.collections.simulate.settings import Settings
from leadline.judge.citations import from_citations
from leadline.judge.simulated_office import write_office
from leadline.records.topics import Topics
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.steps import Search, Text

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "simulated-office.md"
DATA = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared")) / "data"
SOURCES = {"A": "patsnap/docs.jsonl.xz", "B": "synbio/docs.jsonl.xz", "C": "us_api/docs_10k.jsonl.xz"}
FULL_TEXTS = "uspto_fulltext/us_fulltext.xml.xz"
PLAIN = Analysis(stemming="none", stop_words="none")
# Settings that make an office harder or easier, and what they mean.
VARIED: dict[str, dict[str, float | str]] = {
    "synonymy 0: one name for each concept": {"synonymy": 0.0},
    "synonymy 0.4": {"synonymy": 0.4},
    "synonymy 1: all names equally common": {"synonymy": 1.0},
    "asides 0: nothing disclosed in passing": {"asides": 0.0},
    "words invented: nothing but words that no language has": {"words": "invented"},
    "loyalty 0.5: drafters mix the names": {"loyalty": 0.5},
}
SEEDS = (2, 3)
SMALL = Settings(patents=500, topics=10, length=80)


class Query(NamedTuple):
    """A row of the table of difficulty: fields of the topic, how words become terms, and the model."""

    fields: tuple[str, ...]
    analysis: Analysis
    model: str


CLAIMS = Query(("claims",), PLAIN, "bm25")
QUERIES = {
    "claims": CLAIMS,
    "claims, stemmed, without stop words": CLAIMS._replace(analysis=Analysis()),
    "title and abstract": CLAIMS._replace(fields=("title", "abstract")),
    "whole text": CLAIMS._replace(fields=("title", "abstract", "claims", "description")),
    "whole text, stemmed, without stop words": Query(
        ("title", "abstract", "claims", "description"), Analysis(), "bm25"
    ),
    "claims, TF-IDF": CLAIMS._replace(model="tfidf"),
}


@dataclass(frozen=True)
class Written:
    """A simulated office on disk and its statistics."""

    folder: Path
    statistics: Mapping[str, float]
    found: tuple[float, float]  # by one examiner, of what anticipates and of the other prior art

    @classmethod
    def of(cls, settings: Settings, folder: Path) -> Written:
        made = write_office(settings, folder)
        searches = made.office.searches
        anticipates = made.office.pairs.grade[searches.pair] == 2
        found = float(searches.found[anticipates].mean()), float(searches.found[~anticipates].mean())
        return cls(folder, made.manifest["statistics"], found)

    @property
    def collection(self) -> Collection:
        return Collection.open(self.folder / "collection")

    def searched(self, queries: Mapping[str, Query]) -> list[list[float]]:
        """True recall@100, true AP, and both by citations, for each query."""
        topics, found = Topics.read(self.folder / "topics.tsv"), {}
        for analysis in {query.analysis for query in queries.values()}:
            context = indexed(self.collection, self.folder.with_name(f"{self.folder.name}.index"), analysis)
            for name, query in queries.items():
                if query.analysis == analysis:
                    found[name] = (Text(query.fields) >> Search(query.model)).run(context, topics, name=name)
        runs = [found[name] for name in queries]
        kinds = [str(self.folder / f"qrels.{kind}.txt") for kind in ("true", "citations")]
        scores = [ll.evaluate(qrels, runs, "R@100 AP", topics=topics.ids).mean_values() for qrels in kinds]
        return np.concatenate(scores, axis=1).tolist()


def indexed(collection: Collection, folder: Path, analysis: Analysis) -> SearchContext:
    Index.build(collection, folder, analysis=analysis, origin=str(collection.folder.resolve()))
    return SearchContext.open(folder)


def paragraph(text: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


# Comparison with real patents


@dataclass(frozen=True)
class Real:
    """The real patents: complete US patents, and collections by their letters in the table."""

    full: list[Document]
    sets: dict[str, Collection]

    @classmethod
    def read(cls, data: Path, work: Path) -> Real:
        full = Collection.build([data / "patents" / FULL_TEXTS], work / "full")
        sets = {}
        for letter, source in SOURCES.items():
            mapping = ROOT / "examples" / f"{source.split('/')[0]}.toml"
            sets[letter] = Collection.build([data / "patents" / source], work / letter, mapping=mapping)
        return cls(list(full.documents()), sets)

    def introduction(self) -> str:
        several = sum(len(document.claims) > 1 for document in self.full)
        years = sorted(document.publication[:4] for document in self.full)
        counts = {letter: f"{len(collection):,}".replace(",", " ") for letter, collection in self.sets.items()}
        return paragraph(
            f"The real figures are of {len(self.full)} complete US patents of {years[0]} to {years[-1]} (for claims "
            f"and descriptions only the {several} of them with more than one claim), and where marked, of "
            f"{counts['A']} patents of US, EP and WO (A), {counts['B']} in synthetic biology (B), and "
            f"{counts['C']} US patents with citations derived from their texts (C)."
        )

    def column(self) -> list[str]:
        """The real figures, in the order of the table."""
        a, b, c = (list(self.sets[letter].documents()) for letter in SOURCES)
        several = [document for document in self.full if len(document.claims) > 1]
        (size_a, alone_a), (size_b, alone_b) = family_figures(a), family_figures(b)
        return [
            f"{size_a} (A), {size_b} (B), all offices",
            f"{alone_a} (A), {alone_b} (B)",
            f"{days_to_publication(a)} (A)",
            *claim_figures(several),
            refer_to_one(several),
            description_words(several),
            *citation_figures(self.full),
            *(f"{mean_citations(a, office)} (A)" for office in ("EP", "WO")),
            *(f"{figure} (C)" for figure in (*word_figures(c), *overlap(self.sets["C"], c))),
        ]


ROWS = (
    "documents of a family, mean",
    "families of one document",
    "priority to publication of an application, median days",
    "claims of a patent, mean",
    "independent claims, mean",
    "words of a claim, median",
    "claims that refer to one other, of the dependent",
    "words of a description, median",
    "citations of patents, US, mean and median (simulated: of documents with any)",
    "of these the examiner's",
    "citations of a document that has any, EP, mean",
    "the same, WO",
    f"function words, share ({len(FUNCTION_WORDS)} common ones)",
    '"the"',
    "slope of log frequency on log rank, ranks 20 to 3000",
    "Heaps' exponent: growth of log distinct words with log words",
    "words of a citing abstract that are in the cited document",
    "the same for two documents at random",
)


def simulated_column(written: Written) -> list[str]:
    """The figures of the simulated office, in the same order."""
    collection, known = written.collection, written.statistics
    documents = list(collection.documents())
    american = [document for document in documents if document.office == "US"]
    return [
        f"{known['documents of a family, mean']:.1f}",
        share(known["families of one document, share"]),
        days_to_publication(documents),
        *claim_figures(documents),
        f"{refer_to_one(american)} (US), {refer_to_one(documents)} (all)",
        description_words(documents),
        *citation_figures([document for document in american if document.citations]),
        *(mean_citations(documents, office) for office in ("EP", "WO")),
        *word_figures(documents),
        *overlap(collection, documents),
    ]


def comparison(written: Written, real: list[str] | None) -> str:
    rows = zip(ROWS, simulated_column(written), real or ["–"] * len(ROWS), strict=True)
    return "\n".join(["| | simulated | real |", "|---|---:|---:|", *(f"| {' | '.join(row)} |" for row in rows)])


def examiners(written: Written) -> str:
    """What examiners find, and what citations reach of the truth."""
    known = written.statistics
    start, same_names = "found by examiners of ", known["shared concepts under the same name, share"]
    offices = {name.removeprefix(start)[:2]: value for name, value in known.items() if name.startswith(start)}
    by_office = ", ".join(f"{office} {share(value)}" for office, value in offices.items())
    truth, cited = (ll.read_qrels(str(written.folder / f"qrels.{kind}.txt")) for kind in ("true", "citations"))
    relevant = {t: {d for d, grade in truth.judgements(t).items() if grade > 0} for t in truth.topics}
    reached = {t: {d for d, grade in cited.judgements(t).items() if grade > 0} if t in cited.topics else set()
               for t in truth.topics}  # fmt: skip
    both = sum(len(relevant[t] & reached[t]) for t in relevant)
    low, median, high = np.quantile([len(one) for one in relevant.values()], [0.25, 0.5, 0.75])
    finds = paragraph(
        f"One examiner finds {share(known['found by examiners, share'])} of the families that are true prior art: "
        f"{by_office}; {share(written.found[0])} of those that anticipate, {share(written.found[1])} of the others. An "
        f"invention and its prior art use the same name for {share(same_names)} "
        "of their common concepts."
    )
    reach = paragraph(
        f"Topics have {median:g} truly relevant documents (median; half of them {low:g} to {high:g}) and "
        f"{np.median([len(one) for one in reached.values()]):g} by citation. All citations of the whole family reach "
        f"{share(both / sum(map(len, relevant.values())))} of the truly relevant documents, and "
        f"{share(both / sum(map(len, reached.values())))} of the documents they reach are relevant."
    )
    return f"{finds}\n\n{reach}"


# Difficulty


def two(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1)


def difficulty(written: Written) -> str:
    lines = ["| query | true recall@100 | true AP | recall@100 by citations | AP by citations |",
             f"|---|{'---:|' * 4}"]  # fmt: skip
    for name, row in zip(QUERIES, written.searched(QUERIES), strict=True):
        lines.append(f"| {name} | {' | '.join(map(two, row))} |")
    return "\n".join(lines)


def by_setting(offices: Mapping[str, Written]) -> str:
    lines = ["| setting | true recall@100 | true AP | found by one examiner |", f"|---|{'---:|' * 3}"]
    for name, written in offices.items():
        (recall, precision, *_), found = written.searched({"claims": CLAIMS})[0], written.statistics
        cells = (recall, precision, found["found by examiners, share"])
        lines.append(f"| {name} | {' | '.join(map(two, cells))} |")
    return "\n".join(lines)


def by_seed(base: Settings, work: Path) -> str:
    """The first cell of the table of difficulty for other seeds."""
    cells = []
    for seed in SEEDS:
        written = Written.of(replace(base, seed=seed), work / f"seed{seed}")
        cells.append(two(written.searched({"claims": CLAIMS})[0][0]))
    return f"Seeds {' and '.join(map(str, SEEDS))} give {' and '.join(cells)} for the first cell."


def real_difficulty(collection: Collection, folder: Path) -> str:
    """The same search for real patents, with the documents they cite as judgements."""
    qrels = from_citations(collection, Topics.of(collection.records["id"].to_list()), rules=(1,)).provenance.qrels()
    context = indexed(collection, folder, PLAIN)
    run = (Text(("title", "abstract")) >> Search("bm25")).run(context, Topics.of(list(qrels.topics)))
    recall, precision = ll.evaluate(qrels, run, "R@100 AP").mean_values()[0]
    inside = collection.citations.drop_nulls("cited").select("citing", "cited").unique()
    owners = [set(names) for names in collection.records["applicants"].to_list()]
    same = np.mean([bool(owners[citing] & owners[cited]) for citing, cited in inside.iter_rows()])
    return (
        f"For comparison, title and abstract of {len(qrels.topics)} of the real US patents (C) find {two(recall)} of "
        f"the documents they cite at 100, with AP {two(precision)}; {share(float(same))} of the citations there are of "
        "the same owner's patents, which share their words."
    )


def parts(
    base: Settings, varied: Mapping[str, Mapping[str, float | str]], work: Path, real: Real | None
) -> dict[str, str]:
    """What stands between the marks of the document, by name."""
    written = Written.of(base, work / "office")
    made = {
        "comparison": comparison(written, real.column() if real else None),
        "examiners": examiners(written),
        "difficulty": difficulty(written),
        "seeds": paragraph(
            by_seed(base, work) + (f" {real_difficulty(real.sets['C'], work / 'real')}" if real else "")
        ),
    }
    offices = {"defaults": written}
    for name, changes in varied.items():
        offices[name] = Written.of(replace(base, **changes), work / name.split(":")[0])
    return {**made, "settings": by_setting(offices), **({"real": real.introduction()} if real else {})}


def short_form() -> str:
    """The tables of small offices, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        return "\n".join(parts(SMALL, dict(list(VARIED.items())[:1]), Path(folder), None).values())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--check", action="store_true", help="only compare the short form with the document's")
    options = parser.parse_args(arguments)
    short = {SHORT: short_form()}
    if options.check:
        return check(DOCUMENT, short)
    if not (options.data / "patents").is_dir():
        sys.exit(f"the patents are not at {options.data / 'patents'}")
    with tempfile.TemporaryDirectory() as folder:
        real = Real.read(options.data, Path(folder))
        fill(DOCUMENT, parts(Settings(), VARIED, Path(folder), real) | short)
    print(f"wrote {DOCUMENT}")


if __name__ == "__main__":
    main()
