"""What the pages of a review ask and send."""

from __future__ import annotations

import contextlib
import html
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.show.serve.conftest import plain_client
from tests.show.serve.reviewing.conftest import ReviewSite, is_relevant, ris

from leadline.judge.review.exchange import review_table
from leadline.judge.review.project import ReviewProject, ReviewSettings
from leadline.judge.review.report import ReviewReport
from leadline.judge.review.review_state import ReviewState
from leadline.show.serve.reviewing_figures import report_pdf
from leadline.text.files import hold
from leadline.text.store.events import ChainHead


def state_of(folder: Path) -> ReviewState:
    project = ReviewProject.open(folder)
    with contextlib.closing(project.journal()) as journal:
        return ReviewState.of(project, journal.events())


def test_the_learner_brings_what_is_relevant_first(review_site: ReviewSite) -> None:
    anna = review_site.client("anna")
    seen = []
    for _ in range(40):
        (document,) = anna.next()
        assert anna.mark(document).json()["stored"] == "new"
        seen.append(document)
        time.sleep(0.01)
    assert len(set(seen)) == 40
    assert sum(map(is_relevant, seen)) >= 20  # of 24 that are left


def test_two_reviewers_meet_only_what_both_are_asked_for(review_site: ReviewSite) -> None:
    anna, ben = review_site.client("anna"), review_site.client("ben")
    read: dict[str, list[str]] = {"anna": [], "ben": []}
    for _ in range(15):
        for name, visit in (("anna", anna), ("ben", ben)):
            for document in visit.next(2):
                assert visit.mark(document).status_code == 200
                read[name].append(document)
    both = set(read["anna"]) & set(read["ben"])
    assert review_site.desk is not None
    project = review_site.desk.project
    assert both
    assert all(project.read_twice[project.row_of[document]] for document in both)
    assert max(map(len, map(set, read.values()))) == len(read["anna"])  # nobody got one twice


def test_draws_are_stored_before_they_are_shown_and_skips_hold_them(review_site: ReviewSite) -> None:
    anna, olga = review_site.client("anna"), review_site.client("olga")
    for _ in range(20):
        anna.mark(*anna.next())
    assert olga.get("/api/certificate").json()["switched"] is False
    assert olga.post("/api/switch", to="draws").json()["saved"]
    state = state_of(review_site.folder)
    order = [state.project.units[row][0] for row in state.draws[1].order.tolist()]
    assert anna.next(3) == order[:3]
    assert anna.post("/api/skips", topic="abstract", document=order[0]).status_code == 200
    for document in order[1:6]:
        anna.mark(document)
    now = olga.get("/api/certificate").json()
    assert (now["drawn"], now["waiting"], now["blocking"]) == (0, 5, order[0])
    assert anna.get("/api/certificate").json()["blocking"] == order[0]  # she skipped it
    assert review_site.client("ben").get("/api/certificate").json()["blocking"] == ""
    assert anna.next(1) == [order[6]]
    anna.mark(order[0])
    now = olga.get("/api/certificate").json()
    assert (now["drawn"], now["blocking"]) == (6, "")
    bounds = [now["bound"]]
    for document in order[6:30]:
        anna.mark(document)
    now = olga.get("/api/certificate").json()
    bounds.append(now["bound"])
    assert bounds[1] > bounds[0]
    # A second switch changes nothing of the order, and one may go back and forth.
    assert olga.post("/api/switch", to="learner").json()["saved"]
    assert olga.post("/api/switch", to="draws").json()["saved"]
    assert np.array_equal(state_of(review_site.folder).draws[1].order, state.draws[1].order)
    assert olga.post("/api/switch", to="elsewhere").status_code == 400


def test_stopped_reviews_take_no_marks_until_they_go_on(review_site: ReviewSite) -> None:
    anna, olga = review_site.client("anna"), review_site.client("olga")
    (document,) = anna.next()
    assert olga.post("/api/stop").json()["saved"]
    assert olga.post("/api/stop").json()["error"] == "The review was stopped by olga already."
    assert anna.mark(document).status_code == 409
    assert anna.next() == []
    assert olga.post("/api/stop", resume=True).json()["saved"]
    assert anna.mark(document).status_code == 200


def test_full_texts_come_after_abstracts(review_site: ReviewSite) -> None:
    anna = review_site.client("anna")
    anna.mark("a8")
    anna.mark("a9")
    assert anna.next(5, topic="full-text") == ["a0", "a8"]
    body = {"topic": "full-text", "document": "a8", "grade": 0, "reason": "other outcome"}
    assert anna.post("/api/judgements", **body).status_code == 200
    assert anna.next(5, topic="full-text") == ["a0"]
    assert "other outcome (n = 1)" in review_site.client("olga").get("/certificate").text


