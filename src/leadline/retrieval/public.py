"""The public functions that build collections and indexes, search, analyse links, and serve PyTerrier."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import numpy as np

from leadline.collections.choices import DAMPING, IN_LINKS, ROOTS
from leadline.collections.links.graph import LinkWorkers, SelfLinks
from leadline.collections.links.page_scores import Form, PageScores, hits_of, in_degrees_of, pagerank_of, query_pages
from leadline.collections.links.reading import Kept, LinkSource, Nofollow, read_links
from leadline.errors import InputError, LeadlineWarning
from leadline.options import Bounds, Classes, Count, Day, Offices, Workers
from leadline.records.inputs import DuplicatesLike, Path, QrelsLike
from leadline.records.result import counted
from leadline.retrieval.choices import SyntaxName

if TYPE_CHECKING:
    from leadline.collections.documents.collection import Collection
    from leadline.collections.documents.document import Document
    from leadline.collections.links.graph import LinkGraph
    from leadline.records.runs import Run
    from leadline.records.topics import Topics
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.pipeline.named_systems import SystemList
    from leadline.retrieval.pipeline.pipeline import Pipeline, Step
    from leadline.retrieval.prior_art import PriorArt
    from leadline.retrieval.strategy.measuring import StrategyMeasured
    from leadline.retrieval.strategy.running import StrategyFound
    from leadline.retrieval.strategy.translating import Translation
    from leadline.retrieval.word_search import SearchResult

StrategyLike: TypeAlias = "str | os.PathLike[str]"  # a file, or in Python the lines themselves
IndexLike: TypeAlias = "Path | Index | SearchContext"
Progress: TypeAlias = Callable[[int, int], None]


def build_collection(
    sources: Path | Iterable[Path],
    folder: Path,
    *,
    keep: str | Sequence[str] | None = None,
    form: str | None = None,
    mapping: Path | None = None,
    processes: Workers = 1,
    progress: Progress | None = None,
) -> Collection:
    """Build a collection from files, folders and archives of patents and articles. A stopped build is resumed.

    sources: files, folders, patterns, archives, or ir_datasets:NAME
    keep: fields that a document must have, or "all" to keep every document (default: "claims,description|abstract" if
        any has claims)
    form: format of the sources (default: detected)
    mapping: where the fields are in JSON lines or CSV of another format
    processes: number of processes (default: number of cores, in Python 1)
    """
    from leadline.collections.documents.collection import Collection

    listed = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    return Collection.build(
        listed, folder, keep=keep, form=form, mapping=mapping, processes=processes, progress=progress
    )


def build_index(
    collection: Path | Collection | Iterable[Document | Mapping[str, Any]],
    folder: Path,
    *,
    fields: Sequence[str] = ("title", "abstract", "description", "claims"),
    positions: bool = False,
    language: str = "en",
    stemming: Literal["snowball", "porter", "none"] = "snowball",
    stop_words: Literal["common", "none"] = "common",
    unit: Literal["document", "family"] = "document",
    workers: Workers | None = None,
    scheme: Path | None = None,
    thesaurus: Path | None = None,
    vectors: bool | Path | None = None,
) -> Index:
    """Index a collection, or any documents.

    fields: fields to index: title, abstract, claims, description (default), derived: biology, entities,
        phrases, sentences
    positions: store word positions, for phrases and NEAR; the index is about three times as large (default: no)
    language: language of the texts
    stemming: stemming (porter: English)
    stop_words: common words to leave out (default: those of the language)
    unit: what is indexed as one
    workers: number of threads (default: number of cores)
    scheme: keep a scheme of classes with the index: the IPC or CPC in XML
    thesaurus: keep a thesaurus with the index: MeSH (XML or ASCII), SKOS (RDF/XML or Turtle)
    vectors: store vectors of all documents by a model: True or its folder; False: none (default: for up to 20,000
        documents of a collection, learned ones where the model is installed)
    """
    from leadline.collections.documents.collection import Collection
    from leadline.retrieval.dense.making import make_vectors, unasked_vectors
    from leadline.retrieval.index.analysis import Analysis
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.index.tree_files import read_trees

    trees = read_trees(scheme, thesaurus)  # before the work
    _check_type("positions", positions, bool, "True or False")
    if isinstance(fields, str):
        raise InputError("fields", f"must be a list of fields, got {fields!r}; write [{fields!r}]")
    source = Collection.open(collection) if isinstance(collection, (str, os.PathLike)) else collection
    origin = str(source.folder.absolute()) if isinstance(source, Collection) else ""
    analysis = Analysis(language, stemming, stop_words)
    index = Index.build(
        source, folder, fields=fields, analysis=analysis, positions=positions, workers=workers, origin=origin, unit=unit
    )
    index = index.keep(trees) if trees else index
    if vectors is not False:
        from leadline.retrieval.pipeline.context import SearchContext

        context = SearchContext.open(index.folder)
        which = unasked_vectors(context) if vectors is None else "all"
        if which is not None:
            make_vectors(context, which, "" if vectors is None or vectors is True else os.fspath(vectors))
    return index


def search(
    index: IndexLike,
    query: str,
    k: Count = 20,
    *,
    system: str | Step | None = None,
    model: str | None = None,
    fields: Sequence[str] | Mapping[str, float] | None = None,
    before: Day | None = None,
    after: Day | None = None,
    classes: Classes = (),
    offices: Offices = (),
    newest: bool = False,
    then: Step | None = None,
    duplicates: DuplicatesLike | None = None,
    history: Path | None = None,
    syntax: SyntaxName | None = None,
) -> SearchResult:
    """The best k families for a query in words, as docs/query-language.md describes it.

    index: index folder, made by `leadline index`
    query: words to search for
    k: number of families to show
    system: system that ranks the documents (default: best, with what the index has)
    model: rank by the words alone, with a model: bm25, bm25f, dirichlet or another, such as 'bm25(k1=0.9, b=0.4)'
    fields: fields to search, with weights: title=2,abstract (default: all)
    before: only patents published before this day, or before the first day of a month or year
    after: only patents published after this day, or after the last day of a month or year
    classes: only these classes: C07D,A61K
    offices: only these offices: EP,US
    newest: sort by publication date, newest first
    then: order results again by anchor_text, freshness, hits, indegree, pagerank; with a weight:
        'pagerank(weight=0.3)'; may be repeated
    duplicates: keep only the best of each group of near-duplicates: what `leadline duplicates -o FILE` wrote
    history: keep the queries of a session; #1 AND #2 combines earlier ones
    syntax: search system in whose syntax the query is written (default: our own)

    In Python, `fields` may be a mapping from names to weights, `then` any step or a pipeline of them,
    `ll.steps.PageRank(0.3)`, and `duplicates` also what `duplicates` returns.
    """
    from leadline.records.inputs import read_groups
    from leadline.retrieval.word_search import SearchHistory, search_words

    _check_type("query", query, str, "text")
    _check_type("k", k, int, "a whole number")
    session = None if history is None else SearchHistory.read(history)
    found = search_words(
        open_context(index),
        query,
        k,
        model=model or "bm25",
        system=ranking_system(system, by_words=model is not None or fields is not None or newest),
        fields=fields,
        before=before,
        after=after,
        classes=classes,
        offices=offices,
        newest=newest,
        then=then,
        duplicates=None if duplicates is None else read_groups(duplicates),
        earlier=None if session is None else session.earlier,
        syntax=syntax,
    )
    return found if session is None else session.keep(found)


def ranking_system(system: str | Step | None, *, by_words: bool) -> tuple[str, Step] | None:
    """The system that ranks what a query finds, with its name; None where words alone do, by a model or by date."""
    from leadline.retrieval.choices import DEFAULT_SYSTEM

    if system is None:
        return None if by_words else (DEFAULT_SYSTEM, _pipeline(DEFAULT_SYSTEM))
    if by_words:
        raise InputError("system", "orders documents itself: leave out model, fields and newest")
    return (system if isinstance(system, str) else "system"), _pipeline(system)


def prior_art(
    index: IndexLike, patent: str | Document, k: Count = 10, *, system: str | Step | None = None, snippet: int = 200
) -> PriorArt:
    """Find prior art for a patent, and the claims it bears on.

    index: index folder, made by `leadline index`
    patent: number of a patent in the collection, or a file
    k: number of families to show

    In Python the patent is a number or a Document.
    `system` is the name of a system or a pipeline (default: `best`, with what the index has).
    """
    from leadline.collections.documents.document import Document
    from leadline.retrieval.choices import DEFAULT_SYSTEM
    from leadline.retrieval.prior_art import prior_art as prior_art_of

    _check_type("k", k, int, "a whole number")
    context = open_context(index)
    _check_type("patent", patent, (str, Document), "a number or a Document")
    request = context.request(patent)
    if not request.is_patent:
        raise InputError(str(patent), "is not a patent of the collection")
    return prior_art_of(context, request, _pipeline(system or DEFAULT_SYSTEM), k, snippet)


def make_run(
    index: IndexLike,
    topics: Path | Topics,
    system: str | Step = "best",
    k: Count = 1000,
    *,
    narratives: Literal["dates", "words"] = "dates",
    processes: Workers = 1,
) -> Run:
    """Search for every topic with a named system, a variant of one (`bitem:claims`), a pipeline, or one in a TOML file.

    index: index folder, made by `leadline index`
    topics: ids one per line, a table, or TREC markup
    k: documents per topic
    processes: number of processes that answer topics, once that pays (default: number of cores, in Python and
        where a system uses vectors or models 1)

    A topic in words that asks for dates, "published after 1997", limits the search, unless `narratives` is "words". One
    that is a Boolean query finds what `search` finds. What is to be said of topics, such as that nothing was found or
    how many were Boolean, is a LeadlineWarning.
    """
    from leadline.records.topics import Topics

    asked = Topics.read(topics) if isinstance(topics, (str, os.PathLike)) else topics
    _check_type("topics", asked, Topics, "a path or Topics")
    _check_type("k", k, int, "a whole number")
    name = system if isinstance(system, str) else "run"
    context, pipeline = open_context(index), _pipeline(system)
    if processes > 1 and context.elsewhere is None:
        from leadline.retrieval.pipeline.shared_topics import TopicsInProcesses

        context.elsewhere = TopicsInProcesses(processes)
        try:
            answers = pipeline.answer(context, asked, k, narratives=narratives)
        finally:
            context.elsewhere = None
    else:
        answers = pipeline.answer(context, asked, k, narratives=narratives)
    for note in answers.notes:
        warnings.warn(LeadlineWarning(note), stacklevel=2)
    return answers.run(name)


def systems(*names: str) -> SystemList:
    """All named systems with their variants, or those of some systems; `make_run` takes each by its name."""
    from leadline.retrieval.pipeline.named_systems import list_systems

    for name in names:
        _check_type("systems", name, str, "names, each an argument of its own")
    return list_systems(*names)


def open_context(index: IndexLike) -> SearchContext:
    """The search context of an index: a path, an open index, or the context itself."""
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.pipeline.context import SearchContext

    if isinstance(index, SearchContext):
        return index
    _check_type("index", index, (str, os.PathLike, Index), "a path, an Index or a SearchContext")
    return SearchContext.open(index.folder if isinstance(index, Index) else index)


def _check_type(name: str, value: object, kind: type | tuple[type, ...], wanted: str) -> None:
    """Raise InputError for an argument of the wrong type, before anything is read."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InputError(name, f"must be {wanted}, got {type(value).__name__} {str(value)[:40]!r}")


