"""A changed collection is that of a build from the documents as they are then, and old or new when it is stopped."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from leadline import cli
from leadline.collections.documents import build_folder
from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection, check_collection
from leadline.collections.documents.update import update
from leadline.errors import InputError, LeadlineWarning

NUMBERS = st.integers(7_000_000, 7_000_006)


def record(number: int, words: str, cites: int, claims: bool) -> dict[str, Any]:
    cited = [{"number": f"US{cites}B2", "origin": "examiner"}]
    return {
        "id": f"US{number}B2", "title": words, "abstract": "A nail.", "citations": cited,
        "claims": ["A nail."] if claims else [], "priorities": [{"number": f"EP{cites % 3}", "date": "1990-01-01"}],
    }  # fmt: skip


RECORDS = st.builds(record, NUMBERS, st.sampled_from(["nail", "screw"]), NUMBERS, st.just(True))
CHANGES = st.lists(st.tuples(st.lists(RECORDS, max_size=4), st.sets(NUMBERS, max_size=2)), max_size=3)


def written(folder: Path, name: str, records: list[dict[str, Any]]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


def facts(folder: Path) -> tuple[Any, ...]:
    found = Collection.open(folder)
    ids = found.records["id"].to_list()
    citations = {(ids[row["citing"]], row["number"], None if row["cited"] is None else ids[row["cited"]])
                 for row in found.citations.iter_rows(named=True)}  # fmt: skip
    families: dict[int, set[str]] = {}
    for name, family in zip(ids, found.records["family"].to_list(), strict=True):
        families.setdefault(family, set()).add(name)
    documents = {each.id: each for each in found.documents()}
    assert len(documents) == len(found)
    return documents, citations, sorted(map(sorted, families.values()))


@settings(max_examples=15)
@example([record(7_000_000, "nail", 1, True)], [([record(7_000_000, "screw", 2, True)], set()), ([], {7_000_000})])
@given(first=st.lists(RECORDS, min_size=1, max_size=5), changes=CHANGES)
def test_updates_give_what_a_build_gives(first: list[dict[str, Any]], changes: Any) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        first = list({each["id"]: each for each in first}.values())
        state = {each["id"]: each for each in first}
        build([written(folder, "first.jsonl", first)], folder / "c")
        for number, (added, gone) in enumerate(changes):
            records = list({each["id"]: each for each in added}.values())
            there = set(Collection.open(folder / "c").records["id"].to_list())
            delete = sorted(name for name in (f"US{each}B2" for each in gone) if name in there)
            if not records and (not delete or len(delete) == len(there)):
                continue
            update(folder / "c", [written(folder, f"{number}.jsonl", records)] if records else [], delete=delete)
            state = {name: each for name, each in state.items() if name not in delete}
            state |= {each["id"]: each for each in records}
        build([written(folder, "last.jsonl", list(state.values()))], folder / "again")
        assert facts(folder / "c") == facts(folder / "again")
        assert list(check_collection(folder / "c")) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build(
        [written(tmp_path, "a.jsonl", [record(n, "nail", n - 1, True) for n in range(7_000_000, 7_000_005)])],
        tmp_path / "c",
    )
    return tmp_path


@pytest.mark.parametrize("place", ["write_tables", "note", "_put_in_place"])
def test_stopped_at_any_place_it_is_old_and_goes_on(folder: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, new = facts(folder / "c"), written(folder, "b.jsonl", [record(7_000_001, "screw", 7_000_000, True)])

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if place == "write_tables":
            patch.setattr("leadline.collections.documents.tables.write_tables", stop)
        else:
            patch.setattr(build_folder.Staging, place, stop)
        with pytest.raises(KeyboardInterrupt):
            update(folder / "c", [new], delete=["US7000002"])
    assert facts(folder / "c") == before
    update(folder / "c", [new], delete=["US 7,000,002 B2"])
    documents = facts(folder / "c")[0]
    assert len(documents) == 4
    assert documents["US7000001B2"].title == "screw"


def test_wrong_changes_change_nothing(folder: Path) -> None:
    before = facts(folder / "c")
    for options, problem in (
        ({"delete": ["US9", "US8"]}, "US9: is not in the collection .*, and 1 more are not: nothing was changed"),
        ({}, "nothing to add or delete was named"),
        ({"delete": sorted(before[0])}, "no document would be left"),
    ):
        with pytest.raises(InputError, match=problem):
            update(folder / "c", **options)  # type: ignore[arg-type]
    assert facts(folder / "c") == before


def test_claims_are_needed_where_the_collection_has_them(folder: Path, tmp_path: Path) -> None:
    bare = [record(7_000_010, "screw", 7_000_000, False)]
    changed = update(folder / "c", [written(folder, "b.jsonl", bare)], delete=["US7000000B2"])
    assert changed["dropped"] == {"no claims": 1}
    build([written(tmp_path, "bare.jsonl", bare)], tmp_path / "bare")
    update(tmp_path / "bare", [written(tmp_path, "a.jsonl", [record(7_000_011, "nail", 7_000_000, True)])])
    assert set(facts(tmp_path / "bare")[0]) == {"US7000010B2", "US7000011B2"}


def test_an_older_version_does_not_come_back(folder: Path) -> None:
    for title in ("screw", "bolt"):
        update(folder / "c", [written(folder, f"{title}.jsonl", [record(7_000_001, title, 7_000_000, True)])])
    update(folder / "c", delete=["US7000000B2"])
    assert facts(folder / "c")[0]["US7000001B2"].title == "bolt"
    update(folder / "c", delete=["US7000001B2"])
    update(folder / "c", [written(folder, "x.jsonl", [record(7_000_008, "nut", 7_000_000, True)])])
    assert sorted(facts(folder / "c")[0]) == ["US7000002B2", "US7000003B2", "US7000004B2", "US7000008B2"]


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from leadline.cli import main

    written(folder, "b.jsonl", [record(7_000_009, "screw", 7_000_000, True)])
    (folder / "gone").write_text("US7000000B2\nUS7000001B2\n")
    main(["collection", "update", str(folder / "c"), str(folder / "b.jsonl"), "--delete", f"@{folder / 'gone'}"])
    assert capsys.readouterr().out == "4 documents, 5 before: 1 added, 2 deleted\n"


def test_deleting_again_says_so_and_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = folder / "c"
    cli.main(["collection", "update", str(place), "--delete", "US7000000B2,US7000001B2"])
    before = facts(place)
    for again in ("US7000000B2,US7000001B2", "us7000001b2", "US7000000"):
        cli.main(["collection", "update", str(place), "--delete", again])
        output = capsys.readouterr()
        assert output.out.endswith("3 documents, 3 before: 0 added, 0 deleted\n")
        assert f" already deleted: {again[:10]}" in output.err
        assert facts(place) == before
    with pytest.warns(LeadlineWarning, match="1 document already deleted: US7000001B2"):
        update(place, delete=["US7000001B2", "US7000002B2"])
    assert sorted(facts(place)[0]) == ["US7000003B2", "US7000004B2"]
    with pytest.raises(InputError, match=r"US9: is not in the collection .*: nothing was changed"):
        update(place, delete=["US7000001B2", "US9"])


def hashes(folder: Path) -> dict[str, str]:
    """The content of every file of a collection but its identity."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("leadline.jsonl", "lock")
    }


