"""After the first pass: feedback, evidence and fusion, by hand and against plain computations."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.document import levels
from leadline.errors import InputError
from leadline.records.runs import Run
from leadline.records.topics import Topic
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.models.ranking import Ranking
from leadline.retrieval.pipeline.after.fuse import merged
from leadline.retrieval.pipeline.combining import combined
from leadline.retrieval.pipeline.context import Query, Request, SearchContext
from leadline.retrieval.pipeline.query.search import _together
from leadline.retrieval.pipeline.steps import (
    RM3,
    Citations,
    ClaimScores,
    ClassAgreement,
    Dates,
    Elsewhere,
    FamilyMembers,
    FromRun,
    Fuse,
    OneAFamily,
    Search,
    Text,
)

TOPIC = "EP1000000A1"
WHOLE = Text() >> Search()


def ranked(context: SearchContext, scores: dict[str, float], topic: str = TOPIC) -> Request:
    """A request for which these were found."""
    rows = context.rows(scores)
    return replace(context.request(topic), ranking=context.ranking(rows, np.array(list(scores.values()), float)))


def scores_of(context: SearchContext, request: Request) -> dict[str, float]:
    assert request.ranking is not None
    return dict(zip(context.names(request.ranking.rows), request.ranking.scores.tolist(), strict=True))


# RM3


@pytest.fixture(scope="module")
def acids(tmp_path_factory: pytest.TempPathFactory) -> SearchContext:
    texts = [("acid acid base salt", ""), ("acid film", "film film"), ("base", ""), ("", "salt")]
    documents = [{"id": f"D{n}", "title": title, "body": body} for n, (title, body) in enumerate(texts, start=1)]
    index = Index.build(
        documents[:2], tmp_path_factory.mktemp("acids"), fields=["title", "body"],
        analysis=Analysis(stemming="none", stop_words="none"),
    )  # fmt: skip
    return SearchContext(index.add(documents[2:]))


def expanded(context: SearchContext, step: RM3, scores: dict[str, float]) -> dict[str, float]:
    queries = (Query({"acid": 3.0}, weight=2.0), Query({"base": 2.0}))
    done = step(context, replace(ranked(context, scores), queries=queries))
    assert done.ranking is None
    return dict(_together(done.queries))


def test_rm3_by_hand(acids: SearchContext) -> None:
    # Titles: D1 is ½ acid, ¼ base, ¼ salt; D2 ½ acid, ½ film. With ¾ and ¼ of the chances: acid ½, base and salt 3/16,
    # film ⅛. The likeliest two are acid and base: 8/11 and 3/11. The query is 6 acid and 2 base: ¾ and ¼.
    two = expanded(acids, RM3(2, 2, 0.4, "title"), {"D1": 3.0, "D2": 1.0})
    assert two == pytest.approx({"acid": 0.4 * 0.75 + 0.6 * 8 / 11, "base": 0.4 * 0.25 + 0.6 * 3 / 11})
    assert sum(two.values()) == pytest.approx(1)
    # Equal chances: acid ½, film ¼, base and salt ⅛.
    equal = expanded(acids, RM3(2, 2, 0.0, "title", chances="equal"), {"D1": 3.0, "D2": 1.0})
    assert {term: weight for term, weight in equal.items() if weight} == pytest.approx({"acid": 2 / 3, "film": 1 / 3})
    # Logarithms of likelihoods: the first is 3 times as likely.
    likely = expanded(acids, RM3(2, 4, 0.0, "title", chances="likelihood"), {"D1": math.log(3) - 900, "D2": -900})
    assert likely == pytest.approx({"acid": 0.5, "base": 3 / 16, "salt": 3 / 16, "film": 1 / 8})


def test_rm3_counts_fields_by_weight_over_segments(acids: SearchContext) -> None:
    # D2: acid 2, film 2 + 2 of 6; D4, in another segment: salt.
    found = expanded(acids, RM3(2, 9, 0.0, {"title": 2, "body": 1}, chances="equal"), {"D2": 1.0, "D4": 0.5})
    assert found == pytest.approx({"acid": 1 / 6, "film": 1 / 3, "salt": 1 / 2, "base": 0})
    # Acid is in half of the documents.
    rare = expanded(acids, RM3(1, 9, 0.0, "title", most=0.49), {"D1": 1.0})
    assert rare == pytest.approx({"acid": 0, "base": 0, "salt": 1})


def test_rm3_finds_more(context: SearchContext) -> None:
    once = Text("title") >> Search()
    again = scores_of(context, (once >> RM3(20) >> Search())(context, context.request(TOPIC)))
    assert again.keys() > scores_of(context, once(context, context.request(TOPIC))).keys()
    assert "US5000009A" in again  # which has "pigment", and not "ink"


# Citations


FIRST = {"US5000001A": 2.0, "EP0500002A1": 1.0, "EP0500002B1": 1.0}


def test_cited_documents_gain_by_hand(context: SearchContext) -> None:
    # Credits 1, ½, ½. US4000003A is cited by all three, DE3900005A1 by the first.
    done = Citations(3, 0.5, members="document")(context, ranked(context, FIRST))
    assert scores_of(context, done) == {
        "US5000001A": 0.5, "US4000003A": 0.5, "DE3900005A1": 0.25, "EP0500002B1": 0.0, "EP0500002A1": 0.0,
    }  # fmt: skip
    assert list(scores_of(context, done))[:2] == ["US5000001A", "US4000003A"]  # equal scores by id
    # As families: EP0500002 gives its ½ once, so 1½ and 1; the other member of DE3900005A1's family gains as well.
    done = Citations(3, 0.6)(context, ranked(context, FIRST))
    assert scores_of(context, done) == pytest.approx({
        "US4000003A": 0.6, "US5000001A": 0.4, "US4000005A": 0.4, "DE3900005A1": 0.4, "EP0500002B1": 0, "EP0500002A1": 0,
    })  # fmt: skip
    # The first divides its credit: ½ and ½, so 1 and ½.
    done = Citations(3, 0.5, split="shared")(context, ranked(context, FIRST))
    assert scores_of(context, done)["US4000003A"] == 2 * scores_of(context, done)["DE3900005A1"] == 0.5
    # Only the first result: both are cited once.
    done = Citations(1, 0.5, credit="equal")(context, ranked(context, FIRST))
    assert scores_of(context, done)["US4000003A"] == scores_of(context, done)["DE3900005A1"] == 0.5
    two = ranked(context, {"US5000001A": 2.0, "EP0500002A1": 1.0})
    by_rank = Citations(2, 1.0, credit="rank", members="document")(context, two)
    assert scores_of(context, by_rank)["DE3900005A1"] == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_only_citations_that_could_be_seen(context: SearchContext) -> None:
    late = Dates("none")(context, ranked(context, {"US7000004B2": 2.0, "US5000001A": 1.0}))
    before = scores_of(context, Citations(weight=0.5)(context, late))
    assert "US4000008A" not in before  # only the late one cites it
    after = scores_of(context, (Citations(weight=0.5, seen="all") >> Dates())(context, late))
    assert after["US4000008A"] > 0
    assert "US7000004B2" not in after


def test_what_is_hidden_gains_nothing(context: SearchContext) -> None:
    first = ranked(context, {"US6100000B1": 2.0, "US5000001A": 1.0})
    for seen in ("before", "all"):
        done = scores_of(context, Citations(weight=0.5, seen=seen)(context, Dates("none")(context, first)))
        assert "US5000010A" not in done, "the sibling's citations are what the judgements are made of"


def test_the_topics_own_citations_never_matter(documents, build, context: SearchContext, tmp_path: Path) -> None:
    own = {TOPIC, "US6100000B1"}
    without = build([replace(d, citations=()) if d.id in own else d for d in documents], tmp_path)
    pipeline = Text() >> Dates("none") >> Search() >> Citations(seen="all", weight=0.5) >> FamilyMembers()
    assert pipeline.run(context, [TOPIC]).ranking(TOPIC) == pipeline.run(without, [TOPIC]).ranking(TOPIC)


def brute_force_gains(context: SearchContext, request: Request, step: Citations) -> dict[str, float]:
    """The same from the collection's own tables, document by document."""
    records, citations = context.collection.records, context.collection.citations
    family = dict(enumerate(records["family"]))
    cites: dict[int, set[int]] = {}
    for citing, cited in citations.select("citing", "cited").drop_nulls().iter_rows():
        if citing != cited:
            cites.setdefault(citing, set()).add(cited)
    given: dict[int, dict[int, float]] = {}
    ranking = request.ranking
    for row, score in list(zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True))[: step.documents]:
        published = records["publication"][row]
        seen = published is None or published <= records["known"][request.row]
        if family[row] != family[request.row] and (seen or step.seen == "all"):
            for cited in cites.get(row, ()):
                if family[cited] != family[row]:
                    credit = score / ranking.scores[0] / (len(cites[row]) if step.split == "shared" else 1)
                    by = given.setdefault(family[cited], {})
                    by[family[row]] = max(by.get(family[row], 0.0), credit)
    sums = {to: sum(by.values()) for to, by in given.items()}
    visible = context.visible(request)
    gains = {row: sums[family[row]] for row in family if family[row] in sums and visible[row]}
    most = max(gains.values(), default=1)
    return {context.names(np.array([row]))[0]: gain / most for row, gain in gains.items()}


