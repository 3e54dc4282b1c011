"""What is written reaches the disk in the right order: the file, then its name, then the folder of the name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.text.files import write_whole
from leadline.text.owned_folder import IDENTITY, OwnedFolder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="folders are flushed on POSIX only")
Event = tuple[str, str, str]


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[Event]:
    """Every flush and every rename, in their order."""
    seen: list[Event] = []
    fsync = os.fsync

    def recorded(descriptor: int) -> None:
        seen.append(("flush", str(Path(f"/proc/self/fd/{descriptor}").readlink()), ""))
        fsync(descriptor)

    def renaming(rename: Callable[..., None]) -> Callable[..., None]:
        def called(source: str, target: str, **options: object) -> None:
            path = Path(source)
            seen.append(("rename", str(path.parent.resolve() / path.name), str(target)))
            rename(source, target, **options)

        return called

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc, to know what is flushed")
    monkeypatch.setattr(os, "fsync", recorded)
    for name in ("replace", "rename", "link"):
        monkeypatch.setattr(os, name, renaming(getattr(os, name)))
    return seen


def check_order(events: list[Event], target: Path) -> None:
    """The file that got the name was flushed before, and the folder after."""
    at = max(place for place, event in enumerate(events) if event[0] == "rename" and event[2] == str(target))
    source = events[at][1]
    assert ("flush", source, "") in events[:at], f"{target.name} was renamed before it was flushed"
    assert ("flush", str(target.parent), "") in events[at:], f"the folder of {target.name} was not flushed after"


def test_a_file(tmp_path: Path, events: list[Event]) -> None:
    write_whole(tmp_path / "a", b"x")
    check_order(events, tmp_path / "a")
    assert [event[0] for event in events] == ["flush", "rename", "flush"]


def test_an_identity(tmp_path: Path, events: list[Event]) -> None:
    owned = OwnedFolder.claim(tmp_path / "c", "collection", 2)
    check_order(events, tmp_path / "c" / IDENTITY)
    events.clear()
    owned.add("a")
    assert events == [("flush", str(tmp_path / "c" / IDENTITY), "")]
    owned.keep_only(["a"])
    check_order(events, tmp_path / "c" / IDENTITY)


def test_a_collection(tmp_path: Path, events: list[Event]) -> None:
    folder = tmp_path / "c"
    manifest = write_collection([Document("X1", title="Nail"), Document("X2", title="Bolt")], folder, {}, part=1)
    check_order(events, folder / "manifest.json")
    place, building = folder / manifest["folder"], folder / "building"
    moved = events.index(("rename", str(building), str(place)))
    for path in sorted(place.iterdir()):
        assert ("flush", str(building / path.name), "") in events[:moved], f"{path.name} was not flushed"
    assert ("flush", str(building), "") in events[:moved]
    named = max(at for at, event in enumerate(events) if event[2] == str(folder / "manifest.json"))
    assert ("flush", str(folder), "") in events[moved:named], "the manifest might outlive what it names"


def test_an_office(tmp_path: Path, events: list[Event]) -> None:
    from leadline.collections.simulate.settings import Settings
    from leadline.judge.simulated_office import write_office

    folder = tmp_path / "o"
    write_office(Settings(patents=100, topics=0, length=20), folder)
    for path in sorted((folder / "truth").iterdir()):
        check_order(events, folder / "new" / "truth" / path.name)
    check_order(events, folder / "new" / "manifest.json")
    moved = events.index(("rename", str(folder / "new" / "truth"), str(folder / "truth")))
    named = events.index(("rename", str(folder / "new" / "manifest.json"), str(folder / "manifest.json")))
    assert ("flush", str(folder), "") in events[moved:named], "the manifest might outlive what it names"
    assert ("flush", str(folder), "") in events[named:]