def _pipeline(system: str | Step) -> Pipeline:
    from leadline.retrieval.pipeline.named_systems import system as system_named
    from leadline.retrieval.pipeline.pipeline import pipeline_of

    return system_named(system) if isinstance(system, str) else pipeline_of(system)


# A searcher's strategy: numbered lines in the syntax of any search system.


def run_strategy(
    index: IndexLike,
    strategy: StrategyLike,
    *,
    syntax: SyntaxName | None = None,
    line: Count | None = None,
    order: str = "none",
) -> StrategyFound:
    """Run a strategy of numbered lines, in the syntax of any search system (docs/strategies.md).

    index: index folder, made by `leadline index`
    strategy: file with a strategy; - is standard input
    syntax: whose syntax it is (default: recognised)
    line: line whose documents are the result (default: the last)
    order: order of the result: none, newest, oldest, or a ranking model such as bm25

    In Python, `strategy` may also be the lines themselves, as one text.
    """
    from leadline.retrieval.strategy.running import run_text

    return run_text(open_context(index), strategy, syntax=syntax, line=line, order=order)


def translate_strategy(strategy: StrategyLike, to: SyntaxName, *, syntax: SyntaxName | None = None) -> Translation:
    """Write a strategy in the syntax of another system, and name what cannot be said there.

    strategy: file with a strategy; - is standard input
    to: syntax to write it in
    syntax: whose syntax it is (default: recognised)
    """
    from leadline.retrieval.strategy.lines import strategy_text
    from leadline.retrieval.strategy.running import read_strategy
    from leadline.retrieval.strategy.translating import translate_lines

    text, name = read_strategy(strategy)
    return translate_lines(strategy_text(text, syntax, name), to, name)


