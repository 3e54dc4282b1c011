"""Whatever a command does on a cluster, it writes the same bytes; here all that travels is pickled, without Ray."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

JOBS = (
    "evaluate", "evaluate within memory", "evaluate with ties", "evaluate with copies", "compare pairs",
    "compare incomplete", "run", "grid", "search", "search for all words", "search by date", "index",
    "collection build", "duplicates", "duplicates of a collection", "duplicates, exact", "links pagerank", "links hits",
)  # fmt: skip


@pytest.fixture
def on_pickled(pickled: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    @contextlib.contextmanager
    def opened(address: str, say: object = None) -> Iterator[Any]:
        assert address == "auto"
        yield pickled

    monkeypatch.setattr("leadline.cluster.connect.open_cluster", opened)
    monkeypatch.setattr("leadline.commands.shared.extras.check_extras", lambda *_: None)
    return pickled


@pytest.mark.parametrize("name", JOBS)
def test_the_same_bytes(name: str, job: Any, on_pickled: Any) -> None:
    here = job(name)
    assert job(name, "--cluster", "auto") == here
    assert on_pickled.pieces >= 2, "the work was not shared out"
