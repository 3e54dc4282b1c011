"""A pipeline of PyTerrier."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

from leadline.retrieval.engines.engine import (
    AskingFailedError,
    Connection,
    EngineHits,
    SearchEngine,
    TimedCaller,
    engine,
)
from leadline.retrieval.engines.kinds.python import named_object


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
