"""A campaign from its first task to the release: what is checked, kept, refused, pooled, assigned and shown."""

from __future__ import annotations

import contextlib
import datetime
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.errors import InputError
from leadline.judge.journal import Event, JudgingJournal, new_uid
from leadline.records.qrels import read_qrels
from leadline.show.campaign.archive import archive
from leadline.show.campaign.campaign import Campaign, parse_deadline
from leadline.show.campaign.judging import (
    assign,
    draw_campaign_pool,
    open_disagreements,
    release,
    runs_read,
    unique_by_team,
)
from leadline.show.campaign.live_campaign import LiveCampaign, RunRefusedError, receipt_of
from leadline.show.campaign.submission import Description, KnownDocuments, RunRules, check_run
from leadline.show.check import check

SAID = Description("automatic", ("title",), "none", "Words of the title, by BM25.", 1)
NOON = datetime.datetime(2027, 3, 1, 12, tzinfo=datetime.UTC)
DOCUMENTS = [f"d{number}" for number in range(40)]


def lines(tag: str, first: int = 0, topics: tuple[str, ...] = ("1", "2"), length: int = 5) -> str:
    """A run that lists documents from one on."""
    return "".join(
        f"{topic} Q0 d{first + rank} {rank + 1} {9.5 - rank} {tag}\n" for topic in topics for rank in range(length)
    )


class Clock:
    """A clock that stands where it is set."""

    def __init__(self) -> None:
        self.now = NOON - datetime.timedelta(days=1)

    def __call__(self) -> datetime.datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def live(tmp_path: Path, clock: Clock) -> LiveCampaign:
    (tmp_path / "ids.txt").write_text("".join(f"{name}\n" for name in DOCUMENTS))
    (tmp_path / "topics.tsv").write_text("topic\ttitle\n1\tNails\n2\tScrews\n")
    made = LiveCampaign.create(tmp_path / "c", "Nails", documents=str(tmp_path / "ids.txt"), clock=clock)
    made.set_task(
        "ts",
        "survey",
        topics=str(tmp_path / "topics.tsv"),
        deadline="2027-03-01 12:00 UTC",
        most_runs=2,
        length=10,
        strata="3:1",
        double=1.0,
    )
    for team in ("york", "iowa"):
        made.invite(team, "team")
    for name, role in (("anna", "student"), ("ben", "student"), ("eve", "expert")):
        made.invite(name, role)
    return made


def sent(live: LiveCampaign, text: str, team: str = "york", said: Description = SAID, name: str = "a.run") -> str:
    """The receipt of a run, or what is wrong with it."""
    path = live.folder.parent / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    try:
        return live.submit(team, live.facts.task(), path, said).run.receipt
    except RunRefusedError as refused:
        return "\n".join(refused.problems)


def with_priority(priority: int) -> Description:
    return Description(SAID.kind, SAID.fields, SAID.resources, SAID.text, priority)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1 Q0 d1 1\n", "a.run:1: 4 fields, expected 6"),
        ("1 Q0 d1 1 high one\n", "a.run:1: score 'high' is not a number"),
        (lines("one") + "1 Q0 d1 9 0 one\n", "a.run:11: document 'd1' is listed twice for topic 1 (first on line 2)"),
        (lines("one") + "3 Q0 d1 1 2 one\n", "a.run:11: 3 is not a topic of this task"),
        (lines("one") + "1 Q0 d99 9 0 one\n", "a.run:11: d99 is not a document of the collection; did you mean d9?"),
        (lines("one", topics=("1",), length=11), "a.run:11: topic 1 has 11 documents, the most is 10"),
        (lines("one") + "1 Q0 d9 9 0 two\n", "a.run:11: the run is called 'two' here and one on the first line"),
        (lines("a/b"), "a.run:1: 'a/b' is not a name of a run"),
        ("1 0 d1 1 2.0 one\n", "a.run:1: the second field is '0', expected Q0"),
        ("1 Q0 d1 1 2.0 one 0 20\n", "a.run: lists passages, and documents are judged"),
        ("1 d1 1 2.0 0 20 one\n", "a.run: lists passages, and documents are judged"),
        ("", "a.run: is empty"),
        ("1 Q0 d\ufffd 1 2 one\n".replace("\ufffd", "\udc80"), "a.run:1: is not UTF-8"),
    ],
)
def test_each_refusal_is_a_line_with_file_and_line(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "a.run").write_bytes(text.encode("utf-8", "surrogateescape"))
    (tmp_path / "ids").write_text("\n".join(DOCUMENTS))
    rules = RunRules(("1", "2"), KnownDocuments.read(tmp_path / "ids"), 10, 2)
    found = check_run(tmp_path / "a.run", rules, SAID, name="a.run").problems
    assert problem in found[0]
    assert len(found) == 1
    assert "\n" not in found[0]


