"""The step that adds other words for what a query names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.retrieval.pipeline.options import Count, Names, Share, Weight
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.query.patent_fields import PATENT_FIELDS, text_of
from leadline.retrieval.pipeline.request import Query, Request
from leadline.retrieval.pipeline.synonyms.synonym_sources import check_source, open_source
from leadline.retrieval.pipeline.synonyms.text_words import TextWords
from leadline.retrieval.pipeline.synonyms.thesaurus import Match

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("expand")
class Expand(Step):
    """Add other names for what the topic names, with a share of the weight: put it behind what makes the query.

    `synonyms` are sources: chemistry (an extra), abbreviations of the collection, variants of spelling, or the files of
    tables. A name counts where the topic's text has it and the query has all its terms. The terms of a synonym
    together get `weight` times what those of the name have together; where a name has several meanings, these share it.
    Terms that the query has already keep their weight. Of the synonyms of a name those whose terms the index has are
    taken, `most` of them, the shortest first; names that more than a share `common` of all documents have stay alone.

    York expanded chemical names from PubChem and ChemIDplus at TREC-CHEM 2009, Purdue from PubChem.
    """

    synonyms: Names = ("abbreviations", "variants")
    weight: Weight = 0.5
    most: Count = 5
    common: Share = 0.2

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.synonyms:
            check_source(name)

    def __call__(self, context: SearchContext, request: Request) -> Request:
        queries = tuple(
            expanded(context, query, topic_text(context, request), self.synonyms, self.weight, self.most, self.common)
            for query in request.queries
        )
        return replace(request, queries=queries)


def topic_text(context: SearchContext, request: Request) -> str:
    """All that a topic says in words: its own, and those of its patent."""
    topic = request.topic
    texts = [topic.title, topic.description, topic.narrative]
    if request.is_patent:
        document = context.document(request)
        texts += [text_of(document, field) for field in PATENT_FIELDS]
    return "\n".join(text for text in texts if text)


def expanded(
    context: SearchContext,
    query: Query,
    text: str,
    synonyms: Sequence[str] = ("abbreviations", "variants"),
    weight: float = 0.5,
    most: int = 5,
    common: float = 0.2,
) -> Query:
    """A query with the terms of synonyms for what the text names."""
    words, terms = TextWords.of(text), context.index.analysis.terms
    asked = [
        (match, own)
        for name in synonyms
        for match in open_source(name, context).matches(words)
        if (own := terms(match.name)) and all(term in query.terms for term in own)
    ]
    others = {other: terms(other) for match, _ in asked for other in match.synonyms}
    known = _frequencies(context, query, [*(own for _, own in asked), *others.values()])
    added: dict[str, float] = {}
    for match, own in asked:
        if min(known[term] for term in own) <= common * len(context.index):
            worth = weight * match.share * sum(query.terms[term] for term in own)
            for other in _useful(match, others, known, query.terms, most):
                for term in other:
                    if term not in query.terms:
                        added[term] = max(added.get(term, 0.0), worth / len(other))
    return replace(query, terms={**query.terms, **added}) if added else query


def _frequencies(context: SearchContext, query: Query, names: Iterable[Sequence[str]]) -> dict[str, int]:
    """In how many documents each term of these names stands."""
    listed = list(dict.fromkeys(term for name in names for term in name))
    found = context.document_frequencies(listed, query.fields or context.fields)
    return dict(zip(listed, found.tolist(), strict=True))


def _useful(
    match: Match, others: Mapping[str, Sequence[str]], known: Mapping[str, int], had: Mapping[str, float], most: int
) -> list[tuple[str, ...]]:
    """The synonyms of a name, as terms, that can be found and bring a new term: the shortest of them."""
    useful = [
        tuple(own)
        for other in match.synonyms
        if (own := others[other]) and all(known[term] for term in own) and any(term not in had for term in own)
    ]
    return list(dict.fromkeys(sorted(useful, key=len)))[:most]