def measure_strategy(
    index: IndexLike,
    strategy: StrategyLike,
    qrels: QrelsLike,
    *,
    topic: str | None = None,
    syntax: SyntaxName | None = None,
    line: Count | None = None,
    rel: int = 1,
) -> StrategyMeasured:
    """Recall and precision of each line of a strategy, and what the result would be without it.

    qrels: judgements
    topic: topic of the judgements (default: the name of the strategy, or the only topic)
    rel: lowest grade that counts as relevant
    """
    from leadline.records.qrels import Qrels, read_qrels
    from leadline.retrieval.strategy.measuring import measure_lines

    judged = read_qrels(qrels) if isinstance(qrels, (str, os.PathLike)) else Qrels.of(qrels)
    return measure_lines(run_strategy(index, strategy, syntax=syntax, line=line), judged, topic, rel)


# The public functions of link analysis: PageRank, HITS, on the query's own graph too, and in-degree.


def pagerank(
    source: LinkSource,
    *,
    damping: Annotated[float, Bounds(0, 1, below=True)] = DAMPING,
    personal: Mapping[str, float] | str | None = None,
    form: Form = "sum",
    self_links: SelfLinks = "count",
    nofollow: Nofollow = "drop",
    pages: Kept = "fetched",
) -> PageScores:
    """The PageRank of every page, to 1e-10: the share of time of a surfer who follows links and now and then jumps.

    Formula: (1 − d) / N + d · Σ PR(q) / C(q) over the pages q that link to the page; ranks sum to 1, and pages without
    links share their rank with all. `form="paper"` has 1 − d in place of (1 − d) / N: the same ranks times N.

    damping: probability of following a link, from 0 to below 1
    personal: page to jump to in place of any page, or pages, each perhaps with a weight
    form: ranks that sum to 1, or the paper's, which sum to N

    Brin and Page, The Anatomy of a Large-Scale Hypertextual Web Search Engine, WWW 1998.

    >>> ranks = pagerank([("a", "b"), ("a", "c"), ("b", "c"), ("c", "a")])
    >>> {page: round(ranks[page], 4) for page in "abc"}
    {'a': 0.3878, 'b': 0.2148, 'c': 0.3974}
    """
    graph = read_links(source, self_links=self_links, nofollow=nofollow, pages=pages)
    return pagerank_of(graph, damping=damping, personal=personal, form=form)


