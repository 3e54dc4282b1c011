"""Searching in a lab: by words, with facets, and for prior art, by the systems of an index; and example queries."""

from __future__ import annotations

import functools
import hashlib
import re
import tempfile
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.collections.directory import SECTIONS
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document, is_main_group
from leadline.errors import InputError, LeadlineError, checked_choice, nearest, visible
from leadline.records.result import Table
from leadline.retrieval.bearing import GRADES, WORDS_OF_CLAIMS, WORDS_OF_TITLES, ClaimBearing
from leadline.retrieval.choices import COMMON, DEFAULT_SYSTEM
from leadline.retrieval.index.segment import MISSING
from leadline.retrieval.language.fields import filter_values
from leadline.retrieval.models.registry import MODELS
from leadline.retrieval.models.searcher import Contribution, parse_model
from leadline.retrieval.passages import Marker, Snippet
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.context_data import LEVELS
from leadline.retrieval.pipeline.named_systems import PATENTS, TEXTS, list_systems, settings, system
from leadline.retrieval.prior_art import (
    NOT_TEXT,
    PriorArt,
    bearing_rule,
    bears_words,
    claim_numbers,
    fit_words,
    hidden_note,
    prior_art,
    prior_art_finding,
    prior_art_record,
    read_patent,
    search_notes,
    system_line,
)
from leadline.retrieval.public import ranking_system
from leadline.retrieval.word_search import Hit, SearchResult, has_texts, result_table, search_words
from leadline.show.lab.opened import OpenedLab, clean, pieces
from leadline.text.days import parse_date

if TYPE_CHECKING:
    from numpy.typing import NDArray


DEEPEST = 1000  # families that can be reached by turning pages
MOST_HITS = 100  # hits of a page
MOST_MEMBERS = 20  # of a family that are listed
MOST_PEOPLE = 3  # applicants and inventors of a hit
SNIPPET = 260  # characters
LONGEST = 20_000  # characters of a query in an address


@dataclass(frozen=True)
class WordSearch:
    """What is asked: the query, how it is ranked, what it is narrowed to, and which page of the hits is wanted."""

    index: str
    q: str
    model: str = ""  # words alone rank, by a model; empty: a system
    before: str = ""
    after: str = ""
    classes: str = ""  # divided by commas
    office: str = ""
    newest: bool = False
    k: int = 10
    page: int = 1
    duplicates: str = ""
    qrels: str = ""
    topic: str = ""
    system: str = ""  # default: the best of what the index has


