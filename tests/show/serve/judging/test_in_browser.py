"""The judging pages in a real browser: by keyboard, through a lost connection, by four people, to an evaluation."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.show.serve.conftest import PageBrowser, press_key, saved, until

from leadline.cli import main
from leadline.judge.journal import JudgingJournal
from leadline.judge.marks import JudgingState


@pytest.fixture
def browser(chromium: Any, site: Any) -> Iterator[PageBrowser]:
    made = PageBrowser(chromium, site)
    yield made
    made.close()


def open_topic(page: Any, title: str = "Acetone in coatings") -> None:
    page.get_by_role("link", name=title).click()
    page.wait_for_selector("#card:not([hidden])")


def press(page: Any, keys: str) -> None:
    """Judge by keys."""
    for key in keys:
        press_key(page, key)


def state_of(site: Any) -> JudgingState:
    with contextlib.closing(JudgingJournal(f"{site.pool}.journal")) as journal:
        return JudgingState.of(journal.events())


def test_four_people_judge_a_topic_to_its_evaluation(
    browser: PageBrowser, site: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    anna = browser.window("anna")
    open_topic(anna)
    assert anna.inner_text("#topic-title") == "Acetone in coatings"
    assert "unsure" in anna.inner_text("#instructions")
    press(anna, "0120")
    saved(anna)
    assert len(state_of(site).marks) == 4
    # Undo twice, each shows its document again with the way it was before.
    last = list(state_of(site).marks)[-1][2]
    anna.keyboard.press("u")
    until(anna, "name => document.getElementById('card-id').textContent === name", last)
    saved(anna)
    anna.keyboard.press("U")
    until(anna, "name => document.getElementById('card-id').textContent !== name", last)
    until(anna, "/^Undone/.test(document.getElementById('status').textContent)")
    press(anna, "21")
    saved(anna)
    assert len(state_of(site).marks) == 4

    # The connection goes, three more are judged, and the page says that they wait.
    anna.context.set_offline(True)
    press(anna, "1?0")
    until(anna, "/^3 waiting to be sent/.test(document.getElementById('status').textContent)")
    assert len(state_of(site).marks) == 4
    anna.context.set_offline(False)
    saved(anna)
    assert len(state_of(site).marks) == 7

    # The server goes, the window is closed and opened again, and nothing is lost or doubled.
    site.stop()
    press(anna, "12")
    until(anna, "/^2 waiting to be sent/.test(document.getElementById('status').textContent)")
    address = anna.url
    site.start()
    again = anna.context.new_page()
    again.goto(address)
    again.wait_for_selector("#card:not([hidden])")
    until(again, "document.getElementById('pace').textContent.startsWith('9 of 12')")
    assert len(state_of(site).marks) == 9
    anna.close()
    press(again, "s0")
    again.keyboard.press("n")
    again.fill("#note-text", "Looks like the other one")
    again.keyboard.press("Control+Enter")
    saved(again)
    again.keyboard.press("r")
    again.keyboard.press("2")
    press(again, "12")
    until(again, "document.getElementById('empty-title').textContent === 'Nothing left here'")
    saved(again)
    marks = state_of(site).grades_of("anna")
    assert len(marks) == 12
    assert len(JudgingJournal(f"{site.pool}.journal")) == len(
        {e.uid for e in JudgingJournal(f"{site.pool}.journal").events()}
    )
    assert "same process" in {mark.reason for mark in state_of(site).marks.values()}
    assert "Looks like the other one" in state_of(site).notes.values()

    ben = browser.window("ben")
    open_topic(ben)
    press(ben, "001122001122")
    saved(ben)

    # The organiser sees who disagrees, and sends the topic back.
    olga = browser.window("olga")
    assert "24 of 24 judgements" in olga.inner_text("h1")
    assert olga.locator("#queue ~ .scroll tbody tr").count() > 0
    olga.click("#topic-1 summary:has-text('Send back')")
    olga.fill("#text-1", "Only acetone in the coating counts.")
    olga.select_option("#which-1", "not agreed")
    olga.click("#topic-1 button:has-text('Send back')")
    olga.wait_for_selector("#topic-1 .chip:has-text('round 2')")
    again.reload()
    again.wait_for_selector("#card:not([hidden])")
    assert "Only acetone in the coating counts." in again.inner_text("#sent-back")
    assert "Your grade" in again.inner_text("#own")
    left = int(re.search(r"(\d+) left", again.inner_text("#pace"))[1])  # type: ignore[index]
    press(again, "1" * left)
    until(again, "document.getElementById('empty-title').textContent === 'Nothing left here'")

    # The expert goes through what is relevant, with both marks in view.
    eve = browser.window("eve")
    eve.get_by_role("link", name=re.compile("relevant")).first.click()
    eve.wait_for_selector("#card:not([hidden])")
    assert "anna (assessor)" in eve.inner_text("#others")
    assert "ben (assessor)" in eve.inner_text("#others")
    press(eve, "2")
    saved(eve)
    assert state_of(site).people("expert") == ["eve"]

    capsys.readouterr()
    exported = tmp_path / "qrels.txt"
    main(["judge", "export", str(site.pool), "-o", str(exported)])
    runs = [str(site.folder / "one.run"), str(site.folder / "two.run")]
    main(["evaluate", str(exported), *runs, "-m", "xinfAP", "--qrels-format", "strata"])
    assert "of 2 runs" in capsys.readouterr().out


def test_passages_and_hostile_documents(browser: PageBrowser, site: Any) -> None:
    anna = browser.window("anna")
    open_topic(anna)
    anna.goto(f"{site.url}/judge?topic=T1&document=D03")
    anna.wait_for_selector("#card:not([hidden])")
    assert "<script>alert(1)</script>" in anna.inner_text("#card-title")
    anna.keyboard.press("d")
    anna.wait_for_selector("#description p")
    assert anna.locator("#card script, #card img").count() == 0
    anna.evaluate("getSelection().selectAllChildren(document.querySelector('#abstract p span'))")
    anna.keyboard.press("c")
    anna.wait_for_selector("#claim[open]")
    anna.keyboard.press("2")
    saved(anna)
    passage = next(iter(state_of(site).passages.values()))
    assert (passage.claim, passage.document) == ("2", "D03")
    assert "acetone" in passage.text
    assert not state_of(site).marks  # the digit chose a claim, and was no grade
    anna.click("#passage-list button")
    until(anna, "document.getElementById('passages').hidden")
    assert anna.locator("mark").count() > 0


def test_a_large_document_on_a_phone(browser: PageBrowser, site: Any) -> None:
    ben = browser.window("ben", is_mobile=True, has_touch=True)
    ben.set_viewport_size({"width": 360, "height": 720})
    ben.goto(f"{site.url}/judge?topic=T2&document=HUGE")
    until(ben, "document.querySelectorAll('#claims li').length === 500")
    ben.tap("#description-button")
    until(ben, "document.querySelectorAll('#description p').length > 400")
    assert ben.evaluate("document.documentElement.scrollWidth") == 360
    longest = ben.evaluate(
        """async () => {
            let longest = 0, before = performance.now();
            for (let step = 0; step < 30; step++) {
                scrollBy(0, 3000);
                await new Promise(requestAnimationFrame);
                longest = Math.max(longest, performance.now() - before);
                before = performance.now();
            }
            return longest;
        }"""
    )
    assert longest < 1000  # milliseconds; a second is what a busy machine takes, not the page
    ben.tap("[data-grade='0']")
    saved(ben)
    assert state_of(site).grades_of("ben") == {("T2", "HUGE"): 0}


def test_two_tabs_of_one_person(browser: PageBrowser, site: Any) -> None:
    first = browser.window("anna")
    open_topic(first)
    second = first.context.new_page()
    second.goto(first.url)
    second.wait_for_selector("#card:not([hidden])")
    assert first.inner_text("#card-id") == second.inner_text("#card-id")
    press(first, "2")
    saved(first)
    until(second, "/another tab/.test(document.getElementById('own').textContent)")
    press(second, "10")
    saved(second)
    marks = state_of(site).grades_of("anna")
    assert sorted(marks.values()) == [0, 1]


def test_a_full_disk_is_told(browser: PageBrowser, site: Any) -> None:
    anna = browser.window("anna")
    open_topic(anna)
    press(anna, "1")
    saved(anna)
    connection = site.desk.journal._store._connection
    connection.execute(f"pragma max_page_count = {connection.execute('pragma page_count').fetchone()[0]}")
    anna.keyboard.press("n")
    anna.fill("#note-text", "long " * 2000)
    anna.keyboard.press("Control+Enter")
    until(anna, "/^1 waiting to be sent: not saved yet.*full/.test(document.getElementById('status').textContent)")
    connection.execute("pragma max_page_count = 1000000")
    saved(anna)
    assert len(state_of(site).notes) == 1
