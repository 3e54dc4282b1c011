"""Groups of near-duplicates: equal to brute force, in any order of reading, from every kind of source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import examples

import leadline as ll
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Citation, Document
from leadline.collections.duplicates import find
from leadline.collections.duplicates.sketches import containment, resemblance, shingles
from leadline.text.spread import spread_here

Groups = set[frozenset[str]]


def groups_of(found: ll.Duplicates) -> Groups:
    named: dict[int, set[str]] = {}
    for group, document, _, _ in found.entries:
        named.setdefault(group, set()).add(document)
    return set(map(frozenset, named.values()))


def brute_force(texts: Mapping[str, str], width: int, threshold: float, within: float | None = None) -> Groups:
    """Compare every text with every other, and join what is alike."""
    sets = {name: shingles(text, width) for name, text in texts.items()}
    group = {name: {name} for name in texts}
    for a, first in sets.items():
        for b, second in sets.items():
            alike = a != b and first and resemblance(first, second) >= threshold
            if within is not None and a != b and first and second:
                alike = alike or max(containment(first, second), containment(second, first)) >= within
            if alike and group[a] is not group[b]:
                group[a] |= group[b]
                for name in group[a]:
                    group[name] = group[a]
    return {frozenset(each) for each in group.values() if len(each) > 1}


SMALL = st.lists(st.lists(st.sampled_from("abcde"), max_size=14).map(" ".join), min_size=1, max_size=12)


@settings(max_examples=examples(300))
@given(SMALL, st.integers(1, 4), st.sampled_from([0.3, 0.5, 0.8, 0.9, 1.0]), st.sampled_from([None, 0.5, 0.9]))
def test_exact_groups_are_those_of_brute_force(
    texts: list[str], width: int, threshold: float, within: float | None
) -> None:
    named = {f"d{place}": text for place, text in enumerate(texts)}
    found = ll.duplicates(named, shingle=width, resemblance=threshold, exact=True, containment=within)
    assert groups_of(found) == brute_force(named, width, threshold, within)


@settings(max_examples=examples(200))
@given(SMALL, st.integers(1, 4), st.sampled_from([0.3, 0.5, 0.6, 0.8, 0.9, 1.0]))
def test_groups_by_sketches_are_those_of_brute_force(texts: list[str], width: int, threshold: float) -> None:
    named = {f"d{place}": text for place, text in enumerate(texts)}
    found = ll.duplicates(named, shingle=width, resemblance=threshold)
    assert groups_of(found) == brute_force(named, width, threshold)
    sets = {name: shingles(text, width) for name, text in named.items()}
    kept = {group: document for group, document, _, is_kept in found.entries if is_kept}
    for group, document, alike, is_kept in found.entries:
        assert alike == pytest.approx(resemblance(sets[document], sets[kept[group]]))
        assert is_kept == (document == kept[group])


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.6])
def test_texts_with_common_phrases_are_not_all_compared(threshold: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Low thresholds: every text shares phrases with every other, and only those that are alike are compared."""
    rng = np.random.default_rng(7)
    phrases = [" ".join(f"p{each}" for each in rng.integers(0, 50, 8).tolist()) for _ in range(40)]
    texts = {}
    for number in range(120):
        if number % 3 == 2:
            texts[f"d{number}"] = edited(rng, texts[f"d{number - 1}"].split(), 5)
        else:
            own = [f"w{each}" for each in rng.integers(0, 10_000, 150).tolist()]
            texts[f"d{number}"] = " ".join([*own, *(phrases[each] for each in rng.integers(0, 40, 4).tolist())])
    results = []
    for engine in ("plain", "compiled"):
        monkeypatch.setenv("LEADLINE_ENGINE", engine)
        results.append(ll.duplicates(texts, resemblance=threshold))
    assert results[0].entries == results[1].entries
    assert groups_of(results[0]) == brute_force(texts, 4, threshold)
    assert all(40 <= found.pairs_compared < 500 for found in results), "of 7,140 pairs"


def edited(rng: np.random.Generator, words: list[str], changes: int) -> str:
    changed = list(words)
    for at in rng.integers(0, len(words), changes).tolist():
        changed[at] = f"n{rng.integers(10**6)}"
    return " ".join(changed)


