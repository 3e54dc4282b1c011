"""Folders made to harm: names that climb out, planted links, pipes and foreign files in place of ours, caches."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from harness import Attempt, attempt

READ = {
    "index": ["search index polymer -q", "run index topics.tsv -k 5 -o x.run -q"],
    "collection": [
        "collection info collection",
        "search index polymer --collection collection -q",
        "topics sample collection -n 2 -o x -q",
    ],
}
WRITE = {
    "index": ["index collection -o index --workers 1 -q", "index collection -o index --add --workers 1 -q"],
    "collection": ["collection build more.jsonl -o collection --processes 1 -q"],
}


def _edited(path: Path, edit: Callable[[dict], None]) -> None:  # type: ignore[type-arg]
    """Change a manifest and its checksum with it: only what it says can be refused."""
    from leadline.text.checksums import sealed

    value = json.loads(path.read_text())
    edit(value)
    path.write_bytes(sealed(value))


def attack_paths(base: Path) -> Iterator[tuple[str, str]]:
    """Manifests and identities that name files outside: none of them is read, replaced or removed."""
    for escape in ("../../outside", "{outside}", "./../../outside", "index/../../../outside", "link"):
        for what, place in _escapes():
            for command in [*READ[place], *WRITE[place]]:
                with attempt(base) as there:
                    # What is outside is a whole index and collection, so that only the name can be refused.
                    for each in ("index", "collection"):
                        shutil.copytree(base / each, there.outside / each)
                    there.before = _contents(there)
                    target = escape.format(outside=there.outside)
                    if escape == "link":
                        (there.work / place / "link").symlink_to(there.outside)
                    _escape(there, what, place, target)
                    fault = there.command(command.split(), answers=command in WRITE[place])
                    yield f"{place}: {what} leads to {escape}; leadline {command}", fault


def _contents(there: Attempt) -> dict[str, str]:
    from harness import contents

    return contents(there.outside)


def _escapes() -> Iterator[tuple[str, str]]:
    yield "the file of a segment", "index"
    yield "the file of the order", "index"
    yield "the folder", "collection"
    yield "the file of a part", "collection"
    yield "a table", "collection"


def _escape(there: Attempt, what: str, place: str, target: str) -> None:
    manifest = there.work / place / "manifest.json"
    known = json.loads(manifest.read_text())
    if what == "the file of a segment":
        _edited(manifest, lambda m: m["segments"][0].update(file=f"{target}/index/{m['segments'][0]['file']}"))
    elif what == "the file of the order":
        _edited(manifest, lambda m: m["order"].update(file=f"{target}/index/{m['order']['file']}"))
    elif what == "the folder":
        _edited(manifest, lambda m: m.update(folder=f"{target}/collection/{m['folder']}"))
    elif what == "the file of a part":
        inside = f"{target}/collection/{known['folder']}"
        _edited(manifest, lambda m: m["parts"][0].update(file=f"../{inside}/{m['parts'][0]['file']}"))
    else:
        inside = f"../{target}/collection/{known['folder']}"
        _edited(manifest, lambda m: m.update(tables={f"{inside}/{name}": sha for name, sha in m["tables"].items()}))


def attack_identities(base: Path) -> Iterator[tuple[str, str]]:
    """Identity files that list what is not in the folder, or not ours: nothing of it is removed."""
    wild = [
        "../outside/secret.txt",
        "{outside}/secret.txt",
        "a/../../outside/secret.txt",
        "link/secret.txt",
        "./x",
        "a//b",
        "",
        ".",
        "..",
        "leadline.jsonl",
        "x\n",
        "\0",
        "segment-x/../../../outside/secret.txt",
    ]
    for name in wild:
        for kind, commands in WRITE.items():
            with attempt(base) as there:
                (there.work / kind / "link").symlink_to(there.outside)
                with (there.work / kind / "leadline.jsonl").open("a") as file:
                    file.write(json.dumps({"name": name.format(outside=there.outside)}) + "\n")
                yield (
                    f"{kind}/leadline.jsonl lists {name!r}; leadline {commands[0]}",
                    there.command(commands[0].split()),
                )
    for kind, folder, listed in (
        ("collection", "building", "building/secret.txt"),
        ("collection", "collection-000000000000", "collection-000000000000/secret.txt"),
        ("index", "unfinished-000000000000", "unfinished-000000000000/secret.txt"),
    ):
        with attempt(base) as there:
            (there.work / kind / folder).symlink_to(there.outside)
            with (there.work / kind / "leadline.jsonl").open("a") as file:
                file.write("".join(json.dumps({"name": name}) + "\n" for name in (folder, listed)))
            command = WRITE[kind][0]
            yield (
                f"{kind}/{folder} is a link, and {listed} is listed; leadline {command}",
                there.command(command.split()),
            )


def attack_contents(base: Path) -> Iterator[tuple[str, str]]:
    """Foreign files, pipes, folders and links where a folder of ours is expected: nothing hangs, nothing is lost."""
    jobs = {
        "collection build documents.jsonl -o {} --processes 1 -q": (
            "manifest.json",
            "building",
            "lock",
            "leadline.jsonl",
        ),
        "index collection -o {} --workers 1 -q": ("manifest.json", "lock", "leadline.jsonl", "notes.txt"),
        "simulate office --patents 100 -o {} -q": ("manifest.json", "collection", "truth", "leadline.jsonl"),
        "grid index topics.tsv grid.toml -k 5 -o {} -q": ("runs", "runs.tsv", "lock", "leadline.jsonl"),
    }
    for command, names in jobs.items():
        for name in names:
            for kind in ("file", "folder", "pipe", "link outside", "link nowhere", "link to itself", "device"):
                with attempt(base) as there:
                    folder = there.work / "mine"
                    folder.mkdir()
                    _plant(folder / name, kind, there.outside)
                    before = _listing(folder)
                    # `lock` is ours by its name, and empty: it may go.
                    fault = there.command(command.format("mine").split(), answers=name == "lock")
                    if not fault and name != "lock" and _listing(folder) != before:
                        fault = f"the folder was changed: {sorted(set(_listing(folder)) ^ set(before))}"
                    yield f"mine/{name} is a {kind}; leadline {command.format('mine')}", fault
    for place, commands in READ.items():
        files = sorted(path.name for path in (base / place).iterdir())
        for name in files:
            for kind in ("folder", "pipe", "link to a copy", "link nowhere", "link to itself", "device"):
                for command in (*commands, *WRITE[place]):
                    with attempt(base) as there:
                        target = there.work / place / name
                        if kind == "link to a copy":
                            shutil.move(target, there.outside / name)
                            there.before = _contents(there)
                        else:
                            shutil.rmtree(target) if target.is_dir() else target.unlink()
                        _plant(target, kind, there.outside)
                        # Reading needs no identity, and writing may put a new file in the place of a damaged one.
                        answers = name == "leadline.jsonl" or command not in commands or "--collection" in command
                        fault = there.command(command.split(), answers=answers)
                        yield f"{place}/{name.partition('-')[0]} is a {kind}; leadline {command}", fault


def _plant(path: Path, kind: str, outside: Path) -> None:
    if kind == "file":
        path.write_text("mine\n")
    elif kind == "folder":
        path.mkdir()
        (path / "mine.txt").write_text("mine\n")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        targets = {"link outside": outside, "link nowhere": "/nowhere/at/all", "link to a copy": outside / path.name}
        path.symlink_to(targets.get(kind, path.name))


def _listing(folder: Path) -> list[str]:
    return sorted(f"{path.relative_to(folder)} {os.lstat(path).st_mode}" for path in folder.rglob("*"))


def attack_side_files(base: Path) -> Iterator[tuple[str, str]]:
    """Names that can be guessed, beside an output: another's file there is not written over, no link is followed."""
    jobs = {
        "run index topics.tsv -k 5 -o out.run -q": ("out.run.unfinished", "out.run.manifest.json"),
        "qrels citations larger topics.tsv -o out.txt -q": ("out.txt.why.tsv",),
        "evaluate qrels.txt a.run -o out.txt -q": ("out.txt",),
        "report qrels.txt a.run b.run --samples 2 -o out.html -q": ("out.html",),
    }
    for command, names in jobs.items():
        for name in names:
            for kind in ("folder", "pipe", "link nowhere", "link to itself", "file"):
                with attempt(base) as there:
                    _plant(there.work / name, kind, there.outside)
                    yield f"{name} is a {kind}; leadline {command}", there.command(command.split(), seconds=90)


