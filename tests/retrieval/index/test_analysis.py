"""Words and terms: the rules, and one answer from both engines."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.errors import InputError
from leadline.retrieval.index.analysis import Analysis, _spans, classes, joined, prepared
from leadline.retrieval.index.kernel_arguments import ALONE, AMPERSAND, BETWEEN, DIGIT, HYPHEN, LETTER, POINT

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


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("abzé1.,- `{AZ水\U00020000₂전"), max_size=12), max_size=4),
    st.lists(st.integers(0, 140), min_size=4, max_size=4),
    st.booleans(),
)
def test_both_engines_find_the_same_words_among_long_runs_of_letters(
    texts: list[str], lengths: list[int], chemical: bool
) -> None:
    """Runs of small letters are passed over 64 bytes at a time, up to the end of their text."""
    content, offsets = joined([text + "q" * length for text, length in zip(texts, lengths, strict=False)], "kept")
    found = [
        _spans.version(kernels)(content, offsets, "chemical" if chemical else "plain") for kernels in (False, True)
    ]
    assert [part.tolist() for part in found[0]] == [part.tolist() for part in found[1]]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(st.sampled_from("aBΣ1 é水₂İẞ\xad"), max_size=5), max_size=9))
def test_joined_texts_are_prepared_as_each_alone(texts: list[str]) -> None:
    content, offsets = joined(texts)
    alone = [prepared(text) for text in texts]
    cut = [content[start:stop].tobytes() for start, stop in pairwise(offsets.tolist())]
    assert cut == alone
    assert not content[int(offsets[-1]) :].any()


def test_the_classes_of_characters_are_as_unicode_says() -> None:
    found = classes()
    for code in (*range(0x3000), *range(0x3000, 0x10000, 7)):
        character, kind = chr(code), LETTER if unicodedata.category(chr(code))[0] in "LMN" else BETWEEN
        if character.isdecimal():
            kind = DIGIT
        assert found[code] in ((kind,) if character not in ".,-&" else (POINT, HYPHEN, AMPERSAND)) or (
            found[code] == ALONE and unicodedata.category(character) == "Lo"
        ), hex(code)
