"""A whole track on a simulated office: teams from our systems, students with known errors, an expert, and the truth.

Each step is done once: what was stopped goes on where it was. All that is drawn follows from the seed.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.collections.simulate.settings import Settings
from leadline.errors import InputError, LeadlineWarning
from leadline.judge.journal import Event, JudgingJournal
from leadline.judge.marks import JudgingState
from leadline.judge.simulated_office import check_office, write_office
from leadline.measures.evaluate import evaluate
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.result import Table
from leadline.records.runs import Run
from leadline.records.topics import Topic, Topics, encoded_as
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import check_index
from leadline.retrieval.public import make_run, open_context
from leadline.show.campaign.campaign import KIND, VERSION, Campaign, Task
from leadline.show.campaign.judging import (
    assign,
    draw_campaign_pool,
    journal_of,
    open_disagreements,
    release,
    runs_read,
)
from leadline.show.campaign.live_campaign import LiveCampaign, RunRefusedError
from leadline.show.campaign.submission import Description
from leadline.text.files import write_stored
from leadline.text.owned_folder import OwnedFolder
from leadline.trust.rankings import tau_b

Stage = Callable[[str], AbstractContextManager[object]]
TEAMS = {  # each team's system, and how it describes its run
    "altena": "bm25",
    "bitem": "bitem",
    "cmu": "cmu",
    "dutir": "dutir",
    "ferrara": "content",
    "iowa": "iowa",
    "lindau": "bm25+rm3",
    "msoe": "msoe",
    "purdue": "purdue",
    "scai": "scai",
    "york": "york",
    "zadar": "best",
}
SURVEYED = {  # those that also take topics in words
    "altena": "bm25",
    "bitem": "bitem:baseline",
    "dutir": "dutir",
    "ferrara": "content",
    "lindau": "bm25+rm3",
    "msoe": "msoe:words",
    "york": "york",
}
FIELDS = ("title", "abstract", "claims", "description", "biology", "entities", "phrases", "sentences")
STUDENTS = {"anna": 0.05, "ben": 0.10, "carl": 0.15, "dora": 0.20}  # how often each is wrong
SENIOR, EXPERT = ("sven", 0.04), ("eve", 0.01)
PRIOR_ART, SURVEY = "pa", "ts"
START = datetime.datetime(2027, 2, 1, 9, tzinfo=datetime.UTC)
DEADLINE = "2027-03-01 18:00 Europe/Vienna"
AFTER = datetime.datetime(2027, 3, 2, 9, tzinfo=datetime.UTC)
LENGTH = 200


@dataclass(frozen=True)
class SimulatedTrack:
    """What a rehearsal made, and how far the track was right."""

    campaign: Campaign
    ranking: Table  # by the judgements and in truth
    pool: Table
    assessors: Table


class SimulatedClock:
    """The time of the rehearsal: a minute passes with each look."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime.datetime:
        self.now += datetime.timedelta(minutes=1)
        return self.now


