"""The engine: machine code or plain Python for a job; kernels compiled by Numba once, then loaded without it.

A small job is over before the machine code is loaded; a middling one before it is compiled. Neither should wait. The
rule adds up the sizes of all jobs of a kernel library in this process, because many small jobs are worth as much as a
large one. Machine code that is loaded is always used. Where it has to be compiled first, a process of its own does
that, and plain Python works on until it is done. LEADLINE_ENGINE=plain or =compiled overrides the rule.

Where machine code cannot be loaded or compiled, for whatever reason, plain Python gives the same result, and one
warning says why.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import hashlib
import importlib
import importlib.util
import json
import os
import re
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, partial
from io import FileIO
from pathlib import Path
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import numpy as np

from leadline.errors import LeadlineError, LeadlineWarning, checked_choice

# Kernels as machine code: compiled by Numba once, then loaded without it.
#
# Importing Numba costs a quarter of a second and compiling costs several, which is more than most evaluations take. So
# the kernels of a module are compiled once, and the object code is stored in the user's cache; from then on llvmlite
# alone, a tenth of Numba's weight, loads it. The name of the cached file is a hash of everything the code depends on:
# the processor, the versions, and the source of every module that the kernels import from Leadline. A wheel brings the
# object code for processors of x86-64-v3 (those since about 2013) with it, under a hash of the sources alone.
#
# `Engine`, below, decides when a library is loaded or compiled, and what happens where that fails.


Kernel = Callable[..., int]
# The arguments of a kernel, one for each parameter: a kind, or for a group the kind of each member by its name.
# A kind is the name of a dtype for an array, `int` or `unsigned` for a number.
Kinds = str | dict[str, str]
Signature = dict[str, Kinds]
Group = TypeVar("Group", bound=tuple[Any, ...])

_NUMBERS = {"int": ctypes.c_int64, "unsigned": ctypes.c_uint64}
_IMPORT = re.compile(r"^from (leadline[\w.]*) import", re.MULTILINE)
_PACKAGE_ROOT = Path(__file__).parents[1]
SHIPPED_FOR = "x86-64-v3"  # on Linux
_FEATURES = (
    "avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2",
    "ssse3", "xsave",
)  # fmt: skip


class KernelLibrary:
    """The kernels of one module. Every method may raise whatever Numba, llvmlite or the system raises."""

    def __init__(self, module: str) -> None:
        self.module = module
        self._engine: Any = None  # the machine code lives as long as this LLVM object
        self._compiler: Compiler | None = None

    def is_cached(self) -> bool:
        """Whether the machine code can be loaded without compiling."""
        return self._kept() is not None

    def _kept(self) -> bytes | None:
        """What was compiled here before, or came with the package; asked before every job until there is something."""
        from leadline.text.files import read_cached

        content = read_cached(self._object_file) if self._object_file.exists() else None
        return self._shipped if content is None else content

    @cached_property
    def _shipped(self) -> bytes | None:
        """What came with the package, for processors such as this one."""
        from leadline.text.files import checked_content

        if not self.shipped_file.exists() or not _is_shipped_for():
            return None
        return checked_content(self.shipped_file, self.shipped_file.read_bytes())

    def load(self) -> tuple[Mapping[str, Kernel], OSError | None]:
        """The kernels by name, compiled where the cache lacks them; and why they could not be cached, if so."""
        try:
            content = self._kept()
            if content is not None:
                return self._linked(content), None
        except Exception:  # what LLVM refuses, though its checksum is right, is compiled again
            with contextlib.suppress(OSError):
                self._object_file.unlink(missing_ok=True)
        while True:
            self.begin()
            if self._compiler is not None:
                content, not_cached = self._compiler.result()
                self._compiler = None
                return self._linked(content), not_cached
            time.sleep(_PAUSE)  # another process compiles it
            content = self._kept()
            if content is not None:
                return self._linked(content), None

    def begin(self, most: int | None = None) -> None:
        """Begin to compile, unless that is done here or in another process, or so many processes do it for this one."""
        from leadline.text.files import hold_cached

        if self._compiler is not None and not self._compiler.is_ours():
            self._compiler = None  # that of the process from which this one was forked
        if self._compiler is None and (most is None or Compiler.running < most):
            try:
                held = hold_cached(self._object_file)
            except BlockingIOError:
                return
            self._compiler = Compiler(self.module, self._object_file, held)

    def is_compiled(self) -> bool:
        """Whether what was begun here is done."""
        return self._compiler is not None and self._compiler.is_over()

    @cached_property
    def _object_file(self) -> Path:
        import llvmlite
        import llvmlite.binding as llvm

        from leadline.text.files import cache_directory

        depends_on = [
            *(path.read_text(encoding="utf-8") for path in sources(self.module)),
            sys.version,
            llvmlite.__version__,
            numba_version(),
            llvm.get_host_cpu_name(),
            llvm.get_host_cpu_features().flatten(),
        ]
        digest = hashlib.sha256("\n".join(depends_on).encode()).hexdigest()[:24]
        return cache_directory() / f"{self.module.removeprefix('leadline.')}-{digest}.o"

    @cached_property
    def shipped_file(self) -> Path:
        """Where a wheel has the machine code of these sources."""
        texts = [*(path.read_text(encoding="utf-8") for path in sources(self.module)), SHIPPED_FOR]
        digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:24]
        return _PACKAGE_ROOT / "machine_code" / f"{self.module.removeprefix('leadline.')}-{digest}.o"

    def compiled(self, processor: str | None = None) -> bytes:
        """The signatures of all kernels as a line of JSON, and the object code, by default for this processor.

        It takes seconds, and 100 MB of memory. For another processor NUMBA_CPU_NAME has to name it, too.
        """
        import llvmlite.binding as llvm
        import numba
        from numba import types

        kinds = {"int": types.int64, "unsigned": types.uint64}
        signatures: dict[str, Signature] = {}
        whole = llvm.parse_assembly("")
        for function in _kernel_functions(self.module):
            name = function.__name__
            signatures[name] = _signature(function)
            arguments = [
                kinds.get(kind) or types.CPointer(numba.from_dtype(np.dtype(kind))) for kind in _flat(signatures[name])
            ]
            inlined = numba.njit(forceinline=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
            entry = _entry_point(function, inlined(function))
            compiled = numba.cfunc(types.int64(*arguments), nopython=True, error_model="numpy")(entry)
            code = compiled.inspect_llvm().replace(compiled.native_name, f"leadline_{name}")
            if "NRT_" in code or "@Py" in code:
                raise AssertionError(f"kernel {name} can raise or allocate, so it cannot run without Numba")
            whole.link_in(llvm.parse_assembly(code))
        machine_code: bytes = _target_machine(processor).emit_object(whole)
        return json.dumps(signatures).encode() + b"\n" + machine_code

    def _linked(self, content: bytes) -> Mapping[str, Kernel]:
        import llvmlite.binding as llvm

        described, _, machine_code = content.partition(b"\n")
        signatures = json.loads(described)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
        engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
        engine.finalize_object()
        self._engine = engine
        return {
            name: _callable(name, engine.get_function_address(f"leadline_{name}"), signature)
            for name, signature in signatures.items()
        }


_PAUSE = 0.02  # seconds between two looks at what another process does


class Compiler:
    """A process that compiles the kernels of a module, and stores them in the cache.

    In this process the work would slow down every thread of Python, and leave 100 MB behind. The other one ends with
    this one, whatever its end. `held` is closed when it is over, so that no other process compiles the same meanwhile.
    """

    running = 0

    def __init__(self, module: str, path: Path, held: FileIO | None) -> None:
        import subprocess

        self._path, self._owner = path, os.getpid()
        self._content, self._failed = b"", ""
        self._not_cached: OSError | None = None
        self._held = held
        parts = [*map(os.path.abspath, sys.path), str(_PACKAGE_ROOT.parent)]  # what is imported here
        code = f"import sys; sys.path[:] = {parts!r}; import {__name__} as e; e.compile_for({self._owner}, {module!r})"
        kept = ["-B"] * sys.dont_write_bytecode
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", *kept, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except BaseException:
            self._release()
            raise
        Compiler.running += 1
        self._reader = threading.Thread(target=self._read, name=f"compiling {module}", daemon=True)
        self._reader.start()
        atexit.register(self.end)

    def is_ours(self) -> bool:
        """Whether this process began it, and not one from which this was forked."""
        return os.getpid() == self._owner

    def is_over(self) -> bool:
        """Whether there is a result, or none to be expected."""
        return not self._reader.is_alive()

    def result(self) -> tuple[bytes, OSError | None]:
        """What was compiled, when it is done, and why it could not be cached, if so; LeadlineError where it failed."""
        self._reader.join()
        if self._failed:
            raise LeadlineError(self._failed)
        return self._content, self._not_cached

    def end(self) -> None:
        """End the process, unless it is done."""
        if self.is_ours():
            if self._process.poll() is None:
                self._process.kill()
            self._reader.join()

    def _read(self) -> None:
        from leadline.text.files import write_cached

        try:
            content, said = self._process.communicate()
            if self._process.returncode:
                lines = said.decode("utf-8", "replace").strip().splitlines()
                self._failed = lines[-1] if lines else f"compiling ended with status {self._process.returncode}"
            else:
                self._not_cached = write_cached(self._path, content)
                self._content = content
        except Exception as error:
            self._failed = one_line(error)
        finally:
            Compiler.running -= 1
            self._release()
            atexit.unregister(self.end)

    def _release(self) -> None:
        if self._held is not None:
            self._held.close()
            with contextlib.suppress(OSError):
                Path(self._held.name).unlink()


def compile_for(owner: int, module: str) -> None:
    """What the process of a `Compiler` does, which ends with its owner."""

    def watch() -> None:
        while os.getppid() == owner:
            time.sleep(_PAUSE)
        os._exit(1)

    if os.name == "posix":
        threading.Thread(target=watch, daemon=True).start()
    with contextlib.suppress(OSError):  # Linux: where memory ends, this process is killed first
        Path("/proc/self/oom_score_adj").write_text("1000")
    output, sys.stdout = sys.stdout.buffer, sys.stderr
    output.write(KernelLibrary(module).compiled())


def sources(module: str) -> list[Path]:
    """The files that the machine code of a module depends on: itself and what it imports of Leadline."""
    found: dict[Path, None] = {Path(__file__): None}
    waiting = [_path_of(module)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = None
            waiting += map(_path_of, _IMPORT.findall(path.read_text(encoding="utf-8")))
    return sorted(found)


def _path_of(module: str) -> Path:
    path = _PACKAGE_ROOT.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def numba_version() -> str:
    """The text of the file that holds Numba's version, read without importing Numba; empty where there is none."""
    spec = importlib.util.find_spec("numba")
    path = Path(spec.origin).with_name("_version.py") if spec is not None and spec.origin else None
    return path.read_text(encoding="utf-8") if path is not None and path.exists() else ""


