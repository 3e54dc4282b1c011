"""Fuzz every reader of records and settings: an answer or one clear line, and the same from both engines.

    python tools/attack/fuzz_records.py [--count N] [--seed S] [--only TARGET]

Targets: runs, qrels, hits, topics, scores, tables, logs, side tables, pipelines, grids, mappings, measures, queries,
identities, journals, pools, people and records with a checksum. (Readers of documents have a fuzzer of their own,
`fuzz_readers.py`; `fuzz.py` runs both, a million times.)
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from harness import Tally

from damage import mutated

SLOW = 5.0  # seconds of the processor that reading a few hundred bytes may take
HANGS = 120.0  # seconds on the clock, on a machine that is busy with other things
Target = Callable[[bytes, Path], Any]

QRELS = "\n".join(f"{t} {t % 2} d{d} {(d * t) % 4 - 1}" for t in range(1, 5) for d in range(9)).encode() + b"\n"
STRATA = "\n".join(f"{t} 0 d{d} {d % 3} {(d * t) % 4 - 1}" for t in range(1, 4) for d in range(8)).encode() + b"\n"
PRELS = b"\n".join(b"1 d%d 1 1 0.%d" % (d, d + 1) for d in range(8)) + b"\n"
RUN = "\n".join(f"{t} Q0 d{d} {d} {9.5 - d / 3:.4f} tag" for t in range(1, 5) for d in range(9)).encode() + b"\n"
TIED = "\n".join(f"{t} Q0 d{d % 7}{t} {d} {d // 3} t" for t in (2, 1, 3) for d in range(7)).encode()
TOPICS = [
    b"topic\ttitle\tquery\n1\ta film\tpolymer film\n2\tvalves\tmetal valve\n",
    b"1\n2\n3\n",
    b"<top>\n<num> Number: 301\n<title> film\n<desc> Description:\nA film.\n<narr> Narrative:\nx\n</top>\n",
    b'{"topic": "1", "query": "film", "patent": "EP1000001B1"}\n{"topic": "2"}\n',
    b'<topics><topic number="1"><query>x</query><subtopic number="1" type="nav">y</subtopic></topic></topics>',
    b"topic,title,subtopics\n1,film,a;b\n",
]
SCORES = [
    b"run\ttopic\tmeasure\tvalue\na\t1\tAP\t0.5\na\t2\tAP\t0.25\nb\t1\tAP\t1\nb\t2\tAP\tNA\n",
    b"run,501,502\nbm25,0.1,0.2\ntfidf,0.3,\n",
    b'[{"run": "a", "topic": "1", "AP": 0.5}, {"run": "b", "topic": "1", "AP": 0.25}]',
    b'{"run": "a", "AP": 0.5}\n{"run": "b", "AP": 0.1}\n',
    b"run;AP;P@10\na;0,5;0,25\nb;0,1;1\n",
]
LOG = [b"1 d1 30\n1 d2 15.5\n2 d1 3\n", b"topic,document,seconds\n1,d1,30\n1,d1,2\n"]
SIDE = [b"run,team\na,one\nb,two\n", b"document,words\nd1,100\nd2,5\n", b"d1 100\nd2 7\n"]
PIPELINES = [
    b'steps = ["text", {step = "search", model = "bm25(k1=0.9)"}, {step = "cut", k = 5}]\n',
    b'steps = [{step = "text", fields = ["title"]}, "search", {step = "fuse", pipelines = [["text", "search"]]}]\n',
    b'[parts]\nfirst = ["text", "search"]\n',
]
GRIDS = [
    b'[choices.query]\nwhole = "text"\n[choices.model]\nbm25 = {step = "search", model = "bm25"}\ndph = "search"\n',
    b'runs = [{query = "whole"}]\n[choices.query]\nwhole = ["text", "search"]\n',
]
MEASURES = [b"AP PRES@5 nDCG@5 bpref infAP judged@3 RBP(p=0.8)", b"ERR-IA@20 alpha-nDCG(alpha=0.5)@10 P(rel=2)@5 R@100"]
QUERIES = [
    b'polymer film "thin film" polym* film NEAR/5 silver title:film class:C07D before:1998 +must -not',
    b"(metal OR glass) AND NOT (valve pump) sort:newest office:EP after:1990-01-01 (a (b (c)))",
    b'film^2 abstract:(resin acid) 1,2-dichloroethane H2SO4 NEAR/3 "nail head"~4 family:1 id:EP1000001B1',
]
IDENTITIES = [b'{"kind": "index", "format": 1, "id": "00ff"}\n{"name": "manifest.json"}\n{"name": "a/b.arrays"}\n']
MANIFESTS = [b'{"what": "a leadline index", "version": 1, "fields": [], "segments": [], "order": "x", "analysis": {}}']
JOURNALS = [b'["' + b"0" * 64 + b'"]\n["1", ["d1"], [0.5], []]\n["2", ["d1", "d2"], [0.5, 0.1], ["x"]]\n']


@contextlib.contextmanager
def engine(name: str) -> Iterator[None]:
    os.environ["LEADLINE_ENGINE"] = name
    try:
        yield
    finally:
        del os.environ["LEADLINE_ENGINE"]


def both(job: Callable[[], Any]) -> Any:
    """What both engines give; an AssertionError where they differ."""
    from leadline.errors import LeadlineError

    found = []
    for name in ("plain", "compiled"):
        with engine(name):
            try:
                found.append(job())
            except LeadlineError as error:
                found.append(error)
    if str(found[0]) != str(found[1]):
        raise AssertionError(f"the engines differ: {str(found[0])[:300]} | {str(found[1])[:300]}")
    if isinstance(found[0], LeadlineError):
        raise found[0]
    return found[0]


def read_runs(content: bytes, _folder: Path) -> Any:
    from leadline.records.runs import run_of_text
    from leadline.text.source import SourceText

    def job() -> Any:
        kernels = os.environ["LEADLINE_ENGINE"] == "compiled"
        found = []
        for order in ("score", "rank", "file"):
            run = run_of_text(SourceText.of(content, "run"), "run", kernels=kernels, order=order)
            ranking = [run.documents.at(line) for line in run.order.tolist()]
            found.append((run.topics, run.offsets.tolist(), ranking, run.keys.tobytes(), run.longer_lines))
        return found

    return both(job)


def read_qrels(content: bytes, _folder: Path) -> Any:
    from leadline.records.qrels import qrels_of_text
    from leadline.text.source import SourceText

    def job() -> Any:
        q = qrels_of_text(SourceText.of(content, "qrels"))
        return q.topics, q.offsets.tolist(), list(q.documents), q.grades.tolist(), q.kind

    return both(job)


def read_hits(content: bytes, folder: Path) -> Any:
    """A run and judgements at once: the content is the run, or, behind a form feed, the judgements."""
    from leadline.measures.evaluate import evaluate

    run, _, judged = content.partition(b"\x0c")
    (folder / "r").write_bytes(run)
    (folder / "q").write_bytes(judged or QRELS)

    def job() -> Any:
        scores = evaluate(folder / "q", folder / "r", "AP PRES@5 nDCG@5 bpref RBP")
        return scores.runs, scores.topics, scores.values.tobytes().hex()

    return both(job)


def by_path(function: Callable[[Path], Any], name: str = "file") -> Target:
    def read(content: bytes, folder: Path) -> Any:
        (folder / name).write_bytes(content)
        return function(folder / name)

    return read


def read_topics(path: Path) -> Any:
    from leadline.records.inputs import read_topics as ids
    from leadline.records.topics import Topics

    ids(path)
    topics = Topics.read(path)
    for ending in (".tsv", ".csv", ".jsonl", ".xml"):  # what is read can be written, and read again
        again = path.with_suffix(ending)
        topics.write(again)
        plain = all(each.isprintable() and each == " ".join(each.split()) for each in topics.ids)
        if plain and Topics.read(again).ids != topics.ids:
            raise AssertionError(f"written as {ending}, the topics are others")


def read_tables(path: Path) -> Any:
    from leadline.errors import LeadlineError
    from leadline.records.inputs import read_lengths, read_runs_info

    with contextlib.suppress(LeadlineError):
        read_lengths(path)
    return read_runs_info(path)


def read_measures(content: bytes, _folder: Path) -> Any:
    from leadline.measures.definition import parse_measures

    return parse_measures(content.decode("utf-8", "surrogateescape"))


class Queries:
    """Queries against a small index, opened once for each engine."""

    def __init__(self) -> None:
        self.language: Any = None

    def __call__(self, content: bytes, folder: Path) -> Any:
        from leadline.retrieval.index.index import Index
        from leadline.retrieval.language.language import Language

        if self.language is None:
            words = [
                "polymer",
                "film",
                "thin",
                "silver",
                "metal",
                "valve",
                "glass",
                "nail",
                "resin",
                "acid",
                "pump",
                "head",
                "C07D",
            ]
            texts = [
                {"id": f"EP{n}B1", "title": " ".join(words[n % 7 : n % 7 + 3]), "abstract": " ".join(words[n % 11 :])}
                for n in range(60)
            ]
            index = Index.build(texts, folder / "index", fields=["title", "abstract"], positions=True, workers=1)
            self.language = Language(index)

        def job() -> Any:
            answer = self.language.search(content.decode("utf-8", "surrogateescape"), k=20)
            return answer.found, answer.ranking.rows.tolist(), answer.ranking.scores.tobytes().hex(), answer.notes

        return both(job)


def read_identity(content: bytes, folder: Path) -> Any:
    from leadline.text.owned_folder import identity_of

    (folder / "owned").mkdir(exist_ok=True)
    (folder / "owned" / "leadline.jsonl").write_bytes(content)
    return identity_of(folder / "owned")


def read_index_manifest(content: bytes, folder: Path) -> Any:
    from leadline.retrieval.index.index import Index

    (folder / "opened").mkdir(exist_ok=True)
    (folder / "opened" / "manifest.json").write_bytes(content)
    return Index.open(folder / "opened")


def read_journal(path: Path) -> Any:
    from leadline.retrieval.pipeline.pipeline import Journal

    journal = Journal(path, "x")
    journal.key = "0" * 64
    return [journal._read() and journal.get(topic) for topic in ("1", "2")]


POOLED = b"".join(b"%d 0 d%d %d %d\n" % (t, d, 1 + d % 3, -2 if d % 2 else -1) for t in (1, 2) for d in range(8))
PEOPLE = {"name": "anna", "role": "assessor", "token": "00", "expires": "2026-11-16T00:00:00+00:00", "revoked": False}
PEOPLE_FILE = {"what": "a file of people who judge", "format": 1, "people": [PEOPLE]}
POOL_RECORD = {"what": "the record of a pool", "format": 1, "strata": [[3, 1.0]], "seed": 1, "budget": None}
POOL_RECORD |= {"runs": ["a"], "extended": 0, "units": {}}


def read_pool(content: bytes, folder: Path) -> Any:
    """A pool whose record is sound."""
    from leadline.judge.pools import Pool
    from leadline.text.checksums import sealed

    (folder / "pool").write_bytes(content)
    (folder / "pool.json").write_bytes(sealed(POOL_RECORD))
    return Pool.read(folder / "pool")


def read_pool_record(content: bytes, folder: Path) -> Any:
    from leadline.judge.pools import Pool

    (folder / "pool").write_bytes(POOLED)
    (folder / "pool.json").write_bytes(content)
    return Pool.read(folder / "pool")


def read_people(path: Path) -> Any:
    from leadline.judge.journal import People

    return People(path).find("x")


OPINIONS = [
    b"id,probability\na5,0.9\na6,0.1\na7,\n",
    b"document\tlabel\na5\tincluded\na6\tno\n",
    b"x 0 a5 2\nx 0 a6 0\n",
    b'{"id": "a5", "p": 0.9}\n{"id": "a6", "p": null}\n',
    b"TY  - JOUR\nID  - a5\nTI  - T\nN1  - ASReview_relevant\nER  - \n",
]
STRATEGIES = [
    b"1. exp Neoplasms/ (1,234)\n2. (cancer* adj3 tumo?r$).tw.\n3. 1 and 2\n"
    b"4. limit 3 to english language\n5. or/1-3\n",
    b'#1 "film"[tiab] OR metal*[mh:noexp]\n#2 #1 AND 2001:2010[dp]\n#3 #1 NOT #2\n',
    b"S1 TI film N3 metal\nS2 S1 OR (MH x+)\n",
    b"Query: film\nnumber  7\nTITLE-ABS-KEY(film W/3 metal) AND NOT {a b}\n",
    b"L1 S FILM?(3A)METAL/TI,AB\nL2 S L1 AND C08L?/IPC\n",
]
THESAURI = [
    b"*NEWRECORD\nRECTYPE = D\nMH = Film\nENTRY = Foil|T1\nMN = C14.907\nUI = D1\n\n*NEWRECORD\nMH = Metal\nMN = C14\n",
    b"@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
    b"<1> a skos:Concept ; skos:prefLabel 'Film'@en , \"F\\u0041\" .\n"
    b"<2> skos:prefLabel 'Metal' ; skos:broader <1> ; skos:note [ <a> ( 1 2.5 ) ] . # end\n",
    b"<DescriptorRecordSet><DescriptorRecord><DescriptorUI>D1</DescriptorUI><DescriptorName><String>Film</String>"
    b"</DescriptorName><TreeNumberList><TreeNumber>C1</TreeNumber></TreeNumberList></DescriptorRecord></DescriptorRecordSet>",
]
SCHEMES = [
    b'<IPCScheme><ipcEntry kind="u" symbol="C08L"><ipcEntry kind="1" symbol="C08L0067020000"/></ipcEntry></IPCScheme>',
    b'<class-scheme><classification-item level="5"><classification-symbol>C08L</classification-symbol>'
    b'<classification-item level="7"><classification-symbol>C08L67/00</classification-symbol></classification-item>'
    b"</classification-item></class-scheme>",
]


def read_strategy(content: bytes, _folder: Path) -> Any:
    from leadline.retrieval.language.syntax import SYNTAXES
    from leadline.retrieval.strategy.lines import strategy_text
    from leadline.retrieval.strategy.running import read_lines

    text = content.decode("utf-8", "replace")
    return [read_lines(strategy_text(text, syntax)) for syntax in (None, *SYNTAXES)]


def read_tree(kind: str) -> Callable[[Path], Any]:
    def read(path: Path) -> Any:
        from leadline.retrieval.index.tree_files import read_tree

        tree = read_tree(path, kind)  # type: ignore[arg-type]
        return [tree.exploded(name) for name in ("film", "metal", "C08L")], list(tree.groups())

    return read


def lazily(module: str, name: str) -> Callable[[Path], Any]:
    def read(path: Path) -> Any:
        import importlib

        return getattr(importlib.import_module(module), name)(str(path))

    return read


def targets() -> dict[str, tuple[list[bytes], Target]]:
    examples = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))
    mappings = [path.read_bytes() for path in examples if path.name != "grid.toml"]
    return {
        "runs": ([RUN, TIED], read_runs),
        "qrels": ([QRELS, STRATA, PRELS], read_qrels),
        "hits": ([RUN, TIED + b"\n\x0c" + QRELS, RUN + b"\x0c" + QRELS], read_hits),
        "topics": (TOPICS, by_path(read_topics)),
        "scores": (SCORES, by_path(lazily("leadline.records.scores", "read_scores"))),
        "logs": (LOG, by_path(lazily("leadline.measures.run_source", "read_reading_log"))),
        "side tables": (SIDE, by_path(read_tables)),
        "pipelines": (
            PIPELINES,
            by_path(lazily("leadline.retrieval.pipeline.named_systems", "read_pipeline"), "p.toml"),
        ),
        "grids": (GRIDS, by_path(lazily("leadline.retrieval.pipeline.grid", "read_grid"))),
        "mappings": (mappings, by_path(lazily("leadline.collections.documents.fields.mapping", "read_mapping"))),
        "measures": (MEASURES, read_measures),
        "queries": (QUERIES, Queries()),
        "identities": (IDENTITIES, read_identity),
        "manifests": (MANIFESTS, read_index_manifest),
        "journals": (JOURNALS, by_path(read_journal)),
        "pools": ([POOLED], read_pool),
        "records of pools": ([json.dumps(POOL_RECORD).encode()], read_pool_record),
        "opinions of machines": (
            OPINIONS,
            by_path(lazily("leadline.judge.review.labels", "read_opinions"), "o.csv"),
        ),
        "strategies": (STRATEGIES, read_strategy),
        "schemes": (SCHEMES, by_path(read_tree("scheme"))),
        "thesauri": (THESAURI, by_path(read_tree("thesaurus"))),
        "people": ([json.dumps(PEOPLE_FILE).encode()], by_path(read_people)),
    }


def fuzz(name: str, count: int, seed: int, share: tuple[int, int] = (0, 1)) -> Tally:
    """Read so many mutations of a target's seeds; `share` is the part that is read here: the first of how many."""
    from leadline.errors import LeadlineError, visible

    tally = Tally(f"fuzz: {name}")
    seeds, target = targets()[name]
    signal.signal(signal.SIGALRM, _too_long)
    seen: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="attack-") as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for each in seeds:  # what they need is compiled once, and not measured
            with contextlib.suppress(Exception):
                target(each, Path(place))
        for number in range(share[0], count, share[1]):
            chance = random.Random(f"{name} {seed} {number}")
            content = mutated(chance.choice(seeds), chance, seeds)
            fault = ""
            begin = time.process_time()
            signal.setitimer(signal.ITIMER_REAL, HANGS)
            try:
                target(content, Path(place))
            except LeadlineError as error:
                said = str(error)
                fault = f"{len(said):,} characters: {said[:100]!r}" if len(said) > 2000 else ""
                if visible(said) != said:
                    fault = f"more than one line, or control codes: {said[:200]!r} {_place(error)}"
            except Exception as error:  # what a user would see as a traceback
                fault = f"{type(error).__name__}: {' '.join(str(error).split())[:400]} {_place(error)}"
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            if not fault and time.process_time() - begin > SLOW:
                begin = time.process_time()  # once more: something may have been compiled
                with contextlib.suppress(LeadlineError):
                    target(content, Path(place))
                if (taken := time.process_time() - begin) > SLOW:
                    fault = f"took {taken:.1f} s"
            if fault and (key := fault[:60]) in seen and len(seen) < 1000:
                fault = f"as before: {key}"
            seen.add(fault[:60])
            tally.note(f"{name} #{number}: {content!r}", fault)
    return tally


def _place(error: BaseException) -> str:
    """Where in the package an error was raised."""
    import traceback

    here = [frame for frame in traceback.extract_tb(error.__traceback__) if "leadline" in frame.filename]
    return f"({Path(here[-1].filename).name}:{here[-1].lineno})" if here else ""


def _too_long(*_: object) -> None:
    raise TimeoutError("ran too long")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="files for each target (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(targets()))
    options = parser.parse_args(arguments)
    failures = 0
    for name in [options.only] if options.only else targets():
        tally = fuzz(name, options.count, options.seed)
        print(tally.row(), flush=True)
        new = [failure for failure in tally.failures if ": as before: " not in failure]
        print("".join(f"    {failure}\n" for failure in new[:20]), end="", flush=True)
        failures += len(tally.failures)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
