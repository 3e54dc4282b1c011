"""Precision, recall and F of passages, by characters."""

from __future__ import annotations

from leadline.measures.catalogue.sets import Weight
from leadline.measures.characters import characters_of, relevant_characters
from leadline.measures.definition import measure
from leadline.measures.hits import Array, Hits, ratio


@measure("char_P", at="effort", needs="characters", aliases=("character_precision",))
def character_precision(hits: Hits, effort: int | None = None) -> Array:
    """Share of the characters read that is relevant.

    Formula: char_P = relevant characters in the passages / characters of the passages; char_P@N of the first N
    characters, where a shorter list counts with N, as P does.

    Paper: Allan, HARD track overview in TREC 2004; its measures read 12 000 characters: char_P@12000.

    Range: 0 to 1.

    Unjudged: not relevant; so are characters that an earlier passage had.

    Short list: with a cutoff as if followed by characters that are not relevant; without, only what is retrieved
    counts.

    Of 10 + 10 characters 5 are relevant; of the first 8, characters 5 to 7, three.

    >>> from leadline.measures.characters import example
    >>> hits = example([("d1", 0, 10), ("d2", 5, 10)], {"d1": [(5, 15)]})
    >>> character_precision(hits), character_precision(hits, effort=8)
    (array([0.25]), array([0.375]))
    """
    read = characters_of(hits)
    return ratio(read.found(effort), read.read if effort is None else float(effort))


@measure("char_R", at="effort", needs="characters", aliases=("character_recall",))
def character_recall(hits: Hits, effort: int | None = None) -> Array:
    """Share of the relevant characters that is read.

    Formula: char_R = relevant characters in the passages / relevant characters of the topic; char_R@N in the first N.

    Paper: Allan, HARD track overview in TREC 2004.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as if followed by characters that are not relevant.

    Of the ten relevant characters the first passage has five; the second repeats three of them and adds none.

    >>> from leadline.measures.characters import example
    >>> character_recall(example([("d1", 0, 10), ("d1", 7, 3)], {"d1": [(5, 15)]}))
    array([0.5])
    """
    return ratio(characters_of(hits).found(effort), relevant_characters(hits))


@measure("char_F", at="effort", needs="characters", aliases=("character_F",))
def character_f(hits: Hits, effort: int | None = None, *, beta: Weight = 1.0) -> Array:
    """Harmonic mean of precision and recall of characters.

    Formula: char_F = (1 + beta²) · P · R / (beta² · P + R), with P = char_P and R = char_R.

    Paper: Allan, HARD track overview in TREC 2004, with beta = 1; van Rijsbergen, Information Retrieval, 1979.

    Range: 0 to 1.

    Unjudged: not relevant.

    Short list: as for char_P and char_R.

    P = 5 / 20 and R = 5 / 10, so F = 2 · 0.125 / 0.75.

    >>> from leadline.measures.characters import example
    >>> character_f(example([("d1", 0, 10), ("d2", 5, 10)], {"d1": [(5, 15)]})).round(4)
    array([0.3333])
    """
    precision, recall = character_precision(hits, effort), character_recall(hits, effort)
    return ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall)
