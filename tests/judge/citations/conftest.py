"""A small patent office by hand, with every case in which citations could mislead."""

from __future__ import annotations

from typing import Any

import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.numbers import normalise

CITES = [
    Citation("US5000001A", "examiner", "X"),
    Citation("US5000001A", "applicant"),  # the same document, by another
    Citation("EP0500002", "examiner", "Y"),  # no kind: the A1 and the B1
    Citation("EP0500003A", "applicant"),  # a kind that is not there
    Citation("EP0500004A1", "examiner", "A"),  # this publication, and not the B1
    Citation("DE3900005A1", "examiner", "A"),  # outside; its family is told by a member inside
    Citation("DE3900006C2", "third party"),  # the same, under another kind than the family lists
    Citation("US5000007A", "opposition", "XP"),  # with a family member inside
    Citation("EP1000000A1", "examiner"),  # itself
    Citation("US6100000B1", "applicant"),  # its own family
    Citation("US5000008A", "applicant"),  # published on the very day
    Citation("US5000009A", "applicant"),  # published the day after
    Citation("US5000010A", "applicant"),  # no publication date, filed before
    Citation("US5000011A", "applicant"),  # no publication date, filed after
    Citation("US5000012A", "unknown"),  # no date at all
    Citation("US4999999A", "examiner", "X"),  # nothing is known of it
    Citation(text="Smith, On ink, 1990."),
]


def _document(number: str, publication: str = "", *, filed: str = "", title: str = "", **more: Any) -> Document:
    spelt = normalise(number)
    claims = more.pop("claims", (Claim(1, "An ink."),))
    return Document(
        number, spelt.office, spelt.serial, spelt.kind, "en", title or f"Ink {number}", "About ink.",
        application=filed, publication=publication, claims=claims, **more,
    )  # fmt: skip


TOPIC = _document(
    "EP1000000A1", "2001-12-01", filed="2000-12-01", ipc=("C09D11/00",), citations=tuple(CITES),
    family="ink", relatives=("JP2001900001A",),
    priorities=(Priority("EP99900001", "1999-06-01"), Priority("EP00900001", "2000-06-01")),
    claims=(
        Claim(1, "An ink comprising hyperbranched polyesteramide and pigment."),
        Claim(2, "The ink of claim 1, wherein the pigment is cobalt aluminate.", (1,)),
    ),
)  # fmt: skip

DOCUMENTS = [
    TOPIC,
    _document(
        "US6100000B1",
        "2002-05-05",
        filed="2000-12-01",
        priorities=TOPIC.priorities,
        family="ink",
        citations=(
            Citation("US5000001A", "examiner"),  # which the topic cites too
            Citation("US5000013A", "applicant"),
            Citation("EP0500014A1", "examiner"),  # whose family member must not follow by rule 3
            Citation("EP1000000A1", "examiner"),  # the topic
        ),
    ),
    _document("US5000001A", "1995-01-01", citations=(Citation("EP1000000A1", "applicant"),)),  # a circle
    _document("EP0500002A1", "1993-01-01"),
    _document("EP0500002B1", "1999-01-01"),
    _document("EP0500003A1", "1993-02-01"),
    _document("EP0500004A1", "1993-03-01"),
    _document("EP0500004B1", "1998-03-01"),
    _document("US5000005A", "1991-01-01", relatives=("DE3900005A1",)),
    _document("US5000006A", "1991-02-01", relatives=("DE3900006A1",)),
    _document("US5000007A", "1991-03-01", priorities=(Priority("US07000007", "1989-01-01"),)),
    _document("WO1990000007A1", "1990-03-01", priorities=(Priority("US07000007", "1989-01-01"),)),
    _document("US5000008A", "2000-06-01"),
    _document("US5000009A", "2000-06-02"),
    _document("US5000010A", filed="1998-01-01"),
    _document("US5000011A", filed="2000-06-02"),
    _document("US5000012A"),
    _document("US5000013A", "1994-01-01"),
    # Cited by a family member of the topic that is not in the collection itself.
    _document("US5000015A", "1994-05-01", citers=("JP2001900001A",)),
    _document("EP0500014A1", "1994-02-01", priorities=(Priority("FR9300014", "1993-01-01"),)),
    _document("FR2700014A1", "1994-03-01", priorities=(Priority("FR9300014", "1993-01-01"),)),
    _document("US7000021B2", citations=(Citation("US5000013A", "examiner"),)),  # a topic without a date
    _document("US7000022B2", "1981-01-01", filed="1980-01-01", citations=(Citation("US5000009A", "examiner"),)),
    _document("US7000023B2", "2004-01-01", filed="2003-01-01"),  # cites nothing
]


@pytest.fixture(scope="session")
def patents(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("patents")
    write_collection(DOCUMENTS, folder, {"sources": "by hand"})
    return Collection.open(folder)
