"""The overview of a campaign: its tables are those of the parts, nothing depends on where it lies, teams stay blind."""

from __future__ import annotations

import contextlib
import csv
import datetime
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from leadline.cli import main
from leadline.judge.journal import Event, JudgingJournal
from leadline.measures.evaluate import evaluate
from leadline.show.campaign.campaign import Campaign
from leadline.show.campaign.judging import assign, draw_campaign_pool, open_disagreements, release
from leadline.show.campaign.live_campaign import LiveCampaign
from leadline.show.campaign.overview import overview
from leadline.show.campaign.overview_files import write_overview
from leadline.show.campaign.submission import Description
from leadline.show.campaign.team_analysis import team_analysis
from leadline.show.pages.printing import joined_pdf
from leadline.show.report.evidence import Evidence

NOON = datetime.datetime(2027, 3, 1, 12, tzinfo=datetime.UTC)
TOPICS = [f"T-{number}" for number in range(8)]
DOCUMENTS = [f"d{number}" for number in range(60)]
TEAMS = {"york": 2.5, "iowa": 1.0, "lodz": 0.2}


def relevant(topic: str, document: str) -> int:
    number = int(document[1:]) + int(topic[2:])
    return 2 if number % 20 == 0 else int(number % 7 == 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A survey of three teams, judged by two students who err and an expert, and released."""
    place = tmp_path_factory.mktemp("overview")
    (place / "ids.txt").write_text("".join(f"{name}\n" for name in DOCUMENTS))
    (place / "topics.tsv").write_text("topic\ttitle\n" + "".join(f"{t}\tNails & <b> {t}_\n" for t in TOPICS))
    now = [NOON - datetime.timedelta(days=1)]
    live = LiveCampaign.create(
        place / "c", "Nails_2027 & more", organiser="An office", documents=str(place / "ids.txt"), clock=lambda: now[0]
    )
    live.set_task(
        "ts",
        "survey",
        topics=str(place / "topics.tsv"),
        deadline="2027-03-01 12:00 UTC",
        measures="AP P@5 xinfAP",
        strata="5:1,30:0.5",
        double=1.0,
    )
    rng = np.random.default_rng(3)
    for team, skill in TEAMS.items():
        live.invite(team, "team")
        for number in (1, 2):
            lines = []
            for topic in TOPICS:
                score = [skill * relevant(topic, d) / number + rng.random() for d in DOCUMENTS]
                order = np.argsort(score)[::-1][:30]
                lines += [f"{topic} Q0 {DOCUMENTS[d]} {k + 1} {score[d]:.6f} r{number}\n" for k, d in enumerate(order)]
            path = place / "a.run"
            path.write_text("".join(lines))
            said = Description("manual", ("title",), "none", f"Run {number} of {team}.", number)
            live.submit(team, live.facts.task(), path, said)
    for name, role in (("anna", "student"), ("ben", "student"), ("eve", "expert")):
        live.invite(name, role)
    now[0] = NOON + datetime.timedelta(hours=1)
    task = live.facts.task()
    pool = draw_campaign_pool(live, task).pool
    assign(live, task)
    shutil.copytree(place / "c", place / "blind")

    def mark(person: str, role: str, topic: str, document: str, grade: int) -> Event:
        uid, at = f"{person}-{topic}-{document}", "2027-03-01T14:00:00.000000Z"
        return Event(uid, person, role, "mark", topic, document, str(grade), at=at, seconds=12.0)

    journal = live.folder / f"{task.pool_file}.journal"
    with contextlib.closing(JudgingJournal(journal)) as opened:
        opened.append_all(
            [
                mark(name, "assessor", topic, document, relevant(topic, document) if rng.random() > error else 1)
                for topic, document in pool.to_judge().select("topic", "document").iter_rows()
                for name, error in (("anna", 0.05), ("ben", 0.3))
            ]
        )
    waiting = open_disagreements(live.facts.judging(task))
    with contextlib.closing(JudgingJournal(journal)) as opened:
        opened.append_all([mark("eve", "expert", e.topic, e.document, relevant(e.topic, e.document)) for e in waiting])
    release(live, task)
    return place


def test_tables_are_those_of_the_parts(folder: Path) -> None:
    campaign = Campaign.open(folder / "c")
    made = overview(campaign)
    tables = {each.name: each.table for each in made.exhibits}
    assert {*tables} >= {
        *("teams", "kinds", "runs", "topics", "pool", "unique", "grades.assessors", "grades.expert", "conflicts"),
        *("agreement", "agreement.grade", "agreement.shift", "cost", "missing", "best", "scores", "scores.figure"),
        *("measures", "topics.scores", "topics.figure", "slices.relevant_documents", "verdicts", "pairs", "judged"),
        *("teams.left_out", "topics.scores.2", "topics.figure.2", "slices.relevant_documents.measures"),
    }
    means = evaluate(campaign.qrels(task := campaign.task()), [campaign.run_file(run) for run in campaign.runs], "P@5")
    average = np.nanmean(means.of("P@5"), axis=0)
    assert tables["topics.scores.2"].rows[-1][1:] == pytest.approx(average.tolist())
    conflicts = next(each for each in made.exhibits if each.name == "conflicts")
    assert "Unsure (-2) against not judged (-1) counts as agreement" in conflicts.reading
    lenient = overview(replace(campaign, tasks=(replace(task, neither="lenient"),)))
    assert any("(-1) counts as lenient, as the guidelines" in each.reading for each in lenient.exhibits)
    assert list(made.numbers.values())[:2] == ["Table 1", "Table 2"]
    runs = {run.name: str(campaign.run_file(run)) for run in campaign.runs}
    evidence = Evidence.of(str(campaign.qrels(task)), runs, "AP", samples=100, timings={})
    assert [row[0] for row in tables["scores"].rows] == list(evidence.order)
    letters = tables["scores"].columns.index("letters")
    assert {row[0]: row[letters] for row in tables["scores"].rows} == evidence.standing.letters
    said = next(section for section in made.sections if section.heading == "Effectiveness").paragraphs
    assert evidence.standing.finding() in said, "the overview says what the standing says"
    total = tables["grades.expert"].rows[-1]
    assert total[0] == "all"
    assert total[1] == sum(total[2:7])
    assert total[2] + total[3] == campaign.releases[0].relevant
    assert tables["cost"].rows[0][:3] == ["anna", "student", total[1]]


def test_the_same_bytes_wherever_it_lies(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "c", tmp_path / "moved")
    here = write_overview(overview(Campaign.open(folder / "c")), tmp_path / "here", pdf=False)
    there = write_overview(overview(Campaign.open(tmp_path / "moved")), tmp_path / "there", pdf=False)
    assert [path.read_bytes() for path in here] == [path.read_bytes() for path in there]
    everything = b"".join(path.read_bytes() for path in here)
    for secret in (str(folder), str(tmp_path), "moved"):
        assert secret.encode() not in everything
    page = (tmp_path / "here/overview.html").read_text()
    assert "Nails &amp; &lt;b&gt;" in page
    assert r"Nails\_2027 \& more" in (tmp_path / "here/overview.tex").read_text()
    for path in here:
        if path.suffix == ".csv":
            assert len({len(row) for row in csv.reader(path.read_text().splitlines())}) == 1
    linked = {*re.findall(r"(?:href=\"|\]\()((?:tables|figures)/[^\")]+)", page)}
    assert all((tmp_path / "here" / name).exists() for name in linked)


def test_the_pdf_has_all_pages(folder: Path, tmp_path: Path) -> None:
    pypdf = pytest.importorskip("pypdf")
    pytest.importorskip("vl_convert")
    write_overview(overview(Campaign.open(folder / "c")), tmp_path / "o")
    read = pypdf.PdfReader(tmp_path / "o/overview.pdf")
    text = "".join(page.extract_text() for page in read.pages).replace("\xa0", " ")  # some versions of pypdf
    assert len(read.pages) > 3
    assert f"1 of {len(read.pages)}" in text
    for words in ("Overview of Nails_2027 & more", "Incomplete judgements", "Documents by grade"):
        assert words in text
    assert read.metadata.title == "Overview of Nails_2027 & more"
    shutil.copytree(folder / "c", tmp_path / "moved")
    write_overview(overview(Campaign.open(tmp_path / "moved")), tmp_path / "again")
    for path in (tmp_path / "o").rglob("*.pdf"):
        assert path.read_bytes() == (tmp_path / "again" / path.relative_to(tmp_path / "o")).read_bytes()
    one = (tmp_path / "o/figures/scores.figure.pdf").read_bytes()
    (tmp_path / "two.pdf").write_bytes(joined_pdf([one, one], "two"))
    assert len(pypdf.PdfReader(tmp_path / "two.pdf").pages) == 2


def test_before_the_release_nobody_sees_scores(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blind = Campaign.open(folder / "blind")
    made = overview(blind)
    assert not {"scores", "verdicts", "teams.left_out"} & {each.name for each in made.exhibits}
    assert "Not released yet" in made.abstract[1]
    found = team_analysis(blind, blind.task(), "york")
    assert (found["released"], found["runs"]) == (False, [])
    assert [row[0] for row in found["own"].rows] == ["york-r1", "york-r2"]
    main(["campaign", "overview", str(folder / "blind"), "--team", "york"])
    captured = capsys.readouterr()
    assert "iowa" not in captured.out
    assert "are not released" in captured.err
    main(["campaign", "overview", str(folder / "c"), "--team", "york", "-f", "csv"])
    captured = capsys.readouterr()
    assert captured.out.startswith("run,topic,score,median,best,over_median\nyork-r1,T-0,")
    assert "Above the median of all runs on " in captured.err
    main(["campaign", "overview", str(folder / "c"), "-o", str(tmp_path / "o"), "--no-pdf"])
    assert "Overview of Nails_2027 & more: " in capsys.readouterr().out
    assert not list((tmp_path / "o").rglob("*.pdf"))
    with pytest.raises(SystemExit):
        main(["campaign", "overview", str(folder / "c"), "--team", "yorck"])
    assert "did you mean york" in capsys.readouterr().err