def test_a_description_is_asked_for_field_by_field(tmp_path: Path) -> None:
    found = Description.of({"kind": "automatik"}).problems("a.run", RunRules((), most_runs=8))
    assert [line.split(": ")[1][:9] for line in found] == [
        "'automati",
        "fields is",
        "resources",
        "text is m",
        "priority ",
    ]
    (tmp_path / "d.toml").write_text('kind = "manual"\nsource = "x"\n')
    with pytest.raises(InputError, match="'source' is not one of"):
        Description.read(tmp_path / "d.toml")


def test_a_run_is_replaced_until_the_deadline_and_every_version_kept(live: LiveCampaign, clock: Clock) -> None:
    first = sent(live, lines("one"))
    assert sent(live, lines("one")) == first, "the same again is the same receipt"
    assert sent(live, lines("one", 3), name="a.run.gz") != first
    assert "has the same lists as your run one" in sent(live, lines("two", 3), said=with_priority(2))
    assert "priority 1 is that of your run one: free are 2" in sent(live, lines("two", 9))
    assert len(sent(live, lines("two", 9), said=with_priority(2))) == 64
    third = sent(live, lines("three", 12), said=with_priority(2))
    assert third.endswith("the most is 2 runs, and you have sent one, two: replace one")
    clock.now = NOON + datetime.timedelta(seconds=1)
    assert "came after the deadline, which was 2027-03-01 12:00 UTC" in sent(live, lines("one", 5))
    facts = live.facts
    assert [(run.name, run.version) for run in facts.runs] == [("york-one", 2), ("york-two", 1)]
    assert [run.version for run in facts.sent] == [1, 2, 1]
    assert len(facts.refused) == 4
    assert all(receipt_of(run) == run.receipt for run in facts.sent)
    assert facts.run_file(facts.runs[0]).read_text() == lines("one", 3), "as it was sent, unpacked"
    assert check(live.folder) == []


def test_late_runs_are_marked_where_that_is_allowed(live: LiveCampaign, clock: Clock) -> None:
    sent(live, lines("one"))
    live.set_task("ts", late="mark")
    clock.now = NOON + datetime.timedelta(hours=1)
    assert "came in time and stands" in sent(live, lines("one", 3))
    sent(live, lines("two", 20), said=with_priority(2))
    drawn = draw_campaign_pool(live, live.facts.task())
    assert (drawn.runs, drawn.left_out) == (("york-one",), ("york-two",))