def find_words(opened: OpenedLab, asked: WordSearch) -> dict[str, Any]:
    """What a query finds; InputError where it is wrong, with the line that the command prints."""
    if not 1 <= asked.k <= MOST_HITS:
        raise InputError("k", f"must be 1 to {MOST_HITS}, got {asked.k}")
    if not 1 <= asked.page <= max(1, DEEPEST // asked.k):
        raise InputError(
            "page", f"must be 1 to {max(1, DEEPEST // asked.k)} with {asked.k} hits a page, got {asked.page}"
        )
    if len(asked.q) > LONGEST:
        raise InputError("q", f"has {len(asked.q):,} characters, at most {LONGEST:,}: search with the patent instead")
    if asked.model:
        name, parameters = parse_model(asked.model)
        MODELS.named(name).checked_parameters(parameters)
    if asked.system:
        checked_choice("system", asked.system, word_systems())
    classes = filter_values("class", _listed(asked.classes), "class")
    offices = filter_values("office", _listed(asked.office), "office")
    grades = judged(opened, asked.qrels, asked.topic)
    groups = opened.duplicates(asked.duplicates) if asked.duplicates else None
    context = opened.context(asked.index)
    found = search_words(
        context,
        asked.q,
        asked.k,
        start=(asked.page - 1) * asked.k,
        model=asked.model or "bm25",
        system=ranking_system(asked.system or None, by_words=bool(asked.model) or asked.newest),
        before=asked.before or None,
        after=asked.after or None,
        classes=classes,
        offices=offices,
        newest=asked.newest,
        duplicates=groups,
    )
    cut = found.snippets(SNIPPET)
    why = [found.why(hit) for hit in found.hits]
    cards = [
        _card(context, hit, snippet, shares, grades, place)
        for place, (hit, snippet, shares) in enumerate(zip(found.hits, cut, why, strict=True))
    ]
    moved = [] if has_texts(context) else ["no titles and texts: add the collection of this index to the lab"]
    more: dict[str, list[Any]] = {"why": [" + ".join(f"{each.term} {each.score:.3f}" for each in one) for one in why]}
    if grades is not None:
        more["judged"] = [grades.get(hit.name) for hit in found.hits]
    return {
        "found": found.found,
        "hits": result_table(found.hits, cut, more),
        "understood": clean(found.understood),
        "parts": Table(["part", "documents"], [[clean(part), count] for part, count in found.parts]),
        "notes": [clean(note) for note in (*_notes(found), *moved)],
        "suggested": _suggested(found),
        "order": found.answer.order,
        "cards": cards,
        "facets": facets(context, found.answer.matching, classes[0] if len(classes) == 1 else ""),
        "more": len(found.hits) == asked.k and (asked.page + 1) * asked.k <= DEEPEST,
        "collection": opened.collection_of(asked.index),
    }


def judged(opened: OpenedLab, qrels: str, topic: str) -> dict[str, int] | None:
    """The grade of each judged document of a topic; None where no judgements or no topic are named."""
    return opened.qrels(qrels).judgements(topic) if qrels and topic else None


def _card(
    context: SearchContext,
    hit: Hit,
    snippet: Snippet,
    why: list[Contribution],
    grades: dict[str, int] | None,
    place: int,
) -> dict[str, Any]:
    """What a page shows of a hit."""
    total = max((abs(each.score) for each in why), default=1.0) or 1.0
    return {
        "rank": hit.rank,
        "document": hit.name,
        "title": clean(hit.title),
        "score": hit.score,
        "published": hit.published,
        "class": hit.symbol,
        "applicants": [clean(each) for each in hit.document.applicants[:MOST_PEOPLE]] if hit.document else [],
        "inventors": [clean(each) for each in hit.document.inventors[:MOST_PEOPLE]] if hit.document else [],
        "members": hit.members,
        "changed": hit.changed,
        "family": _members(context, hit),
        "snippet": pieces(snippet),
        "why": [
            {"word": clean(each.term), "field": each.field, "score": each.score, "share": abs(each.score) / total}
            for each in why
        ],
        "judged": grades is not None,
        "grade": None if grades is None else grades.get(hit.name),
    }


def _members(context: SearchContext, hit: Hit) -> list[dict[str, str]]:
    """The other members of a hit's family, of an index of documents."""
    if hit.members < 2 or context.index.unit == "family":
        return []
    _, rows = context.family_members.of_rows(np.array([hit.row]))
    rows = rows[rows != hit.row][:MOST_MEMBERS]
    days = context.index.column("publication")[rows]
    return [
        {"document": name, "published": "" if day == MISSING else str(day.astype("datetime64[D]"))}
        for name, day in zip(context.names(rows), days, strict=True)
    ]


def _notes(found: SearchResult) -> list[str]:
    """The notes of a search; what was suggested stands beside them."""
    missing = {str(each): str(each._replace(near="")) for each in found.answer.missing}
    return [missing.get(note, note) for note in found.notes]


def _suggested(found: SearchResult) -> str:
    """The query with the nearest words in place of those that are in no document; empty where there is none."""
    text = found.text
    for each in found.answer.missing:
        if each.near:
            text = re.sub(rf"(?i)(?<!\w){re.escape(each.word)}(?!\w)", each.near.replace("\\", r"\\"), text)
    return text if text != found.text else ""


def _listed(written: str) -> list[str]:
    return [part.strip() for part in written.split(",") if part.strip()]


# Facets: how many of the documents that a query found are of each period, class and office.


MOST_VALUES = 12  # values of a facet
_LENGTHS = (1, 3, 4)  # of the codes of sections, classes and subclasses
_STEPS = (1, 2, 5, 10, 20, 50)  # years of a period


def facets(context: SearchContext, matching: NDArray[np.bool_], under: str = "") -> dict[str, list[dict[str, Any]]]:
    """The counts of documents that match, by period, class, office, applicant and inventor.

    `under` is the class that is chosen: the classes below it are counted.
    """
    return {
        "periods": _periods(context, matching),
        "classes": _classes(context, matching, under),
        "offices": _coded(context, matching, "office"),
        "applicants": _coded(context, matching, "applicant"),
        "inventors": _coded(context, matching, "inventor"),
    }


def _periods(context: SearchContext, matching: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """The documents by the years of their publication; `after` and `before` are the days around a period."""
    days = context.index.column("publication")[matching]
    days = days[days != MISSING]
    if not len(days):
        return []
    years = days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
    first, last = int(years.min()), int(years.max())
    step = next((each for each in _STEPS if (last // each - first // each) < MOST_VALUES), 100)
    found = []
    for start in range(last // step * step, first // step * step - 1, -step):
        count = int(((years >= start) & (years < start + step)).sum())
        if count:
            words = str(start) if step == 1 else f"{start}–{start + step - 1}"
            found.append(
                {
                    "words": words,
                    "title": "",
                    "count": count,
                    "after": f"{start - 1:04}-12-31",
                    "before": f"{start + step:04}-01-01",
                }
            )
    return found


def _classes(context: SearchContext, matching: NDArray[np.bool_], under: str) -> list[dict[str, Any]]:
    """The documents by class, at the first level below `under` that tells them apart."""
    classes = context.classes
    above = len(under) if "/" not in under else len(under) + 1
    found: list[dict[str, Any]] = []
    for place, level in enumerate(LEVELS):
        if under and place < len(_LENGTHS) and _LENGTHS[place] <= above:
            continue
        at = classes.at(level)
        of_document = np.repeat(matching, np.diff(at.offsets))
        counts = np.bincount(at.codes[of_document], minlength=len(at.numbers))
        group = under[:-1] if under.endswith("*") else f"{under}/" if is_main_group(under) else under
        here: list[dict[str, Any]] = [
            {"words": name, "title": SECTIONS.get(name, ""), "count": int(counts[number])}
            for name, number in at.numbers.items()
            if counts[number] and name.startswith(group) and name != under
        ]
        if here:
            found = sorted(here, key=lambda each: (-each["count"], each["words"]))[:MOST_VALUES]
        if len(here) > 1:
            break
    return found


def _coded(context: SearchContext, matching: NDArray[np.bool_], name: str) -> list[dict[str, Any]]:
    """The documents by the values of a column, such as their offices or applicants."""
    counts: dict[str, int] = {}
    for segment, base in zip(context.index.segments, context.index.bases.tolist(), strict=False):
        column = segment.coded(name)
        inside = np.repeat(matching[base : base + len(segment)], np.diff(column.offsets))
        for number, count in enumerate(np.bincount(column.codes[inside], minlength=len(column.terms)).tolist()):
            if count:
                value = column.terms[number].decode()
                counts[value] = counts.get(value, 0) + count
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [{"words": clean(value), "title": "", "count": count} for value, count in ordered if value][:MOST_VALUES]


# Searching prior art in a lab: for a patent of its collection, or for one that somebody pastes or uploads.


MOST_PRIOR_ART = 50  # hits
AT_ONCE = 2  # searches: each takes a processor for about a second
PRIOR_ART_SNIPPET, PASSAGE = 260, 500  # characters
LARGEST = 4_000_000  # bytes of a patent
LONGEST_TEXT = 600_000  # characters of a patent that is searched with
MOST_PATENTS = 40  # that were pasted, in memory


class PriorArtSearches:
    """Searches for prior art in a lab, and the patents that were pasted. Threads may share it."""

    def __init__(self, opened: OpenedLab) -> None:
        self._opened = opened
        self._places = threading.Semaphore(AT_ONCE)
        self._pasted: OrderedDict[str, Document] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, content: bytes, date: str = "") -> str:
        """Read a patent that was pasted or uploaded, and keep it for a while; its key goes into the address."""
        document = read_pasted(content, date)
        key = hashlib.sha256(content + b"\0" + date.encode()).hexdigest()[:24]
        with self._lock:
            self._pasted[key] = document
            self._pasted.move_to_end(key)
            while len(self._pasted) > MOST_PATENTS:
                self._pasted.popitem(last=False)
        return key

    def find(self, index: str, patent: str, pasted: str, k: int, named: str = "") -> dict[str, Any]:
        """What bears on the claims of a patent of the collection, or of one that was pasted.

        `named` is one of `prior_art_systems()` (default: the best of what the index has).
        """
        if named:
            checked_choice("system", named, prior_art_systems())
        if not 1 <= k <= MOST_PRIOR_ART:
            raise InputError("k", f"must be 1 to {MOST_PRIOR_ART}, got {k}")
        context = self._opened.context(index)
        topic: Document | str = self._document(pasted) if pasted else _number(context, patent)
        collection = self._opened.collection_of(index)
        entries = [self._opened.lab.get("index", index)]
        entries += [self._opened.lab.get("collection", collection)] if collection else []

        def make() -> dict[str, Any]:
            with self._places:
                return _found(context, topic, k, named)

        found = self._opened.computed("prior art", entries, make, pasted or patent, bool(pasted), k, named)
        return {**found, "collection": collection}

    def _document(self, key: str) -> Document:
        with self._lock:
            found = self._pasted.get(key)
        if found is None:
            raise InputError("pasted", "this patent is no longer kept here: paste it again")
        return found


def read_pasted(content: bytes, date: str = "") -> Document:
    """The patent in what was pasted or uploaded: XML, SGML or JSON of an office, or plain text."""
    if len(content) > LARGEST:
        raise InputError("patent", f"has {len(content):,} bytes, at most {LARGEST:,}")
    if not content.strip():
        raise InputError("patent", "is empty: paste its text, or choose a file")
    if b"\0" in content[:65_536] or content.startswith((b"\x1f\x8b", b"PK\x03\x04", b"%PDF", b"BZh", b"\xfd7zXZ")):
        raise InputError("patent", NOT_TEXT)
    ending = {b"<": ".xml", b"{": ".json", b"[": ".json"}.get(content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1], ".txt")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"patent{ending}"
        path.write_bytes(content)
        try:
            document = read_patent(path)
        except InputError as error:
            problem = error.problem.replace(str(path), "the patent").replace(folder, "")
            raise InputError("patent", problem, line=error.line) from None
    if date:
        try:
            document = replace(document, application=parse_date(date).isoformat(), priorities=())
        except InputError as error:
            raise InputError("date", error.problem) from None
    return replace(document, description=document.description[:LONGEST_TEXT])


def _number(context: SearchContext, written: str) -> str:
    """The number of a patent of the collection; InputError with the nearest where there is none."""
    if not context.has_collection:
        raise InputError(str(context.index.folder.name), "has no texts: add the collection of this index to the lab")
    if context.request(written).is_patent:
        return written
    ids = context.collection.records["id"]
    begin = ids.filter(ids.str.starts_with(written.strip()[:4])).head(2000).to_list()
    raise InputError(visible(written), f"is not a patent of the collection{nearest(written, begin)}")


def _found(context: SearchContext, topic: Document | str, k: int, named: str) -> dict[str, Any]:
    request = context.request(topic)
    found = prior_art(context, request, system(named or DEFAULT_SYSTEM), k, PRIOR_ART_SNIPPET)
    record = prior_art_record(found)
    cards = [
        {
            **{key: hit[key] for key in ("rank", "document", "score", "published", "class", "members")},
            "title": clean(hit["title"]),
            "snippet": pieces(snippet),
            "bears": list(found.claims_of(place)),
            "bears_on": bears_words(found, place),
        }
        for place, (hit, snippet) in enumerate(zip(record["hits"], found.snippets, strict=True))
    ]
    shares = [
        " ".join(f"{number}:{share:.2f}" for number, share in found.claims_of(place).items())
        for place in range(len(found.hits))
    ]
    return {
        "patent_facts": {
            **record["topic"],
            "title": clean(found.topic.title),
            "classes": [*found.topic.ipc[:3]],
            "claims": len(found.topic.claims),
        },
        "finding": clean(prior_art_finding(found)),
        "rule": clean(bearing_rule(found)),
        "grades": {grade.name: found.right(grade) for grade in GRADES},
        "system": system_line(context, request, named or None),
        "notes": [clean(note) for note in (*search_notes(found, named or None), *hidden_note(found))],
        "cards": cards,
        "hits": result_table(found.hits, found.snippets, {"claims": shares}),
        "claims": [_claim(context, each, found) for each in found.bearing],
        "bearing": Table(
            ["claim", "rank", "document", "grade", "whole", "where", "share", "distinguishing", "passage"],
            [
                [
                    claim["claim"],
                    *(hit[key] for key in ("rank", "document", "grade", "whole")),
                    *(hit[key] for key in ("where", "share", "distinguishing", "passage")),
                ]
                for claim in record["claims"]
                for hit in claim["hits"]
            ],
        ),
        "without": claim_numbers([each.claim.number for each in found.bearing if not each.found])
        if found.bearing and not all(each.found for each in found.bearing)
        else "",
    }


def _claim(context: SearchContext, each: ClaimBearing, found: PriorArt) -> dict[str, Any]:
    """A claim, its distinguishing part, and the passages that bear on it with its words marked."""
    marker = Marker(context.index.analysis, dict.fromkeys(each.part.terms, 1.0))
    return {
        "number": each.claim.number,
        "name": each.name.capitalize(),
        "text": clean(each.claim.text),
        "part": clean(each.part.text),
        "basis": each.part.basis,
        "ranks": [one.hit + 1 for one in each.found],
        "marks": {str(one.hit + 1): one.grade.name for one in each.found},
        "passages": [
            {
                "rank": one.hit + 1,
                "document": found.hits[one.hit].name,
                "title": clean(found.hits[one.hit].title),
                "where": one.passage.where,
                "fit": fit_words(one),
                "part": patent_paragraph(one.passage.where),
                "pieces": pieces(marker.snippet(one.passage.text, PASSAGE)),
            }
            for one in each.found
        ],
    }


def patent_paragraph(where: str) -> str:
    """The part of the page of a document that a passage is in, as the end of its address.

    >>> patent_paragraph("¶ 12"), patent_paragraph("claim 3"), patent_paragraph("abstract")
    ('#p12', '#claim3', '#abstract')
    """
    kind, _, number = where.partition(" ")
    return f"#p{number}" if kind == "¶" else f"#{kind}{number}"


# The systems that the page of prior art offers: those that an index can run by itself.


_WITH_MODEL = frozenset({"cross_encoder", "dense", "hybrid", "learned_sparse"})


def prior_art_systems() -> tuple[str, ...]:
    """The names of the systems for patents, the default first."""
    return _systems(PATENTS)


def word_systems() -> tuple[str, ...]:
    """The names of the systems for queries in words, the default first."""
    return _systems(TEXTS)


@functools.cache
def _systems(task: str) -> tuple[str, ...]:
    """The names of the systems for a kind of topics, the default first.

    A system that loads a model of language is left to jobs: a page has to answer within seconds.
    """
    named = [one.name for one in list_systems().items if task in one.tasks and ":" not in one.name]
    others = [name for name in named if name != DEFAULT_SYSTEM and not _loads_model(settings(system(name)))]
    return DEFAULT_SYSTEM, *others


def _loads_model(steps: Any) -> bool:
    """Whether a pipeline loads a model, from its settings.

    >>> _loads_model([{"step": "search"}, {"step": "dense"}]), _loads_model([{"step": "search", "model": "bm25"}])
    (True, False)
    """
    if isinstance(steps, (list, tuple)):
        return any(map(_loads_model, steps))
    if not isinstance(steps, dict):
        return False
    if steps.get("step") == "where" and steps.get("vectors") == "stored":  # only where the index has the vectors
        return _loads_model(steps.get("otherwise"))
    return steps.get("step") in _WITH_MODEL or any(map(_loads_model, steps.values()))


TITLES = 400  # that are read, the first of the collection
LONG = 8  # letters of a word that is worth cutting off
BEGINNING = 5  # letters that are left of it
_WORD = re.compile(r"[a-z]{4,}")
_CLASS = re.compile(r"[A-H][0-9]{2}[A-Z]")
_USUAL = frozenset((WORDS_OF_TITLES + WORDS_OF_CLAIMS).split())


@dataclass(frozen=True)
class ExampleQuery:
    """A query, and what it shows."""

    query: str
    shows: str


def example_queries(context: SearchContext) -> list[ExampleQuery]:
    """Queries that show words, a phrase, words cut off, a class and a number, each only where it finds something."""
    if not context.has_collection or not len(context.collection):
        return []
    return [example for example in _proposed(context.collection) if _finds(context, example.query)]


def _proposed(collection: Collection) -> Iterator[ExampleQuery]:
    rows = np.arange(min(TITLES, len(collection)))
    known = [
        row for frame in collection.texts(["id", "title", "office", "ipc"], rows) for row in frame.iter_rows(named=True)
    ]
    known = _in_one_language(known)
    titles = [[word for word in _WORD.findall(row["title"].lower()) if word not in _USUAL] for row in known]
    words = Counter(word for title in titles for word in dict.fromkeys(title))
    pairs = Counter(
        pair
        for row in known
        for pair in dict.fromkeys(pairwise(re.findall(r"[a-z]+", row["title"].lower())))
        if words[pair[0]] and words[pair[1]] and pair[0] != pair[1]
    )
    frequent = [word for word, _ in words.most_common(40)]
    phrase = next((pair for pair, _ in pairs.most_common(1)), ())
    # Words of one title that are no phrase, so that the rarer one is seen to count.
    apart = Counter(
        pair for title in titles for pair in dict.fromkeys(combinations(dict.fromkeys(title), 2)) if not pairs[pair]
    )
    two = next((pair for pair, _ in apart.most_common() if not {*pair} & {*phrase}), tuple(frequent[:2]))
    if len(two) > 1:
        yield ExampleQuery(" ".join(two), "both words count, the rarer one more")
    if phrase:
        yield ExampleQuery(f'"{" ".join(phrase)}"', "a phrase: these words side by side")
    long = next((word for word in frequent if len(word) >= LONG and word not in (*phrase, *two)), "")
    if long:
        yield ExampleQuery(f"{long[:BEGINNING]}*", f"words that begin with {long[:BEGINNING]}, as {long}")
    if phrase:
        yield ExampleQuery(f"{phrase[0]} NEAR/5 {phrase[1]}", "within five words of each other")
    classes = Counter(symbol for row in known for symbol in {each[:4] for each in row["ipc"] or ()})
    usual = next((symbol for symbol, _ in classes.most_common() if _CLASS.fullmatch(symbol)), "")
    if usual and frequent:
        yield ExampleQuery(f"class:{usual} {frequent[0]}", "only documents of a class")
        yield ExampleQuery(f"title:{frequent[0]} -class:{usual}", "in the title; without a class")
    number = next((row["id"] for row in known if row["office"]), "")
    if number:
        yield ExampleQuery(f"number:{number}", "one document, by its number")


def _in_one_language(known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The documents whose titles are in the language that most are in, by its common words; all if none has any."""
    of = []
    for row in known:
        words = [word.encode() for word in re.findall(r"[^\W\d_]+", row["title"].lower())]
        found = {language: sum(word in common for word in words) for language, common in COMMON.items()}
        language = max(found, key=lambda name: (found[name], name == "en"))
        of.append(language if found[language] else "")
    usual = next((language for language, _ in Counter(of).most_common() if language), "")
    return [row for row, language in zip(known, of, strict=True) if language == usual] if usual else known


def _finds(context: SearchContext, query: str) -> bool:
    try:
        return search_words(context, query, 1).found > 0
    except LeadlineError:  # as an index without positions answers a phrase
        return False
