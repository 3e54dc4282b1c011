"""Servers that mean harm: the crawl ends soon, says in a line what was wrong, and keeps the good pages."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from aiohttp import web
from site_server import SiteServer, links, redirect, site

from leadline.collections.crawl.crawl_folder import CrawlOutcome
from leadline.collections.crawl.crawl_folder import crawl_into as crawl
from leadline.collections.documents.collection import Collection
from leadline.collections.links.reading import read_links

GOOD = links(text="A good page with a text that should be kept whatever the others do.")


def run(server: SiteServer | str, folder: Path, **more: object) -> CrawlOutcome:
    url = server if isinstance(server, str) else server.url
    settings = {"delay": 0.0, "timeout": 3.0, "retries": 0, "backoff": 0.01} | more
    return crawl(folder / "site", [url], **settings)


def raw(answer: bytes | Callable[[socket.socket], None]) -> Callable[[socket.socket], None]:
    return (lambda client: client.sendall(answer)) if isinstance(answer, bytes) else answer


@contextlib.contextmanager
def raw_server(answers: dict[str, bytes | Callable[[socket.socket], None]]) -> Iterator[str]:
    """A server that sends exactly these bytes; other paths are not found."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            path = client.recv(65536).decode("latin-1").split(" ")[1]
            raw(answers.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))(client)

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def page(body: str, *headers: bytes) -> bytes:
    content = body.encode()
    head = [b"HTTP/1.1 200 OK", b"Content-Type: text/html", b"Content-Length: %d" % len(content), b"Connection: close"]
    return b"\r\n".join([*head, *headers]) + b"\r\n\r\n" + content


def endless(line: bytes, start: bytes = b"HTTP/1.1 200 OK\r\n") -> Callable[[socket.socket], None]:
    def send(client: socket.socket) -> None:
        client.sendall(start)
        while True:
            client.sendall(line * 1000)

    return send


def drip(client: socket.socket) -> None:
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    for _ in range(300):
        client.sendall(b"a")
        time.sleep(0.1)


def test_answers_that_are_no_answers(tmp_path: Path) -> None:
    hostile: dict[str, bytes | Callable[[socket.socket], None]] = {
        "/headers": endless(b"X-More: and more\r\n"), "/header": endless(b"a" * 100, b"HTTP/1.1 200 OK\r\nX-Long: "),
        "/drip": drip, "/nothing": b"", "/noise": bytes(range(256)) * 20, "/old": b"<html>no header at all</html>",
        "/status": b"HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n",
        "/early": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000,
        "/length": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: -5\r\n\r\nabc",
        "/chunks": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\nabc\r\n",
        "/brotli": page("not brotli", b"Content-Encoding: br"), "/packed": page("not gzip", b"Content-Encoding: gzip"),
        "/bytes": page(GOOD, b"ETag: \"\xff\xfe\"", b"X-Odd: \xe9\xff", b"Last-Modified: \xff", b"Set-Cookie: a=b"),
        "/location": b"HTTP/1.1 302 Found\r\nLocation: /\xff\xfe\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        "/type": page(GOOD).replace(b"text/html", b"text/html; charset=\xff\xfe"),
        "/reason": page(GOOD).replace(b"200 OK", b"200 \xff\xfe OK"),
    }  # fmt: skip
    start = time.monotonic()
    with raw_server({"/": page(links("/good", *hostile)), "/good": page(GOOD), **hostile}) as url:
        outcome = run(url, tmp_path)
    assert time.monotonic() - start < 60
    assert outcome.finished
    kept = {name.removeprefix(url) for name in Collection.open(tmp_path / "site").records["id"].to_list()}
    assert {"/", "/good", "/bytes", "/reason", "/type"} <= kept
    assert sum(outcome.failed.values()) >= 8
    assert all("\n" not in note and len(note) < 1000 for note in outcome.notes)


def test_links_of_every_kind(tmp_path: Path) -> None:
    odd = ["javascript:alert(1)", "data:text/html,x", "mailto:a@b.example", "tel:1", "blob:http://x/1", "http://", "//",
           "http://[::1", "http://a b/", "/\x00", "/" + "x" * 1_000_000, "?" + "y=1&" * 100_000, "http://" + "h" * 5000,
           "/%zz%", "/\U0001f600", "/&#xD800;", "/a\nb", " /good "]  # fmt: skip
    with site({"/": links(*odd), "/good": GOOD}) as server:
        outcome = run(server, tmp_path)
    assert outcome.finished
    assert f"{server.url}/good" in Collection.open(tmp_path / "site").records["id"].to_list()
    assert all(len(path) < 10_000 for path in server.paths(None))
    read_links(tmp_path / "site")


def test_a_page_of_very_many_links(tmp_path: Path) -> None:
    many = "".join(f"<a href=/{number}>x</a>" for number in range(100_000))
    with site({"/": f"<title>many</title>{many}<a href=/good>good</a>", "/good": GOOD}) as server:
        start = time.process_time()
        outcome = run(server, tmp_path, pages=2, max_bytes=1 << 24)
        taken = time.process_time() - start
    assert taken < 20
    assert outcome.states["queued"] <= 10_000
    assert any("1 rest of a page with 10,000 links or more" in note for note in outcome.notes)


