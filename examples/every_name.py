"""Every public name of Leadline, used as a program of your own would use it.

It is type-checked by the tests; as a script it needs judgements, runs and patents of your own.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

import leadline as ll

QRELS, RUNS = "qrels.txt", ["bm25.run", "dense.run"]


def measure_and_compare() -> None:
    """Scores, comparisons and the verdict."""
    scores: ll.Scores = ll.evaluate(QRELS, RUNS, ["PRES@100", "AP", "R@100"])
    print(
        scores["PRES@100"]["bm25"], scores.run("bm25"), scores.leader("AP"), [scores.means()[name] for name in scores]
    )
    print(scores.to_pandas(by_topic=False, wide=True), scores.to_polars())
    print(scores, ll.explain_topic("PRES@100", QRELS, "bm25.run", "51").terms)
    print(ll.compare(scores, "AP").letters(), ll.compare(QRELS, RUNS, "AP", test="wilcoxon", alpha=0.01))
    print(ll.power(scores), ll.power(QRELS, RUNS, ["AP", "PRES@100"], test="tukey"))
    print(ll.correlation(scores), ll.agreement(scores, ["AP", "R@100", "PRES@100"]))
    print(ll.slices(scores, "AP", topics="topics.csv", by="office"), ll.spectrogram(scores, "AP"))
    print(ll.verdict(QRELS, RUNS, "PRES@100"), ll.verdict(scores, "AP"))
    print(ll.plan(QRELS, RUNS, "AP", difference=0.05), ll.plan(scores, "AP"))
    print(ll.plan(measure="AP", difference=0.05, runs=10).table())
    print(ll.effort_to_recall(QRELS, RUNS, recall=[0.8, 0.95]).sentence(0.95))
    study: ll.Study = ll.open_study(QRELS, RUNS, ["AP", "PRES@100"])
    print(ll.incomplete(study), ll.incomplete(QRELS, RUNS, "AP", samples=20), ll.left_out(study, depths=[10]))
    print(ll.effort_to_recall(study).summary_table())
    print(ll.retrievability(RUNS, cutoff=50, size=20_000).gini, ll.overlap(RUNS, p=0.98, ties="b").means)
    ll.report(QRELS, RUNS, "PRES@100").write("report.html")


def read_and_write() -> None:
    """Records from files and objects."""
    qrels: ll.Qrels = ll.read_qrels(QRELS)
    run: ll.Run = ll.read_run("bm25.run")
    wanted: ll.Measure = ll.parse_measure("nDCG(gain=exp)@10")
    ll.evaluate(qrels, run, wanted)
    ll.evaluate({"1": {"d1": 1}}, {"1": {"d1": 0.5}}, "AP")
    ll.Run.of(run.to_polars(), name="again").to_dict()
    ll.Qrels.of(qrels.to_dict()).to_pandas()
    ll.read_labels("review.csv", column="included").write("review.qrels")
    print(ll.simulate_review("articles", "review.qrels", rules=["ppr"], seeds=1))
    print(ll.Certificate(found=40, unread=100, target=0.9).draw(60).recall)
    ll.ideal_run(qrels, kind="coverage").write("ideal.run")
    ll.ideal_run("qrels.txt").write("ideal.run")
    print(ll.read_scores("scores.tsv").runs, ll.published_scores("clef-ip-2009").measures)


def served_lab() -> None:
    """A lab that somebody serves."""
    lab: ll.LabClient = ll.connect("http://127.0.0.1:8377/in/TOKEN")
    print(lab.table("leaderboard", "runs", measure="AP"))
    lab.add_run("bm25.run", qrels="citations")
    lab.wait(lab.start("run", index="words", topics="topics", system="baseline"))


def search() -> None:
    """A collection, an index, and systems."""
    patents: ll.Collection = ll.build_collection(["ipg240102.zip"], "patents", processes=2)
    topics: ll.Topics = ll.Topics.read("topics.tsv")
    first: ll.Topic = next(iter(topics))
    document: ll.Document = patents.document(first.patent)
    ll.from_citations("patents", "topics.tsv").provenance.qrels().write("qrels.txt")
    index: ll.Index = ll.build_index(patents, "patents.index", positions=True)
    print(ll.search(index, "polymer film", before="2001", classes=["C08J"]).hits)
    print(ll.prior_art(index, document).hits)
    strategy = "1. film$.ti.\n2. (polymer adj3 film).ti,ab.\n3. 1 or 2"
    print(ll.run_strategy(index, strategy).ids, ll.translate_strategy(strategy, "pubmed").text)
    print(ll.measure_strategy(index, strategy, {"7": {document.id: 1}}).droppable)
    ll.tune(index, topics, QRELS, measure="PRES@100").write("system.toml")
    context: ll.SearchContext = ll.SearchContext.open("patents.index")
    mine = ll.steps.Text(("title", "claims")) >> ll.steps.Search("bm25(k1=0.9)") >> ll.steps.OneAFamily()
    ll.make_run(context, topics, mine).write("mine.run")
    print(ll.run_engine("service.toml", "topics.tsv", k=100))  # someone else's search service
    print(ll.pyterrier_retriever(index, "baseline", k=100))  # a transformer of PyTerrier, where it is installed
    print(ll.Searcher(index).search("polymer film", k=10))
    print(ll.systems("bitem").names, ll.make_run(index, "topics.tsv", "bitem:claims", narratives="words"))
    copies: ll.Duplicates = ll.duplicates(patents, resemblance=0.7, keep="longest")
    print(ll.vector_duplicates(index, cosine=0.97, keep="best-linked").group_of)
    print(ll.directory(patents, under="A61", output="directory.html").table(2))
    print(copies.share, ll.search(index, "polymer film", duplicates=copies).hits)
    print(ll.readers.write_forms(patents.documents(), "files", ["exchange", "ris"])["forms"])
    print([f"{found.path}: {found.problem}; {found.fix}" for found in ll.check("patents")])


def links() -> None:
    """A crawl, and the graph of one, of citations or of an edge list."""
    print(ll.crawl("https://example.org/", "crawl-monday", depth=3, delay=2.0).notes)
    graph: ll.LinkGraph = ll.read_links("edges.tsv")
    print(graph.in_links("A"), graph.out_links("A"), graph.anchor_texts("A"))
    print(ll.pagerank(graph, personal="A")["B"], ll.pagerank("patents", form="paper").table(10))
    print(ll.hits(graph), ll.hits("patents", query="coating", index="patents.index"), ll.indegree("patents"))
    print(ll.sample_pages(graph, 100, method="reweighted", rng=1).pages, ll.sample_bias(graph, 1000))
    print(ll.link_statistics("patents"), ll.crawl_overlap("crawl-monday", "crawl-friday").interval)
    found = ll.findability("crawl-monday", index="crawl.index", sample=200)
    print(found["by links", "within 3 clicks"], found["by search", "MRR"], found.page_table(10))
    print(ll.search("patents.index", "coating", then=ll.steps.PageRank(0.3) >> ll.steps.Freshness(0.1)))


@ll.measures.measure("Half", at="effort")
def half(hits: ll.measures.Hits, effort: int = 100, rel: int = 1) -> ll.measures.Array:
    """Whether half of what is relevant is found.

    >>> half(ll.measures.Hits.of(ranks=[1, 7], relevant=4), effort=10)
    array([1.])
    """
    share: ll.measures.Array = ll.measures.ratio(hits.found(rel, effort), hits.n_relevant(rel))
    return np.where(share >= 0.5, 1.0, 0.0)


@ll.models.model("count")
def count(postings: ll.models.Postings) -> ll.models.Array:
    """How often the word occurs."""
    return postings.tf


@ll.steps.step("first_ten")
@dataclass(frozen=True)
class FirstTen(ll.steps.Step):
    """Keep the first ten results."""

    def __call__(self, context: ll.SearchContext, request: ll.steps.Request) -> ll.steps.Request:
        return ll.steps.Cut(10)(context, request)


@ll.readers.reader("memo", "internal-memo")
def read_memo(element: ll.readers.Element) -> ll.Document:
    """One memo of ours."""
    return ll.Document(id=element.get("number", ""), title=ll.readers.find_text(element, "subject"))


@ll.readers.writer("memo", {"id", "title"}, limit=lambda document: document)
def write_memo(document: ll.Document) -> bytes:
    """One memo of ours, in a line."""
    return f"{document.id} {document.title}\n".encode()


@ll.figures.report_figure("nothing", section="Of your own", label="an example", place=1)
def nothing(evidence: ll.figures.Evidence) -> ll.figures.Figure:
    """A figure without a chart."""
    return ll.figures.Figure("nothing", f"{len(evidence.runs)} runs", "There is nothing to see.", None)


def main() -> None:
    print(ll.__version__)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ll.LeadlineWarning)  # said when the plain engine had to answer
            measure_and_compare()
    except ll.MeasureError as error:
        print("no such measure:", error)
    except ll.MismatchError as error:
        print("these files do not belong together:", error)
    except ll.UsageError as error:
        print("a wrong option:", error)
    except ll.InputError as error:
        print("a file is not what it should be:", error)
    except ll.LeadlineError as error:
        print(error)


if __name__ == "__main__":
    main()
