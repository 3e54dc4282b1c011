"""Lucene as a peer of benchmarks/search.py: a small Java program, compiled and run where Java and its jars are.

LUCENE_JARS is a class path with lucene-core, lucene-analysis-common and lucene-queryparser; the jar with all
dependencies of Anserini, in the package pyserini, has them. The program builds an index without and one with
positions, and answers lines of `KIND k TEXT`, with blanks as tabs, by the nanoseconds of processor time that the
search took and the number of documents found.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from search_programs import PLACES, WORDS, written
from search_texts import Asked

SOURCE = """
import java.io.*;
import java.lang.management.*;
import java.nio.file.*;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.queryparser.classic.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.*;

public class Searching {
    static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    static class Parser extends QueryParser {
        Parser() { super("body", new WhitespaceAnalyzer()); }
        @Override protected Query getFieldQuery(String field, String text, boolean quoted) throws ParseException {
            if (field.equals("class")) return new ConstantScoreQuery(new TermQuery(new Term(field, text)));
            return super.getFieldQuery(field, text, quoted);
        }
        @Override protected Query getRangeQuery(String field, String low, String high, boolean a, boolean b) {
            return IntField.newRangeQuery(field, Integer.parseInt(low), Integer.parseInt(high));
        }
    }

    static IndexSearcher open(Path folder) throws IOException {
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(new MMapDirectory(folder)));
        searcher.setSimilarity(new BM25Similarity(1.2f, 0.75f));
        searcher.setQueryCache(null);
        return searcher;
    }

    static long[] ask(IndexSearcher searcher, Parser parser, String[] asked) throws Exception {
        int k = Integer.parseInt(asked[1]);
        long start = CLOCK.getCurrentThreadCpuTime();
        Query query = parser.parse(asked[2]);
        long found = -1;
        if (asked[0].equals("words")) searcher.search(query, k);
        else found = searcher.search(query, TopScoreDocCollector.createSharedManager(k, null, Integer.MAX_VALUE))
                             .totalHits.value;
        return new long[] {CLOCK.getCurrentThreadCpuTime() - start, found};
    }

    static void build(Path folder, Path texts, boolean positions) throws Exception {
        IndexWriterConfig settings = new IndexWriterConfig(new WhitespaceAnalyzer());
        settings.setRAMBufferSizeMB(256);
        FieldType type = new FieldType();
        type.setTokenized(true);
        type.setIndexOptions(positions ? IndexOptions.DOCS_AND_FREQS_AND_POSITIONS : IndexOptions.DOCS_AND_FREQS);
        try (IndexWriter writer = new IndexWriter(new MMapDirectory(folder), settings);
             BufferedReader lines = Files.newBufferedReader(texts)) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] parts = line.split("\\t");
                Document document = new Document();
                document.add(new Field("body", parts[2], type));
                document.add(new StringField("id", String.format("D%07d", number++), Field.Store.YES));
                if (positions) {
                    document.add(new IntField("published", Integer.parseInt(parts[0]), Field.Store.NO));
                    document.add(new StringField("class", parts[1], Field.Store.NO));
                }
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
    }

    public static void main(String[] arguments) throws Exception {
        IndexSearcher.setMaxClauseCount(100_000);
        Path words = Paths.get(arguments[1], "WORDS_FOLDER"), places = Paths.get(arguments[1], "PLACES_FOLDER");
        if (arguments[0].equals("build")) {
            for (Path folder : new Path[] {words, places}) {
                OperatingSystem before = new OperatingSystem();
                build(folder, Paths.get(arguments[2]), folder == places);
                OperatingSystem after = new OperatingSystem();
                System.out.println((after.processor - before.processor) + " " + (after.passed - before.passed));
            }
            return;
        }
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        Parser parser = new Parser();
        if (arguments[0].equals("first")) {
            String[] asked = lines.readLine().split("\\t");
            long start = CLOCK.getCurrentThreadCpuTime();
            IndexSearcher searcher = open(asked[0].equals("words") ? words : places);
            long opened = CLOCK.getCurrentThreadCpuTime() - start;
            System.out.println(opened + ask(searcher, parser, asked)[0]);
            return;
        }
        IndexSearcher inWords = open(words), inPlaces = open(places);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] asked = line.split("\\t");
            long[] answer = ask(asked[0].equals("words") ? inWords : inPlaces, parser, asked);
            System.out.println(answer[0] + " " + answer[1]);
            System.out.flush();
        }
    }

    static class OperatingSystem {
        long processor = ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
        long passed = System.nanoTime();
    }
}
""".replace("WORDS_FOLDER", WORDS).replace("PLACES_FOLDER", PLACES)


def lucene_reason() -> str:
    """Why Lucene cannot take part; empty where it can."""
    if not (shutil.which("java") and shutil.which("javac")):
        return "java and javac are not installed"
    return "" if os.environ.get("LUCENE_JARS") else "LUCENE_JARS is not set to a class path with lucene-core"


def lucene_version() -> str:
    """The version of the Lucene on the class path."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "Version.java"
        path.write_text(
            "class Version { public static void main(String[] a) {"
            " System.out.println(org.apache.lucene.util.Version.LATEST); } }"
        )
        command = ["java", "-cp", os.environ["LUCENE_JARS"], path]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class Lucene:
    """Lucene in processes of Java, with the methods of `Worker` in search.py."""

    kinds = ("words", "typed", "and", "phrase", "filter", "truncated")

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[str] | None = None

    def _command(self, *arguments: str | Path) -> list[str]:
        path = f"{os.environ['LUCENE_JARS']}{os.pathsep}{self.folder}"
        return ["java", "-XX:-UsePerfData", "-cp", path, "Searching", *map(str, arguments)]

    def build(self, texts: Path, threads: int) -> dict[str, Any]:
        """Build both indexes; it writes with one thread, and merges with more."""
        (self.folder / "Searching.java").write_text(SOURCE)
        path = os.environ["LUCENE_JARS"]
        subprocess.run(["javac", "-nowarn", "-cp", path, "-d", self.folder, self.folder / "Searching.java"], check=True)
        said = subprocess.run(
            self._command("build", self.folder, texts), check=True, capture_output=True, text=True
        ).stdout.splitlines()
        made = {}
        for name, line in zip((WORDS, PLACES), said, strict=True):
            processor, passed = (int(each) / 1e9 for each in line.split())
            size = sum(each.stat().st_size for each in (self.folder / name).iterdir())
            made[name] = {"bytes": size, "processor": processor, "passed": passed}
        return made

    def start(self) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(self._command("serve", self.folder), stdin=pipe, stdout=pipe, text=True)

    def stop(self) -> None:
        if self.process is not None:
            self.process.communicate()
            self.process = None

    def text(self, query: Asked) -> str:
        if query.kind == "filter":
            return f"+({' '.join(query.words)}) +class:{query.symbol} +published:[{query.first} TO {query.last}]"
        if query.kind in ("and", "truncated"):
            return " ".join(f"+{each}" for each in written(query).split(" AND "))
        return written(query)

    def ask(self, kind: str, k: int, queries: list[Asked]) -> tuple[float, list[int]]:
        """The microseconds of a query, and how many documents each found."""
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        spent, found = 0, []
        for query in queries:
            print(kind, k, self.text(query), sep="\t", file=self.process.stdin, flush=True)
            nanoseconds, count = self.process.stdout.readline().split()
            spent += int(nanoseconds)
            found.append(int(count))
        return spent / 1000 / len(queries), found

    def first(self, query: Asked) -> tuple[float, float]:
        """The milliseconds of opening and of a first query, and of the whole process."""
        from search import whole_process

        line = f"{query.kind}\t10\t{self.text(query)}\n"
        said, whole = whole_process(self._command("first", self.folder), line)
        return int(said) / 1e6, whole
