"""How large an index is and how long searching takes, ours and the peers', on the same documents in one run.

    python benchmarks/search.py [--documents 20000 200000] [--repeat 5] [--peers tantivy,bm25s,lucene] [--write]

The texts are real: the passages of a collection of patents (title, abstract, description), cut into documents of about
120 words; more documents than it has passages are made of the words of two passages each. Without the collection
(LEADLINE_SHARED, or `shared` beside the repository) words are drawn from a Zipf-Mandelbrot distribution, and the page
says so.

Every program indexes the same words, without stemming and stop words, with frequencies and without positions, and gets
every query as a list of words. BM25 has k1 = 1.2 and b = 0.75. Leadline and bm25s keep the exact length of a document;
tantivy and Lucene round it to one byte. Leadline adds in double precision and returns the exact best documents in a
fixed order of ties. All of them map their files into memory.

A number is the median of several repetitions, in which the programs alternate, of the processor time of one query after
the other. *Cold* is the first search for each query after opening the index. `--write` puts the tables into
docs/search-speed.md. Lucene takes part where `java` and LUCENE_JARS, a class path with lucene-core, are there.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from lucene_search import Lucene, lucene_reason, lucene_version
from marked_document import fill

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("LEADLINE_SHARED", ROOT.parent / "shared"))
TEXTS = SHARED / "data/patents/us_api/docs_10k.jsonl.xz"
PAGE = ROOT / "docs" / "search-speed.md"
WORDS_A_DOCUMENT = 120
WARMING = 3  # searches for every query before the clock starts: ours stores weights that were computed twice
DEPTHS = (10, 100, 1000)
QUERIES = {5: 200, 100: 20, 1000: 4}  # the number of queries by their words
LETTERS = "etaoinshrdlcumwfgypbvk"


def passages(limit: int) -> Iterator[list[str]]:
    """Passages of real texts as words of letters and digits, in lower case."""
    with lzma.open(TEXTS, "rt", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            text = " ".join(str(record.get(name) or "") for name in ("title", "abstract", "description"))
            words = "".join(letter if letter.isalnum() and letter.isascii() else " " for letter in text.lower()).split()
            for start in range(0, len(words) - WORDS_A_DOCUMENT // 2, WORDS_A_DOCUMENT):
                yield words[start : start + WORDS_A_DOCUMENT]
                limit -= 1
                if limit <= 0:
                    return


def generated(documents: int, vocabulary: int = 100_000) -> list[list[str]]:
    """Documents of made-up words."""
    rng = np.random.default_rng(1)
    words: dict[str, None] = {}
    while len(words) < vocabulary:
        words["".join(rng.choice(list(LETTERS), max(2, int(rng.gamma(6, 1.1)))))] = None
    listed, popularity = list(words), 1 / (np.arange(vocabulary) + 10.0)
    numbers = rng.choice(vocabulary, (documents, WORDS_A_DOCUMENT), p=popularity / popularity.sum())
    return [[listed[number] for number in row] for row in numbers.tolist()]


def real(documents: int) -> list[list[str]]:
    """Documents of real texts; the missing ones have the first half of one passage and the second of another."""
    found = list(passages(documents))
    rng, half, count = np.random.default_rng(1), WORDS_A_DOCUMENT // 2, len(found)
    for one, other in rng.integers(0, count, (max(0, documents - count), 2)).tolist():
        found.append(found[one][:half] + found[other][half:])
    return found


def make_queries(documents: list[list[str]], words: int) -> list[list[str]]:
    """Words of one document, or of as many as are needed."""
    rng = np.random.default_rng(2)
    queries: list[list[str]] = []
    while len(queries) < QUERIES[words]:
        chosen: set[str] = set()
        while len(chosen) < words:
            chosen.update(documents[int(rng.integers(len(documents)))])
        queries.append(rng.permutation(sorted(chosen))[:words].tolist())
    return queries


class Leadline:
    def __init__(self, texts: list[str], folder: Path) -> None:
        from leadline.retrieval.index.analysis import Analysis
        from leadline.retrieval.index.index import Index

        documents = ({"id": f"D{number:07}", "body": text} for number, text in enumerate(texts))
        analysis = Analysis(stemming="none", stop_words="none")
        self.folder = folder / "index"
        Index.build(documents, self.folder, fields=["body"], analysis=analysis)

    def open(self) -> None:
        from leadline.retrieval.index.index import Index
        from leadline.retrieval.language.language import Language
        from leadline.retrieval.models.searcher import Searcher

        self.searcher = Searcher(Index.open(self.folder))

        self.language = Language(self.searcher.index)

    def search(self, query: list[str], k: int) -> Any:
        return self.searcher.search(query, k=k).scores

    def search_all(self, query: list[str], k: int) -> Any:
        """Documents that have all words, by a query as a user types it."""
        return self.language.search(" AND ".join(query), k=k).ranking.scores


class Bm25s:
    def __init__(self, texts: list[str], folder: Path) -> None:
        import bm25s

        tokens = bm25s.tokenize(texts, stopwords=None, show_progress=False, token_pattern=r"(?u)\b\w+\b")
        retriever = bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend="numba")
        retriever.index(tokens, show_progress=False)
        retriever.save(str(folder))
        self.folder = folder

    def open(self) -> None:
        import bm25s

        self.retriever = bm25s.BM25.load(str(self.folder), mmap=True)
        self.retriever.backend = "numba"
        self.retriever.activate_numba_scorer()

    def search(self, query: list[str], k: int) -> Any:
        return self.retriever.retrieve([query], k=k, show_progress=False, n_threads=1, backend_selection="numba")[1][0]


class Tantivy:
    def __init__(self, texts: list[str], folder: Path) -> None:
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("body", stored=False, index_option="freq")
        builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        self.tantivy, self.schema, self.folder = tantivy, builder.build(), folder
        writer = tantivy.Index(self.schema, path=str(folder)).writer(heap_size=1_000_000_000, num_threads=1)
        for number, text in enumerate(texts):
            writer.add_document(tantivy.Document(body=text, id=f"D{number:07}"))
        writer.commit()
        writer.wait_merging_threads()

    def open(self) -> None:
        self.searcher = self.tantivy.Index.open(str(self.folder)).searcher()
        self.known: dict[Any, Any] = {}

    def prepared(self, query: list[str]) -> Any:
        """A query as an object, which is made before the clock starts."""
        if id(query) not in self.known:
            term, should = self.tantivy.Query.term_query, self.tantivy.Occur.Should
            self.known[id(query)] = self.tantivy.Query.boolean_query(
                [(should, term(self.schema, "body", word)) for word in query]
            )
        return self.known[id(query)]

    def search(self, query: list[str], k: int) -> Any:
        hits = self.searcher.search(self.prepared(query), k, count=False).hits
        return np.array([score for score, _ in hits])

    def search_all(self, query: list[str], k: int) -> Any:
        if (id(query), "all") not in self.known:
            term, must = self.tantivy.Query.term_query, self.tantivy.Occur.Must
            self.known[id(query), "all"] = self.tantivy.Query.boolean_query(
                [(must, term(self.schema, "body", word)) for word in query]
            )
        return self.searcher.search(self.known[id(query), "all"], k).hits


PROGRAMS: dict[str, Callable[[list[str], Path], Any]] = {
    "leadline": Leadline, "tantivy": Tantivy, "bm25s": Bm25s, "lucene": Lucene,
}  # fmt: skip


def seconds(work: Callable[[], Any]) -> float:
    """The processor time of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def taken(program: Any, queries: list[list[str]], k: int) -> float:
    """The microseconds of a query."""
    if hasattr(program, "microseconds"):  # a program that measures itself
        return float(program.microseconds(queries, k))
    if hasattr(program, "prepared"):
        for query in queries:
            program.prepared(query)

    def all_of_them() -> None:
        for query in queries:
            program.search(query, k)

    return 1e6 * seconds(all_of_them) / len(queries)