@pytest.mark.parametrize("split", ["whole", "shared"])
@pytest.mark.parametrize("seen", ["before", "all"])
def test_gains_are_those_a_plain_computation_finds(split, seen, simulated: SearchContext) -> None:
    step, compared = Citations(30, 1.0, seen, split=split), 0
    for topic in simulated.index.ids[150::25]:
        first = (Text() >> Dates("none") >> Search(depth=60))(simulated, simulated.request(topic))
        expected = brute_force_gains(simulated, first, step)
        found = {name: score for name, score in scores_of(simulated, step(simulated, first)).items() if score}
        assert found == pytest.approx(expected) or (not expected and len(found) == len(first.ranking))
        compared += len(expected)
    assert compared > 30


# Classes and claims


def test_class_agreement_by_hand(context: SearchContext) -> None:
    first = ranked(context, {"US4000003A": 3.0, "US5000001A": 2.0, "EP0500002A1": 1.0, "US4000008A": 0.0})
    agreed = {
        ("section", "share"): [0.5, 0.5, 0.5, 0.5],
        ("subclass", "share"): [0, 0.5, 0.5, 0.5],
        ("group", "share"): [0, 0.5, 0, 0.5],
        ("subgroup", "share"): [0, 0, 0, 0.5],
        ("subclass", "jaccard"): [0, 0.5, 0.5, 0.5],
        ("class", "any"): [0, 1, 1, 1],
        ("class", "main"): [0, 1, 1, 0],
    }
    for (level, by), expected in agreed.items():
        done = scores_of(context, ClassAgreement(level, 1.0, by)(context, first))
        assert [done[name] for name in context.names(first.ranking.rows)] == expected, (level, by)
    done = scores_of(context, ClassAgreement("subclass", 0.5)(context, first))
    assert done == pytest.approx({
        "US5000001A": 1 / 3 + 0.25, "US4000003A": 0.5, "EP0500002A1": 1 / 6 + 0.25, "US4000008A": 0.25,
    })  # fmt: skip


