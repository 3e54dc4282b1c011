"""The three rules on a graph made by hand, and on random ones against loops that anyone can check."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.conftest import examples

from leadline.collections.choices import ORIGINS
from leadline.collections.documents.collection import Collection, citing_family
from leadline.collections.documents.families import DocumentDates, days_of
from leadline.errors import InputError, MismatchError
from leadline.judge.citations import Provenance, count_relevant, from_citations
from leadline.records.topics import Topic, Topics

TOPIC = "EP1000000A1"
CITED = {  # by the topic, rule 1
    "US5000001A", "EP0500002A1", "EP0500002B1", "EP0500003A1", "EP0500004A1", "US5000007A",
    "US5000008A", "US5000010A", "US5000012A",
}  # fmt: skip
CITED_LATER = {"US5000009A", "US5000011A"}
OF_CITED_FAMILIES = {"EP0500004B1", "US5000005A", "US5000006A", "WO1990000007A1"}  # rule 2
CITED_BY_FAMILY = {"US5000001A", "US5000013A", "EP0500014A1", "US5000015A"}  # rule 3


def judged(patents: Collection, topic: str = TOPIC, **options: object) -> set[str]:
    derived = from_citations(patents, Topics.of([topic]), **options)  # type: ignore[arg-type]
    return set(derived.provenance.ways["document"])


@pytest.mark.parametrize(
    ("rules", "dates", "expected"),
    [
        ((1,), "priority", CITED),
        ((2,), "priority", OF_CITED_FAMILIES),
        ((3,), "priority", CITED_BY_FAMILY),
        ((1, 2, 3), "priority", CITED | OF_CITED_FAMILIES | CITED_BY_FAMILY),
        ((1,), "none", CITED | CITED_LATER),
        ((2,), "none", OF_CITED_FAMILIES),
        ((3,), "none", CITED_BY_FAMILY),
    ],
)
def test_each_rule(patents: Collection, rules: tuple[int, ...], dates: str, expected: set[str]) -> None:
    assert judged(patents, rules=rules, dates=dates) == expected


@pytest.mark.parametrize(
    ("origins", "expected"),
    [
        (("examiner",), {"US5000001A", "EP0500002A1", "EP0500002B1", "EP0500004A1", "EP0500004B1", "US5000005A",
                         "EP0500014A1"}),
        (("applicant",), {"US5000001A", "EP0500003A1", "US5000008A", "US5000010A", "US5000013A"}),
        (("opposition",), {"US5000007A", "WO1990000007A1"}),
        (("third party",), {"US5000006A"}),
        (("unknown",), {"US5000012A", "US5000015A"}),
    ],
)  # fmt: skip
def test_each_origin(patents: Collection, origins: tuple[str, ...], expected: set[str]) -> None:
    assert judged(patents, origins=origins) == expected


def test_every_way_is_told(patents: Collection) -> None:
    ways = from_citations(patents, Topics.of([TOPIC])).provenance.ways
    of = {
        document: sorted(ways.filter(document=document).drop("topic", "document").rows())
        for document in ("US5000001A", "WO1990000007A1", "US5000005A", "US5000015A")
    }
    assert of == {
        "US5000001A": [
            (1, "applicant", "", TOPIC, "US5000001A"),
            (1, "examiner", "X", TOPIC, "US5000001A"),
            (3, "examiner", "", "US6100000B1", "US5000001A"),
        ],
        "WO1990000007A1": [(2, "opposition", "XP", TOPIC, "US5000007A")],
        "US5000005A": [(2, "examiner", "A", TOPIC, "DE3900005A1")],
        "US5000015A": [(3, "unknown", "", "JP2001900001A", "US5000015A")],
    }


def test_what_falls_away_is_counted(patents: Collection) -> None:
    topics = Topics.of([TOPIC, "US7000021B2", "US7000022B2", "US7000023B2", "EP9999999A1"])
    derived = from_citations(patents, topics)
    assert derived.absent == ("EP9999999A1",)
    assert derived.citing_nothing == ("US7000023B2",)
    assert derived.emptied == ("US7000022B2",)
    assert derived.undated_topics == ("US7000021B2",)
    assert derived.own_family == 2  # the topic and its member, each cited, the topic twice
    assert derived.too_late == 3  # two of the first topic, one of the emptied one
    assert (derived.by_filing_date, derived.undated) == (1, 1)
    assert derived.provenance.topics == topics.ids
    everything = from_citations(patents, topics, dates="none")
    assert (everything.too_late, everything.undated_topics, everything.emptied) == (0, (), ())


def test_a_topic_without_a_date_keeps_all(patents: Collection) -> None:
    assert judged(patents, "US7000021B2") == {"US5000013A"}


def test_a_circle_of_citations(patents: Collection) -> None:
    """The topic and what it cites cite each other: the later one is not known to the earlier."""
    with pytest.raises(InputError, match="no citation gives a judgement"):
        from_citations(patents, Topics.of(["US5000001A"])).provenance.qrels()
    # US6100000B1 is in the family of what is cited.
    assert judged(patents, "US5000001A", dates="none") == {TOPIC, "US6100000B1"}


def test_topics_go_by_any_spelling_and_keep_their_names(patents: Collection) -> None:
    topics = Topics.of([Topic("PA-1", document="EP-1000000-A1"), Topic("PA-2", document="EP 1 000 000 A1")])
    derived = from_citations(patents, topics, rules=(3,))
    qrels = derived.provenance.qrels()
    assert qrels.topics == ("PA-1", "PA-2")
    assert qrels.judgements("PA-1") == qrels.judgements("PA-2") == dict.fromkeys(sorted(CITED_BY_FAMILY), 1)


def test_no_topic_in_the_collection(patents: Collection) -> None:
    with pytest.raises(MismatchError, match="the topics name TS-1"):
        from_citations(patents, Topics.of(["TS-1"]))


def test_grades_by_category(patents: Collection) -> None:
    provenance = from_citations(patents, Topics.of([TOPIC])).provenance
    assert set(provenance.qrels().judgements(TOPIC).values()) == {1}
    graded = provenance.qrels(grades="category").judgements(TOPIC)
    strong = {"US5000001A", "EP0500002A1", "EP0500002B1", "US5000007A", "WO1990000007A1"}
    assert {document for document, grade in graded.items() if grade == 2} == strong
    assert len(graded) == len(CITED | OF_CITED_FAMILIES | CITED_BY_FAMILY)


def test_provenance_is_read_back_and_selected_from(patents: Collection, tmp_path: Path) -> None:
    topics = Topics.of([TOPIC, "US7000021B2"])
    whole = from_citations(patents, topics).provenance
    whole.write(tmp_path / "qrels.why.tsv")
    again = Provenance.read(tmp_path / "qrels.why.tsv")
    assert again.ways.equals(whole.ways)
    for origins, rules in ((("examiner",), (1, 2, 3)), (("applicant", "unknown"), (1, 3)), (ORIGINS, (2,))):
        direct = from_citations(patents, topics, origins=origins, rules=rules).provenance
        assert again.select(origins=origins, rules=rules).ways.equals(direct.ways)


def test_provenance_refuses_what_it_is_not(tmp_path: Path) -> None:
    path = tmp_path / "why.tsv"
    path.write_text("topic\tdocument\n1\t2\n")
    with pytest.raises(InputError, match="no column rule"):
        Provenance.read(path)
    path.write_text("topic\tdocument\trule\torigin\tcategory\tciting\tcited\n1\t2\t4\texaminer\t\t1\t2\n")
    with pytest.raises(InputError, match=r"why\.tsv:2: rule '4'"):
        Provenance.read(path)


def test_counts_by_rule_and_origin(patents: Collection) -> None:
    counts = from_citations(patents, Topics.of([TOPIC])).provenance.counts()
    assert counts["rule"].to_list() == ["1", "2", "3", "all"]
    assert counts["judgements"].to_list() == [9, 4, 4, 16]
    assert counts.filter(rule="all").select(ORIGINS).row(0) == (5, 7, 2, 1, 2)


def hidden_documents(records: pl.DataFrame, row: int, rule: str = "publication") -> np.ndarray:
    """What a search for the patent in this row may not find."""
    family, known = records["family"].cast(pl.Int64).to_numpy(), days_of(records["known"])
    dates = DocumentDates(family, known, days_of(records["publication"]), pytest.fail)
    return dates.hidden(SimpleNamespace(families=(family[row],), day=known[row], row=row, outside=None), rule)


def test_hidden_from_the_search(patents: Collection) -> None:
    ids = patents.records["id"].to_numpy()
    row = int(patents.rows([TOPIC])[0])
    assert set(ids[hidden_documents(patents.records, row)]) == {
        TOPIC, "US6100000B1", "US5000009A", "US5000011A", "US7000023B2",
    }  # fmt: skip
    assert set(ids[hidden_documents(patents.records, row, "none")]) == {TOPIC, "US6100000B1"}
    citing = patents.citations.filter(citing_family(patents.records) == patents.records["family"][row])
    assert set(ids[citing["citing"].drop_nulls().to_numpy()]) == {TOPIC, "US6100000B1"}
    assert set(citing["citing_number"]) == {"", "JP2001900001A"}


# Random graphs: few numbers, few families and few days, so that everything meets everything.


@dataclass(frozen=True)
class Graph:
    """A collection's tables in memory."""

    records: pl.DataFrame
    citations: pl.DataFrame
    families: pl.DataFrame

    def rows(self, names: Iterable[str]) -> NDArray[np.int64]:
        places = {name: row for row, name in enumerate(self.records["id"])}
        return np.array([places.get(name, -1) for name in names], np.int64)


