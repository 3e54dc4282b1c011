"""What a kind of search service must offer: connections that answer a query.

A kind is a class with its options as fields, in a file of the folder `kinds`; an installed package may add more under
the entry point `leadline.engines`. Each thread asks through a connection of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Protocol, TypeVar, dataclass_transform, get_type_hints

from leadline.errors import InputError
from leadline.options import checked
from leadline.register import Register

LARGEST_ANSWER = 64 << 20  # bytes of an answer to one query


@dataclass(frozen=True)
class EngineHits:
    """The documents that a service found, best first."""

    ids: Sequence[str]
    scores: Sequence[float] | None = None  # None: the service gives only an order
    total: int | None = None  # how many documents match, where the service says so
    requests: int = 1  # that it took


class AskingFailedError(Exception):
    """Why a query could not be answered. Some failures pass: a busy server, a connection that broke."""

    def __init__(
        self, reason: str, *, passes: bool = False, wait: float = 0.0, requests: int = 1, again: int = 0
    ) -> None:
        super().__init__(reason)
        self.passes = passes
        self.requests, self.again = requests, again  # that were sent, and tries after the first
        self.wait = wait  # seconds that the service asks for


class Connection(Protocol):
    """One thread's way to the service."""

    def ask(self, query: str, k: int) -> EngineHits:
        """The k best documents; AskingFailedError where there is no answer."""

    def close(self) -> None: ...


class SearchEngine:
    """A search service. Options are the fields of its class."""

    kind: ClassVar[str]
    packages: ClassVar[tuple[str, ...]] = ()  # that it needs
    extra: ClassVar[str] = ""  # of leadline, which installs them
    runs_code: ClassVar[bool] = False  # whether the file names a program to run
    one_at_a_time: ClassVar[bool] = False  # whether queries never run beside each other, whatever the limits say

    def __post_init__(self) -> None:
        """Check every option against its type."""
        hints = get_type_hints(type(self), include_extras=True)
        for option in fields(self):  # type: ignore[arg-type]
            if hints[option.name] is Any:  # which the kind checks itself
                continue
            try:
                value = checked(option.name, getattr(self, option.name), hints[option.name])
            except ValueError as error:
                raise InputError(self.kind, str(error)) from None
            object.__setattr__(self, option.name, value)

    def connect(self, seconds: float) -> Connection:
        """A connection on which a query takes so many seconds at most."""
        raise NotImplementedError

    def usual_at_once(self) -> int:
        """How many queries are asked at the same time where the file does not say."""
        return 1 if self.one_at_a_time else 4

    def needed_packages(self) -> tuple[str, ...]:
        """The packages that this engine needs with its options."""
        return self.packages

    def secret_texts(self) -> tuple[str, ...]:
        """The options in which `${NAME}` is replaced by an environment variable."""
        return ()

    def note(self) -> str:
        """What of the options may be a mistake, in a line."""
        return ""

    def place(self) -> str:
        """Where the service is, as a note names it."""
        return self.kind

    def described(self) -> dict[str, Any]:
        """The options for the record beside a run; secrets stay where they are."""
        return {option.name: getattr(self, option.name) for option in fields(self)}  # type: ignore[arg-type]


ENGINES = Register[type[SearchEngine]]("kind", "leadline.retrieval.engines.kinds", entry_points="leadline.engines")
EngineType = TypeVar("EngineType", bound=type[SearchEngine])


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def engine(kind: str) -> Callable[[EngineType], EngineType]:
    """Register a class as a kind of search service, and make it a frozen dataclass."""

    def enter(engine_type: EngineType) -> EngineType:
        dataclass(frozen=True)(engine_type)
        engine_type.kind = kind
        ENGINES.add(kind, engine_type, home=engine_type.__module__)
        return engine_type

    return enter


def hits_of(found: Any) -> EngineHits:
    """An answer from what a program returned: ids, pairs of id and score, or a mapping from ids to scores.

    >>> hits_of(["EP1", "EP2"]), hits_of([("EP1", 2), ("EP2", 1.5)]).scores
    (EngineHits(ids=['EP1', 'EP2'], scores=None, total=None, requests=1), [2.0, 1.5])
    """
    if not isinstance(found, Iterable) or isinstance(found, (str, bytes)):
        raise AskingFailedError(f"returned {found!r:.60}, not a list of ids, or of pairs of an id and a score")
    pairs: list[Any] = list(found.items()) if isinstance(found, dict) else list(found)
    if not pairs or all(isinstance(each, str) for each in pairs):
        return EngineHits(pairs)
    try:
        return EngineHits([str(name) for name, _ in pairs], [float(score) for _, score in pairs])
    except (TypeError, ValueError, OverflowError):
        raise AskingFailedError("the answer is not a list of ids, or of pairs of an id and a score") from None