def test_a_team_is_answered_the_same_whatever_others_sent(live: LiveCampaign, tmp_path: Path) -> None:
    """Everything that a team can send is answered byte for byte as if it were alone."""

    def answers(live: LiveCampaign) -> list[str]:
        texts = (lines("one"), lines("one", 3), lines("two"), "wrong\n")
        return [sent(live, text, "iowa", with_priority(place + 1)) for place, text in enumerate(texts)]

    alone = answers(live)
    other = LiveCampaign.create(tmp_path / "d", "Nails", documents=str(tmp_path / "ids.txt"), clock=live.clock)
    other.set_task(
        "ts", "survey", topics=str(tmp_path / "topics.tsv"), deadline="2027-03-01 12:00 UTC", most_runs=2, length=10
    )
    for team in ("york", "iowa"):
        other.invite(team, "team")
    for tag in ("one", "two"):  # the same names and lists as the other team will send
        sent(other, lines(tag, 3 * (tag == "two")), "york", with_priority(1 + (tag == "two")))
    assert answers(other) == alone


def judge(live: LiveCampaign, grade: dict[str, int]) -> None:
    """Everybody judges what is assigned to them; `anna` takes everything for relevant."""
    facts = live.facts
    task = facts.task()
    pool, state = facts.pool(task), facts.judging(task)
    assert pool is not None
    with contextlib.closing(JudgingJournal(live.folder / f"{task.pool_file}.journal")) as journal:
        journal.append_all(
            [
                Event(
                    new_uid(),
                    name,
                    "assessor",
                    "mark",
                    topic,
                    document,
                    "1" if name == "anna" else str(grade.get(document, 0)),
                )
                for topic, document in pool.to_judge().select("topic", "document").iter_rows()
                for name in state.assigned[topic]
            ]
        )


def test_from_the_pool_to_the_release(live: LiveCampaign, clock: Clock) -> None:
    sent(live, lines("one"))
    sent(live, lines("one", 2), "iowa")
    task = live.facts.task()
    with pytest.raises(InputError, match="takes runs until 2027-03-01 12:00 UTC"):
        draw_campaign_pool(live, task)
    clock.now = NOON + datetime.timedelta(hours=1)
    drawn = draw_campaign_pool(live, task)
    table = unique_by_team(live.facts, task, drawn.pool, {("1", "d4"): 1})
    assert table.rows == [["iowa", 1, 6, 6, 4, 4, 1], ["york", 1, 6, 6, 4, 4, 0]]
    given = assign(live, task)
    assert given == assign(live, task), "what is assigned stays"
    assert sorted(given["1"]) == sorted(given["2"]) == ["anna", "ben"]
    with pytest.raises(InputError, match="is assigned or judged already"):
        draw_campaign_pool(live, task)
    with pytest.raises(InputError, match="has 10 documents that nobody judged"):
        release(live, task)
    judge(live, {"d0": 2, "d1": 1})
    waiting = open_disagreements(live.facts.judging(task))
    assert len(waiting) == 8
    assert waiting[-1].kind == "one_against_two"
    with pytest.raises(InputError, match="has 8 disagreements that the expert has not decided"):
        release(live, task)
    with contextlib.closing(JudgingJournal(live.folder / f"{task.pool_file}.journal")) as journal:
        journal.append_all(
            [Event(new_uid(), "eve", "expert", "mark", each.topic, each.document, "0") for each in waiting]
        )
    done = release(live, task)
    assert (done.judgements, done.relevant, done.stage) == (10, 2, "final")
    assert read_qrels(live.folder / task.qrels_file).to_dict()["1"] == {"d0": 0, "d1": 1, "d2": 0, "d3": 0, "d4": 0}
    with pytest.raises(InputError, match="is released already"):
        release(live, task)
    with pytest.raises(InputError, match="is released, so its rules stay"):
        live.set_task("ts", deadline="2027-04-01 UTC")
    assert "so runs are no longer taken" in sent(live, lines("two", 9))
    assert check(live.folder) == []


