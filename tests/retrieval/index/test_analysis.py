"""Words and terms: the rules, and one answer from both engines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import InputError
from leadline.retrieval.choices import Syllables
from leadline.retrieval.index.analysis import Analysis, _spans, classes, joined
from leadline.retrieval.index.kernels import find_words

WHOLE = Analysis(stemming="none", stop_words="none")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,2-dichloroethane", ["1,2-dichloroethane"]),
        ("CAS 50-00-0.", ["cas", "50-00-0"]),
        ("C12H22O11, H2SO4", ["c12h22o11", "h2so4"]),
        ("H₂SO₄ at 20 °C", ["h2so4", "at", "20", "c"]),
        ("water-in-oil", ["water", "in", "oil"]),
        ("IL-6, 2-butanol; 5 - 6", ["il-6", "2-butanol", "5", "6"]),
        ("3.5, 10,000. end.", ["3.5", "10,000", "end"]),
        ("1, 2 and 1,a", ["1", "2", "and", "1", "a"]),
        ("1,-2", ["1", "2"]),
        ("naïve Größe ŒUVRE", ["naïve", "größe", "œuvre"]),
        ("Teflon™ trade‑mark 4–5", ["teflon", "trade", "mark", "4-5"]),
        ("水と油 oil", ["水", "と", "油", "oil"]),
        ("don't", ["don", "t"]),
        ("x\U0001f600y \U00020000z", ["x", "y", "\U00020000", "z"]),
        ("-,. ", []),
        ("", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert WHOLE.terms(text) == words


def test_plain_words_end_at_every_sign() -> None:
    analysis = Analysis(stemming="none", stop_words="none", words="plain")
    assert analysis.terms("1,2-dichloro 3.5") == ["1", "2", "dichloro", "3", "5"]


def test_stop_words_and_stems() -> None:
    assert Analysis().terms("The compositions of said polymers") == ["composit", "polym"]
    assert Analysis(stemming="porter", stop_words="none").terms("the dying skies") == ["the", "dy", "ski"]
    assert Analysis(language="de").terms("Die Häuser und das Gehäuse") == ["haus", "gehaus"]
    assert Analysis().terms("2-butanes") == ["2-butanes"]


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(InputError, match="'xx' is not one of"):
        Analysis(language="xx")
    with pytest.raises(InputError, match="did you mean snowball"):
        Analysis(stemming="snowbal")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no list for fi"):
        Analysis(language="fi")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("ab1.,- é水\U0001f600\U00020000₂전지용ー"), max_size=12), max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_both_engines_find_the_same_words(texts: list[str], chemical: bool, pairs: bool) -> None:
    syllables: Syllables = "pairs" if pairs else "whole"
    content, offsets = joined(texts)
    room = len(content)
    starts, lengths, of_text = [0] * room, [0] * room, [0] * (len(texts) + 1)
    plain = content.tolist(), len(texts), offsets.tolist(), classes(syllables).tolist(), chemical
    count = find_words(*plain, starts, lengths, of_text)
    for kernels in (False, True):
        found = _spans.version(kernels)(content, offsets, "chemical" if chemical else "plain", syllables)
        assert [part.tolist() for part in found] == [starts[:count], lengths[:count], of_text]
