"""Damage stored files, thousands of times: the answer is the undamaged one, or one clear line. Never another answer.

    python tools/attack/stored_damage.py [--count N] [--seed S] [--only KIND]

Every file gets 200 flipped bits and 50 cuts, and as many random cases as asked for: a flipped bit, a cut, zeros, a wild
number; or, of a manifest, a value of another type. Each case opens a copy, asks questions and compares the answers.
Cases run in forks, so that a crash of one is seen and does not end the others.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from harness import Tally, copy_of, materials

from damage import broken, misshaped

BATCH = 250  # cases in one fork
FLIPS, CUTS = 200, 50  # of every file
SECONDS = 20  # for one case
Answers = Callable[[Path], Any]


def ask_index(folder: Path) -> Any:
    """Everything an index can be asked: words, phrases, filters, lengths, ids, and its own check."""
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.language.language import Language

    index = Index.open(folder / "index")
    language = Language(index)
    found = []
    for query in ("polymer film", '"polymer film"', "metal AND NOT valve", "gla* before:2000", "title:acid class:F16B"):
        answer = language.search(query, k=20)
        found.append((answer.found, answer.ranking.rows.tolist(), answer.ranking.scores.tobytes()))
    lengths = [index.lengths(name).tolist() for name in index.fields]
    columns = [index.column(name).tolist() for name in ("publication", "family")]
    return found, list(index.ids), lengths, columns, index.having("office", ["EP"]).tolist()


def ask_collection(folder: Path) -> Any:
    """Everything a collection can be asked: tables, single documents, all texts, masks."""
    from leadline.collections.documents.store import Collection

    collection = Collection.open(folder / "collection")
    tables = [getattr(collection, name).to_dicts() for name in ("records", "citations", "families")]
    one = [collection.document(f"EP{1000000 + n}B1") for n in (0, 17, 39)]
    every = [(document.id, document.title, document.abstract, document.claims) for document in collection.documents()]
    texts = [frame.to_dicts() for frame in collection.texts(["title", "description"])]
    chosen = collection.select(before="2000-01-01", classes=["F16B"]).tolist()
    return len(collection), tables, one, every, texts, chosen


def ask_cache(folder: Path) -> Any:
    from leadline.text.cache import read_cached

    found = read_cached(folder / "cache" / "entry")
    return "made again" if found is None else found


KINDS: dict[str, tuple[str, Answers]] = {
    "index": ("index", ask_index),
    "collection": ("collection", ask_collection),
    "cache": ("cache", ask_cache),
    "manifests of an index": ("index", ask_index),
    "manifests of a collection": ("collection", ask_collection),
}


def _case(work: Path, path: Path, content: bytes, ask: Answers, right: Any) -> str:
    """Why a damaged file did not have a clear outcome; empty if it had one."""
    from leadline.errors import LeadlineError

    original = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = ask(work)
        return "" if answer in (right, "made again") or content == original else "silently another answer"
    except LeadlineError:
        return ""
    except BaseException as error:  # Polars panics with a BaseException
        return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
    finally:
        signal.alarm(0)
        path.unlink(missing_ok=True)
        path.write_bytes(original)


def damage(kind: str, base: Path, count: int, seed: int) -> Tally:
    """Damage every file of one kind, and any of them so many times more."""
    inside, ask = KINDS[kind]
    tally = Tally(f"damage: {kind}")
    with copy_of(base) as work:
        files = sorted(path for path in (work / inside).rglob("*") if path.is_file())
        if kind.startswith("manifests"):
            files = [path for path in files if path.suffix in (".json", ".jsonl")]
        if kind == "cache":
            (work / inside).mkdir(mode=0o700)
            _forked(lambda: _fill_cache(work / inside / "entry"))
            files = [work / inside / "entry"]
        first = 0 if kind.startswith("manifests") or count < FLIPS + CUTS else -(FLIPS + CUTS) * len(files)
        done = first
        while done < count:
            done += _batch(tally, work, files, ask, range(done, min(done + BATCH, count)), f"{kind} {seed}")
    return tally


def _fill_cache(path: Path) -> None:
    from leadline.text.cache import write_cached

    write_cached(path, b"some machine code " * 50)


def _batch(tally: Tally, work: Path, files: Sequence[Path], ask: Answers, cases: range, seed: str) -> int:
    """Run cases in one fork; returns how many were run, which are fewer where one crashed."""
    planned = list(_planned(files, cases, seed))
    originals = {path: path.read_bytes() for path in files}
    reading, writing = os.pipe()

    def work_through() -> None:
        right = ask(work)
        with os.fdopen(writing, "w") as pipe:
            for path, content, _ in planned:
                pipe.write(json.dumps(_case(work, path, content, ask, right)) + "\n")
                pipe.flush()

    child = _fork(work_through)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        faults = [json.loads(line) for line in pipe]
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if len(faults) < len(planned):
        faults.append("ran too long" if status == -signal.SIGALRM else f"the process ended with status {status}")
        for path, content in originals.items():
            path.unlink(missing_ok=True)
            path.write_bytes(content)
    for (path, _, words), fault in zip(planned, faults, strict=False):
        tally.note(f"{path.relative_to(work)}: {words}", fault)
    return len(faults)


def _planned(files: Sequence[Path], cases: range, seed: str) -> Iterator[tuple[Path, bytes, str]]:
    for number in cases:
        chance = random.Random(f"{seed} {number}")
        if number < 0:
            turn, file = divmod(-number - 1, len(files))
            yield files[file], *_flipped_or_cut(files[file].read_bytes(), chance, flip=turn < FLIPS)
            continue
        path = chance.choice(files)
        spoil = misshaped if seed.startswith("manifests") else broken
        content, words = spoil(path.read_bytes(), chance)
        yield path, content, words


def _flipped_or_cut(content: bytes, chance: random.Random, *, flip: bool) -> tuple[bytes, str]:
    at, bit = chance.randrange(len(content)), chance.randrange(8)
    if not flip:
        return content[:at], f"cut to {at} of {len(content)} bytes"
    return content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :], f"bit {bit} of byte {at} flipped"


def _fork(job: Callable[[], None]) -> int:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), 2)  # Polars reports its panics there
            job()
            status = 0
        finally:
            os._exit(status)
    return child


def _forked(job: Callable[[], None]) -> None:
    os.waitpid(_fork(job), 0)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="cases of each kind (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(KINDS))
    options = parser.parse_args(arguments)
    failures = 0
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        base = materials(Path(place) / "base")
        for kind in [options.only] if options.only else KINDS:
            tally = damage(kind, base, options.count, options.seed)
            print(tally.row(), flush=True)
            print("".join(f"    {failure}\n" for failure in tally.failures[:40]), end="", flush=True)
            failures += len(tally.failures)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
