"""`leadline show`, and the pager of long texts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import claim_tree
from leadline.collections.documents.document import Citation, Claim, Document, Priority

FAMILY = (Priority("DE1", "1999-05-01"),)
DOCUMENTS = [
    Document(
        "EP1000001B1", office="EP", serial="1000001", kind="B1", title="Polymer \x1b[31mfilm", abstract="A film.",
        claims=(Claim(1, "A film."), Claim(2, "A film of claim 1, thin.", (1,)), Claim(3, "A nail.")),
        citations=(
            Citation("US5000001A", "examiner", "X"), Citation("US5000001A", "examiner", "Y"),
            Citation("JP1990001A", "applicant"), Citation(text="Smith, Films, 1990"),
        ), priorities=FAMILY, applicants=("Example AG",), ipc=("C08J5/18",),
    ),
    Document("US6000001B1", office="US", serial="6000001", kind="B1", title="Film", priorities=FAMILY),
    Document("US5000001A", office="US", serial="5000001", kind="A", title="Zeolite", publication="1991-03-19"),
]  # fmt: skip


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("show") / "patents"
    write_collection(DOCUMENTS, folder, {"what": "test"})
    return str(folder)


def test_the_page_has_everything(collection: str, office: Any) -> None:
    page, _ = office.run("show", collection, "EP", "1", "000", "001", "B1")
    lines = page.splitlines()
    assert lines[0] == "Polymer \\x1b[31mfilm"
    for line in ("1. A film.", "  2. A film of claim 1, thin.", "3. A nail.", "  Smith, Films, 1990"):
        assert line in lines
    assert "Applicants: Example AG" in page
    assert "  US6000001B1  Film" in lines
    assert "  US5000001A  1991-03-19 · examiner X,Y · Zeolite" in lines
    assert "  JP1990001A  applicant" in lines
    assert "2 documents, 1 in the collection" in page
    cited, _ = office.run("show", collection, "US5000001")
    assert "Cited by" in cited
    assert "EP1000001B1  examiner X,Y" in cited


def test_json_has_the_same(collection: str, office: Any) -> None:
    found = json.loads(office.run("show", collection, "EP1000001B1", "-f", "json")[0])
    assert [(claim["number"], claim["depth"]) for claim in found["claims"]] == [(1, 0), (2, 1), (3, 0)]
    assert [each["number"] for each in found["family"]] == ["US6000001B1"]
    cites = [("US5000001A", True), ("JP1990001A", False)]
    assert [(each["number"], each["inside"]) for each in found["cites"]] == cites
    assert found["literature"] == ["Smith, Films, 1990"]
    rows = office.run("show", collection, "EP1000001B1", "-f", "tsv")[0].splitlines()
    assert rows[0] == "part\tname\ttext"
    assert "claim\t3\tA nail." in rows


def test_an_index_shows_the_documents_of_its_collection(office: Any) -> None:
    page, _ = office.run("show", office.index, "EP1000001B1")
    assert "Antibacterial polymer film" in page


def test_wrong_ids_and_folders(collection: str, office: Any, tmp_path: Path) -> None:
    assert office.error("show", collection, "EP1000002B1").strip().endswith("; did you mean EP1000001B1?")
    assert "is not a collection; `leadline collection build`" in office.error("show", str(tmp_path), "EP1")
    missing = office.error("show", str(Path(office.index).with_name("indes")), "EP1")
    assert f"is not a collection or index, there is no such folder; did you mean {Path(office.index).name}?" in missing
    (tmp_path / "a.run").write_text("")
    assert "is not a collection or index but a file; " in office.error("show", str(tmp_path / "a.run"), "EP1")
    main(["lab", "init", str(tmp_path / "lab"), "-q"])
    assert "is not a collection but a lab; " in office.error("show", str(tmp_path / "lab"), "EP1")


def test_claims_that_refer_to_later_ones_or_to_none() -> None:
    claims = Claim(1, "As 2.", (2,)), Claim(2, "As 1.", (1,)), Claim(3, "As 9.", (9,)), Claim(4, "As 4.", (4,))
    assert [(depth, claim.number) for depth, claim in claim_tree(claims)] == [(0, 1), (1, 2), (0, 3), (0, 4)]
    twice = Claim(1, "a"), Claim(1, "b"), Claim(2, "c", (1,))
    assert [claim.text for _, claim in claim_tree(twice)] == ["a", "c", "b"]


@pytest.mark.parametrize(("pager", "paged"), [("sed s/^/paged:/", True), ("cat", False), ("", False), ("'", False)])
def test_a_long_text_goes_through_the_pager(tmp_path: Path, pager: str, paged: bool) -> None:
    program = (
        "from leadline.commands.shared.terminal_page import write_paged\nwrite_paged('a \\x07 line\\n' * 100, None)"
    )
    control, terminal = pytest.importorskip("pty", reason="no terminals of POSIX").openpty()
    environment = {**os.environ, "PAGER": pager, "LINES": "24", "COLUMNS": "80"}
    command = [sys.executable, "-c", program]
    child = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
    said = b""
    try:
        while part := os.read(control, 65536):
            said += part
    except OSError:  # Linux: the other end is closed
        pass
    os.close(control)
    assert child.wait() == 0
    assert said.count(b"a \\x07 line") == 100
    assert (said.count(b"paged:") == 100) == paged


def test_an_id_in_another_spelling_is_not_a_member_of_its_own_family(office: Any, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"id": "JP2001-123456A", "title": "film"}\n')
    office.run("collection", "build", str(tmp_path / "one.jsonl"), "--keep", "all", "-o", str(tmp_path / "one"))
    assert "Family" not in office.run("show", str(tmp_path / "one"), "JP2001-123456A")[0]


def test_several_documents(collection: str, office: Any) -> None:
    page, _ = office.run("show", collection, "EP", "1", "000", "001", "B1", "US5000001", "US 6 000 001 B1")
    assert [line for line in page.splitlines() if line in ("Polymer \\x1b[31mfilm", "Zeolite", "Film")] == [
        "Polymer \\x1b[31mfilm", "Zeolite", "Film",
    ]  # fmt: skip
    found = json.loads(office.run("show", collection, "EP1000001B1", "US5000001A", "-f", "json")[0])
    assert [each["id"] for each in found] == ["EP1000001B1", "US5000001A"]
    table, _ = office.run("show", collection, "EP1000001B1", "US5000001A", "-f", "tsv")
    assert table.splitlines()[0].split("\t") == ["document", "part", "name", "text"]
    assert office.error("show", collection, "EP1000001B1", "US9").startswith("US9: is not in the collection")
