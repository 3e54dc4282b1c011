"""Find prior art for a patent: the first families, the claims each bears on, and the result in words."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from leadline.collections.documents.document import Claim, Document, split
from leadline.errors import InputError, in_sentence
from leadline.records.result import Result, Table, counted
from leadline.retrieval.bearing import (
    ABSTRACT,
    GRADES,
    STRONG,
    WEAK,
    BearingPassage,
    ClaimBearing,
    Grade,
    bearing_on_claims,
    claims_or_abstract,
)
from leadline.retrieval.choices import DEFAULT_SYSTEM
from leadline.retrieval.dense.vectors import stored_vectors
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.passages import Passages, Snippet, claim_terms
from leadline.retrieval.pipeline.context import Query, Request, SearchContext
from leadline.retrieval.pipeline.context_data import read_patents
from leadline.retrieval.pipeline.pipeline import Pipeline
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.word_search import Hit, hits_table, read_hits, result_table, snippets, texts_of
from leadline.text.source import read_text

COMMON = math.log(10)  # the rarity of a word in a tenth of the documents; more common ones are not marked in snippets


@dataclass(frozen=True, repr=False)
class PriorArt(Result):
    """A topic, its hits, and for each claim the hits that bear on it."""

    topic: Document
    hits: Sequence[Hit]
    snippets: Sequence[Snippet]
    bearing: Sequence[ClaimBearing]
    hidden: Mapping[str, int]  # how many documents were hidden, by reason
    notes: Sequence[str]

    def _finding(self) -> str:
        first = f"; first: {self.hits[0].label}" if self.hits else ""
        return f"{counted(len(self.hits), 'document')} before {self.topic.id}{first}"

    def _shown_table(self) -> Table:
        return hits_table(self.hits)

    def claims_of(self, hit: int) -> dict[int, float]:
        """The claims that a hit bears on, by number, with the share of each claim's words that it has."""
        return {each.claim.number: one.whole for each in self.bearing for one in each.found if one.hit == hit}

    def claims_by_grade(self, hit: int) -> dict[Grade, list[int]]:
        """The claims that a hit bears on, strongly and weakly; a grade is left out where there are none."""
        marks = [(one.grade, each.claim.number) for each in self.bearing for one in each.found if one.hit == hit]
        by_grade = {grade: [number for of, number in marks if of == grade] for grade in GRADES}
        return {grade: numbers for grade, numbers in by_grade.items() if numbers}

    def right(self, grade: Grade) -> str:
        """How many of such marks were right where it was measured: "65 %"; of abstracts, "24 to 64 %"."""
        return _percent_range((grade.right,) if self.topic.claims else grade.cited)


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
    bearing, weights = bearing_on_claims(context, topic, passages)
    least = min(COMMON, max(weights.values(), default=0.0) / 2)
    rare = {term: weight for term, weight in weights.items() if weight >= least}
    itself = int(request.row is not None)
    hidden = {"itself": itself, "own family": int(own.sum()) - itself, "later": int((late & ~own).sum())}
    return PriorArt(topic, hits, snippets(context, hits, passages, rare, width), bearing, hidden, done.notes)


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


# What a search for prior art found, in words and as a record: for the command, and for the pages.


def fit_words(one: BearingPassage) -> str:
    """How well a hit fits a claim, in words."""
    passage = f"the passage {_share(one.share)}, and {_share(one.distinguishing)} of the distinguishing ones"
    return f"{one.grade.name} · {_share(one.whole)} of the words, {passage}"


def bearing_rule(found: PriorArt) -> str:
    """What "bears on" means here, and how often that is right."""
    if not found.bearing or not found.hits:
        return ""
    claimed = bool(found.topic.claims)
    what = "a claim" if claimed else "the abstract"
    words = "the words of the claim and of those it depends on" if claimed else "its words"
    measured = "in simulated offices" if claimed else "on abstracts of two collections, as far as citations know"
    return (
        f"A hit bears on {what} strongly if it has {_share(STRONG.least)} of {words}, by rarity; weakly if it has "
        f"{_share(WEAK.least)}, and a passage with a distinguishing one. That is a place to begin reading: among the "
        f"first ten hits, {found.right(STRONG)} of the strong marks and {found.right(WEAK)} of the weak ones were "
        f"right {measured} (docs/prior-art.md)."
    )


def bears_words(found: PriorArt, place: int) -> list[str]:
    """The claims that a hit bears on, by grade, with how often such a mark is right."""
    return [
        f"{grade.name}: {claim_numbers(numbers)} ({found.right(grade)} right)"
        for grade, numbers in found.claims_by_grade(place).items()
    ]


def _percent_range(shares: Sequence[float]) -> str:
    """A share, or the lowest and the highest, in whole per cent.

    >>> _percent_range((0.144, 0.162)), _percent_range((0.65,))
    ('14 to 16 %', '65 %')
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
    what = "claims" if found.topic.claims else "abstract"
    if not any(counts):
        return f"Nothing bears: of {families[0].lower()}{families[1:]}, none has half of the words of its {what}."
    if not found.topic.claims:
        return f"{families} found, {sum(map(bool, counts))} of which bear on the abstract; the patent has no claims."
    reached = sum(bool(each.found) for each in found.bearing)
    most = int(np.argmax(counts))
    leader = f"; hit {most + 1}, {found.hits[most].name}, on {counts[most]}" if len(found.hits) > 1 else ""
    strong = sum(any(one.grade is STRONG for one in each.found) for each in found.bearing)
    much = f"on {strong or 'none'} of them strongly"
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
        grades = {number: grade.name for grade, numbers in found.claims_by_grade(place).items() for number in numbers}
        hit["claims"] = [
            {"claim": number, "share": share, "grade": grades[number]}
            for number, share in found.claims_of(place).items()
        ]
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
                    "grade": one.grade.name,
                    "whole": one.whole,
                    "where": one.passage.where,
                    "share": one.share,
                    "distinguishing": one.distinguishing,
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
        grade.name: {"least": grade.least, "right": [grade.right] if found.topic.claims else list(grade.cited)}
        for grade in GRADES
    }
    return {
        "topic": topic,
        "hits": hits,
        "claims": claims,
        "rule": rule,
        "hidden": dict(found.hidden),
        "notes": search_notes(found, None),
    }


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


NOT_TEXT = "is not text: give XML, SGML, JSON or plain text, not an archive or a PDF"


def read_patent(path: str | os.PathLike[str]) -> Document:
    """The patent that a file holds."""
    name = os.fspath(path)
    if not _is_marked_up(name):
        content = read_text(name).bytes()
        if b"\0" in content[: 1 << 16] or content.startswith((b"PK\x03\x04", b"%PDF")):
            raise InputError(name, NOT_TEXT)
        return patent_of_text(content.decode("utf-8", "replace"), PurePath(name).stem, name)
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
