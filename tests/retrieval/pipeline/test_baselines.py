"""Baselines by the names that papers use."""

from __future__ import annotations

import pytest

from leadline.errors import InputError
from leadline.retrieval.pipeline.named_systems import list_systems, settings, system, systems
from leadline.retrieval.pipeline.steps import BASELINES


def test_baselines_are_systems_by_name() -> None:
    assert not set(BASELINES) & set(systems())
    assert settings(system("bm25")) == settings(system("baseline"))
    assert system("bm25+rm3").steps[2].name == "rm3"
    assert system("rrf").steps[0].how == "rrf"  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"did you mean bm25\+rm3\?"):
        system("bm25+rm")


def test_they_are_listed_first() -> None:
    listed = list_systems()
    assert listed.names[: len(BASELINES)] == tuple(BASELINES)
    (one,) = list_systems("bm25+rm3").items
    assert one.does.startswith("BM25, and again")
    assert one.about == one.does
    with pytest.raises(InputError, match=r"did you mean bm25\+dense\?"):
        list_systems("bm25+dens")
