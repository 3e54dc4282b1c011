"""An office on disk: the same seed gives the same bytes, and every file fits the others."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.collections.simulate.office import SimulatedOffice, build_office
from leadline.collections.simulate.printing import Printer, office_documents
from leadline.collections.simulate.settings import Settings
from leadline.errors import InputError
from leadline.judge import simulated_office
from leadline.judge.simulated_office import check_office, write_office
from leadline.records.qrels import read_qrels
from leadline.records.topics import Topics
from leadline.text.owned_folder import IDENTITY, OwnedFolder

SMALL = Settings(patents=1500, seed=7, topics=20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("simulated") / "office"
    write_office(SMALL, place)
    return place


def hashes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != IDENTITY  # which holds a random id
    }


def test_the_same_seed_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    write_office(SMALL, tmp_path / "again")
    assert hashes(folder) == hashes(tmp_path / "again")


def test_another_seed_gives_another_office() -> None:
    one, other = (build_office(Settings(patents=200, seed=seed)) for seed in (1, 2))
    assert {d.description for d in office_documents(one)}.isdisjoint(d.description for d in office_documents(other))


def test_a_block_depends_on_its_number_alone(office: SimulatedOffice, documents: list[Document]) -> None:
    printer = Printer(office)
    backwards = [list(printer.block(number)) for number in reversed(range(printer.blocks))]
    assert [document for block in reversed(backwards) for document in block] == documents


def test_parts_of_any_size_hold_the_same(folder: Path, tmp_path: Path) -> None:
    write_collection(office_documents(build_office(SMALL)), tmp_path / "parts", {"parts": 100}, part=100)
    whole, cut = Collection.open(folder / "collection"), Collection.open(tmp_path / "parts")
    assert len(cut.manifest["parts"]) == 15
    places = ["part", "place"]
    assert whole.records.drop(places, strict=False).equals(cut.records.drop(places, strict=False))
    assert whole.citations.equals(cut.citations)
    assert list(whole.documents()) == list(cut.documents())


def test_the_collection_is_the_office(folder: Path) -> None:
    collection = Collection.open(folder / "collection")
    truth = pl.read_parquet(folder / "truth" / "documents.parquet")
    assert len(collection) == SMALL.patents
    assert collection.records["id"].to_list() == truth["document"].to_list()
    both = pl.DataFrame({"family": collection.records["family"], "invention": truth["invention"]}).unique()
    assert len(both) == both["family"].n_unique() == both["invention"].n_unique()
    assert collection.citations["cited"].is_not_null().all()


def test_topics_and_judgements_belong_together(folder: Path) -> None:
    topics = Topics.read(folder / "topics.tsv")
    assert len(topics) == SMALL.topics
    assert {"office", "class", "priority", "relevant"} <= set(topics[0].attributes)
    true = read_qrels(folder / "qrels.true.txt")
    claims = read_qrels(folder / "qrels.true.claims.txt")
    citations = read_qrels(folder / "qrels.citations.txt")
    assert set(true.topics) == set(topics.ids) == set(claims.topics)
    assert set(citations.topics) <= set(topics.ids)
    assert set(true.grades.tolist()) <= {1, 2}
    assert claims.kind == "subtopics"


def test_citations_find_a_part_of_the_truth(folder: Path) -> None:
    def pairs(name: str) -> set[tuple[str, str]]:
        lines = (folder / name).read_text().splitlines()
        return {(line.split()[0], line.split()[2]) for line in lines}

    true, cited = pairs("qrels.true.txt"), pairs("qrels.citations.txt")
    assert 0.35 < len(true & cited) / len(true) < 0.9
    assert 0.3 < len(true & cited) / len(cited) < 0.9


def test_the_tables_of_the_truth(folder: Path) -> None:
    tables = {path.stem: pl.read_parquet(path) for path in (folder / "truth").glob("*.parquet")}
    assert set(tables) == {"concepts", "inventions", "claims", "documents", "prior_art", "searches", "examiners"}
    counted = tables["inventions"]["disclosed"].explode().value_counts()
    joined = counted.join(tables["concepts"], left_on="disclosed", right_on="concept")
    assert (joined["count"].cast(pl.Int64) == joined["inventions"].cast(pl.Int64)).all()
    bits = np.log2(len(tables["inventions"]) / joined["inventions"].to_numpy())
    assert np.allclose(bits, joined["bits"].to_numpy())
    assert tables["claims"].filter(pl.col("claim") == 1)["depends_on"].max() == 0
    assert tables["claims"]["concepts"].list.len().min() >= 1
    assert set(tables["examiners"]["of"]) == {"office", "class", "all"}


def test_the_manifest_says_how_it_was_made(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["settings"]["seed"] == 7
    assert manifest["settings"]["synonymy"] == SMALL.synonymy
    for name, expected in manifest["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == expected
    assert "qrels.true.claims.txt" in manifest["files"]


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="other things"):
        write_office(SMALL, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_strangers_folder_with_our_names_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "claims.parquet").write_text("mine")
    (tmp_path / "manifest.json").write_text("{}")
    before = contents(tmp_path)
    with pytest.raises(InputError, match="other things in it, or is a simulated office of an older version"):
        write_office(SMALL, tmp_path)
    assert contents(tmp_path) == before


def test_links_in_an_office_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    owned = OwnedFolder.claim(tmp_path / "o", "simulated office", 1)
    owned.add("truth")
    (tmp_path / "o" / "truth").symlink_to(tmp_path / "precious")
    with pytest.raises(InputError, match="truth: is a link"):
        write_office(SMALL, tmp_path / "o")
    assert contents(tmp_path / "precious") == {}


def test_an_office_is_replaced_whole(tmp_path: Path) -> None:
    place = tmp_path / "o"
    write_office(Settings(patents=120, seed=1, topics=3, length=20, surveys=2, articles=30), place)
    write_office(Settings(patents=100, seed=2, topics=0, length=20), place)
    write_office(Settings(patents=100, seed=2, topics=0, length=20), tmp_path / "new")
    assert hashes(place) == hashes(tmp_path / "new")
    assert not list(check_office(place))


def test_an_office_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "o"
    write_office(Settings(patents=100, seed=1, topics=3, length=20), place)
    before = hashes(place)
    with monkeypatch.context() as patch:
        patch.setattr(simulated_office, "true_claim_qrels", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            write_office(Settings(patents=100, seed=2, topics=3, length=20), place)
    assert before.items() <= hashes(place).items()
    assert not [finding for finding in check_office(place) if "left over" not in finding.problem]
    write_office(Settings(patents=100, seed=2, topics=3, length=20), place)
    assert not (place / "new").exists()
    assert not list(check_office(place))


def test_what_is_not_of_the_office_is_not_replaced(tmp_path: Path) -> None:
    place = tmp_path / "o"
    write_office(Settings(patents=100, seed=1, topics=3, length=20), place)
    notes = place / "collection" / "notes.txt"
    notes.write_text("mine")
    before = hashes(place)
    with pytest.raises(InputError, match=r"notes\.txt: is not of this collection: move it, or name a new folder"):
        write_office(Settings(patents=100, seed=2, topics=3, length=20), place)
    assert hashes(place) == before