def test_a_known_paper_can_be_found_and_added(review_site: ReviewSite) -> None:
    anna = review_site.client("anna")
    found = anna.get("/api/find", words="brake 16").json()["found"]
    assert [each["document"] for each in found][:1] == ["a16"]
    anna.mark("a16", 1, reason="known beforehand")
    assert anna.get("/api/find", words="a16").json()["found"][0]["read"] is True
    assert anna.get("/api/find", words="zebra").json()["found"] == []


def test_roles_and_wrong_requests(review_site: ReviewSite) -> None:
    anna, olga, eve = (review_site.client(name) for name in ("anna", "olga", "eve"))
    assert olga.get("/read").status_code == 403
    assert olga.mark("a1").status_code == 403
    assert anna.mark("a999").status_code == 404
    assert anna.get("/api/next", topic="other").status_code == 404
    assert anna.get("/api/next", have="{").status_code == 400
    assert anna.get("/api/next", have=json.dumps([1])).status_code == 400
    anna.mark("a1", 0, note="not this")
    assert "marks" not in anna.get("/api/card", topic="abstract", document="a1").json()
    assert eve.get("/api/card", topic="abstract", document="a1").json()["marks"][0]["note"] == "not this"
    assert eve.mark("a1", 1).status_code == 200  # the expert decides
    assert state_of(review_site.folder).grades["abstract"][1] == 1
    with plain_client(base_url=review_site.url) as stranger:
        assert stranger.get("/api/certificate").status_code == 401
        assert stranger.get("/certificate.pdf").status_code == 401
    pdf = olga.get("/certificate.pdf")
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.content.startswith(b"%PDF")


def test_a_killed_server_loses_nothing(tmp_path: Path) -> None:
    """What was told saved is there after kill -9, and the draws are the same."""
    (tmp_path / "search.ris").write_text(ris())
    first = "review serve mine --documents search.ris --known a0 --reviewers anna --port 0"
    later = "review serve mine --reviewers anna --port 0"
    saved: list[str] = []
    link = ""
    for turn in range(2):
        with (tmp_path / "out").open("w+") as out:
            command = [sys.executable, "-u", "-m", "leadline.cli", *(later if turn else first).split()]
            process = subprocess.Popen(command, cwd=tmp_path, stdout=out, stderr=subprocess.STDOUT, env=os.environ)
        try:
            end = time.monotonic() + 60
            while "Stop with Ctrl-C" not in (printed := (tmp_path / "out").read_text()):
                assert process.poll() is None, printed
                assert time.monotonic() < end, printed
                time.sleep(0.1)
            link = re.search(r"http://\S+/in/\S+", printed)[0]  # type: ignore[index]
            with plain_client(follow_redirects=True, timeout=20) as client:
                base = str(client.get(link).url.join("/"))
                headers = {"X-CSRF-Token": client.get(f"{base}api/csrf").json()["csrf"]}
                if turn:
                    body = {"id": "switch-after-kill", "to": "draws"}
                    assert client.post(f"{base}api/switch", json=body, headers=headers).json()["saved"]
                for number in range(10):
                    card = client.get(f"{base}api/next").json()["card"]["document"]
                    assert card not in saved
                    body = {"id": f"mark-{turn}-{number:04}", "topic": "abstract", "document": card, "grade": 0}
                    assert client.post(f"{base}api/judgements", json=body, headers=headers).json()["saved"]
                    saved.append(card)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        state = state_of(tmp_path / "mine")
        assert {document for _, _, document in state.judging.marks} == {"a0", *saved}
    assert state.round_certificate(1).certificate.drawn == 10


