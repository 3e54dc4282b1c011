"""Strategies as they are pasted: numbers, comments, counts, lines that go on; run, measured and translated."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.retrieval.strategy.test_lines import rows

import leadline as ll
from leadline.errors import InputError
from leadline.retrieval.language.line_reading import read_line
from leadline.retrieval.language.syntax import OWN, SYNTAXES, recognised
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.strategy.lines import strategy_text
from leadline.retrieval.strategy.running import LineFound, read_lines, run_lines
from leadline.retrieval.strategy.translating import translate_lines

OVID = [
    "exp Heart Attack/",
    "(film$ adj3 metal).ti,ab.",
    "(heart or cardiac or (myocard* adj2 infarct*)).ti,ab.",
    "or/1-3",
    '"water in oil".tw.',
    "4 not 5",
    'limit 6 to yr="2008 -Current"',
    "limit 7 to (english language and humans)",
]


def understood(text: str, syntax: str | None = None) -> list[tuple[int, str]]:
    return [(line.number, read.query) for line, read in read_lines(strategy_text(text, syntax))]


BASE = understood("\n".join(OVID))


def pasted() -> Iterator[tuple[str, str]]:
    """The same strategy as it may be printed."""
    numbered = list(enumerate(OVID, 1))
    for name, form in {
        "points": "{}. {}", "blanks": "{}    {}", "hashes": "#{} {}", "tabs": "{}\t{}", "brackets": "{}) {}",
        "sets": "S{} {}", "counts": "{}. {} (1,234)", "counts behind tabs": "{} {}\t99", "loose counts": "{}. {} 20345",
    }.items():  # fmt: skip
        yield name, "\n".join(form.format(n, line) for n, line in numbered)
    yield "curly quotes", "\n".join(f"{n}. {line.replace(chr(34), '”')}" for n, line in numbered)
    yield "wrapped", "\n".join("\n".join(textwrap.wrap(f"{n}. {line}", 30)) for n, line in numbered)
    yield "from the last to the first", "\n".join(f"#{n} {line}" for n, line in reversed(numbered))
    about = "Database: Ovid MEDLINE(R) <1946 to now>\nSearch Strategy:\n-----\n"
    yield "with a header", about + "\n".join(f"{n}     {line} (12)" for n, line in numbered) + "\n*****\n"
    yield "with comments", "Condition\n" + "\n".join(f"{n}. {line}" + "\nTests\n" * (n == 3) for n, line in numbered)
    yield "lines of Windows", "\r\n\r\n".join(f"{n}. {line}" for n, line in numbered)
    yield "as a topic", "Topic: 7\n\nTitle: Film\n\nQuery: \n" + "\n".join(OVID)


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in pasted()])
def test_a_strategy_is_the_same_however_it_is_printed(text: str) -> None:
    assert strategy_text(text).syntax == "ovid"
    assert understood(text) == BASE


def test_a_word_broken_at_the_end_of_a_line_is_joined_with_a_note() -> None:
    found = strategy_text("1. (diag-\nnosis or film).ti.\n2. 1 and metal.ti.")
    assert found.lines[0].text == "(diagnosis or film).ti."
    assert "diag- at the end of a line was joined" in found.lines[0].notes[0]


def test_numbered_blocks_have_the_lines_under_their_titles() -> None:
    text = (
        "1 Index test: film\nfilm[tiab] OR “thin film”[tw]\nOR foil[tiab]\n2. Target\nmetal[mesh]\n"
        "Search combination\n1 AND 2"
    )
    found = strategy_text(text)
    assert [(line.number, line.text) for line in found.lines] == [
        (1, 'film[tiab] OR "thin film"[tw] OR foil[tiab]'), (2, "metal[mesh]"), (3, "1 AND 2")
    ]  # fmt: skip
    assert found.comments == ("1 Index test: film", "2. Target", "Search combination")


@pytest.mark.parametrize("name", sorted(SYNTAXES))
def test_the_syntax_of_a_strategy_is_recognised(name: str) -> None:
    assert recognised([query for query, _ in rows(name)])[0] == name


def test_what_has_no_sign_is_read_as_our_own_with_a_note(records: SearchContext) -> None:
    found = run_lines(records, strategy_text("1. title:film\n2. metal\n3. 1 and 2\n4. #1 NOT #2\n5. or/1-2"))
    assert found.syntax == OWN
    assert [line.documents for line in found.lines] == [3, 3, 3, 0, 3]
    assert "nothing tells whose syntax it is" in strategy_text("polymer film").notes[0]


# Lines that mean something that nothing here tells, with the beginning of what is said of them.
FLAGGED = {
    ("ovid", "exp Hypertension/di"): 'heading "Hypertension": no thesaurus is loaded',
    ("ovid", "review.pt."): "review (pt): nothing here tells these documents",
    ("ovid", 'limit 1 to "reviews (best balance)"'): "limit to",
    ("ovid", "1 and 7"): "7: there is no line 7 before this one",
    ("ovid", "film.kw."): ".kw.: documents have no keywords here: title and abstract are searched",
    ("pubmed", "film[tiba]"): "[tiba]: tiba is no field of PubMed; did you mean tiab?",
    ("ovid", "film.tb,ab."): ".tb,ab.: tb is no field of Ovid",
    ("embase", "(film OR foil):tb"): ":tb: tb is no field of Embase",
    ("stn", "film/XB"): "/XB: xb is no field of STN",
    ("pubmed", "colo?r*[ti]"): "colo?r*: ? is no wildcard of PubMed",
    ("embase", "[embase]/lim AND film"): "[embase]/lim: nothing here tells embase",
    ("scopus", "TITLE(film) AND DOCTYPE(ar)"): "ar (DOCTYPE): nothing here tells these documents",
    ("wos", "TX=film"): "TX is no field of Web of Science",
    ("espacenet", "ti=film and ap=EP1"): "EP1 (ap=): nothing here tells these documents",
    ("stn", '"film/TI'): '" without a second one was ignored',
}


@pytest.mark.parametrize(("name", "query"), FLAGGED)
def test_what_is_not_as_it_was_asked_is_named(records: SearchContext, name: str, query: str) -> None:
    text = f"1. film\n2. {query}"
    line = run_lines(records, strategy_text(text, name)).lines[1]
    assert line.status != "understood"
    assert any(note.startswith(FLAGGED[name, query]) for note in line.notes), line.notes


# Lines as systems print them in their histories, with what is understood.
PRINTED = [
    ("ovid", "remove duplicates from 2", "#2"),
    ("ovid", "2 and (film or foil).ti.", "#2 AND title:(=film OR =foil)"),
    ("ovid", "*Film/ and \"Quality of Life\"/", 'mesh-noexp:Film AND mesh-noexp:"Quality of Life"'),
    ("ovid", "(Fluoroscopy/ or film.tw.) and metal.tw.",
     "(mesh-noexp:Fluoroscopy OR title,abstract:=film) AND title,abstract:=metal"),
    ("pubmed", "Search ((film[Title]) AND foil[tiab]) Filters: English, from 2010 - 2020",
     "(title:=film AND title,abstract:=foil) AND (language:en AND published:2010..2020)"),
    ("pubmed", '#1 AND ("2010/01/01"[PDat] : "2020/12/31"[PDat])', "#1 AND published:2010-01-01..2020-12-31"),
    ("embase", "#1 NOT ('film abstract':it OR 'foil':it)", "#1"),
    ("cochrane", "(film*):ti,ab,kw (Word variations have been searched)", "title,abstract:film*"),
    ("cochrane", "#1 with Cochrane Library publication date Between Jan 2010 and Dec 2020",
     "#1 AND published:2010..2020"),
    ("ebsco", "S1 AND S2 Limiters - Published Date: 20100101-20201231; English Language",
     "#1 AND #2 AND (published:2010-01-01..2020-12-31 AND language:en)"),
    ("proquest", "[S1] AND PD(20100101-20201231) AND LA(ENG)",
     "#1 AND published:2010-01-01..2020-12-31 AND language:en"),
    ("scopus", '#1 AND ( LIMIT-TO ( LANGUAGE,"English" ) )', "#1 AND language:en"),
    ("stn", "12345 S FILM?/TI,AB", "title,abstract:FILM*"),
    ("stn", "S L1 AND PY>=2010", "#1 AND published:2010.."),
    ("espacenet", 'pn=US2010* or cpc=C08J5/18/low', 'number:"US2010*" OR cpc:C08J5/18'),
]  # fmt: skip


@pytest.mark.parametrize(("name", "query", "meant"), PRINTED)
def test_lines_are_read_as_systems_print_them(name: str, query: str, meant: str) -> None:
    assert read_line(query, SYNTAXES[name], [1, 2]).query == meant


def test_a_line_that_finds_nothing_says_which_word_is_in_no_document(records: SearchContext) -> None:
    (line,) = run_lines(records, strategy_text("hypertenshun.ti.", "ovid")).lines
    assert line.documents == 0
    assert line.notes == ("hypertenshun is in no document; did you mean hypertension?",)


def test_a_thesaurus_answers_with_the_names_of_headings(records: SearchContext) -> None:
    names = {"Vessel": ["vessel"], "Cardiac Event": ["heart attack", "myocardial infarction"]}

    def headings(name: str, exploded: bool) -> list[str] | None:
        return names[name] + (["bile duct"] if exploded else []) if name in names else None

    text = strategy_text("1. Cardiac Event/\n2. exp Cardiac Event/\n3. exp Unheard/\n4. 1 or 2", "ovid")
    found = run_lines(records, text, headings=headings)
    assert [line.documents for line in found.lines] == [1, 2, 0, 2]
    assert found.lines[1].notes[0].startswith('heading "Cardiac Event": 3 names of it and of narrower headings')
    assert "the thesaurus does not have it" in found.lines[2].notes[0]


def test_the_result_is_ids_run_ris_or_csv(records: SearchContext) -> None:
    found = ll.run_strategy(records, '1. film$.ti.\n2. limit 1 to yr="2011-2012"', order="newest")
    assert found.ids == ["D5", "D4"]
    assert found.encoded("ids") == b"D5\nD4\n"
    assert found.run("7").to_dict() == {"7": {"D5": 2.0, "D4": 1.0}}
    assert b"TI  - Film and metal" in found.encoded("ris")
    assert found.encoded("csv").startswith(b"record_id,title,abstract,authors,year\nD5,Film and metal,")
    assert ll.run_strategy(records, "film$.ti.", syntax="ovid").run().to_dict() == {
        "strategy": {"D3": 1.0, "D4": 1.0, "D5": 1.0}
    }
    assert len(ll.run_strategy(records, "film$.ti.", syntax="ovid", order="bm25").ids) == 3
    assert found.table.columns == ["line", "query", "understood", "documents", "notes"]


def test_lines_are_measured_by_judgements(records: SearchContext) -> None:
    text = "1. film$.ti.\n2. foil$.ti.\n3. silver.ti.\n4. or/1-3\n5. copper.ab.\n6. 4 not 5"
    found = ll.measure_strategy(records, text, {"7": {"D3": 1, "D4": 1, "D5": 1, "D6": 0}})
    first = found.lines[0]
    assert (first.found.documents, first.relevant, first.recall, first.precision) == (3, 3, 1.0, 1.0)
    assert found.droppable == [2, 3]
    assert found.losing == [5]
    assert found.lines[0].advice == "finds 2 relevant documents that no other line does"
    assert found.notes[-2:] == (
        "lines you could drop, one at a time: 2, 3", "lines that lose relevant documents: 5"
    )  # fmt: skip


# A line that every system can say comes back the same from every system.
COMMON = ["(film OR foil) AND steel", "film NOT metal", "(film AND metal) OR copper"]


@pytest.mark.parametrize("name", sorted(SYNTAXES))
@pytest.mark.parametrize("query", COMMON)
def test_a_translation_means_the_same(records: SearchContext, name: str, query: str) -> None:
    def found(text: str, syntax: str) -> LineFound:
        return run_lines(records, strategy_text(text, syntax)).lines[-1]

    asked = re.sub(r"film|foil|steel|metal|copper", r"\g<0>.ti,ab.", query.lower())
    translated = translate_lines(strategy_text(asked, "ovid"), name)
    ((_, _, written, notes),) = translated.lines
    assert notes == ()
    assert found(written, name).documents == found(asked, "ovid").documents


def test_what_a_translation_loses_is_named() -> None:
    text = strategy_text("1. wom#n.ti.\n2. (film adj3 metal).ab.\n3. exp *Polymers/di\n4. or/1-3", "ovid")
    pubmed = [notes for _, _, _, notes in translate_lines(text, "pubmed").lines]
    assert pubmed[0] == ("wom?n: PubMed cannot leave open one letter: * finds more",)
    assert pubmed[1] == ()
    assert '"Polymers": the subheading di was left out' in pubmed[2]
    scopus = [written for _, _, written, _ in translate_lines(text, "scopus").lines]
    assert scopus == ["TITLE(wom?n)", 'ABS("film" W/2 "metal")', 'INDEXTERMS("Polymers")', "#1 OR #2 OR #3"]


def test_one_query_is_searched_for_in_the_syntax_of_another_system(records: SearchContext, tmp_path: Path) -> None:
    assert ll.search(records, "(film adj3 metal).ti,ab.", syntax="ovid").found == 2
    assert ll.search(records, "TS=(heart attack)", syntax="wos").found == 2
    with pytest.raises(InputError, match="cannot be combined with a history"):
        ll.search(records, "film.ti.", syntax="ovid", history=tmp_path / "session.json")
    with pytest.raises(InputError, match="--syntax ovid takes one line of it"):
        ll.search(records, "film.tw. or foil.tw. or metal.tw.")


def test_a_phrase_has_its_common_words_where_they_stand(records: SearchContext) -> None:
    assert ll.search(records, '"water in oil"').found == ll.search(records, '"water and oil"').found == 1
    assert [hit.name for hit in ll.search(records, '"water and oil"').hits] == ["D2"]


def test_a_strategy_is_not_evaluated_for_ever() -> None:
    deep = read_line("(" * 5000 + "film" + ")" * 5000, SYNTAXES["ovid"])
    assert "parentheses deeper than 100 were ignored" in deep.changed
    assert read_line(" or ".join(["film.ti."] * 3000), SYNTAXES["ovid"]).tree is not None
    assert read_line("x" * 300_000, SYNTAXES["ovid"]).tree is None


def test_published_strategies_are_understood_line_by_line(records: SearchContext, shared: Path) -> None:
    paths = sorted((shared / "strategies").glob("*.txt"))
    if not paths:
        pytest.skip("needs the strategies of reviews")
    lines: list[LineFound] = []
    for path in paths:
        lines += run_lines(records, strategy_text(path.read_text(encoding="utf-8"))).lines
    assert len(lines) == 515
    assert not [line for line in lines if line.status == "not understood"]
    assert all(line.notes for line in lines if line.status == "changed")
    words = [line for line in lines if line.status == "changed" and "no thesaurus is loaded" not in "".join(line.notes)]
    assert len(words) == 1  # a limit to reviews


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1. (\n" + "film\n" * 30_000, "is a line of more than 100,000 characters, with what goes on: divide it"),
        (f"1. film.ti.\n2. {'film or ' * 20_000}\n", "STRATEGY:2: is a line of more than 100,000 characters"),
        ("film\n" * 40_001, "has 40,001 lines; a strategy is written in at most 40,000"),
    ],
)
def test_lines_without_end_are_refused(text: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        strategy_text(text)
    assert said in str(raised.value)


def test_wide_gaps_and_signs_of_ours_are_blanks() -> None:
    """A gap was gone through from each of its blanks; a zero byte stands for a quoted text while a limit is read."""
    text = f"1. film{' ' * 50_000}metal\t 17\n2. limit 1 to \0english language\n"
    found = [(line.text, read.tree is not None) for line, read in read_lines(strategy_text(text, "ovid"))]
    assert found == [("film  metal", True), ("limit 1 to \0english language", True)]
