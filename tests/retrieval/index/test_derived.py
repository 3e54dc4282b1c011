"""Fields made of other fields: what they find by hand, and the same as plain loops on arbitrary texts."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import InputError
from leadline.retrieval.choices import DERIVED
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.derived import BREAK, NOUN, field_function, role_of, terms
from leadline.retrieval.index.derived_names import is_chemical_name, is_registry_number
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.searcher import Searcher

PLAIN = Analysis(stemming="none", stop_words="common")
WORDS = ["steel", "plate", "coated", "the", "comprises", "fuel", "rapidly", "valve", "12", "seed", "acid", "e", "fig"]
TEXTS = st.lists(
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from([" ", " ", " ", "-", ", ", ". ", "; ", "\n", "."]))),
    max_size=4,
).map(lambda texts: ["".join(word + gap for word, gap in text) for text in texts])


def test_phrases_by_hand() -> None:
    text = "The hot-rolled steel plate coated with zinc oxide, a fuel injection valve body."
    assert terms("phrases", [text], PLAIN) == [
        "rolled steel", "steel plate", "zinc oxide", "fuel injection", "injection valve", "valve body",
        "hot rolled steel plate", "fuel injection valve body",
    ]  # fmt: skip
    assert terms("phrases", ["Fuel valves"], Analysis()) == terms("phrases", ["a fuel valve"], Analysis())
    assert terms("phrases", ["steel", "plate"], PLAIN) == []  # no phrase reaches from one field into the next


def test_entities_by_hand() -> None:
    text = "Poly(ethylene oxide), 1,2-dichloroethane (CAS 107-06-2, not 107-06-3), IL-6, H₂SO₄; sodium dodecyl sulfate"
    assert terms("entities", [text], PLAIN) == [
        "ethylene", "1,2-dichloroethane", "107-06-2", "il-6", "h2so4", "sodium", "dodecyl", "ethylene oxide",
        "sodium dodecyl sulfate",
    ]  # fmt: skip
    assert terms("entities", ["The method of claim 1, wherein no co-worker is in the USA."], PLAIN) == []


def test_sentences_by_hand() -> None:
    text = "Acid and acid, as in Fig. 2. No acid! Base;\nbase e.g. acid\nacid"
    assert terms("sentences", [text], PLAIN) == ["acid", "fig", "2", "acid", "base", "base", "e", "g", "acid", "acid"]


def phrases_by_loops(text: str) -> list[str]:
    """The rule of `phrases.py`, word by word."""
    pairs, wholes = [], []
    found = list(re.finditer(r"[a-z0-9]+", text))
    chunk: list[str] = []
    for place, match in enumerate([*found, None]):
        before = found[place - 1].end() if place else None
        close = match is not None and before is not None and text[before : match.start()] in (" ", "-")
        kind = BREAK if match is None or match[0] == "the" else role_of(match[0])
        if chunk and (kind == BREAK or not close):
            while chunk and role_of(chunk[-1]) != NOUN:
                chunk.pop()
            pairs += [f"{one} {two}" for one, two in pairwise(chunk) if role_of(two) == NOUN]
            wholes += [" ".join(chunk)] * (3 <= len(chunk) <= 5)
            chunk = []
        if match is not None and kind != BREAK:
            chunk.append(match[0])
    return pairs + sorted(wholes, key=lambda whole: whole.count(" "))


def sentences_by_loops(text: str) -> list[str]:
    parts = re.split(r"(?<!\bfig)(?<!\be)\.(?=\s|$)|[;!?](?=\s|$)|\n", text)
    found = [dict.fromkeys(re.findall(r"[a-z0-9]+", part)) for part in parts]
    return [word for words in found for word in words if word != "the"]


@settings(deadline=None)
@given(TEXTS)
def test_phrases_are_those_of_plain_loops(texts: list[str]) -> None:
    plain = Analysis(stemming="none", words="plain")
    found = field_function("phrases")(texts, plain)
    assert [found.of_text(number) for number in range(len(texts))] == [phrases_by_loops(text) for text in texts]


@settings(deadline=None)
@given(TEXTS)
def test_sentences_are_those_of_plain_loops(texts: list[str]) -> None:
    plain = Analysis(stemming="none", words="plain")
    found = field_function("sentences")(texts, plain)
    assert [found.of_text(number) for number in range(len(texts))] == [sentences_by_loops(text) for text in texts]


@settings(deadline=None)
@given(st.lists(st.text()), st.sampled_from(DERIVED))
def test_texts_do_not_touch_each_other(texts: list[str], name: str) -> None:
    found = field_function(name)(texts, PLAIN)
    assert [found.of_text(number) for number in range(len(texts))] == [terms(name, [text], PLAIN) for text in texts]


def test_every_registry_number_has_its_check_digit() -> None:
    for good in ("7732-18-5", "64-19-7", "107-06-2", "50-00-0", "9002-88-4"):
        assert is_registry_number(good)
        last = (int(good[-1]) + 1) % 10
        assert not is_registry_number(f"{good[:-1]}{last}")


@pytest.mark.parametrize("word", ["decimal", "ethical", "periodic", "membrane", "machine", "engine", "allen", "button"])
def test_everyday_words_are_no_chemicals(word: str) -> None:
    assert not is_chemical_name(word)


def test_derived_fields_are_searched_where_they_are_named(tmp_path: Path) -> None:
    documents = [
        {"id": "D1", "title": "Fuel valve", "body": "An injection valve of steel. Steel, all steel."},
        {"id": "D2", "title": "Valve", "body": "Steel for the injection of fuel; acetic acid 64-19-7."},
    ]
    fields = ["title", "body", *DERIVED]
    index = Index.build(documents[:1], tmp_path, fields=fields, analysis=PLAIN).add(documents[1:])
    for one in (index, index.merge()):
        assert (one.own, one.derived, one.fields) == (["title", "body"], list(DERIVED), fields)
        searcher = Searcher(one)
        assert searcher.search({"injection valve": 1}, fields="phrases").rows.tolist() == [0]
        assert searcher.search({"64-19-7": 1}, fields="entities").rows.tolist() == [1]
        assert one.lists("sentences", [b"steel"]).frequencies.tolist() == [2, 1]
        assert one.lists("body", [b"steel"]).frequencies.tolist() == [3, 1]
        assert len(searcher.search({"injection valve": 1}, fields=one.own)) == 0
        assert "valve" not in one.expand("entities", "")  # only what occurs
    with pytest.raises(InputError, match=r"phrases is derived from others: name one of these too"):
        Index.build(documents, tmp_path, fields=["phrases"])
