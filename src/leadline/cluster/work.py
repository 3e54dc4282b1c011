"""Pieces of work on a cluster: a bounded number at a time, results in the order of the pieces, lost work done again."""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from leadline.errors import InputError, LeadlineError, LeadlineWarning
from leadline.version import __version__

R = TypeVar("R")

RETRIES = 5  # of a piece whose process or machine was lost
AHEAD = 2  # pieces in flight for each processor
SHARE = 2  # pieces in flight take at most 1 / SHARE of the object store of this machine
PATIENCE = 60  # seconds without any processor in the cluster until the work is given up
LOOK = 2.0  # seconds between two looks at the cluster while a result is awaited
HEAD_TRIES = 5  # to reach the head of the cluster, LOOK seconds apart


@dataclass(frozen=True)
class Caller:
    """What a worker shares with the process that the user started: the version, and the folder of relative paths."""

    version: str
    folder: str

    @classmethod
    def here(cls) -> Caller:
        return cls(__version__, str(Path.cwd()))

    def enter(self) -> None:
        """Work as if in the caller's folder; InputError where this machine has another version of the package."""
        if self.version != __version__:
            problem = f"{socket.gethostname()} has leadline {__version__}, this machine {self.version}"
            raise InputError("--cluster", f"{problem}: install the same version on all machines")
        if str(Path.cwd()) != self.folder and Path(self.folder).is_dir():
            os.chdir(self.folder)


@dataclass(frozen=True)
class Outcome:
    """What became of a piece: its result or its error, and the warnings, which the caller repeats."""

    value: Any
    error: Exception | None
    warnings: tuple[str, ...]
    host: str
    unseen: tuple[str, ...] = ()  # of what an error is about, and the folder it is in: those that are not there

    def result(self) -> Any:
        for text in self.warnings:
            warnings.warn(text, LeadlineWarning, stacklevel=3)
        if self.error is None:
            return self.value
        for path in self.unseen:
            if _is_there(path):
                problem = f"{self.host} does not see {path}: all machines must see it under the same path"
                raise InputError("--cluster", problem)
        raise self.error


def _is_there(name: str) -> bool:
    """Whether there is a file or folder of this name, which may be any text."""
    return os.path.exists(name)  # noqa: PTH110, since Path raises an error for a text that is too long


def call_in_worker(
    caller: Caller, function: Callable[..., Any], piece: tuple[Any, ...], shared: tuple[Any, ...]
) -> Outcome:
    """Call a function in a worker."""
    value: Any = None
    problem: Exception | None = None
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", LeadlineWarning)
        try:
            caller.enter()
            value = function(*piece, *shared)
        except LeadlineError as error:
            problem = error
        except Exception as error:
            error.add_note(f"on {socket.gethostname()}:\n{traceback.format_exc()}")
            problem = error.with_traceback(None)
    texts = tuple(str(each.message) for each in said if issubclass(each.category, LeadlineWarning))
    about = problem.where if isinstance(problem, InputError) else ""
    unseen = tuple(path for path in (about, str(Path(about).parent)) if path and not _is_there(path))
    return Outcome(value, problem, texts, socket.gethostname(), unseen)


def call_packed(caller: Caller, function: Callable[..., Any], packed: bytes, shared: Held) -> Outcome:
    """The same with a piece that the caller has pickled, to know its size, and with what all pieces share."""
    return call_in_worker(caller, lambda: function(*pickle.loads(packed), *_value_in_process(shared)), (), ())


@dataclass(frozen=True)
class Held:
    """A value in the object store, which stays there as long as the caller has this."""

    reference: Any

    def value(self) -> Any:
        import ray

        return ray.get(self.reference)


@lru_cache(maxsize=1)
def _value_in_process(held: Held) -> Any:
    """The value, made once in a process: what is derived from it, such as hash tables, then serves all pieces."""
    return held.value()


