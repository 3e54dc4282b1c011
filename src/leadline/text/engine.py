"""The engine: whether machine code or plain Python does a job, the same rule for every job of the package.

A small job is over before the machine code is loaded; a middling one before it is compiled. Neither should wait. The
rule adds up the sizes of all jobs of a kernel library in this process, because many small jobs are worth as much as a
large one. Machine code that is loaded is always used. LEADLINE_ENGINE=plain or =compiled overrides the rule.

Where machine code cannot be loaded or compiled, for whatever reason, plain Python gives the same result, and one
warning says why.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from leadline.errors import LeadlineWarning, checked_choice
from leadline.text.compiled import Kernel, KernelLibrary

# Sizes are in bytes of text to read; a job of another kind gives the number of bytes that take as long.
LOADING_PAYS = 2 * 2**20  # plain Python needs about as long for this as loading takes
COMPILING_PAYS = 128 * 2**20  # and for this as long as compiling takes
ENGINES = ["plain", "compiled"]

P = ParamSpec("P")
R = TypeVar("R")


class Engine:
    """One kernel library in this process: whether it is loaded, whether it failed, and what was done without it."""

    def __init__(self, package: str) -> None:
        self.library = KernelLibrary(package)
        self.kernels: Mapping[str, Kernel] | None = None
        self.failed = False
        self.plain_size = 0
        self._lock = threading.Lock()

    def pays(self, size: int) -> bool:
        """Whether to use machine code for a job of this size."""
        forced = forced_engine()
        if forced or self.failed:
            return forced == "compiled" and not self.failed
        if self.kernels is not None:
            return True
        self.plain_size += size
        if self.plain_size <= LOADING_PAYS:
            return False
        return self.plain_size > COMPILING_PAYS or self._is_cached()

    def kernel(self, name: str) -> Kernel | None:
        """The kernel as machine code; None where plain Python must do the job."""
        if forced_engine() == "plain":
            return None
        if self.kernels is None and not self.failed:
            with self._lock:
                if self.kernels is None and not self.failed:
                    self._load()
        if self.kernels is not None and name not in self.kernels:
            self.kernels = None
            self._fail(LookupError(f"it has no kernel {name}"))
        return None if self.kernels is None else self.kernels[name]

    def _is_cached(self) -> bool:
        try:
            return self.library.is_cached()
        except Exception as error:
            self._fail(error)
            return False

    def _load(self) -> None:
        try:
            self.kernels, not_cached = self.library.load()
        except Exception as error:
            self._fail(error)
            return
        if not_cached is not None:
            warn_once(f"machine code cannot be cached, so it will be compiled again next time: {one_line(not_cached)}")

    def _fail(self, error: Exception) -> None:
        self.failed = True
        warn_once(f"plain Python is used because machine code cannot be: {one_line(error)}")


def forced_engine() -> str | None:
    """The value of LEADLINE_ENGINE, None where it is not set."""
    value = os.environ.get("LEADLINE_ENGINE")
    if not value or value in ENGINES:
        return value or None
    return checked_choice("LEADLINE_ENGINE", value, ENGINES)


def one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


@cache
def warn_once(message: str) -> None:
    """Warn, the first time in this process."""
    warnings.warn(message, LeadlineWarning, stacklevel=2)


@cache
def engine_of(package: str) -> Engine:
    """The engine of a package of kernels."""
    return Engine(package)


class Job(Generic[P, R]):
    """A job in two versions that give the same result: machine code, and plain Python."""

    def __init__(self, kernel: str, plain: Callable[P, R], compiled: Callable[Concatenate[Kernel, P], R]) -> None:
        module, _, self.kernel_name = kernel.rpartition(".")
        self.engine = engine_of(module.rpartition(".")[0])
        self.plain, self.compiled = plain, compiled
        JOBS[kernel] = self

    def pays(self, size: int) -> bool:
        """Whether to use machine code for a job of this size, in bytes of text."""
        return self.engine.pays(size)

    def choose(self, size: int) -> Callable[P, R]:
        """The version for a job of this size, in bytes of text."""
        return self.version(self.engine.pays(size))

    def version(self, kernels: bool) -> Callable[P, R]:
        """The version with or without machine code; the plain one where there is no machine code."""
        kernel = self.engine.kernel(self.kernel_name) if kernels else None
        return self.plain if kernel is None else partial(self.compiled, kernel)


JOBS: dict[str, Job[..., Any]] = {}  # by the full name of the kernel; one for each kernel of the package


def compiled_job(kernel: str, *, plain: Callable[P, R]) -> Callable[[Callable[Concatenate[Kernel, P], R]], Job[P, R]]:
    """Declare a job: the decorated function calls the kernel, given as its first argument; `plain` is its twin."""
    return lambda compiled: Job(kernel, plain, compiled)