@pytest.mark.parametrize("words", [["--title", "x"], ["--double", "0.5"]])
def test_a_review_that_is_there_takes_no_options_of_a_new_one(
    review_site: ReviewSite, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    from leadline.cli import main

    with pytest.raises(SystemExit):
        main(["review", "serve", str(review_site.folder), *words])
    assert "is only for a new review" in capsys.readouterr().err


def test_the_expert_gets_what_two_reviewers_marked_differently(review_site: ReviewSite) -> None:
    anna, ben, eve = (review_site.client(name) for name in ("anna", "ben", "eve"))
    anna.mark("a50", 0)
    ben.mark("a50", 1)
    assert eve.next()[0] == "a50"
    assert "a50" not in anna.next(10)
    assert anna.get("/api/documents", topic="abstract").json()["documents"][0]["title"].startswith("Study 50")
    eve.mark("a50", 0)
    assert "a50" not in eve.next(10)


@pytest.mark.skipif(sys.platform == "win32", reason="no lock to look at")
def test_one_process_serves_a_review(review_site: ReviewSite, capsys: pytest.CaptureFixture[str]) -> None:
    from leadline.cli import main

    with (review_site.folder / "candidates-1.tsv").open("rb") as file:
        assert hold(file.fileno())
        with pytest.raises(SystemExit):
            main(["review", "serve", str(review_site.folder)])
    assert "is served by another process already: stop that one first" in capsys.readouterr().err


def test_a_wrong_name_is_refused_before_any_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from leadline.cli import main

    (tmp_path / "search.ris").write_text("TY  - JOUR\nID  - a\nTI  - One\nER  - \n")
    with pytest.raises(SystemExit):
        main(
            [
                "review",
                "serve",
                str(tmp_path / "new"),
                "--documents",
                str(tmp_path / "search.ris"),
                "--reviewers",
                "<b>",
            ]
        )
    assert "must be 1 to 60 letters" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_review_without_documents_says_how_to_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from leadline.cli import main

    ReviewProject.create(tmp_path / "new", ReviewSettings("New"))
    with pytest.raises(SystemExit):
        main(["review", "status", str(tmp_path / "new")])
    assert "has no documents yet: `leadline review serve" in capsys.readouterr().err


def test_an_estimate_is_never_shown_as_proof(
    review_site: ReviewSite, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two reviewers, then draws without a relevant document: page, PDF and command say the same of the estimate."""
    from leadline.cli import main

    anna, eve, olga = (review_site.client(name) for name in ("anna", "eve", "olga"))
    for n in range(0, 40):
        anna.mark(f"a{n}")
    olga.post("/api/switch", to="draws")
    order = [review_site.desk.project.units[row][0] for row in review_site.desk.state.draws[1].order[:60].tolist()]
    for each in order:
        anna.mark(each, 0)
    said = eve.get("/api/certificate").json()
    assert said["estimate"] == 1
    words = said["estimate_words"]
    assert "The estimate is 100 % (no more found by the random draws), which is no proof: at least " in words
    assert f"at least {math.floor(100 * said['bound'])} % with 95 % confidence" in words
    assert words in html.unescape(eve.get("/certificate").text)
    main(["review", "status", str(review_site.folder)])
    assert words in " ".join(capsys.readouterr().err.split())
    monkeypatch.setattr(pytest.importorskip("vl_convert"), "svg_to_pdf", str.encode)
    drawn = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", eve.get("/certificate.pdf").text))
    assert words in drawn
    assert "(no proof)" in drawn

    # The page has every sentence of the report, also that on what reviewers overlook.
    twice = next(each for each in order if review_site.desk.project.read_twice[review_site.desk.project.row_of[each]])
    review_site.client("ben").mark(twice, 1)
    eve.mark(twice, 1)
    sentences = eve.get("/api/certificate").json()["sentences"]
    assert [each for each in sentences if "the first had kept 0 of them" in each]
    assert all(each in html.unescape(eve.get("/certificate").text) for each in sentences)


@pytest.mark.parametrize("path", ["/", "/read", "/certificate", "/nothing", "/in/wrong"])
def test_the_title_is_only_for_people_with_a_link(review_site: ReviewSite, path: str) -> None:
    with plain_client(base_url=review_site.url, follow_redirects=True) as nobody:
        assert "Brakes" not in nobody.get(path).text
    anna = review_site.client("anna")
    assert "Brakes" in anna.get("/read").text
    signed_out = anna.http.post("/out", data={"csrf": anna.csrf}, headers={"origin": review_site.url}).text
    assert "Signed out" in signed_out
    assert "Brakes" not in signed_out


def test_notes_are_exported_before_a_judgement(review_site: ReviewSite) -> None:
    review_site.client("anna").post("/api/notes", topic="abstract", document="a60", text="ask Ben\x00")
    (note,) = [row[8] for row in review_table(state_of(review_site.folder)).rows if row[0] == "a60"]
    assert note.startswith("anna: ask Ben")
    assert "\x00" not in note


def test_criteria_keep_their_lines_in_the_pdf(review_site: ReviewSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest.importorskip("vl_convert"), "svg_to_pdf", str.encode)
    state = state_of(review_site.folder)
    report = replace(ReviewReport.of(state, []), criteria="Population: children\n\nDesign: trials")
    drawn = report_pdf(report, state.round_certificate(1)).decode()
    assert ">Population: children</text>" in drawn
    assert ">Design: trials</text>" in drawn


@pytest.mark.parametrize("converted", [None, b"%PDF-1.7\nxref as a stream\n%%EOF"])
def test_the_head_of_the_chain_is_read_from_the_pdf_of_any_converter(
    converted: bytes | None, review_site: ReviewSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    converter = pytest.importorskip("vl_convert")
    if converted is not None:
        monkeypatch.setattr(converter, "svg_to_pdf", lambda svg: converted)
    state, head = state_of(review_site.folder), ChainHead(1204, "0f" * 32)
    written = report_pdf(ReviewReport.of(state, [], head), state.round_certificate(1))
    assert ChainHead.found_in(written.decode("latin-1")) == head
