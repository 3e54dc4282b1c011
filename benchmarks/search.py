"""How long building and searching take and how large an index is, ours and the peers', on the same documents.

    python benchmarks/search.py [--documents 20000 200000] [--repeat 5] [--peers tantivy,bm25s,lucene]
        [--tables fresh typed] [--work DIR] [--write]

The texts are real: the passages of a collection of patents (title, abstract, description), cut into documents of about
120 words; more documents than it has passages are made of the words of two passages each. Without the collection
(LEADLINE_SHARED, or `shared` beside the repository) words are drawn from a Zipf-Mandelbrot distribution, and the page
says so. Years and classes are drawn for each patent.

Every program indexes the same words, without stemming and stop words: once with frequencies alone, and once with
positions, years and classes. Each runs in processes of its own, and gets every query as a text in its own language;
what it does with the text is in the clock (`search_programs.py`). BM25 has k1 = 1.2 and b = 0.75. Leadline and bm25s
keep the exact length of a document; tantivy and Lucene round it to one byte. For words, the best documents are wanted;
for other queries also the number of all documents, which is compared between the programs.

A number is the median of several rounds, in which the programs alternate, of the processor time of one query after the
other. There are three kinds of rounds:

    fresh       queries that this process was never asked, after others of their kind
    first       a new process for each query: opening the index and the search; and the whole process
    repeated    queries that this process has answered three times before

`--write` puts the tables into docs/search-speed.md. `--work DIR` keeps the indexes for the next time, and what was
measured, so that tables can be measured one after the other with `--tables`. Lucene takes part where `java` and
LUCENE_JARS are there (`lucene_search.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lucene_search import Lucene, lucene_reason, lucene_version
from marked_document import fill
from search_programs import PLACES, PROGRAMS, WORDS
from search_texts import KINDS, ROOT, TEXTS, Asked, Texts, write_documents

PAGE = ROOT / "docs" / "search-speed.md"
REPEATED = 3  # times that a query of the last kind was asked before: ours stores weights that were computed twice
DEPTHS = (10, 100, 1000)
QUERIES = {3: 100, 5: 100, 100: 10, 1000: 3}  # of each round, by their words
OTHERS = (("typed", 3), ("and", 2), ("and", 3), ("phrase", 2), ("phrase", 3), ("filter", 3), ("truncated", 2))
TABLES = ["first", "fresh", "typed", "repeated"]
OF_OTHERS = 50  # queries of each round
OF_FIRST = (("words", 3), ("typed", 3), ("and", 2), ("phrase", 2))
JAVA_SECONDS = 3.0  # of other queries before each cell, so that Java has compiled what is used often
WARM, FRESH, AGAIN = 1_000_000, 2_000_000, 3_000_000  # seeds: no query is of two of these


class Worker:
    """A program in processes of its own."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.kinds: tuple[str, ...] = PROGRAMS[name].kinds  # type: ignore[attr-defined]
        self.process: subprocess.Popen[str] | None = None

    def _command(self, *arguments: str | Path) -> list[str]:
        return [sys.executable, str(Path(__file__).with_name("search_programs.py")), self.name, *map(str, arguments)]

    def build(self, texts: Path, threads: int) -> dict[str, Any]:
        done = subprocess.run(
            self._command("build", texts, self.folder, str(threads)),
            check=True, stdout=subprocess.PIPE, text=True, env=compiled(),
        )  # fmt: skip
        made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return made

    def start(self) -> None:
        pipe = subprocess.PIPE
        command = self._command("serve", self.folder)
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=compiled())

    def stop(self) -> None:
        if self.process is not None:
            self.process.communicate()
            self.process = None

    def ask(self, kind: str, k: int, queries: list[Asked]) -> tuple[float, list[int]]:
        """The microseconds of a query, and how many documents each found; -1 where that was not asked."""
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {"kind": kind, "k": k, "queries": [asdict(query) for query in queries]}
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        return answer["microseconds"], answer["found"]

    def first(self, query: Asked) -> tuple[float, float]:
        """The milliseconds of opening and of a first query, and of the whole process."""
        said, whole = whole_process(self._command("first", self.folder), json.dumps(asdict(query)))
        return json.loads(said)["milliseconds"], whole


