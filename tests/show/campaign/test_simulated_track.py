"""A whole small track on a simulated office, its truth, and its archive."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.errors import InputError
from leadline.show.campaign.archive import SUMS
from leadline.show.campaign.campaign import Campaign
from leadline.show.campaign.overview import overview
from leadline.show.campaign.overview_files import write_overview
from leadline.show.campaign.simulated_track import SimulatedTrack, simulate_track
from leadline.show.check import check


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> SimulatedTrack:
    return simulate_track(tmp_path_factory.mktemp("track") / "rehearsal", patents=200, topics=4)


def test_a_whole_track_is_played_and_the_truth_is_beside_it(played: SimulatedTrack) -> None:
    facts = played.campaign
    assert (len(facts.teams), len(facts.runs), sum(run.late for run in facts.runs)) == (12, 20, 1)
    assert sorted(each.team for each in facts.refused) == ["cmu", "iowa", "msoe"]
    assert [each.stage for each in facts.releases] == ["citations", "final"]
    errors = {row[1]: row[-1] for row in played.assessors.rows}
    assert errors["after the expert"] < errors["merged"], "the expert mends what students got wrong"
    assert all(0 < row[3] <= 1 for row in played.pool.rows)
    assert check(facts.folder) == []
    assert sum(facts.classes.values()) >= facts.documents > 0
    names = {each.name for each in overview(facts).exhibits}
    assert {
        "classes",
        "pa.scores.office.EP",
        "pa.slices.class.measures",
        "pa.slices.words_of_the_topic.measures",
    } <= names


def test_what_was_stopped_goes_on_and_says_the_same(played: SimulatedTrack) -> None:
    again = simulate_track(played.campaign.folder, patents=200, topics=4)
    assert str(again.ranking.rows + again.pool.rows) == str(played.ranking.rows + played.pool.rows)
    assert again.campaign.sent == played.campaign.sent


def test_an_archive_says_the_same_anywhere(
    played: SimulatedTrack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    live = played.campaign
    main(["campaign", "archive", str(live.folder), "-o", str(tmp_path / "a")])
    assert "with their hashes in SHA256SUMS" in capsys.readouterr().out
    shutil.move(tmp_path / "a", tmp_path / "elsewhere")
    there = Campaign.open(tmp_path / "elsewhere")
    same = replace(live, folder=there.folder, collection="", documents_sha256=there.documents_sha256, is_archive=True)
    assert there == same
    for task in live.tasks:
        assert there.events(task) == live.events(task)
        assert there.qrels(task).read_bytes() == live.qrels(task).read_bytes()  # type: ignore[union-attr]
    for campaign, name in ((live, "one"), (there, "other")):
        write_overview(overview(campaign), tmp_path / name, pdf=False)
    files = [path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file()]
    assert len(files) > 10
    assert all((tmp_path / "one" / each).read_bytes() == (tmp_path / "other" / each).read_bytes() for each in files)
    assert check(there.folder) == []
    assert (there.folder / SUMS).read_text().count("\n") > 25
    with pytest.raises(SystemExit, match="1"):
        main(["campaign", "release", str(there.folder), "ts"])
    capsys.readouterr()
    run = there.run_file(there.runs[0])
    run.write_text(run.read_text()[:-2])
    assert [each.path for each in check(there.folder)] == [str(run)]
    with pytest.raises(InputError, match="no such folder"):
        Campaign.open(tmp_path / "a")
