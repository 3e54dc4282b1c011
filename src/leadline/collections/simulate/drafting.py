"""Drafts of texts as arrays: the sentences, and the words and concepts in their slots."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate import sentences
from leadline.collections.simulate.concepts import OF_GROUP, Concepts
from leadline.collections.simulate.inventions import Inventions
from leadline.collections.simulate.randomness import Array, Integers, draw, offsets, places_within
from leadline.collections.simulate.sentences import MENTIONS, SLOTS, patterns
from leadline.collections.simulate.vocabulary import LEVELS, Vocabulary, ZipfTable

if TYPE_CHECKING:
    from leadline.collections.simulate.settings import Settings

CONCEPT, CONCEPTS = (SLOTS.index(mark) for mark in MENTIONS)  # in the singular and in the plural
_NUMBER = SLOTS.index("#")
_WORDS_A_SENTENCE = 20.5
_LENGTH_SPREAD = 0.5  # standard deviation of the logarithm of a description's length
_SHARES = np.array([0.20, 0.14, 0.44, 0.18])  # of the sentences: background, summary, embodiments, examples
_EMPHASIS = np.array([6, 5, 4, 4, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2])  # weight of each claimable concept in a text
_OTHER_EMPHASIS = 0.4  # weight of a concept that is disclosed but not claimable
_OTHER_IN_BACKGROUND = 0.6  # share of the concepts in the background that the invention does not disclose


@dataclass(frozen=True)
class Draft:
    """The sentences of several texts, one text after the other, and the slots of each sentence."""

    text: Integers  # the text a sentence belongs to
    part: Integers
    pattern: Integers
    slots: Integers  # how many slots each sentence has
    kind: NDArray[np.int8]  # of a slot: an index into sentences.SLOTS
    value: Integers  # of a slot: a word of its kind, a concept, a number
    needed: NDArray[np.bool_]  # of a slot: the one mention that must stay so that the concept is disclosed
    stray: NDArray[np.bool_]  # of a slot: the concept has another name than usual

    @property
    def sentence_of_slot(self) -> Integers:
        return np.repeat(np.arange(len(self.text)), self.slots)


class Drafter:
    """Writes the drafts of families."""

    def __init__(self, settings: Settings, inventions: Inventions, concepts: Concepts, vocabulary: Vocabulary) -> None:
        self.settings, self.inventions, self.concepts, self.vocabulary = settings, inventions, concepts, vocabulary
        self._nouns = ZipfTable(vocabulary.nouns.shape[1], 1.0)
        self._adjectives = ZipfTable(len(vocabulary.adjectives), 1.0)
        self._verbs = ZipfTable(vocabulary.verbs.shape[1], 1.0)
        self._technical = ZipfTable(vocabulary.size, 0.9)

    def draft(self, rng: np.random.Generator, rows: Integers) -> Draft:
        """One draft for each of these inventions."""
        text, part, pattern = self._sentences(rng, rows)
        known = patterns()
        slots = known.counts[pattern]
        kind = known.slots[pattern][known.slots[pattern] >= 0]
        owner = np.repeat(text, slots)
        value = self.words(rng, kind, self.inventions.subclass[rows[owner]])
        where = np.repeat(part, slots)
        mention = np.flatnonzero(is_mention(kind))
        value[mention], needed = self._mentions(rng, rows, owner[mention], where[mention])
        flags = np.zeros((2, len(kind)), bool)
        flags[0, mention] = needed
        flags[1, mention] = rng.random(len(mention)) >= self.settings.loyalty
        return Draft(text, part, pattern, slots, kind, value, flags[0], flags[1])

    def _sentences(self, rng: np.random.Generator, rows: Integers) -> tuple[Integers, Integers, Integers]:
        """The sentences of each text: its title, its abstract, the parts of its description."""
        known = patterns()
        words = self.settings.words * np.exp(rng.normal(0, _LENGTH_SPREAD, len(rows)))
        body = np.maximum(np.rint(words[:, None] / _WORDS_A_SENTENCE * _SHARES), 1).astype(np.int64)
        ones = np.ones((len(rows), 1), np.int64)
        counts = np.concatenate([ones, rng.integers(3, 5, (len(rows), 1)), body, ones], axis=1)
        text, part = (np.repeat(a.ravel(), counts.ravel()) for a in np.indices(counts.shape))
        span = np.diff(known.first)[part]
        pattern = known.first[part] + (rng.random(len(part)) * span).astype(np.int64)
        missing = self._missing(rows, text, part, pattern)
        more = np.repeat(np.arange(len(rows)), -(-missing // 3))  # the last pattern of embodiments has three concepts
        text, part = np.append(text, more), np.append(part, np.full(len(more), sentences.IN_EMBODIMENT))
        pattern = np.append(pattern, np.full(len(more), known.first[sentences.IN_EXAMPLE] - 1))
        order = np.lexsort((part, text))
        return text[order], part[order], pattern[order]

    def _missing(self, rows: Integers, text: Integers, part: Integers, pattern: Integers) -> Integers:
        """How many more mentions each text needs to disclose all its concepts."""
        mentions = is_mention(patterns().slots[pattern]).sum(axis=1) * _discloses(part)
        disclosed = self.inventions.starts[rows + 1] - self.inventions.starts[rows]
        return np.maximum(disclosed - np.bincount(text, mentions, len(rows)).astype(np.int64), 0)

    def words(self, rng: np.random.Generator, kind: NDArray[np.int8], subclass: Integers) -> Integers:
        """A word for each slot by Zipf's law; technical ones from the lists of the subclass, its class and section."""
        chances = rng.random(len(kind))
        value = np.zeros(len(kind), np.int64)
        for marks, table in (("NMn", self._nouns), ("Aa", self._adjectives), ("VSDG", self._verbs)):
            chosen = np.isin(kind, [SLOTS.index(mark) for mark in marks])
            value[chosen] = table.places(chances[chosen])
        technical = np.flatnonzero(np.isin(kind, [SLOTS.index(mark) for mark in "TUt"]))
        level = draw(rng, LEVELS, len(technical))
        begin = self.vocabulary.starts[subclass[technical], level]
        value[technical] = begin + self._technical.places(chances[technical])
        numbers = kind == _NUMBER
        value[numbers] = (1000 ** chances[numbers]).astype(np.int64)  # small numbers are more common
        return value

    def _mentions(
        self, rng: np.random.Generator, rows: Integers, text: Integers, part: Integers
    ) -> tuple[Integers, NDArray[np.bool_]]:
        """A concept for each mention, and whether this mention must stay so that the concept is disclosed."""
        concept = self._by_emphasis(rng, rows, text, part)
        needed = np.zeros(len(text), bool)
        disclosing = np.flatnonzero(_discloses(part))
        place = _random_places(rng, text[disclosing])
        first = self.inventions.starts[rows[text[disclosing]]]
        count = self.inventions.starts[rows[text[disclosing]] + 1] - first
        sure = place < count
        concept[disclosing[sure]] = self.inventions.disclosed[first[sure] + place[sure]]
        needed[disclosing[sure]] = True
        return self._with_background(rng, rows, text, part, concept), needed

    def _by_emphasis(self, rng: np.random.Generator, rows: Integers, text: Integers, part: Integers) -> Integers:
        """Random concepts, by how much the text is about them; titles and abstracts have claimable ones only."""
        claimable = self.inventions.claimable[rows]
        starts = self.inventions.starts
        emphasis = np.cumsum(_EMPHASIS * (claimable >= 0), axis=1).astype(np.float64)
        besides = (starts[rows + 1] - starts[rows])[text] * np.where(_discloses(part), _OTHER_EMPHASIS, 0)
        drawn = rng.random(len(text)) * (emphasis[text, -1] + besides)
        slot = (drawn[:, None] >= emphasis[text]).sum(axis=1)
        other = starts[rows[text]] + (rng.random(len(text)) * (starts[rows + 1] - starts[rows])[text]).astype(np.int64)
        named = claimable[text, np.minimum(slot, claimable.shape[1] - 1)]
        return np.where(slot < claimable.shape[1], named, self.inventions.disclosed[other]).astype(np.int64)

    def _with_background(
        self, rng: np.random.Generator, rows: Integers, text: Integers, part: Integers, concept: Integers
    ) -> Integers:
        """The concepts, most of the background replaced by others of the group: mentioned, but not disclosed."""
        in_background = part == sentences.IN_BACKGROUND
        other = np.flatnonzero(in_background & (rng.random(len(part)) < _OTHER_IN_BACKGROUND))
        concept[other] = self.concepts.draw(rng, OF_GROUP, self.inventions.group[rows[text[other]]], 1)[:, 0]
        return concept

    def edited(self, rng: np.random.Generator, draft: Draft, of: Integers, rows: Integers, rate: Array) -> Draft:
        """Copies of the texts `of` a draft, each with sentences left out and words replaced at its own rate."""
        sizes = np.bincount(draft.text, minlength=len(rows))
        counts = sizes[of]
        at = np.repeat(offsets(sizes)[of], counts) + places_within(counts)
        text = np.repeat(np.arange(len(of)), counts)
        keeps = np.bincount(draft.sentence_of_slot, draft.needed, len(draft.text)) > 0
        keeps |= (draft.part == sentences.IN_TITLE) | (draft.part == sentences.IN_ABSTRACT)
        kept = keeps[at] | (rng.random(len(at)) >= rate[text])
        at, text = at[kept], text[kept]
        slots = draft.slots[at]
        slot = np.repeat(offsets(draft.slots)[at], slots) + places_within(slots)
        copy = Draft(
            text, draft.part[at], draft.pattern[at], slots,
            draft.kind[slot], draft.value[slot], draft.needed[slot], draft.stray[slot],
        )  # fmt: skip
        owner = np.repeat(text, slots)
        changed = np.flatnonzero((rng.random(len(slot)) < rate[owner]) & ~is_mention(copy.kind))
        value = copy.value.copy()
        value[changed] = self.words(rng, copy.kind[changed], self.inventions.subclass[rows[of[owner[changed]]]])
        return replace(copy, value=value)


def is_mention(kind: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether a slot is for a concept."""
    return (kind == CONCEPT) | (kind == CONCEPTS)


def _discloses(part: Integers) -> NDArray[np.bool_]:
    """Whether a part of a description discloses its concepts; the background does not."""
    return np.isin(part, [sentences.IN_SUMMARY, sentences.IN_EMBODIMENT, sentences.IN_EXAMPLE])


def _random_places(rng: np.random.Generator, label: Integers) -> Integers:
    """A random order within each label, as places 0, 1, ...; the labels ascend."""
    order = np.lexsort((rng.random(len(label)), label))
    places = np.empty(len(label), np.int64)
    places[order] = places_within(np.bincount(label))
    return places
