"""The key of a page: everything that changes the page changes the key."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("altair", reason="a report needs the package altair")
pytest.importorskip("vl_convert", reason="a report needs the package vl-convert-python")

from leadline.cli import main
from leadline.show.report import html_page
from leadline.show.report.html_page import code_of, key_of, key_written_in


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_figure: None) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("leadline.show.report.html_page._vega", lambda: "")
    (tmp_path / "qrels.txt").write_text("".join(f"{t} 0 d{n} {int(n < 2)}\n" for t in range(3) for n in range(4)))
    for name, order in (("good", (0, 1, 2)), ("poor", (3, 2, 0))):
        lines = [f"{t} Q0 d{n} {r} {9 - r} {name}\n" for t in range(3) for r, n in enumerate(order, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def made(*options: str) -> str:
    """The key of the page that the command writes with these options."""
    main(["report", "qrels.txt", "good.run", "poor.run", "-q", "-o", "page.html", "--samples", "2", *options])
    return key_written_in("page.html")


def test_every_option_of_a_report_is_in_its_key(folder: Path) -> None:
    keys = [made(), made("--seed", "2"), made("--samples", "3"), made("-m", "AP")]
    assert all(keys)
    assert len(set(keys)) == len(keys)
    assert made() == keys[0]


def test_another_seed_makes_the_page_again(folder: Path) -> None:
    made()
    assert "seed 1, 2 samples" in (folder / "page.html").read_text(encoding="utf-8")
    made("--seed", "2")
    assert "seed 2, 2 samples" in (folder / "page.html").read_text(encoding="utf-8")


def test_other_code_makes_another_page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(["qrels.txt"], [], ())
    assert before == key_of(["qrels.txt"], [], ())
    for wing in ("measures", "records", "trust", "show/figures"):  # all of them decide what a page says
        assert wing in html_page._CODE
    monkeypatch.setattr(html_page, "_CODE", ("trust",))
    assert key_of(["qrels.txt"], [], ()) != before
    with pytest.raises(FileNotFoundError):
        code_of("compare")
