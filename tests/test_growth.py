"""Time grows with the size of an input, not with its square: hostile inputs of one size and of four times that."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import pytest

from leadline.collections.documents.document import MOST_CLAIMS, Claim, limited, parents
from leadline.collections.documents.document import split as split_claims
from leadline.collections.documents.numbers import normalise
from leadline.collections.documents.readers.greenbook import decoded
from leadline.collections.documents.readers.uspto import read_citations, read_claims
from leadline.collections.documents.registry import characters
from leadline.collections.documents.splitting import split
from leadline.errors import InputError, MeasureError
from leadline.measures.definition import parse_measures
from leadline.records.topics import _markup_sheet
from leadline.retrieval.index.derived_names import is_chemical_name, is_formula
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.language import Language
from leadline.retrieval.language.reading import LONGEST_QUERY, understand
from leadline.retrieval.pipeline.grid import plan
from leadline.retrieval.pipeline.synonyms.chemistry import accepted_name
from leadline.text.source import SourceText

SMALL, TIMES = 4_000, 4
MOST = 10.0  # growth of the time for four times the size: linear is 4, quadratic 16
LONG_ENOUGH = 0.2  # seconds: what else the machine does is little beside it
TOO_SHORT = 0.02  # seconds: below it, other things on the machine count for more


def _documents(content: bytes) -> int:
    pieces = (content[at : at + 65536] for at in range(0, len(content), 65536))
    return sum(1 for _ in split(pieces))


def _claims(number: int) -> int:
    markup = b"<claims>" + b'<claim id="a" num="1"></claim>' * number + b"</claims>"
    try:
        return len(read_claims(markup, (0, len(markup)), [""] * number))
    except ValueError:
        return 0


CASES: dict[str, Callable[[int], Any]] = {
    "open tags": lambda n: _documents(b"<PATDOC>" * n),
    "open tags with a wrapper": lambda n: _documents(b"<a><PATDOC>1</PATDOC>" + b"<PATDOC><article>" * n),
    "unknown tags": lambda n: _documents(b"<PATDOC>1</PATDOC>" + b"<a>" * n),
    "comments without end": lambda n: _documents(b"<PATDOC>1</PATDOC>" + b"<!--<?xml " * n),
    "document types without end": lambda n: _documents(b"<PATDOC>1</PATDOC>" + b"<!DOCTYPE a [ <?xml " * n),
    "rows with a quotation mark": lambda n: _documents(b"id,title\n" + b'a,"b\n' * n),
    "claims with one number": _claims,
    "claims of a text": lambda n: len(split_claims("\n".join(f"{i}. A nail of claim 1." for i in range(1, n)))),
    "references in a claim": lambda n: parents("claims 1, " + "2, " * n, 5),
    "claims before": lambda n: parents("the preceding " * n, 5),
    "citations without category": lambda n: read_citations(
        b"<a>" + b"<b><nplcit><othercit>Doe</othercit></nplcit></b>" * n + b"</a>"
    ),
    "a number of blanks": lambda n: normalise("1" + " -" * n),
    "entities": lambda n: characters(b"&a" * n),
    "deleted text": lambda n: decoded(".[." * n),
    "a name in parts": lambda n: is_chemical_name("thio" * n + "x"),
    "a formula": lambda n: is_formula("Co" * n),
    "signs of a query": lambda n: understand("+-" * n, ["title"]),
    "marks of a query": lambda n: understand("NOT " * n + "a", ["title"]),
    "fields of a query": lambda n: understand("a:" * n + "b", ["title"]),
    "own fields of a query": lambda n: understand("title:" * n + "b", ["title"]),
    "operators of a query": lambda n: understand("film W/5 " * n + "b", ["title"]),
    "fields behind groups of a query": lambda n: understand("(a).ti. " * n + "b", ["title"]),
    "ranges of a query": lambda n: understand("pd:[2010 TO " * n + "b", ["title"]),
    "wildcards of a query": lambda n: understand("*a" * n + "b", ["title"]),
    "quotation marks of a query": lambda n: understand('a "' * n, ["title"]),
    "comments of topics": lambda n: _topics("<!--" * n),
    "instructions of topics": lambda n: _topics("<?" * n),
    "sections of topics": lambda n: _topics("<![CDATA[" * n),
    "fields of topics that do not end": lambda n: _topics("<top><num>1</num>" + "<title>x" * n),
    "fields of topics, a line each": lambda n: _topics("<top><num>1</num>" + "\n<title>x" * n),
    "brackets of measures": lambda n: _measures("AP(" * n),
    "brackets in an option of a measure": lambda n: _measures("AP(" + "{" * n + ")"),
    "attributes of topics": lambda n: _topics(f"<topic {'b' * n}>"),
}


def _topics(text: str) -> Any:
    try:
        return _markup_sheet(SourceText.of(f"<top><num>1</num></top>{text}".encode(), "topics"))
    except InputError:
        return None


def _measures(text: str) -> Any:
    try:
        return parse_measures(text)
    except MeasureError:
        return None


def seconds(work: Callable[[int], Any], size: int, enough: float = 0.0) -> float:
    """The shortest time of three, or the first that is long enough to be measured, or below `enough`."""
    taken = []
    for _ in range(3):
        gc.disable()  # its cost depends on all objects of the process, not on the work
        start = time.process_time()
        work(size)
        taken.append(time.process_time() - start)
        gc.enable()
        if taken[-1] > 5 or taken[-1] < enough or (not enough and taken[-1] > LONG_ENOUGH):
            break
    return min(taken)


def assert_grows_with_size(work: Callable[[int], Any]) -> None:
    small = seconds(work, SMALL)
    assert small < 5, f"{SMALL} take {small:.1f} s"
    most = max(small, TOO_SHORT) * MOST
    large = seconds(work, SMALL * TIMES, enough=most)
    assert large < most, f"{SMALL} take {small:.3f} s, {TIMES} times as many {large:.3f} s"


@pytest.mark.parametrize("name", CASES)
def test_time_grows_with_the_size(name: str) -> None:
    assert_grows_with_size(CASES[name])


def test_a_query_has_a_longest() -> None:
    with pytest.raises(InputError, match="query: has 1,000,000 characters; at most 500,000 are searched for"):
        understand("a" * 1_000_000, ["title"])
    assert LONGEST_QUERY == 500_000


def test_a_document_has_a_most_of_claims_and_of_references() -> None:
    with pytest.raises(ValueError, match="has more than 20,000 claims"):
        limited(Claim(number, "") for number in range(1, MOST_CLAIMS + 2))
    every = tuple(range(1, 10_001))
    with pytest.raises(ValueError, match="its claims refer to more than 10,000,000 claims"):
        limited(Claim(number, "", every) for number in range(1, 1200))


def test_a_grid_of_too_many_runs_is_refused_at_once() -> None:
    hundred = {"each": list(range(100))}
    step = {"step": "search", **{f"option{number}": hundred for number in range(15)}}
    with pytest.raises(InputError, match="runs, more than 10,000"):
        plan({"choices": {"model": {"all": step}}})
    tables = {f"t{number}": {str(name): "text" for name in range(10)} for number in range(30)}
    with pytest.raises(InputError, match="runs, more than 10,000"):
        plan({"choices": tables})
    again = {f"t{n}": {"a": [{"again": f"t{n - 1}"}] * 2 if n else "text"} for n in range(40)}
    with pytest.raises(InputError, match=r"has more than 1000 steps"):
        plan({"choices": again})


def test_a_name_of_a_substance_has_a_longest() -> None:
    assert accepted_name("acetone [" + "[" * 1_000_000, 0) == ""


@pytest.fixture(scope="module")
def language(tmp_path_factory: pytest.TempPathFactory) -> Language:
    words = [f"{first}{second}" for first in ("poly", "metal", "glass") for second in ("film", "valve", "resin")]
    texts = [
        {"id": f"EP{n}", "title": "polymer film", "abstract": f"a film of metal {words[n % 9]}"} for n in range(200)
    ]
    folder = tmp_path_factory.mktemp("growth") / "index"
    return Language(Index.build(texts, folder, fields=["title", "abstract"], positions=True, workers=1))


QUERIES = {
    "words": "polymer film ",
    "alternatives": "film OR ",
    "requirements": "film AND ",
    "words in a field": "title:film ",
    "phrases": '"polymer film" ',
    "words cut off": "fil* ",
    "excluded words": "-valve ",
    "classes": "class:C07D ",
    "fields without a word": "title:",
    "signs": "-",
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_search_takes_time_in_proportion_to_its_query(language: Language, name: str) -> None:
    def search(size: int) -> Any:
        return language.search(QUERIES[name] * size + "metal")

    search(10)
    assert_grows_with_size(search)


def test_a_query_of_2000_different_terms_takes_seconds(language: Language) -> None:
    kinds = ("film{}", "metal{}*", '"polymer film{}"', "title:resin{}", "(valve{} OR metal) NEAR/3 film")
    text = " OR ".join(kinds[n % len(kinds)].format(n) for n in range(2000))
    start = time.process_time()
    assert language.search(text).found == 200
    assert time.process_time() - start < 20


@pytest.mark.parametrize("text", ['"' + "film " * 11_000 + '"', "film NEAR/3 " * 11_000 + "film"])
def test_words_with_places_have_a_most(language: Language, text: str) -> None:
    with pytest.raises(
        InputError, match=r"query: has 11,00\d words in phrases, beside NEAR or cut off by \*; at most 10,000"
    ):
        language.search(text)


def test_an_error_is_one_line_whatever_it_quotes() -> None:
    with pytest.raises(MeasureError) as measure:
        parse_measures("nDCG(gain=0\n.5)@10")
    with pytest.raises(InputError) as file:
        raise InputError("a\nb.run", "topic '\x1b[31m' is there twice")
    assert str(measure.value).isprintable()
    assert str(file.value) == "a\\nb.run: topic '\\x1b[31m' is there twice"
