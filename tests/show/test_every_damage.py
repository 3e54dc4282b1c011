"""Every damage to every file of everything that is stored: `check` names the file and the mend, or has a reason."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import leadline
from leadline.cli import main
from leadline.errors import InputError
from leadline.show.check import FOLDERS, STORES, examine
from leadline.text.checksums import Finding
from leadline.text.owned_files import IDENTITY, OURS

sys.path.insert(0, str(Path(__file__).parents[1]))
from mounting import read_only

TABLE = {  # what is stored, by its name in stored_things.py: its kind, and what is in it and damaged under its own name
    "collection": ("collection", ()),
    "index": ("index", ()),
    "grid": ("grid", ()),
    "office": ("simulated office", ("collection/collection-",)),
    "forms": ("publication folder", ()),
    "runs": ("runs of reviews", ()),
    "review": ("review", ("collection-1/collection-",)),
    "crawl": ("crawl", ("collection/collection-",)),
    "lab": ("lab", ()),
    "lab/jobs": ("folder of jobs", ()),
    "lab/sources": ("folder of sources", ()),
    "demo": ("demo", ("office/", "index/", "runs/", "lab/", "pool.txt.")),
    "pool": ("pool", ()),
    "run": ("run", ()),
    "history": ("search history", ()),
    "backup": ("backup", ()),
    "journal": ("journal of judgements", ()),
    "people": ("list of people", ()),
    "results": ("stored results of a lab", ()),
    "lab.store": ("store of a lab", ()),
    "case": ("case of a lab", ()),
    "case archive": ("archive of a case", ()),
    "campaign": ("campaign", ()),
    "archive": ("archive of a campaign", ()),
    "campaign.store": ("store of a campaign", ()),
}
SOUND = {  # thing, file, damage: why nothing is said
    (".*", "(.*/)?lock", ".*"): "it is empty, and made again by the next writer",
    (
        "grid|runs|office|forms|crawl|review|demo|lab|lab/jobs|campaign|archive",
        "leadline.jsonl",
        "swapped",
    ): "the other lists the same names",
    ("pool|review|lab|campaign", "(.*[./])?people", "gone"): "links can be made again, and nobody needs to have any",
    (
        "pool|review|lab|people|campaign",
        "(.*[./])?people",
        "swapped",
    ): "it is whole, and says nothing of where it belongs",
    (
        "lab",
        "results.store",
        "gone|empty|swapped",
    ): "results are found by the hashes of their inputs, or computed again",
    ("lab|lab/jobs", "(jobs/)?[0-9a-f]{16}[.](log|progress)", ".*"): "what a command printed, which proves nothing",
    ("lab", "cases/.*", "swapped"): "it is whole, and says nothing of where it belongs",
    ("lab", "jobs/leadline.jsonl", "swapped"): "it lists other logs of commands",
    ("lab", "runs/found.run.manifest.json", "gone"): "it was not added with the run, so nobody knows of it",
    ("pool", "pool.txt.journal", "gone"): "outside a lab nobody knows whether anybody judged",
    ("backup|case archive", ".*", "longer by 1 byte"): "what is behind an archive is not of it",
    (
        "review|lab",
        "(journal|people|lab|results|cases/).*-(wal|shm|journal)",
        "unlisted",
    ): "it is there while a store is open",
    ("lab", "(runs|qrels|topics|pools|reports|indexes|collections)/.*", "unlisted"): "a lab may have files of others",
    ("runs", ".*", "unlisted"): "only by these names it knows what is there",
    (
        "journal|people|history|backup|results|lab.store|campaign.store|case|case archive",
        ".*",
        "swapped",
    ): "another whole one, which is sound",
}
# By nothing else: without, they are refused.
KNOWN_BY_IT = {("runs", "leadline.jsonl"), ("lab/jobs", "leadline.jsonl"), ("lab/sources", "leadline.jsonl")}
MANY_FILES = 9
Damage = Callable[[Path, Path], None]
Things = tuple[dict[str, Path], dict[str, Path]]


def cut(path: Path, _: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flipped(path: Path, _: Path) -> None:
    """One bit of another byte; in a database, where a byte may be unused, of a third of them."""
    content = bytearray(path.read_bytes())
    third = len(content) // 3
    is_database = content.startswith(b"SQLite format 3")
    for at in range(third, 2 * third) if is_database else [len(content) // 2]:
        content[at] ^= 1
    path.write_bytes(content)


DAMAGES: dict[str, Damage] = {
    "gone": lambda path, _: path.unlink(),
    "cut": cut,
    "cut at its end": lambda path, _: path.write_bytes(path.read_bytes().rstrip(b"\n")[:-1]),
    "longer by 1 byte": lambda path, _: path.write_bytes(path.read_bytes() + b"x"),
    "flipped": flipped,
    "empty": lambda path, _: os.truncate(path, 0),
    "swapped": lambda path, other: path.write_bytes(other.read_bytes()),
}


@pytest.fixture(scope="session")
def things(tmp_path_factory: pytest.TempPathFactory) -> Things:
    for package in ("aiohttp", "protego", "selectolax", "warcio"):
        pytest.importorskip(package, reason=f"the crawler needs the package {package}")
    from stored_things import make_all

    place = tmp_path_factory.mktemp("stored")
    both = make_all(place / "one", "nail"), make_all(place / "other", "screws")
    for at in both:
        at["lab/jobs"], at["lab/sources"] = at["lab"] / "jobs", at["lab"] / "sources"
        at["results"], at["lab.store"] = at["lab"] / "results.store", at["lab"] / "lab.store"
        at["campaign.store"] = at["campaign"] / "campaign.store"
        for end in ("journal", "people"):  # alone, as it is sent
            at[end] = Path(shutil.copy(f"{at['pool']}.{end}", at["pool"].parent / f"sent.{end}"))
    return both


def files_of(thing: Path, elsewhere: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    """The names and paths of the files of a thing, without those that are damaged under another name."""
    if not thing.is_dir():
        yield from ((each.name, each) for each in sorted(thing.parent.glob(f"{thing.name}*")) if each.is_file())
        return
    for path in sorted(thing.rglob("*")):
        name = path.relative_to(thing).as_posix()
        if path.is_file() and not name.startswith(elsewhere):
            yield name, path


def reason(thing: str, name: str, damage: str) -> str:
    for (things, names, damages), why in SOUND.items():
        if (
            (things == "*" or re.fullmatch(things, thing))
            and re.fullmatch(names, name)
            and re.fullmatch(damages, damage)
        ):
            return why
    return ""


def counterpart(name: str, others: dict[str, Path]) -> Path | None:
    """The file of the other thing that has this one's place: names have hashes in them."""
    places = {re.sub(r"[0-9a-f]{12,}", "#", each): path for each, path in others.items()}
    return places.get(re.sub(r"[0-9a-f]{12,}", "#", name))