def _kernel_functions(module: str) -> Iterator[Any]:
    for function in vars(importlib.import_module(module)).values():
        if getattr(function, "is_kernel", False) and function.__module__ == module:
            yield function


def _signature(function: Any) -> Signature:
    """What a kernel's annotations declare."""
    from typing import get_type_hints

    def kind(declared: Any) -> str:
        if declared in (int, np.uint64):
            return "int" if declared is int else "unsigned"
        return np.dtype(declared.dtype).name

    found: Signature = {}
    for name, declared in get_type_hints(function).items():
        if name != "return":
            members = get_type_hints(declared) if hasattr(declared, "_fields") else None
            found[name] = kind(declared) if members is None else {n: kind(each) for n, each in members.items()}
    return found


def _flat(signature: Signature) -> Iterator[str]:
    for kinds in signature.values():
        yield from [kinds] if isinstance(kinds, str) else kinds.values()


def _entry_point(function: Any, compiled: Any) -> Any:
    """A function of the members of all groups, one by one, which puts the groups together: C knows no groups."""
    from typing import get_type_hints

    names: list[str] = []
    calls: list[str] = []
    known = {"compiled": compiled}
    for name, declared in get_type_hints(function).items():
        if name == "return":
            continue
        members = [f"{name}_{member}" for member in getattr(declared, "_fields", ())]
        if members:
            known[declared.__name__] = declared
        names += members or [name]
        calls.append(f"{declared.__name__}({', '.join(members)})" if members else name)
    exec(f"def entry({', '.join(names)}):\n    return compiled({', '.join(calls)})", known)
    return known["entry"]


