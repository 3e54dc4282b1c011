"""docs/teams.md: the tables of the small office are what the benchmark makes, and the page has every variant."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from leadline.retrieval.pipeline.named_systems import variants_of

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/teams.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def teams():
    spec = importlib.util.spec_from_file_location("teams", ROOT / "benchmarks" / "teams.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["teams"] = module  # its dataclass looks itself up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["teams"]


def cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def test_the_short_form_is_what_is_written(teams, tmp_path: Path) -> None:
    pytest.importorskip("chemicals", minversion="1.5")  # whose synonyms the numbers are of
    made, written = cells(teams.short_form(tmp_path)), cells(teams.short_part(PAGE))
    assert [row[0] for row in made] == [row[0] for row in written]
    for ours, theirs in zip(made, written, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            if re.fullmatch(r"0\.\d+", other):
                assert float(one) == pytest.approx(float(other), abs=0.002), (ours, theirs)
            else:
                assert one == other, (ours, theirs)


def test_the_page_has_every_variant_and_every_finding(teams) -> None:
    rows = cells(PAGE)
    first = {row[0] for row in rows}
    for team in teams.TEAMS:
        assert {one.name for one in variants_of(team)} <= first
        assert f"**{team}**" in PAGE
    for one in (*teams.FINDINGS, *teams.SURVEY_FINDINGS):
        found = [row for row in rows if (row[0], row[2]) == (one.what, one.reported)]
        assert len(found) == 2  # in the whole and in the short form
        assert all(row[-1] == teams.agreement(one.there, row[3]) for row in found)
    assert ["finding", "compared", "the overview", "the office", "here"] in rows


def test_every_variant_of_the_large_office_is_a_run_of_its_own(teams) -> None:
    whole = PAGE.partition(teams.SHORT_TITLE)[0]
    assert whole.count("No two of them are the same run.") == 2
    rows = [row for row in cells(whole) if len(row) == 7 and not row[0].startswith((":", "variant"))]
    count = sum(len(variant.tasks) for team in teams.TEAMS for variant in variants_of(team))
    assert len(rows) == count
    assert all(row[5] == "—" or float(row[5]) >= 0 for row in rows)  # "none: the same run" is no number
    assert sum(row[5] == "—" for row in rows) == 8 + 6  # the first of each team and task


def test_findings_name_variants_of_their_task(teams) -> None:
    for known, task in ((teams.FINDINGS, "prior art"), (teams.SURVEY_FINDINGS, "survey")):
        for one in known:
            tasks = {variant.name: variant.tasks for variant in variants_of(one.team)}
            assert task in tasks[one.first]
            assert task in tasks[one.second]