@pytest.mark.parametrize("stopped", ["copy_parts", "finish", "manifest", "tidying"])
def test_killed_anywhere_the_same_update_gives_the_same_collection(folder: Path, stopped: str) -> None:
    """The process ends at once, as by a signal that nothing catches; then the same command is given again."""
    new = written(folder, "b.jsonl", [record(n, "screw", 7_000_000, True) for n in (7_000_001, 7_000_009)])
    shutil.copytree(folder / "c", folder / "other")
    command = ["collection", "update", str(folder / "c"), str(new), "--delete", "US7000002B2", "-q", "--processes", "1"]
    wanted = [*command[:2], str(folder / "other"), *command[3:]]
    program = KILLED.format(command=command, stopped=stopped)
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 9
    cli.main(wanted)
    cli.main(command)
    assert hashes(folder / "c") == hashes(folder / "other")
    cli.main(command)
    assert hashes(folder / "c") == hashes(folder / "other")


KILLED = """
import os
from leadline.collections.documents import build_folder
from leadline.cli import main

def dies(*_, **__):
    os._exit(9)

stopped = {stopped!r}
if stopped in ("copy_parts", "finish"):
    setattr(build_folder.Staging, stopped, dies)
elif stopped == "manifest":
    written = build_folder.write_stored
    build_folder.write_stored = lambda path, content: dies() if path.parent.name == "c" else written(path, content)
else:
    build_folder.OwnedFolder.keep_only = dies
main({command!r})
"""


MAPPING = """[fields]
id = "pn"
title = "name"
abstract = "text"
[tables.citations]
file = "cites.tsv"
"""


def test_a_collection_built_with_a_mapping_takes_updates(tmp_path: Path) -> None:
    """It is that of a build from all records; the tables beside them are read as they are then."""
    (tmp_path / "my.toml").write_text(MAPPING)
    (tmp_path / "cites.tsv").write_text("citing\tcited\nUS7000001B2\tUS7000000B2\n")

    def records(*named: tuple[int, str]) -> list[dict[str, Any]]:
        return [{"pn": f"US{number}B2", "name": name, "text": "A nail."} for number, name in named]

    first = written(tmp_path, "first.jsonl", records((7_000_000, "nail"), (7_000_001, "screw")))
    build([first], tmp_path / "c", mapping=tmp_path / "my.toml", keep="all")
    more = written(tmp_path, "more.jsonl", records((7_000_001, "bolt"), (7_000_002, "nut")))
    with pytest.raises(InputError, match="was built with --map: name the mapping again, with --map TOML"):
        update(tmp_path / "c", [more])
    (tmp_path / "cites.tsv").write_text("citing\tcited\nUS7000001B2\tUS7000000B2\nUS7000002B2\tUS7000001B2\n")
    with pytest.warns(LeadlineWarning, match="its citations are those of the tables beside .* as they are now"):
        update(tmp_path / "c", [more], mapping=tmp_path / "my.toml")
    both = written(tmp_path, "both.jsonl", records((7_000_000, "nail"), (7_000_001, "bolt"), (7_000_002, "nut")))
    build([both], tmp_path / "new", mapping=tmp_path / "my.toml", keep="all")
    assert facts(tmp_path / "c") == facts(tmp_path / "new")
    cli.main(
        ["collection", "update", str(tmp_path / "c"), "--delete", "US7000001B2", "--map", str(tmp_path / "my.toml")]
    )
    assert Collection.open(tmp_path / "c").records["id"].to_list() == ["US7000000B2", "US7000002B2"]
    (tmp_path / "my.toml").write_text(MAPPING.replace('"name"', '"text"'))
    with pytest.warns(LeadlineWarning, match=r"my\.toml is not the mapping as it was: documents that stay are as"):
        update(tmp_path / "c", [more], mapping=tmp_path / "my.toml")
    assert [each.title for each in Collection.open(tmp_path / "c").documents()] == ["nail", "A nail.", "A nail."]
