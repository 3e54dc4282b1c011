"""Every file in the page on search services is one that is read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from leadline.retrieval.engines.engine_file import read_engine

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


def test_there_are_files() -> None:
    assert len(FILES) >= 12
