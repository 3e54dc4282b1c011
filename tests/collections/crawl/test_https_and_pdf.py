"""Sites with certificates, good and bad, of an authority made here; and pages that are PDF files."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import web
from site_server import links, site

from leadline.collections.crawl import crawl_folder, fetching
from leadline.collections.crawl.crawl_folder import crawl_into as crawl
from leadline.collections.documents.collection import Collection

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates are made by openssl")
TREE = {"/": links("/a", text="The first page of a site with a certificate."), "/a": links(text="The second page.")}


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an authority (ca.pem), a good certificate, one for another host, and one that is over."""
    folder = tmp_path_factory.mktemp("certificates")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(folder, "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority",
            "-days", "2", "-addext", "keyUsage=critical,keyCertSign,cRLSign")  # fmt: skip
    for name, host, days in (
        ("good", "IP:127.0.0.1", "2"),
        ("other", "DNS:other.example", "2"),
        ("over", "IP:127.0.0.1", "-1"),
    ):
        (folder / "extensions").write_text(f"subjectAltName={host}\n")
        openssl(folder, "req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-out", f"{name}.pem", "-days", days, "-extfile", "extensions")  # fmt: skip
    return folder


def server_context(certificates: Path, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
    return context


def crawled(url: str, folder: Path, authority: Path | None) -> subprocess.CompletedProcess[str]:
    """A crawl in a process of its own, which reads its authorities when it starts."""
    import os

    words = [sys.executable, "-m", "leadline.cli", "crawl", url, "-o", str(folder), "--delay", "0"]
    more = {} if authority is None else {"SSL_CERT_FILE": str(authority)}
    return subprocess.run(words, capture_output=True, text=True, env=os.environ | more, check=False, timeout=120)


@needs_openssl
def test_a_site_with_a_certificate(certificates: Path, tmp_path: Path) -> None:
    with site(TREE, certificate=server_context(certificates, "good")) as server:
        done = crawled(server.url, tmp_path / "site", certificates / "ca.pem")
    assert done.returncode == 0, done.stderr
    assert "2 documents and 1 link" in done.stdout
    assert Collection.open(tmp_path / "site").document(f"{server.url}/a").id.startswith("https://127.0.0.1:")


@needs_openssl
@pytest.mark.parametrize(("name", "trusted"), [("good", False), ("other", True), ("over", True)])
def test_a_bad_certificate_is_an_error_of_its_own(certificates: Path, tmp_path: Path, name: str, trusted: bool) -> None:
    with site(TREE, certificate=server_context(certificates, name)) as server:
        done = crawled(server.url, tmp_path / "site", certificates / "ca.pem" if trusted else None)
    assert "0 documents" in done.stdout
    (line,) = [line for line in done.stderr.splitlines() if "certificate" in line]
    assert line.strip() == "refused: 1 robots.txt unreachable (certificate)"
    assert "Traceback" not in done.stderr
    assert not server.paths(None)


def pdf_file(text: str) -> bytes:
    """A PDF file of one page with one line."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (On zeolites) >>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    count = len(objects) + 1
    return content + b"xref\n0 %d\n0000000000 65535 f \n" % count + table + end % (count, len(content))


def pdf_site() -> dict[str, str | web.Response]:
    def pdf(body: bytes) -> web.Response:
        return web.Response(body=body, content_type="application/pdf")

    whole = pdf_file("Zeolites release silver slowly.")
    return {"/": links("/whole.pdf", "/broken.pdf", text="Two files."), "/whole.pdf": pdf(whole),
            "/broken.pdf": pdf(whole[:60])}  # fmt: skip


def test_pdf_pages(tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="reads the text of PDF files")
    with site(pdf_site()) as server:
        outcome = crawl(tmp_path / "site", [server.url], delay=0.0)
    document = Collection.open(tmp_path / "site").document(f"{server.url}/whole.pdf")
    assert (document.title, document.description) == ("On zeolites", "Zeolites release silver slowly.")
    assert (outcome.documents, outcome.unreadable) == (2, 1)
    assert "1 page without a text that can be read: damaged PDF files" in outcome.notes


def test_only_a_broken_pdf(tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="reads the text of PDF files")
    with site({"/": web.Response(body=b"%PDF-1.4 nothing", content_type="application/pdf")}) as server:
        outcome = crawl(tmp_path / "site", [server.url], delay=0.0)
    assert (outcome.documents, outcome.unreadable) == (0, 1)


def test_without_the_package_a_note_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (fetching, crawl_folder):
        monkeypatch.setattr(module, "reads_pdf", lambda: False)
    with site(pdf_site()) as server:
        outcome = crawl(tmp_path / "site", [server.url], delay=0.0)
    assert outcome.documents == 1
    assert outcome.failed == {"type application/pdf": 2}
    assert 'text of PDF files needs the package pypdf: pip install "leadline[web]", then --again' in outcome.notes
