"""Every file in the page on search services is one that is read."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from real_service import Office
from search_service import leadline

from leadline.retrieval.engines.asking import read_engine

PAGE = (Path(__file__).parents[3] / "docs" / "engines.md").read_text(encoding="utf-8")
FILES = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("text", FILES, ids=[str(number) for number in range(len(FILES))])
def test_files(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("patents.db").touch()
    for name in re.findall(r"\$\{(\w+)\}", text):
        monkeypatch.setenv(name, "secret")
    Path("e.toml").write_text(text)
    assert read_engine("e.toml", run_code=True).engine.kind in text


def test_from_start_to_finish(tmp_path: Path, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of the page, on an office that is made already; the last serves until it is stopped."""
    pytest.importorskip("altair", reason="a report needs the package altair")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(office.folder / "office", "office")
    shutil.move("office/collection", "patents")
    (fill,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    exec(compile(fill, "fill.py", "exec"), {})
    (words,) = [text for text in FILES if 'driver = "sqlite"' in text]
    Path("words.toml").write_text(words)
    Path("titles.toml").write_text(words.replace("bm25(documents)", "bm25(documents, 0, 10, 1)"))
    (commands,) = re.findall(r"```sh\n(.*?)```", PAGE, flags=re.DOTALL)
    for line in commands.splitlines()[2:-1]:
        if line != "python fill.py":
            assert leadline(line.removeprefix("leadline ")) == 0, line
    assert Path("report.html").stat().st_size > 0


def test_there_are_files() -> None:
    assert len(FILES) >= 12
