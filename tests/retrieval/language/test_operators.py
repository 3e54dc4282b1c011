"""Operators, wildcards, fields and filters, each beside a brute-force evaluation on random documents."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.errors import InputError
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.language import Language

PLAIN = Analysis(stemming="none", stop_words="none")
FIELDS = ("title", "abstract", "claims")
WORDS = ("acid", "film", "films", "filming", "metal", "women", "woman", "color", "colour")


def built(documents: list[Document], folder: Path, *, analysis: Analysis = PLAIN, parts: int = 1) -> Language:
    """The documents as an index, of several segments if `parts` says so."""
    size = -(-len(documents) // parts)
    index = Index.build(documents[:size], folder, fields=FIELDS, analysis=analysis, positions=True)
    for first in range(size, len(documents), size):
        index = index.add(documents[first : first + size])
    return Language(index)


def rows(language: Language, text: str) -> set[int]:
    answer = language.search(text, k=1000)
    assert answer.found == len(answer.ranking)
    return set(answer.ranking.rows.tolist())


# Texts as paragraphs of sentences of words

sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
paragraph = st.lists(sentence, min_size=1, max_size=3)
text = st.lists(paragraph, max_size=3)
documents = st.lists(st.tuples(text, text), min_size=1, max_size=6)


def written(blocks: list[list[list[str]]]) -> list[str]:
    return [". ".join(" ".join(words) for words in sentences) + "." for sentences in blocks]


def made(found: list[tuple[list, list]]) -> list[Document]:
    return [
        Document(f"D{n}", abstract="\n".join(written(abstract)),
                 claims=tuple(Claim(k + 1, claim) for k, claim in enumerate(written(claims))))
        for n, (abstract, claims) in enumerate(found)
    ]  # fmt: skip


def flat(blocks: list[list[list[str]]]) -> list[tuple[str, int, int]]:
    """Each word with the number of its paragraph and of its sentence."""
    result, number = [], 0
    for p, sentences in enumerate(blocks):
        for words in sentences:
            result += [(word, p, number) for word in words]
            number += 1
    return result


def near(words: list[tuple[str, int, int]], a: str, b: str, n: int, *, ordered: bool, apart: bool) -> bool:
    places = [(i, p) for i, (word, p, _) in enumerate(words) if word == a]
    others = [(i, p) for i, (word, p, _) in enumerate(words) if word == b]
    return any(
        (0 < j - i <= n or (not ordered and 0 < i - j <= n)) and (not apart or p == q)
        for (i, p), (j, q) in product(places, others)
    )


@settings(max_examples=examples(40), deadline=None)
@given(documents, st.sampled_from(WORDS), st.sampled_from(WORDS), st.integers(1, 4), st.integers(1, 2))
def test_distances(new_folder: Callable[[], Path], found: list, a: str, b: str, n: int, parts: int) -> None:
    language = built(made(found), new_folder(), parts=parts)
    flats = [{"abstract": flat(abstract), "claims": flat(claims)} for abstract, claims in found]

    def expected(ordered: bool, n: int) -> set[int]:
        return {
            row for row, fields in enumerate(flats) for name, words in fields.items()
            if near(words, a, b, n, ordered=ordered, apart=name == "claims")
        }  # fmt: skip

    for op in (f"NEAR/{n}", f"NEAR{n}", f"W/{n}", f"w/{n}", f"N/{n}", f"/{n}", f"WITHIN/{n}", f"prox/distance<={n}"):
        assert rows(language, f"{a} {op} {b}") == expected(False, n), op
    for op in (f"PRE/{n}", f"ADJ{n}", f"adj{n}", f"P/{n}", f"ONEAR/{n}", f"+{n}", f"prox/distance<={n}/ordered=true"):
        assert rows(language, f"{a} {op} {b}") == expected(True, n), op
    assert rows(language, f"{a} ({n}W) {b}") == rows(language, f"{a}({n}W){b}") == expected(True, n + 1)
    assert rows(language, f"{a} ({n}N) {b}") == expected(False, n + 1)
    assert rows(language, f"{a} ADJ {b}") == rows(language, f"{a} (W) {b}") == expected(True, 1)
    assert rows(language, f"{a} (N) {b}") == expected(False, 1)


@settings(max_examples=examples(40), deadline=None)
@given(documents, st.lists(st.sampled_from(WORDS), min_size=2, max_size=3), st.integers(1, 2))
def test_the_same_sentence_paragraph_or_claim(
    new_folder: Callable[[], Path], found: list, words: list[str], parts: int
) -> None:
    language = built(made(found), new_folder(), parts=parts)
    flats = [{"abstract": flat(abstract), "claims": flat(claims)} for abstract, claims in found]

    def expected(place: int, fields: tuple[str, ...]) -> set[int]:
        return {
            row for row, texts in enumerate(flats) for name in fields
            if set.intersection(*({each[place] for each in texts[name] if each[0] == word} for word in words))
        }  # fmt: skip

    both = ("abstract", "claims")
    for op in ("WITH", "SAME SENTENCE", "SAME/SENTENCE", "W/S", "/s", "(S)", "prox/unit=sentence"):
        assert rows(language, f" {op} ".join(words)) == expected(2, both), op
    for op in ("SAME", "SAME PARAGRAPH", "W/P", "/p", "(P)"):
        assert rows(language, f" {op} ".join(words)) == expected(1, both), op
    assert rows(language, " SAME CLAIM ".join(words)) == expected(1, ("claims",))
    assert rows(language, f"abstract:({' SAME '.join(words)})") == expected(1, ("abstract",))


@settings(max_examples=examples(40), deadline=None)
@given(documents, st.lists(st.sampled_from(WORDS), min_size=2, max_size=3), st.integers(1, 4))
def test_phrases_with_slop(new_folder: Callable[[], Path], found: list, words: list[str], slop: int) -> None:
    language = built(made(found), new_folder())

    def has(text: list[tuple[str, int, int]]) -> bool:
        places = [[i for i, (word, _, _) in enumerate(text) if word == asked] for asked in words]
        for chosen in product(*places):
            moved = [at - place for place, at in enumerate(chosen)]
            if len(set(chosen)) == len(chosen) and max(moved) - min(moved) <= slop:
                return True
        return False

    expected = {row for row, (abstract, _) in enumerate(found) if has(flat(abstract))}
    assert rows(language, f'abstract:"{" ".join(words)}"~{slop}') == expected


PATTERNS = (
    "film*",
    "*ing",
    "*il*",
    "wom?n",
    "colo$r",
    "film$",
    "film$1",
    "f*s",
    "m#tal",
    "*o*r",
    "films*",
    "acid",
)


@settings(max_examples=examples(40), deadline=None)
@given(documents, st.sampled_from(PATTERNS), st.integers(1, 2), st.sampled_from([PLAIN, Analysis()]))
def test_wildcards_match_words_as_written(
    new_folder: Callable[[], Path], found: list, pattern: str, parts: int, analysis: Analysis
) -> None:
    language = built(made(found), new_folder(), parts=parts, analysis=analysis)
    for index in (language, Language(language.index.merge())) if parts > 1 else (language,):
        signs = {"*": ".*", "?": ".", "#": ".", "$": ".?"}
        if pattern == "film$":
            asked = "film.*"
        elif pattern == "film$1":
            asked = "film.?"
        else:
            asked = "".join(signs.get(sign, sign) for sign in pattern)
        matches = re.compile(asked).fullmatch
        expected = {
            row for row, (abstract, claims) in enumerate(found)
            if any(matches(word) for word, _, _ in (*flat(abstract), *flat(claims)))
        }  # fmt: skip
        assert rows(index, pattern) == expected
        near_expected = {
            row for row, (abstract, _) in enumerate(found)
            if any(matches(x) and y == "metal" for (x, _, _), (y, _, _) in pairwise(flat(abstract)))
        }  # fmt: skip
        assert rows(index, f"abstract:({pattern} PRE/1 metal)") == near_expected
        answer = index.search(f"abstract:{pattern}", k=100)
        counts = {row: sum(bool(matches(word)) for word, _, _ in flat(found[row][0])) for row in range(len(found))}
        lists = index.index.lists("abstract", [name.encode() for name in answer.terms])
        assert dict(zip(lists.documents.tolist(), lists.frequencies.tolist(), strict=True)) == {
            row: count for row, count in counts.items() if count
        }


# Filters

NAMES = ("Siemens AG", "Röhm GmbH", "Smith, John", "")
NUMBERS = ("EP0000001A1", "EP0000001B1", "US5000002A", "WO2001000003A1")
DAYS = ("", "1998-08-12", "2001-12-31", "2010-05")
record = st.fixed_dictionaries({
    "applicants": st.sampled_from(NAMES).map(lambda name: (name,) if name else ()),
    "inventors": st.sampled_from(NAMES).map(lambda name: (name,) if name else ()),
    "publication": st.sampled_from(DAYS), "application": st.sampled_from(DAYS),
    "priorities": st.sampled_from(DAYS).map(lambda day: (Priority("EP9", day),) if day else ()),
    "ipc": st.sampled_from([(), ("C07D401/04",), ("A61K31/00",)]), "cpc": st.sampled_from([(), ("C07D40/10",)]),
    "citations": st.lists(st.sampled_from(NUMBERS), max_size=2).map(lambda some: tuple(map(Citation, some))),
    "language": st.sampled_from(["en", "de"]),
})  # fmt: skip


def first_day(day: str) -> str:
    return (day + "-01-01")[:10]


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(record, min_size=4, max_size=4))
def test_filters_are_those_of_sets(new_folder: Callable[[], Path], records: list[dict]) -> None:
    from leadline.collections.documents.numbers import normalise

    made = []
    for number, each in zip(NUMBERS, records, strict=True):
        spelt = normalise(number)
        made.append(Document(number, spelt.office, spelt.serial, spelt.kind, title="film", **each))
    language = built(made, new_folder())

    def those(test) -> set[int]:
        return {row for row, document in enumerate(made) if test(document)}

    def day(document: Document) -> str:
        return (
            first_day(document.publication or document.application)
            if document.publication or document.application
            else ""
        )

    checks = {
        "applicant:siemens": lambda d: "Siemens AG" in d.applicants,
        "pa=rohm": lambda d: "Röhm GmbH" in d.applicants,
        'pa="Röhm GmbH"': lambda d: "Röhm GmbH" in d.applicants,
        "in=smi*": lambda d: "Smith, John" in d.inventors,
        "kind:B1": lambda d: d.kind == "B1",
        "kind:A": lambda d: d.kind.startswith("A"),
        "number:EP0000001": lambda d: d.id.startswith("EP0000001"),
        'pn="EP 1 A1"': lambda d: d.id == "EP0000001A1",
        "ipc:C07D": lambda d: any(symbol.startswith("C07D") for symbol in d.ipc),
        "ic=A61K31/00": lambda d: "A61K31/00" in d.ipc,
        "cpc:C07D40": lambda d: "C07D40/10" in d.cpc,
        "la=de": lambda d: d.language == "de",
        "cites:US5000002": lambda d: any(c.number == "US5000002A" for c in d.citations),
        "cited-by:WO2001000003A1": lambda d: any(
            normalise(c.number).key == normalise(d.id).key for c in made[3].citations
        ),
        "pd=2001": lambda d: day(d).startswith("2001"),
        "pd>=2001": lambda d: day(d) >= "2001",
        "published:[1998 TO 2001]": lambda d: "1998" <= day(d) < "2002",
        'pd within "1998 2001"': lambda d: "1998" <= day(d) < "2002",
        "before:2001": lambda d: "" < day(d) < "2001",
        "filed:1998": lambda d: d.application.startswith("1998"),
        "priority:..2001": lambda d: "" < d.priority < "2002",
        "before:filing:2001": lambda d: "" < d.application < "2001",
    }
    for asked, test in checks.items():
        assert rows(language, f"film {asked}") == those(test), asked
    undated = len(those(lambda d: not day(d)))
    notes = language.search("film before:2005").notes
    assert any(
        note.endswith("without a date left out") and note.startswith(f"{undated} document") for note in notes
    ) == ((undated > 0 and undated < 4) or undated == 4)
    by_filing = len(those(lambda d: not d.publication and d.application))
    assert any(f"{by_filing} documents without a publication date: by their filing date" in note for note in notes) == (
        by_filing > 0
    )


def test_families_and_numbers_of_several_spellings(tmp_path: Path) -> None:
    found = [{"id": f"D{n}", "title": "film", "family": family} for n, family in enumerate((1, 1, 2))]
    language = Language(Index.build(found, tmp_path / "index", fields=["title"]))
    assert rows(language, "family:D0") == {0, 1}
    assert rows(language, "family:D2") == {2}
    assert "family:D9: there is no such document in the index" in language.search("film family:D9").notes


def test_earlier_queries_are_sets(tmp_path: Path) -> None:
    texts = ["acid film", "film", "acid", "metal"]
    titles = [{"id": str(n), "title": each} for n, each in enumerate(texts)]
    index = Index.build(titles, tmp_path / "index", fields=["title"])
    language = Language(index, {1: "acid", 2: "film", 3: "#1 AND #2"})
    assert rows(language, "#1 OR #2") == {0, 1, 2}
    assert rows(language, "#1 AND #2") == rows(language, "#3") == rows(language, "S3") == {0}
    assert rows(language, "#1 NOT #3") == rows(language, "L1 NOT L3") == {2}
    with pytest.raises(InputError, match="#9 is not in the session, which has #1 to #3"):
        language.search("#1 AND #9")
    assert rows(Language(index, {1: "acid", 2: "#7", 3: "#1"}), "#3") == {0, 2}  # a query that cannot be asked is none
    doubled = {n: f"#{n - 1} OR #{n - 1} OR acid" for n in range(2, 200)}
    assert rows(Language(index, {1: "film", **doubled}), "#199") == {0, 1, 2}  # each is evaluated once
