"""Many assessors at once in a lab whose server is killed again and again, beside connections that begin a request and
never end it: is any judgement lost or stored twice, and does anybody wait long for an answer?

    python benchmarks/judging_load.py [--assessors 50] [--rate 20] [--seconds 300] [--kills 20] [--half-open 1000]
                                      [--folder DIR]

The server is a process of its own, `leadline serve --team` on loopback, and is killed with SIGKILL and started again.
Each client asks for its next document, judges it, and sends a judgement again with the same id until it is told
"saved"; one in twenty is sent again after that. At the end, what the clients were told is compared with the journal.
Everything stops by itself: the clients after so many seconds, each request after two minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import random
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.collections.simulate.settings import Settings
from leadline.judge.journal import JudgingJournal, People
from leadline.judge.marks import JudgingState
from leadline.judge.pools import draw_pool
from leadline.judge.simulated_office import write_office
from leadline.records.runs import Run
from leadline.records.topics import Topics
from leadline.show.lab.lab import Lab

GRADES = (0, 0, 0, 1, 2, -2)
AGAIN = 0.05  # share of the judgements that are sent once more after they were saved
PATIENCE = 120.0  # seconds until a client that is never told "saved" gives up
HOST = "127.0.0.1"
LONGEST = 2.0  # seconds in which a signed-in person is answered
JUDGING = "/judge/pool"
HALF_SENT = b"GET /judge/pool/api/next HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: "

Content = tuple[str, str, str, str]  # person, topic, document, grade


@dataclass
class Client:
    """One assessor's browser."""

    person: str
    token: str
    port: int
    told: dict[str, Content] = field(default_factory=dict)  # by id: what the server said it saved
    sent: set[str] = field(default_factory=set)
    seconds: list[float] = field(default_factory=list)  # of requests that the server answered
    waited: list[float] = field(default_factory=list)  # from the first sending to "saved", restarts included
    sent_again: int = 0
    stored_before: int = 0  # answers that the judgement was stored already
    problems: list[str] = field(default_factory=list)
    _connection: http.client.HTTPConnection | None = None
    _cookie: str = ""
    _csrf: str = ""

    def work(self, start: float, seconds: float, every: float, rng: random.Random) -> None:
        """Judge one document every so many seconds; after a restart, faster until the plan is met."""
        due = start + rng.random() * every
        last = ""
        while due < start + seconds:
            time.sleep(max(0.0, due - time.monotonic()))
            due += every
            found = self.call("GET", f"{JUDGING}/api/next?brief=1&after={last}")
            card = (found or {}).get("card") or (self.call("GET", f"{JUDGING}/api/next?brief=1") or {}).get("card")
            if card is None:
                self.problems.append("nothing is left to judge")
                return
            last = str(card["document"])
            self.judge(str(found["topic"] if found else ""), last, rng)

    def sign_in(self) -> None:
        """Open the personal link; the session outlives the server."""
        self.call("GET", f"/in/{self.token}")
        self._csrf = str((self.call("GET", "/api/csrf") or {}).get("csrf", ""))

    def judge(self, topic: str, document: str, rng: random.Random) -> None:
        """Send a judgement until it is saved."""
        uid, grade = str(uuid.UUID(int=rng.getrandbits(128))), rng.choice(GRADES)
        body = {"id": uid, "topic": topic, "document": document, "grade": grade, "seconds": round(rng.random() * 30, 1)}
        self.sent.add(uid)
        start = time.monotonic()
        answer = self.call("POST", f"{JUDGING}/api/judgements", body)
        if answer is None or not answer.get("saved"):
            return
        self.waited.append(time.monotonic() - start)
        self.told[uid] = (self.person, topic, document, str(grade))
        if rng.random() < AGAIN:
            again = self.call("POST", f"{JUDGING}/api/judgements", body) or {}
            if again.get("stored") != "already":
                self.problems.append(f"{uid} was saved, and then stored as {again.get('stored')}")

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any] | None:
        """The answer to a request, sent again as long as the connection is lost or the server cannot write."""
        start = time.monotonic()
        tried = 0
        while time.monotonic() - start < PATIENCE:
            tried += 1
            begun = time.monotonic()
            try:
                status, answer = self._send(method, path, body)
            except (OSError, http.client.HTTPException, ValueError):
                self._connection = None
                self.sent_again += method == "POST"
                time.sleep(0.1)
                continue
            if status in (200, 303):
                self.seconds.append(time.monotonic() - begun)
                if method == "POST":
                    self.stored_before += tried > 1 and answer.get("stored") == "already"
                return answer
            if status != 503:
                self.problems.append(f"{method} {path.partition('/in/')[0]}: {status} {answer}")
                return None
            time.sleep(0.2)
        self.problems.append(f"{method}: no answer within {PATIENCE:g} seconds")
        return None

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> tuple[int, dict[str, Any]]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection(HOST, self.port, timeout=30)
        headers = {"Cookie": self._cookie, "X-CSRF-Token": self._csrf, "Content-Type": "application/json"}
        self._connection.request(method, path, json.dumps(body) if body else None, headers)
        response = self._connection.getresponse()
        text = response.read()
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                self._cookie = value.partition(";")[0]
        return response.status, json.loads(text) if "json" in (response.getheader("Content-Type") or "") else {}


