"""Find prior art for a patent: the first families, and the claims each bears on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError
from leadline.records.scores.result import Result, counted
from leadline.records.scores.table import Table
from leadline.retrieval.answers.passages import BestPassage, Passages, claim_terms
from leadline.retrieval.answers.search_hits import Hit, hits_table, read_hits, snippets, texts_of, weighed
from leadline.retrieval.answers.snippets import Snippet
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline import Pipeline
from leadline.retrieval.pipeline.query.best_terms import BestTerms
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.pipeline.request import Request

COMMON = math.log(10)  # the rarity of a word in a tenth of the documents; more common ones are not marked in snippets
# On a simulated office it is as effective as the whole text, in a third of the time.
DEFAULT_SYSTEM = BestTerms() >> Search()


@dataclass(frozen=True, repr=False)
class PriorArt(Result):
    """A topic, its hits, and for each claim the hits that bear on it."""

    topic: Document
    hits: Sequence[Hit]
    snippets: Sequence[Snippet]
    bearing: Sequence[tuple[Claim, Sequence[BestPassage]]]
    hidden: Mapping[str, int]  # how many documents were hidden, by reason
    notes: Sequence[str]

    def _finding(self) -> str:
        first = f"; first: {self.hits[0].label}" if self.hits else ""
        return f"{counted(len(self.hits), 'document')} before {self.topic.id}{first}"

    def _shown_table(self) -> Table:
        return hits_table(self.hits)

    def claims_of(self, hit: int) -> dict[int, float]:
        """The claims that a hit bears on, by number, with its share of each."""
        return {
            claim.number: best.share for claim, found in self.bearing for best in found if best.passage.document == hit
        }


def prior_art(context: SearchContext, request: Request, pipeline: Pipeline, k: int, width: int) -> PriorArt:
    """The first k families for a topic, and which of its claims they bear on. Only their texts are read."""
    topic = context.document(request)
    done = pipeline(context, request)
    if done.ranking is None:
        raise InputError("--system", f"ends with {pipeline.last}, which finds no documents: add a search step")
    # Whatever date rule a system uses, prior art is neither of the topic's family nor later.
    own, late = context.dates.own_family(request), context.dates.too_late(request)
    ranking = done.filtered(~(own | late)).ranking
    assert ranking is not None
    hits = read_hits(context, context.one_a_family(ranking, k))
    passages = Passages(texts_of(hits), context.index.analysis)
    claims = claim_terms([claim.text for claim in topic.claims], context.index.analysis)
    weights = weighed(context, list(dict.fromkeys(term for claim in claims for term in claim)))
    bearing = passages.bearing([{term: weights[term] for term in claim} for claim in claims])
    if not any(claims):
        text = topic.abstract or topic.description or topic.title
        weights = weighed(context, *claim_terms([text], context.index.analysis))
    least = min(COMMON, max(weights.values(), default=0.0) / 2)
    rare = {term: weight for term, weight in weights.items() if weight >= least}
    itself = int(request.row is not None)
    hidden = {"itself": itself, "own family": int(own.sum()) - itself, "later": int((late & ~own).sum())}
    return PriorArt(
        topic, hits, snippets(context, hits, passages, rare, width), list(zip(topic.claims, bearing, strict=True)),
        hidden, done.notes,
    )  # fmt: skip
