"""The engine: one rule for every job, and an answer whatever happens to the compiler."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import pytest

from leadline.collections.documents.readers import uspto
from leadline.collections.duplicates import grouping, sketches
from leadline.collections.links import graph, page_scores
from leadline.errors import InputError, LeadlineWarning
from leadline.judge.review import learners
from leadline.measures import join
from leadline.records import runs
from leadline.retrieval.index import analysis, index, inverting, packing, segment, terms
from leadline.retrieval.models import searcher
from leadline.retrieval.one_call import ranking as one_call
from leadline.text import engine, fields
from leadline.text.engine import BEGINNING_PAYS, COMPILING_PAYS, JOBS, LOADING_PAYS, Engine

TEXT = "leadline.text.kernels"
PACKAGES = (
    TEXT, "leadline.records.kernels", "leadline.measures.kernels", "leadline.collections.documents.kernels",
    "leadline.collections.duplicates.kernels", "leadline.collections.links.kernels",
    "leadline.retrieval.index.kernels", "leadline.retrieval.joined.kernels", "leadline.retrieval.models.kernels",
    "leadline.retrieval.one_call.kernels",
    "leadline.judge.review.kernels",
)  # fmt: skip
DECLARING = (
    fields, uspto, grouping, sketches, graph, page_scores, join, runs, analysis, index, inverting, segment, packing,
    terms, searcher, one_call,
    learners,
)  # fmt: skip


class FakeLibrary:
    """A library that counts what is asked of it."""

    def __init__(self, cached: bool = False, error: Exception | None = None, not_cached: OSError | None = None) -> None:
        self.cached, self.error, self.not_cached, self.loads = cached, error, not_cached, 0
        self.begun, self.compiled = 0, False

    def is_cached(self) -> bool:
        return self.cached

    def begin(self, most: int | None = None) -> None:
        self.begun += 1

    def is_compiled(self) -> bool:
        return self.compiled

    def load(self) -> object:
        self.loads += 1
        if self.error is not None:
            raise self.error
        return {"one": lambda: 1}, self.not_cached


def engine_with(library: FakeLibrary) -> Engine:
    made = Engine(TEXT)
    made.library = library  # type: ignore[assignment]
    return made


@pytest.fixture(autouse=True)
def _no_override(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("LEADLINE_ENGINE", raising=False)
    monkeypatch.setattr(engine.KernelLibrary, "shipped_file", Path("none"))  # whatever a build left in the tree
    engine.warn_once.cache_clear()
    yield
    engine.warn_once.cache_clear()


def test_small_jobs_are_plain_until_they_add_up() -> None:
    cached = engine_with(FakeLibrary(cached=True))
    assert not cached.pays(LOADING_PAYS)
    assert cached.pays(1)


@pytest.mark.parametrize("spare", [0, 1])
def test_a_spare_processor_compiles_while_plain_python_works(spare: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "spare_processors", lambda: spare)
    library = FakeLibrary()
    missing = engine_with(library)
    assert not missing.pays(BEGINNING_PAYS)
    assert library.begun == 0
    assert [missing.pays(BEGINNING_PAYS) for _ in range(3)] == [False] * 3
    assert library.begun == 3 * spare
    assert missing.pays(COMPILING_PAYS)  # it takes as long to wait for it as the work took so far
    library.compiled = True
    other = engine_with(library)
    assert other.pays(BEGINNING_PAYS)


def test_work_to_come_counts_before_it_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "spare_processors", lambda: 1)
    library = FakeLibrary()
    missing = engine_with(library)
    assert not missing.expects(BEGINNING_PAYS)
    assert library.begun == 0
    assert not missing.expects(COMPILING_PAYS)
    assert library.begun == 1
    assert missing.plain_size == 0
    assert missing.expects(COMPILING_PAYS + 1)
    assert library.loads == 1
    broken = engine_with(FakeLibrary(cached=True, error=RuntimeError("no room")))
    with pytest.warns(LeadlineWarning, match="no room"):
        assert not broken.expects(COMPILING_PAYS)  # so that memory is planned for plain Python


def test_loaded_code_is_always_used() -> None:
    made = engine_with(FakeLibrary())
    assert made.kernel("one") is not None
    assert made.pays(0)


def test_the_variable_overrides_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakeLibrary(cached=True)
    made = engine_with(library)
    monkeypatch.setenv("LEADLINE_ENGINE", "plain")
    assert not made.pays(2 * COMPILING_PAYS)
    assert made.kernel("one") is None
    assert library.loads == 0
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    assert made.pays(0)
    assert made.kernel("one") is not None
    monkeypatch.setenv("LEADLINE_ENGINE", "plain")
    assert made.kernel("one") is None  # although it is loaded
    monkeypatch.setenv("LEADLINE_ENGINE", "plan")
    with pytest.raises(InputError, match="LEADLINE_ENGINE: 'plan' is not one of plain, compiled; did you mean plain"):
        made.pays(0)


@pytest.mark.parametrize("forced", [None, "compiled"])
def test_a_failure_is_told_once_and_not_tried_again(forced: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if forced:
        monkeypatch.setenv("LEADLINE_ENGINE", forced)
    library = FakeLibrary(error=RuntimeError("LLVM ERROR:\n  no such target"))
    one, other = engine_with(library), engine_with(library)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert [each.kernel("one") for each in (one, one, other)] == [None] * 3
    (line,) = [str(each.message) for each in told]
    assert line == "plain Python is used because machine code cannot be: RuntimeError: LLVM ERROR: no such target"
    assert library.loads == 2
    assert not one.pays(2 * COMPILING_PAYS)


def test_a_library_that_cannot_say_whether_it_is_cached_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Engine(TEXT)
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    with pytest.warns(LeadlineWarning, match="llvmlite"):
        assert not made.pays(LOADING_PAYS + 1)
    assert not made.pays(COMPILING_PAYS + 1)


def test_a_library_without_the_kernel_has_failed() -> None:
    made = engine_with(FakeLibrary())
    with pytest.warns(LeadlineWarning, match="plain Python is used .*has no kernel two"):
        assert made.kernel("two") is None
    assert made.kernel("one") is None
    assert not made.pays(2 * COMPILING_PAYS)


def test_code_that_cannot_be_cached_is_still_used() -> None:
    made = engine_with(FakeLibrary(not_cached=PermissionError(13, "Permission denied", "/cache")))
    with pytest.warns(LeadlineWarning, match="cannot be cached, so it will be compiled again .*Permission denied"):
        assert made.kernel("one") is not None


def no_numba(patch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "numba.py").write_text("raise ModuleNotFoundError(\"No module named 'numba'\")")
    patch.syspath_prepend(folder)


def numba_raises(patch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "numba.py").write_text("raise RuntimeError('compiler out of order')")
    patch.syspath_prepend(folder)


def no_processes(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setattr(sys, "executable", str(folder / "python"))


def no_llvmlite(patch: pytest.MonkeyPatch, _: Path) -> None:
    patch.setitem(sys.modules, "llvmlite", None)
    patch.setitem(sys.modules, "llvmlite.binding", None)


def llvm_does_not_load(patch: pytest.MonkeyPatch, _: Path) -> None:
    class Done:
        def __init__(self, _module: str, _path: Path, held: FileIO) -> None:
            held.close()

        def result(self) -> tuple[bytes, None]:
            return b"{}\nno object", None

    def fail(*_: object) -> None:
        raise OSError("cannot map executable memory")

    patch.setattr(engine, "Compiler", Done)
    patch.setattr(engine.KernelLibrary, "_linked", fail)


def unknown_processor(patch: pytest.MonkeyPatch, _: Path) -> None:
    def fail() -> None:
        raise RuntimeError("failed to detect host cpu features")

    patch.setattr(importlib.import_module("llvmlite.binding"), "get_host_cpu_features", fail)


@pytest.mark.parametrize(
    "sabotage", [numba_raises, no_numba, no_processes, no_llvmlite, llvm_does_not_load, unknown_processor]
)
@pytest.mark.soak
def test_every_job_answers_without_a_compiler(
    sabotage, tmp_path: Path, soak: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sabotage is no_numba and not soak:
        pytest.skip("begins as many processes as numba_raises, which fail alike: make soak")
    from leadline.measures.evaluate import evaluate
    from leadline.retrieval.index.index import Index
    from leadline.retrieval.models.searcher import Searcher

    (tmp_path / "run").write_text("".join(f"{t} Q0 d{d} 1 {d % 7 / 3} x\n" for t in (1, 2) for d in range(30)))
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{d} {d % 3}\n" for t in (2, 1) for d in range(20)))
    documents = [{"id": f"D{d}", "title": "acid film " * d, "body": f"metal {d} acid"} for d in range(9)]

    def answers(name: str) -> list[object]:
        scores = evaluate(tmp_path / "qrels", tmp_path / "run", "AP nDCG@10 PRES@5")
        index = Index.build(documents[:6], tmp_path / name, fields=["title", "body"], positions=True)
        index = index.add(documents[6:]).merge()
        found = Searcher(index).search_many(["acid metal", "film 3"], k=5)
        markup = uspto.read_words(b"<p>a<b>b</b> &amp; c</p>", uspto.Layout({"p": uspto.LINE}))
        segments = [segment["sha256"] for segment in index.manifest["segments"]]
        return [
            scores.values.tolist(),
            segments,
            [(each.rows.tolist(), each.scores.tolist()) for each in found],
            markup,
        ]

    monkeypatch.setenv("LEADLINE_ENGINE", "plain")
    expected = answers("plain")
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    monkeypatch.setenv("LEADLINE_CACHE", str(tmp_path / "cache"))
    for job in JOBS.values():
        monkeypatch.setattr(job, "engine", Engine(job.engine.library.module))
    sabotage(monkeypatch, tmp_path)
    with pytest.warns(LeadlineWarning, match="plain Python is used because machine code cannot be") as told:
        assert answers("broken") == expected
    assert len({str(each.message) for each in told}) == len(told) <= 2
    assert all("\n" not in str(each.message) for each in told)


def test_every_kernel_is_declared_once_with_its_twin() -> None:
    assert all(DECLARING)
    marked = {
        f"{function.__module__}.{function.__name__}"
        for package in PACKAGES
        for function in engine._kernel_functions(package)
    }
    assert marked == set(JOBS)
    assert len(marked) == 52
    assert {job.engine.library.module for job in JOBS.values()} == set(PACKAGES)


def test_the_key_of_the_cache_covers_every_source(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {path.relative_to(engine._PACKAGE_ROOT).as_posix() for path in engine.sources("leadline.measures.kernels")}
    assert names >= {
        "text/engine.py", "text/kernels.py", "text/kernel_arguments.py",
        "records/kernels.py", "measures/kernels.py",
    }  # fmt: skip
    assert "text/kernels.py" in {path.relative_to(engine._PACKAGE_ROOT).as_posix()
                                         for path in engine.sources("leadline.retrieval.index.kernels")}  # fmt: skip
    for package in PACKAGES:  # no other way to import would be seen
        for path in engine.sources(package):
            lines = path.read_text(encoding="utf-8").splitlines()
            assert not [line for line in lines if line.startswith(("import leadline", "from ."))]
    before = engine.KernelLibrary(TEXT)._object_file
    monkeypatch.setattr(engine, "numba_version", lambda: "another")
    assert engine.KernelLibrary(TEXT)._object_file != before


def test_numbas_version_is_known_without_importing_it() -> None:
    import numba

    assert numba.__version__ in engine.numba_version()


def test_arrays_are_checked_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    from leadline.text.kernel_arguments import FieldSlices

    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    kernel = engine.engine_of(TEXT).kernel("whole_numbers")
    assert kernel is not None
    text, starts, lengths = np.frombuffer(b"12" + bytes(64), np.uint8), np.zeros(1, np.int64), np.full(1, 2, np.int32)
    values = np.zeros(4, np.int32)
    assert kernel(FieldSlices(text, starts, lengths), 1, values) == -1
    assert values[0] == 12
    with pytest.raises(
        TypeError, match=r"whole_numbers: fields.lengths must be a contiguous array of int32, got int64"
    ):
        kernel(FieldSlices(text, starts, starts), 1, values)
    with pytest.raises(TypeError, match="whole_numbers: values must be a contiguous array"):
        kernel(FieldSlices(text, starts, lengths), 1, values[::2])
    with pytest.raises(ValueError, match="zip"):
        kernel(FieldSlices(text, starts, lengths), 1)


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, check=False)


NOTHING_SHIPPED = """
from leadline.text import engine
engine.KernelLibrary.shipped_file = Path("none")
"""
EVERYTHING = """
import json, sys
from pathlib import Path
SABOTAGE
from leadline.cli import main
folder = Path({folder!r})
main(["evaluate", str(folder / "qrels"), str(folder / "run"), "-m", "AP", "--quiet"])
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document
from leadline.collections.documents.collection import Collection
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.searcher import Searcher
numbers = [f"000000{{n}}" for n in range(4)]
documents = [Document(f"EP{{n}}B1", office="EP", serial=n, kind="B1", title="acid film") for n in numbers]
write_collection(documents, folder / "collection", {{"made": "by a test"}})
index = Index.build(Collection.open(folder / "collection"), folder / "index", fields=["title"])
found = Searcher(index.add([{{"id": "X", "title": "film"}}]).merge()).search("acid")
print(json.dumps([found.rows.tolist(), sorted({{"numba", "llvmlite"}} & set(sys.modules))]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run").write_text("1 Q0 d1 1 0.5 x\n1 Q0 d2 2 0.4 x\n")
    (tmp_path / "qrels").write_text("1 0 d2 1\n")
    return tmp_path


def test_plain_imports_no_compiler(folder: Path) -> None:
    code = EVERYTHING.format(folder=str(folder)).replace("SABOTAGE", "")
    done = run(code, LEADLINE_ENGINE="plain", LEADLINE_CACHE=str(folder / "cache"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [[3, 2, 1, 0], []]
    assert not (folder / "cache").exists()
    assert done.stderr == ""


def test_the_command_line_tells_a_failure_in_one_line(folder: Path) -> None:
    code = EVERYTHING.format(folder=str(folder)).replace(
        "SABOTAGE", f"sys.path.insert(0, {str(folder)!r})\n{NOTHING_SHIPPED}"
    )
    (folder / "numba.py").write_text("raise ModuleNotFoundError('no such module')")
    done = run(code, LEADLINE_ENGINE="compiled", LEADLINE_CACHE=str(folder / "cache"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [[3, 2, 1, 0], ["llvmlite"]]
    (line,) = done.stderr.splitlines()
    assert line.startswith("leadline: plain Python is used because machine code cannot be: ModuleNotFoundError")


def test_an_unknown_engine_is_one_line(folder: Path) -> None:
    code = EVERYTHING.format(folder=str(folder)).replace("SABOTAGE", "")
    done = run(code, LEADLINE_ENGINE="fast")
    assert done.returncode == 1
    assert done.stderr == "leadline: LEADLINE_ENGINE: 'fast' is not one of plain, compiled\n"


def test_warnings_can_be_silenced() -> None:
    made = engine_with(FakeLibrary(error=RuntimeError("broken")))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("ignore", LeadlineWarning)
        assert made.kernel("one") is None
    assert not told


def test_a_prepared_group_is_checked_for_each_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    from leadline.text.kernel_arguments import FieldSlices

    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    kernel = engine.engine_of(TEXT).kernel("whole_numbers")
    assert kernel is not None
    text, starts, lengths = np.frombuffer(b"12" + bytes(64), np.uint8), np.zeros(1, np.int64), np.full(1, 2, np.int32)
    group = engine.prepared(FieldSlices(text, starts, lengths))
    assert isinstance(group, FieldSlices)
    for number in (12, 12):
        values = np.zeros(4, np.int32)
        assert kernel(group, 1, values) == -1
        assert values[0] == number
    with pytest.raises(TypeError, match=r"fields.lengths must be a contiguous array of int32"):
        kernel(engine.prepared(FieldSlices(text, starts, starts)), 1, values)
    with pytest.raises(AttributeError):
        kernel(group, 1, 5)  # a number in place of an array is no address
