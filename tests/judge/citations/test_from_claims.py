"""Grades by claim, worked by hand, and the estimate of which passages bear on a claim."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError, MismatchError
from leadline.judge.claims import claim_judgements, claim_table, estimated_passages, read_passages
from leadline.records.qrels import read_qrels
from leadline.retrieval.passages import passages_of
from leadline.text.sheet import read_sheet

CLAIMS = {
    "EP1": (Claim(1, "An ink with a pigment."), Claim(2, "The ink of claim 1, bent.", (1,))),
    "EP2": (Claim(1, "A pen."),),
}
PASSAGES = """topic,claim,document,passage
EP1,1,d1,p1
EP1,1,d1,p2
EP1,1,d1,p2
EP1,1,d2,p1
EP1,2,d1,p1
EP2,*,d1,p1
EP2,1,d1,p2
EP2,1,d1,p3
EP2,1,d1,p4
EP2,1,d1,p5
EP9,1,d1,p1
"""


def grades(largest: str, tmp_path: Path) -> dict[tuple[str, str, str], tuple[int, float]]:
    path = tmp_path / "passages.csv"
    path.write_text(PASSAGES)
    passages = read_passages(path, CLAIMS)
    rows = claim_judgements(CLAIMS, passages, passages, source="judged", largest=largest).rows  # type: ignore[arg-type]
    return {(topic, claim, document): (grade, weight) for topic, claim, document, _, grade, weight in rows.rows()}


def test_grades_are_shares_of_the_largest_of_all(tmp_path: Path) -> None:
    assert grades("all", tmp_path) == {  # d1 has 5 passages for the only claim of EP2
        ("EP1", "1", "d1"): (2, 1.0),  # ⌈4 · 2/5⌉
        ("EP1", "1", "d2"): (1, 1.0),
        ("EP1", "2", "d1"): (1, 0.5),
        ("EP1", "2", "d2"): (0, 0.5),  # relevant to the topic, not to this claim
        ("EP2", "1", "d1"): (4, 1.0),
    }


def test_or_of_the_topic_or_of_the_claim(tmp_path: Path) -> None:
    by_topic, by_claim = grades("topic", tmp_path), grades("claim", tmp_path)
    assert [by_topic["EP1", claim, "d1"][0] for claim in "12"] == [4, 2]
    assert [by_claim["EP1", claim, "d1"][0] for claim in "12"] == [4, 4]


@given(st.lists(st.integers(0, 400), min_size=1, max_size=30))
def test_grades_round_up_exactly(counts: list[int]) -> None:
    table = pl.DataFrame({"document": [f"d{i}" for i in range(len(counts))], "passages": counts})
    table = table.with_columns(topic=pl.lit("EP2"), claim=pl.lit("1"))
    rows = claim_judgements(CLAIMS, table, table, source="judged").rows
    assert rows["grade"].to_list() == [ceil(Fraction(4 * count, max(1, *counts))) for count in counts]


def test_file_is_read_back_with_its_weights(tmp_path: Path) -> None:
    (tmp_path / "passages.csv").write_text(PASSAGES)
    passages = read_passages(tmp_path / "passages.csv", CLAIMS)
    claim_judgements(CLAIMS, passages, passages, source="judged").qrels().write(tmp_path / "claims.qrels")
    assert (tmp_path / "claims.qrels").read_text().splitlines()[0] == "EP1 1 d1 2 1.0"
    for format in ("subtopics", None):  # five columns that only one reading fits
        subtopics = read_qrels(tmp_path / "claims.qrels", format=format).subtopics
        assert subtopics is not None
        assert subtopics.names == ("1", "2", "1")
        assert subtopics.weights is not None
        assert subtopics.weights.tolist() == [1, 0.5, 1]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("topic,document\nEP1,d1\n", "no column claim among topic, document"),
        ("topic,claim,document,passage\nEP1,3,d1,p1\n", ":2: the patent has no claim '3'; its claims are 1 to 2"),
    ],
)
def test_wrong_passages(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "passages.csv").write_text(content)
    with pytest.raises(InputError) as error:
        read_passages(tmp_path / "passages.csv", CLAIMS)
    assert problem in str(error.value)


def test_passages_of_other_topics_only(tmp_path: Path) -> None:
    (tmp_path / "passages.csv").write_text("topic,claim,document,passage\nEP9,1,d1,p1\n")
    with pytest.raises(MismatchError, match="no passage is of a topic"):
        read_passages(tmp_path / "passages.csv", CLAIMS)


def test_passages_are_paragraphs_abstract_and_claims() -> None:
    long = " ".join(f"w{i}" for i in range(350))
    pen = Document("X", abstract="Short.", description=f"One.\n\nTwo two.\n{long}", claims=(Claim(1, "A pen."),))
    texts = [passage.text.replace("…", "") for passage in passages_of(pen)]
    assert [len(text.split()) for text in texts] == [1, 1, 2, 100, 100, 100, 50, 2]


def test_estimate_by_hand() -> None:
    """Two words of equal rarity in the claim: a passage with one holds half of it, one with none nothing."""
    claims = {"EP1": (Claim(1, "Cobalt aluminate."), Claim(2, "The said method of claim 1.", (1,)))}
    pairs = pl.DataFrame({"topic": ["EP1", "EP1", "EP8"], "document": ["d1", "d2", "d1"]})
    texts = [
        Document("d1", description="cobalt and aluminates\nthe cobalt\nnothing"),
        Document("d2", description="aluminate\nother words\nnone of them"),
    ]

    def counts(share: float) -> list[tuple[str, str, int]]:
        found = estimated_passages(claim_table(claims), pairs, texts, share)
        return found.select("claim", "document", "passages").rows()

    assert counts(0.25) == counts(0.5) == [("1", "d1", 2), ("1", "d2", 1)]
    assert counts(0.51) == counts(1.0) == [("1", "d1", 1)]


def test_estimate_weighs_rare_words_more() -> None:
    claims = {"EP1": (Claim(1, "pigment ink polyesteramide"),)}
    pairs = pl.DataFrame({"topic": ["EP1", "EP1"], "document": ["d1", "d2"]})
    texts = [Document("d1", description="polyesteramide"), Document("d2", description="\n".join(["ink pigment"] * 4))]
    found = estimated_passages(claim_table(claims), pairs, texts, 0.5)
    assert found.select("document", "passages").rows() == [("d1", 1)]


def test_names_with_signs_of_tables_are_read_back(tmp_path: Path) -> None:
    names = ["a\tb", 'quo"ted', "back\\slash", "line\nfeed", "\x1b[31m", "plain", "Ω"]
    claims = {name: (Claim(1, "A pen."),) for name in names}
    documents = pl.DataFrame({"topic": names, "document": names})
    passages = pl.DataFrame({"topic": names, "claim": ["1"] * 7, "document": names, "passages": [1] * 7})
    claim_judgements(claims, passages, documents, source="judged").write_why(tmp_path / "why.tsv")
    sheet = read_sheet(tmp_path / "why.tsv")
    assert [row[0] for row in sheet.rows] == names
    assert [row[2] for row in sheet.rows] == names
