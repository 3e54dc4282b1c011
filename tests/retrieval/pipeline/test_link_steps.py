"""Links as evidence in ranking: what each step adds, what a topic may not see, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import leadline as ll
from leadline.collections.documents.document import Citation, Document
from leadline.collections.links.page_scores import pagerank_of
from leadline.collections.links.reading import graph_of_edges
from leadline.errors import InputError
from leadline.records.topics import Topic
from leadline.retrieval.pipeline.combining import minmax, usable_links
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.steps import (
    AnchorText,
    Citations,
    Freshness,
    HubsAuthorities,
    InDegree,
    PageRank,
    Search,
    Survey,
    Text,
)  # fmt: skip

PLAIN = Survey() >> Search("bm25")
NEED = Topic("1", "ink")
LINKS = [
    ("P1", "P2", "the pigment page"),
    ("P3", "P2", "ink, all about it"),
    ("P4", "P2", ""),
    ("P2", "P3", "more ink"),
    ("P4", "P4", "ink ink ink"),
    ("P3", "P5", "an ink without the word"),
]


def crawl(build: Callable[..., SearchContext], folder: Path) -> SearchContext:
    """Five pages of which four have the word, with links between them."""
    texts = ["ink", "ink and paper", "ink and paper and glass", "ink ink", "something else"]
    days = ["2001-01-01", "2002-01-01", "2003-01-01", "", "2003-01-01"]
    pages = [
        Document(f"P{n}", abstract=text, publication=day)
        for n, (text, day) in enumerate(zip(texts, days, strict=True), start=1)
    ]
    context = build(pages, folder)
    frame = pl.DataFrame(LINKS, ["source", "target", "anchor"], orient="row").with_columns(nofollow=pl.lit(False))
    frame.write_parquet(folder / "collection" / "links.parquet")
    return context


@pytest.fixture(scope="module")
def pages(build: Callable[..., SearchContext], tmp_path_factory: pytest.TempPathFactory) -> SearchContext:
    return crawl(build, tmp_path_factory.mktemp("pages"))


def scores(step: Step, context: SearchContext) -> dict[str, float]:
    return dict(step.run(context, [NEED]).ranking("1"))


def first_pass(context: SearchContext) -> dict[str, float]:
    found = scores(PLAIN, context)
    return dict(zip(found, minmax(np.array(list(found.values()))).tolist(), strict=True))


def test_pagerank_and_indegree_are_those_of_the_graph(pages: SearchContext) -> None:
    before = first_pass(pages)
    graph = graph_of_edges([link[:2] for link in LINKS], self_links="drop")
    ranks = pagerank_of(graph)
    prior = dict(zip(before, minmax(np.log([ranks[page] for page in before])).tolist(), strict=True))
    expected = {page: 0.7 * before[page] + 0.3 * prior[page] for page in before}
    assert scores(PLAIN >> PageRank(0.3), pages) == pytest.approx(expected, abs=1e-9)
    links = dict(zip(before, minmax(np.log1p([graph.in_degrees[graph.place(page)] for page in before])), strict=True))
    expected = {page: 0.5 * before[page] + 0.5 * links[page] for page in before}
    assert scores(PLAIN >> InDegree(0.5), pages) == pytest.approx(expected, abs=1e-12)


def test_hits_finds_authorities_without_the_word(pages: SearchContext) -> None:
    assert "P5" not in first_pass(pages)
    assert "P5" in scores(PLAIN >> HubsAuthorities(0.3), pages)
    best = scores(PLAIN >> HubsAuthorities(0.9), pages)
    assert next(iter(best)) == "P2"


def test_freshness_halves_with_age(pages: SearchContext) -> None:
    before = first_pass(pages)
    found = scores(PLAIN >> Freshness(0.5, half_life=365), pages)
    gained = {page: 2 * found[page] - before[page] for page in before}
    assert gained == pytest.approx({"P1": 2 ** (-730 / 365), "P2": 0.5, "P3": 1.0, "P4": 0.0}, abs=1e-12)


def test_anchor_texts_name_pages_that_lack_the_word(pages: SearchContext) -> None:
    found = scores(PLAIN >> AnchorText(0.4), pages)
    before = first_pass(pages)
    assert found["P5"] == pytest.approx(0.4)  # as many links with the word as P2 and P3 have
    assert found["P2"] == pytest.approx(0.6 * before["P2"] + 0.4)
    assert found["P4"] == pytest.approx(0.6 * before["P4"])  # what it calls itself does not count


def test_parts_add_up_to_the_score(pages: SearchContext) -> None:
    evidence = PageRank(0.3) >> Freshness(0.1) >> AnchorText(0.2) >> HubsAuthorities(0.2) >> Citations(weight=0.1)
    request = (PLAIN >> evidence)(pages, pages.request(NEED))
    assert request.ranking is not None
    for row, score in zip(request.ranking.rows.tolist(), request.ranking.scores.tolist(), strict=True):
        assert sum(part.score_of(row) for part in request.parts) == pytest.approx(score, abs=1e-12)
    assert [part.name for part in request.parts][:5] == ["query", "pagerank", "freshness", "anchor_text", "hits"]


def test_search_shows_what_each_part_adds(pages: SearchContext) -> None:
    found = ll.search(pages, "ink paper", then=PageRank(0.3) >> InDegree(0.2))
    for hit in found.hits:
        why = found.why(hit)
        assert sum(each.score for each in why) == pytest.approx(hit.score, abs=1e-9)
    shown = {each.term for hit in found.hits for each in found.why(hit)}
    assert shown == {"ink", "paper", "pagerank", "indegree"}
    plain = ll.search(pages, "ink paper")
    assert {hit.name for hit in plain.hits} == {hit.name for hit in found.hits}


def test_search_keeps_filters_when_steps_add_documents(pages: SearchContext) -> None:
    found = ll.search(pages, "ink", before="2002-06-01", then=HubsAuthorities(0.5))
    assert {hit.name for hit in found.hits} <= {"P1", "P2"}


# What a topic may not see


def test_own_citations_and_later_links_never_count(context: SearchContext) -> None:
    topic = context.request("EP1000000A1")
    graph = context.links
    sources = {context.names(graph.sources)[n] for n in range(graph.links)}
    assert {"EP1000000A1", "US6100000B1", "US7000004B2"} <= sources
    before = usable_links(context, topic, "before")
    assert not {"EP1000000A1", "US6100000B1", "US7000004B2"} & set(context.names(before.sources))
    later = usable_links(context, topic, "all")
    assert "US7000004B2" in context.names(later.sources)
    assert not {"EP1000000A1", "US6100000B1"} & set(context.names(later.sources))


def test_scores_do_not_change_with_the_topics_own_citations(
    build: Callable[..., SearchContext], documents: list[Document], tmp_path: Path
) -> None:
    from dataclasses import replace

    contexts = [build(documents, tmp_path / "with")]
    without = [replace(documents[0], citations=(Citation("US4000008A"),)), *documents[1:]]
    contexts.append(build(without, tmp_path / "without"))
    for step in (PageRank(0.4), InDegree(0.4), HubsAuthorities(0.4)):
        runs = [(Text() >> Search("bm25") >> step).run(each, ["EP1000000A1"]) for each in contexts]
        assert runs[0].ranking("EP1000000A1") == runs[1].ranking("EP1000000A1"), step.name


@pytest.mark.parametrize("step", [PageRank(), InDegree(), HubsAuthorities(), Freshness(), AnchorText()])
def test_nothing_hidden_is_found(step: Step, context: SearchContext, hidden_by_loop: Callable[..., list[bool]]) -> None:
    records = context.collection.records
    rows = dict(zip(records["id"], range(len(records)), strict=True))
    run = (Text() >> Search("bm25") >> step).run(context, ["EP1000000A1"])
    hidden = hidden_by_loop(records, rows["EP1000000A1"])
    found = [document for document, _ in run.ranking("EP1000000A1")]
    assert found
    assert not [document for document in found if hidden[rows[document]]]


def test_a_collection_without_anchor_texts_says_so(context: SearchContext) -> None:
    request = (PLAIN >> AnchorText())(context, context.request(NEED))
    assert request.notes == ("without anchor texts, which only a crawl has",)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: PageRank(1.5), "pagerank: weight"),
        (lambda: PageRank(damping=1.0), "pagerank: damping"),
        (lambda: PageRank(scale="square"), "pagerank: scale"),
        (lambda: Freshness(half_life=0), "freshness: half_life"),
        (lambda: HubsAuthorities(roots=0), "hits: roots"),
    ],
)
def test_wrong_options_get_one_line(make: Callable[[], Step], problem: str) -> None:
    with pytest.raises(InputError) as error:
        make()
    assert problem in str(error.value)
