"""What the judging pages ask and send: one document after another, stored once, undone, assigned, sent back, closed."""

from __future__ import annotations

import concurrent.futures
import uuid
from pathlib import Path
from typing import Any

import pytest

from leadline.cli import main
from leadline.judge.journal import Event, JudgingJournal
from leadline.judge.marks import JudgingState
from leadline.judge.pools import Pool


def state_of(site: Any) -> JudgingState:
    journal = JudgingJournal(f"{site.pool}.journal")
    try:
        return JudgingState.of(journal.events())
    finally:
        journal.close()


def test_a_topic_is_judged_to_its_end(site: Any) -> None:
    anna = site.client("anna")
    seen = []
    while (answer := anna.get("/api/next", topic="T1").json())["card"]:
        assert answer["left"] == 12 - len(seen)
        seen.append(answer["card"]["document"])
        said = anna.judge(seen[-1], 1, reason="same use", note="a note")
        assert said.status_code == 200
        assert said.json()["saved"] is True
    assert len(set(seen)) == 12
    assert seen != sorted(seen)
    assert answer["judged"] == 12
    state = state_of(site)
    assert {document for _, _, document in state.marks} == set(seen)
    mark = state.marks["anna", "T1", seen[0]]
    assert (mark.grade, mark.reason, mark.seconds, mark.round) == (1, "same use", 2.5, 1)
    assert state.notes["anna", "T1", seen[0]] == "a note"
    order = [site.client("ben").get("/api/next", topic="T1").json()["card"]["document"] for _ in range(2)]
    assert order[0] == order[1]


def test_a_card_has_the_texts_and_the_topic_its_words(site: Any) -> None:
    anna = site.client("anna")
    topic = anna.get("/api/topic", topic="T1").json()
    assert (topic["title"], topic["category"], len(topic["claims"])) == ("Acetone in coatings", "coating", 2)
    words = {each["text"]: each["kind"] for each in topic["highlight"]}
    assert words["acetone"] in ("word", "name")
    card = anna.get("/api/card", topic="T1", document="D01").json()
    assert (card["title"], card["claim_count"]) == ("Document 1 on coatings", 3)
    large = anna.get("/api/card", topic="T2", document="HUGE").json()
    assert large["claim_count"] == 500
    assert large["description_length"] == 2_000_000
    text = anna.get("/api/text", topic="T2", document="HUGE", field="description").json()["paragraphs"]
    assert max(len(each["text"]) for each in text) <= 4000
    hostile = anna.get("/api/card", topic="T1", document="D03").json()
    assert "\x1b" not in hostile["title"]
    assert "\u202e" not in hostile["title"]


def test_the_same_id_is_stored_once(site: Any) -> None:
    anna = site.client("anna")
    uid = uuid.uuid4().hex
    answers = [anna.judge("D01", 2, id=uid).json()["stored"] for _ in range(3)]
    assert answers == ["new", "already", "already"]
    assert anna.judge("D01", 0, id=uid).status_code == 409
    assert anna.judge("D02", 2, id=uid).status_code == 409
    assert site.client("ben").judge("D01", 2, id=uid).status_code == 409
    assert len(state_of(site).marks) == 1


def test_undo_goes_back_as_far_as_one_likes(site: Any) -> None:
    anna = site.client("anna")
    for document, grade in (("D01", 0), ("D02", 1), ("D01", 2)):
        anna.judge(document, grade)
    undone = []
    for _ in range(3):
        answer = anna.post("/api/undo", {"id": uuid.uuid4().hex, "topic": "T1"}).json()
        undone.append((answer["undone"]["document"], dict(state_of(site).grades_of("anna"))))
    assert undone == [
        ("D01", {("T1", "D01"): 0, ("T1", "D02"): 1}), ("D02", {("T1", "D01"): 0}), ("D01", {}),
    ]  # fmt: skip
    assert anna.post("/api/undo", {"id": uuid.uuid4().hex, "topic": "T1"}).status_code == 404
    uid = anna.judge("D05", 1).json()["id"]
    ben = site.client("ben")
    assert ben.post("/api/undo", {"id": uuid.uuid4().hex, "topic": "T1", "target": uid}).status_code == 404
    assert len(state_of(site).marks) == 1


def test_what_is_skipped_comes_last(site: Any) -> None:
    anna = site.client("anna")
    first = anna.get("/api/next", topic="T1").json()["card"]["document"]
    anna.post("/api/skips", {"id": uuid.uuid4().hex, "topic": "T1", "document": first})
    answer = anna.get("/api/next", topic="T1", count=10).json()
    assert (answer["left"], answer["skipped"]) == (12, 1)
    assert first not in [card["document"] for card in answer["cards"]]
    after = anna.get("/api/next", topic="T1", after=answer["card"]["document"]).json()["card"]["document"]
    assert after == answer["cards"][1]["document"]


