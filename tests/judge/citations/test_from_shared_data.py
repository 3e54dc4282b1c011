"""Judgements that others derived from the same citations come out again, where their rules are ours."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.judge.citations import from_citations
from leadline.records.qrels import read_qrels
from leadline.records.topics import Topics

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of collections, each built by the first test that asks for it."""
    return tmp_path_factory.mktemp("real")


def a_collection(built: Path, source: Path, mapping: str) -> Collection:
    folder = built / Path(mapping).stem
    if not folder.exists():
        build([source], folder, mapping=EXAMPLES / mapping)
    return Collection.open(folder)


def ours(collection: Collection, **options: object) -> dict[tuple[str, str], int]:
    topics = Topics.of(collection.records["id"].to_list())
    qrels = from_citations(collection, topics, **options).provenance.qrels(grades="category")  # type: ignore[arg-type]
    return {(topic, document): grade for topic in qrels.topics for document, grade in qrels.judgements(topic).items()}


def theirs(path: Path) -> dict[tuple[str, str], int]:
    qrels = read_qrels(path)
    return {(topic, document): grade for topic in qrels.topics for document, grade in qrels.judgements(topic).items()}


@pytest.mark.soak
def test_american_texts(shared: Path, built: Path, soak: bool) -> None:
    """Their rules are the first two, and what was filed after the topic is left out, for nothing else is dated.

    A patent incorporated by reference (I) has grade 2 there, as a strong category has here.
    """
    if not soak:
        pytest.skip("reads 10 000 patents: make soak")
    folder = shared / "patents/us_api"
    collection = a_collection(built, folder / "docs_10k.jsonl.xz", "us_api.toml")
    assert ours(collection, rules=(1,)) == theirs(folder / "qrels_citations.txt")
    assert set(ours(collection, rules=(1, 2))) == set(theirs(folder / "qrels_family_expanded.txt"))
    assert len(ours(collection)) == 2517  # 321 more by the third rule


def test_database_with_families(shared: Path, built: Path) -> None:
    """Their rules are the first two, without dates. We differ where numbers or families are recognised.

    US2003230122A1 and WO0006821A1 are in the collection under a longer spelling: some pairs more. US7822237 was
    granted on the very application that US20050147282A1 published, so that one is its own family.
    """
    folder = shared / "patents/patsnap"
    collection = a_collection(built, folder / "docs.jsonl.xz", "patsnap.toml")
    itself = {("US7822237", "US20050147282A1")}
    cited, expanded = set(theirs(folder / "qrels_citations.txt")), set(theirs(folder / "qrels_family_expanded.txt"))
    found = set(ours(collection, rules=(1,), dates="none"))
    assert cited - found == itself
    assert found - cited == {("EP1546447A1", "US20030230122A1"), ("EP1918441A1", "US20030230122A1")}
    found = set(ours(collection, rules=(1, 2), dates="none"))
    assert expanded - found == itself
    assert {topic for topic, _ in found - expanded} >= {"EP1546447A1", "EP1918441A1"}
    assert len(found - expanded) < 10


def test_database_that_tells_who_cites(shared: Path, built: Path) -> None:
    """All three rules, without dates; thirty pairs come from family members outside the collection."""
    folder = shared / "patents/synbio"
    collection = a_collection(built, folder / "docs.jsonl.xz", "synbio.toml")
    assert set(ours(collection, dates="none")) == set(theirs(folder / "qrels_family_expanded.txt"))


@pytest.mark.soak
def test_the_document_has_todays_numbers(
    shared: Path, built: Path, soak: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not soak:
        pytest.skip("reads all collections again: make soak")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    script, marked = (importlib.import_module(name) for name in ("derived_qrels", "marked_document"))
    assert script.table(built) == marked.written(script.DOCUMENT, "pairs")