@dataclass
class Outcome:
    """What the clients were told against what the journal has."""

    told: int
    stored: int
    lost: list[str]  # ids that were told saved and are not in the journal, or with other content
    doubled: list[str]  # ids that are in the journal more than once
    strange: list[str]  # ids in the journal that no client sent
    problems: list[str]
    kills: int
    sent_again: int
    stored_before: int
    seconds: list[float]
    waited: list[float]
    lasted: float
    held: int = 0  # half-open connections at once

    @property
    def right(self) -> bool:
        return not (self.lost or self.doubled or self.strange or self.problems)

    @property
    def slow(self) -> int:
        """How many answers took too long."""
        return sum(seconds > LONGEST for seconds in self.seconds)

    def __str__(self) -> str:
        quick, slow = (np.percentile(each or [np.nan], [50, 99, 100]) * 1000 for each in (self.seconds, self.waited))
        return "\n".join([
            f"{self.told:,} judgements told saved in {self.lasted:.0f} s ({self.told / self.lasted:.1f} a second), "
            f"{self.stored:,} in the journal, {self.kills} kills",
            f"lost {len(self.lost)}, doubled {len(self.doubled)}, never sent {len(self.strange)}, "
            f"problems {len(self.problems)}",
            f"sent again after a lost connection {self.sent_again:,}; judgements stored before the kill, and not told: "
            f"{self.stored_before}",
            f"milliseconds of an answered request: median {quick[0]:.0f}, 99th percentile {quick[1]:.0f}, "
            f"longest {quick[2]:.0f}; {self.slow} of {len(self.seconds):,} over {LONGEST:g} s",
            f"half-open connections meanwhile: {self.held:,}",
            f"milliseconds from first sending to saved, restarts included: median {slow[0]:.0f}, "
            f"99th percentile {slow[1]:.0f}, longest {slow[2]:.0f}",
            *self.problems[:5],
        ])  # fmt: skip


class HalfOpen:
    """Connections that begin a request and never end it; one that the server closes is opened again."""

    def __init__(self, port: int, count: int) -> None:
        self.held = 0
        self._address, self._count = (HOST, port), count
        self._opened: list[socket.socket] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._hold, daemon=True)

    def _hold(self) -> None:
        while not self._is_over.wait(0.25):
            self._opened = [each for each in self._opened if not _is_closed(each)]
            for _ in range(self._count - len(self._opened)):
                try:
                    opened = socket.create_connection(self._address, timeout=0.5)
                    opened.sendall(HALF_SENT)
                except OSError:  # the server is being started
                    break
                opened.setblocking(False)
                self._opened.append(opened)
            self.held = max(self.held, len(self._opened))

    def __enter__(self) -> HalfOpen:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        self._thread.join(30)
        for each in self._opened:
            each.close()


def _is_closed(connection: socket.socket) -> bool:
    with contextlib.suppress(ConnectionError):
        try:
            connection.recv(1)
        except BlockingIOError:
            return False
    connection.close()
    return True


