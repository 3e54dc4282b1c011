"""A search service and the files that describe it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from real_service import TOPICS, Office
from search_service import SearchService, leadline


@pytest.fixture
def service() -> Iterator[SearchService]:
    running = SearchService()
    try:
        yield running
    finally:
        running.close()


@pytest.fixture
def engine_file(service: SearchService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that describes the service, and topics beside it, in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "service.toml"
    path.write_text(f"""
kind = "http"
about = "a service for tests"
url = "{service.url}/search"
body = {{query = {{match = {{text = "{{query}}"}}}}, size = "{{k}}"}}
hits = "hits.hits"
id = "_id"
score = "_score"
total = "hits.total.value"
[limits]
seconds = 1
retries = 2
""")
    lines = [f"{number}\t{word}" for number, word in enumerate(["film", "metal", "nothing", "number 7"], 1)]
    (tmp_path / "topics.tsv").write_text("\n".join(["topic\ttitle", *lines]) + "\n")
    return path


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> Office:
    """A simulated office, its index, and our own run, made once for all real services."""
    folder = tmp_path_factory.mktemp("office")
    assert leadline(f"simulate office --patents 400 --topics {TOPICS} -o {folder}/office -q") == 0
    assert leadline(f"index {folder}/office/collection -o {folder}/office.index -q") == 0
    assert leadline(f"run {folder}/office.index {folder}/office/topics.tsv -k 100 -o {folder}/ours.run -q") == 0
    return Office(folder)
