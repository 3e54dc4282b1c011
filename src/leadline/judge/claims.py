"""Judgements by claim: grades for each claim, passages that bear on it, and rejections in office actions.

The grade of a document for a claim is ⌈4 · passages of the document that bear on the claim ÷ the largest such
number⌉, after Luo, Wing, Yang and Hearst, The Water Filling Model and the Cube Test (CIKM 2013). The paper takes the
largest over all its topics and relevant documents, as `largest="all"` does; one very long document can then make nearly
every other grade 1, so `topic` and `claim` take the largest within each topic or claim.

A claim is a subtopic, of weight 1 when it is independent and 0.5 when it refers to another. Every claim is listed for
every relevant document of the topic, with grade 0 where nothing bears on it, so that the weights are shared among all
claims.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from leadline.collections.documents.collection import Collection, located
from leadline.collections.documents.document import Claim, Document
from leadline.collections.documents.numbers import normalise
from leadline.errors import InputError, MismatchError
from leadline.judge.choices import Largest
from leadline.judge.citations import encoded_tsv
from leadline.records.qrels import Qrels
from leadline.records.topics import Topic
from leadline.retrieval.choices import BEARING
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.passages import HeldTerms, Passages, bears, claim_terms, rarity
from leadline.text.files import write_whole
from leadline.text.sheet import Sheet, json_value, label, read_sheet
from leadline.text.source import read_text

if TYPE_CHECKING:
    import polars as pl

_WITHIN: Mapping[str, tuple[str, ...]] = {"all": (), "topic": ("topic",), "claim": ("topic", "claim")}


@dataclass(frozen=True)
class ClaimJudgements:
    """For each topic, claim and relevant document: passages that bear on the claim, grade, and the claim's weight."""

    rows: pl.DataFrame  # topic, claim, document, passages, grade, weight
    source: Literal["judged", "estimated"]

    def qrels(self, name: str = "qrels") -> Qrels:
        topics, claims, documents, _, grades, weights = (column.to_list() for column in self.rows.get_columns())
        return Qrels.from_columns(topics, documents, grades, name, subtopics=claims, weights=weights)

    def write_why(self, path: str | os.PathLike[str]) -> None:
        """Write the number of passages behind each grade, and whether they were judged or estimated."""
        import polars as pl

        table = self.rows.with_columns(source=pl.lit(self.source))
        write_whole(path, encoded_tsv(table))


