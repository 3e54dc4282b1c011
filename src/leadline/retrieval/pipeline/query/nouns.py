"""Keep the words of a query that name things."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leadline.retrieval.index.derived.phrases import BREAK, kind_of
from leadline.retrieval.pipeline.pipeline import Step, step
from leadline.retrieval.pipeline.request import Request

if TYPE_CHECKING:
    from leadline.retrieval.pipeline.context import SearchContext


@step("nouns")
class Nouns(Step):
    """Leave out the verbs that patents use, adverbs, and words without sense of their own, such as "plurality".

    The rules that find noun phrases recognise them, not a grammar. A term is left out when every word of the topic
    that has this stem is such a word. Luo, Wing, Yang and Hearst did this in some runs of their Cube Test paper
    (CIKM 2013).
    """

    def __call__(self, context: SearchContext, request: Request) -> Request:
        from leadline.retrieval.pipeline.synonyms.expand import topic_text
        from leadline.retrieval.pipeline.synonyms.text_words import TextWords

        words = list(dict.fromkeys(TextWords.of(topic_text(context, request)).texts))
        terms = context.index.analysis.reduced([word.encode() for word in words])
        naming: dict[str, bool] = {}
        for word, term in zip(words, terms, strict=True):
            is_noun = kind_of(word) != BREAK or any(map(str.isdigit, word))
            naming[term.decode()] = naming.get(term.decode(), False) or is_noun
        return replace(
            request,
            queries=tuple(
                replace(query, terms={term: weight for term, weight in query.terms.items() if naming.get(term, True)})
                for query in request.queries
            ),
        )
