"""The programs of benchmarks/search.py, each in a process of its own: it builds its indexes, or answers queries.

    python search_programs.py NAME build TEXTS FOLDER THREADS   writes its indexes; prints sizes and times as JSON
    python search_programs.py NAME serve FOLDER                 reads lines of JSON, and answers each with one
    python search_programs.py NAME first FOLDER                 opens its index and answers the one query of the input

A query is a text in the language of the program, written before the clock starts; what the program does with the text
is in the clock, and so is what it takes to hand over the scores of the documents.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from search_texts import Asked, Document, read_documents

WORDS, PLACES = "words", "places"  # indexes without and with positions; the second has years and classes, too


def written(query: Asked, *, both: str = "AND", cut: str = "{}*") -> str:
    """A query in the form that most programs share."""
    if query.kind == "phrase":
        return f'"{" ".join(query.words)}"'
    if query.kind == "and":
        return f" {both} ".join(query.words)
    if query.kind == "truncated":
        return f"{query.words[0]} {both} {cut.format(query.words[1])}"
    return " ".join(query.words)


class Leadline:
    kinds = ("words", "typed", "and", "phrase", "filter", "truncated")

    def __init__(self, folder: Path) -> None:
        from leadline.retrieval.index.index import Index
        from leadline.retrieval.language.language import Language
        from leadline.retrieval.models.searcher import Searcher

        self.folder = folder
        self._open, self._language, self._searcher = Index.open, Language, Searcher

    def build(self, documents: list[Document], threads: int, positions: bool) -> None:
        from leadline.retrieval.index.analysis import Analysis
        from leadline.retrieval.index.index import Index

        def given() -> Any:
            for each in documents:
                plain = {"id": each.name, "body": each.text}
                yield plain | {"publication": f"{each.year}-07-01", "ipc": (each.symbol,)} if positions else plain

        Index.build(
            given(),
            self.folder / (PLACES if positions else WORDS),
            fields=["body"],
            analysis=Analysis(stemming="none", stop_words="none"),
            positions=positions,
            workers=threads,
        )

    def open(self, kinds: tuple[str, ...]) -> None:
        if "words" in kinds:
            self.searcher = self._searcher(self._open(self.folder / WORDS))
        if set(kinds) - {"words"}:
            self.language = self._language(self._open(self.folder / PLACES))

    def text(self, query: Asked) -> Any:
        if query.kind == "filter":
            return f"{' '.join(query.words)} class:{query.symbol} published:{query.first}..{query.last}"
        return written(query)

    def asking(self, kind: str, k: int) -> Callable[[Any], tuple[Any, int]]:
        if kind == "words":
            search = self.searcher.search

            def ranked(text: str) -> tuple[Any, int]:
                return search(text, k=k).scores, -1

            return ranked
        language = self.language

        def found(text: str) -> tuple[Any, int]:
            answer = language.search(text, k=k)
            return answer.ranking.scores, answer.found

        return found


class Tantivy:
    kinds = ("words", "typed", "and", "phrase", "filter", "truncated")

    def __init__(self, folder: Path) -> None:
        import numpy as np
        import tantivy

        self.tantivy, self.folder, self.array = tantivy, folder, np.array

    def _schema(self, positions: bool) -> Any:
        builder = self.tantivy.SchemaBuilder()
        builder.add_text_field("body", stored=False, index_option="position" if positions else "freq")
        builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        if positions:
            builder.add_text_field("class", stored=False, tokenizer_name="raw", index_option="basic")
            builder.add_integer_field("published", indexed=True, fast=True)
        return builder.build()

    def build(self, documents: list[Document], threads: int, positions: bool) -> None:
        folder = self.folder / (PLACES if positions else WORDS)
        folder.mkdir(parents=True)
        writer = self.tantivy.Index(self._schema(positions), path=str(folder)).writer(1_000_000_000, threads)
        for each in documents:
            more = {"class": each.symbol, "published": each.year} if positions else {}
            writer.add_document(self.tantivy.Document(body=each.text, id=each.name, **more))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, kinds: tuple[str, ...]) -> None:
        if "words" in kinds:
            self.words = self.tantivy.Index.open(str(self.folder / WORDS))
            self.in_words = self.words.searcher()
        if set(kinds) - {"words"}:
            self.places = self.tantivy.Index.open(str(self.folder / PLACES))
            self.in_places = self.places.searcher()

    def text(self, query: Asked) -> Any:
        if query.kind == "filter":
            return f"+({' '.join(query.words)}) +class:{query.symbol} +published:[{query.first} TO {query.last}]"
        if query.kind == "truncated":  # its parser knows no truncated words: a regular expression is one
            return query.words[0], f"{query.words[1]}.*"
        return written(query)

    def asking(self, kind: str, k: int) -> Callable[[Any], tuple[Any, int]]:
        array, fields, tantivy = self.array, ["body"], self.tantivy
        if kind == "words":
            words, searcher = self.words, self.in_words

            def ranked(text: str) -> tuple[Any, int]:
                hits = searcher.search(words.parse_query(text, fields), k, count=False).hits
                return array([score for score, _ in hits]), -1

            return ranked
        places, reader, schema, must = self.places, self.in_places, self.places.schema, tantivy.Occur.Must

        def found(text: Any) -> tuple[Any, int]:
            if kind == "truncated":
                both = places.parse_query(text[0], fields), tantivy.Query.regex_query(schema, "body", text[1])
                query = tantivy.Query.boolean_query([(must, each) for each in both])
            else:
                query = places.parse_query(text, fields)
            result = reader.search(query, k)
            return array([score for score, _ in result.hits]), int(result.count)

        return found


class Bm25s:
    kinds = ("words", "typed")  # it knows no operators, phrases and filters

    def __init__(self, folder: Path) -> None:
        import bm25s

        self.bm25s, self.folder = bm25s, folder

    def build(self, documents: list[Document], threads: int, positions: bool) -> None:
        if positions:
            return
        texts = [each.text for each in documents]
        tokens = self.bm25s.tokenize(texts, stopwords=None, show_progress=False, token_pattern=r"(?u)\b\w+\b")
        retriever = self.bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend="numba")
        retriever.index(tokens, show_progress=False)
        retriever.save(str(self.folder / WORDS))

    def open(self, kinds: tuple[str, ...]) -> None:
        self.retriever = self.bm25s.BM25.load(str(self.folder / WORDS), mmap=True)
        self.retriever.backend = "numba"
        self.retriever.activate_numba_scorer()

    def text(self, query: Asked) -> Any:
        return written(query)

    def asking(self, kind: str, k: int) -> Callable[[Any], tuple[Any, int]]:
        retrieve = self.retriever.retrieve

        def ranked(text: str) -> tuple[Any, int]:  # its own way of cutting a text into words takes longer
            asked = [text.split()]
            return retrieve(asked, k=k, show_progress=False, n_threads=1, backend_selection="numba")[1][0], -1

        return ranked


PROGRAMS: dict[str, Callable[[Path], Any]] = {"leadline": Leadline, "tantivy": Tantivy, "bm25s": Bm25s}


def build(program: Any, texts: Path, folder: Path, threads: int) -> dict[str, Any]:
    """Build both indexes; the processor time of all threads, the time that passed, and the bytes of each."""
    documents, made = list(read_documents(texts)), {}
    for positions in (False, True):
        before, start = used(), time.perf_counter()
        program.build(documents, threads, positions)
        place = folder / (PLACES if positions else WORDS)
        size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
        if size:
            made[place.name] = {"bytes": size, "processor": used() - before, "passed": time.perf_counter() - start}
    return made


def used() -> float:
    """The processor time of this process and of those that it has ended."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in both)


