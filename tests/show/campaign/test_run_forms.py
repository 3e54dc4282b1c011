"""Runs of every form: what is refused line by line, how they are pooled, and what the overview says of them."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.errors import InputError
from leadline.measures.evaluate import evaluate
from leadline.show.campaign.campaign import Campaign
from leadline.show.campaign.judging import draw_campaign_pool, release
from leadline.show.campaign.live_campaign import LiveCampaign, RunRefusedError
from leadline.show.campaign.overview import overview
from leadline.show.campaign.run_forms import SETS, ranked_documents
from leadline.show.campaign.submission import Description, KnownDocuments, RunRules, check_run
from leadline.show.check import check

NOON = datetime.datetime(2027, 3, 1, 12, tzinfo=datetime.UTC)
TOPICS = ("1", "2", "3")
DOCUMENTS = [f"d{number}" for number in range(30)]


def said(kind: str, priority: int = 1) -> Description:
    return Description(kind, ("title",), "none", "By hand, with the words of the title.", priority)


def sets(tag: str, first: int, size: int) -> str:
    return "".join(f"{t} Q0 d{first + n} 1 0 {tag}\n" for t in TOPICS for n in range(size))


def session(first: int, size: int, seconds: float) -> str:
    """A log in which the first document is opened again."""
    return "# (nails or tacks) and not wood\n" + "".join(
        f"{t}\td{first + n}\t{seconds + n}\n" for t in TOPICS for n in [*range(size), 0]
    )


def passages(tag: str, first: int, size: int) -> str:
    return "".join(
        f"{t} Q0 d{first + n} {2 * n + k} {50 - 2 * n - k} {tag} {k * 50} 40\n"
        for t in TOPICS
        for n in range(size)
        for k in (0, 1)
    )


@pytest.fixture
def live(tmp_path: Path) -> LiveCampaign:
    (tmp_path / "ids.txt").write_text("".join(f"{name}\n" for name in DOCUMENTS))
    (tmp_path / "topics.tsv").write_text("topic\ttitle\n1\tNails\n2\tScrews\n3\tTacks\n")
    made = LiveCampaign.create(tmp_path / "c", "Nails", documents=str(tmp_path / "ids.txt"), clock=lambda: NOON)
    for task, kind in (("sets", "boolean"), ("logs", "session"), ("parts", "passages")):
        made.set_task(task, "ad-hoc", topics=str(tmp_path / "topics.tsv"), takes=[kind], length=20)
    for team in ("york", "iowa", "lodz"):
        made.invite(team, "team")
    return made


def sent(live: LiveCampaign, team: str, task: str, text: str, kind: str, name: str = "one.run") -> str:
    path = live.folder.parent / name
    path.write_text(text)
    try:
        return live.submit(team, live.facts.task(task), path, said(kind)).run.name
    except RunRefusedError as refused:
        return "\n".join(refused.problems)


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        ("boolean", sets("one", 0, 2) + "1 Q0 d0 1 0 one\n", "a.run:7: document 'd0' is listed twice for topic 1"),
        ("boolean", sets("one", 0, 2) + "9 Q0 d0 1 0 one\n", "a.run:7: 9 is not a topic of this task"),
        ("boolean", sets("one", 0, 21), "a.run:21: topic 1 has 21 documents, the most is 20"),
        ("boolean", "1 d0\n", "a.run:1: 2 fields, expected 6"),
        ("boolean", passages("one", 0, 1), "a.run: lists passages, and documents are judged"),
        ("session", "1 d0 5\n1 d1\n", "a.run:2: 2 fields, expected 3 (topic document seconds)"),
        ("session", "1 d0 5\n1 d1 5 more\n", "a.run:2: more than 3 fields, expected topic document seconds"),
        ("session", "# a line\n1 d0 soon\n", "a.run:2: seconds 'soon' is not a number"),
        ("session", "1 d0 -5\n", "a.run:1: seconds '-5' are not from 0 to 86,400, which is a day"),
        ("session", "1 d0 5\n1 d77 5\n", "a.run:2: d77 is not a document of the collection"),
        ("passages", sets("one", 0, 2), "a.run: lists documents, and this task takes passages: lines of topic Q0"),
        ("passages", passages("one", 0, 1) + "1 Q0 d1 9 1 one 5 0\n", "a.run:7: a passage of 0 characters from 5 on"),
        ("passages", passages("one", 0, 1) + "1 Q0 d0 9 1 one 0 40\n", "a.run:7: the same passage of 'd0' again"),
        ("passages", passages("one", 0, 1) + "1 Q0 d1 9 1 two 5 9\n", "a.run:7: the run is called 'two' here"),
        ("passages", passages("one", 0, 11), "a.run:21: topic 1 has 22 passages, the most is 20"),
        ("passages", "1 d0 1 2 0 40 one\n1 d99 2 1 0 40 one\n", "a.run:2: d99 is not a document of the collection"),
    ],
)
def test_each_refusal_is_a_line_with_file_and_line(tmp_path: Path, kind: str, text: str, problem: str) -> None:
    (tmp_path / "a.run").write_text(text)
    (tmp_path / "ids").write_text("\n".join(DOCUMENTS))
    rules = RunRules(TOPICS, KnownDocuments.read(tmp_path / "ids"), 20, 2, (kind,))
    found = check_run(tmp_path / "a.run", rules, said(kind), name="a.run").problems
    assert problem in found[0]
    assert "\n" not in found[0]


def test_a_kind_that_a_task_does_not_take_is_refused(live: LiveCampaign, tmp_path: Path) -> None:
    problem = sent(live, "york", "sets", sets("one", 0, 2), "automatic")
    assert problem == "one.run: description: kind is automatic, and the task takes boolean runs"
    with pytest.raises(InputError, match="boolean runs are sets and session runs are sessions: add a task for each"):
        live.set_task("sets", takes=["boolean", "session"])
    for task, measures, problem in (
        ("sets", "AP", "AP: needs an order, and sets have none: use set_F set_P set_recall"),
        ("logs", "AP", "AP: knows no time: name first one that does"),
    ):
        with pytest.raises(InputError, match=problem):
            live.set_task(task, measures=measures)
    with pytest.raises(InputError, match="char_AP: needs passages: say --takes passages"):
        live.set_task("new", "ad-hoc", topics=str(tmp_path / "topics.tsv"), measures="char_AP")
    assert live.facts.task("sets").measures == ("set_F", "set_P", "set_recall")
    assert sent(live, "york", "logs", session(0, 3, 5), "session", "a b.log").startswith(
        "a b.log: gives the run its name"
    )


def test_runs_of_every_form_are_pooled_scored_and_printed(
    live: LiveCampaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for place, team in enumerate(("york", "iowa", "lodz")):
        assert sent(live, team, "sets", sets("one", place, 8), "boolean") == f"{team}-one"
        assert sent(live, team, "logs", session(place, 8, 10 + place), "session", "read.log") == f"{team}-read"
        assert sent(live, team, "parts", passages("span", place, 5), "passages") == f"{team}-span"
    assert "has the same lists as your run" in "\n".join(
        live.check(
            "york", live.facts.task("sets"), _written(tmp_path, _reversed(sets("two", 0, 8))), said("boolean", 2)
        ).problems
    ), "a set in another order is the same set"
    for task, pooled in (("sets", 10), ("logs", 10), ("parts", 7)):
        pool = draw_campaign_pool(live, live.facts.task(task), strata="20:1").pool
        assert len(pool.documents) == 3 * pooled, "a document that is opened again is judged once"
    plain = "".join(f"{t} 0 d{n} {int(n % 3 == 0)}\n" for t in TOPICS for n in range(10))
    spans = "".join(f"{t} 0 d{n} 90 0 {'20:30' if n % 3 == 0 else ''}\n" for t in TOPICS for n in range(7))
    (tmp_path / "plain.qrels").write_text(plain)
    (tmp_path / "spans.qrels").write_text(spans)
    with pytest.raises(InputError, match=r"char_AP needs judgements of passages.*give others with --qrels"):
        release(live, live.facts.task("parts"), qrels=str(tmp_path / "plain.qrels"))
    for task, qrels in (("sets", "plain"), ("logs", "plain"), ("parts", "spans")):
        release(live, live.facts.task(task), qrels=str(tmp_path / f"{qrels}.qrels"))
    facts = Campaign.open(live.folder)
    tables = {each.name: each.table for each in overview(facts).exhibits}
    path = {run.name: str(facts.run_file(run)) for run in facts.runs}
    for task, name, measure, qrels in (
        ("sets", "one", "set_F", "plain"),
        ("logs", "read", "search_speed@20", "plain"),
        ("parts", "span", "char_AP", "spans"),
    ):
        wanted = {}
        for team in ("york", "iowa", "lodz"):
            own = {f"{team}-{name}": path[f"{team}-{name}"]}
            reads = path[f"{team}-{name}"] if task == "logs" else None
            wanted |= evaluate(tmp_path / f"{qrels}.qrels", own, measure, reads=reads)[measure]
        table = tables[f"{task}.scores"]
        assert table.columns[3] == measure
        assert {row[0]: row[3] for row in table.rows} == pytest.approx(wanted)
    assert check(live.folder) == []
    main(["campaign", "archive", str(live.folder), "-o", str(tmp_path / "kept"), "-q"])
    assert {each.name for each in overview(Campaign.open(tmp_path / "kept")).exhibits} == {*tables}
    capsys.readouterr()


def test_whole_documents_may_be_judged_where_passages_are_sent(live: LiveCampaign, tmp_path: Path) -> None:
    live.set_task("parts", measures="AP P@5")
    for place, team in enumerate(("york", "iowa")):
        sent(live, team, "parts", passages("span", place, 5), "passages")
    (tmp_path / "plain.qrels").write_text("".join(f"{t} 0 d{n} {int(n % 3 == 0)}\n" for t in TOPICS for n in range(9)))
    release(live, live.facts.task("parts"), qrels=str(tmp_path / "plain.qrels"))
    tables = {each.name: each.table for each in overview(Campaign.open(live.folder)).exhibits}
    assert [row[:2] for row in tables["parts.scores"].rows] == [["york-span", "york"], ["iowa-span", "iowa"]]


def test_a_set_is_pooled_by_one_lot_for_all_runs(tmp_path: Path) -> None:
    names = []
    for text in (sets("a", 0, 20), _reversed(sets("b", 0, 20))):
        run = ranked_documents(SETS, _written(tmp_path, text), "run")
        names.append([name for name, _ in run.ranking("1")])
    assert names[0] == names[1] != [f"d{n}" for n in range(20)]


def _written(folder: Path, text: str) -> Path:
    path = folder / "written.run"
    path.write_text(text)
    return path


def _reversed(text: str) -> str:
    return "".join(text.splitlines(keepends=True)[::-1])


def test_runs_that_are_all_alike_have_an_overview_too(live: LiveCampaign, tmp_path: Path) -> None:
    for team in ("york", "iowa", "lodz"):
        sent(live, team, "sets", sets("one", 0, 4), "boolean")
    (tmp_path / "plain.qrels").write_text("".join(f"{t} 0 d{n} {int(n % 3 == 0)}\n" for t in TOPICS for n in range(9)))
    release(live, live.facts.task("sets"), qrels=str(tmp_path / "plain.qrels"))
    made = overview(Campaign.open(live.folder))
    assert "sets.scores" in made.numbers
    assert any(
        "all runs have the same mean, so it ranks nothing" in each for part in made.sections for each in part.paragraphs
    )
