"""Mappings: the shapes that others write, the slips of those who write mappings, and the shapes at hand."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.fields.mapping import Mapping, mapping_of, read_mapping
from leadline.collections.documents.fields.record_fields import repair_utf8
from leadline.errors import InputError

EXAMPLES = Path(__file__).parents[3] / "examples"


def mapped(fields: dict[str, Any], record: Any, **more: Any) -> Document:
    return mapping_of({"fields": {"id": "id"} | fields, **more}, "my.toml").read(record)


def test_paths_lead_into_objects_and_through_lists() -> None:
    record = {
        "id": "EP1B1",
        "biblio": {"title": [{"text": "A nail"}, {"text": "Ein Nagel"}], "people": [{"name": "A"}, {"name": "B"}]},
        "pub.date": "19980812",
        "ipc": {"main": [["F16B 15/00"], ["nails", None]]},
    }
    fields = {
        "title": "biblio.title.0.text",
        "abstract": ["biblio.nothing", "biblio.title.1.text", "biblio.title.0.text"],
        "description": "biblio.title.7.text",
        "inventors": "biblio.people.name",
        "publication": "pub.date",
        "ipc": "ipc.main",
    }
    document = mapped(fields, record)
    assert (document.title, document.abstract, document.description) == ("A nail", "Ein Nagel", "")
    assert document.inventors == ("A", "B")
    assert document.publication == "1998-08-12"
    assert document.ipc == ("F16B15/00",)


def test_texts_are_divided_chosen_translated_and_stood_in_for() -> None:
    fields = {
        "title": {"path": "title", "separator": " | ", "take": "first"},
        "applicants": {"path": "owners", "separator": ";"},
        "language": {"path": "lang", "values": {"ENG": "en"}, "value": "de"},
        "office": {"value": "US"},
    }
    document = mapped(fields, {"id": "7412705", "title": "A nail | 钉子", "owners": " A ;; B ", "lang": "ENG"})
    assert (document.title, document.applicants, document.language) == ("A nail", ("A", "B"), "en")
    assert (document.id, document.office, document.serial) == ("7412705", "US", "7412705")
    assert mapped(fields, {"id": "1"}).language == "de"


def test_paragraphs_keep_their_lines() -> None:
    fields = {"description": "text"}
    assert mapped(fields, {"id": "X1", "text": " one\r\n\r\ntwo "}).description == "one\n\ntwo"
    assert mapped(fields, {"id": "X1", "text": ["one", None, "two"]}).description == "one\ntwo"


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"id": "US 7,412,705 B2"}, ("US7412705B2", "US", "7412705", "B2")),
        ({"id": "US07412705B2"}, ("US07412705B2", "US", "7412705", "B2")),
        ({"id": "doc17", "pn": "EP 49154 B2"}, ("doc17", "EP", "0049154", "B2")),
        ({"pn": "EP 49154 B2"}, ("EP0049154B2", "EP", "0049154", "B2")),
        ({"id": 17}, ("17", "", "", "")),
    ],
)
def test_the_id_stays_and_the_number_is_normalised(record: dict[str, Any], expected: tuple[str, ...]) -> None:
    document = mapped({"number": "pn"}, record)
    assert (document.id, document.office, document.serial, document.kind) == expected


def test_claims_in_every_shape() -> None:
    bent = "The nail of claim 1, bent."
    expected = (Claim(1, "A nail."), Claim(2, bent, (1,)))
    assert mapped({"claims": "c"}, {"id": "X", "c": f"What is claimed is: 1. A nail. 2. {bent}"}).claims == expected
    assert mapped({"claims": "c"}, {"id": "X", "c": ["A nail.", bent]}).claims == expected
    assert mapped({"claims": "c"}, {"id": "X", "c": ["A nail."]}).claims == expected[:1]
    assert mapped({"claims": {"path": "c", "separator": "\n"}}, {"id": "X", "c": f"A nail.\n{bent}"}).claims == expected
    objects = {"id": "X", "c": [{"n": "1", "t": "A nail."}, {"n": 2, "t": [bent], "on": ["1"]}]}
    assert mapped({"claims": {"path": "c", "number": "n", "text": "t"}}, objects).claims == expected
    assert mapped({"claims": {"path": "c", "text": "t", "parents": "on"}}, objects).claims == expected
    assert mapped({"claims": "c"}, {"id": "X", "c": None}).claims == ()


def test_priorities_as_objects_or_side_by_side() -> None:
    first, second = Priority("US60324037", "2001-09-21"), Priority("", "2000-01-02")
    objects = {"id": "X", "p": [{"n": "60324037", "c": "US", "d": "21.09.2001"}, {"d": "20000102"}]}
    fields = {"path": "p", "number": "n", "office": "c", "date": "d"}
    assert mapped({"priorities": fields}, objects).priorities == (first, second)
    beside = {"id": "X", "n": "US60324037", "d": "2001-09-21 | 2000-01-02"}
    assert mapped({"priorities": {"number": "n", "date": "d", "separator": "|"}}, beside).priorities == (first, second)


def test_citations_from_several_places_with_their_origins() -> None:
    record = {
        "id": "X",
        "report": "US 7,147,303 B2; EP49154B2",
        "refs": [
            {"doc": "7130934", "cc": "US", "by": "E", "cat": "Y", "date": "200610"},
            {"doc": "US7111521", "by": "S"},
            {"doc": "US7148772", "by": "?"},
        ],
        "papers": ["Nail, Journal of Nails, 1998"],
    }
    codes = {"path": "by", "values": {"E": "examiner"}, "drop": ["S"]}
    fields = [
        {"path": "report", "separator": ";", "origin": {"value": "opposition"}},
        {"path": "refs", "number": "doc", "office": "cc", "origin": codes, "category": "cat", "date": "date"},
        {"path": "papers", "of": "literature"},
    ]
    assert mapped({"citations": fields}, record).citations == (
        Citation("US7147303B2", "opposition"),
        Citation("EP0049154B2", "opposition"),
        Citation("US7130934", "examiner", "Y", "2006-10"),
        Citation("US7148772"),
        Citation(text="Nail, Journal of Nails, 1998"),
    )


def test_literature_among_patents_is_literature() -> None:
    cited = mapped({"citations": "cites"}, {"id": "X", "cites": ["Nail et al. 1998", "US1"]}).citations
    assert cited == (Citation(text="Nail et al. 1998"), Citation("US1"))


def test_who_cites_it() -> None:
    mapping = mapping_of({"fields": {"id": "id", "citers": {"path": "by", "separator": ";"}}}, "my.toml")
    read = mapping.read({"id": "X", "by": "US 7,412,705 B2;EP49154B2"})
    assert read == Document("X", citers=("US7412705B2", "EP0049154B2"))


def test_paths_that_a_record_lacks_can_be_told() -> None:
    fields = {"id": "id", "title": "tittle", "citations": "a.b", "priorities": {"date": "when"}}
    assert mapping_of({"fields": fields}, "my.toml").absent({"id": 1, "a": 2}) == ("tittle", "when")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "is a list, expected a record with names"),
        ("X", "is 'X', expected a record with names"),
        ({"title": "A nail"}, "id: missing"),
        ({"id": "no number"}, "id: 'no number' has a blank, which runs and judgements cannot hold"),
        ({"id": "X", "title": {"en": "A nail"}}, "title: an object, expected a text"),
        ({"id": "X", "title": True}, "title: true, expected a text"),
    ],
)
def test_a_record_that_cannot_be_read(record: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        mapped({"title": "title"}, record)


plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
keys = st.sampled_from(
    ["doc_id", "biblio", "claims", "references", "search_report", "abstract", "doc", "by", "num", "text"]
)
objects = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4))


@given(st.dictionaries(keys, objects))
def test_any_record_is_a_document_or_a_value_error(record: dict[str, Any]) -> None:
    mapping = read_mapping(EXAMPLES / "template.toml")
    try:
        assert mapping.read({"doc_id": "X"} | record).id
    except ValueError as error:
        assert type(error) is ValueError, error  # noqa: PT017


def test_deep_nesting_is_refused() -> None:
    deep: Any = "A nail"
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(ValueError, match="is nested too deeply"):
        mapped({"title": "title"}, {"id": "X", "title": deep})


def test_dates_and_classes_that_are_none_are_left_out() -> None:
    document = mapped({"publication": "d", "ipc": "c"}, {"id": "X", "d": "unknown", "c": ["nails", "F16B"]})
    assert (document.publication, document.ipc) == ("", ("F16B",))


@given(st.text())
def test_mending_undoes_what_a_wrong_encoding_did(text: str) -> None:
    try:
        spoilt = text.encode().decode("latin-1")
    except UnicodeError:
        return
    assert repair_utf8(spoilt) == text


@given(st.text(st.characters(max_codepoint=0x7F)) | st.text(st.characters(min_codepoint=0x2100)))
def test_mending_leaves_other_texts_alone(text: str) -> None:
    assert repair_utf8(text) == text


def test_mending_is_for_all_texts() -> None:
    record = {"id": "X", "t": "dÃ©crit &amp; dit", "who": ["AndrÃ©"]}
    document = mapped({"title": "t", "inventors": "who"}, record, mend=["utf8", "entities"])
    assert (document.title, document.inventors) == ("décrit & dit", ("André",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"field": {}}, "field: unknown; did you mean fields?"),
        ({"fields": {}}, "fields.id: missing; say where the document's name is"),
        ({"fields": 1}, "fields: 1, expected a table"),
        ({"fields": {"id": 1}}, "fields.id: 1, expected a text"),
        ({"fields": {"id": ""}}, "fields.id: '', expected a text"),
        ({"fields": {"id": {}}}, "fields.id: needs a path or a value"),
        ({"fields": {"id": {"pth": "x"}}}, "fields.id.pth: unknown; did you mean path?"),
        ({"fields": {"id": "id", "claim": "x"}}, "fields.claim: unknown; did you mean claims?"),
        ({"fields": {"id": {"path": "x", "take": "last"}}}, "fields.id.take: 'last' is not one of all, first"),
        ({"fields": {"id": {"path": "x", "values": {"a": 1}}}}, "fields.id.values.a: 1, expected a text"),
        (
            {"fields": {"id": "id", "citations": {"path": "c", "origin": {"value": "examinor"}}}},
            "fields.citations.origin: 'examinor' is not one of applicant, examiner, opposition, third party, unknown; "
            "did you mean examiner?",
        ),
        (
            {"fields": {"id": "id", "citations": [{"path": "c", "of": "x"}]}},
            "fields.citations[0].of: 'x' is not one of patents, literature",
        ),
        (
            {"fields": {"id": "id", "priorities": {"separator": "|"}}},
            "fields.priorities: needs a path, or paths of its parts: number, office, kind, date",
        ),
        (
            {"fields": {"id": "id"}, "keep": ["abstracts"]},
            "keep: 'abstracts' is not one of claims, description, abstract, title, all; did you mean abstract?",
        ),
        ({"fields": {"id": "id"}, "mend": "utf-8"}, "mend: 'utf-8' is not one of utf8, entities; did you mean utf8?"),
        ({"fields": {"id": "id"}, "tables": {"citation": {}}}, "tables.citation: unknown; did you mean citations?"),
        ({"fields": {"id": "id"}, "tables": {"citations": {}}}, "tables.citations.file: None, expected a text"),
        (
            {"fields": {"id": "id"}, "tables": {"families": {"file": "f", "family": "x"}}},
            "tables.families: name both columns, family and member; or neither, for a family a line",
        ),
    ],
)
def test_slips_in_a_mapping_are_named(content: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^my.toml: {re.escape(message)}$"):
        mapping_of(content, "my.toml")


def test_files_that_are_no_mapping(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    path.write_text("keep = 1\n[fields\n")
    with pytest.raises(InputError, match=r"my\.toml:2: is not readable TOML"):
        read_mapping(path)
    path.write_bytes(b"keep = '\xff'")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_mapping(path)
    with pytest.raises(InputError, match="no such file"):
        read_mapping(tmp_path / "other.toml")


def write(folder: Path, **files: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)


def with_tables(folder: Path, **tables: dict[str, Any]) -> Mapping:
    return mapping_of({"fields": {"id": "id"}, "tables": tables}, str(folder / "my.toml"))


def test_tables_beside_the_source_come_before_those_beside_the_mapping(tmp_path: Path) -> None:
    source, home = tmp_path / "source", tmp_path / "home"
    write(home, cites_tsv="citing\tcited\nUS1\tUS2\n", families_tsv="F0\tUS1 EP49154B2\n")
    write(source, cites_tsv="citing\tcited\nUS3\tUS 7,412,705 B2\n")
    mapping = with_tables(home, citations={"file": "cites.tsv"}, families={"file": "families.tsv"})
    tables = pickle.loads(pickle.dumps(mapping)).side_tables(source)
    assert tables["citations"].rows() == [("US3", "US7412705B2", "unknown", "", "")]
    assert tables["families"].rows() == [("F0", "US1"), ("F0", "EP0049154B2")]
    assert mapping_of({"fields": {"id": "id"}}, "my.toml").side_tables(source) == {}
    with pytest.raises(InputError, match=r"other.tsv: no such file, neither in .*source nor beside the mapping"):
        with_tables(home, citations={"file": "other.tsv"}).side_tables(source)


def test_citations_beside_have_origins_categories_and_dates(tmp_path: Path) -> None:
    write(tmp_path, c_csv="a,b,how,when,cat\nUS1,US2,E,20061001,X\nUS1,US3,S,,\nUS1,US4,Z,soon,A\nUS1,,E,,\n")
    origin = {"path": "how", "values": {"E": "examiner"}, "drop": ["S"]}
    table = {"file": "c.csv", "citing": "a", "cited": "b", "origin": origin, "category": "cat", "date": "when"}
    rows = with_tables(tmp_path, citations=table).side_tables(tmp_path)["citations"].rows()
    assert rows == [("US1", "US2", "examiner", "X", "2006-10-01"), ("US1", "US4", "unknown", "A", "")]
    fixed = table | {"origin": {"value": "applicant"}}
    rows = with_tables(tmp_path, citations=fixed).side_tables(tmp_path)["citations"].rows()
    assert {row[2] for row in rows} == {"applicant"}
    with pytest.raises(InputError, match=r"tables.citations.cited: c.csv has no column 'cited'; it has a, b, how"):
        with_tables(tmp_path, citations={"file": "c.csv", "citing": "a"}).side_tables(tmp_path)


def test_families_beside_as_rows_or_lines(tmp_path: Path) -> None:
    write(tmp_path, rows_csv="family,member\n7,US1\n7,EP49154\n", lines_tsv="F0\tUS1  US2\n\nF1\tUS3,US4\n")
    rows = {"file": "rows.csv", "family": "family", "member": "member"}
    assert with_tables(tmp_path, families=rows).side_tables(tmp_path)["families"].rows() == [
        ("7", "US1"),
        ("7", "EP0049154"),
    ]
    lines = with_tables(tmp_path, families={"file": "lines.tsv"}).side_tables(tmp_path)["families"]
    assert lines.rows() == [("F0", "US1"), ("F0", "US2"), ("F1", "US3"), ("F1", "US4")]
    write(tmp_path, lines_tsv="F0\tUS1\nF1 US2\n")
    with pytest.raises(InputError, match=r"lines\.tsv:2: expected a family, a tab and its members"):
        with_tables(tmp_path, families={"file": "lines.tsv"}).side_tables(tmp_path)


def test_the_template_reads_what_it_describes(tmp_path: Path) -> None:
    record = {
        "doc_id": "doc17",
        "biblio": {
            "publication_number": "49154",
            "country": "EP",
            "kind": "B2",
            "title": "A nail",
            "language": "GER",
            "ipc": "F16B 15/00; B21G 3/00",
            "applicants": [{"name": "Nails Ltd"}],
            "filed": "29.09.1981",
            "priorities": [{"number": "US203832", "date": "1980-11-04"}],
        },
        "abstract": "It is dÃ©crit | 钉子",
        "claims": [{"num": 1, "text": "A nail."}],
        "search_report": [{"doc": "US2093261", "cat": "X"}],
        "references": [{"doc": "1", "country": "US", "by": "A"}, {"doc": "2", "country": "US", "by": "X"}],
        "other_references": ["Nail, 1998"],
        "family_members": ["US4382867"],
    }
    mapping = read_mapping(EXAMPLES / "template.toml")
    assert mapping.read(record) == Document(
        id="doc17",
        office="EP",
        serial="0049154",
        kind="B2",
        language="de",
        title="A nail",
        abstract="It is décrit",
        claims=(Claim(1, "A nail."),),
        ipc=("F16B15/00", "B21G3/00"),
        priorities=(Priority("US203832", "1980-11-04"),),
        application="1981-09-29",
        citations=(Citation("US2093261", "examiner", "X"), Citation("US1", "applicant"), Citation(text="Nail, 1998")),
        relatives=("US4382867",),
        applicants=("Nails Ltd",),
    )
    write(tmp_path, citations_tsv="citing\tcited\ttype\tcategory\tcited_date\nUS1\tUS2\tSEA\tX\t1998\n")
    write(tmp_path, families_csv="family,member\nF,US1\n")
    tables = mapping.side_tables(tmp_path)
    assert tables["citations"].rows() == [("US1", "US2", "examiner", "X", "1998")]
    assert tables["families"].rows() == [("F", "US1")]