def _is_shipped_for() -> bool:
    """Whether this machine can run what a wheel brings."""
    import platform

    import llvmlite.binding as llvm

    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    features = llvm.get_host_cpu_features()
    return all(features.get(name) for name in _FEATURES)


def _target_machine(processor: str | None = None) -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=processor or llvm.get_host_cpu_name(),
        features="" if processor else llvm.get_host_cpu_features().flatten(),
        opt=3,
        jit=True,
    )


class _Prepared:
    """Mixed into the class of a group: the group's members as each parameter of a kernel passes them."""

    passed: dict[str, list[int]]


@cache
def _prepared_class(group: type) -> Any:
    return type(group.__name__, (_Prepared, group), {})


def prepared(group: Group) -> Group:
    """The same group, for many calls: its arrays are checked, and their addresses looked up, only once."""
    kind: Any = type(group)
    made = _prepared_class(kind)(*group)
    made.passed = {}
    return made


def _callable(name: str, address: int, signature: Signature) -> Kernel:
    """A kernel as a function over arrays, numbers and groups. Other Python threads run while it works."""
    native = ctypes.CFUNCTYPE(ctypes.c_int64, *(_NUMBERS.get(kind, ctypes.c_void_p) for kind in _flat(signature)))(
        address
    )
    # Of each parameter: its label, and of its members the dtype, None for a number, and the label.
    parameters = [
        (
            f"{name}.{parameter}",
            [
                (None if kind in _NUMBERS else np.dtype(kind), label)
                for label, kind in (
                    [(parameter, kinds)]
                    if isinstance(kinds, str)
                    else [(f"{parameter}.{member}", kind) for member, kind in kinds.items()]
                )
            ],
        )
        for parameter, kinds in signature.items()
    ]

    def passed_of(value: Any, members: list[tuple[Any, str]]) -> list[int]:
        passed = []
        for each, (dtype, label) in zip(value if isinstance(value, tuple) else (value,), members, strict=True):
            if dtype is None:
                passed.append(int(each))
            elif each.dtype == dtype and each.flags.c_contiguous:
                passed.append(each.ctypes.data)
            else:
                raise TypeError(f"{name}: {label} must be a contiguous array of {dtype}, got {each.dtype}")
        return passed

    def call(*values: Any) -> int:
        passed: list[int] = []
        for value, (key, members) in zip(values, parameters, strict=True):
            if type(value) is int and members[0][0] is None:
                passed.append(value)
            elif isinstance(value, _Prepared):
                known = value.passed.get(key)
                if known is None:
                    known = value.passed[key] = passed_of(value, members)
                passed += known
            else:
                passed += passed_of(value, members)
        return int(native(*passed))

    return call


