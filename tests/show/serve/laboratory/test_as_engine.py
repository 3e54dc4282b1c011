"""A lab that is served, measured as someone else's search service: the file of docs/engines.md, run for real."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the pages need fastapi")
pytest.importorskip("uvicorn", reason="the pages need uvicorn")

from leadline.cli import main
from leadline.records.runs import read_run

DOCUMENT = Path(__file__).parents[4] / "docs" / "engines.md"
WORDS = ("resin", "device method", "acid")


def test_a_served_lab_is_a_search_service(
    small_lab: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(small_lab.parent, tmp_path / "copy")
    lab = tmp_path / "copy" / small_lab.name
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "leadline.cli"]
    printed = tmp_path / "printed"
    with printed.open("wb") as out:
        server = subprocess.Popen([*command, "serve", str(lab), "--port", str(port)], stdout=out, stderr=out)
    try:
        end = time.monotonic() + 60
        while not (link := re.search(r"/in/([\w-]+)", printed.read_text())):
            assert server.poll() is None, printed.read_text()
            assert time.monotonic() < end
            time.sleep(0.1)
        described = next(
            text for text in re.findall(r"```toml\n(.*?)```", DOCUMENT.read_text(), re.S) if "LAB_" in text
        )
        (tmp_path / "lab.toml").write_text(described.replace(":8377", f":{port}"))
        topics = "".join(f"{number}\t{words}\n" for number, words in enumerate(WORDS))
        (tmp_path / "topics.tsv").write_text(f"topic\ttitle\n{topics}")
        monkeypatch.setenv("LAB_TOKEN", link[1])
        monkeypatch.chdir(tmp_path)
        main(["run", "--engine", "lab.toml", "topics.tsv", "-o", "lab.run", "-k", "7"])
        assert link[1] not in "".join(capsys.readouterr()) + (tmp_path / "lab.run.manifest.json").read_text()
    finally:
        server.kill()
        server.wait()
    run = read_run(tmp_path / "lab.run")
    for number, words in enumerate(WORDS):
        main(["search", str(small_lab.parent / "index"), words, "-k", "7", "-f", "json", "-q"])
        found = json.loads(capsys.readouterr().out)
        hits = found["hits"] if isinstance(found, dict) else found
        assert run.ranking(str(number)) == [(hit["document"], hit["score"]) for hit in hits]
