"""Which hits bear on which claims: the distinguishing part, and how often that is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.cli import main
from leadline.collections.documents.document import Claim
from leadline.records.topics import Topics
from leadline.retrieval.bearing import STRONG, WEAK, distinguishing_parts
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.passages import claim_terms, passages_of
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import system
from leadline.retrieval.prior_art import bearing_rule, bears_words, patent_of_text, prior_art, prior_art_finding
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
    assert [part.terms for part in parts] == [("iron",), ("zinc",), ("gold",), ("nail",), ("waxed",), ("oiled",)]
    assert [part.text for part in parts][1:3] == ["with zinc.", "with zinc and gold."]
    assert [part.basis for part in parts][1:4] == ["added to claim 1", "added to claim 2", "rarest words"]


@pytest.mark.parametrize(
    ("text", "part", "terms"),
    [
        ("The nail as claimed in claim 1, wherein the tip is zinc.", "the tip is zinc.", ("zinc",)),
        ("The nail of any one of claims 1 to 3, further comprising gold.", "gold.", ("gold",)),
        ("Nagel nach Anspruch 1, wobei die Spitze Zink ist.", "die Spitze Zink ist.", ("zink",)),
        # Words of any claim do not distinguish, where there are others.
        ("The nail of claim 1, essentially joined prior to use with SEQ ID NO: 7 of gold.", None, ("gold",)),
        # What a claim adds may be said in words that the other has too: the clause is shown with its rarest.
        ("The nail of claim 1, wherein the iron tip is above the nail.", "the iron tip is above the nail.", ("iron",)),
        # The reference may come last: words are shown instead.
        ("A golden box with the nail of claim 1.", "golden · box", ("golden", "box")),
        ("The nail of claim 1, wherein the iron is p-type.", "the iron is p-type.", ("p",)),
    ],
)
def test_what_a_dependent_claim_adds(text: str, part: str | None, terms: tuple[str, ...]) -> None:
    weights = dict.fromkeys(("golden", "box", "gold", "zinc"), 3.0) | {"iron": 4.0, "nail": 1.0, "tip": 1.0}
    german = "Anspruch" in text
    first = Claim(1, "Nagel aus Eisen mit Spitze." if german else "A nail of iron with a tip.")
    analysis = Analysis("de" if german else "en", "none")
    found = distinguishing_parts([first, Claim(2, text, (1,))], weights, analysis)[1]
    assert found.terms == terms
    assert part is None or found.text == part
    assert found.basis == "added to claim 1"


def test_a_registry_number_names_a_substance() -> None:
    """A claim may name all that it claims by numbers; others, of sequences and figures, say nothing."""
    assert claim_terms(["Use of CAS 64-19-7 (12) in SEQ ID NO: 7."], PLAIN) == [["use", "cas", "64-19-7", "seq", "id"]]


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


def test_marks_are_the_shares_of_the_words_of_a_claim_and_its_parents(context: tuple[SearchContext, Topics]) -> None:
    lab, topics = context
    decided = {"strong": 0, "weak": 0, "": 0}
    for topic in topics:
        found = prior_art(lab, lab.request(topic), system("best"), 20, 30)
        claims = {claim.number: claim for claim in found.topic.claims}
        terms = dict(zip(claims, claim_terms([c.text for c in claims.values()], lab.index.analysis), strict=True))
        weights = weighed(lab, [term for claim in terms.values() for term in claim])
        passages = []  # of each hit: the words of each passage
        for hit in found.hits:
            assert hit.document is not None
            passages.append([set(lab.index.analysis.terms(passage.text)) for passage in passages_of(hit.document)])
        for each in found.bearing:
            marks = {one.hit: one for one in each.found}
            chain, waiting = set[int](), [each.claim.number]
            while waiting:
                chain.add(number := waiting.pop())
                waiting += [parent for parent in claims[number].parents if parent not in chain]
            wanted = {term for number in chain for term in terms[number]}
            for place, texts in enumerate(passages):
                own = set().union(*texts)
                share = sum(weights[term] for term in wanted & own) / sum(weights[term] for term in wanted)
                distinguished = any(set(each.part.terms) & text for text in texts)
                kind = "strong" if share >= STRONG.least else "weak" if distinguished and share >= WEAK.least else ""
                assert (marks[place].grade.name if place in marks else "") == kind
                decided[kind] += 1
                if place in marks:
                    assert marks[place].whole == pytest.approx(share)
                    assert (marks[place].distinguishing > 0) == distinguished
    assert all(decided.values())


def test_what_is_said_of_marks_is_what_was_measured(context: tuple[SearchContext, Topics]) -> None:
    lab, topics = context
    text = (Path(__file__).parents[3] / "docs/prior-art.md").read_text(encoding="utf-8")
    table = [
        [cell.strip() for cell in line.split("|")]
        for line in text.partition("<!-- rates -->")[2].partition("<!-- end -->")[0].splitlines()
        if line
    ]
    columns, rows = table[0], {row[1]: row for row in table[2:]}

    for grade in (STRONG, WEAK):
        place = columns.index(f"{grade.name} marks") + 1
        right = {name: float(row[place].removesuffix(" %")) / 100 for name, row in rows.items()}
        assert grade.right == pytest.approx(right["chemistry, seeds 1, 13, 14"])
        real = [right["us_api, citations"], right["patsnap, citations"]]
        assert grade.cited == pytest.approx((min(real), max(real)))
    measured = rows["chemistry, seeds 1, 13, 14"]
    assert STRONG.right >= 0.6
    assert float(measured[columns.index("of the true")].removesuffix(" %")) >= 40
    for topic in topics:
        found = prior_art(lab, lab.request(topic), system("best"), 10, 30)
        rule = bearing_rule(found)
        assert f"{100 * STRONG.right:.0f} % of the strong marks and {100 * WEAK.right:.0f} % of the weak ones" in rule
        for place in range(len(found.hits)):
            for words in bears_words(found, place):
                right = STRONG.right if words.startswith("strong") else WEAK.right
                assert words.endswith(f"({100 * right:.0f} % right)")


def test_nothing_bears_where_nothing_does(context: tuple[SearchContext, Topics]) -> None:
    lab, _ = context
    rake = patent_of_text("A rake\n\nClaims\n1. A garden rake with wooden teeth and a bamboo handle.", "rake")
    found = prior_art(lab, lab.request(rake), system("best"), 10, 30)
    assert not any(each.found for each in found.bearing)
    assert prior_art_finding(found).startswith("Nothing bears: of the first ")
