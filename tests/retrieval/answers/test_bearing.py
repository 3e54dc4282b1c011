"""Which hits bear on which claims: the distinguishing part, and how often that is right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leadline.cli import main
from leadline.collections.documents.document import Claim
from leadline.records.topics import Topics
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.passages import Passages, claim_terms
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.prior_art import (
    ENOUGH,
    LEVEL,
    RIGHT_OF_THE_FIRST,
    Comparison,
    bearing_levels,
    bearing_on_claims,
    bearing_rule,
    comparison,
    distinguishing_parts,
    prior_art,
)
from leadline.retrieval.word_search import weighed

PLAIN = Analysis(stemming="none")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("A nail, characterised in that it bends.", "it bends."),
        ("A nail characterized by a bent tip.", "a bent tip."),
        ("In a nail having a head, the improvement comprising a bent tip.", "a bent tip."),
        ("A nail, wherein the improvement resides in a tip.", "resides in a tip."),
        ("Nagel, dadurch gekennzeichnet, dass er biegt.", "er biegt."),
        ("Clou caractérisé en ce que la pointe plie.", "la pointe plie."),
        ("A nail characterised in that it is tin, characterised in that it bends.", "it bends."),
    ],
)
def test_what_follows_the_known_part(text: str, part: str) -> None:
    (found,) = distinguishing_parts([Claim(1, text)], {}, PLAIN)
    assert found.text == part
    assert found.basis.startswith("after “")


def test_words_that_no_claim_before_has() -> None:
    claims = [
        Claim(1, "A nail of iron."),
        Claim(2, "The nail of claim 1, with zinc.", (1,)),
        Claim(3, "The nail of claim 2, with zinc and gold.", (2,)),
        Claim(4, "The nail of claim 1.", (1,)),
        Claim(5, "The nail of claim 6, waxed.", (6,)),
        Claim(6, "The nail of claim 5, oiled.", (5,)),
    ]
    weights = {"nail": 1.0, "iron": 2.0, "zinc": 3.0, "gold": 4.0, "waxed": 1.0, "oiled": 1.0}
    parts = distinguishing_parts(claims, weights, PLAIN)
    assert [part.text for part in parts] == ["iron", "zinc", "gold", "nail", "waxed", "oiled"]
    assert [part.basis for part in parts][1:4] == ["not in claim 1", "not in claim 2", "rarest words"]


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> tuple[SearchContext, Topics]:
    folder = tmp_path_factory.mktemp("bearing")
    main(
        [
            "simulate",
            "office",
            "-o",
            str(folder / "office"),
            "--patents",
            "400",
            "--topics",
            "6",
            "--length",
            "80",
            "-q",
        ]
    )
    main(["index", str(folder / "office" / "collection"), "-o", str(folder / "index"), "-q"])
    return SearchContext.open(Path(folder / "index")), Topics.read(folder / "office" / "topics.tsv")


def test_no_more_than_the_level_of_all_comparison_documents_bear(context: tuple[SearchContext, Topics]) -> None:
    lab, topics = context
    compared = 0
    for topic in topics:
        request = lab.request(topic)
        among = comparison(lab, request)
        if not among.is_enough:
            continue
        ranking = system("best")(lab, request).ranking
        assert ranking is not None
        written = lab.document(request).claims
        claims = claim_terms([claim.text for claim in written], lab.index.analysis)
        weights = weighed(lab, [term for claim in claims for term in claim])
        parts = [part.terms for part in distinguishing_parts(written, weights, lab.index.analysis)]
        levels = bearing_levels(lab, request, ranking, among.rows, claims, parts, among)
        assert levels.min() >= 1 / len(among.rows) - 1e-12
        assert (levels <= LEVEL).mean(axis=0).max() <= LEVEL  # of every claim, over all documents of the class
        assert len(among.rows) >= ENOUGH
        first = ranking.rows[np.isin(ranking.rows, among.rows)][:1]
        one = bearing_levels(lab, request, ranking, first, claims, parts, among)
        assert one[0] == pytest.approx(levels[np.searchsorted(among.rows, first[0])])
        compared += 1
    assert compared


def test_a_hit_without_a_distinguishing_word_does_not_bear(context: tuple[SearchContext, Topics]) -> None:
    lab, topics = context
    decided = 0
    for topic in topics:
        request = lab.request(topic)
        ranking = system("best")(lab, request).ranking
        assert ranking is not None
        rows = ranking.rows[:40].tolist()
        hits = list(lab.collection.documents_named(lab.names(np.array(rows))))
        among = comparison(lab, request)
        for compared in (among, Comparison(among.rows[: ENOUGH - 1], "")):  # by levels, and by a quarter of the words
            passages = Passages(hits, lab.index.analysis)
            for each in bearing_on_claims(lab, request, ranking, rows, passages, compared)[0]:
                for one in each.found:
                    assert one.distinguishing > 0
                    assert set(each.part.terms) & set(lab.index.analysis.terms(one.passage.text))
                    decided += 1
    assert decided


def test_the_rule_says_how_often_it_was_right_and_not_that_few_are_wrong(context: tuple[SearchContext, Topics]) -> None:
    """5 % of random documents pass; what is said of the hits is measured, as in the document."""
    lab, topics = context
    said = [bearing_rule(prior_art(lab, lab.request(topic), system("best"), 10, 30)) for topic in topics]
    calibrated = [each for each in said if "at most 5 % of" in each]
    assert calibrated
    assert not [each for each in said if "false alarm" in each]
    text = (Path(__file__).parents[3] / "docs/prior-art.md").read_text(encoding="utf-8")
    table = [line.split("|") for line in text.partition("<!-- rates -->")[2].partition("<!-- end -->")[0].splitlines()]
    column = [cell.strip() for cell in table[1]].index("right of those said to bear, first 10")
    shares = [float(row[column].strip().removesuffix(" %")) / 100 for row in table[3:] if len(row) > column]
    assert len(shares) == 3
    assert pytest.approx((min(shares), max(shares))) == RIGHT_OF_THE_FIRST
    words = f"{100 * min(shares):.0f} to {100 * max(shares):.0f} % of those that bore were known prior art"
    assert all(words in each for each in calibrated)