def attack_caches(base: Path) -> Iterator[tuple[str, str]]:
    """Caches that others wrote, or that are damaged: the answer is the same, from code made again or plain Python."""
    command = ["evaluate", "qrels.txt", "a.run", "-m", "AP", "--format", "tsv"]
    with attempt(base) as there:
        environment = {"LEADLINE_CACHE": str(there.work / "cache"), "LEADLINE_ENGINE": "compiled"}
        from harness import run

        right = run(command, there.work, environment=environment, seconds=300)
        made = there.work / "cache"
        for what, spoil in _spoilt_caches().items():
            copy = there.work / "spoilt"
            shutil.copytree(made, copy)
            copy.chmod(0o700)
            spoil(copy, there.outside)
            done = run(command, there.work, environment={**environment, "LEADLINE_CACHE": str(copy)}, seconds=300)
            fault = done.fault() or there.touched() or ("" if done.output == right.output else "another answer")
            yield f"LEADLINE_ENGINE=compiled LEADLINE_CACHE={what}; leadline {' '.join(command)}", fault
            copy.unlink() if copy.is_symlink() else shutil.rmtree(copy)


def _spoilt_caches() -> dict[str, Callable[[Path, Path], None]]:
    def each(change: Callable[[Path], None]) -> Callable[[Path, Path], None]:
        def change_all(cache: Path, _outside: Path) -> None:
            for path in sorted(cache.iterdir()):
                change(path)

        return change_all

    def cut(path: Path) -> None:
        path.write_bytes(path.read_bytes()[:-100])

    def flip(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

    def swap(cache: Path, _outside: Path) -> None:
        first, *_, last = sorted(cache.iterdir())
        first.write_bytes(last.read_bytes())

    def replaced(plant: Callable[[Path], None]) -> Callable[[Path], None]:
        def replace(path: Path) -> None:
            path.unlink()
            plant(path)

        return replace

    return {
        "a bit flipped": each(flip),
        "files cut": each(cut),
        "one file in another's place": swap,
        "pipes": each(replaced(os.mkfifo)),
        "folders": each(replaced(Path.mkdir)),
        "writable by others": lambda cache, _outside: cache.chmod(0o777),
    }


CLASSES = {
    "paths in manifests": attack_paths,
    "names in identities": attack_identities,
    "foreign folder contents": attack_contents,
    "guessable names": attack_side_files,
    "caches": attack_caches,
}
