"""Files in the forms of offices, read as any source, are the same collection; nobody else's files are touched."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

import leadline as ll
from leadline.collections.documents.build import build
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Citation, Claim, Document
from leadline.collections.documents.fields.writing import lines
from leadline.collections.documents.forms import MANIFEST, notes_of, write_forms
from leadline.collections.simulate.office import build_office
from leadline.collections.simulate.printing import office_documents
from leadline.collections.simulate.settings import Settings
from leadline.errors import InputError
from leadline.text.owned_folder import IDENTITY

NAIL = Document("US7412705B2", "US", "7412705", "B2", title="A nail", family="9", claims=(Claim(1, "A nail."),))


@pytest.fixture(scope="module")
def office() -> list[Document]:
    return list(office_documents(build_office(Settings(patents=120, articles=8, seed=5))))


@pytest.fixture(scope="module")
def folder(office: list[Document], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published") / "files"
    write_forms(office, folder)
    return folder


def content(folder: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    del found[IDENTITY]  # has a random id
    return found


def test_the_files_of_all_offices_are_the_same_collection(office: list[Document], folder: Path, tmp_path: Path) -> None:
    build([folder / name for name in ("uspto", "epo", "st36", "jats")], tmp_path / "read", keep="all")
    read = {document.id: document for document in Collection.open(tmp_path / "read").documents()}
    assert len(read) == len(office)
    for document in office:
        found = dataclasses.replace(
            read[document.id],
            citations=tuple(sorted(read[document.id].citations, key=repr)),
            priorities=tuple(sorted(read[document.id].priorities, key=repr)),
        )
        wanted = dataclasses.replace(
            document,
            description=lines(document.description),  # without empty lines
            citations=tuple(sorted(document.citations, key=repr)),
            priorities=tuple(sorted(document.priorities, key=repr)),
        )
        assert dataclasses.asdict(found) == dataclasses.asdict(wanted)


def test_exchange_documents_and_records_are_collections(office: list[Document], folder: Path, tmp_path: Path) -> None:
    for form, count in (("exchange", len(office) - 8), ("ris", len(office))):
        build([folder / form], tmp_path / form, keep="all")
        assert len(Collection.open(tmp_path / form)) == count


def test_the_same_documents_give_the_same_bytes(office: list[Document], folder: Path, tmp_path: Path) -> None:
    write_forms(office, tmp_path / "again")
    assert content(tmp_path / "again") == content(folder)
    assert ll.check(folder) == []


def test_what_was_there_is_replaced(office: list[Document], tmp_path: Path) -> None:
    write_forms(office, tmp_path / "files")
    manifest = write_forms([NAIL], tmp_path / "files", ["uspto"])
    assert set(content(tmp_path / "files")) == {MANIFEST, "uspto/grants-0001.xml"}
    assert list(manifest["files"]) == ["uspto/grants-0001.xml"]
    assert ll.check(tmp_path / "files") == []


def test_files_of_somebody_else_stay(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "uspto").mkdir(parents=True)
    (mine / "uspto" / "grants-0001.xml").write_text("years of work")
    with pytest.raises(InputError, match="has other things in it"):
        write_forms([NAIL], mine)
    write_forms([NAIL], tmp_path / "files")
    (tmp_path / "files" / "uspto" / "notes.txt").write_text("mine")
    (tmp_path / "files" / "uspto" / "grants-0001.xml").unlink()
    write_forms([NAIL], tmp_path / "files")
    assert (tmp_path / "files" / "uspto" / "notes.txt").read_text() == "mine"
    assert (mine / "uspto" / "grants-0001.xml").read_text() == "years of work"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    write_forms([NAIL], tmp_path / "files", ["ris"])
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "files" / "uspto").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"uspto: is a link"):
        write_forms([NAIL], tmp_path / "files")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_a_form_has_no_place_for_is_said(tmp_path: Path) -> None:
    manifest = write_forms(
        [NAIL, dataclasses.replace(NAIL, title="A\x00nail")], tmp_path / "files", ["uspto", "exchange"]
    )
    assert notes_of(manifest) == [
        "exchange: 2 documents; left out: characters that XML does not allow (1), claims (2)",
        "uspto: 2 documents; left out: characters that XML does not allow (1), family (2)",
    ]
    assert json.loads((tmp_path / "files" / MANIFEST).read_text())["forms"] == manifest["forms"]


def test_the_claims_that_a_report_concerns_are_printed(tmp_path: Path) -> None:
    report = (Citation("US5123456A", "examiner", "X"), Citation("", "examiner", "Y", "", "Of nails, 1999"))
    citations = (*report, Citation("US5123456A", "opposition", "Y"), Citation("DE3800001A1", "examiner", "A"))
    nail = dataclasses.replace(NAIL, id="EP0049154A1", office="EP", serial="0049154", kind="A1", citations=citations)
    write_forms([nail], tmp_path / "files", concerned={(nail.id, "US5123456A"): "1-3, 5", ("EP1", "DE3800001A1"): "1"})
    for name in ("epo/epo-0001.xml", "exchange/exchange-0001.xml"):
        markup = (tmp_path / "files" / name).read_text()
        assert "<category>X</category><rel-claims>1-3, 5</rel-claims>" in markup
        assert markup.count("<rel-claims>") == 1
    build([tmp_path / "files" / "epo"], tmp_path / "read", keep="all")
    assert set(Collection.open(tmp_path / "read").document(nail.id).citations) == set(citations)


def test_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no documents to write"):
        write_forms([], tmp_path / "files")
    with pytest.raises(ll.LeadlineError, match="did you mean uspto"):
        write_forms([NAIL], tmp_path / "files", ["ustpo"])
    assert not (tmp_path / "files").exists()
