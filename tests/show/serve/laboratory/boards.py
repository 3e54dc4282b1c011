"""Labs with runs to score, for the tests of the leaderboard and the pages beside it."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

from leadline.show.lab.lab import Lab

HOSTILE = "<script>alert(1)</script>"


def copied_lab(small_lab: Path, folder: Path) -> Path:
    """A copy of the small lab with the collection beside it."""
    shutil.copytree(small_lab.parent, folder / "copy")
    return folder / "copy" / small_lab.name


def example_lab(examples: Path, folder: Path) -> Lab:
    """A lab of the files that the examples name, with a hostile title, a pool, a review and a report."""
    made = Lab.create(folder / "lab", f"Brakes {HOSTILE}")
    for name in ("patents", "asthma"):  # a lab that serves a review keeps its lock
        shutil.copytree(examples / name, folder / name)
    for name in ("qrels.txt", "topics.tsv", "runs/bm25.run", "runs/dph.run", "patents.index", "pool.txt"):
        made.add(examples / name)
    for name in ("patents", "asthma"):
        made.add(folder / name)
    (made.folder / "reports" / "first.html").write_text("<!DOCTYPE html><script>document.title = 'ran'</script>")
    return made


def until_computed(client: Any, path: str) -> dict[str, Any]:
    """What an address answers when nothing of it is being computed any more."""
    end = time.monotonic() + 120
    while True:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        if not answer.json().get("working"):
            return dict(answer.json())
        assert time.monotonic() < end
        time.sleep(0.1)


def run_text(topics: list[str], documents: list[str], tag: str = "mine") -> bytes:
    lines = [f"{t} Q0 {d} {rank} {100 - rank} {tag}\n" for t in topics for rank, d in enumerate(documents, start=1)]
    return "".join(lines).encode()
