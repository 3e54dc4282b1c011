"""Topics that are Boolean queries find what `leadline search` finds; topics in words are run as before."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import leadline as ll
from leadline.cli import main
from leadline.errors import LeadlineWarning
from leadline.records.topics import Topic
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.language import Language
from leadline.retrieval.pipeline import pipeline
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.pipeline.pipeline import AS_QUERY, PERHAPS, pipeline_of
from leadline.retrieval.pipeline.query.search import Search
from leadline.retrieval.pipeline.query.survey import Survey

DOCUMENTS = [
    {"id": "d1", "title": "Photography with silver", "abstract": "hydroxylamine in developers", "publication": "1990"},
    {"id": "d2", "title": "Photography of birds", "abstract": "cameras", "publication": "2001"},
    {"id": "d3", "title": "Hydroxylamine", "abstract": "a study of photography", "publication": "1995"},
    {"id": "d4", "title": "Bird cameras", "abstract": "a thin film, cameras and 1,4-butanediol", "publication": "1999"},
]
QUERIES = [
    "title:photography AND NOT hydroxylamine", "cameras OR photography", "photography -hydroxylamine NOT birds",
    '"thin film" OR photogr*', "thin NEAR/2 cameras", "(birds OR silver) AND photography^3",
    "cameras OR NOT photography",
    "published:1995..1999", "NOT cameras", "photography AND cameras sort:oldest", "butanedi* AND film",
    "photogr* cameras", "photogr*", "cam?ras", "photogr*, birds", "title=photography",
    "ti = photography and ab=cameras", "photography.ti.", "photography.ti. AND hydroxylamine.ab.",
    '"thin film".ab.', "photography sort:newest",
]  # fmt: skip
TEXTS = [
    "photography and cameras", "SALT AND CAMERAS", "The camera of birds AND photography", '"thin film"', "Title: birds",
    "film -cameras", "What is photography?", "the use of AND and OR in cameras", "a re-photography of 1:2 birds",
]  # fmt: skip
PERHAPS_QUERIES = [
    "photography and (camera* or bird*)", "camer?s birds", "Photography of birds*", "Thin film cameras*",
    "CAMER* BIRDS", "cameras in the title=photography", "photography.ti. and birds.ab.", "cameras[tiab]",
    "photography/TI", "Bird?s", "*very thin* film", "sort:newest", "What is photography?How do cameras work?",
    "PA=5 film", "(birds or silver) and cameras", "cameras not (birds or silver)", "'cameras'/exp",
]  # fmt: skip
SENTENCES = [
    "What is photography?", "photography? cameras?", "birds and/or cameras", "CYP2C19*2 cameras", "HLA-B*57:01 birds",
    "Effect of n=5 cameras", "photography and cameras", "C* cameras", "e.g. birds, i.e. cameras.",
    "benzo[a]pyrene film", "3*4 birds", "Why silver? Cameras.", "Photography with silver.", "x=5 film",
    "cameras (birds and silver) in films", "cameras (birds/silver) and films",
    "The effect of film (or plates or foil) and of cameras on birds",
]  # fmt: skip


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> SearchContext:
    folder = tmp_path_factory.mktemp("boolean")
    (folder / "documents.jsonl").write_text("".join(json.dumps(each) + "\n" for each in DOCUMENTS))
    collection = ll.build_collection(folder / "documents.jsonl", folder / "collection", keep="all")
    Index.build(
        collection, folder / "index", fields=["title", "abstract"], positions=True, origin=str(folder / "collection")
    )
    return SearchContext.open(folder / "index")


@pytest.mark.parametrize("text", QUERIES)
def test_a_run_finds_what_a_search_finds(context: SearchContext, text: str) -> None:
    answers = system("baseline").answer(context, [Topic("1", text)], 10)
    expected = Language(context.index).search(text, k=10)
    documents, scores = answers.found["1"]
    assert list(documents) == context.names(expected.ranking.rows)
    if expected.order == "score":
        np.testing.assert_allclose(scores, expected.ranking.scores)
    assert (np.diff(scores) <= 0).all()
    assert answers.topics_by_note[AS_QUERY] == ["1"]


@pytest.mark.parametrize("name", ["baseline", "bm25+rm3", "best"])
def test_every_system_finds_only_what_matches(context: SearchContext, name: str) -> None:
    answers = system(name).answer(context, [Topic("1", "photography AND NOT hydroxylamine"), Topic("2", "photography")])
    assert list(answers.found["1"][0]) == ["d2"]
    assert len(answers.found["2"][0]) >= 3


def test_topics_in_words_are_run_as_before(context: SearchContext, monkeypatch: pytest.MonkeyPatch) -> None:
    topics = [Topic(str(number), text, narrative="It is NOT about AND gates.") for number, text in enumerate(TEXTS)]
    found = system("baseline").answer(context, topics, 10)
    monkeypatch.setattr(pipeline, "boolean_topic", lambda context, request, k: request)
    assert system("baseline").answer(context, topics, 10).found == found.found
    assert AS_QUERY not in found.topics_by_note
    assert found.topics_by_note[PERHAPS] == ["1", "2", "3", "5", "7"]


@pytest.mark.parametrize(("texts", "named"), [(PERHAPS_QUERIES, True), (SENTENCES, False)])
def test_a_text_in_doubt_is_named_and_run_as_words(
    context: SearchContext, monkeypatch: pytest.MonkeyPatch, texts: list[str], named: bool
) -> None:
    topics = [Topic(text, text) for text in texts]
    found = system("baseline").answer(context, topics, 10)
    monkeypatch.setattr(pipeline, "boolean_topic", lambda context, request, k: request)
    assert system("baseline").answer(context, topics, 10).found == found.found
    assert AS_QUERY not in found.topics_by_note
    assert found.topics_by_note.get(PERHAPS, []) == (texts if named else [])


def test_the_words_of_a_narrative_rank_too(context: SearchContext) -> None:
    topic = Topic("1", "photography AND NOT hydroxylamine", narrative="birds in a thin film")
    with_narrative = (Survey() >> Search()).answer(context, [topic]).found["1"]
    without = (Survey(narrative=0) >> Search()).answer(context, [topic]).found["1"]
    assert list(with_narrative[0]) == list(without[0]) == ["d2"]
    assert with_narrative[1][0] > without[1][0]
    only = pipeline_of(Survey() >> Search()).answer(context, [Topic("2", narrative="title:photography AND cameras")])
    assert list(only.found["2"][0]) == ["d2"]


def test_a_strategy_is_run_as_words_with_a_note(context: SearchContext) -> None:
    answers = system("baseline").answer(context, [Topic("1", "cameras.tw.\nphotography.tw.\n1 or 2")])
    assert "1 topic run as words, since the text is a search strategy, not one query: line 3" in answers.notes[0]


def test_a_quotation_mark_in_a_table_of_topics_is_part_of_its_query(
    context: SearchContext, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "topics.tsv").write_text('topic\ttext\n1\t"silver\n2\tcameras\n3\t"thin film" before:2000\n')
    assert not main(["run", str(context.index.folder), str(tmp_path / "topics.tsv"), "-o", str(tmp_path / "a.run")])
    found = [line.split() for line in (tmp_path / "a.run").read_text().splitlines()]
    assert {line[0] for line in found} == {"1", "2", "3"}
    assert [line[2] for line in found if line[0] == "3"] == ["d4"]
    assert "1 topic in Boolean form, run as queries and not as words: 3\n" in capsys.readouterr().err


def test_the_command_and_python_say_so(
    context: SearchContext, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "".join(f"{number}\t{text}\n" for number, text in enumerate((*QUERIES[:2], *TEXTS[:2]), start=1))
    (tmp_path / "topics.tsv").write_text(lines)
    index = str(context.index.folder)
    assert not main(["run", index, str(tmp_path / "topics.tsv"), "-o", str(tmp_path / "a.run")])
    said = capsys.readouterr().err
    assert "2 topics in Boolean form, run as queries and not as words: 1, 2\n" in said
    assert "1 topic perhaps in Boolean form, run as words: 4\n" in said
    with pytest.warns(LeadlineWarning, match="2 topics in Boolean form, run as queries and not as words: 1, 2"):
        made = ll.make_run(index, ll.Topics.read(tmp_path / "topics.tsv"), system="baseline")
    assert [line.split()[2] for line in made.to_bytes().decode().splitlines() if line[0] == "1"] == ["d2"]
