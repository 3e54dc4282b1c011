"""Pages as servers send them: types, sizes, broken bodies, charsets, and pages without end."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import zlib
from pathlib import Path

import pytest
from aiohttp import web
from crawl_runs import pages, run
from site_server import links, site

from leadline.collections.documents.collection import Collection


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "crawl"


def test_types_sizes_bombs_and_broken_bodies(folder: Path) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b"word " * 20_000)
        return response

    packed = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join([packed.compress(b"\0" * (1 << 20)) for _ in range(200)]) + packed.flush()
    zipped = {"Content-Encoding": "gzip"}
    tree = {
        "/": links("/image", "/endless", "/bomb", "/zip", "/damaged", "/short"),
        "/image": web.Response(body=b"GIF", content_type="image/gif"),
        "/endless": endless,
        "/bomb": web.Response(body=bomb, content_type="text/html", headers=zipped),
        "/zip": web.Response(
            body=gzip.compress(links(text="zipped").encode()), content_type="text/html", headers=zipped
        ),
        "/damaged": web.Response(body=b"\x1f\x8bnothing", content_type="text/html", headers=zipped),
        "/short": links(text="short"),
    }
    with site(tree) as server:
        outcome = run(folder, server.url, max_bytes=200_000, retries=0)
    found = pages(folder)
    assert found["/image"] == ("failed", "type image/gif")
    assert found["/damaged"] == ("failed", "content")
    assert found["/endless"] == found["/bomb"] == found["/zip"] == ("done", "")
    assert outcome.documents == 5
    assert sum(file.stat().st_size for file in (folder / "warc").iterdir()) < 100_000
    text = Collection.open(folder).document(f"{server.url}/endless").description
    assert len(text) <= 200_000


def test_a_page_that_falls_silent(folder: Path) -> None:
    async def silent(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        await response.write(b"<p>begins")
        await asyncio.sleep(30)
        return response

    with site({"/": silent}) as server:  # alone: a machine that is busy may take as long for any page
        run(folder, server.url, timeout=1.5, retries=0)
    assert pages(folder)["/"] == ("failed", "timeout")


def test_traps_end(folder: Path) -> None:
    async def endless(request: web.Request) -> web.Response:
        number = int(request.query.get("n", "0")) + 1
        body = links(f"/trap?n={number}", f"{request.path}/again/", f"/calendar?year={2000 + number}&month=1")
        return web.Response(text=body, content_type="text/html")

    with site({"/": links("/trap", "/good"), "/good": links(), "/trap*": endless, "/calendar*": endless}) as server:
        outcome = run(folder, server.url, depth=1000, pages=5000)
    assert outcome.finished
    assert "/good" in server.paths()
    assert len(server.paths()) < 700
    assert {reason for reason in outcome.refused if reason.startswith("trap: ")} == {
        "trap: endless parameters",
        "trap: repeated segments",
        "trap: calendar",
    }


@pytest.mark.parametrize("kind", ["numbers", "words", "two ways on"])
def test_pages_that_only_lead_on_end(folder: Path, kind: str) -> None:
    async def following(request: web.Request) -> web.Response:
        name = hashlib.sha256(request.path.encode()).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))
        number = int(request.path.rpartition("/")[2]) + 1 if kind != "words" else 0
        targets = {"numbers": [f"/next/{number}"], "words": [f"/next/{name}"],
                   "two ways on": [f"/next/{number}", f"/other/{number}"]}[kind]  # fmt: skip
        return web.Response(text=links("/", *targets), content_type="text/html")

    with site({"/": links("/next/1"), "/next/*": following, "/other/*": following}) as server:
        outcome = run(folder, server.url, depth=1000, pages=5000, chain=40)
        assert outcome.finished
        assert {*outcome.refused} == {"trap: endless chain"}
        assert 40 <= len(server.paths()) <= 90
        assert any("--chain 0 follows them on" in note for note in outcome.notes)
        assert run(folder).asked == 0
        assert run(folder, pages=100, chain=0).asked > 5  # goes on where it was given up


def test_a_list_of_many_pages_is_read_to_its_end(folder: Path) -> None:
    """Each page of a list has entries of its own and leads on to the next; the entries do not count as a chain."""
    lists = {f"/list/{n}": links(f"/list/{n + 1}", f"/entry/{n}-a", f"/entry/{n}-b") for n in range(1, 60)}
    entries = {f"/entry/{n}-{which}": links(f"/list/{n}") for n in range(1, 60) for which in "ab"}
    with site({"/": links("/list/1"), "/list/60": links("/"), **lists, **entries}) as server:
        outcome = run(folder, server.url, depth=1000)
    assert outcome.documents == 1 + 60 + 118
    assert not outcome.refused


def test_charsets_dates_and_texts(folder: Path) -> None:
    menu = "<nav>" + "".join(f'<a href="/{n}">Menu item {n}</a> ' for n in range(9)) + "</nav>"
    body = "<p>Die Größe der Teilchen beträgt fünf Nanometer, was mit einem Mikroskop gemessen wurde, mehrmals und "
    body += "von zwei Personen.</p>"
    modified = {"Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}

    def page(charset: str, head: str = "", header: str = "text/html", **more: str) -> web.Response:
        text = f"<html lang=de-AT><head>{head}<title>Teilchengröße</title></head><body>{menu}{body}"
        text += "<footer>Impressum</footer></body></html>"
        return web.Response(body=text.encode(charset), headers={"Content-Type": header, **modified, **more})

    tree = {
        "/": links("/header", "/meta", "/bom", "/none", "/utf8"),
        "/header": page("iso-8859-15", header="text/html; charset=iso-8859-15"),
        "/meta": page("cp1250", '<meta http-equiv="Content-Type" content="text/html; charset=windows-1250">'),
        "/bom": page("utf-16"),
        "/none": page("cp1252"),
        "/utf8": page(
            "utf-8", '<meta name="dcterms.date" content="2009-03-04"><meta name="author" content="A. Müller">'
        ),
    }
    with site(tree) as server:
        run(folder, server.url, exclude=("*/[0-9]",))
    collection = Collection.open(folder)
    for name in ("header", "meta", "bom", "none", "utf8"):
        document = collection.document(f"{server.url}/{name}")
        assert document.title == "Teilchengröße"
        assert document.description.startswith("Die Größe der Teilchen beträgt fünf")
        assert "Menu item" not in document.description
        assert "Impressum" not in document.description
        assert document.language == "de"
        assert document.kind == "page"
        assert document.publication == ("2009-03-04" if name == "utf8" else "2015-10-21")
    assert collection.document(f"{server.url}/utf8").inventors == ("A. Müller",)
