"""The query language: what a text means, beside a brute-force evaluation of its tree on random collections."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from leadline.collections.documents.document import Document
from leadline.errors import InputError
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.language import Language
from leadline.retrieval.language.reading import understand
from leadline.retrieval.language.tree import (
    And,
    Boosted,
    Near,
    Node,
    Or,
    Side,
    Within,
    WordOrPhrase,
    is_filter,
    query_text,
)
from leadline.retrieval.models.searcher import Searcher

PLAIN = Analysis(stemming="none", stop_words="none")
FIELDS = ("title", "abstract")


def built(documents: list[Document], folder: Path, *, positions: bool = True, analysis: Analysis = PLAIN) -> Language:
    return Language(Index.build(documents, folder, fields=FIELDS, analysis=analysis, positions=positions))


# Documents of four words, and queries over them

WORDS = ("acid", "film", "filmy", "metal")
DAYS = ("", "1998-08-12", "1999-01-01", "2001-12-31")
CLASSES = ("", "C07D401/04", "C07D40/10", "A61K31/00")
texts = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
documents = st.lists(
    st.builds(
        lambda title, abstract, day, symbol, office: Document(
            "", title=title, abstract=abstract, publication=day, ipc=(symbol,) if symbol else (), office=office
        ),
        texts, texts, st.sampled_from(DAYS), st.sampled_from(CLASSES), st.sampled_from(("EP", "US")),
    ),
    min_size=1, max_size=8,
).filter(lambda found: any(document.title + document.abstract for document in found))  # fmt: skip
single = st.sampled_from((*WORDS, "fil*", "absent", "acid-metal", "a*")).map(WordOrPhrase)
several_words = st.lists(st.sampled_from((*WORDS, "fil*")), min_size=2, max_size=3).map(" ".join)
words = single | several_words.map(lambda text: WordOrPhrase(text, quoted=True))
filters = st.sampled_from(
    [("class", "C07D"), ("class", "C07D40"), ("office", "EP"), ("before", "1999-01-01"), ("after", "1998")]
).map(lambda pair: Within(pair[0], WordOrPhrase(pair[1])))


def several(parts: st.SearchStrategy[Node], kind: type) -> st.SearchStrategy[Node]:
    return st.lists(parts, min_size=2, max_size=3).map(lambda some: kind(tuple(some)))


def larger(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    positional = words | several(words, Or)
    near = st.lists(positional, min_size=2, max_size=3).flatmap(
        lambda some: st.lists(st.integers(1, 4), min_size=len(some) - 1, max_size=len(some) - 1).map(
            lambda within: Near(tuple(some), tuple(within))
        )
    )
    side = st.lists(st.tuples(st.sampled_from(["", "", "+", "-"]), parts), min_size=2, max_size=4)
    once = parts.filter(lambda part: not isinstance(part, (Within, Boosted)))
    boosted = st.builds(Boosted, once, st.sampled_from([0.0, 0.5, 2.0]))
    within = st.builds(Within, st.sampled_from(FIELDS), once)
    return several(parts, And) | several(parts, Or) | near | side.map(lambda some: Side(tuple(some))) | boosted | within


queries = st.recursive(words | filters, larger, max_leaves=6)


# The brute force: sets of rows, lists of words


def meant(node: Node, rows: list[Document], fields: tuple[str, ...]) -> set[int]:
    everything = set(range(len(rows)))
    if isinstance(node, Within) and node.field not in FIELDS:
        assert isinstance(node.part, WordOrPhrase)
        return {row for row in everything if passes(rows[row], node.field, node.part.text)}
    if isinstance(node, Within):
        return meant(node.part, rows, (node.field,))
    if isinstance(node, Boosted):
        return meant(node.part, rows, fields)
    if isinstance(node, And):
        return everything.intersection(*(meant(part, rows, fields) for part in node.parts))
    if isinstance(node, Or):
        return set().union(*(meant(part, rows, fields) for part in node.parts))
    if isinstance(node, Side):
        return side(node, rows, fields)
    return {row for row in everything for field in fields if places(node, getattr(rows[row], field).split())}


def side(node: Side, rows: list[Document], fields: tuple[str, ...]) -> set[int]:
    result = set(range(len(rows)))
    optional = [part for mark, part in node.parts if not mark and not is_filter(part)]
    for mark, part in node.parts:
        if mark == "-":
            result -= meant(part, rows, fields)
        elif mark == "+" or is_filter(part):
            result &= meant(part, rows, fields)
    if optional and not any(mark == "+" and not is_filter(part) for mark, part in node.parts):
        result &= set().union(*(meant(part, rows, fields) for part in optional))
    return result


def passes(document: Document, name: str, value: str) -> bool:
    if name == "class":
        under = value + ("/" if len(value) > 4 else "")
        return any(symbol == value or symbol.startswith(under) for symbol in document.ipc)
    if name == "office":
        return document.office == value
    day = value + ("-01-01" if name == "before" else "-12-31")[: 10 - len(value)]
    if not document.publication:
        return False
    return document.publication < day if name == "before" else document.publication > day


def places(node: Node, text: list[str]) -> list[tuple[int, int]]:
    """Every first and last place of a part in a text."""
    if isinstance(node, WordOrPhrase):
        asked = node.text.replace("-", " ").split()
        starts = range(len(text) - len(asked) + 1)
        return [
            (at, at + len(asked) - 1) for at in starts
            if all(same(wanted, text[at + place]) for place, wanted in enumerate(asked))
        ]  # fmt: skip
    if isinstance(node, Or):
        return [span for part in node.parts for span in places(part, text)]
    assert isinstance(node, Near)
    chain = places(node.parts[0], text)
    for part, within in zip(node.parts[1:], node.within, strict=True):
        chain = [
            (start, end) for start, end in places(part, text)
            if any(0 < start - last <= within or 0 < first - end <= within for first, last in chain)
        ]  # fmt: skip
    return chain


def same(wanted: str, word: str) -> bool:
    return word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted


@settings(max_examples=examples(100), deadline=None)
@given(documents, st.lists(queries, min_size=1, max_size=6))
def test_matches_are_those_of_sets(new_folder: Callable[[], Path], found: list[Document], asked: list[Node]) -> None:
    rows = [Document(f"D{n}", title=d.title, abstract=d.abstract, publication=d.publication, ipc=d.ipc, office=d.office)
            for n, d in enumerate(found)]  # fmt: skip
    language = built(rows, new_folder())
    for tree in asked:
        answer = language.search(query_text(tree), k=100)
        assert set(answer.ranking.rows.tolist()) == meant(tree, rows, FIELDS), query_text(tree)
        assert answer.found == len(answer.ranking)
        newest = language.search(query_text(tree), k=100, order="newest").ranking.rows.tolist()
        days = [rows[row].publication for row in newest]
        assert days == sorted(days, reverse=True)
        assert sorted(newest) == sorted(answer.ranking.rows.tolist())


@settings(max_examples=examples(150))
@given(queries)
def test_a_tree_is_understood_as_it_is_written(tree: Node) -> None:
    understood = understand(query_text(tree), FIELDS)
    assert all("no day is in both" in note for note in understood.notes)  # a true remark on the tree
    assert query_text(understood.tree) == query_text(tree)


WILD = st.text(st.sampled_from(list("ab  ()\"“:+-*^/2 ANDORTE\n\t水\x00é\ud800_,.;~&|!?'")), max_size=60)
SCRAPS = st.lists(
    st.sampled_from(["AND", "OR", "NOT", "NEAR", "NEAR/3", "NEAR/0", "(", ")", '"', "title:", "class:", "class:C07D",
                     "before:", "before:1998", "after:x", "sort:newest", "sort:", "foo:", "acid", "film*", "*", "^2",
                     "^", "+", "-", "fil*^3", "poly(ethylene", "the", "()", '""', "title:(", "office:EP", " "]),
    max_size=14,
).flatmap(lambda some: st.sampled_from(["", " "]).map(lambda glue: glue.join(some)))  # fmt: skip


@pytest.fixture(scope="module", params=[True, False], ids=["positions", "no positions"])
def small(request: pytest.FixtureRequest, new_folder: Callable[[], Path]) -> Language:
    rows = [
        Document("EP1", "EP", title="Polymer film", abstract="A film of acid, water in oil.", publication="1998-08-12"),
        Document("US2", "US", title="Metal", abstract="Films of metal.", publication="2001", ipc=("C07D401/04",)),
        Document("US3", "US", title="Polymers", abstract="Oil in water."),
    ]
    return built(rows, new_folder(), positions=request.param, analysis=Analysis())


@settings(max_examples=examples(250), deadline=None)
@example('(-")2')
@example('2:(-"')
@example("0:(NEAR1")
@example("((W/5) AND film) OR -(title:(NEAR1))")
@given(WILD | SCRAPS | st.text(max_size=40))
def test_any_text_is_a_query(small: Language, text: str) -> None:
    answer = small.search(text)
    again = small.search(answer.query)
    assert again.ranking.rows.tolist() == answer.ranking.rows.tolist(), (text, answer.query)
    assert again.query == answer.query
    if answer.found == 0 and not answer.terms:
        assert answer.notes or understand(text, small.index.fields).tree is not None


@pytest.mark.parametrize("name", ["family", "id", "class", "office", "kind", "applicant", "cites", "number"])
def test_a_filter_of_bytes_that_are_not_utf8_finds_nothing(small: Language, name: str) -> None:
    for value in ("1\udc8b", "\udcfe\udcff", "EP\ud800"):
        assert not len(small.search(f"{name}:{value}").ranking.rows)


def test_deep_and_long_queries_are_only_queries(small: Language) -> None:
    for text in ("(" * 50_000, ")" * 50_000, "NOT " * 50_000, "(a " * 5_000, "title:" * 2_000 + "film", "a(" * 5_000,
                 "-" * 5_000, '"' * 50_001, "film AND " * 5_000, "film NEAR/2 " * 300 + "film"):  # fmt: skip
        small.search(text)


@settings(max_examples=examples(100), deadline=None)
@given(documents, st.lists(st.sampled_from((*WORDS, "absent")), min_size=1, max_size=6))
def test_plain_words_are_ranked_as_the_model_ranks_them(
    new_folder: Callable[[], Path], found: list[Document], some: list[str]
) -> None:
    rows = [Document(f"D{n}", title=d.title, abstract=d.abstract) for n, d in enumerate(found)]
    language = built(rows, new_folder())
    for model in ("bm25", "bm25f", "dph"):
        answer = language.search(" ".join(some), model).ranking
        expected = Searcher(language.index).search(" ".join(some), model)
        assert answer.rows.tolist() == expected.rows.tolist()
        assert answer.scores.tolist() == expected.scores.tolist()


def names(language: Language, text: str, **options: object) -> list[str]:
    return [language.index.id_of(row) for row in language.search(text, **options).ranking.rows]


def test_phrases_keep_the_place_of_words_left_out(small: Language) -> None:
    if not small.index.manifest["positions"]:
        assert sorted(names(small, '"water in oil"')) == ["EP1", "US3"]
        (note,) = small.search('"water in oil"').notes
        assert "leadline index --positions" in note
        return
    assert names(small, '"water in oil"') == ["EP1"]
    assert names(small, '"water oil"') == []  # oil is two words behind water, not one
    assert names(small, "water-in-oil") == ["EP1"]
    assert names(small, "oil NEAR/2 water") == ["US3", "EP1"]
    assert names(small, "oil NEAR/1 water") == []


def test_truncation_finds_the_stump_and_what_begins_so(small: Language) -> None:
    assert sorted(names(small, "polymer*")) == ["EP1", "US3"]
    assert sorted(names(small, "FIL*")) == ["EP1", "US2"]
    assert names(small, "title:fil*") == ["EP1"]
    assert names(small, "fi*lm") == ["EP1"]  # not films: wildcards match words as they are written
    assert sorted(names(small, "*ilm*")) == ["EP1", "US2"]
    assert names(small, "f?lms") == names(small, "film$s") == ["US2"]


def test_filters_and_order(small: Language) -> None:
    assert names(small, "film office:EP") == ["EP1"]
    assert names(small, "film -office:EP") == ["US2"]
    for text in ("class:C07", 'class:"C07D 401/04"', "class:(A61K OR C07D)", "class:A61K,C07D", "class:(A61K C07D)"):
        assert names(small, text) == ["US2"]
    assert names(small, "film before:2000") == ["EP1"]
    assert names(small, "film after:1998-08-12") == ["US2"]
    assert names(small, "film OR polymer sort:newest") == ["US2", "EP1", "US3"]  # without a date: last
    assert names(small, "film OR polymer", order="oldest") == ["EP1", "US2", "US3"]
    assert small.search("office:US").notes == ("there is no word to rank by: the newest come first",)


def test_what_is_odd_is_said(small: Language) -> None:
    said = {
        "tittle:film": "tittle:film was taken as words: there is no field tittle; did you mean title:?",
        "film AND": "AND has nothing to join: taken as a word",
        'film "metal': '" without a second one was ignored',
        "(film": "( is never closed: taken as closed at the end",
        "film)": ") without ( was ignored",
        "before:yesterday": "before:yesterday was taken as words: write a day like 1998-08-12, or a month or year",
        "sort:best film": "sort:best was taken as words: results can be sorted by score, newest, oldest",
        "the AND film": "the is left out: too common to be in the index",
        "": "there is no word to search for",
    }
    for text, note in said.items():
        assert note in small.search(text).notes, text


def test_marks_boosts_and_chemical_names(small: Language) -> None:
    assert sorted(names(small, "+film metal")) == ["EP1", "US2"]
    for text in ("film -metal", "film NOT metal", "film AND NOT metal", "film AND -metal", "NOT metal AND film"):
        assert names(small, text) == ["EP1"]
    assert small.search("film^2 metal").terms == {"film": 2.0, "metal": 1.0}
    assert small.search("(film metal^3)^2 film").terms == {"film": 3.0, "metal": 6.0}
    assert small.search("poly(ethylene glycol)").query == "poly ethylene glycol"
    assert small.search("(+)-catechin (film)").query.endswith("film")
    assert small.search("title:poly(ethylene)").query == "title:poly ethylene"


def test_why_explains_phrases_as_words(small: Language) -> None:
    answer = small.search('film* "of acid" title:polymer')
    row = int(answer.ranking.rows[0])
    shares = small.why(answer, row)
    assert sum(share.score for share in shares) == pytest.approx(answer.ranking.scores[0])
    named = {share.term for share in shares}
    assert {"film*", "title:polym"} <= named


def test_words_of_other_fields_stay_out(small: Language) -> None:
    assert names(small, "film", fields="title") == ["EP1"]
    both = small.search("film abstract:metal", fields="title")
    assert sorted(small.index.id_of(row) for row in both.ranking.rows) == ["EP1", "US2"]
    assert set(both.terms) == {"title:film", "abstract:metal"}


def test_segments_are_one_index(tmp_path: Path) -> None:
    titles = ["acid film", "film acid", "acid metal film", "film"]
    rows = [Document(f"D{n}", title=title) for n, title in enumerate(titles)]
    whole = Index.build(rows, tmp_path / "whole", fields=["title"], analysis=PLAIN, positions=True)
    parts = Index.build(rows[:2], tmp_path / "parts", fields=["title"], analysis=PLAIN, positions=True).add(rows[2:])
    asked = ['"acid film"', "acid NEAR/1 film", "acid NEAR/2 fil*", "fil* -metal", '"a* fil*"', "(acid a*) NEAR fil*"]
    for text in asked:
        first, second = (Language(index).search(text).ranking for index in (whole, parts))
        assert first.rows.tolist() == second.rows.tolist()
        assert np.allclose(first.scores, second.scores)


DOCS = Path(__file__).parents[3] / "docs" / "query-language.md"
FOUR = ("title", "abstract", "claims", "description")


def test_the_documentation_is_understood() -> None:
    fine, odd = DOCS.read_text(encoding="utf-8").split("## When something is unclear")
    cells = re.findall(r"^\| `(.+?)` \|", fine, re.MULTILINE)
    for text in (text.replace("\\|", "|") for cell in cells for text in cell.split("`, `")):
        assert understand(text, FOUR).notes == (), text
    for text in re.findall(r"^\| `(.+?)` \|", odd, re.MULTILINE):
        assert understand(text, FOUR).notes, text
    bound = understand("polymer film AND silver OR metal foil -gold", FOUR).tree
    assert bound == understand("((polymer film) AND silver) OR (metal foil -gold)", FOUR).tree


def test_fields_made_of_others(tmp_path: Path) -> None:
    rows = [Document("D1", abstract="A fuel injection valve is opened."), Document("D2", abstract="Fuel. A valve.")]
    language = Language(Index.build(rows, tmp_path, fields=["abstract", "phrases"]))
    assert names(language, 'phrases:"fuel injection valve"') == ["D1"]
    assert sorted(names(language, "fuel valve")) == ["D1", "D2"]
    assert set(language.search("fuel valve").terms) == {"fuel", "valv"}  # nothing is sought in phrases unless named


@pytest.mark.parametrize(
    "text", ["title:film^nan", "film^inf", "film^-1", '"a nail"^-Infinity', "(film metal)^-2", "film^NaN,"]
)
def test_a_weight_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^query: .*: the weight after \^ must be a number from 0 to 9999.9999$"):
        understand(text, ["title"])


@pytest.mark.parametrize("text", ["10^-3 mol", "1700 cm^-1", "film^infra", "^-1", "film^2"])
def test_a_power_is_text(text: str) -> None:
    assert understand(text, ["title"]).tree is not None
