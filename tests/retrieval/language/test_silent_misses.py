"""What a search must not miss in silence: words as written, parts of names, numbers, accents, languages, changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.language import Language
from leadline.retrieval.models.searcher import Searcher
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.word_search import SearchHistory, search_words


def language_of(texts: dict[str, str], folder: Path, **options: object) -> Language:
    documents = [{"id": name, "abstract": text} for name, text in texts.items()]
    return Language(Index.build(documents, folder, fields=["abstract"], positions=True, **options))  # type: ignore[arg-type]


def names(language: Language, text: str) -> list[str]:
    return sorted(language.index.id_of(row) for row in language.search(text).ranking.rows)


def test_truncation_finds_every_word_that_begins_so(tmp_path: Path) -> None:
    words = ("communicate", "communicates", "communication", "communicative", "communal", "communicating", "commute")
    language = language_of({word: f"We {word}." for word in words}, tmp_path)
    assert names(language, "communicat*") == sorted(word for word in words if word.startswith("communicat"))
    assert names(language, "communication*") == ["communication"]
    assert names(language, "*ing") == ["communicating"]


NAMES = {
    "A": "A film of poly(3-hydroxybutyrate) and 1,4-butanediol.", "B": "COVID-19 and 4-wheel drive.",
    "C": "1,000 bolts, 100-200 mm", "D": "1000 nuts of AT&T at 3.50 bar", "E": "A naïve café of Müller; R&D",
    "F": "a cafe of Mueller", "G": "1 000 screws at 3.5 bar", "H": "hydroxybutyrate", "I": "butane, COVID and wheels",
    "J": "COVID 19",
}  # fmt: skip


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("hydroxybutyrate", "AH"), ("3-hydroxybutyrate", "A"), ("butanediol", "A"), ("1,4-butanediol", "A"),
        ("COVID", "BIJ"), ("COVID-19", "BJ"), ("19", "BJ"), ("wheel", "BI"), ("4-wheel", "B"), ("1000", "CDG"),
        ("1,000", "CDG"), ("100-200", "C"), ("100", "C"), ("200", "C"), ("AT&T", "D"), ("naive", "E"), ("cafe", "EF"),
        ("café", "EF"), ("muller", "E"), ("Müller", "EF"), ("mueller", "EF"), ("R&D", "E"), ("3.5", "DG"),
        ("3.50", "DG"), ("butanediol NEAR/3 hydroxybutyrate", "A"), ("hydroxybutyrat*", "AH"),
        ("*hydroxybutyrate", "AH"), ("COVID-19 OR nuts", "BDJ"), ("1000 NEAR/1 screws", "G"),
        ("butanedi*", "A"), ("butan*", "AI"), ("but?nediol", "A"), ("covi*", "BIJ"), ("*butanedi*", "A"),
        ("whee$", "BI"), ('"4-wheel driv*"', "B"), ("19*", "J"), ("4*", "B"),
    ],
)  # fmt: skip
def test_names_and_their_parts_are_found(query: str, found: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    language = language_of(NAMES, tmp_path_factory.mktemp("names"))
    assert names(language, query) == list(found), query


def test_ranking_by_words_is_as_without_parts(tmp_path: Path) -> None:
    """Models rank by the postings of words: parts and spellings are only in the query language."""
    language = language_of(NAMES, tmp_path)
    ranked = Searcher(language.index).search("hydroxybutyrate bolts", "bm25")
    assert sorted(language.index.id_of(row) for row in ranked.rows) == ["C", "H"]


def test_documents_are_analysed_in_their_language(tmp_path: Path) -> None:
    documents = [
        Document("DE1", language="de", abstract="Die Verbindungen der Häuser. Ein Fahrradrahmen aus Stahl"),
        Document("DE2", language="de", abstract="Das Fahrrad und das Umrahmen, mit der Arbeitszeit und der Zeit"),
        Document("EN1", language="en", abstract="The connections of houses"),
    ]
    language = Language(Index.build(documents, tmp_path / "i", fields=["abstract"], positions=True))
    assert names(language, "Verbindung") == ["DE1"]
    assert names(language, "Haus") == names(language, "hause") == ["DE1"]
    assert names(language, "connection") == names(language, "house") == ["EN1"]
    assert names(language, "Rahmen") == ["DE1"]  # Fahrradrahmen, not Umrahmen
    assert names(language, "Fahrrad") == ["DE2"]  # Rahmen alone is not a word of these documents
    assert names(language, "der") == []  # a common word of these documents
    parts = Index.build(documents[:1], tmp_path / "p", fields=["abstract"], positions=True).add(documents[1:])
    asked = ("Verbindung", "Haus", "Rahmen", "house", "Verbind*")
    separate = [names(Language(parts), text) for text in asked]
    merged = Language(parts.merge())
    assert separate == [names(language, text) for text in asked] == [names(merged, text) for text in asked]


def test_filters_without_values_say_so(tmp_path: Path) -> None:
    documents = [{"id": f"D{n}", "title": "film", "application": "1999-01-01"} for n in range(3)]
    language = Language(Index.build([*documents, {"id": "X", "title": "film"}], tmp_path, fields=["title", "claims"]))
    notes = language.search("film before:2000").notes
    assert "before: 3 documents without a publication date: by their filing date" in notes
    assert "1 document without a date left out" in notes
    assert language.search("film before:2000").found == 3
    assert "claims: finds nothing: no document of this index has claims" in language.search("claims:film").notes
    assert "class: finds nothing: no document of this index has classes" in language.search("class:C07D").notes
    assert "applicant: finds nothing: no document of this index has applicants" in language.search("pa=siemens").notes


def made(documents: list[Document], folder: Path, state: str = "first") -> None:
    write_collection(documents, folder / "c", {"sources": state})


def test_a_changed_collection_is_served_and_said(tmp_path: Path) -> None:
    first = [
        Document(f"D{n}", title="film", abstract=f"A film of tin {n}", claims=(Claim(1, "A\nfilm"),)) for n in range(3)
    ]
    made(first, tmp_path)
    Index.build(Collection.open(tmp_path / "c"), tmp_path / "i", positions=True, origin=str(tmp_path / "c"))
    same = search_words(SearchContext.open(tmp_path / "i"), "film")
    assert (same.found, [hit.changed for hit in same.hits], same.notes) == (3, [False] * 3, ())
    made([first[0], Document("D1", title="film", abstract="A film of gold")], tmp_path, "second")
    found = search_words(SearchContext.open(tmp_path / "i"), "film")
    assert found.found == 3
    assert {hit.name: (hit.document is None, hit.changed) for hit in found.hits} == {
        "D0": (False, False), "D1": (False, True), "D2": (True, False),
    }  # fmt: skip
    assert len(found.snippets()) == 3
    where = tmp_path / "c"
    fix = f"`leadline index {where} -o {tmp_path / 'i'} --update` brings the index up to date"
    said = f"{where} has changed since it was indexed"
    assert list(found.notes) == [f"{said}, of the documents shown 1 deleted and 1 changed: {fix}"]
    unseen = search_words(SearchContext.open(tmp_path / "i"), "nothing of it").notes
    assert unseen[-1] == f"{said}: {fix}"
    updated = Index.open(tmp_path / "i").update(Collection.open(where))
    assert updated.ids == ["D0", "D1"]
    now = search_words(SearchContext.open(tmp_path / "i"), "film")
    assert ([(hit.name, hit.changed) for hit in now.hits], now.notes) == ([("D0", False), ("D1", False)], ())


def test_a_session_is_numbered_and_combined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made([Document("D1", title="acid film"), Document("D2", title="film"), Document("D3", title="acid")], tmp_path)
    Index.build(Collection.open(tmp_path / "c"), tmp_path / "i", origin=str(tmp_path / "c"))
    session = str(tmp_path / "session.json")
    for query, count in (
        ("film", "2 documents"),
        ("acid", "2 documents"),
        ("#1 AND #2", "1 document"),
        ("#1 NOT #3", "1 document"),
    ):
        main(["search", str(tmp_path / "i"), query, "--history", session])
        assert f": {count}, kept in {session}" in capsys.readouterr().err
    main(["search", str(tmp_path / "i"), "--history", session, "--format", "json"])
    listed = json.loads(capsys.readouterr().out)
    assert [(row["number"], row["found"], row["query"]) for row in listed] == [
        ("#1", 2, "film"), ("#2", 2, "acid"), ("#3", 1, "#1 AND #2"), ("#4", 1, "#1 NOT #3"),
    ]  # fmt: skip
    kept = Path(session).read_bytes()
    with pytest.raises(SystemExit):
        main(["search", str(tmp_path / "i"), "#7 AND film", "--history", session])
    assert "#7 is not in the session, which has #1 to #4" in capsys.readouterr().err
    assert Path(session).read_bytes() == kept
    Path(session).write_bytes(Path(session).read_bytes().replace(b"acid", b"tin "))
    with pytest.raises(SystemExit):
        main(["search", str(tmp_path / "i"), "#1", "--history", session])
    assert "is damaged" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["search", str(tmp_path / "i")])
    assert SearchHistory.read(tmp_path / "none").queries == ()


def test_a_session_of_another_index_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, title in (("one", "film"), ("two", "acid film")):
        made([Document("D1", title=title)], tmp_path / name)
        Index.build(
            Collection.open(tmp_path / name / "c"), tmp_path / f"{name}.index", origin=str(tmp_path / name / "c")
        )
    session = str(tmp_path / "session.json")
    main(["search", str(tmp_path / "one.index"), "film", "--history", session])
    main(["search", str(tmp_path / "one.index"), "#1", "--history", session])
    assert "asked in" not in capsys.readouterr().err
    main(["search", str(tmp_path / "two.index"), "#1", "--history", session])
    other = (
        f"{session}: #1, #2 were asked in {tmp_path / 'one.index'}: counts differ here; "
        "name another file with --history"
    )
    assert other in capsys.readouterr().err
    main(["search", str(tmp_path / "two.index"), "--history", session])
    assert f"{session} has counts of 2 indexes: " in capsys.readouterr().err


def test_a_month_or_a_year_is_after_its_last_day(tmp_path: Path) -> None:
    days = ["2014-12-31", "2015-01-01", "2015-06-30", "2015-12-31", "2016-01-01"]
    made([Document(day, title="film", publication=day) for day in days], tmp_path)
    language = Language(Index.build(Collection.open(tmp_path / "c"), tmp_path / "i"))
    assert names(language, "film after:2015") == names(language, "film pd>2015") == days[4:]
    assert names(language, "film after:2015-06") == names(language, "film pd>2015-06") == days[3:]
    assert names(language, "film before:2015") == names(language, "film pd<2015") == days[:1]
    assert names(language, "film after:(2015 OR 2014)") == days[1:]
    notes = language.search("film after:2015 before:2016").notes
    assert notes[0].endswith("nothing matches; after:2015 means from 2016-01-01 on; before:2016 means up to 2015-12-31")


def test_names_and_numbers_in_no_document_are_noted(tmp_path: Path) -> None:
    language = language_of({"A": "2,4-dichlorophenol and film"}, tmp_path)
    for word in ("2,4-dichlorophenoxyacetic", "ADJ99999999999"):
        assert any(note.startswith(f"{word} is in no document") for note in language.search(f"film {word}").notes), word
    assert not language.search("2,4-dichlorophenol dichlorophenol 2,4").notes


def test_patterns_on_unstemmed_words(tmp_path: Path) -> None:
    language = language_of({"A": "film", "B": "films"}, tmp_path, analysis=Analysis(stemming="none"))
    assert names(language, "film*") == ["A", "B"]
    assert names(language, "*s") == ["B"]


OLDER_SESSION = Path(__file__).parents[2] / "golden" / "version-0.1" / "session.json"


def test_a_session_of_version_0_1_is_read_and_carried_over_by_the_next_query(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made([Document("D1", title="acid film"), Document("D2", title="film")], tmp_path)
    Index.build(Collection.open(tmp_path / "c"), tmp_path / "i", origin=str(tmp_path / "c"))
    session = tmp_path / "session.json"
    session.write_bytes(OLDER_SESSION.read_bytes())
    earlier = (("film", 2), ("acid", 2), ("#1 AND #2", 1))
    read = SearchHistory.read(session)
    assert (read.queries, set(read.indexes)) == (earlier, {"/tmp/leadline-0.1/patents.index"})
    assert session.read_bytes() == OLDER_SESSION.read_bytes()  # reading changes nothing
    main(["search", str(tmp_path / "i"), "#3 OR film", "--history", str(session)])
    assert f"#4: 2 documents, kept in {session}" in capsys.readouterr().err
    assert SearchHistory.read(session).queries == (*earlier, ("#3 OR film", 2))
    assert session.read_bytes().startswith(b"SQLite format 3")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("session")] == ["session.json"]
    session.write_bytes(OLDER_SESSION.read_bytes().replace(b"acid", b"tin "))
    damaged = session.read_bytes()
    with pytest.raises(SystemExit):
        main(["search", str(tmp_path / "i"), "film", "--history", str(session)])
    assert "is damaged" in capsys.readouterr().err
    assert session.read_bytes() == damaged
