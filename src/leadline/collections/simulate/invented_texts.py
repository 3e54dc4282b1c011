"""Texts in invented words: drafts as arrays, written with the names that each applicant uses; claims; people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leadline.collections.documents.document import Claim
from leadline.collections.simulate import words as sentences
from leadline.collections.simulate.inventions import (
    CLAIMABLE,
    MAX_FORMS,
    OF_GROUP,
    Array,
    Concepts,
    Integers,
    Inventions,
    draw,
    generator,
    hashed,
    hashed_uniform,
    offsets,
    places_within,
)
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.settings import AUTHORITIES, DE, EP, JP, US
from leadline.collections.simulate.words import (
    FIRST,
    FIRST_PLURAL,
    HEADINGS,
    LATER,
    LATER_PLURAL,
    LEVELS,
    LONG,
    MENTIONS,
    SLOTS,
    Vocabulary,
    Words,
    ZipfTable,
    make_vocabulary,
    patterns,
    stem,
    with_article,
)
from leadline.collections.simulate.writing import BLOCK, EDITS, DocumentText, HouseStyles

if TYPE_CHECKING:
    from leadline.collections.simulate.settings import Settings

_FIRMS = {US: ("Inc.", "Corp.", "LLC"), JP: ("K.K.", "Co., Ltd."), DE: ("GmbH", "AG"), EP: ("S.A.", "Ltd.", "B.V.")}


_SEVERAL = 0.3  # share of the concepts that claims name in the plural
_FIELDS = np.array([0, 1, 2, 2, 2, 2, 2])  # the parts of the description are one field
_INVENTION = re.compile(r"\binvention\b")


class InventedWriter:
    """Writes drafts as text: names of concepts, inflected words, sentences, claims."""

    def __init__(self, office: SimulatedOffice) -> None:
        self.settings, self.inventions, self.claims = office.settings, office.inventions, office.claims
        self.concepts, self.publications, self.articles_of = office.concepts, office.publications, office.articles
        self.tree, self.styles = office.tree, HouseStyles(office)
        self.names, self.vocabulary = office.names, make_vocabulary(office.settings.seed, office.tree)
        self.drafter = Drafter(office.settings, office.inventions, office.concepts, self.vocabulary)
        names, vocabulary = self.names, self.vocabulary
        inflected = [*vocabulary.nouns, *vocabulary.technical, *vocabulary.verbs]
        lists: dict[str, Words] = dict(zip("NMTUVSDG", inflected, strict=True))
        lists["A"], lists["#"] = vocabulary.adjectives, np.array([str(number) for number in range(1001)], object)
        lists["C"], lists["K"] = names.words[:2].ravel(), names.words[2:].ravel()
        for mark in "NTA":
            lists[mark.lower()] = np.array([with_article(word) for word in lists[mark]], object)
        self._lexicon = np.concatenate([lists[mark] for mark in SLOTS])
        self._first_of_kind = offsets(np.array([len(lists[mark]) for mark in SLOTS]))

    def block(self, number: int) -> Iterator[DocumentText]:
        """The documents of one block of families, in their order."""
        rng = generator(self.settings.seed, "texts", number)
        rows = np.arange(number * BLOCK, min((number + 1) * BLOCK, len(self.inventions)))
        documents = np.arange(self.publications.starts[rows[0]], self.publications.starts[rows[-1] + 1])
        of = self.publications.invention[documents] - rows[0]
        change = self.styles.changes(documents)
        draft = self.drafter.draft(rng, rows)
        copies = self.drafter.edited(rng, draft, of, rows, np.array(list(EDITS.values()))[change])
        texts = self.write(copies, len(documents), lambda text, concept: self.styles.forms(documents[text], concept))
        claims = self._claims(rng, rows, documents)
        return (DocumentText(*fields, own) for fields, own in zip(texts, claims, strict=True))

    def articles(self, block: int) -> Iterator[DocumentText]:
        """The articles of one block, which disclose the concepts of an invention in the words of another author."""
        articles = self.articles_of
        numbers = np.arange(block * BLOCK, min((block + 1) * BLOCK, len(articles)))
        rng = generator(self.settings.seed, "article texts", block)
        draft = self.drafter.draft(rng, articles.invention[numbers])
        texts = self.write(
            draft, len(numbers), lambda text, concept: self.styles.forms_of_authors(numbers[text], concept)
        )
        for text in texts:
            title, abstract, description = (_INVENTION.sub("work", part) for part in text)
            yield DocumentText(title, abstract, description.rpartition("\n\n")[0], ())

    def applicants(self, rows: Integers) -> list[str]:
        names = []
        for applicant, home in zip(
            self.inventions.applicant[rows].tolist(), self.inventions.home[rows].tolist(), strict=True
        ):
            ending = _FIRMS[home][applicant % len(_FIRMS[home])]
            names.append(f"{stem(LONG + applicant, self.settings.seed).capitalize()} {ending}")
        return names

    def inventors(self, rows: Integers) -> list[tuple[str, ...]]:
        """One to three people; firms have few, so the same ones return."""
        seed = self.settings.seed
        made = []
        for row, applicant in zip(rows.tolist(), self.inventions.applicant[rows].tolist(), strict=True):
            keys = hashed(seed, 42, row, np.arange(3)).tolist()
            people = [applicant * 40 + key % 40 for key in keys[: 1 + keys[0] % 3]]
            made.append(tuple(dict.fromkeys(_person(person, seed) for person in people)))
        return made

    def classes(self, rows: Integers) -> list[tuple[str, ...]]:
        """The symbol of the invention's own group, then those of other groups whose concepts it uses."""
        inventions, concepts, tree = self.inventions, self.concepts, self.tree
        classes = []
        for row in rows.tolist():
            used = inventions.disclosed[inventions.starts[row] : inventions.starts[row + 1]]
            groups = np.unique(concepts.owner[used[concepts.level[used] == OF_GROUP]])
            own = int(inventions.group[row])
            others = [tree.symbol(group, group % 49 * 2 + 2) for group in groups.tolist() if group != own]
            classes.append((tree.symbol(own, int(inventions.subgroup[row])), *others[:2]))
        return classes

    def priority_number(self, office: str, year: int, row: int) -> str:
        return f"{office}{year}{row:07d}"

    def later_number(self, office: str, year: int, application: int) -> str:
        return ""

    def cpc(self, office: str, ipc: tuple[str, ...]) -> tuple[str, ...]:
        return ipc

    def write(
        self, draft: Draft, texts: int, forms: Callable[[Integers, Integers], Integers]
    ) -> Iterator[tuple[str, str, str]]:
        """Title, abstract and description of each text of a draft; `forms` gives the name a text has for a concept."""
        sentence = draft.sentence_of_slot
        index = self._first_of_kind[draft.kind] + draft.value
        mention = np.flatnonzero(is_mention(draft.kind))
        document = draft.text[sentence[mention]]
        concept = draft.value[mention]
        form = forms(document, concept)
        stray = draft.stray[mention] & (self.settings.synonymy > 0)
        form = np.where(stray, (form + 1) % self.concepts.forms[concept], form)
        name = concept * MAX_FORMS + form
        field = _FIELDS[draft.part[sentence[mention]]]
        names = len(self.concepts) * MAX_FORMS
        key = (document * 3 + field) * names + name
        later = np.ones(len(key), bool)
        later[np.unique(key, return_index=True)[1]] = False
        index[mention] = self._first_of_kind[draft.kind[mention]] + later * names + name
        filled = self._lexicon[index].tolist()
        bounds = offsets(draft.slots).tolist()
        formats = patterns().formats[draft.pattern].tolist()
        written = [
            form % tuple(filled[begin:end]) for form, (begin, end) in zip(formats, pairwise(bounds), strict=True)
        ]
        return _fields(written, draft, texts)

    def _claims(self, rng: np.random.Generator, rows: Integers, documents: Integers) -> Iterator[tuple[Claim, ...]]:
        """The claims of each document. Members of a family claim the same, each in the phrases of its office."""
        starts = self.claims.starts
        begin, end = int(starts[rows[0]]), int(starts[rows[-1] + 1])
        verbs = self.vocabulary.verbs[:, self._draw_words(rng, "D", end - begin)]
        nouns = self.vocabulary.nouns[0, self._draw_words(rng, "N", end - begin)].tolist()
        pairs = list(zip(verbs[2].tolist(), verbs[3].tolist(), strict=True))
        chances = rng.integers(0, 1 << 30, end - begin).tolist()
        parents, bits = self.claims.parent[begin:end].tolist(), self.claims.concepts[begin:end].tolist()
        row = self.publications.invention[documents]
        introduced, later = self._named_in_claims(documents)
        subject = hashed(self.settings.seed, 32, self.inventions.line[row]) % np.uint64(len(SUBJECTS))
        columns = (row, self.publications.office[documents], subject, introduced, later)
        for own, office, about, first, again in zip(*(column.tolist() for column in columns), strict=True):
            span = slice(int(starts[own]) - begin, int(starts[own + 1]) - begin)
            wording = ClaimWording(office, SUBJECTS[about], first, again, pairs[span], nouns[span], chances[span])
            yield write_claims(wording, parents[span], bits[span])

    def _named_in_claims(self, documents: Integers) -> tuple[Words, Words]:
        """For each document and slot: the name that introduces the concept in a claim, and the one used afterwards."""
        row = self.publications.invention[documents]
        concept = np.maximum(self.inventions.claimable[row], 0).astype(np.int64)
        form = self.styles.forms(np.repeat(documents, CLAIMABLE), concept.ravel()).reshape(concept.shape)
        named = self.names.words[:, concept, form]
        one = np.array([[with_article(name) for name in names] for names in named[FIRST].tolist()], object)
        one = np.where(self.concepts.substance[concept], named[FIRST], one).reshape(concept.shape)
        several = hashed_uniform(self.settings.seed, 33, row[:, None], concept) < _SEVERAL
        several &= ~self.concepts.substance[concept]
        introduced = np.where(several, "a plurality of " + named[FIRST_PLURAL], one)
        return introduced, np.where(several, named[LATER_PLURAL], named[LATER])

    def _draw_words(self, rng: np.random.Generator, mark: str, count: int) -> Integers:
        """Random words of one kind, not technical ones."""
        return self.drafter.words(rng, np.full(count, SLOTS.index(mark), np.int8), np.zeros(0, np.int64))


