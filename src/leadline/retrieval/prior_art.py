"""Find prior art for a patent: the first families, the claims each bears on, and the result in words."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.documents.document import Claim, Document, split
from leadline.errors import InputError, in_sentence
from leadline.records.result import Result, Table, counted
from leadline.retrieval.choices import BEARING, DEFAULT_SYSTEM
from leadline.retrieval.dense.vectors import stored_vectors
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.models.searcher import Ranking
from leadline.retrieval.passages import Marker, Passage, Passages, Snippet, claim_terms
from leadline.retrieval.pipeline.context import Query, Request, SearchContext
from leadline.retrieval.pipeline.context_data import ClassLevel, read_patents, under
from leadline.retrieval.pipeline.pipeline import Pipeline
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.word_search import Hit, hits_table, read_hits, result_table, snippets, texts_of, weighed
from leadline.text.source import read_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

COMMON = math.log(10)  # the rarity of a word in a tenth of the documents; more common ones are not marked in snippets
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
    return PriorArt(topic, hits, snippets(context, hits, passages, rare, width), bearing, hidden, done.notes, among)


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


_LAST_DIGITS = 1e-13  # of a score: a few hundred units in the last place


def _first_families(context: SearchContext, request: Request, ranking: Ranking, k: int) -> Ranking:
    """The first k families, each by one document: of equal members the one with most of the claims' words.

    Systems that give all members of a family the same score, but for the last digits that keep their order
    (`FamilyMembers`), leave open which of them should be read.
    """
    first = context.one_a_family(ranking, k)
    score_of = dict(zip(context.family_or_self[first.rows].tolist(), first.scores.tolist(), strict=True))
    families = context.family_or_self[ranking.rows].tolist()
    of_first = np.array([score_of.get(family, np.inf) for family in families])
    rows = ranking.rows[np.isclose(ranking.scores, of_first, rtol=_LAST_DIGITS, atol=0.0)]
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
            BearingPassage(
                hit := each.passage.document,
                each.passage,
                each.share,
                each.distinguishing,
                math.nan if levels is None else float(levels[hit, column]),
            )
            for each in best[column]
        ]
        if levels is not None:
            bearing = sorted((each for each in bearing if each.level <= LEVEL), key=lambda each: each.level)
        found.append(ClaimBearing(claim, part, bearing))
    return found


# Which hits bear on which claims: a rule that few random documents pass, because it is set on the index itself.
#
# A hit is compared with documents that the topic could have found: those of its main class, at the most specific level
# that has at least 40 of them, or all where it has no class. For each of them, as for the hit, three things are known:
# its place in the ranking of the system, and its places when the words of the claim, and those of its distinguishing
# part alone, are searched with BM25. As shares of the comparison documents that stand at least as high these are
# p_document, p_claim and p_part, and together
#
#     fit = −0.7 · ln p_document − 0.15 · ln p_claim − 0.15 · ln p_part.
#
# A document without any word of the distinguishing part does not fit at all. The level of a hit for a claim is the
# share of comparison documents whose fit is at least as large; it bears on the claim if its level is at most 5 % and
# one of its passages has a word of the distinguishing part. So at most 5 % of random documents of the class bear on a
# claim, in any collection. It does not follow that most of what bears is prior art: docs/prior-art.md has the share
# that was, how many random documents pass, and how many true hits are kept.


LEVEL = 0.05  # the share of random documents of the class that may bear on a claim
ENOUGH = 40  # comparison documents; with fewer a level of 5 % cannot be told from chance
OF_DOCUMENT, OF_CLAIM, OF_PART = 0.7, 0.15, 0.15  # weights of the ranking, the claim's words, its distinguishing part
_LEVELS: tuple[ClassLevel, ...] = ("subclass", "class", "section")


@dataclass(frozen=True)
class Comparison:
    """The documents that hits are compared with."""

    rows: NDArray[np.int64]
    name: str  # of their class; empty: of any class

    @property
    def is_enough(self) -> bool:
        """Whether there are enough documents to set the rule by."""
        return len(self.rows) >= ENOUGH

    def __str__(self) -> str:
        return f"{len(self.rows):,} earlier documents{f' of {self.name}' if self.name else ''}"


def comparison(context: SearchContext, request: Request) -> Comparison:
    """The visible documents of the topic's main class, at the most specific level that has enough; else all."""
    visible = context.visible(request)
    symbols = context.class_symbols(request)
    for level in _LEVELS if symbols else ():
        at, name = context.classes.at(level), under(symbols[0], level)
        rows = np.flatnonzero(visible & (at.main == at.numbers.get(name, -2)))
        if len(rows) >= ENOUGH:
            return Comparison(rows, name)
    return Comparison(np.flatnonzero(visible), "")