KINDS = ("A1", "B1", "")
NUMBERS = 8
DAY = datetime.date(2000, 1, 1)
days = st.none() | st.integers(0, 3).map(lambda n: DAY + datetime.timedelta(n))


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    family_of = draw(st.lists(st.integers(0, 4), min_size=NUMBERS, max_size=NUMBERS))
    stages = draw(st.sets(st.tuples(st.integers(0, NUMBERS - 3), st.sampled_from(KINDS)), min_size=1, max_size=8))
    rows = []
    for number, kind in sorted(stages):
        publication, filed = draw(days), draw(days)
        key = f"EP{number}00"
        rows.append((key + kind, key, kind, family_of[number], publication, filed if filed else publication))
    schema = {"id": pl.String, "key": pl.String, "kind": pl.String, "family": pl.UInt32, "publication": pl.Date,
              "known": pl.Date}  # fmt: skip
    cites = draw(
        st.lists(
            st.tuples(
                st.integers(0, len(rows) - 1) | st.none(), st.integers(0, NUMBERS - 1), st.sampled_from((*KINDS, "C")),
                st.sampled_from(ORIGINS), st.sampled_from(("", "X", "A")),
            ),
            max_size=20,
        )
    )  # fmt: skip
    ids = [row[0] for row in rows]
    keys = [row[1] for row in rows]
    citations = []
    for citing, number, kind, origin, category in cites:
        key = f"EP{number}00"
        inside = ids.index(key + kind) if key + kind in ids else keys.index(key) if key in keys else None
        if citing is not None or inside is not None:  # of documents outside, only citations of those inside are told
            outside = ("", None) if citing is not None else ("WO1A1", draw(st.integers(0, 4)))
            citations.append((citing, key + kind, inside, origin, category, *outside))
    told = draw(st.sets(st.tuples(st.integers(NUMBERS - 2, NUMBERS - 1), st.sampled_from(KINDS)), max_size=4))
    return Graph(
        pl.DataFrame(rows, schema=schema, orient="row"),
        pl.DataFrame(
            citations, orient="row",
            schema={"citing": pl.UInt32, "number": pl.String, "cited": pl.UInt32, "origin": pl.String,
                    "category": pl.String, "citing_number": pl.String, "citing_family": pl.UInt32},
        ),
        pl.DataFrame(
            [(f"EP{number}00{kind}", family_of[number]) for number, kind in sorted(told)], orient="row",
            schema={"number": pl.String, "family": pl.UInt32},
        ),
    )  # fmt: skip


