"""The steps that the teams' runs need: claims as units, entities, likely classes, dates in narratives."""

from __future__ import annotations

import math

import pytest

from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError
from leadline.records.topics import Topic, date_limits
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.derived import terms
from leadline.retrieval.index.derived_names import is_biological_name, is_gene
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.steps import (
    BestClaim,
    Claims,
    Either,
    EntityWeights,
    LikelyClasses,
    NarrativeDates,
    Only,
    Refuse,
    Search,
    Survey,
    WithEntities,
)
from leadline.text.days import day_number

TOPIC = Document(
    "EP9000000A1", "EP", "9000000", "A1", claims=(Claim(1, "ink cobalt"), Claim(2, "glass", (1,))), publication="2001"
)


@pytest.fixture(scope="module")
def claims(build, tmp_path_factory: pytest.TempPathFactory) -> SearchContext:
    """Three patents: one has all words in one claim, one spreads them over two, one unnests to all of them."""
    documents = [
        Document("US1A", "US", "1", "A", claims=(Claim(1, "ink cobalt glass"),), publication="1990", abstract="x"),
        Document("US2A", "US", "2", "A", claims=(Claim(1, "ink"), Claim(2, "cobalt glass")), publication="1990"),
        Document("US3A", "US", "3", "A", claims=(Claim(1, "ink"), Claim(2, "cobalt glass", (1,))), publication="1990"),
        Document("US4A", "US", "4", "A", abstract="ink", publication="1990"),
    ]
    return build(documents, tmp_path_factory.mktemp("claims"))


def test_the_best_claim_wins_by_hand(claims: SearchContext) -> None:
    pipeline = Claims("unnested") >> Search("tfidf", ("claims",), several="best") >> BestClaim(10, "tfidf")
    ranking = dict(pipeline.run(claims, [TOPIC]).ranking(TOPIC.id))
    # idf of a word in 3 of 4 documents; the topic's claim 2 has all three words, once each.
    idf = 1 + math.log(5 / 4)
    whole, two_words = 3 * idf / math.sqrt(3), 2 * idf / math.sqrt(2)
    assert ranking == pytest.approx({"US1A": whole, "US3A": whole, "US2A": two_words})


def test_the_best_claim_is_that_of_a_loop(simulated: SearchContext) -> None:
    """Scores by a loop over documents, claims and terms."""
    from collections import Counter

    from leadline.retrieval.pipeline.context_data import unnested

    asked = simulated.collection.records["id"][-1]
    request = (Claims("unnested") >> Search("tfidf", ("claims",), several="best"))(simulated, simulated.request(asked))
    found = BestClaim(20)(simulated, request)
    assert found.ranking is not None
    assert len(found.ranking) == 20
    analysis, size = simulated.index.analysis, len(simulated.index)
    for row, score in zip(found.ranking.rows.tolist(), found.ranking.scores.tolist(), strict=True):
        document = simulated.collection.document(simulated.index.id_of(row))
        best = 0.0
        for text in unnested(document.claims):
            counts = Counter(analysis.terms(text))
            for query in request.queries:
                both = sorted(query.terms.keys() & counts)
                df = simulated.document_frequencies(both, ("claims",)).tolist()
                parts = (
                    query.terms[term] * math.sqrt(counts[term]) * (1 + math.log((size + 1) / (frequency + 1)))
                    for term, frequency in zip(both, df, strict=True)
                )
                best = max(best, sum(parts) / math.sqrt(sum(counts.values())))
        assert score == pytest.approx(best)


def test_best_claim_says_where_there_are_no_claims_and_refuses_other_models(build, tmp_path) -> None:
    bare = build([Document("US4A", "US", "4", "A", abstract="ink cobalt glass", publication="1990")], tmp_path)
    pipeline = Claims("unnested") >> Search() >> BestClaim()
    assert "1 topic for which no document has claims: EP9000000A1" in pipeline.answer(bare, [TOPIC]).notes
    with pytest.raises(InputError, match="best_claim: model: bm25f needs more than the terms of a claim"):
        BestClaim(model="bm25f")


@pytest.fixture(scope="module")
def classed(build, tmp_path_factory: pytest.TempPathFactory) -> SearchContext:
    documents = [
        Document("US1A", "US", "1", "A", abstract="ink ink", ipc=("C09D11/00",), publication="1990-05-01"),
        Document("US2A", "US", "2", "A", abstract="ink pad", ipc=("C09D11/02",), publication="1998-01-01"),
        Document("US3A", "US", "3", "A", abstract="ink kinase toluene", ipc=("A61K31/00",), publication="1997-12-31"),
        Document("article-1", kind="article", abstract="ink kinase", publication="2001-06-01"),
        Document("US4A", "US", "4", "A", abstract="ink", ipc=("B41M5/00",)),
    ]
    return build(documents, tmp_path_factory.mktemp("classed"))


def found(pipeline, context: SearchContext, topic: Topic) -> set[str]:
    return {document for document, _ in pipeline.run(context, [topic]).ranking(topic.id)}


