"""The true judgements of an office: which documents are relevant to a topic and to each of its claims."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadline.collections.documents.document import DEPENDENT_WEIGHT, INDEPENDENT_WEIGHT
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.randomness import Integers, offsets, places_within
from leadline.records.qrels.qrels import Qrels


def relevant(office: SimulatedOffice, topics: Integers) -> tuple[Integers, Integers, NDArray[np.int8]]:
    """The true prior art of some documents: index into `topics`, document, grade.

    Of a family that is prior art, the documents published by the topic's priority date count.
    """
    pairs = office.pairs
    begin = offsets(np.bincount(pairs.invention, minlength=len(office.inventions)))
    invention = office.publications.invention[topics]
    counts = np.diff(begin)[invention]
    pair = np.repeat(begin[invention], counts) + places_within(counts)
    return _published(office, topics, np.repeat(np.arange(len(topics)), counts), pairs.earlier[pair], pairs.grade[pair])


def _published(
    office: SimulatedOffice, topics: Integers, place: Integers, earlier: Integers, grade: NDArray[np.int8]
) -> tuple[Integers, Integers, NDArray[np.int8]]:
    """Pairs of topic and earlier invention as pairs of topic and document, without documents published too late."""
    pair, document = office.documents_of(earlier)
    place, grade = place[pair], grade[pair]
    in_time = office.all_published[document] <= office.inventions.priority[office.publications.invention[topics[place]]]
    return place[in_time], document[in_time], grade[in_time]


def true_qrels(office: SimulatedOffice, topics: Integers, name: str = "true qrels") -> Qrels:
    """Judgements of whole documents: 2 anticipates an independent claim, 1 is relevant to some claim."""
    place, document, grade = relevant(office, topics)
    return Qrels.from_columns(
        office.ids[topics[place]].tolist(), office.all_ids[document].tolist(), grade.tolist(), name
    )


def true_claim_qrels(office: SimulatedOffice, topics: Integers, name: str = "true qrels by claim") -> Qrels:
    """Judgements by claim. A claim is a subtopic with weight 1, or 0.5 when it depends on another.

    Every claim is listed for every relevant document of its topic, with grade 0 when the document is not relevant to
    it, so that the weights are shared among all claims.
    """
    claims, size = office.claims, len(office.all_ids)
    invention = office.publications.invention[topics]
    place, document, _ = relevant(office, topics)
    order = np.argsort(place * size + document)
    key = (place * size + document)[order]
    grades = np.zeros((len(place), int(claims.counts[invention].max())), np.int8)
    for number, topic, earlier, grade in office.prior_art.by_claim(invention):
        of, found, found_grade = _published(office, topics, topic, earlier, grade)
        grades[order[np.searchsorted(key, of * size + found)], number - 1] = found_grade
    count = claims.counts[invention][place]
    row, claim = np.repeat(np.arange(len(place)), count), places_within(count)
    independent = claims.parent[claims.starts[invention[place[row]]] + claim] == 0
    return Qrels.from_columns(
        office.ids[topics[place[row]]].tolist(),
        office.all_ids[document[row]].tolist(),
        grades[row, claim].tolist(),
        name,
        subtopics=[str(number) for number in (claim + 1).tolist()],
        weights=np.where(independent, INDEPENDENT_WEIGHT, DEPENDENT_WEIGHT).tolist(),
    )
