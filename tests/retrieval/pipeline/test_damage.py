"""A damaged journal or grid gives the same runs, or one line says what is wrong."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import leadline as ll
from leadline.commands import grid
from leadline.errors import InputError, LeadlineError
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline import Journal, TopicResult
from leadline.text.owned_folder import IDENTITY

sys.path.insert(0, str(Path(__file__).parents[2]))
from damage import damages, deep, parsed, wrong_shapes

FOUND = {str(number): TopicResult([f"d{number}", "e"], [2.5, float(number)], ["note"]) for number in range(8)}
GRID = """
[choices.query]
whole = "text"
[choices.model]
bm25 = {step = "search", model = "bm25"}
dph = {step = "search", model = "dph"}
"""


def finished(path: Path) -> dict[str, Any]:
    """The run that is made with what the journal has, and the rest made again."""
    journal = Journal(path, "a")
    made = {}
    for topic, found in FOUND.items():
        kept = journal.get(topic)
        if kept is None:
            journal.add(topic, found)
        made[topic] = tuple(map(list, (kept or found)[:3]))
    if journal._file is not None:
        journal._file.close()
    return made


@pytest.mark.soak
def test_a_damaged_journal_gives_the_same_run(tmp_path: Path, soak: bool) -> None:
    path = tmp_path / "r.unfinished"
    expected, refused, kept = finished(path), 0, 0
    content = path.read_bytes()
    for what, damaged in damages(content, soak=soak, seed="journal"):
        path.write_bytes(damaged)
        try:
            kept += len(Journal(path, "a"))
            assert finished(path) == expected, what
        except InputError as error:
            refused += 1
            assert "is not an unfinished run" in str(error), what  # noqa: PT017
        else:
            assert len(Journal(path, "a")) == len(FOUND), what
    assert kept > 0


@pytest.mark.parametrize(
    "line", [b"[]", b"{}", b"null", b"7", b'["1"]', b'["1", [], [], [], []]', b'["1", 7, 7, 7, "x"]', deep(), b"\xff"]
)
def test_a_line_of_the_wrong_shape_is_ignored(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "r.unfinished"
    expected = finished(path)
    opening = path.read_bytes().split(b"\n")[0]
    path.write_bytes(opening + b"\n" + line + b"\n")
    assert finished(path) == expected


def test_a_journal_of_an_earlier_version_starts_again(tmp_path: Path) -> None:
    path = tmp_path / "r.unfinished"
    expected = finished(path)
    opening = path.read_bytes().split(b"\n")[0]
    path.write_bytes(opening + b"\n" + json.dumps(["1", *map(list, FOUND["2"][:3])]).encode() + b"\n")
    assert len(Journal(path, "a")) == 0
    assert finished(path) == expected


@pytest.fixture
def grid_folder(context: SearchContext, tmp_path: Path) -> Path:
    (tmp_path / "grid.toml").write_text(GRID)
    (tmp_path / "topics.txt").write_text("EP1000000A1\nUS5000009A\n")
    make_grid(context, tmp_path)
    return tmp_path / "out"


def make_grid(context: SearchContext, files: Path) -> None:
    parser = argparse.ArgumentParser()
    grid.add_arguments(parser)
    names = [str(files / name) for name in ("topics.txt", "grid.toml")]
    grid.run(parser.parse_args([str(context.index.folder), *names, "-q", "-o", str(files / "out")]))


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.soak
def test_a_damaged_grid_is_found_and_made_again(grid_folder: Path, context: SearchContext, soak: bool) -> None:
    fresh = content(grid_folder)
    assert ll.check(grid_folder) == []
    for name in fresh:
        path = grid_folder / name
        for what, damaged in damages(fresh[name], soak=soak, seed=name):
            path.write_bytes(damaged)
            try:
                found = ll.check(grid_folder)
            except LeadlineError as error:
                assert "\n" not in str(error)  # noqa: PT017
                found = [error]
            assert found or json_of(damaged) == json_of(fresh[name]), f"{name}, {what}"
            if not soak or name == "manifest.json":
                try:
                    make_grid(context, grid_folder.parent)
                    made = content(grid_folder)
                    assert {each: made[each] for each in fresh if each != IDENTITY} == {
                        each: fresh[each] for each in fresh if each != IDENTITY
                    }, f"{name}, {what}"
                except InputError as error:
                    assert name == IDENTITY, f"{name}, {what}: {error}"  # noqa: PT017
        path.write_bytes(fresh[name])


def json_of(content: bytes) -> Any:
    try:
        return (
            [json.loads(line) for line in content.split(b"\n") if line] if b'"kind"' in content else json.loads(content)
        )
    except ValueError:
        return content


def test_a_manifest_of_the_wrong_shape_is_made_again(grid_folder: Path, context: SearchContext) -> None:
    manifest = parsed(grid_folder / "manifest.json")
    fresh = content(grid_folder)
    for number, (what, damaged) in enumerate(wrong_shapes(manifest)):
        (grid_folder / "manifest.json").write_bytes(damaged)
        try:
            ll.check(grid_folder)
            if number % 7 == 0:
                make_grid(context, grid_folder.parent)
                assert content(grid_folder)["runs/whole-bm25.run"] == fresh["runs/whole-bm25.run"], what
        except InputError as error:
            assert "\n" not in str(error)  # noqa: PT017


def test_a_newer_grid_is_refused_by_its_number(grid_folder: Path, context: SearchContext) -> None:
    identity = grid_folder / IDENTITY
    first, _, rest = identity.read_bytes().partition(b"\n")
    newer = {**json.loads(first), "format": 99}
    del newer["checksum"]
    identity.write_bytes(json.dumps(newer).encode() + b"\n" + rest)
    with pytest.raises(InputError, match="has format 99, this version reads up to 2: update leadline"):
        make_grid(context, grid_folder.parent)
