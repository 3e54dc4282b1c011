"""PAP: applications published in 2001, and odd ones written by hand."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.readers import pap
from leadline.collections.documents.registry import Raw, parse
from leadline.collections.documents.splitting import split

NAIL = b"""<patent-application-publication>
<subdoc-bibliographic-information>
<document-id><doc-number>20020001234</doc-number><kind-code>A1</kind-code>
<document-date>20020103</document-date></document-id>
<domestic-filing-data><application-number><doc-number>09765432</doc-number></application-number>
<filing-date>20010102</filing-date></domestic-filing-data>
<foreign-priority-data><priority-application-number><doc-number>100 12 345.6</doc-number></priority-application-number>
<filing-date>20000315</filing-date><country-code>DE</country-code></foreign-priority-data>
<technical-information>
<classification-ipc><classification-ipc-primary><ipc>F16B015/00</ipc></classification-ipc-primary>
<classification-ipc-secondary><ipc>B21G003/28</ipc></classification-ipc-secondary></classification-ipc>
<classification-us><classification-us-primary><uspc><class>411</class><subclass>042070</subclass></uspc></classification-us-primary>
<classification-us-secondary><uspc><class>2</class><subclass>16100A</subclass></uspc></classification-us-secondary>
<classification-us-secondary><uspc-freeform>52 / 1</uspc-freeform></classification-us-secondary></classification-us>
<title-of-invention>Bent nail of 5 &mgr;m </title-of-invention>
<citation><cited-patent-literature><document-id><doc-number>5422489</doc-number><kind-code>A</kind-code>
<document-date>19950600</document-date></document-id></cited-patent-literature></citation>
<citation><cited-non-patent-literature>On nails, 1996.</cited-non-patent-literature></citation>
</technical-information>
<continuity-data>
<a-371-of-international><parent-child><parent><document-id><doc-number>PCT/DE00/00001</doc-number>
<document-date>20001231</document-date></document-id></parent></parent-child></a-371-of-international>
<continuations><continuation-in-part-of><parent-child><child><document-id><doc-number>09765432</doc-number></document-id></child>
<parent><document-id><doc-number>09111222</doc-number><document-date>19990517</document-date></document-id></parent>
</parent-child></continuation-in-part-of></continuations>
<substitution-for><parent-child><parent><document-id><doc-number>08111222</doc-number></document-id></parent></parent-child></substitution-for>
<non-provisional-of-provisional><document-id><doc-number>60128037</doc-number><document-date>19990406</document-date></document-id></non-provisional-of-provisional>
</continuity-data>
<inventors><first-named-inventor><name><given-name>Jane</given-name><middle-name>Q.</middle-name><family-name> Smith
</family-name><name-suffix>III</name-suffix></name></first-named-inventor>
<inventor><name><family-name>Plato</family-name></name></inventor></inventors>
<assignee><organization-name>Nails &amp; Co.</organization-name></assignee>
</subdoc-bibliographic-information>
<subdoc-abstract><heading>Abstract</heading><paragraph><number>1</number>A nail is bent.</paragraph></subdoc-abstract>
<subdoc-description><summary-of-invention><section><heading>BACKGROUND</heading><paragraph
><number>&lsqb;0001&rsqb;</number> Fe<highlight><subscript>2</subscript></highlight>O
rusts.<table-cwu><number>1</number><table><tgroup><tbody><row><entry>Length</entry><entry>10 mm</entry></row><row
><entry>90&deg;</entry></row></tbody></tgroup></table></table-cwu></paragraph></section></summary-of-invention
></subdoc-description>
<subdoc-claims>
<claim id="CLM-00001"><claim-text><highlight><bold>1</bold></highlight>. A nail, comprising:<claim-text
>a head.</claim-text></claim-text></claim>
<claim id="CLM-00002"><claim-text><highlight><bold>2.</bold></highlight>The nail of <dependent-claim-reference
depends_on="CLM-00001"><claim-text>claim 1</claim-text></dependent-claim-reference>, bent.</claim-text></claim>
<claim id="CLM-00003"><claim-text>3. A wall with the nail of <dependent-claim-reference
depends_on="CLM-00001 CLM-00002">one of these</dependent-claim-reference>.</claim-text></claim>
<claim id="CLM-00004"><claim-text>4. The wall of claim 3.</claim-text></claim>
</subdoc-claims>
</patent-application-publication>"""


def _read(content: bytes) -> Document:
    return pap.read(parse(pap.prepare(content)))


@pytest.fixture(scope="module")
def nail() -> Document:
    return _read(NAIL)


def test_an_application(nail: Document) -> None:
    assert (nail.id, nail.office, nail.serial, nail.kind) == ("US20020001234A1", "US", "20020001234", "A1")
    assert nail.title == "Bent nail of 5 μm"
    assert (nail.publication, nail.application_number) == ("2002-01-03", "US09765432")
    assert nail.application == "2000-12-31"  # by the international route
    assert nail.ipc == ("F16B15/00", "B21G3/28")
    assert nail.national == ("411/42.07", "2/161A", "52/1")
    assert (nail.applicants, nail.inventors) == (("Nails & Co.",), ("Smith, Jane Q., III", "Plato"))


def test_priorities_are_foreign_ones_parents_and_provisionals_but_no_substitutes(nail: Document) -> None:
    assert nail.priorities == (
        Priority("DE10012345", "2000-03-15"),
        Priority("US09111222", "1999-05-17"),
        Priority("US60128037", "1999-04-06"),
    )


def test_the_international_application_is_the_priority_where_nothing_is_claimed() -> None:
    begin, end = NAIL.index(b"<continuations>"), NAIL.index(b"</continuity-data>")
    alone = NAIL[:begin].replace(b"foreign-priority-data", b"no-data") + NAIL[end:]
    assert _read(alone).priorities == (Priority("WODE2000000001W", "2000-12-31"),)


def test_citations_are_the_applicants(nail: Document) -> None:
    assert nail.citations == (
        Citation("US5422489A", "applicant", date="1995-06"),
        Citation(origin="applicant", text="On nails, 1996."),
    )


def test_text(nail: Document) -> None:
    assert nail.abstract == "A nail is bent."
    assert nail.description.split("\n") == ["BACKGROUND", "Fe2O rusts.", "Length 10 mm", "90°"]
    assert nail.claims == (
        Claim(1, "A nail, comprising: a head."),
        Claim(2, "The nail of claim 1, bent.", (1,)),
        Claim(3, "A wall with the nail of one of these.", (1, 2)),
        Claim(4, "The wall of claim 3.", (3,)),
    )


def test_little_is_enough() -> None:
    ends = b"<what/></subdoc-bibliographic-information></patent-application-publication>"
    assert _read(NAIL[: NAIL.index(b"<domestic")] + ends) == Document(
        "US20020001234A1", "US", "20020001234", "A1", "en", publication="2002-01-03"
    )


@pytest.mark.parametrize("inside", [b"", b"<subdoc-bibliographic-information/>", b"<document-id>2001</document-id>"])
def test_an_application_without_a_number_is_refused(inside: bytes) -> None:
    with pytest.raises(ValueError, match="no publication number"):
        _read(b"<patent-application-publication>" + inside + b"</patent-application-publication>")


def test_an_application_that_is_cut_is_refused() -> None:
    with pytest.raises(ValueError, match="Premature end"):
        _read(NAIL[: NAIL.index(b" A wall")])


@given(st.binary())
def test_anything_is_read_or_refused(noise: bytes) -> None:
    with suppress(ValueError):
        assert _read(NAIL.replace(b"<subdoc-claims>", b"<subdoc-claims>" + noise)).id == "US20020001234A1"


def _sample(shared: Path, name: str) -> Document:
    path = shared / "patents/uspto_forms/pap" / f"{name}.xml"
    raw = next(split(iter([path.read_bytes()])))
    assert isinstance(raw, Raw)
    return _read(raw.content)


def test_a_business_of_2001(shared: Path) -> None:
    business = _sample(shared, "US20010000044A1")
    assert (business.id, business.kind) == ("US20010000044A1", "A1")
    assert business.title.startswith("Systems and Methods For Transacting Business Over A Global")
    assert (business.application, business.publication, business.priorities) == ("1999-06-29", "2001-03-15", ())
    assert (business.ipc, business.national) == (("G06F17/60",), ("705/26", "705/37"))
    assert business.applicants == business.inventors == ("Lin, Wayne W",)
    assert business.citations == ()
    assert [claim.parents for claim in business.claims] == [
        *((), (1,), (1,), (3,), (4,), (1,), (1,), (1,), (1,), (1,), (1,), (1,)),
        *((), (13,), (13,), (13,), (16,), (13,), (), (19,), (20,)),
    ]
    assert business.abstract.startswith("A business model / process is described")
    assert business.description.startswith("Field OF Invention\nThe present invention relates generally")


def test_a_light_of_2001(shared: Path) -> None:
    light = _sample(shared, "US20010000943A1")
    assert light.title == "Organic electroluminescence device and method of manufacturing same"
    assert (light.application, light.publication, light.priority) == ("2000-12-04", "2001-05-10", "2000-04-04")
    assert [(priority.number[:2], priority.date) for priority in light.priorities] == [
        *(("JP", "1999-04-05"), ("WO", "2000-04-04"))
    ]
    assert (light.ipc, light.national) == (("H01J1/62",), ("313/503", "313/504"))
    assert (light.applicants, light.inventors) == (("IDEMITSU KOSAN CO., LTD.",), ("Fukuoka, Kenichi", "Eida, Mitsura"))
    assert [claim.parents for claim in light.claims] == [
        *((), (1,), (2,), (2,), (2,), (1,), (1,), (), (), (1,), (), (11,), (11, 12))
    ]
    assert " or both: Min−20 nm<t<Min +20 nm (a) Max−20 nm<t<Max +20 nm (b) wherein t is" in light.claims[0].text
    assert "\nTABLE 1\nExample Comparative Example\n1 2 3 4 5 6 1 2 3 4\n" in light.description


def test_a_conference_of_2001(shared: Path) -> None:
    conference = _sample(shared, "US20010009014A1")
    assert conference.title == "Facilitating real-time, multi-point communications over the internet"
    assert (conference.application, conference.publication) == ("2001-02-05", "2001-07-19")
    assert conference.priorities == (
        Priority("US09432885", "1999-11-02"),
        Priority("US09312927", "1999-05-17"),
        Priority("US60128037", "1999-04-06"),
    )
    assert (conference.ipc, conference.national) == (("G06F15/16",), ("709/204", "709/227"))
    assert conference.inventors == ("Savage, James A., III", "Muller, Sophie")
    assert len(conference.claims) == 55
    assert sum(len(claim.parents) for claim in conference.claims) == 41  # as many as there are references
    assert conference.claims[52].parents == (49,)
    assert conference.claims[0].text.startswith("A method for facilitating communication between a plurality")
    assert "[0001]" not in conference.description