def said_of(thing: Path) -> str:
    """The word on a thing. Where it is wrong, a line says of which file, and how to mend it."""
    try:
        found = examine(thing).findings
    except InputError as error:
        return f"refused: {error}"
    for each in found:
        assert each.path, each
        assert each.mend, each
        assert "\n" not in f"{each.path}{each.problem}{each.mend}"
        assert str(thing.parent) in each.path, each
    return "damaged" if found else "sound"


@pytest.mark.soak
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", TABLE)
def test_the_word_on_every_damage(things: Things, name: str, damage: str, soak: bool) -> None:
    """Of things with many files, the short form damages each in two or three of the seven ways."""
    one, other = things
    kind, elsewhere = TABLE[name]
    assert examine(one[name]).kind == kind
    assert said_of(one[name]) == "sound"
    others, wrong = dict(files_of(other[name], elsewhere)), []
    files, turn = list(files_of(one[name], elsewhere)), [*DAMAGES].index(damage)
    for file, path in files if soak or len(files) < MANY_FILES else files[turn % 3 :: 3]:
        before = path.read_bytes()
        twin = counterpart(file, others)
        if (not before and damage != "gone") or (damage == "swapped" and (twin is None or twin.read_bytes() == before)):
            continue
        DAMAGES[damage](path, twin or path)
        word = said_of(one[name])
        path.write_bytes(before)
        if word.startswith("refused") and (not one[name].is_dir() or (name, file) in KNOWN_BY_IT):
            assert "\n" not in word
            word = "damaged"
        if word != ("sound" if reason(name, file, damage) else "damaged"):
            wrong.append(f"{file}: {word}")
    assert wrong == []


@pytest.mark.parametrize("name", TABLE)
def test_a_name_that_an_identity_does_not_list_is_said(things: Things, name: str, soak: bool) -> None:
    """Cut between two lines it has no damaged one, and what it no longer lists would never be removed."""
    thing, wrong = things[0][name], []
    identity = thing / IDENTITY
    if not identity.is_file():
        pytest.skip("a file has no identity")
    before = identity.read_bytes()
    lines = [line for line in before.splitlines(keepends=True) if line.strip()]
    for at in range(1, len(lines)) if soak else {1, len(lines) // 2, len(lines) - 1} - {0}:
        listed = json.loads(lines[at])["name"]
        if not (thing / listed).exists() or reason(name, listed, "unlisted"):
            continue
        identity.write_bytes(b"".join(lines[:at] + lines[at + 1 :]))
        if said_of(thing) == "sound":
            wrong.append(listed)
    identity.write_bytes(before)
    assert wrong == []


@pytest.mark.parametrize("name", TABLE)
def test_a_file_of_somebody_else_is_no_damage(things: Things, name: str) -> None:
    thing = things[0][name]
    if not thing.is_dir():
        pytest.skip("a file has nothing in it")
    mine = thing / "thesis.tex"
    mine.write_text("years of work")
    found = examine(thing)
    mine.unlink()
    assert (found.findings, found.strangers) == ([], [*found.strangers[:-1], mine])


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can mount a disk")
def test_what_is_archived_on_a_disk_that_cannot_be_written_to_is_sound(things: Things, tmp_path: Path) -> None:
    place = things[0]["collection"].parent
    with read_only(place, tmp_path / "archive"):
        words = {name: said_of(tmp_path / "archive" / path.relative_to(place)) for name, path in things[0].items()}
    assert words == dict.fromkeys(things[0], "sound")


def test_nothing_is_left_by_a_check(things: Things) -> None:
    place = things[0]["collection"].parent

    def there() -> dict[str, tuple[int, int]]:
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in place.rglob("*")}

    before = there()
    for path in things[0].values():
        examine(path)
    assert there() == before


