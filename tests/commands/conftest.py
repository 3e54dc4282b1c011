"""The command line for tests: in the folder of a test, and over a handful of patents."""

from __future__ import annotations

import importlib.util
import io
import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document, Priority
from leadline.retrieval.index.index import Index

JUDGE = Path(__file__).parents[1] / "judge"
CRAWL = Path(__file__).parents[1] / "collections" / "crawl"
FILM = "A film of a polymer in which silver particles are dispersed kills bacteria."


def patent(number: str, title: str, published: str, filed: str, **more: object) -> Document:
    return Document(number, office=number[:2], serial=number[2:9], kind=number[9:], title=title, publication=published,
                    application=filed, application_number=f"{number[:2]}{filed}", **more)  # fmt: skip


TOPIC = patent(
    "EP1000001B1", "Antibacterial polymer film", "2001-03-07", "1999-05-01",
    abstract=FILM, description="Bacteria grow on wrapping.\nSilver particles of 5 nm are dispersed in polyethylene.",
    claims=(
        Claim(1, "A polymer film comprising silver particles dispersed therein."),
        Claim(2, "The film of claim 1, the particles being coated with zeolite.", (1,)),
        Claim(3, "Use of the film of claim 1 for wrapping cheese in caves.", (1,)),
    ),
    ipc=("C08J5/18", "A01N59/16"), priorities=(Priority("DE19990501", "1999-05-01"),),
)  # fmt: skip
DOCUMENTS = [
    TOPIC,
    patent("US6000001B1", "Antibacterial polymer film", "1999-04-01", "1999-05-01", abstract=FILM,
           claims=(Claim(1, "A film."),), priorities=(Priority("DE19990501", "1999-05-01"),)),
    patent("EP0900001A1", "Silver in wrapping film", "1997-06-04", "1995-12-01", abstract="A wrapping film.",
           description="Wrapping keeps food.\nThe polymer film holds silver particles, dispersed evenly.",
           claims=(Claim(1, "A film with silver."),), ipc=("C08J5/18",), priorities=(Priority("GB1", "1995-12-01"),)),
    patent("WO9700001A1", "Silver in wrapping film", "1997-07-10", "1996-11-29", abstract="A wrapping film, silver.",
           claims=(Claim(1, "A film."),), ipc=("C08J5/18",), priorities=(Priority("GB1", "1995-12-01"),)),
    patent("US5000001A", "Zeolite particles", "1991-03-19", "1989-01-02", abstract="Particles coated with zeolite.",
           claims=(Claim(1, "Coated particles."),), cpc=("C01B39/00",)),
    patent("US6500001B2", "Film with silver particles", "2002-12-31", "2000-02-02", abstract=FILM,
           claims=(Claim(1, "A polymer film with silver particles dispersed therein."),)),
    patent("JP1990001A", "Nail", "1990-05-05", "1988-01-01", abstract="A bent nail of iron for water-in-oil pumps.",
           claims=(Claim(1, "A nail."),), ipc=("F16B15/00",)),
]  # fmt: skip


def run_in_process(
    folder: Path, *arguments: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """What a command prints and its status, without a process of its own, which takes half a second to start."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(3)]
    status: object = 0
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.chdir(folder)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            main(arguments)
        except SystemExit as stop:
            status = stop.code
    _, output, errors = (stream.buffer.getvalue() for stream in streams)  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(arguments, status, output, errors)  # type: ignore[arg-type]


class Leadline:
    """`leadline` in a folder: in this process, or in one of its own if it reads standard input."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(
        self, *arguments: str, stdin: bytes = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        if not stdin:
            return run_in_process(self.folder, *arguments, env=env)
        return subprocess.run(
            [sys.executable, "-m", "leadline.cli", *arguments],
            cwd=self.folder, input=stdin, capture_output=True, check=False,
        )  # fmt: skip

    def error(self, *arguments: str, status: int = 1, env: dict[str, str] | None = None) -> str:
        """The one line of an error."""
        result = self(*arguments, env=env)
        assert (result.returncode, result.stdout) == (status, b""), result
        return only_line(result.stderr.decode())


class Office:
    """The commands in this process, over a small collection and its index."""

    documents, topic = DOCUMENTS, TOPIC

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.collection, self.index = str(folder / "collection"), str(folder / "index")

    def run(self, *words: str) -> tuple[str, str]:
        """What a command prints on standard output and standard error."""
        self._capsys.readouterr()
        main(words)
        return self._capsys.readouterr()

    def rows(self, *words: str) -> list[dict[str, object]]:
        return json.loads(self.run(*words, "-f", "json")[0])

    def error(self, *words: str, status: int = 1) -> str:
        """The one line of an error."""
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main(words)
        out, err = self._capsys.readouterr()
        assert (stopped.value.code, out) == (status, ""), err
        return only_line(err)


def only_line(text: str) -> str:
    (line,) = text.splitlines()
    program, colon, message = line.partition(": ")
    assert program.split()[0] == "leadline", line
    assert colon, line
    return message


@pytest.fixture
def leadline(tmp_path: Path) -> Leadline:
    (tmp_path / "qrels.txt").write_bytes(b"1 0 d1 1\n1 0 d2 0\n1 0 d3 2\n2 0 d4 1\n3 0 d9 0\n")
    (tmp_path / "a.run").write_bytes(b"1 Q0 d1 1 3.0 tag\n1 Q0 d2 2 2.0 tag\n1 Q0 d8 3 1.0 tag\n")
    return Leadline(tmp_path)


@pytest.fixture(scope="session")
def in_process() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    return run_in_process


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("office")
    write_collection(DOCUMENTS, folder / "collection", {"made": "by hand"})
    source: object = Collection.open(folder / "collection")
    Index.build(source, folder / "index", positions=True, origin=str(folder / "collection"))
    return folder


@pytest.fixture
def office(made: Path, capsys: pytest.CaptureFixture[str]) -> Office:
    return Office(made, capsys)


class CrawledSite:
    """A small site on loopback, in the place of the one that the examples of `crawl` name."""

    def __init__(self, url: str) -> None:
        self.url = url

    def example(self, line: str) -> str:
        if "--again" in line:
            main(["crawl", f"{self.url}/", "-o", "site", "--delay", "0", "-q"])
        return line.replace("http://localhost:8000", self.url)


@pytest.fixture
def crawled_site() -> Iterator[CrawledSite]:
    for package in ("aiohttp", "protego", "selectolax", "warcio"):
        pytest.importorskip(package, reason=f"the crawler needs the package {package}")
    spec = importlib.util.spec_from_file_location("site_of_examples", CRAWL / "site_server.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.site({"/": module.links("/docs/a", text="A page."), "/docs/a": "<p>Another page."}) as server:
        yield CrawledSite(server.url)


_citations = importlib.util.spec_from_file_location("office_of_citations", JUDGE / "citations" / "conftest.py")
assert _citations is not None
assert _citations.loader is not None
_module = importlib.util.module_from_spec(_citations)
_citations.loader.exec_module(_module)
patents = _module.patents  # the fixture: a collection with every case in which citations could mislead