def test_likely_classes_are_those_of_the_first_results(classed: SearchContext) -> None:
    need, search = Topic("TS-1", "ink"), Survey() >> Search()
    only = found(search >> LikelyClasses(1) >> Search(), classed, need)
    assert only == {"US1A", "US2A", "article-1"}  # C09D twice; an article has no class
    assert found(search >> LikelyClasses(3), classed, need) == {"US1A", "US2A", "US3A", "US4A", "article-1"}
    boosted = (search >> LikelyClasses(1, how="boost", weight=0.9)).run(classed, [need]).ranking("TS-1")
    assert {document for document, _ in boosted[:2]} == {"US1A", "US2A"}
    words = Topic("TS-2", "kinase", narrative="article")
    assert (search >> LikelyClasses(documents=1)).answer(classed, [words]).notes == [
        "1 topic without any class among the first results: TS-2"
    ]


def test_kinds_of_sources(classed: SearchContext) -> None:
    need = Topic("TS-1", "ink")
    assert found(Only(kinds=("article",)) >> Survey() >> Search(), classed, need) == {"article-1"}
    assert found(Only(kinds=("patent",)) >> Survey() >> Search(), classed, need) == {"US1A", "US2A", "US3A", "US4A"}
    with pytest.raises(InputError, match=r"only: kinds: 'articles' is not one of .*; did you mean article\?"):
        Only(kinds=("articles",))


def test_entities_raise_weights_and_remove_documents(classed: SearchContext) -> None:
    need = Topic("TS-1", "ink with toluene", narrative="and a kinase")
    asked = (Survey() >> EntityWeights(raised=3.0, lowered=0.5))(classed, classed.request(need))
    assert asked.queries[0].terms == {"ink": 0.5, "with": 0.5, "toluene": 3.0, "and": 0.5, "a": 0.5, "kinase": 3.0}
    only = found(Survey() >> WithEntities() >> Search(), classed, need)
    assert only == {"US3A", "article-1"}
    chemistry = found(Survey() >> WithEntities(of=("entities",)) >> Search(), classed, need)
    assert chemistry == {"US3A"}
    plain = Topic("TS-2", "ink")
    assert len(found(Survey() >> WithEntities() >> Search(), classed, plain)) == 5
    with pytest.raises(InputError, match="'entity' is not one of"):
        EntityWeights(of=("entity",))


def test_biology_beside_chemistry() -> None:
    text = "A tyrosine kinase, trastuzumab and BRCA1 were released in a phase with toluene"
    analysis = Analysis(stemming="none")
    assert terms("biology", [text], analysis) == ["kinase", "trastuzumab", "brca1", "tyrosine kinase"]
    assert "toluene" in terms("entities", [text], analysis)
    assert terms("biology", ["", "of it"], analysis) == []
    assert [word for word in ["increase", "database", "case", "disease", "purchase"] if is_biological_name(word)] == []
    assert not is_gene("2009")


def test_survey_searches_the_fields_it_names(classed: SearchContext) -> None:
    with pytest.raises(InputError, match=r"survey: fields: 'phrases' is not one of"):
        (Survey(fields=("phrases",)) >> Search()).run(classed, [Topic("TS-1", "fine ink")])


def test_refuse_stops_with_the_reason(classed: SearchContext) -> None:
    pipeline = Either(patent=Refuse("is a patent, which nobody asked for"), text=Survey() >> Search())
    with pytest.raises(InputError, match="topic US1A: is a patent, which nobody asked for"):
        pipeline.run(classed, ["US1A"])


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("all documents published after 1997 describing", "1998-01-01", None),
        ("documents published since 1997", "1997-01-01", None),
        ("patents before 2000", None, "1999-12-31"),
        ("Articles published before May 2000", None, "2000-04-30"),
        ("published until 1999", None, "1999-12-31"),
        ("papers from 1990 to 1995", "1990-01-01", "1995-12-31"),
        ("patents published between 12 May 1990 and 1995-06", "1990-05-12", "1995-06-30"),
        ("published in 1998", "1998-01-01", "1998-12-31"),
        ("published in 1998 or later", "1998-01-01", None),
        ("not published after 1997", None, "1997-12-31"),
        ("publications later than June 1997", "1997-07-01", None),
    ],
)
def test_limits_of_dates_in_a_text(text: str, first: str | None, last: str | None) -> None:
    limits = date_limits(text)
    assert limits is not None
    assert limits.first == (None if first is None else day_number(first))
    assert limits.last == (None if last is None else day_number(last))


@pytest.mark.parametrize(
    "text",
    ["", "stirred after 1997 turns", "a bath of 1998 ml", "heated before 2000 minutes", "not published in 1998",
     "published", "published after the war", "RN:95975-55-6"],
)  # fmt: skip
def test_texts_without_limits(text: str) -> None:
    assert date_limits(text) is None


def test_a_narrative_limits_every_run_and_the_step_by_itself(classed: SearchContext) -> None:
    need = Topic("TS-4", "ink", narrative="documents published after 1997")
    answers = (Survey() >> Search()).answer(classed, [need])
    assert set(answers.found["TS-4"][0]) == {"US2A", "article-1"}  # US4A has no date
    assert answers.notes == ['1 topic limited to "published after 1997", which excludes 3 of 5 documents: TS-4']
    words = (Survey() >> Search()).answer(classed, [need], narratives="words")
    assert len(words.found["TS-4"][0]) == 5
    step = (NarrativeDates() >> Survey() >> Search()).answer(classed, [need], narratives="words")
    assert step.found == answers.found
    with pytest.raises(InputError, match="narratives: 'word' is not one of dates, words"):
        (Survey() >> Search()).answer(classed, [need], narratives="word")  # type: ignore[arg-type]
