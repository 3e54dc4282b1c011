"""The texts of documents, a block of families at a time. Every block has its own random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from leadline.collections.documents.document import Claim
from leadline.collections.simulate import sentences
from leadline.collections.simulate.claim_texts import SUBJECTS, ClaimWording, write_claims
from leadline.collections.simulate.coined_words import with_article
from leadline.collections.simulate.concept_names import FIRST, FIRST_PLURAL, LATER, LATER_PLURAL
from leadline.collections.simulate.concepts import MAX_FORMS, preferred_form
from leadline.collections.simulate.drafting import Draft, Drafter, is_mention
from leadline.collections.simulate.inventions import CLAIMABLE
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.randomness import Integers, generator, hashed, hashed_uniform, offsets
from leadline.collections.simulate.sentences import HEADINGS, SLOTS, patterns
from leadline.collections.simulate.settings import AUTHORITIES
from leadline.collections.simulate.vocabulary import Words

BLOCK = 64  # families written at a time; the texts depend on it, so it is not an option
_SEVERAL = 0.3  # share of the concepts that claims name in the plural
_FIELDS = np.array([0, 1, 2, 2, 2, 2, 2])  # the parts of the description are one field
_EDITS = {"same": 0.0, "grant": 0.02, "office": 0.05, "translation": 0.12}  # share of the words and sentences changed
_RENAMED = {"same": 0.0, "grant": 0.02, "office": 0.05, "translation": 0.30}  # share of the concepts with another name


class DocumentText(NamedTuple):
    """The texts of one document."""

    title: str
    abstract: str
    description: str
    claims: tuple[Claim, ...]


class Writer:
    """Writes drafts as text: names of concepts, inflected words, sentences, claims."""

    def __init__(self, office: SimulatedOffice) -> None:
        self.settings, self.inventions, self.claims = office.settings, office.inventions, office.claims
        self.concepts, self.publications = office.concepts, office.publications
        self.names, self.vocabulary = office.names, office.vocabulary
        self.drafter = Drafter(office.settings, office.inventions, office.concepts, office.vocabulary)
        names, vocabulary = office.names, office.vocabulary
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
        change = self._changes(documents)
        draft = self.drafter.draft(rng, rows)
        copies = self.drafter.edited(rng, draft, of, rows, np.array(list(_EDITS.values()))[change])
        texts = self.write(copies, len(documents), lambda text, concept: self.forms(documents[text], concept))
        claims = self._claims(rng, rows, documents)
        return (DocumentText(*fields, own) for fields, own in zip(texts, claims, strict=True))

    def _changes(self, documents: Integers) -> Integers:
        """How far each document is from the first of its family, as an index into _EDITS."""
        publications = self.publications
        first = publications.starts[publications.invention[documents]]
        languages = np.array([authority.language for authority in AUTHORITIES])
        same_office = publications.office[documents] == publications.office[first]
        same_language = languages[publications.office[documents]] == languages[publications.office[first]]
        change = np.where(same_office, 1, np.where(same_language, 2, 3))
        return np.where(documents == first, 0, change)

    def forms(self, documents: Integers, concept: Integers) -> Integers:
        """The form in which each document names a concept: its applicant's, or another after a translation."""
        row = self.publications.invention[documents]
        applicant, year = self.inventions.applicant[row], self.inventions.years[row]
        form = preferred_form(self.settings, self.concepts, applicant, concept, year)
        renamed = np.array(list(_RENAMED.values()))[self._changes(documents)]
        other = hashed_uniform(self.settings.seed, 31, row, self.publications.office[documents], concept) < renamed * (
            self.settings.synonymy > 0
        )
        return np.where(other, (form + 1) % self.concepts.forms[concept], form)

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
        verbs = self.vocabulary.verbs[:, self._drawn(rng, "D", end - begin)]
        nouns = self.vocabulary.nouns[0, self._drawn(rng, "N", end - begin)].tolist()
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
        form = self.forms(np.repeat(documents, CLAIMABLE), concept.ravel()).reshape(concept.shape)
        named = self.names.words[:, concept, form]
        one = np.array([[with_article(name) for name in names] for names in named[FIRST].tolist()], object)
        one = np.where(self.concepts.substance[concept], named[FIRST], one).reshape(concept.shape)
        several = hashed_uniform(self.settings.seed, 33, row[:, None], concept) < _SEVERAL
        several &= ~self.concepts.substance[concept]
        introduced = np.where(several, "a plurality of " + named[FIRST_PLURAL], one)
        return introduced, np.where(several, named[LATER_PLURAL], named[LATER])

    def _drawn(self, rng: np.random.Generator, mark: str, count: int) -> Integers:
        """Random words of one kind, not technical ones."""
        return self.drafter.words(rng, np.full(count, SLOTS.index(mark), np.int8), np.zeros(0, np.int64))


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
