"""From a topic to its query: what each step makes of the patent, by hand and against plain computations."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError
from leadline.records.runs import Run
from leadline.records.topics import Topic
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import Query, Request, SearchContext
from leadline.retrieval.pipeline.context_data import unnested
from leadline.retrieval.pipeline.steps import BestTerms, Claims, DropTerms, FromRun, Search, Survey, Text

TOPIC = "EP1000000A1"


def queries(context: SearchContext, pipeline, topic=TOPIC) -> tuple[Query, ...]:
    return pipeline(context, context.request(topic)).queries


def test_the_whole_text_is_a_query(context: SearchContext) -> None:
    (query,) = queries(context, Text())
    assert query.terms == {"ink": 5, "pigment": 3, "cobalt": 1, "paper": 3}
    assert query.fields is None


def test_chosen_fields_with_weights(context: SearchContext) -> None:
    (query,) = queries(context, Text(["title", "abstract"], {"title": 3}))
    assert query.terms == {"ink": 5, "pigment": 1}
    (query,) = queries(context, Text("description", counting="once"))
    assert query.terms == {"ink": 1, "pigment": 1, "paper": 1}
    (query,) = queries(context, Text("description", counting="log"))
    assert query.terms == {"ink": 1, "pigment": 1, "paper": 1 + math.log(2)}


def test_terms_can_be_sought_in_the_field_they_come_from(context: SearchContext) -> None:
    title, abstract = queries(context, Text(["title", "abstract"], into="same"))
    assert (title.terms, title.fields) == ({"ink": 1}, {"title": 1})
    assert (abstract.terms, abstract.fields) == ({"ink": 2, "pigment": 1}, {"abstract": 1})
    with pytest.raises(InputError, match=r"field: 'titel' is not one of .*; did you mean title\?"):
        queries(context, Text("titel"))


def test_best_terms_are_those_a_plain_computation_finds(simulated: SearchContext) -> None:
    index, frequencies = simulated.index, {}
    documents = list(simulated.collection.documents())
    for name in ("title", "abstract"):
        frequencies[name] = Counter(term for d in documents for term in set(index.analysis.terms(getattr(d, name))))
    for document in documents[::40]:
        expected: Counter[str] = Counter()
        for name, n in (("title", 3), ("abstract", 7)):
            tf = Counter(index.analysis.terms(getattr(document, name)))
            worth = {
                term: count * math.log(len(documents) / frequencies[name][term])
                for term, count in tf.items()
                if frequencies[name][term] >= 2
            }
            for term in sorted(worth, key=lambda term: (-worth[term], term))[:n]:
                expected[term] += 2.5 * tf[term] if name == "title" else tf[term]
        step = BestTerms({"title": 3, "abstract": 7}, ["title", "abstract"], {"title": 2.5})
        (query,) = queries(simulated, step, document.id)
        assert query.terms == expected


def test_best_terms_weigh_as_asked(context: SearchContext) -> None:
    # Of 17 documents 11 have "ink" in the abstract, 5 "pigment": 2 ln(17/11) < 1 ln(17/5).
    (query,) = queries(context, BestTerms(1, "abstract", weighing="tfidf"))
    assert query.terms == pytest.approx({"pigment": math.log(17 / 5)})
    (query,) = queries(context, BestTerms(1, "abstract", weighing="once"))
    assert query.terms == {"pigment": 1}
    (query,) = queries(context, BestTerms({"title": 1}, ["abstract"]))
    assert query.terms == {"ink": 2, "pigment": 1}  # a field without a number gives all
    assert queries(context, BestTerms(fields="title")) == (Query({}),)  # only the topic has a title


def test_best_terms_of_a_derived_field_may_be_those_of_one_text(build, tmp_path: Path) -> None:
    documents = [
        Document(f"EP{n}A1", "EP", str(n), "A1", title="fuel valve", abstract="steel plate", publication="1990")
        for n in (1, 2, 3)
    ]
    context = build(documents, tmp_path, fields=["title", "abstract", "phrases"])
    (whole,) = queries(context, BestTerms(fields="phrases", into="same"), "EP1A1")
    (title,) = queries(context, BestTerms(fields="phrases", into="same", of="title"), "EP1A1")
    assert (set(whole.terms), set(title.terms)) == ({"fuel valve", "steel plate"}, {"fuel valve"})
    with pytest.raises(InputError, match=r"best_terms: of: 'phrases' is not one of title, abstract"):
        BestTerms(fields="phrases", of="phrases")


def test_frequent_and_rare_terms_are_dropped(context: SearchContext) -> None:
    assert queries(context, Text() >> DropTerms(most=0.5))[0].terms.keys() == {"pigment", "cobalt", "paper"}
    assert queries(context, Text() >> DropTerms(most=11 / 17))[0].terms.keys() == {"ink", "pigment", "cobalt", "paper"}
    # Cobalt: in the claims of three documents, in one abstract. Paper: in two abstracts.
    assert queries(context, Text() >> DropTerms(1, fewest=4))[0].terms.keys() == {"ink", "pigment"}
    abstract = Text("abstract", into="same") >> DropTerms(1, fewest=11)
    assert queries(context, abstract)[0].terms.keys() == {"ink"}


def test_claims_stand_by_themselves(context: SearchContext) -> None:
    one, two, three = queries(context, Claims())
    assert [query.name for query in (one, two, three)] == ["claim 1", "claim 2", "claim 3"]
    assert one.terms == {"ink": 1, "pigment": 1}
    assert two.terms == {"ink": 1, "pigment": 1, "cobalt": 1}
    assert three.terms == {"ink": 1, "pigment": 1, "cobalt": 1, "paper": 1}
    assert [dict(query.terms) for query in queries(context, Claims("alone"))][1:] == [{"cobalt": 1}, {"paper": 1}]
    assert len(queries(context, Claims(which="independent"))) == len(queries(context, Claims(which="first"))) == 1
    (together,) = queries(context, Claims(each="together", dependent=0.5))
    assert together.terms == {"ink": 2, "pigment": 2, "cobalt": 1, "paper": 0.5}
    assert [query.weight for query in queries(context, Claims(dependent=0.5))] == [1, 0.5, 0.5]


def test_claims_that_point_nowhere_or_in_circles() -> None:
    claims = [Claim(1, "a", (9,)), Claim(2, "b", (3,)), Claim(3, "c", (2,)), Claim(4, "d", (4,))]
    assert unnested(claims) == ["a", "c b", "b c", "d"]


def test_a_need_in_words(context: SearchContext) -> None:
    need = Topic("TS-1", title="cobalt glass", narrative="glass or steel", description="ink")
    assert queries(context, Survey(title=2), need)[0].terms == {"cobalt": 2, "glass": 3, "or": 1, "steel": 1}
    assert queries(context, Survey(title=0, narrative=0, description=0.5), need)[0].terms == {"ink": 0.5}


def test_a_run_as_first_results(context: SearchContext, tmp_path: Path) -> None:
    listed = {"US5000001A": 3.0, "US4000003A": 3.0, "XX1": 9.0, TOPIC: 8.0, "US7000004B2": 7.0, "US4000008A": -1.0}
    Run.of({TOPIC: listed}).write(tmp_path / "hand.run")
    step = FromRun(str(tmp_path / "hand.run"))
    answers = step.answer(context, [TOPIC, "US4000003A"])
    assert answers.run().ranking(TOPIC) == [("US5000001A", 3.0), ("US4000003A", 3.0), ("US4000008A", -1.0)]
    assert answers.notes == [
        f"1 topic with documents in the run hand that the index lacks: {TOPIC}",
        "1 topic not in the run hand: US4000003A",
        "1 topic for which nothing was found: US4000003A",
    ]


# The search of several queries


def exhaustive(context: SearchContext, asked: Request, several: str) -> dict[int, float]:
    """Every query by itself over all documents, and their scores put together."""
    scores: dict[int, list[float]] = {}
    for query in asked.queries:
        ranking = context.searcher.search(
            query.terms, k=len(context.index), fields=query.fields or context.fields, mask=context.visible(asked)
        )
        for row, score in zip(ranking.rows.tolist(), ranking.scores.tolist(), strict=True):
            scores.setdefault(row, []).append(query.weight * score)
    return {row: sum(parts) if several == "sum" else max(parts) for row, parts in scores.items()}


@pytest.mark.parametrize("several", ["sum", "best"])
@pytest.mark.parametrize("step", [Claims(dependent=0.4), BestTerms(4, into="same"), Text()])
def test_several_queries_are_put_together_exactly(several, step, simulated: SearchContext) -> None:
    for topic in simulated.index.ids[100::60]:
        asked = step(simulated, simulated.request(topic))
        expected = exhaustive(simulated, asked, several)
        found = Search(several=several, depth=25)(simulated, asked).ranking
        assert len(found) == min(25, len(expected))
        for row, score in zip(found.rows.tolist(), found.scores.tolist(), strict=True):
            assert score == pytest.approx(expected[row], rel=1e-12)
        assert sorted(expected.values(), reverse=True)[: len(found)] == pytest.approx(found.scores.tolist(), rel=1e-12)


def test_fields_and_parameters_reach_the_model(context: SearchContext) -> None:
    asked = Text()(context, context.request(TOPIC))
    fields = {"abstract": 2.0, "claims": 1.0}
    ours = Search("bm25(k1=0.5, b=0.1)", fields, "scores")(context, asked).ranking
    direct = context.searcher.search(
        asked.queries[0].terms, "bm25", fields=fields, combine="scores", mask=context.visible(asked), k1=0.5, b=0.1
    )
    assert ours.rows.tolist() == direct.rows.tolist()
    assert ours.scores.tolist() == direct.scores.tolist()


def test_patents_outside_are_asked_by_their_own_text(context: SearchContext) -> None:
    stranger = Document("JP9A", abstract="cobalt", claims=(Claim(1, "glass"),), publication="1999")
    (query,) = queries(context, Text(), stranger)
    assert query.terms == {"cobalt": 1, "glass": 1}
    found = (Text() >> Search())(context, context.request(stranger)).ranking
    assert context.names(found.rows[:1]) == ["US4000003A"]


def test_a_mask_holds_for_every_way_to_search(simulated: SearchContext) -> None:
    topic = simulated.index.ids[300]
    allowed = np.arange(len(simulated.index)) % 3 == 0
    for step in (Text(), Claims(), BestTerms(into="same")):
        for several in ("sum", "best"):
            asked = replace(step(simulated, simulated.request(topic)), mask=allowed)
            found = Search(several=several)(simulated, asked).ranking
            assert len(found)
            assert simulated.visible(asked)[found.rows].all()
            assert allowed[found.rows].all()


def test_a_field_that_is_empty_everywhere_finds_nothing(tmp_path: Path) -> None:
    texts = [{"id": "EP1", "title": "acid"}, {"id": "EP2", "title": "acid base"}]
    context = SearchContext(Index.build(texts, tmp_path, fields=["title", "claims"]))
    need = Survey()(context, context.request(Topic("T", "acid")))
    assert len(Search(combine="scores")(context, need).ranking) == 2
    assert len(Search(fields=["claims"])(context, need).ranking) == 0
    with pytest.raises(InputError, match=r"field: 'claim' is not one of title, claims; did you mean claims\?"):
        Search(fields=["claim"])(context, need)