def _person(number: int, seed: int) -> str:
    return f"{stem(LONG + 10_000_000 + number, seed).capitalize()}, {stem(number % 977, seed).capitalize()}"


def _fields(written: list[str], draft: Draft, texts: int) -> Iterator[tuple[str, str, str]]:
    """Title, abstract and description from sentences: one paragraph for each part, under its heading."""
    key = draft.text * len(HEADINGS) + draft.part
    bounds = np.searchsorted(key, np.arange(texts * len(HEADINGS) + 1)).tolist()
    for text in range(texts):
        at = bounds[text * len(HEADINGS) : (text + 1) * len(HEADINGS) + 1]
        parts = [" ".join(written[begin:end]) for begin, end in pairwise(at)]
        title = parts[sentences.IN_TITLE]
        body = [
            f"{heading}\n\n{part}" if heading else part
            for heading, part in zip(HEADINGS[2:], parts[2:], strict=True)
            if part
        ]
        yield title[:1].upper() + title[1:], parts[sentences.IN_ABSTRACT], "\n\n".join(body)


# Drafts of texts as arrays: the sentences, and the words and concepts in their slots.


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
        words = self.settings.length * np.exp(rng.normal(0, _LENGTH_SPREAD, len(rows)))
        body = np.maximum(np.rint(words[:, None] / _WORDS_A_SENTENCE * _SHARES), 1).astype(np.int64)
        ones = np.ones((len(rows), 1), np.int64)
        counts = np.concatenate([ones, rng.integers(3, 5, (len(rows), 1)), body, ones], axis=1)
        text, part = (np.repeat(a.ravel(), counts.ravel()) for a in np.indices(counts.shape))
        span = np.diff(known.first)[part]
        pattern = known.first[part] + (rng.random(len(part)) * span).astype(np.int64)
        missing = self._missing_mentions(rows, text, part, pattern)
        more = np.repeat(np.arange(len(rows)), -(-missing // 3))  # the last pattern of embodiments has three concepts
        text, part = np.append(text, more), np.append(part, np.full(len(more), sentences.IN_EMBODIMENT))
        pattern = np.append(pattern, np.full(len(more), known.first[sentences.IN_EXAMPLE] - 1))
        order = np.lexsort((part, text))
        return text[order], part[order], pattern[order]

    def _missing_mentions(self, rows: Integers, text: Integers, part: Integers, pattern: Integers) -> Integers:
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
            text,
            draft.part[at],
            draft.pattern[at],
            slots,
            draft.kind[slot],
            draft.value[slot],
            draft.needed[slot],
            draft.stray[slot],
        )
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


# The texts of claims in the style of each office: American ones refer to one claim, European ones to any before.


SUBJECTS = ("composition", "device", "apparatus", "assembly", "system", "article")
_REFERENCES = {"US": "of", "EP": "according to", "WO": "according to", "JP": "as claimed in", "DE": "as claimed in"}


class ClaimWording(NamedTuple):
    """The words for one document's claims."""

    office: int
    subject: str
    first: Sequence[str]  # for each slot, the name that introduces its concept: "a valve", "a plurality of valves"
    later: Sequence[str]  # for each slot, the name that follows "the" afterwards
    verbs: Sequence[tuple[str, str]]  # for each claim, such as "connected", "connecting"
    nouns: Sequence[str]
    chances: Sequence[int]  # for each claim, a large random number that chooses between phrases


def write_claims(wording: ClaimWording, parents: Sequence[int], concepts: Sequence[int]) -> tuple[Claim, ...]:
    """The claims of one document. `concepts` are bits over the slots; a parent of 0 makes a claim independent."""
    introduced: set[int] = set()

    def name(slot: int) -> str:
        if slot in introduced:
            return f"the {wording.later[slot]}"
        introduced.add(slot)
        return wording.first[slot]

    claims, root = [], 1
    for number, (parent, bits, chance) in enumerate(zip(parents, concepts, wording.chances, strict=True), start=1):
        done, doing = wording.verbs[number - 1]
        if parent == 0:
            root = number
            text = _independent(wording, number, [name(slot) for slot in _slots(bits)], done, doing)
            claims.append(Claim(number, text))
            continue
        subject = wording.subject if root == 1 else "method"
        others = _others(wording.office, parent, root, number, chance)
        added, present = _slots(bits & ~concepts[parent - 1]), _slots(concepts[parent - 1])
        host = wording.later[present[chance % len(present)]]
        limit = _limit([name(slot) for slot in added], host, wording.nouns[number - 1], done, chance)
        claims.append(Claim(number, f"{_reference(wording.office, subject, others)}, {limit}.", others))
    return tuple(claims)


def _independent(wording: ClaimWording, number: int, names: list[str], done: str, doing: str) -> str:
    """An independent claim: the first one is for a thing, later ones are for methods."""
    listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    noun = wording.nouns[number - 1]
    if number == 1:
        thing = _capital(with_article(wording.subject))
        return f"{thing} comprising {listed}, wherein the {noun} is {done}."
    return f"A method comprising the steps of {doing} {with_article(noun)} and providing {listed}, which are {done}."


def _others(office: int, parent: int, root: int, number: int, chance: int) -> tuple[int, ...]:
    """The claims referred to. All claims since the root contain its concepts, so naming several adds nothing."""
    several = AUTHORITIES[office].code != "US" and parent == root and number - root > 1 and chance >> 8 & 1
    return tuple(range(root, number)) if several else (parent,)


def _reference(office: int, subject: str, others: tuple[int, ...]) -> str:
    if len(others) == 1:
        several = f"claim {others[0]}"
    elif len(others) == 2:
        several = f"claim {others[0]} or {others[1]}"
    else:
        several = f"any one of claims {others[0]} to {others[-1]}"
    thing = with_article(subject) if AUTHORITIES[office].code in ("EP", "DE") else f"the {subject}"
    return f"{_capital(thing)} {_REFERENCES[AUTHORITIES[office].code]} {several}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _limit(names: list[str], host: str, noun: str, done: str, chance: int) -> str:
    """The limitation that a dependent claim adds: a concept, or only a number."""
    if not names:
        low = 1 + chance % 60
        return f"wherein the {noun} of the {host} is from {low} to {low + 1 + chance % 37}"
    added = " and ".join(names)
    return (
        f"further comprising {added}",
        f"the {host} having {added}",
        f"wherein the {noun} of the {host} is {done} by {added}",
    )[chance % 3]


@cache
def _slots(bits: int) -> tuple[int, ...]:
    """The slots whose bits are set.

    >>> _slots(0b1011)
    (0, 1, 3)
    """
    return tuple(slot for slot in range(CLAIMABLE) if bits >> slot & 1)
