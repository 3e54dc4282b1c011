"""Find prior art for a patent: the first families, and the claims each bears on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError
from leadline.records.scores.result import Result, counted
from leadline.records.scores.table import Table
from leadline.retrieval.answers.bearing import LEVEL, Comparison, bearing_levels, comparison
from leadline.retrieval.answers.claim_parts import ClaimPart, distinguishing_parts
from leadline.retrieval.answers.passages import BEARING, Passage, Passages, claim_terms
from leadline.retrieval.answers.search_hits import Hit, hits_table, read_hits, snippets, texts_of, weighed
from leadline.retrieval.answers.snippets import Snippet
from leadline.retrieval.dense.stored_vectors import stored_vectors
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.pipeline import Pipeline
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.pipeline.request import Query, Request

COMMON = math.log(10)  # the rarity of a word in a tenth of the documents; more common ones are not marked in snippets
DEFAULT_SYSTEM = "best"
ABSTRACT = 0  # the number under which the abstract of a patent without claims stands for them


@dataclass(frozen=True)
class BearingPassage:
    """The passage of a hit that has most of a claim's words and some distinguishing ones, where the hit bears on it."""

    hit: int  # its place among the hits
    passage: Passage
    share: float  # of the claim's words that the passage has, by weight
    distinguishing: float  # the same for the distinguishing part
    level: float  # the share of comparison documents that fit the claim as well; NaN where there are too few


@dataclass(frozen=True)
class ClaimBearing:
    """A claim, its distinguishing part, and the hits that bear on it, those that fit best first."""

    claim: Claim
    part: ClaimPart
    found: Sequence[BearingPassage]

    @property
    def name(self) -> str:
        return f"claim {self.claim.number}" if self.claim.number != ABSTRACT else "abstract"


@dataclass(frozen=True, repr=False)
class PriorArt(Result):
    """A topic, its hits, and for each claim the hits that bear on it."""

    topic: Document
    hits: Sequence[Hit]
    snippets: Sequence[Snippet]
    bearing: Sequence[ClaimBearing]
    hidden: Mapping[str, int]  # how many documents were hidden, by reason
    notes: Sequence[str]
    compared: Comparison  # the documents by which the rule for "bears on" was set

    def _finding(self) -> str:
        first = f"; first: {self.hits[0].label}" if self.hits else ""
        return f"{counted(len(self.hits), 'document')} before {self.topic.id}{first}"

    def _shown_table(self) -> Table:
        return hits_table(self.hits)

    def claims_of(self, hit: int) -> dict[int, float]:
        """The claims that a hit bears on, by number, with its share of each."""
        return {each.claim.number: one.share for each in self.bearing for one in each.found if one.hit == hit}

    @property
    def false_alarms(self) -> float:
        """The share of random comparison documents that may bear on a claim; NaN where there are too few of them."""
        return LEVEL if self.compared.is_enough else math.nan


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
    hits = read_hits(context, _first_families(context, request, ranking, k))
    passages = Passages(texts_of(hits), context.index.analysis)
    among = comparison(context, request)
    bearing, weights = bearing_on_claims(context, request, ranking, [hit.row for hit in hits], passages, among)
    least = min(COMMON, max(weights.values(), default=0.0) / 2)
    rare = {term: weight for term, weight in weights.items() if weight >= least}
    itself = int(request.row is not None)
    hidden = {"itself": itself, "own family": int(own.sum()) - itself, "later": int((late & ~own).sum())}
    return PriorArt(
        topic, hits, snippets(context, hits, passages, rare, width), bearing, hidden, done.notes, among
    )  # fmt: skip