def compiled() -> dict[str, str]:
    """The environment in which our kernels are loaded before the clock starts; they were compiled once before."""
    return {**with_byte_code(), "LEADLINE_ENGINE": "compiled"}


def with_byte_code() -> dict[str, str]:
    """The environment in which Python keeps what it compiles of all packages, as where they are installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "leadline-benchmark-byte-code")}


def whole_process(command: list[str], given: str) -> tuple[str, float]:
    """What a process prints, and the milliseconds of processor time that it took."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=with_byte_code())
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(given)
    process.stdin.close()
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return said, 1000 * (usage.ru_utime + usage.ru_stime)


Programs = dict[str, Any]
Cells = dict[str, float]  # by program


class Measured:
    """The rows of the tables, and the cells in which another program is faster."""

    def __init__(self, peers: list[str], kept: Path | None) -> None:
        """`kept` is a file of what was measured, by table and first cells; what is measured again is replaced."""
        self.peers, self.kept = peers, kept
        self.rows: dict[str, list[str]] = {name: [] for name in HEADS}
        self.behind: dict[str, list[tuple[str, str, float]]] = {name: [] for name in HEADS}  # which, by whom, how much
        self.count: dict[str, int] = dict.fromkeys(HEADS, 0)
        self.differing: list[str] = []
        self.measured: dict[str, list[Any]] = json.loads(kept.read_text()) if kept and kept.exists() else {}

    def add(self, table: str, cells: list[Any], medians: Cells, digits: int = 0) -> None:
        """Note a row of a table, and print it."""
        self.measured[json.dumps([table, *cells])] = [medians, digits]
        self._row(table, cells, medians, digits)
        print(table, self.rows[table][-1], flush=True)
        if self.kept:
            self.kept.write_text(json.dumps(self.measured))

    def finish(self) -> None:
        """Make all rows, by the number of documents and else as they were measured."""
        for table in HEADS:
            self.rows[table], self.behind[table], self.count[table] = [], [], 0
        all_rows = [(*json.loads(key), values) for key, values in self.measured.items()]
        for table, *cells, (medians, digits) in sorted(all_rows, key=lambda each: int(each[1].replace(",", ""))):
            self._row(table, cells, medians, digits)

    def _row(self, table: str, cells: list[Any], medians: Cells, digits: int) -> None:
        """A row of a table: our median, each peer's as a multiple of ours, and whether one is faster."""
        ours = medians["leadline"]
        ratios = {name: medians[name] / ours for name in self.peers if name in medians}
        fastest = min(ratios, key=lambda name: ratios[name], default="")
        is_behind = bool(ratios) and ratios[fastest] < 1
        self.count[table] += 1
        if is_behind:
            named = zip(HEADS[table][0], cells, strict=False)
            which = ", ".join(IN_WORDS.get(head, "{}").format(cell) for head, cell in named)
            self.behind[table].append((which, fastest, 1 / ratios[fastest]))
        shown = [f"{ratios[name]:.2f}" if name in ratios else "–" for name in self.peers]
        verdict = f"{fastest} is faster" if is_behind else "ours"
        self.rows[table].append(row([*cells, f"{ours:,.{digits}f}", *shown, verdict]))

    def tables(self) -> dict[str, str]:
        return {
            name: "\n".join([row(head), row(["---"] * len(head)), *self.rows[name]])
            for name, head in ((name, [*before, *self.peers, *after]) for name, (before, after) in HEADS.items())
        }

    def summary(self) -> str:
        """Where another program is faster, by table and program."""
        lines = []
        for table, cells in self.behind.items():
            if not self.count[table]:
                continue
            by: dict[str, list[tuple[str, float]]] = {}
            for which, fastest, times in cells:
                by.setdefault(fastest, []).append((which, times))
            said = [
                f"{name} in {len(found)} (up to {max(times for _, times in found):.1f} times: "
                f"{max(found, key=lambda each: each[1])[0]})"
                for name, found in by.items()
            ]
            behind = f"behind in {len(cells)} of {self.count[table]} cells: {'; '.join(said)}" if said else "nowhere"
            lines.append(f"- **{TITLES[table]}:** {behind}.")
        return "\n".join(lines)