def bearing_levels(
    context: SearchContext,
    request: Request,
    ranking: Ranking,
    rows: NDArray[np.integer],
    claims: Sequence[Sequence[str]],
    parts: Sequence[Sequence[str]],
    among: Comparison,
) -> NDArray[np.float64]:
    """The level of each of these documents (rows) for each claim (columns).

    `claims` and `parts` are the terms of each claim and of its distinguishing part.
    `ranking` is that of the system, before it was cut to the hits.
    """
    both = np.union1d(among.rows, rows)
    inside, place = np.searchsorted(both, among.rows), np.searchsorted(both, rows)
    by_system = np.log(_shares(_scores(ranking, both), inside))
    levels = np.ones((len(rows), len(claims)))
    mask = np.zeros(len(context.index), np.bool_)
    mask[both] = True
    limited, search = request.only(mask), Search("bm25", depth=max(len(both), 1))

    def searched(terms: Sequence[str]) -> NDArray[np.float64]:
        query = Query(dict.fromkeys(terms, 1.0))
        found = search(context, replace(limited, queries=(query,))).ranking
        assert found is not None
        return _scores(found, both)

    for column, (terms, part) in enumerate(zip(claims, parts, strict=True)):
        if terms and part:
            by_part = searched(part)
            logs = (by_system, np.log(_shares(searched(terms), inside)), np.log(_shares(by_part, inside)))
            fit = -sum(weight * each for weight, each in zip((OF_DOCUMENT, OF_CLAIM, OF_PART), logs, strict=True))
            levels[:, column] = _shares(np.where(np.isfinite(by_part), fit, -np.inf), inside)[place]
    return levels


def _scores(ranking: Ranking, rows: NDArray[np.integer]) -> NDArray[np.float64]:
    """The score of each row, which ascend; the lowest of all where the ranking does not have it."""
    order = np.argsort(ranking.rows)
    sorted_rows = ranking.rows[order]
    place = np.minimum(np.searchsorted(sorted_rows, rows), max(len(sorted_rows) - 1, 0))
    scores = np.full(len(rows), -np.inf)
    if len(sorted_rows):
        found = sorted_rows[place] == rows
        scores[found] = ranking.scores[order][place[found]]
    return scores


def _shares(values: NDArray[np.float64], inside: NDArray[np.integer]) -> NDArray[np.float64]:
    """The share of the other comparison documents that have at least the value of each document.

    A document counts as one of them itself, so that a share is never 0.

    >>> _shares(np.array([3.0, 1.0, 2.0, 9.0]), np.array([0, 1, 2])).tolist()
    [0.3333333333333333, 1.0, 0.6666666666666666, 0.25]
    """
    others = np.sort(values[inside])
    is_inside = np.zeros(len(values), np.int64)
    is_inside[inside] = 1
    as_high = len(others) - np.searchsorted(others, values, "left")
    return (as_high + 1 - is_inside) / (len(others) + 1 - is_inside)


# The distinguishing part of a claim: what it says that its class, or the claim it depends on, does not.
#
# Three rules, in this order:
#
# 1. after a phrase that separates what is known from what is new: "characterised in that", "wherein the improvement";
# 2. of a claim that refers to another, the words that none of the claims it refers to has;
# 3. otherwise the rarest words, as many as make up half of the claim's weight by rarity.
#
# The rules read words, not meaning: a part is a place to begin reading.


