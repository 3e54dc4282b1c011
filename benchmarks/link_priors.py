"""Whether links help to rank, how samples of pages are biased, what link farms do; writes docs/links.md.

    python benchmarks/link_priors.py [--data ../shared/data] [--work DIR] [-o FILE]

The data are not part of the project: CACM with its citations, United States patents with theirs, and the pages of
Hollins University with their links. The first part of the document, up to its line of dashes, is kept as it is.
"""

from __future__ import annotations

import argparse
import re
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from classic import FILES, read_classic
from effectiveness import AGAINST, DATA, ROOT, against_first, figures, real

import leadline as ll
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Citation, Document
from leadline.collections.links.page_scores import in_degrees_of, pagerank_of
from leadline.collections.links.reading import graph_of_edges, read_links
from leadline.collections.links.statistics import sample_bias
from leadline.records.result import Table
from leadline.records.scores import Scores
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import (
    Citations,
    Freshness,
    HubsAuthorities,
    InDegree,
    PageRank,
    Search,
    Survey,
    Text,
)  # fmt: skip

MEASURES = "AP R@100 PRES@100"
WEIGHTS = (0.1, 0.3)
CUT = "\n---\n"  # what follows in the document is made here
_LINK = re.compile(r"^(\d+)\s+5\s+(\d+)\s*$", re.MULTILINE)


def priors(plain: Step) -> dict[str, Step]:
    """The plain search, and each kind of evidence from links after it."""
    found = {"plain": plain}
    for weight in WEIGHTS:
        found[f"pagerank, weight {weight}"] = plain >> PageRank(weight)
        found[f"indegree, weight {weight}"] = plain >> InDegree(weight)
        found[f"hits, weight {weight}"] = plain >> HubsAuthorities(weight)
        found[f"citations, weight {weight}"] = plain >> Citations(weight=weight)
    return found


def cacm(data: Path, work: Path) -> Scores | None:
    """CACM, with each link taken as a citation of the earlier article by the later one."""
    archive = data / "classic" / FILES["CACM"][0]
    if not archive.exists():
        return None
    known = read_classic("CACM", data / "classic")
    with tarfile.open(archive) as files:
        member = files.extractfile(FILES["CACM"][1])
        assert member is not None
        text = member.read().decode("latin-1")
    cited: dict[str, set[str]] = {}
    for pair in _LINK.finditer(text):
        earlier, later = sorted((int(pair[1]), int(pair[2])))
        if earlier != later:
            cited.setdefault(str(later), set()).add(str(earlier))
    documents = [
        Document(
            f"CACM-{each['id']}", title=each["title"], abstract=each["abstract"],
            citations=tuple(Citation(f"CACM-{name}") for name in sorted(cited.get(each["id"], ()), key=int)),
        )
        for each in known.documents
    ]  # fmt: skip
    folder = work / "cacm.collection"
    write_collection(documents, folder, {"sources": "CACM"})
    collection = Collection.open(folder)
    index = Index.build(collection, work / "cacm.links.index", fields=["title", "abstract"], origin=str(folder))
    lab = SearchContext(index, collection)
    expected = sum(map(len, cited.values()))
    assert lab.links.links == expected, (lab.links.links, expected)
    qrels = {topic: {f"CACM-{name}": grade for name, grade in own.items()} for topic, own in known.qrels.items()}
    plain = Survey() >> Search("bm25")
    runs = [pipeline.run(lab, known.topics, name=name) for name, pipeline in priors(plain).items()]
    return ll.evaluate(qrels, runs, MEASURES)


def us_api(data: Path, work: Path, said: list[str]) -> Scores | None:
    """United States patents: only links that a searcher could have seen on the day of the topic."""
    office = real("us_api", "docs_10k.jsonl.xz", data, work)
    if office is None:
        return None
    cited = int((office.lab.links.in_degrees > 0).sum())
    said.append(
        f"What us_api shows must be read with care. Only {cited:,} of its {len(office.lab.index):,} patents are cited "
        "by another of them, and its judgements are made of citations, so that only these, and their families, can be "
        "relevant at all: a prior that knows which patents were cited before knows much of which can be judged "
        "relevant. CACM was judged by people, and there the priors decide nothing; citation feedback, which depends on "
        "the query, helps on both."
    )
    plain = Text() >> Search("bm25")
    return office.scores(priors(plain) | {"freshness, weight 0.1": plain >> Freshness(0.1, half_life=1825)})


