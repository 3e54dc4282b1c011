"""A lab under load: readers of the leaderboard and searches at the same time; how long do they wait, is memory flat?

    python benchmarks/lab_load.py              a small form: 2,000 documents, 10 readers, 2 searches a second
    python benchmarks/lab_load.py --full       100,000 documents, 100 readers, 10 searches a second, 10,000 requests

The server is a process of its own, `leadline serve` on loopback. Each reader opens the page and reads for five seconds
on average. Searches begin at fixed moments, whether or not those before them are answered, so that waiting counts.
Then pages are asked for one after the other, and the memory of the server is looked at. Everything has a limit: the
requests in number, the two parts in seconds.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.collections.simulate.settings import Settings
from leadline.judge.simulated_office import write_office
from leadline.records.qrels import read_qrels
from leadline.retrieval.index.index import Index
from leadline.show.lab.lab import Lab

HOST = "127.0.0.1"
READING = 5.0  # seconds that a reader looks at a page
LONGEST = 30.0  # seconds that a client waits for an answer
SYSTEMS, DEPTH = 6, 100
FULL = {"documents": 100_000, "readers": 100, "rate": 10.0, "seconds": 60.0, "requests": 10_000}
SMALL = {"documents": 2_000, "readers": 10, "rate": 2.0, "seconds": 8.0, "requests": 300}
MOST_SECONDS = 900.0  # of the part that looks at memory


@dataclass
class Waits:
    """How long requests of one kind took, and which went wrong."""

    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.seconds:
            return "no answers"
        half, most, last = (1000 * np.percentile(self.seconds, share) for share in (50, 95, 99))
        said = f"{len(self.seconds):,} answers, median {half:.0f} ms, 95 % {most:.0f} ms, 99 % {last:.0f} ms"
        return said + (f", {len(self.wrong)} WRONG: {self.wrong[0]}" if self.wrong else "")


@dataclass
class LabLoad:
    """What was measured."""

    page: str
    readers: Waits
    searches: Waits
    memory: list[tuple[int, float]]  # requests so far, and MB of the server

    @property
    def growth(self) -> float:
        """MB that the server grew by over the second half of the requests."""
        return self.memory[-1][1] - self.memory[len(self.memory) // 2][1] if self.memory else 0.0

    def __str__(self) -> str:
        some = self.memory[:: max(1, len(self.memory) // 8)]
        memory = ", ".join(f"{count:,}: {size:.0f} MB" for count, size in [*some, *self.memory[-1:]])
        return (
            f"readers of {self.page}: {self.readers}\nsearches: {self.searches}\nmemory after requests: {memory}\n"
            f"growth over the second half: {self.growth:+.1f} MB"
        )


def make_lab(folder: Path, documents: int, seed: int = 1) -> Path:
    """A lab of a simulated office with an index and runs; one that is there already is used again."""
    place = folder / "lab"
    if (place / "lab.json").exists():
        return place
    topics = min(50, max(10, documents // 100))
    write_office(Settings(patents=documents, seed=seed, topics=topics), folder / "office")
    collection = Collection.open(folder / "office" / "collection")
    Index.build(collection, folder / "index", origin=str(collection.folder.resolve()))
    lab = Lab.create(place, f"{documents:,} simulated patents")
    lab.add(folder / "office" / "collection", name="office")
    lab.add(folder / "index", name="words")
    qrels_file = next(each for each in (folder / "office").glob("qrels*citations*") if each.suffix == ".txt")
    lab.add(qrels_file, kind="qrels", name="citations")
    qrels, ids, rng = read_qrels(qrels_file), collection.records["id"].to_list(), random.Random(seed)
    for system in range(SYSTEMS):
        lines = []
        for topic in qrels.topics:
            known = [name for name in qrels.judgements(topic) if rng.random() < 0.3 + 0.1 * system]
            ranked = list(dict.fromkeys([*known, *rng.choices(ids, k=DEPTH)]))
            rng.shuffle(ranked)
            lines += [f"{topic} Q0 {name} {rank} {DEPTH * 2 - rank} s{system}\n" for rank, name in enumerate(ranked, 1)]
        (folder / f"system{system}.run").write_text("".join(lines))
        lab.add(folder / f"system{system}.run")
    return place


@contextlib.contextmanager
def served(lab: Path) -> Iterator[tuple[int, int, str]]:
    """A server of a lab: its port, its process and the token of its owner."""
    command = [sys.executable, "-m", "leadline.cli", "serve", str(lab), "--no-open", "--port", "0", "-q"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        link = next(found for line in process.stdout if (found := re.search(r"http://[^:]+:(\d+)/in/(\S+)", line)))
        yield int(link[1]), process.pid, link[2]
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        process.kill()


class LabClient:
    """One browser: its connection and its cookie."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.connection = http.client.HTTPConnection(HOST, port, timeout=LONGEST)
        self.connection.request("GET", f"/in/{token}")
        answer = self.connection.getresponse()
        answer.read()
        self.cookie = (answer.getheader("set-cookie") or "").partition(";")[0]

    def get(self, path: str) -> int:
        """The status of a page, which is read whole; 0 where no answer came.

        A connection that the server closed while the reader was reading is opened again, as browsers do.
        """
        for again in (True, False):
            try:
                self.connection.request("GET", path, headers={"cookie": self.cookie})
                answer = self.connection.getresponse()
                answer.read()
                return answer.status
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self.connection.close()
                if not again:
                    break
            except (OSError, http.client.HTTPException):
                self.connection.close()
                break
        return 0


