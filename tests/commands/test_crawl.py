"""`leadline crawl`, and the commands that take its folder as a collection."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

for _package in ("aiohttp", "protego", "selectolax", "warcio"):
    pytest.importorskip(_package, reason=f"the crawler needs the package {_package}")
_path = Path(__file__).parents[1] / "collections" / "crawl" / "site_server.py"
_spec = importlib.util.spec_from_file_location("site_server_of_commands", _path)
assert _spec is not None
assert _spec.loader is not None
_module: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
site, links = _module.site, _module.links

TREE = {
    "/": links("/silver", "/zeolite", "/gone", "file:///etc/passwd"),
    "/silver": links("/", text="Silver particles dispersed in a polymer film kill bacteria on the wrapping of cheese."),
    "/zeolite": links("/", text="Zeolite coats the particles, so that the silver is released slowly over many weeks."),
}


def test_crawl_index_search_and_info(leadline: Callable[..., Any]) -> None:
    with site(TREE) as server:
        done = leadline("crawl", server.url, "-o", "web", "--delay", "0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().endswith("3 documents and 5 links in web\n")
    said = done.stderr.decode()
    assert f"private addresses that were allowed, since a seed names them: 127.0.0.1:{server.port}" in said
    assert "failed: 1 http 404" in said
    assert "links not followed: 1 not http or https" in said
    assert leadline("index", "web", "-o", "web.index", "-q").returncode == 0
    found = leadline("search", "web.index", "zeolite", "-f", "tsv").stdout.decode()
    assert f"{server.url}/zeolite" in found
    info = leadline("collection", "info", "web").stdout.decode()
    assert "documents" in info
    assert "page" in info
    again = leadline("crawl", "-o", "web")
    assert b"nothing is left to ask for; 3 documents" in again.stdout
    assert b"--again asks for what changed" in again.stderr


def test_a_folder_that_cannot_be_made_is_no_wrong_usage(leadline: Any) -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, before[1]))
    try:
        said = leadline.error("crawl", "http://127.0.0.1:9/", "-o", "web", status=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    limit = "file too large, this process may write files of 512 bytes: raise `ulimit -f`"
    assert said == f"web/crawl.json: cannot be written: {limit}"
    assert "must be printable ASCII" in leadline.error(
        "crawl", "http://127.0.0.1:9/", "-o", "web", "--user-agent", "é", status=2
    )
    assert not (leadline.folder / "web").exists()


def test_seeds_from_a_file(leadline: Any) -> None:
    with site(TREE) as server:
        (leadline.folder / "seeds.txt").write_text(f"# seeds\n{server.url}/silver\n\n{server.url}/zeolite\n")
        done = leadline("crawl", "--seeds", "seeds.txt", "-o", "web", "--delay", "0", "--depth", "0")
    assert sorted(server.paths()) == ["/silver", "/zeolite"]
    assert done.returncode == 0
    (leadline.folder / "seeds.txt").write_text("http://a.example/\ngopher://b.example/\n")
    assert leadline.error("crawl", "--seeds", "seeds.txt", "-o", "x") == (
        "seeds.txt:2: 'gopher://b.example/' gopher: is not crawled, only http and https are"
    )


def test_wrong_usage(leadline: Any) -> None:
    assert "needs the address of a page" in leadline.error("crawl", "-o", "web", status=2)
    assert "only http and https are" in leadline.error("crawl", "file:///etc/passwd", "-o", "web", status=2)
    assert "--again" in leadline.error("crawl", "-o", "web", "--again", status=2)
    assert "--delay: must be between" in leadline.error(
        "crawl", "http://a.example", "-o", "web", "--delay", "-1", status=2
    )
    assert not (leadline.folder / "web").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for another process")
def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(leadline: Any) -> None:
    tree = {"/": links(*(f"/{number}" for number in range(60)))} | {f"/{number}": links() for number in range(60)}
    with site(tree) as server:
        words = [sys.executable, "-m", "leadline.cli", "crawl", server.url, "-o", "web", "--delay", "0.05"]
        process = subprocess.Popen(words, cwd=leadline.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while len(server.log) < 8:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert b"queued; `leadline crawl -o web` goes on" in err, err
        assert b"documents and" in out
        assert b"61 documents" in leadline("crawl", "-o", "web", "--delay", "0").stdout
    assert len(server.paths()) == len(set(server.paths())) == 61
