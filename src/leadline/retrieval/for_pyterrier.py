"""Our systems as transformers of PyTerrier, where that is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leadline.errors import InputError
from leadline.retrieval.public import IndexLike, make_run, open_context

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.pipeline import Step


def pyterrier_retriever(index: IndexLike, system: str | Step = "best", k: int = 1000) -> Any:
    """Return a transformer of PyTerrier that searches an index with a system, given as `make_run` takes it.

    It takes queries (qid, query) and returns documents (docno, score, rank); other columns of the queries are kept.
    A qid that is the number of a patent of the index is searched for as that patent.
    """
    try:
        import pandas as pd
        import pyterrier as pt
    except ImportError:
        raise InputError("pyterrier_retriever", "needs the package pyterrier: pip install python-terrier") from None
    from leadline.records.topics.topic import Topic, Topics

    context = open_context(index)

    def retrieve(queries: Any) -> Any:
        if "docno" in queries.columns:
            raise InputError("pyterrier_retriever", "takes queries (qid, query), got documents: put it first")
        topics = [
            Topic(str(qid), title=str(query)) for qid, query in zip(queries["qid"], queries["query"], strict=True)
        ]
        run = make_run(context, Topics(tuple(topics)), system, k) if topics else None
        rows = [
            (topic, document, score, rank)
            for topic in (run.topics if run else ())
            for rank, (document, score) in enumerate(run.ranking(topic) if run else ())
        ]
        found = pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])
        asked = queries.assign(qid=queries["qid"].astype(str))
        return asked.merge(found.astype({"qid": str, "docno": str}), on="qid")

    return pt.apply.generic(retrieve)
