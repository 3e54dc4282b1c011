"""Technical surveys: topics in words whose relevant documents, patents and articles, are known.

A topic asks for two or three concepts of an invention. A document is relevant (1) if its invention discloses all of
them, and highly relevant (2) if its claims may name all of them. A third of the topics ask for documents published
after a year, and only those are relevant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadline.collections.simulate.class_tree import SECTIONS
from leadline.collections.simulate.concept_names import FIRST, LATER
from leadline.collections.simulate.concepts import GENERAL
from leadline.collections.simulate.inventions import years_of
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.randomness import Integers, generator, offsets
from leadline.errors import InputError
from leadline.records.qrels.qrels import Qrels
from leadline.records.topics.topic import Topic, Topics

CATEGORIES = dict(
    zip(
        SECTIONS,
        ("human necessities", "operations and transport", "chemistry", "textiles and paper", "construction",
         "mechanics", "physics", "electricity"),
        strict=True,
    )
)  # fmt: skip
_FEWEST, _MOST = 5, 200  # relevant documents of a topic
_THREE = 0.3  # share of the topics with three concepts
_DATED = 1 / 3  # share of the topics with a limit of dates
_TRIES = 1000  # in a row without a new topic, before the office is said to have too few


@dataclass(frozen=True)
class SurveyTopic:
    """A topic in words: its concepts, the year after which documents must be published (0: any), and the truth."""

    concepts: tuple[int, ...]
    after: int
    documents: Integers  # as indices of the office's documents, patents first
    grades: Integers


def make_surveys(office: SimulatedOffice) -> tuple[Topics, Qrels]:
    """The survey topics of an office with their true judgements."""
    needs = _drawn(office)
    topics = [_topic(office, number, need) for number, need in enumerate(needs, start=1)]
    columns = [(topic.id, need) for topic, need in zip(topics, needs, strict=True)]
    qrels = Qrels.from_columns(
        [topic for topic, need in columns for _ in need.documents.tolist()],
        [str(name) for need in needs for name in office.all_ids[need.documents]],
        [grade for need in needs for grade in need.grades.tolist()],
        "true qrels of surveys",
    )
    return Topics.of(topics, "surveys"), qrels


def _drawn(office: SimulatedOffice) -> list[SurveyTopic]:
    """Topics with neither too few nor too many relevant documents, no two with the same concepts."""
    rng, inventions = generator(office.settings.seed, "surveys"), office.inventions
    lists = _disclosing(office)
    published = np.flatnonzero(np.diff(office.publications.starts))
    found: dict[tuple[int, ...], SurveyTopic] = {}
    tries = 0
    while len(found) < office.settings.surveys and tries < _TRIES:
        tries += 1
        own = inventions.claimable[rng.choice(published)]
        own = own[(own >= 0) & (office.concepts.level[np.maximum(own, 0)] != GENERAL)]
        count = 3 if rng.random() < _THREE else 2
        dated = rng.random() < _DATED
        if len(own) < count:
            continue
        concepts = tuple(sorted(rng.choice(own, count, replace=False).tolist()))
        need = _need(office, concepts, lists, dated=dated)
        if _FEWEST <= len(need.documents) <= _MOST:
            tries = tries if concepts in found else 0
            found.setdefault(concepts, need)
    if len(found) < office.settings.surveys:
        raise InputError("surveys", f"only {len(found)} topics could be made: choose fewer surveys, or more patents")
    return list(found.values())


def _disclosing(office: SimulatedOffice) -> tuple[Integers, Integers]:
    """The inventions that disclose each concept: those of concept c are lists[starts[c]:starts[c + 1]]."""
    inventions = office.inventions
    owner = np.repeat(np.arange(len(inventions)), np.diff(inventions.starts))
    order = np.argsort(inventions.disclosed, kind="stable")
    return offsets(np.bincount(inventions.disclosed, minlength=len(office.concepts))), owner[order]


def _need(
    office: SimulatedOffice, concepts: tuple[int, ...], lists: tuple[Integers, Integers], *, dated: bool
) -> SurveyTopic:
    """A topic with its truth: the documents of the inventions that disclose all concepts."""
    starts, owners = lists
    disclosing = owners[starts[concepts[0]] : starts[concepts[0] + 1]]
    for concept in concepts[1:]:
        disclosing = np.intersect1d(disclosing, owners[starts[concept] : starts[concept + 1]])
    claimed = np.ones(len(disclosing), bool)
    for concept in concepts:
        claimed &= (office.inventions.claimable[disclosing] == concept).any(axis=1)
    of, documents = office.documents_of(disclosing)
    grades = 1 + claimed[of].astype(np.int64)
    if not dated or not len(documents):
        return SurveyTopic(concepts, 0, documents, grades)
    years = years_of(office.all_published[documents])
    after = int(np.quantile(years, 0.4))
    return SurveyTopic(concepts, after, documents[years > after], grades[years > after])


def _topic(office: SimulatedOffice, number: int, need: SurveyTopic) -> Topic:
    """A need in words: the title by one name of each concept, the narrative by another."""
    words, forms = office.names.words, office.concepts.forms
    one, another = ([str(words[kind, c, (number + step) % forms[c]]) for c in need.concepts]
                    for kind, step in ((LATER, 0), (FIRST, 1)))  # fmt: skip
    limit = f" published after {need.after}" if need.after else ""
    narrative = (
        f"We need all documents{limit}, patents or articles, that describe {_listed(another)} together. "
        f"A document that has only one of them is not relevant. {one[0]} is the same as {another[0]}."
    )
    section = SECTIONS[int(office.concepts.section[need.concepts[0]])]
    return Topic(f"TS-{number}", _listed(one), narrative=narrative, category=CATEGORIES[section])


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
