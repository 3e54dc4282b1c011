"""Cards: what a page shows of a topic and of a document, texts as they are and the words to highlight."""

from __future__ import annotations

import importlib.util
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

from leadline.collections.documents.document import Document
from leadline.collections.documents.fields.references import printed_source
from leadline.errors import InputError, visible
from leadline.records.topics import Topic
from leadline.retrieval.bearing import WORDS_OF_CLAIMS, WORDS_OF_TITLES
from leadline.retrieval.choices import COMMON
from leadline.retrieval.pipeline.synonyms.chemistry import chemicals
from leadline.retrieval.pipeline.synonyms.thesaurus import TextWords

KEPT = 200  # documents in memory
LARGEST_CLAIMS = 300_000  # characters that come with the card; more only on request
Field = Literal["claims", "description"]


class DocumentSource(Protocol):
    """What cards take documents from."""

    def document(self, name: str) -> Document:
        """A document by its id; InputError where there is none."""
        ...


class Cards:
    """The topics and documents of a pool as pages show them. Threads may share it."""

    def __init__(self, collection: DocumentSource, topics: Mapping[str, Topic]) -> None:
        self._collection, self._topics = collection, topics
        self._documents: OrderedDict[str, Document | None] = OrderedDict()
        self._shown_topics: dict[str, dict[str, Any]] = {}
        self._highlights: dict[str, list[Highlight]] = {}
        self._lock = threading.Lock()

    def topic(self, name: str) -> Topic:
        return self._topics.get(name, Topic(name))

    def document(self, name: str) -> Document | None:
        """A document; None where the collection lacks it."""
        with self._lock:
            if name in self._documents:
                self._documents.move_to_end(name)
                return self._documents[name]
        try:
            found = self._collection.document(name)
        except InputError:
            found = None
        with self._lock:
            self._documents[name] = found
            while len(self._documents) > KEPT:
                self._documents.popitem(last=False)
        return found

    def shown_topic(self, name: str) -> dict[str, Any]:
        """What a page shows of a topic: in words, or the patent whose prior art is sought."""
        with self._lock:
            if name in self._shown_topics:
                return self._shown_topics[name]
        topic = self.topic(name)
        patent = self.document(topic.patent)
        claims = [{"name": each.name, "text": _clean(each.text)} for each in topic.subtopics]
        if not claims and patent is not None:
            claims = [{"name": str(each.number), "text": _clean(each.text)} for each in patent.claims]
        title = topic.title or (patent.title if patent else "")
        shown: dict[str, Any] = {
            "id": visible(name),
            "title": _clean(title),
            "category": _clean(topic.category),
            "description": _clean(topic.description),
            "narrative": _clean(topic.narrative),
            "patent": visible(patent.id) if patent else "",
            "abstract": _clean(patent.abstract) if patent else "",
            "claims": claims,
        }
        with self._lock:
            self._shown_topics[name] = shown
        return shown

    def highlights(self, name: str) -> list[Highlight]:
        """The words and names of a topic that are highlighted in documents."""
        with self._lock:
            if name in self._highlights:
                return self._highlights[name]
        topic = self.topic(name)
        found = _highlights_of(topic, self.document(topic.patent))
        with self._lock:
            self._highlights[name] = found
        return found

    def card(self, name: str) -> dict[str, Any]:
        """What a page shows of a document; the description only by its length."""
        document = self.document(name)
        if document is None:
            return {
                "document": name,
                "shown": visible(name),
                "missing": True,
                "title": "",
                "abstract": "",
                "claims": [],
                "claim_count": 0,
                "description_length": 0,
                "about": [],
            }
        length = sum(len(claim.text) for claim in document.claims)
        is_patent = bool(document.office or document.claims)
        people = document.applicants if is_patent else document.inventors  # of an article, its authors
        about = [
            " ".join(filter(None, (document.office, document.kind if is_patent else ""))),
            document.publication,
            ", ".join(people[:3]) + (" and others" if len(people) > 3 and not is_patent else ""),
            printed_source(document),
            ", ".join((document.ipc or document.cpc)[:4]),
        ]
        return {
            "document": name,
            "shown": visible(name),
            "missing": False,
            "title": _clean(document.title),
            "abstract": _clean(document.abstract),
            "about": [_clean(each) for each in about if each],
            "claims": self.text(name, "claims") if length <= LARGEST_CLAIMS else None,
            "claim_count": len(document.claims),
            "description_length": len(document.description),
        }

    def text(self, name: str, field: Field) -> list[dict[str, str]]:
        """The claims or the description of a document, in paragraphs."""
        document = self.document(name)
        if document is None:
            return []
        if field == "claims":
            return [{"name": str(claim.number), "text": _clean(claim.text)} for claim in document.claims]
        paragraphs = (each.strip() for each in document.description.split("\n"))
        return [{"name": "", "text": part} for each in paragraphs if each for part in _parts(_clean(each))]


def _highlights_of(topic: Topic, patent: Document | None) -> list[Highlight]:
    texts = [topic.title, topic.description, topic.narrative]
    if patent is not None:
        texts += [patent.title, *(claim.text for claim in patent.claims if claim.independent)]
    return highlights(" ".join(texts))


def _parts(text: str, longest: int = 4000) -> list[str]:
    """A paragraph in parts that a browser lays out at once, cut at blanks.

    >>> _parts("one two three", 8)
    ['one two', 'three']
    """
    parts = []
    while len(text) > longest:
        at = text.rfind(" ", 0, longest) + 1 or longest
        parts.append(text[:at].rstrip())
        text = text[at:]
    return [*parts, text]


def _clean(text: str) -> str:
    """A text in which control codes are visible, and line ends stay."""
    return visible(text, "\t\n")


# Which words of a document a page highlights: those of the topic, and other names of the substances it names.


MOST_WORDS, MOST_NAMES, MOST_SYNONYMS = 40, 60, 6
_SHORTEST = 3  # letters of a word
# Words of every claim and title say nothing of what is sought.
_TOO_COMMON = frozenset((WORDS_OF_CLAIMS + WORDS_OF_TITLES).split()) | {word.decode() for word in COMMON["en"]}


class Highlight(NamedTuple):
    """A word or a name to highlight, and why."""

    text: str
    kind: Literal["word", "name", "synonym"]


def highlights(text: str) -> list[Highlight]:
    """The words of a topic's text, most frequent first, and the substances it names with their other names.

    >>> [each.text for each in highlights("Use of a coating device for steel with zinc; the coating dries")]
    ['coating', 'steel', 'zinc', 'dries']
    """
    counts = Counter(word for word in TextWords.of(text).texts if _is_telling(word))
    found = [Highlight(word, "word") for word, _ in counts.most_common(MOST_WORDS)]
    return [*found, *_names(text)]


def _is_telling(word: str) -> bool:
    return len(word) >= _SHORTEST and not word.isdigit() and word not in _TOO_COMMON


def _names(text: str) -> list[Highlight]:
    """The names of substances in a text, each with its shortest synonyms; none without the package chemicals."""
    if not text.strip() or importlib.util.find_spec("chemicals") is None:
        return []
    found: dict[str, Highlight] = {}
    for match in chemicals().matches(TextWords.of(text)):
        if len(found) >= MOST_NAMES:
            break
        found.setdefault(match.name.lower(), Highlight(match.name, "name"))
        for other in sorted(match.synonyms, key=len)[:MOST_SYNONYMS]:
            found.setdefault(other.lower(), Highlight(other, "synonym"))
    return list(found.values())
