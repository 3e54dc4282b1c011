"""A case: one patent or one question, and everything that people did about it, in a store of its own.

    LAB/cases/NAME.case    the chain of events: who did what, and when; nothing in it is ever changed

Whatever is shown of a case follows from its events (`Case.of`), and whatever is done is one more of them, checked and
stored in one transaction (`CaseFile.do`): people at work at once wait for each other and lose nothing. What is taken
back stays in the chain, with who took it back. Signing closes a case: the signature names the head of the chain.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from leadline.errors import InputError, checked_choice, nearest, visible
from leadline.retrieval.bearing import GRADES as SUGGESTIONS
from leadline.retrieval.strategy.lines import LONGEST_TEXT, MOST_LINES
from leadline.show.charts import count
from leadline.show.choices import CASE_GRADES
from leadline.show.lab.lab import KIND, VERSION, Kept, Lab, viewer
from leadline.text.checksums import Finding, findings
from leadline.text.files import PATIENCE
from leadline.text.owned_files import OURS
from leadline.text.owned_folder import OwnedFolder
from leadline.text.store.events import ChainHead, StoredEvent
from leadline.text.store.kind import StoreKind
from leadline.text.store.opening import BESIDE, version_of
from leadline.text.store.store import Store, StoreView

FOLDER, ENDING = "cases", ".case"
REPAIR = "restore it from a backup, or from an archive of the case"
CASE_STORE = StoreKind(OURS["LCAS"], "LCAS", repair=REPAIR, longest=16 << 20)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.=+-]{0,79}")
LONGEST_TITLE, LONGEST_WORDS, LONGEST_TAG, LONGEST_ID = 200, 20_000, 40, 300  # characters
MOST_WATCHED = 5000  # documents of a query whose ids are kept, so that new ones are noticed
MOST_OF_ALL = 100_000  # the same of all lines of a strategy, of which the last count most
MOST_FEATURES, MOST_OWN_GRADES, MOST_READ = 200, 20, 1000
_FEATURE = re.compile(r"\s*(\d{1,4})([a-z]{0,2})\s*[.):]\s*(\S.*)")
MOST_KEPT = 64  # cases in memory
UNDOABLE = frozenset(
    {"query", "strategy", "grade", "list", "tag", "note", "tick", "features", "grades", "title", "looked"}
)
WHEN_SIGNED = ("reopen",)  # all that can be done with a case that is signed


@dataclass(frozen=True)
class Act:
    """Who did something, and when (UTC)."""

    by: str
    at: str
    uid: str = ""

    @property
    def day(self) -> str:
        return self.at[:10]

    def __str__(self) -> str:
        return f"{self.by}, {self.at[:16].replace('T', ' ')}"


@dataclass(frozen=True)
class CaseGrade:
    """A grade of a case: what it means, and what it is worth as a judgement."""

    name: str
    value: int
    means: str


USUAL_GRADES = tuple(CaseGrade(*each) for each in CASE_GRADES)


@dataclass(frozen=True)
class CaseQuery:
    """A numbered query. A line of a pasted strategy keeps its own syntax, and names others by their numbers there."""

    number: int
    text: str
    act: Act
    syntax: str = ""  # empty: our own
    own: int = 0  # the number in the strategy that it was pasted with; 0: it names the queries of the case
    watched: frozenset[str] | None = None  # the documents that were looked through; None where they are too many
    looked: Act | None = None  # when it was looked through last


@dataclass(frozen=True)
class Feature:
    """A row of the claim chart: a claim, or a part of one."""

    key: str  # 1, or 1a for a part
    claim: int
    text: str

    @property
    def is_part(self) -> bool:
        return not self.key.isdigit()


@dataclass(frozen=True)
class Tick:
    """That a passage of a document discloses a feature: a person says so; `suggested` is the machine's grade for it."""

    feature: str
    document: str
    where: str
    passage: str
    act: Act
    suggested: str = ""


@dataclass
class CaseDocument:
    """What people said of a document in a case."""

    id: str
    grade: str = ""
    graded: Act | None = None
    listed: Act | None = None
    tags: dict[str, Act] = field(default_factory=dict)
    notes: list[tuple[str, Act]] = field(default_factory=list)
    read: dict[str, Act] = field(default_factory=dict)  # by person: when they read it last

    @property
    def on_shortlist(self) -> bool:
        return self.listed is not None or (self.graded is not None and self.grade != "")