# Sizes are in bytes of text to read; a job of another kind gives the number of bytes that take as long.
LOADING_PAYS = 2 * 2**20  # plain Python needs about as long for this as loading takes
BEGINNING_PAYS = 16 * 2**20  # for this a second: then compiling is begun, where it keeps nobody from working
COMPILING_PAYS = 128 * 2**20  # and for this as long as compiling takes
ROOM_TO_COMPILE = 2**30  # bytes of memory that must be free, of which another process takes a fifth
ENGINES = ["plain", "compiled"]

P = ParamSpec("P")
R = TypeVar("R")


class Engine:
    """One kernel library in this process: whether it is loaded, whether it failed, and what was done without it."""

    def __init__(self, module: str) -> None:
        self.library = KernelLibrary(module)
        self.kernels: Mapping[str, Kernel] | None = None
        self.failed = False
        self.plain_size = 0
        self._lock = threading.Lock()

    def pays(self, size: int) -> bool:
        """Whether to use machine code for a job of this size; what is cached or compiled for it is loaded."""
        forced = forced_engine()
        if forced or self.failed:
            return forced == "compiled" and not self.failed
        if self.kernels is not None:
            return True
        self.plain_size += size
        return self._is_at_hand(self.plain_size) and self._is_loaded()

    def expects(self, size: int) -> bool:
        """Whether machine code is loaded, for jobs of this size together; where it is not, each of them asks again."""
        forced = forced_engine()
        pays = self._is_at_hand(self.plain_size + size) if forced is None else forced == "compiled"
        return pays and self._is_loaded()

    def _is_at_hand(self, work: int) -> bool:
        """Whether there is machine code for so much work, or waiting for it takes less time than the work."""
        if work <= LOADING_PAYS or self.failed:
            return False
        if self.kernels is not None or work > COMPILING_PAYS:
            return True  # to load it is to wait for it
        with self._lock:
            try:
                if self.library.is_cached():
                    return True
                if work > BEGINNING_PAYS and (spare := spare_processors()):
                    self.library.begin(spare)
                return self.library.is_compiled()
            except Exception as error:
                self._fail(error)
                return False

    def kernel(self, name: str) -> Kernel | None:
        """The kernel as machine code; None where plain Python must do the job."""
        if forced_engine() == "plain":
            return None
        self._is_loaded()
        if self.kernels is not None and name not in self.kernels:
            self.kernels = None
            self._fail(LookupError(f"it has no kernel {name}"))
        return None if self.kernels is None else self.kernels[name]

    def _is_loaded(self) -> bool:
        """Whether there is machine code in this process, loaded or compiled if need be."""
        if self.kernels is None and not self.failed:
            with self._lock:
                if self.kernels is None and not self.failed:
                    self._load()
        return self.kernels is not None

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


