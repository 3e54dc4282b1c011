"""The tools in tools/attack: a process that has them and their small inputs ready, and forks for each attack."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).parents[2] / "tools" / "attack"

# Importing everything takes seconds: it is done once, in a process that never uses Polars, which does not survive a
# fork. Each line of input is code, which a fork runs; each line of output is its status and what it printed.
SERVER = """
import json, resource, sys
from functools import partial
from pathlib import Path
from harness import forked, materials, preload

preload()
base = materials(Path(sys.argv[1]))
for line in sys.stdin:
    code = partial(exec, json.loads(line), {"__name__": "attack", "Path": Path, "base": base})
    done = forked(code, Path.cwd(), seconds=3600, memory=resource.RLIM_INFINITY)
    print(json.dumps([done.status, done.output.decode(), done.errors.decode()]), flush=True)
"""


@pytest.fixture(scope="session")
def attack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Run Python code of the tools in a process of its own, which has not used Polars; `base` are the materials."""
    if sys.platform == "win32":
        pytest.skip("the attacks need forks")
    folder = tmp_path_factory.mktemp("attack") / "base"
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(folder)],
        cwd=TOOLS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None

        def run(code: str) -> str:
            print(json.dumps(code), file=server.stdin, flush=True)
            answer = server.stdout.readline()
            assert answer, "the process of the attacks has ended"
            status, output, errors = json.loads(answer)
            assert status == 0, errors[:3000]
            return output.strip()

        yield run
        server.stdin.close()
