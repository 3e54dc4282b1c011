"""The register of readers: a form is one file, or a function that a program or another package registers."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from leadline.collections.documents import registry
from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.collections.documents.registry import (
    READERS,
    Broken,
    Element,
    Raw,
    RecordMarker,
    Window,
    find_text,
    reader,
    readers_by_form,
)
from leadline.collections.documents.splitting import split
from leadline.errors import InputError
from leadline.register import Register

PAPER = b"<report><id>R1</id><text>A bent nail.</text></report>"
MODULE = """
from leadline.collections.documents.document import Document
from leadline.collections.documents.registry import reader

@reader("memo", "memo")
def read(element):
    return Document(element.get("id"), description=element.text)
"""


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A register with the members of ours, which forgets what a test adds."""
    copy = Register[registry.FormReader]("form", *READERS._packages, entry_points="leadline.readers")
    for name in READERS:
        copy.add(name, READERS[name])
    for name in ("_members", "_names", "_homes", "_loaded"):
        monkeypatch.setattr(READERS, name, getattr(copy, name))


def raw_forms(*pieces: bytes) -> list[str]:
    return [found.form if isinstance(found, Raw) else found.reason for found in split(iter(pieces))]


def test_every_form_is_one_file() -> None:
    folder = Path(registry.__file__).with_name("readers")
    assert sorted(READERS) == sorted(path.stem for path in folder.glob("[!_]*.py"))
    assert {"PATDOC", "article", "json", "greenbook", "us-patent-grant"} <= set(readers_by_form())


@pytest.mark.usefixtures("fresh")
def test_a_reader_may_be_registered_after_the_first_use(tmp_path: Path) -> None:
    assert raw_forms(PAPER) == ["no document of a known form: its root is report"]

    @reader("report", "report")
    def read(element: Element) -> Document:
        return Document(find_text(element, "id"), description=find_text(element, "text"))

    assert raw_forms(PAPER) == ["report"]
    (tmp_path / "a.xml").write_bytes(b"<reports>" + PAPER + b"</reports>")
    manifest = build([tmp_path / "a.xml"], tmp_path / "c", keep="all", form="report")
    assert manifest["forms"] == {"report": 1}
    assert Collection.open(tmp_path / "c").document("R1").description == "A bent nail."


@pytest.mark.usefixtures("fresh")
def test_a_form_that_is_no_xml_says_how_it_is_cut_and_recognised(tmp_path: Path) -> None:
    def split_lines(window: Window) -> Iterator[Raw | Broken]:
        lines = ((at, line.strip()) for at, line in window.ended_lines())
        yield from (Raw("cards", at, line) for at, line in lines if not line.startswith(b"#cards"))

    @reader("cards", split=split_lines, recognises=lambda head: head.startswith(b"#cards"))
    def read(content: bytes) -> Document:
        name, _, text = content.decode().partition(" ")
        return Document(name, description=text)

    (tmp_path / "a.txt").write_bytes(b"#cards\nK1 A nail.\nK2 A bolt.\n")
    build([tmp_path / "a.txt"], tmp_path / "c", keep="all")
    assert [document.description for document in Collection.open(tmp_path / "c").documents()] == ["A nail.", "A bolt."]


@pytest.mark.usefixtures("fresh")
def test_a_reader_of_another_package_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> None:
        @reader("memo", "memo")
        def read(element: Element) -> Document:
            return Document(element.get("id"))

    entry = SimpleNamespace(load=load, value="memos:read")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda *, group: [entry] * (group == "leadline.readers"))
    assert raw_forms(b"<memo id='M1'></memo><memo id='M2'></memo>") == ["memo", "memo"]
    assert READERS.named("memo").read(b"<memo id='M1'/>").id == "M1"


@pytest.mark.usefixtures("fresh")
def test_worker_processes_know_a_registered_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memo_reader.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("leadline.collections.documents.build.PARALLEL_MIN_BYTES", 0)
    __import__("memo_reader")
    (tmp_path / "a.xml").write_text("".join(f"<memo id='M{number}'>A nail.</memo>" for number in range(9)))
    build([tmp_path / "a.xml"], tmp_path / "c", keep="all", processes=2, part_bytes=60)
    assert len(Collection.open(tmp_path / "c")) == 9
    sys.modules.pop("memo_reader")


@pytest.mark.usefixtures("fresh")
def test_what_cannot_be_registered() -> None:
    with pytest.raises(InputError, match="reader odd: needs either root elements or a function `split`"):
        reader("odd")
    reader("other", "article")(lambda element: Document("X"))
    with pytest.raises(InputError, match="jats and other both read article"):
        readers_by_form()


@pytest.mark.usefixtures("fresh")
def test_a_reader_that_loses_records_or_bytes_is_told_of() -> None:
    marker = RecordMarker("#card", (b"#card",), lambda text, at: text[at - 1] in b"\r\n")

    def careless(window: Window) -> Iterator[Raw | Broken]:
        for at, line in list(window.ended_lines())[::2]:
            yield Raw("cards", at, line, size=len(line))

    @reader("cards", split=careless, recognises=lambda head: head.startswith(b"#card"), marker=marker)
    def marked(content: bytes) -> Document:
        return Document(content.decode())

    @reader("slips", split=careless, recognises=lambda head: head.startswith(b"#slip"))
    def unmarked(content: bytes) -> Document:
        return Document(content.decode())

    last = list(split(iter([b"#card 1\n#card 2\n#ca", b"rd 3\n#card 4\n"])))[-1]
    assert last == Broken(0, "4 records begin with #card, and 2 were read or reported", 0, 2)
    last = list(split(iter([b"#slip 1\n#slip 22\n#slip 3\n"])))[-1]
    assert last == Broken(0, "9 bytes were neither read nor reported", 0, 0)