@dataclass(frozen=True)
class CaseSignature:
    """Who closed a case, when, with which words, and the head of its chain before the signature."""

    act: Act
    statement: str
    head: ChainHead


@dataclass
class Case:
    """Everything that is so in a case at one moment."""

    name: str
    title: str = ""
    index: str = ""
    patent: str = ""
    question: str = ""
    begun: Act = field(default_factory=lambda: Act("", ""))
    queries: dict[int, CaseQuery] = field(default_factory=dict)
    documents: dict[str, CaseDocument] = field(default_factory=dict)
    notes: list[tuple[str, Act]] = field(default_factory=list)
    features: tuple[Feature, ...] = ()  # empty: the claims themselves
    grades: tuple[CaseGrade, ...] = USUAL_GRADES
    ticks: dict[tuple[str, str], Tick] = field(default_factory=dict)
    signature: CaseSignature | None = None
    people: dict[str, Act] = field(default_factory=dict)  # with what they did last
    last_number: int = 0  # of a query, also one that was taken back: numbers are not used twice
    events: tuple[StoredEvent, ...] = ()
    undone: frozenset[str] = frozenset()
    head: ChainHead = field(default_factory=lambda: ChainHead(0, ""))

    @classmethod
    def of(cls, name: str, events: Sequence[StoredEvent], head: ChainHead) -> Case:
        """The case that follows from its events."""
        undone = frozenset(each.said["target"] for each in events if each.said["kind"] == "undo")
        case = cls(name, events=tuple(events), undone=undone, head=head)
        for each in events:
            act = Act(each.said["person"], each.at, each.uid)
            case.people[act.by] = act
            if each.said["kind"] in ("query", "strategy"):
                case.last_number = max(case.last_number, *(line["number"] for line in each.said["lines"]))
            if each.uid not in undone:
                _FOLDS.get(each.said["kind"], _nothing)(case, each.said, act)
        return case

    def document(self, id: str) -> CaseDocument:
        """What was said of a document so far."""
        return self.documents.setdefault(id, CaseDocument(id))

    def grade(self, name: str) -> CaseGrade | None:
        """The grade of a name."""
        return next((each for each in self.grades if each.name == name), None)

    @property
    def shortlist(self) -> list[CaseDocument]:
        """The documents that somebody graded or put there, the best grades first."""
        listed = [each for each in self.documents.values() if each.on_shortlist]
        return sorted(listed, key=lambda each: (-self.value_of(each), each.id))

    def value_of(self, document: CaseDocument) -> int:
        """What the grade of a document is worth; -1 where it has none."""
        found = self.grade(document.grade)
        return -1 if found is None else found.value

    @property
    def subject(self) -> str:
        """The patent, or the question, in a line."""
        return self.patent or self.question.splitlines()[0][:100]

    @property
    def counts(self) -> str:
        """What is in the case, in words."""
        marked = sum(each.grade != "" for each in self.documents.values())
        said = [count(len(self.queries), "query", "queries"), f"{count(marked, 'document')} graded"]
        return ", ".join([*said, count(len(self.ticks), "tick")])

    def last_of(self, person: str) -> StoredEvent | None:
        """What a person did last and can take back."""
        own = (each for each in reversed(self.events) if each.said["person"] == person)
        return next((each for each in own if each.said["kind"] in UNDOABLE and each.uid not in self.undone), None)


# How each kind of event changes a case.


Said = dict[str, Any]


def _nothing(case: Case, said: Said, act: Act) -> None:
    """An event that only its traces show, such as taking something back."""


def _begin(case: Case, said: Said, act: Act) -> None:
    case.title, case.index, case.patent = said["title"], said["index"], said["patent"]
    case.question, case.begun = said["question"], act


def _title(case: Case, said: Said, act: Act) -> None:
    case.title = said["title"]


def _query(case: Case, said: Said, act: Act) -> None:
    for line in said["lines"]:
        watched = line.get("watched")
        case.queries[line["number"]] = CaseQuery(
            line["number"],
            line["text"],
            act,
            said["syntax"],
            line["own"],
            None if watched is None else frozenset(watched),
            act,
        )


