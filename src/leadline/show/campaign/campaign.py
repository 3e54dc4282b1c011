"""A campaign on disk: its tasks, the people, the runs that teams sent, and what was released.

    CAMPAIGN/leadline.jsonl       the identity
    CAMPAIGN/campaign.store       title, tasks, people, runs with their receipts, releases; and all that was done
    CAMPAIGN/people               who may open the pages, and their links
    CAMPAIGN/topics/TASK.tsv      the topics of a task, as they were given
    CAMPAIGN/documents.txt        the ids of the documents, where there is no collection
    CAMPAIGN/runs/TEAM-RUN.1.run  what a team sent, each version
    CAMPAIGN/pools/TASK.txt       what is judged, with its record and its journal
    CAMPAIGN/qrels/TASK.txt       what was released

`Campaign` says what is so at one moment, of a campaign or of its archive; `LiveCampaign` changes it.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from leadline.errors import InputError, in_sentence, nearest, visible
from leadline.judge.journal import Event, JudgingJournal
from leadline.judge.marks import JudgingState, Neither
from leadline.judge.pools import Pool
from leadline.records.result import counted
from leadline.records.topics import Topics
from leadline.show.campaign.run_forms import RANKED, RunForm, form_of
from leadline.show.choices import DOUBLE, MOST_RUNS, POOL_OF_CAMPAIGN, RUN_LENGTH
from leadline.text.checksums import intact, read_sealed
from leadline.text.owned_files import JOURNAL, OURS, is_owned
from leadline.text.owned_folder import OwnedFolder, identity_of, wrong_folder
from leadline.text.store.kind import StoreKind
from leadline.text.store.store import Store, StoreView

Known = TypeVar("Known")

KIND, VERSION = "campaign", 1
ARCHIVE, ARCHIVE_VERSION = "archive of a campaign", 1
STORE, PEOPLE, DOCUMENTS, FACTS = "campaign.store", "people", "documents.txt", "campaign.json"
FACTS_KIND = "the facts of a campaign"
EVENTS = ".events.jsonl"  # added to the name of a pool in an archive
FOLDERS = ("topics", "runs", "pools", "qrels")
REPAIR = "restore it from a copy or an archive"
CAMPAIGN_STORE = StoreKind(OURS["LCMP"], "LCMP", repair=REPAIR)
ABOUT, TASKS, INVITED, RUNS, SENT, RELEASES = "about", "tasks", "invited", "runs", "sent", "releases"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.]{0,39}")


@dataclass(frozen=True)
class Task:
    """One task of a campaign, with its rules."""

    name: str
    kind: str  # prior-art: judged by citations; survey, ad-hoc and review: by people, in a pool
    topics: str  # the file, in the folder of the campaign
    topic_ids: tuple[str, ...]
    topics_sha256: str = ""
    title: str = ""
    guidelines: str = ""  # for those who judge
    deadline: str = ""  # ISO 8601 with its offset; empty: there is none
    zone: str = ""  # of the deadline, as it was written
    late: str = "refuse"  # or mark: what becomes of runs after the deadline
    measures: tuple[str, ...] = RANKED.measures
    most_runs: int = MOST_RUNS
    length: int = RUN_LENGTH
    strata: str = POOL_OF_CAMPAIGN
    double: float = DOUBLE  # the share of the topics that two people judge
    takes: tuple[str, ...] = ()  # kinds of runs; empty: ranked documents of any kind
    neither: Neither = "agreed"  # or lenient: unsure (-2) against not judged (-1), as the guidelines say
    about_topics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # office, class, year, words, by topic

    @property
    def heading(self) -> str:
        return self.title or self.name

    @property
    def until_words(self) -> str:
        """Until when runs are taken, as the beginning of a sentence or a note."""
        return "there is no deadline" if self.moment is None else f"runs are taken until {self.deadline_words}"

    @property
    def form(self) -> RunForm:
        """The form of its runs: ranked documents, sets, sessions or passages."""
        return form_of(self.takes)

    @property
    def takes_words(self) -> str:
        """What a team may send, in words.

        >>> Task("ta", "survey", "", (), most_runs=1, takes=("boolean",), measures=("set_F",)).takes_words
        'at most 1 boolean run of 1,000 documents a topic, measured by set_F'
        """
        kinds = f"{in_sentence(self.takes, 'or')} " if self.takes else ""
        runs = counted(self.most_runs, f"{kinds}run")
        return f"at most {runs} of {self.length:,} {self.form.unit}s a topic, measured by {in_sentence(self.measures)}"

    @property
    def by_people(self) -> bool:
        """Whether people judge a pool; otherwise the citations of the collection are the judgements."""
        return self.kind != "prior-art"

    @property
    def pool_file(self) -> str:
        return f"pools/{self.name}.txt"

    @property
    def qrels_file(self) -> str:
        return f"qrels/{self.name}.txt"

    @property
    def moment(self) -> datetime.datetime | None:
        """The deadline."""
        return datetime.datetime.fromisoformat(self.deadline) if self.deadline else None

    def is_over(self, now: datetime.datetime) -> bool:
        """Whether the deadline has passed."""
        return self.moment is not None and now > self.moment

    @property
    def deadline_words(self) -> str:
        """The deadline as people of any zone can read it.

        >>> Task("ta", "survey", "", (), deadline="2027-03-01T23:59:00+01:00", zone="Europe/Vienna").deadline_words
        '2027-03-01 23:59 Europe/Vienna (2027-03-01 22:59 UTC)'
        """
        if self.moment is None:
            return "no deadline"
        utc = self.moment.astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
        there = f"{self.moment:%Y-%m-%d %H:%M} {self.zone}"
        return utc if self.zone == "UTC" else f"{there} ({utc})"


@dataclass(frozen=True)
class Invited:
    """Somebody who was invited."""

    name: str
    role: str  # team, student, senior, expert, organiser
    team: str = ""
    revoked: bool = False


@dataclass(frozen=True)
class SentRun:
    """A run that a team sent and that was taken."""

    name: str  # TEAM-TAG: unique in the campaign
    team: str
    task: str
    tag: str  # the last column of its lines
    version: int  # 1: the first that was sent under this name
    file: str  # in the folder of the campaign
    sha256: str  # of its lines, unpacked
    lists: str  # a hash of what it lists, without scores and name
    lines: int
    topics: int
    at: str  # UTC
    late: bool
    priority: int  # 1 is pooled first
    kind: str  # automatic, manual, boolean, session, passages
    fields: tuple[str, ...]  # of the topics and the documents that were used
    resources: str
    text: str
    notes: tuple[str, ...]  # what was found, and did not stop it
    receipt: str  # SHA-256 over all of this


@dataclass(frozen=True)
class Refusal:
    """A run that was refused."""

    team: str
    task: str
    file: str
    at: str
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Release:
    """Judgements that everybody may see."""

    task: str
    at: str
    sha256: str
    judgements: int
    relevant: int
    stage: str  # final: after the expert; merged: of the assessors; citations; file: as it was given


@dataclass(frozen=True)
class Campaign:
    """All that is known of a campaign at one moment. `open` reads a campaign or its archive, which say the same."""

    folder: Path
    title: str
    organiser: str = ""
    licence: str = ""
    collection: str = ""  # where the documents are; empty in an archive
    documents: int = 0  # how many there are
    documents_sha256: str = ""  # of the file of their ids, where there is no collection
    tasks: tuple[Task, ...] = ()
    people: tuple[Invited, ...] = ()
    runs: tuple[SentRun, ...] = ()  # the last version of each
    sent: tuple[SentRun, ...] = ()  # every version
    refused: tuple[Refusal, ...] = ()
    releases: tuple[Release, ...] = ()
    is_archive: bool = False
    classes: Mapping[str, int] = field(default_factory=dict)  # documents of each subclass, where that is known

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Campaign:
        """What is known of a campaign, or of one that was archived."""
        place = Path(folder)
        if not is_owned(place):
            raise wrong_folder(place, KIND, "make one with `leadline campaign new`")
        said = identity_of(place)
        if said is not None and said.kind == ARCHIVE:
            OwnedFolder.open(place, ARCHIVE, ARCHIVE_VERSION)
            content = read_sealed(place / FACTS, FACTS_KIND, ARCHIVE_VERSION, REPAIR)
            if content is None:
                raise InputError(str(place / FACTS), f"is missing: {REPAIR}")
            return cls.of(place, content, is_archive=True)
        OwnedFolder.open(place, KIND, VERSION)
        with Store.open(place / STORE, CAMPAIGN_STORE) as store, store.view() as now:
            return cls.of(place, content_of(now))

    @classmethod
    def of(cls, folder: Path, content: Mapping[str, Any], *, is_archive: bool = False) -> Campaign:
        """A campaign from what its store holds."""
        about = content[ABOUT]
        return cls(
            folder,
            about["title"],
            about.get("organiser", ""),
            about.get("licence", ""),
            "" if is_archive else about.get("collection", ""),
            about.get("documents", 0),
            about.get("documents_sha256", ""),
            tuple(made_of(Task, each) for each in content[TASKS]),
            tuple(made_of(Invited, each) for each in content[INVITED]),
            tuple(made_of(SentRun, each) for each in content[RUNS]),
            tuple(made_of(SentRun, each) for each in content[SENT]),
            tuple(made_of(Refusal, each) for each in content["refused"]),
            tuple(made_of(Release, each) for each in content[RELEASES]),
            is_archive,
            about.get("classes", {}),
        )

    def task(self, name: str = "") -> Task:
        """The task of a name; the only one, where no name is given."""
        names = [each.name for each in self.tasks]
        if not name and len(names) == 1:
            return self.tasks[0]
        if not name:
            raise InputError("task", f"name one of {', '.join(names) or 'the tasks: there are none'}")
        found = next((each for each in self.tasks if each.name == name), None)
        if found is None:
            raise InputError(visible(name), f"is not a task of this campaign: {', '.join(names)}{nearest(name, names)}")
        return found

    @cached_property
    def teams(self) -> tuple[str, ...]:
        """The teams that were invited, and those that sent runs, by name."""
        return tuple(sorted({*(each.team for each in self.people if each.team), *(run.team for run in self.runs)}))

    def runs_of(self, task: str = "", team: str = "") -> tuple[SentRun, ...]:
        """The runs of a task, of a team, or both."""
        return tuple(run for run in self.runs if task in ("", run.task) and team in ("", run.team))

    def release(self, task: str) -> Release | None:
        """The released judgements of a task; None while they are not."""
        return next((each for each in self.releases if each.task == task), None)

    def topics(self, task: Task) -> Topics:
        """The topics of a task."""
        return Topics.read(self.topics_file(task))

    def topics_file(self, task: Task) -> Path:
        """Where the topics of a task are; InputError where they are not those that the organiser gave."""
        return intact(self.folder / task.topics, task.topics_sha256, REPAIR)

    def run_file(self, run: SentRun) -> Path:
        """Where the lines of a run are; InputError where they are not those that its team sent."""
        return intact(self.folder / run.file, run.sha256, f"{REPAIR}, or ask {run.team} for it")

    def qrels(self, task: Task) -> Path | None:
        """Where the released judgements are, None before; InputError where they are not those that were released."""
        released = self.release(task.name)
        return None if released is None else intact(self.folder / task.qrels_file, released.sha256, REPAIR)

    def pool(self, task: Task) -> Pool | None:
        """What is judged; None while nothing is pooled."""
        path = self.folder / task.pool_file
        return Pool.read(path) if path.exists() else None

    def events(self, task: Task) -> list[Event]:
        """What people did who judged a task, in its order."""
        path = self.folder / task.pool_file
        if self.is_archive:
            return read_events(Path(f"{path}{EVENTS}"))
        if not Path(f"{path}{JOURNAL}").exists():
            return []
        with contextlib.closing(JudgingJournal(f"{path}{JOURNAL}", write=False)) as journal:
            return list(journal.events())

    def judging(self, task: Task) -> JudgingState:
        """Where the judging of a task stands."""
        return JudgingState.of(self.events(task))

    def level_of(self, person: str) -> str:
        """Whether who judges is a student, a senior or the expert."""
        return next((each.role for each in self.people if each.name == person), "")


def content_of(now: StoreView) -> dict[str, Any]:
    """What a campaign's store holds, as `Campaign.of` and an archive take it."""
    content: dict[str, Any] = {ABOUT: dict(now.records(ABOUT).items())}
    for name in (TASKS, INVITED, RUNS, SENT, RELEASES):
        content[name] = [value for _, value in now.records(name).items()]
    content["refused"] = [
        {"at": event.said["moment"], **{key: event.said[key] for key in ("team", "task", "file", "problems")}}
        for event in now.events.all()
        if event.said["kind"] == "refused"
    ]
    return content


