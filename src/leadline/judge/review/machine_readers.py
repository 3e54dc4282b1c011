"""Machines as readers of a review: their opinions from the journal, what they may do, and what that means.

    machine  value: JSON of a reader: name, role, threshold, and what it is: a file, or a model with its prompt
    opinion  person: the reader's name, value: JSON of one opinion: p, and of a model its answer, name, price and time
    consent  value: JSON: the host to which the owner lets titles and abstracts be sent, or no longer

A machine's opinion is never a mark. It may put documents in order, put those last that it excludes, or send to the
expert what people excluded and it would keep; what is certified rests on people's marks alone.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from leadline.errors import InputError, checked_choice
from leadline.judge.choices import MACHINE_ROLES, STAGES, MachineRole
from leadline.judge.journal import LONGEST, Event, check_name
from leadline.records.result import counted

OWNER = "owner"  # who is named for what the command line does with machines
_FIRST, _LAST = 1e7, 1e9  # a machine's probability outweighs the learner; what it excludes comes after all else
EFFECTS: dict[str, str] = {
    "witness": "It is only measured: no order, no mark and no certificate depends on it.",
    "order": "It puts documents in order. The certificate holds whatever the order is; a bad order costs reading.",
    "second": "What people excluded and it would keep comes to the expert, whose marks count as always. Its own "
    "opinion is no mark: the certificate is that of the people, and what both overlook is not covered.",
    "exclude": "What it excludes is read last in the learner's order. These documents stay among the unread and can be "
    "drawn at random, so the certificate covers them: what the machine excludes wrongly counts as missing.",
}


@dataclass(frozen=True)
class MachineReader:
    """A machine that reads: a file of opinions, or a model that is asked."""

    name: str
    role: MachineRole = "witness"
    threshold: float = 0.5  # a probability from here on is an opinion that the document is relevant
    source: str = ""  # the file, or the address of the service
    sha256: str = ""  # of the file
    model: str = ""
    prompt: str = ""
    price_in: float = 0.0  # of a million tokens that are sent, in any currency
    price_out: float = 0.0  # of a million tokens that are answered

    def __post_init__(self) -> None:
        check_name(self.name)
        checked_choice("role", self.role, MACHINE_ROLES)
        if not 0 < self.threshold <= 1:
            raise InputError("threshold", f"must be above 0 and at most 1, got {self.threshold:g}")
        try:
            parts = urlsplit(self.source) if self.model else None
        except ValueError:  # brackets that hold no address
            raise InputError("--url", f"is not an address: {self.source}") from None
        if parts is not None and (parts.query or parts.username or parts.password):
            raise InputError("--url", "must have no key and no question mark, since the journal keeps it: see --key")
        for name in ("price_in", "price_out"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise InputError(name, "must be 0 or more")

    @property
    def host(self) -> str:
        """Where texts are sent; empty for a file."""
        return (urlsplit(self.source).hostname or "") if self.model else ""

    @property
    def is_asked(self) -> bool:
        return bool(self.model)

    @property
    def effect(self) -> str:
        """What its role means for the review and for the certificate."""
        return EFFECTS[self.role]

    def is_same_as(self, other: MachineReader) -> bool:
        """Whether the opinions of both may stand together: role, threshold and prices may change."""
        one = replace(self, role=other.role, threshold=other.threshold)
        return replace(one, price_in=other.price_in, price_out=other.price_out) == other


@dataclass
class Machines:
    """The machines of a review, and what each thinks of every unit."""

    units: int
    readers: dict[str, MachineReader] = field(default_factory=dict)
    probabilities: dict[str, NDArray[np.float64]] = field(default_factory=dict)  # by unit; NaN where it says nothing
    answered: dict[str, set[int]] = field(default_factory=dict)  # rows with an answer, understood or not
    spent: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)  # to which the owner lets texts be sent

    def add(self, event: Event, row: int | None) -> None:
        """Take one event into account; InputError for one that no machine made, as a merged journal may have."""
        try:
            self._add(event, row)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise InputError("journal", f"event {event.uid} is no opinion of a machine: {event.kind}") from None

    def _add(self, event: Event, row: int | None) -> None:
        said = json.loads(event.value)
        if event.kind == "machine":
            reader = MachineReader(**said)
            self.readers[reader.name] = reader
            self.probabilities.setdefault(reader.name, np.full(self.units, np.nan))
            self.answered.setdefault(reader.name, set())
        elif event.kind == "consent":
            (self.hosts.add if said["allowed"] else self.hosts.discard)(said["host"])
        elif row is not None and event.person in self.readers:
            p, price, seconds = said["p"], float(said.get("price", 0.0)), float(said.get("seconds", 0.0))
            # A price that is no number would never reach a limit.
            if not (p is None or 0 <= p <= 1) or not (0 <= price < math.inf and 0 <= seconds < math.inf):
                raise ValueError
            self.answered[event.person].add(row)
            self.probabilities[event.person][row] = np.nan if p is None else p
            self.spent[event.person] = self.spent.get(event.person, 0.0) + price
            self.seconds[event.person] = self.seconds.get(event.person, 0.0) + seconds

    def named(self, name: str) -> MachineReader:
        """A machine by its name."""
        if name not in self.readers:
            known = ", ".join(self.readers) or "there are none"
            raise InputError(name, f"is no machine of this review: {known}")
        return self.readers[name]

    def with_role(self, role: MachineRole) -> list[str]:
        """The machines with a role."""
        return [name for name, reader in self.readers.items() if reader.role == role]

    def keeps(self, name: str) -> NDArray[np.bool_]:
        """What a machine calls relevant; false also where it says nothing."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.probabilities[name] >= self.readers[name].threshold)

    def ordered(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The learner's scores with the order that machines give: its own where they say nothing."""
        order, exclude = self.with_role("order"), self.with_role("exclude")
        if not order and not exclude:
            return scores
        low, high = float(scores.min()), float(scores.max())
        found = np.asarray((scores - low) / max(high - low, 1e-12), np.float64)
        if order:
            opinions = np.stack([self.probabilities[name] for name in order])
            known = np.isfinite(opinions)
            mean = np.where(known, opinions, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
            found = found + _FIRST * np.where(known.any(axis=0), mean, -1)
        for name in exclude:
            out = np.isfinite(self.probabilities[name]) & ~self.keeps(name)
            found = np.where(out, found - _LAST, found)
        return found

    def overlooked(self, excluded: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The rows that people excluded and a second reader would keep."""
        kept = np.zeros(self.units, np.bool_)
        for name in self.with_role("second"):
            kept |= self.keeps(name)
        return np.flatnonzero(kept & excluded)


def machine_event(uid: str, reader: MachineReader, round: int) -> Event:
    """The event that begins a machine, or changes its role, threshold or prices."""
    return _event(uid, OWNER, "machine", asdict(reader), round)


def consent_event(uid: str, host: str, *, allowed: bool, round: int) -> Event:
    """The event in which the owner says that titles and abstracts may be sent to a host, or no longer."""
    return _event(uid, OWNER, "consent", {"host": host, "allowed": allowed}, round)


def opinion_event(reader: MachineReader, document: str, round: int, p: float | None, **about: Any) -> Event:
    """One opinion. Its id follows from what it is, so that a file that is read again adds nothing."""
    if p is not None and not 0 <= p <= 1:
        raise InputError(reader.name, f"{document}: {p!r} is not a probability")
    said = {"p": p, **about}
    told = json.dumps([reader.name, document, reader.sha256 or reader.prompt, said], sort_keys=True)
    return _event(hashlib.sha256(told.encode()).hexdigest()[:32], reader.name, "opinion", said, round, document)


def _event(
    uid: str, person: str, kind: Literal["machine", "opinion", "consent"], said: Any, round: int, document: str = ""
) -> Event:
    value = json.dumps(said, ensure_ascii=False)
    if len(value) > LONGEST:
        raise InputError(person, f"is longer than {LONGEST:,} characters in the journal: shorten the prompt")
    return Event(uid, person, "organiser", kind, STAGES[0], document, value, "", round)


def check_new(machines: Machines, reader: MachineReader, people: set[str]) -> None:
    """Refuse a machine under the name of a person, or of another machine."""
    if reader.name in people:
        raise InputError(reader.name, "is the name of a person of this review: choose another for the machine")
    known = machines.readers.get(reader.name)
    if known is not None and not known.is_same_as(reader):
        what = "model, address or prompt" if known.is_asked and reader.is_asked else "source"
        raise InputError(reader.name, f"is a machine of this review with another {what}: choose another name")


def machine_words(machines: Machines, name: str) -> str:
    """What a machine is, how much it read, and what its role means, in sentences."""
    reader = machines.named(name)
    known = np.isfinite(machines.probabilities[name])
    what = f"the model {reader.model} at {reader.host}" if reader.is_asked else reader.source
    unclear = len(machines.answered[name]) - int(known.sum())
    said = f"Machine {name} ({what}; {reader.role}): {counted(int(known.sum()), 'opinion')}"
    said += f", {int((known & machines.keeps(name)).sum()):,} of them relevant"
    said += f"; {counted(unclear, 'answer')} {'was' if unclear == 1 else 'were'} not understood" if unclear else ""
    spent = machines.spent.get(name, 0.0)
    said += f"; it cost {spent:.4g}" if spent else ""
    return f"{said}. {reader.effect}"