_NEW = re.compile(
    r"\bcharacteri[sz]ed\s+(?:in\s+that|by(?:\s+the\s+fact\s+that)?)\b|\bwherein\s+the\s+improvement\b"
    r"|\bthe\s+improvement\s+(?:which\s+)?(?:compris|consist|wherein|being|residing)\w*"
    r"|\bdadurch\s+gekennzeichnet\b,?(?:\s+da(?:ss|ß))?|\bcaractérisée?s?\s+(?:en\s+ce\s+qu|par)\w*['’]?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ClaimPart:
    """The distinguishing part of a claim."""

    text: str  # as written, or the words with dots between them
    basis: str  # why these words: "after “characterised in that”", "not in claim 1", "rarest words"
    terms: tuple[str, ...]  # of the index


def distinguishing_parts(claims: Sequence[Claim], weights: Mapping[str, float], analysis: Analysis) -> list[ClaimPart]:
    """The distinguishing part of each claim. `weights` are of the claims' terms, by rarity.

    >>> nail = [Claim(1, "A tin nail, characterised in that it bends."), Claim(2, "The nail of claim 1, gold.", (1,))]
    >>> parts = distinguishing_parts(nail, {"nail": 1.0, "tin": 2.0, "bend": 3.0, "gold": 3.0}, Analysis())
    >>> [(part.text, part.basis) for part in parts]
    [('it bends.', 'after “characterised in that”'), ('gold', 'not in claim 1')]
    """
    terms = dict(zip((claim.number for claim in claims), claim_terms([c.text for c in claims], analysis), strict=True))
    by_number = {claim.number: claim for claim in claims}
    return [_part(claim, terms, by_number, weights, analysis) for claim in claims]


def _part(
    claim: Claim,
    terms: Mapping[int, Sequence[str]],
    by_number: Mapping[int, Claim],
    weights: Mapping[str, float],
    analysis: Analysis,
) -> ClaimPart:
    own = terms[claim.number]
    if found := list(_NEW.finditer(claim.text)):
        text = claim.text[found[-1].end() :].strip(" ,:;")
        new = [term for term in claim_terms([text], analysis)[0] if term in own]
        if new:
            return ClaimPart(
                " ".join(text.split()), f"after “{' '.join(found[-1][0].split()).rstrip(',')}”", tuple(new)
            )
    known = {term for number in _ancestors(claim, by_number) for term in terms[number]}
    if known and (new := [term for term in own if term not in known]):
        parents = [str(number) for number in claim.parents if number in terms]
        basis = f"not in claim{'s' * (len(parents) > 1)} {', '.join(parents)}"
        return ClaimPart(_words(claim.text, new, analysis), basis, tuple(new))
    rare = _rarest(own, weights)
    return ClaimPart(_words(claim.text, rare, analysis), "rarest words", tuple(rare))


def _ancestors(claim: Claim, by_number: Mapping[int, Claim]) -> Iterator[int]:
    """The numbers of all claims that a claim refers to, directly or not."""
    seen, waiting = {claim.number}, list(claim.parents)
    while waiting:
        number = waiting.pop()
        if number in by_number and number not in seen:
            seen.add(number)
            waiting += by_number[number].parents
            yield number


def _rarest(terms: Sequence[str], weights: Mapping[str, float]) -> list[str]:
    """The terms with the largest weights, until they have half of the sum; in the order of the claim."""
    half, chosen = sum(weights.get(term, 0.0) for term in terms) / 2, set[str]()
    for term in sorted(terms, key=lambda term: -weights.get(term, 0.0)):
        if half <= 0:
            break
        chosen.add(term)
        half -= weights.get(term, 0.0)
    return [term for term in terms if term in chosen]


def _words(text: str, terms: Sequence[str], analysis: Analysis) -> str:
    """The words of these terms as they are written, each once, with dots between them."""
    marks = Marker(analysis, dict.fromkeys(terms, 1.0)).marks(text)
    first = {term: text[start:end] for start, end, term in reversed(marks)}
    return " · ".join(first[term] for term in terms if term in first)


# What a search for prior art found, in words and as a record: for the command, and for the pages.


# Of the first ten hits that were said to bear, those that were known prior art: the lowest and the highest share of the
# collections in docs/prior-art.md. The level of 5 % says nothing of it: it is about random documents of the class.
RIGHT_OF_THE_FIRST = (0.144, 0.161)
HALF = 0.5  # of a claim's words in one passage: the first sentence counts the claims that have such a hit


def fit_words(one: BearingPassage) -> str:
    """How well a hit fits a claim, in words."""
    fit = "" if np.isnan(one.level) else f"first {_percent(one.level)} · "
    return f"{fit}{_share(one.share)} of the words, {_share(one.distinguishing)} of the distinguishing ones"


def bearing_rule(found: PriorArt) -> str:
    """What "bears on" means here, and how often that is right."""
    if not found.bearing or not found.hits:
        return ""
    what = "a claim" if found.topic.claims else "the abstract"
    if np.isnan(found.false_alarms):
        return (
            f"A hit bears on {what} if a passage has {_share(BEARING)} of its words, a distinguishing one among them. "
            f"There are only {found.compared} "
            "to compare with, too few to know how many of them would pass."
        )
    return (
        f"A hit bears on {what} if a passage has a distinguishing word of it and at most "
        f"{_percent(found.false_alarms)} of {found.compared} fit it as well. That is a place to begin reading: of the "
        f"first ten hits, {_percent_range(RIGHT_OF_THE_FIRST)} of those that bore were known prior art where it was "
        "measured (docs/prior-art.md)."
    )


def _percent_range(shares: tuple[float, float]) -> str:
    """Two shares as a range, in whole per cent.

    >>> _percent_range((0.144, 0.162))
    '14 to 16 %'
    """
    return " to ".join(f"{100 * share:.0f}" for share in shares) + " %"


def system_line(context: SearchContext, request: Request, named: str | None) -> str:
    """Which system searched, and why."""
    if named:
        return f"System: {named}, as asked."
    used, missing = evidence(context, request)
    lacking = f"; without {in_sentence(missing)}, which are missing" if missing else ""
    return f"System: {DEFAULT_SYSTEM}, by {in_sentence(used)}{lacking}."


def prior_art_finding(found: PriorArt) -> str:
    """The result in one sentence."""
    if not found.hits:
        return "Nothing was found."
    families = "The first family" if len(found.hits) == 1 else f"The first {len(found.hits)} families"
    verb = "bears" if len(found.hits) == 1 else "bear"
    if not found.bearing:
        return f"{families} found; the patent has neither claims nor an abstract to compare them with."
    counts = [len(found.claims_of(place)) for place in range(len(found.hits))]
    if not found.topic.claims:
        return f"{families} found, {sum(map(bool, counts))} of which bear on the abstract; the patent has no claims."
    reached = sum(bool(each.found) for each in found.bearing)
    if not reached:
        return f"{families} {verb} on none of its claims."
    most = int(np.argmax(counts))
    leader = f"; hit {most + 1}, {found.hits[most].name}, on {counts[most]}" if len(found.hits) > 1 else ""
    strong = sum(any(one.share >= HALF for one in each.found) for each in found.bearing)
    much = f"on {strong or 'none'} of them by a passage with half of the claim's words"
    return f"{families} {verb} on {reached} of its {claim_count(found.topic.claims)}, {much}{leader}."


def topic_date(topic: Document) -> tuple[str, str]:
    """What the date of a topic is, and the date: its priority, or else its filing or publication."""
    dates = (("priority", topic.priority), ("filed", topic.application), ("published", topic.publication))
    return next(((kind, date) for kind, date in dates if date), ("undated", ""))


def claim_count(claims: Sequence[Claim]) -> str:
    return counted(len(claims), "claim") if claims else "no claims"


def claim_numbers(numbers: Sequence[int]) -> str:
    """The numbers of claims, three or more in a row as a range.

    >>> claim_numbers([1, 2, 3, 7, 9, 10])
    'claims 1–3, 7, 9, 10'
    """
    if list(numbers) == [ABSTRACT]:
        return "the abstract"
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"claim{'s' * (len(numbers) > 1)} {', '.join(parts)}"


def _share(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")


def _percent(share: float) -> str:
    """A share as a percentage, of two digits.

    >>> _percent(0.05), _percent(0.0037), _percent(0.125)
    ('5 %', '0.37 %', '12 %')
    """
    return f"{100 * share:.2g} %"


def search_notes(found: PriorArt, named: str | None) -> list[str]:
    """Notes of the pipeline as sentences; what the line about the default system says is not said again."""
    said = ("searched without the field", "without any class") if not named else ()
    notes = [note for note in found.notes if not note.startswith(said)] if said else list(found.notes)
    sentences = (note.removeprefix("searched ").replace(", for which", ", so that") for note in notes)
    return [f"{found.topic.id} was searched {note}" for note in sentences]


def hidden_note(found: PriorArt) -> list[str]:
    """How many documents were hidden, and why."""
    reasons = {
        "itself": "the patent itself",
        "own family": f"{found.hidden['own family']:,} of its own family",
        "later": f"{found.hidden['later']:,} published after {topic_date(found.topic)[1]}",
    }
    hidden = [words for reason, words in reasons.items() if found.hidden[reason]]
    return [f"hidden: {', '.join(hidden)}"] if hidden else []


def prior_art_record(found: PriorArt) -> dict[str, Any]:
    """The whole result as one JSON object."""
    rows = result_table(found.hits, found.snippets, {})
    hits = [dict(zip(rows.columns, row, strict=True)) for row in rows.rows]
    for place, hit in enumerate(hits):
        hit["claims"] = [{"claim": number, "share": share} for number, share in found.claims_of(place).items()]
    claims = [
        {
            "claim": each.claim.number,
            "part": each.name,
            "text": each.claim.text,
            "distinguishing": {"text": each.part.text, "basis": each.part.basis},
            "hits": [
                {
                    "rank": one.hit + 1,
                    "document": found.hits[one.hit].name,
                    "where": one.passage.where,
                    "share": one.share,
                    "distinguishing": one.distinguishing,
                    "level": _number(one.level),
                    "passage": one.passage.text,
                }
                for one in each.found
            ],
        }
        for each in found.bearing
    ]
    kind, date = topic_date(found.topic)
    topic = {
        "document": found.topic.id,
        "title": found.topic.title,
        "priority": found.topic.priority,
        "date": date,
        "date_kind": kind,
    }
    rule = {
        "false_alarms": _number(found.false_alarms),
        "class": found.compared.name,
        "compared_with": len(found.compared.rows),
    }
    return {
        "topic": topic,
        "hits": hits,
        "claims": claims,
        "rule": rule,
        "hidden": dict(found.hidden),
        "notes": search_notes(found, None),
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


# Read one patent from a file: in any form that a collection is built from, or as plain text.


_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xml", ".sgml", ".sgm", ".zip", ".tar")
_RECORDS = re.compile(rb"^PATN[ \t]*\r?$", re.MULTILINE)  # of the Green Book
_CLAIMS = re.compile(
    r"^[^\w\n]*(?:(?:patent\s*)?claims?|(?:patent)?ansprüche|revendications?)\W*$"
    r"|^(?=what is claimed\b|(?:we|i) claim\b)",
    re.IGNORECASE | re.MULTILINE,
)
_TITLE = re.compile(r"(?:title|titel|titre)\s*:\s*(?=\S)", re.IGNORECASE)
_LONGEST_TITLE = 300  # letters


def read_patent(path: str | os.PathLike[str]) -> Document:
    """The patent that a file holds."""
    name = os.fspath(path)
    if not _is_marked_up(name):
        return patent_of_text(read_text(name).bytes().decode("utf-8", "replace"), PurePath(name).stem, name)
    found = list(read_patents(name))
    if len(found) > 1:
        some = ", ".join(document.id for document in found[:3])
        raise InputError(name, f"holds {len(found):,} patents ({some} …): give a file with one, or its number")
    return found[0]


def _is_marked_up(name: str) -> bool:
    endings = [ending.lower() for ending in PurePath(name).suffixes[-2:]]
    if any(ending in _TABLES for ending in endings):
        return True
    head = read_text(name).bytes()[: 1 << 16].lstrip()
    return head[:1] in (b"<", b"{", b"[") or _RECORDS.search(head) is not None


def patent_of_text(text: str, name: str, where: str = "text") -> Document:
    """A patent from plain text: a short first line is the title, and the claims follow a line "Claims".

    >>> text = "A nail\\n\\nNails bend; ours does not.\\n\\nClaims\\n1. A nail.\\n2. The nail of claim 1, bent."
    >>> found = patent_of_text(text, "X")
    >>> found.title, found.description, [claim.parents for claim in found.claims]
    ('A nail', 'Nails bend; ours does not.', [(), (1,)])
    """
    if not any(map(str.isalnum, text)):
        raise InputError(where, "has no words")
    headings = list(_CLAIMS.finditer(text))
    before, after = (text[: headings[-1].start()], text[headings[-1].end() :]) if headings else (text, "")
    lines = [line.strip() for line in before.strip().splitlines() if line.strip()]
    is_titled = len(lines) > 1 or (lines and after.strip())  # a line alone is a title where claims follow it
    title = _TITLE.sub("", lines.pop(0)) if is_titled and len(lines[0]) <= _LONGEST_TITLE else ""
    identifier = "-".join(name.split()) or "text"
    claims = split(after) if after.strip() else ()
    return Document(identifier, title=title, description="\n".join(lines), claims=claims)
