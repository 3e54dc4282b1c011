"""Work that is handed over as a cluster would, without Ray: everything that travels is pickled."""

from __future__ import annotations

import contextlib
import gzip
import json
import pickle
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leadline.cli import main
from leadline.cluster.work import Caller, CrewMember, Held, call_in_worker
from leadline.collections.documents.build import build
from leadline.retrieval.index.segment import MERGE_SIZES
from leadline.retrieval.index.writing import BuildSizes

Job = Callable[..., dict[str, Any]]
GRID = """
[choices.query]
whole = "text"
[choices.model]
bm25 = {step = "search", model = "bm25"}
dph = {step = "search", model = "dph"}
"""


def sent(value: Any) -> Any:
    """The value as it arrives: Ray's arrays cannot be written to."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(pickled, buffers=[bytes(buffer.raw()) for buffer in buffers])


class Kept(Held):
    """A value that travels with its reference."""

    def value(self) -> Any:
        return self.reference


class PickledCluster:
    """Does the work of a cluster in this process."""

    processors = 3

    def __init__(self) -> None:
        self.pieces = 0

    @property
    def caller(self) -> Caller:
        return Caller.here()

    def held(self, value: Any) -> Any:
        return Kept(value)

    def __call__(self, function: Callable[..., Any], pieces: Iterable[tuple[Any, ...]], *shared: Any) -> Iterator[Any]:
        for piece in pieces:
            self.pieces += 1
            yield sent(call_in_worker(self.caller, sent(function), sent(piece), sent(shared))).result()


class PickledCrew:
    """The actors of a cluster in this process; each is made anew when it is asked, as if its machine had been lost."""

    def __init__(self, cluster: PickledCluster, make: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> None:
        self.cluster, self.make, self.arguments = cluster, make, list(arguments)

    def __len__(self) -> int:
        return len(self.arguments)

    def ask(self, method: str, arguments: Iterable[tuple[Any, ...]]) -> list[Any]:
        return [self.ask_one(number, method, *given) for number, given in enumerate(arguments)]

    def ask_all(self, method: str, *arguments: Any) -> list[Any]:
        return self.ask(method, [arguments] * len(self))

    def ask_one(self, number: int, method: str, *arguments: Any) -> Any:
        self.cluster.pieces += 1
        member = CrewMember(self.cluster.caller, self.make, sent(Kept(self.arguments[number])))
        return sent(member.ask(method, sent(arguments))).result()


@pytest.fixture
def pickled(monkeypatch: pytest.MonkeyPatch) -> PickledCluster:
    monkeypatch.setattr("leadline.cluster.parts.Crew", PickledCrew)
    return PickledCluster()


# Every kind of job: a command without -o and --cluster. Outputs are compared to the last byte.
JOBS = {
    "evaluate": "evaluate qrels.txt runs -m 'PRES@100 AP nDCG@10' --by-topic --format json",
    "evaluate within memory": "evaluate qrels.txt runs -m AP --memory 1GB --format tsv",
    "evaluate with ties": "evaluate qrels.txt runs -m 'AP RR' --ties --format tsv",
    "evaluate with copies": "evaluate qrels.txt runs --duplicates copies.tsv --format tsv",
    "compare pairs": "compare pairs qrels.txt runs -m AP --format json",
    "compare incomplete": "compare incomplete qrels.txt runs -m AP --keep 0.5 --samples 3 --format json",
    "run": "run patents.index topics.tsv --system baseline -k 50",
    "grid": "grid patents.index topics.tsv grid.toml -k 20",
    "search": "search patents.index 'coating OR \"thin film\" OR poly*' --model dirichlet --why --format json",
    "search for all words": "search patents.index 'method AND device' --format json",
    "search by date": "search patents.index 'coating glaze' --newest --format json",
    "index": "index patents --positions --fields title,abstract,claims,description,phrases",
    "collection build": "collection build documents.jsonl --keep all",
    "duplicates": "duplicates documents.jsonl --resemblance 0.6 --format json",
    "duplicates of a collection": "duplicates patents --resemblance 0.3 --format json",
    "duplicates, exact": "duplicates documents.jsonl --exact --format json",
    "links pagerank": "links pagerank edges.tsv --format json",
    "links hits": "links hits edges.tsv --rounds 20 --format json",
}


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the jobs read: a small office with runs, documents with copies, and a graph of several blocks."""
    folder = tmp_path_factory.mktemp("cluster")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        main(shlex.split("simulate office -o office --patents 100 -q"))
        shutil.move("office/collection", "patents")
        shutil.copy("office/topics.tsv", "topics.tsv")
        shutil.copy("office/qrels.citations.txt", "qrels.txt")
        main(shlex.split("index patents -o patents.index --positions -q"))
        Path("grid.toml").write_text(GRID)
        Path("runs").mkdir()
        for model in ("bm25", "dph", "dirichlet"):
            Path(f"{model}.toml").write_text(f'steps = ["text", {{step = "search", model = "{model}"}}]')
            main(shlex.split(f"run patents.index topics.tsv --system {model}.toml -k 50 -o runs/{model}.run -q"))
        packed = gzip.compress(Path("runs/dph.run").read_bytes())  # it is read whole, the others in pieces
        Path("runs/dph.run").unlink()
        Path("runs/dph.run.gz").write_bytes(packed)
        rng = np.random.default_rng(3)
        words = [" ".join(f"w{n}" for n in rng.integers(0, 60, 40).tolist()) for _ in range(60)]
        words += [f"{text} more" for text in words[::3]]
        lines = [{"id": f"EP{n}", "title": f"T{n}", "abstract": text} for n, text in enumerate(words)]
        Path("documents.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        pairs = rng.integers(0, 9000, (20_000, 2)).tolist()
        Path("edges.tsv").write_text("".join(f"p{source}\tp{target}\n" for source, target in pairs))
        found = sorted({line.split()[2] for line in Path("runs/bm25.run").read_text().splitlines()})
        rows = [f"{n // 3}\t{name}\t1.0\t{int(n % 3 == 0)}\n" for n, name in enumerate(found)]
        Path("copies.tsv").write_text("group\tdocument\tresemblance\tkept\n" + "".join(rows))
    return folder


@pytest.fixture
def job(files: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    """Runs one of the jobs, and returns what it wrote, without names and times that differ every time."""
    monkeypatch.chdir(files)
    # Small pieces, so that small data are many: these are the numbers of the process that hands them out.
    monkeypatch.setattr("leadline.collections.duplicates.find.CollectionTexts.batch_bytes", 3000)
    monkeypatch.setattr("leadline.collections.duplicates.find.MemoryTexts.batch_bytes", 3000)
    monkeypatch.setattr("leadline.collections.duplicates.find.ItemTexts.batch_bytes", 3000)
    monkeypatch.setattr("leadline.measures.run_source.PIECE_BYTES", 5000)
    monkeypatch.setitem(build.__kwdefaults__, "part_bytes", 2000)
    monkeypatch.setattr(BuildSizes.__init__, "__defaults__", (150_000, MERGE_SIZES))
    monkeypatch.setattr("leadline.retrieval.index.writing.AT_ONCE", 3)

    def run(name: str, *more: str) -> dict[str, Any]:
        output = Path(f"out-{name.replace(' ', '-')}-{'cluster' if more else 'here'}")
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(output) if output.is_dir() else output.unlink()
        main([*shlex.split(JOBS[name]), "-o", str(output), "-q", *more])
        if not output.is_dir():
            return {"output": output.read_bytes()}
        manifest = json.loads((output / "manifest.json").read_text())
        if "segments" in manifest:
            return {"segments": [each["sha256"] for each in manifest["segments"]], "counts": manifest["counts"]}
        if "runs" in manifest:
            return {path.name: path.read_bytes() for path in sorted(output.rglob("*.run"))}
        return {"parts": manifest["parts"], "counts": manifest["counts"], "hash": manifest["hash"]}

    return run
