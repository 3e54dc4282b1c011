"""Take the pictures of the lab that the documents show: lab_pictures.py DEMO [FOLDER].

DEMO is a folder that `leadline demo` made; the pictures go to FOLDER (docs/images). It needs Playwright, Pillow
and chromium.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import leadline

IMAGES = Path(__file__).parents[2] / "docs/images"
QUERY = "implant OR title:oxide*"
CLEARLY = 0.1  # difference of two scores
LONGEST_WAIT = 600.0  # seconds until everything a page shows is computed
COLOURS = 128  # of a picture: text and flat colours need no more, and the file is a third as large


@dataclass(frozen=True)
class Picture:
    """A page as it is shown: how large the window is, light or dark, what is clicked, and where it is scrolled to."""

    name: str
    path: str
    width: int = 1100
    height: int = 800
    scheme: str = "light"
    click: str = ""
    scroll: str = ""


PICTURES = (
    Picture("lab-home", "/", height=640),
    Picture("lab-leaderboard", "/leaderboard", height=820),
    Picture("lab-compare", "/compare", height=760),
    Picture("lab-rankings", "/compare?depth=9&topic={contrast}", height=680, scroll=".beside"),
    Picture("lab-topic", "/topic/{contrast}", height=860),
    Picture("lab-trust", "/trust", height=820),
    Picture("lab-search", "/search?q={query}", height=820, click=".hit details summary"),
    Picture("lab-prior-art", "/prior-art?patent={patent}&k=10", height=900),
    Picture("lab-document", "/document/{collection}/{patent}", height=820),
    Picture("lab-case-chart", "/case/{case}/chart", height=760),
    Picture("lab-case-read", "/case/{case}/read", height=860, scroll=".legend"),
    Picture("lab-dark", "/leaderboard", height=640, scheme="dark"),
    Picture("lab-phone", "/", 375, 760),
    Picture("lab-phone-search", "/search?q={query}", 375, 760),
)


@contextlib.contextmanager
def served(lab: Path) -> Iterator[str]:
    """The personal link of a lab that is served on a free port."""
    command = [sys.executable, "-m", "leadline.cli", "serve", str(lab), "--no-open", "--port", "0", "-q"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield next(found[0] for line in process.stdout if (found := re.search(r"http://\S+/in/\S+", line)))
    finally:
        process.terminate()
        process.wait(20)


def made_case(demo: Path, patent: str) -> str:
    """The name of a case of a patent, which is begun and worked on where there is none yet."""
    from leadline.show.demo import open_lab
    from leadline.show.lab.case import Cases
    from leadline.show.lab.case_search import add_query, chart_documents, offered_passages
    from leadline.show.lab.opened import OpenedLab
    from leadline.show.lab.searches import PriorArtSearches

    lab = open_lab(str(demo))
    if found := [case.name for case in Cases(lab) if case.patent == patent]:
        return found[0]
    index = lab.entries("index")[0].name
    opened, anna, ben = OpenedLab(lab), ("anna", "assessor"), ("ben", "expert")
    case = Cases(lab).begin(*anna, index=index, patent=patent)
    cards = PriorArtSearches(opened).find(index, patent, "", 10)["cards"]
    bearing = sorted(cards, key=lambda card: -len(card["bears"]))[:3]
    for text in (*patent_words(opened, index, patent), "#1 AND #2"):
        add_query(opened, case, *anna, text)
    for (person, grade), card in zip(((anna, "X"), (ben, "Y"), (anna, "A")), bearing, strict=False):
        case.do(*person, "grade", document=card["document"], grade=grade)
    now = case.read()
    suggested = [
        (key, each[0])
        for key, each in offered_passages(opened, now, chart_documents(now)).items()
        if each and each[0].grade
    ]
    for at, ((feature, document), first) in enumerate(suggested[::2]):
        said = {"where": first.where, "passage": first.text, "suggested": first.grade}
        case.do(*(anna, ben)[at % 2], "tick", feature=feature, document=document, **said)
    return case.name


def patent_words(opened: Any, index: str, patent: str) -> list[str]:
    """Two queries of the longest words of a patent's title."""
    words = re.findall(r"[A-Za-z]{5,}", opened.context(index).collection.document(patent).title)
    longest = sorted(dict.fromkeys(words), key=len, reverse=True)[:4]
    return [" OR ".join(longest[:2]), " OR ".join(longest[2:] or longest[:1])]


def computed(lab: Any, page: str) -> dict[str, Any]:
    """What a page shows when nothing of it is being computed any more."""
    end = time.monotonic() + LONGEST_WAIT
    while (shown := lab.get(page)).get("working"):
        if time.monotonic() > end:
            sys.exit(f"/{page} was not ready after {LONGEST_WAIT:g} s")
        time.sleep(1)
    return shown


def take(page: Page, picture: Picture, url: str) -> bytes:
    page.set_viewport_size({"width": picture.width, "height": picture.height})
    page.emulate_media(color_scheme=picture.scheme)
    page.goto(url + picture.path, wait_until="networkidle")
    if picture.click:
        page.locator(picture.click).first.click()
    if picture.scroll:
        page.locator(picture.scroll).first.evaluate("part => part.scrollIntoView()")
    return page.screenshot()


def compressed(png: bytes) -> bytes:
    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS).save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("demo", type=Path, help="folder that `leadline demo` made")
    parser.add_argument("folder", type=Path, nargs="?", default=IMAGES, help="where the pictures go")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with served(options.demo) as link, sync_playwright() as play:
        lab = leadline.connect(link)
        pages = {name: computed(lab, name) for name in ("leaderboard", "compare", "trust")}
        # Of the topics on which the leader is clearly ahead, that on which it does best: its rankings show every mark.
        ahead = [row for row in pages["compare"]["topics"] if row["difference"] > CLEARLY]
        contrast = max(ahead, key=lambda row: row["a"])["topic"]
        collection = lab.get("collections")["collections"][0]["collection"]
        values = {"query": QUERY, "contrast": contrast, "patent": contrast, "collection": collection}
        values["case"] = made_case(options.demo, contrast)
        known = {name: quote(value) for name, value in values.items()}
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(link)
        for each in PICTURES:
            picture = Picture(**{**vars(each), "path": each.path.format(**known)})
            content = compressed(take(page, picture, lab.url))
            (options.folder / f"{picture.name}.png").write_bytes(content)
            print(f"{picture.name}.png {len(content) / 1000:.0f} kB")
        browser.close()


if __name__ == "__main__":
    main()