def _looked(case: Case, said: Said, act: Act) -> None:
    old = case.queries.get(said["number"])
    if old is not None:
        watched = None if said["watched"] is None else frozenset(said["watched"])
        case.queries[old.number] = CaseQuery(old.number, old.text, old.act, old.syntax, old.own, watched, act)


def _grade(case: Case, said: Said, act: Act) -> None:
    document = case.document(said["document"])
    document.grade, document.graded = said["grade"], act


def _list(case: Case, said: Said, act: Act) -> None:
    case.document(said["document"]).listed = act if said["on"] else None


def _tag(case: Case, said: Said, act: Act) -> None:
    tags = case.document(said["document"]).tags
    if said["on"]:
        tags[said["tag"]] = act
    else:
        tags.pop(said["tag"], None)


def _note(case: Case, said: Said, act: Act) -> None:
    notes = case.document(said["document"]).notes if said["document"] else case.notes
    notes.append((said["text"], act))


def _read(case: Case, said: Said, act: Act) -> None:
    for id in said["documents"]:
        case.document(id).read[act.by] = act


def _features(case: Case, said: Said, act: Act) -> None:
    case.features = tuple(Feature(*each) for each in said["features"])


def _grades(case: Case, said: Said, act: Act) -> None:
    case.grades = (*USUAL_GRADES, *(CaseGrade(*each) for each in said["grades"]))


def _tick(case: Case, said: Said, act: Act) -> None:
    key = said["feature"], said["document"]
    if said["on"]:
        case.ticks[key] = Tick(*key, said["where"], said["passage"], act, said["suggested"])
    else:
        case.ticks.pop(key, None)


def _sign(case: Case, said: Said, act: Act) -> None:
    case.signature = CaseSignature(act, said["statement"], ChainHead(said["events"], said["head"]))


def _reopen(case: Case, said: Said, act: Act) -> None:
    case.signature = None


_FOLDS: Mapping[str, Callable[[Case, Said, Act], None]] = {
    "begin": _begin, "title": _title, "query": _query, "strategy": _query, "looked": _looked, "grade": _grade,
    "list": _list, "tag": _tag, "note": _note, "read": _read, "features": _features, "grades": _grades, "tick": _tick,
    "sign": _sign, "reopen": _reopen,
}  # fmt: skip


# What may be said, checked where it enters: each gives what is stored, or an error in one line.


def _text(said: Said, name: str, longest: int, *, needed: bool = True) -> str:
    value = said.get(name, "")
    if not isinstance(value, str):
        raise InputError(name, "must be a text")
    value = value.strip()
    if needed and not value:
        raise InputError(name, "must not be empty")
    if len(value) > longest:
        raise InputError(name, f"has {len(value):,} characters, at most {longest:,}")
    return visible(value, "\t\n")


def _on(said: Said) -> bool:
    if not isinstance(on := said.get("on", True), bool):
        raise InputError("on", "must be true or false")
    return on


def _document(said: Said, *, needed: bool = True) -> str:
    return _text(said, "document", LONGEST_ID, needed=needed)


def _watched(line: Said) -> list[str] | None:
    watched = line.get("watched")
    return None if watched is None or len(watched) > MOST_WATCHED else sorted(map(str, watched))


def _checked_title(case: Case, said: Said) -> Said:
    return {"title": _text(said, "title", LONGEST_TITLE)}


def _checked_queries(case: Case, said: Said) -> Said:
    """Queries are numbered here, behind all that there ever were."""
    lines = said["lines"]
    if not lines or len(case.queries) + len(lines) > MOST_LINES:
        raise InputError("query", f"a case has at most {MOST_LINES:,} queries")
    numbered = [
        {
            "number": case.last_number + place,
            "text": _text(line, "text", LONGEST_TEXT),
            "own": line.get("own", 0),
            "watched": _watched(line),
        }
        for place, line in enumerate(lines, start=1)
    ]
    left = MOST_OF_ALL
    for line in reversed(numbered):
        left -= len(line["watched"] or ())
        line["watched"] = line["watched"] if left >= 0 else None
    return {"lines": numbered, "syntax": said.get("syntax", "")}


def _checked_looked(case: Case, said: Said) -> Said:
    if said.get("number") not in case.queries:
        raise InputError("query", f"there is no query {said.get('number')}")
    return {"number": said["number"], "watched": _watched(said)}


