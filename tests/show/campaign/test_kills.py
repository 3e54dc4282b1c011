"""A campaign whose server is killed while people judge: what was answered is there, what is sent again is kept once."""

from __future__ import annotations

import contextlib
import datetime
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.judge.journal import Event
from leadline.show.campaign.judging import assign, draw_campaign_pool, journal_of, open_disagreements, release
from leadline.show.campaign.live_campaign import LiveCampaign
from leadline.show.campaign.submission import Description
from leadline.show.check import check

TOPICS = [str(number) for number in range(8)]
PEOPLE = ("anna", "ben")
DEPTH = 30


@pytest.fixture
def live(tmp_path: Path) -> LiveCampaign:
    """A survey that is pooled, and assigned to two students who both judge every topic."""
    documents = [Document(f"US{7000000 + n}B2", title=f"Nail {n}", abstract="A nail.") for n in range(DEPTH)]
    write_collection(iter(documents), tmp_path / "collection", {})
    (tmp_path / "topics.tsv").write_text("topic\ttitle\n" + "".join(f"{topic}\tNails\n" for topic in TOPICS))
    made = LiveCampaign.create(tmp_path / "c", collection=str(tmp_path / "collection"))
    task = made.set_task("ts", "survey", topics=str(tmp_path / "topics.tsv"), strata=f"{DEPTH}:1", double=1.0)
    path = tmp_path / "a.run"
    path.write_text("".join(f"{t} Q0 {d.id} {r} {99 - r} one\n" for t in TOPICS for r, d in enumerate(documents, 1)))
    made.invite("york", "team")
    made.submit("york", task, path, Description("automatic", ("title",), "none", "As they are numbered.", 1))
    for name in PEOPLE:
        made.invite(name, "student")
    made.invite("eve", "expert")
    draw_campaign_pool(made, task)
    assign(made, task)
    return made


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The campaign's own server, and its address."""
    out = folder.parent / "printed"
    command = [sys.executable, "-u", "-m", "leadline.cli", "serve", str(folder), "--team", "--port", "0"]
    with out.open("wb") as printed:
        process = subprocess.Popen(command, stdout=printed, stderr=subprocess.STDOUT, env=os.environ)
    try:
        end = time.monotonic() + 120
        while not (found := re.search(r"http://127\.0\.0\.1:\d+", out.read_text())):
            assert process.poll() is None, out.read_text()
            assert time.monotonic() < end, out.read_text()
            time.sleep(0.1)
        yield process, found[0]
    finally:
        process.kill()
        process.wait()


class Judge(threading.Thread):
    """Somebody who marks what is left to them, until the server no longer answers."""

    def __init__(self, base: str, token: str, name: str, left: list[tuple[str, str]], answered: set[str]) -> None:
        super().__init__()
        self.base, self.token, self.person, self.left, self.answered = base, token, name, left, answered

    def run(self) -> None:
        with contextlib.suppress(httpx.HTTPError), httpx.Client(base_url=self.base, timeout=60) as client:
            client.get(f"/in/{self.token}", follow_redirects=True)
            headers = {"X-CSRF-Token": client.get("/judge/ts/api/csrf").json()["csrf"]}
            for topic, document in self.left:
                uid = f"{self.person}-{topic}-{document}"
                body = {"id": uid, "topic": topic, "document": document, "grade": 1 + (self.person == "ben")}
                said = client.post("/judge/ts/api/judgements", json=body, headers=headers)
                assert said.json()["saved"], said.text
                self.answered.add(uid)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_nothing_is_lost_or_twice_when_the_server_is_killed_while_people_judge(live: LiveCampaign, soak: bool) -> None:
    task, rng = live.facts.task(), random.Random(1)
    pool = live.facts.pool(task)
    assert pool is not None
    everything = [(topic, document) for topic, document in pool.to_judge().select("topic", "document").iter_rows()]
    tokens = {name: live.invite(name, "student") for name in PEOPLE}
    answered: set[str] = set()
    for kill in range(10 if soak else 2):
        with served(live.folder) as (process, base):
            judges = [
                Judge(
                    base,
                    tokens[name],
                    name,
                    [(t, d) for t, d in everything if f"{name}-{t}-{d}" not in answered],
                    answered,
                )
                for name in PEOPLE
            ]
            before = len(answered)
            for judge in judges:
                judge.start()
            while any(judge.is_alive() for judge in judges) and len(answered) < before + 20 + rng.randrange(20):
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            for judge in judges:
                judge.join()
        kept = [event.uid for event in live.facts.events(task) if event.kind == "mark"]
        assert len(kept) == len(set(kept)), "what is sent again is kept once"
        assert answered <= set(kept), "what was answered is there"
        assert len(set(kept) - answered) <= len(PEOPLE) * (kill + 1), "besides what was under way"
        assert check(live.folder) == []
    assert len(answered) > 40
    finish(live, everything)


def finish(live: LiveCampaign, everything: list[tuple[str, str]]) -> None:
    """Judge the rest, decide and release."""
    task = live.facts.task()
    with journal_of(live, task) as journal:
        journal.append_all(
            [
                Event(f"{name}-{t}-{d}", name, "assessor", "mark", t, d, str(1 + (name == "ben")))
                for t, d in everything
                for name in PEOPLE
            ]
        )
        waiting = open_disagreements(live.facts.judging(task))
        assert {each.kind for each in waiting} == {"one_against_two"}
        journal.append_all(
            [Event(f"eve-{e.topic}-{e.document}", "eve", "expert", "mark", e.topic, e.document, "2") for e in waiting]
        )
    done = release(live, task)
    assert (done.judgements, done.relevant) == (len(everything), len(everything))
    assert datetime.datetime.fromisoformat(done.at)