Way = tuple[str, str, int, str, str]


def loops(graph: Graph, dates: str, origins: Iterable[str], rules: Iterable[int]) -> set[Way]:
    """The three rules, as one would explain them: (topic, document, rule, citing, cited)."""
    documents = list(graph.records.iter_rows(named=True))
    found = set()

    def bare(number: str) -> str:
        return number.removesuffix("A1").removesuffix("B1").removesuffix("C")

    def meant(number: str) -> list[dict[str, object]]:
        if bare(number) != number:
            exact = [d for d in documents if d["id"] == number]
            if exact:
                return exact
        return [d for d in documents if d["key"] == bare(number)]

    def families(number: str) -> set[object]:
        inside = {d["family"] for d in meant(number)}
        told = list(graph.families.iter_rows())
        return inside or {family for name, family in told if bare(name) == bare(number)}

    for topic in documents:
        for citing, number, _, origin, _, stranger, family in graph.citations.iter_rows():
            who = documents[citing] if citing is not None else {"id": stranger, "family": family}
            if origin not in origins or who["family"] != topic["family"]:
                continue
            for document in documents:
                is_cited = document in meant(number)
                reached = {
                    1: who is topic and is_cited,
                    2: who is topic and not is_cited and document["family"] in families(number),
                    3: who is not topic and is_cited,
                }
                since = document["publication"] or document["known"]
                late = dates == "priority" and since and topic["known"] and since > topic["known"]
                if document["family"] != topic["family"] and not late:
                    found |= {(topic["id"], document["id"], rule, who["id"], number) for rule in rules if reached[rule]}
    return found


