"""Edge lists read in parts, with links in temporary files: the same graphs, ranks and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leadline.collections.links import graph, reading, statistics
from leadline.collections.links.page_scores import hits_of, pagerank_of
from leadline.collections.links.reading import read_edges
from leadline.collections.links.statistics import link_statistics
from leadline.errors import InputError
from leadline.text import source
from leadline.text.spread import MemoryBudget

BUDGET = MemoryBudget(10**9)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_PART", 200)
    monkeypatch.setattr(source, "_PIECE", 64)
    monkeypatch.setattr(graph, "AT_ONCE", 7)
    monkeypatch.setattr(graph, "PLAIN_AT_ONCE", 7)


def edges(third: str) -> str:
    rng = np.random.default_rng(4)
    ends = rng.integers(0, 40, (300, 2)).tolist()
    return "".join(f"p{a}\tp{b}{third.format(n=n % 7 + 0.25)}\n" for n, (a, b) in enumerate(ends))


TEXTS = {
    "plain": edges(""),
    "weighted": edges("\t{n}"),
    "named": f"target\tsource\tweight\n{edges(chr(9) + '{n}')}",
    "blanks and comments": "# links\n" + edges("").replace("\t", "  ").replace("\np1 ", "\n\n# more\np1 "),
    "declared": "# n=50\n" + edges("").replace("p", ""),
    "with anchors": edges("\tsee {n} here"),
}


@pytest.mark.parametrize("self_links", ["count", "drop"])
@pytest.mark.parametrize("text", TEXTS)
def test_the_graph_and_its_ranks_are_the_same(tmp_path: Path, text: str, self_links: graph.SelfLinks) -> None:
    (tmp_path / "edges.tsv").write_text(TEXTS[text])
    path = str(tmp_path / "edges.tsv")
    whole, parts = read_edges(path, self_links=self_links), read_edges(path, self_links=self_links, memory=BUDGET)
    assert list(parts.pages) == list(whole.pages)
    for name in ("offsets", "sources", "weights", "out_degrees", "out_weights", "targets"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
    for one, other in zip(parts.out_of, whole.out_of, strict=True):
        np.testing.assert_array_equal(one, other)
    for score in (pagerank_of, hits_of):
        for column, values in score(whole).columns.items():
            np.testing.assert_array_equal(score(parts).columns[column], values)


@pytest.mark.parametrize("wrong", ["p1", "p1\t\n", "p1\tp2\tx\n"])
def test_an_error_names_the_same_line(tmp_path: Path, wrong: str) -> None:
    kind = "weighted" if "x" in wrong else "plain"
    (tmp_path / "edges.tsv").write_text(TEXTS[kind] + wrong + ("" if wrong.endswith("\n") else "\n"))
    said = []
    for memory in (None, BUDGET):
        with pytest.raises(InputError) as error:
            read_edges(str(tmp_path / "edges.tsv"), memory=memory)
        said.append(str(error.value))
    assert said[0] == said[1]
    assert ":301:" in said[0]


def test_more_pages_than_a_budget_has_room_for_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BYTES_A_PAGE", 10**8)
    (tmp_path / "edges.tsv").write_text(TEXTS["plain"])
    with pytest.raises(InputError, match="40 pages, whose names and ranks are held in memory: the smallest"):
        read_edges(str(tmp_path / "edges.tsv"), memory="1GB")


def test_statistics_some_links_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Chains whose parts meet only in later links, and pages that link to themselves.
    links = [(n, n + 3) for n in range(40) if n % 10] + [(60, 60), (61, 62), (63, 62), (30, 3)]
    (tmp_path / "edges").write_text("".join(f"p{a}\tp{b}\n" for a, b in links))
    whole = link_statistics(tmp_path / "edges")
    monkeypatch.setattr(statistics, "AT_ONCE", 3)
    assert link_statistics(tmp_path / "edges", memory=BUDGET).facts == whole.facts