def hits(
    source: LinkSource,
    *,
    query: str | None = None,
    index: str | os.PathLike[str] | SearchContext | None = None,
    roots: Count = ROOTS,
    in_links: Annotated[int, Bounds(0)] = IN_LINKS,
    rounds: Count | None = None,
    self_links: SelfLinks = "count",
    nofollow: Nofollow = "drop",
    pages: Kept = "fetched",
    workers: LinkWorkers | None = None,
) -> PageScores:
    """The authority and the hub score of every page, each summing to 1.

    query: score the graph of this query (default: the whole graph)
    index: index in which to search for the query
    roots: best pages for the query, to which linked pages are added
    in_links: pages added that link to one of these
    rounds: rounds to compute (default: until scores are within 1e-10 of their limit)

    With a query and an index, the graph is the query's own: the `roots` best pages for the query, the pages they link
    to, and for each of them at most `in_links` pages that link to it. `workers` sum over the links in place of this
    process.

    Kleinberg, Authoritative sources in a hyperlinked environment, SODA 1998.

    >>> hits([("a", "c"), ("b", "c"), ("b", "d")])["c"]["authority"].__round__(3)
    0.618
    """
    if (query is None) != (index is None):
        raise InputError("index" if index is None else "query", "the query's own graph needs both a query and an index")
    if rounds is not None and rounds < 1:
        raise InputError("rounds", f"must be at least 1, got {rounds}")
    graph = read_links(source, self_links=self_links, nofollow=nofollow, pages=pages)
    if query is not None and index is not None:
        graph = _graph_of_query(graph, query, index, roots, in_links)
    return hits_of(graph, rounds=rounds, workers=workers)


