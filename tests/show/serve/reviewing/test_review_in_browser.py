"""A review in a real browser: from an RIS file and one known paper to random draws, a rising bound, and an export."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.conftest import PageBrowser, press_key, saved, until
from tests.show.serve.reviewing.conftest import ReviewSite, is_relevant

from leadline.cli import main
from leadline.judge.review.project import ReviewProject
from leadline.judge.review.report import certificate_sentences
from leadline.judge.review.review_state import ReviewState


@pytest.fixture
def browser(chromium: Any, review_site: ReviewSite) -> Iterator[PageBrowser]:
    made = PageBrowser(chromium, review_site)
    yield made
    made.close()


def read(page: Any, count: int) -> list[str]:
    """Judge documents by their truth with the keys."""
    seen = []
    for _ in range(count):
        until(page, "!document.getElementById('card').hidden")
        seen.append(page.inner_text("#card-id"))
        press_key(page, "1" if is_relevant(seen[-1]) else "0")
    saved(page)
    return seen


def state_of(site: ReviewSite) -> ReviewState:
    project = ReviewProject.open(site.folder)
    with contextlib.closing(project.journal()) as journal:
        return ReviewState.of(project, journal.events())


def test_from_one_known_paper_to_an_evaluation(
    browser: PageBrowser, review_site: ReviewSite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    anna = browser.window("anna")
    anna.wait_for_selector("#card:not([hidden])")
    assert "Include: tests of brakes." in anna.inner_text("#topic-text")
    seen = read(anna, 30)
    assert sum(map(is_relevant, seen)) >= 20  # 24 of 199 are
    assert int(state_of(review_site).is_read.sum()) == 31

    # Undo shows the last document again, and judging goes on with it.
    anna.keyboard.press("u")
    until(anna, "name => document.getElementById('card-id').textContent === name", seen[-1])
    saved(anna)
    assert int(state_of(review_site).is_read.sum()) == 30
    anna.keyboard.press("r")
    anna.wait_for_selector("#reason[open]")
    anna.keyboard.press("2")
    until(anna, "name => document.getElementById('card-id').textContent !== name", seen[-1])
    saved(anna)
    reasons = {mark.reason for mark in state_of(review_site).judging.marks.values()}
    assert "other population" in reasons

    # Without a connection reading goes on, and nothing is lost.
    anna.context.set_offline(True)
    shown = anna.inner_text("#card-id")
    anna.keyboard.press("0")
    until(anna, "shown => document.getElementById('card-id').textContent !== shown", shown)
    until(anna, "/^1 waiting to be sent/.test(document.getElementById('status').textContent)")
    anna.context.set_offline(False)
    saved(anna)
    assert int(state_of(review_site).is_read.sum()) == 32

    # A second reviewer gets other documents, and those that both are asked for.
    ben = browser.window("ben")
    ben.wait_for_selector("#card:not([hidden])")
    assert ben.inner_text("#card-id") != anna.inner_text("#card-id")
    both = set(read(ben, 12))
    project = ReviewProject.open(review_site.folder)
    assert all(project.read_twice[project.row_of[name]] for name in both & {*seen, shown})

    # From the learner's order to random draws: the price is quoted first, then the bound rises.
    olga = browser.window("olga")
    olga.click("#switch")
    olga.wait_for_selector("#switching[open]")
    assert "you would read about" in olga.inner_text("#switching-price")
    olga.click("#switching button.main")
    olga.wait_for_selector('#switch:has-text("Back to the learner\'s order")')
    for each in (anna, ben):
        until(each, "/^Random draws/.test(document.getElementById('mode').textContent)")
    state = state_of(review_site)
    order = [project.units[row][0] for row in state.draws[1].order.tolist()]
    bounds = []
    for _ in range(3):
        anna.wait_for_timeout(300)
        read(anna, 15)
        read(ben, 12)  # a draw counts when those before it are read, also those before somebody else
        bounds.append(state_of(review_site).round_certificate(1).certificate.recall)
    assert bounds == sorted(bounds)
    assert bounds[-1] > bounds[0]
    olga.reload()
    assert olga.locator(".drawing.wide svg .bound").count() == 1
    drawn = state_of(review_site).round_certificate(1).certificate.drawn
    assert set(order[:drawn]) <= {document for _, _, document in state_of(review_site).judging.marks}

    # Full texts of what was kept.
    anna.goto(f"{review_site.url}/read?topic=full-text")
    assert len(read(anna, 5)) == 5
    assert (state_of(review_site).grades["full-text"] == 1).sum() == 5

    # The report, the stop, and the export.
    olga.reload()
    olga.click("#stop")
    olga.wait_for_selector("#stopping[open]")
    for sentence in certificate_sentences(state_of(review_site)):
        assert sentence in olga.inner_text("#stopping-words")
    olga.click("#stopping button.main")
    olga.wait_for_selector("#stop:has-text('Go on with the review')")
    anna.goto(f"{review_site.url}/certificate")
    said = anna.inner_text("#main")
    assert "drawn at random from" in said
    assert "Stopped by olga" in said
    assert "Records identified (n = 200)" in said
    assert "it and the stored order follow from the head of the chain after" in said
    review, exported = str(review_site.folder), str(tmp_path / "brakes.qrels")
    capsys.readouterr()
    main(["review", "export", review, "-o", exported, "-q"])
    run = tmp_path / "system.run"
    run.write_text("".join(f"Brakes Q0 a{n} {n + 1} {1 - n / 1000} system\n" for n in range(0, 200)))
    main(["evaluate", exported, str(run), "-m", "R@100"])
    assert "R@100" in capsys.readouterr().out


def test_on_a_phone_and_in_the_dark(browser: PageBrowser, review_site: ReviewSite) -> None:
    eve = browser.window(  # an expert, who sees the figure
        "eve", is_mobile=True, has_touch=True, viewport={"width": 360, "height": 740}, color_scheme="dark"
    )
    eve.wait_for_selector("#card:not([hidden])")
    assert eve.evaluate("document.documentElement.scrollWidth") == 360
    eve.tap("[data-grade='0']")
    saved(eve)
    in_view = "each => { const place = each.getBoundingClientRect(); return place.left >= 0 && place.right <= 360; }"
    assert eve.evaluate(f"[...document.querySelectorAll('.keys button')].every({in_view})")
    eve.tap("[data-do=help]")
    assert eve.evaluate(f"[...document.querySelectorAll('#help *')].every({in_view})")
    eve.tap("#help button.main")
    eve.tap("#certificate-part summary")
    eve.wait_for_selector("#discovery svg")
    assert eve.evaluate(f"[...document.querySelectorAll('#certificate-part *')].every({in_view})")
    top = eve.evaluate("document.elementFromPoint(180, innerHeight - 60).closest('.keys') !== null")
    assert top  # the panel does not cover the buttons
    eve.goto(f"{review_site.url}/certificate")
    assert eve.evaluate("document.documentElement.scrollWidth") == 360
    assert eve.evaluate(f"[...document.querySelectorAll('main *')].every({in_view})")
    assert [each.is_visible() for each in eve.query_selector_all(".drawing")] == [False, True] * 3


def test_a_typed_note_is_not_lost(browser: PageBrowser, review_site: ReviewSite) -> None:
    anna = browser.window("anna")
    anna.goto(f"{review_site.url}/read?topic=abstract&document=a5")
    anna.wait_for_selector("#card:not([hidden])")
    for leave in ("Escape", "cancel", "reload"):
        anna.keyboard.press("n")
        anna.wait_for_selector("#note[open]")
        if leave == "Escape":
            anna.keyboard.type("ask Ben")
        assert anna.input_value("#note-text") == "ask Ben"
        if leave == "Escape":
            anna.keyboard.press("Escape")
            until(anna, "/kept in this browser/.test(document.getElementById('status').textContent)")
        elif leave == "cancel":
            anna.click("#note button[value=cancel]")
        else:
            anna.reload()
            anna.wait_for_selector("#card:not([hidden])")
        assert "not saved yet" in anna.inner_text("#own")
    assert not state_of(review_site).judging.notes

    # Another document has no draft; discarding brings back what is saved; saving ends the draft.
    anna.keyboard.press("n")
    anna.keyboard.press("Control+Enter")
    saved(anna)
    until(anna, "document.getElementById('own').innerText === 'Note: ask Ben'")
    anna.keyboard.press("n")
    anna.fill("#note-text", "ask Ben and Eve")
    anna.keyboard.press("Escape")
    anna.keyboard.press("n")
    anna.click("#note-discard")
    assert anna.input_value("#note-text") == "ask Ben"
    anna.keyboard.press("Escape")
    until(anna, "document.getElementById('own').innerText === 'Note: ask Ben'")
    assert set(state_of(review_site).judging.notes.values()) == {"ask Ben"}


def test_hostile_titles_stay_text(browser: PageBrowser, review_site: ReviewSite) -> None:
    anna = browser.window("anna")
    anna.goto(f"{review_site.url}/read?topic=abstract&document=a3")
    anna.wait_for_selector("#card:not([hidden])")
    assert "<script>alert(1)</script>" in anna.inner_text("#card-title")
    anna.click("#add-known summary")
    anna.fill("#find-words", "onerror")
    anna.click("#find button")
    anna.wait_for_selector("#found li")
    assert "<script>" in anna.inner_text("#found")
    anna.click("#found button")
    saved(anna)
    assert state_of(review_site).grades["abstract"][3] == 1


def test_what_is_empty_says_why(browser: PageBrowser, review_site: ReviewSite) -> None:
    anna = browser.window("anna")
    anna.goto(f"{review_site.url}/read?topic=abstract&document=a7")
    anna.wait_for_selector("#card:not([hidden])")
    assert anna.inner_text("#abstract") == "The record has no abstract."
    press_key(anna, "s")
    until(anna, "document.getElementById('status').textContent === 'Skipped: it comes back at the end.'")
    read(anna, 1)
    anna.click("#list summary")
    anna.wait_for_selector("#list-rows tr")
    assert "Study" in anna.inner_text("#list-rows tr")
    review_site.client("olga").post("/api/stop")
    anna.goto(f"{review_site.url}/read")
    until(anna, "document.getElementById('empty-title').textContent === 'The review was stopped'")
    assert "The organiser and the expert can go on with it" in anna.inner_text("#empty-text")
