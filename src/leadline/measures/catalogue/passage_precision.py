"""Average precision of passages, by characters: as TREC's Genomics track defined it in 2006 and in 2007."""

from __future__ import annotations

import numpy as np

from leadline.measures.characters import characters_of, relevant_characters
from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, ratio


@measure("char_AP", needs="characters", aliases=("char_MAP", "passage2_MAP", "character_average_precision"))
def character_average_precision(hits: Hits) -> Array:
    """Average precision where every character is a document of its own, in the order of reading.

    Formula: (1 / n) Σ_i i / c_i, with n the relevant characters of the topic, and c_i the characters read down to the
    i-th relevant one. Its mean is Passage2 MAP.

    Paper: Hersh, Cohen, Ruslen and Roberts, TREC 2007 Genomics track overview.

    Range: 0 to 1.

    Unjudged: not relevant; so are characters that an earlier passage had.

    Short list: relevant characters that are not read add 0.

    The relevant characters of d1 are its third and fourth, of four in all: (1/3 + 2/4) / 4.

    >>> from leadline.measures.characters import example
    >>> character_average_precision(example([("d1", 0, 4)], {"d1": [(2, 4)], "d2": [(0, 2)]})).round(4)
    array([0.2083])
    """
    read = characters_of(hits)
    row = read.row[read.passage]
    order = np.lexsort((read.begins, row))
    size, row, begins = read.size[order], row[order], read.begins[order]
    counted = np.concatenate([[0], np.cumsum(size)])
    before = counted[:-1] - counted[np.searchsorted(row, np.arange(hits.rows))][row]
    within = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size) + 1
    precision = (np.repeat(before, size) + within) / (np.repeat(begins, size) + within)
    total = np.bincount(np.repeat(row, size), weights=precision, minlength=hits.rows)
    return ratio(total, relevant_characters(hits))


@measure("passage_AP", needs="characters", aliases=("passage_MAP",))
def passage_average_precision(hits: Hits) -> Array:
    """Average over the relevant passages of the share of relevant characters down to each.

    Formula: (1 / n) Σ over retrieved passages with a new relevant character of (relevant characters read so far /
    characters read so far), with n the relevant passages of the topic, or the retrieved ones with a new relevant
    character if these are more. A long passage that is cut into short ones scores better, so the track replaced it by
    char_AP.

    Paper: Hersh, Cohen, Roberts and Rekapalli, TREC 2006 Genomics track overview.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: relevant passages that are not met add 0.

    The first passage has two relevant characters of four, the second none; the relevant passage of d2 is not met.

    >>> from leadline.measures.characters import example
    >>> hits = example([("d1", 0, 4), ("d1", 9, 4)], {"d1": [(2, 4)], "d2": [(0, 2)]})
    >>> passage_average_precision(hits)
    array([0.25])
    """
    read = characters_of(hits)
    assert hits.qrels is not None
    assert hits.qrels.extents is not None
    new = read.found_in()
    counted = np.concatenate([[0], np.cumsum(new)])
    found = counted[1:] - counted[read.offsets[:-1]][read.row]
    precision = np.where(new > 0, ratio(found, (read.read_before + read.length).astype(float)), 0.0)
    total = np.bincount(read.row, weights=precision, minlength=hits.rows)
    met = np.bincount(read.row, weights=new > 0, minlength=hits.rows)
    spans = np.diff(hits.qrels.extents.offsets)
    by_topic = np.bincount(hits.judged.topic, weights=spans, minlength=len(hits.judged.offsets) - 1)
    return ratio(total, np.maximum(by_topic[hits.topic], met))
