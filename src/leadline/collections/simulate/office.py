"""The whole simulated office as compact arrays, and what is known of it: judgements, tables, surveys, statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from leadline.collections.documents.document import DEPENDENT_WEIGHT, INDEPENDENT_WEIGHT
from leadline.collections.simulate.chemistry.concepts import Chemistry
from leadline.collections.simulate.citations import (
    ORIGIN,
    CitationArrays,
    PriorArtFinder,
    PriorArtPairs,
    Searches,
    class_effects,
    same_names,
    simulate_citations,
    simulate_searches,
)
from leadline.collections.simulate.families import (
    Articles,
    Publications,
    TooFewDocumentsError,
    document_numbers,
    make_articles,
    make_publications,
)
from leadline.collections.simulate.inventions import (
    GENERAL,
    OF_GROUP,
    SECTIONS,
    SLOTS,
    ClaimSets,
    ClassTree,
    Concepts,
    Integers,
    Inventions,
    generator,
    make_claims,
    make_inventions,
    offsets,
    places_within,
    years_of,
)
from leadline.collections.simulate.settings import AUTHORITIES, Settings
from leadline.collections.simulate.words import FIRST, LATER, ConceptNames, Invented
from leadline.errors import InputError, in_sentence
from leadline.records.qrels import Qrels
from leadline.records.topics import Topic, Topics
from leadline.text.days import EPOCH

if TYPE_CHECKING:
    import polars as pl

_FAMILY_SIZE = 2.2  # mean documents of an invention, about; with too few documents, more inventions are made


class Subject(Protocol):
    """What the inventions of an office are about: its classification, its concepts, and their names."""

    procedure: bool  # whether the offices' letters are written, and publications corrected

    def class_tree(self, inventions: int) -> ClassTree:
        """A classification for about this many inventions."""

    def concepts(self, tree: ClassTree) -> Concepts:
        """All concepts of an office with this classification."""

    def names(self, tree: ClassTree, concepts: Concepts) -> ConceptNames:
        """The names of the concepts."""


_SUBJECTS: dict[str, Callable[[Settings], Subject]] = {"chemistry": Chemistry, "invented": Invented}


@dataclass(frozen=True)
class SimulatedOffice:
    """A patent office about which everything is known.

    >>> office = build_office(Settings(patents=300, topics=0))
    >>> len(office.publications), len(office.ids)
    (300, 300)
    """

    settings: Settings
    subject: Subject
    tree: ClassTree
    concepts: Concepts
    inventions: Inventions
    claims: ClaimSets
    publications: Publications
    prior_art: PriorArtFinder  # finds all prior art of a claim
    pairs: PriorArtPairs  # of inventions and their true prior art
    searches: Searches
    cited: CitationArrays
    articles: Articles
    serials: NDArray[np.object_]
    kinds: NDArray[np.object_]

    @cached_property
    def names(self) -> ConceptNames:
        return self.subject.names(self.tree, self.concepts)

    @cached_property
    def ids(self) -> NDArray[np.object_]:
        """The patents' ids in runs and judgements."""
        codes = np.array([authority.code for authority in AUTHORITIES], object)
        return np.asarray(codes[self.publications.office] + self.serials + self.kinds)

    @cached_property
    def all_ids(self) -> NDArray[np.object_]:
        """The ids of the patents, then those of the articles, in the order of the collection."""
        return np.concatenate([self.ids, self.articles.ids])

    @cached_property
    def all_published(self) -> Integers:
        """The day of publication of each document, in the same order."""
        return np.concatenate([self.publications.published, self.articles.published])

    def documents_of(self, inventions: Integers) -> tuple[Integers, Integers]:
        """The documents of some inventions, patents and articles: index into `inventions`, and into `all_ids`."""
        parts = []
        for starts, first in ((self.publications.starts, 0), (self.articles.starts, len(self.publications))):
            sizes = np.diff(starts)[inventions]
            document = first + np.repeat(starts[inventions], sizes) + places_within(sizes)
            parts.append((np.repeat(np.arange(len(inventions)), sizes), document))
        (of_patents, patents), (of_articles, articles) = parts
        return np.concatenate([of_patents, of_articles]), np.concatenate([patents, articles])


def build_office(settings: Settings, progress: Callable[[int, int], None] | None = None) -> SimulatedOffice:
    """Simulate an office. The same settings always give the same office."""
    subject = _SUBJECTS[settings.words](settings)
    needed = settings.patents / _FAMILY_SIZE
    while True:
        count = int(needed * 1.1) + 20
        tree = subject.class_tree(count)
        concepts = subject.concepts(tree)
        inventions = make_inventions(settings, tree, concepts, count)
        try:
            publications = make_publications(settings, inventions, settings.corrections * subject.procedure)
            break
        except TooFewDocumentsError:
            needed *= 1.25
    claims = make_claims(settings, inventions)
    prior_art = PriorArtFinder(inventions, claims, publications.first_published, len(concepts), settings.enough)
    pairs = prior_art.pairs(progress)
    searches = simulate_searches(settings, tree, concepts, inventions, publications, pairs)
    cited = simulate_citations(settings, inventions, publications, pairs, searches)
    articles = make_articles(settings, inventions, publications)
    serials, kinds = document_numbers(publications)
    return SimulatedOffice(
        settings,
        subject,
        tree,
        concepts,
        inventions,
        claims,
        publications,
        prior_art,
        pairs,
        searches,
        cited,
        articles,
        serials,
        kinds,
    )


