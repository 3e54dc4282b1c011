"""Queries as people type and paste them: signs of word processors, habits of other systems, and what they are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.errors import InputError
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.language import Language
from leadline.retrieval.language.reading import understand

FIELDS = ["title", "abstract", "claims", "description"]


@pytest.mark.parametrize(
    ("query", "means"),
    [
        ("ｆｉｌｍ ＡＮＤ ｍｅｔａｌ", "film AND metal"),
        ("（film OR foil）ＡＮＤ metal", "(film OR foil) AND metal"),
        ("ti：film", "title:film"),
        ("film\u00a0AND\u3000metal", "film AND metal"),
        ("\ufefffilm\u200bAND\u200bmetal", "film AND metal"),
        ("film\r\nAND\n\tmetal", "film AND metal"),
        ("thin()film", "thin PRE/1 film"),
        ("thin(w)film", "thin PRE/1 film"),
        ("pd=2001–2010", "published:2001..2010"),
        ("pd=2001…2010", "published:2001..2010"),
        ("pd:2001 to 2010", "published:2001..2010"),
        ("published:2001 .. 2010", "published:2001..2010"),
        ("published:2001 - 2010 film", "published:2001..2010 film"),
        ("pd within 2001,2010", "published:2001..2010"),
        ("pd within 2001 2010 and ti=film", "published:2001..2010 AND title:film"),
        ("ISD/20010101->20101231", "published:2001-01-01..2010-12-31"),
        ("ISD/1/1/2001->12/31/2010", "published:2001-01-01..2010-12-31"),
        ('@pd>="20010101"', "published:2001-01-01.."),
        ('@pd>="20010101"<="20101231"', "published:2001-01-01..2010-12-31"),
        ("@pd<20110101>20001231", "published:2001-01-01..2010-12-31"),
        ("pd = 2001 and pa = siemens", "published:2001..2001 AND applicant:siemens"),
        ("ti=film And ab=foil", "title:film AND abstract:foil"),
        ("ic=C08J 5/18", "ipc:C08J5/18"),
        ("ic=C08J 5/18 and ti=film", "ipc:C08J5/18 AND title:film"),
        ("ic=H01M?", "ipc:H01M"),
        ("cpc:C08J5/low", "cpc:C08J5"),
        ("pn=EP 1 000 001 A1", 'number:"EP 1 000 001 A1"'),
        ("pn=US7,412,705 film", 'number:"US7,412,705" film'),
        ("number:US5000001,EP1000000", "number:US5000001 OR number:EP1000000"),
        ("AN/siemens", "applicant:siemens"),
        ("10 – 20 mm", "10 20 mm"),
        ("water–oil", "water–oil"),
    ],
)
def test_understood_as_meant(query: str, means: str) -> None:
    understood = understand(query, FIELDS)
    assert (understood.query, understood.notes) == (means, ())


@pytest.mark.parametrize(
    ("query", "means", "note"),
    [
        ("film –metal", "film -metal",
         "–metal was taken as -metal, without it: a dash before a word excludes the word"),
        ("film −metal", "film -metal",
         "−metal was taken as -metal, without it: a dash before a word excludes the word"),
        ("'thin film'", "thin film'", "'thin film' was taken as words: a phrase is written \"thin film\""),
        ("film and metal", "film and metal",
         "and in small letters: taken as a word; operators are written in capitals"),
        ("film Not metal", "film Not metal",
         "Not in small letters: taken as a word; operators are written in capitals"),
        ("film (3A) metal", "film 3A metal", "(3A) was taken as a word: the operator is written NEAR/4"),
        ("film (L) metal", "film L metal", "(L) was taken as a word: write SAME PARAGRAPH, or AND within one field"),
        ("film NEAR/0 metal", "film NEAR/0 metal",
         "NEAR/0 was taken as a word: write a distance from 1 to 99999: NEAR/5"),
        ("film W/5", "film", "W/5 has nothing to join: ignored"),
        ("film ADJ", "film adj", "ADJ has nothing to join: taken as a word"),
        ("film & metal", "film metal", "& was ignored: write AND for both"),
        ("?ilm", "ilm", "?ilm: ? at the beginning was ignored; write *ilm for any beginning"),
        ("polym# film", "polym# film", "polym#: # at the end was ignored; write polym* for any ending"),
        ("in=Smith, John", "inventor:Smith John",
         "inventor:Smith, John: John is not part of the name; put a name in quotes"),
        ("pa=Siemens AG and ti=film", "applicant:Siemens AG AND title:film",
         "applicant:Siemens AG: AG is not part of the name; put a name in quotes"),
        ("L1 AND film", "L1 AND film",
         "L1 was taken as a word, not as an earlier query: name the session with --history FILE"),
        ("film/BI", "film/BI", "film/BI was taken as words: there is no field BI"),
        ("film[tiab]", "film[tiab]",
         "film[tiab] was taken as words: fields are written before the word, as in title:film"),
        ("cl=A41D", "claims:A41D", "A41D is searched for in the text of the claims; write class:A41D for the class"),
        ("published:2010..2001", "published:2010..2001", "published:2010..2001 ends before it begins: nothing matches"),
        ("before:2001-02-30", "before 2001-02-30",
         "before:2001-02-30 was taken as words: write a day like 1998-08-12, or a month or year"),
        ("film -tittle:metal", "film -metal",
         "tittle:metal was taken as words: there is no field tittle; did you mean title:?"),
    ],
)  # fmt: skip
def test_misunderstandings_are_named(query: str, means: str, note: str) -> None:
    understood = understand(query, FIELDS)
    assert (understood.query, understood.notes) == (means, (note,))


def test_earlier_queries_are_joined_in_small_letters_too() -> None:
    for query in ("#1 and #2 not film", "s1 and S2 not film", "(l1 and L2) not film"):
        understood = understand(query, FIELDS, [1, 2])
        assert understood.query.replace("(", "").replace(")", "") == "#1 AND #2 -film"
        assert understood.notes == ()


def test_a_long_sentence_needs_no_note_on_its_words() -> None:
    sentence = "a film of a polymer and a metal that is not coated, or not coated near the edge"
    assert understand(sentence, FIELDS).notes == ()


def test_names_with_umlauts_are_found_in_both_spellings(tmp_path: Path) -> None:
    inventors = {"A": "Anna Müller", "B": "Anna Mueller", "C": "Anna Muller", "D": "Anna Miller"}
    documents = [{"id": name, "title": "film", "inventors": [inventor]} for name, inventor in inventors.items()]
    language = Language(Index.build(documents, tmp_path, fields=["title"]))

    def found(query: str) -> str:
        return "".join(sorted(language.index.id_of(row) for row in language.search(query).ranking.rows))

    assert found("inventor:Müller") == "ABC"
    assert found('inventor:"Anna Mueller"') == "AB"
    assert found("inventor:Muller") == "AC"
    assert found("inventor:mü*er") == "ABC"


@pytest.fixture(scope="module")
def titles(tmp_path_factory: pytest.TempPathFactory) -> Index:
    documents = [
        {"id": "EP1", "title": "Cancer", "ipc": ["A61K31/00"]},
        {"id": "EP2", "title": "A tumor of one or two", "ipc": ["A61K31/01"]},
        {"id": "EP3", "title": "Neoplasms", "ipc": ["A61K31/4402"]},
        {"id": "EP4", "title": "Others", "cpc": ["A61K31/00", "A61K9/10"]},
        {"id": "EP5", "title": "Others", "ipc": ["A61K311/00"]},
    ]
    return Index.build(documents, tmp_path_factory.mktemp("titles") / "index", fields=["title"], positions=True)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("1. exp neoplasms/\n2. (cancer or tumor).tw.\n3. 1 and 2", "line 3, '1 and 2', combines lines"),
        ("1 cancer\n2 tumor\n3 1 or 2\n", "line 3, '1 or 2', combines lines"),
        ("cancer\r\ntumor\r\nor/1-2\r\n", "line 3, 'or/1-2', combines lines"),
        ("cancer*\n(#1 OR #2) AND #3", r"line 2, '\(#1 OR #2\) AND #3', combines lines"),
        ('cancer\nlimit 1 to yr="1970 -Current"', "line 2, 'limit 1 to "),
        ("exp Dementia/\nCognition Disorders/", "strategy of Ovid, not a query: 2 signs such as 'exp Dementia/'"),
        ("cancer.tw. or tumor.mp. or neoplasm$.ti,ab.", r"strategy of Ovid, not a query: 3 signs such as '\.tw\.'"),
        (
            'cancer[tiab] OR tumor[tw] OR "Neoplasms"[Mesh]',
            r"strategy of PubMed, not a query: 3 signs such as '\[tiab\]'",
        ),
    ],
)
def test_a_search_strategy_is_refused_in_one_line(titles: Index, text: str, sign: str) -> None:
    with pytest.raises(InputError, match=sign) as told:
        Language(titles).search(text)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "text",
    [
        "1. A nail of steel.\n2. The nail of claim 1, wherein it is bent.\n3. A box with nails of claim 1 or 2.",
        "cancer\nAND tumor", "film.ti,ab. AND foil.ti,ab.", "cancer[ti]", "cancer.tw.", "1 and 2", "and/or\nin/out",
    ],
)  # fmt: skip
def test_other_texts_are_still_queries(titles: Index, text: str) -> None:
    Language(titles).search(text)


def test_lines_of_a_session_may_be_combined(titles: Index) -> None:
    language = Language(titles, {1: "cancer", 2: "tumor"})
    assert language.search("#1 OR\n#2").found == 2
    assert language.search("\n(#1 OR #2)\nAND cancer").found == 1


def test_the_strategies_of_reviews_are_not_read_as_words(titles: Index, shared: Path) -> None:
    paths = sorted((shared / "strategies").glob("*.txt"))
    assert len(paths) == 20
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for each in (text, text.partition("Query:")[2].strip()):
            with pytest.raises(InputError, match=r"^QUERY: is a search strategy"):
                Language(titles).search(each)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("class:A61K31/00", 4),
        ("class:A61K31", 4),
        ("class:A61K3*", 5),
        ("class:A61K31*", 5),
        ("class:A61K31/*", 4),
        ("class:A61K4*", 0),
        ("class:A61K31/4*", 1),
        ("class:(A61K9* OR B01)", 1),
        ("ipc:A61K31/00", 3),
        ("cpc:A61K31/00", 1),
        ("class:A61K31/44", 1),
    ],
)
def test_a_main_group_finds_its_subgroups(titles: Index, query: str, found: int) -> None:
    assert Language(titles).search(query).found == found
