"""How easily a known page is found by links and by search."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.retrieval.public import build_index
from leadline.show.findability import findability, without_site_name

PAGES = {"home": "Home", "ink": "Blue ink", "paper": "Blue paper", "deep": "Varnish", "lost": "Lacquer", "bare": ""}
LINKS = [("home", "ink", False), ("ink", "paper", False), ("paper", "deep", True)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of six pages, and its index: `lost` is linked from nowhere, `bare` has no title."""
    folder = tmp_path_factory.mktemp("site")
    documents = [
        Document(name, title=f"{title} | Shop" if title else "", description=f"{title} text")
        for name, title in PAGES.items()
    ]
    write_collection(documents, folder / "crawl", {"sources": "test"})
    links = [(source, target, "", nofollow) for source, target, nofollow in LINKS]
    columns = ["source", "target", "anchor", "nofollow"]
    pl.DataFrame(links, columns, orient="row").write_parquet(folder / "crawl" / "links.parquet")
    pl.DataFrame({"address": ["home", "ink"], "depth": [0, 1]}).write_parquet(folder / "crawl" / "pages.parquet")
    build_index(folder / "crawl", folder / "index")
    return folder


def test_clicks_begin_at_the_seeds_and_people_click_on_nofollow(site: Path) -> None:
    found = findability(site / "crawl")
    assert {page.page: page.clicks for page in found.pages} == {
        "home": 0, "ink": 1, "paper": 2, "deep": 3, "lost": None, "bare": None,
    }  # fmt: skip
    assert found["by links", "within 1 click"] == 1 / 5
    assert found["by links", "within 3 clicks"] == found["by links", "within 6 clicks"] == 3 / 5
    assert (found["by links", "not reached"], found["by links", "mean clicks"]) == (2, 2)
    assert findability(site / "crawl", nofollow="drop")["by links", "not reached"] == 3
    assert findability(site / "crawl", front=["paper", "lost"], nofollow="drop")["by links", "reached"] == 0


def test_search_by_titles(site: Path) -> None:
    found = findability(site / "crawl", index=site / "index", system="baseline", clicks=2, rank=1)
    ways = {page.page: (page.rank, page.found, page.query) for page in found.pages}
    assert ways["lost"] == (1, "search", "lacquer")
    assert ways["deep"] == (1, "search", "varnish")
    assert ways["ink"] == (1, "both", "blue ink")
    assert "bare" not in ways
    assert found["by search", "MRR"] == found["by search", "share first"] == 1
    assert found["known items found", "by search only"] == 2
    assert "1 page without a title: not searched for" in found.notes
    assert "left out of titles, as the name of the site: shop" in found.notes
    drawn = findability(site / "crawl", index=site / "index", system="baseline", sample=2, rng=3)
    assert len(drawn.pages) == 2
    assert "2 of 5 pages with a title drawn to be searched for, seed 3" in drawn.notes


def test_given_queries_and_their_ranks(site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topics, qrels = tmp_path / "topics.tsv", tmp_path / "known.qrels"
    topics.write_text("1\tblue\n2\tvarnish\n3\tglue\n")
    qrels.write_text("1 0 ink 1\n1 0 paper 1\n1 0 lost 0\n2 0 lost 1\n9 0 ink 1\n")
    words = ["links", "findability", str(site / "crawl"), "--index", str(site / "index"), "--system", "baseline"]
    words += ["--topics", str(topics), "--qrels", str(qrels)]
    assert not main([*words, "--by-page", "--format", "csv"])
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[:2] == ["page,in_links,clicks,rank,found,query", "lost,0,,,neither,varnish"]
    assert {line.split(",")[3] for line in lines[2:]} == {"1", "2"}
    assert "1 topic without a page in qrels: left out" in printed.err
    assert not main([*words, "--format", "csv"])
    assert "by search,MRR,0.5" in capsys.readouterr().out.splitlines()


def test_a_name_of_the_site_before_titles() -> None:
    titles = {n: ("acme", word) for n, word in enumerate("abcd")} | {4: ("e",), 5: ("acme",)}
    assert without_site_name(titles) == ({0: ("a",), 1: ("b",), 2: ("c",), 3: ("d",), 4: ("e",), 5: ("acme",)}, "acme")
    assert without_site_name({0: ("a", "acme"), 1: ("b", "acme")})[1] == ""


@pytest.mark.parametrize(
    ("options", "status", "problem"),
    [
        ([], 1, "front: name the front page"),
        (["--front", "Q"], 1, "front: 'Q' is not a page of the graph"),
        (["--front", "a", "--system", "best"], 2, "--system: needs --index as well"),
        (["--front", "a", "--index", "INDEX", "--topics", "edges.tsv"], 2, "--topics: needs --qrels as well"),
        (["--front", "a", "--depth", "3"], 2, "--depth: must be at least --rank, 10, got 3"),
        (["--front", "a", "-k", "3"], 2, "-k: is the number of pages to print"),
        (["--front", "a", "--index", "INDEX"], 1, "has no page of this graph"),
    ],
)
def test_wrong_input_gets_one_line(
    site: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    status: int,
    problem: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("edges.tsv").write_text("a\tb\n")
    words = [str(site / "index") if word == "INDEX" else word for word in options]
    with pytest.raises(SystemExit) as ended:
        main(["links", "findability", "edges.tsv", *words])
    assert ended.value.code == status
    said = capsys.readouterr().err
    assert problem in said
    assert len(said.splitlines()) == 1


def test_in_python_too(site: Path) -> None:
    with pytest.raises(InputError, match="qrels: needs topics as well"):
        findability(site / "crawl", index=site / "index", qrels={"1": {"ink": 1}})
    with pytest.raises(InputError, match="topics: needs an index"):
        findability(site / "crawl", topics="topics.tsv")
