"""A campaign while it runs: it is made, people are invited, and teams send runs.

Each change is one transaction of the store, with the event that says who made it. A file of a run is written whole
before its record: where the process is killed between, nothing names the file, and the next takes its place.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from leadline.collections.choices import COMPARED_FIELDS
from leadline.collections.documents.collection import Collection, counts
from leadline.errors import InputError, checked_choice, visible
from leadline.judge.choices import LINK_DAYS, Role
from leadline.judge.journal import People
from leadline.judge.pools import parse_strata
from leadline.measures.definition import parse_measures
from leadline.records.topics import Topics, encoded_as
from leadline.show.campaign.campaign import (
    ABOUT,
    CAMPAIGN_STORE,
    DOCUMENTS,
    FOLDERS,
    INVITED,
    KIND,
    NAME,
    PEOPLE,
    RELEASES,
    REPAIR,
    RUNS,
    SENT,
    STORE,
    TASKS,
    VERSION,
    Campaign,
    Invited,
    SentRun,
    Task,
    content_of,
    made_of,
    parse_deadline,
)
from leadline.show.campaign.run_forms import check_measures, checked_kinds, form_of
from leadline.show.campaign.submission import (
    CheckedRun,
    Description,
    KnownDocuments,
    OwnRun,
    RunRules,
    check_run,
    name_of_file,
    problems_beside,
)
from leadline.show.choices import INVITED_ROLES, LATE_RULES, NEITHER, TASK_KINDS
from leadline.show.lab.lab_store import LabStore
from leadline.text.checksums import file_sha256, intact, stored_bytes
from leadline.text.files import PATIENCE, write_stored
from leadline.text.owned_files import is_owned
from leadline.text.owned_folder import OwnedFolder
from leadline.text.source import read_text
from leadline.text.store.opening import BESIDE as BESIDE_STORE
from leadline.text.store.store import Store, StoreView

ROLES: Mapping[str, Role] = {  # what those who were invited may do in the pages
    "team": "runner",
    "student": "assessor",
    "senior": "assessor",
    "expert": "expert",
    "organiser": "organiser",
}
LONGEST_GUIDELINES = 20_000  # characters
ANSWERS = ("relevant", "cited_examiner", "cited_applicant")  # columns of `leadline topics` that teams must not have
Clock = Callable[[], datetime.datetime]


class RunRefusedError(InputError):
    """A run that was not taken: all that is wrong with it, a line each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        where, _, problem = problems[0].partition(": ")
        super().__init__(where, problem)


@dataclass(frozen=True)
class Receipt:
    """What a team gets for a run that was taken."""

    campaign: str
    run: SentRun
    is_new: bool  # False: the same was sent before, and this is its receipt

    def content(self) -> dict[str, Any]:
        """The receipt as it can be kept: it says nothing of others."""
        said = asdict(self.run)
        return {"campaign": self.campaign, **{name: said[name] for name in said if name not in ("file", "lists")}}