class Server:
    """`leadline serve --team` as a process that can be killed and started again on the same port."""

    def __init__(self, lab: Lab) -> None:
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port = int(free.getsockname()[1])
        self._command = [
            sys.executable, "-m", "leadline.cli", "serve", str(lab.folder), "--team", "--no-open",
            "--port", str(self.port), "-q",
        ]  # fmt: skip
        self._log = lab.folder.with_name("server.log")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        for _ in range(1200):
            if self._process.poll() is not None:
                raise SystemExit(f"the server ended: {self._log.read_text()[-2000:]}")
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection(HOST, self.port, timeout=5)
                connection.request("GET", "/api/health")
                if connection.getresponse().status == 200:
                    return
            time.sleep(0.05)
        raise SystemExit("the server does not answer")

    def kill(self) -> None:
        """End it with SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        self.start()
        try:
            yield
        finally:
            self.kill()


def prepare(folder: Path, documents: int, topics: int = 10) -> Lab:
    """The lab of a small office, with a pool of so many documents for each of its topics."""
    office = folder / "office"
    write_office(Settings(patents=400, topics=topics), office)
    names = list(Collection.open(office / "collection").records["id"])[:documents]
    asked = [topic.id for topic in Topics.read(office / "topics.tsv")]
    run = Run.of({topic: {name: float(-place) for place, name in enumerate(names)} for topic in asked}, "run")
    pool = folder / "pool.txt"
    draw_pool([run], strata=f"{documents}:1").write(pool)
    lab = Lab.create(folder / "lab", "Load")
    lab.add_all([office / "collection", office / "topics.tsv", pool])
    return lab


def load(
    folder: Path, *, assessors: int, rate: float, seconds: float, kills: int, half_open: int = 0, seed: int = 1
) -> Outcome:
    """Let the assessors judge while the server is killed and connections are held, and compare."""
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most_files, most_files))
    each = int(rate * seconds / assessors) + 2  # judgements of an assessor
    lab = prepare(folder, documents=max(20, each // 5))
    people = People(lab.people_file())
    server = Server(lab)
    clients = [Client(f"a{n:02}", people.add(f"a{n:02}", "assessor"), server.port) for n in range(assessors)]
    done = 0
    with server.running(), contextlib.ExitStack() as stack:
        for client in clients:
            client.sign_in()
            client.call("GET", f"{JUDGING}/api/next?brief=1")
        held = stack.enter_context(HalfOpen(server.port, half_open))
        start = time.monotonic()
        threads = [
            threading.Thread(target=client.work, args=(start, seconds, assessors / rate, random.Random(seed + place)))
            for place, client in enumerate(clients)
        ]
        for thread in threads:
            thread.start()
        for place in range(kills):
            time.sleep(max(0.0, start + seconds * (place + 0.5) / kills - time.monotonic()))
            server.kill()
            server.start()
            done += 1
        for thread in threads:
            thread.join()
        lasted = time.monotonic() - start
    found = compare(clients, Path(f"{lab.get('pool', 'pool').path}.journal"), done, lasted)
    return replace(found, held=held.held)


def compare(clients: list[Client], path: Path, kills: int, lasted: float) -> Outcome:
    """Compare what the clients were told with the journal, event by event, and with the state that follows from it."""
    with contextlib.closing(JudgingJournal(path)) as journal:
        damage = journal.check()
        events = [event for event in journal.events() if event.kind == "mark"]
        state = JudgingState.of(journal.events())
    problems = [problem for client in clients for problem in client.problems] + [damage] * bool(damage)
    stored = {event.uid: (event.person, event.topic, event.document, event.value) for event in events}
    told = {uid: content for client in clients for uid, content in client.told.items()}
    sent = {uid for client in clients for uid in client.sent}
    last = {content[:3]: uid for client in clients for uid, content in client.told.items()}
    wrong = [
        uid for key, uid in last.items()
        if uid in stored and (key not in state.marks or str(state.marks[key].grade) != told[uid][3])
    ]  # fmt: skip
    lost = [uid for uid, content in told.items() if stored.get(uid) != content] + wrong
    doubled = [uid for uid, number in Counter(event.uid for event in events).items() if number > 1]
    return Outcome(
        len(told), len(events), lost, doubled, [uid for uid in stored if uid not in sent], problems, kills,
        sum(client.sent_again for client in clients), sum(client.stored_before for client in clients),
        [each for client in clients for each in client.seconds], [each for client in clients for each in client.waited],
        lasted,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--assessors", type=int, default=50)
    parser.add_argument("--rate", type=float, default=20.0, help="judgements a second, of all together")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--half-open", type=int, default=1000, help="connections that begin a request and never end it")
    parser.add_argument("--folder", type=Path, help="kept; default: a temporary folder")
    options = parser.parse_args()
    how = {name: getattr(options, name) for name in ("assessors", "rate", "seconds", "kills", "half_open")}
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        found = load(options.folder, **how)
    else:
        with tempfile.TemporaryDirectory() as folder:
            found = load(Path(folder), **how)
    print(found)
    raise SystemExit(not found.right or bool(found.slow))


if __name__ == "__main__":
    main()