def verdicts(scores: Mapping[str, Scores]) -> list[str]:
    lines = [
        "## Does a link prior help?",
        "Each step is added after a plain search with BM25 and compared with it. CACM: 3,204 articles, the queries are "
        "words; its data say that two articles are linked and not which one cites, so the later is taken to cite the "
        "earlier. us_api: 10,000 United States patents, the query is every word of a patent; the links of the topic's "
        "own family are never used, since the judgements are made of them, and no link of a document filed after the "
        "topic. `citations` is not a prior but feedback: what the first results cite gains. Verdicts are those of "
        "`leadline compare pairs`: a randomisation test, Holm's correction over the rows of one collection and "
        "measure; p from 0.05 up is undecided.",
    ]
    for name, one in scores.items():
        lines += [figures("system", {name: one}).render("markdown")]
        lines += [Table(AGAINST, against_first(one, name)).render("markdown")]
    return lines


def farms() -> list[str]:
    """A page with six good links, and one with a farm of ever more pages."""
    rows = []
    for size in (5, 10, 15, 20, 30, 50, 100):
        edges = [(f"portal{n}", "good") for n in range(6)]
        edges += [(f"page{n}", f"portal{m}") for n in range(120) for m in (n % 6, n % 5)]
        edges += [(f"farm{n}", "spam") for n in range(size)] + [("spam", "farm0")]
        graph = graph_of_edges(edges)
        ranks, links = pagerank_of(graph), in_degrees_of(graph)
        values = [float(scores[page]) for scores in (links, ranks) for page in ("good", "spam")]  # type: ignore[arg-type]
        first = ["spam" if spam > good else "good" for good, spam in (values[:2], values[2:])]
        rows.append([size, int(values[0]), int(values[1]), first[0], f"{values[2]:.4f}", f"{values[3]:.4f}", first[1]])
    names = [
        "farm",
        "links to good",
        "links to spam",
        "first by links",
        "rank of good",
        "rank of spam",
        "first by rank",
    ]
    return [
        "## How large a link farm must be",
        "120 ordinary pages link to six portals, which link to a good page; a farm of pages links to a page that wants "
        "to be found, which links back to one of them. The number of links is deceived by seven pages. PageRank needs "
        "several times as many, and is deceived too when the farm is large against the rest: it makes the trick dear, "
        "not impossible. With `--personal`, ranks that begin at pages one trusts are not deceived by any farm that no "
        "trusted page leads to.",
        Table(names, rows).render("markdown"),
    ]


def sampling(data: Path) -> list[str]:
    source = data / "links" / "hollins_edges.txt.gz"
    if not source.exists():
        return []
    graph = read_links(source)
    rows: list[list[object]] = []
    for steps in (10, 50, 200, 1000, 5000):
        bias = sample_bias(graph, 2000, steps=steps, rng=1)
        rows += [[steps, *row] for row in bias.rows if row[0] != "uniform" or steps == 5000]
    columns = ["steps", "method", "mean links", "true mean", "distance", "distance by chance"]
    return [
        "## What bias is left in a sample",
        f"{len(graph):,} pages of Hollins University with {graph.links:,} links; 2,000 walks from the page with most "
        "links, which follow links either way. Distance is that between the sample and all pages, over ten groups of "
        "pages by their number of links: 0 is uniform. Chance alone makes the last column.",
        Table(columns, rows).render("markdown"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--work", type=Path, help="keep what is built here")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "docs" / "links.md")
    options = parser.parse_args()
    said: list[str] = []
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        found = {"CACM": cacm(options.data, work), "us_api": us_api(options.data, work, said)}
    scores = {name: one for name, one in found.items() if one is not None}
    missing = [name for name in found if name not in scores]
    lines = ["All numbers below are measured by `python benchmarks/link_priors.py`, whose docstring lists the data."]
    lines += [f"Without data, and left out: {', '.join(missing)}."] if missing else []
    lines += [*verdicts(scores), *said, *farms(), *sampling(options.data)]
    kept = options.output.read_text(encoding="utf-8").split(CUT)[0] if options.output.exists() else "# Links\n"
    options.output.write_text(kept + CUT + "\n" + "\n\n".join(lines) + "\n", encoding="utf-8")
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
