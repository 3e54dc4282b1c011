"""Which passages of a document bear on a claim, where nobody has judged: an estimate from shared words.

A passage bears on a claim when it holds a quarter of the claim's distinctive words. Words weigh by their rarity among
the passages of all relevant documents, ln((N + 1) / (n + 1)) for a word in n of N passages; words that every claim
has ("wherein", "said") do not count; of a dependent claim only its own words count, not those of the claims before.

On 483 patents of the United States, a quarter is met by 15 % of the passages of a patent's own description for an
independent claim and 20 % for a dependent one, by 0.1 % and 0.2 % of the passages of another patent at random, and by
0.3 % and 1.4 % of those of a patent in the same subclass. It is an estimate all the same: it sees words, not meaning,
and what it gives must not be taken for judgements.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

SHARE = 0.25
LONGEST, PIECE = 300, 100  # words: a longer block of text is no paragraph, and is cut into pieces
_WORD = re.compile(r"[^\W\d_][^\W_]{2,}")  # reference numerals and units say nothing by themselves
_COMMON = frozenset(
    """according all also and any are arranged being between both but can characterised characterized claim claimed
    claims comprise comprised comprises comprising configured consist consisting consists contain containing
    contains defined each either first for from further had has have having include included includes
    including into its least may method more most not one only other per plurality preceding provided said
    second selected such than that the their them then thereby therefrom therein thereof thereto these they
    third this those through two under upon used using was were when where whereby wherein which while with
    within without""".split()  # noqa: SIM905
)


def cut_into_passages(abstract: str, description: str, claims: Sequence[str]) -> list[str]:
    """The paragraphs of a document, its abstract and each of its claims; blocks without paragraphs in pieces."""
    blocks = [abstract, *description.split("\n"), *claims]
    return [passage for block in blocks for passage in _pieces(block)]


def _pieces(block: str) -> Iterator[str]:
    words = block.split()
    if len(words) <= LONGEST:
        if words:
            yield block
        return
    for start in range(0, len(words), PIECE):
        yield " ".join(words[start : start + PIECE])


def words_of(text: str) -> set[str]:
    """The words of a text that can tell it from others, a plural as its singular.

    >>> sorted(words_of("The catalyst of claim 1, wherein said assemblies hold 3 catalysts."))
    ['assembly', 'catalyst', 'hold']
    """
    return {_singular(word) for word in _WORD.findall(text.lower()) if word not in _COMMON}


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def estimated_passages(
    claims: pl.DataFrame, pairs: pl.DataFrame, texts: Iterable[tuple[str, Sequence[str]]], share: float = SHARE
) -> pl.DataFrame:
    """How many passages of each relevant document bear on each claim of its topic.

    `claims` has topic, claim and text; `pairs` topic and document; `texts` gives each document's passages once.
    """
    import polars as pl

    words = [words_of(text) for text in claims["text"]]
    vocabulary = {word: place for place, word in enumerate(sorted(set().union(*words)))}
    claim_matrix = _matrix([[vocabulary[word] for word in sorted(own)] for own in words], len(vocabulary))
    documents: dict[str, Any] = {}
    holders = np.zeros(len(vocabulary))
    total = 0
    for document, passages in texts:
        held = [sorted(vocabulary[word] for word in words_of(text) if word in vocabulary) for text in passages]
        documents[document] = _matrix(held, len(vocabulary))
        total += len(held)
        counts = Counter(place for places in held for place in places)
        holders[list(counts)] += list(counts.values())
    rarity = np.log((total + 1) / (holders + 1))
    weighted = claim_matrix.multiply(rarity).tocsr()
    least = share * weighted.sum(axis=1)
    topics = claims["topic"].to_list()
    numbers = claims["claim"].to_list()
    places: dict[str, list[int]] = {}
    for place, topic in enumerate(topics):
        places.setdefault(topic, []).append(place)
    rows = []
    for topic, document in pairs.select("topic", "document").unique(maintain_order=True).iter_rows():
        own = places.get(topic, [])
        if own and document in documents:
            bearing = _bearing(documents[document], weighted[own], least[own])
            rows += [(topic, numbers[place], document, count) for place, count in zip(own, bearing, strict=True)]
    schema = {"topic": pl.String, "claim": pl.String, "document": pl.String, "passages": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").filter(pl.col("passages") > 0)


def _matrix(held: Sequence[Sequence[int]], width: int) -> Any:
    """A row for each text with a 1 for each of its words."""
    from scipy.sparse import csr_array

    starts = np.cumsum([0, *map(len, held)])
    places = np.fromiter((place for places in held for place in places), np.int32, int(starts[-1]))
    return csr_array((np.ones(len(places)), places, starts), shape=(len(held), width))


def _bearing(passages: Any, claims: Any, least: NDArray[np.float64]) -> list[int]:
    shared = (passages @ claims.T).toarray()
    # A claim without distinctive words asks for nothing, and nothing bears on it.
    return ((shared >= least - 1e-9) & (least > 0)).sum(axis=0).tolist()