def _checked_grade(case: Case, said: Said) -> Said:
    grade = _text(said, "grade", LONGEST_TAG, needed=False)
    if grade:
        checked_choice("grade", grade, [each.name for each in case.grades])
    return {"document": _document(said), "grade": grade}


def _checked_list(case: Case, said: Said) -> Said:
    return {"document": _document(said), "on": _on(said)}


def _checked_tag(case: Case, said: Said) -> Said:
    return {"document": _document(said), "tag": _text(said, "tag", LONGEST_TAG), "on": _on(said)}


def _checked_note(case: Case, said: Said) -> Said:
    return {"document": _document(said, needed=False), "text": _text(said, "text", LONGEST_WORDS)}


def _checked_read(case: Case, said: Said) -> Said:
    documents = [_document({"document": each}) for each in said["documents"]]
    if not 1 <= len(documents) <= MOST_READ:
        raise InputError("documents", f"must be 1 to {MOST_READ:,}, got {len(documents):,}")
    return {"documents": documents}


def _checked_features(case: Case, said: Said) -> Said:
    return {"features": [[each.key, each.claim, each.text] for each in read_features(_text(said, "text", 200_000))]}


def _checked_grades(case: Case, said: Said) -> Said:
    return {
        "grades": [
            [each.name, each.value, each.means] for each in read_grades(_text(said, "text", 10_000, needed=False))
        ]
    }


def _checked_tick(case: Case, said: Said) -> Said:
    suggested = _text(said, "suggested", 20, needed=False)
    if suggested:
        checked_choice("suggested", suggested, [each.name for each in SUGGESTIONS])
    feature = _text(said, "feature", 10)
    if case.features:
        checked_choice("feature", feature, [each.key for each in case.features])
    on = _on(said)
    return {
        "feature": feature,
        "document": _document(said),
        "where": _text(said, "where", 100, needed=on),
        "passage": _text(said, "passage", LONGEST_WORDS, needed=on),
        "suggested": suggested,
        "on": on,
    }


def _checked_sign(case: Case, said: Said) -> Said:
    return {
        "statement": _text(said, "statement", 2000, needed=False),
        "head": case.head.hash,
        "events": case.head.events,
    }


def _checked_reopen(case: Case, said: Said) -> Said:
    if case.signature is None:
        raise InputError("case", "is not signed")
    return {"why": _text(said, "why", 2000)}


_CHECKS: Mapping[str, Callable[[Case, Said], Said]] = {
    "title": _checked_title, "query": _checked_queries, "strategy": _checked_queries, "looked": _checked_looked,
    "grade": _checked_grade, "list": _checked_list, "tag": _checked_tag, "note": _checked_note, "read": _checked_read,
    "features": _checked_features, "grades": _checked_grades, "tick": _checked_tick, "sign": _checked_sign,
    "reopen": _checked_reopen,
}  # fmt: skip


def read_features(text: str) -> list[Feature]:
    """The rows of a claim chart from lines: the number of the claim, a letter for a part of it, and the text.

    >>> [(each.key, each.claim, each.text) for each in read_features("1a: a nail\\n1b: that is bent\\n2: of tin")]
    [('1a', 1, 'a nail'), ('1b', 1, 'that is bent'), ('2', 2, 'of tin')]
    """
    found: dict[str, Feature] = {}
    for number, line in enumerate(filter(str.strip, text.splitlines()), start=1):
        match = _FEATURE.fullmatch(line)
        if match is None:
            raise InputError(
                "features", "must be a claim's number, perhaps a letter, a colon and a text: 1a: a nail", line=number
            )
        key = f"{int(match[1])}{match[2]}"
        if key in found:
            raise InputError("features", f"{key} is there twice", line=number)
        found[key] = Feature(key, int(match[1]), match[3].strip())
    if len(found) > MOST_FEATURES:
        raise InputError("features", f"are {len(found):,}, at most {MOST_FEATURES}")
    return list(found.values())