def simulate_track(
    folder: Path, *, patents: int = 600, topics: int = 20, seed: int = 1, stage: Stage | None = None
) -> SimulatedTrack:
    """Play a whole track in a folder, or go on with one that was stopped."""
    opened = stage or (lambda _: contextlib.nullcontext())
    clock = SimulatedClock()
    office, index = folder / "office", folder / "index"
    settings = Settings(patents=patents, topics=topics, surveys=max(4, topics // 2), seed=seed)
    if not (folder / "campaign.store").exists():
        with opened(f"an office of {patents:,} patents"):
            _begin(folder, settings, clock)
    live = LiveCampaign.open(folder, clock=clock)
    if not _is_sound(index):
        with opened("an index of their words"):
            origin = str((office / "collection").resolve())
            Index.build(Collection.open(office / "collection"), index, fields=FIELDS, origin=origin, positions=True)
    with opened(f"{len(TEAMS)} teams send their runs"):
        _send_all(live, index, seed)
    clock.now = AFTER
    with opened("pool, judge and release"):
        for task in live.facts.tasks:
            if task.by_people and live.facts.release(task.name) is None:
                _judge(live, task, seed)
            if live.facts.release(task.name) is None:
                release(live, task, person="olga")
    return SimulatedTrack(live.facts, ranking_table(live.facts), pool_table(live.facts), assessor_table(live.facts))


def _is_sound(index: Path) -> bool:
    try:
        return not any(check_index(index))
    except (InputError, OSError):
        return False


def _begin(folder: Path, settings: Settings, clock: SimulatedClock) -> None:
    """Make the office in the campaign's folder, and the campaign on it."""
    office = folder / "office"
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        owned.reserve("office", "index", "topics", "topics/given.pa.tsv", "topics/given.ts.xml")
        if not (office / "manifest.json").exists() or any(check_office(office)):
            write_office(settings, office)
        (folder / "topics").mkdir(exist_ok=True)
        given = Topics.read(office / "topics.tsv")
        plain = Topics.of([Topic(each.id, each.title) for each in given])  # not how many are relevant
        write_stored(folder / "topics" / "given.pa.tsv", encoded_as(plain, ".tsv"))
        write_stored(folder / "topics" / "given.ts.xml", (office / "surveys.xml").read_bytes())
    live = LiveCampaign.create(
        folder,
        "Rehearsal of a chemistry track",
        collection=str(office / "collection"),
        organiser="leadline campaign simulate",
        licence="CC0 1.0: all of it is simulated",
        clock=clock,
    )
    rules = {"deadline": DEADLINE, "length": LENGTH, "most_runs": 2, "person": "olga"}
    live.set_task(PRIOR_ART, "prior-art", topics=str(folder / "topics" / "given.pa.tsv"), title="Prior art", **rules)  # type: ignore[arg-type]
    live.set_task(
        SURVEY,
        "survey",
        topics=str(folder / "topics" / "given.ts.xml"),
        title="Technical survey",
        measures="AP nDCG@10 P@10",
        strata="15:1",
        double=0.5,
        late="mark",
        **rules,  # type: ignore[arg-type]
    )
    for team in TEAMS:
        live.invite(team, "team", person="olga")
    for name, role in [*((name, "student") for name in STUDENTS), (SENIOR[0], "senior"), (EXPERT[0], "expert")]:
        live.invite(name, role, person="olga")


# What the teams send: most of it is right at once.


def _send_all(live: LiveCampaign, index: Path, seed: int) -> None:
    """Let every team send its runs that are not there yet; some are broken first, one is late."""
    context = open_context(str(index))
    clock = live.clock
    assert isinstance(clock, SimulatedClock)
    for task, systems in ((live.facts.task(PRIOR_ART), TEAMS), (live.facts.task(SURVEY), SURVEYED)):
        topics = live.facts.topics(task)
        there = {run.team for run in live.facts.runs_of(task.name)}
        for place, (team, system) in enumerate(systems.items()):
            if team in there:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LeadlineWarning)  # of topics that ask for dates
                run = make_run(context, topics, system, LENGTH)
            said = Description(
                "manual" if team == "zadar" else "automatic",
                ("title", "claims") if place % 2 else ("title", "abstract", "claims", "description"),
                "synonyms of chemicals" if team == "dutir" else "none",
                f"The system {system} of the program, as it is.",
                1,
            )
            clock.now = START + datetime.timedelta(days=place + 1, hours=seed % 12)
            for text in _attempts(team, task, run):
                _send(live, team, task, text, said)
            if team == "york" and task.name == SURVEY:
                clock.now = AFTER
                late = Description(said.kind, said.fields, said.resources, "The same with another query, too late.", 2)
                _send(live, team, task, _text(run, f"{team}{task.name}2", shift=1), late)


def _attempts(team: str, task: Task, run: Run) -> Iterator[str]:
    """What a team sends, one after the other: the last is right."""
    text = _text(run, f"{team}{task.name}1")
    lines = text.splitlines(keepends=True)
    if team == "cmu" and task.name == PRIOR_ART:
        yield text.replace(" Q0 ", " Q0 XX", 1)  # a document that there is not
    if team == "iowa" and task.name == PRIOR_ART:
        yield "".join([*lines[:10], lines[0], *lines[10:]])  # a document twice
    if team == "msoe" and task.name == PRIOR_ART:
        yield text.replace(" Q0 ", " ", 1)  # five fields
    if team == "lindau" and task.name == SURVEY:
        yield _text(run, f"{team}{task.name}1", shift=2)  # replaced by the next
    yield text


def _text(run: Run, tag: str, *, shift: int = 0) -> str:
    """A run in TREC's format; with `shift` the first documents of each topic are left out."""
    lines = []
    for topic in run.topics:
        ranked = run.ranking(topic)[shift:]
        lines += [f"{topic} Q0 {name} {rank} {score:.6f} {tag}\n" for rank, (name, score) in enumerate(ranked, start=1)]
    return "".join(lines)


def _send(live: LiveCampaign, team: str, task: Task, text: str, said: Description) -> None:
    with tempfile.TemporaryDirectory(prefix="leadline-") as place:
        path = Path(place) / f"{team}.run"
        path.write_text(text, encoding="utf-8")
        with contextlib.suppress(RunRefusedError):
            live.submit(team, task, path, said, person=team)


# What the people judge: the truth, with the errors of each.


def truth_of(campaign: Campaign, task: Task) -> Qrels:
    """The true judgements of a task."""
    name = "qrels.true.txt" if task.name == PRIOR_ART else "qrels.surveys.txt"
    return read_qrels(campaign.folder / "office" / name)


def _judge(live: LiveCampaign, task: Task, seed: int) -> None:
    """Pool, assign, and let students, the senior and the expert judge what is left to them."""
    if live.facts.pool(task) is None:
        draw_campaign_pool(live, task, seed=seed, person="olga")
    pool = live.facts.pool(task)
    assert pool is not None
    state = live.facts.judging(task)
    if any(not state.assigned.get(topic) for topic in pool.topics):
        assign(live, task, seed=seed, person="olga")
        state = live.facts.judging(task)
    truth = truth_of(live.facts, task).to_dict()
    errors = {**STUDENTS, SENIOR[0]: SENIOR[1]}
    wanted: dict[str, list[str]] = {}
    for topic, document in pool.to_judge().select("topic", "document").iter_rows():
        wanted.setdefault(topic, []).append(document)
    with journal_of(live, task) as journal:
        for topic, documents in wanted.items():
            for person in state.assigned[topic]:
                rng = np.random.default_rng([seed, *person.encode(), *topic.encode()])
                drawn = rng.random((len(documents), 3))
                marks = [
                    _mark(
                        person, "assessor", topic, document, truth.get(topic, {}).get(document, 0), row, errors[person]
                    )
                    for document, row in zip(documents, drawn.tolist(), strict=True)
                ]
                journal.append_all(marks)
        _decide(journal, seed, truth)


def _decide(journal: JudgingJournal, seed: int, truth: dict[str, dict[str, int]]) -> None:
    """Let the expert decide where people disagree."""
    rng = np.random.default_rng([seed, 7])
    waiting = open_disagreements(JudgingState.of(journal.events()))
    decided = []
    for each in waiting:
        grade = truth.get(each.topic, {}).get(each.document, 0)
        decided.append(_mark(EXPERT[0], "expert", each.topic, each.document, grade, rng.random(3).tolist(), EXPERT[1]))
    journal.append_all(decided)


def _mark(person: str, role: str, topic: str, document: str, grade: int, drawn: Sequence[float], error: float) -> Event:
    """What somebody marks who is wrong so often; its id follows from who, what and where, so that it is kept once."""
    chance, kind, pace = drawn
    uid = hashlib.sha256(f"{person}\n{topic}\n{document}".encode()).hexdigest()[:32]
    said = min(2, grade)
    if chance < error:
        said = -2 if kind < 0.3 and role == "assessor" else 0 if said else 1
    seconds = round(20 + 60 * pace, 1)
    return Event(uid, person, role, "mark", topic, document, str(said), seconds=seconds)  # type: ignore[arg-type]


# The truth beside it.


def ranking_table(campaign: Campaign) -> Table:
    """How far the ranking of the runs by the released judgements is the true one, by task and measure."""
    rows: list[list[object]] = []
    for task in campaign.tasks:
        judged, runs = campaign.qrels(task), runs_read(campaign, task)
        if judged is None or len(runs) < 2:
            continue
        ours = evaluate(judged, runs, list(task.measures))
        true = evaluate(truth_of(campaign, task), runs, list(task.measures))
        for measure in task.measures:
            a, b = (np.array([each[measure][run.name] for run in runs]) for each in (ours, true))
            leaders = ours.leader(measure), true.leader(measure)
            rows.append([task.name, measure, len(runs), float(tau_b(a, b)), *leaders])
    return Table(["task", "measure", "runs", "tau_with_truth", "first", "first_in_truth"], rows)


def pool_table(campaign: Campaign) -> Table:
    """How much of what is truly relevant was judged, and found relevant."""
    rows: list[list[object]] = []
    for task in campaign.tasks:
        judged = campaign.qrels(task)
        if judged is None:
            continue
        known, truth = read_qrels(judged).to_dict(), truth_of(campaign, task).to_dict()
        true = {(topic, name) for topic in task.topic_ids for name, grade in truth.get(topic, {}).items() if grade > 0}
        ours = {(topic, name): grade for topic, each in known.items() for name, grade in each.items()}
        found = {key for key, grade in ours.items() if grade > 0}
        share = len(true & ours.keys()) / len(true) if true else float("nan")
        right = len(true & found) / len(found) if found else float("nan")
        rows.append([task.name, len(true), len(ours), share, len(found), right])
    return Table(["task", "truly_relevant", "judged", "share_in_pool", "judged_relevant", "share_right"], rows)


def assessor_table(campaign: Campaign) -> Table:
    """How often each person was wrong: as it was set, and as their marks show; and what stands after the expert."""
    rows: list[list[object]] = []
    set_to = {**STUDENTS, SENIOR[0]: SENIOR[1], EXPERT[0]: EXPERT[1]}
    for task in campaign.tasks:
        if not task.by_people:
            continue
        state, truth = campaign.judging(task), truth_of(campaign, task).to_dict()

        def right(topic: str, name: str, truth: dict[str, dict[str, int]] = truth) -> int:
            return min(2, truth.get(topic, {}).get(name, 0))

        for person, error in set_to.items():
            own = [(t, d, mark.grade) for (who, t, d), mark in state.marks.items() if who == person]
            wrong = sum(grade != right(topic, name) for topic, name, grade in own)
            share = wrong / len(own) if own else float("nan")
            rows.append([task.name, person, campaign.level_of(person), len(own), error, share])
        for stage, grades in (("merged", state.merged()), ("after the expert", state.final()[0])):
            wrong = sum(grade != right(*key) for key, grade in grades.items())
            rows.append(
                [task.name, stage, "", len(grades), float("nan"), wrong / len(grades) if grades else float("nan")]
            )
    return Table(["task", "person", "level", "marks", "error_set", "error_found"], rows)
