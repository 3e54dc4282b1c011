"""The named systems: each answers what its group answered, and none finds what a topic must not see."""

from __future__ import annotations

import inspect

import pytest

from leadline.errors import InputError
from leadline.records.topics import Topic
from leadline.retrieval import systems
from leadline.retrieval.choices import SYSTEMS
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.pipeline.pipeline import pipeline_of
from leadline.retrieval.pipeline.query.nouns import Nouns
from leadline.retrieval.pipeline.steps import Search, Survey, Text

TREC_CHEM = {"bitem", "cmu", "dutir", "iowa", "msoe", "purdue", "scai", "york"}
ONLY_PATENTS = {"cmu", "iowa"}  # the groups that took no part in the technical survey
GENERATIONS = {"content", "links", "reputation"}  # of web search engines
NEED = Topic("TS-1", "ink", narrative="pigment for ink and paper")


@pytest.fixture(scope="module")
def rich(simulated: SearchContext, tmp_path_factory: pytest.TempPathFactory) -> SearchContext:
    """The simulated office with all derived fields in its index."""
    folder = tmp_path_factory.mktemp("rich")
    fields = ["title", "abstract", "claims", "description", "phrases", "entities", "sentences", "biology"]
    origin = str(simulated.collection.folder)
    Index.build(simulated.collection, folder, fields=fields, workers=1, origin=origin)
    return SearchContext.open(folder)


def test_all_are_there() -> None:
    assert set(SYSTEMS) == TREC_CHEM | GENERATIONS | {"baseline", "best"}


@pytest.mark.parametrize("name", sorted(TREC_CHEM | GENERATIONS | {"baseline", "best"}))
@pytest.mark.parametrize("office", ["context", "simulated", "rich"])
def test_none_finds_its_own_family_or_what_came_later(name: str, office: str, request, hidden_by_loop) -> None:
    context: SearchContext = request.getfixturevalue(office)
    records = context.collection.records
    topics = [topic for topic in records["id"].gather_every(29).to_list() if context.request(topic).is_dated]
    # Iowa's best run left out what has a later priority, and found what was published after the topic's.
    run = system("iowa:merged" if name == "iowa" else name).run(context, topics, 200)
    # The oldest patents have nothing before them.
    assert len(run.topics) > len(topics) / 2
    rows = dict(zip(records["id"], range(len(records)), strict=True))
    for topic in run.topics:
        hidden = hidden_by_loop(records, rows[topic])
        found = [document for document, _ in run.ranking(topic)]
        assert found
        assert not [document for document in found if hidden[rows[document]]], (name, topic)


@pytest.mark.parametrize("name", sorted(TREC_CHEM | GENERATIONS | {"baseline", "best"}))
def test_needs_in_words_where_the_group_answered_them(name: str, context: SearchContext) -> None:
    if name in ONLY_PATENTS:
        with pytest.raises(InputError, match="topic TS-1: is not a patent of"):
            system(name).run(context, [NEED])
    else:
        assert system(name).run(context, [NEED]).ranking("TS-1")


@pytest.mark.parametrize("name", sorted(TREC_CHEM))
def test_docstrings_tell_what_was_done_and_what_differs(name: str) -> None:
    function = getattr(systems, name)
    assert "What they did:" in function.__doc__
    assert "What differs here:" in function.__doc__
    assert "What is guessed:" in function.__doc__
    assert "eft out" in function.__doc__ or name in ONLY_PATENTS
    lines = inspect.getsource(function).count("\n")
    assert lines < (80 if name in ("bitem", "scai", "york") else 60)  # a screen; these have many runs


def test_every_system_has_its_function_and_every_function_its_name() -> None:
    own = {
        name for name, each in vars(systems).items() if inspect.isfunction(each) and each.__module__ == systems.__name__
    }
    assert {name for name in own if not name.startswith("_")} - {"best_by_words", "best_afterwards"} == set(SYSTEMS)
    assert list(SYSTEMS) == sorted(SYSTEMS)


def test_a_wrong_name_gets_the_nearest() -> None:
    with pytest.raises(InputError, match=r"'bitme' is not one of .*; did you mean bitem\?"):
        system("bitme")


# The steps that systems needed besides


def test_where_tells_what_was_missing(context: SearchContext, rich: SearchContext) -> None:
    phrases = Where(("phrases",), then=Text(("phrases",), into="same") >> Search(), otherwise=Text() >> Search())
    assert "1 topic searched without the field phrases in the index: EP1000000A1" in (
        phrases.answer(context, ["EP1000000A1"]).notes
    )
    assert phrases.run(context, ["EP1000000A1"]).ranking("EP1000000A1") == (
        (Text() >> Search()).run(context, ["EP1000000A1"]).ranking("EP1000000A1")
    )
    patent = rich.collection.records["id"][-1]
    assert not phrases.answer(rich, [patent]).notes
    unknown = Survey() >> Where(packages=("no_such_package",), then=Nouns()) >> Search()
    assert unknown.answer(context, [NEED]).notes == ["1 topic searched without the package no_such_package: TS-1"]
    with pytest.raises(InputError, match="where: name `fields` or `packages`"):
        Where(then=Text())
    assert pipeline_of({"step": "where", "fields": "phrases", "then": ["text", "search"]}).wants_patent


def test_nouns_leaves_out_verbs_and_adverbs(context: SearchContext) -> None:
    need = Topic("TS-2", "rapidly comprising a coated valve 12", narrative="assembly provided")
    asked = (Survey() >> Nouns())(context, context.request(need))
    assert set(asked.queries[0].terms) == {"a", "coated", "valve", "12", "assembly"} - {"a"}
