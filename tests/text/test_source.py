"""Bytes from files: compressed in any of four ways, damaged, too large, empty, or not files at all."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import leadline as ll
from leadline.text.source import SourceText, read_text, size_of, stem

source = importlib.import_module(SourceText.__module__)

CONTENT = b"7 Q0 d1 1 1.5 tag\n" * 5000
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstandard": zstandard.ZstdCompressor().compress,
}
each_form = pytest.mark.parametrize("form", PACKED)


def saved(folder: Path, content: bytes, name: str = "file.run") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@each_form
def test_compressed_files_are_known_by_their_bytes(tmp_path: Path, form: str) -> None:
    assert read_text(saved(tmp_path, PACKED[form](CONTENT), "named.txt")).bytes() == CONTENT


@each_form
def test_compressed_files_in_several_frames(tmp_path: Path, form: str) -> None:
    """As `cat a.gz b.gz` makes them."""
    pack = PACKED[form]
    assert (
        read_text(saved(tmp_path, pack(CONTENT) + pack(b"7 Q0 d2 2 1 tag\n"))).bytes() == CONTENT + b"7 Q0 d2 2 1 tag\n"
    )


@each_form
@pytest.mark.parametrize("cut", [0.3, 0.9])
def test_a_cut_file_is_refused(tmp_path: Path, form: str, cut: float) -> None:
    packed = PACKED[form](os.urandom(60_000))
    with pytest.raises(ll.InputError, match=r"file\.run: is damaged"):
        read_text(saved(tmp_path, packed[: int(len(packed) * cut)]))


@each_form
def test_a_damaged_file_is_refused(tmp_path: Path, form: str) -> None:
    packed = bytearray(PACKED[form](CONTENT))
    packed[len(packed) // 2] ^= 0xFF
    packed[-4:] = b"\x00\x01\x02\x03"
    with pytest.raises(ll.InputError, match="is damaged"):
        read_text(saved(tmp_path, bytes(packed)))


@each_form
def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST", len(CONTENT))
    assert len(read_text(saved(tmp_path, PACKED[form](CONTENT))).bytes()) == len(CONTENT)
    with pytest.raises(ll.InputError, match="when decompressed"):
        read_text(saved(tmp_path, PACKED[form](CONTENT + b"\n")))


@each_form
def test_a_bomb_is_refused_before_it_fills_the_memory(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "LARGEST", 1 << 20)
    pieces: list[bytes] = []
    bomb = saved(tmp_path, PACKED[form](bytes(16 << 20)))
    with bomb.open("rb") as file, pytest.raises(ll.InputError, match="when decompressed"):
        pieces.extend(source.pieces_of(file, "bomb"))
    assert sum(map(len, pieces)) <= 4 << 20


@each_form
def test_nothing_in_a_compressed_file_is_empty(tmp_path: Path, form: str) -> None:
    with pytest.raises(ll.InputError, match=r"file\.run: is empty"):
        read_text(saved(tmp_path, PACKED[form](b"")))


def test_pieces_of_a_plain_file_are_the_file() -> None:
    assert b"".join(source.pieces_of(io.BytesIO(CONTENT), "memory")) == CONTENT


@pytest.mark.parametrize("content", [b"\x1f", b"B", b"\xfd7zX", b"\x28\xb5", b"BZ"])
def test_the_beginning_of_an_opening_is_text(tmp_path: Path, content: bytes) -> None:
    assert read_text(saved(tmp_path, content)).bytes() == content


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(CONTENT),))
    writer.start()
    assert read_text(pipe).bytes() == CONTENT
    writer.join()


@pytest.mark.parametrize(
    ("content", "begin"),
    [(b"a b\n", 0), (b"\xef\xbb\xbfa b\n", 3)],
)
def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path, content: bytes, begin: int) -> None:
    text = read_text(saved(tmp_path, content))
    assert (text.bytes(), text.begin, text.size()) == (b"a b\n", begin, 4)
    assert read_text(saved(tmp_path, gzip.compress(content))).bytes() == b"a b\n"


@pytest.mark.parametrize(
    ("content", "read"),
    [
        (b"a\rb\rc", b"a\nb\nc"),
        (b"a\r\nb\r\n", b"a\r\nb\r\n"),
        (b"a\rb\nc", b"a\rb\nc"),
        (b"\xef\xbb\xbfa\rb", b"a\nb"),
    ],
)
def test_carriage_returns_end_lines_only_where_nothing_else_does(content: bytes, read: bytes) -> None:
    assert SourceText.of(content, "memory").bytes() == read


def test_a_line_feed_far_into_the_file_counts(tmp_path: Path) -> None:
    content = b"a\r" * (1 << 20) + b"\nend"
    assert read_text(saved(tmp_path, content)).bytes() == content


def test_lines_are_counted_from_1() -> None:
    text = SourceText.of(b"ab\ncd\n\nef", "memory")
    assert [text.line_number(place) for place in (0, 2, 3, 6, 7)] == [1, 1, 2, 3, 4]


@pytest.mark.parametrize("head", [b"\xff\xfe", b"\xfe\xff"])
def test_utf_16_is_refused(head: bytes) -> None:
    with pytest.raises(ll.InputError, match="memory: is UTF-16 text; save it as UTF-8"):
        SourceText.of(head + b"a\x00", "memory")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ll.InputError, match="no such file"):
        read_text(tmp_path / "nothing")
    with pytest.raises(ll.InputError, match="is a folder, expected a file"):
        read_text(tmp_path)
    with pytest.raises(ll.InputError, match="is empty"):
        read_text(saved(tmp_path, b""))


def test_sizes_and_names(tmp_path: Path) -> None:
    assert size_of(saved(tmp_path, b"abc")) == 3
    assert size_of(tmp_path / "nothing") == 0
    names = ["a.run.gz", "a.txt.zst", "a.b.run", ".run", "a.parquet", "a", "dir/a.trec.bz2", "a.jsonl.xz"]
    assert [stem(name) for name in names] == ["a", "a", "a.b", ".run", "a", "a", "a", "a"]


def test_a_folder_is_called_one_where_opening_it_is_a_permission_error(tmp_path: Path, monkeypatch) -> None:
    """On Windows, opening a folder or replacing one raises PermissionError."""

    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path))

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(ll.InputError, match="is a folder, expected a file"):
        read_text(tmp_path)
    with pytest.raises(ll.InputError, match="permission denied"):
        read_text(tmp_path / "file.run")


def test_a_parquet_file_keeps_its_bytes() -> None:
    assert SourceText.of(b"PAR1\x15\r\x00PAR1", "memory").bytes() == b"PAR1\x15\r\x00PAR1"
