"""The texts of articles. They disclose the concepts of an invention in the words of another author."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from leadline.collections.documents.document import Document
from leadline.collections.simulate.concepts import preferred_form
from leadline.collections.simulate.inventions import years_of
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.randomness import Integers, generator
from leadline.collections.simulate.texts import BLOCK, Writer
from leadline.text.days import EPOCH

_INVENTION = re.compile(r"\binvention\b")


def article_documents(office: SimulatedOffice) -> Iterator[Document]:
    """All articles of an office. Every block has its own random numbers."""
    articles, writer = office.articles, Writer(office)
    ids = articles.ids
    dates = np.datetime_as_string(np.datetime64(EPOCH) + articles.published)
    for begin in range(0, len(articles), BLOCK):
        numbers = np.arange(begin, min(begin + BLOCK, len(articles)))
        rng = generator(office.settings.seed, "article texts", begin // BLOCK)
        draft = writer.drafter.draft(rng, articles.invention[numbers])

        def forms(text: Integers, concept: Integers, numbers: Integers = numbers) -> Integers:
            author, year = articles.author[numbers[text]], years_of(articles.published[numbers[text]])
            return preferred_form(office.settings, office.concepts, author, concept, year)

        for number, text in zip(numbers.tolist(), writer.write(draft, len(numbers), forms), strict=True):
            title, abstract, description = (_INVENTION.sub("work", part) for part in text)
            yield Document(
                id=str(ids[number]), kind="article", language="en", title=title, abstract=abstract,
                description=description.rpartition("\n\n")[0], publication=str(dates[number]),
            )  # fmt: skip
