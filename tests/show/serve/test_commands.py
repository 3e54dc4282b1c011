"""`leadline judge serve`, `demo`, `people` and `backup` as they are typed."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.conftest import plain_client

from leadline.cli import main
from leadline.judge.journal import JudgingJournal


@contextlib.contextmanager
def running(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A command that serves, and what it printed by the time it answers."""
    command = [sys.executable, "-u", "-m", "leadline.cli", "judge", *words]
    with (folder / "out").open("w+") as out:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, text=True)
        try:
            end = time.monotonic() + 60
            while "Stop with Ctrl-C" not in (printed := (folder / "out").read_text()):
                assert process.poll() is None, printed
                assert time.monotonic() < end, printed
                time.sleep(0.1)
            yield process, printed
        finally:
            process.kill()
            process.wait()


def test_the_demo_opens_with_links_for_four(tmp_path: Path) -> None:
    start = time.monotonic()
    with running(tmp_path, "demo", "--port", "0") as (process, printed):
        links = re.findall(r"(\w+) +(\w+) +(http://127\.0\.0\.1:\d+/in/\S+)", printed)
        assert [(name, role) for name, role, _ in links] == [
            ("anna", "assessor"), ("ben", "assessor"), ("eve", "expert"), ("olga", "organiser"),
        ]  # fmt: skip
        with plain_client(follow_redirects=True, timeout=20) as client:
            page = client.get(links[0][2])
            assert page.status_code == 200
            assert "judged" in page.text
            card = client.get(str(page.url.join("/api/next"))).json()["card"]
            assert card["title"]
            assert card["claims"]
        assert time.monotonic() - start < 60
        process.send_signal(signal.SIGINT)
        assert process.wait(20) in (0, 130)
    assert (tmp_path / "judging-demo" / "pool.txt.people").stat().st_mode & 0o777 == 0o600


def test_links_are_made_listed_and_revoked(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("pool.txt", "pool.txt.json"):
        (tmp_path / name).write_bytes((files / name).read_bytes())
    pool = str(tmp_path / "pool.txt")
    main(["judge", "people", pool, "add", "anna", "ben", "--url", "https://judging.example.org/", "-f", "tsv"])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["person", "role", "link"]
    assert [row[0] for row in rows[1:]] == ["anna", "ben"]
    assert rows[1][2].startswith("https://judging.example.org/in/")
    main(["judge", "people", pool, "revoke", "ben"])
    capsys.readouterr()
    main(["judge", "people", pool, "list", "-f", "tsv"])
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[:3] for row in rows[1:]] == [["anna", "assessor", "valid"], ["ben", "assessor", "revoked"]]
    assert rows[0] == ["person", "role", "link", "expires"]
    for words, problem in ((["add"], "name one person or more"), (["revoke", "carl"], "is not among the people"),
                           (["list", "anna"], "takes no names"), (["ad", "anna"], "did you mean add")):  # fmt: skip
        with pytest.raises(SystemExit):
            main(["judge", "people", pool, *words])
        assert problem in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--documents", "nowhere"], "nowhere"),
        (["--documents", "documents", "--url", "judging.example.org"], "must be like https"),
        (["--documents", "documents", "--topics", "one.run"], "one.run"),
        (["--documents", "documents", "--reasons", "empty"], "empty"),
        (["--documents", "documents", "--port", "99999"], "at most 65,535"),
    ],
)
def test_wrong_input_is_one_line(
    files: Path, words: list[str], problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    (files / "empty").write_text("")
    with pytest.raises(SystemExit):
        main(["judge", "serve", "pool.txt", *words])
    said = capsys.readouterr().err
    assert problem in said
    assert "Traceback" not in said


def test_a_killed_server_keeps_what_it_said_was_saved(site: Any, capsys: pytest.CaptureFixture[str]) -> None:
    site.stop()
    words = ("serve", "pool.txt", "--documents", "documents", "--topics", "topics.jsonl", "--port", "0")
    told = []
    for turn in range(2):
        with running(site.folder, *words) as (_, printed):
            site.port = int(re.search(r"127\.0\.0\.1:(\d+)", printed)[1])  # type: ignore[index]
            anna = site.client("anna")
            told += [anna.judge(f"D{turn * 5 + n:02}", 1).json()["id"] for n in range(5)]
    with contextlib.closing(JudgingJournal(f"{site.pool}.journal")) as journal:
        assert [event.uid for event in journal.events()] == told
        assert not journal.check()
    main(["judge", "backup", str(site.pool), "-o", str(site.folder / "copy.journal")])
    assert "10 events copied" in capsys.readouterr().err
    main(["judge", "export", str(site.pool), "--passages", "-q"])
    assert capsys.readouterr().out.startswith("topic\tclaim\tdocument\tpassage")


def test_another_host_is_warned_of(site: Any) -> None:
    site.stop()
    words = ("serve", "pool.txt", "--documents", "documents", "--host", "0.0.0.0", "--port", "0", "-q")
    command = [sys.executable, "-u", "-m", "leadline.cli", "judge", *words]
    process = subprocess.Popen(command, cwd=site.folder, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert "can be reached by other machines without encryption" in process.stderr.readline()
    finally:
        process.kill()
        process.communicate()
