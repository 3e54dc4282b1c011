"""Building: what is kept, dropped and broken; stopped, killed and resumed; and the collection that comes of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leadline.cli import main
from leadline.collections.documents import build as building
from leadline.collections.documents.build import build, write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.update import update
from leadline.errors import InputError
from leadline.text import processes


def record(number: int, **more: object) -> str:
    fields: dict[str, object] = {
        "id": f"US{number}B2",
        "title": f"Nail number {number}",
        "abstract": "About nails.",
        "description": "A nail. " * (number % 50),
        "claims": ["A nail.", "The nail of claim 1, bent."],
        "ipc": ["C07D 401/04"] if number % 2 else ["A61K 31/00"],
        "publication": f"{1980 + number % 30}-01-01",
        "citations": [{"number": f"US{number - 1}", "origin": "examiner"}],
    }
    return json.dumps(fields | more)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "patents.jsonl"
    path.write_text("\n".join(record(number) for number in range(7_000_000, 7_004_000)), encoding="utf-8")
    return path


def hashes(folder: Path) -> tuple[str, dict[str, bytes]]:
    collection = Collection.open(folder)
    return collection.manifest["hash"], {path.name: path.read_bytes() for path in collection.inside.iterdir()}


def test_kept_dropped_and_broken(tmp_path: Path) -> None:
    good, bare = record(7_000_001), record(7_000_002, claims=[])
    whole = [good, "{nonsense", bare, record(7_000_003, claims=[], abstract="", description=""), good, '["list"]']
    (tmp_path / "a.jsonl").write_text("\n".join(whole), encoding="utf-8")
    manifest = build([tmp_path / "a.jsonl"], tmp_path / "c")
    assert manifest["counts"]["documents"] == 1
    assert manifest["dropped"] == {"no claims": 2, "listed twice": 1}
    offsets = [offset for _, offset, _ in manifest["first_broken"]]
    assert offsets == [len(good) + 1, sum(map(len, whole[:5])) + 5]
    assert manifest["origin"]["sources"][0]["name"] == "a.jsonl"
    assert manifest["slips"] == []
    lenient = build([tmp_path / "a.jsonl"], tmp_path / "c", keep="all")
    assert lenient["counts"]["documents"] == 3
    assert {path.name for path in (tmp_path / "c").iterdir()} == {"manifest.json", lenient["folder"], "leadline.jsonl"}


def test_mistyped_names_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text(record(7_000_001, tittle="Nails"), encoding="utf-8")
    main(["collection", "build", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "c")])
    assert "unknown: tittle" in capsys.readouterr().err


def test_citations_told_by_the_cited(tmp_path: Path) -> None:
    told = {"citations": [], "citers": ["US 7,000,009 B2", "EP49154A1"]}
    relative = record(7_000_010, citations=[], relatives=["EP49154"])
    lines = [record(7_000_001, **told), record(7_000_009, citations=[]), relative]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    build([tmp_path / "a.jsonl"], tmp_path / "c")
    citations = Collection.open(tmp_path / "c").citations
    columns = ["citing", "number", "cited", "citing_number", "citing_family"]
    assert citations.select(columns).rows() == [
        (1, "US7000001B2", 0, "", None),
        (None, "US7000001B2", 0, "EP0049154A1", 2),
    ]


def test_the_same_request_is_answered_from_what_is_there(lines: Path, tmp_path: Path) -> None:
    build([lines], tmp_path / "c")
    before = (tmp_path / "c" / "manifest.json").stat().st_mtime_ns, hashes(tmp_path / "c")
    part = next((tmp_path / "c").glob("collection-*/part-00000.parquet"))
    written = part.stat().st_mtime_ns
    build([lines], tmp_path / "c")
    assert part.stat().st_mtime_ns == written
    assert hashes(tmp_path / "c") == before[1]


KILLED = """
import sys
from leadline.collections.documents.build import build
build([sys.argv[1]], sys.argv[2], part_bytes=20_000)
"""


@pytest.mark.soak
def test_killed_and_resumed_gives_the_same_hashes(lines: Path, tmp_path: Path, soak: bool) -> None:
    build([lines], tmp_path / "whole", part_bytes=20_000)
    resumed = 0
    attempts, stride = (40, 7) if soak else (2, 30)
    for attempt in range(attempts):
        folder = tmp_path / f"killed{attempt}"
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(lines), str(folder)])
        journal = folder / "building" / "journal.jsonl"
        wanted = 2 + attempt * stride % 45
        while process.poll() is None:
            if journal.exists() and journal.read_bytes().count(b"\n") >= wanted:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.002)
        process.wait()
        left = journal.read_bytes().count(b"\n") if journal.exists() else 0
        assert not (folder / "manifest.json").exists() or not left
        build([lines], folder, part_bytes=20_000)
        resumed += left > 1
        assert hashes(folder) == hashes(tmp_path / "whole")
    assert resumed


def test_an_old_collection_stays_until_the_new_one_is_whole(lines: Path, tmp_path: Path) -> None:
    build([lines], tmp_path / "c", part_bytes=20_000)
    old = hashes(tmp_path / "c")
    lines.write_text(record(8_000_000) + "\n" + lines.read_text(encoding="utf-8"), encoding="utf-8")
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(lines), str(tmp_path / "c")])
    journal = tmp_path / "c" / "building" / "journal.jsonl"
    while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") > 2):
        time.sleep(0.002)
    process.kill()
    process.wait()
    assert hashes(tmp_path / "c") == old
    build([lines], tmp_path / "c", part_bytes=20_000)
    assert len(Collection.open(tmp_path / "c")) == 4001


def test_a_folder_of_ours_is_no_source(tmp_path: Path) -> None:
    """Its files are read as documents otherwise, and a collection built of itself is lost."""
    (tmp_path / "a.jsonl").write_text("\n".join(map(record, range(7_000_000, 7_000_003))), encoding="utf-8")
    build([tmp_path / "a.jsonl"], tmp_path / "c")
    old = hashes(tmp_path / "c")
    (tmp_path / "link").symlink_to("c")
    for source in (tmp_path / "c", tmp_path / "link"):
        with pytest.raises(InputError, match="is a collection of Leadline, not a source: name the files"):
            build([source], tmp_path / "c", keep="all")
        with pytest.raises(InputError, match="is a collection of Leadline, not a source: name the files"):
            update(tmp_path / "c", [source])
    assert hashes(tmp_path / "c") == old


def test_one_build_at_a_time(lines: Path, tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(lines), str(tmp_path / "c")])
    journal = tmp_path / "c" / "building" / "journal.jsonl"
    while process.poll() is None and not journal.exists():
        time.sleep(0.002)
    process.send_signal(signal.SIGSTOP)
    with pytest.raises(InputError, match=f"process {process.pid} on .* is writing in this folder"):
        build([lines], tmp_path / "c", part_bytes=20_000)
    process.send_signal(signal.SIGCONT)
    assert process.wait() == 0
    assert len(Collection.open(tmp_path / "c")) == 4000
    assert not (tmp_path / "c" / "lock").exists()


def test_claims_that_cannot_be(tmp_path: Path) -> None:
    twice = [{"number": 1, "text": "A"}, {"number": 1, "text": "B"}]
    itself = [{"number": 1, "text": "A", "parents": [1]}]
    lines = [record(1, claims=twice), record(2, claims=itself), record(3)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    told = [reason for _, _, reason in build([tmp_path / "a.jsonl"], tmp_path / "c")["first_broken"]]
    assert told == [
        "claims: claim 1 is listed twice",
        "claims: claim 1 cannot depend on claim 1, which is not before it",
    ]


def test_processes_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    path.write_text("\n".join(record(n, description="nail " * 4000) for n in range(7_000_000, 7_000_600)))
    build([path], tmp_path / "one", part_bytes=1_000_000)
    main(["collection", "build", str(path), "-o", str(tmp_path / "default"), "--quiet"])
    build([path], tmp_path / "two", part_bytes=1_000_000, processes=2)
    assert hashes(tmp_path / "one") == hashes(tmp_path / "two")
    assert len(Collection.open(tmp_path / "default")) == 600


def test_a_damaged_source_does_not_stop_the_others(tmp_path: Path) -> None:
    import lzma

    packed = lzma.compress("\n".join(record(n) for n in range(7_000_000, 7_001_000)).encode())
    (tmp_path / "a.jsonl.xz").write_bytes(packed[: len(packed) - 40])
    (tmp_path / "b.jsonl").write_text(record(7_500_000))
    manifest = build([tmp_path / "a.jsonl.xz", tmp_path / "b.jsonl"], tmp_path / "c")
    assert manifest["broken"] >= 1
    assert Collection.open(tmp_path / "c").document("US7500000B2").title == "Nail number 7500000"


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match="other things in it"):
        write_collection([Document("X")], tmp_path, {})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("collections") / "c"
    documents = [
        Document("US7412705B2", "US", "7412705", "B2", title="Talk between partitions", description="Much.\nText.",
                 claims=(Claim(1, "A way."), Claim(2, "The way of claim 1.", (1,))), ipc=("G06F9/46",),
                 priorities=(Priority("US10112483", "2002-03-28"),), application="2005-01-04", publication="2008-08-12",
                 citations=(Citation("EP0049154B2", "examiner", "X", "1995-02"), Citation(text="A book"))),
        Document("EP-0049154-B2", "EP", "0049154", "B2", ipc=("C07D401/04", "C07D40/00"), cpc=("C02F3/20",),
                 publication="1995-02", family="F1"),
        Document("EP-0049154-A1", "EP", "0049154", "A1", publication="1982-04-14", family="F1"),
        Document("PMC1", kind="article", publication="1999"),
    ]  # fmt: skip
    write_collection(documents, folder, {"maker": "test"}, part=2)
    return Collection.open(folder)


def test_documents_come_back_as_they_were(collection: Collection) -> None:
    found = collection.document("US7412705B2")
    assert found.claims[1] == Claim(2, "The way of claim 1.", (1,))
    assert found.citations == (Citation("EP0049154B2", "examiner", "X", "1995-02"), Citation(text="A book"))
    assert [document.id for document in collection.documents()] == collection.records["id"].to_list()


@pytest.mark.parametrize("name", ["US7412705B2", "US 7,412,705 B2", "US07412705B2", "us7412705", "US-7412705-B2"])
def test_any_spelling_finds_a_document(collection: Collection, name: str) -> None:
    assert collection.document(name).title == "Talk between partitions"
    assert collection.rows([name]).tolist() == [0]


def test_a_number_without_kind_is_the_first_publication(collection: Collection) -> None:
    assert collection.document("EP0049154").id == "EP-0049154-A1"
    assert collection.document("EP 0 049 154 B2").id == "EP-0049154-B2"
    assert collection.rows(["EP49154", "EP1", "PMC1"]).tolist() == [2, -1, 3]
    with pytest.raises(InputError, match="EP1: is not in the collection"):
        collection.document("EP1")


def test_dates_of_which_only_the_year_is_known_are_taken_late(collection: Collection) -> None:
    assert [str(day) for day in collection.records["publication"]] == [
        "2008-08-12", "1995-02-28", "1982-04-14", "1999-12-31",
    ]  # fmt: skip
    assert collection.records["dated_by"].to_list() == ["priority", "publication", "publication", "publication"]


def test_selection(collection: Collection) -> None:
    def rows(**wanted: object) -> list[int]:
        return np.flatnonzero(collection.select(**wanted)).tolist()  # type: ignore[arg-type]

    assert rows() == [0, 1, 2, 3]
    assert rows(before="1995-02-28") == [2]
    assert rows(before="1995-03", after="1990") == [1]
    assert rows(classes=["C07D401"]) == [1]
    assert rows(classes=["C07D4"]) == []
    assert rows(classes=["C02", "G"]) == [0, 1]
    assert rows(offices=["ep"]) == [1, 2]
    with pytest.raises(InputError, match="'soon' is not a date"):
        rows(before="soon")


def test_texts_by_row(collection: Collection) -> None:
    batches = list(collection.texts(["title", "claims"], np.array([0, 3])))
    assert [row for batch in batches for row in batch.rows()] == [
        (0, "Talk between partitions", ["A way.", "The way of claim 1."]),
        (3, "", []),
    ]


def test_info(collection: Collection, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["collection", "info", str(collection.folder), "--figure", str(tmp_path / "i.svg")])
    shown = capsys.readouterr().out
    assert "patents cited" in shown
    assert "by family size" in shown
    assert (tmp_path / "i.svg").read_text(encoding="utf-8").startswith("<svg")
    main(["collection", "info", str(collection.folder), "--by", "subclass", "-f", "tsv"])
    assert capsys.readouterr().out.splitlines() == ["subclass\tcount", "C02F\t1", "C07D\t1", "G06F\t1"]


def test_what_is_no_collection(tmp_path: Path, collection: Collection) -> None:
    with pytest.raises(InputError, match="is not a collection"):
        Collection.open(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match="is not a collection"):
        Collection.open(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps(collection.manifest | {"version": 99}))
    with pytest.raises(InputError, match="has format 99, this version reads up to 2: update leadline"):
        Collection.open(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps(collection.manifest))
    with pytest.raises(InputError, match="is missing"):
        Collection.open(tmp_path)


def test_a_worker_that_was_ended_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As Polars ends it where it finds no memory."""

    class Ended(ProcessPoolExecutor):
        def submit(self, _function: object, *_: object, **_options: object) -> Any:  # type: ignore[override]
            return super().submit(os._exit, 134)

    (tmp_path / "a.jsonl").write_text('{"id": "EP1", "title": "film", "abstract": "a film"}\n')
    monkeypatch.setattr(processes, "ProcessPoolExecutor", Ended)
    monkeypatch.setattr(building, "PARALLEL_MIN_BYTES", 0)
    with pytest.raises(MemoryError, match=r"a process that reads documents was ended.*try --processes 1"):
        build([tmp_path / "a.jsonl"], tmp_path / "c", processes=2)
