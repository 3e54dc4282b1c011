"""Pipelines: steps one after the other; what a topic may see; runs that obey the tie rule, and go on after a stop."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document, Priority
from leadline.commands import run as command
from leadline.errors import InputError
from leadline.records.runs import read_run
from leadline.records.topics import Topic, Topics
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.pipeline.pipeline import Journal, TopicResult
from leadline.retrieval.pipeline.steps import (
    RM3,
    BestTerms,
    Citations,
    Claims,
    ClassAgreement,
    Cut,
    Dates,
    Either,
    Fuse,
    OneAFamily,
    Only,
    SameClass,
    Search,
    Survey,
    Text,
)

WHOLE = Text() >> Search()
TOPIC = "EP1000000A1"


def found(context: SearchContext, pipeline, topic=TOPIC) -> list[str]:
    name = topic if isinstance(topic, str) else topic.id
    return [document for document, _ in pipeline.run(context, [topic]).ranking(name)]


# What a topic may see


@pytest.mark.parametrize("rule", ["publication", "none"])
@pytest.mark.parametrize("office", ["context", "simulated"])
def test_search_hides_what_a_plain_loop_does(rule, office, request, hidden_by_loop) -> None:
    context: SearchContext = request.getfixturevalue(office)
    records = context.collection.records
    for asked in context.requests(records["id"].gather_every(7).to_list()):
        seen = context.visible(Dates(rule)(context, asked))
        assert (~seen).tolist() == hidden_by_loop(records, asked.row, rule), asked.topic


@pytest.mark.parametrize(
    ("rule", "hidden"),
    [
        ("publication", {"US7000004B2", "US5000007A"}),
        ("priority", {"US7000004B2"}),
        ("number", {"US7000004B2", "US5000007A", "EP1100013A1"}),
        ("numbers alone", {"EP1100013A1"}),
        ("none", set()),
    ],
)
def test_each_rule_of_dates(rule, hidden, context: SearchContext) -> None:
    asked = Dates(rule)(context, context.request(TOPIC))
    own = {TOPIC, "US6100000B1"}
    assert set(context.names(np.flatnonzero(~context.visible(asked)))) == own | hidden
    ranked = set(found(context, Text() >> Dates(rule) >> Search()))
    assert not ranked & (own | hidden)
    assert set(found(context, Text() >> Dates("none") >> Search() >> Dates(rule))) == ranked


def test_a_patent_outside_the_collection_knows_its_family(context: SearchContext) -> None:
    asked = {
        "claims the same priorities": Document("JP1", priorities=(Priority("EP00900001"), Priority("EP99900001"))),
        "another kind of the same number": Document("EP1000000B1", "EP", "1000000", "B1"),
        "says who its relatives are": Document("JP2", relatives=("US6100000B1",)),
    }
    for why, document in asked.items():
        request = context.request(document)
        assert set(context.names(np.flatnonzero(~context.visible(request)))) >= {TOPIC, "US6100000B1"}, why
    stranger = context.request(Document("JP3", abstract="ink", priorities=(Priority("JP3", "1994"),)))
    assert stranger.families == ()
    assert set(context.names(np.flatnonzero(context.visible(stranger)))) == {
        "EP0500002A1", "US4000003A", "DE3900005A1", "US4000005A", "US4000008A", "EP0900012A1", "EP1100013A1",
    }  # fmt: skip


def test_only_some_offices_classes_and_years(context: SearchContext) -> None:
    assert set(found(context, Text() >> Only(offices="EP") >> Search())) == {
        "EP0500002A1", "EP0500002B1", "EP0900011A1", "EP0900012A1", "EP1100013A1",
    }  # fmt: skip
    assert set(found(context, Text() >> Only(classes=["C09D5"]) >> Search())) == {"EP0500002A1", "EP0500002B1"}
    assert found(context, Text() >> Only(classes=["C09D"], before="1996", after="1993-01-01") >> Search()) == [
        "US5000001A"
    ]
    assert found(context, WHOLE >> Only(offices="EP", before="1994")) == ["EP0500002A1"]
    with pytest.raises(InputError, match="'soon' is not a date"):
        Only(before="soon")


def test_only_the_topics_class(context: SearchContext) -> None:
    pipeline = Text() >> SameClass("class") >> Search()
    assert set(found(context, pipeline)) == {"US5000001A", "EP0500002A1", "EP0500002B1", "US4000008A"}
    assert found(context, Text() >> SameClass("group", "main") >> Search()) == ["US5000001A"]
    assert pipeline.answer(context, ["US5000006A"]).notes == ["1 topic without any class: US5000006A"]


def test_the_family_as_unit_of_the_index(context: SearchContext, tmp_path: Path) -> None:
    families = Index.build(
        context.collection,
        tmp_path,
        analysis=context.index.analysis,
        origin=str(context.collection.folder),
        unit="family",
    )
    there = SearchContext.open(families.folder)
    asked = there.request("US6100000B1")
    assert there.index.id_of(asked.row) == TOPIC  # its family's first publication
    assert [there.document(there.request(name)).id for name in (TOPIC, "US6100000B1")] == [TOPIC, "US6100000B1"]
    assert asked.day == context.request("US6100000B1").day
    ranked = found(there, WHOLE >> Citations(20, 0.5), TOPIC)
    assert {"US4000003A", "DE3900005A1", "EP0500002A1"} <= set(ranked)
    assert not {TOPIC, "US6100000B1", "US4000005A", "EP0500002B1"} & set(ranked)


def test_fields_that_the_index_makes_of_others(context: SearchContext, tmp_path: Path) -> None:
    made = Index.build(
        context.collection, tmp_path, fields=["abstract", "phrases"], analysis=context.index.analysis,
        origin=str(context.collection.folder),
    )  # fmt: skip
    there = SearchContext.open(made.folder)
    assert there.fields == ["abstract"]
    (query,) = Text("phrases", into="same")(there, there.request(TOPIC)).queries
    assert set(query.terms) == {"ink pigment", "pigment ink", "ink pigment ink"}
    assert found(there, Text("phrases", into="same") >> Search()) == ["US5000001A"]


# Runs


def test_runs_obey_the_tie_rule(simulated: SearchContext) -> None:
    topics = Topics.of(simulated.index.ids[200::20])
    for pipeline in (
        WHOLE >> ClassAgreement("section", weight=1.0),  # nearly all scores are equal
        Fuse([WHOLE, BestTerms(5) >> Search("dph")]),
        WHOLE >> Citations() >> OneAFamily(),
    ):
        answers = pipeline.answer(simulated, topics)
        run = answers.run()
        for topic, (documents, scores) in answers.found.items():
            assert run.ranking(topic) == list(zip(documents, scores, strict=True))
            assert len(set(documents)) == len(documents)
            assert topic not in documents


def test_k_cuts_and_progress_is_told(context: SearchContext) -> None:
    told: list[tuple[int, int, str]] = []
    run = WHOLE.run(context, [TOPIC, "US5000009A"], k=2, progress=lambda *step: told.append(step))
    assert [len(run.ranking(topic)) for topic in run.topics] == [2, 2]
    assert told == [(0, 2, TOPIC), (1, 2, "US5000009A")]
    assert found(context, WHOLE >> Cut(1)) == found(context, WHOLE)[:1]


def test_texts_as_topics(context: SearchContext) -> None:
    need = Topic("TS-1", title="cobalt glass", narrative="steel")
    assert found(context, Survey(narrative=0) >> Search(), need)[0] == "US4000003A"
    both = Either(patent=Text(), text=Survey()) >> Search()
    assert len(both.run(context, [TOPIC, need]).topics) == 2
    with pytest.raises(InputError, match="topic X: has no title and no narrative"):
        found(context, Survey() >> Search(), "X")


def test_wrong_topics_are_one_clear_line(context: SearchContext, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^topic EP9: is not a patent of .*collection$"):
        WHOLE.run(context, ["EP9"])
    with pytest.raises(InputError, match=r"^topic US9999999B2: is not a patent of"):
        (Survey() >> Search()).run(context, [Topic("TS-1", "ink"), Topic("US9999999B2", "ink"), Topic(TOPIC, "ink")])
    with pytest.raises(InputError, match=r"^topics: 2 of 3 are not patents of .*: EP9, EP8$"):
        WHOLE.run(context, ["EP9", TOPIC, "EP8"])
    words = [Topic("TS-1", "ink"), Topic("TS-2", "glass")]
    with pytest.raises(InputError, match=r'TS-1, TS-2; for topics in words use "survey" in place of "text"'):
        WHOLE.run(context, words)
    with pytest.raises(InputError, match="topic EP9 is listed twice"):
        Survey().run(context, ["EP9", "EP9"])
    with pytest.raises(InputError, match="k: must be at least 1, got 0"):
        WHOLE.run(context, [TOPIC], k=0)
    with pytest.raises(InputError, match="ends with rm3, which finds no documents: add a search step"):
        (WHOLE >> RM3()).run(context, [TOPIC])
    with pytest.raises(InputError, match="nothing was found for any topic"):
        (Text() >> Only(offices="XX") >> Search()).run(context, [TOPIC])
    alone = SearchContext(context.index)
    with pytest.raises(InputError, match="is an index without texts and citations, and its collection"):
        WHOLE.run(alone, [TOPIC])


def test_a_topic_that_finds_nothing_is_told(context: SearchContext) -> None:
    answers = (Claims() >> Search()).answer(context, [TOPIC, "US5000006A"])
    assert answers.notes == [
        "1 topic without claims: US5000006A",
        "1 topic without any term to search for: US5000006A",
        "1 topic for which nothing was found: US5000006A",
    ]
    assert answers.run().topics == (TOPIC,)
    assert (Text() >> Search()).answer(context, ["EP0900012A1"]).notes == [
        "1 topic without any date, for which nothing was too late: EP0900012A1"
    ]


# The command, and going on after a stop


def run_command(*arguments: str) -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    command.run(parser.parse_intermixed_args(arguments))


def test_the_command_writes_a_run(context: SearchContext, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "topics.txt").write_text(f"{TOPIC}\nUS4000003A\n")
    output = tmp_path / "out.run"
    run_command(str(context.index.folder), str(tmp_path / "topics.txt"), "-o", str(output), "-k", "3", "--tag", "plain")
    run = read_run(output)
    assert run.ranking(TOPIC) == WHOLE.run(context, [TOPIC], 3).ranking(TOPIC)
    assert output.read_text().split()[5] == "plain"
    assert not (tmp_path / "out.run.unfinished").exists()
    manifest = json.loads((tmp_path / "out.run.manifest.json").read_text())
    assert manifest["system"]["name"] == "baseline"
    assert manifest["k"] == 3
    run_command(str(context.index.folder), str(tmp_path / "topics.txt"), "-k", "3", "-q")
    assert len(capsys.readouterr().out.splitlines()) == len(run)
    with pytest.raises(InputError, match="give TOPICS, or --patents FILE"):
        run_command(str(context.index.folder))


def test_patents_outside_as_topics(context: SearchContext, tmp_path: Path) -> None:
    known = {"abstract": "cobalt glass", "publication": "1999-01-01"}
    (tmp_path / "patents.jsonl").write_text("\n".join(json.dumps({"id": name, **known}) for name in ("JP1A", "JP2A")))
    (tmp_path / "topics.tsv").write_text("topic\tdocument\nPA-1\tJP1A\n")
    common = (str(context.index.folder), "--patents", str(tmp_path / "patents.jsonl"), "-q")
    run_command(*common, "-o", str(tmp_path / "all.run"))
    assert read_run(tmp_path / "all.run").topics == ("JP1A", "JP2A")
    run_command(*common, str(tmp_path / "topics.tsv"), "-o", str(tmp_path / "one.run"))
    run = read_run(tmp_path / "one.run")
    assert run.topics == ("PA-1",)
    assert run.ranking("PA-1")[0][0] == "US4000003A"


def test_a_stopped_run_goes_on(context: SearchContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [TOPIC, "US5000009A", "US5000001A", "US5000006A"]
    (tmp_path / "topics.txt").write_text("\n".join(names))
    arguments = (str(context.index.folder), str(tmp_path / "topics.txt"), "-q", "-o")
    run_command(*arguments, str(tmp_path / "whole.run"))
    asked: list[str] = []
    searched = Search.__call__

    def stopping(self, context, request):
        if len(asked) == 2:
            raise KeyboardInterrupt
        asked.append(request.topic.id)
        return searched(self, context, request)

    monkeypatch.setattr(Search, "__call__", stopping)
    with pytest.raises(KeyboardInterrupt):
        run_command(*arguments, str(tmp_path / "again.run"))
    assert not (tmp_path / "again.run").exists()
    unfinished = tmp_path / "again.run.unfinished"
    unfinished.write_text(unfinished.read_text() + '["US5000001A", ["DE39')  # killed while it wrote
    asked.clear()
    run_command(*arguments, str(tmp_path / "again.run"))
    assert asked == names[2:]
    assert (tmp_path / "again.run").read_bytes() == (tmp_path / "whole.run").read_bytes()


def test_a_journal_of_something_else_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "j"
    first = Journal(path, {"k": 1})
    first.add("T", TopicResult(["A"], [0.1], []))
    assert Journal(path, {"k": 1}).get("T") == TopicResult(["A"], [0.1], [])
    other = Journal(path, {"k": 2})
    assert other.get("T") is None
    other.add("S", TopicResult(["B"], [0.2], ["note"]))
    assert len(Journal(path, {"k": 2})) == 1
    assert len(Journal(path, {"k": 1})) == 0


def test_a_topic_with_text_is_a_text_even_if_a_document_has_its_id(tmp_path: Path) -> None:
    documents = [
        Document("1", title="steel"),
        Document("2", title="ink on paper"),
        Document("EP1000000A1", title="ink"),
    ]
    write_collection(documents, tmp_path / "c", {"sources": "test"})
    Index.build(Collection.open(tmp_path / "c"), tmp_path / "i", origin=str(tmp_path / "c"))
    context = SearchContext.open(tmp_path / "i")
    asked = [Topic("1", "ink"), Topic("2"), Topic("3", "ink", document="1"), Topic("EP1000000A1", "steel")]
    assert [request.is_patent for request in context.requests(asked)] == [False, True, True, True]
    found = system("baseline").run(context, [Topic("1", "ink")])
    assert set(found.to_dict()["1"]) == {"2", "EP1000000A1"}