def query_addresses(index: Path, count: int, seed: int = 2) -> list[str]:
    """Addresses of searches with two or three words of titles; some are narrowed, or go to the next page."""
    rng = random.Random(seed)
    words = Index.open(index).expand("title", "", 20_000)
    found = []
    for number in range(count):
        values: dict[str, Any] = {"q": " ".join(rng.sample(words, rng.choice((1, 2, 2, 3))))}
        values |= {"before": "2000-01-01"} if number % 5 == 0 else {"page": 2} if number % 7 == 0 else {}
        found.append(f"/search?{urlencode(values)}")
    return found


def load(folder: Path, *, documents: int, readers: int, rate: float, seconds: float, requests: int) -> LabLoad:
    """Measure a lab of so many documents under load."""
    lab = make_lab(folder, documents)
    searches = query_addresses(folder / "index", 500)
    with served(lab) as (port, process, token):
        first = LabClient(port, token)
        page = "/leaderboard" if first.get("/leaderboard") == 200 else "/"
        for address in searches[:10]:  # the index is opened, and the compiled code is loaded
            first.get(address)
        found = LabLoad(page, Waits(), Waits(), [])
        _both(found, port, token, searches, readers, rate, seconds)
        _memory(found, port, token, process, searches, requests)
    return found


def _both(
    found: LabLoad, port: int, token: str, searches: Sequence[str], readers: int, rate: float, seconds: float
) -> None:
    """Readers and searches at once."""
    end = time.monotonic() + seconds
    lock = threading.Lock()

    def timed(client: LabClient, path: str, begin: float, waits: Waits) -> None:
        status = client.get(path)
        with lock:
            waits.seconds.append(time.monotonic() - begin)
            if status != 200:
                waits.wrong.append(f"{path}: {status or 'no answer'}")

    def read(number: int) -> None:
        rng, client = random.Random(number), LabClient(port, token)
        time.sleep(rng.random() * READING)
        while time.monotonic() < end:
            timed(client, found.page, time.monotonic(), found.readers)
            time.sleep(rng.expovariate(1 / READING))

    clients = threading.local()

    def search(path: str, begin: float) -> None:
        if not hasattr(clients, "own"):
            clients.own = LabClient(port, token)
        timed(clients.own, path, begin, found.searches)

    people = [threading.Thread(target=read, args=[number], daemon=True) for number in range(readers)]
    for each in people:
        each.start()
    start = time.monotonic()
    with ThreadPoolExecutor(32) as pool:
        for number in range(int(rate * seconds)):
            moment = start + number / rate
            time.sleep(max(0.0, moment - time.monotonic()))
            pool.submit(search, searches[number % len(searches)], moment)
    for each in people:
        each.join(LONGEST)


def _memory(found: LabLoad, port: int, token: str, process: int, searches: Sequence[str], requests: int) -> None:
    """The memory of the server while four clients ask for page after page."""
    end = time.monotonic() + MOST_SECONDS
    step = max(1, requests // 40)

    def ask(number: int) -> None:
        client = LabClient(port, token)
        for place in range(number, step, 4):
            client.get(searches[(number * 97 + place) % len(searches)] if place % 2 else found.page)

    for done in range(0, requests, step):
        if time.monotonic() > end:
            break
        askers = [threading.Thread(target=ask, args=[number]) for number in range(4)]
        for each in askers:
            each.start()
        for each in askers:
            each.join()
        found.memory.append((done + step, _resident(process)))


def _resident(process: int) -> float:
    """MB of memory that a process has."""
    status = Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the large form")
    for name, value in SMALL.items():
        parser.add_argument(f"--{name}", type=type(value), help=f"default: {value:g}, or {FULL[name]:g} with --full")
    parser.add_argument("--folder", help="where the lab is made, or was made before (default: a temporary folder)")
    options = parser.parse_args()
    usual = FULL if options.full else SMALL
    chosen: dict[str, Any] = {name: getattr(options, name) or value for name, value in usual.items()}
    with tempfile.TemporaryDirectory() as temporary:
        print(load(Path(options.folder or temporary), **chosen))


if __name__ == "__main__":
    main()
