"""The words that a service is asked for a topic."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from leadline.errors import InputError
from leadline.records.scores.result import counted
from leadline.records.topics.topic import Topic
from leadline.retrieval.engines.engine_file import QuerySettings
from leadline.retrieval.index.analysis import Analysis, spans
from leadline.retrieval.index.characters import joined
from leadline.retrieval.pipeline.answering import names_patent, refuse_absent
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.query.patent_fields import PATENT_FIELDS, summed, text_of
from leadline.retrieval.pipeline.request import Request

CUT = "whose queries were cut to the service's limit"
LONG = 200  # words of a query, above which a note says so


@dataclass(frozen=True)
class EngineQuery:
    """What is asked for a topic."""

    topic: str
    text: str
    notes: tuple[str, ...] = ()
    request: Request | None = None  # where an index knows more about the topic
    problem: str = ""  # why there is nothing to ask: the topic fails


def queries(
    topics: Iterable[Topic], settings: QuerySettings, where: str, context: SearchContext | None = None
) -> list[EngineQuery]:
    """A query for each topic. Patents need an index with its collection, which has their texts.

    A patent that the index lacks is refused, as our own systems do; where no topic has words, that is an error.
    """
    listed = list(topics)
    requests = [None] * len(listed) if context is None else context.requests(listed)
    if context is not None:
        texts = [request.topic for request in requests if request is not None and not request.is_patent]
        refuse_absent([topic for topic in texts if names_patent(topic)], len(listed), context)
    asked = [_query(topic, request, settings, where, context) for topic, request in zip(listed, requests, strict=True)]
    if asked and all(query.problem for query in asked):
        raise InputError(where, f"topic {asked[0].topic} {asked[0].problem}")
    return asked


def query_notes(topics: Iterable[Topic], asked: Sequence[EngineQuery], settings: QuerySettings) -> list[str]:
    """What a user may not expect of the queries."""
    notes = []
    patents = [query for query in asked if query.request is not None and query.request.is_patent]
    unhelped = [topic for topic, query in zip(topics, asked, strict=True) if not query.request and names_patent(topic)]
    if unhelped:
        used = [name for name in settings.fields if any(field_of(topic, name) for topic in unhelped)]
        notes.append(
            f"asked by {', '.join(used)} only: {counted(len(unhelped), 'topic')} with the number of a patent; own "
            "families and later documents are not left out: name an INDEX before the topics"
        )
    if patents and settings.steps is None and settings.fields != QuerySettings().fields:
        named = ", ".join(settings.patent_fields)
        notes.append(f"patents are asked by patent_fields ({named}); fields are those of topics in words")
    longest = max((len(query.text.split()) for query in asked), default=0)
    if longest > LONG and settings.most_words is None:
        notes.append(f"queries have up to {longest:,} words, which may be slow: most_words of [query] limits them")
    return notes


def field_of(topic: Topic, name: str) -> str:
    """The text of a topic's field or attribute."""
    return getattr(topic, name, "") or topic.attributes.get(name, "")


def _query(
    topic: Topic, request: Request | None, settings: QuerySettings, where: str, context: SearchContext | None
) -> EngineQuery:
    fields = settings.fields
    if request is not None and request.is_patent and context is not None:
        fields = ("the words that its steps choose",) if settings.steps is not None else settings.patent_fields
        text, notes = _patent_text(context, request, settings, where)
    else:
        text, notes = " ".join(" ".join(field_of(topic, name) for name in fields).split()), ()
    if not text:
        fix = ": see [query]"
        if context is None:
            fix = ": name an INDEX before the topics, which has the texts of patents"
        elif request is not None and not request.is_patent:
            fix = f", and is no document of {context.location}"
        return EngineQuery(topic.id, "", notes, request, f"has no text in {', '.join(fields)}{fix}")
    sent, is_cut = limited(text, settings)
    if not sent:
        return EngineQuery(topic.id, "", notes, request, f"has no words: {text[:60]!r}")
    return EngineQuery(topic.id, sent, (*notes, CUT) if is_cut else notes, request)


def _patent_text(
    context: SearchContext, request: Request, settings: QuerySettings, where: str
) -> tuple[str, tuple[str, ...]]:
    """The text of a patent, or the words that query steps choose from it, best first."""
    document = context.document(request)
    pipeline = settings.pipeline(where)
    if pipeline is None:
        return " ".join(" ".join(text_of(document, name) for name in settings.patent_fields).split()), ()
    done = pipeline(context, request)
    weights = summed({term: query.weight * each for term, each in query.terms.items()} for query in done.queries)
    whole = "\n".join(text_of(document, name) for name in PATENT_FIELDS)
    written = _written_words(context.index.analysis, whole)
    return " ".join(written.get(term, term) for term in sorted(weights, key=lambda term: -weights[term])), done.notes


def _written_words(analysis: Analysis, text: str) -> dict[str, str]:
    """For each term its commonest word: another service does not know our stems.

    >>> _written_words(Analysis(), "Films of metal. Films, film.")
    {'film': 'films', 'metal': 'metal'}
    """
    content, offsets = joined([text])
    starts, lengths, _ = spans(content, offsets, analysis.words)
    whole = content.tobytes()
    places = zip(starts.tolist(), lengths.tolist(), strict=True)
    words = [word for word, _ in Counter(whole[start : start + length] for start, length in places).most_common()]
    found: dict[str, str] = {}
    for word, term in zip(words, analysis.reduced(words), strict=True):
        if term:
            found.setdefault(term.decode(), word.decode())
    return found


def limited(text: str, settings: QuerySettings) -> tuple[str, bool]:
    """A query as the service is sent it, within its limits, and whether words were left out: its first words stay.

    >>> limited("a film of metal", QuerySettings(most_words=2)), limited("a film", QuerySettings(most_characters=5))
    (('a film', True), ('a', True))
    >>> limited("film-forming (-OH)", QuerySettings(each_word='"{word}"', between_words=" OR "))[0]
    '"film" OR "forming" OR "OH"'
    >>> limited("Film of films, film", QuerySettings(between_words=" OR "))
    ('Film OR of OR films', False)
    """
    only_words = settings.each_word is not None or settings.between_words is not None
    each, between = settings.each_word or "{word}", settings.between_words or " "
    words = _once(plain_words(text)) if only_words else text.split()
    kept = words[: settings.most_words]
    if settings.most_characters is not None and kept:
        ends = accumulate(len(each.replace("{word}", word)) + len(between) for word in kept)
        fitting = sum(end - len(between) <= settings.most_characters for end in ends)
        room = settings.most_characters - len(each.replace("{word}", ""))
        kept = kept[:fitting] or [kept[0][: max(room, 1)]]
    return between.join(each.replace("{word}", word) for word in kept), kept != words


def _once(words: Sequence[str]) -> list[str]:
    """Each word where it stands first, in whichever case: between operators a repeated word only takes time."""
    first: dict[str, str] = {}
    for word in words:
        first.setdefault(word.casefold(), word)
    return list(first.values())


def plain_words(text: str) -> list[str]:
    """The words of a text, of letters and digits: no sign is left that a service could take for an operator.

    >>> plain_words('"film*" of 2,5-xylenol: -water')
    ['film', 'of', '2', '5', 'xylenol', 'water']
    """
    kinds = ((sign, unicodedata.category(sign)) for sign in text)
    # Signs of format, such as soft hyphens, stand within words.
    return "".join(sign if kind[0] in "LMN" else "" if kind == "Cf" else " " for sign, kind in kinds).split()