# The true judgements of an office: which documents are relevant to a topic and to each of its claims.


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


# All facts of a simulated office as tables, for other studies.


def concepts(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each concept: its class, its weight, its names."""
    import polars as pl

    known, names, tree = office.concepts, office.names, office.tree
    symbols = np.array([*tree.subclasses, *tree.groups], object)
    at = np.where(known.level == OF_GROUP, len(tree.subclasses) + known.owner, known.owner)
    return pl.DataFrame(
        {
            "level": np.array(["general", "subclass", "group"])[known.level],
            "class": np.where(known.level == GENERAL, "", symbols[np.maximum(at, 0)]).tolist(),
            "substance": known.substance,
            "names": [[name for name in row if name] for row in names.words[FIRST].tolist()],
            "abbreviation": names.short.tolist(),
            "registry": names.registry.tolist(),
            "inventions": office.prior_art.frequency,
            "bits": office.prior_art.information,
        }
    ).with_row_index("concept")


def inventions(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each invention. `claimable` are the concepts its claims choose from, `disclosed` all it discloses."""
    import polars as pl

    made, tree = office.inventions, office.tree
    listed = np.arange(made.claimable.shape[1]) < (made.claimable >= 0).sum(axis=1)[:, None]
    return pl.DataFrame(
        {
            "line": made.line,
            "class": [tree.symbol(*symbol) for symbol in zip(made.group.tolist(), made.subgroup.tolist(), strict=True)],
            "priority": np.datetime64(EPOCH) + made.priority,
            "applicant": made.applicant,
            "home": _codes(made.home),
            "continues": made.parent,
            "documents": np.diff(office.publications.starts),
            "claimable": _lists(made.claimable[listed], listed.sum(axis=1)),
            "disclosed": _lists(made.disclosed, np.diff(made.starts)),
        }
    ).with_row_index("invention")


def claims(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each claim of each invention: the claim it depends on (0: none), and the concepts it names."""
    import polars as pl

    made = office.claims
    invention = np.repeat(np.arange(len(made.counts)), made.counts)
    named = (made.concepts[:, None] >> SLOTS.astype(np.uint16)) & 1 == 1
    chosen = office.inventions.claimable[invention][named]
    number = np.arange(len(invention)) - made.starts[invention] + 1
    columns = {"invention": invention, "claim": number, "depends_on": made.parent.astype(np.int32)}
    return pl.DataFrame({**columns, "concepts": _lists(chosen, named.sum(axis=1))})


def documents(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each document, and the invention it describes."""
    import polars as pl

    made = office.publications
    published = {"document": office.ids.tolist(), "invention": made.invention, "office": _codes(made.office)}
    return pl.DataFrame({**published, "granted": made.granted, "published": np.datetime64(EPOCH) + made.published})


def prior_art(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each invention and each earlier one that is prior art to it."""
    import polars as pl

    return pl.DataFrame(
        {"invention": office.pairs.invention, "earlier": office.pairs.earlier, "grade": office.pairs.grade}
    )


def searches(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each examiner's search and each true prior art: the chance to find it, and whether it was found."""
    import polars as pl

    made, pairs = office.searches, office.pairs
    return pl.DataFrame(
        {
            "office": _codes(made.office),
            "invention": pairs.invention[made.pair],
            "earlier": pairs.earlier[made.pair],
            "grade": pairs.grade[made.pair],
            "chance": made.chance,
            "found": made.found,
        }
    )


def examiners(office: SimulatedOffice) -> pl.DataFrame:
    """The terms of the log odds that an examiner finds a document: for each office, for each class, and all others."""
    import polars as pl

    settings = office.settings
    effects = class_effects(settings, office.tree).tolist()
    others = ("per_decade", "same_words", "own_office", "foreign_only", "anticipates")
    rows = [
        *(("office", authority.code, authority.skill) for authority in AUTHORITIES),
        *(("class", symbol, effect) for symbol, effect in zip(office.tree.classes, effects, strict=True)),
        *(("all", name, float(getattr(settings, name))) for name in others),
    ]
    return pl.DataFrame(rows, schema=["of", "term", "log_odds"], orient="row")


def _codes(offices: Integers) -> list[str]:
    return np.array([authority.code for authority in AUTHORITIES])[offices].tolist()


def _lists(values: NDArray[np.integer[Any]], counts: Integers) -> pl.Series:
    """Consecutive runs of numbers as a column of lists."""
    import polars as pl

    rows = np.repeat(np.arange(len(counts)), counts)
    frame = pl.DataFrame({"row": rows, "value": values}).group_by("row", maintain_order=True).agg("value")
    whole = pl.DataFrame({"row": np.arange(len(counts))}).join(frame, on="row", how="left", maintain_order="left")
    return whole["value"].fill_null([])


TABLES: dict[str, Callable[[SimulatedOffice], pl.DataFrame]] = {
    table.__name__: table for table in (concepts, inventions, claims, documents, prior_art, searches, examiners)
}


# Technical surveys: topics in words whose relevant documents, patents and articles, are known.
#
# A topic asks for two or three concepts of an invention. A document is relevant (1) if its invention discloses all of
# them, and highly relevant (2) if its claims may name all of them. A third of the topics ask for documents published
# after a year, and only those are relevant.


CATEGORIES = dict(
    zip(
        SECTIONS,
        (
            "human necessities",
            "operations and transport",
            "chemistry",
            "textiles and paper",
            "construction",
            "mechanics",
            "physics",
            "electricity",
        ),
        strict=True,
    )
)
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
    needs = _draw_topics(office)
    topics = [_topic(office, number, need) for number, need in enumerate(needs, start=1)]
    columns = [(topic.id, need) for topic, need in zip(topics, needs, strict=True)]
    qrels = Qrels.from_columns(
        [topic for topic, need in columns for _ in need.documents.tolist()],
        [str(name) for need in needs for name in office.all_ids[need.documents]],
        [grade for need in needs for grade in need.grades.tolist()],
        "true qrels of surveys",
    )
    return Topics.of(topics, "surveys"), qrels


def _draw_topics(office: SimulatedOffice) -> list[SurveyTopic]:
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
        need = _survey_topic(office, concepts, lists, dated=dated)
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


def _survey_topic(
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
    one, another = (
        [str(words[kind, c, (number + step) % forms[c]]) for c in need.concepts]
        for kind, step in ((LATER, 0), (FIRST, 1))
    )
    limit = f" published after {need.after}" if need.after else ""
    narrative = (
        f"We need all documents{limit}, patents or articles, that describe {in_sentence(another)} together. "
        f"A document that has only one of them is not relevant. {one[0]} is the same as {another[0]}."
    )
    section = SECTIONS[int(office.concepts.section[need.concepts[0]])]
    return Topic(f"TS-{number}", in_sentence(one), narrative=narrative, category=CATEGORIES[section])


# Figures that describe a simulated office, to compare with real ones.


def statistics(office: SimulatedOffice, topics: Integers) -> dict[str, float]:
    """The figures by name."""
    publications, claims, cited = office.publications, office.claims, office.cited
    sizes = np.diff(publications.starts)
    citations = np.diff(cited.starts)
    figures: dict[str, float] = {
        "documents": len(publications) + len(office.articles),
        **({"articles": len(office.articles)} if len(office.articles) else {}),
        "families": int((sizes > 0).sum()),
        "documents of a family, mean": float(sizes[sizes > 0].mean()),
        "families of one document, share": float((sizes[sizes > 0] == 1).mean()),
        "claims of a patent, mean": float(claims.counts.mean()),
        "independent claims of a patent, mean": float((claims.parent == 0).sum() / len(claims.counts)),
        "concepts an invention discloses, mean": float(np.diff(office.inventions.starts).mean()),
        "citations of a document that has any, mean": float(citations[citations > 0].mean()),
        **{f"citations by {name}, share": float((cited.origin == code).mean()) for code, name in enumerate(ORIGIN)},
        "shared concepts under the same name, share": float(_same_names(office)),
        "prior art that anticipates, share": float((office.pairs.grade == 2).mean()) if len(office.pairs) else 0.0,
        "found by examiners, share": float(office.searches.found.mean()) if len(office.searches) else 0.0,
    }
    for place, authority in enumerate(AUTHORITIES):
        own = office.searches.office == place
        if own.any():
            figures[f"found by examiners of {authority.code}, share"] = float(office.searches.found[own].mean())
    if len(topics):
        counts = np.bincount(relevant(office, topics)[0], minlength=len(topics))
        low, median, high = np.quantile(counts, [0.25, 0.5, 0.75])
        figures["topics"] = len(topics)
        figures["truly relevant documents of a topic, median"] = float(median)
        figures["truly relevant documents of a topic, lower quartile"] = float(low)
        figures["truly relevant documents of a topic, upper quartile"] = float(high)
    return figures


def _same_names(office: SimulatedOffice) -> float:
    """The share of their common concepts for which an invention and its prior art use the same name."""
    first = slice(0, 200_000)
    if not len(office.pairs):
        return 0.0
    return float(same_names(office.settings, office.concepts, office.inventions, office.pairs, first).mean())
