"""Our modules and tests meet the names of Windows: `python tests/names_of_windows.py -m pytest ...` on any system.

Only imports in files of ours are changed, so that libraries still work: modules that Windows lacks are not found, `os`,
`signal` and `socket` lack what they lack there, `os.name` is "nt", `sys.platform` "win32". Files, processes and
locks are those of the system that runs it.
"""

from __future__ import annotations

import builtins
import os
import runpy
import signal
import socket
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any

try:  # noqa: SIM105 (a type checker knows this form)
    import fcntl
except ImportError:  # this is Windows
    pass

NOT_THERE = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
OURS = ("leadline", "tests", "test_", "conftest", "__main__")
HIDDEN = {
    "os": {
        "WNOHANG", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "chroot", "fchmod", "fchown",
        "fork", "forkpty", "getegid", "geteuid", "getgid", "getgroups", "getloadavg", "getpgid", "getpgrp", "getuid",
        "killpg", "lchown", "mkfifo", "mknod", "nice", "openpty", "posix_fadvise", "posix_spawn", "pread", "preadv",
        "pwrite", "pwritev", "register_at_fork", "sched_getaffinity", "sched_setaffinity", "setegid", "seteuid",
        "setgid", "setpgid", "setsid", "setuid", "statvfs", "sysconf", "ttyname", "uname", "wait3", "wait4",
    },
    "signal": {
        "SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGTSTP", "SIGUSR1",
        "SIGUSR2", "SIGXCPU", "SIGXFSZ", "alarm", "getitimer", "pause", "pthread_kill", "pthread_sigmask", "setitimer",
        "sigpending", "sigwait",
    },
    "socket": {"AF_UNIX"},
}  # fmt: skip
TOLD = {"os": {"name": "nt", "devnull": os.devnull}, "sys": {"platform": "win32"}}


class SeenOnWindows(types.ModuleType):
    """A module with the names that it has on Windows."""

    def __init__(self, real: types.ModuleType) -> None:
        super().__init__(real.__name__, real.__doc__)
        self.__dict__.update(TOLD.get(real.__name__, {}))

    def __getattr__(self, name: str) -> Any:
        if name in HIDDEN.get(self.__name__, ()):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on Windows")
        return getattr(sys.modules[self.__name__], name)


def lock_bytes(descriptor: int, mode: int, count: int) -> None:
    """`msvcrt.locking` by the locks of this system."""
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def begin() -> None:
    """From now on files of ours import what Windows has."""
    seen = {module.__name__: SeenOnWindows(module) for module in (os, signal, socket, sys)}
    windows_only = types.ModuleType("msvcrt")
    windows_only.__dict__.update(locking=lock_bytes, LK_NBLCK=2, LK_UNLCK=0)
    imported = builtins.__import__

    def find(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        if not level and str((globals or {}).get("__name__", "")).startswith(OURS):
            if name in NOT_THERE:
                raise ModuleNotFoundError(f"No module named {name!r} on Windows", name=name)
            if name == "msvcrt":
                return windows_only
            if name in seen:
                return seen[name]
        return imported(name, globals, locals, fromlist or (), level)

    builtins.__import__ = find


if __name__ == "__main__":
    if sys.argv[1] != "-m":
        raise SystemExit("names_of_windows.py -m MODULE ARGUMENT...")
    sys.argv = sys.argv[2:]
    begin()
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