def test_a_lab_of_the_first_version_is_sound(golden: Path, tmp_path: Path) -> None:
    shutil.copytree(golden / "version-0.1" / "lab", tmp_path / "lab")
    assert said_of(tmp_path / "lab") == "sound"


def test_every_kind_of_folder_and_store_is_in_the_table(things: Things) -> None:
    """A new kind of ours is checked, and damaged here: its constants are read where folders are claimed."""
    kinds = {kind for kind, _ in TABLE.values()}
    assert set(claimed_kinds()) == set(FOLDERS)
    assert set(FOLDERS) <= kinds
    assert set(STORES) == set(OURS)
    assert {what.split(" ", 1)[1] for what in OURS.values()} <= kinds


def claimed_kinds() -> Iterator[str]:
    """The kinds of folders that the package makes: what is handed to `OwnedFolder.claim` and `locked`."""
    package = Path(leadline.__file__).parent
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "OwnedFolder." not in text or path.name == "owned_folder.py":
            continue
        parts = path.relative_to(package.parent).with_suffix("").parts
        module = importlib.import_module(".".join(parts))
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("claim", "locked")
                and ast.unparse(node.func.value) == "OwnedFolder"
            ):
                given = node.args[1]
                value = given.value if isinstance(given, ast.Starred) else given
                found = value.value if isinstance(value, ast.Constant) else getattr(module, ast.unparse(value))
                yield found[0] if isinstance(given, ast.Starred) else found


@pytest.mark.parametrize(
    ("name", "file", "entry"),
    [
        ("collection", "collection-*/records.parquet", "collection"), ("index", "vectors-*.float16", "index"),
        ("review", "journal", "review"), ("lab", "pools/pool.txt.journal", "pool"), ("lab", "runs/one.run", "one"),
        ("lab", "runs/found.run", "found"), ("lab", "runs/one.run.manifest.json", "one"),
    ],
)  # fmt: skip
def test_the_status_of_a_lab_is_the_word_of_the_check(
    things: Things, capsys: pytest.CaptureFixture[str], name: str, file: str, entry: str
) -> None:
    lab = things[0]["lab"]
    (path,) = things[0][name].glob(file)
    before = path.read_bytes()
    flipped(path, path)
    try:
        with pytest.raises(SystemExit):
            main(["check", str(lab), "-f", "json"])
        rows = json.loads(capsys.readouterr().out)
        main(["lab", "status", str(lab), "-f", "json"])
    finally:
        path.write_bytes(before)
    output = capsys.readouterr()
    states = {row["name"]: row["state"] for row in json.loads(output.out)}
    assert {each for each, state in states.items() if (state != "sound" and each != "found") or state == "damaged"} == {
        entry
    }
    assert list(rows[0]) == ["folder", "kind", "file", "problem", "mend"]
    assert all(row["mend"] for row in rows)
    assert "the lab is damaged" in output.err


def test_what_is_beside_a_thing_that_is_gone_is_told(things: Things) -> None:
    lab = things[0]["lab"]
    for gone, left in (("runs/found.run", "runs/found.run.manifest.json"), ("pools/pool.txt", "")):
        before = (lab / gone).read_bytes()
        (lab / gone).unlink()
        (finding,) = examine(lab).findings
        (lab / gone).write_bytes(before)
        assert finding.path == str(lab / (left or gone))
    assert "its journal still has the marks" in finding.mend
    pool = things[0]["pool"]
    before = pool.read_bytes()
    pool.unlink()
    (finding,) = examine(pool).findings
    pool.write_bytes(before)
    assert (finding.path, finding.mend) == (str(pool), "restore it from a copy; the journal still has the marks")


def test_the_earlier_name_of_how_to_mend_it_still_works() -> None:
    with pytest.warns(DeprecationWarning, match="Finding.mend"):
        assert Finding("a", "is damaged", "make it again").fix == "make it again"