def test_longer_texts_and_many_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts with 0 to 60 of 300 words changed, read in small batches: as brute force, with the kernels and without."""
    monkeypatch.setattr(find, "BATCH_BYTES", 5000)
    rng = np.random.default_rng(3)
    named = {}
    for base in range(12):
        words = [f"w{each}" for each in rng.integers(0, 400, 300).tolist()]
        for copy in range(8):
            named[f"{base}-{copy}"] = edited(rng, words, int(rng.integers(0, 60)) if copy else 0)
    expected = brute_force(named, 4, 0.8)
    assert expected
    for engine in ("plain", "compiled"):
        monkeypatch.setenv("LEADLINE_ENGINE", engine)
        found = ll.duplicates(named)
        assert groups_of(found) == groups_of(ll.duplicates(named, exact=True)) == expected
    assert found.pairs_compared < len(named) ** 2 / 4
    assert found.superfluous == len(found.entries) - len(expected)
    assert found.share == pytest.approx(found.superfluous / len(named))


def test_a_thousand_equal_texts_cost_no_comparison() -> None:
    found = ll.duplicates({str(place): "one two three four five six" for place in range(1000)})
    assert (found.groups, len(found.entries), found.pairs_compared) == (1, 1000, 0)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    text = "a method of joining two boards with a bent nail and a hammer that has a wooden handle"
    cited = (Citation("US2000002"), Citation("US2000003"))
    documents = [
        Document(
            "US2000001", office="US", serial="2000001", abstract=text, publication="2001-02-03", citations=cited[:1]
        ),
        Document("US2000002", office="US", serial="2000002", abstract=f"{text} and more", publication="1999"),
        Document(
            "US2000003", office="US", serial="2000003", abstract=f"{text} and much more of it", publication="2003"
        ),
        Document("US2000004", office="US", serial="2000004", abstract="a screw for wood", citations=cited[:1]),
    ]
    write_collection(documents, tmp_path / "patents", {"made": "by a test"})
    return tmp_path / "patents"


@pytest.mark.parametrize(
    ("keep", "first"), [("earliest", "US2000002"), ("longest", "US2000003"), ("best-linked", "US2000002")]
)
def test_which_copy_is_kept(collection: Path, keep: str, first: str) -> None:
    found = ll.duplicates(collection, resemblance=0.6, keep=keep)  # type: ignore[arg-type]
    assert [(group, document) for group, document, _, kept in found.entries if kept] == [(1, first)]
    assert found.entries[0][1] == first
    assert len(found.entries) == 3
    opened = ll.duplicates(ll.Collection.open(collection), resemblance=0.6, keep=keep)  # type: ignore[arg-type]
    assert opened.entries == found.entries


def test_fields(collection: Path) -> None:
    assert not ll.duplicates(collection, fields=["title"]).entries
    with pytest.raises(ll.InputError, match="abstracts"):
        ll.duplicates(collection, fields=["abstracts"])


def test_sources(tmp_path: Path) -> None:
    text = "one two three four five six seven"
    pages = tmp_path / "pages"
    (pages / "deep").mkdir(parents=True)
    (pages / "a.txt").write_text(text)
    (pages / "deep" / "b.html").write_text(f"<html><p>{text.upper()}</p></html>")
    (pages / "empty.txt").write_text("")
    lines = [{"id": "x", "abstract": text}, {"id": "y", "title": text}, {"id": "x", "abstract": "other"}]
    (pages / "c.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n{broken\n")
    found = ll.duplicates(pages)
    assert groups_of(found) == {frozenset({"a.txt", "deep/b.html", "x", "y"})}
    assert "1 documents with id that an earlier one has were left out" in found.notes
    assert "1 document without text: never a duplicate" in found.notes
    assert any(note.startswith("1 problem in reading; the first: ") for note in found.notes)
    mixed = [Document("p", title=text), {"id": "q", "text": text}, ("r", text)]
    assert groups_of(ll.duplicates(mixed)) == {frozenset("pqr")}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"shingle": 0}, "shingle: must be from 1 to 1000, got 0"),
        ({"resemblance": 0}, "resemblance: must be above 0 and at most 1, got 0"),
        ({"containment": 1.5}, "containment: must be above 0 and at most 1, got 1.5"),
        ({"by": "word"}, "did you mean words?"),
        ({"keep": "first"}, "earliest, longest, best-linked"),
        ({"places": 100}, "places: must be a power of 2"),
        ({"keep": "best-linked"}, "best-linked needs a collection with citations"),
    ],
)
def test_wrong_options(given: dict[str, object], problem: str) -> None:
    with pytest.raises(ll.InputError) as error:
        ll.duplicates({"a": "b"}, **given)  # type: ignore[arg-type]
    assert problem in str(error.value)


@pytest.mark.parametrize("source", [{}, [], [{"text": "no id"}], [3]])
def test_wrong_documents(source: object) -> None:
    with pytest.raises(ll.InputError):
        ll.duplicates(source)  # type: ignore[arg-type]


def test_parts_of_a_collection_are_read_by_those_who_compare(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    words = [" ".join(f"w{n}" for n in rng.integers(0, 50, 30).tolist()) for _ in range(40)]
    documents = [Document(id=f"EP{n}", title="t", abstract=text) for n, text in enumerate([*words, *words[::3]])]
    write_collection(documents, tmp_path / "office", {}, part=7)
    here = ll.duplicates(tmp_path / "office")
    assert here.groups == 14
    assert ll.duplicates(tmp_path / "office", spread=spread_here).entries == here.entries
    *_, last = find.open_texts(tmp_path / "office").pieces(np.arange(len(documents)) % 2 == 1)
    assert isinstance(last, find.PartTexts)
    assert [batch.rows.tolist() for batch in last.batches()] == [[49, 51, 53]]
    with pytest.raises(ll.InputError, match="has changed since the command began"):
        list(replace(last, content="another").batches())
