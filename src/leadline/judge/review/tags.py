"""Tags of a review: words of one's own on documents, whatever was judged of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from leadline.errors import InputError
from leadline.judge.marks import JudgingState

MOST_TAGS, LONGEST_TAG = 30, 60  # of a document by one person, and characters
BETWEEN = "; "


def tag_text(tags: Iterable[str]) -> str:
    """Tags as the journal keeps them: each once, in one line, without semicolons.

    >>> tag_text(["to  discuss", "animal", "to discuss", ""])
    'to discuss; animal'
    """
    found = dict.fromkeys(" ".join(each.replace(";", " ").split()) for each in tags)
    kept = [each for each in found if each]
    if len(kept) > MOST_TAGS:
        raise InputError("tags", f"a document has at most {MOST_TAGS}, got {len(kept)}")
    if too_long := next((each for each in kept if len(each) > LONGEST_TAG or not each.isprintable()), None):
        raise InputError(
            "tags", f"{too_long[:20]!r} is longer than {LONGEST_TAG} characters, or has one without a sign"
        )
    return BETWEEN.join(kept)


def tags_of(state: JudgingState, person: str, topic: str, document: str) -> list[str]:
    """One person's tags on a document."""
    return _parts(state.tags.get((person, topic, document), ""))


def all_tags_of(state: JudgingState, document: str) -> list[str]:
    """Everybody's tags on a document, at any stage, each once."""
    found = (text for (_, _, on), text in state.tags.items() if on == document)
    return list(dict.fromkeys(tag for text in found for tag in _parts(text)))


def tags_by_document(state: JudgingState) -> dict[str, list[str]]:
    """Everybody's tags on each document that has some."""
    found: dict[str, dict[str, None]] = {}
    for (_, _, document), text in state.tags.items():
        found.setdefault(document, {}).update(dict.fromkeys(_parts(text)))
    return {document: list(tags) for document, tags in found.items() if tags}


def used_tags(state: JudgingState, person: str = "") -> list[str]:
    """The tags in use, most frequent first: everybody's, or one person's."""
    texts = (text for (name, _, _), text in state.tags.items() if person in ("", name))
    return [tag for tag, _ in Counter(tag for text in texts for tag in _parts(text)).most_common()]


def _parts(text: str) -> list[str]:
    return text.split(BETWEEN) if text else []
