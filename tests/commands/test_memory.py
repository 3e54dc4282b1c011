"""--memory: stated before the work, kept while the data grow tenfold, and without effect on results."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import leadline as ll
from leadline.cli import main
from leadline.collections.documents import build_folder
from leadline.collections.documents.build import LEAST_DOCUMENT_BYTES, PART_BYTES, Options, build, raw_parts
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.sources import FileSource
from leadline.collections.duplicates import find
from leadline.errors import InputError
from leadline.retrieval import word_search
from leadline.retrieval.index import writing
from leadline.retrieval.index.index import Index
from leadline.text.files import readable_size
from leadline.text.spread import MemoryBudget

linux = pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process, as Linux shows it")
WORDS = [f"{first}{last}" for first in ("poly", "metal", "glass", "thin") for last in ("film", "valve", "resin", "mer")]


def own_memory(arguments: list[str], folder: Path, engine: str = "") -> tuple[int, str]:
    """The most megabytes that a command holds of its own, and what it says on standard error."""
    command = [sys.executable, "-m", "leadline.cli", *arguments]
    environment = {**os.environ, "LEADLINE_ENGINE": engine} if engine else None
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        most = 0
        while process.poll() is None:
            status = Path(f"/proc/{process.pid}/status")
            found = re.search(r"RssAnon:\s*(\d+)", status.read_text() if status.exists() else "")
            most = max(most, int(found[1]) // 1000 if found else 0)
            time.sleep(0.005)
        assert process.stderr is not None
        said = process.stderr.read()
    assert process.returncode == 0, said
    return most, said


def write_run(path: Path, topics: int) -> None:
    """A run of 10,000 lines a topic, in order."""
    block = "".join(f"TOPIC Q0 EP{n:07d} {n + 1} {10_000 - n} tag\n" for n in range(10_000))
    with path.open("w") as file:
        for topic in range(topics):
            file.write(block.replace("TOPIC", f"T{topic}"))


def documents(count: int, seed: int = 1) -> list[dict[str, str]]:
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=60)) for _ in range(count)]
    texts[1::10] = texts[0::10]  # copies
    return [{"id": f"EP{n:05d}", "title": text[:30], "abstract": text} for n, text in enumerate(texts)]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memory")
    (folder / "documents.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in documents(300)))
    main(["collection", "build", str(folder / "documents.jsonl"), "--keep", "all", "-o", str(folder / "c"), "-q"])
    return folder / "c"


@linux
@pytest.mark.soak
def test_memory_is_kept_while_runs_grow_tenfold(tmp_path: Path, soak: bool) -> None:
    topics = 120 if soak else 12
    (tmp_path / "qrels.txt").write_text("".join(f"T{t} 0 EP{n:07d} 1\n" for t in range(10 * topics) for n in range(9)))
    write_run(tmp_path / "small.run", topics)
    write_run(tmp_path / "large.run", 10 * topics)
    grown = ((tmp_path / "large.run").stat().st_size - (tmp_path / "small.run").stat().st_size) // 10**6
    small, _ = own_memory(["evaluate", "qrels.txt", "small.run", "--memory", "180MB"], tmp_path)
    large, said = own_memory(["evaluate", "qrels.txt", "large.run", "--memory", "180MB"], tmp_path)
    assert "at most 180.0 MB: the largest run in " in said
    assert large < 180
    # What allocators keep for themselves differs by some megabytes from one process to the next.
    assert large - small < grown / 3 + 8


def test_an_index_in_small_batches_answers_the_same(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, sums = Collection.open(collection), []
    whole = Index.build(opened, tmp_path / "whole", positions=True)
    for size in (5_000, 12_000):
        monkeypatch.setattr(writing, "SMALLEST_BATCH", size)
        index = Index.build(opened, tmp_path / str(size), positions=True, memory=writing.least_memory(len(opened)))
        index.check()
        (segment,) = (tmp_path / str(size)).glob("segment-*")
        sums.append(hashlib.sha256(segment.read_bytes()).hexdigest())
        for query in ("polyfilm valve", "thinresin metalmer glassvalve"):
            assert found_by(index, query) == found_by(whole, query)
    assert sums[0] == sums[1]  # however many segments were merged


def found_by(index: Index, query: str) -> list[tuple[int, float]]:
    return [(hit.row, hit.score) for hit in ll.search(index.folder, query, k=50).hits]


def test_duplicates_in_small_batches_are_the_same(collection: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ll.duplicates(collection)
    monkeypatch.setattr(find, "SMALLEST_BATCH", 2_000)
    budget = find.BASE_BYTES + find.BYTES_A_DOCUMENT * 300 + 2_000 * find.BYTES_A_BYTE
    parts = ll.duplicates(collection, memory=budget)
    assert whole.entries
    assert parts.entries == whole.entries


@linux
@pytest.mark.soak
def test_memory_is_kept_while_documents_grow_tenfold(tmp_path: Path, soak: bool) -> None:
    counts = (4_000, 40_000) if soak else (400, 4_000)
    # Fewer documents do not fill a batch, and the first thousands load machine code: the growth is of the long form.
    sizes = dict(zip(("small", "large"), counts, strict=True)) if soak else {"large": counts[1]}
    for name, count in sizes.items():
        lines = "".join(f"{json.dumps(each)}\n" for each in documents(count))
        (tmp_path / f"{name}.jsonl").write_text(lines)
    grown = (tmp_path / "large.jsonl").stat().st_size * 9 // 10
    commands = {
        "collection build {}.jsonl --keep all -o {} --processes 1": (build_folder.least_memory(PART_BYTES), 12 * grown),
        "index {} -o {}.index --positions --workers 1": (writing.least_memory(counts[1]), 5 * grown),
        "search {}.index film valve": (word_search.least_memory(counts[1]), grown),
        "duplicates {}": (find.BASE_BYTES + find.BYTES_A_DOCUMENT * counts[1] + 20_000_000, 5 * grown),
    }
    for command, (budget, most) in commands.items():
        limit = -(-budget // 1_000_000)
        peaks = []
        for name in sizes:
            peak, said = own_memory([*command.replace("{}", name).split(), "--memory", f"{limit}MB"], tmp_path)
            assert f"at most {readable_size(limit * 1_000_000)}: " in said
            peaks.append(peak)
        assert peaks[-1] < limit, command
        if soak:
            assert peaks[1] - peaks[0] < most / 1_000_000, command


@linux
@pytest.mark.soak
def test_memory_is_kept_while_links_grow_tenfold(tmp_path: Path, soak: bool) -> None:
    rng, count = random.Random(1), 400_000 if soak else 40_000
    sizes = {"small": count, "large": 10 * count} if soak else {"large": 10 * count}
    for name, links in sizes.items():
        ends = (f"p{rng.randrange(count // 10)}\tp{rng.randrange(count // 10)}\n" for _ in range(links))
        (tmp_path / name).write_text("".join(ends))
    limit = "250MB" if soak else "200MB"
    peaks = [own_memory(["links", "pagerank", name, "--memory", limit], tmp_path)[0] for name in sizes]
    assert peaks[-1] < int(limit[:-2])
    if soak:
        assert peaks[1] - peaks[0] < 9 * count * 25 // 1_000_000  # without a limit, a link takes more than 80 bytes


@linux
@pytest.mark.soak
@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_a_stated_limit_is_kept_by_either_engine(tmp_path: Path, engine: str, soak: bool) -> None:
    """Of data for which plain Python once took two to three times as much."""
    chance, count = np.random.default_rng(1), 4_000 if soak else 1_000
    words = np.array([f"w{number:x}" for number in range(20_000)], object)
    texts = (" ".join(words[chance.zipf(1.2, 1_200) % len(words)]) for _ in range(count))
    lines = (f"{json.dumps({'id': f'EP{number:07d}', 'abstract': text})}\n" for number, text in enumerate(texts))
    (tmp_path / "d.jsonl").write_text("".join(lines))
    limits = {"collection build d.jsonl --keep all -o c --processes 1": 490, "duplicates c": 260}
    if soak:
        ends = chance.integers(0, 80_000, (2_000_000, 2)).tolist()
        (tmp_path / "edges").write_text("".join(f"p{source}\tp{target}\n" for source, target in ends))
        write_run(tmp_path / "a.run", 100)
        (tmp_path / "q").write_text("".join(f"T{t} 0 EP{n:07d} 1\n" for t in range(100) for n in range(9)))
        limits |= {
            "duplicates c --by letters": 350,
            "index c -o i --positions --workers 2": 500,
            "search i w40 w50": 105,
            "links pagerank edges": 210,
            "links stats edges": 210,
            "evaluate q a.run": 180,
        }
    for command, limit in limits.items():
        most, _ = own_memory([*command.split(), "--memory", f"{limit}MB"], tmp_path, engine)
        assert most < limit, command


SMALL: dict[str, Callable[[Path], list[str]]] = {
    "collection build": lambda folder: ["collection", "build", str(folder / "d.jsonl"), "-o", str(folder / "new")],
    "evaluate": lambda folder: ["evaluate", str(folder / "q"), str(folder / "a.run")],
    "index": lambda folder: ["index", str(folder / "c"), "-o", str(folder / "index")],
    "search": lambda folder: ["search", str(folder / "patents.index"), "film"],
    "duplicates": lambda folder: ["duplicates", str(folder / "c")],
    "links": lambda folder: ["links", "pagerank", str(folder / "edges")],
    "links stats": lambda folder: ["links", "stats", str(folder / "edges")],
}


@pytest.mark.parametrize("command", SMALL)
def test_too_little_memory_is_one_line_with_the_smallest_that_would_do(
    command: str, collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c").symlink_to(collection)
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d 1 1 tag\n")
    (tmp_path / "edges").write_text("a\tb\n")
    (tmp_path / "d.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in documents(5)))
    if command == "search":
        Index.build(documents(20), tmp_path / "patents.index", fields=["title", "abstract"], workers=1)
    arguments = SMALL[command](tmp_path)
    with pytest.raises(SystemExit) as left:
        main([*arguments, "--memory", "1MB"])
    assert left.value.code == 1
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    smallest = r"(?:the smallest that would do is|it needs at least) (\d+MB)"  # at least: pages are not counted yet
    enough = re.search(rf"--memory: 1\.0 MB is too little for .*: {smallest}", said)
    assert enough
    assert not (tmp_path / "index").exists()
    assert not (tmp_path / "new").exists()
    main([*arguments, "--memory", enough[1]])
    assert f"at most {int(enough[1][:-2])}.0 MB: " in capsys.readouterr().err


def test_many_short_documents_and_topics_keep_to_memory(tmp_path: Path) -> None:
    count = 60_000
    (tmp_path / "d.jsonl").write_text("".join(f'{{"id": "{n}", "title": "a {n}"}}\n' for n in range(count)))
    parts = list(raw_parts([FileSource(tmp_path / "d.jsonl")], Options(), 10**7))
    assert [len(part.documents) for part in parts] == [10**7 // LEAST_DOCUMENT_BYTES] * 3
    (tmp_path / "q").write_text("".join(f"{n} 0 EP{n:020d} 1\n" for n in range(count)))
    (tmp_path / "a.run").write_text("0 Q0 d 1 1 tag\n")
    least = "it needs at least 18[0-9]MB, and 32 bytes for each topic, run and measure"
    with pytest.raises(InputError, match=f"164.0 MB is too little for .* of judgements: {least}"):
        ll.evaluate(str(tmp_path / "q"), str(tmp_path / "a.run"), memory="164MB")


def test_a_document_larger_than_a_batch_is_said(tmp_path: Path) -> None:
    short = [{"id": f"EP{n:07d}", "title": "thin film"} for n in range(1, 4)]
    texts = [*short[:2], {"id": "EP0000009", "title": "long", "abstract": "film " * 400_000}, *short[2:]]
    (tmp_path / "d.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in texts))
    said: list[str] = []
    small = build_folder.least_memory(10**6)
    build(
        [tmp_path / "d.jsonl"],
        tmp_path / "c",
        keep="all",
        part_bytes=10**6,
        memory=MemoryBudget(small, say=said.append),
    )
    collection = Collection.open(tmp_path / "c")
    needed = writing.least_memory(4)
    Index.build(collection, tmp_path / "i", workers=1, memory=MemoryBudget(needed, say=said.append))
    Index.build(texts, tmp_path / "j", workers=1, memory=MemoryBudget(needed, say=said.append))
    needed = find.BASE_BYTES + find.BYTES_A_DOCUMENT * 4 + find.SMALLEST_BATCH * find.BYTES_A_BYTE
    ll.duplicates(collection, memory=MemoryBudget(needed, say=said.append))
    assert [line.partition(":")[0].partition(",")[0].split()[0] for line in said] == ["at", "more"] * 4
    assert "a part of 2.0 MB with a document of 2.0 MB" in said[1]
    assert all(line.endswith("for a document of 2.0 MB, which is larger than a batch") for line in said[3::2])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("evaluate q r --memory 2", "--memory: must be a size such as 2GB, 500MB or 1.5GiB, got '2'"),
        ("evaluate q r --memory 2GB --like trec_eval", "--memory: cannot be combined with the report of another"),
        ("index c -o i --memory 2GB --unit family", "--memory: cannot be combined with --unit family"),
        ("index c -o i --memory 2GB --update", "--memory: cannot be combined with --update"),
        ("links stats a --against b --memory 2GB", "--memory: cannot be combined with --against"),
        ("duplicates c --memory 2GB --exact", "--memory: cannot be combined with --exact"),
    ],
)
def test_what_memory_cannot_limit_is_refused(line: str, problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(line.split())
    assert left.value.code == 2
    assert problem in capsys.readouterr().err


def test_tables_beside_the_sources_are_refused(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("id,title\nEP1000001,A nail\n")
    (tmp_path / "f.csv").write_text("family,number\n1,EP1000001\n")
    rules = '[fields]\nid = "id"\n[tables.families]\nfile = "f.csv"\nfamily = "family"\nmember = "number"\n'
    (tmp_path / "map.toml").write_text(rules)
    with pytest.raises(InputError, match="--memory: the tables of citations or families that a mapping names"):
        Collection.build([tmp_path / "d.csv"], tmp_path / "c", mapping=tmp_path / "map.toml", memory="2GB")
