"""Tokens, shingles, resemblance and sketches: by the paper, by another program's figures, and by the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leadline.collections.duplicates import sketches as duplicate_sketches
from leadline.collections.duplicates.sketches import (
    UNITS,
    Bands,
    By,
    ShingleHashes,
    band_hashes,
    bands,
    canonical,
    check_places,
    containment,
    estimate,
    resemblance,
    shingles,
    sketched_bands,
    sketches,
    tokens,
)
from leadline.errors import InputError

WORDS = [
    "a",
    "b",
    "Nail",
    "nail,",
    "水火",
    "é",
    "𝒳y",
    "<b>",
    "&amp;",
    "x_y",
    "ﬁn",
    "\n",
    "\n\n",
    "1.5",
    "-",
    "ก็",
    "İ",
    "\u0301",
]
TEXTS = st.lists(
    st.one_of(st.text(max_size=12), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)), max_size=6
)
BY = st.sampled_from(list(UNITS))


def test_the_papers_4_shingling() -> None:
    found = shingles("internet scaled data storage and analysis", 4)
    assert found == {
        ("internet", "scaled", "data", "storage"),
        ("scaled", "data", "storage", "and"),
        ("data", "storage", "and", "analysis"),
    }


def test_formatting_does_not_count() -> None:
    plain = tokens("The nail and the hammer are old")
    assert tokens("<P>THE <b class='x'>Nail</b>,\n and&nbsp;the -- hammer<br/>(are) old!") == plain
    assert (
        tokens("<script>var nail = 1;</script>The nail<!-- and --> and the hammer <style>p{}</style>are old") == plain
    )
    assert tokens("a < b and c > d") == ["a", "b", "and", "c", "d"]
    assert tokens("<p>one</p><p>two</p>", "lines") == ["one", "two"]


def test_an_open_comment_ends_with_the_text() -> None:
    assert canonical("a <!-- b <!-- c") == "a "


def test_resemblance_and_containment() -> None:
    small, large = shingles("a b c d e"), shingles("a b c d e f g h")
    assert resemblance(small, large) == 2 / 5
    assert containment(small, large) == 1
    assert containment(large, small) == 2 / 5
    assert resemblance(frozenset(), frozenset()) == containment(frozenset(), small) == 0


def test_short_and_empty_texts() -> None:
    found = ShingleHashes.of(["", "one two", "one two three", "One, two", "..."], 4, "words")
    hashes, sizes = found.sets()
    assert sizes.tolist() == [0, 1, 1, 1, 0]
    assert hashes[0] == hashes[2] != hashes[1]


def test_another_programs_figures(shared: object) -> None:
    from pathlib import Path

    folder = Path(str(shared)) / "oracles/minhash"
    texts = dict(line.split("\t") for line in (folder / "texts.tsv").read_text().splitlines())
    names = list(texts)
    rows = [line.split("\t") for line in (folder / "resemblance.tsv").read_text().splitlines()[1:]]
    assert len(rows) > 60
    for a, b, width, exact, *_ in rows:
        w = int(width)
        assert resemblance(shingles(texts[a], w), shingles(texts[b], w)) == pytest.approx(float(exact), abs=1e-9)
        found = ShingleHashes.of(list(texts.values()), w, "words")
        for places in (128, 1024):
            sketch = sketches(found, places)
            guess = estimate(sketch[names.index(a)], sketch[names.index(b)])
            assert abs(guess - float(exact)) <= 3 / math.sqrt(places)


@given(TEXTS, BY, st.integers(1, 6), st.sampled_from([1, 3, 10, 1 << 19]))
@example(["x\ny", "x", "\n", ""], "lines", 2, 1)
@example(["a b", "cd\ne f\n", "g"], "lines", 1, 2)
def test_both_engines_and_the_definition_agree(texts: list[str], by: By, width: int, piece: int) -> None:
    found = []
    for engine in ("plain", "compiled"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LEADLINE_ENGINE", engine)
            patch.setattr(duplicate_sketches, "PLAIN_PIECE", piece)
            hashed = ShingleHashes.of(texts, width, by)
            found.append((hashed, sketches(hashed, 16), hashed.fingerprints))
    (plain, plain_sketch, plain_print), (compiled, sketch, prints) = found
    assert (plain.hashes == compiled.hashes).all()
    assert (plain.offsets == compiled.offsets).all()
    assert (plain_sketch == sketch).all()
    assert (plain_print == prints).all()
    sets = [shingles(text, width, by) for text in texts]
    hashes, sizes = compiled.sets()
    hashed_sets = np.split(hashes, np.cumsum(sizes)[:-1])
    for a, first in enumerate(sets):
        assert compiled.tokens[a] == len(tokens(texts[a], by))
        assert len(hashed_sets[a]) == len(first)
        for b, second in enumerate(sets):
            assert len(np.intersect1d(hashed_sets[a], hashed_sets[b])) == len(first & second)


@pytest.mark.parametrize("size", [1, 5, 20, 60, 128, 200, 400, 2000])
def test_estimates_are_within_their_binomial_error(size: int) -> None:
    """Over 400 random pairs the errors have mean 0, and no larger a spread than that of independent draws."""
    rng, errors = np.random.default_rng(size), []
    for _ in range(400):
        hashes = rng.integers(0, 2**64, 2 * size, dtype=np.uint64)
        common = int(rng.integers(0, size + 1))
        both = np.concatenate([hashes[:size], hashes[:common], hashes[size : 2 * size - common]])
        sketch = sketches(ShingleHashes(both, np.array([0, size, 2 * size]), np.array([size, size]), hashes[:2]))
        true = common / (2 * size - common)
        if 0 < true < 1:
            errors.append((estimate(*sketch) - true) / math.sqrt(true * (1 - true) / 128))
        else:
            assert estimate(*sketch) == true
    if errors:
        assert abs(np.mean(errors)) < 4 / math.sqrt(len(errors))
        assert np.std(errors) < 1.1
        assert np.mean(np.abs(errors) <= 3) > 0.99


def test_bands_miss_hardly_any_pair_at_the_threshold() -> None:
    for threshold in np.arange(0.15, 1.001, 0.05):
        cut = bands(float(threshold))
        assert cut.count * cut.rows <= 128
        assert cut.missed(float(threshold)) <= 1e-6
    assert Bands(32, 4).missed(1.0) == 0
    with pytest.raises(InputError, match=r"at least 0\.11 with 128 places, got 0\.05: use --exact"):
        bands(0.05)
    with pytest.raises(InputError, match="a power of 2 from 16 to 16384, got 100"):
        check_places(100)


def test_bands_of_some_texts_at_a_time_are_those_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["", *(" ".join(f"w{n % (7 + k)}" for n in range(30 * k)) for k in range(9)), "alone"]
    found, cut = ShingleHashes.of(texts, 2, "words"), Bands(8, 2)
    whole = band_hashes(sketches(found, 16), cut)
    for most in (1, 100, 1000):
        monkeypatch.setattr(duplicate_sketches, "SKETCHED", most)
        assert (sketched_bands(found, 16, cut) == whole).all()
