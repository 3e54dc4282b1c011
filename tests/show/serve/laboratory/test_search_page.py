"""Search: hits by family, filters and their counts, wrong queries, hostile texts, several threads."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.laboratory.searching_labs import HOSTILE, STRANGE, odd_lab

from leadline.cli import main
from leadline.records.qrels import read_qrels
from leadline.show.lab.lab import Lab

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def client(visit: Visit, small_lab: Path) -> Any:
    return visit(small_lab)


def test_the_page_the_json_and_the_command_find_the_same(
    client: Any, small_lab: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = client.get("/api/search", params={"q": "method system", "k": 5}).json()
    assert data["found"] > 5
    assert [card["rank"] for card in data["cards"]] == [1, 2, 3, 4, 5]
    main(["search", str(small_lab.parent / "index"), "method", "system", "-k", "5", "--format", "json", "-q"])
    told = json.loads(capsys.readouterr().out)
    assert [hit["document"] for hit in told] == [card["document"] for card in data["cards"]]
    assert [hit["score"] for hit in told] == [card["score"] for card in data["cards"]]
    page = client.get("/search", params={"q": "method system", "k": 5})
    assert page.status_code == 200
    for card in data["cards"]:
        assert f">{card['document']}</span>" in page.text
        assert f"/document/office/{card['document']}" in page.text
    assert "<mark>" in page.text
    assert "How the query was understood" in page.text
    assert {row["part"] for row in data["parts"]} == {"method", "system"}


def test_why_adds_up_to_the_score(client: Any) -> None:
    for card in client.get("/api/search", params={"q": "method system device"}).json()["cards"]:
        assert sum(each["score"] for each in card["why"]) == pytest.approx(card["score"])
        assert max(each["share"] for each in card["why"]) == 1.0


def test_hits_are_families_and_their_members_are_listed(client: Any) -> None:
    cards = client.get("/api/search", params={"q": "method system", "k": 20}).json()["cards"]
    listed = [each["document"] for card in cards for each in card["family"]]
    shown = [card["document"] for card in cards]
    assert len(set(shown) | set(listed)) == len(shown) + len(listed)
    assert all(len(card["family"]) == card["members"] - 1 for card in cards)
    assert any(card["members"] > 1 for card in cards)


def test_pages_follow_each_other(client: Any) -> None:
    def names(**values: Any) -> list[tuple[int, str]]:
        cards = client.get("/api/search", params={"q": "method system", **values}).json()["cards"]
        return [(card["rank"], card["document"]) for card in cards]

    assert names(k=4) + names(k=4, page=2) + names(k=4, page=3) == names(k=12)
    first, second = (client.get("/search", params={"q": "method", "k": 4, "page": page}).text for page in (1, 2))
    assert 'rel="next"' in first
    assert 'rel="prev"' not in first
    assert 'rel="prev"' in second


def test_the_counts_of_filters_are_what_they_give(client: Any) -> None:
    data = client.get("/api/search", params={"q": "method"}).json()
    facets = data["facets"]
    assert sum(each["count"] for each in facets["periods"]) == data["found"]
    assert sum(each["count"] for each in facets["offices"]) == data["found"]
    for each in facets["periods"][:2]:
        narrowed = client.get("/api/search", params={"q": "method", "after": each["after"], "before": each["before"]})
        assert narrowed.json()["found"] == each["count"]
    code = facets["classes"][0]
    narrowed = client.get("/api/search", params={"q": "method", "class": code["words"]}).json()
    assert narrowed["found"] == code["count"]
    below = narrowed["facets"]["classes"]
    assert all(each["words"].startswith(code["words"]) and each["words"] != code["words"] for each in below)
    assert (
        client.get("/api/search", params={"q": "method", "office": facets["offices"][0]["words"]}).json()["found"]
        == (facets["offices"][0]["count"])
    )


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"class": "XX"}, "class: 'XX' is not a valid class; use one like C07, C07D or C07D401/04"),
        ({"model": "bm26"}, "did you mean bm25?"),
        ({"model": "bm25(k2=1)"}, "bm25: has no option 'k2'"),
        ({"index": "word"}, "word: is not among the indexes; did you mean words?"),
        ({"before": "soon"}, "published before: 'soon' is not a date; write 1998-08-12"),
        ({"page": "400"}, "page: must be 1 to 100 with 10 hits a page, got 400"),
        ({"qrels": "qrels.tru", "topic": "1"}, "did you mean qrels.true?"),
        ({"qrels": "qrels.true", "topic": "nothing"}, "no topic 'nothing'"),
        ({"duplicates": "none"}, "none: is not among the near-duplicates"),
        ({"q": '"'}, "has no word to search for"),
        ({"q": "x" * 20_001}, "q: has 20,001 characters"),
    ],
)
def test_a_wrong_search_gets_one_line_and_keeps_its_form(client: Any, values: dict[str, str], line: str) -> None:
    asked = {"q": "method", **values}
    page = client.get("/search", params=asked)
    assert page.status_code == 400
    (said,) = re.findall(r'role="alert">([^<]*)<', page.text)
    assert line.replace("'", "&#39;").replace('"', "&#34;") in said
    assert 'name="q"' in page.text
    data = client.get("/api/search", params=asked)
    assert data.status_code == 400
    assert line in data.json()["error"]


@pytest.mark.parametrize("k", ["abc", "0", "1000", "-1", "1.5"])
def test_a_wrong_number_is_named(client: Any, k: str) -> None:
    answer = client.get("/search", params={"q": "method", "k": k})
    assert answer.status_code == 400
    assert "k must be" in answer.text
    assert k in answer.text


def test_a_word_that_is_nowhere_gets_a_link_to_the_nearest(client: Any) -> None:
    page = client.get("/search", params={"q": "methot"})
    assert "methot is in no document" in page.text
    assert "Did you mean" in page.text
    assert 'href="/search?q=method"' in page.text
    assert "Nothing found" in page.text


def test_judgements_are_marked_in_words(client: Any, small_lab: Path) -> None:
    qrels = read_qrels(Lab.open(small_lab).get("qrels", "qrels.true").path)
    topic = qrels.topics[0]
    grades = qrels.judgements(topic)
    values = {"q": "method OR system OR device", "qrels": "qrels.true", "topic": topic, "k": 100}
    cards = client.get("/api/search", params=values).json()["cards"]
    assert [card["grade"] for card in cards] == [grades.get(card["document"]) for card in cards]
    page = client.get("/search", params=values).text
    assert page.count("not judged</span>") == sum(card["grade"] is None for card in cards)
    assert page.count("✓ relevant") == sum((card["grade"] or 0) > 0 for card in cards) > 0


def test_every_table_downloads(client: Any) -> None:
    for ending in ("csv", "tsv", "json", "parquet", "tex", "md"):
        answer = client.get(f"/search.{ending}", params={"q": "method", "k": 3})
        assert answer.status_code == 200, ending
        assert f'filename="search-hits.{ending}"' in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(client.get("/search.csv", params={"q": "method", "k": 3}).text)))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    assert client.get("/search.doc", params={"q": "method"}).status_code == 404


def test_texts_are_escaped_and_ids_are_safe_in_addresses(visit: Visit, tmp_path: Path) -> None:
    client = visit(odd_lab(tmp_path))
    page = client.get("/search", params={"q": "coating script alert", "qrels": "judged", "topic": "7"})
    assert page.status_code == 200
    assert "<script>alert" not in page.text
    assert "<img" not in page.text
    assert "\x1b" not in page.text
    assert "\u202e" not in page.text
    assert "✓ relevant (2)" in page.text
    assert "✕ not relevant (0)" in page.text
    link = next(each for each in re.findall(r'href="(/document/odd/[^"]*)"', page.text) if "%2F" in each)
    assert "%3C" in link
    document = client.get(link.replace("&amp;", "&"))
    assert document.status_code == 200
    assert "&lt;script&gt;" in document.text
    for query in (HOSTILE, "<script>alert(1)</script>", "'\"><svg onload=alert(1)>"):
        said = client.get("/search", params={"q": query, "model": query, "class": query})
        assert "<script>alert" not in said.text
        assert "<svg onload" not in said.text


def test_near_duplicates_are_folded(visit: Visit, tmp_path: Path) -> None:
    client = visit(odd_lab(tmp_path))
    all_of_them = [card["document"] for card in client.get("/api/search", params={"q": "coating"}).json()["cards"]]
    folded = client.get("/api/search", params={"q": "coating", "duplicates": "near"}).json()["cards"]
    assert {"D2", "D3"} <= set(all_of_them)
    assert len({"D2", "D3"} & {card["document"] for card in folded}) == 1
    assert STRANGE in all_of_them


def test_several_threads_get_their_own_answers(client: Any) -> None:
    queries = ["method", "system", "device", "method system", "first", "coating"] * 4

    def ask(query: str) -> tuple[str, list[str]]:
        data = client.get("/api/search", params={"q": query, "k": 5}).json()
        return data["asked"]["q"], [card["document"] for card in data["cards"]]

    one_by_one = dict(map(ask, set(queries)))
    with ThreadPoolExecutor(8) as pool:
        for query, found in pool.map(ask, queries):
            assert found == one_by_one[query]


def test_nobody_who_is_not_signed_in_searches(visit: Visit, small_lab: Path) -> None:
    stranger = visit(small_lab, None)
    for path in ("/search?q=method", "/prior-art", "/collections", "/collection/office", "/directory/office",
                 "/document/office/x", "/api/search?q=method", "/search.csv?q=method"):  # fmt: skip
        assert stranger.get(path).status_code == 401, path
    assert visit(small_lab, "assessor").get("/search?q=method").status_code == 200


def test_an_empty_lab_says_what_to_do(visit: Visit, tmp_path: Path) -> None:
    Lab.create(tmp_path / "lab")
    client = visit(tmp_path / "lab")
    assert "leadline index COLLECTION" in client.get("/search").text
    assert "leadline index COLLECTION" in client.get("/search?q=method").text
    assert "leadline index COLLECTION" in client.get("/prior-art").text
    assert "leadline collection build" in client.get("/collections").text


def test_an_index_that_is_gone_is_named(visit: Visit, tmp_path: Path) -> None:
    client = visit(odd_lab(tmp_path))
    assert client.get("/search?q=coating").status_code == 200
    (tmp_path / "index").rename(tmp_path / "elsewhere")
    answer = client.get("/search?q=coating")
    assert answer.status_code == 400
    assert "the index is gone" in answer.text