def test_passages_give_judgements_by_claim(site: Any) -> None:
    anna = site.client("anna")
    about = {"topic": "T1", "document": "D01", "claim": "2", "text": "Propanone is\nadded."}
    said = anna.post("/api/passages", {"id": uuid.uuid4().hex, **about})
    assert said.json()["saved"]
    assert anna.post("/api/passages", {"id": uuid.uuid4().hex, **about, "claim": "9"}).status_code == 400
    assert anna.post("/api/passages", {"id": uuid.uuid4().hex, **about, "text": ""}).status_code == 400
    assert state_of(site).passage_table().rows == [["T1", "2", "D01", "Propanone is added.", "anna"]]
    assert anna.get("/api/card", topic="T1", document="D01").json()["passages"][0]["claim"] == "2"
    anna.post("/api/undo", {"id": uuid.uuid4().hex, "topic": "T1", "target": said.json()["id"]})
    assert not state_of(site).passages


def test_the_organiser_assigns_sends_back_and_closes(site: Any) -> None:
    anna, ben, eve, olga = (site.client(name) for name in ("anna", "ben", "eve", "olga"))
    assert olga.form("/organise/assign", topic="T1", person="anna").status_code == 303
    assert ben.get("/api/next", topic="T1").status_code == 403
    assert ben.judge("D01", 1).status_code == 403
    assert eve.get("/api/next", topic="T1").status_code == 200  # no expert is assigned
    olga.form("/organise/assign", topic="T1", person="ben")
    for document, first, second in (("D01", 2, 0), ("D02", 1, 1), ("D03", -2, 0)):
        anna.judge(document, first)
        ben.judge(document, second)
    page = olga.get("/organise").text
    assert "1 (relevant against not)" in page
    assert "relevant against not</td>" in page
    said = olga.form("/organise/send-back", topic="T1", text="Only acetone counts", which="not agreed")
    assert said.status_code == 303
    answer = anna.get("/api/next", topic="T1", count=10).json()
    assert answer["round"] == 2
    assert answer["left"] == 9 + 2
    assert anna.get("/api/topic", topic="T1").json()["sent_back"] == "Only acetone counts"
    anna.judge("D01", 0)
    assert anna.get("/api/next", topic="T1").json()["left"] == 10
    assert state_of(site).marks["anna", "T1", "D01"].round == 2
    olga.form("/organise/close", topic="T1")
    assert anna.judge("D04", 1).status_code == 409
    assert anna.get("/api/next", topic="T1").json()["card"] is None
    olga.form("/organise/close", topic="T1", reopen="1")
    assert anna.judge("D04", 1).status_code == 200


def test_the_expert_sees_views_and_both_marks(site: Any) -> None:
    anna, ben, eve = (site.client(name) for name in ("anna", "ben", "eve"))
    for document, first, second in (("D01", 2, 0), ("D02", 0, 0), ("D03", -2, -2)):
        anna.judge(document, first, note="why")
        ben.judge(document, second)
    names = ("all", "relevant", "unsure", "differ")
    views = {view: eve.get("/api/next", topic="T1", view=view).json()["left"] for view in names}
    assert views == {"all": 12, "relevant": 1, "unsure": 10, "differ": 1}
    marks = eve.get("/api/card", topic="T1", document="D01").json()["marks"]
    assert [(each["person"], each["grade"], each["note"]) for each in marks] == [("anna", 2, "why"), ("ben", 0, "")]
    eve.judge("D01", 1)
    assert eve.get("/api/next", topic="T1", view="relevant").json()["left"] == 0
    assert state_of(site).final()[0]["T1", "D01"] == 1


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("/api/judgements", {"id": "x" * 32, "topic": "T1", "document": "D01", "grade": 3}, 400),
        ("/api/judgements", {"id": "x" * 32, "topic": "T1", "document": "D01", "grade": True}, 400),
        ("/api/judgements", {"id": "x", "topic": "T1", "document": "D01", "grade": 1}, 400),
        ("/api/judgements", {"topic": "T1", "document": "D01", "grade": 1}, 400),
        ("/api/judgements", {"id": "x" * 32, "topic": "T9", "document": "D01", "grade": 1}, 404),
        ("/api/judgements", {"id": "x" * 32, "topic": "T1", "document": "HUGE", "grade": 1}, 404),
        ("/api/judgements", {"id": "x" * 32, "topic": ["T1"], "document": "D01", "grade": 1}, 400),
        ("/api/judgements", {"id": "x" * 32, "topic": "T1", "document": "D01", "grade": 1, "note": "n" * 30_000}, 400),
        ("/api/judgements", {"id": "x" * 32, "topic": "T1", "document": "D01", "grade": 1, "note": "n" * 300_000}, 413),
        ("/api/notes", {"id": "x" * 32, "topic": "T1", "document": "../../etc/passwd", "text": "n"}, 404),
    ],
)
def test_what_is_wrong_is_refused(site: Any, path: str, content: dict[str, Any], status: int) -> None:
    answer = site.client("anna").post(path, content)
    assert answer.status_code == status
    if status != 413:
        assert answer.json()["saved"] is False
    assert not state_of(site).marks


