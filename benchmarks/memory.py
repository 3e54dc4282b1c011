"""How much memory the commands hold when their data grow tenfold, without a limit and with --memory.

    python benchmarks/memory.py [--lines 100000] [--documents 1000] [--links 100000] [--times 10] [--write] [--hard]

Every command runs in a process of its own. Two peaks are read from /proc while it runs (Linux): `own`, the memory of
the process itself, for which --memory is a limit, and `resident`, with the pages of libraries and of mapped files,
which the system takes back when it needs them. `--hard` measures what benchmarks/hard_limit.py does instead: an index
that is searched in less memory than it has bytes. `--write` puts the table into docs/growth.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from hard_limit import measured
from marked_document import fill
from search_texts import generated

from leadline.records.result import Table

PAGE = Path(__file__).parents[1] / "docs/growth.md"
TOPICS, PASSAGES = 50, 4
INDEX_BYTES, LIMIT = 600_000_000, 200_000_000  # of --hard


def peaks(arguments: Sequence[str], folder: Path) -> tuple[int, int]:
    """The most bytes that a command holds of its own, and with mapped files."""
    command = [sys.executable, "-m", "leadline.cli", *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        own = resident = 0
        while process.poll() is None:
            try:
                status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            except (FileNotFoundError, ProcessLookupError):
                break
            fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
            own = max(own, 1024 * int(fields.get("RssAnon", "0 kB").split()[0]))
            resident = max(resident, 1024 * int(fields.get("VmHWM", "0 kB").split()[0]))
            time.sleep(0.005)
        process.wait()
        if process.returncode:
            assert process.stderr is not None
            sys.exit(f"leadline {' '.join(arguments)}: {process.stderr.read().decode()}")
    return own, resident


def write_runs(folder: Path, lines: int, name: str) -> None:
    """A run of so many lines over 50 topics, and judgements for it."""
    rng, depth = np.random.default_rng(1), lines // TOPICS
    with open(folder / "qrels.txt", "w", encoding="ascii") as file:
        for topic in range(TOPICS):
            file.writelines(f"{topic} 0 EP{n:08d} 1\n" for n in range(100))
    with open(folder / name, "w", encoding="ascii") as file:
        for topic in range(TOPICS):
            ids = rng.permutation(depth).tolist()
            file.writelines(f"{topic} Q0 EP{n:08d} {rank} {depth - rank:.4f} tag\n" for rank, n in enumerate(ids, 1))


def write_documents(folder: Path, count: int, name: str) -> None:
    texts = generated(count * PASSAGES)
    with open(folder / name, "w", encoding="ascii") as file:
        for number in range(count):
            words = [word for text in texts[number * PASSAGES : (number + 1) * PASSAGES] for word in text]
            record = {"id": f"EP{number:08d}", "title": " ".join(words[:10]), "description": " ".join(words[10:])}
            file.write(f"{json.dumps(record)}\n")


def write_links(folder: Path, count: int, name: str) -> None:
    rng, pages = np.random.default_rng(1), max(count // 10, 1)
    ends = rng.integers(0, pages, (count, 2)).tolist()
    (folder / name).write_text("".join(f"p{source}\tp{target}\n" for source, target in ends), encoding="ascii")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--links", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--hard", action="store_true")
    options = parser.parse_args()
    if options.hard:
        table = measured(INDEX_BYTES, LIMIT).encoded("markdown").decode()
        print(table)
        if options.write:
            fill(PAGE, {"hard": f"\n{table}\n"})
        return
    rows = []
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as scratch:
        folder = Path(scratch)
        for times in (1, options.times):
            write_runs(folder, options.lines * times, f"{times}.run")
            write_documents(folder, options.documents * times, f"{times}.jsonl")
            write_links(folder, options.links * times, f"{times}.tsv")
        commands = {
            "collection build": ("collection build {n}.jsonl --keep all -o c{n} --processes 1", "490MB"),
            "evaluate": ("evaluate qrels.txt {n}.run", "220MB"),
            "index": ("index c{n} -o i{n} --positions", "300MB"),
            "search": ("search i{n} the film", "150MB"),
            "duplicates": ("duplicates c{n}", "260MB"),
            "links pagerank": ("links pagerank {n}.tsv", "300MB"),
        }
        for name, (command, limit) in commands.items():
            for memory in ("", *([limit] if limit else [])):
                # Into another folder, since what is there need not be made again.
                words = f"{command.replace('-o ', '-o limited-')} --memory {memory}" if memory else command
                small, large = (peaks(words.format(n=n).split(), folder) for n in (1, options.times))
                rows.append([name, memory or "no limit", *(f"{each / 1e6:.0f}" for each in (*small, *large))])
                print(rows[-1], file=sys.stderr, flush=True)
    times = f"{options.times} ×"
    columns = ["command", "--memory", "own, 1 ×", "resident, 1 ×", f"own, {times}", f"resident, {times}"]
    table = Table(columns, rows).encoded("markdown").decode()
    print(table)
    if options.write:
        fill(PAGE, {"memory": f"\n{table}\n"})


if __name__ == "__main__":
    main()