def boolean_row(count: int, programs: dict[str, Any], documents: list[list[str]], repeat: int) -> str:
    """A row of the table for queries of three words joined by AND, of which the 10 best documents are wanted."""
    operators = {"and", "or", "not", "near", "same", "adj", "xor"}
    wordy = [[word for word in query if word not in operators][:3] for query in make_queries(documents, 5)]
    able = {name: program for name, program in programs.items() if hasattr(program, "search_all")}
    times: dict[str, list[float]] = {name: [] for name in able}
    for turn in range(repeat + 2):  # two turns to warm up
        for name, program in able.items():
            started = time.process_time()
            for query in wordy:
                program.search_all(query, 10)
            if turn > 1:
                times[name].append(1e6 * (time.process_time() - started) / len(wordy))
    return row([f"{count:,}", *against(times)])


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def row(cells: list[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def against(times: dict[str, list[float]]) -> list[str]:
    """Our median in microseconds, each peer's as a multiple of ours, and whether one is faster."""
    medians = {name: statistics.median(values) for name, values in times.items()}
    ours = medians.pop("leadline")
    ratios = {name: median / ours for name, median in medians.items()}
    fastest = min(ratios, key=lambda name: ratios[name], default="")
    verdict = f"{fastest} is faster" if ratios and ratios[fastest] < 1 else "ours"
    return [f"{ours:,.0f}", *(f"{ratio:.2f}" for ratio in ratios.values()), verdict]


def measure(count: int, peers: list[str], repeat: int, folder: Path) -> tuple[list[str], list[str], list[str]]:
    """The rows of the three tables for a number of documents: sizes, times, and times of AND."""
    documents = real(count) if TEXTS.exists() else generated(count)
    texts = [" ".join(words) for words in documents]
    text_bytes = sum(map(len, texts))
    programs, sizes = {}, {}
    for name in ("leadline", *peers):
        place = folder / f"{name}-{count}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        programs[name] = PROGRAMS[name](texts, place)
        sizes[name] = size_of(place)
        programs[name].open()
    ratios = [f"{sizes['leadline'] / sizes[name]:.2f}" for name in peers]
    size_row = row([f"{count:,}", f"{text_bytes / 1e6:.0f}", f"{sizes['leadline'] / 1e6:.2f}", *ratios])
    print(size_row, flush=True)
    rows = []
    for words in QUERIES:
        queries = make_queries(documents, words)
        for program in programs.values():
            taken(program, queries[:1], 10)  # what is compiled in a process is compiled now
        cold: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(repeat):
            for name, program in programs.items():
                program.open()
                cold[name].append(taken(program, queries[: max(2, len(queries) // 10)], 10))
        rows.append(row([f"{count:,}", words, 10, "cold", *against(cold)]))
        print(rows[-1], flush=True)
        for k in DEPTHS:
            warm: dict[str, list[float]] = {name: [] for name in programs}
            for program in list(programs.values()) * WARMING:
                taken(program, queries, k)
            if "lucene" in programs:
                programs["lucene"].warm_up(queries, k)
            for _ in range(repeat):
                for name, program in programs.items():
                    warm[name].append(taken(program, queries, k))
            rows.append(row([f"{count:,}", words, k, "warm", *against(warm)]))
            print(rows[-1], flush=True)
    both = boolean_row(count, programs, documents, repeat)
    print(both, flush=True)
    return [size_row], rows, [both]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, nargs="+", default=[20_000, 200_000], help="also 1000000")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--peers", default="tantivy,bm25s,lucene")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/search-speed.md")
    options = parser.parse_args()
    peers = [name for name in options.peers.split(",") if name]
    skipped = lucene_reason() if "lucene" in peers else "not asked for"
    if skipped:
        print(f"Lucene is skipped: {skipped}", file=sys.stderr)
        peers = [name for name in peers if name != "lucene"]
    os.environ["LEADLINE_ENGINE"] = "compiled"  # its kernels are compiled once and cached, before the clock starts
    sizes, times, both = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for count in options.documents:
            of_size, of_time, of_both = measure(count, peers, options.repeat, Path(folder))
            sizes, times, both = sizes + of_size, times + of_time, both + of_both
    heads = (["documents", "text, MB", "index, MB", *(f"× {name}'s" for name in peers)],
             ["documents", "words", "k", "", "µs a query", *peers, "fastest"],
             ["documents", "µs a query", *(name for name in peers if name == "tantivy"), "fastest"])  # fmt: skip
    tables = [
        "\n".join([row(head), row(["---"] * len(head)), *rows])
        for head, rows in zip(heads, (sizes, times, both), strict=True)
    ]
    source = "Real texts" if TEXTS.exists() else "Generated words"
    note = f"{source}; medians of {options.repeat}. Lucene: {skipped or lucene_version()}."
    print("\n\n".join([*tables, note]))
    if options.write:
        fill(PAGE, {"sizes": tables[0], "times": tables[1], "both": tables[2], "conditions": note})


if __name__ == "__main__":
    main()
