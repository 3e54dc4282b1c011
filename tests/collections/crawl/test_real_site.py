"""The documentation of PostgreSQL on loopback, with everything that goes wrong on the web added to it.

tools/install-postgresql-doc.sh fetches the pages. The short form visits the pages on SQL commands; the long form, with
LEADLINE_SOAK, visits all.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web
from site_server import SiteServer, redirect, site

from leadline.collections.documents.collection import Collection

SOAK = bool(os.environ.get("LEADLINE_SOAK"))
INSIDE = "usr/share/doc/postgresql-doc-15/html"
PLACES = [Path("/usr/share/doc/postgresql-doc-15/html"), Path(__file__).parents[3] / "build/postgresql-doc" / INSIDE]
HTML = next((place for place in PLACES if (place / "index.html").is_file()), None)
pytestmark = [
    pytest.mark.skipif(HTML is None, reason="needs postgresql-doc-15: make services"),
    pytest.mark.soak,
]
ROBOTS = "User-agent: *\nDisallow: /release-\nDisallow: /sql-drop\nDisallow: /private/\n"
FORBIDDEN = re.compile(r"/(?:release-|sql-drop|private/)")
EXTRAS = ("/slow", "/moved", "/loop", "/broken", "/cut", "/garbled", "/private/secret", "/calendar?year=2024&month=1",
          "/deep/", "/missing", "/picture", "mailto:somebody@example.com")  # fmt: skip
FAMILIES = ("sql-", "app-", "catalog", "view", "functions", "datatype", "sql", "tutorial")  # pages of the short form
WANTED = re.compile("/.*" if SOAK else rf"/$|/(?:{'|'.join(FAMILIES)})[^/]*\.html$")


async def slow(request: web.Request) -> web.StreamResponse:
    """A page that comes a word at a time."""
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    for word in ("<title>slow</title><p>one", " two", " three"):
        await response.write(word.encode())
        await asyncio.sleep(0.2)
    await response.write_eof()
    return response


async def cut(request: web.Request) -> web.StreamResponse:
    """A body that breaks off before the length it promised."""
    response = web.StreamResponse(headers={"Content-Type": "text/html", "Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b"<p>half")
    if request.transport is not None:
        request.transport.close()
    return response


async def calendar(request: web.Request) -> web.Response:
    """Every month links to the next."""
    year, month = int(request.query["year"]), int(request.query["month"])
    following = (year, month + 1) if month < 12 else (year + 1, 1)
    body = f'<title>month</title><a href="/calendar?year={following[0]}&month={following[1]}">next</a>'
    return web.Response(text=body, content_type="text/html")


async def deep(request: web.Request) -> web.Response:
    return web.Response(text=f'<title>deep</title><a href="{request.path}deep/">deeper</a>', content_type="text/html")


@pytest.fixture
def server() -> Iterator[SiteServer]:
    assert HTML is not None
    front = (HTML / "index.html").read_text(encoding="utf-8")
    extra = "".join(f'<p><a href="{path}">more</a></p>' for path in EXTRAS)
    pages = {
        "/robots.txt": ROBOTS, "/": front.replace("</body>", extra + "</body>"), "/index.html": redirect("/"),
        "/slow": slow, "/moved": redirect("/sql-select.html", 301), "/loop": redirect("/loop"), "/cut": cut,
        "/broken": web.Response(status=500), "/garbled": web.Response(body=os.urandom(5000), content_type="text/html"),
        "/private/secret": "secret", "/calendar*": calendar, "/deep/*": deep,
        "/picture": web.Response(body=b"\x89PNG", content_type="image/png"),
    }  # fmt: skip
    with site(pages, HTML) as running:
        yield running


def allowed_files() -> set[str]:
    """The files that can be reached from the first page without a forbidden one, found with nothing of the crawler."""
    assert HTML is not None
    seen, waiting = {"/"}, ["/"]
    while waiting:
        path = waiting.pop()
        text = (HTML / (path[1:] or "index.html")).read_text(encoding="utf-8", errors="replace")
        for href in re.findall(r'href="([^"#:?]+\.html)', text):
            target = "/" + href if href != "index.html" else "/"
            known = target in seen or FORBIDDEN.match(target) or not WANTED.match(target)
            if not known and (HTML / href).is_file():
                seen.add(target)
                waiting.append(target)
    return seen


def start(server: SiteServer, folder: Path, *more: str) -> subprocess.Popen[bytes]:
    words = ["crawl", f"{server.url}/", "-o", str(folder), "--delay", "0", "--timeout", "20", "--depth", "100", *more]
    if not SOAK:
        patterns = [f"*/{name}*.html" for name in FAMILIES] + [f"*{path.partition('?')[0]}*" for path in EXTRAS]
        for pattern in (*patterns, f"{server.url}/"):
            words += ["--include", pattern]
    return subprocess.Popen(
        [sys.executable, "-m", "leadline.cli", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def finish(process: subprocess.Popen[bytes]) -> str:
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return out.decode() + err.decode()


def visited(server: SiteServer) -> Counter[str]:
    """How often each page of the documentation was answered in full."""
    return Counter(path for path in server.paths() if path.endswith(".html") or path == "/")


def test_every_allowed_page_once_and_none_forbidden(server: SiteServer, tmp_path: Path) -> None:
    said = finish(start(server, tmp_path / "crawl"))
    pages, expected = visited(server), allowed_files()
    assert set(pages) == expected
    assert len(expected) > (1000 if SOAK else 150)
    assert set(pages.values()) == {1}
    asked = {path for path, _ in server.headers}
    assert not [path for path in asked if FORBIDDEN.match(path)]
    assert server.paths(500) == ["/broken"] * 4, "three retries"
    assert server.paths().count("/slow") == 1
    assert len([path for path in asked if path.startswith("/calendar")]) < 80, "three years of months, not all"
    assert len([path for path in asked if path.startswith("/deep")]) <= 4
    for words in ("robots.txt", "trap: calendar", "trap: repeated segments", "http 500", "http 404",
                  "redirect to itself", "type image/png", "not http or https", "127.0.0.1"):  # fmt: skip
        assert words in said, said
    collection = Collection.open(tmp_path / "crawl")
    ids = {document.id.removeprefix(server.url) for document in collection.documents()}
    assert expected | {"/slow", "/garbled"} <= ids
    assert "SELECT" in collection.document(f"{server.url}/sql-select.html").title


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_crawl_goes_on_without_asking_twice(server: SiteServer, tmp_path: Path) -> None:
    folder, kills, asked_again = tmp_path / "crawl", 0, set[str]()
    expected = allowed_files()
    for share in (0.1, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.9) if SOAK else (0.2, 0.7):
        process = start(server, folder)
        end = time.monotonic() + 120
        while (
            sum(visited(server).values()) < share * len(expected) and time.monotonic() < end and process.poll() is None
        ):
            time.sleep(0.002)
        assert process.poll() is None, "it ended before it could be killed"
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        kills += 1
        asked_again |= _on_the_way(folder)
    finish(start(server, folder))
    pages = visited(server)
    assert set(pages) == expected
    twice = {f"{server.url}{path}" for path, count in pages.items() if count > 1}
    assert twice <= asked_again, "only a page whose answer had not arrived is asked for again"
    assert len(asked_again) <= kills, "one page at a time"
    assert len(Collection.open(folder)) >= len(expected)
    finish(start(server, folder))
    assert visited(server) == pages, "a finished crawl asks for nothing"


def _on_the_way(folder: Path) -> set[str]:
    """The pages that were noted as asked for when the crawl was killed."""
    import sqlite3

    with sqlite3.connect(folder / "frontier.sqlite") as frontier:
        return {row[0] for row in frontier.execute("select address from pages where state = 'asked'")}
