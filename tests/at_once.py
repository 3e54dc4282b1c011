"""Commands that run at once, each in a process of its own: copies of one that has everything imported."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest

# The copies wait until all of them are there, and then begin together.
PROGRAM = """
import importlib, json, os, sys, tempfile, traceback
import leadline.cli

lines, modules = json.load(sys.stdin)
for name in modules:
    importlib.import_module(name)
waiting, begin = os.pipe()
children = []
for line in lines:
    printed = tempfile.TemporaryFile(), tempfile.TemporaryFile()
    child = os.fork()
    if child == 0:
        os.close(begin)
        for place, file in enumerate(printed, 1):
            os.dup2(file.fileno(), place)
        os.read(waiting, 1)
        status = 0
        try:
            leadline.cli.main(line)
        except SystemExit as ended:
            status = ended.code or 0
        except BaseException:
            traceback.print_exc()
            status = 3
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    children.append((child, printed))
os.close(begin)
ended = []
for child, printed in children:
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for file in printed:
        file.seek(0)
    ended.append([status, *(file.read().decode() for file in printed)])
print(json.dumps(ended))
"""


class CommandsAtOnce:
    """Commands that have been started; each is the words after `leadline`."""

    def __init__(self, lines: Sequence[Sequence[str]], load: Sequence[str] = ()) -> None:
        if sys.platform == "win32":
            pytest.skip("needs processes that are copies of another")
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        json.dump([lines, load], self._process.stdin)
        self._process.stdin.close()

    def ended(self) -> list[tuple[int, str, str]]:
        """The status of each command, and what it printed on standard output and standard error."""
        assert self._process.stdout is not None
        with self._process:
            return [(status, out, error) for status, out, error in json.loads(self._process.stdout.read())]
