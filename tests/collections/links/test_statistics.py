"""What a graph or a crawl holds, and the size estimated from two crawls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.collections.links.reading import graph_of_edges
from leadline.collections.links.statistics import Overlap, crawl_overlap, link_statistics


def test_facts_of_a_graph() -> None:
    edges = [("http://a/1", "http://a/2"), ("http://a/2", "http://b/1"), ("http://b/1", "http://b/1")]
    edges += [("http://c/1", "http://a/2"), ("http://d/1", "http://d/2")]
    found = link_statistics(graph_of_edges(edges), start="http://a/1")
    assert found["pages", "all"] == 6
    assert found["pages", "orphans"] == 3
    assert found["pages", "without links"] == 1
    assert found["pages", "in the largest component"] == 4
    assert found["links", "to itself"] == 1
    assert found["hosts", "all"] == 4
    assert found["pages of a host", "a"] == 2
    assert found["pages of a depth", "1"] == 1
    assert found["pages of a depth", "not reached"] == 3


def test_facts_of_a_crawl(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    write_collection([Document(f"http://a/{n}", title=str(n)) for n in range(3)], folder, {"sources": "test"})
    rows = [("http://a/0", f"http://a/{n}", "", False) for n in (1, 2, 3)]
    pl.DataFrame(rows, ["source", "target", "anchor", "nofollow"], orient="row").write_parquet(folder / "links.parquet")
    pages = {
        "address": [f"http://a/{n}" for n in range(4)],
        "depth": [0, 1, -1, 2],
        "published": ["2026-11-15", "2026-06-16T00:00:00Z", "", "2026-11-15"],
        "fetched": ["2026-11-16T00:00:00Z"] * 4,
    }
    pl.DataFrame(pages).write_parquet(folder / "pages.parquet")
    found = link_statistics(folder)
    assert found["pages of a depth", "0"] == found["pages of a depth", "1"] == 1
    assert found["pages of a depth", "not reached"] == 1
    assert found["coverage", "pages known"] == 4
    assert found["coverage", "fetched"] == 0.75
    assert found["freshness", "pages with a date of change"] == 2
    assert found["freshness", "median age in days"] == pytest.approx((1 + 153) / 2)
    assert found["freshness", "changed within 30 days"] == 0.5


def test_overlap_by_hand() -> None:
    overlap = crawl_overlap([("a", "b"), ("b", "c")], [("b", "c"), ("c", "d"), ("d", "e")])
    assert (overlap.first, overlap.second, overlap.both, overlap.union) == (3, 4, 2, 5)
    assert overlap.size == pytest.approx(4 * 5 / 3 - 1)
    low, high = overlap.interval
    assert overlap.union <= low <= overlap.size <= high


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(1000):
        first, second = (set(rng.choice(1000, size, replace=False).tolist()) for size in (300, 200))
        low, high = Overlap(len(first), len(second), len(first & second)).interval
        covered += low <= 1000 <= high
    assert 0.93 <= covered / 1000 <= 0.98


def test_crawls_with_all_or_nothing_in_common() -> None:
    assert Overlap(5, 5, 5).interval == (5.0, 5.0)
    apart = crawl_overlap([("a", "b")], [("c", "d")])
    assert apart.both == 0
    assert any("no page is in both" in note for note in apart.notes)
    assert apart.interval[1] > apart.size