def claim_judgements(
    claims: Mapping[str, Sequence[Claim]],
    passages: pl.DataFrame,
    documents: pl.DataFrame,
    *,
    source: Literal["judged", "estimated"],
    largest: Largest = "all",
) -> ClaimJudgements:
    """Grades from the counts in `passages` (topic, claim, document, passages), for relevant `documents` by topic."""
    import polars as pl

    relevant = documents.select("topic", "document").unique(maintain_order=True)
    listed = claim_table(claims).select("topic", "claim", "weight").join(relevant, on="topic")
    most = pl.max_horizontal(pl.col("passages").max(), 1)
    most = most.over(_WITHIN[largest]) if _WITHIN[largest] else most
    rows = (
        listed.join(passages, on=["topic", "claim", "document"], how="left", maintain_order="left")
        .with_columns(pl.col("passages").fill_null(0).cast(pl.Int64))
        # ⌈4n ÷ largest⌉ in integers: a floating-point quotient could be just above a whole number.
        .with_columns(grade=(4 * pl.col("passages") + most - 1) // most)
        .select("topic", "claim", "document", "passages", "grade", "weight")
    )
    if rows.is_empty():
        raise MismatchError("no topic has both claims and a relevant document")
    return ClaimJudgements(rows, source)


def claim_table(claims: Mapping[str, Sequence[Claim]]) -> pl.DataFrame:
    """One row per claim: topic, claim, text, weight."""
    import polars as pl

    rows = [(topic, str(claim.number), claim.text, claim.weight) for topic, own in claims.items() for claim in own]
    schema = {"topic": pl.String, "claim": pl.String, "text": pl.String, "weight": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def read_passages(path: str | os.PathLike[str], claims: Mapping[str, Sequence[Claim]]) -> pl.DataFrame:
    """Counts of judged passages, from a table with the columns topic, claim, document and passage.

    The claim * means every claim of the topic. A passage listed twice counts once. Topics that are not in `claims` are
    ignored.
    """
    import polars as pl

    sheet = read_sheet(path)
    columns = [_column(sheet, names) for names in (("topic",), ("claim", "subtopic"), ("document",), ("passage",))]
    numbers = {topic: {str(claim.number) for claim in own} for topic, own in claims.items()}
    passages = [
        (topic, claim, *map(label, (row[columns[2]], row[columns[3]])))
        for r, row in enumerate(sheet.rows)
        if (topic := label(row[columns[0]])) in numbers
        for claim in _claims(sheet, r, label(row[columns[1]]), numbers[topic])
    ]
    if not passages:
        raise MismatchError(f"{sheet.name}: no passage is of a topic with claims in the collection")
    frame = pl.DataFrame(passages, schema=["topic", "claim", "document", "passage"], orient="row")
    keys = ["topic", "claim", "document"]
    return frame.group_by(keys, maintain_order=True).agg(passages=pl.col("passage").n_unique())


def _column(sheet: Sheet, names: Sequence[str]) -> int:
    place = sheet.find(names)
    if place is None:
        have = ", ".join(sheet.columns[:6])
        raise InputError(sheet.name, f"no column {names[0]} among {have}; expected topic, claim, document, passage")
    return place


def _claims(sheet: Sheet, row: int, written: str, known: Iterable[str]) -> list[str]:
    if written == "*":
        return sorted(known)
    if written not in known:
        raise sheet.error(row, f"the patent has no claim {written!r}; its claims are 1 to {max(map(int, known))}")
    return [written]


# Estimates where nobody has judged passages. These are not judgements: see `retrieval/passages.py`.


def estimated_passages(
    claims: pl.DataFrame, pairs: pl.DataFrame, documents: Iterable[Document], share: float = BEARING
) -> pl.DataFrame:
    """The number of passages of each relevant document that bear on each claim of its topic, where it is not 0.

    `claims` has the columns topic, claim and text; `pairs` topic and document; `documents` has each document once.
    Terms are weighted by their rarity among the passages of all these documents.
    """
    import polars as pl

    analysis = Analysis()
    terms = claim_terms(claims["text"].to_list(), analysis)
    unique = dict.fromkeys(term for claim in terms for term in claim)
    vocabulary = {term: number for number, term in enumerate(unique)}
    held: dict[str, HeldTerms] = {}
    frequencies, total = np.zeros(len(vocabulary), np.int64), 0
    for document in documents:
        terms_held = held[document.id] = Passages([document], analysis).held(vocabulary)
        frequencies += np.bincount(terms_held.term, minlength=len(vocabulary))
        total += terms_held.passages
    weights = rarity(frequencies, total)
    by_topic: dict[str, list[tuple[str, np.ndarray]]] = {}
    for topic, name, claim in zip(claims["topic"], claims["claim"], terms, strict=True):
        by_topic.setdefault(topic, []).append((name, np.array([vocabulary[term] for term in claim], np.int64)))
    rows: list[tuple[str, str, str, int]] = []
    for topic, name in pairs.select("topic", "document").unique(maintain_order=True).iter_rows():
        if topic in by_topic and name in held:
            weighted = [(numbers, weights[numbers]) for _, numbers in by_topic[topic]]
            counts = bears(held[name].shares(weighted, len(vocabulary)), share).sum(axis=0).tolist()
            rows += [(topic, claim, name, count) for (claim, _), count in zip(by_topic[topic], counts, strict=True)]
    schema = {"topic": pl.String, "claim": pl.String, "document": pl.String, "passages": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").filter(pl.col("passages") > 0)


# Judgements by claim from office actions: a document over which a claim was rejected is relevant to that claim.
#
# The grade is 2 when the document alone rejects the claim (section 102, category X) and 1 when it does so together with
# others (section 103, category Y). Every claim is listed for every such document of the topic, with grade 0 where the
# claim was not rejected over it, as in the judgements from passages above.
#
# Examiners number the claims of the application as they were when they read them. A published application has mostly
# the same claims; those of the granted patent were often amended and renumbered.


ALONE, TOGETHER = 2, 1  # grades
_REASONS = ("topic", "claim", "document", "grade", "statute", "date", "action", "passages", "written")


@dataclass(frozen=True)
class RejectionJudgements:
    """For each topic, claim and document: the grade and the claim's weight, and every rejection behind it."""

    rows: pl.DataFrame  # topic, claim, document, grade, weight
    reasons: pl.DataFrame  # topic, claim, document, grade, statute, date, action, passages, written
    outside: int  # rejections over documents that are not in the collection
    unknown_claims: int  # rejections of claims that the patent does not have
    absent: tuple[str, ...]  # topics without a rejection

    def qrels(self, name: str = "qrels") -> Qrels:
        topics, claims, documents, grades, weights = (column.to_list() for column in self.rows.get_columns())
        return Qrels.from_columns(topics, documents, grades, name, subtopics=claims, weights=weights)

    def write_why(self, path: str | os.PathLike[str]) -> None:
        """Write the rejections behind the judgements: section, date, action, passages, and the number as written."""
        write_whole(path, encoded_tsv(self.reasons))


def from_rejections(collection: Collection, topics: Iterable[Topic], actions: OfficeActions) -> RejectionJudgements:
    """Judgements of the topics whose applications have rejections."""
    import polars as pl

    asked = list(topics)
    inside = set(located(asked, collection)["topic"])
    patents = {topic.id: collection.document(topic.patent) for topic in asked if topic.id in inside}
    if not patents:
        raise MismatchError("no topic is a document of the collection")
    by_application: dict[str, list[Rejection]] = {}
    for rejection in actions.rejections:
        by_application.setdefault(rejection.application, []).append(rejection)
    found = _documents(collection, {rejection.document for rejection in actions.rejections})
    claims: dict[str, Sequence[Claim]] = {}
    reasons: list[tuple[str | int, ...]] = []
    outside = unknown = 0
    for topic, patent in patents.items():
        rejected = by_application.get(patent.application_number, [])
        numbers = {claim.number for claim in patent.claims}
        claims[topic] = patent.claims or [Claim(number, "") for number in sorted({one.claim for one in rejected})]
        for one in rejected:
            documents = [document for document in found[one.document] if document != patent.id]
            outside += not documents
            if documents and numbers and one.claim not in numbers:
                unknown += 1
                continue
            grade, reason = ALONE if one.alone else TOGETHER, (one.statute, one.date, one.action, one.passages)
            reasons += [(topic, str(one.claim), document, grade, *reason, one.document) for document in documents]
    if not reasons:
        raise MismatchError(
            "no topic has a claim that was rejected over a document of the collection: do the office actions belong to "
            "these patents?"
        )
    schema = {name: pl.Int64 if name == "grade" else pl.String for name in _REASONS}
    why = pl.DataFrame(reasons, schema=schema, orient="row")
    grades = why.group_by("topic", "claim", "document").agg(pl.col("grade").max())
    listed = why.select("topic", "document").unique(maintain_order=True)
    rows = (
        claim_table(claims)
        .select("topic", "claim", "weight")
        .join(listed, on="topic", maintain_order="left_right")
        .join(grades, on=["topic", "claim", "document"], how="left", maintain_order="left")
        .with_columns(pl.col("grade").fill_null(0))
        .select("topic", "claim", "document", "grade", "weight")
    )
    judged = set(why["topic"])
    return RejectionJudgements(rows, why, outside, unknown, tuple(t.id for t in asked if t.id not in judged))


def _documents(collection: Collection, written: set[str]) -> dict[str, list[str]]:
    """The documents of the collection that each number means: the publication, else all of that number."""
    records = collection.records
    names = sorted(written)
    ids, by_key = set(records["id"]), dict[str, list[str]]()
    for name, key in records.select("id", "key").iter_rows():
        by_key.setdefault(key, []).append(name)
    found = {}
    for name in names:
        number = normalise(name)
        found[name] = [number.id] if number.id in ids else by_key.get(number.key, [])
    return found


# Office actions of the American office: which claim of an application was rejected over which document.
#
# The office publishes them as JSON, from its APIs and in bulk; a file holds records, or a response with records. Four
# kinds are recognised by their fields and may be mixed:
#
# - **enriched citations** (`citedDocumentIdentifier`, `relatedClaimNumberText`): a document and the claims it was cited
#   against, with the category X (alone), Y (with others) or A (background, which rejects nothing);
# - **rejections** (`claimNumberArrayDocument`, `legalSectionCode`): claims and the section of the law, without
# documents;
# - **citations** (`referenceIdentifier`, `legalSectionCode`): documents and the section, without claims; joined with
# the
#   rejections of the same action, section and paragraph;
# - **texts** (`sections.section102RejectionText`, `sections.section103RejectionText` or `bodyText`): sentences such as
# "Claims 1-3 and 7 are rejected under 35 U.S.C. 103 as being unpatentable over Smith (US 6,123,456) in view of Jones".
#   A document that is named only by its inventor is found where the text gives its number.


STATUTES = ("102", "103")  # novelty and obviousness, the sections that reject over documents
MOST_CLAIMS = 10_000  # a higher number is a misprint
_ALONE, _TOGETHER = {"X", "E"}, {"Y"}  # categories of citations that reject

_RANGE = re.compile(r"(\d{1,5})(?:\s*(?:-|–|—|to|through)\s*(\d{1,5}))?")
_REJECTED = re.compile(
    r"\bclaims?(?:\(s\))? (?P<claims>\d(?:[\d ,;&–—-]|and|to|through){0,400}?) ?"
    r"(?:is/are|are|is|stands?) (?:\w{1,20} )?rejected under (?:the )?(?:pre-? ?AIA )?"
    r"35 ?U\.? ?S\.? ?C\.? ?(?:§{1,2}|sec(?:tion|\.)?)? ?(?P<statute>\d{3})",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(?P<office>U\.?\s?S\.?(?:\s?A\.?)?|EP|WO|JP|DE|GB|FR|CN|KR|CA)(?![a-z])"
    r"(?: ?(?:Pat(?:ent)?|Pub(?:lication)?|PG-?Pub|PGPUB|Appl(?:ication)?|No|Number|Nos)\b\.?){0,4}[ :#-]{0,3}"
    r"(?P<serial>\d{4}[/-]\d{5,7}|\d{2}/\d{5,6}|\d[\d,]{4,12}\d) ?(?P<kind>[AB]\d?\b)?",
)
_NAMED = re.compile(r"([A-Z][\w'’-]{1,30})(?: et al\.?)?,? ?\(?[ \w.,\"“”'’]{0,40}?$")
_NO_NAMES = frozenset({"Claim", "Claims", "In", "The", "Publication", "Patent", "Pub", "Pat", "See"})
_WORD = re.compile(r"[\w'’-]+")
_END = re.compile(r"(?<!\bU\.S)(?<!\bNo)(?<!\bNos)(?<!\bal)(?<!\bPat)(?<!\bPub)(?<!\bPubl)(?<!\bAppl)\.(?: |$)")
_LONGEST = 1500  # characters of a sentence that names the documents


@dataclass(frozen=True)
class Rejection:
    """A claim of an application, a document it was rejected over, and the section of the law."""

    application: str  # normalised: US15739603
    claim: int
    document: str  # as the office wrote it
    statute: str  # 102 or 103; X or Y where only the category of the citation is known
    date: str = ""
    action: str = ""
    passages: str = ""  # what the examiner pointed to

    @property
    def alone(self) -> bool:
        """Whether the document rejects the claim by itself."""
        return self.statute in {"102", *_ALONE}


@dataclass(frozen=True)
class OfficeActions:
    """Rejections read from files, and counts of records that hold none."""

    rejections: tuple[Rejection, ...]
    records: int
    background: int = 0  # citations of category A and the like
    unread: int = 0  # records of other kinds
    unresolved: int = 0  # rejections of a text whose documents are named without a number


def read_office_actions(paths: Iterable[str | os.PathLike[str]]) -> OfficeActions:
    """Read the rejections in files of JSON or JSON Lines, compressed or not."""
    found: list[Rejection] = []
    claims: dict[_Section, list[tuple[str, list[int]]]] = {}
    cited: list[_Cited] = []
    counts = {"records": 0, "background": 0, "unread": 0, "unresolved": 0}
    for path in paths:
        for place, record in enumerate(_records(path), start=1):
            counts["records"] += 1
            section = _section(record, f"{os.fspath(path)}: record {place}")
            paragraph = _text(record, "paragraphNumber")
            if "relatedClaimNumberText" in record or "citedDocumentIdentifier" in record:
                rejected = _enriched(record, section)
                counts["background"] += not rejected
                found += rejected
            elif "claimNumberArrayDocument" in record:
                if _rejects(record):
                    claims.setdefault(section, []).append((paragraph, _claims_of(record)))
            elif "referenceIdentifier" in record:
                document = _reference(record) if _rejects(record) else ""
                counts["background"] += not document
                cited += [_Cited(section, paragraph, document, _date(record))] if document else []
            elif any(name.startswith("sections.") or name == "bodyText" for name in record):
                rejected, unresolved = _from_text(record, section)
                counts["unresolved"] += unresolved
                found += rejected
            else:
                counts["unread"] += 1
    found += _joined(claims, cited)
    return OfficeActions(tuple(dict.fromkeys(found)), **counts)


class _Section(NamedTuple):
    """A section of the law in one office action."""

    application: str
    action: str
    statute: str


class _Cited(NamedTuple):
    section: _Section
    paragraph: str
    document: str
    date: str


def _records(path: str | os.PathLike[str]) -> Iterator[Mapping[str, Any]]:
    """The records of a file: a list, lines, or a response of the office's API."""
    text = read_text(path)
    value = json_value(text.buffer[text.begin : text.end].tobytes(), text.name)
    if not isinstance(value, dict | list):
        raise InputError(text.name, "holds no records of office actions: a list of objects was expected")
    listed: list[Any] = []
    for part in value if isinstance(value, list) else [value]:
        response = part.get("response") if isinstance(part, dict) else None
        docs = response.get("docs") if isinstance(response, dict) else None
        listed += docs if isinstance(docs, list) else [part]
    for place, record in enumerate(listed, start=1):
        if not isinstance(record, dict):
            raise InputError(text.name, f"record {place} is not a JSON object but {type(record).__name__}")
        yield _flat(record)


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record whose `sections` are an object as the API writes it: sections.section103RejectionText."""
    sections = record.get("sections")
    if not isinstance(sections, dict):
        return dict(record)
    inner = {f"sections.{name}": value for name, value in sections.items()}
    return {**{name: value for name, value in record.items() if name != "sections"}, **inner}


def _text(record: Mapping[str, Any], name: str) -> str:
    """A field as text. The API writes single values as lists of one."""
    value = record.get(name)
    if isinstance(value, list):
        value = " ".join(str(part) for part in value if part is not None)
    return "" if value is None or value == "null" else str(value).strip()


def _section(record: Mapping[str, Any], where: str) -> _Section:
    name = "patentApplicationNumber"
    digits = re.sub(r"\D", "", _text(record, name) or _text(record, f"sections.{name}"))
    if not digits:
        raise InputError(where, f"has no {name}")
    return _Section(f"US{digits.zfill(8)}", _text(record, "obsoleteDocumentIdentifier"), _statute(record))


def _date(record: Mapping[str, Any]) -> str:
    return (_text(record, "officeActionDate") or _text(record, "submissionDate"))[:10]


def _statute(record: Mapping[str, Any]) -> str:
    return _text(record, "legalSectionCode")[:3]


def _rejects(record: Mapping[str, Any]) -> bool:
    return _text(record, "actionTypeCategory").lower() in ("rejected", "rejection") and _statute(record) in STATUTES


def claim_numbers(text: str) -> list[int]:
    """The claims in a text.

    >>> claim_numbers("1-3, 5 and 7")
    [1, 2, 3, 5, 7]
    """
    numbers: set[int] = set()
    for first, last in _RANGE.findall(text):
        low, high = int(first), int(last or first)
        if 1 <= low <= high <= MOST_CLAIMS:
            numbers.update(range(low, high + 1))
    return sorted(numbers)


def _claims_of(record: Mapping[str, Any]) -> list[int]:
    return claim_numbers(_text(record, "claimNumberArrayDocument").replace("[", " ").replace("]", " "))


def _enriched(record: Mapping[str, Any], section: _Section) -> list[Rejection]:
    category, document = _text(record, "citationCategoryCode").upper(), _text(record, "citedDocumentIdentifier")
    if category not in _ALONE | _TOGETHER or not document or _text(record, "nplIndicator").lower() == "true":
        return []
    passages, date = _text(record, "passageLocationText"), _date(record)
    return [
        Rejection(section.application, claim, document, category, date, section.action, passages)
        for claim in claim_numbers(_text(record, "relatedClaimNumberText"))
    ]


def _reference(record: Mapping[str, Any]) -> str:
    """The cited document: as written where that is a patent's number, else the digits that the office parsed."""
    written = _text(record, "referenceIdentifier")
    if normalise(written).office:
        return written
    parsed = _text(record, "parsedReferenceIdentifier")
    return f"US{parsed}" if parsed.isdigit() else ""


def _joined(claims: Mapping[_Section, list[tuple[str, list[int]]]], cited: Iterable[_Cited]) -> Iterator[Rejection]:
    """Documents and claims of the same action and section; of the same paragraph where both name one."""
    for section, paragraph, document, date in cited:
        listed = claims.get(section, [])
        same = [numbers for other, numbers in listed if paragraph and other == paragraph]
        for claim in sorted({claim for numbers in same or [numbers for _, numbers in listed] for claim in numbers}):
            yield Rejection(section.application, claim, document, section.statute, date, section.action)


def _from_text(record: Mapping[str, Any], section: _Section) -> tuple[list[Rejection], int]:
    """The rejections that the text states, and the number of sentences whose documents have no number."""
    sections = [_text(record, f"sections.section{statute}RejectionText") for statute in STATUTES]
    text = " ".join(filter(None, sections)) or _text(record, "bodyText")
    known = _numbered_names(f"{text} {_text(record, 'sections.detailCitationText')} {_text(record, 'bodyText')}")
    found: list[Rejection] = []
    unresolved = 0
    for claims, statute, documents in rejections_in(text, known):
        unresolved += not documents
        found += [
            Rejection(section.application, claim, document, statute, _date(record), section.action)
            for claim in claims
            for document in documents
        ]
    return found, unresolved


def rejections_in(text: str, known: Mapping[str, str] | None = None) -> Iterator[tuple[list[int], str, list[str]]]:
    """Yield the claims, the section and the documents of each sentence that rejects claims over documents.

    `known` has the numbers of documents by inventor, for sentences that name only these.

    >>> said = "Claims 1-2 and 4 are rejected under 35 U.S.C. 103 as being unpatentable over Smith (US 6,123,456 B1)."
    >>> list(rejections_in(said))
    [([1, 2, 4], '103', ['US6123456B1'])]
    """
    text = " ".join(text.split())
    known = _numbered_names(text) if known is None else known
    matches = list(_REJECTED.finditer(text))
    for place, match in enumerate(matches):
        if match["statute"] not in STATUTES:
            continue
        end = matches[place + 1].start() if place + 1 < len(matches) else len(text)
        rest = text[match.end() : min(end, match.end() + _LONGEST)]
        stop = _END.search(rest)
        sentence = rest[: stop.start()] if stop else rest
        named = dict.fromkeys(known[word] for word in _WORD.findall(sentence) if word in known)
        yield claim_numbers(match["claims"]), match["statute"], list(_numbers(sentence) | named)


def _numbers(text: str) -> dict[str, None]:
    return dict.fromkeys(_normal(match) for match in _NUMBER.finditer(text))


def _normal(match: re.Match[str]) -> str:
    office = re.sub(r"[^A-Z]", "", match["office"])[:2]
    return normalise(f"{office}{match['serial']}", kind=match["kind"] or "").id


def _numbered_names(text: str) -> dict[str, str]:
    """The number that a text gives after an inventor's name, by name."""
    named: dict[str, str] = {}
    text = " ".join(text.split())
    for match in _NUMBER.finditer(text):
        before = _NAMED.search(text[max(0, match.start() - 80) : match.start()])
        if before and before[1] not in _NO_NAMES:
            named.setdefault(before[1], _normal(match))
    return named
