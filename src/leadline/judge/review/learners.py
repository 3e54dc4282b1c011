"""The learners of reviews: the weighted words they see, what a learner is, each learner, and the order of reading."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError
from leadline.judge.review.kernel_arguments import JudgedRows, SparseRows
from leadline.register import Register
from leadline.text.engine import Kernel, compiled_job, prepared

if TYPE_CHECKING:
    import polars as pl

# What a learner is, the register of learners, the weighted words they see, and the order they have documents read.

# Documents as weighted words: what learners see.


Matrix: TypeAlias = Any  # a sparse matrix of SciPy, which has no types
WORD = r"\w\w+"  # at least two letters or digits
LEAST_DOCUMENTS = 2  # with a word: one that is in a single document cannot point to another
MOST_SHARE = 0.95  # of the documents with a word: one in nearly all tells nothing
AT_ONCE = 20_000  # documents whose words are in memory as text, or whose weights in double precision


@dataclass(frozen=True)
class TextFeatures:
    """TF-IDF of words: a row for each document, of length 1 unless it has no word."""

    rows: SparseRows
    words: tuple[str, ...]  # of the columns

    def __len__(self) -> int:
        return len(self.rows.offsets) - 1

    @classmethod
    def of(cls, texts: Sequence[str]) -> TextFeatures:
        """Weigh the words of texts: 1 + ln(count), times 1 + ln((1 + N) / (1 + documents with the word)).

        >>> features = TextFeatures.of(["a red nail", "a red red pin", "a blue pin"])
        >>> features.words, features.rows.columns.tolist(), features.rows.values.round(2).tolist()
        (('pin', 'red'), [1, 0, 1, 0], [1.0, 0.509..., 0.860..., 1.0])
        """
        import polars as pl

        return cls.of_parts(len(texts), [(np.arange(len(texts)), pl.Series("text", texts, pl.String))])

    @classmethod
    def of_parts(cls, count: int, parts: Iterable[tuple[NDArray[np.integer[Any]], pl.Series]]) -> TextFeatures:
        """The same for texts that come in parts, each with the places of its texts among the `count` documents.

        Only one part is in memory as text; of the others the numbers of words are kept, 7 bytes for each word of a
        document, and then replaced by the weights, 8 bytes.
        """
        counter = _WordCounter()
        for places, texts in parts:
            for start in range(0, len(texts), AT_ONCE):
                counter.add(places[start : start + AT_ONCE], texts[start : start + AT_ONCE])
        return cls(*counter.weighed(count))

    @cached_property
    def matrix(self) -> Matrix:
        """The same as a sparse matrix of SciPy."""
        return self._part(0, len(self))

    def _part(self, start: int, end: int) -> Matrix:
        """Some documents as a sparse matrix, whose weights are not copied."""
        from scipy.sparse import csr_array

        rows = self.rows
        at = slice(rows.offsets[start], rows.offsets[end])
        offsets = rows.offsets[start : end + 1] - rows.offsets[start]
        return csr_array((rows.values[at], rows.columns[at], offsets), shape=(end - start, len(self.words)))

    @cached_property
    def _parts(self) -> list[Matrix]:
        if len(self) <= AT_ONCE:
            return [self.matrix]
        return [self._part(start, min(start + AT_ONCE, len(self))) for start in range(0, len(self), AT_ONCE)]

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of the weights of each document's words, some documents at a time: SciPy copies them as doubles."""
        return np.concatenate([part @ weights for part in self._parts])

    @cached_property
    def squares(self) -> NDArray[np.float64]:
        """The squared length of each document: 1, or nearly, unless it has no word."""
        offsets, found = self.rows.offsets, np.zeros(len(self))
        for start in range(0, len(self), AT_ONCE):
            lengths = np.diff(offsets[start : start + AT_ONCE + 1])
            values = self.rows.values[offsets[start] : offsets[start] + lengths.sum()].astype(np.float64)
            found[start : start + AT_ONCE] = np.bincount(
                np.repeat(np.arange(len(lengths)), lengths), values**2, len(lengths)
            )
        return found

    def with_words(self, kept: NDArray[np.bool_]) -> TextFeatures:
        """The same documents with some of the words, in rows of length 1 again.

        >>> features = TextFeatures.of(["a red pin", "a red pin", "a blue nail", "a blue pin"])
        >>> features.words, features.with_words(np.array([True, False, True])).rows.values.round(2).tolist()
        (('blue', 'pin', 'red'), [1.0, 1.0, 1.0, 1.0])
        """
        offsets, columns, values = self.rows
        chosen = kept[columns]
        row = np.repeat(np.arange(len(self)), np.diff(offsets))[chosen]
        weight = values[chosen].astype(np.float64)
        length = np.sqrt(np.bincount(row, weight**2, len(self)))
        shortened = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=len(self)))))
        column = (np.cumsum(kept, dtype=np.int32) - 1)[columns[chosen]]
        names = tuple(word for word, keep in zip(self.words, kept.tolist(), strict=True) if keep)
        return TextFeatures(SparseRows(shortened, column, (weight / length[row]).astype(np.float32)), names)


