"""Three generations of web search engines, and the tricks that each falls for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from leadline.collections.documents.document import Document
from leadline.records.topics import Topic
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import described, system

NEED = Topic("1", "lead line soundings")
GENERATIONS = ("content", "links", "reputation")
ORDINARY, PORTALS, FARM = 120, 6, 15
Web = tuple[list[Document], list[tuple[str, str]]]


def page(name: str, text: str) -> Document:
    return Document(f"http://{name}/", title=name, abstract=text)


def honest_web() -> Web:
    """A good page that portals link to, to which many ordinary pages link; and pages that merely mention the words."""
    pages = [
        page("good.example", "how sailors take soundings with a lead line and what the line tells of the depth below")
    ]
    pages += [page(f"portal{n}.example", f"addresses worth a visit, part {n}") for n in range(PORTALS)]
    pages += [page(f"page{n}.example", f"my boat number {n} has no lead, one line and a sail") for n in range(ORDINARY)]
    links = [(f"http://portal{n}.example/", "http://good.example/") for n in range(PORTALS)]
    links += [
        (f"http://page{n}.example/", f"http://portal{m}.example/") for n in range(ORDINARY) for m in (n % 6, n % 5)
    ]
    return pages, links


def stuffed(web: Web) -> Web:
    """The same with a page that has the words of the query over and over, and to which nobody links."""
    return [*web[0], page("stuffed.example", "lead line soundings " * 40)], web[1]


def farmed(web: Web) -> Web:
    """The same with a page that mentions the words, and a farm of pages made to link to it."""
    pages = [
        page(
            "spam.example", "soundings, a lead and a line are for sale at our shop near you, open all day, come and buy"
        )
    ]
    pages += [page(f"farm{n}.example", f"farm {n}") for n in range(FARM)]
    links = [(f"http://farm{n}.example/", "http://spam.example/") for n in range(FARM)]
    links += [("http://spam.example/", "http://farm0.example/")]
    return [*web[0], *pages], [*web[1], *links]


def searched(build: Callable[..., SearchContext], web: Web, folder: Path) -> dict[str, str]:
    """The first page that each generation finds."""
    pages, links = web
    context = build(pages, folder)
    table = {
        "source": [source for source, _ in links],
        "target": [target for _, target in links],
        "anchor": [""] * len(links),
        "nofollow": [False] * len(links),
    }
    pl.DataFrame(table).write_parquet(folder / "collection" / "links.parquet")
    return {name: system(name).run(context, [NEED]).ranking("1")[0][0] for name in GENERATIONS}


def test_an_honest_web_deceives_nobody(build: Callable[..., SearchContext], tmp_path: Path) -> None:
    assert set(searched(build, honest_web(), tmp_path).values()) == {"http://good.example/"}


def test_keyword_stuffing_deceives_the_first_generation_only(
    build: Callable[..., SearchContext], tmp_path: Path
) -> None:
    assert searched(build, stuffed(honest_web()), tmp_path) == {
        "content": "http://stuffed.example/",
        "links": "http://good.example/",
        "reputation": "http://good.example/",
    }


def test_a_link_farm_deceives_the_second_generation(build: Callable[..., SearchContext], tmp_path: Path) -> None:
    first = searched(build, farmed(honest_web()), tmp_path)
    assert first["links"] == "http://spam.example/"
    assert first["reputation"] == "http://good.example/"


@pytest.mark.parametrize("name", GENERATIONS)
def test_each_names_its_source(name: str) -> None:
    assert "Garg and Sharma" in described(name)
