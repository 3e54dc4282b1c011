"""Search an index with any model, and explain the score of a document."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.ranking import Ranking, Vector, rank, rank_having_all
from leadline.retrieval.models.registry import MODELS, Model
from leadline.retrieval.models.weights import LengthShare, Recipe, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

QueryInput = str | Mapping[str, float] | Sequence[str]
FieldsInput = str | Sequence[str] | Mapping[str, float] | None
Combine = Literal["text", "scores"]
RECIPES_KEPT = 256
LENGTH = "(length of the document)"  # in place of a term
_MODEL = re.compile(r"\s*([\w+-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


class Contribution(NamedTuple):
    """What one term of the query adds to a document's score; `field` is empty where fields are searched as one text."""

    term: str
    field: str
    score: float


class Searcher:
    """Searches an index. Weights of terms are computed once and kept.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> texts = [{"id": "EP1", "title": "Polymer film"}, {"id": "EP2", "title": "Metal film on a film of metal"}]
    >>> searcher = Searcher(Index.build(texts, folder.name, fields=["title"]))
    >>> found = searcher.search("metal films", model="bm25", k=10)
    >>> [searcher.index.id_of(row) for row in found.rows], found.scores.round(3).tolist()
    (['EP2', 'EP1'], [0.5, 0.096])
    >>> [(each.term, round(each.score, 3)) for each in searcher.why("metal films", "EP2")]
    [('metal', 0.396), ('film', 0.104)]
    >>> folder.cleanup()

    A query is a text, which the index's analysis cuts into terms, or any number of terms of the index with weights.
    Fields may have weights: `fields={"title": 2, "abstract": 1}`. With `combine="text"` they are searched as one text,
    in which a word of the title counts twice; with `combine="scores"` each is searched separately and the scores are
    added. Only documents that the mask allows are found.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self.weights = Weights(index)
        self._lock = Lock()
        self._known: dict[Any, list[tuple[Recipe, str, float]]] = {}  # recipes by what was asked for

    def search(
        self,
        query: QueryInput,
        model: str = "bm25",
        k: int = 1000,
        *,
        fields: FieldsInput = None,
        combine: Combine = "text",
        mask: NDArray[np.bool_] | None = None,
        **parameters: Any,
    ) -> Ranking:
        """The k best documents of a query."""
        return self.search_many([query], model, k, fields=fields, combine=combine, mask=mask, **parameters)[0]

    def search_many(
        self,
        queries: Sequence[QueryInput],
        model: str = "bm25",
        k: int = 1000,
        *,
        fields: FieldsInput = None,
        combine: Combine = "text",
        mask: NDArray[np.bool_] | None = None,
        threads: int = 1,
        **parameters: Any,
    ) -> list[Ranking]:
        """The k best documents of each query. Scores do not depend on the number of threads."""
        if k < 1:
            raise InputError("k", f"must be at least 1, got {k}")
        if mask is not None:
            mask = self._checked(mask)
        recipes = self._recipes(model, fields, combine, parameters)
        vectors, weights = self._vectors([self._terms(query) for query in queries], recipes)
        length = self._length_share(recipes)
        if threads == 1 or len(vectors) < 2:
            return rank(weights, vectors, k, mask, length)
        step = -(-len(vectors) // threads)
        parts = [vectors[start : start + step] for start in range(0, len(vectors), step)]
        with ThreadPoolExecutor(threads) as pool:
            found = pool.map(lambda part: rank(weights, part, k, mask, length), parts)
            return list(chain.from_iterable(found))

    def search_having_all(
        self,
        terms: Mapping[str, float],
        model: str = "bm25",
        k: int = 1000,
        *,
        fields: FieldsInput = None,
        combine: Combine = "text",
        mask: NDArray[np.bool_] | None = None,
        **parameters: Any,
    ) -> tuple[Ranking, int] | None:
        """The k best of the documents that have every term in some field, and how many such documents there are.

        None where a score is more than the sum over the lists of the terms: then `search` with a mask finds them.
        """
        if k < 1:
            raise InputError("k", f"must be at least 1, got {k}")
        recipes = self._recipes(model, fields, combine, parameters)
        if len(recipes) > 1 or recipes[0][0].model.lacking is not None:
            return None
        (vector,), weights = self._vectors([terms], recipes)
        return rank_having_all(weights, vector, k, None if mask is None else self._checked(mask))

    def why(
        self,
        query: QueryInput,
        document: str | int,
        model: str = "bm25",
        *,
        fields: FieldsInput = None,
        combine: Combine = "text",
        **parameters: Any,
    ) -> list[Contribution]:
        """What each term of a query adds to the score of a document, given by id or row. Their sum is the score."""
        row = self.index.row(document) if isinstance(document, str) else document
        recipes = self._recipes(model, fields, combine, parameters)
        terms = self._terms(query)
        (vector,), weights = self._vectors([terms], recipes)
        named = [(term, field) for term in terms for _, field, _ in recipes]
        found = []
        for (term, field), number, multiplier in zip(named, vector.lists, vector.multipliers, strict=True):
            weight = weights.weight(number, row)
            if weight is not None:
                found.append(Contribution(term, field, float(multiplier * weight)))
        if found and (length := self._length_share(recipes)) is not None:
            found.append(Contribution(LENGTH, "", float(vector.terms * (length.above[row] + length.lowest))))
        return found

    def _length_share(self, recipes: Sequence[tuple[Recipe, str, float]]) -> LengthShare | None:
        if all(recipe.model.lacking is None for recipe, _, _ in recipes):
            return None
        with self._lock:
            return self.weights.length_share([(recipe, weight) for recipe, _, weight in recipes])

    def _terms(self, query: QueryInput) -> Mapping[str, float]:
        """A query as weighted terms: a word that is written twice counts twice."""
        if isinstance(query, Mapping):
            terms = query
        else:
            terms = Counter(self.index.analysis.terms(query) if isinstance(query, str) else query)
        if not terms:
            raise InputError("query", "has no term to search for" + (f": {query!r}" if query else ""))
        return terms

    def _recipes(
        self, model: str, fields: FieldsInput, combine: Combine, parameters: Mapping[str, Any]
    ) -> list[tuple[Recipe, str, float]]:
        """The recipes for the weights of terms: one, or one per field with the field's name and weight."""
        wanted = MODELS.named(model)
        given = tuple(fields.items()) if isinstance(fields, Mapping) else fields if fields is None else tuple(fields)
        key = wanted, fields if isinstance(fields, str) else given, combine, tuple(parameters.items())
        try:
            found = self._known.get(key)
        except TypeError:  # a parameter is a mapping
            return self._new_recipes(wanted, fields, combine, parameters)
        if found is None:
            if len(self._known) >= RECIPES_KEPT:
                self._known = {}
            found = self._known[key] = self._new_recipes(wanted, fields, combine, parameters)
        return found

    def _new_recipes(
        self, model: Model, fields: FieldsInput, combine: Combine, parameters: Mapping[str, Any]
    ) -> list[tuple[Recipe, str, float]]:
        checked_choice("combine", combine, ["text", "scores"])
        weighted = self._weighted(fields)
        if combine == "text":
            return [(Recipe.of(model, parameters, weighted), "", 1.0)]
        return [(Recipe.of(model, parameters, {name: 1.0}), name, weight) for name, weight in weighted.items()]

    def _weighted(self, fields: FieldsInput) -> dict[str, float]:
        if fields is None:
            fields = self.index.own
        elif isinstance(fields, str):
            fields = [fields]
        named = fields if isinstance(fields, Mapping) else dict.fromkeys(fields, 1.0)
        weighted = {self.index.field(name): float(weight) for name, weight in named.items() if weight}
        if not weighted or min(weighted.values()) < 0:
            raise InputError("fields", "at least one field needs a weight above 0, and no weight may be negative")
        return weighted

    def _vectors(
        self, queries: Sequence[Mapping[str, float]], recipes: Sequence[tuple[Recipe, str, float]]
    ) -> tuple[list[Vector], Weights]:
        """Queries as numbers of lists, and the lists; missing lists are computed together.

        The lists are a snapshot: another thread may add more, or clear all, before the search ends.
        """
        terms_of_all = list({term: None for terms in queries for term in terms})
        with self._lock:
            numbers = self.weights.numbers([recipe for recipe, _, _ in recipes], terms_of_all)
            weights = self.weights.as_now()
        factors = [factor for _, _, factor in recipes]
        vectors = []
        for terms in queries:
            lists = [number_of[term] for term in terms for number_of in numbers]
            multipliers = [weight * factor for weight in terms.values() for factor in factors]
            vectors.append(
                Vector(np.array(lists, np.int64), np.array(multipliers, np.float64), float(sum(terms.values())))
            )
        return vectors, weights

    def _checked(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if mask.dtype != np.bool_ or mask.shape != (len(self.index),):
            problem = f"must be {len(self.index)} Boolean values, one per document, got {mask.dtype} {mask.shape}"
            raise InputError("mask", problem)
        return np.ascontiguousarray(mask)


@lru_cache(maxsize=256)
def parse_model(written: str) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a model written like `bm25(k1=0.9, b=0.4)`.

    >>> parse_model("bm25(k1=0.9, b=0.4)"), parse_model("dph")
    (('bm25', {'k1': 0.9, 'b': 0.4}), ('dph', {}))
    """
    match = _MODEL.fullmatch(written)
    try:
        if match is None:
            raise ValueError
        call = ast.parse(f"model({match[2] or ''})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(word.arg is None for word in call.keywords):
            raise ValueError
        return match[1], {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (ValueError, SyntaxError):
        raise InputError("model", f"{written!r} is not written like bm25(k1=0.9, b=0.4)") from None
