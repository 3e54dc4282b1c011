"""Are the topics drawn fairly, and are the first k of them?"""

from __future__ import annotations

import datetime
import functools

import numpy as np
import polars as pl
import pytest

from leadline.errors import MismatchError
from leadline.judge.citations import TopicSample, sample_topics

EUROPEAN = 0.2


@functools.cache
def an_office(documents: int = 4000) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Patents of two offices, the European ones first, as a database would give them."""
    rng = np.random.default_rng(7)
    offices = np.where(np.arange(documents) < EUROPEAN * documents, "EP", "US")
    examiner, applicant = rng.poisson(4, documents), rng.poisson(np.where(offices == "US", 8, 1))
    records = pl.DataFrame(
        {
            "id": [f"{office}{row}" for row, office in enumerate(offices)],
            "office": offices,
            "kind": ["A1"] * documents,
            "title": ["An ink"] * documents,
            "family": np.arange(documents, dtype=np.uint32) // 2,
            "known": [datetime.date(2000, 1, 1)] * documents,
            "ipc": [["C09D11/00"]] * documents,
            "cpc": pl.Series([[]] * documents, dtype=pl.List(pl.String)),
            "claims": [3] * documents,
            "words": [500] * documents,
        }
    )
    counts = pl.DataFrame(
        {
            "row": np.arange(documents, dtype=np.uint32),
            "relevant": examiner + applicant,
            "cited_examiner": examiner,
            "cited_applicant": applicant,
        }
    )
    return records, counts


def drawn(seed: int, **options: object) -> TopicSample:
    return sample_topics(*an_office(), np.random.default_rng(seed), **options)  # type: ignore[arg-type]


def europeans(sample: TopicSample) -> np.ndarray:
    return np.array([topic.attributes["office"] == "EP" for topic in sample.topics])


def test_first_hundred_have_the_office_mix_of_all() -> None:
    """TREC-CHEM's first hundred of a thousand topics were all European."""
    first, whole = 100, 1000
    gaps = []
    for seed in range(40):
        is_european = europeans(drawn(seed, number=whole))
        share = is_european.mean()
        spread = np.sqrt(share * (1 - share) / first * (whole - first) / (whole - 1))
        gaps.append((is_european[:first].mean() - share) / spread)
    assert max(np.abs(gaps)) < 4
    assert abs(np.mean(gaps)) < 4 / np.sqrt(len(gaps))
    assert 0.7 < np.std(gaps) < 1.4  # by chance: neither sorted nor dealt out evenly


def test_many_of_the_examiner_and_few_of_the_applicant_are_preferred() -> None:
    _, counts = an_office()
    sample = drawn(1, number=300)
    for name, sign in (("cited_examiner", 1), ("cited_applicant", -1)):
        mean = np.mean([int(topic.attributes[name]) for topic in sample.topics])
        assert sign * (mean - counts[name].mean()) > 0.5


def test_drawing_follows_the_weights() -> None:
    """Of two patents with weights 3 and 1, the first comes three times in four."""
    records, _ = an_office(4)
    counts = pl.DataFrame(
        {"row": [0, 2], "relevant": [3, 3], "cited_examiner": [2, 0], "cited_applicant": [0, 0]},
        schema_overrides={"row": pl.UInt32},
    )
    first = [sample_topics(records, counts, np.random.default_rng(seed), number=1).topics[0].id for seed in range(1000)]
    assert abs(first.count(records["id"][0]) / 1000 - 0.75) < 4 * np.sqrt(0.75 * 0.25 / 1000)


def test_one_topic_a_family() -> None:
    records, _ = an_office()
    family = dict(zip(records["id"], records["family"], strict=True))
    families = [family[topic.id] for topic in drawn(1, number=1000).topics]
    assert len(set(families)) == 1000
    assert len({family[topic.id] for topic in drawn(1, number=3000, per_family="all").topics}) < 3000


def test_a_seed_gives_the_same_topics_again() -> None:
    assert drawn(5).topics == drawn(5).topics
    assert drawn(5).topics.ids != drawn(6).topics.ids


def test_what_is_left_out_adds_up() -> None:
    records, counts = an_office()
    counts = counts.filter(pl.col("row") != 10)
    records = records.with_columns(kind=pl.when(pl.col("id") == "EP3").then(pl.lit("article")).otherwise("kind"))
    masks = {"not of EP": (records["office"] == "EP").to_numpy()}
    sample = sample_topics(records, counts, np.random.default_rng(1), number=50, fewest=4, masks=masks)
    assert sample.left_out["articles, not patents"] == 1
    assert sample.left_out["not of EP"] == 3200
    none = counts.filter((pl.col("row") < 800) & (pl.col("relevant") == 0))
    assert sample.left_out["no relevant document"] == 1 + len(none)
    assert sum(sample.left_out.values()) + sample.candidates == len(records)
    assert europeans(sample).all()
    assert sample.relevant.min() >= 4


def test_what_a_topic_says_of_itself() -> None:
    sample = drawn(1, number=5)
    topic = sample.topics[0]
    assert topic.title == "An ink"
    assert topic.attributes["class"] == "C09D"
    assert topic.attributes["priority"] == "2000-01-01"
    assert [int(topic.attributes["relevant"]) for topic in sample.topics] == sample.relevant.tolist()


def test_nothing_to_draw_from() -> None:
    with pytest.raises(MismatchError, match="none has 99 relevant documents in the collection, the most is"):
        drawn(1, fewest=99)


def test_fewer_than_asked_for() -> None:
    sample = drawn(1, number=10_000)
    assert len(sample.topics) == sample.candidates < 2001


def test_distribution() -> None:
    sample = drawn(1, number=200)
    least, low, median, high, most = sample.quartiles()
    assert 3 <= least <= low <= median <= high <= most
    assert sum(count for _, count in sample.histogram()) == 200


@pytest.mark.parametrize("per_family", ["one", "all"])
def test_a_quota_by_office_is_exact(per_family: str) -> None:
    """TREC-CHEM 2009 had 77 European and 923 American topics."""
    for seed in range(5):
        sample = drawn(seed, quota={"EP": 77, "US": 923}, per_family=per_family)
        is_european = europeans(sample)
        assert (is_european.sum(), len(is_european)) == (77, 1000)
        # They are shuffled together: about 8 of the first hundred are European, not all.
        assert 1 <= is_european[:100].sum() <= 20
    again = drawn(4, quota={"US": 923, "EP": 77}, per_family=per_family)
    assert [topic.id for topic in again.topics] == [topic.id for topic in sample.topics]


def test_a_family_goes_to_the_office_that_needs_it() -> None:
    """Every family has a European and an American patent; all are needed, one office's as much as the other's."""
    records, counts = an_office(400)
    records = records.with_columns(office=pl.Series(["EP", "US"] * 200))
    counts = counts.with_columns(relevant=pl.lit(5))
    sample = sample_topics(records, counts, np.random.default_rng(1), quota={"EP": 150, "US": 50})
    assert (europeans(sample).sum(), len(sample.topics)) == (150, 200)
    families = [int(topic.id[2:]) // 2 for topic in sample.topics]
    assert len(set(families)) == 200


def test_an_office_with_too_few_is_an_error() -> None:
    with pytest.raises(MismatchError, match=r"^900 topics of EP wanted, but only \d+ can be drawn: lower its quota"):
        drawn(1, quota={"EP": 900, "US": 10})