def read_grades(text: str) -> list[CaseGrade]:
    """Grades of one's own from lines: a name, what it is worth from 0 to 3, and what it means.

    >>> read_grades("P 1 published in between\\nL 0 too late")
    [CaseGrade(name='P', value=1, means='published in between'), CaseGrade(name='L', value=0, means='too late')]
    """
    found: list[CaseGrade] = []
    for number, line in enumerate(filter(str.strip, text.splitlines()), start=1):
        match = re.fullmatch(r"\s*(\S{1,20})\s+([0-3])\s*(.{0,200})", line)
        if match is None:
            raise InputError(
                "grades", "must be a name, a number from 0 to 3 and a meaning: P 1 in between", line=number
            )
        if match[1] in {each.name for each in (*USUAL_GRADES, *found)}:
            raise InputError("grades", f"{match[1]} is there already", line=number)
        found.append(CaseGrade(visible(match[1]), int(match[2]), visible(match[3].strip())))
    if len(found) > MOST_OWN_GRADES:
        raise InputError("grades", f"are {len(found)}, at most {MOST_OWN_GRADES}")
    return found


def check_open(case: Case) -> None:
    """Refuse to work on a case that is signed."""
    if case.signature is not None:
        raise InputError(case.name, f"was signed by {case.signature.act}: reopen it first")


# The store of a case, and the cases of a lab.


class CaseFile:
    """The store of one case."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name.removesuffix(ENDING)

    def read(self) -> Case:
        """The case as it is now."""
        with Store.open(self.path, CASE_STORE) as store, store.view() as now:
            return self._case(now)

    def do(self, person: str, role: str, kind: str, *, uid: str = "", **said: Any) -> Case:
        """Store what a person did, and give the case after it; InputError where that cannot be done.

        What comes a second time under the same id is stored once.
        """
        checked_choice("what", kind, [*_CHECKS, "undo"])
        with Store.open(self.path, CASE_STORE, write=True) as store, store.change() as now:
            case = self._case(now)
            if uid and any(each.uid == uid for each in case.events):
                return case
            if kind not in WHEN_SIGNED:
                check_open(case)
            checked = self._undoing(case, person, said) if kind == "undo" else _CHECKS[kind](case, said)
            now.events.append(kind, uid=uid, person=person, role=role, **checked)
            return self._case(now)

    def _undoing(self, case: Case, person: str, said: Said) -> Said:
        last = case.last_of(person)
        target = said.get("target") or (last.uid if last is not None else "")
        done = next((each for each in case.events if each.uid == target), None)
        if done is None or done.said["person"] != person or done.said["kind"] not in UNDOABLE or target in case.undone:
            raise InputError(self.name, "there is nothing of yours to take back")
        return {"target": target, "what": done.said["kind"]}

    def _case(self, now: StoreView) -> Case:
        try:
            return Case.of(self.name, now.events.all(), now.events.head())
        except (KeyError, TypeError, AttributeError, ValueError):
            raise InputError(str(self.path), f"has an event that is none of a case: {REPAIR}") from None


class Cases:
    """The cases of a lab. Threads may share it."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._kept = Kept[Case](MOST_KEPT)

    def __iter__(self) -> Iterator[Case]:
        """The cases that the person who looks may see, those with the latest work first; without damaged ones."""
        found = [case for name in self._names() if (case := self._sound(name)) is not None]
        latest = sorted(found, key=lambda case: max(each.at for each in case.people.values()), reverse=True)
        return iter([case for case in latest if self._may_see(case)])

    def names(self) -> list[str]:
        """The names of the cases that the person who looks may see."""
        return [case.name for case in self] if self.lab.is_blind else self._names()

    def problems(self) -> list[InputError]:
        """Why cases cannot be read; nothing where all can."""
        found: list[InputError] = []
        for name in self._names():
            try:
                self._read(self._file(name))
            except InputError as error:
                found.append(error)
        return found

    def _sound(self, name: str) -> Case | None:
        try:
            return self._read(self._file(name))
        except InputError:  # which `problems` says
            return None

    def file(self, name: str) -> CaseFile:
        """The case of a name, to work on; InputError with the nearest where there is none."""
        names = self._names()
        if name not in names or not self._may_see(self._read(self._file(name))):
            seen = [case.name for case in self]
            raise InputError(visible(name), f"is not among the cases{nearest(name, seen)}")
        return self._file(name)

    def read(self, name: str) -> Case:
        """The case of a name."""
        return self._read(self.file(name))

    def begin(
        self,
        person: str,
        role: str,
        *,
        title: str = "",
        index: str,
        patent: str = "",
        question: str = "",
        name: str = "",
    ) -> CaseFile:
        """Begin a case of a patent of an index, or of a question in words."""
        said = {"title": title or patent or question[:80], "patent": patent, "question": question}
        about = {
            "title": _text(said, "title", LONGEST_TITLE),
            "patent": _text(said, "patent", LONGEST_ID, needed=False),
            "question": _text(said, "question", LONGEST_WORDS, needed=False),
            "index": self.lab.get("index", index).name,
        }
        if bool(about["patent"]) == bool(about["question"]):
            raise InputError("case", "is of a patent or of a question: name one of them")
        taken = self._names()
        chosen = name or _free_name(about["patent"] or about["title"], taken)
        if not NAME.fullmatch(chosen):
            raise InputError("name", f"{visible(chosen)!r} must be at most 80 letters, digits and . = + - _")
        file = self._file(chosen)
        names = [f"{FOLDER}/{chosen}{ENDING}{end}" for end in ("", *BESIDE)]
        with OwnedFolder.locked(self.lab.folder, KIND, VERSION, patience=PATIENCE) as owned:
            if chosen in self._names():
                raise InputError(chosen, "is the name of a case already: give another")
            owned.reserve(FOLDER, *names)
            file.path.parent.mkdir(exist_ok=True)
            with Store.open(file.path, CASE_STORE, write=True, create=True) as store, store.change() as now:
                if not len(now.events):
                    now.events.append("begin", person=person, role=role, **about)
        return file

    def _names(self) -> list[str]:
        folder = self.lab.folder / FOLDER
        if not folder.is_dir() or folder.is_symlink():
            return []
        return sorted(
            name
            for path in folder.glob(f"*{ENDING}")
            if NAME.fullmatch(name := path.name.removesuffix(ENDING)) and path.is_file() and not path.is_symlink()
        )

    def _file(self, name: str) -> CaseFile:
        return CaseFile(self.lab.folder / FOLDER / f"{name}{ENDING}")

    def _read(self, file: CaseFile) -> Case:
        version = version_of(file.path)
        return file.read() if version is None else self._kept.get((file.name, str(version)), file.read)

    def _may_see(self, case: Case) -> bool:
        """In a blind lab people see the cases that they work on."""
        who = viewer()
        return not self.lab.is_blind or who is None or who.sees_everything or who.name in case.people