@cache
def spare_processors() -> int:
    """How many processes may compile beside this one: a processor is left to it; none where memory is short."""
    with contextlib.suppress(OSError, ValueError):
        about = Path("/proc/meminfo").read_text(encoding="ascii")
        if int(about.partition("MemAvailable:")[2].split()[0]) * 1024 < ROOM_TO_COMPILE:
            return 0
    with contextlib.suppress(AttributeError):  # where the system does not say what this process may use
        return len(os.sched_getaffinity(0)) - 1
    return (os.cpu_count() or 1) - 1


def forced_engine() -> str | None:
    """The value of LEADLINE_ENGINE, None where it is not set."""
    value = os.environ.get("LEADLINE_ENGINE")
    if not value or value in ENGINES:
        return value or None
    return checked_choice("LEADLINE_ENGINE", value, ENGINES)


def one_line(error: Exception) -> str:
    name = "" if isinstance(error, LeadlineError) else f"{type(error).__name__}: "  # ours say what happened
    return f"{name}{' '.join(str(error).split())}"[:300]


@cache
def warn_once(message: str) -> None:
    """Warn, the first time in this process."""
    warnings.warn(message, LeadlineWarning, stacklevel=2)


@cache
def engine_of(module: str) -> Engine:
    """The engine of a module of kernels."""
    return Engine(module)


class Job(Generic[P, R]):
    """A job in two versions that give the same result: machine code, and plain Python."""

    def __init__(self, kernel: str, plain: Callable[P, R], compiled: Callable[Concatenate[Kernel, P], R]) -> None:
        library, _, place = kernel.partition(".kernels.")
        self.kernel_name = place.rpartition(".")[2]
        self.engine = engine_of(f"{library}.kernels")
        self.plain, self.compiled = plain, compiled
        JOBS[kernel] = self

    def pays(self, size: int) -> bool:
        """Whether to use machine code for a job of this size, in bytes of text."""
        return self.engine.pays(size)

    def choose(self, size: int) -> Callable[P, R]:
        """The version for a job of this size, in bytes of text."""
        loaded = self.engine.kernels
        if loaded is not None and self.kernel_name in loaded and forced_engine() != "plain":  # quick: mostly it is so
            return partial(self.compiled, loaded[self.kernel_name])
        return self.version(self.engine.pays(size))

    def version(self, kernels: bool) -> Callable[P, R]:
        """The version with or without machine code; the plain one where there is no machine code."""
        kernel = self.engine.kernel(self.kernel_name) if kernels else None
        return self.plain if kernel is None else partial(self.compiled, kernel)


JOBS: dict[str, Job[..., Any]] = {}  # by the full name of the kernel; one for each kernel of Leadline


def compiled_job(kernel: str, *, plain: Callable[P, R]) -> Callable[[Callable[Concatenate[Kernel, P], R]], Job[P, R]]:
    """Declare a job: the decorated function calls the kernel, given as its first argument; `plain` is its twin."""
    return lambda compiled: Job(kernel, plain, compiled)
