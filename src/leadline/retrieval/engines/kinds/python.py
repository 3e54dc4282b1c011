"""Python that is called: a function that takes a query and returns what it found, and a pipeline of PyTerrier."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable
from typing import Any, ClassVar

from leadline.errors import InputError
from leadline.retrieval.engines.engine import (
    AskingFailedError,
    Connection,
    EngineHits,
    SearchEngine,
    TimedCaller,
    engine,
    hits_of,
)


@engine("python")
class PythonFunction(SearchEngine):
    """`function = "package.module:name"`, called as name(query, k): ids, pairs of id and score, or a mapping."""

    runs_code: ClassVar[bool] = True
    function: str = ""

    def connect(self, seconds: float) -> Connection:
        return _Called(named_object(self.kind, "function", self.function), seconds)


class _Called:
    def __init__(self, function: Callable[[str, int], Any], seconds: float) -> None:
        self.function, self.caller = function, TimedCaller(seconds)

    def ask(self, query: str, k: int) -> EngineHits:
        return self.caller.hits(lambda: hits_of(self.function(query, k)))

    def close(self) -> None:
        self.caller.close()


@engine("pyterrier")
class PyTerrierPipeline(SearchEngine):
    """`pipeline = "module:name"`, a transformer that takes qid and query and returns docno and score.

    PyTerrier and the pipeline must be installed. One query is asked at a time.
    """

    packages: ClassVar[tuple[str, ...]] = ("pandas",)
    extra: ClassVar[str] = "pandas"
    runs_code: ClassVar[bool] = True
    one_at_a_time: ClassVar[bool] = True  # a transformer may keep state
    pipeline: str = ""

    def connect(self, seconds: float) -> Connection:
        return _Transformer(named_object(self.kind, "pipeline", self.pipeline), seconds)


_ONE_AT_A_TIME = threading.Lock()


class _Transformer:
    def __init__(self, pipeline: Any, seconds: float) -> None:
        self.pipeline, self.caller = pipeline, TimedCaller(seconds)

    def ask(self, query: str, k: int) -> EngineHits:
        import pandas as pd

        def hits() -> EngineHits:
            if not _ONE_AT_A_TIME.acquire(blocking=False):
                raise AskingFailedError("the pipeline has not come back from an earlier query")
            try:
                found = self.pipeline.transform(pd.DataFrame([{"qid": "1", "query": query}]))
            finally:
                _ONE_AT_A_TIME.release()
            found = found.sort_values("score", ascending=False, kind="stable")[:k]
            return EngineHits([str(name) for name in found["docno"]], [float(score) for score in found["score"]])

        return self.caller.hits(hits)

    def close(self) -> None:
        self.caller.close()


def named_object(kind: str, option: str, name: str) -> Any:
    """The object that `module:name` names; the folder in which the command runs is searched as well."""
    module, colon, inside = name.partition(":")
    if not colon or not module or not inside:
        raise InputError(kind, f'{option} must be "module:name", got {name!r}')
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found: Any = importlib.import_module(module)
        for part in inside.split("."):
            found = getattr(found, part)
    except Exception as error:  # somebody else's code, which may fail in any way
        problem = " ".join(f"{type(error).__name__}: {error}".split())
        raise InputError(kind, f"{name} cannot be loaded: {problem}") from error
    return found