@pytest.mark.parametrize("place", range(5))
def test_class_agreement_is_what_sets_give(place: int, simulated: SearchContext) -> None:
    level = ("section", "class", "subclass", "group", "subgroup")[place]
    records = simulated.collection.records

    def classes(row: int) -> list[str]:
        symbols = [*records["ipc"][row], *records["cpc"][row]]
        return [levels(symbol)[place] for symbol in symbols if len(levels(symbol)) > place]

    for topic in range(0, len(records), 90):
        own = classes(topic)
        for by in ("share", "jaccard", "any"):
            found = simulated.classes.agreement([*records["ipc"][topic], *records["cpc"][topic]], level, by)
            for row in range(0, len(records), 7):
                mine, theirs = set(own), set(classes(row))
                shared, either = len(mine & theirs), len(mine | theirs)
                expected = {"share": shared / max(len(mine), 1), "jaccard": shared / max(either, 1), "any": shared > 0}
                assert found[row] == expected[by]


@pytest.mark.parametrize("by", ["sum", "best"])
def test_claims_order_again(by: str, context: SearchContext) -> None:
    first = ranked(context, {"US5000001A": 3.0, "US4000003A": 2.0, "US5000009A": 1.0})
    # Claims of US4000003A: cobalt glass. Of US5000009A: cobalt, and paper. US5000001A has none.
    each = {name: {} for name in ("cobalt", "paper")}
    for word, scores in each.items():
        found = context.searcher.search({word: 1.0}, fields="claims")
        scores |= dict(zip(context.names(found.rows), found.scores.tolist(), strict=True))
    put = {"sum": sum, "best": max}[by]
    one = put([each["cobalt"]["US4000003A"]])
    both = put([each["cobalt"]["US5000009A"], each["paper"]["US5000009A"]])
    assert both > one
    done = scores_of(context, ClaimScores(0.4, by, "alone")(context, first))  # of the first pass remain 1, ½ and 0
    assert done == pytest.approx({"US5000001A": 0.6, "US4000003A": 0.3, "US5000009A": 0.4})