some_rules = st.sets(st.sampled_from((1, 2, 3)), min_size=1)
some_origins = st.sets(st.sampled_from(ORIGINS), min_size=1)


@settings(max_examples=examples(150), deadline=None)
@given(graphs(), st.sampled_from(("priority", "none")), some_origins, some_rules)
def test_as_loops_would_find(graph: Graph, dates: str, origins: set[str], rules: set[int]) -> None:
    topics = Topics.of(graph.records["id"].to_list())
    derived = from_citations(graph, topics, dates=dates, origins=origins, rules=rules)  # type: ignore[arg-type]
    expected = loops(graph, dates, origins, rules)
    ways = derived.provenance.ways
    assert set(ways.select("topic", "document", "rule", "citing", "cited").iter_rows()) == expected
    everyone = np.arange(len(graph.records), dtype=np.uint32)
    counts = count_relevant(graph, everyone, dates=dates, origins=origins, rules=rules)  # type: ignore[arg-type]
    by_topic: dict[str, set[str]] = {}
    for topic, document, *_ in expected:
        by_topic.setdefault(topic, set()).add(document)
    found = {graph.records["id"][row]: n for row, n in counts.select("row", "relevant").iter_rows()}
    assert found == {topic: len(documents) for topic, documents in by_topic.items()}


@settings(max_examples=examples(100), deadline=None)
@given(graphs())
def test_nothing_leaks(graph: Graph) -> None:
    """No judgement is of the topic's own family, and none was published after its priority date."""
    topics = Topics.of(graph.records["id"].to_list())
    ways = from_citations(graph, topics).provenance.ways
    places = {name: row for row, name in enumerate(graph.records["id"])}
    hidden = [hidden_documents(graph.records, row) for row in range(len(graph.records))]
    family, known, publication = (graph.records[name] for name in ("family", "known", "publication"))
    for topic, document in ways.select("topic", "document").iter_rows():
        t, d = places[topic], places[document]
        assert family[t] != family[d]
        assert publication[d] is None or known[t] is None or publication[d] <= known[t]
        assert not hidden[t][d]