def indegree(
    source: LinkSource, *, self_links: SelfLinks = "count", nofollow: Nofollow = "drop", pages: Kept = "fetched"
) -> PageScores:
    """How many pages link to each page; several links from one page count once.

    >>> indegree([("a", "b"), ("a", "b"), ("c", "b")])["b"]
    2.0
    """
    return in_degrees_of(read_links(source, self_links=self_links, nofollow=nofollow, pages=pages))


def _graph_of_query(
    graph: LinkGraph, query: str, index: str | os.PathLike[str] | SearchContext, roots: int, in_links: int
) -> LinkGraph:
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.word_search import search_words

    if roots < 1 or in_links < 0:
        name, value, least = ("roots", roots, 1) if roots < 1 else ("in_links", in_links, 0)
        raise InputError(name, f"must be at least {least}, got {value}")
    context = index if isinstance(index, SearchContext) else SearchContext.open(index)
    found = search_words(context, query, roots)
    places = [graph.place_of[hit.name] for hit in found.hits if hit.name in graph.place_of]
    if not places:
        problem = "finds no page" if not found.hits else "finds no page of this graph: is the index of the same pages?"
        raise InputError("query", f"{query!r} {problem}")
    own = graph.part(query_pages(graph, np.array(places), in_links))
    note = f"the query's own graph: {counted(len(places), 'page')} found, {len(own):,} with their neighbours"
    return own.with_notes(note)


# Our systems as transformers of PyTerrier, where that is installed.


def pyterrier_retriever(index: IndexLike, system: str | Step = "best", k: int = 1000) -> Any:
    """Return a transformer of PyTerrier that searches an index with a system, given as `make_run` takes it.

    It takes queries (qid, query) and returns documents (docno, score, rank); other columns of the queries are kept.
    A qid that is the number of a patent of the index is searched for as that patent.
    """
    try:
        import pandas as pd
        import pyterrier as pt
    except ImportError:
        raise InputError("pyterrier_retriever", "needs the package pyterrier: pip install python-terrier") from None
    from leadline.records.topics import Topic, Topics

    context = open_context(index)

    def retrieve(queries: Any) -> Any:
        if "docno" in queries.columns:
            raise InputError("pyterrier_retriever", "takes queries (qid, query), got documents: put it first")
        topics = [
            Topic(str(qid), title=str(query)) for qid, query in zip(queries["qid"], queries["query"], strict=True)
        ]
        run = make_run(context, Topics(tuple(topics)), system, k) if topics else None
        rows = [
            (topic, document, score, rank)
            for topic in (run.topics if run else ())
            for rank, (document, score) in enumerate(run.ranking(topic) if run else ())
        ]
        found = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])
        asked = queries.assign(qid=queries["qid"].astype(str))
        return asked.merge(found.astype({"qid": str, "docno": str}), on="qid")

    return pt.apply.generic(retrieve)