def test_claims_of_the_topic_must_be_there(context: SearchContext) -> None:
    noted = ClaimScores()(context, ranked(context, {"US5000001A": 3.0}, "US5000006A"))
    assert noted.notes == ("without claims",)
    with pytest.raises(InputError, match=r"did you mean bm25\?"):
        ClaimScores(model="bm52")


# Fusion


def test_fusion_by_hand() -> None:
    one = Ranking(np.array([4, 2, 9], np.int32), np.array([10.0, 6.0, 2.0]))  # from 0 to 1: 1, ½, 0
    other = Ranking(np.array([2, 7], np.int32), np.array([0.4, 0.2]))  # 1, 0

    def put(how: str, *arguments, **options) -> dict[int, float]:
        rows, scores = combined([one, other], how, *arguments, **options)
        return dict(zip(rows.tolist(), scores.tolist(), strict=True))

    assert put("linear", [0.6, 0.4]) == pytest.approx({2: 0.3 + 0.4, 4: 0.6, 7: 0, 9: 0})
    assert put("combsum") == {2: 1.5, 4: 1.0, 7: 0.0, 9: 0.0}
    assert put("combmnz") == {2: 3.0, 4: 1.0, 7: 0.0, 9: 0.0}
    assert put("rrf", [1, 1]) == pytest.approx({2: 1 / 62 + 1 / 61, 4: 1 / 61, 7: 1 / 62, 9: 1 / 63})
    assert put("combsum", normalise="none") == pytest.approx({2: 6.4, 4: 10, 7: 0.2, 9: 2})
    # z: the standard deviation of 10, 6, 2 is √(32/3); what a list lacks has what its last has.
    z = 4 / math.sqrt(32 / 3)
    assert put("combsum", normalise="z") == pytest.approx({2: 0 + 1, 4: z - 1, 7: -z - 1, 9: -z - 1})


lists = st.lists(
    st.dictionaries(st.integers(0, 12), st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.0]), min_size=0, max_size=8),
    min_size=1, max_size=4,
)  # fmt: skip


@given(lists)
def test_fusion_is_what_a_plain_computation_gives(found: list[dict[int, float]]) -> None:
    rankings, ranks = [], []
    for scores in found:
        order = sorted(scores, key=lambda row: (-scores[row], row))
        rankings.append(Ranking(np.array(order, np.int32), np.array([scores[row] for row in order], float)))
        ranks.append({row: place for place, row in enumerate(order, start=1)})
    every = {row for scores in found for row in scores}
    norms = []
    for scores in found:
        low, high = min(scores.values(), default=0), max(scores.values(), default=0)
        norms.append({row: (score - low) / (high - low) if high > low else 1.0 for row, score in scores.items()})
    for how in ("combsum", "combmnz", "rrf"):
        rows, scores_found = combined(rankings, how, [1.0] * len(found))
        expected = {}
        for row in every:
            total = sum(norm.get(row, 0.0) for norm in norms)
            count = sum(row in norm for norm in norms)
            reciprocal = sum(1 / (60 + rank[row]) for rank in ranks if row in rank)
            expected[row] = {"combsum": total, "combmnz": total * count, "rrf": reciprocal}[how]
        assert dict(zip(rows.tolist(), scores_found.tolist(), strict=True)) == pytest.approx(expected)


def test_fusing_pipelines(context: SearchContext, tmp_path: Path) -> None:
    asked = context.request(TOPIC)
    one, other = WHOLE(context, asked).ranking, (Text("title") >> Search("dph"))(context, asked).ranking
    fused = Fuse([WHOLE, Text("title") >> Search("dph")], "linear", (0.8, 0.2), "z")(context, asked).ranking
    expected = context.ranking(*combined([one, other], "linear", (0.8, 0.2), "z"))
    assert fused.rows.tolist() == expected.rows.tolist()
    assert len(Fuse([WHOLE, WHOLE], depth=2)(context, asked).ranking) == 2
    WHOLE.run(context, [TOPIC], name="whole").write(tmp_path / "whole.run")
    same = Fuse([WHOLE, FromRun(str(tmp_path / "whole.run"))])(context, asked).ranking
    assert same.rows.tolist() == one.rows.tolist()
    with pytest.raises(InputError, match="fuse: of: a pipeline finds no documents"):
        Fuse([Text()])(context, asked)


