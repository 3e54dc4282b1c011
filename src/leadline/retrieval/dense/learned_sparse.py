"""Expand a query with words that a learned sparse model gives for the topic."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from leadline.errors import InputError
from leadline.options import Count, Names, Share
from leadline.retrieval.dense.dense_steps import topic_text
from leadline.retrieval.dense.encoder import LONGEST, named_onnx_folder, padded, read_tokenizer
from leadline.retrieval.dense.passages import FIELDS
from leadline.retrieval.pipeline.after.rm3 import with_expansion
from leadline.retrieval.pipeline.context import Query, Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext

CONTINUED = "##"  # begins a token that is not the beginning of a word


class WordWeigher:
    """Weighs the words of a vocabulary for a text, with a model as ONNX: `tokenizer.json` and `model.onnx`."""

    def __init__(self, model: str) -> None:
        folder, self._onnx = named_onnx_folder(model, "a learned sparse model")
        self._session = self._onnx.session()
        self._tokenizer = read_tokenizer(folder, self._onnx.longest or LONGEST)

    def words(self, text: str) -> dict[str, float]:
        """The whole words with a weight above 0: the largest log(1 + logit) over the tokens of the text."""
        ids = padded([self._tokenizer.encode(text).ids])
        found = self._onnx.output(self._session, ids, np.ones_like(ids))
        size = self._tokenizer.get_vocab_size()
        if found.ndim == 3 and found.shape[2] >= size:
            weights = np.log1p(np.maximum(found[0], 0)).max(axis=0)
        elif found.ndim == 2 and found.shape[1] >= size:  # weights already
            weights = found[0]
        else:
            shape = " × ".join(map(str, found.shape))
            problem = f"is not a learned sparse model: it gives {shape} numbers, expected one for each of {size} tokens"
            raise InputError(str(self._onnx.path), problem)
        if not np.isfinite(weights).all():
            raise InputError(str(self._onnx.path), "gives weights that are not numbers: export the model again")
        words = {
            self._tokenizer.id_to_token(number): float(weights[number]) for number in np.flatnonzero(weights[:size] > 0)
        }
        return {word: weight for word, weight in words.items() if not word.startswith(CONTINUED) and word.isalnum()}


@lru_cache(maxsize=2)
def _weigher(model: str) -> WordWeigher:
    return WordWeigher(model)


@step("learned_sparse")
class LearnedSparse(Step):
    """Mix the query with the heaviest words that a learned sparse model gives for the topic; a search must follow.

    `model` is the folder of such a model as ONNX: `tokenizer.json` with `model.onnx` or `onnx/model.onnx`, which gives
    logits for each token and word of its vocabulary, or weights. Parts of words are left out, the others are brought to
    the terms of the index. Both queries, normalised to sum 1, are mixed: weight · query + (1 − weight) · words. Needs
    the extra `dense`.

    Paper: Formal, Piwowarski and Clinchant, SPLADE, SIGIR 2021, where documents are expanded as well.
    """

    model: str = ""
    terms: Count = 50
    weight: Share = 0.5  # of the original query
    fields: Names = FIELDS  # of a topic that is a patent

    def __call__(self, context: SearchContext, request: Request) -> Request:
        if not self.model:
            raise InputError("learned_sparse: model", "name the folder of a learned sparse model as ONNX")
        weigher = _weigher(str(Path(self.model).resolve()))
        text = topic_text(context, request, self.fields)
        words = weigher.words(text) if text.strip() else {}
        weights: dict[str, float] = {}
        for word in sorted(words, key=lambda word: (-words[word], word))[: self.terms]:
            for term in context.index.analysis.terms(word):
                weights[term] = weights.get(term, 0.0) + words[word]
        total = sum(weights.values())
        if not total:
            return request
        expansion = {term: weight / total for term, weight in weights.items()}
        return with_expansion(request, Query(expansion, name="learned words"), self.weight)