def bearing_on_claims(
    context: SearchContext,
    request: Request,
    ranking: Ranking,
    rows: Sequence[int],
    passages: Passages,
    among: Comparison,
) -> tuple[list[ClaimBearing], dict[str, float]]:
    """Which of the documents in these rows, whose passages are given, bear on which claims; and the terms' weights."""
    claims = claims_or_abstract(context.document(request))
    terms = claim_terms([claim.text for claim in claims], context.index.analysis)
    weights = weighed(context, list(dict.fromkeys(term for claim in terms for term in claim)))
    parts = distinguishing_parts(claims, weights, context.index.analysis)
    levels = None
    if among.is_enough:
        of_parts = [part.terms for part in parts]
        levels = bearing_levels(context, request, ranking, np.array(rows, np.int64), terms, of_parts, among)
    return _bearing(claims, parts, terms, weights, passages, levels), weights


def _first_families(context: SearchContext, request: Request, ranking: Ranking, k: int) -> Ranking:
    """The first k families, each by one document: of equal members the one with most of the claims' words.

    Systems that give all members of a family the same score leave open which of them should be read.
    """
    first = context.one_a_family(ranking, k)
    score_of = dict(zip(context.family_or_self[first.rows].tolist(), first.scores.tolist(), strict=True))
    families = context.family_or_self[ranking.rows].tolist()
    equal = [score_of.get(family) == score for family, score in zip(families, ranking.scores.tolist(), strict=True)]
    rows = ranking.rows[np.array(equal, np.bool_)]
    terms = claim_terms([claim.text for claim in claims_or_abstract(context.document(request))], context.index.analysis)
    query = Query(dict.fromkeys((term for claim in terms for term in claim), 1.0))
    if len(rows) == len(first) or not query.terms:
        return first
    mask = np.zeros(len(context.index), np.bool_)
    mask[rows] = True
    by_words = Search("bm25", depth=len(rows))(context, replace(request.only(mask), queries=(query,))).ranking
    assert by_words is not None
    members = context.one_a_family(by_words).rows
    best = dict(zip(context.family_or_self[members].tolist(), members.tolist(), strict=True))
    chosen = [best.get(family, row) for family, row in zip(score_of, first.rows.tolist(), strict=True)]
    return Ranking(np.array(chosen, np.int32), first.scores)


def claims_or_abstract(topic: Document) -> list[Claim]:
    """The claims of a patent; where it has none, its abstract, description or title as one claim."""
    if topic.claims:
        return list(topic.claims)
    text = topic.abstract or topic.description or topic.title
    return [Claim(ABSTRACT, text)] if text else []


def evidence(context: SearchContext, request: Request) -> tuple[list[str], list[str]]:
    """What the default system uses for this topic, and what it would use if the index had it."""
    vectors = stored_vectors(context)
    kinds = {
        "words": True,
        "noun phrases": "phrases" in context.index.fields,
        "classes": bool(context.class_symbols(request)),
        "citations": len(context.citations.targets) > 0,
        "families": bool((context.family >= 0).any()),
        f"vectors ({vectors.label})" if vectors else "vectors": vectors is not None,
    }
    return [name for name, there in kinds.items() if there], [name for name, there in kinds.items() if not there]


def _bearing(
    claims: Sequence[Claim],
    parts: Sequence[ClaimPart],
    terms: Sequence[Sequence[str]],
    weights: Mapping[str, float],
    passages: Passages,
    levels: np.ndarray | None,
) -> list[ClaimBearing]:
    """Each claim with the hits that bear on it; without levels, those with a quarter of its words in a passage."""
    of_claims = [{term: weights[term] for term in claim} for claim in terms]
    of_parts = [{term: weights[term] for term in part.terms} for part in parts]
    best = passages.bearing(of_claims, of_parts, BEARING if levels is None else 0.0)
    found = []
    for column, (claim, part) in enumerate(zip(claims, parts, strict=True)):
        bearing = [
            BearingPassage(hit := each.passage.document, each.passage, each.share, each.distinguishing,
                           math.nan if levels is None else float(levels[hit, column]))
            for each in best[column]
        ]  # fmt: skip
        if levels is not None:
            bearing = sorted((each for each in bearing if each.level <= LEVEL), key=lambda each: each.level)
        found.append(ClaimBearing(claim, part, bearing))
    return found