def test_runs_of_other_indexes_are_merged() -> None:
    patents = Run.of({"1": {"EP1": 3.0, "EP2": 1.0}, "2": {"EP3": 1.0}}, "patents")
    articles = Run.of({"1": {"PMC1": 30.0, "PMC2": 20.0, "EP2": 10.0}}, "articles")
    both = merged([patents, articles], "linear", [0.7, 0.3])
    assert both.ranking("1") == [("EP1", 0.7), ("PMC1", 0.3), ("PMC2", 0.15), ("EP2", 0.0)]
    assert both.ranking("2") == [("EP3", 0.7)]
    assert len(merged([patents, articles], k=1)) == 2
    with pytest.raises(InputError, match="weights: must be 2, one per run, got 1"):
        merged([patents, articles], "linear", [0.7])


def test_another_index_of_the_same_documents(context: SearchContext, tmp_path: Path) -> None:
    claims = Index.build(
        context.collection, tmp_path / "claims", fields=["claims"], analysis=context.index.analysis,
        origin=str(context.collection.folder),
    )  # fmt: skip
    found = Elsewhere(str(claims.folder), Text() >> Search())(context, context.request(TOPIC))
    here = (Text() >> Search(fields="claims"))(context, context.request(TOPIC))
    assert scores_of(context, found) == scores_of(context, here)
    other = [{"id": name, "title": "cobalt"} for name in ("US4000003A", "XX1")]
    some = Index.build(other, tmp_path / "some", fields=["title"])
    found = Elsewhere(str(some.folder), Text() >> Search())(context, context.request(TOPIC))
    assert list(scores_of(context, found)) == ["US4000003A"]


# Families


def test_one_hit_a_family(context: SearchContext, simulated: SearchContext) -> None:
    found = {"EP0500002B1": 3.0, "US5000001A": 2.0, "EP0500002A1": 1.0, "DE3900005A1": 0.5, "US4000005A": 0.1}
    first = ranked(context, found)
    assert scores_of(context, OneAFamily()(context, first)) == {
        "EP0500002B1": 3.0,
        "US5000001A": 2.0,
        "DE3900005A1": 0.5,
    }
    asked = WHOLE(simulated, simulated.request(simulated.index.ids[350]))
    best: dict[int, int] = {}
    for row in asked.ranking.rows.tolist():
        best.setdefault(int(simulated.family[row]), row)
    assert OneAFamily()(simulated, asked).ranking.rows.tolist() == list(best.values())


def test_documents_without_a_family_are_none(acids: SearchContext) -> None:
    first = Request(Topic("T"), ranking=acids.ranking(np.array([0, 1, 2]), np.array([3.0, 2.0, 1.0])))
    assert len(OneAFamily()(acids, first).ranking) == 3
    assert FamilyMembers()(acids, first).ranking.rows.tolist() == [0, 1, 2]


def test_members_of_a_family_join(context: SearchContext) -> None:
    first = ranked(context, {"DE3900005A1": 4.0, "EP0500002A1": 2.0, "EP0500002B1": 1.5})
    done = scores_of(context, FamilyMembers(share=0.5)(context, first))
    assert done == {"DE3900005A1": 4.0, "US4000005A": 2.0, "EP0500002A1": 2.0, "EP0500002B1": 1.5}
    assert list(done)[1:3] == ["US4000005A", "EP0500002A1"]
    late = ranked(context, {"US6100000B1": 4.0, "DE3900005A1": 1.0})
    assert TOPIC not in scores_of(context, FamilyMembers()(context, late))
    below = scores_of(context, FamilyMembers(share=0.5)(context, ranked(context, {"DE3900005A1": -4.0})))
    assert below == pytest.approx({"US4000005A": -4.0, "DE3900005A1": -4.0}, rel=1e-15)


def test_members_of_a_family_stay_in_the_order_of_their_own_scores(context: SearchContext) -> None:
    first = ranked(context, {"DE3900005A1": 4.0, "EP0500002B1": 2.0, "EP0500002A1": 1.5})
    done = scores_of(context, FamilyMembers()(context, first))
    assert list(done)[:2] == ["DE3900005A1", "US4000005A"]  # which the search itself did not find
    assert list(done).index("EP0500002B1") < list(done).index("EP0500002A1")
    assert len(set(done.values())) == len(done)
    assert done == pytest.approx({name: 4.0 if name[:2] in ("DE", "US") else 2.0 for name in done}, rel=1e-15)
