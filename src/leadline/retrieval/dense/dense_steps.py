"""Steps that search by vectors, alone or together with words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal
from weakref import WeakKeyDictionary

import numpy as np

from leadline.collections.documents.document import Document
from leadline.errors import visible
from leadline.options import Count, Fields, Names, Share, Weight
from leadline.retrieval.dense.encoder import Encoder
from leadline.retrieval.dense.passages import FIELDS, MOST, STAND_INS, WINDOW, document_passages
from leadline.retrieval.dense.vectors import Vectors, mean_vector, open_vectors, stored_vectors
from leadline.retrieval.models.ranking import EMPTY_RANKING
from leadline.retrieval.pipeline.after.fuse import Fuse
from leadline.retrieval.pipeline.combining import Combining, Normalising
from leadline.retrieval.pipeline.context import PATENT_FIELDS, Request, text_of
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.query.search import Search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from leadline.retrieval.pipeline.context import SearchContext

StoredPrecision = Literal["stored", "int8", "full"]
_Opened = dict[tuple[object, ...], tuple[Encoder, Vectors]]
_opened: WeakKeyDictionary[SearchContext, _Opened] = WeakKeyDictionary()


@step("dense")
class Dense(Step):
    """The documents whose vectors have the largest cosine with the topic's; all documents are compared.

    A long document has several vectors, one of each passage. For a need in words its best passage counts; for a patent
    the mean of its two best ones, and the patent's own vector is the mean of its passages'. `fields` are those of the
    documents that the vectors were made of, and of the patent that is the topic; of other topics title, description and
    narrative are read. By default the vectors are those the index has, by whatever model they were made; `model` names
    the folder of another one. Needs the extra `dense`.

    Model of the package: all-MiniLM-L6-v2; Reimers and Gurevych, Sentence-BERT, EMNLP 2019; Wang and others, MiniLM,
    NeurIPS 2020.
    """

    fields: Names = FIELDS
    depth: Count = 1000
    precision: StoredPrecision = "stored"
    model: str = ""  # a folder (default: the model of the vectors that the index has)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        opened = _opened.setdefault(context, {})
        key = (self.fields, self.precision, self.model)
        if key not in opened:
            encoder, learned = self._encoder(context)
            opened[key] = encoder, open_vectors(context, self.fields, encoder, learned=learned)
        encoder, vectors = opened[key]
        if encoder.named and not self.model:
            request = request.with_note(f"compared by vectors of {visible(encoder.folder.name)}")
        vector = _topic_vector(context, request, self.fields, encoder, vectors)
        if not vector.any():
            return replace(request, ranking=EMPTY_RANKING).with_note("without any text to compare")
        scores = vectors.scores(vector, two=request.is_patent)
        rows = np.flatnonzero(context.visible(request))
        if len(rows) > self.depth:  # keep the best and all that tie with the last of them
            least = np.partition(scores[rows], len(rows) - self.depth)[len(rows) - self.depth]
            rows = rows[scores[rows] >= least]
        return replace(request, ranking=context.ranking(rows, scores[rows], self.depth))

    def _encoder(self, context: SearchContext) -> tuple[Encoder, bool]:
        """The model that encodes the topic, and whether the vectors of documents were learned from some of its."""
        stored = None
        if not self.model and self.precision == "stored":
            stored = stored_vectors(context, self.fields)
        if stored is not None:
            return Encoder(stored.model, stored.precision), stored.learned > 0
        return Encoder(self.model, "int8" if self.precision == "stored" else self.precision), False


def _topic_vector(
    context: SearchContext, request: Request, fields: Sequence[str], encoder: Encoder, vectors: Vectors
) -> NDArray[np.float32]:
    """The vector of a topic: of a patent in the index the one it has there, which costs nothing."""
    if not request.is_patent:
        (vector,) = encoder.encode([topic_text(context, request, fields)])
        return vector
    if request.row is not None and context.index.unit == "document":
        return vectors.of_row(request.row)
    patent = context.document(request)
    others = [text_of(patent, field) for field in STAND_INS if field not in fields] if tuple(fields) == FIELDS else []
    texts = document_passages([text_of(patent, field) for field in fields if field in PATENT_FIELDS], others)
    return mean_vector(encoder.encode(texts))


def topic_text(context: SearchContext, request: Request, fields: Sequence[str]) -> str:
    """The text of a topic: of a patent these fields, of others title, description and narrative."""
    if request.is_patent:
        return document_text(context.document(request), fields)
    topic = request.topic
    return "\n".join(text for text in (topic.title, topic.description, topic.narrative) if text)


def document_text(document: Document, fields: Sequence[str]) -> str:
    """These fields of a document, with which its passages begin: without abstract, its description or claims."""
    texts = [text_of(document, field) for field in fields if field in PATENT_FIELDS]
    if tuple(fields) == FIELDS and not document.abstract.strip():
        stand_ins = (text_of(document, field) for field in STAND_INS)
        texts[-1] = next((text[: MOST * WINDOW] for text in stand_ins if text.strip()), "")
    return "\n".join(texts)


@step("hybrid")
class Hybrid(Step):
    """The results of a search by words and of one by vectors, combined as `fuse` does; it takes the place of a search.

    `weight` is the share of the vectors.
    """

    needs_patent: ClassVar[bool] = False
    model: str = "bm25"
    fields: Fields = None
    weight: Share = 0.5
    how: Combining = "linear"
    normalise: Normalising = "minmax"
    constant: Weight = 60.0
    dense: Names = FIELDS  # fields of the vectors
    precision: StoredPrecision = "stored"
    depth: Count = 1000

    def __call__(self, context: SearchContext, request: Request) -> Request:
        words = Search(model=self.model, fields=self.fields, depth=self.depth)
        meaning = Dense(fields=self.dense, depth=self.depth, precision=self.precision)
        shares = (1 - self.weight, self.weight)
        fused = Fuse(
            of=(words, meaning),
            how=self.how,
            weights=shares,
            normalise=self.normalise,
            constant=self.constant,
            depth=self.depth,
        )
        return fused(context, request)