def made_of(of: type[Known], content: Mapping[str, Any]) -> Known:
    """An object from its record; InputError where that is of something else."""
    try:
        names = {each.name for each in fields(of)}  # type: ignore[arg-type]
        kept = {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
        return of(**{key: value for key, value in kept.items() if key in names})
    except (TypeError, AttributeError):
        raise InputError(FACTS, f"is damaged, it has no {of.__name__} where one must be: {REPAIR}") from None


def read_events(path: Path) -> list[Event]:
    """The events of an archived journal."""
    import json

    if not path.exists():
        return []
    try:
        return [Event(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    except (ValueError, TypeError):
        raise InputError(str(path), f"has a line that is no event of judging: {REPAIR}") from None


# Deadlines.

_WRITTEN = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d)?)?\s*(.*)")
_OFFSET = re.compile(r"[+-]\d\d:?\d\d")


def parse_deadline(text: str) -> tuple[str, str]:
    """A deadline with its zone, as ISO 8601 and the name of the zone; a day alone ends at its last minute.

    >>> parse_deadline("2027-03-01 18:00 Europe/Vienna")
    ('2027-03-01T18:00:00+01:00', 'Europe/Vienna')
    >>> parse_deadline("2027-03-01 AoE")
    ('2027-03-01T23:59:00-12:00', 'AoE')
    """
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise InputError("deadline", f"{text!r} is not a moment such as '2027-03-01 18:00 Europe/Vienna'")
    day, hour, zone = found[1], found[2] or "23:59", found[3]
    if not zone:
        raise InputError("deadline", f"{text!r} has no time zone: add UTC, AoE, +01:00 or one such as Europe/Vienna")
    if zone in ("UTC", "Z"):
        offset: datetime.tzinfo = datetime.UTC
        zone = "UTC"
    elif zone == "AoE":  # anywhere on earth: the day has ended everywhere
        offset = datetime.timezone(datetime.timedelta(hours=-12))
    elif _OFFSET.fullmatch(zone):
        minutes = int(zone[1:3]) * 60 + int(zone[-2:])
        offset = datetime.timezone(datetime.timedelta(minutes=-minutes if zone[0] == "-" else minutes))
    else:
        try:
            offset = zoneinfo.ZoneInfo(zone)
        except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
            near = nearest(zone, zoneinfo.available_timezones())
            raise InputError("deadline", f"{zone!r} is not a time zone{near or ': such as Europe/Vienna'}") from None
    try:
        written = datetime.datetime.fromisoformat(f"{day}T{hour}:00")
        moment = written.replace(tzinfo=offset, fold=1)  # of an hour that comes twice, the later: nobody is shut out
        there = moment.astimezone(datetime.UTC).astimezone(offset)
    except (ValueError, OverflowError):
        raise InputError("deadline", f"{text!r} is not a moment: the calendar has no such day or time") from None
    if there.replace(tzinfo=None) != written:
        raise InputError("deadline", f"{text!r} is not a moment: clocks there are put forward over it")
    return moment.isoformat(), zone


def left_words(moment: datetime.datetime, now: datetime.datetime) -> str:
    """How long it is until a moment, in words.

    >>> day = datetime.datetime(2027, 3, 1, 12, tzinfo=datetime.UTC)
    >>> left_words(day, day - datetime.timedelta(days=3)), left_words(day, day + datetime.timedelta(hours=2))
    ('3 days left', 'over since 2 hours')
    """
    seconds = int(abs((moment - now).total_seconds()))
    for size, word in ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds >= size or size == 1:
            number = seconds // size
            said = f"{number} {word}{'s' * (number != 1)}"
            break
    return f"{said} left" if now <= moment else f"over since {said}"
