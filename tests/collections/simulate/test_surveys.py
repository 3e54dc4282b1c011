"""Articles and survey topics of a simulated office: what is said to be relevant is, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import leadline as ll
from leadline.cli import main
from leadline.collections.simulate.inventions import years_of
from leadline.collections.simulate.office import (
    SimulatedOffice,
    _draw_topics,
    build_office,
    make_surveys,
    true_claim_qrels,
    true_qrels,
)
from leadline.collections.simulate.settings import Settings

SMALL = Settings(patents=500, topics=0, length=60, articles=100, surveys=9)


@pytest.fixture(scope="module")
def office() -> SimulatedOffice:
    return build_office(SMALL)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("surveys") / "office"
    main(["simulate", "office", "-o", str(folder), "--patents", "500", "--topics", "10", "--length", "60", "--articles",
          "100", "--surveys", "9", "-q"])  # fmt: skip
    return folder


def test_the_truth_is_that_of_a_loop_over_all_documents(office: SimulatedOffice) -> None:
    topics, qrels = make_surveys(office)
    inventions = office.inventions
    owner = np.concatenate([office.publications.invention, office.articles.invention])
    years = years_of(office.all_published)
    disclosed = [
        set(inventions.disclosed[a:b].tolist()) for a, b in zip(inventions.starts, inventions.starts[1:], strict=False)
    ]
    needs = _draw_topics(office)
    assert len(topics) == len(needs) == SMALL.surveys
    for topic, need in zip(topics, needs, strict=True):
        expected = {}
        for name, invention, year in zip(office.all_ids, owner.tolist(), years.tolist(), strict=True):
            if set(need.concepts) <= disclosed[invention] and year > need.after:
                claimed = set(need.concepts) <= set(inventions.claimable[invention].tolist())
                expected[str(name)] = 2 if claimed else 1
        assert qrels.judgements(topic.id) == expected
        assert (f"published after {need.after}" in topic.narrative) == bool(need.after)
        assert topic.category
    assert any(need.after for need in needs)
    assert len({need.concepts for need in needs}) == len(needs)


def test_articles_disclose_in_words_what_they_are_said_to(written: Path, office: SimulatedOffice) -> None:
    articles = [document for document in ll.Collection.open(written / "collection").documents() if not document.office]
    assert len(articles) == 100
    assert {document.kind for document in articles} == {"article"}
    names = office.names.words
    for number, document in enumerate(articles[:20]):
        assert document.id == office.all_ids[len(office.publications) + number]
        text = f"{document.title} {document.abstract} {document.description}".lower()
        assert not re.search(r"\binventions?\b|claims", text)
        row = office.articles.invention[number]
        for concept in office.inventions.disclosed[office.inventions.starts[row] : office.inventions.starts[row + 1]]:
            assert any(name and name.lower() in text for name in names[:, concept].ravel().tolist())


def test_an_article_follows_the_first_publication_of_its_patent(office: SimulatedOffice) -> None:
    first = office.publications.first_published[office.articles.invention]
    assert (office.articles.published > first).all()
    assert years_of(office.articles.published).max() <= SMALL.last_year


def test_articles_are_prior_art_where_their_patents_are(office: SimulatedOffice) -> None:
    topics = np.arange(len(office.publications))
    qrels, by_claim = true_qrels(office, topics), true_claim_qrels(office, topics)
    found = {(t, d) for t in qrels.topics for d in qrels.judgements(t) if d.startswith("article")}
    assert found
    day = dict(zip(office.all_ids, office.all_published.tolist(), strict=True))
    priority = dict(zip(office.ids, office.inventions.priority[office.publications.invention].tolist(), strict=True))
    assert all(day[document] <= priority[topic] for topic, document in found)
    assert set(by_claim.topics) == set(qrels.topics)


def test_without_articles_the_office_is_as_it_was(tmp_path: Path, written: Path) -> None:
    """Articles and surveys draw from streams of their own: the patents do not change."""
    main(["simulate", "office", "-o", str(tmp_path / "plain"), "--patents", "500", "--topics", "10", "--length", "60",
          "-q"])  # fmt: skip
    plain = list(ll.Collection.open(tmp_path / "plain/collection").documents())
    both = list(ll.Collection.open(written / "collection").documents())
    assert both[: len(plain)] == plain
    assert (tmp_path / "plain/topics.tsv").read_bytes() == (written / "topics.tsv").read_bytes()
    assert not (tmp_path / "plain/surveys.xml").exists()


def test_the_files_can_be_read_and_checked(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topics = ll.Topics.read(written / "surveys.xml")
    assert topics.ids == tuple(f"TS-{number}" for number in range(1, 10))
    assert all(topic.title and topic.narrative and topic.category for topic in topics)
    assert set(ll.read_qrels(written / "qrels.surveys.txt").topics) == set(topics.ids)
    main(["check", str(written)])
    capsys.readouterr()
    main(["simulate", "office", "-o", str(written), "--patents", "500", "--topics", "0", "--length", "60", "-q"])
    assert not (written / "surveys.xml").exists()


def test_too_many_surveys_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["simulate", "office", "-o", str(tmp_path / "o"), "--patents", "100", "--topics", "0", "--length", "30",
              "--surveys", "3000", "-q"])  # fmt: skip
    assert "topics could be made: choose fewer surveys, or more patents" in capsys.readouterr().err