class CampaignStore(LabStore):
    """The store of a campaign. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, STORE)
        self._kind = CAMPAIGN_STORE

    def opened(self) -> Store:
        return Store.open(self.path, self._kind)

    def _made(self) -> Store:
        return Store.open(self.path, self._kind, write=True)


def utc_now() -> datetime.datetime:
    """This moment."""
    return datetime.datetime.now(datetime.UTC)


class LiveCampaign:
    """A campaign that can be changed. Threads may share it."""

    def __init__(self, folder: Path, id: str, clock: Clock = utc_now) -> None:
        self.folder, self.id, self.clock = folder, id, clock
        self.store = CampaignStore(folder)
        self._lock = threading.Lock()
        self._known: tuple[str, Campaign] | None = None
        self._documents: KnownDocuments | None = None

    @classmethod
    def create(
        cls,
        folder: str | os.PathLike[str],
        title: str = "",
        *,
        collection: str = "",
        documents: str = "",
        organiser: str = "",
        licence: str = "",
        clock: Clock = utc_now,
    ) -> LiveCampaign:
        """Make a campaign in a new or empty folder. Its documents are a collection, or a file of their ids."""
        place = Path(folder)
        if is_owned(place):
            OwnedFolder.open(place, KIND, VERSION)
            if (place / STORE).exists():
                raise InputError(os.fspath(folder), "is a campaign already; add tasks with `leadline campaign task`")
        if bool(collection) == bool(documents):
            raise InputError("documents", "give a collection with --collection, or a file of ids with --documents")
        known = KnownDocuments.read(collection or documents)
        about: dict[str, Any] = {
            "title": _checked_text("title", title or place.resolve().name, 200),
            "organiser": _checked_text("organiser", organiser, 200),
            "licence": _checked_text("licence", licence, 2000),
            "collection": str(Path(collection).resolve()) if collection else "",
            "documents": known.count,
            "classes": dict(counts(Collection.open(collection), "subclass").rows()) if collection else {},
        }
        with OwnedFolder.locked(place, KIND, VERSION) as owned:
            owned.reserve(*(f"{STORE}{end}" for end in ("", *BESIDE_STORE)), *FOLDERS)
            for name in FOLDERS:
                (place / name).mkdir(exist_ok=True)
            if documents:
                owned.reserve(DOCUMENTS)
                write_stored(place / DOCUMENTS, read_text(documents).bytes())
                about["documents_sha256"] = file_sha256(place / DOCUMENTS)
            with Store.open(place / STORE, CAMPAIGN_STORE, write=True, create=True) as store, store.change() as now:
                for key, value in about.items():
                    now.records(ABOUT).put(key, value)
                _say(now, "made", "", clock(), title=about["title"])
        return cls.open(place, clock=clock)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, clock: Clock = utc_now) -> LiveCampaign:
        """Open a campaign that `create` made."""
        facts = Campaign.open(folder)
        if facts.is_archive:
            raise InputError(os.fspath(folder), "is the archive of a campaign, which is only read")
        return cls(Path(folder), OwnedFolder.open(folder, KIND, VERSION).id, clock)

    @property
    def facts(self) -> Campaign:
        """What is so now."""
        with self.store.view() as now:
            head = now.events.head().hash
            with self._lock:
                if self._known is None or self._known[0] != head:
                    self._known = head, Campaign.of(self.folder, content_of(now))
                return self._known[1]

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Keep the store open until the block ends, as a server does."""
        with self.store.kept_open():
            yield

    @contextmanager
    def locked(self) -> Iterator[OwnedFolder]:
        """The folder to write files to: pages and commands wait for each other."""
        with OwnedFolder.locked(self.folder, KIND, VERSION, patience=PATIENCE) as owned:
            yield owned

    @contextmanager
    def changed(self, kind: str, person: str, **said: Any) -> Iterator[StoreView]:
        """One change of the store, with the event that says what was done."""
        with self.store.change() as now:
            yield now
            _say(now, kind, person, self.clock(), **said)

    @property
    def documents(self) -> KnownDocuments:
        """The ids of the documents, read once."""
        with self._lock:
            if self._documents is None:
                with self.store.view() as now:
                    about = dict(now.records(ABOUT).items())
                listed = about.get("collection") or self._listed(about.get("documents_sha256"))
                self._documents = KnownDocuments.read(listed)
            return self._documents

    def document_ids(self) -> bytes:
        """The ids of the documents, one on a line, as teams get them."""
        facts = self.facts
        if not facts.collection:
            return stored_bytes(self._listed(facts.documents_sha256))
        names = Collection.open(facts.collection).records["id"].to_list()
        return "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")

    def _listed(self, sha256: object) -> Path:
        return intact(self.folder / DOCUMENTS, sha256, REPAIR)

    def topics_file(self, task: Task) -> bytes:
        """The topics of a task, as the organiser gave them, without the numbers of relevant documents."""
        return stored_bytes(self.facts.topics_file(task))

    # Tasks.

    def set_task(
        self,
        name: str,
        kind: str = "",
        *,
        topics: str = "",
        title: str | None = None,
        guidelines: str = "",
        deadline: str | None = None,
        late: str | None = None,
        measures: str | None = None,
        most_runs: int | None = None,
        length: int | None = None,
        strata: str | None = None,
        double: float | None = None,
        takes: Sequence[str] | None = None,
        neither: str | None = None,
        person: str = "",
    ) -> Task:
        """Add a task, or change one: only what is given. Topics cannot change once there are runs."""
        if not NAME.fullmatch(name):
            raise InputError("task", f"{name!r} must be at most 40 letters, digits, _ and .")
        facts = self.facts
        old = next((each for each in facts.tasks if each.name == name), None)
        if old is None and not (kind and topics):
            raise InputError(name, "is a new task: say its kind with --kind, and give its topics with --topics")
        if facts.release(name) is not None:
            raise InputError(name, "is released, so its rules stay: add another task")
        if old is not None and kind and kind != old.kind and facts.runs_of(name):
            raise InputError(name, f"is a task of kind {old.kind}, and has runs: add another task")
        if old is not None and topics and facts.runs_of(name):
            raise InputError(name, "has runs, so its topics stay: add another task")
        kinds = None if takes is None else checked_kinds(takes)
        if old is not None and kinds is not None and form_of(kinds) is not old.form and facts.runs_of(name):
            raise InputError(name, f"has runs that are {old.form.name}: add a task for runs of another form")
        base = old or Task(name, checked_choice("kind", kind, TASK_KINDS), "", ())
        if kind:
            base = replace(base, kind=checked_choice("kind", kind, TASK_KINDS))
        if base.kind == "prior-art" and not facts.collection:
            raise InputError(
                name, "is judged by citations, which only a collection has: make the campaign with --collection"
            )
        given: dict[str, Any] = {"title": title, "most_runs": most_runs, "length": length, "double": double}
        if deadline is not None:
            given["deadline"], given["zone"] = parse_deadline(deadline) if deadline else ("", "")
        if late is not None:
            given["late"] = checked_choice("late", late, LATE_RULES)
        if measures is not None:
            given["measures"] = tuple(each.text for each in parse_measures(measures))
        if neither is not None:
            given["neither"] = checked_choice("neither", neither, NEITHER)
        if strata is not None:
            parse_strata(strata)
            given["strata"] = strata
        if kinds is not None:
            given["takes"] = kinds
            if measures is None and (old is None or form_of(kinds) is not old.form):
                given["measures"] = form_of(kinds).measures
        if guidelines:
            text = read_text(guidelines).bytes().decode("utf-8", "replace").strip()
            given["guidelines"] = visible(_checked_text("guidelines", text, LONGEST_GUIDELINES), "\n\t")
        task = replace(base, **{key: value for key, value in given.items() if value is not None})
        if kinds is not None or measures is not None:
            check_measures(task.form, task.measures)
        with self.locked() as owned:
            if topics:
                task = self._with_topics(owned, task, topics, facts.collection)
            with self.changed("task", person, task=name, what="changed" if old else "added") as now:
                now.records(TASKS).put(name, asdict(task))
        return task

    def _with_topics(self, owned: OwnedFolder, task: Task, source: str, collection: str) -> Task:
        read = Topics.read(source)
        file = f"topics/{task.name}{''.join(Path(source).suffixes[-1:]) or '.txt'}"
        owned.reserve(file)
        content = read_text(source).bytes()
        if answers_in(read):
            read = Topics.of([replace(each, attributes=_without_answers(each.attributes)) for each in read], read.name)
            content = encoded_as(read, Path(file).suffix)
        write_stored(self.folder / file, content)
        about = about_topics(read, collection) if collection else {}
        sha256 = file_sha256(self.folder / file)
        return replace(task, topics=file, topic_ids=read.ids, topics_sha256=sha256, about_topics=about)

    # People.

    @property
    def people_path(self) -> Path:
        """The file of the people and their links."""
        names = (PEOPLE, *(f"{PEOPLE}{end}" for end in BESIDE_STORE))
        if not set(names) <= OwnedFolder.open(self.folder, KIND, VERSION).names:
            with self.locked() as owned:
                owned.reserve(*names)
        return self.folder / PEOPLE

    def invite(self, name: str, role: str, *, team: str = "", days: float = LINK_DAYS, person: str = "") -> str:
        """Invite somebody, or give one a new link; returns the token of the link, which is not kept."""
        checked_choice("role", role, INVITED_ROLES)
        if team and role != "team":
            raise InputError("team", f"is for people of a team, and {name} is invited as {role}")
        team = (team or name) if role == "team" else ""
        if team and not (NAME.fullmatch(team) and "-" not in team):
            raise InputError(
                "team", f"{team!r} must be at most 40 letters, digits, _ and . : it begins the names of runs"
            )
        facts = self.facts
        known = next((each for each in facts.people if each.name == name), None)
        if known is not None and (known.role, known.team) != (role, team):
            raise InputError(
                name, f"was invited as {known.role}{f' of {known.team}' if known.team else ''}: choose another name"
            )
        same = next((each for each in facts.teams if each.lower() == team.lower() and each != team), None)
        if same is not None:
            raise InputError(
                "team", f"{team} differs from {same} only in its case: write it as {same}, or choose another name"
            )
        token = People(self.people_path).add(name, ROLES[role], days=days)
        with self.changed("invited", person, whom=name, role=role, team=team) as now:
            now.records(INVITED).put(name, asdict(Invited(name, role, team)))
        return token

    def revoke(self, name: str, person: str = "") -> None:
        """End somebody's link at once."""
        People(self.people_path).revoke(name)
        with self.changed("revoked", person, whom=name) as now:
            known = now.records(INVITED).get(name)
            if known is not None:
                now.records(INVITED).put(name, {**known, "revoked": True})

    def team_of(self, person: str) -> str:
        """The team of somebody who was invited; empty for others."""
        with self.store.view() as now:
            return str((now.records(INVITED).get(person) or {}).get("team", ""))

    # Runs.

    def rules(self, task: Task) -> RunRules:
        """What a run of a task may have in it."""
        return RunRules(task.topic_ids, self.documents, task.length, task.most_runs, task.takes, task.measures)

    def check(self, team: str, task: Task, path: Path, description: Description, name: str = "") -> CheckedRun:
        """Check a run as it would be when it is sent now, and keep nothing."""
        rules, file = self.rules(task), name_of_file(name or str(path))
        checked = check_run(path, rules, description, name=file)
        with self.store.view() as now:
            more = () if not checked.tag else problems_beside(checked, description, self._own(now, team, task), rules)
        return replace(checked, problems=(*checked.problems, *more))

    def submit(
        self, team: str, task: Task, path: Path, description: Description, *, name: str = "", person: str = ""
    ) -> Receipt:
        """Take a run of a team, or raise RunRefusedError with all that is wrong. When this returns, it is stored."""
        at, file = self.clock(), name_of_file(name or str(path))
        with self.store.view() as now:
            released = now.records(RELEASES).get(task.name) is not None
        if released:
            known = (f"{file}: the judgements of {task.name} are released, so runs are no longer taken",)
            raise self._refuse(team, task, file, known, person, at)
        late = task.is_over(at)
        if late and task.late == "refuse":
            over = (f"{file}: came after the deadline, which was {task.deadline_words}: it is not taken",)
            raise self._refuse(team, task, file, over, person, at)
        rules = self.rules(task)
        checked = check_run(path, rules, description, name=file)
        if checked.problems:
            more = self._beside(team, task, checked, description, rules) if checked.tag else []
            raise self._refuse(team, task, file, (*checked.problems, *more), person, at)
        with self.locked() as owned:
            with self.store.view() as now:
                old = now.records(RUNS).get(f"{team}-{checked.tag}")
                more = problems_beside(checked, description, self._own(now, team, task), rules)
            if old is not None and old["task"] != task.name:
                more.append(
                    f"{file}: your run {checked.tag} is one of the task {old['task']}: give this one another name"
                )
            if old is not None and late and not old["late"]:
                more.append(f"{file}: your run {checked.tag} came in time and stands: give a late one another name")
            if more:
                raise self._refuse(team, task, file, tuple(more), person, at)
            run = self._run(team, task, checked, description, at, late=late, version=1 + (old["version"] if old else 0))
            if old is not None and _is_same(old, asdict(run)):
                return Receipt(self.facts.title, made_of(SentRun, old), is_new=False)
            owned.reserve(run.file)
            write_stored(self.folder / run.file, checked.content)
            with self.changed(
                "sent", person, team=team, task=task.name, run=run.name, version=run.version, receipt=run.receipt
            ) as now:
                now.records(RUNS).put(run.name, asdict(run))
                now.records(SENT).put(f"{run.name}\n{run.version:04d}", asdict(run))
                title = now.records(ABOUT).get("title")
        return Receipt(str(title), run, is_new=True)

    def _beside(self, team: str, task: Task, checked: CheckedRun, said: Description, rules: RunRules) -> list[str]:
        with self.store.view() as now:
            return problems_beside(checked, said, self._own(now, team, task), rules)

    def _own(self, now: StoreView, team: str, task: Task) -> list[OwnRun]:
        """The runs of a team for a task, as they stand. No answer to a team depends on another's."""
        runs = now.records(RUNS)
        names = runs.keys()
        own = [runs.get(name) for name in names if name.startswith(f"{team}-")]
        return [OwnRun(each["tag"], each["priority"], each["lists"]) for each in own if each["task"] == task.name]

    def _run(
        self,
        team: str,
        task: Task,
        checked: CheckedRun,
        said: Description,
        at: datetime.datetime,
        *,
        late: bool,
        version: int,
    ) -> SentRun:
        name = f"{team}-{checked.tag}"
        run = SentRun(
            name,
            team,
            task.name,
            checked.tag,
            version,
            f"runs/{name}.{version}.run",
            checked.sha256,
            checked.order,
            checked.lines,
            checked.topics,
            moment_of(at),
            late,
            said.priority,
            said.kind,
            said.fields,
            said.resources,
            said.text,
            checked.notes,
            "",
        )
        return replace(run, receipt=receipt_of(run))

    def _refuse(
        self, team: str, task: Task, file: str, problems: tuple[str, ...], person: str, at: datetime.datetime
    ) -> RunRefusedError:
        """The error for a run that is not taken, which the record keeps."""
        with self.store.change() as now:
            kept = [each[:2000] for each in problems[:100]]
            _say(now, "refused", person, at, team=team, task=task.name, file=file, problems=kept)
        return RunRefusedError(problems)


