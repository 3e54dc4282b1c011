"""`leadline search`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.at_once import CommandsAtOnce

import leadline as ll
from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.retrieval.index.index import Index


def test_search_shows_one_hit_a_family(office: Any) -> None:
    out, err = office.run("search", office.index, "silver AND wrapping")
    assert err == ""
    lines = out.splitlines()
    assert lines[0].split() == ["silver", "AND", "wrapping", "3", "documents"]
    assert [line.split()[0] for line in lines[3:] if re.match(r" {3}[0-9]", line)] == ["1", "2"]
    assert "      WO9700001A1 · 1997-07-10 · C08J5/18 · 2 in the family" in lines
    assert "\033" not in out
    rows = office.rows("search", office.index, "silver AND wrapping", "--why")
    assert [row["members"] for row in rows] == [2, 2]
    for row in rows:
        assert sum(share["score"] for share in row["why"]) == pytest.approx(row["score"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["film"], {"EP1000001B1", "EP0900001A1", "US6500001B2"}),
        (["film", "--before", "1998"], {"EP0900001A1"}),
        (["film", "--after", "2001"], {"US6500001B2"}),
        (["film", "--after", "2002-12-30"], {"US6500001B2"}),
        (["film", "--class", "A01N"], {"EP1000001B1"}),
        (["film", "--office", "us"], {"US6000001B1", "US6500001B2"}),
        (["particles", "coated", "--class", "C01B39"], {"US5000001A"}),
        (['"water in oil"'], {"JP1990001A"}),
        (["oil NEAR/2 water"], {"JP1990001A"}),
        (["title:nai*"], {"JP1990001A"}),
        (["film -polymer", "--fields", "title=2,abstract"], {"EP0900001A1"}),
        (["film", "--model", "dirichlet(mu=100)", "-k", "1"], None),
    ],
)
def test_options_of_search(office: Any, options: list[str], expected: set[str] | None) -> None:
    found = {row["document"] for row in office.rows("search", office.index, *options)}
    if expected is None:
        assert len(found) == 1
    else:
        best = {"WO9700001A1": "EP0900001A1", "US6000001B1": "EP1000001B1"} if "--office" not in options else {}
        assert {best.get(name, name) for name in found} == expected


def test_newest_first(office: Any) -> None:
    days = [row["published"] for row in office.rows("search", office.index, "film", "--newest")]
    assert days == sorted(days, reverse=True) == ["2002-12-31", "2001-03-07", "1997-07-10"]
    assert "newest first" in office.run("search", office.index, "film sort:newest")[0]


def test_snippets_show_the_words_sought(office: Any) -> None:
    row, *_ = office.rows("search", office.index, "dispersed evenly")
    assert row["snippet"] == "The polymer film holds silver particles, dispersed evenly."


def test_search_refuses_in_one_line(office: Any) -> None:
    search = ["search", office.index]
    assert office.error(*search, "", status=2) == "QUERY: is empty"
    assert office.error(*search, "the ???", status=2) == "QUERY: 'the ???' has no word to search for"
    assert office.error(*search, "film", "--model", "bm26", status=2).endswith("did you mean bm25?")
    assert "has no option 'k2'" in office.error(*search, "film", "--model", "bm25(k2=1)", status=2)
    assert "--class: 'chemistry' is not a valid class" in office.error(
        *search, "film", "--class", "chemistry", status=2
    )
    assert office.error(*search, "film", "--before", "then", status=2).startswith("--before: 'then' is ")
    assert office.error(*search, "film", "--fields", "titel", status=2).endswith("did you mean title?")
    assert office.error(*search, "film", "-k", "0", status=2) == "-k: must be at least 1, got 0"
    assert office.error(*search, "film", "-f", "jsn", status=2).endswith("did you mean json?")


def test_odd_queries_are_answered_with_a_note(office: Any) -> None:
    out, err = office.run("search", office.index, "tittle:film AND (")
    assert "film" in out
    assert "there is no field tittle; did you mean title:?" in err
    out, err = office.run("search", office.index, "marshmallow")
    assert out.endswith("nothing found\n")


def test_search_without_the_collection(office: Any, tmp_path: Path) -> None:
    source: object = office.documents
    index = Index.build(source, tmp_path / "alone")
    out, err = office.run("search", str(index.folder), "film", "-k", "1")
    assert "undated" not in out
    assert "no titles and texts" in err


def test_an_empty_session_says_so(office: Any, tmp_path: Path) -> None:
    session = tmp_path / "session.json"
    _, notes = office.run("search", office.index, "--history", str(session))
    assert notes.strip() == f"{session} has no queries yet"


def test_searches_at_once_are_all_kept_in_a_session(office: Any, tmp_path: Path) -> None:
    session = tmp_path / "session.json"
    queries = [f"film OR word{number}" for number in range(6)]
    lines = [["search", office.index, "--history", str(session), query] for query in queries]
    searches = CommandsAtOnce(lines, ["leadline.retrieval.public", "leadline.retrieval.word_search"]).ended()
    said = [error for _, _, error in searches]
    assert [status for status, _, _ in searches] == [0] * 6, said
    rows = office.rows("search", office.index, "--history", str(session))
    assert sorted(row["query"] for row in rows) == queries
    assert {f"#{number}:" for number in range(1, 7)} == {re.search(r"#\d:", each)[0] for each in said}  # type: ignore[index]


def test_why_and_highlights_are_in_words_as_written(office: Any) -> None:
    rows = office.rows("search", office.index, "Films dispersing", "--why")
    assert {share["term"] for row in rows for share in row["why"]} == {"Films", "dispersing"}
    words = {row["snippet"][mark["start"] : mark["end"]].lower() for row in rows for mark in row["highlights"]}
    assert words
    assert all(word.startswith(("film", "disper")) for word in words)


def test_highlights_count_characters(tmp_path: Path, office: Any) -> None:
    import leadline as ll

    texts = [{"id": "D1", "title": "Ä", "abstract": "Große 𝛼-Folien ½ mm, dünne Folien 水 und Film."}]
    Path(tmp_path / "d.jsonl").write_text(json.dumps(texts[0]), encoding="utf-8")
    ll.build_collection(tmp_path / "d.jsonl", tmp_path / "c")
    ll.build_index(tmp_path / "c", tmp_path / "i")
    (row,) = office.rows("search", str(tmp_path / "i"), "Folien film dünne")
    assert [row["snippet"][mark["start"] : mark["end"]] for mark in row["highlights"]] == [
        "Folien", "dünne", "Folien", "Film",
    ]  # fmt: skip


def test_a_query_is_explained(office: Any) -> None:
    explained = ["search", office.index, "film UND silver", "--explain-query"]
    out, err = office.run(*explained)
    assert "film AND silver" in out
    assert "UND was taken as AND" in err
    found = json.loads(office.run(*explained, "-f", "json")[0])
    assert (found["query"], found["understood"]) == ("film UND silver", "film AND silver")
    assert [part["part"] for part in found["parts"]] == ["film", "silver"]
    assert found["notes"] == ["UND was taken as AND; put it in quotes for the word"]
    _, err = office.run("search", office.index, "film after:2015", "--before", "2020", "--explain-query")
    assert "after:2015 means from 2016-01-01 on" in err
    assert "before:2020 means up to 2019-12-31" in err


def test_a_session_in_python(office: Any, tmp_path: Path) -> None:
    import leadline as ll

    session = tmp_path / "session.json"
    first = ll.search(office.index, "film", history=session)
    second = ll.search(office.index, "silver", history=session)
    both = ll.search(office.index, "#1 AND #2", history=session)
    assert (first.number, second.number, both.number) == (1, 2, 3)
    assert both.understood == "#1 AND #2"
    assert {hit.name for hit in both.hits} == {hit.name for hit in ll.search(office.index, "film AND silver").hits}
    assert ll.search(office.index, "film").number is None


def test_dates_that_exclude_each_other(office: Any) -> None:
    _, err = office.run("search", office.index, "film", "--after", "2010", "--before", "2000")
    assert "no day is in both: nothing matches; did you mean after:2000 before:2010?" in err


def test_results_as_ris_are_read_again(office: Any, tmp_path: Path) -> None:
    out, err = office.run("search", office.index, "silver AND wrapping", "-f", "ris", "-o", str(tmp_path / "found.ris"))
    assert (out, err) == ("", "")
    build([tmp_path / "found.ris"], tmp_path / "c", keep="all")
    found = {each.id: each for each in Collection.open(tmp_path / "c").documents()}
    asked = [row["document"] for row in office.rows("search", office.index, "silver AND wrapping")]
    assert list(found) == asked
    assert (tmp_path / "found.ris").read_text().startswith(f"TY  - PAT\nID  - {asked[0]}\nTI  - ")
    assert found["EP1000001B1"].abstract
    assert found["EP1000001B1"].title == "Antibacterial polymer film"
    for options in (["--why"], ["--explain-query"]):
        with pytest.raises(SystemExit):
            office.run("search", office.index, "silver", "-f", "ris", *options)


def test_the_default_system_orders_what_the_query_finds(office: Any) -> None:
    """The same everywhere: `best`, and what is found is what the query says, whatever orders it."""
    for query in ("film silver", "film AND NOT polymer", '"polymer film"'):
        usual = office.rows("search", office.index, query)
        assert usual == office.rows("search", office.index, query, "--system", "best")
        by_words = office.rows("search", office.index, query, "--model", "bm25")
        of = {"US6000001B1": "EP1000001B1", "WO9700001A1": "EP0900001A1"}  # another member of a family may be first
        first, second = ({of.get(row["document"], row["document"]) for row in rows} for rows in (usual, by_words))
        assert first == second
        assert [row["score"] for row in by_words] == sorted((row["score"] for row in by_words), reverse=True)
        in_python = ll.search(office.index, query)
        assert [(hit.name, hit.score) for hit in in_python.hits] == [(row["document"], row["score"]) for row in usual]
        assert in_python.system == "best"
    assert (
        ll.search(office.index, "film", newest=True).system
        == ll.search(office.index, "film", model="bm25").system
        == ""
    )
    assert ll.search(office.index, "class:A01N").system == ""  # there is no word to rank by


def test_any_system_orders_a_query(office: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('steps = ["survey", {step = "search", model = "dirichlet"}]')
    mine = office.rows("search", office.index, "film silver", "--system", str(file))
    alone = office.rows("search", office.index, "film silver", "--model", "dirichlet")
    assert [(row["document"], row["score"]) for row in mine] == [(row["document"], row["score"]) for row in alone]
    for name in ("bm25+rm3", "dutir"):
        for row in office.rows("search", office.index, "film silver", "--system", name, "--why"):
            assert sum(share["score"] for share in row["why"]) == pytest.approx(row["score"])
    error = office.error("search", office.index, "film", "--system", "best", "--model", "bm25", status=2)
    assert error == "--system: orders documents itself: leave out model, fields and newest"
    assert "`leadline prior-art`" in office.error("search", office.index, "film", "--system", "cmu", status=2)
    assert "did you mean best?" in office.error("search", office.index, "film", "--system", "bets", status=2)


def test_a_system_is_followed_by_what_it_does_not_rank(office: Any, tmp_path: Path) -> None:
    """A system that keeps few documents leaves out none that the query finds."""
    file = tmp_path / "few.toml"
    file.write_text('steps = ["survey", {step = "search", model = "bm25", depth = 1}]')
    few = office.rows("search", office.index, "film silver", "--system", str(file))
    every = office.rows("search", office.index, "film silver", "--model", "bm25")
    assert [row["document"] for row in few] == [row["document"] for row in every]
    assert few[0]["score"] == every[0]["score"]
    assert {row["score"] for row in few[1:]} == {0.0}
