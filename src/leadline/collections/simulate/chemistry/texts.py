"""Texts of chemical patents and articles: drafts as arrays, written with the names that each applicant uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.chemistry.claims import ClaimWriter
from leadline.collections.simulate.chemistry.concepts import FieldTree, PooledConcepts
from leadline.collections.simulate.chemistry.numbers import number_texts
from leadline.collections.simulate.chemistry.people import Registrar
from leadline.collections.simulate.chemistry.sentences import (
    CHOICES,
    HEADINGS,
    IN_ABSTRACT,
    IN_BACKGROUND,
    IN_CLOSING,
    IN_EMBODIMENT,
    IN_EXAMPLE,
    IN_FIELD,
    IN_FILLING,
    IN_RESULT,
    IN_SUMMARY,
    IN_TITLE,
    KINDS,
    LIST,
    NUMBERS,
    PLAIN,
    patterns,
    subjects_of,
    translated_title,
)
from leadline.collections.simulate.chemistry.tables import (
    CATALYST,
    GAS,
    MATERIAL,
    PROPERTY,
    REAGENT,
    ROLES,
    SOLVENT,
    symbols,
    words,
)
from leadline.collections.simulate.inventions import (
    MAX_FORMS,
    OF_GROUP,
    Array,
    Integers,
    generator,
    hashed,
    hashed_uniform,
    offsets,
    places_within,
)
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.settings import AUTHORITIES
from leadline.collections.simulate.words import FIRST, LATER, with_article
from leadline.collections.simulate.writing import BLOCK, EDITS, DocumentText, HouseStyles

_WORDS_A_SENTENCE = 24.0
_LENGTH_SPREAD = 0.55  # standard deviation of the logarithm of a description's length
_BACKGROUND, _SUMMARY, _EMBODIMENT, _FILLING, _EXAMPLES = 0.12, 0.06, 0.28, 0.27, 0.18  # shares of the sentences
_OTHER_IN_BACKGROUND = 0.6  # share of the concepts in the background that the invention does not disclose
_GENERIC = 0.15  # share of the concepts that an applicant's titles and abstracts call by the generic term
_COMPONENT = len(ROLES)  # any role up to GAS, in tables of roles
_LAST = (SOLVENT, CATALYST, REAGENT)  # components that come last in titles: they are not what a composition is about
# Words that are frequent in patents and say nothing about a field.
_OF_PATENTS = """
invention embodiment method example claim use amount group application disclosure aspect object
advantage problem purpose need means combination case type kind table figure drawing description
result part form article member
"""
_MAIN = {KINDS.index("X"): 0, KINDS.index("AX"): 0, KINDS.index("Y"): 1, KINDS.index("Z"): 2}
_THERAPY = "A61P"  # symbols that only stand first: a solvent that is used in drugs is no therapy
_FIRST_CHOICE = KINDS.index("noun")
_INVENTION = re.compile(r"\b(?:present )?invention\b", re.IGNORECASE)


@dataclass(frozen=True)
class ChemicalDraft:
    """The sentences of several texts, one text after the other, and the slots of each sentence."""

    text: Integers  # the text a sentence belongs to
    part: Integers
    sequence: Integers  # within the part; an even one in the examples begins an example
    pattern: Integers
    needed: NDArray[np.bool_]  # of a sentence: without it a concept would not be disclosed
    slots: Integers  # how many slots each sentence has
    kind: NDArray[np.int8]  # of a slot: an index into KINDS
    concept: Integers  # of a slot; -1 for a word or a number
    value: Integers  # of a slot without a concept: its place in the lexicon
    stray: NDArray[np.bool_]  # of a slot: the concept has another name than usual

    @property
    def sentence_of_slot(self) -> Integers:
        return np.repeat(np.arange(len(self.text)), self.slots)


class Lexicon:
    """All strings that slots are filled with, in one array, and where each kind begins."""

    def __init__(
        self, office: SimulatedOffice, concepts: PooledConcepts, tree: FieldTree, registrar: Registrar
    ) -> None:
        self._strings: list[list[str]] = []
        self._size = 0
        named = office.names.words
        counted = concepts.counted[:, None] & (named[FIRST] != "")
        introduced, later = named[FIRST].copy(), named[LATER].copy()
        for block in (introduced, later):
            block[counted] = [with_article(name) for name in block[counted].tolist()]
        self.introduced = self._add(introduced.ravel().tolist())
        self.later = self._add(later.ravel().tolist())
        self.articled = self._size  # from a name to the same with an article
        self._add([with_article(name) if name else "" for name in introduced.ravel().tolist()])
        self._add([with_article(name) if name else "" for name in later.ravel().tolist()])
        plain = [ROLES[entry.role] for entry in concepts.entries]
        generics = [entry.generic or word for entry, word in zip(concepts.entries, plain, strict=True)]
        self.like = self._add(generics)
        self.generic = self._add(
            [
                word if word.endswith("s") and not word.endswith(("ss", "us")) else with_article(word)
                for word in generics
            ]
        )
        self.has_generic = np.array([bool(entry.generic) for entry in concepts.entries])
        ranges, values = concepts.properties
        self.variants = len(ranges[0])
        self.ranges = self._add([text for row in ranges for text in row])
        self.values = self._add([text for row in values for text in row])
        self.plain = {name: self._add([text]) for name, text in PLAIN.items()}
        self.subjects = subjects_of(tree.subclasses)
        several = [subject for own in self.subjects for subject in own]
        self.subjects_each = len(self.subjects[0])
        self.bare = self._add([subject.english for subject in several])
        self.subject = self._add([with_article(subject.english) for subject in several])
        self.title = self._add([subject.english[0].upper() + subject.english[1:] for subject in several])
        texts = number_texts()
        self.numbers = {name: (self._add(texts[name]), len(texts[name])) for name in NUMBERS}
        self.words = {name: self._words(name, tree) for name in ("noun", "adj", "verb")}
        listed = {
            name: ["".join(one.splitlines()).strip() for one in text.split("|")] for name, text in CHOICES.items()
        }
        listed |= {"firm": registrar.suppliers(), "grade": registrar.grades(), "name": registrar.scientists()}
        self.choices = {name: (self._add(own), len(own)) for name, own in listed.items()}
        self.strings = np.array([text for block in self._strings for text in block], object)

    def _add(self, strings: list[str]) -> int:
        start, self._size = self._size, self._size + len(strings)
        self._strings.append(strings)
        return start

    def _words(self, name: str, tree: FieldTree) -> tuple[Integers, Integers]:
        """Where the words of each field begin, and how many there are."""
        known = words({"adj": "adjective"}.get(name, name))
        common = [word for word in known["all"] if word not in _OF_PATENTS.split()] if name == "noun" else []
        lists = [_alternating(known[field], common) for field in tree.subclasses]
        return np.array([self._add(own) for own in lists]), np.array([len(own) for own in lists])


class ChemistryWriter:
    """Writes the documents of an office about real chemistry."""

    def __init__(self, office: SimulatedOffice) -> None:
        concepts, tree = office.concepts, office.tree
        assert isinstance(concepts, PooledConcepts)
        assert isinstance(tree, FieldTree)
        self.settings, self.inventions, self.publications = office.settings, office.inventions, office.publications
        self.concepts, self.tree, self.articles_of = concepts, tree, office.articles
        self.registrar = Registrar(office)
        self.styles = HouseStyles(office)
        self.names = office.names.words
        self.lexicon = Lexicon(office, concepts, tree, self.registrar)
        self.claims = ClaimWriter(office, concepts)
        self.applicants, self.inventors = self.registrar.applicants, self.registrar.inventors
        self.priority_number, self.later_number = self.registrar.priority_number, self.registrar.later_number
        self._by_field = {
            field: [one.symbol for one in symbols() if one.field == field and not one.symbol.startswith(_THERAPY)]
            for field in tree.subclasses
        }
        self.catalysts = tree.subclasses.index("catalysts") if "catalysts" in tree.subclasses else -1
        self._cpc = {one.symbol: one.cpc for one in symbols()}

    def classes(self, rows: Integers) -> list[tuple[str, ...]]:
        """The symbol of the invention, then those of fields where its first concepts are used."""
        inventions, entries = self.inventions, self.concepts.entries
        keys = hashed(self.settings.seed, 64, inventions.line[rows][:, None], np.arange(4)).tolist()
        found = []
        for row, own in zip(rows.tolist(), keys, strict=True):
            listed = [self.tree.symbol(int(inventions.group[row]), int(inventions.subgroup[row]))]
            for concept, key in zip(inventions.claimable[row, :4].tolist(), own, strict=True):
                fields = [field for field in entries[concept].fields if field in self._by_field] if concept >= 0 else []
                if fields and key % 3:
                    symbols_of = self._by_field[fields[key % len(fields)]]
                    listed.append(symbols_of[(key >> 20) % len(symbols_of)])
            found.append(tuple(dict.fromkeys(listed)))
        return found

    def cpc(self, office: str, ipc: tuple[str, ...]) -> tuple[str, ...]:
        """The same symbols and further ones; the Japanese office has a scheme of its own."""
        if office == "JP":
            return ()
        return tuple(dict.fromkeys([*ipc, *(more for symbol in ipc for more in self._cpc.get(symbol, ()))]))

    def block(self, number: int) -> Iterator[DocumentText]:
        rng = generator(self.settings.seed, "chemistry", number)
        rows = np.arange(number * BLOCK, min((number + 1) * BLOCK, len(self.inventions)))
        documents = np.arange(self.publications.starts[rows[0]], self.publications.starts[rows[-1] + 1])
        of = self.publications.invention[documents] - rows[0]
        draft = self.draft(rng, rows)
        rate = np.array(list(EDITS.values()))[self.styles.changes(documents)]
        copies = self.edited(rng, draft, of, rows, rate)
        texts = self.written(copies, documents, self.styles.forms, self.inventions.applicant[rows[of]])
        subject = self.subject(rows)[of]
        claims = self.claims.block(rng, rows, documents, self.styles, [self._subject(int(one)) for one in subject])
        titles = self._titles(draft, rows, documents, of)
        for (title, abstract, description), own, other in zip(texts, claims, titles, strict=True):
            yield DocumentText(other or title, abstract, description, own)

    def articles(self, block: int) -> Iterator[DocumentText]:
        """The articles of one block, which disclose the concepts of an invention in the words of another author."""
        articles = self.articles_of
        numbers = np.arange(block * BLOCK, min((block + 1) * BLOCK, len(articles)))
        rng = generator(self.settings.seed, "chemistry articles", block)
        draft = self.draft(rng, articles.invention[numbers])
        for text in self.written(draft, numbers, self.styles.forms_of_authors, articles.author[numbers]):
            title, abstract, description = (_INVENTION.sub(_work, part) for part in text)
            yield DocumentText(title, abstract, description.rpartition("\n\n")[0], ())

    # Drafts

    def subject(self, rows: Integers) -> Integers:
        """What each invention is, such as a coating composition: the same within most of a line of work."""
        each = self.lexicon.subjects_each
        chosen = hashed(self.settings.seed, 61, self.inventions.line[rows]) % np.uint64(each)
        return self.inventions.subclass[rows] * each + chosen.astype(np.int64)

    def _subject(self, number: int) -> str:
        return self.lexicon.subjects[number // self.lexicon.subjects_each][number % self.lexicon.subjects_each].english

    def draft(self, rng: np.random.Generator, rows: Integers) -> ChemicalDraft:
        """One draft for each of these inventions."""
        plan = _Plan(self, rng, rows)
        known = patterns()
        slots = known.counts[plan.pattern]
        kind = known.slots[plan.pattern][known.slots[plan.pattern] >= 0]
        sentence = np.repeat(np.arange(len(slots)), slots)
        concept = plan.concepts_of(rng, kind, sentence)
        value = np.zeros(len(kind), np.int64)
        other = np.flatnonzero(concept < 0)
        value[other] = self.values(rng, kind[other], plan.main[sentence[other], 0], rows[plan.text[sentence[other]]])
        numbered = np.flatnonzero(kind == KINDS.index("k"))
        start, size = self.lexicon.numbers["k"]
        value[numbered] = start + np.minimum(plan.sequence[sentence[numbered]] // 2, size - 1)
        _vary(sentence, kind, value)
        stray = rng.random(len(kind)) >= self.settings.loyalty
        needed = plan.needed
        return ChemicalDraft(
            plan.text, plan.part, plan.sequence, plan.pattern, needed, slots, kind, concept, value, stray
        )

    def values(self, rng: np.random.Generator, kind: NDArray[np.int8], main: Integers, rows: Integers) -> Integers:
        """The place in the lexicon of each slot without a concept."""
        lexicon, chance = self.lexicon, rng.random(len(kind))
        value = np.zeros(len(kind), np.int64)

        def at(name: str) -> Integers:
            return np.flatnonzero(kind == KINDS.index(name))

        for name, start in (("subject", lexicon.subject), ("Subject", lexicon.title), ("bare", lexicon.bare)):
            own = at(name)
            value[own] = start + self.subject(rows[own])
        for name, start in (("range", lexicon.ranges), ("value", lexicon.values)):
            own = at(name)
            variant = (chance[own] * lexicon.variants).astype(np.int64)
            value[own] = start + np.maximum(main[own], 0) * lexicon.variants + variant
        own = at("like")
        value[own] = lexicon.like + np.maximum(main[own], 0)
        for name, (start, size) in (*lexicon.numbers.items(), *lexicon.choices.items()):
            own = at(name)
            even = chance[own] * size if name in NUMBERS else (size + 1.0) ** chance[own] - 1
            value[own] = start + even.astype(np.int64)
        for name, (starts, sizes) in lexicon.words.items():
            own = at(name)
            field = self.inventions.subclass[rows[own]]
            value[own] = starts[field] + ((sizes[field] + 1.0) ** chance[own] - 1).astype(np.int64)
        for name, place in lexicon.plain.items():
            value[at(name)] = place
        for name in ("Y", "Z"):
            value[at(name)] = lexicon.plain["additive"]
        return value

    def edited(
        self, rng: np.random.Generator, draft: ChemicalDraft, of: Integers, rows: Integers, rate: Array
    ) -> ChemicalDraft:
        """Copies of the texts `of` a draft, each with sentences left out and words replaced at its own rate."""
        sizes = np.bincount(draft.text, minlength=len(rows))
        at = np.repeat(offsets(sizes)[of], sizes[of]) + places_within(sizes[of])
        text = np.repeat(np.arange(len(of)), sizes[of])
        starts = (draft.part == IN_EXAMPLE) & (draft.sequence % 2 == 0)
        keeps = draft.needed | (draft.part <= IN_FIELD) | starts
        kept = keeps[at] | (rng.random(len(at)) >= rate[text])
        at, text = at[kept], text[kept]
        slots = draft.slots[at]
        slot = np.repeat(offsets(draft.slots)[at], slots) + places_within(slots)
        kind, value, owner = draft.kind[slot], draft.value[slot].copy(), np.repeat(text, slots)
        word = kind >= KINDS.index("noun")
        changed = np.flatnonzero(word & (rng.random(len(slot)) < rate[owner]))
        value[changed] = self.values(rng, kind[changed], np.zeros(len(changed), np.int64), rows[of[owner[changed]]])
        return ChemicalDraft(
            text, draft.part[at], draft.sequence[at], draft.pattern[at], draft.needed[at], slots, kind,
            draft.concept[slot], value, draft.stray[slot],
        )  # fmt: skip

    # From drafts to strings

    def written(
        self,
        draft: ChemicalDraft,
        documents: Integers,
        forms: Callable[[Integers, Integers], Integers],
        people: Integers,
    ) -> Iterator[tuple[str, str, str]]:
        """Title, abstract and description of each text of a draft; `forms` gives the name a text has for a concept."""
        lexicon = self.lexicon
        sentence = draft.sentence_of_slot
        index = draft.value.copy()
        mention = np.flatnonzero(draft.concept >= 0)
        text, part = draft.text[sentence[mention]], draft.part[sentence[mention]]
        concept = draft.concept[mention]
        form = forms(documents[text], concept)
        stray = draft.stray[mention] & (self.settings.synonymy > 0) & (part > IN_ABSTRACT)
        form = np.where(stray, (form + 1) % self.concepts.forms[concept], form)
        name = concept * MAX_FORMS + form
        key = (text * 3 + np.minimum(part, 2)) * (len(self.concepts) * MAX_FORMS) + name
        later = np.ones(len(key), bool)
        later[np.unique(key, return_index=True)[1]] = False
        chosen = np.where(later, lexicon.later, lexicon.introduced) + name
        generic = (part <= IN_ABSTRACT) & lexicon.has_generic[concept] & (self.settings.synonymy > 0)
        articled = draft.kind[mention] == KINDS.index("AX")
        generic &= ~articled
        generic &= hashed_uniform(self.settings.seed, 62, people[text], concept) < _GENERIC
        chosen = np.where(generic, lexicon.generic + concept, chosen)
        index[mention] = np.where(articled, chosen + lexicon.articled, chosen)
        filled = lexicon.strings[index].tolist()
        bounds = offsets(draft.slots).tolist()
        formats = patterns().formats[draft.pattern].tolist()
        made = [
            _capital(form % tuple(filled[begin:end]))
            for form, (begin, end) in zip(formats, pairwise(bounds), strict=True)
        ]
        before = _before(draft)
        ends = np.searchsorted(draft.text, np.arange(len(documents) + 1)).tolist()
        part = draft.part
        for begin, end in pairwise(ends):
            own = part[begin:end]
            first = begin + int(np.searchsorted(own, IN_ABSTRACT))
            body = begin + int(np.searchsorted(own, IN_FIELD))
            joined = "".join([x for pair in zip(before[body:end], made[body:end], strict=True) for x in pair])
            yield made[begin], " ".join(made[first:body]), joined.lstrip()

    def _titles(self, draft: ChemicalDraft, rows: Integers, documents: Integers, of: Integers) -> Iterator[str]:
        """The title of each document that is not published in English; else an empty one."""
        at = np.flatnonzero(draft.part == IN_TITLE)
        slot = offsets(draft.slots)[at]
        subject = self.subject(rows)
        codes = [authority.code for authority in AUTHORITIES]
        office = self.publications.office[documents].tolist()
        home = self.inventions.home[rows].tolist()
        concepts = [
            [int(one) for one in draft.concept[begin : begin + count] if one >= 0]
            for begin, count in zip(slot.tolist(), draft.slots[at].tolist(), strict=True)
        ]
        first = int(patterns().first[0, 0])
        for place, document in zip(of.tolist(), office, strict=True):
            names = [str(self.names[LATER, one, 0]) for one in concepts[place]]
            each = self.lexicon.subjects_each
            what = self.lexicon.subjects[int(subject[place]) // each][int(subject[place]) % each]
            pattern = int(draft.pattern[at[place]]) - first
            yield translated_title(codes[document], codes[home[place]], pattern, what, names, int(rows[place]))


def _vary(sentence: Integers, kind: NDArray[np.int8], value: Integers) -> None:
    """Let no sentence say the same word twice: the second time it is the next word of the list."""
    own = np.flatnonzero(kind >= _FIRST_CHOICE)
    for _ in range(2):
        order = own[np.lexsort((own, value[own], sentence[own]))]
        same = (np.diff(sentence[order]) == 0) & (np.diff(value[order]) == 0)
        value[order[1:][same]] += 1


def _alternating(own: list[str], common: list[str]) -> list[str]:
    """Two words of a field, then one of all fields, and so on.

    >>> _alternating(["glass", "frit", "lehr"], ["mass", "time"])
    ['glass', 'frit', 'mass', 'lehr', 'time']
    """
    keys = [*((place / 2, 0, word) for place, word in enumerate(own)), *((n + 0.5, 1, w) for n, w in enumerate(common))]
    return [word for _, _, word in sorted(keys)]


def _capital(text: str) -> str:
    """A sentence with a capital, unless it begins with a locant such as n-, or with pH.

    >>> _capital("toluene is used."), _capital("n-butanol is used."), _capital("pH value")
    ('Toluene is used.', 'n-butanol is used.', 'pH value')
    """
    if text[1] == "-" or text[1].isupper() or text.startswith(("tert-", "sec-")):
        return text
    return text[0].upper() + text[1:]


def _work(match: re.Match[str]) -> str:
    """The word for an invention in an article."""
    return "WORK" if match[0].isupper() else "work"


def _before(draft: ChemicalDraft) -> list[str]:
    """What stands before each sentence: a blank, a new paragraph, a heading, the number of an example."""
    part, sequence = draft.part, draft.sequence
    fresh = np.ones(len(part), bool)
    fresh[1:] = (part[1:] != part[:-1]) | (draft.text[1:] != draft.text[:-1])
    place = places_within(np.diff(np.append(np.flatnonzero(fresh), len(part))))
    before = np.full(len(part), " ", object)
    before[place % 3 == 0] = "\n\n"
    starts = (part == IN_EXAMPLE) & (sequence % 2 == 0)
    before[part == IN_EXAMPLE] = " "
    before[starts] = [f"\n\nExample {number // 2 + 1}. " for number in sequence[starts].tolist()]
    headings = np.array([f"\n\n{heading}\n\n" if heading else "\n\n" for heading in HEADINGS], object)
    before[fresh] = headings[part[fresh]]
    begins = fresh & starts
    before[begins] = [f"\n\n{HEADINGS[IN_EXAMPLE]}\n\nExample {n // 2 + 1}. " for n in sequence[begins].tolist()]
    return list(before.tolist())


class _Plan:
    """Which sentences each text has, and which concepts they are about."""

    def __init__(self, writer: ChemistryWriter, rng: np.random.Generator, rows: Integers) -> None:
        self.rows, self.roles, self._seed = rows, writer.concepts.role, writer.settings.seed
        inventions, self._count = writer.inventions, len(rows)
        self.catalysts = inventions.subclass[rows] == writer.catalysts
        starts = inventions.starts
        sizes = starts[rows + 1] - starts[rows]
        owner = np.repeat(np.arange(len(rows)), sizes)
        disclosed = inventions.disclosed[np.repeat(starts[rows], sizes) + places_within(sizes)].astype(np.int64)
        self._claimable = inventions.claimable[rows].astype(np.int64)
        claimed = (self._claimable[owner] == disclosed[:, None]).any(axis=1)
        order = np.lexsort((rng.random(len(owner)) + 0.7 * ~claimed, owner))
        self._owner, self._disclosed, self._rank = owner[order], disclosed[order], places_within(sizes)
        self._by_role()
        self._sentences: list[tuple[Integers, ...]] = []
        self._write(writer, rng)
        columns = [np.concatenate(column) for column in zip(*self._sentences, strict=True)]
        order = np.lexsort((columns[2], columns[1], columns[0]))
        self.text, self.part, self.sequence, self.pattern, needed, *main = (column[order] for column in columns)
        self.needed = needed.astype(bool)
        self.main = np.stack(main, axis=1)

    def _by_role(self) -> None:
        """The concepts of each text in each role, and of any component, as consecutive runs."""
        role = self.roles[self._disclosed]
        component = np.flatnonzero(role < GAS)
        owner = np.concatenate([self._owner, self._owner[component]])
        kind = np.concatenate([role, np.full(len(component), _COMPONENT)])
        key = owner * (_COMPONENT + 1) + kind
        order = np.argsort(key, kind="stable")
        self._in_role = np.concatenate([self._disclosed, self._disclosed[component]])[order]
        self._role_starts = offsets(np.bincount(key, minlength=self._count * (_COMPONENT + 1)))

    def _drawn(self, rng: np.random.Generator, text: Integers, role: Integers) -> Integers:
        """A random concept of each text in a role; -1 where it has none."""
        key = text * (_COMPONENT + 1) + role
        begin, size = self._role_starts[key], self._role_starts[key + 1] - self._role_starts[key]
        at = begin + (rng.random(len(key)) * size).astype(np.int64)
        return np.where(size > 0, self._in_role[np.minimum(at, len(self._in_role) - 1)], -1)

    def concepts_of(self, rng: np.random.Generator, kind: NDArray[np.int8], sentence: Integers) -> Integers:
        """The concept of each slot; -1 for words, numbers, and roles that the invention has nothing in."""
        concept = np.full(len(kind), -1)
        for number, place in _MAIN.items():
            own = np.flatnonzero(kind == number)
            concept[own] = self.main[sentence[own], place]
        role = np.full(len(KINDS), -1)
        role[: len(ROLES)] = np.arange(len(ROLES))
        role[KINDS.index("component")] = _COMPONENT
        own = np.flatnonzero(role[kind] >= 0)
        found = self._drawn(rng, self.text[sentence[own]], role[kind[own]])
        repeated = (found[:, None] == self.main[sentence[own]]).any(axis=1)
        concept[own] = np.where(repeated, -1, found)
        return concept

    def _add(
        self, rng: np.random.Generator, text: Integers, part: int, sequence: Integers, mains: Integers,
        *, group: int = -1, needed: bool = False, role: Integers | None = None,
    ) -> None:  # fmt: skip
        """Sentences about these concepts (sentence × up to three), in patterns for the role of the first."""
        known = patterns()
        mains = np.pad(mains, ((0, 0), (0, 3 - mains.shape[1])), constant_values=-1)
        source = part if group < 0 else group
        role = self.roles[np.maximum(mains[:, 0], 0)] if role is None else role
        size = known.size[source, role]
        kept = np.flatnonzero(size > 0)
        start = hashed_uniform(self._seed, 63, self.rows[text[kept]], source, role[kept]) * size[kept]
        chosen = (start.astype(np.int64) + sequence[kept]) % size[kept]
        if group == LIST:
            chosen = (mains[kept] >= 0).sum(axis=1) - 1
        where = {IN_RESULT: IN_EXAMPLE, IN_FILLING: IN_EMBODIMENT}.get(part, part)
        sequence = sequence * 3 + 2 if part == IN_FILLING else sequence  # between the other sentences
        columns = (
            text[kept], np.full(len(kept), where), sequence[kept], known.first[source, role[kept]] + chosen,
            np.full(len(kept), int(needed)), *mains[kept].T,
        )  # fmt: skip
        self._sentences.append(columns)

    def _write(self, writer: ChemistryWriter, rng: np.random.Generator) -> None:
        everyone, zero = np.arange(self._count), np.zeros(self._count, np.int64)
        length = writer.settings.length * np.exp(rng.normal(0, _LENGTH_SPREAD, self._count)) / _WORDS_A_SENTENCE
        parts, others = self._first_claimed()
        lead = np.where(parts[:, :1] >= 0, parts[:, :1], self._claimable[:, :1])
        heads = np.concatenate([lead, parts[:, 1:]], axis=1)
        self._add(rng, everyone, IN_TITLE, zero, heads[:, :2])
        self._add(rng, everyone, IN_ABSTRACT, zero, heads)
        for place in range(2):
            with_one = np.flatnonzero(others[:, place] >= 0)
            self._add(rng, with_one, IN_ABSTRACT, with_one * 0 + place + 1, others[with_one, place : place + 1])
        self._add(rng, everyone, IN_FIELD, zero, lead)
        text, sequence = _runs(length * _BACKGROUND)
        self._add(rng, text, IN_BACKGROUND, sequence, self._background(writer, rng, text, sequence)[:, None])
        text, sequence = _runs(length * _SUMMARY)
        claimed = (self._claimable >= 0).sum(axis=1)
        self._add(rng, text, IN_SUMMARY, sequence, self._claimable[text, sequence % claimed[text]][:, None])
        wanted = np.maximum(np.rint(length * _EMBODIMENT), 1).astype(np.int64)
        told = np.flatnonzero(self._rank < wanted[self._owner])
        self._add(rng, self._owner[told], IN_EMBODIMENT, self._rank[told], self._disclosed[told, None], needed=True)
        self._again(rng, wanted, claimed)
        text, sequence = _runs(length * _FILLING)
        self._add(rng, text, IN_FILLING, sequence, lead[text])
        self._lists(rng, np.flatnonzero(self._rank >= wanted[self._owner]))
        text, sequence = _runs(length * _EXAMPLES / 2)
        slot = (rng.random(len(text)) ** 1.5 * claimed[text]).astype(np.int64)
        main = self._claimable[text, slot]
        self._add(rng, text, IN_EXAMPLE, 2 * sequence, main[:, None])
        found = self._drawn(rng, text, np.full(len(text), PROPERTY))
        result = np.where((found >= 0) & (rng.random(len(text)) < 0.6), found, main)
        role = np.where(result == found, PROPERTY, 0)
        self._add(rng, text, IN_RESULT, 2 * sequence + 1, result[:, None], role=role)
        self._add(rng, everyone, IN_CLOSING, zero, lead)

    def _first_claimed(self) -> tuple[Integers, Integers]:
        """For each text the first three components that claims may name, and the first two other concepts; else -1."""
        role = np.where(self._claimable >= 0, self.roles[np.maximum(self._claimable, 0)], -1)
        component = (role >= 0) & (role < GAS)
        last = np.isin(role, _LAST) & ~self.catalysts[:, None]
        found = []
        for chosen, most in ((component, 3), ((role > MATERIAL), 2)):
            order = np.argsort(2 * ~chosen + (last & chosen), axis=1, kind="stable")[:, :most]
            taken = np.take_along_axis(self._claimable, order, axis=1)
            found.append(np.where(np.take_along_axis(chosen, order, axis=1), taken, -1))
        return found[0], found[1]

    def _background(
        self, writer: ChemistryWriter, rng: np.random.Generator, text: Integers, sequence: Integers
    ) -> Integers:
        """What the background is about: mostly things of the area that the invention does not disclose."""
        own = self._claimable[text, sequence % (self._claimable >= 0).sum(axis=1)[text]]
        other = writer.concepts.draw(rng, OF_GROUP, writer.inventions.group[self.rows[text]], 1)[:, 0]
        return np.where(rng.random(len(text)) < _OTHER_IN_BACKGROUND, other, own)

    def _again(self, rng: np.random.Generator, wanted: Integers, claimed: Integers) -> None:
        """More sentences about concepts that claims may name, where a text is longer than its concepts are many."""
        more = np.maximum(wanted - np.bincount(self._owner, minlength=self._count), 0)
        text = np.repeat(np.arange(self._count), more)
        slot = (rng.random(len(text)) * claimed[text]).astype(np.int64)
        sequence = 100 + places_within(more)
        self._add(rng, text, IN_EMBODIMENT, sequence, self._claimable[text, slot][:, None])

    def _lists(self, rng: np.random.Generator, left: Integers) -> None:
        """The concepts that no sentence is about, three of a kind in each sentence."""
        kind = self.roles[self._disclosed[left]]
        key = self._owner[left] * len(ROLES) + kind
        order = np.argsort(key, kind="stable")
        left, key, kind = left[order], key[order], kind[order]
        fresh = np.flatnonzero(np.diff(key, prepend=-1))
        place = places_within(np.diff(np.append(fresh, len(key))))
        begins = np.flatnonzero(place % 3 == 0)
        mains = np.full((len(begins), 3), -1)
        line = np.cumsum(place % 3 == 0) - 1
        mains[line, place % 3] = self._disclosed[left]
        text = self._owner[left[begins]]
        self._add(
            rng, text, IN_EMBODIMENT, 1000 + np.arange(len(begins)), mains, group=LIST, needed=True, role=kind[begins]
        )  # fmt: skip


def _runs(length: Array) -> tuple[Integers, Integers]:
    """At least one sentence a text: the text and the place of each."""
    counts = np.maximum(np.rint(length), 1).astype(np.int64)
    return np.repeat(np.arange(len(counts)), counts), places_within(counts)
