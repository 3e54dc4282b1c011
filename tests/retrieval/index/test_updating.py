"""An index that follows its collection gives the answers of one that is built again, to the last bit."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.errors import InputError
from leadline.retrieval.index import writing
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import check_index, files_of
from leadline.retrieval.index.writing import changes_of, groups_to_merge
from leadline.retrieval.models.searcher import Searcher

sys.path.insert(0, str(Path(__file__).parents[2]))
from living_collection import answers, change, differences, document, rebuilt, started, written


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(12))
def test_updates_answer_as_an_index_built_again(
    tmp_path: Path, seed: int, soak: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed > 1 and not soak:
        pytest.skip("takes minutes: make soak")
    draw = random.Random(seed)
    monkeypatch.setattr(writing, "WIDTH", 2 + seed % 3)
    monkeypatch.setattr(writing, "MOST_DEAD", [0.9, 0.01, 0.2][seed % 3])
    collection, index = started(tmp_path, draw, 25)
    for number in range(3 if soak else 2):
        for _ in range(draw.randint(1, 2)):
            change(collection, draw)
        updated = Index.open(index).update(Collection.open(collection))
        if number == 1 and seed % 4 == 3:
            updated.merge()
        assert differences(answers(index), rebuilt(collection, tmp_path / "again")) == []
        assert list(check_index(index)) == []


WORKER = """
import sys
from leadline.collections.documents.collection import Collection
from leadline.retrieval.index import writing
from leadline.retrieval.index.index import Index
import polars, scipy.sparse
writing.WIDTH, writing.MOST_DEAD = 2, 0.1  # so that nearly every update merges, too
print("ready", flush=True)
index = Index.open(sys.argv[2]).update(Collection.open(sys.argv[1]))
print(len(index.segments), flush=True)
"""


def updating_process(collection: Path, index: Path) -> subprocess.Popen[bytes]:
    """A process that is about to update an index."""
    worker = subprocess.Popen([sys.executable, "-c", WORKER, collection, index], stdout=subprocess.PIPE)
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"ready\n"
    return worker


@pytest.mark.soak
def test_a_killed_update_leaves_the_old_or_the_new(tmp_path: Path, soak: bool) -> None:
    draw, waits = random.Random(1), []
    collection, index = started(tmp_path, draw, 25)
    seen = {"old": 0, "new": 0}
    while sum(seen.values()) < (20 if soak else 2):
        before = answers(index, systems=False)
        change(collection, draw)
        fresh = rebuilt(collection, tmp_path / "again", systems=soak)
        without_systems = answers(tmp_path / "again", systems=False) if soak else fresh
        worker = updating_process(collection, index)
        time.sleep(draw.random() * (max(waits) if waits else 0.5))
        worker.kill()
        if worker.wait() == -signal.SIGKILL:
            now = answers(index, systems=False)
            state = "new" if differences(now, without_systems) == [] else "old"
            assert differences(now, without_systems if state == "new" else before) == []
            seen[state] += 1
        start = time.monotonic()
        with updating_process(collection, index) as worker:
            assert worker.wait() == 0
        waits.append(time.monotonic() - start)
        assert differences(answers(index, systems=soak), fresh) == []
        assert list(check_index(index)) == []
    assert {path.name for path in index.glob("*.arrays")} == {
        entry["file"] for entry in files_of(Index.open(index).manifest)
    }
    assert not list(index.glob("unfinished*"))


def test_an_open_index_keeps_its_state(tmp_path: Path) -> None:
    draw = random.Random(3)
    collection, index = started(tmp_path, draw, 20)
    before = answers(index, systems=False)
    reader = Index.open(index)
    change(collection, draw)
    Index.open(index).update(Collection.open(collection)).merge()
    assert (reader.ids, reader.column("content").tolist()) == (before["ids"], before["columns"][3])
    found = Searcher(reader).search("silver films of acids, naïve pumps", k=20)
    assert found.scores.tobytes() == before["bm25 text"][1]
    with pytest.raises(InputError, match="was changed by another process: open it again"):
        reader.update(Collection.open(collection))


def test_what_has_not_changed_is_not_indexed_again(tmp_path: Path) -> None:
    draw = random.Random(4)
    collection, index = started(tmp_path, draw, 12)
    opened = Index.open(index)
    assert changes_of(opened, Collection.open(collection)).is_same_collection
    assert opened.update(Collection.open(collection)).manifest == opened.manifest
    # The collection is built again from the same documents and two more: their places are new, their content is not.
    first = (tmp_path / "first.jsonl").read_text()
    more = written(tmp_path / "more.jsonl", [document(30, draw), document(31, draw)])
    (tmp_path / "all.jsonl").write_text(more.read_text() + first)
    build([tmp_path / "all.jsonl"], collection)
    changes = changes_of(opened, Collection.open(collection))
    assert (changes.added, changes.changed, changes.deleted) == (2, 0, 0)
    updated = opened.update(Collection.open(collection))
    assert len(updated) == 14
    assert updated.column("family").max() == Collection.open(collection).records["family"].max()


def test_segments_stay_few() -> None:
    def entry(documents: int, dead: int = 0) -> dict[str, object]:
        return {"documents": documents, "dead": {"documents": dead} if dead else None}

    assert groups_to_merge([entry(10_000), *[entry(10)] * 7]) == []
    assert groups_to_merge([entry(10_000), *[entry(10)] * 8]) == [range(1, 9)]
    assert groups_to_merge([entry(10_000), entry(1), *[entry(10)] * 7]) == [range(1, 9)]
    assert groups_to_merge([entry(10_000, 2_001), entry(10, 1)]) == [range(1)]
    # One document a time: few segments, and each is written anew a few times.
    sizes, written_anew = [1], 0
    for _ in range(3000):
        sizes.append(1)
        while groups := groups_to_merge([entry(size) for size in sizes]):
            for group in reversed(groups):
                written_anew += sum(sizes[group.start : group.stop])
                sizes[group.start : group.stop] = [sum(sizes[group.start : group.stop])]
        assert len(sizes) <= 7 * 4 + 7
    assert written_anew < 3000 * 5