def answers_in(topics: Topics) -> list[str]:
    """The columns of topics that say how many documents are relevant."""
    return [name for name in ANSWERS if any(name in topic.attributes for topic in topics)]


def _without_answers(attributes: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in attributes.items() if name not in ANSWERS}


def receipt_of(run: SentRun) -> str:
    """The SHA-256 over all that is said of a run, and so over its lines."""
    said = {key: value for key, value in asdict(run).items() if key != "receipt"}
    return hashlib.sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _is_same(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a run says what the last version said."""
    names = ("sha256", "priority", "kind", "resources", "text", "late")
    return all(old[name] == new[name] for name in names) and list(old["fields"]) == list(new["fields"])


def _say(now: StoreView, kind: str, person: str, at: datetime.datetime, **said: Any) -> None:
    """Append what was done, at the moment of the campaign's clock."""
    now.events.append(kind, person=person, moment=moment_of(at), **said)


def moment_of(at: datetime.datetime) -> str:
    """A moment as a campaign writes it, in UTC."""
    return at.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _checked_text(name: str, text: str, most: int) -> str:
    if len(text.strip()) > most:
        raise InputError(name, f"has {len(text.strip()):,} characters, the most is {most:,}")
    return visible(text.strip(), "\n\t")


def about_topics(topics: Topics, folder: str) -> dict[str, dict[str, str]]:
    """The office, the main class and the year of topics that are patents of a collection, for tables by them."""
    collection = Collection.open(folder)
    from leadline.retrieval.pipeline.context import text_of

    about: dict[str, dict[str, str]] = {}
    for topic, document in zip(topics, collection.documents_there([topic.patent for topic in topics]), strict=True):
        known = dict(topic.attributes)
        if document is not None:
            known |= {
                "office": document.office,
                "class": (document.ipc or document.cpc or ("",))[0][:4],
                "year": document.publication[:4],
                "words": str(sum(len(text_of(document, field).split()) for field in COMPARED_FIELDS)),
            }
        if known:
            about[topic.id] = {key: str(value) for key, value in known.items() if value}
    return about
