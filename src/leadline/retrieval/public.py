"""The public functions that build collections and indexes, and search."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from leadline.errors import InputError
from leadline.records.inputs import DuplicatesLike, Path

if TYPE_CHECKING:
    from leadline.collections.documents.document import Document
    from leadline.collections.documents.store import Collection
    from leadline.records.runs.run import Run
    from leadline.records.topics.topic import Topics
    from leadline.retrieval.answers.prior_art_search import PriorArt
    from leadline.retrieval.answers.word_search import SearchResult
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.pipeline.context import SearchContext
    from leadline.retrieval.pipeline.pipeline import Pipeline, Step
    from leadline.retrieval.pipeline.system_list import SystemList

IndexLike: TypeAlias = "Path | Index | SearchContext"
Progress: TypeAlias = Callable[[int, int], None]


def build_collection(
    sources: Path | Iterable[Path],
    folder: Path,
    *,
    keep: str | Sequence[str] | None = None,
    form: str | None = None,
    mapping: Path | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> Collection:
    """Build a collection from files, folders and archives of patents and articles. A stopped build is resumed."""
    from leadline.collections.documents.store import Collection

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
    workers: int | None = None,
) -> Index:
    """Index a collection, or any documents. `positions` are needed for phrases and NEAR."""
    from leadline.collections.documents.store import Collection
    from leadline.retrieval.index.analysis import Analysis
    from leadline.retrieval.index.index import Index

    _check_type("positions", positions, bool, "True or False")
    if isinstance(fields, str):
        raise InputError("fields", f"must be a list of fields, got {fields!r}; write [{fields!r}]")
    source = Collection.open(collection) if isinstance(collection, (str, os.PathLike)) else collection
    origin = str(source.folder.absolute()) if isinstance(source, Collection) else ""
    analysis = Analysis(language, stemming, stop_words)
    return Index.build(
        source, folder, fields=fields, analysis=analysis, positions=positions, workers=workers, origin=origin, unit=unit
    )


def search(
    index: IndexLike,
    query: str,
    k: int = 20,
    *,
    model: str = "bm25",
    fields: Sequence[str] | Mapping[str, float] | None = None,
    before: str | None = None,
    after: str | None = None,
    classes: Sequence[str] = (),
    offices: Sequence[str] = (),
    newest: bool = False,
    then: Step | None = None,
    duplicates: DuplicatesLike | None = None,
    history: Path | None = None,
) -> SearchResult:
    """The best k families for a query in words, as docs/query-language.md describes it.

    With `history`, the file of a session, the query is numbered and kept there, and may name earlier ones: `#1 AND #2`.
    `then` is a step, or a pipeline of them, that orders the first results again: `ll.steps.PageRank(0.3)`. With
    `duplicates`, a file of them or what `duplicates` returns, the best of each group of near-duplicates is found.
    """
    from leadline.records.side_tables import read_groups
    from leadline.retrieval.answers.search_history import SearchHistory
    from leadline.retrieval.answers.word_search import search_words

    _check_type("query", query, str, "text")
    _check_type("k", k, int, "a whole number")
    session = None if history is None else SearchHistory.read(history)
    found = search_words(
        open_context(index), query, k, model=model, fields=fields, before=before, after=after, classes=classes,
        offices=offices, newest=newest, then=then, duplicates=None if duplicates is None else read_groups(duplicates),
        earlier=None if session is None else session.earlier,
    )  # fmt: skip
    return found if session is None else session.keep(found)


def prior_art(
    index: IndexLike, patent: str | Document, k: int = 10, *, system: str | Step | None = None, snippet: int = 200
) -> PriorArt:
    """Find prior art for a patent, and the claims it bears on. The patent is a number in the collection, or a Document.

    `system` is the name of a system or a pipeline (default: `best`, with what the index has).
    """
    from leadline.collections.documents.document import Document
    from leadline.retrieval.answers.prior_art_search import DEFAULT_SYSTEM
    from leadline.retrieval.answers.prior_art_search import prior_art as prior_art_of

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
    k: int = 1000,
    *,
    narratives: Literal["dates", "words"] = "dates",
) -> Run:
    """Search for every topic with a named system, a variant of one (`bitem:claims`), a pipeline, or one in a TOML file.

    A topic in words that asks for dates, "published after 1997", limits the search, unless `narratives` is "words".
    """
    from leadline.records.topics.topic import Topics

    asked = Topics.read(topics) if isinstance(topics, (str, os.PathLike)) else topics
    _check_type("topics", asked, Topics, "a path or Topics")
    _check_type("k", k, int, "a whole number")
    name = system if isinstance(system, str) else "run"
    return _pipeline(system).run(open_context(index), asked, k, name=name, narratives=narratives)


def systems(*names: str) -> SystemList:
    """All named systems with their variants, or those of some systems; `make_run` takes each by its name."""
    from leadline.retrieval.pipeline.system_list import list_systems

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
    from leadline.retrieval.pipeline.pipeline import pipeline_of
    from leadline.retrieval.pipeline.pipeline_files import system as system_named

    return system_named(system) if isinstance(system, str) else pipeline_of(system)
