"""The step that adds synonyms to queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.options import Count, Names, Share, Weight
from leadline.retrieval.pipeline.context import PATENT_FIELDS, Query, Request, text_of
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.synonyms.thesaurus import TextWords, check_source, open_source

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("expand")
class Expand(Step):
    """Add synonyms of the names in the topic's text, with a lower weight. It comes after the step that makes the query.

    `synonyms` are sources: chemistry (an extra), abbreviations of the collection, variants of spelling, or the paths of
    tables. A name is expanded if all its terms are in the query, unless more than a share `common` of all documents
    have it. The `most` shortest of its synonyms are added whose terms are all in the index. The terms of a synonym
    together get `weight` times the weight of the name's terms, divided by the number of the name's meanings. Terms that
    are already in the query keep their weight.

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
    """The title, description and narrative of a topic, and the text of its patent."""
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
    words, terms_of = TextWords.of(text), context.index.analysis.terms
    matches = [
        (match, terms)
        for source in synonyms
        for match in open_source(source, context).matches(words)
        if (terms := terms_of(match.name)) and all(term in query.terms for term in terms)
    ]
    synonym_terms = {synonym: terms_of(synonym) for match, _ in matches for synonym in match.synonyms}
    df = _document_frequencies(context, query, [*(terms for _, terms in matches), *synonym_terms.values()])
    added: dict[str, float] = {}
    for match, terms in matches:
        if min(df[term] for term in terms) <= common * len(context.index):
            total = weight * match.share * sum(query.terms[term] for term in terms)
            for synonym in _shortest([synonym_terms[name] for name in match.synonyms], df, query.terms, most):
                for term in synonym:
                    if term not in query.terms:
                        added[term] = max(added.get(term, 0.0), total / len(synonym))
    return replace(query, terms={**query.terms, **added}) if added else query


def _document_frequencies(context: SearchContext, query: Query, names: Iterable[Sequence[str]]) -> dict[str, int]:
    """The number of documents that have each term of these names."""
    terms = list(dict.fromkeys(term for name in names for term in name))
    df = context.document_frequencies(terms, query.fields or context.fields)
    return dict(zip(terms, df.tolist(), strict=True))


def _shortest(
    synonyms: Iterable[Sequence[str]], df: Mapping[str, int], query: Mapping[str, float], most: int
) -> list[tuple[str, ...]]:
    """The `most` shortest synonyms, as terms, all of which are in the index and some of which are new to the query."""
    useful = [
        tuple(terms)
        for terms in synonyms
        if terms and all(df[term] for term in terms) and any(term not in query for term in terms)
    ]
    return list(dict.fromkeys(sorted(useful, key=len)))[:most]
