"""Operators, wildcards, fields and filters, each beside a brute-force evaluation on random documents."""

from __future__ import annotations

import re
import tempfile
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.errors import InputError
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.language import Language
from leadline.retrieval.language.reading import understand

PLAIN = Analysis(stemming="none", stop_words="none")
FIELDS = ("title", "abstract", "claims")
WORDS = ("acid", "film", "films", "filming", "metal", "women", "woman", "color", "colour")


def built(documents: list[Document], *, analysis: Analysis = PLAIN, parts: int = 1) -> Language:
    """The documents as an index, of several segments if `parts` says so."""
    size = -(-len(documents) // parts)
    index = Index.build(documents[:size], tempfile.mkdtemp(), fields=FIELDS, analysis=analysis, positions=True)
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


@settings(max_examples=60, deadline=None)
@given(documents, st.sampled_from(WORDS), st.sampled_from(WORDS), st.integers(1, 4), st.integers(1, 2))
def test_distances(found: list, a: str, b: str, n: int, parts: int) -> None:
    language = built(made(found), parts=parts)
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


@settings(max_examples=60, deadline=None)
@given(documents, st.lists(st.sampled_from(WORDS), min_size=2, max_size=3), st.integers(1, 2))
def test_the_same_sentence_paragraph_or_claim(found: list, words: list[str], parts: int) -> None:
    language = built(made(found), parts=parts)
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


@settings(max_examples=60, deadline=None)
@given(documents, st.lists(st.sampled_from(WORDS), min_size=2, max_size=3), st.integers(1, 4))
def test_phrases_with_slop(found: list, words: list[str], slop: int) -> None:
    language = built(made(found))

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


@settings(max_examples=60, deadline=None)
@given(documents, st.sampled_from(PATTERNS), st.integers(1, 2), st.sampled_from([PLAIN, Analysis()]))
def test_wildcards_match_words_as_written(found: list, pattern: str, parts: int, analysis: Analysis) -> None:
    language = built(made(found), parts=parts, analysis=analysis)
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


@settings(max_examples=60, deadline=None)
@given(st.lists(record, min_size=4, max_size=4))
def test_filters_are_those_of_sets(records: list[dict]) -> None:
    from leadline.collections.documents.numbers import normalise

    made = []
    for number, each in zip(NUMBERS, records, strict=True):
        spelt = normalise(number)
        made.append(Document(number, spelt.office, spelt.serial, spelt.kind, title="film", **each))
    language = built(made)

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


def test_families_and_numbers_of_several_spellings() -> None:
    found = [{"id": f"D{n}", "title": "film", "family": family} for n, family in enumerate((1, 1, 2))]
    language = Language(Index.build(found, tempfile.mkdtemp(), fields=["title"]))
    assert rows(language, "family:D0") == {0, 1}
    assert rows(language, "family:D2") == {2}
    assert "family:D9: there is no such document in the index" in language.search("film family:D9").notes


# What is written in other systems, and what it means

SAID = {
    "film && metal || !acid": "film AND metal OR -acid",
    "ti=film and ab=metal not cl=acid": "title:film AND abstract:metal -claims:acid",
    'ti any "film foil" or ab all "thin metal"': "title:(film OR foil) OR abstract:(thin AND metal)",
    "film.ti. AND (metal acid).ti,ab.": "title:film AND (title:(metal acid) OR abstract:(metal acid))",
    'film/TI "thin film"/AB': 'title:film abstract:"thin film"',
    "TTL/film AND ABST/(thin metal)": "title:film AND abstract:(thin metal)",
    "@pd>=20100101 film": "published:2010-01-01.. film",
    "pd:{2010 TO 2012}": "published:2011-01-01..2011-12-31",
    "pd=(2010 TO 2015)": "published:2010..2015",
    "pd:( 2010-03 to * ) film": "published:2010-03.. film",
    "film SAME metal WITH acid": "(film SAME PARAGRAPH metal) SAME SENTENCE acid",
    "film ADJ2 (metal OR acid)": "film PRE/2 (metal OR acid)",
    "ti,ab=film": "title:film OR abstract:film",
    "ti,ab:(film metal) AND acid": "(title:(film metal) OR abstract:(film metal)) AND acid",
    "ic=C08J 5/18, H01M 4/66": "ipc:C08J5/18 OR ipc:H01M4/66",
    "ic=C08J5/18, H01M4/66 film": "(ipc:C08J5/18 OR ipc:H01M4/66) film",
    "pa=(Siemens OR Bosch)": "applicant:Siemens OR applicant:Bosch",
    "after:2000 before:2010": "after:2000 before:2010",
}  # fmt: skip


@pytest.mark.parametrize(("written", "meant"), SAID.items())
def test_other_syntax_is_understood_in_silence(written: str, meant: str) -> None:
    understood = understand(written, FIELDS)
    assert (understood.query, understood.notes) == (meant, ())
    assert understand(meant, FIELDS).query == meant


# Understood, with a line that says how.
MEANT = {
    "film W / 5 metal": ("film NEAR/5 metal", "W / 5 was taken as NEAR/5; put it in quotes for the words"),
    "film w / 5 metal": ("film NEAR/5 metal", "w / 5 was taken as NEAR/5; put it in quotes for the words"),
    "film NEAR 5 metal": ("film NEAR/5 metal", "NEAR 5 was taken as NEAR/5; put it in quotes for the words"),
    "film ADJ 3 metal": ("film PRE/3 metal", "ADJ 3 was taken as PRE/3; put it in quotes for the words"),
    "film (5 W) metal": ("film PRE/6 metal", "(5 W) was taken as PRE/6; put it in quotes for the words"),
    "film (3 N) metal": ("film NEAR/4 metal", "(3 N) was taken as NEAR/4; put it in quotes for the words"),
    "[film OR foil] AND metal": ("(film OR foil) AND metal", "[film OR foil] was taken as (film OR foil)"),
    "acid NOT {film OR foil}": ("acid -(film OR foil)", "{film OR foil} was taken as (film OR foil)"),
    "battery/ti": ("title:battery", "battery/ti was taken as title:battery"),
    "battery/ti,ab cell": ("(title:battery OR abstract:battery) cell",
                           "battery/ti,ab was taken as title,abstract:battery"),
    "title : film": ("title:film", "title : was taken as title:"),
    "title :film": ("title:film", "title : was taken as title:"),
    "ti/film": ("title:film", "ti/ was taken as title:"),
    "AB/(film metal)": ("abstract:(film metal)", "AB/ was taken as abstract:"),
    "film UND metal": ("film AND metal", "UND was taken as AND; put it in quotes for the word"),
    "film ODER metal": ("film OR metal", "ODER was taken as OR; put it in quotes for the word"),
    "film NICHT metal": ("film -metal", "NICHT was taken as NOT; put it in quotes for the word"),
    "film ET metal": ("film AND metal", "ET was taken as AND; put it in quotes for the word"),
    "film OU metal": ("film OR metal", "OU was taken as OR; put it in quotes for the word"),
    "film SAUF metal": ("film -metal", "SAUF was taken as NOT; put it in quotes for the word"),
    "pa=(Siemens AG)": ('applicant:"Siemens AG"',
                        "applicant:(Siemens AG) was taken as one name; write OR between names"),
    "after:2010 before:2000": (
        "after:2010 before:2000",
        "after:2010 before:2000: no day is in both: nothing matches; did you mean after:2000 before:2010?",
    ),
    "film published:>2010 published:<2000": (
        "film published:2011-01-01.. published:..1999-12-31",
        "published:2011-01-01.. published:..1999-12-31: no day is in both: nothing matches",
    ),
    "EP1000001A1": ("EP1000001A1",
                    "EP1000001A1 is searched for as words; write number:EP1000001A1 for the document"),
    "US 7,412,705 B2": ("US 7,412,705 B2",
                        "US 7,412,705 B2 is searched for as words; write number:US7412705B2 for the document"),
    "film W 5 metal": ("film W 5 metal", "W 5 was taken as words: a distance is written W/5"),
    "film W/5metal": ("film W/5metal", "W/5metal was taken as a word: put a blank behind the distance"),
    "ti,xx=film": ("ti,xx=film", "ti,xx= was taken as words: there is no field xx; fields are title, abstract, claims, "
                   "applicant, inventor, class, published and others"),
}  # fmt: skip


@pytest.mark.parametrize("written", MEANT)
def test_other_syntax_is_understood_with_a_line(written: str) -> None:
    meant, note = MEANT[written]
    understood = understand(written, FIELDS)
    assert understood.query == meant
    assert note in understood.notes


@pytest.mark.parametrize(
    "written", ["benzo[a]pyrene", "poly[ethylene oxide]", "5 W lamp", "et al", "film und metal", "UND",
                "[2,3-b]pyridine", "CO2 and H2O", "film and/or foil", "in/out", "published:[2010 TO 2015]",
                '"W / 5" film'],
)  # fmt: skip
def test_names_and_texts_are_not_taken_for_syntax(written: str) -> None:
    assert not any(" was taken as " in note and "published" not in note for note in understand(written, FIELDS).notes)


FLAGGED = {
    "film XOR metal": "XOR was taken as a word: write (a OR b) NOT (a AND b)",
    "film W5 metal": "W5 was taken as a word: distances are written W/5 or NEAR/5",
    "film ADJ99999999999 metal": "ADJ99999999999 was taken as a word: write a distance from 1 to 99999: NEAR/5",
    "film~2 metal": "film~2: similar spellings are not searched for; taken as film",
    "polymer! film": "polymer!: ! at the end was ignored; write polymer* for any ending",
    "(film and metal)": "and in small letters: taken as a word; operators are written in capitals",
    "film same claim metal": "same claim was taken as words: the operator is SAME CLAIM",
    "tittle=film": "tittle=film was taken as words: there is no field tittle; did you mean title:?",
    "#1 AND film": "#1 was taken as a word, not as an earlier query: name the session with --history FILE",
    "[2010 TO 2012] film": "[2010 TO 2012] was taken as published:2010..2012",
    "W/5 film": "W/5 has nothing to join: ignored",
}  # fmt: skip


@pytest.mark.parametrize(("written", "note"), FLAGGED.items())
def test_other_syntax_is_flagged_in_one_line(written: str, note: str) -> None:
    assert note in understand(written, FIELDS).notes


def test_a_date_with_two_readings_is_asked_back() -> None:
    for asked in ("before:01/02/2001", "pd>=01/02/2001", "published:01-02-2001..2005"):
        with pytest.raises(InputError, match="may be 2001-01-02 or 2001-02-01: write one of them"):
            understand(asked, FIELDS)
    assert understand("before:13/02/2001", FIELDS).query == "before:2001-02-13"


def test_earlier_queries_are_sets() -> None:
    texts = ["acid film", "film", "acid", "metal"]
    index = Index.build(
        [{"id": str(n), "title": each} for n, each in enumerate(texts)], tempfile.mkdtemp(), fields=["title"]
    )
    language = Language(index, {1: "acid", 2: "film", 3: "#1 AND #2"})
    assert rows(language, "#1 OR #2") == {0, 1, 2}
    assert rows(language, "#1 AND #2") == rows(language, "#3") == rows(language, "S3") == {0}
    assert rows(language, "#1 NOT #3") == rows(language, "L1 NOT L3") == {2}
    with pytest.raises(InputError, match="#9 is not in the session, which has #1 to #3"):
        language.search("#1 AND #9")
    assert rows(Language(index, {1: "acid", 2: "#7", 3: "#1"}), "#3") == {0, 2}  # a query that cannot be asked is none
    doubled = {n: f"#{n - 1} OR #{n - 1} OR acid" for n in range(2, 200)}
    assert rows(Language(index, {1: "film", **doubled}), "#199") == {0, 1, 2}  # each is evaluated once
