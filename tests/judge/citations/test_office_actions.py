"""Office actions of the American office in each of the forms it publishes, and the judgements made from them.

The records are made up; their fields are those of the office's APIs (enriched citations v3, rejections v2, citations
v2, texts v1).
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Claim, Document
from leadline.errors import InputError, MismatchError
from leadline.judge.claims import Rejection, claim_numbers, from_rejections, read_office_actions, rejections_in
from leadline.records.topics import Topic, Topics

APPLICATION = {"patentApplicationNumber": "15739603"}
ENRICHED = {
    **APPLICATION, "citedDocumentIdentifier": "US 20190165601 A1", "relatedClaimNumberText": "1-2,7",
    "citationCategoryCode": "Y", "officeActionDate": "2019-10-21T00:00:00", "nplIndicator": False,
    "passageLocationText": ["c. 112|figure 3"], "obsoleteDocumentIdentifier": "K1",
}  # fmt: skip


def read(tmp_path: Path, value: Any, name: str = "actions.json") -> Any:
    path = tmp_path / name
    path.write_text(json.dumps(value))
    return read_office_actions([path])


def test_enriched_citations(tmp_path: Path) -> None:
    background = {**ENRICHED, "citationCategoryCode": "A"}
    article = {**ENRICHED, "nplIndicator": True}
    actions = read(tmp_path, {"response": {"numFound": 3, "docs": [ENRICHED, background, article]}})
    assert actions.rejections == tuple(
        Rejection("US15739603", claim, "US 20190165601 A1", "Y", "2019-10-21", "K1", "c. 112|figure 3")
        for claim in (1, 2, 7)
    )
    assert (actions.records, actions.background) == (3, 2)


def test_rejections_and_citations_are_joined_by_action_section_and_paragraph(tmp_path: Path) -> None:
    def rejected(claims: str, statute: str, paragraph: str, kind: str = "rejected") -> dict[str, Any]:
        return {
            **APPLICATION, "obsoleteDocumentIdentifier": ["K1"], "claimNumberArrayDocument": [claims],
            "legalSectionCode": statute, "actionTypeCategory": kind, "paragraphNumber": paragraph,
        }  # fmt: skip

    def cited(document: str, statute: str, paragraph: str, action: str = "K1") -> dict[str, Any]:
        return {
            **APPLICATION, "obsoleteDocumentIdentifier": action, "referenceIdentifier": document,
            "parsedReferenceIdentifier": "".join(filter(str.isdigit, document)), "legalSectionCode": statute,
            "actionTypeCategory": "rejected", "paragraphNumber": paragraph,
        }  # fmt: skip

    actions = read(
        tmp_path,
        [
            rejected("1,2", "102(a)(1)", "4"), rejected("3", "103", "5"), rejected("4", "103", "6"),
            rejected("5", "103", "5", kind="allowed"), rejected("6", "112", "7"),
            cited("US 6123456 B1", "102", "4"), cited("US 6123456 B1", "103", "5"), cited("EP 1234567 A1", "103", ""),
            cited("US 7000001 B2", "103", "5", action="another"), cited("------- European Patent", "103", "5"),
        ],
    )  # fmt: skip
    found = {(one.claim, one.document, one.statute) for one in actions.rejections}
    assert found == {
        (1, "US 6123456 B1", "102"), (2, "US 6123456 B1", "102"), (3, "US 6123456 B1", "103"),
        (3, "EP 1234567 A1", "103"), (4, "EP 1234567 A1", "103"),  # without a paragraph: all claims of the section
    }  # fmt: skip
    assert actions.background == 1


TEXT = """Claim(s) 1-3, 5 and 7 is/are rejected under 35 U.S.C. 102(a)(1) as being anticipated by Smith et al.
(U.S. Patent No. 6,123,456 B2). Regarding claim 1, Smith teaches a film.
Claims 4 and 6 are rejected under 35 U.S.C. 103 as being unpatentable over Smith in view of Jones (US PGPub
2005/0012345)
and further in view of Sato (JP 2004-123456 A). Claim 8 is rejected under pre-AIA 35 U.S.C. 103(a) as being unpatentable
over Meyer (EP 1234567 A1). Claims 9-12 are rejected under 35 U.S.C. 112 as indefinite.
Claims 13 through 15 are rejected under 35 U.S.C. § 103 as obvious over Jones. Claim 16 is rejected under 35 U.S.C. 103
over Nobody."""


def test_sentences_of_a_text() -> None:
    assert list(rejections_in(TEXT)) == [
        ([1, 2, 3, 5, 7], "102", ["US6123456B2"]),
        ([4, 6], "103", ["US20050012345", "JP2004123456A", "US6123456B2"]),
        ([8], "103", ["EP1234567A1"]),
        ([13, 14, 15], "103", ["US20050012345"]),
        ([16], "103", []),
    ]


@pytest.mark.parametrize(
    "record",
    [
        {"bodyText": [TEXT]},
        {"sections.section102RejectionText": TEXT[:150], "sections.section103RejectionText": [TEXT[150:]]},
        {"sections": {"section103RejectionText": [TEXT]}},
    ],
)
def test_texts(tmp_path: Path, record: dict[str, Any]) -> None:
    actions = read(tmp_path, {**APPLICATION, "submissionDate": "2016-05-23T00:00:00", **record})
    assert len(actions.rejections) == 5 + 2 * 3 + 1 + 3
    assert actions.unresolved == 1
    assert {one.date for one in actions.rejections} == {"2016-05-23"}


def test_lines_and_compression(tmp_path: Path) -> None:
    path = tmp_path / "actions.jsonl.gz"
    lines = [json.dumps(ENRICHED), json.dumps({"response": {"docs": [{**ENRICHED, "relatedClaimNumberText": "9"}]}})]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert [one.claim for one in read_office_actions([path]).rejections] == [1, 2, 7, 9]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("text", "holds no records of office actions"),
        ([1], "record 1 is not a JSON object but int"),
        ([{"claimNumberArrayDocument": ["1"]}], "record 1: has no patentApplicationNumber"),
    ],
)
def test_wrong_input(tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, value)


@pytest.mark.parametrize(
    ("text", "numbers"), [("1", [1]), ("3-1, 0, 99999", []), ("1–3;5 through 6", [1, 2, 3, 5, 6]), ("none", [])]
)
def test_claim_numbers(text: str, numbers: list[int]) -> None:
    assert claim_numbers(text) == numbers


def a_collection(folder: Path) -> Collection:
    claims = (Claim(1, "A film."), Claim(2, "The film of claim 1.", (1,)), Claim(7, "A method."))

    def document(name: str, **more: Any) -> Document:
        office, serial, kind = name[:2], name[2:-2], name[-2:]
        return Document(name, office=office, serial=serial, kind=kind, title="A film", abstract="A film.", **more)

    topic = document("US9999999B2", application_number="US15739603", claims=claims)
    others = [document(name) for name in ("US20190165601A1", "US6123456B1", "EP1234567A1", "EP1234567B1")]
    write_collection([topic, *others], folder / "patents", {"made": "by hand"})
    return Collection.open(folder / "patents")


def test_judgements_by_claim(tmp_path: Path) -> None:
    collection = a_collection(tmp_path)
    anticipates = {**ENRICHED, "citedDocumentIdentifier": "US 6,123,456", "citationCategoryCode": "X"}
    records = [
        ENRICHED,
        {**anticipates, "relatedClaimNumberText": "1"},
        {**ENRICHED, "citedDocumentIdentifier": "US 6123456", "relatedClaimNumberText": "1-2"},  # also with others
        {**ENRICHED, "citedDocumentIdentifier": "EP 1234567 A2", "relatedClaimNumberText": "7,8"},
        {**ENRICHED, "citedDocumentIdentifier": "US 5000000 A"},
        {**ENRICHED, "patentApplicationNumber": "11111111"},
    ]
    topics = Topics.of([Topic("US9999999B2", "")])
    made = from_rejections(collection, topics, read(tmp_path, records))
    grades = {(claim, document): grade for _, claim, document, grade, _ in made.rows.iter_rows()}
    assert grades == {
        ("1", "US20190165601A1"): 1, ("2", "US20190165601A1"): 1, ("7", "US20190165601A1"): 1,
        ("1", "US6123456B1"): 2, ("2", "US6123456B1"): 1, ("7", "US6123456B1"): 0,
        # A kind that the collection does not have means every publication of that number.
        ("1", "EP1234567A1"): 0, ("2", "EP1234567A1"): 0, ("7", "EP1234567A1"): 1,
        ("1", "EP1234567B1"): 0, ("2", "EP1234567B1"): 0, ("7", "EP1234567B1"): 1,
    }  # fmt: skip
    assert (made.outside, made.unknown_claims, made.absent) == (3, 1, ())
    assert dict(zip(made.rows["claim"], made.rows["weight"], strict=True)) == {"1": 1.0, "2": 0.5, "7": 1.0}
    assert set(made.reasons["statute"]) == {"X", "Y"}


def test_actions_of_other_patents_are_an_error(tmp_path: Path) -> None:
    other = read(tmp_path, {**ENRICHED, "patentApplicationNumber": "11111111"})
    with pytest.raises(MismatchError, match="no topic has a claim that was rejected over a document of the collection"):
        from_rejections(a_collection(tmp_path), Topics.of([Topic("US9999999B2", "")]), other)
