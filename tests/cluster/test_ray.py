"""Commands on a real Ray cluster: several node processes on this machine, of which some are killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import leadline
from leadline.cli import main
from leadline.errors import InputError

pytest.importorskip("ray", reason="needs Ray: pip install 'leadline[cluster]'")

SHORT = ("evaluate",)
ALL = (
    "links pagerank", "links hits", "compare incomplete", "run", "grid", "search", "index", "collection build",
    "duplicates",
)  # fmt: skip
NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}
# A node that is gone is noticed soon.
SOON = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 4}


class Nodes:
    """A cluster of node processes, and the address of its head."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        more = {"include_dashboard": False, "_system_config": SOON}
        self.cluster = Cluster(True, head_node_args=NODE | more)
        self.others = [self.cluster.add_node(**NODE)]
        self.address = self.cluster.address

    def kill_one(self) -> None:
        self.cluster.remove_node(self.others.pop(), allow_graceful=False)

    def ready(self) -> None:
        """Start a node where all but the head were killed."""
        if not self.others:
            self.others.append(self.cluster.add_node(**NODE))


def patient(get_node: Any) -> Any:
    """Ray gives a node 30 seconds to start, which is too little where many tests run at once."""

    def waiting(*arguments: Any) -> Any:
        for _ in range(600):
            with contextlib.suppress(RuntimeError):
                return get_node(*arguments)
            time.sleep(0.2)
        return get_node(*arguments)

    return waiting


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    from ray._private import services

    from leadline.cluster.connect import QUIET, open_cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(leadline.__file__).parents[1]))
        for name, value in QUIET.items():
            patch.setenv(name, value)
        patch.setattr(services, "get_node", patient(services.get_node))
        folder = Path(tempfile.mkdtemp(prefix="ll-"))  # paths of sockets must be short
        (folder / "ray").mkdir()
        patch.setenv("RAY_TMPDIR", str(folder))
        started = Nodes()
        try:
            with open_cluster(started.address):
                yield started
        finally:
            started.cluster.shutdown()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def killing(nodes: Nodes, name: str, soak: bool, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A node is killed as soon as the second result has come; the list then says so."""
    from leadline.cluster.work import Cluster

    if name not in SHORT and not soak:
        pytest.skip("a node for each kind of job takes long: make soak")
    nodes.ready()
    said: list[str] = []
    received = Cluster.received
    count = iter(range(1_000_000))

    def watched(self: Cluster, reference: Any) -> Any:
        value = received(self, reference)
        if next(count) == 1:
            nodes.kill_one()
            said.append("killed")
        return value

    monkeypatch.setattr(Cluster, "received", watched)
    return said


@pytest.mark.parametrize("name", [*SHORT, *(pytest.param(each, marks=pytest.mark.soak) for each in ALL)])
def test_a_node_is_killed_and_the_bytes_are_the_same(
    name: str, job: Any, nodes: Nodes, killing: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    here = job(name)
    capfd.readouterr()
    assert job(name, "--cluster", nodes.address) == here
    assert killing == ["killed"]
    assert "raylet" not in "".join(capfd.readouterr()), "Ray's own messages are among ours"


def test_an_actor_is_killed_and_the_bytes_are_the_same(job: Any, nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    from leadline.cluster.work import Crew

    here = job("links pagerank")
    ask, rounds = Crew.ask, iter(range(1_000_000))

    def watched(self: Crew, method: str, arguments: Any) -> list[Any]:
        if next(rounds) == 2:
            ray.kill(self.members[-1], no_restart=False)
        return ask(self, method, arguments)

    monkeypatch.setattr(Crew, "ask", watched)
    assert job("links pagerank", "--cluster", nodes.address) == here
    assert next(rounds) > 5


def test_errors_and_warnings_of_workers_are_those_of_the_command(
    files: Path, nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.run").write_text("1 Q0 d1 1 high tag\n")
    said = []
    for more in ([], ["--cluster", nodes.address]):
        with pytest.raises(SystemExit) as stopped:
            main(["evaluate", str(files / "qrels.txt"), "bad.run", *more])
        said.append((stopped.value.code, capsys.readouterr().err))
    assert said[0] == said[1]
    assert "bad.run" in said[0][1]


def refused(capsys: pytest.CaptureFixture[str], address: str, seconds: float = 20) -> str:
    """The one line with which a cluster is refused, soon."""
    start = time.monotonic()
    with pytest.raises(SystemExit) as stopped:
        main(["links", "pagerank", "edges.tsv", "--cluster", address])
    assert stopped.value.code == 1
    assert time.monotonic() - start < seconds
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


@pytest.fixture
def edges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setattr("ray.shutdown", lambda: None)
    Path("edges.tsv").write_text("a\tb\n")


@pytest.mark.usefixtures("edges")
def test_nobody_answers(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        said = refused(capsys, f"127.0.0.1:{unused.getsockname()[1]}")
    assert "cannot be reached: connection refused; is `ray start` running?" in said


@pytest.mark.usefixtures("edges")
def test_something_else_answers(capsys: pytest.CaptureFixture[str]) -> None:
    class Silent(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        said = refused(capsys, f"127.0.0.1:{server.server_port}")
        server.shutdown()
    assert "is not the head of a Ray cluster" in said


@pytest.mark.usefixtures("edges")
@pytest.mark.parametrize("address", ["10.0.0.9", "ray://head:10001", "head:port", ":6379", "127.0.0.1:99999"])
def test_an_address_that_is_none(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"must be auto or HOST:PORT, such as 10.0.0.9:6379, got '{address}'" in refused(capsys, address)


def test_a_head_that_is_lost_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from leadline.cluster import work

    monkeypatch.setattr(work, "LOOK", 0.01)
    cluster = work.Cluster.__new__(work.Cluster)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        cluster.head = f"127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(InputError, match=f"the head of the cluster, {cluster.head}, was lost"):
            cluster._check_head()
        unused.listen()
        cluster._check_head()


def test_a_signal_is_answered_when_ray_has_started_or_stopped() -> None:
    from leadline.cluster.connect import _ending_in_order, _uninterrupted

    done, before = [], signal.getsignal(signal.SIGTERM)

    def start(number: signal.Signals) -> None:
        with _ending_in_order(threading.Event()), _uninterrupted():
            signal.raise_signal(number)
            done.append(number)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
    for number, ending in ((signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)):
        with pytest.raises(ending):
            start(number)
    assert done == [signal.SIGINT, signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.usefixtures("edges")
def test_without_ray_the_line_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leadline.commands.shared.extras.is_missing", lambda name: name == "ray")
    assert 'pip install "leadline[cluster]"' in refused(capsys, "auto")
    assert "RAY_ADDRESS" not in os.environ


STOPPED = """
import os, sys, time
from ray._private import worker
from leadline.cluster.connect import open_cluster
from leadline.errors import InputError

try:
    with open_cluster("auto", print) as cluster:
        (raylet,) = worker._global_node.all_processes["raylet"]
        raylet.process.terminate()
        list(cluster(time.sleep, [(30,)] * 4))
except InputError as error:
    print(error)
"""
TOKEN = """
from ray.cluster_utils import Cluster
import os, sys

started = Cluster(True, head_node_args={"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False})
os.environ["RAY_AUTH_TOKEN"] = "another, which the cluster does not know"
from ray._raylet import AuthenticationTokenLoader
AuthenticationTokenLoader.instance().reset_cache()
from leadline.cluster.connect import open_cluster
from leadline.errors import InputError

try:
    os.environ["RAY_ADDRESS"] = started.address
    with open_cluster("auto", print):
        pass
except InputError as error:
    print(error)
started.shutdown()
"""


def said_by(program: str, **environment: str) -> str:
    """What a program writes, in a process and with a Ray of its own."""
    with tempfile.TemporaryDirectory(prefix="ll-", ignore_cleanup_errors=True) as folder:
        (Path(folder) / "ray").mkdir()
        own = {"RAY_TMPDIR": folder, "PYTHONPATH": str(Path(leadline.__file__).parents[1]), **environment}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=kept | own, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_ray_is_stopped_in_the_middle() -> None:
    said = said_by(STOPPED)
    assert "--cluster auto: no cluster found: Ray is started here with " in said
    assert "--cluster: Ray was stopped on this machine: start it and the command again" in said


def test_a_cluster_with_another_token() -> None:
    pytest.importorskip("ray._private.authentication", reason="this Ray has no tokens")
    said = said_by(TOKEN, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="the token of the cluster, long enough")
    assert "asks for a token and refuses this one: set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN" in said
    assert "started here" not in said


@pytest.mark.usefixtures("edges")
def test_memory_is_refused_before_it_is_stated(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["links", "pagerank", "edges.tsv", "--cluster", "auto", "--memory", "300MB"])
    said = capsys.readouterr().err
    assert "cannot be combined with --memory" in said
    assert "300" not in said


def test_a_ray_that_is_started_here_gets_a_token_of_its_own(tmp_path: Path) -> None:
    """Unless the user has set something, or a cluster runs on the machine, which may have none."""
    code = (
        "import os; from leadline.cluster.connect import _ask_for_a_token as ask; ask(); "
        "print(os.environ.get('RAY_AUTH_MODE'), len(os.environ.get('RAY_AUTH_TOKEN', '')))"
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    clean["RAY_TMPDIR"] = str(tmp_path)

    def said(**more: str) -> str:
        return subprocess.check_output([sys.executable, "-c", code], env=clean | more, text=True)

    assert said() == "token 64\n"
    assert said(RAY_ADDRESS="10.0.0.9:6379") == said(RAY_AUTH_TOKEN_PATH="mine") == "None 0\n"
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("10.0.0.9:6379")
    assert said() == "None 0\n"
