"""Lucene as a peer of benchmarks/search.py: a small Java program, compiled and run where Java and its jars are.

LUCENE_JARS is a class path with lucene-core. The program indexes one text a line and answers lines of `k word word …`
with the nanoseconds of processor time that the search took.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

SOURCE = """
import java.io.*;
import java.lang.management.ManagementFactory;
import java.nio.file.*;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.*;

public class Searching {
    public static void main(String[] arguments) throws Exception {
        Directory folder = new MMapDirectory(Paths.get(arguments[1]));
        if (arguments[0].equals("index")) {
            IndexWriterConfig settings = new IndexWriterConfig(new WhitespaceAnalyzer());
            FieldType type = new FieldType();
            type.setTokenized(true);
            type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
            try (IndexWriter writer = new IndexWriter(folder, settings);
                 BufferedReader lines = Files.newBufferedReader(Paths.get(arguments[2]))) {
                int number = 0;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    Document document = new Document();
                    document.add(new Field("body", line, type));
                    document.add(new StringField("id", String.format("D%07d", number++), Field.Store.YES));
                    writer.addDocument(document);
                }
                writer.forceMerge(1);
            }
            return;
        }
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(folder));
        searcher.setSimilarity(new BM25Similarity(1.2f, 0.75f));
        searcher.setQueryCache(null);
        IndexSearcher.setMaxClauseCount(100_000);
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
        for (String line = asked.readLine(); line != null; line = asked.readLine()) {
            String[] words = line.split(" ");
            BooleanQuery.Builder builder = new BooleanQuery.Builder();
            for (int i = 1; i < words.length; i++)
                builder.add(new TermQuery(new Term("body", words[i])), BooleanClause.Occur.SHOULD);
            Query query = builder.build();
            long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            searcher.search(query, Integer.parseInt(words[0]));
            System.out.println(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start);
            System.out.flush();
        }
    }
}
"""


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
    def __init__(self, texts: list[str], folder: Path) -> None:
        self.folder, self.work = folder, folder.parent
        self.path = f"{os.environ['LUCENE_JARS']}{os.pathsep}{self.work}"
        (self.work / "Searching.java").write_text(SOURCE)
        (self.work / "texts").write_text("\n".join(texts) + "\n")
        subprocess.run(["javac", "-cp", self.path, "-d", self.work, self.work / "Searching.java"], check=True)
        subprocess.run(["java", "-cp", self.path, "Searching", "index", folder, self.work / "texts"], check=True)
        self.process: subprocess.Popen[str] | None = None

    def open(self) -> None:
        if self.process is not None:
            self.process.communicate()
        command = ["java", "-cp", self.path, "Searching", "search", str(self.folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def microseconds(self, queries: list[list[str]], k: int) -> float:
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        total = 0
        for query in queries:
            print(k, *query, file=self.process.stdin, flush=True)
            total += int(self.process.stdout.readline())
        return total / 1000 / len(queries)

    def warm_up(self, queries: list[list[str]], k: int, seconds: float = 3.0) -> None:
        """Search until Java has compiled what is used often."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.microseconds(queries, k)
