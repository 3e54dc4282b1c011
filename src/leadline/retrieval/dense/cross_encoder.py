"""Rerank the first results with a cross-encoder: a model that reads topic and document together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import InputError
from leadline.options import Count, Names
from leadline.retrieval.dense.dense_steps import document_text, topic_text
from leadline.retrieval.dense.encoder import LONGEST, in_batches, named_onnx_folder, padded, read_tokenizer
from leadline.retrieval.dense.passages import FIELDS
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext


class PairScorer:
    """Scores pairs of texts with a cross-encoder as ONNX: a folder with `tokenizer.json` and `model.onnx`."""

    def __init__(self, model: str) -> None:
        folder, self._onnx = named_onnx_folder(model, "a cross-encoder")
        self._session = self._onnx.session()
        self._tokenizer = read_tokenizer(folder, self._onnx.longest or LONGEST)

    def scores(self, text: str, others: Sequence[str]) -> NDArray[np.float64]:
        """The score of each pair of the text and another."""
        read = self._tokenizer.encode_batch([(text, other) for other in others])
        scores = np.zeros(len(read))
        for batch, found in in_batches(
            [len(each.ids) for each in read], lambda batch: self._of([read[n] for n in batch])
        ):
            scores[batch] = found
        return scores

    def _of(self, pairs: Sequence[Any]) -> NDArray[np.float64]:
        ids, types = padded([each.ids for each in pairs]), padded([each.type_ids for each in pairs])
        mask = padded([[1] * len(each.ids) for each in pairs])
        found = self._onnx.output(self._session, ids, mask, types).astype(np.float64)
        if found.shape in ((len(pairs),), (len(pairs), 1)):
            scores = found.reshape(-1)
        elif found.shape == (len(pairs), 2):  # not relevant, relevant
            scores = found[:, 1] - found[:, 0]
        else:
            shape = " × ".join(map(str, found.shape))
            problem = (
                f"is not a cross-encoder: it gives {shape} numbers for {len(pairs)} pairs, expected 1 or 2 for each"
            )
            raise InputError(str(self._onnx.path), problem)
        if not np.isfinite(scores).all():
            raise InputError(str(self._onnx.path), "gives scores that are not numbers: export the model again")
        return scores


@lru_cache(maxsize=2)
def _scorer(model: str) -> PairScorer:
    return PairScorer(model)


@step("cross_encoder")
class CrossEncoder(Step):
    """Rerank the first `documents` results by a cross-encoder; the others stay behind them, in their order.

    `model` is the folder of a model as ONNX, as Optimum exports cross-encoders: `tokenizer.json` with `model.onnx` or
    `onnx/model.onnx`, which gives one number for each pair, or two, of which the second says relevant. It reads the
    topic with these fields of a document, cut to what the model takes. Needs the extra `dense`.

    Paper: Nogueira and Cho, Passage Re-ranking with BERT, 2019.
    """

    model: str = ""
    documents: Count = 100
    fields: Names = FIELDS

    def __call__(self, context: SearchContext, request: Request) -> Request:
        if not self.model:
            raise InputError("cross_encoder: model", "name the folder of a cross-encoder as ONNX")
        scorer = _scorer(str(Path(self.model).resolve()))
        first = request.ranking
        if first is None:
            raise InputError("cross_encoder", "has no results to rerank: put it after a search")
        text = topic_text(context, request, self.fields)
        if not len(first) or not text.strip():
            return request
        rows = first.rows[: self.documents]
        documents = context.collection.documents_named(context.names(rows))
        scores = scorer.scores(text, [document_text(document, self.fields) for document in documents])
        # Those behind keep their differences, below the lowest of the reranked.
        behind = first.scores[self.documents :]
        kept = scores.min() - 1 + behind - behind.max(initial=-np.inf) if len(behind) else behind
        return replace(
            request, ranking=context.ranking(first.rows, np.concatenate([scores, kept]), len(first)), parts=()
        )