def test_a_full_disk_is_told_and_nothing_is_lost(site: Any) -> None:
    anna = site.client("anna")
    assert anna.judge("D01", 1).status_code == 200
    connection = site.desk.journal._store._connection
    pages = connection.execute("pragma page_count").fetchone()[0]
    connection.execute(f"pragma max_page_count = {pages}")
    uid, long = uuid.uuid4().hex, "n" * 15_000
    content = {"id": uid, "topic": "T1", "document": "D02", "text": long}
    answer = anna.post("/api/notes", content)
    assert answer.status_code == 503
    assert answer.json()["saved"] is False
    assert "full" in answer.json()["error"]
    connection.execute("pragma max_page_count = 1000000")
    assert anna.post("/api/notes", content).json()["stored"] == "new"
    assert len(state_of(site).notes) == 1


def test_a_restart_loses_nothing_and_nobody_signs_in_again(site: Any) -> None:
    anna = site.client("anna")
    anna.judge("D01", 1)
    site.stop()
    site.start()
    assert anna.judge("D02", 1).json()["stored"] == "new"
    assert anna.get("/api/next", topic="T1").json()["judged"] == 2


def test_what_another_process_adds_is_seen(site: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = site.client("anna")
    anna.judge("D01", 1)
    laptop = tmp_path / "laptop.journal"
    other = JudgingJournal(laptop, create=True)
    with monkeypatch.context() as earlier:
        earlier.setattr("leadline.text.store.events.now", lambda: "2020-01-01T00:00:00.000000Z")
        other.append(Event("l" * 32, "anna", "assessor", "mark", "T1", "D02", "2"))
    other.close()
    main_journal = JudgingJournal(f"{site.pool}.journal")
    assert main_journal.merge_from(laptop) == 1
    main_journal.close()
    assert anna.get("/api/next", topic="T1").json()["judged"] == 2


def test_many_judge_at_once(site: Any) -> None:
    people = site.people
    for n in range(10):
        site.tokens[f"p{n}"] = people.add(f"p{n}", "assessor")

    def work(name: str) -> int:
        visit, saved = site.client(name), 0
        for document in range(12):
            uid = uuid.uuid4().hex
            for _ in range(2):  # as if the first answer was lost
                saved += visit.judge(f"D{document:02}", 1, id=uid).json()["stored"] == "new"
        return saved

    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        assert list(pool.map(work, [f"p{n}" for n in range(10)])) == [12] * 10
    assert len(state_of(site).marks) == 120


def test_the_organiser_draws_the_next_round_when_this_one_is_judged(site: Any) -> None:
    site.stop()
    runs = [str(site.folder / f"{name}.run") for name in ("one", "two")]
    for name in ("", ".journal", ".json"):
        Path(f"{site.pool}{name}").unlink()
    main(["pool", *runs, "-o", str(site.pool), "--rounds", "2,4", "-q"])
    site.start()
    olga, anna = site.client("olga"), site.client("anna")
    page = olga.get("/organise").text
    assert "Round 1, which ends at 2 judged a topic: 0 of 4 drawn documents are judged" in page
    assert "Draw round 2" not in page
    assert anna.form("/organise/round").status_code == 403
    assert olga.form("/organise/round").status_code == 409
    judged = set()
    for topic in ("T1", "T2"):
        while (card := anna.get("/api/next", topic=topic).json()["card"]) is not None:
            judged.add((topic, card["document"]))
            anna.judge(card["document"], len(judged) % 2, topic=topic)
    assert "Draw round 2, to 4 a topic" in olga.get("/organise").text
    assert olga.form("/organise/round").status_code == 303
    assert "Round 2, which ends at 4 judged a topic: 4 of 8 drawn documents are judged" in olga.get("/organise").text
    assert anna.get("/api/next", topic="T1").json()["left"] == 2
    assert set(Pool.read(site.pool).to_judge().select("topic", "document").rows()) > judged
    assert olga.form("/organise/round").status_code == 409  # the last one planned
