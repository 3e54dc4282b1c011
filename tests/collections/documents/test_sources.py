"""Files, folders and archives; bombs are refused."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.registry import Broken, Raw
from leadline.collections.documents.sources import find_sources, open_streams
from leadline.collections.documents.splitting import split
from leadline.errors import InputError, LeadlineWarning
from leadline.text import source


def contents(path: Path) -> dict[str, bytes]:
    return {stream.name.removeprefix(f"{path}"): b"".join(stream.pieces) for stream in open_streams(path)}


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, lzma.compress, zstandard.ZstdCompressor().compress], ids=["plain", "gz", "xz", "zst"]
)
def test_a_file_however_it_is_packed(tmp_path: Path, pack) -> None:  # type: ignore[no-untyped-def]
    text = b"<PATDOC/>" * 300_000
    (tmp_path / "week.xml").write_bytes(pack(text))
    assert contents(tmp_path / "week.xml") == {"": text}


def test_archives_in_archives(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a.xml", "<a/>")
    with zipfile.ZipFile(tmp_path / "year.zip", "w") as archive:
        archive.writestr("week1.zip", inner.getvalue())
        archive.writestr("folder/b.xml.gz", gzip.compress(b"<b/>"))
    assert contents(tmp_path / "year.zip") == {"!week1.zip!a.xml": b"<a/>", "!folder/b.xml.gz": b"<b/>"}


def test_tar(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "marec.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("EP/1.xml")
        member.size = 4
        archive.addfile(member, io.BytesIO(b"<a/>"))
        link = tarfile.TarInfo("evil")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        device = tarfile.TarInfo("device")
        device.type = tarfile.CHRTYPE
        archive.addfile(device)
    with pytest.warns(LeadlineWarning, match=r"marec.tar.gz: 2 links or devices skipped: only regular files are read"):
        assert contents(tmp_path / "marec.tar.gz") == {"!EP/1.xml": b"<a/>"}


def test_a_tar_that_ends_in_a_zip_is_a_tar(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("b.xml", "<b/>")
    with tarfile.open(tmp_path / "t.tar", "w") as archive:
        for name, content in {"a.xml": b"<a/>", "b.zip": packed.getvalue()}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    assert contents(tmp_path / "t.tar") == {"!a.xml": b"<a/>", "!b.zip!b.xml": b"<b/>"}


def test_bombs_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "RATIO_CHECK_MIN_BYTES", 1 << 20)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.xml", b"\0" * (16 << 20))
    with pytest.raises(InputError, match=r"bomb.zip!zeros.xml: unpacks to more than 200 times its size"):
        contents(tmp_path / "bomb.zip")
    (tmp_path / "bomb.xz").write_bytes(lzma.compress(b"\0" * (16 << 20)))
    with pytest.raises(InputError, match="bomb"):
        contents(tmp_path / "bomb.xz")


def test_evaluate_refuses_the_same_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "RATIO_CHECK_MIN_BYTES", 1 << 20)
    for name, pack in (
        ("a.gz", gzip.compress),
        ("a.xz", lzma.compress),
        ("a.zst", zstandard.ZstdCompressor().compress),
    ):
        (tmp_path / name).write_bytes(pack(b"1 Q0 d1 1 0.5 x\n" * (1 << 20)))
        with pytest.raises(InputError, match=rf"{name}: unpacks to more than 200 times its size"):
            source.read_text(tmp_path / name)


def test_members_that_are_a_bomb_only_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leadline.collections.documents.sources.RATIO_CHECK_MIN_BYTES", 4 << 20)
    with zipfile.ZipFile(tmp_path / "many.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(8):
            archive.writestr(f"{number}.xml", b" " * (1 << 20))
    with pytest.raises(InputError, match=r"many.zip: its members unpack to more than 200 times its size"):
        contents(tmp_path / "many.zip")


def test_too_deep(tmp_path: Path) -> None:
    content = b"<a/>"
    for _ in range(6):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("x.zip", content)
        content = packed.getvalue()
    (tmp_path / "deep.zip").write_bytes(content)
    with pytest.raises(InputError, match="more than 3 deep"):
        contents(tmp_path / "deep.zip")


@pytest.mark.parametrize("ending", ["zip", "xz", "tar.gz"])
def test_damaged(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"cut.{ending}"
    if ending == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.xml", bytes(range(256)) * 4000)
        content = bytearray(path.read_bytes())
        content[len(content) // 3] ^= 0xFF
        path.write_bytes(bytes(content))
    else:
        packed = lzma.compress(bytes(range(256)) * 4000) if ending == "xz" else gzip.compress(b"x" * 4000)
        path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match="damaged"):
        contents(path)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        find_sources([tmp_path / "nothing.xml"])
    with pytest.raises(InputError, match="empty folder"):
        find_sources([tmp_path])
    (tmp_path / "b.xml").touch()
    (tmp_path / "a.xml").touch()
    assert [path.name for path in find_sources([tmp_path, tmp_path / "*.xml"])] == ["a.xml", "b.xml"]


def packed_documents(ending: str) -> bytes:
    """Six files in an archive, of three documents each."""
    documents = {
        f"{n}.jsonl": b"".join(b'{"id": "EP%d%d", "title": "nail"}\n' % (n, k) for k in range(3)) for n in range(6)
    }
    whole = io.BytesIO()
    if ending == "zip":
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in documents.items():
                archive.writestr(name, content)
        return whole.getvalue()
    with tarfile.open(fileobj=whole, mode="w:gz" if ending == "tar.gz" else "w") as archive:
        for name, content in documents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return whole.getvalue()


@pytest.mark.parametrize("ending", ["tar", "tar.gz", "zip"])
def test_an_archive_cut_anywhere_is_reported_in_one_line(tmp_path: Path, ending: str) -> None:
    whole = packed_documents(ending)
    used = whole.rstrip(b"\0") if ending == "tar" else whole
    cuts = {*range(1, len(used), max(1, len(used) // 60)), 512, 513, 700, 1024, *range(512, len(used), 512)}
    for cut in sorted(cut for cut in cuts if cut < len(used)):
        (tmp_path / f"cut.{ending}").write_bytes(whole[:cut])
        documents, reports = 0, []
        try:
            for stream in open_streams(tmp_path / f"cut.{ending}"):
                try:
                    for found in split(stream.pieces):
                        documents += isinstance(found, Raw)
                        reports += [found.reason] if isinstance(found, Broken) else []
                except InputError as error:
                    reports.append(str(error))
        except InputError as error:
            reports.append(str(error))
        assert len(reports) == 1 or (not reports and documents == 18), cut  # 18 where only a checksum is cut off
        assert not any("\n" in report for report in reports)


def test_good_sources_beside_a_damaged_archive_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(packed_documents("tar")[:700])
    (tmp_path / "b.tar").write_bytes(packed_documents("tar"))
    build([tmp_path / "a.tar", tmp_path / "b.tar"], tmp_path / "collection", keep="all", processes=1)
    collection = Collection.open(tmp_path / "collection")
    assert len(collection) == 18
    assert collection.manifest["broken"] == 1


def test_members_behind_one_that_cannot_be_read_are_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "year.zip", "w") as archive:
        archive.writestr("bad.zip", b"PK\x03\x04 no archive")
        archive.writestr("good.xml", "<a/>")
    found = open_streams(tmp_path / "year.zip")
    with pytest.raises(InputError, match=r"year.zip!bad.zip: is a damaged archive"):
        next(next(found).pieces)
    assert b"".join(next(found).pieces) == b"<a/>"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_a_folder_of_sources_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "EP1A1"}\n')
    os.mkfifo(tmp_path / "b.jsonl")
    with pytest.warns(LeadlineWarning, match=r"b\.jsonl: left out: is not a file"):
        assert find_sources([tmp_path]) == [tmp_path / "a.jsonl"]