class _CountedWords(NamedTuple):
    """How often each word is in some documents, without order."""

    places: NDArray[np.integer[Any]]  # of the documents
    document: NDArray[np.uint16]  # number of the document, in this part
    word: NDArray[np.int32]  # number of the word, in all parts
    often: NDArray[np.unsignedinteger[Any]]


@dataclass
class _WordCounter:
    """Counts the words of texts, a part at a time."""

    numbers: dict[str, int] = field(default_factory=dict)
    counted: list[_CountedWords] = field(default_factory=list)

    def add(self, places: NDArray[np.integer[Any]], texts: pl.Series) -> None:
        """Count the words of at most AT_ONCE texts."""
        import polars as pl

        found = pl.DataFrame({"word": texts}).with_row_index("document")
        words = found.select(
            pl.col("document").cast(pl.UInt16), pl.col("word").str.to_lowercase().str.extract_all(WORD)
        )
        counts = words.explode("word").drop_nulls("word").group_by("document", "word").len("count")
        distinct = counts["word"].unique()
        numbers = self.numbers
        known = [numbers.setdefault(word, len(numbers)) for word in distinct.to_list()]
        table = pl.DataFrame({"word": distinct, "number": pl.Series(known, dtype=pl.Int32)})
        found = counts.join(table, on="word").select("document", "number", "count")
        count = found["count"].to_numpy()
        smallest = np.min_scalar_type(count.max() if len(count) else 0)
        self.counted.append(
            _CountedWords(places, found["document"].to_numpy(), found["number"].to_numpy(), count.astype(smallest))
        )

    def weighed(self, count: int) -> tuple[SparseRows, tuple[str, ...]]:
        """The weights of the words of all documents. What was counted is used up."""
        documents = np.zeros(len(self.numbers), np.int64)
        for each in self.counted:
            documents += np.bincount(each.word, minlength=len(documents))
        kept = (documents >= LEAST_DOCUMENTS) & (documents <= MOST_SHARE * count)
        words = sorted(word for word, number in self.numbers.items() if kept[number])
        column_of = np.full(len(documents), -1, np.int32)
        column_of[[self.numbers[word] for word in words]] = np.arange(len(words))
        rarity = np.log((1 + count) / (1 + documents)) + 1
        self.numbers.clear()
        lengths = np.zeros(count, np.int64)
        for each in self.counted:
            here = np.bincount(each.document[kept[each.word]], minlength=len(each.places))
            lengths[each.places] = here
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        columns, values = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.float32)
        while self.counted:
            part = self.counted.pop()
            chosen = kept[part.word]
            document, word, often = part.document[chosen].astype(np.int64), part.word[chosen], part.often[chosen]
            order = np.argsort(document * len(words) + column_of[word])
            document, word = document[order], word[order]
            weight = (np.log(often[order].astype(np.float64)) + 1) * rarity[word]
            length = np.sqrt(np.bincount(document, weight**2, len(part.places)))
            # Each document goes to its place: the documents of a part need not be neighbours.
            begin = np.concatenate(([0], np.cumsum(lengths[part.places])))[:-1]
            to = (offsets[part.places] - begin)[document] + np.arange(len(document))
            columns[to], values[to] = column_of[word], weight / length[document]
        return SparseRows(offsets, columns, values), tuple(words)


