"""Baselines by the names that papers use."""

from __future__ import annotations

import pytest

from leadline.errors import InputError
from leadline.retrieval.pipeline.baselines import BASELINES
from leadline.retrieval.pipeline.pipeline_files import settings, system, systems


def test_baselines_are_systems_by_name() -> None:
    assert not set(BASELINES) & set(systems())
    assert settings(system("bm25")) == settings(system("baseline"))
    assert system("bm25+rm3").steps[2].name == "rm3"
    assert system("rrf").steps[0].how == "rrf"  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"did you mean bm25\+rm3\?"):
        system("bm25+rm")