class Cluster:
    """The cluster that this process is connected to; called with a function and pieces, it is a `Spread`."""

    def __init__(self) -> None:
        import ray

        self.caller = Caller.here()
        self.head = str(ray.get_runtime_context().gcs_address)
        self._task = ray.remote(call_packed).options(max_retries=RETRIES, num_cpus=1, scheduling_strategy="SPREAD")
        if not self.processors:
            raise InputError("--cluster", "the cluster has no processors: start workers with `ray start --address`")

    @property
    def processors(self) -> int:
        import ray

        return int(ray.cluster_resources().get("CPU", 0))

    @property
    def room(self) -> int:
        """The bytes of pieces that may be in flight: they lie in the object store of the machine of this process."""
        import ray

        here = ray.get_runtime_context().get_node_id()
        stores = [node["Resources"].get("object_store_memory", 0) for node in ray.nodes() if node["NodeID"] == here]
        return int(sum(stores)) // SHARE

    def __call__(self, function: Callable[..., R], pieces: Iterable[tuple[Any, ...]], *shared: Any) -> Iterator[R]:
        """Call `function(*piece, *shared)` for every piece on the cluster; yield the results in the order of pieces."""
        import ray

        held, room, most = self.held(shared), self.room, AHEAD * self.processors
        waiting: deque[tuple[Any, int]] = deque()
        used = 0
        # Where the work is given up, what is in flight is not cancelled: Ray 2 crashes now and then when it was done
        # meanwhile. It ends by itself, or with the connection.
        for piece in pieces:
            packed = ray.cloudpickle.dumps(piece)
            while waiting and (len(waiting) >= most or used + len(packed) > room):
                reference, size = waiting.popleft()
                yield self.result(reference)
                used -= size
            used += len(packed)
            waiting.append((self._task.remote(self.caller, function, packed, held), len(packed)))
        while waiting:
            yield self.result(waiting.popleft()[0])

    def _check_head(self) -> None:
        """InputError where the head is lost: Ray itself would end this process after a minute, without a word."""
        host, _, port = self.head.rpartition(":")
        for _ in range(HEAD_TRIES):
            with contextlib.suppress(OSError):
                socket.create_connection((host.strip("[]"), int(port)), timeout=LOOK).close()
                return
            time.sleep(LOOK)
        raise InputError("--cluster", f"the head of the cluster, {self.head}, was lost: start it and the command again")

    def held(self, value: Any) -> Held:
        """A reference to a value in the object store, for arguments that several members of a crew get."""
        import ray

        return Held(ray.put(value))

    def result(self, reference: Any) -> Any:
        """The result of a piece; its error is raised here, its warnings are repeated here."""
        return self.received(reference).result()

    def received(self, reference: Any) -> Any:
        """What a task returned, as soon as it has; InputError where the cluster has lost it for good."""
        import ray

        alone = 0.0
        try:
            while not ray.wait([reference], timeout=LOOK)[0]:
                self._check_head()
                now = time.monotonic()
                alone = 0.0 if self.processors else alone or now
                if alone and now - alone > PATIENCE:
                    raise InputError("--cluster", f"no machine has joined for {PATIENCE} s: start workers again")
            return ray.get(reference)
        except ray.exceptions.RayTaskError as error:  # outside of our function: the package is missing there, say
            said = str(error.cause or error).strip().splitlines()[-1]
            raise InputError(
                "--cluster", f"a worker cannot do its work: {said}; is leadline installed there?"
            ) from None
        except ray.exceptions.RayError as error:
            said = " ".join(str(error).split())[:200] or type(error).__name__
            raise InputError("--cluster", f"work was lost {RETRIES + 1} times, the last time: {said}") from None


class Crew:
    """Actors, one for each part of something that does not fit one machine, each asked through `call_in_worker`.

    An actor whose machine is lost is started again elsewhere, from the same arguments, and asked again: what it is
    asked must therefore not depend on what it was asked before.
    """

    def __init__(self, cluster: Cluster, member: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> None:
        import ray

        self.cluster = cluster
        hired = ray.remote(CrewMember).options(
            max_restarts=RETRIES, max_task_retries=RETRIES, scheduling_strategy="SPREAD"
        )
        self.given = [cluster.held(given) for given in arguments]  # they must stay for an actor to be started again
        self.members = [hired.remote(cluster.caller, member, given) for given in self.given]

    def __len__(self) -> int:
        return len(self.members)

    def ask(self, method: str, arguments: Iterable[tuple[Any, ...]]) -> list[Any]:
        """Call a method of every member, each with its own arguments; return the results in the order of members."""
        pairs = zip(self.members, arguments, strict=True)
        asked = [member.ask.remote(method, given) for member, given in pairs]
        return [self.cluster.result(each) for each in asked]

    def ask_all(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method of every member with the same arguments."""
        return self.ask(method, [arguments] * len(self))

    def ask_one(self, number: int, method: str, *arguments: Any) -> Any:
        """Call a method of one member."""
        return self.cluster.result(self.members[number].ask.remote(method, arguments))


class CrewMember:
    """An actor: it holds what `make` returns, and calls its methods. It is made when it is first asked."""

    def __init__(self, caller: Caller, make: Callable[..., Any], given: Held) -> None:
        self.caller, self.make, self.given = caller, make, given
        self.made: Any = None

    def ask(self, method: str, arguments: tuple[Any, ...]) -> Outcome:
        def asked() -> Any:
            if self.made is None:
                self.made = self.make(*self.given.value())
            values = (each.value() if isinstance(each, Held) else each for each in arguments)
            return getattr(self.made, method)(*values)

        return call_in_worker(self.caller, asked, (), ())