@pytest.mark.parametrize("element", ["div", "b", "table", "a href=/good", "font"])
def test_deep_nesting(tmp_path: Path, element: str) -> None:
    body = f"<{element}>" * 100_000 + "deep" + "<a href='/good'>x</a>"
    with site({"/": body, "/good": GOOD}) as server:
        outcome = run(server, tmp_path, timeout=60.0)
    assert outcome.documents >= 1
    assert "/good" in server.paths()


def test_redirects_without_end(tmp_path: Path) -> None:
    async def onwards(request: web.Request) -> web.Response:
        return redirect(f"/r/{int(request.path.rpartition('/')[2]) + 1}")

    with site({"/": links("/r/1", "/x", "/good"), "/r/*": onwards, "/x": redirect("/y"), "/y": redirect("/x"),
               "/good": GOOD}) as server:  # fmt: skip
        outcome = run(server, tmp_path)
    assert outcome.finished
    assert outcome.failed.get("too many redirects") == 1
    assert len(server.paths(None)) < 20


@pytest.mark.parametrize(
    "rules",
    [
        "User-agent: *\nDisallow: /" + "*a" * 400 + "$",
        "User-agent: *\n" + "".join(f"Disallow: /*{n}*b*c*d*e*f$\n" for n in range(20_000)),
        "User-agent: *\nCrawl-delay: 1e400\nRequest-rate: 1/0\nCrawl-delay: nan\nDisallow: /no",
        "Sitemap: " + "x" * 100_000 + "\n" + "Sitemap: http://[\n" * 100 + "User-agent: *\nAllow: /",
        "\ufeff" + "\x00" * 1000 + "User-agent: leadline\nDisallow: /no\n" + "#" * 2_000_000,
    ],
    ids=["stars", "many", "delays", "sitemaps", "huge"],
)
def test_robots_txt_that_means_harm(tmp_path: Path, rules: str) -> None:
    start = time.process_time()
    with site({"/robots.txt": rules, "/": links("/good", "/" + "a" * 3000), "/good": GOOD}) as server:
        outcome = run(server, tmp_path)
    assert time.process_time() - start < 20
    assert outcome.finished
    assert "/good" in server.paths()


def test_sitemaps_that_mean_harm(tmp_path: Path) -> None:
    async def index(request: web.Request) -> web.Response:
        level = int(request.path.rpartition("/")[2].removesuffix(".xml"))
        more = "".join(f"<sitemap><loc>{server.url}/maps/{level * 10 + n}.xml</loc></sitemap>" for n in range(10))
        return web.Response(text=f"<sitemapindex>{more}</sitemapindex>", content_type="text/xml")

    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 100}">' for n in range(12))
    named = ["/maps/1.xml", "/bomb.xml", "/entities.xml", "/many.xml", "/noise.xml"]
    pages: dict[str, object] = {
        "/": links("/good"), "/good": GOOD, "/maps/*": index,
        "/bomb.xml": web.Response(body=gzip.compress(b"<a>" + b" " * 100_000_000), content_type="application/gzip"),
        "/entities.xml": f"<!DOCTYPE x [{entities}]><urlset><url><loc>&e11;</loc></url></urlset>",
        "/noise.xml": bytes(range(256)) * 100,
    }  # fmt: skip
    with site(pages) as server:  # type: ignore[arg-type]
        server.pages["/robots.txt"] = "User-agent: *\n" + "".join(f"Sitemap: {server.url}{each}\n" for each in named)
        server.pages["/many.xml"] = "\n".join(f"{server.url}/entry/{n}" for n in range(100_000))
        outcome = run(server, tmp_path, pages=3, timeout=30.0)
    assert len([path for path in server.paths(None) if path.startswith("/maps/")]) <= 60
    assert outcome.documents >= 1
    assert sum(outcome.states.values()) < 60_000


def test_charsets_that_lie(tmp_path: Path) -> None:
    async def lying(request: web.Request) -> web.Response:
        name = request.path.rpartition("/")[2]
        body = "<title>Größe</title><p>Die Größe der Körner ist für die Güte des Stoffes entscheidend.".encode()
        return web.Response(body=body, headers={"Content-Type": f"text/html; charset={name}"})

    names = ["utf-16", "utf-7", "rot13", "idna", "unknown", "hex", "zlib", "ascii", "utf-32", "undefined", "a" * 500]
    with site({"/": links(*(f"/c/{name}" for name in names)), "/c/*": lying}) as server:
        outcome = run(server, tmp_path)
    assert outcome.documents == 1 + len(names)
    assert not outcome.failed


def test_no_cookie_is_sent_back(tmp_path: Path) -> None:
    async def cookie(_request: web.Request) -> web.Response:
        response = web.Response(text=links("/second", "/third"), content_type="text/html")
        response.set_cookie("session", "x" * 3000)
        await asyncio.sleep(0)
        return response

    with site({"/": cookie, "/second": cookie, "/third": cookie}) as server:
        run(server, tmp_path)
    assert not any("Cookie" in headers for _, headers in server.headers)
