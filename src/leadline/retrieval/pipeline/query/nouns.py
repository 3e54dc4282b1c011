"""Keep the nouns of a query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.retrieval.index.derived import BREAK, role_of
from leadline.retrieval.pipeline.context import Request
from leadline.retrieval.pipeline.pipeline import Step, step

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("nouns")
class Nouns(Step):
    """Drop verbs that patents use, adverbs, and words without a specific meaning, such as "plurality".

    They are recognised by the rules for noun phrases, without a grammar. A term is dropped if every word of the topic
    with this stem is such a word. Luo, Wing, Yang and Hearst did this in some runs of their Cube Test paper
    (CIKM 2013).
    """

    def __call__(self, context: SearchContext, request: Request) -> Request:
        from leadline.retrieval.pipeline.synonyms.expand import topic_text
        from leadline.retrieval.pipeline.synonyms.thesaurus import TextWords

        words = list(dict.fromkeys(TextWords.of(topic_text(context, request)).texts))
        terms = context.index.analysis.reduced([word.encode() for word in words])
        has_noun: dict[str, bool] = {}
        for word, term in zip(words, terms, strict=True):
            is_noun = role_of(word) != BREAK or any(map(str.isdigit, word))
            has_noun[term.decode()] = has_noun.get(term.decode(), False) or is_noun
        return replace(
            request,
            queries=tuple(
                replace(query, terms={term: weight for term, weight in query.terms.items() if has_noun.get(term, True)})
                for query in request.queries
            ),
        )