Scores = NDArray[np.float64]
Rows = NDArray[np.int64]
Labels = NDArray[np.bool_]


class ReviewLearner(Protocol):
    """Learns from judged documents which of the others are likely to be relevant. It may keep state between rounds."""

    def __init__(self, features: TextFeatures, seed: int = 0) -> None: ...

    def learn(self, rows: Rows, relevant: Labels) -> Scores:
        """The scores of all documents, from those judged so far: at least one of them relevant, and one not.

        Documents judged before come first, in the same order as before.
        """
        ...


LEARNERS = Register[type[ReviewLearner]]("learner", entry_points="leadline.learners")
_Class = TypeVar("_Class", bound=type[ReviewLearner])


def learner(name: str) -> Callable[[_Class], _Class]:
    """Register a learner under a name."""

    def add(cls: _Class) -> _Class:
        LEARNERS.add(name, cls, home=cls.__module__)
        return cls

    return add


def meaning(cls: type[ReviewLearner]) -> str:
    return (inspect.getdoc(cls) or "(no description)").splitlines()[0]


def learned_order(
    features: TextFeatures,
    relevant: Labels,
    start: Rows,
    learner: str = "svm",
    *,
    batch: int | None = None,
    seed: int = 0,
) -> Rows:
    """All documents in the order in which they are read, if every judgement is as `relevant` says.

    `start` are read first. Then the learner learns, and the next `batch` documents are what it thinks best; by default,
    a batch is a tenth larger than the one before. Equal ones are read in the collection's order.
    """
    if batch is not None and batch < 1:
        raise InputError("batch", f"must be at least 1, got {batch}")
    count = len(features)
    if len(relevant) != count:
        raise InputError("relevant", f"has {len(relevant)} labels for {count} documents")
    model = LEARNERS.named(learner)(features, seed)
    order = np.empty(count, np.int64)
    read = np.zeros(count, np.bool_)
    done, size = len(start), batch or 1
    order[:done] = start
    read[start] = True
    while done < count:
        judged = order[:done]
        labels = relevant[judged]
        if labels.all() or not labels.any():
            following = similar(features, judged[labels])  # there is nothing to tell apart yet
            taking = 1
        else:
            following = model.learn(judged, labels)
            taking, size = size, batch or size + -(-size // 10)
        taken = best_unread(following, read, min(taking, count - done))
        order[done : done + len(taken)] = taken
        read[taken] = True
        done += len(taken)
    return order


def best_unread(scores: np.ndarray, read: Labels, size: int) -> Rows:
    """The best documents that have not been read, best first; of equal ones those that come first."""
    unread = np.flatnonzero(~read)
    values = scores[unread]
    if 0 < size < len(unread):
        edge = np.partition(values, len(values) - size)[len(values) - size]
        above, equal = np.flatnonzero(values > edge), np.flatnonzero(values == edge)
        chosen = np.concatenate((above, equal[: size - len(above)]))
    else:
        chosen = np.arange(min(size, len(unread)))
    return unread[chosen[np.lexsort((chosen, -values[chosen]))]]


def similar(features: TextFeatures, known: Rows) -> np.ndarray:
    """How similar documents are to the relevant ones known so far; 0 where none is."""
    if not len(known):
        return np.zeros(len(features))
    matrix = features.matrix
    return np.asarray(matrix @ matrix[known].sum(axis=0), dtype=np.float64)


# The default learner: a support vector machine that counts relevant documents more.

COST = 0.11
RATIO = 9.8  # all documents that are not relevant together weigh 1 / 9.8 of the relevant ones
TOLERANCE, EPOCHS = 0.1, 20
STEP_BYTES = 40  # of text that take as long to read as one weight takes to add, in all epochs


@learner("svm")
class SupportVectors:
    """A linear support vector machine with squared hinge loss; relevant documents weigh more.

    Same model as ASReview's elas_u4, on single words. Its state is kept between rounds, so that a round costs little.
    """

    def __init__(self, features: TextFeatures, seed: int = 0) -> None:
        self._features, self._rows, count = features, prepared(features.rows), len(features)
        self._weights = np.zeros(len(features.words) + 1)
        self._scores = np.zeros(count)
        # Room for as many as there are, since a round of a small review takes less than looking up addresses.
        self._judged = prepared(JudgedRows(np.zeros(count, np.int32), *(np.zeros(count) for _ in range(4))))

    def learn(self, rows: Rows, relevant: Labels) -> Scores:
        count, judged = len(rows), self._judged
        judged.rows[:count] = rows
        judged.signs[:count] = np.where(relevant, 1.0, -1.0)
        judged.damping[:count] = 1 / (2 * COST * class_weights(relevant))
        judged.squares[:count] = self._features.squares[rows] + 1
        violations = np.array([0.0, TOLERANCE])
        size = STEP_BYTES * len(self._rows.columns)
        train.choose(size)(self._rows, judged, count, self._weights, violations)
        score_rows.choose(size)(self._rows, self._weights, self._scores)
        return self._scores


def class_weights(relevant: Labels, ratio: float = RATIO) -> NDArray[np.float64]:
    """The weight of each judged document: 1 if relevant, n₁ / (ratio · n₀) if not, scaled to sum to their number.

    >>> class_weights(np.array([True, False, False]), ratio=2).round(3)
    array([2. , 0.5, 0.5])
    """
    positive = int(relevant.sum())
    weights = np.where(relevant, 1.0, positive / (ratio * max(len(relevant) - positive, 1)))
    return np.asarray(weights * (len(relevant) / weights.sum()))


def _descend(judged: JudgedRows, place: int, score: float, violations: NDArray[np.float64]) -> float:
    """One step of descent for one row; the compiled twin is in `judge/review/kernels.py`."""
    sign, damping, dual = judged.signs[place], judged.damping[place], judged.duals[place]
    gradient = sign * score - 1.0 + damping * dual
    if dual > 0 or gradient < 0:
        violations[0] = max(violations[0], abs(gradient))
    judged.duals[place] = max(dual - gradient / (judged.squares[place] + damping), 0.0)
    return float(sign * (judged.duals[place] - dual))


def _score(documents: SparseRows, row: int, weights: NDArray[np.float64]) -> float:
    at = slice(documents.offsets[row], documents.offsets[row + 1])
    terms = weights[documents.columns[at]] * documents.values[at]
    # Four sums side by side, and the rest on the first, as the kernel adds.
    whole = len(terms) // 4 * 4
    sums = np.zeros((1 + whole // 4, 4))
    sums[0, 0], sums[1:] = weights[-1], terms[:whole].reshape(-1, 4)
    first, second, third, fourth = np.cumsum(sums, axis=0)[-1].tolist()
    first = np.cumsum(np.concatenate(([first], terms[whole:])))[-1]
    return float((first + second) + (third + fourth))


def _trained(
    documents: SparseRows,
    judged: JudgedRows,
    count: int,
    weights: NDArray[np.float64],
    violations: NDArray[np.float64],
) -> None:
    for _ in range(EPOCHS):
        violations[0] = 0.0
        for place, row in enumerate(judged.rows[:count].tolist()):
            moved = _descend(judged, place, _score(documents, row, weights), violations)
            if moved:
                at = slice(documents.offsets[row], documents.offsets[row + 1])
                weights[documents.columns[at]] += moved * documents.values[at].astype(np.float64)
                weights[-1] += moved
        if violations[0] <= violations[1]:
            return


@compiled_job("leadline.judge.review.kernels.train", plain=_trained)
def train(
    kernel: Kernel,
    documents: SparseRows,
    judged: JudgedRows,
    count: int,
    weights: NDArray[np.float64],
    violations: NDArray[np.float64],
) -> None:
    """Train on the first `count` of the judged, and bring the weights of the words up to date."""
    kernel(documents, judged, count, weights, len(weights) - 1, violations, EPOCHS)


def _scored_rows(documents: SparseRows, weights: NDArray[np.float64], scores: Scores) -> None:
    for row in range(len(scores)):
        scores[row] = _score(documents, row, weights)


@compiled_job("leadline.judge.review.kernels.score_rows", plain=_scored_rows)
def score_rows(kernel: Kernel, documents: SparseRows, weights: NDArray[np.float64], scores: Scores) -> None:
    """The scores of all documents by the weights of their words."""
    kernel(documents, 0, len(scores), weights, len(weights) - 1, scores)


# A learner that estimates probabilities.

ROUNDS = 100  # of the optimiser, at most


@learner("logistic")
class Logistic:
    """Logistic regression with an L2 penalty; relevant documents and the others weigh the same in all."""

    def __init__(self, features: TextFeatures, seed: int = 0) -> None:
        self._features = features
        self._weights = np.zeros(len(features.words) + 1)

    def learn(self, rows: Rows, relevant: Labels) -> Scores:
        self._weights = fitted(self._features.matrix[rows], relevant, class_weights(relevant, 1.0), self._weights)
        return self._features.scores(self._weights[:-1]) + self._weights[-1]


def fitted(
    judged: Matrix, relevant: Labels, importance: NDArray[np.float64], weights: NDArray[np.float64], cost: float = 1.0
) -> NDArray[np.float64]:
    """The weights of the words, and last of the constant, that fit the judged documents; begun from `weights`."""
    from scipy.optimize import minimize

    signs = np.where(relevant, 1.0, -1.0)

    def loss(now: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margins = signs * (judged @ now[:-1] + now[-1])
        # ln(1 + exp(-margin)) and its slope, without overflow
        lost = np.logaddexp(0, -margins)
        slopes = -signs * importance * np.exp(-np.logaddexp(0, margins))
        penalised = now.copy()
        penalised[-1] = 0
        gradient = penalised + cost * np.append(np.asarray(slopes @ judged), slopes.sum())
        return float(penalised @ penalised / 2 + cost * (importance @ lost)), gradient

    found = minimize(loss, weights, jac=True, method="L-BFGS-B", options={"maxiter": ROUNDS})
    return np.asarray(found.x)


# A learner that counts words.

BAYES_SMOOTHING = 3.822
BAYES_RATIO = 1.2


@learner("naive-bayes")
class NaiveBayes:
    """Multinomial naive Bayes on TF-IDF, smoothed, as ASReview's elas_u3: the fastest, a little worse."""

    def __init__(self, features: TextFeatures, seed: int = 0) -> None:
        self._features = features

    def learn(self, rows: Rows, relevant: Labels) -> Scores:
        weights = class_weights(relevant, BAYES_RATIO)
        judged, logs, priors = self._features.matrix[rows], [], []
        for label in (True, False):
            chosen = np.where(relevant == label, weights, 0.0)
            sums = np.asarray(chosen @ judged) + BAYES_SMOOTHING
            logs.append(np.log(sums) - np.log(sums.sum()))
            priors.append(np.log(chosen.sum()))
        return self._features.scores(logs[0] - logs[1]) + (priors[0] - priors[1])


# A learner for reviews of law suits.

PRESUMED = 100


@learner("autotar")
class AutoTar:
    """Logistic regression that presumes 100 random unread documents not relevant, anew in each round.

    After Cormack and Grossman's AutoTAR (2015), which takes documents from all that is unread and so may presume
    relevant ones; at the top it finds less than the support vector machine.
    """

    def __init__(self, features: TextFeatures, seed: int = 0) -> None:
        self._features = features
        self._weights = np.zeros(len(features.words) + 1)
        self._random = np.random.default_rng(seed)

    def learn(self, rows: Rows, relevant: Labels) -> Scores:
        unread = np.setdiff1d(np.arange(len(self._features)), rows)
        presumed = self._random.choice(unread, min(PRESUMED, len(unread)), replace=False)
        judged = np.concatenate((rows, presumed))
        labels = np.concatenate((relevant, np.zeros(len(presumed), np.bool_)))
        self._weights = fitted(self._features.matrix[judged], labels, np.ones(len(judged)), self._weights)
        return self._features.scores(self._weights[:-1]) + self._weights[-1]
