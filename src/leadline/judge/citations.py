"""Judgements from citations, each with its reason, and patents sampled as topics."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.collections.choices import ORIGINS, JudgementDates
from leadline.collections.documents.collection import Collection as Documents
from leadline.collections.documents.collection import Patents, citing_family, located, row_numbers
from leadline.collections.documents.families import days_of, is_later, public_days, without_kind
from leadline.collections.documents.numbers import is_patent_number
from leadline.errors import InputError, MismatchError, checked_choice, visible
from leadline.judge.choices import CITATION_RULES, FEWEST_RELEVANT, Grades, PerFamily
from leadline.records.inputs import Path
from leadline.records.qrels import Qrels
from leadline.records.result import Result, counted
from leadline.records.topics import Topic, Topics
from leadline.text.files import write_whole
from leadline.text.sheet import frame_of_sheet, sheet_of_text
from leadline.text.source import read_text

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

COLUMNS = ("topic", "document", "rule", "origin", "category", "citing", "cited")


@dataclass(frozen=True)
class Provenance:
    """One row for each citation and rule that makes a document relevant to a topic.

    The columns: topic, document, rule, origin and category of the citation, the document citing, the number cited.
    """

    ways: pl.DataFrame
    topics: tuple[str, ...] = ()  # all topics, including those without a judgement

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Provenance:
        """Read a file that `write` wrote."""
        import polars as pl

        text = read_text(path)
        ways = frame_of_sheet(text)
        missing = [name for name in COLUMNS if name not in ways.columns]
        if missing:
            raise InputError(text.name, f"no column {missing[0]}; give a .why.tsv written beside judgements", line=1)
        ways = ways.select(COLUMNS)
        wrong = (~ways["rule"].is_in([str(rule) for rule in CITATION_RULES])).arg_true()
        if len(wrong):
            row = int(wrong[0])
            raise sheet_of_text(text).error(row, f"rule {ways['rule'][row]!r} is not one of 1, 2, 3")
        return cls(ways.with_columns(pl.col("rule").cast(pl.UInt8)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the rows as a TSV file, atomically; special characters are escaped."""
        write_whole(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """The rows as `write` writes them."""
        return encoded_tsv(self.ways)

    def select(self, *, origins: Collection[str] = ORIGINS, rules: Collection[int] = CITATION_RULES) -> Provenance:
        """Only the rows of some origins and rules, such as those of examiners' citations."""
        import polars as pl

        for origin in origins:
            checked_choice("origin", origin, ORIGINS)
        ways = self.ways.filter(pl.col("origin").is_in(list(origins)) & pl.col("rule").is_in(list(rules)))
        return replace(self, ways=ways)

    def qrels(self, *, grades: Grades = "one", name: str = "qrels") -> Qrels:
        """The judgements, one per pair of topic and document, with grade 1 or by the category of the search report.

        With `grades="category"` a document that takes away novelty or inventive step, alone or with others (X, Y, and
        I and N of the newer reports), has grade 2, every other 1; the largest grade of a pair counts.
        """
        import polars as pl

        if self.ways.is_empty():
            raise InputError(name, "no citation gives a judgement; see --dates, --origin and --rules")
        strong = pl.col("category").str.contains("[XYIN]") if grades == "category" else pl.lit(value=False)
        pairs = self.ways.group_by("topic", "document", maintain_order=True).agg(
            grade=pl.when(strong.any()).then(2).otherwise(1)
        )
        topics, documents, values = (pairs[column].to_list() for column in ("topic", "document", "grade"))
        return Qrels.from_columns(topics, documents, values, name)

    def counts(self) -> pl.DataFrame:
        """The number of judgements by each rule and by each origin of citations; a judgement may have several."""
        import polars as pl

        pair = pl.struct("topic", "document")
        by = [pair.filter(pl.col("origin") == origin).n_unique().alias(origin) for origin in ORIGINS]
        rules = self.ways.group_by(pl.col("rule").cast(pl.String)).agg(pair.n_unique().alias("judgements"), *by)
        together = self.ways.select(pl.lit("all").alias("rule"), pair.n_unique().alias("judgements"), *by)
        return pl.concat([rules.sort("rule"), together.cast(rules.schema)])


def encoded_tsv(table: pl.DataFrame) -> bytes:
    """Return a table as TSV, escaped as `text/sheet.py` reads it.

    >>> import polars as pl
    >>> encoded_tsv(pl.DataFrame({"topic": ["a\\tb", "c"], "grade": [1, 2]})).splitlines()
    [b'topic\\tgrade', b'a\\\\tb\\t1', b'c\\t2']
    """
    import polars as pl

    special = pl.col(pl.String).str.contains(r'[\\"\p{Cc}\p{Cf}\p{Zl}\p{Zp}]')
    for name in table.select(special.any()).unpivot().filter(pl.col("value"))["variable"]:
        written = [None if cell is None else _escaped(cell) for cell in table[name]]
        table = table.with_columns(pl.Series(name, written, pl.String))
    return table.write_csv(separator="\t", quote_style="never").encode("utf-8", "surrogateescape")


def _escaped(cell: str) -> str:
    return visible(cell.replace("\\", "\\\\").replace('"', '\\"'))


# Judgements from citations: documents that examiners, applicants and opponents cited count as relevant.
#
# A document is relevant to a topic patent when
#
# 1. the topic cites it,
# 2. it is in the family of a document the topic cites,
# 3. a family member of the topic cites it.
#
# Lupu and others, Overview of the TREC 2009 Chemical IR Track, section 3.1. The topic's own family never counts. Beyond
# the overview, `dates="priority"` leaves out documents published after the topic's priority date, because no search on
# that day could have found them.
#
# A citation with the number and the kind of a publication in the collection means that document. One without a kind
# (US5793966), or with a kind that is not in the collection (EP0047956A), means every publication of that number: the
# patent is the unit, and nobody cites the A1 and not the B1 on purpose. A document outside the collection counts
# through its family, if the sources name it.


TOPICS_AT_ONCE = 100_000


@dataclass(frozen=True, repr=False)
class Derived(Result):
    """The judgements with the reasons for each, and counts of what was left out (pairs of a topic and a document)."""

    provenance: Provenance
    absent: tuple[str, ...] = ()  # topics that are not patents of the collection
    citing_nothing: tuple[str, ...] = ()  # topics for which no rule reaches a document of the collection
    emptied: tuple[str, ...] = ()  # topics whose judgements were all left out
    undated_topics: tuple[str, ...] = ()  # topics without any date, for which no document is too late
    own_family: int = 0
    too_late: int = 0
    by_filing_date: int = 0  # kept without a publication date, because they were filed in time
    undated: int = 0  # kept without any date

    def _finding(self) -> str:
        ways, topics = self.provenance.ways, len(self.provenance.topics)
        pairs = ways.select("topic", "document").n_unique()
        return f"{counted(pairs, 'judgement')} of {ways['topic'].n_unique()} of {counted(topics, 'topic')}"


def from_citations(
    patents: Path | Patents,
    topics: Path | Iterable[Topic],
    *,
    dates: JudgementDates = "priority",
    origins: Collection[str] = ORIGINS,
    rules: Collection[int] = CITATION_RULES,
) -> Derived:
    """Judgements of every topic from the citations of a collection, with the reason for each.

    topics: ids one per line, a table, or TREC markup
    dates: leave out what was published after this date
    origins: only citations by these: applicant, examiner, opposition, third party, unknown (default: all)
    rules: 1: what the topic cites, 2: the families of that, 3: what its family cites

    The collection and the topics may be given as paths.
    """
    import polars as pl

    if isinstance(patents, (str, os.PathLike)):
        patents = Documents.open(patents)
    topics = list(Topics.read(topics) if isinstance(topics, (str, os.PathLike)) else topics)
    if not all(isinstance(topic, Topic) for topic in topics):
        raise InputError("topics", "must be Topics, such as Topics.read(path) or Topics.of(ids)")
    inside = located(topics, patents)
    if inside.is_empty():
        some = ", ".join(topic.patent for topic in topics[:3])
        raise MismatchError(f"no topic is a document of the collection; the topics name {some or 'nothing'}")
    reached = _ways_to_documents(patents, inside["row"].unique().to_numpy(), origins, rules)
    reached = inside.join(reached, left_on="row", right_on="topic", maintain_order="left").rename({"row": "topic_row"})
    judged = _with_fate(reached, dates)
    kept = judged.filter(pl.col("fate").is_in(list(_KEPT))).sort("topic", "document", "rule", "citation")
    fates = dict(judged.group_by("fate").agg(pl.struct("topic", "document").n_unique()).iter_rows())
    days = patents.records["known"]
    present, reaching, left = (set(frame["topic"].unique()) for frame in (inside, judged, kept))
    return Derived(
        Provenance(_readable(kept, patents), topics=tuple(topic.id for topic in topics)),
        absent=tuple(topic.id for topic in topics if topic.id not in present),
        citing_nothing=tuple(topic.id for topic in topics if topic.id in present - reaching),
        emptied=tuple(topic.id for topic in topics if topic.id in reaching - left),
        undated_topics=tuple(topic for topic, row in inside.iter_rows() if dates != "none" and days[row] is None),
        own_family=fates.get("own family", 0),
        too_late=fates.get("too late", 0),
        by_filing_date=fates.get("by filing date", 0),
        undated=fates.get("undated", 0),
    )


def count_relevant(
    patents: Patents,
    rows: NDArray[np.uint32],
    *,
    dates: JudgementDates = "priority",
    origins: Collection[str] = ORIGINS,
    rules: Collection[int] = CITATION_RULES,
) -> pl.DataFrame:
    """The number of relevant documents that each of these patents would have as a topic.

    Columns: row, relevant, and cited_examiner and cited_applicant, the numbers that a citation of an examiner or of an
    applicant led to. Patents without relevant documents have no row.
    """
    import polars as pl

    origin = patents.citations["origin"].cast(pl.String)
    counted = []
    for start in range(0, max(1, len(rows)), TOPICS_AT_ONCE):  # so that memory does not grow with the collection
        reached = _ways_to_documents(patents, rows[start : start + TOPICS_AT_ONCE], origins, rules)
        kept = _with_fate(reached, dates).filter(pl.col("fate").is_in(list(_KEPT)))
        by = pl.col("document").filter
        counted.append(
            kept.with_columns(origin=origin.gather(kept["citation"]))
            .group_by(row="topic")
            .agg(
                relevant=pl.col("document").n_unique(),
                cited_examiner=by(pl.col("origin") == "examiner").n_unique(),
                cited_applicant=by(pl.col("origin") == "applicant").n_unique(),
            )
        )
    return pl.concat(counted).sort("row")


_KEPT = ("dated", "by filing date", "undated")


def _with_fate(pairs: pl.DataFrame, dates: JudgementDates) -> pl.DataFrame:
    """Pairs with a column `fate`: left out as "own family" or "too late", or kept, as one of `_KEPT`."""
    import polars as pl

    publication, known, topic_day = (days_of(pairs[name]) for name in ("publication", "known", "topic_known"))
    later = pl.lit(pl.Series(is_later(public_days(publication, known), topic_day)))
    dated = pl.when(pl.col("publication").is_not_null()).then(pl.lit("dated"))
    kept = dated.when(pl.col("known").is_not_null()).then(pl.lit("by filing date")).otherwise(pl.lit("undated"))
    kept = pl.lit("dated") if dates == "none" else pl.when(later).then(pl.lit("too late")).otherwise(kept)
    own = pl.when(pl.col("family") == pl.col("topic_family")).then(pl.lit("own family"))
    return pairs.with_columns(fate=own.otherwise(kept))


def _ways_to_documents(
    patents: Patents, rows: NDArray[np.uint32], origins: Collection[str], rules: Collection[int]
) -> pl.DataFrame:
    """Every way from these patents to a document: topic, document, rule and citation, each a row in its table.

    The family and the dates of both are added.
    """
    import polars as pl

    documents = patents.records.select("key", "family", "publication", "known", document=row_numbers())
    facts_of_topics = documents.select(topic="document", topic_family="family", topic_known="known")
    topics = pl.DataFrame({"topic": rows}).join(facts_of_topics, on="topic")
    citations = (
        patents.citations.select("citing", "number", "cited", "origin", "citing_family", citation=row_numbers())
        .filter(pl.col("origin").cast(pl.String).is_in(list(origins)))
        .with_columns(topic_family=citing_family(patents.records))
        .join(topics.select("topic_family").unique(), on="topic_family", how="semi")
    )
    targets = _targets(citations, patents.records)
    by = citations.select("citing", "citation", "topic_family")
    own = (pl.col("topic") == pl.col("citing")).fill_null(value=False)
    ways = topics.join(by, on="topic_family").select("topic", "citation", own=own)
    cited = ways.join(targets, on="citation")
    found = []
    if 1 in rules:
        found.append(cited.filter("own").select("topic", "document", "citation", rule=pl.lit(1, pl.UInt8)))
    if 2 in rules:
        by_family = (
            ways.filter("own")
            .join(_cited_families(citations, targets, patents), on="citation")
            .join(documents.select("document", "family"), on="family")
            .join(targets, on=["citation", "document"], how="anti")
        )
        found.append(by_family.select("topic", "document", "citation", rule=pl.lit(2, pl.UInt8)))
    if 3 in rules:
        found.append(cited.filter(~pl.col("own")).select("topic", "document", "citation", rule=pl.lit(3, pl.UInt8)))
    facts = documents.select("document", "family", "publication", "known")
    return pl.concat(found).join(facts, on="document").join(topics, on="topic")


def _targets(citations: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """The documents of the collection that each citation means: columns citation and document."""
    import polars as pl

    documents = records.select("id", "key", cited=row_numbers(), whole=pl.concat_str("key", "kind"))
    inside = citations.drop_nulls("cited").join(documents, on="cited")
    exact = (pl.col("number") == pl.col("whole")) | (pl.col("number") == pl.col("id"))
    # A number without its kind is also the whole number of a document whose source gives none.
    named = exact & (without_kind(pl.col("number")) != pl.col("number"))
    loose = inside.filter(~named).select("citation", "key").join(documents.select("key", document="cited"), on="key")
    return pl.concat([inside.filter(named).select("citation", document="cited"), loose.select("citation", "document")])


def _cited_families(citations: pl.DataFrame, targets: pl.DataFrame, patents: Patents) -> pl.DataFrame:
    """The families of what each citation means, in the collection or not: columns citation and family."""
    import polars as pl

    family = patents.records.select("family", document=row_numbers())
    inside = targets.join(family, on="document").select("citation", "family")
    outside = citations.filter(pl.col("cited").is_null()).with_columns(bare=without_kind(pl.col("number")))
    listed = patents.families.select("family", bare=without_kind(pl.col("number")))  # one number, one family
    return pl.concat([inside, outside.join(listed, on="bare").select("citation", "family")]).unique()


def _readable(kept: pl.DataFrame, patents: Patents) -> pl.DataFrame:
    """The ways with ids in place of row numbers."""
    import polars as pl

    citations = patents.citations[kept["citation"]]
    ids = patents.records["id"]
    return pl.DataFrame(
        {
            "topic": kept["topic"],
            "document": ids.gather(kept["document"]),
            "rule": kept["rule"],
            "origin": citations["origin"].cast(pl.String),
            "category": citations["category"].cast(pl.String).fill_null(""),
            "citing": ids.gather(citations["citing"]).fill_null(citations["citing_number"]),
            "cited": citations["number"],
        }
    ).unique(maintain_order=True)


# Sample patents as topics: those with enough relevant documents, in an order whose first k are a fair sample.


_ATTRIBUTES = (
    "office",
    "kind",
    "class",
    "priority",
    "relevant",
    "cited_examiner",
    "cited_applicant",
    "claims",
    "words",
)


@dataclass(frozen=True)
class TopicSample:
    """Topics drawn from a collection, and the reasons why other documents were left out."""

    topics: Topics
    relevant: NDArray[np.int64]  # number of relevant documents of each topic
    candidates: int  # number of patents that could have been drawn
    left_out: Mapping[str, int]  # number of documents by the first reason

    def quartiles(self) -> list[float]:
        """The minimum, quartiles and maximum of the number of relevant documents."""
        return [float(value) for value in np.quantile(self.relevant, [0, 0.25, 0.5, 0.75, 1])]

    def histogram(self) -> list[tuple[str, int]]:
        """The number of topics by their number of relevant documents, in ranges that double.

        >>> TopicSample(Topics(()), np.array([3, 4, 5, 17]), 4, {}).histogram()
        [('3 to 4', 2), ('5 to 8', 1), ('9 to 16', 0), ('17 to 32', 1)]
        """
        steps = np.ceil(np.log2(np.maximum(self.relevant, 1))).astype(np.int64)
        ranges = []
        for step in range(int(steps.min()), int(steps.max()) + 1):
            first, last = 2**step // 2 + 1, 2**step
            ranges.append((f"{first} to {last}" if first < last else f"{last}", int((steps == step).sum())))
        return ranges


def sample_topics(
    records: pl.DataFrame,
    counts: pl.DataFrame,
    rng: np.random.Generator,
    *,
    number: int = 100,
    fewest: int = FEWEST_RELEVANT,
    masks: Mapping[str, NDArray[np.bool_]] | None = None,
    per_family: PerFamily = "one",
    quota: Mapping[str, int] | None = None,
) -> TopicSample:
    """Sample patents as topics; those with many citations by examiners and few by applicants are more likely.

    `counts` has the number of relevant documents of each patent (row, relevant, cited_examiner, cited_applicant), and
    `masks` other conditions: a Boolean per document, by the reason to print for those left out.

    The weight of a patent is (1 + relevant documents by examiners) / (1 + those by applicants). Drawing is without
    replacement: each patent gets an exponential time divided by its weight, and the first `number` are taken
    (Efraimidis and Spirakis 2006). In that order heavy patents come first, so the topics are shuffled: the first k are
    a fair sample of all. Of one family only the first drawn is taken.

    `quota` is the exact number of topics of each office, in place of `number`. Offices with fewer patents to spare are
    served first, so that a family with patents of several offices goes where it is needed.
    """
    import polars as pl

    left_out: dict[str, int] = {}
    eligible = np.ones(len(records), bool)
    for reason, mask in {"articles, not patents": (records["kind"] != "article").to_numpy(), **(masks or {})}.items():
        left_out[reason] = int((eligible & ~mask).sum())
        eligible &= mask
    table = (
        records.with_columns(row=row_numbers())
        .filter(pl.Series(eligible))
        .join(counts, on="row", how="left", maintain_order="left")
        .with_columns(pl.col("relevant", "cited_examiner", "cited_applicant").fill_null(0))
    )
    enough = table.filter(pl.col("relevant") >= fewest)
    few = f"fewer than {fewest} relevant document{'s' * (fewest != 1)}"
    left_out["no relevant document"] = int((table["relevant"] == 0).sum())
    left_out[few] = len(table) - len(enough) - left_out["no relevant document"]
    if table.is_empty():
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items() if count)
        raise MismatchError(f"no patent can be a topic: none passes the filters ({reasons})")
    if enough.is_empty():
        most = max(table["relevant"], default=0)
        raise MismatchError(
            f"no patent can be a topic: none has {fewest} relevant documents in the collection, the most is {most}"
        )
    weight = (1.0 + enough["cited_examiner"].to_numpy()) / (1.0 + enough["cited_applicant"].to_numpy())
    drawn = enough.with_columns(time=pl.Series(rng.exponential(size=len(enough)) / weight)).sort("time")
    quotas = None if quota is None else _by_office(drawn, quota, per_family)
    if per_family == "one":
        drawn = drawn.unique("family", keep="first", maintain_order=True)
        left_out["another of the family could be drawn"] = len(enough) - len(drawn)
    taken = drawn.head(number) if quotas is None else quotas
    taken = taken[rng.permutation(len(taken))]
    return TopicSample(
        Topics.of(map(_topic, _described(taken).iter_rows(named=True))),
        taken["relevant"].cast(pl.Int64).to_numpy(),
        len(drawn),
        {reason: count for reason, count in left_out.items() if count},
    )


def _by_office(drawn: pl.DataFrame, quota: Mapping[str, int], per_family: PerFamily) -> pl.DataFrame:
    """The first patents of each office, as many as its quota says."""
    import polars as pl

    taken = drawn.clear()
    spare = {office: int((drawn["office"] == office).sum()) - wanted for office, wanted in quota.items()}
    for office in sorted(quota, key=lambda office: (spare[office], office)):
        own = drawn.filter(pl.col("office") == office)
        if per_family == "one":
            own = own.filter(~pl.col("family").is_in(taken["family"].implode()))
            own = own.unique("family", keep="first", maintain_order=True)
        if len(own) < quota[office]:
            raise MismatchError(
                f"{counted(quota[office], 'topic')} of {office} wanted, but only {len(own)} can be drawn: lower its "
                "quota or the fewest relevant documents"
            )
        taken = taken.vstack(own.head(quota[office]))
    return taken


def _described(records: pl.DataFrame) -> pl.DataFrame:
    """The columns of a table of topics: id, title, and the attributes by which scores can be sliced."""
    import polars as pl

    symbol = pl.coalesce(pl.col("ipc").list.first(), pl.col("cpc").list.first()).fill_null("")
    return records.with_columns(
        pl.col("known").dt.to_string("%Y-%m-%d").fill_null("").alias("priority"),
        symbol.str.slice(0, 4).alias("class"),
    ).select("id", "title", *_ATTRIBUTES)


def _topic(row: dict[str, object]) -> Topic:
    attributes = {name: str(row[name]) for name in _ATTRIBUTES}
    name, title = str(row["id"]), " ".join(str(row["title"] or "").split())
    # A topic with a title is searched by it, unless its id is spelled like a patent number or it names a document.
    return Topic(name, title, document="" if is_patent_number(name) else name, attributes=attributes)