def test_what_was_changed_in_the_folder_is_never_pooled_shown_or_archived(live: LiveCampaign, clock: Clock) -> None:
    """Each is read by its hash; `check` alone told that a run in the folder is not what its team sent."""
    sent(live, lines("one"))
    task, clock.now = live.facts.task(), NOON + datetime.timedelta(hours=1)
    given = live.folder.parent / "judged.txt"
    given.write_text("1 0 d1 1\n2 0 d2 1\n")
    release(live, task, qrels=str(given))

    def changed(name: str, read: Callable[[], object]) -> None:
        path = live.folder / name
        before = path.read_bytes()
        path.write_bytes(before + b"1 0 d9 9 0 one\n")
        with pytest.raises(InputError, match=f"{path.name}: is damaged, its checksum does not fit: restore it from a"):
            read()
        with pytest.raises(InputError, match="is damaged, its checksum"):
            archive(live, live.folder.parent / "archive")
        assert [each.path for each in check(live.folder)] == [str(path)]
        path.write_bytes(before)

    (run,) = live.facts.runs
    changed(run.file, lambda: runs_read(live.facts, task))
    changed(task.topics, lambda: live.topics_file(task))
    changed(task.qrels_file, lambda: live.facts.qrels(task))
    changed("documents.txt", live.document_ids)
    assert archive(live, live.folder.parent / "archive")


def test_teams_are_not_told_how_much_is_relevant(
    live: LiveCampaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`leadline topics` writes how many documents are relevant beside each topic."""
    (tmp_path / "t.tsv").write_text("topic\ttitle\toffice\trelevant\tcited_examiner\n1\tNails\tEP\t14\t13\n")
    main(["campaign", "task", str(live.folder), "b", "--kind", "survey", "--topics", str(tmp_path / "t.tsv")])
    assert "left out of the topics, as it tells how much is relevant: relevant, cited_exam" in capsys.readouterr().err
    task = live.facts.task("b")
    assert live.topics_file(task).decode() == "topic\ttitle\toffice\n1\tNails\tEP\n"
    assert dict(live.facts.topics(task)[0].attributes) == {"office": "EP"}


def test_deadlines_have_zones() -> None:
    assert parse_deadline("2027-03-28 12:00 +01:00")[0] == "2027-03-28T12:00:00+01:00"
    # Of an hour that comes twice the later is taken, so that nobody is shut out while a clock says there is time.
    assert parse_deadline("2027-10-31 02:30 Europe/Vienna")[0] == "2027-10-31T02:30:00+01:00"
    for text, problem in (
        ("2027-03-01 12:00", "has no time zone"),
        ("2027-02-30 UTC", "the calendar has no such day"),
        ("9999-12-31 AoE", "the calendar has no such day"),
        ("2027-03-28 02:30 Europe/Vienna", "clocks there are put forward over it"),
        ("soon", "is not a moment"),
        ("2027-03-01 Europe/Wien", "is not a time zone"),
    ):
        with pytest.raises(InputError, match=problem):
            parse_deadline(text)


def test_the_commands_say_the_same(live: LiveCampaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.run").write_text(lines("one") + "1 Q0 d99 9 0 one\n")
    for given in (
        ["--campaign", str(live.folder)],
        ["--topics", str(tmp_path / "topics.tsv"), "--documents", str(tmp_path / "ids.txt")],
    ):
        with pytest.raises(SystemExit, match="1"):
            main(["campaign", "check", str(tmp_path / "b.run"), *given])
        assert "b.run:11: d99 is not a document" in capsys.readouterr().out
    (tmp_path / "b.run").write_text(lines("one"))
    receipt = tmp_path / "receipt.json"
    live.set_task("ts", deadline="")
    said = [
        "--kind",
        "manual",
        "--fields",
        "title",
        "--resources",
        "none",
        "--text",
        "By hand, in an hour.",
        "--priority",
        "1",
    ]
    main(["campaign", "submit", str(live.folder), str(tmp_path / "b.run"), "--team", "york", *said, "-o", str(receipt)])
    assert json.loads(receipt.read_text())["receipt"] == Campaign.open(live.folder).runs[0].receipt
    assert json.loads(receipt.read_text())["receipt"] in capsys.readouterr().out
