"""The page of the directory: nothing of the documents becomes markup, and it works with keys alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Document

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)> nozzle"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    documents = [
        Document(
            f"US200000{place}",
            title=EVIL if place == 1 else f"A pump, the {place}th",
            ipc=(symbol,),
            publication="2001",
        )
        for place, symbol in enumerate(["B01D1/00", "B01D3/00", "C07D401/04", "C07D401/06"])
    ]
    write_collection(documents, tmp_path / "patents", {"made": "by a test"})
    main(["directory", str(tmp_path / "patents"), "-o", str(tmp_path / "page.html"), "--index", "my.index", "-q"])
    return tmp_path / "page.html"


def test_nothing_becomes_markup_and_nothing_is_fetched(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "<img" not in text
    assert "alert(1)</script>" not in text
    assert not re.search(r"(?:src|href)=[\"']?https?:", text)
    assert "default-src 'none'" in text
    data = re.search(r'id="data-documents">(.*?)</script>', text)
    assert data
    assert json.loads(data[1])["title"][1] == EVIL


def test_keys_filter_and_both_themes(page: Path, chromium: Any, eventually: Callable[..., None]) -> None:
    opened = chromium.new_page(viewport={"width": 360, "height": 700})
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(message.text))
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.goto(page.as_uri())
    assert opened.locator("summary").all_inner_texts()[0].split("\n")[0] == "B"
    opened.keyboard.press("/")
    opened.keyboard.press("ArrowDown")
    for key in (
        "ArrowDown",
        "ArrowRight",
        "ArrowDown",
        "ArrowRight",
        "ArrowDown",
        "ArrowRight",
        "ArrowDown",
        "ArrowRight",
    ):
        opened.keyboard.press(key)
        opened.wait_for_timeout(50)
    assert opened.locator("li").count() == 2
    assert opened.locator("code.line").inner_text() == 'leadline search my.index "words" --class C07D401'
    opened.keyboard.press("/")
    opened.keyboard.type("nozzle")
    eventually(opened, lambda: opened.locator(".filter output").inner_text() == "1 of 4 documents")
    assert opened.locator("li mark").inner_text() == "nozzle"
    assert opened.evaluate("document.documentElement.scrollWidth") <= 360
    light = opened.evaluate("getComputedStyle(document.body).backgroundColor")
    opened.click("button.theme")
    assert opened.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert not problems
    opened.context.close()
