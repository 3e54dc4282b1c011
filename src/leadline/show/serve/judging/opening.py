"""Open a pool for judging: the files that the pages need, all checked before the first request."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from leadline.collections.documents.store import Collection
from leadline.errors import InputError, visible
from leadline.judge.assessors.journal import LONGEST, JudgingJournal
from leadline.judge.assessors.people import People
from leadline.judge.pools.pool import Pool
from leadline.records.topics.topic import Topics
from leadline.show.serve.judging.cards import Cards
from leadline.show.serve.judging.desk import INSTRUCTIONS, REASONS, JudgingDesk
from leadline.text.source import read_text

if TYPE_CHECKING:
    PathLike = str | os.PathLike[str]


def open_desk(
    pool: PathLike,
    documents: PathLike,
    journal: PathLike,
    people: PathLike,
    *,
    topics: PathLike | None = None,
    instructions: PathLike | None = None,
    reasons: PathLike | None = None,
) -> JudgingDesk:
    """The judging of a pool, ready to be served; InputError where a file does not fit."""
    drawn = Pool.read(pool)
    names = drawn.to_judge()["document"].unique().to_list()
    if not names:
        raise InputError(os.fspath(pool), "has nothing to judge")
    _check_names(os.fspath(pool), [*drawn.topics, *names])
    collection = Collection.open(documents)
    missing = int((collection.rows(names) < 0).sum())
    if missing == len(names):
        raise InputError(os.fspath(documents), f"has none of the documents of {os.fspath(pool)}")
    known = {topic.id: topic for topic in Topics.read(topics)} if topics is not None else {}
    if known and not set(known) & set(drawn.topics):
        there, here = next(iter(known)), drawn.topics[0]
        raise InputError(os.fspath(topics or ""), f"has no topic of the pool: it has {there}, the pool {here}")
    said = _text(instructions) if instructions is not None else INSTRUCTIONS
    listed = tuple(line.strip() for line in _text(reasons).splitlines() if line.strip()) if reasons else REASONS
    opened = JudgingJournal(journal, create=True)
    return JudgingDesk(drawn, opened, People(people), Cards(collection, known), said, listed)


def _check_names(pool: str, names: list[str]) -> None:
    """Refuse ids that no page can send back as they are."""
    for name in names:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise InputError(
                pool, f"has an id that is not UTF-8, {visible(name)}: it cannot be judged in pages"
            ) from None


def _text(path: PathLike) -> str:
    text = read_text(path).bytes().decode("utf-8", "replace").strip()
    if not text or len(text) > LONGEST:
        raise InputError(os.fspath(path), f"must have 1 to {LONGEST:,} characters, has {len(text):,}")
    return visible(text, "\t\n")
