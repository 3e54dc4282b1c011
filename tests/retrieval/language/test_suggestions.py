"""Words that are in no document, and the nearest word that is: beside a brute-force search of the vocabulary."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import examples

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.language import Language
from leadline.retrieval.language.query_terms import nearest_word

LETTERS = st.text(st.sampled_from("abcé"), min_size=3, max_size=8)


def built(texts: list[str], folder: Path, analysis: Analysis) -> Language:
    rows = [{"id": f"D{n}", "title": text, "abstract": text if n % 2 else ""} for n, text in enumerate(texts)]
    return Language(Index.build(rows, folder, fields=["title", "abstract"], analysis=analysis))


def edits(one: bytes, other: bytes) -> int:
    """The number of edits, two letters exchanged being one."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            row.append(min(row[-1] + 1, rows[-1][j] + 1, rows[-1][j - 1] + (a != b)))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                row[-1] = min(row[-1], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


@settings(max_examples=examples(60))
@given(texts=st.lists(st.lists(LETTERS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=5), word=LETTERS)
def test_the_nearest_word_is_that_of_brute_force(new_folder: Callable[[], Path], texts: list[str], word: str) -> None:
    language = built(texts, new_folder(), Analysis(stemming="none", stop_words="none"))
    counts = Counter(each for n, text in enumerate(texts) for each in text.split() * (1 + n % 2))
    most = 1 if len(word.encode()) <= 5 else 2
    near = {each: edits(word.encode(), each.encode()) for each in counts}
    scores = {each: math.log1p(counts[each]) - 4 * distance for each, distance in near.items() if distance <= most}
    found = nearest_word(language.index, word)
    if len(word.encode()) < 4 or not scores:
        assert found == ""
    else:
        assert scores[found] == pytest.approx(max(scores.values()))


def test_words_in_no_document_are_named_as_they_are_written(tmp_path: Path) -> None:
    language = built(
        ["polymers coated with films", "a polymer film", "polymerised acid"], tmp_path / "index", Analysis()
    )
    assert language.search("polymr AND film").notes == ("polymr is in no document; did you mean polymer?",)
    assert language.search("filns").notes == ("filns is in no document; did you mean films?",)
    assert "xylophon is in no document" in language.search("xylophon film").notes
    for query in ("polymers", "polym*", "acids", "the film", "title:film", "polymer 12345"):
        assert not any("in no document" in note for note in language.search(query).notes)


def test_long_texts_are_not_corrected(tmp_path: Path) -> None:
    language = built(["polymer film"], tmp_path / "index", Analysis())
    assert language.search(" ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(150))).notes == ()


def test_why_names_words_as_the_query_writes_them(tmp_path: Path) -> None:
    language = built(["polymers coated with films", "a polymer film"], tmp_path / "index", Analysis())
    answer = language.search("Coatings Films title:polymers film")
    assert answer.written["film"] == "Films, film"
    assert answer.written["coat"] == "Coatings"
    assert answer.written["title:polym"] == "title:polymers"
