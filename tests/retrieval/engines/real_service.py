"""What the tests of real search services share: a server's life, a simulated office, and its run beside our BM25."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from search_service import leadline

from leadline.collections.documents.collection import Collection
from leadline.retrieval.engines.asking import EngineAnswers, ask_topics, limited, read_engine

PAGE = (Path(__file__).parents[3] / "docs" / "engines.md").read_text(encoding="utf-8")
TOPICS = 12
LEAST = 0.2  # AP that a search in words reaches in this office; a service that is asked something else does not


@dataclass(frozen=True)
class Office:
    """A simulated office, its index, and the run of our own system."""

    folder: Path

    def texts(self) -> Iterator[tuple[str, str]]:
        """The id and the text of every document."""
        for document in Collection.open(str(self.folder / "office" / "collection")).documents():
            yield document.id, " ".join([document.title, document.abstract, *(claim.text for claim in document.claims)])

    def beside_ours(self, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
        """Make a run with the engine file of this text, and set it beside our BM25."""
        Path("theirs.toml").write_text(engine, encoding="utf-8")
        ask = (
            f"run --engine theirs.toml {self.folder}/office.index {self.folder}/office/topics.tsv -k 100 -o theirs.run"
        )
        assert leadline(ask) == 0
        assert "a query took" in capsys.readouterr().err
        qrels = f"{self.folder}/office/qrels.true.txt"
        assert leadline(f"compare verdict {qrels} theirs.run {self.folder}/ours.run -m AP") == 0
        told = capsys.readouterr().out
        assert "theirs" in told
        assert "median_seconds" in told  # of both, from the records beside the runs
        assert ("Times are not comparable" in told) == (read_engine("theirs.toml").at_once > 1)
        lines = [line.split() for line in Path("theirs.run").read_text().splitlines()]
        assert len({line[0] for line in lines}) == TOPICS
        assert not [line for line in lines if line[0] == line[2]]  # a patent does not find itself
        assert leadline(f"evaluate {qrels} theirs.run -m AP --format csv") == 0
        score = float(re.findall(r"\d\.\d+", capsys.readouterr().out)[0])
        assert score > LEAST


def file_of_the_page(driver: str, replaced: Mapping[str, str]) -> str:
    """The engine file in docs/engines.md that names a word, with other values in places."""
    (text,) = (each for each in re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL) if driver in each)
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    return text


def asked(engine: str, *topics: str, k: int = 10) -> EngineAnswers:
    """The answers of a service to texts, which are sent as its file says."""
    from leadline.retrieval.engines.asking import EngineQuery

    Path("asked.toml").write_text(engine, encoding="utf-8")
    service = read_engine("asked.toml")
    return ask_topics(service, [EngineQuery(text, limited(text, service.query)[0]) for text in topics], k)


def program(name: str) -> str:
    """The path of a program; skips the test where it is not installed."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed: make services")
    return found


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def answers(port: int) -> bool:
    """Whether something listens on a port of this machine."""
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def place_for(user: str = "", *, in_memory: bool = False) -> Iterator[Path]:
    """A short folder: paths of sockets have a limit, and another user cannot reach pytest's folders."""
    memory = "/dev/shm" if in_memory and os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="leadline-", dir=memory, ignore_cleanup_errors=True) as place:
        if user:
            shutil.chown(place, user)
        yield Path(place)


@contextmanager
def running(command: Sequence[Any], is_ready: Callable[[], bool], place: Path, user: str = "") -> Iterator[None]:
    """A server that is started, waited for, and ended."""
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": place}
    server = subprocess.Popen(list(command), **quiet, **({"user": user} if user else {}))
    try:
        deadline = time.monotonic() + 60
        while not is_ready():
            assert server.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server does not answer"
            time.sleep(0.05)
        yield
    finally:
        server.terminate()
        server.wait(60)
