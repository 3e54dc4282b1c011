"""Cases: what follows from what people did, several at once, taking back, signing, new hits, and the chart."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.show.lab.desks import NEW, nail_lab

from leadline.cli import main
from leadline.errors import InputError
from leadline.show.check import check, examine
from leadline.show.lab.case import CASE_STORE, CaseFile, Cases, read_features, read_grades
from leadline.show.lab.case_search import (
    ColouredWords,
    add_query,
    add_strategy,
    chart_documents,
    features_of,
    look_through,
    offered_passages,
    queries_found,
    split_claim,
    topic_of,
)
from leadline.show.lab.lab import Lab, Viewer, seen_by
from leadline.show.lab.opened import OpenedLab
from leadline.text.store.store import Store

ANNA, BEN = ("anna", "assessor"), ("ben", "organiser")
PATENT = "EP0000009A1"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nails")
    nail_lab(folder)
    return folder


@pytest.fixture
def lab(made: Path, tmp_path: Path) -> Lab:
    shutil.copytree(made, tmp_path / "nails")
    return Lab.open(tmp_path / "nails" / "lab")


@pytest.fixture
def case(lab: Lab) -> CaseFile:
    return Cases(lab).begin(*ANNA, index="words", patent=PATENT, title="The bent nail")


def test_a_case_is_of_a_patent_or_of_a_question(lab: Lab, case: CaseFile) -> None:
    assert case.name == PATENT
    asked = Cases(lab).begin(*BEN, index="words", question="How are nails bent?")
    assert (asked.name, asked.read().subject) == ("how-are-nails-bent", "How are nails bent?")
    assert {each.name for each in Cases(lab)} == {PATENT, "how-are-nails-bent"}
    for wrong in ({}, {"patent": PATENT, "question": "both?"}, {"patent": PATENT, "name": "../x"}):
        with pytest.raises(InputError):
            Cases(lab).begin(*ANNA, index="words", title="x", **wrong)
    with pytest.raises(InputError, match="did you mean"):
        Cases(lab).read("EP0000009")


def test_marks_are_of_people_and_are_taken_back(case: CaseFile) -> None:
    case.do(*ANNA, "grade", document="EP0000001A1", grade="X")
    case.do(*BEN, "grade", document="EP0000001A1", grade="Y")
    case.do(*ANNA, "tag", document="EP0000002A1", tag="head")
    case.do(*ANNA, "note", document="EP0000001A1", text="Look at the tip.")
    case.do(*ANNA, "read", documents=["EP0000003A1"])
    now = case.do(*BEN, "list", document="EP0000002A1")
    assert [(each.id, each.grade) for each in now.shortlist] == [("EP0000001A1", "Y"), ("EP0000002A1", "")]
    assert now.documents["EP0000001A1"].graded.by == "ben"
    assert now.documents["EP0000003A1"].read["anna"].by == "anna"
    now = case.do(*BEN, "undo")  # the last of his own
    assert [each.id for each in now.shortlist] == ["EP0000001A1"]
    now = case.do(*BEN, "undo")
    assert now.documents["EP0000001A1"].grade == "X"  # hers is there again
    with pytest.raises(InputError, match="nothing of yours"):
        case.do(*BEN, "undo")
    hers = next(each.uid for each in now.events if each.said["kind"] == "grade" and each.said["person"] == "anna")
    with pytest.raises(InputError, match="nothing of yours"):
        case.do(*BEN, "undo", target=hers)
    assert len(now.events) == 9  # nothing is lost


def test_what_is_sent_twice_is_stored_once(case: CaseFile) -> None:
    for _ in range(2):
        now = case.do(*ANNA, "note", uid="the-same-1", document="", text="One.")
    assert [text for text, _ in now.notes] == ["One."]


def test_grades_of_ones_own(case: CaseFile) -> None:
    with pytest.raises(InputError, match="is not one of X, Y, A, 0"):
        case.do(*ANNA, "grade", document="EP0000001A1", grade="P")
    case.do(*ANNA, "grades", text="P 1 published in between")
    now = case.do(*ANNA, "grade", document="EP0000001A1", grade="P")
    assert now.value_of(now.documents["EP0000001A1"]) == 1
    for wrong in ("P", "P 9 too much", "X 1 taken", "P 1\nP 2"):
        with pytest.raises(InputError):
            read_grades(wrong)
    for wrong in ("nail", "1: a\n1: b", "1:"):
        with pytest.raises(InputError):
            read_features(wrong)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("grade", {"document": "", "grade": "X"}), ("note", {"text": ""}), ("note", {"text": 7}),
        ("tick", {"feature": "1", "document": "EP0000001A1", "where": "", "passage": ""}), ("looked", {"number": 3}),
        ("tag", {"document": "EP0000001A1", "tag": "x" * 41}), ("list", {"document": "EP0000001A1", "on": "yes"}),
        ("read", {"documents": []}), ("reopen", {"why": "x"}), ("begin", {}), ("nothing", {}),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_and_not_stored(case: CaseFile, kind: str, said: dict[str, object]) -> None:
    before = case.read().head
    with pytest.raises(InputError):
        case.do(*ANNA, kind, **said)
    assert case.read().head == before


def test_people_at_once_lose_nothing(case: CaseFile) -> None:
    def work(person: int) -> None:
        for number in range(10):
            case.do(f"p{person}", "assessor", "note", document=f"D{number}", text=f"{person} {number}")

    code = (
        "import sys; from pathlib import Path; from leadline.show.lab.case import CaseFile\n"
        "for n in range(10): CaseFile(Path(sys.argv[1])).do('other', 'assessor', 'note', document=f'D{n}', text='x')"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(case.path)])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert other.wait(60) == 0
    now = case.read()
    assert sum(len(each.notes) for each in now.documents.values()) == 50
    assert not check(case.path)


def test_a_signed_case_is_closed_and_its_signature_is_of_its_chain(case: CaseFile) -> None:
    before = case.do(*ANNA, "grade", document="EP0000001A1", grade="X").head
    signed = case.do(*BEN, "sign", statement="I searched this.").signature
    assert signed is not None
    assert (signed.act.by, signed.head.hash, signed.head.events) == ("ben", before.hash, before.events)
    for kind in ("note", "undo", "read", "sign"):
        with pytest.raises(InputError, match=r"was signed by ben.*reopen it first"):
            case.do(*ANNA, kind, text="More.", documents=["D"])
    now = case.do(*ANNA, "reopen", why="A new document.")
    assert now.signature is None
    case.do(*ANNA, "note", text="More.")
    assert not check(case.path)
    with Store.open(case.path, CASE_STORE, write=True) as store, store.change() as inside:
        inside.events.append("sign", person="eve", role="", statement="", head="0" * 64, events=3)
    assert "the signature of eve is of other events" in check(case.path)[0].problem


def test_a_damaged_case_and_one_that_is_gone_are_found(lab: Lab, case: CaseFile) -> None:
    case.do(*ANNA, "note", text="One.")
    assert (examine(case.path).kind, check(case.path), check(lab.folder)) == ("case of a lab", [], [])
    content = bytearray(case.path.read_bytes())
    content[content.index(b"One.")] ^= 1
    case.path.write_bytes(content)
    assert str(case.path) in {each.path for each in check(lab.folder)}
    case.path.unlink()
    assert [each.problem for each in check(lab.folder)] == ["is missing, with everything that was done in the case"]


def test_in_a_blind_lab_people_see_the_cases_they_work_on(lab: Lab, case: CaseFile) -> None:
    lab.set_blind(True)
    for name, role, seen in (("anna", "assessor", 1), ("ben", "assessor", 0), ("olga", "organiser", 1)):
        with seen_by(Viewer(name, role)):
            assert len(list(Cases(lab))) == seen
            if not seen:
                with pytest.raises(InputError, match="is not among the cases"):
                    Cases(lab).file(case.name)


def test_queries_are_numbered_combined_and_pasted(lab: Lab, case: CaseFile) -> None:
    opened = OpenedLab(lab)
    add_query(opened, case, *ANNA, "nail")
    add_query(opened, case, *ANNA, "title:round OR glue")
    add_query(opened, case, *BEN, "#1 NOT #2")
    now = add_strategy(opened, case, *BEN, "1. tin.ti,ab,de.\n2. nail$.ti.\n3. 1 and 2\n", "ovid")
    found = {each.query.number: each.line for each in queries_found(opened, now)}
    assert list(found) == [1, 2, 3, 4, 5, 6]
    assert found[6].understood == "#4 AND #5"  # the lines that were pasted with it
    assert found[3].documents == found[1].documents - 1
    with pytest.raises(InputError, match="query"):
        add_query(opened, case, *ANNA, "title:(")
    case.do(*BEN, "undo")
    assert add_query(opened, case, *ANNA, "#1 AND tin").last_number == 7  # a number is not used twice
    words = ColouredWords(opened.context("words"), case.read())
    assert [each["text"] for each in words.pieces("A round nail, of Tin.") if each["colour"]] == [
        "round",
        "nail",
        "Tin",
    ]
    assert len({colour for _, colour in words.legend}) > 2


def test_new_documents_of_a_query_are_told_until_somebody_looked_through_them(lab: Lab, case: CaseFile) -> None:
    add_query(OpenedLab(lab), case, *ANNA, "nail")
    assert [each.says for each in queries_found(OpenedLab(lab), case.read())] == [""]
    place = lab.folder.parent
    for name in ("documents", "index"):
        shutil.rmtree(place / name)
    nail_lab(place / "later", NEW)
    for name in ("documents", "index"):
        shutil.move(place / "later" / name, place / name)
    opened = OpenedLab(lab)
    (found,) = queries_found(opened, case.read())
    assert found.new == ("EP0000005A1",)
    assert found.says == f"1 new since {found.query.looked.day}"
    look_through(opened, case, *BEN, 1)
    (found,) = queries_found(opened, case.read())
    assert (found.new, found.query.looked.by, found.query.act.by) == ((), "ben", "anna")


def test_the_chart_has_claims_or_their_parts_and_suggests_passages(lab: Lab, case: CaseFile) -> None:
    opened = OpenedLab(lab)
    case.do(*ANNA, "grade", document="EP0000001A1", grade="X")
    case.do(*ANNA, "grade", document="EP0000004A1", grade="0")
    now = case.read()
    assert chart_documents(now) == ["EP0000001A1"]
    claims = features_of(now, topic_of(opened, now))
    assert [each.key for each in claims] == ["1", "2"]
    offered = offered_passages(opened, now, chart_documents(now))["1", "EP0000001A1"]
    assert offered[0].grade == "strong"
    assert offered[0].precision == "65 % of such marks on claims were right"
    parts = split_claim(claims[0])
    assert [each.text for each in parts][1] == "a tip of tin"
    now = case.do(*ANNA, "features", text="\n".join(f"{each.key}: {each.text}" for each in parts))
    offered = offered_passages(opened, now, ["EP0000001A1"])["1b", "EP0000001A1"]
    with pytest.raises(InputError, match="did you mean 1b"):
        case.do(*ANNA, "tick", feature="1bb", document="EP0000001A1", where="¶ 1", passage="x")
    now = case.do(
        *BEN, "tick", feature="1b", document="EP0000001A1", where=offered[0].where, passage=offered[0].text,
        suggested=offered[0].grade,
    )  # fmt: skip
    assert now.ticks["1b", "EP0000001A1"].act.by == "ben"
    now = case.do(*ANNA, "tick", feature="1b", document="EP0000001A1", on=False)
    assert not now.ticks


def test_the_command_begins_no_case_of_a_patent_that_the_index_lacks(
    example_files: Path, begin_case: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    shutil.copytree(example_files, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    begin_case(has_case=False)
    with pytest.raises(SystemExit, match="1"):
        main(["case", "begin", "brakes", "--patent", "NOPE"])
    assert "NOPE: is not a patent of the index" in capsys.readouterr().err
    assert not list(Path("brakes").glob("cases/*.case"))
