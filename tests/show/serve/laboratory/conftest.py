"""A small lab, served in this process, and people who visit it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.collections.documents.collection import Collection
from leadline.collections.simulate.settings import Settings
from leadline.judge.journal import People, Role
from leadline.judge.simulated_office import write_office
from leadline.records.qrels import read_qrels
from leadline.retrieval.index.index import Index
from leadline.show.lab.lab import Lab

DEPTH = 50


@pytest.fixture(scope="session")
def small_lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab of 300 simulated patents, 20 topics and 3 systems. Tests that change it copy it first."""
    folder = tmp_path_factory.mktemp("small")
    write_office(Settings(patents=300, topics=20, seed=3, words="invented"), folder / "office")
    collection = Collection.open(folder / "office" / "collection")
    Index.build(collection, folder / "index", origin=str(collection.folder.resolve()))
    lab = Lab.create(folder / "lab", "A small lab")
    lab.add(folder / "office" / "collection", name="office")
    lab.add(folder / "index", name="words")
    lab.add(folder / "office" / "topics.tsv", kind="topics")
    lab.add(folder / "office" / "qrels.citations.txt", kind="qrels")
    lab.add(folder / "office" / "qrels.true.txt", kind="qrels")
    qrels, ids, rng = (
        read_qrels(folder / "office" / "qrels.true.txt"),
        collection.records["id"].to_list(),
        random.Random(1),
    )
    for system in range(3):
        lines = []
        for topic in qrels.topics:
            known = [name for name in qrels.judgements(topic) if rng.random() < 0.4 + 0.2 * system]
            ranked = list(dict.fromkeys([*rng.sample(known, len(known)), *rng.sample(ids, DEPTH)]))[:DEPTH]
            lines += [f"{topic} Q0 {name} {rank} {DEPTH - rank} s{system}\n" for rank, name in enumerate(ranked, 1)]
        (folder / f"system{system}.run").write_text("".join(lines))
        lab.add(folder / f"system{system}.run")
    return folder / "lab"


@pytest.fixture(scope="session")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., object]:
    """Make a client of the pages of a lab, signed in with a role; nobody is signed in without one."""
    client_of = pytest.importorskip("fastapi.testclient", reason="needs fastapi").TestClient
    from leadline.show.serve.laboratory.lab_app import lab_app
    from leadline.show.serve.security import Address

    def make(lab: Path | Lab, role: Role | None = "organiser") -> object:
        people = People(tmp_path_factory.mktemp("people") / "people")
        opened = lab if isinstance(lab, Lab) else Lab.open(lab)
        client = client_of(lab_app(opened, people, Address.of("127.0.0.1", 80)), base_url="http://127.0.0.1")
        if role is not None:
            client.get(f"/in/{people.add('anna', role)}")
        return client

    return make