def serve(program: Any) -> None:
    """Answer lines of JSON: {"kind", "k", "queries"}."""
    program.open(program.kinds)
    for line in sys.stdin:
        asked = json.loads(line)
        texts = [program.text(Asked(**query)) for query in asked["queries"]]
        ask = program.asking(asked["kind"], asked["k"])
        start = time.process_time_ns()
        found = [ask(text) for text in texts]
        spent = time.process_time_ns() - start
        print(
            json.dumps({"microseconds": spent / 1000 / len(texts), "found": [count for _, count in found]}), flush=True
        )


def first(program: Any) -> None:
    """Open the index and answer one query; what is imported before is not in the clock."""
    asked = Asked(**json.loads(sys.stdin.read()))
    text = program.text(asked)
    start = time.process_time_ns()
    program.open((asked.kind,))
    scores, _ = program.asking(asked.kind, 10)(text)
    spent = time.process_time_ns() - start
    print(json.dumps({"milliseconds": spent / 1e6, "scores": len(scores)}), flush=True)


def main() -> None:
    name, what, *given = sys.argv[1:]
    if what == "build":
        texts, folder, threads = given
        print(json.dumps(build(PROGRAMS[name](Path(folder)), Path(texts), Path(folder), int(threads))))
    elif what == "serve":
        serve(PROGRAMS[name](Path(given[0])))
    else:
        first(PROGRAMS[name](Path(given[0])))


if __name__ == "__main__":
    main()
