"""How long indexing and searching take, ours and the peers', on the same documents in one run. Prints tables of ratios.

    python benchmarks/search.py [--documents 20000 100000] [--repeat 5] [--peers tantivy,bm25s,sqlite]

Documents are generated: words with a Zipf-Mandelbrot distribution, about 135 in a document, a fifth of them repeating
an earlier one. Queries are words of one document, or of a few for 100 words; every program gets them as a list of words
and returns the best 1000 documents. BM25 has k1 = 1.2 and b = 0.75 in all programs except SQLite, which does not
document its b. Only Leadline and bm25s keep the exact length of a document; bm25s adds in single precision.

*Alone* is one query after the other on one processor; *together* is all queries at once on as many threads as there are
processors, for programs that can. Every number is the median of several repetitions, in which the programs alternate.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

K = 1000
THREADS = os.cpu_count() or 1
LETTERS = "etaoinshrdlcumwfgypbvk"
CHANCES = (127, 91, 82, 75, 70, 67, 63, 61, 60, 43, 40, 28, 28, 24, 24, 22, 20, 20, 19, 15, 10, 8)


def generate(documents: int, vocabulary: int = 100_000) -> tuple[list[str], list[np.ndarray]]:
    """Words, and for each document the numbers of its words."""
    rng = np.random.default_rng(1)
    words: dict[str, None] = {}
    chances = np.array(CHANCES) / sum(CHANCES)
    while len(words) < vocabulary:
        words["".join(rng.choice(list(LETTERS), max(2, int(rng.gamma(6, 1.1))), p=chances))] = None
    popularity = 1 / (np.arange(vocabulary) + 10.0)
    lengths = np.clip(rng.lognormal(np.log(120), 0.5, documents).astype(int), 5, 1000)
    numbers = rng.choice(vocabulary, lengths.sum(), p=popularity / popularity.sum())
    begin = np.repeat(np.cumsum(lengths) - lengths, lengths)
    place = np.arange(len(numbers)) - begin
    again = (rng.random(len(numbers)) < 0.2) & (place > 0)
    numbers[again] = numbers[(begin + rng.random(len(numbers)) * place).astype(int)[again]]
    return list(words), np.split(numbers, np.cumsum(lengths)[:-1])


def make_queries(words: list[str], documents: list[np.ndarray], terms: int, count: int) -> list[list[str]]:
    rng = np.random.default_rng(2)
    queries: list[list[str]] = []
    while len(queries) < count:
        chosen = np.unique(np.concatenate([documents[i] for i in rng.integers(0, len(documents), 1 + terms // 40)]))
        if len(chosen) >= terms:
            queries.append([words[number] for number in rng.choice(chosen, terms, replace=False)])
    return queries


class Leadline:
    def __init__(self, texts: list[str], folder: Path) -> None:
        from leadline.retrieval.index.analysis import Analysis
        from leadline.retrieval.index.index import Index
        from leadline.retrieval.models.searcher import Searcher

        documents = ({"id": f"D{number:07}", "body": text} for number, text in enumerate(texts))
        analysis = Analysis(stemming="none", stop_words="none")
        self.searcher = Searcher(Index.build(documents, folder, fields=["body"], analysis=analysis))

    def alone(self, queries: list[list[str]]) -> Any:
        return [self.searcher.search(query, k=K) for query in queries][-1].scores

    def together(self, queries: list[list[str]]) -> None:
        self.searcher.search_many(queries, k=K, threads=THREADS)


class Bm25s:
    def __init__(self, texts: list[str], folder: Path) -> None:
        import bm25s

        tokens = bm25s.tokenize(texts, stopwords=None, show_progress=False)
        self.retriever = bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend="numba")
        self.retriever.index(tokens, show_progress=False)
        self.retriever.save(str(folder))

    def _retrieve(self, queries: list[list[str]], threads: int) -> Any:
        return self.retriever.retrieve(
            queries, k=K, show_progress=False, n_threads=threads, backend_selection="numba"
        )  # fmt: skip

    def alone(self, queries: list[list[str]]) -> Any:
        return [self._retrieve([query], 1) for query in queries][-1][1][0]

    def together(self, queries: list[list[str]]) -> None:
        self._retrieve(queries, THREADS)


class Tantivy:
    def __init__(self, texts: list[str], folder: Path) -> None:
        import tantivy

        self.tantivy = tantivy
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", stored=False, index_option="freq")
        self.schema = builder.build()
        self.index = tantivy.Index(self.schema, path=str(folder))
        writer = self.index.writer(heap_size=1_000_000_000, num_threads=THREADS)
        for text in texts:
            writer.add_document(tantivy.Document(body=text))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.known: dict[int, Any] = {}

    def _query(self, query: list[str]) -> Any:
        """Made before the clock starts, the first time round."""
        if id(query) not in self.known:
            term, should = self.tantivy.Query.term_query, self.tantivy.Occur.Should
            clauses = [(should, term(self.schema, "body", word)) for word in query]
            self.known[id(query)] = self.tantivy.Query.boolean_query(clauses)
        return self.known[id(query)]

    def alone(self, queries: list[list[str]]) -> Any:
        searcher = self.index.searcher()
        for query in queries:
            hits = searcher.search(self._query(query), K, count=False).hits
        return np.array([score for score, _ in hits])

    def together(self, queries: list[list[str]]) -> None:
        searcher = self.index.searcher()
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda query: searcher.search(self._query(query), K, count=False).hits, queries))


class Sqlite:
    def __init__(self, texts: list[str], folder: Path) -> None:
        self.database = sqlite3.connect(folder / "fts5.sqlite")
        self.database.execute("CREATE VIRTUAL TABLE documents USING fts5(body, content='', detail='none')")
        self.database.executemany("INSERT INTO documents(body) VALUES (?)", ((text,) for text in texts))
        self.database.commit()

    def alone(self, queries: list[list[str]]) -> Any:
        for query in queries[: max(2, len(queries) // 20)]:  # it is slow: a twentieth of them tells enough
            asked = " OR ".join(f'"{word}"' for word in query)
            statement = f"SELECT rowid, rank FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT {K}"
            found = self.database.execute(statement, (asked,)).fetchall()
        return np.array([score for _, score in found])

    together = None


PROGRAMS: dict[str, Callable[[list[str], Path], Any]] = {
    "leadline": Leadline, "tantivy": Tantivy, "bm25s": Bm25s, "sqlite": Sqlite,
}  # fmt: skip
STARTING = """
import sys
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.searcher import Searcher
assert len(Searcher(Index.open(sys.argv[1])).search(sys.argv[2:], k=1000)) > 0
assert "numba" not in sys.modules
"""


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def table(title: str, times: dict[str, list[float]], scale: float, unit: str) -> None:
    """The medians, and how many times as long as ours each takes."""
    ours = statistics.median(times["leadline"])
    print(f"\n{title}\n{'program':<12}{unit:>12}{'lowest':>10}{'highest':>10}{'turns':>7}{'ratio':>8}")
    for name, taken in times.items():
        median = statistics.median(taken)
        spread = f"{min(taken) * scale:>10.2f}{max(taken) * scale:>10.2f}{len(taken):>7}"
        print(f"{name:<12}{median * scale:>12.2f}{spread}{median / ours:>8.2f}")


def measure(documents: int, peers: list[str], repeat: int, folder: Path) -> None:
    words, numbers = generate(documents)
    texts = [" ".join([words[number] for number in document]) for document in numbers]
    size = sum(map(len, texts))
    million = sum(map(len, numbers)) / 1e6
    print(f"\n=== {documents} documents, {million:.1f} million words, {size / 1e6:.0f} MB, {THREADS} threads")

    programs: dict[str, Any] = {}
    building: dict[str, list[float]] = {name: [] for name in ["leadline", *peers]}
    for _ in range(min(repeat, 3)):
        for name, taken in building.items():
            place = folder / f"{name}-{documents}"
            programs.pop(name, None)
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)

            def build(name: str = name, place: Path = place) -> None:
                programs[name] = PROGRAMS[name](texts, place)

            taken.append(seconds(build))
    table("index, from texts in memory to files", building, 1, "s")

    for terms, count in ((5, 500), (100, 100)):
        queries = make_queries(words, numbers, terms, count)
        first = seconds(lambda: programs["leadline"].together(queries))  # noqa: B023
        print(f"\n{terms} words a query: with weights yet to compute, ours takes {first * 1e6 / count:.0f} µs each")
        best = {name: program.alone(queries) for name, program in programs.items()}
        if "bm25s" in best:
            ours, theirs = best["leadline"], best["bm25s"][: len(best["leadline"])]  # it fills up with zeros
            print(f"scores of ours and bm25s differ by at most {np.max(np.abs(ours - theirs) / ours):.1e}, relatively")
        ways: dict[str, dict[str, list[float]]] = {"alone": {}, "together": {}}
        for _ in range(repeat):
            for name, program in programs.items():
                for way, times in ways.items():
                    work = getattr(program, way)
                    if work is not None:
                        asked = count if name != "sqlite" else max(2, count // 20)
                        times.setdefault(name, []).append(seconds(lambda w=work: w(queries)) / asked)  # noqa: B023
        for way, times in ways.items():
            table(f"{terms} words a query, {way}", times, 1e6, "µs a query")

    place = str(folder / f"leadline-{documents}")
    command = [sys.executable, "-c", STARTING, place, *queries[0][:5]]
    taken = [seconds(lambda: subprocess.run(command, check=True)) for _ in range(repeat)]
    print(f"\nprocess start, import, opening the index and a first query: {statistics.median(taken):.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--peers", default="tantivy,bm25s,sqlite")
    options = parser.parse_args()
    peers = [name for name in options.peers.split(",") if name]
    with tempfile.TemporaryDirectory() as folder:
        warm = Leadline(["words to compile the kernels with, once in a lifetime"], Path(folder) / "warm")
        os.environ["LEADLINE_ENGINE"] = "compiled"
        warm.alone([["words"]])
        del os.environ["LEADLINE_ENGINE"]
        for documents in options.documents:
            measure(documents, peers, options.repeat, Path(folder))


if __name__ == "__main__":
    main()
