"""A pipeline of PyTerrier."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

from leadline.retrieval.engines.engine import AskingFailedError, Connection, EngineHits, SearchEngine, engine
from leadline.retrieval.engines.kinds.python import named_object


@engine("pyterrier")
class PyTerrierPipeline(SearchEngine):
    """`pipeline = "module:name"`, a transformer that takes qid and query and returns docno and score.

    PyTerrier and the pipeline must be installed. One query is asked at a time.
    """

    packages: ClassVar[tuple[str, ...]] = ("pandas",)
    extra: ClassVar[str] = "pandas"
    runs_code: ClassVar[bool] = True
    pipeline: str = ""

    def connect(self, seconds: float) -> Connection:
        return _Transformer(named_object(self.kind, "pipeline", self.pipeline))


_ONE_AT_A_TIME = threading.Lock()  # a transformer may keep state


class _Transformer:
    def __init__(self, pipeline: Any) -> None:
        self.pipeline = pipeline

    def ask(self, query: str, k: int) -> EngineHits:
        import pandas as pd

        try:
            with _ONE_AT_A_TIME:
                found = self.pipeline.transform(pd.DataFrame([{"qid": "1", "query": query}]))
            found = found.sort_values("score", ascending=False, kind="stable")[:k]
            return EngineHits([str(name) for name in found["docno"]], [float(score) for score in found["score"]])
        except Exception as error:  # somebody else's code, which may fail in any way
            raise AskingFailedError(" ".join(f"{type(error).__name__}: {error}".split())[:300]) from error

    def close(self) -> None:
        pass
