"""Kernels as machine code: compiled by Numba once, then loaded without it.

Importing Numba costs a quarter of a second and compiling costs several, which is more than most evaluations
take. So the first large file compiles `kernels/`, and the object code is kept in the user's cache; from then
on llvmlite alone, a tenth of Numba's weight, loads it. The name of the cached file says everything it depends
on: the processor, the versions, and the kernels' own text.

Each room that has kernels keeps them in a `Library`; a room's library is compiled when it is first wanted, so
whoever evaluates never waits for the kernels that search.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

Kernel = Callable[..., int]

# What a kernel takes: b bytes, w uint16, n int32, s int64, h uint64 and d float64 arrays; i and u are plain integers.
_ARRAYS = {"b": np.uint8, "w": np.uint16, "n": np.int32, "s": np.int64, "h": np.uint64, "d": np.float64}


def cache_directory() -> Path:
    """Where object code is kept: LEADLINE_CACHE, or the user's cache."""
    named = os.environ.get("LEADLINE_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "leadline"


class Library:
    """The kernels of one room: a package of modules, and for each kernel its module and what it takes."""

    def __init__(self, package: str, signatures: Mapping[str, tuple[str, str]]) -> None:
        self.package, self.signatures = package, signatures
        self._kernels: Mapping[str, Kernel] | None = None
        self._engine: Any = None  # the code lives as long as its engine
        self._lock = threading.Lock()

    def is_ready(self) -> bool:
        """Whether the kernels can be had without compiling."""
        try:
            return self._kernels is not None or self._object_file.exists()
        except ImportError:
            return False

    def is_loaded(self) -> bool:
        """Whether the kernels can be had without waiting at all."""
        return self._kernels is not None

    def kernel(self, name: str) -> Kernel:
        """A kernel as a function over arrays and integers. Other Python threads run while it works."""
        if self._kernels is None:
            with self._lock:
                self._kernels = self._kernels or self._load()
        return self._kernels[name]

    @cached_property
    def _object_file(self) -> Path:
        import llvmlite
        import llvmlite.binding as llvm

        here = Path(__file__)
        folders = {here.with_name("kernels"), here.parents[1].joinpath(*self.package.split(".")[1:])}
        depends_on = [
            here.read_text(encoding="utf-8"),
            *(path.read_text(encoding="utf-8") for each in sorted(folders) for path in sorted(each.glob("*.py"))),
            repr(sorted(self.signatures.items())),
            sys.version,
            llvmlite.__version__,
            llvm.get_host_cpu_name(),
            llvm.get_host_cpu_features().flatten(),
        ]
        digest = hashlib.sha256("\n".join(depends_on).encode()).hexdigest()[:24]
        return cache_directory() / f"kernels-{digest}.o"

    def _compile(self) -> bytes:
        import llvmlite.binding as llvm
        import numba
        from numba import types

        kinds = {kind: types.CPointer(numba.from_dtype(np.dtype(dtype))) for kind, dtype in _ARRAYS.items()}
        kinds |= {"i": types.int64, "u": types.uint64}
        whole = llvm.parse_assembly("")
        for name, (module, arguments) in self.signatures.items():
            function = getattr(importlib.import_module(f"{self.package}.{module}"), name)
            signature = types.int64(*(kinds[kind] for kind in arguments))
            compiled = numba.cfunc(signature, nopython=True, error_model="numpy")(function)
            code = compiled.inspect_llvm().replace(compiled.native_name, f"leadline_{name}")
            if "NRT_" in code or "@Py" in code:
                raise AssertionError(f"kernel {name} can raise or allocate, so it cannot live without Numba")
            whole.link_in(llvm.parse_assembly(code))
        machine_code: bytes = _target_machine().emit_object(whole)
        return machine_code

    def _load(self) -> Mapping[str, Kernel]:
        import llvmlite.binding as llvm

        machine_code = _kept(self._object_file)
        if machine_code is None:
            machine_code = self._compile()
            _keep(self._object_file, machine_code)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
        engine.add_object_file(llvm.ObjectFileRef.from_data(machine_code))
        engine.finalize_object()
        self._engine = engine
        return {
            name: _callable(engine.get_function_address(f"leadline_{name}"), arguments)
            for name, (_, arguments) in self.signatures.items()
        }


def _target_machine() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        jit=True,
    )


def _keep(path: Path, machine_code: bytes) -> None:
    """Put the object code into the cache, whole or not at all. A cache that cannot be written is no error."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
            part.write(hashlib.sha256(machine_code).digest() + machine_code)
        os.replace(part.name, path)
    except OSError:
        pass


def _kept(path: Path) -> bytes | None:
    """The object code in the cache; None when there is none, it is damaged, or others could have written it."""
    try:
        about = path.stat()
        if hasattr(os, "getuid") and (about.st_uid != os.getuid() or about.st_mode & 0o022):
            return None
        content = path.read_bytes()
    except OSError:
        return None
    digest, machine_code = content[:32], content[32:]
    return machine_code if hashlib.sha256(machine_code).digest() == digest else None


def _callable(address: int, arguments: str) -> Kernel:
    plain = {"i": ctypes.c_int64, "u": ctypes.c_uint64}
    native = ctypes.CFUNCTYPE(ctypes.c_int64, *(plain.get(kind, ctypes.c_void_p) for kind in arguments))(address)

    def call(*values: Any) -> int:
        passed = []
        for kind, value in zip(arguments, values, strict=True):
            if kind in plain:
                passed.append(int(value))
            else:
                if value.dtype != _ARRAYS[kind] or not value.flags.c_contiguous:
                    raise TypeError(f"a kernel takes contiguous {_ARRAYS[kind].__name__}, not {value.dtype}")
                passed.append(value.ctypes.data)
        return int(native(*passed))

    return call


TEXT = Library(
    "leadline.text.kernels",
    {
        "scan_run": ("scanning", "biuiinisnhnsnhds"),
        "scan_fields": ("scanning", "biiiisns"),
        "order_run": ("ordering", "biinsnhdisnnns"),
        "index_documents": ("joining", "ishsn"),
        "join_run": ("joining", "binsnsnhdibsnhsnsnnnn"),
        "join_text": ("joining", "biuiiiniisnhnsnhdnnnsbsnnibsnhsnssnnnnn"),
        "encode": ("columns", "biisnunishn"),
        "gather_fields": ("columns", "bisnb"),
        "hash_fields": ("columns", "bisnuh"),
        "whole_numbers": ("columns", "biisnn"),
    },
)
is_ready = TEXT.is_ready
kernel = TEXT.kernel
