"""Pages in HTML, WARC and WET files as sources of a collection."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.errors import InputError

pytest.importorskip("selectolax", reason="pages need the package selectolax")
WORDS = "Silver particles are dispersed in a polymer film, which is then drawn, cooled and wound on a roll of steel."
HEAD = "<!DOCTYPE html><html lang=en><head><title>A film</title></head>"
PAGE = f"{HEAD}<body><nav><a href=/>Home</a></nav><p>{WORDS}</p></body>"
DATED = "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT"
LATIN = "text/html; charset=latin1"


def record(kind: str, address: str, block: bytes, media: str = "application/http; msgtype=response") -> bytes:
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {address}\r\nWARC-Date: 2020-05-06T07:08:09Z\r\n"
    return f"{head}Content-Type: {media}\r\nContent-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"


def response(body: bytes, *headers: str, status: str = "200 OK", media: str = "text/html") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {media}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def collection(folder: Path, *sources: Path) -> Collection:
    build(sources, folder / "collection")
    return Collection.open(folder / "collection")


def test_a_folder_of_html(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_text(PAGE)
    own = '<link rel="canonical" href="https://example.org/b">'
    (tmp_path / "site" / "b.htm").write_bytes(
        f"<!-- old --><HTML><head>{own}</head><body><p>Größe {WORDS}".encode("cp1252")
    )
    made = collection(tmp_path, tmp_path / "site")
    documents = {document.id: document for document in made.documents()}
    first = documents[f"{tmp_path}/site/a.html"]
    assert (first.title, first.description, first.language, first.kind) == ("A film", WORDS, "en", "page")
    assert documents["https://example.org/b"].description == f"Größe {WORDS}"


@pytest.mark.parametrize("ending", ["warc", "warc.gz"])
def test_warc(tmp_path: Path, ending: str) -> None:
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PAGE), PAGE.encode())
    records = [
        record("warcinfo", "", b"software: something\r\n", "application/warc-fields"),
        record(
            "response",
            "http://a.example/plain",
            response(PAGE.encode(), DATED),
        ),
        record("request", "http://a.example/plain", b"GET / HTTP/1.1\r\n\r\n", "application/http; msgtype=request"),
        record("response", "http://a.example/gzip", response(gzip.compress(PAGE.encode()), "Content-Encoding: gzip")),
        record("response", "http://a.example/chunked", response(chunked, "Transfer-Encoding: chunked")),
        record("response", "http://a.example/image", response(bytes(range(256)) * 500, media="image/png")),
        record("response", "http://a.example/missing", response(b"no", status="404 Not Found")),
        record("response", "http://a.example/noindex", response(PAGE.encode(), "X-Robots-Tag: noindex")),
        record(
            "response",
            "http://a.example/latin",
            response("Größe ".encode("latin-1") * 20, media=LATIN),
        ),
        record("revisit", "http://a.example/plain", b""),
    ]
    content = b"".join(map(gzip.compress, records)) if ending.endswith("gz") else b"".join(records)
    (tmp_path / f"crawl.{ending}").write_bytes(content)
    documents = {document.id: document for document in collection(tmp_path, tmp_path / f"crawl.{ending}").documents()}
    assert sorted(name.rsplit("/", 1)[1] for name in documents) == ["chunked", "gzip", "latin", "plain"]
    assert documents["http://a.example/plain"].publication == "2015-10-21"
    assert documents["http://a.example/gzip"].publication == "2020-05-06"
    assert {documents[f"http://a.example/{name}"].description for name in ("plain", "gzip", "chunked")} == {WORDS}
    assert documents["http://a.example/latin"].description.startswith("Größe Größe")


def test_wet(tmp_path: Path) -> None:
    records = [
        record("conversion", f"http://a.example/{n}", f"Title {n}\nText {n}.\n".encode(), "text/plain") for n in (1, 2)
    ]
    (tmp_path / "x.wet.gz").write_bytes(gzip.compress(b"".join(records)))
    first, second = collection(tmp_path, tmp_path / "x.wet.gz").documents()
    assert (first.id, first.title, first.description) == ("http://a.example/1", "Title 1", "Title 1\nText 1.")
    assert second.id == "http://a.example/2"


def test_a_file_of_warcio_is_read(tmp_path: Path) -> None:
    pytest.importorskip("warcio", reason="compares with the package warcio")
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    with (tmp_path / "x.warc.gz").open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        http = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        written = writer.create_warc_record(
            "http://a.example/", "response", payload=io.BytesIO(PAGE.encode()), http_headers=http
        )
        writer.write_record(written)
    (document,) = collection(tmp_path, tmp_path / "x.warc.gz").documents()
    assert document.description == WORDS


def test_damage_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    good = record("response", "http://a.example/good", response(PAGE.encode()))
    torn = record("response", "http://a.example/torn", response(PAGE.encode()))[:-200]
    bomb = record("response", "http://a.example/odd", response(b"\x1f\x8bnothing", "Content-Encoding: gzip"))
    (tmp_path / "x.warc").write_bytes(
        good + b"garbage between records\r\n" + bomb + good.replace(b"/good", b"/more") + torn
    )
    made = collection(tmp_path, tmp_path / "x.warc")
    assert sorted(document.id for document in made.documents()) == ["http://a.example/good", "http://a.example/more"]
    reasons = [reason for _, _, reason in made.manifest["first_broken"]]
    assert any("no record begins here" in reason for reason in reasons)
    assert any("compression is damaged" in reason for reason in reasons)
    assert any("ends in the middle" in reason for reason in reasons)


def test_a_file_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.warc").write_bytes(b"WARC/1.0\r\nWARC-Type: response")
    with pytest.raises(InputError, match="no document could be read"):
        collection(tmp_path, tmp_path / "x.warc")
