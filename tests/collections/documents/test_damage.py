"""A damaged collection is refused or answers as before; a rebuild repairs it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import leadline as ll
from leadline.collections.choices import VIEWS
from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection, counts, summary
from leadline.collections.documents.collection_files import damage_reported
from leadline.errors import InputError
from leadline.text.checksums import file_sha256, sealed
from leadline.text.owned_folder import IDENTITY, OwnedFolder

sys.path.insert(0, str(Path(__file__).parents[2]))
from damage import check_every_damage, damages, parsed, wrong_shapes

PART_BYTES = 12_000


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    records = [
        {
            "id": f"US{number}B2", "title": f"Nail {number}", "abstract": f"About nails of {number % 17} kinds.",
            "description": f"Nails are {number % 13} cm long. " * 20, "claims": ["A nail.", "The nail of claim 1."],
            "publication": f"20{number % 20:02}-03-04", "ipc": ["F16B15/00"], "citations": [f"US{number - 3}B2"],
        }
        for number in range(7_000_000, 7_000_040)
    ]  # fmt: skip
    path = tmp_path / "patents.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


@pytest.fixture
def folder(sources: Path, tmp_path: Path) -> Path:
    build([sources], tmp_path / "c", part_bytes=PART_BYTES)
    return tmp_path / "c"


def answers(folder: Path) -> list[Any]:
    """Everything that a program reads of a collection."""
    collection = Collection.open(folder)
    ids = collection.records["id"].to_list()
    tables = (collection.records, collection.citations, collection.families, *collection.texts(("title", "claims")))
    return [
        len(collection),
        [table.to_dicts() for table in tables],
        list(collection.documents()),
        [collection.document(name) for name in (ids[0], ids[-1])],
        collection.rows([*ids[:5], "no such"]).tolist(),
        collection.select(after="2005-01-01").tolist(),
        summary(collection),
        [counts(collection, view).rows() for view in VIEWS],
    ]


@pytest.mark.soak
def test_a_damaged_collection_is_refused_or_answers_as_before(folder: Path, soak: bool) -> None:
    assert check_every_damage(folder, lambda: answers(folder), soak=soak) > 50


def test_every_damaged_file_is_found_by_a_check(folder: Path) -> None:
    assert ll.check(folder) == []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            for what, damaged in damages(content, soak=False, seed=path.name):
                path.write_bytes(damaged)
                found = {Path(finding.path) for finding in ll.check(folder)}
                names = {path, path.parent, path.with_suffix(".parquet"), folder}
                assert found & names or _same_json(content, damaged), f"{path.name}, {what}: {found}"
            path.write_bytes(content)


def _same_json(one: bytes, other: bytes) -> bool:
    try:
        return [json.loads(line) for line in one.split(b"\n") if line] == [
            json.loads(line) for line in other.split(b"\n") if line
        ]
    except ValueError:
        return False


def content(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != IDENTITY)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.soak
def test_a_rebuild_repairs_every_file(sources: Path, folder: Path, soak: bool) -> None:
    fresh = content(folder)
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name == IDENTITY:
            continue
        for what, damaged in list(damages(path.read_bytes(), soak=False, seed=path.name))[-4 if soak else -2 :]:
            path.write_bytes(damaged)
            build([sources], folder, part_bytes=PART_BYTES)
            assert content(folder) == fresh, f"{path.name}, {what}"
        path.unlink()
        build([sources], folder, part_bytes=PART_BYTES)
        assert content(folder) == fresh, f"{path.name} missing"


def test_a_rebuild_repairs_a_damaged_list_of_names(sources: Path, folder: Path) -> None:
    fresh, identity = content(folder), folder / IDENTITY
    for number in range(1, len(identity.read_bytes().splitlines()), 3):
        lines = sorted(identity.read_bytes().splitlines())
        assert b'"kind"' in lines[0]
        lines[number] = lines[number].replace(b'"name": "', b'"name": "x')
        identity.write_bytes(b"\n".join(lines) + b"\n")
        assert ll.check(folder)
        build([sources], folder, part_bytes=PART_BYTES)
        assert content(folder) == fresh, lines[number]
        assert ll.check(folder) == []


@pytest.mark.soak
def test_a_manifest_of_the_wrong_shape_is_one_line(folder: Path, tmp_path: Path, soak: bool) -> None:
    manifest = parsed(folder / "manifest.json")
    precious = tmp_path / "x"
    precious.mkdir()
    expected = answers(folder)
    for what, damaged in list(wrong_shapes(manifest))[:: 1 if soak else 4]:
        (folder / "manifest.json").write_bytes(damaged)
        try:
            found = answers(folder)
            assert found[1:3] == expected[1:3], what  # what nobody reads may be anything
        except InputError as error:
            assert "\n" not in str(error), what  # noqa: PT017
    assert not list(precious.iterdir())


def test_a_journal_of_the_wrong_shape_is_built_anew(sources: Path, folder: Path, tmp_path: Path) -> None:
    fresh = content(folder)
    for lines in ([[]], [{"part": "x"}], [{"part": 0}], [{"part": -1, "sha256": 1}], [None], ["x"], [{"part": 10**30}]):
        shutil.rmtree(tmp_path / "c2", ignore_errors=True)
        owned = OwnedFolder.claim(tmp_path / "c2", "collection", 2)
        owned.add("building", "building/journal.jsonl", "manifest.json")
        (tmp_path / "c2" / "building").mkdir()
        key = parsed(folder / "manifest.json")["key"]
        journal = [sealed({"key": key}).replace(b"\n", b"")]
        journal += [sealed(line).replace(b"\n", b"") if isinstance(line, dict) else json.dumps(line).encode()
                    for line in lines]  # fmt: skip
        (tmp_path / "c2" / "building" / "journal.jsonl").write_bytes(b"\n".join(journal))
        build([sources], tmp_path / "c2", part_bytes=PART_BYTES)
        assert content(tmp_path / "c2") == fresh, lines


@pytest.mark.parametrize("table", ["lookup", "records", "citations"])
def test_numbers_outside_the_collection_are_refused(folder: Path, table: str) -> None:
    """A table with a checksum that fits, but with numbers of documents and parts that do not exist."""
    manifest = parsed(folder / "manifest.json")
    path = folder / manifest["folder"] / f"{table}.parquet"
    before = pl.read_parquet(path)
    columns = {"lookup": ("row", "part", "place"), "records": ("part", "place"), "citations": ("citing", "cited")}
    for column in columns[table]:
        from leadline.collections.documents.collection_files import write_table

        frame = before.with_columns(pl.lit(4_000_000_000, before[column].dtype).alias(column))
        written = write_table(frame, path, sorted_by="name" if table == "lookup" else None)
        changed = {**manifest, "tables": {**manifest["tables"], f"{table}.parquet": written.sha256}}
        changed["checksums"] = {**manifest["checksums"], f"{table}.sums": written.sums}
        (folder / "manifest.json").write_bytes(sealed({k: v for k, v in changed.items() if k != "checksum"}))
        with pytest.raises(InputError, match="damaged"):
            answers(folder)
        if table == "lookup" and column != "row":
            with pytest.raises(InputError, match="damaged"):
                Collection.open(folder).document(before["name"][0])


def test_a_collection_of_format_1_is_read_and_a_rebuild_makes_it_format_2(sources: Path, folder: Path) -> None:
    expected, fresh = answers(folder), content(folder)
    as_format_1(folder)
    assert answers(folder) == expected
    part = next(folder.glob("collection-*/part-00000.parquet"))
    damaged = bytearray(part.read_bytes())
    damaged[len(damaged) // 2] ^= 4
    part.write_bytes(damaged)
    with pytest.raises(InputError, match="damaged"):
        answers(folder)
    build([sources], folder, part_bytes=PART_BYTES)
    assert content(folder) == fresh
    assert json.loads((folder / IDENTITY).read_bytes().splitlines()[0])["format"] == 2


def as_format_1(folder: Path) -> None:
    """The collection as an earlier version of the program wrote it."""
    manifest = parsed(folder / "manifest.json")
    inside = folder / manifest["folder"]
    old = {key: value for key, value in manifest.items() if key not in ("checksum", "checksums")} | {"version": 1}
    for path in inside.glob("*.sums"):
        path.unlink()
    for path in (folder / "manifest.json", inside / "manifest.json"):
        path.write_text(json.dumps(old))
    lines = [json.loads(line) for line in (folder / IDENTITY).read_bytes().splitlines()]
    plain = [{key: value for key, value in line.items() if key != "checksum"} for line in lines]
    plain[0]["format"] = 1
    kept = [line for line in plain if not str(line.get("name")).endswith(".sums")]
    (folder / IDENTITY).write_text("\n".join(map(json.dumps, kept)) + "\n")


def test_a_stopped_build_takes_over_no_part_with_damaged_sums(sources: Path, folder: Path, tmp_path: Path) -> None:
    fresh = content(folder)

    def stop(*_: object) -> None:
        if len(list((tmp_path / "s" / "building").glob("*.parquet"))) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build([sources], tmp_path / "s", part_bytes=PART_BYTES, progress=stop)
    sums = tmp_path / "s" / "building" / "part-00001.sums"
    sums.write_bytes(sums.read_bytes()[:-1] + b"x")
    build([sources], tmp_path / "s", part_bytes=PART_BYTES)
    assert content(tmp_path / "s") == fresh


def test_only_what_is_read_is_compared(folder: Path) -> None:
    """One document costs one row group, not the whole part."""
    collection = Collection.open(folder)
    name = collection.records["id"][0]
    part = folder / collection.manifest["folder"] / "part-00000.parquet"
    read: list[int] = []
    table = collection._files["part-00000.parquet"]
    run = table._check_run

    def counted(file: Any, pieces: range, rest: int, begin: int) -> None:
        read.append(sum(table._sums.lengths[piece] for piece in pieces))
        run(file, pieces, rest, begin)

    table._check_run = counted  # type: ignore[method-assign]
    assert collection.document(name).id == name
    once = sum(read)
    assert collection.document(name).id == name
    assert sum(read) == once, "what was compared is not compared again"
    list(collection.texts(("title",)))
    assert sum(read) <= part.stat().st_size
    assert file_sha256(part) == collection.manifest["parts"][0]["sha256"]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links of POSIX")
def test_a_pipe_or_a_link_in_the_place_of_ours_is_refused(folder: Path, tmp_path: Path) -> None:
    inside = Collection.open(folder).inside
    inside.rename(tmp_path / "elsewhere")
    inside.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="is a link"):
        Collection.open(folder)
    (folder / "manifest.json").unlink()
    os.mkfifo(folder / "manifest.json")
    with pytest.raises(InputError, match="a pipe"):
        Collection.open(folder)


def test_what_is_short_is_not_called_damage() -> None:
    panic = type("PanicException", (BaseException,), {})
    for error in (
        panic("Os { code: 24, message: Too many open files }"),
        pl.exceptions.ComputeError("os error 24: too many open files"),
    ):
        with (
            pytest.raises(InputError, match=r"x\.parquet: cannot be read: too many open files"),
            damage_reported(Path("x.parquet")),
        ):
            raise error
    with pytest.raises(InputError, match="is damaged, index out of bounds"), damage_reported(Path("x.parquet")):
        raise panic("index out of bounds")