TITLES = {"building": "Building", "fresh": "Fresh words", "typed": "Other fresh queries", "first": "First query",
          "whole": "The process of a first query", "repeated": "Repeated queries"}  # fmt: skip
HEADS: dict[str, tuple[list[str], list[str]]] = {
    "building": (["documents", "index", "", "ours"], ["fastest"]),
    "fresh": (["documents", "words", "k", "µs a query"], ["fastest"]),
    "typed": (["documents", "query", "µs a query"], ["fastest"]),
    "first": (["documents", "query", "ms"], ["fastest"]),
    "whole": (["documents", "query", "ms"], ["fastest"]),
    "repeated": (["documents", "query", "k", "µs a query"], ["fastest"]),
}
IN_WORDS = {"documents": "{} documents", "words": "{} words", "k": "k {}"}  # of a cell, by the head of its column


def row(cells: list[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def built(name: str, count: int, texts: Path, folder: Path, threads: int) -> tuple[Any, dict[str, Any]]:
    """A program with its indexes, which are built unless they are there; and what building them took."""
    place = folder / f"{name}-{count}"
    program: Any = Lucene(place) if name == "lucene" else Worker(name, place)
    note = place / "built.json"
    if not note.exists():
        place.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps(program.build(texts, threads)))
    return program, json.loads(note.read_text())


def compare_building(count: int, made: dict[str, dict[str, Any]], measured: Measured) -> None:
    """Rows of sizes and times of building."""
    for index, about in ((WORDS, "words"), (PLACES, "positions, years, classes")):
        for what, scale, unit, digits in (
            ("bytes", 1e6, "MB", 2),
            ("processor", 1.0, "s of processor time", 2),
            ("passed", 1.0, "s that passed, on two threads", 2),
        ):
            medians = {name: each[index][what] / scale for name, each in made.items() if index in each}
            measured.add("building", [f"{count:,}", about, unit], medians, digits)


def rounds(
    programs: Programs, kind: str, words: int, k: int, number: int, repeat: int, texts: Texts
) -> tuple[Cells, list[str]]:
    """The median of rounds of fresh queries, and the queries of which the programs found different numbers."""
    able = {name: program for name, program in programs.items() if kind in program.kinds}
    for name, program in able.items():
        end = time.monotonic() + (JAVA_SECONDS if name == "lucene" else 0.0)
        for turn in range(10**6):
            program.ask(kind, k, texts.queries(kind, words, max(2, number // 2), WARM + 1000 * turn + k))
            if turn >= 1 and time.monotonic() > end:
                break
    times: dict[str, list[float]] = {name: [] for name in able}
    differing = []
    for turn in range(repeat):
        queries = texts.queries(kind, words, number, FRESH + 10_000 * turn + k)
        found = {}
        for name, program in able.items():
            spent, found[name] = program.ask(kind, k, queries)
            times[name].append(spent)
        for place, query in enumerate(queries):
            counts = {name: counts[place] for name, counts in found.items() if counts[place] >= 0}
            if len(set(counts.values())) > 1:
                differing.append(f"{kind} {query.words}: {counts}")
    return medians_of(times), differing


def again(programs: Programs, kind: str, words: int, k: int, number: int, repeat: int, texts: Texts) -> Cells:
    """The median of rounds of queries that were asked before."""
    able = {name: program for name, program in programs.items() if kind in program.kinds}
    queries = texts.queries(kind, words, number, AGAIN + k)
    for program in list(able.values()) * REPEATED:
        program.ask(kind, k, queries)
    times: dict[str, list[float]] = {name: [] for name in able}
    for _ in range(repeat):
        for name, program in able.items():
            times[name].append(program.ask(kind, k, queries)[0])
    return medians_of(times)


def medians_of(times: dict[str, list[float]]) -> Cells:
    return {name: statistics.median(values) for name, values in times.items()}


def firsts(programs: Programs, kind: str, words: int, repeat: int, texts: Texts) -> tuple[Cells, Cells]:
    """The median milliseconds of opening and a first query, and of the whole processes."""
    able = {name: program for name, program in programs.items() if kind in program.kinds}
    opened: dict[str, list[float]] = {name: [] for name in able}
    whole: dict[str, list[float]] = {name: [] for name in able}
    for turn, query in enumerate(texts.queries(kind, words, repeat + 1, FRESH)):
        for name, program in able.items():
            one, other = program.first(query)
            if turn:  # before, what is imported is compiled to byte code
                opened[name].append(one)
                whole[name].append(other)
    return medians_of(opened), medians_of(whole)


def measure(
    count: int, peers: list[str], repeat: int, threads: int, folder: Path, measured: Measured, tables: list[str]
) -> None:
    """The rows of tables for a number of documents."""
    path = folder / f"texts-{count}.tsv"
    if not path.exists():
        write_documents(count, path)
    programs, made = {}, {}
    for name in ("leadline", *peers):
        programs[name], made[name] = built(name, count, path, folder, threads)
    compare_building(count, made, measured)
    texts = Texts(path)
    for kind, words in OF_FIRST if "first" in tables else ():
        opened, whole = firsts(programs, kind, words, max(3, repeat), texts)
        measured.add("first", [f"{count:,}", label(kind, words)], opened, 2)
        measured.add("whole", [f"{count:,}", label(kind, words)], whole)
    if not {"fresh", "typed", "repeated"}.intersection(tables):
        return
    for program in programs.values():
        program.start()
    for words, number in QUERIES.items() if "fresh" in tables else ():
        for k in DEPTHS:
            cells, _ = rounds(programs, "words", words, k, number, repeat, texts)
            measured.add("fresh", [f"{count:,}", words, k], cells)
    for kind, words in OTHERS if "typed" in tables else ():
        cells, differing = rounds(programs, kind, words, 10, OF_OTHERS, repeat, texts)
        measured.differing += differing
        measured.add("typed", [f"{count:,}", label(kind, words)], cells)
    for words, number in QUERIES.items() if "repeated" in tables else ():
        for k in DEPTHS:
            cells = again(programs, "words", words, k, number, repeat, texts)
            measured.add("repeated", [f"{count:,}", label("words", words), k], cells)
    for kind, words in OTHERS if "repeated" in tables else ():
        cells = again(programs, kind, words, 10, OF_OTHERS, repeat, texts)
        measured.add("repeated", [f"{count:,}", label(kind, words), 10], cells)
    for program in programs.values():
        program.stop()


def label(kind: str, words: int) -> str:
    return f"{words:,} {KINDS[kind]}"


def conditions(peers: list[str], repeat: int, skipped: str) -> str:
    source = "Real texts" if TEXTS.exists() else "Generated words"
    versions = [f"{name} {lucene_version() if name == 'lucene' else version(name)}" for name in peers]
    missing = [f"Lucene did not take part: {skipped}"] if skipped else []
    return f"{'. '.join([f'{source}; medians of {repeat}', ', '.join(versions), *missing])}."


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[20_000, 200_000], help="also 1000000")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2, help="with which indexes are built")
    parser.add_argument("--peers", default="tantivy,bm25s,lucene")
    parser.add_argument(
        "--work", type=Path, help="folder of texts and indexes, which is kept (default: a temporary one)"
    )
    parser.add_argument("--tables", nargs="*", default=TABLES, choices=TABLES, help="beside that of building")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/search-speed.md")
    options = parser.parse_args(arguments)
    peers = [name for name in options.peers.split(",") if name]
    skipped = lucene_reason() if "lucene" in peers else "it was not asked for"
    if skipped:
        print(f"Lucene does not take part: {skipped}", file=sys.stderr)
        peers = [name for name in peers if name != "lucene"]
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
    measured = Measured(peers, options.work and options.work / "measured.json")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for count in options.documents:
            measure(count, peers, options.repeat, options.threads, folder, measured, options.tables)
    measured.finish()
    parts = {
        **measured.tables(),
        "behind": measured.summary(),
        "conditions": conditions(peers, options.repeat, skipped),
    }
    print("\n\n".join(f"{name}\n\n{text}" for name, text in parts.items()))
    if measured.differing:
        print(
            f"different numbers of documents in {len(measured.differing)} queries:", *measured.differing[:5], sep="\n"
        )
    if options.write:
        fill(PAGE, parts)


if __name__ == "__main__":
    main()