def _free_name(text: str, taken: Sequence[str]) -> str:
    """A name for a case from its patent or title.

    >>> _free_name("Thin films & coatings", ["thin-films-coatings"])
    'thin-films-coatings-2'
    """
    words = re.findall(r"[A-Za-z0-9]+", text)
    plain = "-".join(words)[:60].strip("-") or "case"
    base = plain if len(words) == 1 else plain.lower()
    known = {each.lower() for each in taken}
    return next(
        name for n in range(1, len(taken) + 2) if (name := base if n == 1 else f"{base}-{n}").lower() not in known
    )


def check_case(path: Path) -> Iterator[Finding]:
    """Everything that is wrong with a case: its store, what its events say, and the heads that its signatures name."""
    yield from findings(lambda: _check(path), REPAIR)


def _check(path: Path) -> None:
    with Store.open(path, CASE_STORE) as store:
        if problem := store.check():
            raise InputError(str(path), problem)
        with store.view() as now:
            events = now.events.all()
            with contextlib.suppress(KeyError, TypeError, AttributeError, ValueError):
                Case.of(path.stem, events, now.events.head())
                for before, event in zip([0, *(each.seq for each in events)], events, strict=False):
                    if event.said["kind"] == "sign" and str(now.events.head(before).hash) != event.said["head"]:
                        raise InputError(str(path), f"the signature of {event.said['person']} is of other events")
                return
            raise InputError(str(path), "has an event that is none of a case")


def check_cases(lab: Lab) -> Iterator[Finding]:
    """Everything that is wrong with the cases of a lab; one that is listed and gone is missed."""
    for name in sorted(OwnedFolder.open(lab.folder, KIND, VERSION).names):
        if not (name.startswith(f"{FOLDER}/") and name.endswith(ENDING)):
            continue
        path = lab.folder / name
        if path.exists():
            yield from check_case(path)
        else:
            yield Finding(str(path), "is missing, with everything that was done in the case", REPAIR)
