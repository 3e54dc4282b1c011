"""Pages of one to three runs, of ties and of long names: no label overlaps another or leaves its chart."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("altair", reason="a page needs the package altair")
pytest.importorskip("vl_convert", reason="a page needs the package vl-convert-python")

from leadline.measures.definition import interval
from leadline.show.report.evidence import Evidence
from leadline.show.report.page import report

# Labels of all charts: those outside their chart, and pairs that overlap. A rim around a text is not another text.
# The place of a text is that of its letters. Its box in the page is as high as the font says that lines are, which is
# up to a third more in one font than in another, with nothing drawn there.
LABELS = """() => {
  const wrong = [], pen = document.createElement("canvas").getContext("2d");
  const letters = (text) => {
    const style = getComputedStyle(text), box = text.getBBox(), screen = text.getScreenCTM();
    const lines = [...text.querySelectorAll("tspan")].map((line) => line.textContent);
    pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const [first, last] = [lines.at(0), lines.at(-1)].map((line) => pen.measureText(line ?? text.textContent));
    const top = box.y + first.fontBoundingBoxAscent - first.actualBoundingBoxAscent;
    const bottom = box.y + box.height - last.fontBoundingBoxDescent + last.actualBoundingBoxDescent;
    const corners = [[box.x, top], [box.x + box.width, top], [box.x, bottom], [box.x + box.width, bottom]]
      .map(([x, y]) => new DOMPoint(x, y).matrixTransform(screen));
    const xs = corners.map((corner) => corner.x), ys = corners.map((corner) => corner.y);
    return {left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys)};
  };
  for (const figure of document.querySelectorAll("figure[id]")) {
    const svg = figure.querySelector(".chart svg");
    if (!svg) { wrong.push([figure.id, "has no chart"]); continue; }
    const edge = svg.getBoundingClientRect(), place = figure.querySelector(".chart").getBoundingClientRect();
    if (edge.width > place.width + 1) wrong.push([figure.id, "scrolls sideways"]);
    const texts = [...svg.querySelectorAll("text")].filter((one) => one.textContent.replace(/\\u200b/g, "").trim()
      && one.getAttribute("opacity") !== "0" && (one.getAttribute("stroke") ?? "none") === "none");
    const shown = texts.filter((one) => one.getBoundingClientRect().width);
    const boxes = shown.map((one) => [one.textContent, letters(one)]);
    boxes.forEach(([text, a], i) => {
      if (a.left < edge.left - 2 || a.right > edge.right + 2 || a.top < edge.top - 2 || a.bottom > edge.bottom + 2) {
        wrong.push([figure.id, "leaves its chart", text]);
      }
      for (const [other, b] of boxes.slice(i + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 2 && high > 1) wrong.push([figure.id, "overlap", text, other]);
      }
    });
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(["the page", "scrolls sideways"]);
  return wrong;
}"""


def evidence(runs: int, topics: int, *, level: bool = False, long: bool = False) -> Evidence:
    """Random lists of 36 documents, 6 of them relevant; `level`: the first two runs are equal."""
    names = [str(topic) for topic in range(1, topics + 1)]
    qrels = {t: {f"r{t}-{n}": 1 + n % 2 for n in range(6)} | {f"n{t}-{n}": 0 for n in range(20)} for t in names}

    def ranked(seed: int, quality: float) -> dict[str, dict[str, float]]:
        rng = random.Random(seed)
        documents = {t: [*(f"r{t}-{n}" for n in range(6)), *(f"n{t}-{n}" for n in range(30))] for t in names}
        return {t: {d: rng.random() + quality * (d[0] == "r") for d in listed} for t, listed in documents.items()}

    called = [f"{'a_system_with_a_long_name_of_many_parts_and_some_parameters' * long}{'s' * (not long)}{n}"
              for n in range(runs)]  # fmt: skip
    seeds = [0 if level and n < 2 else n for n in range(runs)]
    made = {name: ranked(seed, 0.1 + 0.05 * seed) for name, seed in zip(called, seeds, strict=True)}
    return Evidence.of(qrels, made, "PRES@20", samples=20)


PAGES = {
    "one run": lambda: evidence(1, 5),
    "2 x 5": lambda: evidence(2, 5),
    "3 x 3, two of them level": lambda: evidence(3, 3, level=True),
    "long names": lambda: evidence(5, 10, long=True),
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("small")
    found = {}
    for place, (name, make) in enumerate(PAGES.items()):
        found[name] = folder / f"{place}.html"
        found[name].write_text(report(make()), encoding="utf-8")
    return found


def opened(browser: Any, path: Path, width: int) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.said = []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-drawn=all]")
    page.evaluate("for (const one of document.querySelectorAll('details.section')) one.open = true")
    return page


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("name", PAGES)
def test_labels_can_be_read(browser: Any, pages: dict[str, Path], name: str, width: int) -> None:
    page = opened(browser, pages[name], width)
    wrong, said = page.evaluate(LABELS), page.said
    page.close()
    assert wrong == []
    assert said == []


def test_labels_can_be_read_when_systems_are_highlighted(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["2 x 5"], 390)
    page.evaluate("Leadline.shared.toggle('s0')")
    page.wait_for_timeout(300)
    wrong = [one for one in page.evaluate(LABELS) if one[1] != "overlap"]
    page.close()
    assert wrong == []


def test_a_label_over_another_is_found(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["2 x 5"], 1400)
    page.evaluate("""() => {
      const text = document.querySelector("figure#recall_effort .chart svg g.role-axis-label text");
      const copy = text.parentNode.appendChild(text.cloneNode(true)), moved = copy.transform.baseVal;
      moved.appendItem(copy.ownerSVGElement.createSVGTransform()).setTranslate(0, 5);
    }""")
    wrong = page.evaluate(LABELS)
    page.close()
    assert [one[:2] for one in wrong] == [["recall_effort", "overlap"]]


def test_intervals_stay_inside_the_measure() -> None:
    assert interval("PRES@20", 0.9, 0.3) == (pytest.approx(0.6), 1.0)
    assert interval("R@20", 0.1, 0.3) == (0.0, pytest.approx(0.4))
    assert interval("DCG@10", 5.0, 6.0) == (0.0, 11.0)
